/* trigonometry.c: reduction to |r| <= pi/4 in two doubles, then Taylor's series.
 *
 * pi/2 is cut into two parts of 33 bits, whose products with the number of quarter turns are exact
 * up to 2^20 of them, and a rest. */
#include "host/math/trigonometry.h"

#include <math.h>
#include <stdint.h>

static const double PI = 3.14159265358979323846;
static const double QUARTER1 = 0x1.921fb54400000p+0, QUARTER2 = 0x1.0b4611a600000p-34,
                    QUARTER3 = 0x1.3198a2e037073p-69;
static const double MOST = 1048576 * 1.5; /* rad; 2^20 quarter turns are a little more */

/* x = quarters * pi/2 + high + low */
static int64_t reduce(double x, double *high, double *low) {
  const double k = floor(x * (2 / PI) + 0.5);
  const double first = x - k * QUARTER1, second = k * QUARTER2;
  const double sum = first - second, part = sum - first;
  const double lost = (first - (sum - part)) - (second + part);
  const double rest = lost - k * QUARTER3;
  *high = sum + rest;
  *low = (sum - *high) + rest;
  return (int64_t)k;
}

/* sin(r + low), |r| <= pi/4 */
static double series_sine(double r, double low) {
  const double z = r * r;
  double sum = 1.0 / 355687428096000;
  sum = sum * z - 1.0 / 1307674368000;
  sum = sum * z + 1.0 / 6227020800;
  sum = sum * z - 1.0 / 39916800;
  sum = sum * z + 1.0 / 362880;
  sum = sum * z - 1.0 / 5040;
  sum = sum * z + 1.0 / 120;
  sum = sum * z - 1.0 / 6;
  return r + (r * z * sum + low * (1 - 0.5 * z));
}

/* cos(r + low): 1 - z/2 is the larger part, and its rounding is kept */
static double series_cosine(double r, double low) {
  const double z = r * r;
  double sum = 1.0 / 20922789888000;
  sum = sum * z - 1.0 / 87178291200;
  sum = sum * z + 1.0 / 479001600;
  sum = sum * z - 1.0 / 3628800;
  sum = sum * z + 1.0 / 40320;
  sum = sum * z - 1.0 / 720;
  sum = sum * z + 1.0 / 24;
  const double half = 0.5 * z, most = 1 - half;
  return most + (((1 - most) - half) + (z * z * sum - r * low));
}

void tl_sine_cosine(double x, double *sine, double *cosine) {
  double r, low;
  if (!isfinite(x)) {
    *sine = *cosine = NAN;
    return;
  }
  /* the remainder is exact, and the double next to 2 pi as near to it as x is to what it stands
   * for */
  const int64_t quarters = reduce(fabs(x) > MOST ? fmod(x, 2 * PI) : x, &r, &low);
  const double s = series_sine(r, low), c = series_cosine(r, low);
  const double pair[2] = {quarters & 1 ? c : s, quarters & 1 ? s : c};
  *sine = quarters & 2 ? -pair[0] : pair[0];
  *cosine = (quarters + 1) & 2 ? -pair[1] : pair[1];
}

double tl_sine(double x) {
  double sine, cosine;
  tl_sine_cosine(x, &sine, &cosine);
  return sine;
}

/* atan(t), 0 <= t <= 1: a guess within 0.004, turned back by its own sine and cosine. */
static double arc(double t) {
  const double guess = t * (0.25 * PI + 0.273 * (1 - t));
  const double s = series_sine(guess, 0), c = series_cosine(guess, 0);
  const double left = (t * c - s) / sqrt(1 + t * t), z = left * left;
  return guess + (left + left * z * (1.0 / 6 + z * (3.0 / 40 + z * (15.0 / 336))));
}

double tl_angle(double y, double x) {
  const double high = fabs(y), wide = fabs(x);
  const int steep = high > wide;
  const double most = steep ? high : wide, least = steep ? wide : high;
  const double within = most > 0 ? arc(least / most) : 0;
  const double up = steep ? 0.5 * PI - within : within;
  return copysign(signbit(x) ? PI - up : up, y);
}
