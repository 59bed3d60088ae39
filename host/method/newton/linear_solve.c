/* linear_solve.c: elimination to the factored matrix and back; refinement, plain and by GMRES. */
#include <math.h>
#include <string.h>

#include "host/math/dense.h"
#include "host/method/newton/linear.h"
#include "host/problem/scaled.h"

enum {
  REFINEMENTS = 3,
  KRYLOV = 16 /* steps of GMRES at most */
};

static void transposed_apply(const double *a, const double *x, int32_t rows, double *y) {
  for (int32_t i = 0; i < rows; i++) {
    double sum = 0;
    for (int32_t j = 0; j < rows; j++) {
      sum += a[3 * j + i] * x[j];
    }
    y[i] = sum;
  }
}

static talus_status matrix_solve(tl_linear *linear, int64_t order, double *b, double *x) {
  if (linear->is_sparse) {
    return tl_sparse_solve(linear, order, b, x);
  }
  if (linear->on_device) {
    return tl_linear_device_solve(linear, b, x);
  }
  if (linear->cholesky) {
    tl_dense_cholesky_solve(linear->dense, order, b);
  } else {
    tl_dense_lu_solve(linear->dense, order, linear->pivot, b);
  }
  memcpy(x, b, (size_t)order * sizeof *x);
  return TALUS_OK;
}

/* dv = (I + J^T S^T A^-1 B J)^-1 J^T S^T A^-1 r, then d = A^-1 (r - B J dv). */
static talus_status bodies_solve(tl_linear *linear, const double *r, double *d) {
  const tl_scaled *const scaled = linear->scaled;
  for (int32_t k = 0; k < scaled->count; k++) {
    const int32_t at = scaled->first[k], rows = scaled->first[k + 1] - at;
    double given[3];
    tl_block_apply(linear->inverse + 9 * (int64_t)k, r + at, rows, given);
    if (linear->scale != NULL) {
      transposed_apply(linear->scale + 9 * (int64_t)k, given, rows, linear->change + at);
    } else {
      memcpy(linear->change + at, given, (size_t)rows * sizeof *given);
    }
  }
  tl_scaled_motion(scaled, linear->change, linear->right);
  TL_TRY(matrix_solve(linear, linear->order, linear->right, linear->motion));
  tl_scaled_speed(scaled, linear->motion, linear->change);
  for (int32_t k = 0; k < scaled->count; k++) {
    const int32_t at = scaled->first[k], rows = scaled->first[k + 1] - at;
    double given[3];
    tl_block_apply(linear->b + 9 * (int64_t)k, linear->change + at, rows, given);
    for (int32_t i = 0; i < rows; i++) {
      given[i] = r[at + i] - given[i];
    }
    tl_block_apply(linear->inverse + 9 * (int64_t)k, given, rows, d + at);
  }
  return TALUS_OK;
}

/* What A decides alone first, then the rest. There is no scale where B has blocks of 0. */
static talus_status contacts_solve(tl_linear *linear, const double *r, double *d) {
  const tl_scaled *const scaled = linear->scaled;
  int decided = 0;
  for (int32_t k = 0; k < scaled->count; k++) {
    const int32_t at = scaled->first[k], rows = scaled->first[k + 1] - at;
    memset(d + at, 0, (size_t)rows * sizeof *d);
    if (linear->place[k] < 0) {
      tl_block_apply(linear->inverse + 9 * (int64_t)k, r + at, rows, d + at);
      decided = 1;
    }
  }
  double *const response = linear->change;
  memset(response, 0, (size_t)scaled->rows * sizeof *response);
  if (decided) {
    tl_linear_apply(linear, d, response);
  }
  for (int32_t k = 0; k < scaled->count; k++) {
    const int32_t at = scaled->first[k], rows = scaled->first[k + 1] - at;
    double given[3] = {0, 0, 0};
    if (linear->place[k] < 0) {
      continue;
    }
    if (decided) {
      tl_block_apply(linear->b + 9 * (int64_t)k, response + at, rows, given);
    }
    for (int32_t i = 0; i < rows; i++) {
      linear->right[linear->place[k] + i] = r[at + i] - given[i];
    }
  }
  TL_TRY(matrix_solve(linear, linear->active, linear->right, linear->motion));
  for (int32_t k = 0; k < scaled->count; k++) {
    const int32_t at = scaled->first[k];
    if (linear->place[k] >= 0) {
      memcpy(d + at, linear->motion + linear->place[k],
             (size_t)(scaled->first[k + 1] - at) * sizeof *d);
    }
  }
  return TALUS_OK;
}

