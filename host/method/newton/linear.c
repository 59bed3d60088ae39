/* linear.c: which space, which storage; matrices and their factors. Solves: linear_solve.c. */
#include "host/method/newton/linear.h"

#include <math.h>
#include <string.h>

#include "kernels/item/linear_block.h"

enum {
  SMALL_ROWS = 96,   /* bodies with so few rows are solved in the space of the contacts */
  DENSE_ROWS = 150,  /* below, a dense matrix is faster than a sparse one */
  DENSE_MOST = 6000, /* without SuiteSparse: the largest dense matrix */
  TRIAL_ORDER = 192  /* of the matrix that tells how fast this machine is */
};
#define FEW_OPERATIONS 1e7 /* are done in milliseconds anywhere */

double tl_block_determinant(const double *a, int32_t rows) {
  if (rows == 1) {
    return a[0];
  }
  if (rows == 2) {
    return a[0] * a[4] - a[1] * a[3];
  }
  return a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) +
         a[2] * (a[3] * a[7] - a[4] * a[6]);
}

bool tl_block_invert(const double *a, int32_t rows, double *inverse) {
  double m[3][6] = {{0}};
  for (int32_t i = 0; i < rows; i++) {
    for (int32_t j = 0; j < rows; j++) {
      m[i][j] = a[3 * i + j];
    }
    m[i][3 + i] = 1;
  }
  for (int32_t c = 0; c < rows; c++) {
    int32_t best = c;
    for (int32_t i = c + 1; i < rows; i++) {
      best = fabs(m[i][c]) > fabs(m[best][c]) ? i : best;
    }
    if (!(fabs(m[best][c]) > 0)) {
      return false;
    }
    for (int32_t j = 0; j < 6; j++) {
      const double swap = m[c][j];
      m[c][j] = m[best][j];
      m[best][j] = swap;
    }
    for (int32_t i = 0; i < rows; i++) {
      const double factor = i != c ? m[i][c] / m[c][c] : 0;
      for (int32_t j = 0; j < 6 && factor != 0; j++) {
        m[i][j] -= factor * m[c][j];
      }
    }
  }
  memset(inverse, 0, 9 * sizeof *inverse);
  for (int32_t i = 0; i < rows; i++) {
    for (int32_t j = 0; j < rows; j++) {
      inverse[3 * i + j] = m[i][3 + j] / m[i][i];
    }
  }
  return true;
}

void tl_block_times(const double *a, const double *b, int32_t rows, double *product) {
  memset(product, 0, 9 * sizeof *product);
  for (int32_t i = 0; i < rows; i++) {
    for (int32_t c = 0; c < rows; c++) {
      for (int32_t j = 0; j < rows; j++) {
        product[3 * i + j] += a[3 * i + c] * b[3 * c + j];
      }
    }
  }
}

void tl_block_apply(const double *a, const double *x, int32_t rows, double *y) {
  for (int32_t i = 0; i < rows; i++) {
    double sum = 0;
    for (int32_t j = 0; j < rows; j++) {
      sum += a[3 * i + j] * x[j];
    }
    y[i] = sum;
  }
}

static bool is_zero(const double *a) {
  for (int i = 0; i < 9; i++) {
    if (a[i] != 0) {
      return false;
    }
  }
  return true;
}

/* |W - W^T| within rounding; blocks given row by row. */
static bool symmetric_find(const tl_linear *linear) {
  const tl_scaled *const scaled = linear->scaled;
  for (int32_t k = 0; k < scaled->count; k++) {
    for (int64_t e = linear->block_first[k]; e < linear->block_first[k + 1]; e++) {
      const int32_t l = linear->block_column[e];
      int64_t low = linear->block_first[l], high = linear->block_first[l + 1];
      while (low < high) { /* columns ascend */
        const int64_t middle = low + (high - low) / 2;
        if (linear->block_column[middle] < k) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      const bool found = low < linear->block_first[l + 1] && linear->block_column[low] == k;
      for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
          const double other = found ? linear->block[9 * low + 3 * j + i] : 0;
          if (fabs(linear->block[9 * e + 3 * i + j] - other) > 1e-13) {
            return false;
          }
        }
      }
    }
  }
  return true;
}

