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

static double friction_of(const tl_scaled *scaled, int32_t k) {
  return scaled->kind[k] == TL_CONSTRAINT_FRICTION ? scaled->friction[k] : 1;
}

static tl_scaling scaling_at(const tl_scaled *scaled, const tl_interior *p, int32_t k) {
  const int32_t at = scaled->first[k];
  return tl_cone_scaling(p->y + at, p->v + at, scaled->first[k + 1] - at, friction_of(scaled, k));
}

/* Of a bilateral row, with bounds or without. */
static double row_scale(const tl_scaled *scaled, const tl_interior *p, int32_t k) {
  const double bounded =
      scaled->kind[k] == TL_CONSTRAINT_BOUNDED ? tl_row_stiffness(scaled, p, k) : 0;
  return 1 / sqrt(ANCHOR + bounded);
}

void tl_interior_scale(const tl_scaled *scaled, const tl_interior *point, double *scale) {
  memset(scale, 0, 9 * (size_t)scaled->count * sizeof *scale);
  for (int32_t k = 0; k < scaled->count; k++) {
    const int32_t rows = scaled->first[k + 1] - scaled->first[k];
    double *const to = scale + 9 * (int64_t)k;
    if (scaled->kind[k] == TL_CONSTRAINT_FREE || scaled->kind[k] == TL_CONSTRAINT_BOUNDED) {
      to[0] = row_scale(scaled, point, k);
      continue;
    }
    const tl_scaling made = scaling_at(scaled, point, k);
    tl_cone_scale(&made, rows, friction_of(scaled, k), to);
  }
}

void tl_interior_start(tl_newton *newton, double size, tl_interior *point) {
  const tl_scaled *const scaled = &newton->scaled;
  const double s0 = 3 * scaled->reference[TALUS_LAW_CCP] / sqrt(fmax(1, scaled->count));
  const double product = 10 * size * s0 * s0;
  point->step = 1;
  memset(point->v, 0, (size_t)tl_scaled_size(scaled) * sizeof *point->v);
  memset(point->y, 0, (size_t)scaled->rows * sizeof *point->y);
  for (int32_t k = 0; k < scaled->count; k++) {
    const int32_t at = scaled->first[k], rows = scaled->first[k + 1] - at;
    if (scaled->kind[k] == TL_CONSTRAINT_BOUNDED) {
      tl_row_start(scaled, k, product, s0, point);
    } else if (scaled->kind[k] != TL_CONSTRAINT_FREE) {
      tl_cone_start(scaled->q + at, rows, friction_of(scaled, k), s0, product, point->y + at,
                    point->v + at);
    }
  }
}

/* ---- one iteration --------------------------------------------------------------------------- */

/* The longest step, at most 1, that keeps `share` of the way to the boundary. */
static double step_length(const tl_scaled *scaled, const tl_interior *p, const double *dy,
                          const double *dv, double share) {
  double longest = 1 / share;
  for (int32_t k = 0; k < scaled->count; k++) {
    const int32_t at = scaled->first[k], rows = scaled->first[k + 1] - at;
    if (scaled->kind[k] == TL_CONSTRAINT_BOUNDED) {
      longest = fmin(longest, tl_row_reach(scaled, p, k, dy, dv));
    } else if (scaled->kind[k] != TL_CONSTRAINT_FREE) {
      longest = fmin(longest, tl_cone_reach(p->y + at, p->v + at, dy + at, dv + at, rows,
                                            friction_of(scaled, k)));
    }
  }
  return share * longest;
}

static double gap_along(const tl_scaled *scaled, const tl_interior *p, const double *dy,
                        const double *dv, double step, int32_t cones) {
  double sum = 0;
  for (int32_t k = 0; k < scaled->count; k++) {
    if (scaled->kind[k] == TL_CONSTRAINT_BOUNDED) {
      sum += tl_row_gap(scaled, p, k, dy, dv, step);
      continue;
    }
    for (int32_t i = scaled->first[k]; i < scaled->first[k + 1]; i++) {
      if (scaled->kind[k] != TL_CONSTRAINT_FREE) {
        sum += (p->y[i] + step * dy[i]) * (p->v[i] + step * dv[i]);
      }
    }
  }
  return sum / (cones > 0 ? cones : 1);
}

/* What the target and the affine step dy, dv add to the right-hand side of a constraint. */
static void corrector(const tl_scaled *scaled, int32_t k, const tl_interior *p, const double *dy,
                      const double *dv, double target, double *rc) {
  const int32_t at = scaled->first[k], rows = scaled->first[k + 1] - at;
  if (scaled->kind[k] == TL_CONSTRAINT_FREE) {
    rc[at] = 0;
    return;
  }
  if (scaled->kind[k] == TL_CONSTRAINT_BOUNDED) {
    tl_row_correct(scaled, p, k, dy, dv, target, row_scale(scaled, p, k), rc);
    return;
  }
  const tl_scaling made = scaling_at(scaled, p, k);
  tl_cone_correct(&made, dy + at, dv + at, rows, friction_of(scaled, k), target, rc + at);
}

