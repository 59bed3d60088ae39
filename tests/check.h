/* check.h: the smallest test harness that tells where, what and how many.
 *
 * CHECK continues after a failure, so that one run shows them all. A program ends with
 * `return check_end();`, which prints the count and gives the exit code. Exit code 77 = skipped. */
#ifndef TL_CHECK_H
#define TL_CHECK_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CHECK_SKIPPED = 77 };

/* Methods below this one take circular cones and problems of any size. */
#define ANY_SIZE_COUNT (TALUS_METHOD_INTERIOR_POINT + 1)

static int check_passed, check_failed;

static inline int check_note(int good, const char *file, int line, const char *text) {
  if (good) {
    check_passed++;
  } else {
    check_failed++;
    printf("%s:%d: failed: %s\n", file, line, text);
  }
  return good;
}

static inline int check_close(double a, double b, double tolerance, const char *file, int line,
                              const char *text) {
  const int good = fabs(a - b) <= tolerance;
  check_note(good, file, line, text);
  if (!good) {
    printf("  %.17g and %.17g differ by %.3g, allowed %.3g\n", a, b, fabs(a - b), tolerance);
  }
  return good;
}

#define CHECK(condition) check_note((condition) != 0, __FILE__, __LINE__, #condition)
#define CHECK_CLOSE(a, b, tolerance) \
  check_close((a), (b), (tolerance), __FILE__, __LINE__, #a " = " #b)
/* As CHECK, with a word on the case at hand. */
#define CHECK_CASE(condition, ...)    \
  do {                                \
    if (!CHECK(condition)) {          \
      printf("  case: " __VA_ARGS__); \
      printf("\n");                   \
    }                                 \
  } while (0)

static inline int check_end(void) {
  printf("%d passed, %d failed\n", check_passed, check_failed);
  return check_failed == 0 && check_passed > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
