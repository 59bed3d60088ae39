/* trigonometry.c: the angle of a vector, by the items' sine and cosine. */
#include "host/math/trigonometry.h"

#include <math.h>
#include <stdbool.h>

static const double PI = TL_PI;

double tl_sine(double x) {
  double sine, cosine;
  tl_sine_cosine(x, &sine, &cosine);
  return sine;
}

/* atan(t), 0 <= t <= 1: a guess within 0.004, turned back by its own sine and cosine. */
static double arc(double t) {
  const double guess = t * (0.25 * PI + 0.273 * (1 - t));
  const double s = tl_series_sine(guess, 0), c = tl_series_cosine(guess, 0);
  const double left = (t * c - s) / sqrt(1 + t * t), z = left * left;
  return guess + (left + left * z * (1.0 / 6 + z * (3.0 / 40 + z * (15.0 / 336))));
}

double tl_angle(double y, double x) {
  const double high = fabs(y), wide = fabs(x);
  const bool steep = high > wide;
  const double most = steep ? high : wide, least = steep ? wide : high;
  const double within = most > 0 ? arc(least / most) : 0;
  const double up = steep ? 0.5 * PI - within : within;
  return copysign(signbit(x) ? PI - up : up, y);
}