/* What the law makes of u: g = u + s n. */
static void law_velocity(const tl_scaled *scaled, const tl_interior_rule *rule, const double *u,
                         double *g) {
  memcpy(g, u, (size_t)scaled->rows * sizeof *g);
  for (int32_t k = 0; k < scaled->count; k++) {
    const int32_t at = scaled->first[k];
    double slip = 0;
    for (int32_t i = at + 1; rule->exact && i < scaled->first[k + 1]; i++) {
      slip += u[i] * u[i];
    }
    g[at] += rule->exact ? scaled->friction[k] * sqrt(slip)
             : rule->slip != NULL && scaled->kind[k] == TL_CONSTRAINT_FRICTION ? rule->slip[k]
                                                                               : 0;
  }
}

/* mu times the direction of the slip, damped: the first row of B beside its 1. */
static void slip_row(const tl_scaled *scaled, double damping, const double *u, int32_t k,
                     double row[3]) {
  const int32_t at = scaled->first[k], rows = scaled->first[k + 1] - at;
  double m = 0;
  row[0] = 1;
  row[1] = row[2] = 0;
  for (int32_t i = 1; i < rows; i++) {
    m += u[at + i] * u[at + i];
  }
  m = sqrt(m);
  for (int32_t i = 1; i < rows && m > 0; i++) {
    row[i] = damping * scaled->friction[k] * u[at + i] / m;
  }
}

void tl_interior_slip(tl_newton *newton, double damping, const double *u) {
  const tl_scaled *const scaled = &newton->scaled;
  memcpy(newton->b, newton->scale, 9 * (size_t)scaled->count * sizeof *newton->b);
  for (int32_t k = 0; k < scaled->count && damping != 0; k++) {
    double row[3], *const b = newton->b + 9 * (int64_t)k;
    slip_row(scaled, damping, u, k, row);
    for (int i = 0; i < 3; i++) {
      b[3 * i + 1] += b[3 * i] * row[1];
      b[3 * i + 2] += b[3 * i] * row[2];
    }
  }
}

/* dv = B W dy + g - v; rc: of the corrector, NULL in the affine step. */
static void slack_step(const tl_newton *newton, double damping, const tl_interior *p,
                       const double *dy, const double *g, const double *rc, double *dv) {
  const tl_scaled *const scaled = &newton->scaled;
  tl_scaled_apply(scaled, dy, dv);
  for (int32_t k = 0; k < scaled->count; k++) {
    const int32_t at = scaled->first[k], rows = scaled->first[k + 1] - at;
    if (scaled->kind[k] == TL_CONSTRAINT_FREE) {
      dv[at] = 0;
      continue;
    }
    if (scaled->kind[k] == TL_CONSTRAINT_BOUNDED) {
      dv[at] += g[at] - tl_row_slack(scaled, p->v, k);
      tl_row_slack_step(scaled, p, k, dy, rc, dv);
      continue;
    }
    double row[3];
    slip_row(scaled, damping, p->u, k, row);
    for (int32_t i = 1; i < rows; i++) {
      dv[at] += row[i] * dv[at + i];
    }
    for (int32_t i = at; i < at + rows; i++) {
      dv[i] += g[i] - p->v[i];
    }
  }
}

/* gap, what is off, and how well centred the point is; g = law's velocity. */
static void point_measure(const tl_scaled *scaled, const double *g, int32_t cones, tl_interior *p) {
  double off = 0, least = INFINITY;
  p->gap = gap_along(scaled, p, p->y, p->v, 0, cones);
  for (int32_t k = 0; k < scaled->count; k++) {
    const int32_t at = scaled->first[k], rows = scaled->first[k + 1] - at;
    if (scaled->kind[k] == TL_CONSTRAINT_BOUNDED) {
      const double u = tl_row_sides(scaled, p, k) > 0 ? g[at] - tl_row_slack(scaled, p->v, k) : 0;
      off += u * u;
      least = fmin(least, sqrt(tl_row_least(scaled, p, k)));
      continue;
    }
    for (int32_t i = at; i < at + rows; i++) {
      off += (g[i] - p->v[i]) * (g[i] - p->v[i]);
    }
    if (scaled->kind[k] != TL_CONSTRAINT_FREE) { /* least eigenvalue of lambda */
      const tl_scaling made = scaling_at(scaled, p, k);
      double l[3] = {0, 0, 0};
      tl_scaling_back(&made, made.lambda, rows, l);
      least = fmin(least, l[0] - sqrt(l[1] * l[1] + l[2] * l[2]));
    }
  }
  p->primal_residual = sqrt(off / (scaled->count > 0 ? scaled->count : 1));
  p->centred = p->gap > 0 && least > 0 ? least * least / p->gap : 0;
}

