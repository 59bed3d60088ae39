/* solver.c: door 2: create, set, update, solve, destroy; solve_once. */
#include "host/solve/solver.h"

#include <string.h>

#include "host/base/structs.h"
#include "host/problem/problem_check.h"
#include "host/solve/queued.h"

/* ---- who may come in ------------------------------------------------------------------------- */

enum { SOLVER_MAGIC = 0x7a115017 };

talus_status tl_solver_check(const talus_solver *solver) {
  return solver != NULL && solver->magic == SOLVER_MAGIC ? tl_context_check(solver->context)
                                                         : TALUS_INVALID_ARGUMENT;
}

talus_status tl_solver_enter(talus_solver *solver) {
  TL_TRY(tl_solver_check(solver));
  if (__atomic_exchange_n(&solver->busy, 1, __ATOMIC_ACQUIRE) == 0) {
    const talus_status status = tl_context_enter(solver->context);
    if (status != TALUS_OK) {
      __atomic_store_n(&solver->busy, 0, __ATOMIC_RELEASE);
    }
    return status;
  }
  return __atomic_load_n(&solver->under_way, __ATOMIC_ACQUIRE)
             ? tl_refuse(solver->context, TALUS_CALL_ORDER,
                         "a solve is under way: talus_solver_wait must come first")
             : tl_refuse(
                   solver->context, TALUS_BUSY,
                   "another thread, or the solve that called back, is at work in this solver: "
                   "make one per thread, each with a context of its own");
}

void tl_solver_leave(talus_solver *solver) {
  tl_context_leave(solver->context);
  __atomic_store_n(&solver->busy, 0, __ATOMIC_RELEASE);
}

/* ---- life ------------------------------------------------------------------------------------ */

static talus_status solver_make(talus_context *context, const talus_settings *settings,
                                talus_solver **result) {
  if (result == NULL) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT, "solver is NULL");
  }
  talus_settings own;
  TL_TRY(tl_settings_read(context, settings, &own));
  talus_solver *solver;
  TL_TRY(tl_alloc(context, (void **)&solver, 1, sizeof *solver, "solver"));
  memset(solver, 0, sizeof *solver);
  solver->context = context;
  solver->settings = own;
  solver->magic = SOLVER_MAGIC;
  tl_context_hold(context);
  const talus_status status = tl_dump_set(solver);
  if (status != TALUS_OK) {
    talus_solver_destroy(solver);
    return status;
  }
  *result = solver;
  return TALUS_OK;
}

talus_status talus_solver_create(talus_context *context, const talus_settings *settings,
                                 talus_solver **result) {
  if (result != NULL) {
    *result = NULL;
  }
  TL_TRY(tl_context_enter(context));
  const talus_status status = solver_make(context, settings, result);
  tl_context_leave(context);
  return status;
}

/* Whether somebody is inside who would come back to memory that is gone: another thread, or the
 * solve whose callback this is. A solve under way is waited for. */
static bool is_occupied(talus_solver *solver) {
  return __atomic_exchange_n(&solver->busy, 1, __ATOMIC_ACQUIRE) != 0 &&
         (!__atomic_load_n(&solver->under_way, __ATOMIC_ACQUIRE) || tl_async_inside(solver) ||
          tl_async_stranded(solver));
}

void talus_solver_destroy(talus_solver *solver) {
  if (solver == NULL || solver->magic != SOLVER_MAGIC) {
    return;
  }
  talus_context *const context = solver->context;
  if (is_occupied(solver)) {
    tl_refuse(context, TALUS_BUSY, "the solver was not destroyed: a call is at work in it");
    return;
  }
  tl_async_release(solver);
  if (solver->slot.engine != NULL) {
    solver->slot.engine->ops->destroy(solver->slot.engine);
  }
  tl_assembly_release(context, &solver->assembly);
  tl_certification_release(context, &solver->certification);
  tl_method_memory_release(context, &solver->methods);
  tl_buffer_release(context, &solver->exported);
  tl_gathered_release(context, &solver->gathered);
  tl_sleep_release(context, &solver->sleep);
  tl_keys_release(context, &solver->contact_keys);
  tl_keys_release(context, &solver->row_keys);
  tl_part_release(context, &solver->part);
  tl_halo_release(context, &solver->rank_halo);
  tl_dump_release(solver);
  *(volatile uint32_t *)&solver->magic = 0; /* a compiler may not leave this out before the end */
  tl_free(context, solver);
  tl_context_let_go(context);
}

