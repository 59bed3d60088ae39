/* interior.c: interior points with Nesterov and Todd's scaling and Mehrotra's corrector.
 *
 * Everything is solved in scaled steps d = S^-T dy, S as in item/lorentz.h and interior_row.h:
 * (I + S B W S^T) d = r, where all parts are of one size to the end. B = I or, under the exact law,
 * I + damping mu n t^T. */
#include <math.h>
#include <string.h>

#include "host/method/newton/interior_row.h"
#include "kernels/item/lorentz.h"

/* Weight of a proximal term that keeps bilateral rows determined which nothing else determines. */
#define ANCHOR 1e-9

static double friction_of(const tl_sheet *sheet, int32_t k) {
  return sheet->cone[k] == TL_CONE_ROUND ? sheet->friction[k] : 1;
}

static tl_scaling scaling_at(const tl_sheet *sheet, const tl_interior *p, int32_t k) {
  const int32_t at = sheet->first[k];
  return tl_cone_scaling(p->y + at, p->v + at, sheet->first[k + 1] - at, friction_of(sheet, k));
}

/* Of a bilateral row, with bounds or without. */
static double row_scale(const tl_sheet *sheet, const tl_interior *p, int32_t k) {
  const double bounded = sheet->cone[k] == TL_CONE_ROW ? tl_row_stiffness(sheet, p, k) : 0;
  return 1 / sqrt(ANCHOR + bounded);
}

void tl_interior_scale(const tl_sheet *sheet, const tl_interior *point, double *scale) {
  memset(scale, 0, 9 * (size_t)sheet->count * sizeof *scale);
  for (int32_t k = 0; k < sheet->count; k++) {
    const int32_t rows = sheet->first[k + 1] - sheet->first[k];
    double *const to = scale + 9 * (int64_t)k;
    if (sheet->cone[k] == TL_CONE_FREE || sheet->cone[k] == TL_CONE_ROW) {
      to[0] = row_scale(sheet, point, k);
      continue;
    }
    const tl_scaling made = scaling_at(sheet, point, k);
    tl_cone_scale(&made, rows, friction_of(sheet, k), to);
  }
}

void tl_interior_start(tl_newton *newton, double size, tl_interior *point) {
  const tl_sheet *const sheet = &newton->sheet;
  const double s0 = 3 * sheet->reference[TALUS_LAW_CCP] / sqrt(fmax(1, sheet->count));
  const double product = 10 * size * s0 * s0;
  point->step = 1;
  memset(point->v, 0, (size_t)sheet->size * sizeof *point->v);
  memset(point->y, 0, (size_t)sheet->rows * sizeof *point->y);
  for (int32_t k = 0; k < sheet->count; k++) {
    const int32_t at = sheet->first[k], rows = sheet->first[k + 1] - at;
    if (sheet->cone[k] == TL_CONE_ROW) {
      tl_row_start(sheet, k, product, s0, point);
    } else if (sheet->cone[k] != TL_CONE_FREE) {
      tl_cone_start(sheet->free + at, rows, friction_of(sheet, k), s0, product, point->y + at,
                    point->v + at);
    }
  }
}

/* ---- one iteration --------------------------------------------------------------------------- */

/* The longest step, at most 1, that keeps `share` of the way to the boundary. */
static double step_length(const tl_sheet *sheet, const tl_interior *p, const double *dy,
                          const double *dv, double share) {
  double longest = 1 / share;
  for (int32_t k = 0; k < sheet->count; k++) {
    const int32_t at = sheet->first[k], rows = sheet->first[k + 1] - at;
    if (sheet->cone[k] == TL_CONE_ROW) {
      longest = fmin(longest, tl_row_reach(sheet, p, k, dy, dv));
    } else if (sheet->cone[k] != TL_CONE_FREE) {
      longest = fmin(longest, tl_cone_reach(p->y + at, p->v + at, dy + at, dv + at, rows,
                                            friction_of(sheet, k)));
    }
  }
  return share * longest;
}

static double gap_along(const tl_sheet *sheet, const tl_interior *p, const double *dy,
                        const double *dv, double step, int32_t cones) {
  double sum = 0;
  for (int32_t k = 0; k < sheet->count; k++) {
    if (sheet->cone[k] == TL_CONE_ROW) {
      sum += tl_row_gap(sheet, p, k, dy, dv, step);
      continue;
    }
    for (int32_t i = sheet->first[k]; i < sheet->first[k + 1]; i++) {
      if (sheet->cone[k] != TL_CONE_FREE) {
        sum += (p->y[i] + step * dy[i]) * (p->v[i] + step * dv[i]);
      }
    }
  }
  return sum / (cones > 0 ? cones : 1);
}