/* S (v - g), or -S g. */
static void scaled_minus(const tl_newton *newton, const double *g, const double *v, double *to) {
  const tl_scaled *const scaled = &newton->scaled;
  for (int32_t k = 0; k < scaled->count; k++) {
    const int32_t at = scaled->first[k], rows = scaled->first[k + 1] - at;
    double x[3];
    for (int32_t i = 0; i < rows; i++) {
      x[i] = (v != NULL ? v[at + i] : 0) - g[at + i];
    }
    if (v != NULL && scaled->kind[k] == TL_CONSTRAINT_BOUNDED) {
      x[0] = tl_row_slack(scaled, v, k) - g[at];
    }
    tl_block_apply(newton->scale + 9 * (int64_t)k, x, rows, to + at);
  }
}

/* The iterate, with rows that press against a bound put there: inside they would come near only,
 * and their velocity would count as an error. */
static talus_status point_offer(tl_newton *newton, const tl_interior *p) {
  const tl_scaled *const scaled = &newton->scaled;
  double *const y = newton->vector[4], *const u = newton->vector[5];
  if (scaled->bound_count == 0) {
    return tl_newton_offer(newton, p->y, p->u, NULL);
  }
  memcpy(y, p->y, (size_t)scaled->rows * sizeof *y);
  for (int32_t k = 0; k < scaled->count; k++) {
    if (scaled->kind[k] == TL_CONSTRAINT_BOUNDED) {
      y[scaled->first[k]] = tl_row_pressed(scaled, p, k);
    }
  }
  tl_scaled_velocity(scaled, y, u);
  return tl_newton_offer(newton, y, u, NULL);
}

talus_status tl_interior_run(tl_newton *newton, const tl_interior_rule *rule, tl_interior *p) {
  const tl_scaled *const scaled = &newton->scaled;
  double *const *const vectors = newton->vector;
  double *const g = vectors[0], *const rc = vectors[1], *const dy = vectors[2];
  double *const dv = vectors[3], *const right = vectors[4], *const d = vectors[5];
  int32_t cones = 0;
  for (int32_t k = 0; k < scaled->count; k++) {
    cones += scaled->kind[k] == TL_CONSTRAINT_BOUNDED ? tl_row_sides(scaled, p, k)
                                                      : scaled->kind[k] != TL_CONSTRAINT_FREE;
  }
  const double damping = rule->exact ? rule->damping : 0;
  for (int made = 0, small = 0;; made++) {
    tl_scaled_velocity(scaled, p->y, p->u);
    law_velocity(scaled, rule, p->u, g);
    point_measure(scaled, g, cones, p);
    TL_TRY(point_offer(newton, p));
    small = p->step < 1e-3 ? small + 1 : 0;
    const bool there =
        rule->gap > 0 && p->gap <= rule->gap && p->primal_residual <= 0.1 * sqrt(p->gap);
    if (newton->stop || there || made >= rule->most || small > (rule->exact ? 4 : 1) ||
        !isfinite(p->gap)) {
      return TALUS_OK;
    }
    tl_interior_scale(scaled, p, newton->scale);
    tl_interior_slip(newton, damping, p->u);
    bool good;
    TL_TRY(tl_newton_factor(newton, NULL, newton->b, newton->scale, !rule->exact, &good));
    if (newton->stop || !good) {
      return TALUS_OK;
    }
    scaled_minus(newton, g, NULL, right);
    TL_TRY(tl_linear_solve(&newton->linear, right, d, dy));
    slack_step(newton, damping, p, dy, g, NULL, dv);
    const double affine = step_length(scaled, p, dy, dv, 1);
    const double left = fmax(0, gap_along(scaled, p, dy, dv, affine, cones)) / p->gap;
    double sigma = fmin(1, fmax(rule->least, left * left * left));
    double target = sigma * p->gap;
    if (rule->exact) { /* the gap must not run ahead of the law */
      target = fmax(target, fmin(p->gap, p->primal_residual * p->primal_residual));
    }
    if (p->step < 0.1) {
      target = p->gap; /* no room: back to the middle */
      memset(dy, 0, (size_t)scaled->rows * sizeof *dy);
      memset(dv, 0, (size_t)tl_scaled_size(scaled) * sizeof *dv);
    }
    for (int32_t k = 0; k < scaled->count; k++) {
      corrector(scaled, k, p, dy, dv, target, rc);
    }
    scaled_minus(newton, g, p->v, right);
    for (int32_t i = 0; i < scaled->rows; i++) {
      right[i] += rc[i];
    }
    TL_TRY(tl_linear_solve(&newton->linear, right, d, dy));
    slack_step(newton, damping, p, dy, g, rc, dv);
    const double step = fmin(1, step_length(scaled, p, dy, dv, rule->reach));
    p->step = step;
    if (!isfinite(step)) {
      return TALUS_OK;
    }
    for (int32_t i = 0; i < scaled->rows; i++) {
      p->y[i] += step * dy[i];
    }
    for (int32_t i = 0; i < tl_scaled_size(scaled); i++) {
      p->v[i] += step * dv[i];
    }
  }
}
