/* lcp.c: M and q of the faceted law from W, q, vertices and bounds.
 *
 * Rows with bounds are complementarity too: y = lower + z with f = u, and where both bounds are
 * finite one more variable for the force that the upper one exerts. */
#include "host/method/small/lcp.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { ASK_EVERY = 32 }; /* rows of a large problem */

static int32_t vertex_count(const tl_scaled *scaled, int32_t k) {
  return scaled->first[k + 1] - scaled->first[k] == 2 ? 2 : scaled->facet_count;
}

int32_t tl_lcp_size(const tl_scaled *scaled, bool slip_given) {
  int32_t size = 0;
  for (int32_t k = 0; k < scaled->count; k++) {
    size += 1;
    if (scaled->kind[k] == TL_CONSTRAINT_FRICTION) {
      size += vertex_count(scaled, k) + !slip_given;
    } else if (scaled->kind[k] == TL_CONSTRAINT_BOUNDED) {
      size += tl_scaled_both_bounds(scaled, k);
    }
  }
  return size;
}

size_t tl_lcp_reals(const tl_scaled *scaled, int32_t size) {
  const size_t n = (size_t)size, rows = (size_t)scaled->rows;
  return n * n + 3 * n + rows + n * rows;
}

static int32_t column_add(tl_lcp *lcp, int32_t owner, int32_t row, double a, double b) {
  const int32_t j = lcp->size++;
  lcp->row[j] = row;
  lcp->owner[j] = owner;
  lcp->value[2 * j] = a;
  lcp->value[2 * j + 1] = b;
  return j;
}

/* Entries of M and q that do not come from W. */
static void entry_add(tl_lcp *lcp, int32_t size, int32_t i, int32_t j, double value) {
  lcp->m[(int64_t)i * size + j] += value;
}

static void cone_add(tl_lcp *lcp, const tl_lcp_rule *rule, int32_t size, int32_t k) {
  const tl_scaled *const scaled = lcp->scaled;
  const int32_t first = scaled->first[k];
  double vertex[2 * TL_FACETS_MOST];
  const int32_t vertices = tl_scaled_vertices(scaled, k, vertex);
  const int32_t normal = column_add(lcp, k, first, 1, 0);
  for (int32_t i = 0; i < vertices; i++) {
    column_add(lcp, k, first + 1, vertex[2 * i], vertex[2 * i + 1]);
    lcp->q[normal + 1 + i] += rule->slip != NULL ? rule->slip[k] : 0;
  }
  if (rule->slip != NULL) {
    return;
  }
  const int32_t sigma = column_add(lcp, k, -1, 0, 0);
  entry_add(lcp, size, sigma, normal, scaled->friction[k]);
  for (int32_t i = 1; i <= vertices; i++) {
    entry_add(lcp, size, normal + i, sigma, 1);
    entry_add(lcp, size, sigma, normal + i, -1);
  }
  if (rule->convex) {
    entry_add(lcp, size, normal, sigma, -scaled->friction[k]);
  }
}

static void bound_add(tl_lcp *lcp, int32_t size, int32_t k) {
  const tl_scaled *const scaled = lcp->scaled;
  const int32_t first = scaled->first[k];
  const bool below = isfinite(scaled->lower[k]);
  lcp->offset[first] = below ? scaled->lower[k] : scaled->upper[k];
  const int32_t y = column_add(lcp, k, first, below ? 1 : -1, 0);
  if (tl_scaled_both_bounds(scaled, k)) {
    const int32_t s = column_add(lcp, k, -1, 0, 0);
    entry_add(lcp, size, y, s, 1);
    entry_add(lcp, size, s, y, -1);
    lcp->q[s] += scaled->upper[k] - scaled->lower[k];
  }
}

/* Columns of B, and what the law adds to M and q. */
static void columns_make(tl_lcp *lcp, const tl_lcp_rule *rule, int32_t size) {
  const tl_scaled *const scaled = lcp->scaled;
  for (int32_t k = 0; k < scaled->count; k++) {
    if (scaled->kind[k] == TL_CONSTRAINT_FREE) {
      column_add(lcp, k, scaled->first[k], 1, 0);
    }
  }
  lcp->free_count = lcp->size;
  for (int32_t k = 0; k < scaled->count; k++) {
    const int32_t at = lcp->size;
    if (scaled->kind[k] == TL_CONSTRAINT_FRICTION) {
      cone_add(lcp, rule, size, k);
    } else if (scaled->kind[k] == TL_CONSTRAINT_UNILATERAL) {
      column_add(lcp, k, scaled->first[k], 1, 0);
    } else if (scaled->kind[k] == TL_CONSTRAINT_BOUNDED) {
      bound_add(lcp, size, k);
    }
    if (rule->lift != NULL && scaled->kind[k] >= TL_CONSTRAINT_UNILATERAL) {
      lcp->q[at] += rule->lift[k];
    }
  }
}

