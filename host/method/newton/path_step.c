/* path_step.c: a step along the proximal path.
 *
 * The tangent, and how it bends; the first constraint that leaves its branch along it; there back
 * onto the path, with the condition that this constraint is at its border. If another one has left
 * before, then the same with that one. */
#include <math.h>
#include <string.h>

#include "host/method/newton/path.h"

enum {
  CORRECTIONS = 12, /* of a step */
  AIMS = 6          /* constraints tried as the first that leaves */
};
#define SWING 1.0    /* rad: of a sliding direction in a step */
#define FARTHEST 0.9 /* reach of a step */

void tl_path_pull(tl_path *p) {
  tl_scaled_velocity(p->scaled, p->y, p->u);
  for (int32_t i = 0; i < p->scaled->rows; i++) {
    p->pulled[i] = p->u[i] + p->alpha * (p->y[i] - p->centre[i]);
  }
}

static void point_at(const tl_path *p, int32_t k, double *z) {
  tl_law_point(p->scaled, k, p->y, p->pulled, 1 / (1 + p->alpha), z);
}

/* dz / dalpha of a constraint. */
static void slope_at(const tl_path *p, int32_t k, double *d) {
  tl_law_point(p->scaled, k, p->slope, p->response, 1 / (1 + p->alpha), d);
}

double tl_path_equations(tl_path *p, int blocks) {
  tl_path_pull(p);
  return tl_law_equations(p->scaled, TALUS_LAW_COULOMB, p->branch, p->alpha, p->y, p->pulled, p->f,
                          blocks ? p->newton->a : NULL, p->newton->b);
}

void tl_path_keep(tl_path *p) {
  memcpy(p->before, p->y, (size_t)p->scaled->rows * sizeof *p->y);
  memcpy(p->branch_before, p->branch, (size_t)p->scaled->count * sizeof *p->branch);
  p->alpha_before = p->alpha;
  for (int32_t k = 0; k < p->scaled->count; k++) {
    point_at(p, k, p->start + 3 * (int64_t)k);
  }
}

void tl_path_restore(tl_path *p) {
  memcpy(p->y, p->before, (size_t)p->scaled->rows * sizeof *p->y);
  memcpy(p->branch, p->branch_before, (size_t)p->scaled->count * sizeof *p->branch);
  p->alpha = p->alpha_before;
}

static talus_status factor(tl_path *p, bool *good) {
  p->made++;
  return tl_newton_factor(p->newton, p->newton->a, p->newton->b, NULL, 0, good);
}

/* ---- the tangent ----------------------------------------------------------------------------- */

/* right = -times B x, constraint by constraint. */
static void right_set(tl_path *p, double times, const double *x) {
  for (int32_t k = 0; k < p->scaled->count; k++) {
    const int32_t at = p->scaled->first[k], rows = p->scaled->first[k + 1] - at;
    double given[3];
    tl_block_apply(p->newton->b + 9 * (int64_t)k, x + at, rows, given);
    for (int32_t i = 0; i < rows; i++) {
      p->right[at + i] = -times * given[i];
    }
  }
}

static talus_status slope_find(tl_path *p) {
  for (int32_t i = 0; i < p->scaled->rows; i++) {
    p->step[i] = p->y[i] - p->centre[i];
  }
  right_set(p, 1, p->step);
  TL_TRY(tl_linear_solve(&p->newton->linear, p->right, p->slope, p->slope));
  tl_scaled_apply(p->scaled, p->slope, p->response);
  for (int32_t i = 0; i < p->scaled->rows; i++) {
    p->response[i] += p->alpha * p->slope[i] + p->y[i] - p->centre[i];
  }
  return TALUS_OK;
}

/* Only sliding is curved within its branch: y_t = mu z_n z_t / |z_t|. */
static talus_status bend_find(tl_path *p) {
  right_set(p, 2, p->slope);
  for (int32_t k = 0; k < p->scaled->count; k++) {
    if (p->branch[k] != TL_BRANCH_SLIP) {
      continue;
    }
    const int32_t at = p->scaled->first[k], rows = p->scaled->first[k + 1] - at;
    double z[3], d[3], off[3], off2 = 0;
    point_at(p, k, z);
    slope_at(p, k, d);
    const double m = sqrt(z[1] * z[1] + z[2] * z[2]), along = (z[1] * d[1] + z[2] * d[2]) / m;
    for (int32_t i = 1; i < rows; i++) {
      off[i] = (d[i] - along * z[i] / m) / m;
      off2 += off[i] * off[i];
    }
    for (int32_t i = 1; i < rows; i++) {
      p->right[at + i] += p->scaled->friction[k] *
                          (2 * (d[0] - z[0] * along / m) * off[i] - z[0] * off2 * z[i] / m);
    }
  }
  return tl_linear_solve(&p->newton->linear, p->right, p->bend, p->bend);
}

