/* dense.c: plain loops; the matrices here are blocks of M, seldom larger than a mechanism. */
#include "host/math/dense.h"

#include <math.h>
#include <string.h>

#include "kernels/item/symmetric.h"

/* a_ij less what the columns before j have of it. */
static double reduced(const double *a, int64_t n, int64_t i, int64_t j) {
  const double *const row = a + i * n, *const other = a + j * n;
  double sum = row[j];
  for (int64_t k = 0; k < j; k++) {
    sum -= row[k] * other[k];
  }
  return sum;
}

bool tl_dense_factor(double *a, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    for (int64_t j = 0; j < i; j++) {
      a[i * n + j] = reduced(a, n, i, j) / a[j * n + j];
    }
    const double pivot = reduced(a, n, i, i);
    if (!(pivot > 0) || !isfinite(pivot)) {
      return false;
    }
    a[i * n + i] = sqrt(pivot);
  }
  return true;
}

void tl_dense_root(double *a, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    for (int64_t j = 0; j < i; j++) {
      a[i * n + j] = a[j * n + j] > 0 ? reduced(a, n, i, j) / a[j * n + j] : 0;
    }
    const double pivot = reduced(a, n, i, i);
    a[i * n + i] = pivot > 1e-14 * a[i * n + i] ? sqrt(pivot) : 0;
  }
}

void tl_dense_solve(const double *factor, int64_t n, double *b) {
  for (int64_t i = 0; i < n; i++) {
    double sum = b[i];
    for (int64_t k = 0; k < i; k++) {
      sum -= factor[i * n + k] * b[k];
    }
    b[i] = sum / factor[i * n + i];
  }
  for (int64_t i = n - 1; i >= 0; i--) {
    double sum = b[i];
    for (int64_t k = i + 1; k < n; k++) {
      sum -= factor[k * n + i] * b[k];
    }
    b[i] = sum / factor[i * n + i];
  }
}

void tl_dense_invert(const double *factor, int64_t n, double *inverse, double *column) {
  for (int64_t j = 0; j < n; j++) {
    memset(column, 0, (size_t)n * sizeof *column);
    column[j] = 1;
    tl_dense_solve(factor, n, column);
    for (int64_t i = 0; i < n; i++) {
      inverse[i * n + j] = column[i];
    }
  }
  for (int64_t i = 0; i < n; i++) {
    for (int64_t j = 0; j < i; j++) {
      inverse[i * n + j] = inverse[j * n + i] = 0.5 * (inverse[i * n + j] + inverse[j * n + i]);
    }
  }
}

bool tl_dense_pseudo_invert(double *a, int64_t n, double *inverse, double *v) {
  return tl_symmetric_pseudo_invert(a, n, inverse, v);
}
