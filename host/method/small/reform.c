/* reform.c: complementarity as a smooth minimisation under bounds ([E] = Andreani, Friedlander,
 * Mello and Santos 2002).
 *
 *   min (|f(u, v) - z|^2 + |g(u, v)|^2 + (u . z)^2) / 2,   u >= 0, z >= 0
 *
 * mncpopt: the circular cone (eqs 16-19), per contact u = (c_n, l), f = (a_n, mu^2 c_n^2 -
 * |c_t|^2), v = (c_t, a_t), g = (mu c_n a_t + l c_t, a_t - its value). lcpopt: the box (eq 20), u =
 * (c_n, s+, a-) along each of its axes, f = (a_n, a+, s-), s+- = mu c_n +- c_t, a_t = a+ - a-. c is
 * the impulse, a = W c + q. A contact without friction is the pair (c_n, a_n), a bilateral row a
 * free c with a = 0, and one with bounds what lcp.c makes of it. */
#include "host/method/small/reform.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "host/method/small/bounded.h"

enum { VARIABLES = 10, PARTS = 6, STEPS = 1000 };

/* What belongs to one constraint: u, as many z, then v. */
typedef struct piece {
  int32_t first, count, pairs;     /* in x */
  int32_t part, parts;             /* in r */
  double impulse[3 * VARIABLES];   /* dc/dx */
  double slope[PARTS * VARIABLES]; /* dr/dx */
  double motion[PARTS * 3];        /* dr/da */
} piece;

typedef struct reform {
  tl_small *small;
  piece *list;
  int lcp;
  int32_t size, parts;
  double *offset, *c, *a; /* [rows] */
  double *at;             /* [size] x of the slopes */
  unsigned char *bound;
  double tolerance;
} reform;

/* ---- one constraint -------------------------------------------------------------------------- */

static int32_t rows_of(const tl_scaled *scaled, int32_t k) {
  return scaled->first[k + 1] - scaled->first[k];
}

static void counts_set(const tl_scaled *scaled, int lcp, int32_t k, piece *p) {
  const int32_t tangents = rows_of(scaled, k) - 1;
  switch (scaled->kind[k]) {
  case TL_CONSTRAINT_FREE:
    p->pairs = 0;
    p->count = p->parts = 1;
    return;
  case TL_CONSTRAINT_FRICTION:
    p->pairs = lcp ? 1 + 2 * tangents : 2;
    p->count = 2 * p->pairs + (lcp ? 0 : 2 * tangents);
    p->parts = p->pairs + (lcp ? 0 : 2 * tangents);
    return;
  default:
    p->pairs = scaled->kind[k] == TL_CONSTRAINT_BOUNDED && tl_scaled_both_bounds(scaled, k) ? 2 : 1;
    p->count = 2 * p->pairs;
    p->parts = p->pairs;
  }
}

/* Axes of the box in the tangent plane. */
static void axes_find(const tl_scaled *scaled, int32_t k, double axis[4]) {
  const double *const v = scaled->vertex + 2 * (int64_t)scaled->facet_count * k;
  axis[0] = 1;
  axis[1] = axis[2] = 0;
  axis[3] = 1;
  if (rows_of(scaled, k) == 3) {
    for (int c = 0; c < 2; c++) {
      axis[c] = 0.5 * (v[c] + v[6 + c]);
      axis[2 + c] = 0.5 * (v[c] + v[2 + c]);
    }
  }
}

/* r, dr/dx, dr/da and dc/dx of the exact cone. */
static void round_fill(double mu, int32_t m, piece *p, const double *x, const double *a,
                       double *r) {
  const double normal = x[0], lambda = x[1], *const t = x + 4, *const s = t + m;
  p->impulse[0] = 1;
  r[0] = a[0] - x[2];
  p->motion[0] = 1;
  p->slope[2] = -1;
  r[1] = mu * mu * normal * normal - x[3];
  p->slope[VARIABLES] = 2 * mu * mu * normal;
  p->slope[VARIABLES + 3] = -1;
  for (int32_t i = 0; i < m; i++) {
    double *const law = p->slope + (2 + i) * VARIABLES, *const same = law + m * VARIABLES;
    p->impulse[(1 + i) * VARIABLES + 4 + i] = 1;
    r[1] -= t[i] * t[i];
    p->slope[VARIABLES + 4 + i] = -2 * t[i];
    r[2 + i] = mu * normal * s[i] + lambda * t[i];
    law[0] = mu * s[i];
    law[1] = t[i];
    law[4 + i] = lambda;
    law[4 + m + i] = mu * normal;
    r[2 + m + i] = s[i] - a[1 + i];
    same[4 + m + i] = 1;
    p->motion[3 * (2 + m + i) + 1 + i] = -1;
  }
}

