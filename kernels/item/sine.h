/* sine.h: sine and cosine of + - * / alone: the same bits everywhere, unlike those of C libraries.
 *
 * Reduction to |r| <= pi/4 in two doubles, then Taylor's series. pi/2 is cut into two parts of 33
 * bits, whose products with the number of quarter turns are exact up to 2^20 of them, and a
 * rest. */
#ifndef TL_ITEM_SINE_H
#define TL_ITEM_SINE_H

#include "kernels/item/vector.h"

/* x = quarters * pi/2 + high + low */
TL_ITEM int64_t tl_quarters(double x, double *high, double *low) {
  const double quarter1 = 0x1.921fb54400000p+0, quarter2 = 0x1.0b4611a600000p-34,
               quarter3 = 0x1.3198a2e037073p-69;
  const double k = floor(x * (2 / TL_PI) + 0.5);
  const double first = x - k * quarter1, second = k * quarter2;
  const double sum = first - second, part = sum - first;
  const double lost = (first - (sum - part)) - (second + part);
  const double rest = lost - k * quarter3;
  *high = sum + rest;
  *low = (sum - *high) + rest;
  return (int64_t)k;
}

/* sin(r + low), |r| <= pi/4 */
TL_ITEM double tl_series_sine(double r, double low) {
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
TL_ITEM double tl_series_cosine(double r, double low) {
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

/* Sine and cosine of x, in rad, each with an error below one unit in the last place (of results
 * below 2^-40: below 1e-28). Beyond 1.6e6, those of an angle that differs from x by less than x's
 * own rounding. NaN if x is not finite. */
TL_ITEM void tl_sine_cosine(double x, double *sine, double *cosine) {
  const double most = 1048576 * 1.5; /* rad; 2^20 quarter turns are a little more */
  double r, low;
  if (!isfinite(x)) {
    *sine = *cosine = x - x;
    return;
  }
  /* the remainder is exact, and the double next to 2 pi as near to it as x is to what it stands
   * for */
  const int64_t quarters = tl_quarters(fabs(x) > most ? fmod(x, 2 * TL_PI) : x, &r, &low);
  const double s = tl_series_sine(r, low), c = tl_series_cosine(r, low);
  const double even = quarters & 1 ? c : s, odd = quarters & 1 ? s : c;
  *sine = quarters & 2 ? -even : even;
  *cosine = (quarters + 1) & 2 ? -odd : odd;
}

#endif
