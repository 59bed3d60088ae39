/* spatial.h: arithmetic on six numbers: motions (angular, linear) and wrenches (moment, force).
 *
 * Everything is in world axes; a motion or wrench belongs to a point. Moving it to another point is
 * a cross product, so that no rotation is ever applied to a 6 x 6 matrix. The inertias of long
 * chains stay accurate because each link has its own point, not the origin of the world. Always in
 * double precision. */
#ifndef TL_ITEM_SPATIAL_H
#define TL_ITEM_SPATIAL_H

#include "kernels/item/real.h"

TL_ITEM double tl_dot6(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

TL_ITEM void tl_copy6(double *out, const double *a) {
  for (int i = 0; i < 6; i++) {
    out[i] = a[i];
  }
}

TL_ITEM void tl_zero6(double *out) {
  for (int i = 0; i < 6; i++) {
    out[i] = 0;
  }
}

/* out += s a */
TL_ITEM void tl_add6(double *out, double s, const double *a) {
  for (int i = 0; i < 6; i++) {
    out[i] += s * a[i];
  }
}

/* out += a x b, of three numbers */
TL_ITEM void tl_add_cross3(double *out, const double *a, const double *b) {
  out[0] += a[1] * b[2] - a[2] * b[1];
  out[1] += a[2] * b[0] - a[0] * b[2];
  out[2] += a[0] * b[1] - a[1] * b[0];
}

/* The motion at the point p + r of what moves by `motion` at p; out may be motion. */
TL_ITEM void tl_motion_shift(double *out, const double *motion, const double *r) {
  tl_copy6(out, motion);
  tl_add_cross3(out + 3, out, r);
}

/* The wrench about p of what is `wrench` about p + r; out may be wrench. */
TL_ITEM void tl_wrench_shift(double *out, const double *wrench, const double *r) {
  tl_copy6(out, wrench);
  tl_add_cross3(out, r, out + 3);
}

/* out = m a, m of 6 x 6, row-major */
TL_ITEM void tl_times6(double *out, const double *m, const double *a) {
  for (int i = 0; i < 6; i++) {
    out[i] = tl_dot6(m + 6 * i, a);
  }
}

/* out = a b^T, of 6 x 6: the rows of both are read in order. */
TL_ITEM void tl_product6_transposed(double *out, const double *a, const double *b) {
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 6; j++) {
      out[6 * i + j] = tl_dot6(a + 6 * i, b + 6 * j);
    }
  }
}

/* out (+)= a b */
TL_ITEM void tl_product6(double *out, const double *a, const double *b, int add) {
  for (int i = 0; i < 6; i++) {
    double row[6] = {0, 0, 0, 0, 0, 0};
    for (int k = 0; k < 6; k++) {
      tl_add6(row, a[6 * i + k], b + 6 * k);
    }
    for (int j = 0; j < 6; j++) {
      out[6 * i + j] = row[j] + (add ? out[6 * i + j] : 0);
    }
  }
}

TL_ITEM void tl_transpose6(double *out, const double *a) {
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 6; j++) {
      out[6 * i + j] = a[6 * j + i];
    }
  }
}

/* out += the inertia about p that is `inertia` about p + r: X I X^T with X = [1 r^; 0 1]. */
TL_ITEM void tl_inertia_add_shifted(double *out, const double *inertia, const double *r) {
  double half[36]; /* X I: columns of I are wrenches */
  for (int j = 0; j < 6; j++) {
    const double column[6] = {inertia[j],      inertia[6 + j],  inertia[12 + j],
                              inertia[18 + j], inertia[24 + j], inertia[30 + j]};
    double moved[6];
    tl_wrench_shift(moved, column, r);
    for (int i = 0; i < 6; i++) {
      half[6 * i + j] = moved[i];
    }
  }
  for (int i = 0; i < 6; i++) {
    double moved[6];
    tl_wrench_shift(moved, half + 6 * i, r);
    tl_add6(out + 6 * i, 1, moved);
  }
}

/* Cholesky's L over the lower triangle; 0 if a is not positive definite, or not finite. */
TL_ITEM int tl_spatial_factor(double *a, int n) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      double sum = a[i * n + j];
      for (int k = 0; k < j; k++) {
        sum -= a[i * n + k] * a[j * n + k];
      }
      if (i == j) {
        if (!(sum > 0) || sum - sum != 0) {
          return 0;
        }
        a[i * n + i] = sqrt(sum);
      } else {
        a[i * n + j] = sum / a[j * n + j];
      }
    }
  }
  return 1;
}

/* The inverse of a symmetric positive definite matrix of n <= 6; 0 if it is none. */
TL_ITEM int tl_spatial_invert(const double *a, int n, double *inverse) {
  double l[36], column[6];
  for (int i = 0; i < n * n; i++) {
    l[i] = a[i];
  }
  if (!tl_spatial_factor(l, n)) {
    return 0;
  }
  for (int c = 0; c < n; c++) { /* lower triangle, mirrored */
    for (int i = c; i < n; i++) {
      double sum = i == c;
      for (int k = c; k < i; k++) {
        sum -= l[i * n + k] * column[k];
      }
      column[i] = sum / l[i * n + i];
    }
    for (int i = n - 1; i >= c; i--) {
      double sum = column[i];
      for (int k = i + 1; k < n; k++) {
        sum -= l[k * n + i] * column[k];
      }
      column[i] = sum / l[i * n + i];
      inverse[i * n + c] = inverse[c * n + i] = column[i];
    }
  }
  return 1;
}

#endif
