/* direct.c: small problems of forms (a), (b) and (c) from the caller's arrays to the certificate,
 * without a system or an engine.
 *
 * W and q are written out at once, in the caller's order, scaled as small.h says; the phases of
 * `auto` follow, and the certificate. Whatever is out of the ordinary (numbers far from 1, nothing
 * to solve, impulses that the certificate does not like) is left to the usual way, which begins
 * anew. */
#include "host/solve/direct.h"

#include <math.h>
#include <string.h>

#include "host/method/small/round.h"
#include "host/problem/problem_check.h"
#include "host/solve/solver.h"
#include "kernels/item/row.h"

/* Squares of velocities in the certificate's measure that need no other units. */
static const double LEAST = 1e-100, MOST = 1e100;
enum { TRIES = 2 };

int tl_direct_serves(const talus_solver *solver) {
  const talus_settings *const settings = &solver->settings;
  const talus_problem *const p = &solver->problem;
  const int64_t constraints = (int64_t)p->contact_count + p->bilateral_count;
  return (p->form == TALUS_FORM_RIGID || p->form == TALUS_FORM_BLOCKS ||
          p->form == TALUS_FORM_DELASSUS) &&
         solver->memory == TALUS_MEMORY_HOST && constraints > 0 && constraints <= TL_SMALL_MOST &&
         tl_small_begins(settings, p->form, (int32_t)constraints) && !settings->unique &&
         tl_engine_backend(solver->context, solver->memory, (int32_t)constraints)->kind ==
             TALUS_BACKEND_CPU;
}

/* ---- constraints ----------------------------------------------------------------------------- */

talus_status tl_direct_reserve(tl_direct *d, int64_t touches, int64_t reals) {
  const size_t heads = (size_t)touches * ((sizeof(tl_small_touch) + 7) / 8);
  TL_TRY(tl_buffer_reserve(d->small->context, &d->small->touches, (size_t)reals + heads,
                           sizeof(double), "a small problem's Jacobians"));
  d->touches.at = d->small->touches.memory;
  d->touches.list = (tl_small_touch *)(void *)(d->touches.at + reals);
  return TALUS_OK;
}

void tl_direct_kind(tl_direct *d, int32_t k) {
  const talus_problem *const p = d->problem;
  tl_small *const small = d->small;
  const int32_t row = k - p->contact_count;
  if (row < 0) {
    const double mu = p->friction != NULL && p->dimension > 1 ? p->friction[k] : 0;
    small->kind[k] = mu > 0 ? TL_SMALL_CONE : TL_SMALL_HALF;
    small->friction[k] = mu;
    small->lower[k] = -INFINITY;
    small->upper[k] = INFINITY;
    return;
  }
  const double lower = p->row_lower != NULL ? p->row_lower[row] : -INFINITY;
  const double upper = p->row_upper != NULL ? p->row_upper[row] : INFINITY;
  small->kind[k] = isfinite(lower) || isfinite(upper) ? TL_SMALL_BOUND : TL_SMALL_FREE;
  small->friction[k] = 0;
  small->lower[k] = lower;
  small->upper[k] = upper;
}

/* u and its sizes less C times the target, w_k with C, of a constraint whose frame stands. */
static double target_take(const tl_direct *d, int32_t k, double weight, double *u, double *sizes) {
  const double *const axis = d->small->frame + 9 * (int64_t)k;
  const tl_yielding c = tl_problem_yielding(d->problem, k);
  const int32_t rows = k < d->problem->contact_count ? d->problem->dimension : 1;
  const double *const x = c.target;
  const double along =
      (c.normal - c.tangential) * (axis[0] * x[0] + axis[1] * x[1] + axis[2] * x[2]);
  for (int i = 0; i < 3; i++) {
    const double part = c.tangential * x[i] + along * axis[i];
    u[i] -= part;
    sizes[i] += fabs(part);
  }
  return weight + (c.normal + (rows - 1) * c.tangential) / rows;
}