/* dy = S^T d. */
static void unscale(const tl_linear *linear, const double *d, double *dy) {
  const tl_scaled *const scaled = linear->scaled;
  for (int32_t k = 0; k < scaled->count && linear->scale != NULL; k++) {
    const int32_t at = scaled->first[k];
    transposed_apply(linear->scale + 9 * (int64_t)k, d + at, scaled->first[k + 1] - at, dy + at);
  }
  if (linear->scale == NULL && dy != d) {
    memcpy(dy, d, (size_t)scaled->rows * sizeof *d);
  }
}

/* residual = r - A d - B W dy; returns its size. */
static double residual_of(tl_linear *linear, const double *r, const double *d, double *dy) {
  const tl_scaled *const scaled = linear->scaled;
  double square = 0;
  unscale(linear, d, dy);
  tl_linear_apply(linear, dy, linear->change);
  for (int32_t k = 0; k < scaled->count; k++) {
    const int32_t at = scaled->first[k], rows = scaled->first[k + 1] - at;
    double own[3], given[3];
    if (linear->a != NULL) {
      tl_block_apply(linear->a + 9 * (int64_t)k, d + at, rows, own);
    } else {
      memcpy(own, d + at, (size_t)rows * sizeof *own);
    }
    tl_block_apply(linear->b + 9 * (int64_t)k, linear->change + at, rows, given);
    for (int32_t i = 0; i < rows; i++) {
      const double off = r[at + i] - own[i] - given[i];
      linear->residual[at + i] = off;
      square += off * off;
    }
  }
  return sqrt(square);
}

static talus_status once(tl_linear *linear, const double *r, double *d) {
  return linear->bodies ? bodies_solve(linear, r, d) : contacts_solve(linear, r, d);
}

double tl_dot_of(const double *x, const double *y, int32_t count) {
  double sum = 0;
  for (int32_t i = 0; i < count; i++) {
    sum += x[i] * y[i];
  }
  return sum;
}

/* A step of GMRES's rotations: column j of the Hessenberg matrix h, right side g. */
static void rotate(double *h, double *cosine, double *sine, double *g, int j) {
  for (int i = 0; i < j; i++) {
    const double x = h[i], y = h[i + 1];
    h[i] = cosine[i] * x + sine[i] * y;
    h[i + 1] = -sine[i] * x + cosine[i] * y;
  }
  const double length = sqrt(h[j] * h[j] + h[j + 1] * h[j + 1]);
  cosine[j] = length > 0 ? h[j] / length : 1;
  sine[j] = length > 0 ? h[j + 1] / length : 0;
  h[j] = length;
  h[j + 1] = 0;
  g[j + 1] = -sine[j] * g[j];
  g[j] *= cosine[j];
}

/* Where plain refinement creeps or grows: flexible GMRES on what is left, the factor being the
 * preconditioner. residual holds what is left of r at d; `left` is its size. */
