/* lemke.c: Lemke's complementary pivoting on a mixed linear complementarity problem.
 *
 * Free rows are eliminated first, the largest pivot next; what has none left is redundant, a
 * contradiction if it has nothing else either, or beyond this method (W then is not semidefinite).
 * Then w - M z - e z0 = q is pivoted: z0 enters for the worst row, and after that the complement of
 * what left enters, until z0 leaves. Ties in the ratio test are broken by the rows of the inverse
 * basis (lexicographically), so that no basis can come twice. No row to leave means a ray, which is
 * what is told then.
 *
 * Where W is singular, as in any heap with more contacts than motions, tableaux are full of ties
 * and of entries that would be 0 without rounding. Both tolerances are therefore far above
 * rounding: a pivot of 1e-11 that should be 0, or a tie that rounding decides, ruins the tableau or
 * leads to a ray that does not exist. */
#include <math.h>
#include <string.h>

#include "host/method/small/lcp.h"

static const double PIVOT = 1e-9; /* of the column's largest entry: smaller is rounding */
static const double TIE = 1e-10;  /* of two ratios: closer ones are equal */

/* Basic variables by the others: n rows of n + 1 columns and the right-hand side. Variables are
 * w_i, then z_i, then z0; columns of the inverse basis are those of w, unit vectors where it is
 * basic. */
typedef struct tableau {
  int64_t n, width;
  double *t;
  int32_t *basis; /* [n] variable that is basic in a row */
  int32_t *label; /* [n + 1] variable of a column */
  int32_t *spot;  /* [2 n + 1] column of a variable, or -1 - its row */
  int32_t *place; /* [width + 1] where the pivot's row has something */
} tableau;

size_t tl_lemke_reals(int32_t size) {
  const size_t n = (size_t)size;
  return n * n + 3 * n + n * (n + 2);
}

size_t tl_lemke_integers(int32_t size) {
  return 8 * (size_t)size + 8;
}

/* ---- free rows ------------------------------------------------------------------------------- */

typedef struct elimination {
  int64_t n, free_count;
  double *m, *q; /* copies that are worked on */
  int32_t *row;  /* [n] row that expresses this free variable by the others, or -1 */
  int32_t *used; /* [n] 1: this row does so for some variable */
} elimination;

typedef struct cell {
  int64_t row, column; /* -1: none */
} cell;

/* The largest entry of rows and columns that are left; of equal ones, that of the diagonal. */
static cell pivot_find(const elimination *e) {
  cell best = {-1, -1};
  double largest = 1e-11;
  for (int64_t i = 0; i < e->free_count; i++) {
    for (int64_t j = 0; j < e->free_count && !e->used[i]; j++) {
      const double size = e->row[j] < 0 ? fabs(e->m[i * e->n + j]) : 0;
      if (size > largest || (size == largest && i == j && best.row != best.column)) {
        largest = size;
        best = (cell){i, j};
      }
    }
  }
  return best;
}

static bool is_empty(const elimination *e, int64_t row) {
  double largest = 0;
  for (int64_t j = 0; j < e->n; j++) {
    const bool eliminated = j < e->free_count && e->row[j] >= 0;
    largest = eliminated ? largest : fmax(largest, fabs(e->m[row * e->n + j]));
  }
  return largest <= 1e-9;
}

/* Expresses free variables by the others; returns a row that cannot be satisfied so, or -1. */
static int64_t free_eliminate(const elimination *e, tl_small *small) {
  const int64_t n = e->n;
  for (cell p = pivot_find(e); p.row >= 0; p = pivot_find(e)) {
    if (n >= TL_LONG && tl_small_late(small)) {
      return -1; /* and no pivot will follow */
    }
    const double *const from = e->m + p.row * n;
    e->row[p.column] = (int32_t)p.row;
    e->used[p.row] = 1;
    for (int64_t i = 0; i < n; i++) {
      double *const to = e->m + i * n;
      const double factor = i == p.row ? 0 : to[p.column] / from[p.column];
      for (int64_t j = 0; j < n && factor != 0; j++) {
        to[j] -= factor * from[j];
      }
      e->q[i] -= factor * e->q[p.row];
    }
  }
  for (int64_t i = 0; i < e->free_count; i++) {
    if (!e->used[i] && (fabs(e->q[i]) > 1e-9 || !is_empty(e, i))) {
      return i;
    }
  }
  return -1;
}

/* Free variables from the others; homogeneous: without q. */
static void free_restore(const elimination *e, int homogeneous, double *z) {
  for (int64_t p = 0; p < e->free_count; p++) {
    const int32_t row = e->row[p];
    double sum = homogeneous || row < 0 ? 0 : e->q[row];
    for (int64_t j = e->free_count; j < e->n && row >= 0; j++) {
      sum += e->m[row * e->n + j] * z[j];
    }
    z[p] = row >= 0 ? -sum / e->m[row * e->n + p] : 0;
  }
}