/* Entry of B^T v in column j. */
static double column_dot(const tl_lcp *lcp, int32_t j, const double *v, int64_t stride) {
  if (lcp->row[j] < 0) {
    return 0;
  }
  const int64_t row = lcp->row[j];
  const double second = lcp->value[2 * j + 1];
  return lcp->value[2 * j] * v[row * stride] + (second != 0 ? second * v[(row + 1) * stride] : 0);
}

/* Whether time has run out at row i of a large matrix. */
static bool is_late(tl_small *small, int64_t i) {
  return small->scaled.rows >= TL_LONG && i % ASK_EVERY == 0 && tl_small_late(small);
}

void tl_lcp_make(tl_small *small, const tl_lcp_rule *rule, int32_t size, int32_t *integers,
                 double *reals, tl_lcp *lcp) {
  const int64_t n = size, rows = small->scaled.rows;
  *lcp = (tl_lcp){.scaled = &small->scaled, .row = integers, .owner = integers + n, .m = reals};
  lcp->q = lcp->m + n * n;
  lcp->value = lcp->q + n;
  lcp->offset = lcp->value + 2 * n;
  lcp->room = lcp->offset + rows;
  memset(lcp->q, 0, (size_t)(lcp->room - lcp->q) * sizeof *reals);
  for (int64_t i = 0; i < n; i++) {
    if (is_late(small, i)) {
      return;
    }
    memset(lcp->m + i * n, 0, (size_t)n * sizeof *reals);
  }
  columns_make(lcp, rule, size);
  assert(lcp->size == size);         /* tl_lcp_size counted the same columns */
  double *const product = lcp->room; /* W B, row by row */
  for (int64_t i = 0; i < rows; i++) {
    if (is_late(small, i)) {
      return;
    }
    for (int32_t j = 0; j < size; j++) {
      product[i * n + j] = column_dot(lcp, j, small->scaled.w + i, small->scaled.stride);
    }
  }
  for (int32_t i = 0; i < size; i++) {
    if (is_late(small, i)) {
      return;
    }
    for (int32_t j = 0; j < size && lcp->row[i] >= 0; j++) {
      lcp->m[i * n + j] += column_dot(lcp, i, product + j, n);
    }
  }
  tl_scaled_velocity(&small->scaled, lcp->offset, product);
  for (int32_t i = 0; i < size; i++) {
    lcp->q[i] += column_dot(lcp, i, product, 1);
  }
}

void tl_lcp_impulses(const tl_lcp *lcp, const double *z, double *y) {
  memcpy(y, lcp->offset, (size_t)lcp->scaled->rows * sizeof *y);
  for (int32_t j = 0; j < lcp->size; j++) {
    const int32_t row = lcp->row[j];
    if (row >= 0) {
      y[row] += lcp->value[2 * j] * z[j];
      if (lcp->value[2 * j + 1] != 0) {
        y[row + 1] += lcp->value[2 * j + 1] * z[j];
      }
    }
  }
}

/* Shares of a contact's vertices: the two that its tangential impulse lies between. */
static void shares_find(const double *vertex, int32_t count, const double *t, double *share) {
  if (count == 2) {
    share[0] = fmax(t[0], 0);
    share[1] = fmax(-t[0], 0);
    return;
  }
  for (int32_t i = 0; i < count; i++) {
    share[i] = 0;
  }
  for (int32_t i = 0; i < count; i++) {
    const int32_t next = (i + 1) % count;
    const double *const a = vertex + 2 * i, *const b = vertex + 2 * next;
    const double turn = a[0] * b[1] - a[1] * b[0];
    const double s = (t[0] * b[1] - t[1] * b[0]) / turn, r = (a[0] * t[1] - a[1] * t[0]) / turn;
    if (s >= 0 && r >= 0) {
      share[i] = s;
      share[next] = r;
      return;
    }
  }
}

void tl_lcp_start(const tl_lcp *lcp, const double *y, const double *u, double *z) {
  const tl_scaled *const scaled = lcp->scaled;
  double vertex[2 * TL_FACETS_MOST];
  for (int32_t j = 0; j < lcp->size;) {
    const int32_t k = lcp->owner[j], first = scaled->first[k];
    if (scaled->kind[k] != TL_CONSTRAINT_FRICTION) {
      z[j] = lcp->row[j] >= 0 ? (y[first] - lcp->offset[first]) * lcp->value[2 * j]
                              : fmax(0, -u[first]);
      j++;
      continue;
    }
    const int32_t rows = scaled->first[k + 1] - first;
    const double t[2] = {y[first + 1], rows > 2 ? y[first + 2] : 0};
    const int32_t vertices = tl_scaled_vertices(scaled, k, vertex);
    z[j] = fmax(0, y[first]);
    shares_find(vertex, vertices, t, z + j + 1);
    j += 1 + vertices;
    if (j < lcp->size && lcp->owner[j] == k) {
      z[j++] = tl_scaled_slip(scaled, k, u + first);
    }
  }
}
