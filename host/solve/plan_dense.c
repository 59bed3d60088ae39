/* plan_dense.c: few contacts of forms (a), (b) and (c) from the caller's arrays to the certificate,
 * without a system or an engine.
 *
 * W and q are written out at once (host/problem/direct.c); the phases of `auto` follow, and the
 * certificate. Whatever is out of the ordinary (numbers far from 1, nothing to solve, impulses with
 * which the certificate does not agree) is left to the plan of an engine, which begins anew. */
#include <math.h>
#include <string.h>

#include "host/method/small/round.h"
#include "host/problem/direct.h"
#include "host/problem/problem_check.h"
#include "host/solve/solver.h"
#include "kernels/item/row.h"

enum { TRIES = 2 };

bool tl_plan_dense_serves(const talus_solver *solver) {
  const talus_settings *const settings = &solver->settings;
  const talus_problem *const p = &solver->problem;
  const int64_t constraints = (int64_t)p->contact_count + p->bilateral_count;
  return (p->form == TALUS_FORM_RIGID || p->form == TALUS_FORM_BLOCKS ||
          p->form == TALUS_FORM_DELASSUS) &&
         !tl_problem_wrenches(p) && tl_bricks_size(p) == 0 && solver->memory == TALUS_MEMORY_HOST &&
         constraints > 0 && constraints <= TL_SMALL_MOST &&
         tl_small_begins(settings, p->form, (int32_t)constraints) && !settings->unique &&
         tl_solver_backend(solver->context, solver->memory, (int32_t)constraints)->kind ==
             TALUS_BACKEND_CPU;
}

talus_status tl_plan_dense_take(talus_solver *solver) {
  bool taken;
  TL_TRY(tl_small_make(solver->context, &solver->methods));
  tl_small *const small = solver->methods.small;
  small->ready = false;
  TL_TRY(tl_direct_import(solver->context, &solver->problem, &small->scaled, &small->rounding,
                          &taken));
  solver->dense_refused = !taken;
  if (taken) {
    TL_TRY(tl_small_take(small));
    solver->plan = &tl_plan_dense;
  }
  return TALUS_OK;
}

/* Whether there is anything to solve beyond rounding. */
static bool is_moving(const tl_small *small) {
  return small->scaled.reference[small->law] * small->scaled.unit >
             ldexp(sqrt(small->rounding), -44) &&
         isfinite(small->scaled.reference[small->law]);
}

bool tl_plan_dense_open(talus_solver *solver) {
  tl_small_reset(solver->methods.small, &solver->settings, solver->problem.velocity_scale);
  return is_moving(solver->methods.small);
}

/* Settings that are not for this plan: the problem is assembled. */
static talus_status dense_prepare(talus_solver *solver) {
  if (tl_plan_dense_serves(solver)) {
    return TALUS_OK;
  }
  solver->plan = &tl_plan_engine;
  return solver->plan->prepare(solver);
}

static double row_inside(const talus_problem *p, int32_t row, double x) {
  return tl_row_clamp(x, p->row_lower != NULL ? p->row_lower[row] : -INFINITY,
                      p->row_upper != NULL ? p->row_upper[row] : INFINITY);
}

/* The caller's impulses are offered. */
static void start_offer(tl_small *small, const talus_problem *p, const double *impulse) {
  const int32_t contacts = p->contact_count;
  const int64_t first = (int64_t)p->dimension * contacts;
  memset(small->engine, 0, 3 * (size_t)small->scaled.count * sizeof *small->engine);
  for (int64_t i = 0; i < first; i++) {
    small->engine[3 * (i / p->dimension) + i % p->dimension] = impulse[i];
  }
  for (int32_t i = 0; i < p->bilateral_count; i++) {
    small->engine[3 * (int64_t)(contacts + i)] = row_inside(p, i, impulse[first + i]);
  }
  tl_scaled_impulse_import(&small->scaled, small->engine, small->y);
  tl_small_offer(small, small->y, small->u);
}

/* The best impulses in the caller's order. */
static talus_status dense_export(tl_solve *solve) {
  const tl_small *const small = solve->run.memory->small;
  const talus_problem *const p = &solve->solver->problem;
  const int32_t contacts = p->contact_count;
  const int64_t first = (int64_t)p->dimension * contacts;
  double *const impulse = solve->solver->exported.memory;
  tl_scaled_impulse_export(&small->scaled, small->best.y, small->engine);
  for (int64_t i = 0; i < first; i++) {
    impulse[i] = small->engine[3 * (i / p->dimension) + i % p->dimension];
  }
  for (int32_t i = 0; i < p->bilateral_count; i++) {
    impulse[first + i] = row_inside(p, i, small->engine[3 * (int64_t)(contacts + i)]);
  }
  return TALUS_OK;
}

static talus_status dense_rest(tl_solve *solve) {
  tl_small *const small = solve->run.memory->small;
  memset(small->best.y, 0, (size_t)small->scaled.rows * sizeof *small->best.y);
  return TALUS_OK;
}

/* Asks the certificate about the best impulses; *enough: they meet the tolerance. */
static talus_status best_certify(tl_solve *solve, bool *enough) {
  solve->proved = false;
  TL_TRY(tl_solve_certify(solve));
  *enough = solve->measure <= solve->run.tolerance;
  return TALUS_OK;
}

static talus_status dense_solve(tl_solve *solve, const tl_outlet *outlet, bool *done) {
  talus_solver *const solver = solve->solver;
  tl_run *const run = &solve->run;
  tl_small *const small = run->memory->small;
  const double *start;
  *done = false;
  solve->used = TALUS_METHOD_MNCP_PROX;
  TL_TRY(tl_solution_start(solve, outlet, &start));
  /* what a batch has found was opened by it, with the same settings */
  if (!(run->found != NULL ? is_moving(small) : tl_plan_dense_open(solver))) {
    return TALUS_OK;
  }
  double target = small->slack * tl_small_target(run->settings);
  small->run = run;
  small->stop = false;
  run->threads = tl_solver_threads(solver);
  run->backend = TALUS_BACKEND_CPU;
  run->best = 1;
  run->outcome = TALUS_OUTCOME_STALLED;
  run->slack = small->slack;
  if (start != NULL) {
    start_offer(small, &solver->problem, start);
  }
  if (small->best.epsilon <= run->slack * run->tolerance) {
    TL_TRY(best_certify(solve, done));
  }
  for (int i = 0; i < TRIES && !*done && !small->stop; i++) {
    TL_TRY(tl_round_solve(small, run, target));
    TL_TRY(best_certify(solve, done));
    if (small->best.epsilon > target) {
      break; /* it stalled */
    }
    target *= 1e-2;
  }
  *done = (*done || small->stop) && isfinite(solve->measure);
  return TALUS_OK;
}

const tl_plan tl_plan_dense = {.name = "dense",
                               .prepare = dense_prepare,
                               .solve = dense_solve,
                               .export = dense_export,
                               .rest = dense_rest};
