/* direct.c: small problems of form (a) from the caller's arrays to the certificate, without a system
 * or an engine.
 *
 * W and q are written out at once, in the caller's order, scaled as small.h says; the phases of `auto`
 * follow, and the certificate. Whatever is out of the ordinary (numbers far from 1, nothing to solve,
 * impulses that the certificate does not like) is left to the usual way, which begins anew. */
#include "host/small/direct.h"

#include <math.h>
#include <string.h>

#include "host/small/round.h"
#include "host/small/touch.h"
#include "host/solve/solver.h"
#include "kernels/item/rigid.h"
#include "kernels/item/row.h"

/* Squares of velocities in the certificate's measure that need no other units. */
static const double LEAST = 1e-100, MOST = 1e100;
enum { TRIES = 2 };

int tl_direct_serves(const talus_solver *solver) {
  const talus_settings *const settings = &solver->settings;
  const talus_problem *const p = &solver->problem;
  const int64_t constraints = (int64_t)p->contact_count + p->bilateral_count;
  return p->form == TALUS_FORM_RIGID && solver->memory == TALUS_MEMORY_HOST && constraints > 0 &&
         constraints <= TL_SMALL_MOST && tl_small_begins(settings, (int32_t)constraints) &&
         !settings->unique &&
         tl_engine_backend(solver->context, solver->memory, (int32_t)constraints)->kind ==
             TALUS_BACKEND_CPU;
}

/* ---- constraints ---------------------------------------------------------------------------- */

typedef struct direct {
  const talus_problem *problem;
  tl_small *small;
  tl_touching touches;
  double rounding;
} direct;

/* Weight w_k and velocity u of constraint k, whose `rows` rows lie along the axes of its frame.
 * Returns 1 / sqrt(w_k), or 0 if that is nothing to work with. */
static double row_scale(direct *d, int32_t k, double weight, const double *u, const double *sizes,
                        int32_t rows) {
  tl_small *const small = d->small;
  if (!(weight > LEAST && weight < MOST)) {
    return 0;
  }
  const double root = sqrt(weight), inverse = 1 / root;
  const double *const axis = small->frame + 9 * (int64_t)k;
  small->root[k] = root;
  for (int c = 0; c < 3; c++) {
    d->rounding += sizes[c] * inverse * (sizes[c] * inverse);
  }
  for (int32_t i = 0; i < rows; i++) {
    small->q[small->first[k] + i] =
        (axis[3 * i] * u[0] + axis[3 * i + 1] * u[1] + axis[3 * i + 2] * u[2]) * inverse;
  }
  small->first[k + 1] = small->first[k] + rows;
  return inverse;
}

/* J and J M^-1 of a contact against one body. */
static void end_add(direct *d, int32_t k, int32_t rows, int32_t body, double sign,
                    const tl_vec *axis, const tl_vec *lever, const tl_vec *turn) {
  const double inverse_mass = sign * d->problem->rigid.inverse_mass[body];
  tl_touch *const new = tl_touch_add(&d->touches, k, body, rows, 6);
  for (int32_t i = 0; i < rows; i++) {
    tl_save(new->jacobian + 6 * i, 0, tl_times(sign, axis[i]));
    tl_save(new->jacobian + 6 * i, 1, tl_times(sign, lever[i]));
    tl_touch_response(new, i, 0, tl_times(inverse_mass, axis[i]));
    tl_touch_response(new, i, 3, tl_times(sign, turn[i]));
  }
}

static int contact_take(direct *d, int32_t k) {
  const talus_rigid *const rigid = &d->problem->rigid;
  tl_small *const small = d->small;
  const double mu = d->problem->friction != NULL ? d->problem->friction[k] : 0;
  const int32_t rows = mu > 0 ? 3 : 1, body[2] = {rigid->body_a[k], rigid->body_b[k]};
  const int moves[2] = {tl_rigid_moves(rigid, body[0]), tl_rigid_moves(rigid, body[1])};
  const int reaches = rigid->reach_a != NULL;
  tl_vec axis[3], arm[2], lever[2][3], turn[2][3];
  axis[0] = tl_load(rigid->normal, k);
  tl_frame(axis[0], &axis[1], &axis[2]);
  arm[0] = reaches ? tl_times(rigid->reach_a[k], axis[0]) : tl_load(rigid->arm_a, k);
  arm[1] = reaches ? tl_times(-rigid->reach_b[k], axis[0]) : tl_load(rigid->arm_b, k);
  double u[3] = {0}, sizes[3] = {0}, trace = 0;
  for (int side = 0; side < 2; side++) {
    if (!moves[side]) {
      continue;
    }
    trace += 3 * rigid->inverse_mass[body[side]];
    for (int i = 0; i < 3; i++) {
      lever[side][i] = tl_cross(arm[side], axis[i]);
      turn[side][i] = tl_sym_times(rigid->inverse_inertia + 6 * (int64_t)body[side], lever[side][i]);
      trace += tl_dot(lever[side][i], turn[side][i]);
    }
  }
  if (rigid->bias != NULL) {
    tl_rigid_velocity_add(tl_times(rigid->bias[k], axis[0]), u, sizes);
  }
  if (rigid->surface_velocity != NULL) {
    tl_rigid_velocity_add(tl_load(rigid->surface_velocity, k), u, sizes);
  }
  tl_rigid_point_add(rigid, body[1], arm[1], 1, u, sizes);
  tl_rigid_point_add(rigid, body[0], arm[0], -1, u, sizes);
  for (int i = 0; i < 3; i++) {
    tl_save(small->frame + 9 * (int64_t)k, i, axis[i]);
  }
  small->kind[k] = rows > 1 ? TL_SMALL_CONE : TL_SMALL_HALF;
  small->friction[k] = mu;
  small->lower[k] = -INFINITY;
  small->upper[k] = INFINITY;
  const double inverse = row_scale(d, k, trace / 3, u, sizes, rows);
  for (int side = 0; side < 2 && inverse > 0; side++) {
    if (moves[side]) {
      end_add(d, k, rows, body[side], side == 0 ? -inverse : inverse, axis, lever[side], turn[side]);
    }
  }
  return inverse > 0;
}

