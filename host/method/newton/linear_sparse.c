/* linear_sparse.c: sparse factors: CHOLMOD for symmetric matrices; for others an LU by blocks on
 * CHOLMOD's ordering, and UMFPACK where that does not serve.
 *
 * The ordering and the symbolic part are kept while the pattern stays. Both libraries take their
 * memory from the C library; what they lack becomes OUT_OF_MEMORY here. Nothing is printed. */
#include "host/method/newton/linear_blocks.h"

#include <math.h>
#include <string.h>

#if TL_HAVE_SUITESPARSE
#include <cholmod.h>
#include <umfpack.h>

struct tl_sparse {
  cholmod_common common;
  cholmod_factor *factor; /* analysed; NULL: not yet */
  double operations;      /* of a Cholesky factor, by that analysis */
  tl_blocks blocks;
  int by_blocks; /* the present LU is theirs */
  void *symbolic, *numeric;
  double lu_operations; /* of the last numeric of this symbolic; 0: none */
  double control[UMFPACK_CONTROL], info[UMFPACK_INFO];
};

/* Of a factorisation that last as long as ordering an entry of the matrix: 0.1 microseconds. */
#define ORDER_OPERATIONS 1e3
/* The same for an entry of the factor, of which a solve reads two: 2 nanoseconds. */
#define SOLVE_OPERATIONS 20

bool tl_sparse_available(void) {
  return true;
}

static void lu_forget(struct tl_sparse *sparse) {
  sparse->lu_operations = 0;
  umfpack_dl_free_symbolic(&sparse->symbolic);
  umfpack_dl_free_numeric(&sparse->numeric);
}

static void pattern_forget(struct tl_sparse *sparse) {
  cholmod_l_free_factor(&sparse->factor, &sparse->common);
  sparse->blocks.ready = 0;
  lu_forget(sparse);
}

void tl_sparse_release(talus_context *context, struct tl_sparse *sparse) {
  if (sparse == NULL) {
    return;
  }
  pattern_forget(sparse);
  tl_blocks_release(context, &sparse->blocks);
  cholmod_l_finish(&sparse->common);
  tl_free(context, sparse);
}

int64_t tl_sparse_bytes(const struct tl_sparse *sparse) {
  return sparse == NULL ? 0
                        : tl_blocks_bytes(&sparse->blocks) +
                              (int64_t)(sparse->common.memory_inuse +
                                        (size_t)(sparse->numeric != NULL
                                                     ? sparse->info[UMFPACK_NUMERIC_SIZE] *
                                                           sparse->info[UMFPACK_SIZE_OF_UNIT]
                                                     : 0));
}

static talus_status sparse_make(tl_linear *linear) {
  struct tl_sparse *sparse;
  TL_TRY(tl_alloc(linear->context, (void **)&sparse, 1, sizeof *sparse, "sparse factors"));
  memset(sparse, 0, sizeof *sparse);
  if (!cholmod_l_start(&sparse->common)) {
    tl_free(linear->context, sparse);
    return tl_fail(linear->context, TALUS_OUT_OF_MEMORY, "CHOLMOD did not start");
  }
  sparse->common.print = 0;
  sparse->common.quick_return_if_not_posdef = 1;
  umfpack_dl_defaults(sparse->control);
  sparse->control[UMFPACK_PRL] = 0;
  sparse->control[UMFPACK_IRSTEP] = 0;
  linear->sparse = sparse;
  linear->fresh = true;
  return TALUS_OK;
}

/* What CHOLMOD's last call came to. */
static talus_status cholmod_check(tl_linear *linear, const char *what) {
  const int status = linear->sparse->common.status;
  if (status == CHOLMOD_OUT_OF_MEMORY || status == CHOLMOD_TOO_LARGE) {
    return tl_fail(linear->context, TALUS_OUT_OF_MEMORY,
                   "%s: CHOLMOD has no memory for a matrix of order %lld", what,
                   (long long)linear->order);
  }
  return TALUS_OK;
}

static cholmod_sparse matrix_of(const tl_linear *linear, int64_t order) {
  cholmod_sparse matrix;
  memset(&matrix, 0, sizeof matrix);
  matrix.nrow = matrix.ncol = (size_t)order;
  matrix.nzmax = (size_t)linear->start[order];
  matrix.p = linear->start;
  matrix.i = linear->index;
  matrix.x = linear->value;
  matrix.stype = 1;
  matrix.itype = CHOLMOD_LONG;
  matrix.xtype = CHOLMOD_REAL;
  matrix.dtype = CHOLMOD_DOUBLE;
  matrix.sorted = matrix.packed = 1;
  return matrix;
}

