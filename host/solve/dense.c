/* dense.c: plain loops; the matrices here are blocks of M, seldom larger than a mechanism. */
#include "host/solve/dense.h"

#include <math.h>
#include <string.h>

int tl_dense_factor(double *a, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    double *const row = a + i * n;
    for (int64_t j = 0; j <= i; j++) {
      const double *const other = a + j * n;
      double sum = row[j];
      for (int64_t k = 0; k < j; k++) {
        sum -= row[k] * other[k];
      }
      if (i == j) {
        if (!(sum > 0) || !isfinite(sum)) {
          return 0;
        }
        row[i] = sqrt(sum);
      } else {
        row[j] = sum / other[j];
      }
    }
  }
  return 1;
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

/* One rotation that makes a[p][q] zero. */
static void rotate(double *a, double *v, int64_t n, int64_t p, int64_t q) {
  const double tau = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
  const double t = (tau >= 0 ? 1 : -1) / (fabs(tau) + sqrt(1 + tau * tau));
  const double c = 1 / sqrt(1 + t * t), s = t * c;
  for (int64_t i = 0; i < n; i++) {
    const double x = a[i * n + p], y = a[i * n + q];
    a[i * n + p] = c * x - s * y;
    a[i * n + q] = s * x + c * y;
  }
  for (int64_t i = 0; i < n; i++) {
    const double x = a[p * n + i], y = a[q * n + i];
    a[p * n + i] = c * x - s * y;
    a[q * n + i] = s * x + c * y;
    const double vx = v[i * n + p], vy = v[i * n + q];
    v[i * n + p] = c * vx - s * vy;
    v[i * n + q] = s * vx + c * vy;
  }
}

int tl_dense_pseudo_invert(double *a, int64_t n, double *inverse, double *v) {
  memset(v, 0, (size_t)(n * n) * sizeof *v);
  double size = 0;
  for (int64_t i = 0; i < n; i++) {
    v[i * n + i] = 1;
    size = fmax(size, fabs(a[i * n + i]));
  }
  for (int sweep = 0; sweep < 40; sweep++) {
    double off = 0;
    for (int64_t p = 0; p < n; p++) {
      for (int64_t q = p + 1; q < n; q++) {
        off = fmax(off, fabs(a[p * n + q]));
        if (fabs(a[p * n + q]) > 1e-17 * size) {
          rotate(a, v, n, p, q);
        }
      }
    }
    if (off <= 1e-16 * size) {
      break;
    }
  }
  memset(inverse, 0, (size_t)(n * n) * sizeof *inverse);
  for (int64_t e = 0; e < n; e++) {
    const double value = a[e * n + e];
    if (value < -1e-9 * size) {
      return 0;
    }
    if (value <= 1e-12 * size) {
      continue;
    }
    for (int64_t i = 0; i < n; i++) {
      for (int64_t j = 0; j < n; j++) {
        inverse[i * n + j] += v[i * n + e] * v[j * n + e] / value;
      }
    }
  }
  return 1;
}
