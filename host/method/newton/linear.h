/* linear.h: the linear systems of all second-order methods, (A + B W S^T) d = r, dy = S^T d.
 *
 * A, B and S are block diagonal, a 3 x 3 block per constraint; the methods differ in these blocks
 * only. Solved in the space of the contacts (as it stands) or of the bodies
 * (I + J^T S^T A^-1 B J), dense or sparse, by Cholesky where the matrix is symmetric and by LU
 * where it is not; refined always. Interior points set A = I, B = S, S^T S = H^-1: only scaled like
 * that, d keeps its digits to the end. */
#ifndef TL_LINEAR_H
#define TL_LINEAR_H

#include "host/method/newton/limit.h"
#include "host/problem/scaled.h"
#include "kernels/dense_backend.h"

struct tl_sparse; /* what SuiteSparse keeps; linear_sparse.c */

typedef struct tl_linear {
  talus_context *context;
  const tl_scaled *scaled;
  bool bodies;    /* the matrix lives in the space of the bodies */
  bool is_sparse; /* SuiteSparse factors it */
  bool on_device; /* a device does */
  bool symmetric; /* W is symmetric */
  bool cholesky;  /* how the present factor was made */
  int64_t order;  /* of the matrix: freedoms, or rows of all constraints */
  int64_t active; /* contact space: rows that are not decided by A alone */
  int64_t count;  /* factorisations so far */
  /* the caller's blocks, 9 reals per constraint, row-major; scale NULL: identity */
  const double *a, *b, *scale;
  double *inverse; /* A^-1 */
  double *gain;    /* S^T A^-1 B; bodies only */
  int32_t *place;  /* contact space: first active row of a constraint, -1: decided by A alone */
  double *residual, *change, *refined, *motion, *right;
  /* contact space, when W stands as bodies: its blocks */
  int64_t *block_first;
  int32_t *block_column;
  double *block;
  /* dense */
  double *dense;
  int32_t *pivot;
  /* sparse: compressed columns (bodies) or rows (contacts) */
  int64_t *start, *index;
  double *value;
  int64_t *pair;       /* bodies: where the product of two entries goes, entry by entry */
  int64_t *pair_first; /* [constraints + 1] */
  bool fresh;          /* the pattern is new since the last symbolic analysis */
  tl_limit limit;      /* set by the caller, if there is one */
  double speed;        /* operations a second of the last long factorisation; 0: none yet */
  struct tl_sparse *sparse;
  tl_dense *device;     /* NULL until one is used; its slot 0 */
  int64_t device_order; /* of the largest matrix that it has room for */
  int sign;             /* of the determinant of its matrix */
  tl_buffer memory, blocks, matrix, pattern, pairs, krylov;
} tl_linear;

/* Chooses space and storage, makes the pattern. dense: of a device that is to factor, NULL: the
 * host does, as where the device lacks a library or memory. UNSUPPORTED if the matrix is too large
 * for what this build has. */
talus_status tl_linear_make(talus_context *context, const tl_scaled *scaled,
                            const tl_dense_ops *dense, tl_linear *linear);
void tl_linear_release(talus_context *context, tl_linear *linear);
int64_t tl_linear_bytes(const tl_linear *linear);

/* How many entries and operations a factor will have: by the ordering that sparse factorisations
 * begin with, which is made here. In the space of the bodies. */
talus_status tl_linear_foresee(tl_linear *linear, double *entries, double *operations);

/* Whether factors are made by BLAS: small ones are not. */
bool tl_linear_uses_blas(const tl_linear *linear);

/* Tells the log what a device has done, if one has. */
void tl_linear_device_tell(const tl_linear *linear);

/* Factors for A (NULL = identity), B and S (NULL = identity). A block of B that is all 0 leaves its
 * constraint to A. symmetric: B = S and A = I. *good = 0: the matrix is singular or not finite, or
 * limit.interrupted says that the limit was reached or would have been. */
talus_status tl_linear_factor(tl_linear *linear, const double *a, const double *b,
                              const double *scale, bool symmetric, bool *good);
/* d and dy of the last factor, refined against the blocks given there; scale NULL: the same. */
talus_status tl_linear_solve(tl_linear *linear, const double *r, double *d, double *dy);
/* The sign of the determinant of A + B W, of the last factor; S must have been the identity. */
talus_status tl_linear_sign(tl_linear *linear, int *sign);

/* ---- between the files of the linear systems ------------------------------------------------- */

/* Whether so many operations would outlast the limit, which is then noted as reached. */
bool tl_linear_refuses(tl_linear *linear, double operations);
/* Notes how long so many operations took: from tl_clock() at their begin. */
void tl_linear_timed(tl_linear *linear, double operations, double begin);

/* linear_solve.c */
double tl_dot_of(const double *x, const double *y, int32_t count);
/* linear_pattern.c */
talus_status tl_pattern_bodies(tl_linear *linear);
talus_status tl_pattern_blocks(tl_linear *linear); /* W of a scaled with bodies, block by block */
void tl_fill_bodies(const tl_linear *linear, double *value, int dense);
/* linear_dense.c: LU with pivots or Cholesky, in place, column-major; 0 if singular. */
bool tl_dense_lu(double *a, int64_t n, int32_t *pivot, tl_limit *limit); /* 0 at the limit, too */
void tl_dense_lu_solve(const double *a, int64_t n, const int32_t *pivot, double *b);
bool tl_dense_cholesky(double *a, int64_t n);
void tl_dense_cholesky_solve(const double *a, int64_t n, double *b);
/* linear_device.c: whether a matrix of this order is for a device; the problem goes there. */
bool tl_linear_device_serves(int64_t order);
talus_status tl_linear_device_make(tl_linear *linear, const tl_dense_ops *ops);
void tl_linear_device_release(tl_linear *linear);
talus_status tl_linear_device_factor(tl_linear *linear, int64_t order, bool *good);
talus_status tl_linear_device_solve(tl_linear *linear, const double *b, double *x);
/* u = W y, by the device if it has W; by the host if that fails, of which the next call tells. */
void tl_linear_apply(const tl_linear *linear, const double *y, double *u);
/* linear_sparse.c */
bool tl_sparse_available(void);
talus_status tl_sparse_foresee(tl_linear *linear, double *entries, double *operations);
talus_status tl_sparse_factor(tl_linear *linear, int64_t order, bool *good);
talus_status tl_sparse_sign(tl_linear *linear, int64_t order, int *sign);
talus_status tl_sparse_solve(tl_linear *linear, int64_t order, const double *b, double *x);
void tl_sparse_release(talus_context *context, struct tl_sparse *sparse);
int64_t tl_sparse_bytes(const struct tl_sparse *sparse);

/* 3 x 3 blocks of which the leading rows x rows are used; stride 3. */
bool tl_block_invert(const double *a, int32_t rows, double *inverse);
void tl_block_times(const double *a, const double *b, int32_t rows, double *product);
void tl_block_apply(const double *a, const double *x, int32_t rows, double *y);
double tl_block_determinant(const double *a, int32_t rows);

#endif