static talus_status storage_choose(tl_linear *linear, const tl_dense_ops *dense) {
  const tl_scaled *const scaled = linear->scaled;
  const int64_t freedoms = scaled->unit_count > 0 ? scaled->unit_first[scaled->unit_count] : 0;
  linear->bodies = scaled->unit_count > 0 && scaled->rows > SMALL_ROWS;
  linear->order = linear->bodies ? freedoms : scaled->rows;
  double filled = 1;
  if (!linear->bodies && scaled->unit_count == 0) {
    filled = 9.0 * (double)scaled->block_first[scaled->count] /
             ((double)scaled->rows * (double)scaled->rows);
  }
  linear->on_device = dense != NULL && tl_linear_device_serves(linear->order);
  linear->is_sparse = !linear->on_device && tl_sparse_available() && linear->order > DENSE_ROWS &&
                      (linear->bodies || filled < 0.25);
  if (!linear->is_sparse && linear->order > DENSE_MOST && !tl_sparse_available()) {
    return tl_fail(linear->context, TALUS_UNSUPPORTED,
                   "second-order methods: a matrix of order %lld wants SuiteSparse, which this "
                   "build lacks: use a first-order method",
                   (long long)linear->order);
  }
  return TALUS_OK;
}

static talus_status memory_reserve(tl_linear *linear) {
  const size_t count = (size_t)linear->scaled->count, rows = (size_t)linear->scaled->rows;
  const size_t order = (size_t)linear->order;
  TL_TRY(tl_buffer_reserve(linear->context, &linear->memory,
                           18 * count + 3 * rows + 2 * order + (count + order) / 2 + 1,
                           sizeof(double), "second-order blocks"));
  linear->inverse = linear->memory.memory;
  linear->gain = linear->inverse + 9 * count;
  linear->residual = linear->gain + 9 * count;
  linear->change = linear->residual + rows;
  linear->refined = linear->change + rows;
  linear->motion = linear->refined + rows;
  linear->right = linear->motion + order;
  linear->place = (int32_t *)(linear->right + order);
  linear->pivot = linear->place + count;
  if (linear->on_device) {
    return TALUS_OK;
  }
  if (!linear->is_sparse) {
    TL_TRY(tl_buffer_reserve(linear->context, &linear->matrix, order * order, sizeof(double),
                             "dense matrix"));
    linear->dense = linear->matrix.memory;
  } else if (!linear->bodies) {
    const size_t values = 9 * (size_t)linear->block_first[count];
    TL_TRY(tl_buffer_reserve(linear->context, &linear->matrix, values, sizeof(double),
                             "sparse matrix"));
    TL_TRY(tl_buffer_reserve(linear->context, &linear->pattern, values + order + 1, sizeof(int64_t),
                             "sparse pattern"));
    linear->value = linear->matrix.memory;
    linear->start = linear->pattern.memory;
    linear->index = linear->start + order + 1;
  }
  return TALUS_OK;
}

/* The pattern of the matrix, and memory. */
static talus_status pattern_make(tl_linear *linear) {
  const tl_scaled *const scaled = linear->scaled;
  linear->symmetric = true;
  linear->fresh = true;
  if (linear->bodies) {
    TL_TRY(memory_reserve(linear));
    return tl_pattern_bodies(linear);
  }
  if (scaled->unit_count > 0) {
    TL_TRY(tl_pattern_blocks(linear));
  } else {
    linear->block_first = (int64_t *)scaled->block_first;
    linear->block_column = (int32_t *)scaled->block_column;
    linear->block = scaled->block;
    linear->symmetric = symmetric_find(linear);
  }
  return memory_reserve(linear);
}

/* What is short of memory in company is solved again by itself, and may then have its matrix on the
 * device after all (host/solve/batch_together.c). */
static bool goes_to_host(const talus_context *context, talus_status status) {
  return status == TALUS_UNSUPPORTED ||
         (status == TALUS_OUT_OF_MEMORY && context->together == NULL);
}

/* A device that cannot have the matrix. What it has no library for is not asked of it again; what
 * it has no memory for may fit another time. */
static talus_status device_leave(tl_linear *linear, talus_status status) {
  talus_context *const context = linear->context;
  tl_log(context, TALUS_LOG_WARNING, "second-order methods factor on the host: %s",
         talus_context_message(context));
  context->message[0] = 0;
  context->undense = status == TALUS_UNSUPPORTED;
  tl_linear_device_release(linear);
  TL_TRY(storage_choose(linear, NULL));
  return pattern_make(linear);
}

talus_status tl_linear_make(talus_context *context, const tl_scaled *scaled,
                            const tl_dense_ops *dense, tl_linear *linear) {
  linear->context = context;
  linear->scaled = scaled;
  TL_TRY(storage_choose(linear, dense));
  TL_TRY(pattern_make(linear));
  if (!linear->on_device) {
    return TALUS_OK;
  }
  const talus_status status = tl_linear_device_make(linear, dense);
  return goes_to_host(context, status) ? device_leave(linear, status) : status;
}

