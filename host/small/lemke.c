/* lemke.c: Lemke's complementary pivoting on a mixed linear complementarity problem.
 *
 * Free rows are eliminated first, the largest pivot next; what has none left is redundant, or a
 * contradiction. Then w - M z - e z0 = q is pivoted: z0 enters for the worst row, and after that
 * the complement of what left enters, until z0 leaves. Ties in the ratio test are broken by the
 * rows of the inverse basis (lexicographically), so that no basis can come twice. No row to leave
 * means a ray, which is what is told then. */
#include <math.h>
#include <string.h>

#include "host/small/lcp.h"

static const double PIVOT = 1e-11; /* of the column's largest entry: smaller is rounding */

/* rows x (2 rows + 2): w's columns (the inverse basis), z's, z0's, the right-hand side. */
typedef struct tableau {
  int64_t n, width;
  double *t;
  int32_t *basis; /* [n] column that is basic in a row */
  int32_t *place; /* [width + 1] where the pivot's row has something */
} tableau;

size_t tl_lemke_reals(int32_t size) {
  const size_t n = (size_t)size;
  return n * n + 3 * n + n * (2 * n + 2);
}

size_t tl_lemke_integers(int32_t size) {
  return 5 * (size_t)size + 3;
}

/* ---- free rows ------------------------------------------------------------------------------ */

typedef struct elimination {
  int64_t n, free_count;
  double *m, *q; /* copies that are worked on */
  int32_t *done; /* [n] 1: this free variable is expressed by the others */
} elimination;

static int64_t pivot_find(const elimination *e) {
  int64_t best = -1;
  for (int64_t p = 0; p < e->free_count; p++) {
    const double size = fabs(e->m[p * e->n + p]);
    if (!e->done[p] && size > 1e-11 && (best < 0 || size > fabs(e->m[best * e->n + best]))) {
      best = p;
    }
  }
  return best;
}

/* Expresses free variables by the others; returns a row that cannot be satisfied, or -1. */
static int64_t free_eliminate(const elimination *e) {
  const int64_t n = e->n;
  for (int64_t p = pivot_find(e); p >= 0; p = pivot_find(e)) {
    e->done[p] = 1;
    for (int64_t i = 0; i < n; i++) {
      const double factor = i == p ? 0 : e->m[i * n + p] / e->m[p * n + p];
      for (int64_t j = 0; j < n && factor != 0; j++) {
        e->m[i * n + j] -= factor * e->m[p * n + j];
      }
      e->q[i] -= factor * e->q[p];
    }
  }
  for (int64_t p = 0; p < e->free_count; p++) {
    if (!e->done[p] && fabs(e->q[p]) > 1e-9) {
      return p;
    }
  }
  return -1;
}

/* Free variables from the others; homogeneous: without q. */
static void free_restore(const elimination *e, int homogeneous, double *z) {
  for (int64_t p = 0; p < e->free_count; p++) {
    double sum = homogeneous ? 0 : e->q[p];
    for (int64_t j = e->free_count; j < e->n; j++) {
      sum += e->m[p * e->n + j] * z[j];
    }
    z[p] = e->done[p] ? -sum / e->m[p * e->n + p] : 0;
  }
}

/* ---- pivots --------------------------------------------------------------------------------- */

