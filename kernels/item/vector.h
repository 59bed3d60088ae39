/* vector.h: arithmetic on three numbers, in double whatever the kernels' precision.
 *
 * Written out so that the order of operations, and with it every bit, is fixed. */
#ifndef TL_ITEM_VECTOR_H
#define TL_ITEM_VECTOR_H

#include "kernels/item/real.h"

#define TL_PI 3.14159265358979323846

TL_ITEM double tl_dot3(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

TL_ITEM double tl_norm3(const double a[3]) {
  return sqrt(tl_dot3(a, a));
}

TL_ITEM void tl_set3(double out[3], double x, double y, double z) {
  out[0] = x;
  out[1] = y;
  out[2] = z;
}

TL_ITEM void tl_copy3(double out[3], const double a[3]) {
  tl_set3(out, a[0], a[1], a[2]);
}

TL_ITEM void tl_sub3(double out[3], const double a[3], const double b[3]) {
  tl_set3(out, a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/* out = a + s b */
TL_ITEM void tl_along3(double out[3], const double a[3], double s, const double b[3]) {
  tl_set3(out, a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]);
}

TL_ITEM void tl_scale3(double out[3], double s, const double a[3]) {
  tl_set3(out, s * a[0], s * a[1], s * a[2]);
}

TL_ITEM void tl_cross3(double out[3], const double a[3], const double b[3]) {
  tl_set3(out, a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]);
}

/* By comparison: the sign of a zero does not depend on whose fmin it is. */
TL_ITEM double tl_min(double a, double b) {
  return a < b ? a : b;
}

TL_ITEM double tl_max(double a, double b) {
  return a > b ? a : b;
}

TL_ITEM double tl_clamp(double x, double low, double high) {
  return x < low ? low : x > high ? high : x;
}

/* Makes a unit vector of it and returns the length it had; 0 leaves it alone. */
TL_ITEM double tl_unit3(double a[3]) {
  const double length = tl_norm3(a);
  if (length > 0) {
    tl_set3(a, a[0] / length, a[1] / length, a[2] / length);
  }
  return length;
}

/* out = m a of a symmetric m, xx xy xz yy yz zz */
TL_ITEM void tl_sym3(double out[3], const double m[6], const double a[3]) {
  tl_set3(out, m[0] * a[0] + m[1] * a[1] + m[2] * a[2], m[1] * a[0] + m[3] * a[1] + m[4] * a[2],
          m[2] * a[0] + m[4] * a[1] + m[5] * a[2]);
}

/* rotation * a, and its transpose * a */
TL_ITEM void tl_turn3(double out[3], const double rotation[9], const double a[3]) {
  tl_set3(out, tl_dot3(rotation, a), tl_dot3(rotation + 3, a), tl_dot3(rotation + 6, a));
}

TL_ITEM void tl_turn_back3(double out[3], const double rotation[9], const double a[3]) {
  tl_set3(out, rotation[0] * a[0] + rotation[3] * a[1] + rotation[6] * a[2],
          rotation[1] * a[0] + rotation[4] * a[1] + rotation[7] * a[2],
          rotation[2] * a[0] + rotation[5] * a[1] + rotation[8] * a[2]);
}

#endif