static int row_take(direct *d, int32_t k) {
  const talus_problem *const p = d->problem;
  const talus_rigid *const rigid = &p->rigid;
  tl_small *const small = d->small;
  const int64_t row = k - p->contact_count;
  const int32_t body[2] = {rigid->row_body_a[row], rigid->row_body_b[row]};
  double u[3] = {rigid->row_bias != NULL ? rigid->row_bias[row] : 0, 0, 0}, weight = 0;
  double sizes[3] = {fabs(u[0]), 0, 0};
  tl_vec turn[2];
  for (int side = 0; side < 2; side++) {
    const double *const j = rigid->row_jacobian + 12 * row + 6 * side;
    for (int c = 0; c < 6 && body[side] >= 0; c++) {
      const double part = j[c] * rigid->velocity[6 * (int64_t)body[side] + c];
      u[0] += part;
      sizes[0] += fabs(part);
    }
    if (tl_rigid_moves(rigid, body[side])) {
      turn[side] = tl_sym_times(rigid->inverse_inertia + 6 * (int64_t)body[side],
                                tl_vec_make(j[3], j[4], j[5]));
      weight += rigid->inverse_mass[body[side]] * (j[0] * j[0] + j[1] * j[1] + j[2] * j[2]) +
                tl_dot(turn[side], tl_vec_make(j[3], j[4], j[5]));
    }
  }
  memset(small->frame + 9 * (int64_t)k, 0, 9 * sizeof *small->frame);
  small->frame[9 * (int64_t)k] = 1;
  small->friction[k] = 0;
  small->lower[k] = p->row_lower != NULL ? p->row_lower[row] : -INFINITY;
  small->upper[k] = p->row_upper != NULL ? p->row_upper[row] : INFINITY;
  small->kind[k] =
      isfinite(small->lower[k]) || isfinite(small->upper[k]) ? TL_SMALL_BOUND : TL_SMALL_FREE;
  const double inverse = row_scale(d, k, weight, u, sizes, 1);
  for (int side = 0; side < 2 && inverse > 0; side++) {
    if (tl_rigid_moves(rigid, body[side])) {
      const double *const j = rigid->row_jacobian + 12 * row + 6 * side;
      const tl_vec axis = tl_vec_make(j[0], j[1], j[2]), lever = tl_vec_make(j[3], j[4], j[5]);
      end_add(d, k, 1, body[side], inverse, &axis, &lever, &turn[side]);
    }
  }
  return inverse > 0;
}

/* ---- the problem ---------------------------------------------------------------------------- */

/* q of length one, bounds with it. Returns 0 if the velocities are nothing to work with. */
static int unit_take(tl_small *small) {
  double square = 0;
  for (int32_t i = 0; i < small->rows; i++) {
    square += small->q[i] * small->q[i];
  }
  small->unit = sqrt(square);
  const double inverse = 1 / small->unit;
  for (int32_t i = 0; i < small->stride; i++) {
    small->q[i] = i < small->rows ? small->q[i] * inverse : 0;
  }
  for (int32_t k = 0; k < small->count; k++) {
    small->lower[k] *= small->root[k] * inverse;
    small->upper[k] *= small->root[k] * inverse;
  }
  return square > LEAST && square < MOST;
}

/* The other half of W: it is symmetric. */
static void matrix_mirror(tl_small *small) {
  const int64_t stride = small->stride;
  for (int32_t k = 1; k < small->count; k++) {
    const int32_t above = small->first[k];
    for (int64_t j = above; j < small->first[k + 1]; j++) {
      for (int64_t i = 0; i < above; i++) {
        small->w[stride * j + i] = small->w[stride * i + j];
      }
    }
  }
}

