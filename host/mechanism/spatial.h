/* spatial.h: arithmetic on six numbers: motions (angular, linear) and wrenches (moment, force).
 *
 * Everything is in world axes; a motion or wrench belongs to a point. Moving it to another point is
 * a cross product, so that no rotation is ever applied to a 6 x 6 matrix. The inertias of long
 * chains stay accurate because each link has its own point, not the origin of the world. */
#ifndef TL_SPATIAL_H
#define TL_SPATIAL_H

#include <string.h>

#include "host/collide/geometry_vector.h"

static inline double tl_dot6(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

/* out += s a */
static inline void tl_add6(double *out, double s, const double *a) {
  for (int i = 0; i < 6; i++) {
    out[i] += s * a[i];
  }
}

/* out += a x b, of three numbers */
static inline void tl_add_cross3(double *out, const double *a, const double *b) {
  out[0] += a[1] * b[2] - a[2] * b[1];
  out[1] += a[2] * b[0] - a[0] * b[2];
  out[2] += a[0] * b[1] - a[1] * b[0];
}

/* The motion at the point p + r of what moves by `motion` at p. */
static inline void tl_motion_shift(double *out, const double *motion, const double *r) {
  memmove(out, motion, 6 * sizeof *out);
  tl_add_cross3(out + 3, out, r);
}

/* The wrench about p of what is `wrench` about p + r. */
static inline void tl_wrench_shift(double *out, const double *wrench, const double *r) {
  memmove(out, wrench, 6 * sizeof *out);
  tl_add_cross3(out, r, out + 3);
}

/* out = m a, m of 6 x 6, row-major */
static inline void tl_times6(double *out, const double *m, const double *a) {
  for (int i = 0; i < 6; i++) {
    out[i] = tl_dot6(m + 6 * i, a);
  }
}

/* out = a b^T, of 6 x 6: the rows of both are read in order. */
static inline void tl_product6_transposed(double *out, const double *a, const double *b) {
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 6; j++) {
      out[6 * i + j] = tl_dot6(a + 6 * i, b + 6 * j);
    }
  }
}

/* out (+)= a b */
static inline void tl_product6(double *out, const double *a, const double *b, int add) {
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

static inline void tl_transpose6(double *out, const double *a) {
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 6; j++) {
      out[6 * i + j] = a[6 * j + i];
    }
  }
}

/* out += the inertia about p that is `inertia` about p + r: X I X^T with X = [1 r^; 0 1]. */
static inline void tl_inertia_add_shifted(double *out, const double *inertia, const double *r) {
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

/* The inverse of a symmetric positive definite matrix of n <= 6; 0 if it is none. */
int tl_spatial_invert(const double *a, int n, double *inverse);

#endif
