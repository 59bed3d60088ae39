/* test_trigonometry.c: own sine, cosine and angle against the C library's in long double. */
#include "host/math/trigonometry.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "tests/check.h"

enum { COUNT = 200000 };

static uint64_t state = 1;

/* Uniform in 0 .. 1 */
static double random_unit(void) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(state >> 11) * 0x1p-53;
}

/* The error in units of the last place of the exact value; what is below 1e-28 counts for
 * nothing. */
static double units(double value, long double exact) {
  const double unit = nextafter(fabs((double)exact), INFINITY) - fabs((double)exact);
  const double error = (double)fabsl((long double)value - exact);
  return error < 1e-28 ? 0 : error / unit;
}

static void compare(double reach) {
  double worst[2] = {0, 0};
  for (int i = 0; i < COUNT; i++) {
    const double x = reach * (2 * random_unit() - 1);
    double s, c;
    tl_sine_cosine(x, &s, &c);
    worst[0] = fmax(worst[0], units(s, sinl(x)));
    worst[1] = fmax(worst[1], units(c, cosl(x)));
  }
  CHECK_CASE(worst[0] < 1 && worst[1] < 1, "up to %g: sine %g, cosine %g units", reach, worst[0],
             worst[1]);
}

/* Multiples of pi/2 as doubles have them: the reduction cancels nearly everything. */
static void compare_quarters(void) {
  double worst = 0;
  for (int k = 1; k < COUNT; k++) {
    const double x = k * 1.57079632679489661923;
    double s, c;
    tl_sine_cosine(x, &s, &c);
    worst = fmax(worst, k & 1 ? units(c, cosl(x)) : units(s, sinl(x)));
  }
  CHECK_CASE(worst < 1, "at quarter turns: %g units", worst);
}

static void compare_angles(void) {
  double worst = 0;
  for (int i = 0; i < COUNT; i++) {
    const double small = i % 3 == 0 ? pow(2, -60 * random_unit()) : 1;
    const double y = small * (2 * random_unit() - 1), x = 2 * random_unit() - 1;
    worst = fmax(worst, units(tl_angle(y, x), atan2l(y, x)));
  }
  CHECK_CASE(worst < 3, "angles: %g units", worst);
}

int main(void) {
  volatile long double million = 1e6L;                            /* not for the compiler to know */
  if (fabsl(sinl(million) + 0.349993502171292952118L) > 1e-18L) { /* MinGW's leaves it to the x87 */
    printf("skipped: this C library's long sine cannot judge\n");
    return 77;
  }
  const double reach[] = {1e-8, 1e-3, 0.8, 7, 1e3, 1.5e6};
  const double edge[] = {0.0, -0.0, 1, -1, 1e-300, -1e-300};
  for (size_t i = 0; i < sizeof reach / sizeof *reach; i++) {
    compare(reach[i]);
  }
  compare_quarters();
  compare_angles();
  for (int i = 0; i < 36; i++) {
    CHECK_CASE(fabs(tl_angle(edge[i / 6], edge[i % 6]) - atan2(edge[i / 6], edge[i % 6])) < 1e-15,
               "angle of y %g, x %g", edge[i / 6], edge[i % 6]);
  }
  double s, c;
  tl_sine_cosine(1e300, &s, &c);
  CHECK(fabs(s * s + c * c - 1) < 1e-15);
  tl_sine_cosine(INFINITY, &s, &c);
  CHECK(isnan(s) && isnan(c));
  CHECK(tl_sine(0) == 0 && tl_angle(0, 1) == 0);
  return check_end();
}