static talus_status krylov(tl_linear *linear, const double *r, double enough, double left,
                           double *d, double *dy) {
  const int32_t rows = linear->scaled->rows;
  TL_TRY(tl_buffer_reserve(linear->context, &linear->krylov, (2 * KRYLOV + 2) * (size_t)rows,
                           sizeof(double), "refinement"));
  double *const basis = linear->krylov.memory, *const step = basis + (KRYLOV + 1) * (size_t)rows;
  double *const zero = step + KRYLOV * (size_t)rows;
  double h[KRYLOV][KRYLOV + 1], cosine[KRYLOV], sine[KRYLOV], g[KRYLOV + 1] = {left};
  memset(zero, 0, (size_t)rows * sizeof *zero);
  for (int32_t i = 0; i < rows; i++) {
    basis[i] = linear->residual[i] / left;
  }
  int count = 0;
  while (count < KRYLOV && fabs(g[count]) > enough && !linear->limit.interrupted) {
    double *const z = step + count * (size_t)rows, *const next = basis + (count + 1) * (size_t)rows;
    TL_TRY(once(linear, basis + count * (size_t)rows, z));
    residual_of(linear, zero, z, linear->refined); /* minus the matrix times z; d may be dy */
    for (int32_t i = 0; i < rows; i++) {
      next[i] = -linear->residual[i];
    }
    for (int i = 0; i <= count; i++) {
      h[count][i] = tl_dot_of(next, basis + i * (size_t)rows, rows);
      for (int32_t k = 0; k < rows; k++) {
        next[k] -= h[count][i] * basis[i * (size_t)rows + k];
      }
    }
    const double size = sqrt(tl_dot_of(next, next, rows));
    h[count][count + 1] = size;
    for (int32_t i = 0; i < rows && size > 0; i++) {
      next[i] /= size;
    }
    rotate(h[count], cosine, sine, g, count);
    count++;
    if (!(size > 0) || !isfinite(size)) {
      break;
    }
  }
  for (int j = count - 1; j >= 0; j--) {
    for (int i = j + 1; i < count; i++) {
      g[j] -= h[i][j] * g[i];
    }
    g[j] = h[j][j] > 0 ? g[j] / h[j][j] : 0;
    for (int32_t i = 0; i < rows && isfinite(g[j]); i++) {
      d[i] += g[j] * step[j * (size_t)rows + i];
    }
  }
  residual_of(linear, r, d, dy);
  return TALUS_OK;
}

talus_status tl_linear_solve(tl_linear *linear, const double *r, double *d, double *dy) {
  const int32_t rows = linear->scaled->rows;
  const double size = sqrt(tl_dot_of(r, r, rows));
  TL_TRY(once(linear, r, d));
  double before = residual_of(linear, r, d, dy);
  for (int round = 0; round < REFINEMENTS && before > 1e-15 * size && !linear->limit.interrupted;
       round++) {
    double *const more = linear->refined;
    TL_TRY(once(linear, linear->residual, more));
    for (int32_t i = 0; i < rows; i++) {
      d[i] += more[i];
    }
    const double now = residual_of(linear, r, d, dy);
    if (!(now < before)) { /* worse: back */
      for (int32_t i = 0; i < rows; i++) {
        d[i] -= more[i];
      }
      before = residual_of(linear, r, d, dy);
      break;
    }
    const bool creeps = now > 0.1 * before;
    before = now;
    if (creeps) {
      break;
    }
  }
  if (before > 1e-9 * size && isfinite(before) && !linear->limit.interrupted) {
    return krylov(linear, r, 1e-12 * size, before, d, dy);
  }
  return TALUS_OK;
}

talus_status tl_linear_sign(tl_linear *linear, int *sign) {
  const tl_scaled *const scaled = linear->scaled;
  const int64_t order = linear->bodies ? linear->order : linear->active;
  *sign = 1;
  if (linear->is_sparse) {
    TL_TRY(tl_sparse_sign(linear, order, sign));
  } else if (linear->on_device) {
    *sign = linear->sign;
  } else if (!linear->cholesky) {
    *sign = tl_dense_lu_sign(linear->dense, order, linear->pivot);
  }
  for (int32_t k = 0; k < scaled->count && linear->a != NULL; k++) {
    const int32_t rows = scaled->first[k + 1] - scaled->first[k];
    if ((linear->bodies || linear->place[k] < 0) &&
        tl_block_determinant(linear->a + 9 * (int64_t)k, rows) < 0) {
      *sign = -*sign;
    }
  }
  return TALUS_OK;
}