/* ---- pivots ---------------------------------------------------------------------------------- */

static void tableau_fill(const elimination *e, tableau *t) {
  const int64_t n = t->n, first = e->free_count;
  for (int64_t i = 0; i < n; i++) {
    double *const row = t->t + i * t->width;
    for (int64_t j = 0; j < n; j++) {
      row[j] = -e->m[(first + i) * e->n + first + j];
    }
    row[n] = -1;
    row[n + 1] = e->q[first + i];
    t->basis[i] = (int32_t)i;
    t->spot[i] = -1 - (int32_t)i;
  }
  for (int64_t j = 0; j <= n; j++) {
    t->label[j] = (int32_t)(n + j);
    t->spot[n + j] = (int32_t)j;
  }
}

/* Row r less factor times row p: all of it, or where p has something if that is little. */
static void row_reduce(const tableau *t, const double *p, int64_t filled, double factor,
                       double *r) {
  if (2 * filled > t->width) {
    for (int64_t j = 0; j < t->width; j++) {
      r[j] -= factor * p[j];
    }
    return;
  }
  for (int64_t i = 0; i < filled; i++) {
    r[t->place[i]] -= factor * p[t->place[i]];
  }
}

/* The variable of the column becomes basic in the row, the row's one takes over the column. */
static void pivot(tableau *t, int64_t row, int64_t column) {
  double *const p = t->t + row * t->width, inverse = 1 / p[column];
  const int32_t entering = t->label[column], leaving = t->basis[row];
  int64_t filled = 0;
  for (int64_t j = 0; j < t->width; j++) {
    p[j] = j == column ? inverse : p[j] * inverse;
    t->place[filled] = (int32_t)j;
    filled += p[j] != 0;
  }
  for (int64_t i = 0; i < t->n; i++) {
    double *const r = t->t + i * t->width, factor = r[column];
    if (i != row && factor != 0) {
      r[column] = 0;
      row_reduce(t, p, filled, factor, r);
    }
  }
  t->basis[row] = entering;
  t->spot[entering] = -1 - (int32_t)row;
  t->label[column] = leaving;
  t->spot[leaving] = (int32_t)column;
}

/* Entry of w's column in a row; `w` = -1: of the right-hand side. */
static double lexical(const tableau *t, int64_t row, int64_t w) {
  const int64_t spot = w < 0 ? t->n + 1 : t->spot[w];
  return spot >= 0 ? t->t[row * t->width + spot] : (double)(-1 - spot == row);
}

/* Whether row a comes before row b in (right-hand side, inverse basis) / divisor. */
static bool lexically_less(const tableau *t, int64_t a, double by_a, int64_t b, double by_b) {
  for (int64_t w = -1; w < t->n; w++) {
    const double va = lexical(t, a, w) / by_a, vb = lexical(t, b, w) / by_b;
    if (fabs(va - vb) > TIE * (fabs(va) + fabs(vb) + 1e-3)) {
      return va < vb;
    }
  }
  return false;
}

/* The row that leaves when z0 enters first: the most negative. */
static int64_t first_row(const tableau *t) {
  int64_t best = -1;
  for (int64_t i = 0; i < t->n; i++) {
    if (t->t[i * t->width + t->n + 1] < 0 && (best < 0 || lexically_less(t, i, 1, best, 1))) {
      best = i;
    }
  }
  return best;
}

/* The row that leaves for this column, z0's if it may; -1: none. */
static int64_t leaving_row(const tableau *t, int64_t column) {
  double largest = 0;
  int64_t best = -1;
  for (int64_t i = 0; i < t->n; i++) {
    largest = fmax(largest, fabs(t->t[i * t->width + column]));
  }
  const double least = PIVOT * fmax(largest, 1);
  for (int64_t i = 0; i < t->n; i++) {
    const double by = t->t[i * t->width + column];
    if (by > least &&
        (best < 0 || lexically_less(t, i, by, best, t->t[best * t->width + column]))) {
      best = i;
    }
  }
  for (int64_t i = 0; i < t->n && best >= 0; i++) { /* z0 goes as soon as it can */
    const double by = t->t[i * t->width + column], value = t->t[i * t->width + t->n + 1];
    const double ratio = t->t[best * t->width + t->n + 1] / t->t[best * t->width + column];
    if (t->basis[i] == 2 * t->n && by > least && value / by <= ratio + 0.1 * TIE) {
      return i;
    }
  }
  return best;
}