static void tableau_fill(const elimination *e, tableau *t) {
  const int64_t n = t->n, first = e->free_count;
  memset(t->t, 0, (size_t)(n * t->width) * sizeof *t->t);
  for (int64_t i = 0; i < n; i++) {
    double *const row = t->t + i * t->width;
    row[i] = 1;
    for (int64_t j = 0; j < n; j++) {
      row[n + j] = -e->m[(first + i) * e->n + first + j];
    }
    row[2 * n] = -1;
    row[2 * n + 1] = e->q[first + i];
    t->basis[i] = (int32_t)i;
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

static void pivot(tableau *t, int64_t row, int64_t column) {
  double *const p = t->t + row * t->width, inverse = 1 / p[column];
  int64_t filled = 0;
  for (int64_t j = 0; j < t->width; j++) {
    p[j] *= inverse;
    t->place[filled] = (int32_t)j;
    filled += p[j] != 0;
  }
  p[column] = 1;
  for (int64_t i = 0; i < t->n; i++) {
    double *const r = t->t + i * t->width, factor = r[column];
    if (i != row && factor != 0) {
      row_reduce(t, p, filled, factor, r);
      r[column] = 0;
    }
  }
  t->basis[row] = (int32_t)column;
}

/* Whether row a comes before row b in (right-hand side, inverse basis) / divisor. */
static int lexically_less(const tableau *t, int64_t a, double by_a, int64_t b, double by_b) {
  const double *const ra = t->t + a * t->width, *const rb = t->t + b * t->width;
  for (int64_t step = 0; step <= t->n; step++) {
    const int64_t j = step == 0 ? 2 * t->n + 1 : step - 1;
    const double va = ra[j] / by_a, vb = rb[j] / by_b;
    if (fabs(va - vb) > 1e-13 * (fabs(va) + fabs(vb)) + 1e-16) {
      return va < vb;
    }
  }
  return 0;
}

/* The row that leaves when z0 enters first: the most negative. */
static int64_t first_row(const tableau *t) {
  int64_t best = -1;
  for (int64_t i = 0; i < t->n; i++) {
    if (t->t[i * t->width + 2 * t->n + 1] < 0 && (best < 0 || lexically_less(t, i, 1, best, 1))) {
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
    const double by = t->t[i * t->width + column], value = t->t[i * t->width + 2 * t->n + 1];
    const double ratio = t->t[best * t->width + 2 * t->n + 1] / t->t[best * t->width + column];
    if (t->basis[i] == 2 * t->n && by > least && value / by <= ratio + 1e-14) {
      return i;
    }
  }
  return best;
}

static int64_t complement(const tableau *t, int64_t column) {
  return column < t->n ? column + t->n : column - t->n;
}

static tl_lemke_end pivots_run(tableau *t, tl_small *small, int64_t *ray_column) {
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
    pivot(t, row, entering);
    if (leaving == 2 * t->n) {
      return TL_LEMKE_SOLVED;
    }
    entering = complement(t, leaving);
    row = leaving_row(t, entering);
    if (row < 0) {
      *ray_column = entering;
      return TL_LEMKE_RAY;
    }
  }
  small->run->outcome = TALUS_OUTCOME_STALLED;
  return TL_LEMKE_LIMIT;
}

static void result_read(const elimination *e, const tableau *t, int64_t ray_column,
                        tl_lemke *lemke) {
  const int64_t n = t->n, first = e->free_count;
  memset(lemke->z, 0, (size_t)e->n * sizeof *lemke->z);
  memset(lemke->direction, 0, (size_t)e->n * sizeof *lemke->direction);
  for (int64_t i = 0; i < e->n; i++) {
    lemke->basic[i] = i < first ? e->done[i] : 0;
  }
  for (int64_t i = 0; i < n; i++) {
    const int64_t j = t->basis[i] - n;
    if (j >= 0 && j < n) {
      lemke->z[first + j] = fmax(0, t->t[i * t->width + 2 * n + 1]);
      lemke->basic[first + j] = 1;
      if (ray_column >= 0) {
        lemke->direction[first + j] = -t->t[i * t->width + ray_column];
      }
    }
  }
  if (ray_column >= n && ray_column < 2 * n) {
    lemke->direction[first + ray_column - n] = 1;
  }
  free_restore(e, 0, lemke->z);
  free_restore(e, 1, lemke->direction);
}

tl_lemke_end tl_lemke_run(const tl_lcp *lcp, tl_small *small, double *reals, int32_t *integers,
                          tl_lemke *lemke) {
  const int64_t n = lcp->size;
  elimination e = {n, lcp->free_count, reals, reals + n * n, integers};
  lemke->z = e.q + n;
  lemke->direction = lemke->z + n;
  lemke->basic = integers + n;
  memcpy(e.m, lcp->m, (size_t)(n * n) * sizeof *e.m);
  memcpy(e.q, lcp->q, (size_t)n * sizeof *e.q);
  memset(e.done, 0, (size_t)n * sizeof *e.done);
  memset(lemke->z, 0, 2 * (size_t)n * sizeof *lemke->z);
  memset(lemke->basic, 0, (size_t)n * sizeof *lemke->basic);
  const int64_t bad = free_eliminate(&e);
  tableau t = {n - lcp->free_count, 2 * (n - lcp->free_count) + 2, lemke->direction + n,
               integers + 2 * n, integers + 3 * n};
  tableau_fill(&e, &t);
  int64_t ray_column = -1;
  const tl_lemke_end end = pivots_run(&t, small, &ray_column);
  result_read(&e, &t, ray_column, lemke);
  lemke->row = bad >= 0 ? lcp->owner[bad] : -1;
  return bad >= 0 ? TL_LEMKE_CONTRADICTION : end;
}