/* *ready = 0: it would outlast the limit. */
static talus_status analyse(tl_linear *linear, int64_t order, int *ready) {
  struct tl_sparse *const sparse = linear->sparse;
  *ready = sparse->factor != NULL ||
           !tl_linear_refuses(linear, ORDER_OPERATIONS * (double)linear->start[order]);
  if (sparse->factor != NULL || !*ready) {
    return TALUS_OK;
  }
  cholmod_sparse matrix = matrix_of(linear, order);
  sparse->factor = cholmod_l_analyze(&matrix, &sparse->common);
  TL_TRY(cholmod_check(linear, "ordering"));
  if (sparse->factor == NULL) {
    return tl_fail(linear->context, TALUS_UNSUPPORTED, "CHOLMOD cannot order the matrix (%d)",
                   sparse->common.status);
  }
  sparse->operations = sparse->common.fl;
  return TALUS_OK;
}

static talus_status cholesky(tl_linear *linear, int64_t order, bool *good) {
  struct tl_sparse *const sparse = linear->sparse;
  int ready;
  TL_TRY(analyse(linear, order, &ready));
  if (!ready || tl_linear_refuses(linear, sparse->operations)) {
    return TALUS_OK;
  }
  cholmod_sparse matrix = matrix_of(linear, order);
  const double begin = tl_clock();
  cholmod_l_factorize(&matrix, sparse->factor, &sparse->common);
  TL_TRY(cholmod_check(linear, "Cholesky factor"));
  tl_linear_timed(linear, sparse->operations, begin);
  *good = sparse->common.status == CHOLMOD_OK && sparse->factor->minor == (size_t)order;
  return TALUS_OK;
}

static talus_status lu_check(tl_linear *linear, SuiteSparse_long status, bool *good) {
  if (status == UMFPACK_ERROR_out_of_memory) {
    return tl_fail(linear->context, TALUS_OUT_OF_MEMORY,
                   "LU factor: UMFPACK has no memory for a matrix of order %lld",
                   (long long)linear->order);
  }
  *good = status == UMFPACK_OK;
  return TALUS_OK;
}

/* Operations of UMFPACK's next factor: as many as the last of this pattern had, before that the
 * analysis' bound. */
static double lu_operations(const struct tl_sparse *sparse) {
  return sparse->lu_operations > 0 ? sparse->lu_operations : sparse->info[UMFPACK_FLOPS_ESTIMATE];
}

/* Bodies: structurally symmetric, so CHOLMOD's ordering serves; contacts: UMFPACK's own. Values are
 * not shown to it: what was solved before must not matter. */
static talus_status lu(tl_linear *linear, int64_t order, bool *good) {
  struct tl_sparse *const sparse = linear->sparse;
  int ready;
  *good = false;
  if (sparse->symbolic == NULL && linear->bodies) {
    TL_TRY(analyse(linear, order, &ready));
    if (!ready) {
      return TALUS_OK;
    }
    sparse->control[UMFPACK_STRATEGY] = UMFPACK_STRATEGY_SYMMETRIC;
    TL_TRY(lu_check(linear,
                    umfpack_dl_qsymbolic(order, order, linear->start, linear->index, NULL,
                                         sparse->factor->Perm, &sparse->symbolic, sparse->control,
                                         sparse->info),
                    good));
  } else if (sparse->symbolic == NULL) {
    sparse->control[UMFPACK_STRATEGY] = UMFPACK_STRATEGY_AUTO;
    TL_TRY(lu_check(linear,
                    umfpack_dl_symbolic(order, order, linear->start, linear->index, NULL,
                                        &sparse->symbolic, sparse->control, sparse->info),
                    good));
  }
  umfpack_dl_free_numeric(&sparse->numeric);
  if (sparse->symbolic == NULL || tl_linear_refuses(linear, lu_operations(sparse))) {
    *good = false;
    return TALUS_OK;
  }
  const double begin = tl_clock();
  TL_TRY(lu_check(linear,
                  umfpack_dl_numeric(linear->start, linear->index, linear->value, sparse->symbolic,
                                     &sparse->numeric, sparse->control, sparse->info),
                  good));
  if (*good) {
    sparse->lu_operations = sparse->info[UMFPACK_FLOPS];
    tl_linear_timed(linear, sparse->lu_operations, begin);
  }
  return TALUS_OK;
}

/* Bodies: by the blocks of CHOLMOD's analysis, if it found some; *good = 0: not by these. */
static talus_status blocks_lu(tl_linear *linear, int64_t order, bool *good) {
  struct tl_sparse *const sparse = linear->sparse;
  *good = false;
  if (!linear->bodies || !tl_blocks_available()) {
    return TALUS_OK;
  }
  int ready;
  TL_TRY(analyse(linear, order, &ready));
  const cholmod_factor *const factor = sparse->factor;
  if (!ready || !factor->is_super || tl_linear_refuses(linear, 2 * sparse->operations)) {
    return TALUS_OK;
  }
  tl_blocks *const blocks = &sparse->blocks;
  blocks->order = order;
  blocks->count = (int64_t)factor->nsuper;
  blocks->first = factor->super;
  blocks->row_first = factor->pi;
  blocks->row = factor->s;
  blocks->order_of = factor->Perm;
  if (!blocks->ready) {
    TL_TRY(tl_blocks_make(linear->context, blocks, linear->start, linear->index));
  }
  const double begin = tl_clock();
  *good = tl_blocks_factor(blocks, linear->value, linear->start[order], &linear->limit);
  if (*good) {
    tl_linear_timed(linear, 2 * sparse->operations, begin);
  }
  return TALUS_OK;
}