static talus_status settings_take(talus_solver *solver, const talus_settings *settings) {
  if (settings == NULL) {
    return tl_fail(solver->context, TALUS_INVALID_ARGUMENT, "settings is NULL");
  }
  talus_settings own;
  TL_TRY(tl_settings_read(solver->context, settings, &own));
  solver->settings = own; /* the caller's arrays may be gone: nothing is built here */
  return tl_dump_set(solver);
}

talus_status talus_solver_set(talus_solver *solver, const talus_settings *settings) {
  TL_TRY(tl_solver_enter(solver));
  const talus_status status = settings_take(solver, settings);
  tl_solver_leave(solver);
  return status;
}

/* ---- the problem ----------------------------------------------------------------------------- */

/* Sweeps need colours; auto may sweep, but not where the problem lives on a device. */
bool tl_solver_wants_colours(const talus_solver *solver) {
  const talus_problem *const problem = &solver->problem;
  const talus_method method = solver->settings.method;
  return method == TALUS_METHOD_AUTO
             ? solver->memory == TALUS_MEMORY_HOST || solver->settings.same_bits
             : tl_method_colours(tl_method_of(method),
                                 solver->on_ranks
                                     ? INT32_MAX
                                     : problem->contact_count + problem->bilateral_count);
}

bool tl_solver_wants_host(const talus_solver *solver) {
  const tl_method *const method = tl_method_of(solver->settings.method);
  return tl_settings_small(&solver->settings) || (method->backends >> TALUS_BACKEND_CUDA & 1) == 0;
}

talus_status tl_solver_take(talus_solver *solver, const talus_problem *problem) {
  const double begin = tl_clock();
  const talus_problem *packed, *awake;
  TL_TRY(tl_problem_gather(solver->context, problem, &solver->gathered, &packed));
  TL_TRY(tl_problem_check(solver->context, packed));
  TL_TRY(tl_sleep_take(solver->context, packed, &solver->sleep, &awake));
  solver->problem = *awake;
  const double checked = tl_clock();
  solver->seconds_check = checked - begin;
  return tl_plan_choose(solver, checked);
}

void tl_solver_set_host(talus_solver *solver) {
  solver->on_host = true;
}

void tl_solver_set_alone(talus_solver *solver, bool alone) {
  solver->alone = alone;
}

void tl_solver_set_owners(talus_solver *solver, const struct tl_owners *owners) {
  solver->part.given_owners = owners;
}

static talus_status problem_take(talus_solver *solver, const talus_problem *given) {
  tl_problem_copy copy;
  bool taken = false;
  solver->sleep.active = 0;
  solver->on_ranks = tl_ranks_of(solver->context) != NULL && !solver->alone;
  if (solver->on_ranks) {
    TL_TRY(tl_ranks_check(solver->context));
    solver->memory = TALUS_MEMORY_HOST;
    return tl_pieces_take(solver, tl_problem_copy_make(solver->context, given, &copy),
                          &copy.problem);
  }
  solver->assembly.halo = NULL;
  TL_TRY(tl_problem_copy_make(solver->context, given, &copy));
  solver->memory = copy.problem.memory;
  if (!tl_solver_wants_host(solver)) {
    TL_TRY(tl_plan_device_take(solver, &copy.problem, &taken));
  }
  return taken ? TALUS_OK : tl_solver_take(solver, &copy.problem);
}

