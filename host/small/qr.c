/* qr.c: [J; sqrt(damping) I] = Q R, column by column.
 *
 * The lower block is diagonal at first; when column k is treated it has filled in up to row k and
 * no further, so that every reflection runs over n + 1 rows. Stored by columns, the lower block
 * behind the upper one: 2 n numbers per column. */
#include "host/small/qr.h"

#include <math.h>
#include <string.h>

/* Applies the reflection stored in v (rows k .. n + k) to one column. */
static void reflect(const double *v, int64_t k, int64_t n, double factor, double *column) {
  double sum = 0;
  for (int64_t i = k; i <= n + k; i++) {
    sum += v[i] * column[i];
  }
  sum *= factor;
  for (int64_t i = k; i <= n + k; i++) {
    column[i] -= sum * v[i];
  }
}

int tl_qr_damped(const double *jacobian, int64_t n, double damping, const double *b, double *x,
                 double *work) {
  double *const column = work, *const right = work + 2 * n * n;
  memset(work, 0, (size_t)(2 * n * n + 2 * n) * sizeof *work);
  for (int64_t j = 0; j < n; j++) {
    for (int64_t i = 0; i < n; i++) {
      column[2 * n * j + i] = jacobian[i * n + j];
    }
    column[2 * n * j + n + j] = sqrt(damping);
  }
  memcpy(right, b, (size_t)n * sizeof *b);
  for (int64_t k = 0; k < n; k++) {
    double *const v = column + 2 * n * k, square = 0;
    for (int64_t i = k; i <= n + k; i++) {
      square += v[i] * v[i];
    }
    const double norm = v[k] > 0 ? -sqrt(square) : sqrt(square), lead = v[k] - norm;
    if (!(square > 0) || !isfinite(square)) {
      return 0;
    }
    v[k] = lead;
    const double factor = -1 / (norm * lead); /* 2 / |v|^2 */
    for (int64_t j = k + 1; j < n; j++) {
      reflect(v, k, n, factor, column + 2 * n * j);
    }
    reflect(v, k, n, factor, right);
    x[k] = norm; /* the diagonal of R; v keeps the vector's head */
  }
  for (int64_t k = n - 1; k >= 0; k--) {
    double sum = right[k];
    for (int64_t j = k + 1; j < n; j++) {
      sum -= column[2 * n * j + k] * x[j];
    }
    x[k] = sum / x[k];
    if (!isfinite(x[k])) {
      return 0;
    }
  }
  return 1;
}