/* What the target and the affine step dy, dv add to the right-hand side of a constraint. */
static void corrector(const tl_sheet *sheet, int32_t k, const tl_interior *p, const double *dy,
                      const double *dv, double target, double *rc) {
  const int32_t at = sheet->first[k], rows = sheet->first[k + 1] - at;
  if (sheet->cone[k] == TL_CONE_FREE) {
    rc[at] = 0;
    return;
  }
  if (sheet->cone[k] == TL_CONE_ROW) {
    tl_row_correct(sheet, p, k, dy, dv, target, row_scale(sheet, p, k), rc);
    return;
  }
  const tl_scaling made = scaling_at(sheet, p, k);
  tl_cone_correct(&made, dy + at, dv + at, rows, friction_of(sheet, k), target, rc + at);
}

/* What the law makes of u: g = u + s n. */
static void law_velocity(const tl_sheet *sheet, const tl_interior_rule *rule, const double *u,
                         double *g) {
  memcpy(g, u, (size_t)sheet->rows * sizeof *g);
  for (int32_t k = 0; k < sheet->count; k++) {
    const int32_t at = sheet->first[k];
    double slip = 0;
    for (int32_t i = at + 1; rule->exact && i < sheet->first[k + 1]; i++) {
      slip += u[i] * u[i];
    }
    g[at] += rule->exact ? sheet->friction[k] * sqrt(slip)
             : rule->slip != NULL && sheet->cone[k] == TL_CONE_ROUND ? rule->slip[k]
                                                                     : 0;
  }
}

/* mu times the direction of the slip, damped: the first row of B beside its 1. */
static void slip_row(const tl_sheet *sheet, double damping, const double *u, int32_t k,
                     double row[3]) {
  const int32_t at = sheet->first[k], rows = sheet->first[k + 1] - at;
  double m = 0;
  row[0] = 1;
  row[1] = row[2] = 0;
  for (int32_t i = 1; i < rows; i++) {
    m += u[at + i] * u[at + i];
  }
  m = sqrt(m);
  for (int32_t i = 1; i < rows && m > 0; i++) {
    row[i] = damping * sheet->friction[k] * u[at + i] / m;
  }
}

void tl_interior_slip(tl_newton *newton, double damping, const double *u) {
  const tl_sheet *const sheet = &newton->sheet;
  memcpy(newton->b, newton->scale, 9 * (size_t)sheet->count * sizeof *newton->b);
  for (int32_t k = 0; k < sheet->count && damping != 0; k++) {
    double row[3], *const b = newton->b + 9 * (int64_t)k;
    slip_row(sheet, damping, u, k, row);
    for (int i = 0; i < 3; i++) {
      b[3 * i + 1] += b[3 * i] * row[1];
      b[3 * i + 2] += b[3 * i] * row[2];
    }
  }
}

/* dv = B W dy + g - v; rc: of the corrector, NULL in the affine step. */
static void slack_step(const tl_newton *newton, double damping, const tl_interior *p,
                       const double *dy, const double *g, const double *rc, double *dv) {
  const tl_sheet *const sheet = &newton->sheet;
  tl_sheet_apply(sheet, dy, dv);
  for (int32_t k = 0; k < sheet->count; k++) {
    const int32_t at = sheet->first[k], rows = sheet->first[k + 1] - at;
    if (sheet->cone[k] == TL_CONE_FREE) {
      dv[at] = 0;
      continue;
    }
    if (sheet->cone[k] == TL_CONE_ROW) {
      dv[at] += g[at] - tl_row_slack(sheet, p->v, k);
      tl_row_slack_step(sheet, p, k, dy, rc, dv);
      continue;
    }
    double row[3];
    slip_row(sheet, damping, p->u, k, row);
    for (int32_t i = 1; i < rows; i++) {
      dv[at] += row[i] * dv[at + i];
    }
    for (int32_t i = at; i < at + rows; i++) {
      dv[i] += g[i] - p->v[i];
    }
  }
}

/* gap, what is off, and how well centred the point is; g = law's velocity. */
static void point_measure(const tl_sheet *sheet, const double *g, int32_t cones, tl_interior *p) {
  double off = 0, least = INFINITY;
  p->gap = gap_along(sheet, p, p->y, p->v, 0, cones);
  for (int32_t k = 0; k < sheet->count; k++) {
    const int32_t at = sheet->first[k], rows = sheet->first[k + 1] - at;
    if (sheet->cone[k] == TL_CONE_ROW) {
      const double u = tl_row_sides(sheet, p, k) > 0 ? g[at] - tl_row_slack(sheet, p->v, k) : 0;
      off += u * u;
      least = fmin(least, sqrt(tl_row_least(sheet, p, k)));
      continue;
    }
    for (int32_t i = at; i < at + rows; i++) {
      off += (g[i] - p->v[i]) * (g[i] - p->v[i]);
    }
    if (sheet->cone[k] != TL_CONE_FREE) { /* least eigenvalue of lambda */
      const tl_scaling made = scaling_at(sheet, p, k);
      double l[3] = {0, 0, 0};
      tl_scaling_back(&made, made.lambda, rows, l);
      least = fmin(least, l[0] - sqrt(l[1] * l[1] + l[2] * l[2]));
    }
  }
  p->primal_residual = sqrt(off / (sheet->count > 0 ? sheet->count : 1));
  p->centred = p->gap > 0 && least > 0 ? least * least / p->gap : 0;
}