static void box_fill(double mu, int32_t m, const double *axis, piece *p, const double *x,
                     const double *a, double *r) {
  const double *const z = x + p->pairs;
  p->impulse[0] = 1;
  r[0] = a[0] - z[0];
  p->motion[0] = 1;
  p->slope[p->pairs] = -1;
  for (int32_t i = 0; i < m; i++) {
    double *const plus = p->slope + (1 + i) * VARIABLES, *const minus = plus + m * VARIABLES;
    r[1 + i] = x[1 + m + i] - z[1 + i];
    for (int32_t c = 0; c < m; c++) {
      p->impulse[(1 + c) * VARIABLES + 1 + i] = axis[2 * i + c];
      p->impulse[(1 + c) * VARIABLES] -= mu * axis[2 * i + c];
      p->motion[3 * (1 + i) + 1 + c] = axis[2 * i + c];
      r[1 + i] += axis[2 * i + c] * a[1 + c];
    }
    plus[1 + m + i] = 1;
    plus[p->pairs + 1 + i] = -1;
    r[1 + m + i] = 2 * mu * x[0] - x[1 + i] - z[1 + m + i];
    minus[0] = 2 * mu;
    minus[1 + i] = -1;
    minus[p->pairs + 1 + m + i] = -1;
  }
}

static void single_fill(const tl_scaled *scaled, int32_t k, piece *p, const double *x,
                        const double *a, double *r) {
  const bool bound = scaled->kind[k] == TL_CONSTRAINT_BOUNDED;
  const double sign = bound && !isfinite(scaled->lower[k]) ? -1 : 1;
  p->impulse[0] = sign;
  p->motion[0] = sign;
  r[0] = sign * a[0];
  if (p->pairs > 0) {
    r[0] -= x[p->pairs];
    p->slope[p->pairs] = -1;
  }
  if (p->pairs > 1) { /* the upper bound pushes back with x[1] */
    r[0] += x[1];
    p->slope[1] = 1;
    r[1] = scaled->upper[k] - scaled->lower[k] - x[0] - x[3];
    p->slope[VARIABLES] = -1;
    p->slope[VARIABLES + 3] = -1;
  }
}

