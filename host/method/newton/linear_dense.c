/* linear_dense.c: dense LU and Cholesky of any order: LAPACK's where it was found and is worth a
 * call, else those of host/math/dense.h. A large LU goes by panels, so that a limit can end it. */
#include "host/math/dense.h"
#include "host/method/newton/linear.h"

#if TL_HAVE_LAPACK
#include <lapacke.h>
#endif
#if TL_HAVE_BLAS
#include "host/method/newton/blas.h"
#endif

enum {
  PLAIN_ORDER = 24, /* below, a call of LAPACK costs more than the work */
  PANEL_ORDER = 900 /* above, an LU is made by panels of PANEL columns and can be interrupted */
};

bool tl_linear_uses_blas(const tl_linear *linear) {
  return linear->is_sparse || (TL_HAVE_LAPACK && !linear->on_device && linear->order > PLAIN_ORDER);
}

#if TL_HAVE_LAPACK && TL_HAVE_BLAS
enum { PANEL = 256 };

/* Rows of the columns first .. end - 1 change places as the pivots of a panel say. */
static void rows_swap(double *a, int64_t n, int64_t first, int64_t end, const int32_t *pivot,
                      int64_t from, int64_t to) {
  for (int64_t j = first; j < end; j++) {
    double *const column = a + j * n;
    for (int64_t c = from; c < to; c++) {
      const double swap = column[c];
      column[c] = column[pivot[c] - 1];
      column[pivot[c] - 1] = swap;
    }
  }
}

/* What stands to the right of a panel: the rows beside it, then the product from what is below.
 * Returns whether it was finished. */
static bool panel_apply(double *a, int n, int c, int width, tl_limit *limit) {
  const double one = 1, minus = -1;
  const int below = n - c - width, end = c + width;
  const double *const panel = a + c + (int64_t)c * n;
  const double each = (double)width * width + 2.0 * width * below;
  for (int j = end, columns; j < n; j += columns) {
    columns = tl_limit_lines(n - j, each);
    double *const beside = a + c + (int64_t)j * n;
    dtrsm_("L", "L", "N", "U", &width, &columns, &one, panel, &n, beside, &n);
    dgemm_("N", "N", &below, &columns, &width, &minus, panel + width, &n, beside, &n, &one,
           beside + width, &n);
    if (tl_limit_count(limit, each * columns)) {
      return false;
    }
  }
  return true;
}

/* Right-looking, some columns at a time. */
static bool lu_panels(double *a, int n, int32_t *pivot, tl_limit *limit) {
  for (int c = 0; c < n; c += PANEL) {
    const int width = n - c < PANEL ? n - c : PANEL, height = n - c;
    double *const panel = a + c + (int64_t)c * n;
    if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, height, width, panel, n, pivot + c) != 0) {
      return false;
    }
    for (int i = c; i < c + width; i++) {
      pivot[i] += c;
    }
    rows_swap(a, n, 0, c, pivot, c, c + width);
    rows_swap(a, n, c + width, n, pivot, c, c + width);
    if (tl_limit_count(limit, (double)width * width * height) ||
        !panel_apply(a, n, c, width, limit)) {
      return false;
    }
  }
  return true;
}
#endif

bool tl_dense_lu(double *a, int64_t n, int32_t *pivot, tl_limit *limit) {
#if TL_HAVE_LAPACK && TL_HAVE_BLAS
  if (n > PANEL_ORDER && limit->reached != NULL) {
    return lu_panels(a, (int)n, pivot, limit);
  }
#endif
  (void)tl_limit_count(limit, (double)n * n * n * 2 / 3);
#if TL_HAVE_LAPACK
  if (n > PLAIN_ORDER) {
    return LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, (int)n, (int)n, a, (int)n, pivot) == 0;
  }
#endif
  return tl_dense_lu_plain(a, n, pivot);
}

void tl_dense_lu_solve(const double *a, int64_t n, const int32_t *pivot, double *b) {
#if TL_HAVE_LAPACK
  if (n > PLAIN_ORDER) {
    LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', (int)n, 1, a, (int)n, pivot, b, (int)n);
    return;
  }
#endif
  tl_dense_lu_plain_solve(a, n, pivot, b);
}

/* Copies the lower triangle of column-major a to the upper one: row-major, that is the lower. */
static void lower_mirror(double *a, int64_t n) {
  for (int64_t c = 0; c < n; c++) {
    for (int64_t i = c + 1; i < n; i++) {
      a[c + i * n] = a[i + c * n];
    }
  }
}

/* Whether LAPACK makes a factor of this order. */
static bool uses_lapack(int64_t n) {
  return TL_HAVE_LAPACK && n > PLAIN_ORDER;
}

bool tl_dense_cholesky(double *a, int64_t n) {
#if TL_HAVE_LAPACK
  if (uses_lapack(n)) {
    return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (int)n, a, (int)n) == 0;
  }
#endif
  lower_mirror(a, n);
  return tl_dense_factor(a, n);
}

/* LAPACK's factor: L in the lower triangle, column-major. */
static void lower_solve(const double *a, int64_t n, double *b) {
  for (int64_t c = 0; c < n; c++) {
    b[c] /= a[c + c * n];
    for (int64_t i = c + 1; i < n; i++) {
      b[i] -= a[i + c * n] * b[c];
    }
  }
  for (int64_t c = n - 1; c >= 0; c--) {
    for (int64_t i = c + 1; i < n; i++) {
      b[c] -= a[i + c * n] * b[i];
    }
    b[c] /= a[c + c * n];
  }
}

void tl_dense_cholesky_solve(const double *a, int64_t n, double *b) {
  if (uses_lapack(n)) {
    lower_solve(a, n, b);
  } else {
    tl_dense_solve(a, n, b);
  }
}