/* S (v - g), or -S g. */
static void scaled_minus(const tl_newton *newton, const double *g, const double *v, double *to) {
  const tl_sheet *const sheet = &newton->sheet;
  for (int32_t k = 0; k < sheet->count; k++) {
    const int32_t at = sheet->first[k], rows = sheet->first[k + 1] - at;
    double x[3];
    for (int32_t i = 0; i < rows; i++) {
      x[i] = (v != NULL ? v[at + i] : 0) - g[at + i];
    }
    if (v != NULL && sheet->cone[k] == TL_CONE_ROW) {
      x[0] = tl_row_slack(sheet, v, k) - g[at];
    }
    tl_block_apply(newton->scale + 9 * (int64_t)k, x, rows, to + at);
  }
}

/* The iterate, with rows that press against a bound put there: inside they would come near only,
 * and their velocity would count as an error. */
static talus_status point_offer(tl_newton *newton, const tl_interior *p) {
  const tl_sheet *const sheet = &newton->sheet;
  double *const y = newton->vector[4], *const u = newton->vector[5];
  if (sheet->lower == NULL) {
    return tl_newton_offer(newton, p->y, p->u, NULL);
  }
  memcpy(y, p->y, (size_t)sheet->rows * sizeof *y);
  for (int32_t k = 0; k < sheet->count; k++) {
    if (sheet->cone[k] == TL_CONE_ROW) {
      y[sheet->first[k]] = tl_row_pressed(sheet, p, k);
    }
  }
  tl_sheet_velocity(sheet, y, u);
  return tl_newton_offer(newton, y, u, NULL);
}

talus_status tl_interior_run(tl_newton *newton, const tl_interior_rule *rule, tl_interior *p) {
  const tl_sheet *const sheet = &newton->sheet;
  double *const *const vectors = newton->vector;
  double *const g = vectors[0], *const rc = vectors[1], *const dy = vectors[2];
  double *const dv = vectors[3], *const right = vectors[4], *const d = vectors[5];
  int32_t cones = 0;
  for (int32_t k = 0; k < sheet->count; k++) {
    cones +=
        sheet->cone[k] == TL_CONE_ROW ? tl_row_sides(sheet, p, k) : sheet->cone[k] != TL_CONE_FREE;
  }
  const double damping = rule->exact ? rule->damping : 0;
  for (int made = 0, small = 0;; made++) {
    tl_sheet_velocity(sheet, p->y, p->u);
    law_velocity(sheet, rule, p->u, g);
    point_measure(sheet, g, cones, p);
    TL_TRY(point_offer(newton, p));
    small = p->step < 1e-3 ? small + 1 : 0;
    const int there =
        rule->gap > 0 && p->gap <= rule->gap && p->primal_residual <= 0.1 * sqrt(p->gap);
    if (newton->stop || there || made >= rule->most || small > (rule->exact ? 4 : 1) ||
        !isfinite(p->gap)) {
      return TALUS_OK;
    }
    tl_interior_scale(sheet, p, newton->scale);
    tl_interior_slip(newton, damping, p->u);
    int good;
    TL_TRY(tl_newton_factor(newton, NULL, newton->b, newton->scale, !rule->exact, &good));
    if (newton->stop || !good) {
      return TALUS_OK;
    }
    scaled_minus(newton, g, NULL, right);
    TL_TRY(tl_linear_solve(&newton->linear, right, d, dy));
    slack_step(newton, damping, p, dy, g, NULL, dv);
    const double affine = step_length(sheet, p, dy, dv, 1);
    const double left = fmax(0, gap_along(sheet, p, dy, dv, affine, cones)) / p->gap;
    double sigma = fmin(1, fmax(rule->least, left * left * left));
    double target = sigma * p->gap;
    if (rule->exact) { /* the gap must not run ahead of the law */
      target = fmax(target, fmin(p->gap, p->primal_residual * p->primal_residual));
    }
    if (p->step < 0.1) {
      target = p->gap; /* no room: back to the middle */
      memset(dy, 0, (size_t)sheet->rows * sizeof *dy);
      memset(dv, 0, (size_t)sheet->size * sizeof *dv);
    }
    for (int32_t k = 0; k < sheet->count; k++) {
      corrector(sheet, k, p, dy, dv, target, rc);
    }
    scaled_minus(newton, g, p->v, right);
    for (int32_t i = 0; i < sheet->rows; i++) {
      right[i] += rc[i];
    }
    TL_TRY(tl_linear_solve(&newton->linear, right, d, dy));
    slack_step(newton, damping, p, dy, g, rc, dv);
    const double step = fmin(1, step_length(sheet, p, dy, dv, rule->reach));
    p->step = step;
    if (!isfinite(step)) {
      return TALUS_OK;
    }
    for (int32_t i = 0; i < sheet->rows; i++) {
      p->y[i] += step * dy[i];
    }
    for (int32_t i = 0; i < sheet->size; i++) {
      p->v[i] += step * dv[i];
    }
  }
}