static talus_status touches_reserve(direct *d, int32_t count) {
  const size_t touches = 2 * (size_t)count, reals = touches * 6 * (3 + TL_TOUCH_ROWS);
  TL_TRY(tl_buffer_reserve(d->small->context, &d->small->touches,
                           reals + touches * ((sizeof(tl_touch) + 7) / 8), sizeof(double),
                           "a small problem's Jacobians"));
  d->touches.at = d->small->touches.memory;
  d->touches.list = (tl_touch *)(d->touches.at + reals);
  return TALUS_OK;
}

talus_status tl_direct_form(talus_solver *solver, int *taken) {
  *taken = 0;
  TL_TRY(tl_small_make(solver));
  tl_small *const small = solver->small;
  const talus_problem *const problem = &solver->problem;
  const int32_t count = problem->contact_count + problem->bilateral_count;
  direct d = {.problem = problem, .small = small};
  small->ready = small->ahead = 0;
  small->pick = small->place = NULL;
  small->facet_count = 0;
  TL_TRY(tl_small_reserve(small, count));
  TL_TRY(touches_reserve(&d, count));
  small->first[0] = 0;
  for (int32_t k = 0; k < count; k++) {
    if (!(k < problem->contact_count ? contact_take(&d, k) : row_take(&d, k))) {
      return TALUS_OK;
    }
  }
  small->rows = small->first[count];
  small->stride = tl_padded(small->rows);
  if (!unit_take(small)) {
    return TALUS_OK;
  }
  memset(small->w, 0, (size_t)small->stride * (size_t)small->rows * sizeof *small->w);
  tl_touches_multiply(&d.touches, small->first, small->stride, small->w, 1);
  matrix_mirror(small);
  tl_small_paces(small);
  small->rounding = d.rounding;
  *taken = 1;
  return TALUS_OK;
}

int tl_direct_open(talus_solver *solver) {
  tl_small *const small = solver->small;
  const int ahead = small->ahead; /* of a backend, with the same settings */
  if (!ahead) {
    tl_small_reset(small, &solver->settings);
  }
  const double floor = ldexp(sqrt(small->rounding), -44);
  return small->reference * small->unit > floor && isfinite(small->reference);
}

/* ---- solving -------------------------------------------------------------------------------- */

static double row_inside(const talus_problem *p, int32_t row, double x) {
  return tl_clamp(x, p->row_lower != NULL ? p->row_lower[row] : -INFINITY,
                  p->row_upper != NULL ? p->row_upper[row] : INFINITY);
}

/* The caller's impulses are offered. */
static void start_offer(tl_small *small, const talus_problem *p, const double *impulse) {
  const int64_t first = 3 * (int64_t)p->contact_count;
  memcpy(small->engine, impulse, (size_t)first * sizeof *impulse);
  for (int32_t i = 0; i < p->bilateral_count; i++) {
    double *const x = small->engine + first + 3 * (int64_t)i;
    x[0] = row_inside(p, i, impulse[first + i]);
    x[1] = x[2] = 0;
  }
  tl_small_import(small, small->engine, small->y);
  tl_small_offer(small, small->y, small->u);
}

/* What the best impulses are worth; 1 if that is enough. */
static talus_status best_judge(tl_run *run, int *enough) {
  const tl_small *const small = run->solver->small;
  const talus_problem *const p = &run->solver->problem;
  const int64_t first = 3 * (int64_t)p->contact_count;
  double *const impulse = run->solver->exported.memory;
  tl_small_export(small, small->best, small->engine);
  memcpy(impulse, small->engine, (size_t)first * sizeof *impulse);
  for (int32_t i = 0; i < p->bilateral_count; i++) {
    impulse[first + i] = row_inside(p, i, small->engine[first + 3 * (int64_t)i]);
  }
  run->proved = 0;
  TL_TRY(tl_run_judge(run));
  *enough = run->measure <= run->tolerance;
  return TALUS_OK;
}

talus_status tl_direct_solve(tl_run *run, const double *start, int *done) {
  talus_solver *const solver = run->solver;
  tl_small *const small = solver->small;
  double target = tl_small_target(&solver->settings);
  *done = 0;
  if (!tl_direct_open(solver)) {
    return TALUS_OK;
  }
  small->run = run;
  small->stop = 0;
  solver->threads = tl_solver_threads(solver);
  run->best = 1;
  run->outcome = TALUS_OUTCOME_STALLED;
  if (start != NULL) {
    start_offer(small, &solver->problem, start);
    if (small->epsilon <= run->tolerance) {
      TL_TRY(best_judge(run, done));
    }
  }
  for (int i = 0; i < TRIES && !*done && !small->stop; i++) {
    TL_TRY(tl_round_solve(small, run, target));
    TL_TRY(best_judge(run, done));
    if (small->epsilon > target) {
      break; /* it has no more to give */
    }
    target *= 1e-2;
  }
  *done = (*done || small->stop) && isfinite(run->measure);
  return TALUS_OK;
}