talus_status tl_linear_foresee(tl_linear *linear, double *entries, double *operations) {
  const double n = (double)linear->order;
  *entries = n * n / 2;
  *operations = n * n * n / 3;
  return linear->is_sparse ? tl_sparse_foresee(linear, entries, operations) : TALUS_OK;
}

void tl_linear_release(talus_context *context, tl_linear *linear) {
  tl_sparse_release(context, linear->sparse);
  linear->sparse = NULL;
  tl_linear_device_release(linear);
  tl_buffer_release(context, &linear->memory);
  tl_buffer_release(context, &linear->blocks);
  tl_buffer_release(context, &linear->matrix);
  tl_buffer_release(context, &linear->pattern);
  tl_buffer_release(context, &linear->pairs);
  tl_buffer_release(context, &linear->krylov);
}

int64_t tl_linear_bytes(const tl_linear *linear) {
  return (int64_t)(linear->memory.capacity + linear->blocks.capacity + linear->matrix.capacity +
                   linear->pattern.capacity + linear->pairs.capacity + linear->krylov.capacity) +
         tl_sparse_bytes(linear->sparse) + (linear->device != NULL ? linear->device->bytes : 0);
}

/* ---- contact space --------------------------------------------------------------------------- */

/* Numbers the rows that take part; returns whether the same ones did before. */
static int places_find(tl_linear *linear) {
  const tl_scaled *const scaled = linear->scaled;
  bool same = !linear->fresh;
  int32_t row = 0;
  for (int32_t k = 0; k < scaled->count; k++) {
    const bool out = is_zero(linear->b + 9 * (int64_t)k);
    const int32_t place = out ? -1 : row;
    same = same && place == linear->place[k];
    linear->place[k] = place;
    row += out ? 0 : scaled->first[k + 1] - scaled->first[k];
  }
  linear->active = row;
  return same;
}

/* Block e of row k: B_k W_e S_l^T, plus A_k on the diagonal. */
static void block_of(const tl_linear *linear, int32_t k, int64_t e, double *block) {
  const int32_t l = linear->block_column[e];
  const double *const scale = linear->scale != NULL ? linear->scale + 9 * (int64_t)l : NULL;
  tl_linear_block(linear->b + 9 * (int64_t)k, linear->block + 9 * e, scale, block);
  if (l == k) {
    tl_linear_block_add(linear->a != NULL ? linear->a + 9 * (int64_t)k : NULL, block);
  }
}

static void contact_fill(tl_linear *linear) {
  const tl_scaled *const scaled = linear->scaled;
  const int64_t n = linear->active;
  int64_t at = 0;
  if (!linear->is_sparse) {
    memset(linear->dense, 0, (size_t)(n * n) * sizeof *linear->dense);
  }
  for (int32_t k = 0; k < scaled->count; k++) {
    const int32_t rows = scaled->first[k + 1] - scaled->first[k], place = linear->place[k];
    if (place < 0) {
      continue;
    }
    int64_t width = 0, past = 0;
    for (int64_t e = linear->block_first[k]; e < linear->block_first[k + 1]; e++) {
      const int32_t l = linear->block_column[e];
      width += linear->place[l] >= 0 ? scaled->first[l + 1] - scaled->first[l] : 0;
    }
    for (int32_t i = 0; i < rows && linear->is_sparse; i++) {
      linear->start[place + i] = at + i * width;
    }
    for (int64_t e = linear->block_first[k]; e < linear->block_first[k + 1]; e++) {
      const int32_t l = linear->block_column[e], to = linear->place[l];
      const int32_t columns = scaled->first[l + 1] - scaled->first[l];
      double block[9];
      if (to < 0) {
        continue;
      }
      block_of(linear, k, e, block);
      for (int32_t i = 0; i < rows; i++) {
        for (int32_t j = 0; j < columns; j++) {
          if (linear->is_sparse) {
            linear->index[at + i * width + past + j] = to + j;
            linear->value[at + i * width + past + j] = block[3 * i + j];
          } else {
            linear->dense[place + i + n * (to + j)] = block[3 * i + j];
          }
        }
      }
      past += columns;
    }
    at += rows * width;
  }
  if (linear->is_sparse) {
    linear->start[n] = at;
  }
}

/* ---- both ------------------------------------------------------------------------------------ */

/* A dense Cholesky factor of a made-up matrix, thrice: operations a second, by the fastest. Where
 * there is no memory for it a slow machine is assumed. */