static int64_t complement(const tableau *t, int64_t variable) {
  return variable < t->n ? variable + t->n : variable - t->n;
}

static tl_lemke_end pivots_run(tableau *t, tl_small *small, int64_t *ray) {
  int64_t row = first_row(t), entering = 2 * t->n;
  const int64_t most = 50 * t->n + 1000;
  if (row < 0) {
    return TL_LEMKE_SOLVED; /* z = 0 */
  }
  for (int64_t count = 0; count < most; count++) {
    if (tl_small_limit(small)) {
      return TL_LEMKE_LIMIT;
    }
    small->run->iterations += !small->nested;
    small->run->passes += small->nested;
    const int64_t leaving = t->basis[row];
    pivot(t, row, t->spot[entering]);
    if (leaving == 2 * t->n) {
      return TL_LEMKE_SOLVED;
    }
    entering = complement(t, leaving);
    row = leaving_row(t, t->spot[entering]);
    if (row < 0) {
      *ray = entering;
      return TL_LEMKE_RAY;
    }
  }
  small->run->outcome = TALUS_OUTCOME_STALLED;
  tl_log(small->context, TALUS_LOG_INFO, "Lemke's pivots came to no end: %lld of %lld rows",
         (long long)most, (long long)t->n);
  return TL_LEMKE_LIMIT;
}

static void result_read(const elimination *e, const tableau *t, int64_t ray, tl_lemke *lemke) {
  const int64_t n = t->n, first = e->free_count;
  memset(lemke->z, 0, (size_t)e->n * sizeof *lemke->z);
  memset(lemke->direction, 0, (size_t)e->n * sizeof *lemke->direction);
  for (int64_t i = 0; i < e->n; i++) {
    lemke->basic[i] = i < first && e->row[i] >= 0;
  }
  for (int64_t i = 0; i < n; i++) {
    const int64_t j = t->basis[i] - n;
    if (j >= 0 && j < n) {
      lemke->z[first + j] = fmax(0, t->t[i * t->width + n + 1]);
      lemke->basic[first + j] = 1;
      if (ray >= 0) {
        lemke->direction[first + j] = -t->t[i * t->width + t->spot[ray]];
      }
    }
  }
  if (ray >= n && ray < 2 * n) {
    lemke->direction[first + ray - n] = 1;
  }
  free_restore(e, 0, lemke->z);
  free_restore(e, 1, lemke->direction);
}

tl_lemke_end tl_lemke_run(const tl_lcp *lcp, tl_small *small, double *reals, int32_t *integers,
                          tl_lemke *lemke) {
  const int64_t n = lcp->size;
  elimination e = {n, lcp->free_count, reals, reals + n * n, integers, integers + n};
  lemke->z = e.q + n;
  lemke->direction = lemke->z + n;
  lemke->basic = integers + 2 * n;
  memcpy(e.q, lcp->q, (size_t)n * sizeof *e.q);
  memset(e.row, -1, (size_t)n * sizeof *e.row);
  memset(e.used, 0, (size_t)n * sizeof *e.used);
  memset(lemke->z, 0, 2 * (size_t)n * sizeof *lemke->z);
  memset(lemke->basic, 0, (size_t)n * sizeof *lemke->basic);
  lemke->row = -1;
  if (small->stop || (n >= TL_LONG && tl_small_late(small))) {
    return TL_LEMKE_LIMIT;
  }
  memcpy(e.m, lcp->m, (size_t)(n * n) * sizeof *e.m);
  const int64_t bad = free_eliminate(&e, small);
  const int64_t rows = n - lcp->free_count;
  tableau t = {.n = rows, .width = rows + 2, .t = lemke->direction + n, .basis = integers + 3 * n};
  t.label = t.basis + rows;
  t.spot = t.label + rows + 1;
  t.place = t.spot + 2 * rows + 1;
  int64_t ray = -1;
  if (n >= TL_LONG && tl_small_late(small)) {
    return TL_LEMKE_LIMIT;
  }
  tableau_fill(&e, &t);
  const tl_lemke_end end = pivots_run(&t, small, &ray);
  result_read(&e, &t, ray, lemke);
  if (bad >= 0 && !is_empty(&e, bad)) {
    small->run->outcome = TALUS_OUTCOME_STALLED;
    tl_log(small->context, TALUS_LOG_INFO,
           "Lemke's pivots: a bilateral row hangs on contacts alone, which they cannot take");
    return TL_LEMKE_LIMIT;
  }
  lemke->row = bad >= 0 ? lcp->owner[bad] : -1;
  return bad >= 0 ? TL_LEMKE_CONTRADICTION : end;
}
