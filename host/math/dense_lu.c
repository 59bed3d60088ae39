/* dense_lu.c: right-looking elimination, column by column. */
#include <math.h>

#include "host/math/dense.h"

bool tl_dense_lu_plain(double *a, int64_t n, int32_t *pivot) {
  for (int64_t c = 0; c < n; c++) {
    double *const column = a + c * n;
    int64_t best = c;
    for (int64_t i = c + 1; i < n; i++) {
      best = fabs(column[i]) > fabs(column[best]) ? i : best;
    }
    if (!(fabs(column[best]) > 0) || !isfinite(column[best])) {
      return false;
    }
    pivot[c] = (int32_t)best + 1;
    for (int64_t j = 0; j < n && best != c; j++) {
      const double swap = a[c + j * n];
      a[c + j * n] = a[best + j * n];
      a[best + j * n] = swap;
    }
    const double scale = 1 / column[c];
    for (int64_t i = c + 1; i < n; i++) {
      column[i] *= scale;
    }
    for (int64_t j = c + 1; j < n; j++) {
      double *const to = a + j * n;
      const double factor = to[c];
      for (int64_t i = c + 1; i < n && factor != 0; i++) {
        to[i] -= factor * column[i];
      }
    }
  }
  return true;
}

void tl_dense_lu_plain_solve(const double *a, int64_t n, const int32_t *pivot, double *b) {
  for (int64_t c = 0; c < n; c++) {
    const int64_t p = pivot[c] - 1;
    const double swap = b[c];
    b[c] = b[p];
    b[p] = swap;
  }
  for (int64_t c = 0; c < n; c++) {
    for (int64_t i = c + 1; i < n; i++) {
      b[i] -= a[i + c * n] * b[c];
    }
  }
  for (int64_t c = n - 1; c >= 0; c--) {
    b[c] /= a[c + c * n];
    for (int64_t i = 0; i < c; i++) {
      b[i] -= a[i + c * n] * b[c];
    }
  }
}

int tl_dense_lu_sign(const double *a, int64_t n, const int32_t *pivot) {
  int sign = 1;
  for (int64_t c = 0; c < n; c++) {
    sign = (a[c + c * n] < 0) != (pivot[c] != c + 1) ? -sign : sign;
  }
  return sign;
}