double tl_direct_scale(tl_direct *d, int32_t k, double weight, double *u, double *sizes,
                       int32_t rows) {
  tl_small *const small = d->small;
  if (!(weight > LEAST && weight < MOST)) {
    return 0;
  }
  if (d->compliant) {
    weight = target_take(d, k, weight, u, sizes);
  }
  if (!(weight < MOST)) {
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

/* ---- the problem ----------------------------------------------------------------------------- */

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

/* C on the diagonal of W, scaled. */
static void compliance_add(const tl_direct *d) {
  tl_small *const small = d->small;
  for (int32_t k = 0; k < small->count; k++) {
    const tl_yielding c = tl_problem_yielding(d->problem, k);
    const double inverse = 1 / (small->root[k] * small->root[k]);
    for (int64_t i = small->first[k]; i < small->first[k + 1]; i++) {
      small->w[(small->stride + 1) * i] +=
          (i == small->first[k] ? c.normal : c.tangential) * inverse;
    }
  }
}

talus_status tl_direct_form(talus_solver *solver, int *taken) {
  *taken = 0;
  TL_TRY(tl_small_make(solver));
  tl_small *const small = solver->small;
  const talus_problem *const problem = &solver->problem;
  const int32_t count = problem->contact_count + problem->bilateral_count;
  const int rigid = problem->form == TALUS_FORM_RIGID,
            matrix = problem->form == TALUS_FORM_DELASSUS;
  tl_direct d = {.problem = problem, .small = small, .compliant = tl_problem_compliant(problem)};
  small->ready = small->ahead = 0;
  small->pick = small->place = NULL;
  small->facet_count = 0;
  TL_TRY(tl_small_reserve(small, count));
  small->first[0] = 0;
  int good;
  TL_TRY((rigid ? tl_direct_rigid : matrix ? tl_direct_matrix : tl_direct_blocks)(&d, &good));
  if (!good) {
    return TALUS_OK;
  }
  small->rows = small->first[count];
  small->stride = tl_padded(small->rows);
  if (!unit_take(small)) {
    return TALUS_OK;
  }
  memset(small->w, 0, (size_t)small->stride * (size_t)small->rows * sizeof *small->w);
  if (matrix) {
    tl_direct_matrix_fill(&d);
  } else {
    tl_touches_multiply(&d.touches, small->first, small->stride, small->w, rigid);
  }
  if (rigid) { /* M^-1 of form (b) need not be symmetric to the last digit */
    matrix_mirror(small);
  }
  if (d.compliant) {
    compliance_add(&d);
  }
  tl_small_paces(small);
  small->rounding = d.rounding;
  *taken = 1;
  return TALUS_OK;
}

int tl_direct_open(talus_solver *solver) {
  tl_small *const small = solver->small;
  const int ahead = small->ahead; /* of a backend, with the same settings */
  if (!ahead) {
    tl_small_reset(small, &solver->settings, solver->problem.velocity_scale);
  }
  const double floor = ldexp(sqrt(small->rounding), -44);
  return small->reference * small->unit > floor && isfinite(small->reference);
}

/* ---- solving --------------------------------------------------------------------------------- */

static double row_inside(const talus_problem *p, int32_t row, double x) {
  return tl_clamp(x, p->row_lower != NULL ? p->row_lower[row] : -INFINITY,
                  p->row_upper != NULL ? p->row_upper[row] : INFINITY);
}

/* The caller's impulses are offered. */
static void start_offer(tl_small *small, const talus_problem *p, const double *impulse) {
  const int32_t contacts = p->contact_count;
  const int64_t first = (int64_t)p->dimension * contacts;
  memset(small->engine, 0, 3 * (size_t)small->count * sizeof *small->engine);
  for (int64_t i = 0; i < first; i++) {
    small->engine[3 * (i / p->dimension) + i % p->dimension] = impulse[i];
  }
  for (int32_t i = 0; i < p->bilateral_count; i++) {
    small->engine[3 * (int64_t)(contacts + i)] = row_inside(p, i, impulse[first + i]);
  }
  tl_small_import(small, small->engine, small->y);
  tl_small_offer(small, small->y, small->u);
}

/* What the best impulses are worth; 1 if that is enough. */
static talus_status best_judge(tl_run *run, int *enough) {
  const tl_small *const small = run->solver->small;
  const talus_problem *const p = &run->solver->problem;
  const int32_t contacts = p->contact_count;
  const int64_t first = (int64_t)p->dimension * contacts;
  double *const impulse = run->solver->exported.memory;
  tl_small_export(small, small->best, small->engine);
  for (int64_t i = 0; i < first; i++) {
    impulse[i] = small->engine[3 * (i / p->dimension) + i % p->dimension];
  }
  for (int32_t i = 0; i < p->bilateral_count; i++) {
    impulse[first + i] = row_inside(p, i, small->engine[3 * (int64_t)(contacts + i)]);
  }
  run->proved = 0;
  TL_TRY(tl_run_judge(run));
  *enough = run->measure <= run->tolerance;
  return TALUS_OK;
}

talus_status tl_direct_rest(tl_run *run) {
  const talus_problem *const p = &run->solver->problem;
  const int64_t first = (int64_t)p->dimension * p->contact_count;
  double *const impulse = run->solver->exported.memory;
  memset(impulse, 0, (size_t)first * sizeof *impulse);
  for (int32_t i = 0; i < p->bilateral_count; i++) {
    impulse[first + i] = row_inside(p, i, 0);
  }
  return tl_run_judge(run);
}

talus_status tl_direct_solve(tl_run *run, const double *start, int *done) {
  talus_solver *const solver = run->solver;
  tl_small *const small = solver->small;
  *done = 0;
  if (!tl_direct_open(solver)) {
    return TALUS_OK;
  }
  double target = small->slack * tl_small_target(&solver->settings);
  small->run = run;
  small->stop = 0;
  solver->threads = tl_solver_threads(solver);
  run->best = 1;
  run->outcome = TALUS_OUTCOME_STALLED;
  run->slack = small->slack;
  if (start != NULL) {
    start_offer(small, &solver->problem, start);
  }
  if (small->epsilon <= run->slack * run->tolerance) {
    TL_TRY(best_judge(run, done));
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
