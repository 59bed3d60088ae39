/* linear_blocks.c: LU of a matrix with a symmetric pattern and unsymmetric values, by dense blocks.
 *
 * Columns are taken together as CHOLMOD's analysis found them for a Cholesky factor of the same
 * pattern: block s owns columns first[s] .. first[s + 1] - 1 and has `below` further rows. Kept of
 * it: its square, factored with pivots among its own rows, P D = L U; what stands below, times
 * U^-1; and what stands to the right, times L^-1 P, turned so that it lies as the former. A block
 * takes the products of all earlier blocks that reach it, then is factored (left-looking). Pivots
 * never leave their block: refinement repairs what that loses, and where a square is singular the
 * caller goes another way. */
#include "host/method/newton/linear_blocks.h"

#include <math.h>
#include <string.h>

#include "host/math/dense.h"

#if TL_HAVE_SUITESPARSE && TL_HAVE_BLAS
#include "host/method/newton/blas.h"

bool tl_blocks_available(void) {
  return true;
}

static int64_t width(const tl_blocks *b, int64_t s) {
  return b->first[s + 1] - b->first[s];
}

static int64_t below(const tl_blocks *b, int64_t s) {
  return b->row_first[s + 1] - b->row_first[s] - width(b, s);
}

static const int64_t *rows_below(const tl_blocks *b, int64_t s) {
  return b->row + b->row_first[s] + width(b, s);
}

void tl_blocks_release(talus_context *context, tl_blocks *b) {
  tl_buffer_release(context, &b->index);
  tl_buffer_release(context, &b->reals);
  memset(b, 0, sizeof *b);
}

int64_t tl_blocks_bytes(const tl_blocks *b) {
  return (int64_t)(b->index.capacity + b->reals.capacity);
}

/* How many of the rows from `from` on belong to the same block. */
static int64_t run_length(const tl_blocks *b, const int64_t *rows, int64_t from, int64_t count) {
  const int64_t end = b->first[b->owner[rows[from]] + 1];
  int64_t to = from;
  while (to < count && rows[to] < end) {
    to++;
  }
  return to - from;
}

/* Where blocks lie, and the largest product of one block into another. */
static int64_t places_find(tl_blocks *b, int64_t *work) {
  int64_t at = 0;
  *work = 1;
  for (int64_t s = 0; s < b->count; s++) {
    const int64_t n = width(b, s), m = below(b, s), *const rows = rows_below(b, s);
    b->square[s] = at;
    b->lower[s] = at + n * n;
    b->upper[s] = b->lower[s] + m * n;
    at = b->upper[s] + m * n;
    for (int64_t i = 0, length; i < m; i += length) {
      length = run_length(b, rows, i, m);
      *work = (m - i) * length > *work ? (m - i) * length : *work;
    }
  }
  return at;
}

