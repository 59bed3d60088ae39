/* test_exact.c: exact sums: any order and any cut into parts give the same double, the nearest one;
 * what is not a finite number is never lost. */
#include <float.h>
#include <string.h>

#include "kernels/item/exact.h"
#include "tests/check.h"

enum { TERMS = 3000 };

static uint64_t state = 1;

static uint64_t draw(void) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return state >> 11;
}

/* Of all sizes from 2^-200 to 2^200, and as many of either sign. */
static void terms_make(double *term) {
  for (int i = 0; i < TERMS; i++) {
    const double size = ldexp((double)draw(), (int)(draw() % 400) - 253);
    term[i] = draw() % 2 ? size : -size;
  }
}

static void shuffle(double *term) {
  for (int i = TERMS - 1; i > 0; i--) {
    const int j = (int)(draw() % (uint64_t)(i + 1));
    const double kept = term[i];
    term[i] = term[j];
    term[j] = kept;
  }
}

static double sum_of(const double *term, int count) {
  tl_exact sum = {{0}};
  tl_exact_add_all(&sum, term, count);
  return tl_exact_round(&sum);
}

/* In `parts` parts, whose digits are added. */
static double sum_in_parts(const double *term, int parts) {
  tl_exact all = {{0}};
  for (int p = 0; p < parts; p++) {
    tl_exact part = {{0}};
    tl_exact_add_all(&part, term + TERMS * p / parts, TERMS * (p + 1) / parts - TERMS * p / parts);
    for (int i = 0; i < TL_EXACT_DIGITS; i++) {
      all.digit[i] += part.digit[i];
    }
  }
  return tl_exact_round(&all);
}

static void test_order(void) {
  double term[TERMS];
  terms_make(term);
  const double sum = sum_of(term, TERMS);
  for (int i = 0; i < 5; i++) {
    shuffle(term);
    CHECK(sum_of(term, TERMS) == sum);
    CHECK(sum_in_parts(term, 1 + 3 * i) == sum);
  }
}

static void test_known(void) {
  const double cancel[] = {1e300, 1, -1e300, 1e-300, DBL_TRUE_MIN, -1e-300, -DBL_TRUE_MIN};
  CHECK(sum_of(cancel, 7) == 1);
  CHECK(sum_of(cancel, 0) == 0);
  const double small[] = {DBL_TRUE_MIN, DBL_TRUE_MIN, -3 * DBL_TRUE_MIN};
  CHECK(sum_of(small, 3) == -DBL_TRUE_MIN);
  const double large[] = {DBL_MAX, DBL_MAX, -DBL_MAX};
  CHECK(sum_of(large, 3) == DBL_MAX);
  CHECK(isinf(sum_of(large, 2)));
  const double half[] = {1, ldexp(1, -53), ldexp(1, -105)}; /* a little above the middle */
  CHECK(sum_of(half, 2) == 1 && sum_of(half, 3) == 1 + DBL_EPSILON);
  const double below[] = {-1, -ldexp(1, -53), -ldexp(1, -105)};
  CHECK(sum_of(below, 3) == -1 - DBL_EPSILON);
}

/* Whole numbers, whose sums doubles know. */
static void test_whole(void) {
  double term[TERMS];
  int64_t sum = 0;
  for (int i = 0; i < TERMS; i++) {
    const int64_t number = (int64_t)(draw() % 2000000) - 1000000;
    term[i] = (double)number;
    sum += number;
  }
  CHECK(sum_of(term, TERMS) == (double)sum);
}

static void test_not_finite(void) {
  const double bad[] = {1, INFINITY, -INFINITY, NAN};
  CHECK(isnan(sum_of(bad, 2)) && isnan(sum_of(bad, 3)) && isnan(sum_of(bad, 4)));
}

int main(void) {
  test_order();
  test_known();
  test_whole();
  test_not_finite();
  return check_end();
}