static void piece_fill(const reform *f, int32_t k, const double *x, double *r) {
  const tl_scaled *const scaled = &f->small->scaled;
  const double *const a = f->a + scaled->first[k];
  piece *const p = &f->list[k];
  memset(p->impulse, 0, sizeof p->impulse);
  memset(p->slope, 0, sizeof p->slope);
  memset(p->motion, 0, sizeof p->motion);
  if (scaled->kind[k] != TL_CONSTRAINT_FRICTION) {
    single_fill(scaled, k, p, x + p->first, a, r + p->part);
  } else if (f->lcp) {
    double axis[4];
    axes_find(scaled, k, axis);
    box_fill(scaled->friction[k], rows_of(scaled, k) - 1, axis, p, x + p->first, a, r + p->part);
  } else {
    round_fill(scaled->friction[k], rows_of(scaled, k) - 1, p, x + p->first, a, r + p->part);
  }
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* c of x; dc/dx does not depend on x. */
static void impulses_find(const reform *f, const double *x, const double *offset, double *c) {
  const tl_scaled *const scaled = &f->small->scaled;
  for (int32_t k = 0; k < scaled->count; k++) {
    const piece *const p = &f->list[k];
    for (int32_t i = 0; i < rows_of(scaled, k); i++) {
      const int32_t row = scaled->first[k] + i;
      c[row] = offset != NULL ? offset[row] : 0;
      for (int32_t j = 0; j < p->count; j++) {
        c[row] += p->impulse[i * VARIABLES + j] * x[p->first + j];
      }
    }
  }
}

static double pairs_dot(const reform *f, const double *x, const double *y) {
  double sum = 0;
  for (int32_t k = 0; k < f->small->scaled.count; k++) {
    const piece *const p = &f->list[k];
    for (int32_t i = 0; i < p->pairs; i++) {
      sum += x[p->first + i] * y[p->first + p->pairs + i];
    }
  }
  return sum;
}

static void evaluate(void *self, const double *x, double *r) {
  reform *const f = self;
  impulses_find(f, x, f->offset, f->c);
  tl_scaled_velocity(&f->small->scaled, f->c, f->a);
  memcpy(f->at, x, (size_t)f->size * sizeof *x);
  for (int32_t k = 0; k < f->small->scaled.count; k++) {
    piece_fill(f, k, x, r);
  }
  r[f->parts - 1] = pairs_dot(f, x, x);
}

static void along(void *self, const double *step, double *change) {
  reform *const f = self;
  const tl_scaled *const scaled = &f->small->scaled;
  const int64_t rows = scaled->rows;
  impulses_find(f, step, NULL, f->c);
  for (int64_t i = 0; i < rows; i++) {
    f->a[i] = 0;
    for (int64_t j = 0; j < rows; j++) {
      f->a[i] += scaled->w[j * scaled->stride + i] * f->c[j];
    }
  }
  for (int32_t k = 0; k < scaled->count; k++) {
    const piece *const p = &f->list[k];
    for (int32_t i = 0; i < p->parts; i++) {
      double sum = 0;
      for (int32_t j = 0; j < p->count; j++) {
        sum += p->slope[i * VARIABLES + j] * step[p->first + j];
      }
      for (int32_t j = 0; j < rows_of(scaled, k); j++) {
        sum += p->motion[3 * i + j] * f->a[scaled->first[k] + j];
      }
      change[p->part + i] = sum;
    }
  }
  change[f->parts - 1] = pairs_dot(f, f->at, step) + pairs_dot(f, step, f->at);
}

static void back(void *self, const double *weight, double *result) {
  reform *const f = self;
  const tl_scaled *const scaled = &f->small->scaled;
  const int64_t rows = scaled->rows;
  const double last = weight[f->parts - 1];
  for (int32_t k = 0; k < scaled->count; k++) {
    const piece *const p = &f->list[k];
    for (int32_t j = 0; j < rows_of(scaled, k); j++) {
      double sum = 0;
      for (int32_t i = 0; i < p->parts; i++) {
        sum += p->motion[3 * i + j] * weight[p->part + i];
      }
      f->a[scaled->first[k] + j] = sum;
    }
  }
  for (int64_t j = 0; j < rows; j++) {
    f->c[j] = 0;
    for (int64_t i = 0; i < rows; i++) {
      f->c[j] += scaled->w[j * scaled->stride + i] * f->a[i];
    }
  }
  for (int32_t k = 0; k < scaled->count; k++) {
    const piece *const p = &f->list[k];
    for (int32_t j = 0; j < p->count; j++) {
      double sum = 0;
      for (int32_t i = 0; i < p->parts; i++) {
        sum += p->slope[i * VARIABLES + j] * weight[p->part + i];
      }
      for (int32_t i = 0; i < rows_of(scaled, k); i++) {
        sum += p->impulse[i * VARIABLES + j] * f->c[scaled->first[k] + i];
      }
      if (j < 2 * p->pairs) { /* of u . z */
        sum += last * f->at[p->first + (j < p->pairs ? j + p->pairs : j - p->pairs)];
      }
      result[p->first + j] = sum;
    }
  }
}

static bool look(void *self, const double *x) {
  reform *const f = self;
  impulses_find(f, x, f->offset, f->c);
  tl_small_offer(f->small, f->c, f->small->u);
  return f->small->best.epsilon <= f->tolerance;
}

/* ---- the method ------------------------------------------------------------------------------ */

/* Well inside the bounds: at zero the exact law's equations have no slope. dc/dx is filled in,
 * which the first evaluation reads. */
static void start_set(reform *f, double *x, double *r) {
  for (int32_t i = 0; i < f->size; i++) {
    x[i] = f->bound[i] ? 1 : 0;
  }
  memset(f->a, 0, (size_t)f->small->scaled.rows * sizeof *f->a);
  for (int32_t k = 0; k < f->small->scaled.count; k++) {
    piece_fill(f, k, x, r);
  }
}

static void pieces_count(reform *f) {
  const tl_scaled *const scaled = &f->small->scaled;
  f->size = f->parts = 0;
  for (int32_t k = 0; k < scaled->count; k++) {
    piece *const p = &f->list[k];
    counts_set(scaled, f->lcp, k, p);
    p->first = f->size;
    p->part = f->parts;
    f->size += p->count;
    f->parts += p->parts;
  }
  f->parts++;
}

static void bounds_set(const reform *f) {
  const tl_scaled *const scaled = &f->small->scaled;
  memset(f->bound, 0, (size_t)f->size);
  memset(f->offset, 0, (size_t)scaled->rows * sizeof *f->offset);
  for (int32_t k = 0; k < scaled->count; k++) {
    const piece *const p = &f->list[k];
    memset(f->bound + p->first, 1, 2 * (size_t)p->pairs);
    if (scaled->kind[k] == TL_CONSTRAINT_BOUNDED) {
      f->offset[scaled->first[k]] =
          isfinite(scaled->lower[k]) ? scaled->lower[k] : scaled->upper[k];
    }
  }
}

talus_status tl_reform_solve(tl_small *small, tl_run *run) {
  const size_t count = (size_t)small->scaled.count, rows = (size_t)small->scaled.rows;
  const size_t most = VARIABLES * count, parts = PARTS * count + 1;
  const size_t list = (count * sizeof(piece) + sizeof(double) - 1) / sizeof(double);
  TL_TRY(tl_buffer_reserve(small->context, &small->work,
                           list + 3 * rows + 2 * most + most / 8 + 1 +
                               tl_bounded_room((int32_t)most, (int32_t)parts),
                           sizeof(double), "a minimisation under bounds"));
  double *const memory = small->work.memory;
  reform f = {
      .small = small, .list = (piece *)memory, .lcp = run->settings->method == TALUS_METHOD_LCPOPT};
  f.offset = memory + list;
  f.c = f.offset + rows;
  f.a = f.c + rows;
  f.at = f.a + rows;
  double *const x = f.at + most, *const room = x + most + most / 8 + 1;
  f.bound = (unsigned char *)(x + most);
  f.tolerance = small->slack * tl_small_target(run->settings);
  pieces_count(&f);
  assert((size_t)f.size <= most && (size_t)f.parts <= parts);
  bounds_set(&f);
  start_set(&f, x, room);
  const tl_squares squares = {f.size, f.parts, f.bound, evaluate, along, back, look, &f, small};
  tl_bounded_minimise(&squares, STEPS, x, room);
  return TALUS_OK;
}
