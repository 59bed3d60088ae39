/* test_least_squares.c: damped least squares by Householder reflections. */
#include <string.h>

#include "host/method/small/qr.h"
#include "tests/check.h"
#include "tests/oracle/oracle.h"

enum { N = 40 };

/* |J^T (J x - b) + damping x| relative to |J^T b|: zero at the least squares solution. */
static double normal_error(const double *j, int n, double damping, const double *b,
                           const double *x) {
  long double error = 0, size = 0;
  for (int c = 0; c < n; c++) {
    long double sum = (long double)damping * x[c], right = 0;
    for (int r = 0; r < n; r++) {
      long double row = -(long double)b[r];
      for (int k = 0; k < n; k++) {
        row += (long double)j[r * n + k] * x[k];
      }
      sum += j[r * n + c] * row;
      right += (long double)j[r * n + c] * b[r];
    }
    error += sum * sum;
    size += right * right;
  }
  return (double)sqrtl(error / size);
}

int main(void) {
  static double j[N * N], b[N], x[N], again[N], work[2 * (N + 8) * (N + 8) + 5 * (N + 8)];
  uint64_t state = 5;
  for (int n = 1; n <= N; n += 3) {
    for (int i = 0; i < n * n; i++) {
      j[i] = oracle_random(&state, -1, 1);
    }
    for (int i = 0; i < n; i++) {
      b[i] = oracle_random(&state, -1, 1);
    }
    for (double damping = 1e-16; damping < 10; damping *= 1e4) {
      CHECK(tl_qr_damped(j, n, damping, b, x, work, NULL));
      CHECK_CASE(normal_error(j, n, damping, b, x) < 1e-10, "%d unknowns, damping %g: %g", n,
                 damping, normal_error(j, n, damping, b, x));
      CHECK(tl_qr_damped(j, n, damping, b, again, work, NULL));
      CHECK(memcmp(x, again, (size_t)n * sizeof *x) == 0);
    }
    /* two equal columns: singular but for the damping, which shares the step out evenly */
    for (int i = 0; i < n && n > 1; i++) {
      j[i * n + 1] = j[i * n];
    }
    if (n > 1) {
      CHECK(tl_qr_damped(j, n, 1e-8, b, x, work, NULL));
      CHECK_CASE(fabs(x[0] - x[1]) <= 1e-5 * fabs(x[0]), "%d: %g and %g", n, x[0], x[1]);
    }
  }
  memset(j, 0, sizeof j);
  CHECK(tl_qr_damped(j, N, 1e-16, b, x, work, NULL)); /* nothing but damping: no step */
  for (int i = 0; i < N; i++) {
    CHECK(fabs(x[i]) < 1e-6);
  }
  j[3] = NAN;
  CHECK(!tl_qr_damped(j, N, 1e-16, b, x, work, NULL));
  return check_end();
}