static double along_slope(const tl_path *p, int32_t k, const double *gradient) {
  double d[3];
  slope_at(p, k, d);
  return tl_dot_of(gradient, d, 3);
}

/* Which way. Along the path alpha falls where the determinant is positive and grows where it is
 * negative: who keeps to that cannot come back to where he entered. Returns 0 if that leads back
 * over the corner just passed, which then has been one of another part of the path: undone. */
static talus_status way_find(tl_path *p, bool *good) {
  int sign;
  TL_TRY(tl_linear_sign(&p->newton->linear, &sign));
  p->way = -sign;
  *good = true;
  if (p->passed.constraint >= 0) {
    const int32_t k = p->passed.constraint;
    double z[3], gradient[3];
    point_at(p, k, z);
    tl_law_margin(p->scaled, k, p->left, p->passed.to, z, gradient);
    p->inward = -p->way * along_slope(p, k, gradient);
    if (p->inward < 0) {
      p->branch[k] = (int32_t)p->left;
      p->passed.constraint = -1;
      *good = false;
    }
  }
  for (int32_t i = 0; i < p->scaled->rows; i++) {
    p->ahead[i] = p->way * p->slope[i];
  }
  return TALUS_OK;
}

/* ---- the step -------------------------------------------------------------------------------- */

static double far_of(const tl_path *p, const double *y) {
  double far = 0;
  for (int32_t i = 0; i < p->scaled->rows; i++) {
    const double moved = y[i] - p->centre[i];
    far += moved * moved;
  }
  return far;
}

/* How far at most: alpha and the distance from the centre change by a share of themselves, and the
 * path bends by no more than it is long. */
static double stride_most(const tl_path *p) {
  const int32_t rows = p->scaled->rows;
  const double slope2 = tl_dot_of(p->slope, p->slope, rows);
  double t = p->reach * p->alpha;
  if (p->way > 0) {
    t /= sqrt(1 + p->alpha * p->alpha * slope2 / far_of(p, p->y));
  }
  return fmin(t, sqrt(slope2 / tl_dot_of(p->bend, p->bend, rows)));
}

/* How far, in alpha, and who leaves its branch there. */
static double stride_find(const tl_path *p, tl_corner *leaving) {
  double t = stride_most(p);
  leaving->constraint = -1;
  for (int32_t k = 0; k < p->scaled->count; k++) {
    const tl_branch from = (tl_branch)p->branch[k];
    tl_branch to[2];
    double z[3], d[3];
    point_at(p, k, z);
    slope_at(p, k, d);
    for (int i = 0; i < 3; i++) {
      d[i] *= p->way;
    }
    const double turn = fabs(z[1] * d[2] - z[2] * d[1]), m2 = z[1] * z[1] + z[2] * z[2];
    if (from == TL_BRANCH_SLIP && turn * t > SWING * m2) {
      t = SWING * m2 / turn;
      leaving->constraint = -1;
    }
    const int count = tl_law_exits(p->scaled, k, from, to);
    for (int i = 0; i < count; i++) {
      const bool just = k == p->passed.constraint && to[i] == p->left;
      const double when = just ? INFINITY : tl_law_leave(p->scaled, k, from, to[i], z, d);
      if (when < t) {
        t = when;
        *leaving = (tl_corner){k, to[i]};
      }
    }
  }
  return t;
}

/* What alpha must change by, beside the correction `step` of y: so that the constraint is at its
 * border, or that the correction stands across the tangent. */
static double alpha_change(tl_path *p, tl_corner leaving, double room, const double *gradient) {
  const int32_t rows = p->scaled->rows, k = leaving.constraint;
  if (k < 0) {
    const double far = far_of(p, p->before) / (p->alpha_before * p->alpha_before);
    return -tl_dot_of(p->step, p->ahead, rows) /
           (tl_dot_of(p->slope, p->ahead, rows) + p->way * far);
  }
  double moved[3];
  tl_scaled_apply(p->scaled, p->step, p->right);
  for (int32_t i = p->scaled->first[k]; i < p->scaled->first[k + 1]; i++) {
    p->right[i] += p->alpha * p->step[i];
  }
  tl_law_point(p->scaled, k, p->step, p->right, 1 / (1 + p->alpha), moved);
  return -(room + tl_dot_of(gradient, moved, 3)) / along_slope(p, k, gradient);
}

