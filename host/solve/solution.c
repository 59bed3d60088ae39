/* solution.c: impulses on their way in and out: the caller's arrays, names that last, what sleeps.
 *
 * In the caller's order they stand in `exported`, contacts first, then rows; where islands sleep
 * that is the order of those awake, and sleep.impulse has them all. */
#include <math.h>
#include <string.h>

#include "host/solve/solver.h"

int64_t tl_solver_rows(const talus_solver *solver) {
  return (int64_t)solver->problem.dimension * solver->problem.contact_count;
}

const talus_problem *tl_solver_whole(const talus_solver *solver) {
  return solver->sleep.active ? &solver->sleep.whole : &solver->problem;
}

/* All of the caller's, with what sleeps. */
static double *whole_impulse(talus_solver *solver) {
  return solver->sleep.active ? solver->sleep.impulse : solver->exported.memory;
}

/* Impulses of the caller's, packed; 0 if they were not given. */
static talus_status start_load(talus_solver *solver, const tl_outlet *outlet,
                               const tl_caller_array *field, double *packed) {
  const int64_t count = field->count * field->components;
  if (field->array == NULL) {
    memset(packed, 0, (size_t)count * sizeof *packed);
    return TALUS_OK;
  }
  TL_TRY(tl_outlet_copy(solver->context, outlet, field, packed, TL_COPY_IN));
  for (int64_t i = 0; i < count; i++) {
    if (!isfinite(packed[i])) {
      return tl_fail(solver->context, TALUS_NOT_FINITE, "%s[%lld] is %g (warm start)", field->name,
                     (long long)i, packed[i]);
    }
  }
  return TALUS_OK;
}

/* Contacts and rows, each by name or from the caller's arrays. */
static talus_status whole_load(tl_solve *solve, const tl_outlet *outlet) {
  talus_solver *const solver = solve->solver;
  const talus_problem *const p = tl_solver_whole(solver);
  double *const impulse = whole_impulse(solver);
  double *const rows = impulse + (int64_t)p->dimension * p->contact_count;
  if (p->contact_key != NULL) {
    TL_TRY(tl_keys_match(solver->context, &solver->contact_keys, p->contact_key, impulse,
                         p->contact_count, p->dimension, &solve->keys_matched));
  } else if (outlet->impulse.array == NULL && p->contact_count > 0) {
    return tl_fail(solver->context, TALUS_MISSING_ARRAY,
                   "settings.warm_start needs solution.impulse, or problem.contact_key");
  } else {
    TL_TRY(start_load(solver, outlet, &outlet->impulse, impulse));
  }
  return p->row_key != NULL ? tl_keys_match(solver->context, &solver->row_keys, p->row_key, rows,
                                            p->bilateral_count, 1, &solve->keys_matched)
                            : start_load(solver, outlet, &outlet->bilateral, rows);
}

talus_status tl_solution_start(tl_solve *solve, const tl_outlet *outlet, const double **start) {
  talus_solver *const solver = solve->solver;
  *start = NULL;
  solve->keys_matched = 0;
  if (!solver->settings.warm_start) {
    if (solver->sleep.active) {
      const talus_problem *const p = tl_solver_whole(solver);
      const int64_t all = (int64_t)p->dimension * p->contact_count + p->bilateral_count;
      memset(solver->sleep.impulse, 0, (size_t)all * sizeof(double));
    }
    return TALUS_OK;
  }
  TL_TRY(whole_load(solve, outlet));
  double *const awake = solver->exported.memory;
  if (solver->sleep.active) {
    tl_sleep_select(&solver->sleep, solver->sleep.impulse, awake);
  }
  *start = awake;
  return TALUS_OK;
}

/* For the next problem. */
static talus_status names_save(talus_solver *solver, const talus_problem *p,
                               const double *impulse) {
  if (p->contact_key != NULL) {
    TL_TRY(tl_keys_save(solver->context, &solver->contact_keys, p->contact_key, impulse,
                        p->contact_count, p->dimension));
  }
  if (p->row_key != NULL) {
    TL_TRY(tl_keys_save(solver->context, &solver->row_keys, p->row_key,
                        impulse + (int64_t)p->dimension * p->contact_count, p->bilateral_count, 1));
  }
  return TALUS_OK;
}

static talus_status contact_velocity_fill(talus_solver *solver, const tl_outlet *outlet) {
  double *velocity = tl_certification_velocity(
      &solver->certification,
      tl_assembly_impulses(&solver->assembly)->memory); /* as long as impulses */
  if (solver->sleep.active) {
    tl_sleep_expand_contacts(&solver->sleep, velocity, solver->sleep.contact_velocity);
    velocity = solver->sleep.contact_velocity;
  }
  return tl_outlet_copy(solver->context, outlet, &outlet->contact_velocity, velocity, TL_COPY_OUT);
}

/* Impulses from `exported`, velocities from the certificate's arithmetic. */
talus_status tl_solution_fill(talus_solver *solver, const tl_outlet *outlet) {
  talus_context *const context = solver->context;
  const talus_problem *const p = tl_solver_whole(solver);
  const tl_certification *const j = &solver->certification;
  double *const impulse = whole_impulse(solver);
  double *const rows = impulse + (int64_t)p->dimension * p->contact_count;
  if (solver->sleep.active) {
    tl_sleep_expand(&solver->sleep, solver->exported.memory, impulse);
  }
  TL_TRY(names_save(solver, p, impulse));
  TL_TRY(tl_outlet_copy(context, outlet, &outlet->impulse, impulse, TL_COPY_OUT));
  TL_TRY(tl_outlet_copy(context, outlet, &outlet->bilateral, rows, TL_COPY_OUT));
  if (j->motion_count > 0) {
    TL_TRY(tl_outlet_copy(context, outlet, &outlet->velocity, j->motion, TL_COPY_OUT));
    TL_TRY(tl_outlet_copy(context, outlet, &outlet->angular, j->motion + 3, TL_COPY_OUT));
  }
  if (outlet->contact_velocity.array != NULL) {
    TL_TRY(contact_velocity_fill(solver, outlet));
  }
  return tl_outlet_end(context, outlet);
}