/* Memory for factors of the present pattern. */
static talus_status pattern_take(tl_linear *linear) {
  if (linear->sparse == NULL) {
    TL_TRY(sparse_make(linear));
  }
  if (linear->fresh) {
    pattern_forget(linear->sparse);
    linear->fresh = false;
  }
  return TALUS_OK;
}

talus_status tl_sparse_foresee(tl_linear *linear, double *entries, double *operations) {
  TL_TRY(pattern_take(linear));
  if (linear->order > 0) {
    int ready;
    TL_TRY(analyse(linear, linear->order, &ready));
    *entries = ready ? linear->sparse->common.lnz : INFINITY;
    *operations = ready ? linear->sparse->common.fl : INFINITY;
  }
  return TALUS_OK;
}

talus_status tl_sparse_factor(tl_linear *linear, int64_t order, bool *good) {
  TL_TRY(pattern_take(linear));
  *good = true;
  if (order == 0) {
    return TALUS_OK;
  }
  *good = false;
  if (linear->cholesky) {
    return cholesky(linear, order, good);
  }
  TL_TRY(blocks_lu(linear, order, good));
  linear->sparse->by_blocks = *good;
  return *good || linear->limit.interrupted ? TALUS_OK : lu(linear, order, good);
}

talus_status tl_sparse_sign(tl_linear *linear, int64_t order, int *sign) {
  struct tl_sparse *const sparse = linear->sparse;
  double mantissa = 1, exponent = 0;
  bool good;
  *sign = 1;
  if (order == 0 || linear->cholesky) {
    return TALUS_OK;
  }
  if (sparse->by_blocks) {
    *sign = tl_blocks_sign(&sparse->blocks);
    return TALUS_OK;
  }
  TL_TRY(lu_check(linear,
                  umfpack_dl_get_determinant(&mantissa, &exponent, sparse->numeric, sparse->info),
                  &good));
  *sign = mantissa < 0 ? -1 : 1;
  return TALUS_OK;
}

talus_status tl_sparse_solve(tl_linear *linear, int64_t order, const double *b, double *x) {
  struct tl_sparse *const sparse = linear->sparse;
  if (order == 0) {
    return TALUS_OK;
  }
  (void)tl_limit_count(&linear->limit, SOLVE_OPERATIONS * sparse->common.lnz);
  if (!linear->cholesky && sparse->by_blocks) {
    tl_blocks_solve(&sparse->blocks, b, x);
    return TALUS_OK;
  }
  if (!linear->cholesky) {
    bool good;
    return lu_check(linear,
                    umfpack_dl_solve(linear->bodies ? UMFPACK_A : UMFPACK_At, linear->start,
                                     linear->index, linear->value, x, b, sparse->numeric,
                                     sparse->control, sparse->info),
                    &good);
  }
  cholmod_dense right;
  memset(&right, 0, sizeof right);
  right.nrow = right.nzmax = right.d = (size_t)order;
  right.ncol = 1;
  right.x = (double *)b;
  right.xtype = CHOLMOD_REAL;
  right.dtype = CHOLMOD_DOUBLE;
  cholmod_dense *solved = cholmod_l_solve(CHOLMOD_A, sparse->factor, &right, &sparse->common);
  TL_TRY(cholmod_check(linear, "solve"));
  if (solved != NULL) {
    memcpy(x, solved->x, (size_t)order * sizeof *x);
  }
  cholmod_l_free_dense(&solved, &sparse->common);
  return TALUS_OK;
}

#else

bool tl_sparse_available(void) {
  return false;
}

void tl_sparse_release(talus_context *context, struct tl_sparse *sparse) {
  (void)context;
  (void)sparse;
}

int64_t tl_sparse_bytes(const struct tl_sparse *sparse) {
  (void)sparse;
  return 0;
}

talus_status tl_sparse_foresee(tl_linear *linear, double *entries, double *operations) {
  (void)entries;
  (void)operations;
  return tl_fail(linear->context, TALUS_UNSUPPORTED, "this build has no SuiteSparse");
}

talus_status tl_sparse_factor(tl_linear *linear, int64_t order, bool *good) {
  (void)order;
  *good = false;
  return tl_fail(linear->context, TALUS_UNSUPPORTED, "this build has no SuiteSparse");
}

talus_status tl_sparse_sign(tl_linear *linear, int64_t order, int *sign) {
  (void)order;
  *sign = 1;
  return tl_fail(linear->context, TALUS_UNSUPPORTED, "this build has no SuiteSparse");
}

talus_status tl_sparse_solve(tl_linear *linear, int64_t order, const double *b, double *x) {
  (void)order;
  (void)b;
  (void)x;
  return tl_fail(linear->context, TALUS_UNSUPPORTED, "this build has no SuiteSparse");
}

#endif
