/* average.c: see average.h. */
#include "host/measure/average.h"

#include <math.h>

enum { BLOCKS = 8 }; /* fewer tell too little of their own spread */

/* Standard error of the mean of independent numbers. */
static double plain_error(const double *x, int64_t count, double mean) {
  double square = 0;
  for (int64_t k = 0; k < count; k++) {
    square += (x[k] - mean) * (x[k] - mean);
  }
  return sqrt(square / ((double)count * (double)(count - 1)));
}

static double mean_of(const double *x, int64_t count) {
  double sum = 0;
  for (int64_t k = 0; k < count; k++) {
    sum += x[k];
  }
  return sum / (double)count;
}

tl_average tl_average_take(const double *value, int64_t count, int64_t stride, double *x) {
  tl_average a = {NAN, NAN, NAN, NAN, 0, 1};
  for (int64_t k = 0; k < count; k++) {
    const double v = value[k * stride];
    if (isfinite(v)) {
      a.least = a.count > 0 ? fmin(a.least, v) : v;
      a.largest = a.count > 0 ? fmax(a.largest, v) : v;
      x[a.count++] = v;
    }
  }
  a.mean = a.count > 0 ? mean_of(x, a.count) : NAN;
  a.error = a.count > 1 ? plain_error(x, a.count, a.mean) : NAN;
  int64_t blocks = a.count / 2;
  for (int64_t size = 2; blocks >= BLOCKS; size *= 2, blocks /= 2) {
    for (int64_t k = 0; k < blocks; k++) {
      x[k] = 0.5 * (x[2 * k] + x[2 * k + 1]);
    }
    const double error = plain_error(x, blocks, mean_of(x, blocks));
    a.block = error > a.error ? size : a.block;
    a.error = fmax(a.error, error);
  }
  return a;
}