static int64_t row_find(const tl_blocks *b, int64_t s, int64_t row) {
  const int64_t *const rows = rows_below(b, s);
  int64_t low = 0, high = below(b, s);
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    if (rows[middle] <= row) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

/* Where each entry of the matrix goes. */
static void entries_place(tl_blocks *b, const int64_t *start, const int64_t *index) {
  for (int64_t c = 0; c < b->order; c++) {
    const int64_t j = b->inverse[c], sj = b->owner[j];
    for (int64_t e = start[c]; e < start[c + 1]; e++) {
      const int64_t i = b->inverse[index[e]], si = b->owner[i];
      if (si == sj) {
        b->place[e] = b->square[sj] + (j - b->first[sj]) * width(b, sj) + i - b->first[sj];
      } else if (si > sj) {
        b->place[e] = b->lower[sj] + (j - b->first[sj]) * below(b, sj) + row_find(b, sj, i);
      } else {
        b->place[e] = b->upper[si] + (i - b->first[si]) * below(b, si) + row_find(b, si, j);
      }
    }
  }
}

talus_status tl_blocks_make(talus_context *context, tl_blocks *b, const int64_t *start,
                            const int64_t *index) {
  const size_t order = (size_t)b->order, count = (size_t)b->count;
  b->ready = 0;
  TL_TRY(tl_buffer_reserve(context, &b->index,
                           3 * order + 6 * count + (size_t)start[order] + order / 2 + 1,
                           sizeof(int64_t), "places of a sparse LU"));
  b->inverse = b->index.memory;
  b->owner = b->inverse + order;
  b->map = b->owner + order;
  b->square = b->map + order;
  b->lower = b->square + count;
  b->upper = b->lower + count;
  b->head = b->upper + count;
  b->next = b->head + count;
  b->reached = b->next + count;
  b->place = b->reached + count;
  b->pivot = (int32_t *)(b->place + start[order]);
  for (int64_t s = 0; s < b->count; s++) {
    for (int64_t j = b->first[s]; j < b->first[s + 1]; j++) {
      b->owner[j] = s;
      b->inverse[b->order_of[j]] = j;
    }
  }
  int64_t work;
  b->size = places_find(b, &work);
  TL_TRY(tl_buffer_reserve(context, &b->reals, (size_t)(b->size + work) + 2 * order, sizeof(double),
                           "sparse LU"));
  b->value = b->reals.memory;
  b->work = b->value + b->size;
  b->right = b->work + work;
  b->gathered = b->right + order;
  entries_place(b, start, index);
  b->ready = 1;
  return TALUS_OK;
}

static const double one = 1, none = 0, minus = -1;

/* The work receives the product of parts of block d: x rows `from` on, y rows of the run. Returns
 * whether it was finished. */
static bool product(const tl_blocks *b, int64_t d, const double *x, const double *y, int64_t from,
                    int64_t at, int64_t length, tl_limit *limit) {
  const int rows = (int)(below(b, d) - from), inner = (int)width(b, d), stride = (int)below(b, d);
  const double each = 2.0 * rows * inner;
  for (int first = 0, columns; first < (int)length; first += columns) {
    columns = tl_limit_lines((int)length - first, each);
    dgemm_("N", "T", &rows, &columns, &inner, &one, x + from, &stride, y + at + first, &stride,
           &none, b->work + (int64_t)first * rows, &rows);
    if (tl_limit_count(limit, each * columns)) {
      return false;
    }
  }
  return true;
}

/* What block d, whose rows from reached[d] on lie in s or beyond, takes from s. Returns whether it
 * was finished. */
static bool descend(tl_blocks *b, int64_t d, int64_t s, int64_t length, tl_limit *limit) {
  const int64_t at = b->reached[d], m = below(b, d), *const rows = rows_below(b, d);
  const int64_t n = width(b, s), under = below(b, s), first = b->first[s];
  double *const square = b->value + b->square[s], *const lower = b->value + b->lower[s];
  double *const upper = b->value + b->upper[s];
  if (!product(b, d, b->value + b->lower[d], b->value + b->upper[d], at, at, length, limit)) {
    return false;
  }
  for (int64_t j = 0; j < length; j++) {
    const double *const from = b->work + j * (m - at) - at;
    const int64_t column = rows[at + j] - first;
    for (int64_t i = at; i < at + length; i++) {
      square[column * n + rows[i] - first] -= from[i];
    }
    for (int64_t i = at + length; i < m; i++) {
      lower[column * under + b->map[rows[i]]] -= from[i];
    }
  }
  if (at + length == m) {
    return true;
  }
  if (!product(b, d, b->value + b->upper[d], b->value + b->lower[d], at + length, at, length,
               limit)) {
    return false;
  }
  for (int64_t j = 0; j < length; j++) {
    const double *const from = b->work + j * (m - at - length) - at - length;
    const int64_t column = rows[at + j] - first;
    for (int64_t i = at + length; i < m; i++) {
      upper[column * under + b->map[rows[i]]] -= from[i];
    }
  }
  return true;
}

/* Block d is next needed by the owner of its first row that is left. */
static void hand_on(tl_blocks *b, int64_t d) {
  if (b->reached[d] < below(b, d)) {
    const int64_t s = b->owner[rows_below(b, d)[b->reached[d]]];
    b->next[d] = b->head[s];
    b->head[s] = d;
  }
}

/* panel = panel U^-1, or panel L^-T, some of its m rows after the other. Returns whether it was
 * finished. */
static bool panel_solve(const double *square, int n, bool upper, double *panel, int m,
                        tl_limit *limit) {
  const double each = (double)n * n;
  for (int first = 0, rows; first < m; first += rows) {
    rows = tl_limit_lines(m - first, each);
    dtrsm_("R", upper ? "U" : "L", upper ? "N" : "T", upper ? "N" : "U", &rows, &n, &one, square,
           &n, panel + first, &m);
    if (tl_limit_count(limit, each * rows)) {
      return false;
    }
  }
  return true;
}

/* The square's factors, and both panels by them; 0 if it is singular or the limit was reached. */
static bool block_factor(tl_blocks *b, int64_t s, tl_limit *limit) {
  const int n = (int)width(b, s), m = (int)below(b, s);
  double *const square = b->value + b->square[s], *const upper = b->value + b->upper[s];
  int32_t *const pivot = b->pivot + b->first[s];
  if (!tl_dense_lu(square, n, pivot, limit)) {
    return false;
  }
  if (m == 0) {
    return true;
  }
  for (int c = 0; c < n; c++) {
    double *const x = upper + (int64_t)c * m, *const y = upper + (int64_t)(pivot[c] - 1) * m;
    for (int i = 0; i < m && x != y; i++) {
      const double swap = x[i];
      x[i] = y[i];
      y[i] = swap;
    }
  }
  return panel_solve(square, n, true, b->value + b->lower[s], m, limit) &&
         panel_solve(square, n, false, upper, m, limit);
}

bool tl_blocks_factor(tl_blocks *b, const double *value, int64_t entries, tl_limit *limit) {
  memset(b->value, 0, (size_t)b->size * sizeof *b->value);
  for (int64_t e = 0; e < entries; e++) {
    b->value[b->place[e]] = value[e];
  }
  memset(b->head, 0xff, (size_t)b->count * sizeof *b->head);
  for (int64_t s = 0; s < b->count; s++) {
    const int64_t *const rows = rows_below(b, s);
    for (int64_t i = 0; i < below(b, s); i++) {
      b->map[rows[i]] = i;
    }
    for (int64_t d = b->head[s], next; d >= 0; d = next) {
      const int64_t length = run_length(b, rows_below(b, d), b->reached[d], below(b, d));
      next = b->next[d];
      if (!descend(b, d, s, length, limit)) {
        return false;
      }
      b->reached[d] += length;
      hand_on(b, d);
    }
    if (!block_factor(b, s, limit)) {
      return false;
    }
    b->reached[s] = 0;
    hand_on(b, s);
  }
  return true;
}

int tl_blocks_sign(const tl_blocks *b) {
  int sign = 1;
  for (int64_t s = 0; s < b->count; s++) {
    sign *= tl_dense_lu_sign(b->value + b->square[s], width(b, s), b->pivot + b->first[s]);
  }
  return sign;
}

static void forward(tl_blocks *b, double *x) {
  const int step = 1;
  for (int64_t s = 0; s < b->count; s++) {
    const int n = (int)width(b, s), m = (int)below(b, s);
    const int32_t *const pivot = b->pivot + b->first[s];
    double *const own = x + b->first[s];
    for (int c = 0; c < n; c++) {
      const double swap = own[c];
      own[c] = own[pivot[c] - 1];
      own[pivot[c] - 1] = swap;
    }
    dtrsv_("L", "N", "U", &n, b->value + b->square[s], &n, own, &step);
    if (m > 0) {
      const int64_t *const rows = rows_below(b, s);
      dgemv_("N", &m, &n, &one, b->value + b->lower[s], &m, own, &step, &none, b->gathered, &step);
      for (int i = 0; i < m; i++) {
        x[rows[i]] -= b->gathered[i];
      }
    }
  }
}

static void backward(tl_blocks *b, double *x) {
  const int step = 1;
  for (int64_t s = b->count - 1; s >= 0; s--) {
    const int n = (int)width(b, s), m = (int)below(b, s);
    double *const own = x + b->first[s];
    if (m > 0) {
      const int64_t *const rows = rows_below(b, s);
      for (int i = 0; i < m; i++) {
        b->gathered[i] = x[rows[i]];
      }
      dgemv_("T", &m, &n, &minus, b->value + b->upper[s], &m, b->gathered, &step, &one, own, &step);
    }
    dtrsv_("U", "N", "N", &n, b->value + b->square[s], &n, own, &step);
  }
}

void tl_blocks_solve(tl_blocks *b, const double *right, double *x) {
  for (int64_t j = 0; j < b->order; j++) {
    b->right[j] = right[b->order_of[j]];
  }
  forward(b, b->right);
  backward(b, b->right);
  for (int64_t j = 0; j < b->order; j++) {
    x[b->order_of[j]] = b->right[j];
  }
}

#else

bool tl_blocks_available(void) {
  return false;
}

void tl_blocks_release(talus_context *context, tl_blocks *b) {
  (void)context;
  (void)b;
}

int64_t tl_blocks_bytes(const tl_blocks *b) {
  (void)b;
  return 0;
}

talus_status tl_blocks_make(talus_context *context, tl_blocks *b, const int64_t *start,
                            const int64_t *index) {
  (void)start;
  (void)index;
  b->ready = 0;
  return tl_fail(context, TALUS_UNSUPPORTED, "this build has no BLAS");
}

bool tl_blocks_factor(tl_blocks *b, const double *value, int64_t entries, tl_limit *limit) {
  (void)limit;
  (void)b;
  (void)value;
  (void)entries;
  return false;
}

int tl_blocks_sign(const tl_blocks *b) {
  (void)b;
  return 0;
}

void tl_blocks_solve(tl_blocks *b, const double *right, double *x) {
  (void)b;
  (void)right;
  (void)x;
}

#endif