/* Back onto the path. The step's first factor serves for as long as it converges. */
static talus_status correct(tl_path *p, tl_corner leaving, bool *good) {
  const int32_t k = leaving.constraint;
  double before = INFINITY;
  *good = false;
  for (int i = 0; i < CORRECTIONS && !p->newton->stop; i++) {
    double z[3], gradient[3], room = 0;
    const double size = tl_path_equations(p, 0);
    if (k >= 0) {
      point_at(p, k, z);
      room = tl_law_margin(p->scaled, k, (tl_branch)p->branch[k], leaving.to, z, gradient);
    }
    *good = size <= p->enough && fabs(room) <= 0.1 * p->outside;
    if (*good || !isfinite(size) || (i > 1 && size > fmax(10 * before, 1e-3 * p->first))) {
      break;
    }
    if (size > 0.3 * before && size > p->enough) {
      bool regular;
      tl_path_equations(p, 1);
      TL_TRY(factor(p, &regular));
      if (!regular) {
        break;
      }
      TL_TRY(slope_find(p));
    }
    before = size;
    TL_TRY(tl_linear_solve(&p->newton->linear, p->f, p->step, p->step));
    const double change = alpha_change(p, leaving, room, gradient);
    if (!(p->alpha + change > 0.02 * p->alpha_before && p->alpha + change < 50 * p->alpha_before)) {
      break;
    }
    for (int32_t j = 0; j < p->scaled->rows; j++) {
      p->y[j] += p->step[j] + change * p->slope[j];
    }
    p->alpha += change;
  }
  return TALUS_OK;
}

/* The constraint that has left its branch first, and after which share of the step t. One that goes
 * back over the corner just passed began at 0, and went away from it for a while. */
static tl_corner left_first(const tl_path *p, tl_corner leaving, double t, double *share) {
  tl_corner found = {-1, TL_BRANCH_OPEN};
  *share = 1;
  for (int32_t k = 0; k < p->scaled->count; k++) {
    const tl_branch from = (tl_branch)p->branch[k];
    tl_branch to[2];
    double z[3], gradient[3];
    const int count = tl_law_exits(p->scaled, k, from, to);
    point_at(p, k, z);
    for (int i = 0; i < count; i++) {
      const double now = tl_law_margin(p->scaled, k, from, to[i], z, gradient);
      if (now >= -p->outside || (k == leaving.constraint && to[i] == leaving.to)) {
        continue;
      }
      const double was =
          tl_law_margin(p->scaled, k, from, to[i], p->start + 3 * (int64_t)k, gradient);
      const bool back = k == p->passed.constraint && to[i] == p->left;
      const double from_border = back ? p->inward * t : fmax(0, was);
      if (found.constraint < 0 || from_border / (from_border - now) < *share) {
        *share = from_border / (from_border - now);
        found = (tl_corner){k, to[i]};
      }
    }
  }
  return found;
}

static void corner_pass(tl_path *p, tl_corner leaving) {
  p->passed = leaving;
  if (leaving.constraint >= 0) {
    p->left = (tl_branch)p->branch[leaving.constraint];
    p->branch[leaving.constraint] = (int32_t)leaving.to;
    p->corners++;
  }
}

talus_status tl_path_step(tl_path *p, bool *good) {
  tl_corner leaving = {-1, TL_BRANCH_OPEN};
  tl_path_equations(p, 1);
  TL_TRY(factor(p, good));
  if (!*good) { /* singular, or a limit */
    p->reach = 0;
    return TALUS_OK;
  }
  TL_TRY(slope_find(p));
  TL_TRY(way_find(p, good));
  if (!*good) {
    return TALUS_OK;
  }
  TL_TRY(bend_find(p));
  double t = stride_find(p, &leaving);
  tl_path_keep(p);
  for (int aim = 0; aim < AIMS; aim++) {
    for (int32_t i = 0; i < p->scaled->rows; i++) {
      p->y[i] = p->before[i] + t * p->ahead[i] + 0.5 * t * t * p->bend[i];
    }
    p->alpha = p->alpha_before + t * p->way;
    TL_TRY(correct(p, leaving, good));
    double share;
    const tl_corner other = left_first(p, leaving, t, &share);
    if (*good && other.constraint < 0) {
      corner_pass(p, leaving);
      p->still = fabs(p->alpha - p->alpha_before) > 1e-10 * p->alpha ? 0 : p->still + 1;
      p->reach = fmin(FARTHEST, 2 * p->reach);
      return TALUS_OK;
    }
    if (!*good) {
      break;
    }
    t *= share;
    leaving = other;
  }
  *good = false;
  tl_path_restore(p);
  p->reach = 0.3 * t / p->alpha;
  return TALUS_OK;
}