talus_status talus_solver_update(talus_solver *solver, const talus_problem *problem) {
  TL_TRY(tl_solver_enter(solver));
  const talus_status status = problem_take(solver, problem);
  solver->plan = status == TALUS_OK ? solver->plan : NULL;
  tl_solver_leave(solver);
  return status;
}

/* ---- solving --------------------------------------------------------------------------------- */

talus_status tl_request_make(talus_solver *solver, const talus_solution *solution, talus_info *info,
                             tl_request *request) {
  if (solver->plan == NULL) {
    return tl_fail(solver->context, TALUS_CALL_ORDER, "talus_solver_update must come first");
  }
  request->solution = NULL;
  request->info = info;
  request->found = NULL;
  request->queued = false;
  if (solution != NULL) {
    TL_TRY(tl_solution_copy_make(solver->context, solution, &request->copy));
    request->solution = &request->copy.solution;
  }
  return info != NULL ? tl_struct_check(solver->context, &tl_struct_info, "info", info) : TALUS_OK;
}

static talus_status solve(talus_solver *solver, const talus_solution *solution, talus_info *info,
                          bool queued) {
  tl_request request;
  TL_TRY(tl_solver_enter(solver));
  talus_status status = tl_request_make(solver, solution, info, &request);
  request.queued = queued;
  if (tl_ranks_of(solver->context) != NULL && !solver->alone) {
    status = tl_ranks_agree(solver->context, status);
    status = status == TALUS_OK ? tl_pieces_solve(solver, &request) : status;
  } else if (status == TALUS_OK) {
    status = tl_solver_solve(solver, &request);
  }
  tl_solver_leave(solver);
  return status;
}

talus_status talus_solver_solve(talus_solver *solver, talus_solution *solution, talus_info *info) {
  return solve(solver, solution, info, false);
}

talus_status tl_solver_solve_queued(talus_solver *solver, const talus_solution *solution,
                                    talus_info *info) {
  return solve(solver, solution, info, true);
}

talus_status tl_solver_queue(talus_solver *solver, const talus_problem *problem,
                             const talus_solution *solution, const tl_queued_facts *facts,
                             bool *queued) {
  tl_problem_copy given;
  tl_solution_copy wanted;
  TL_TRY(tl_solver_enter(solver));
  talus_status status = tl_problem_copy_make(solver->context, problem, &given);
  if (status == TALUS_OK) {
    status = tl_solution_copy_make(solver->context, solution, &wanted);
  }
  if (status == TALUS_OK) {
    status = tl_plan_device_queue(solver, &given.problem, &wanted, facts, queued);
  }
  tl_solver_leave(solver);
  return status;
}

bool tl_solver_can_queue(const talus_solver *solver) {
  return solver->slot.engine != NULL && !solver->slot.engine->asks;
}

bool tl_solver_queue_went_on(const talus_solver *solver) {
  return solver->slot.engine != NULL && solver->slot.engine->went_on;
}

talus_status tl_solver_queue_drop(talus_solver *solver) {
  tl_engine *const engine = solver->slot.engine;
  bool queued;
  TL_TRY(tl_solver_enter(solver));
  const talus_status status = engine != NULL && engine->ops->queue != NULL
                                  ? engine->ops->queue(engine, NULL, NULL, &queued)
                                  : TALUS_OK;
  tl_solver_leave(solver);
  return status;
}

talus_status talus_solve_once(talus_context *context, const talus_problem *problem,
                              const talus_settings *settings, talus_solution *solution,
                              talus_info *info) {
  talus_solver *solver;
  talus_status status = talus_solver_create(context, settings, &solver);
  if (status == TALUS_OK) {
    status = talus_solver_update(solver, problem);
  }
  if (status == TALUS_OK) {
    status = talus_solver_solve(solver, solution, info);
  }
  talus_solver_destroy(solver);
  return status;
}
