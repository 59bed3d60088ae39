/* test_dense.c: dense factors against products that are known: Cholesky of full and of deficient
 * matrices, LU with row exchanges and its sign. */
#include <math.h>
#include <string.h>

#include "host/math/dense.h"
#include "tests/check.h"

enum { N = 7 };

/* A lower triangle with a diagonal of its own; column `hole` is 0 from the diagonal on. */
static void lower_make(double *l, int hole) {
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      l[i * N + j] = i < j || j == hole ? 0 : i == j ? 1 + 0.25 * i : 0.1 * ((3 * i + 5 * j) % 7);
    }
  }
}

/* a = L L^T, row-major. */
static void square_make(const double *l, double *a) {
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      a[i * N + j] = 0;
      for (int k = 0; k < N; k++) {
        a[i * N + j] += l[i * N + k] * l[j * N + k];
      }
    }
  }
}

static double lower_distance(const double *a, const double *l) {
  double most = 0;
  for (int i = 0; i < N; i++) {
    for (int j = 0; j <= i; j++) {
      most = fmax(most, fabs(a[i * N + j] - l[i * N + j]));
    }
  }
  return most;
}

static void test_cholesky(void) {
  double l[N * N], a[N * N], full[N * N], b[N];
  lower_make(l, -1);
  square_make(l, full);
  memcpy(a, full, sizeof a);
  CHECK(tl_dense_factor(a, N));
  CHECK(lower_distance(a, l) < 1e-13);
  for (int i = 0; i < N; i++) {
    b[i] = 0;
    for (int j = 0; j < N; j++) {
      b[i] += full[i * N + j] * (j - 2.5);
    }
  }
  tl_dense_solve(a, N, b);
  for (int i = 0; i < N; i++) {
    CHECK(fabs(b[i] - (i - 2.5)) < 1e-11);
  }
  full[0] = -1;
  CHECK(!tl_dense_factor(full, N));
}

/* The root of a matrix without full rank: the column that has no pivot is 0. */
static void test_root(void) {
  enum { HOLE = 3 };
  double l[N * N], a[N * N];
  lower_make(l, HOLE);
  square_make(l, a);
  tl_dense_root(a, N);
  CHECK(lower_distance(a, l) < 1e-7);
  for (int i = HOLE; i < N; i++) {
    CHECK(a[i * N + HOLE] == 0);
  }
}

/* Columns of a permutation times 2: the sign is that of the permutation, and rows change places. */
static void test_lu(void) {
  const int place[4] = {2, 0, 3, 1}; /* a cycle of four: odd */
  double a[16] = {0}, b[4] = {1, 2, 3, 4};
  int32_t pivot[4];
  for (int c = 0; c < 4; c++) {
    a[4 * c + place[c]] = 2;
  }
  CHECK(tl_dense_lu_plain(a, 4, pivot));
  CHECK(tl_dense_lu_sign(a, 4, pivot) == -1);
  tl_dense_lu_plain_solve(a, 4, pivot, b);
  for (int c = 0; c < 4; c++) {
    CHECK(b[c] == 0.5 * (place[c] + 1));
  }
  memset(a, 0, sizeof a);
  CHECK(!tl_dense_lu_plain(a, 4, pivot));
}

int main(void) {
  test_cholesky();
  test_root();
  test_lu();
  return check_end();
}
