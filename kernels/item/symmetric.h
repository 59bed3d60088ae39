/* symmetric.h: pseudo-inverse of a small symmetric matrix by Jacobi's rotations, in double.
 *
 * What is (nearly) zero among the eigenvalues stays zero: a body that cannot turn about an axis
 * carries no energy there. */
#ifndef TL_ITEM_SYMMETRIC_H
#define TL_ITEM_SYMMETRIC_H

#include "kernels/item/real.h"

/* One rotation that makes a[p][q] zero. */
TL_ITEM void tl_symmetric_rotate(double *a, double *v, int64_t n, int64_t p, int64_t q) {
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

/* a is destroyed; v is scratch of n x n. Returns 0 if a has a negative eigenvalue. */
TL_ITEM int tl_symmetric_pseudo_invert(double *a, int64_t n, double *inverse, double *v) {
  double size = 0;
  for (int64_t i = 0; i < n * n; i++) {
    inverse[i] = v[i] = 0;
  }
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
          tl_symmetric_rotate(a, v, n, p, q);
        }
      }
    }
    if (off <= 1e-16 * size) {
      break;
    }
  }
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

#endif
