/* kernel.c: see kernel.h. */
#include "host/measure/kernel.h"

#include <math.h>

#define PI 3.14159265358979323846

static const double CUT = 3, SUPPORT = 2; /* reaches, in widths */

/* One over the integral of exp(-r^2/2w^2) over r <= CUT w. */
static double gaussian_height(double w, bool plane) {
  if (plane) {
    return 1 / (2 * PI * w * w * (1 - exp(-0.5 * CUT * CUT)));
  }
  const double inside = erf(CUT / sqrt(2)) - sqrt(2 / PI) * CUT * exp(-0.5 * CUT * CUT);
  return 1 / (pow(2 * PI, 1.5) * w * w * w * inside);
}

tl_kernel tl_kernel_make(tl_kernel_kind kind, double width, bool plane) {
  tl_kernel k = {.kind = kind, .width = width};
  k.reach = (kind == TL_KERNEL_GAUSSIAN ? CUT : SUPPORT) * width;
  if (kind == TL_KERNEL_GAUSSIAN) {
    k.height = gaussian_height(width, plane);
  } else {
    const double c = k.reach;
    k.height = plane ? 5 / (PI * c * c) : 105 / (16 * PI * c * c * c);
  }
  return k;
}

double tl_kernel_at(const tl_kernel *k, double square) {
  if (!(square < k->reach * k->reach)) {
    return 0;
  }
  if (k->kind == TL_KERNEL_GAUSSIAN) {
    return k->height * exp(-0.5 * square / (k->width * k->width));
  }
  const double q = sqrt(square) / k->reach, p = 1 - q;
  return k->height * (1 + 3 * q) * p * p * p;
}

/* Antiderivative of 1 - 6 q^2 + 8 q^3 - 3 q^4 along a line, q^2 = h + t^2 with h the square of its
 * distance; everything over the reach. */
static double lucy_integral(double h, double t) {
  const double q2 = h + t * t, q = sqrt(q2), t3 = t * t * t;
  const double two = h * t + t3 / 3;
  const double four = h * h * t + 2.0 / 3 * h * t3 + t3 * t * t / 5;
  const double three =
      t * q * (2 * q2 + 3 * h) / 8 + (h > 0 ? 3.0 / 8 * h * h * asinh(t / sqrt(h)) : 0);
  return t - 6 * two + 8 * three - 3 * four;
}

double tl_kernel_along(const tl_kernel *k, double square, double begin, double end) {
  const double room = k->reach * k->reach - square, length = end - begin;
  if (!(room > 0)) {
    return 0;
  }
  const double half = sqrt(room), from = fmax(begin, -half), to = fmin(end, half);
  if (length < 1e-9 * k->width) {
    const double middle = 0.5 * (begin + end);
    return tl_kernel_at(k, square + middle * middle);
  }
  if (!(from < to)) {
    return 0;
  }
  if (k->kind == TL_KERNEL_GAUSSIAN) {
    const double w = k->width, s = 1 / (sqrt(2) * w);
    return k->height * exp(-0.5 * square / (w * w)) * w * sqrt(0.5 * PI) *
           (erf(s * to) - erf(s * from)) / length;
  }
  const double c = k->reach, h = square / (c * c);
  return k->height * c * (lucy_integral(h, to / c) - lucy_integral(h, from / c)) / length;
}