static double speed_try(talus_context *context) {
  const double n = TRIAL_ORDER;
  double *a, best = INFINITY;
  if (tl_alloc(context, (void **)&a, TRIAL_ORDER * TRIAL_ORDER, sizeof *a, "trial") != TALUS_OK) {
    return 1e9;
  }
  for (int turn = 0; turn < 3; turn++) {
    for (int64_t i = 0; i < TRIAL_ORDER * TRIAL_ORDER; i++) {
      a[i] = i % (TRIAL_ORDER + 1) == 0 ? 2 * n : 1;
    }
    const double begin = tl_clock();
    (void)tl_dense_cholesky(a, TRIAL_ORDER);
    best = fmin(best, tl_clock() - begin);
  }
  tl_free(context, a);
  return fmax(1e7, fmin(1e12, n * n * n / 3 / fmax(best, 1e-9)));
}

bool tl_linear_refuses(tl_linear *linear, double operations) {
  tl_limit *const limit = &linear->limit;
  const double left = limit->seconds_left != NULL ? limit->seconds_left(limit->user) : INFINITY;
  if (left == INFINITY || operations < FEW_OPERATIONS) {
    return false;
  }
  if (!(linear->speed > 0)) {
    linear->speed = speed_try(linear->context) / 2; /* others may want the processor, too */
  }
  limit->refused = operations > left * linear->speed;
  limit->interrupted = limit->interrupted || limit->refused;
  return limit->interrupted;
}

void tl_linear_timed(tl_linear *linear, double operations, double begin) {
  const double seconds = tl_clock() - begin;
  if (operations >= FEW_OPERATIONS && seconds > 0) {
    linear->speed = operations / seconds;
  }
}

static talus_status matrix_factor(tl_linear *linear, int64_t order, bool *good) {
  if (linear->is_sparse) {
    return tl_sparse_factor(linear, order, good);
  }
  const double n = (double)order, operations = (linear->cholesky ? 1 : 2) * n * n * n / 3;
  *good = false;
  if (tl_linear_refuses(linear, operations)) {
    return TALUS_OK;
  }
  const double begin = tl_clock();
  if (linear->on_device) {
    TL_TRY(tl_linear_device_factor(linear, order, good));
  } else {
    *good = linear->cholesky ? tl_dense_cholesky(linear->dense, order)
                             : tl_dense_lu(linear->dense, order, linear->pivot, &linear->limit);
  }
  if (*good) {
    tl_linear_timed(linear, operations, begin);
  }
  return TALUS_OK;
}

/* A device fills its matrix itself. */
static void matrix_fill(tl_linear *linear) {
  if (!linear->bodies) {
    linear->fresh = !places_find(linear);
  }
  if (linear->on_device) {
    return;
  }
  if (linear->bodies) {
    tl_fill_bodies(linear, linear->is_sparse ? linear->value : linear->dense, !linear->is_sparse);
  } else {
    contact_fill(linear);
  }
}

/* A^-1 where it is needed, and the gain of the bodies' matrix; 0 if A is singular. */
static bool gains_find(tl_linear *linear) {
  const tl_scaled *const scaled = linear->scaled;
  for (int32_t k = 0; k < scaled->count; k++) {
    const int64_t at = 9 * (int64_t)k;
    const int32_t rows = scaled->first[k + 1] - scaled->first[k];
    double *const inverse = linear->inverse + at, *const gain = linear->gain + at;
    if (linear->a == NULL) {
      memset(inverse, 0, 9 * sizeof *inverse);
      inverse[0] = inverse[4] = inverse[8] = 1;
    } else if ((linear->bodies || is_zero(linear->b + at)) &&
               !tl_block_invert(linear->a + at, rows, inverse)) {
      return false;
    }
    if (!linear->bodies) {
      continue;
    }
    double turned[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, product[9];
    for (int i = 0; i < 9 && linear->scale != NULL; i++) {
      turned[i] = linear->scale[at + 3 * (i % 3) + i / 3];
    }
    tl_block_times(inverse, linear->b + at, rows, product);
    tl_block_times(turned, product, rows, gain);
  }
  return true;
}

talus_status tl_linear_factor(tl_linear *linear, const double *a, const double *b,
                              const double *scale, bool symmetric, bool *good) {
  linear->a = a;
  linear->b = b;
  linear->scale = scale;
  linear->limit.interrupted = linear->limit.refused = false;
  linear->limit.counted = 0;
  *good = false;
  if (!gains_find(linear)) {
    return TALUS_OK;
  }
  linear->cholesky = linear->symmetric && symmetric;
  linear->count++;
  matrix_fill(linear);
  const int64_t order = linear->bodies ? linear->order : linear->active;
  TL_TRY(matrix_factor(linear, order, good));
  if (!*good && linear->cholesky &&
      !linear->limit.interrupted) { /* positive definite but for rounding */
    linear->cholesky = false;
    if (!linear->is_sparse) {
      matrix_fill(linear);
    }
    TL_TRY(matrix_factor(linear, order, good));
  }
  linear->fresh = false;
  return TALUS_OK;
}
