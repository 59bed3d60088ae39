/* solver.c: door 2: create, set, update, solve, destroy; solve_once and certify. */
#include <math.h>
#include <string.h>

#include "host/small/small.h"
#include "host/solve/problem_check.h"
#include "host/solve/run.h"
#include "kernels/registry.h"

/* Under `auto` a device is only worth its launches from so many contacts on. */
enum { DEVICE_CONTACTS = 4096 };

talus_status talus_solver_create(talus_context *context, const talus_settings *settings,
                                 talus_solver **result) {
  if (result != NULL) {
    *result = NULL;
  }
  if (result == NULL || context == NULL) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT, "context or solver is NULL");
  }
  if (context->backend == NULL) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT, "the context was not created successfully");
  }
  const talus_settings used = settings != NULL ? *settings : talus_settings_default();
  TL_TRY(tl_settings_check(context, &used));
  talus_solver *solver;
  TL_TRY(tl_alloc(context, (void **)&solver, 1, sizeof *solver, "solver"));
  memset(solver, 0, sizeof *solver);
  solver->context = context;
  solver->settings = used;
  *result = solver;
  return TALUS_OK;
}

void talus_solver_destroy(talus_solver *solver) {
  if (solver == NULL) {
    return;
  }
  talus_context *const context = solver->context;
  if (solver->engine != NULL) {
    solver->engine->ops->destroy(solver->engine);
  }
  tl_assembly_release(context, &solver->assembly);
  tl_judgement_release(context, &solver->judgement);
  tl_newton_release(context, solver->newton);
  tl_small_release(context, solver->small);
  tl_buffer_release(context, &solver->exported);
  tl_gathered_release(context, &solver->gathered);
  tl_free(context, solver);
}

/* Sweeps need colours; auto may sweep, but not where the problem lives on a device. Second-order
 * methods work on the host's arrays. */
static int wants_colours(const talus_solver *solver) {
  const talus_method method = solver->settings.method;
  return (method == TALUS_METHOD_AUTO && solver->memory == TALUS_MEMORY_HOST) ||
         tl_method_sweeps(method) || method == TALUS_METHOD_NEWTON ||
         method == TALUS_METHOD_INTERIOR_POINT;
}

static int32_t threads_of(const talus_solver *solver) {
  return solver->settings.threads > 0
             ? solver->settings.threads
             : tl_threads_for(solver->context, solver->problem.contact_count);
}

static talus_status system_make(talus_solver *solver) {
  const double begin = tl_clock();
  const int coloured = wants_colours(solver);
  solver->uploaded = 0;
  tl_newton_forget(solver->newton);
  tl_small_forget(solver->small);
  solver->coloured = -1; /* until it stands */
  solver->assembly.threads = threads_of(solver);
  TL_TRY(tl_system_build(solver->context, &solver->problem, coloured, &solver->assembly));
  solver->coloured = coloured;
  solver->seconds_build = tl_clock() - begin;
  return TALUS_OK;
}

/* Through the host: packed, checked, assembled. */
static talus_status problem_take(talus_solver *solver, const talus_problem *problem) {
  const double begin = tl_clock();
  const talus_problem *packed;
  TL_TRY(tl_problem_gather(solver->context, problem, &solver->gathered, &packed));
  TL_TRY(tl_problem_check(solver->context, packed));
  solver->problem = *packed;
  solver->resident = 0;
  solver->assembly.system.raw = NULL;
  solver->seconds_check = tl_clock() - begin;
  return system_make(solver);
}

talus_status talus_solver_set(talus_solver *solver, const talus_settings *settings) {
  if (solver == NULL || settings == NULL) {
    return tl_fail(solver != NULL ? solver->context : NULL, TALUS_INVALID_ARGUMENT,
                   "solver or settings is NULL");
  }
  TL_TRY(tl_settings_check(solver->context, settings));
  solver->settings = *settings; /* the caller's arrays may be gone: nothing is built here */
  return TALUS_OK;
}

talus_status talus_solver_update(talus_solver *solver, const talus_problem *problem) {
  if (solver == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  solver->has_problem = solver->resident = 0;
  solver->memory = problem != NULL ? problem->memory : TALUS_MEMORY_HOST;
  int taken = 0;
  if (!wants_colours(solver) && !tl_small_takes(&solver->settings)) {
    TL_TRY(tl_resident_take(solver, problem, &taken));
  }
  if (taken) {
    solver->coloured = 0;
  } else {
    TL_TRY(problem_take(solver, problem));
  }
  solver->has_problem = 1;
  return TALUS_OK;
}

talus_status tl_engine_make(talus_solver *solver) {
  talus_context *const context = solver->context;
  const tl_backend *backend = context->backend;
  if (context->def.backend == TALUS_BACKEND_AUTO && solver->memory == TALUS_MEMORY_HOST &&
      solver->assembly.system.shape.contact_count < DEVICE_CONTACTS) {
    backend = &tl_backend_cpu;
  }
  const talus_precision precision = solver->settings.precision;
  if (solver->engine != NULL &&
      (solver->engine_precision != precision || solver->engine_backend != backend)) {
    solver->engine->ops->destroy(solver->engine);
    solver->engine = NULL;
    solver->uploaded = 0;
  }
  if (solver->engine == NULL) {
    TL_TRY(backend->create(context, precision, &solver->engine));
    solver->engine_precision = precision;
    solver->engine_backend = backend;
  }
  const int32_t threads = threads_of(solver);
  if (!solver->uploaded || (solver->threads != threads && !solver->resident)) {
    TL_TRY(solver->engine->ops->upload(solver->engine, &solver->assembly.system, threads));
    if (solver->resident && !solver->raw.taken) {
      return tl_fail(context, TALUS_CALL_ORDER, "the problem's arrays in device memory have changed "
                     "since talus_solver_update, and are no problem now");
    }
    solver->uploaded = 1;
  }
  solver->threads = threads;
  return TALUS_OK;
}

/* Impulses in the engine's order, on their way in or out: they pass through memory that is free
 * once the system stands. */
static tl_buffer *internal_of(talus_solver *solver) { return &solver->assembly.scratch[1]; }

talus_status tl_run_certify(tl_run *run) {
  talus_solver *const solver = run->solver;
  if (run->proved) {
    return TALUS_OK;
  }
  double *const internal = internal_of(solver)->memory, *const impulse = solver->exported.memory;
  double *const bilateral =
      impulse + (int64_t)solver->problem.dimension * solver->problem.contact_count;
  const talus_certificate *const c = &run->certificate;
  const double begin = tl_clock();
  TL_TRY(tl_resident_fetch(solver));
  TL_TRY(run->ops->finish(run->engine, internal));
  tl_impulse_export(&solver->assembly, internal, impulse, bilateral);
  solver->judgement.polygon = tl_polygon_of(&solver->settings);
  TL_TRY(tl_judgement_make(run->context, &solver->problem, impulse, bilateral, solver->threads,
                           &solver->judgement));
  tl_judgement_pronounce(&solver->judgement, &run->certificate);
  const int siconos = solver->settings.measure == TALUS_MEASURE_SICONOS;
  run->measure = run->law == 1 ? (siconos ? c->siconos_coulomb : c->epsilon_faceted_coulomb)
                               : (siconos ? c->siconos_ccp : c->epsilon_faceted_ccp);
  run->seconds_certificate += tl_clock() - begin;
  run->proved = 1;
  return TALUS_OK;
}

/* Impulses of the caller's, packed; NULL if they were not given. */
static talus_status start_load(talus_solver *solver, const tl_outlet *outlet, const tl_field *field,
                               double *packed, const double **loaded) {
  const int64_t count = field->count * field->components;
  *loaded = field->array != NULL ? packed : NULL;
  TL_TRY(tl_outlet_ferry(solver->context, outlet, field, packed, TL_FERRY_IN));
  for (int64_t i = 0; *loaded != NULL && i < count; i++) {
    if (!isfinite(packed[i])) {
      return tl_fail(solver->context, TALUS_NOT_FINITE, "%s[%lld] is %g (warm start)", field->name,
                     (long long)i, packed[i]);
    }
  }
  return TALUS_OK;
}

/* The caller's start, in internal order; NULL if there is none. */
static talus_status warm_start(talus_solver *solver, const tl_outlet *outlet,
                               const double **start) {
  *start = NULL;
  if (!solver->settings.warm_start) {
    return TALUS_OK;
  }
  if (outlet->impulse.array == NULL && solver->problem.contact_count > 0) {
    return tl_fail(solver->context, TALUS_MISSING_ARRAY,
                   "settings.warm_start needs solution.impulse");
  }
  TL_TRY(tl_resident_fetch(solver));
  double *const room = solver->exported.memory;
  const double *impulse, *bilateral;
  TL_TRY(start_load(solver, outlet, &outlet->impulse, room, &impulse));
  TL_TRY(start_load(solver, outlet, &outlet->bilateral,
                    room + (int64_t)solver->problem.dimension * solver->problem.contact_count,
                    &bilateral));
  tl_impulse_import(&solver->assembly, impulse, bilateral, internal_of(solver)->memory);
  *start = internal_of(solver)->memory;
  return TALUS_OK;
}

/* What the caller gets: impulses from `exported`, velocities from the certificate's arithmetic. */
static talus_status solution_fill(talus_solver *solver, const tl_outlet *outlet) {
  talus_context *const context = solver->context;
  const tl_judgement *const j = &solver->judgement;
  double *const impulse = solver->exported.memory, *const velocity = internal_of(solver)->memory;
  double *const bilateral =
      impulse + (int64_t)solver->problem.dimension * solver->problem.contact_count;
  TL_TRY(tl_outlet_ferry(context, outlet, &outlet->impulse, impulse, TL_FERRY_OUT));
  TL_TRY(tl_outlet_ferry(context, outlet, &outlet->bilateral, bilateral, TL_FERRY_OUT));
  if (j->motion_count > 0) {
    TL_TRY(tl_outlet_ferry(context, outlet, &outlet->velocity, j->motion, TL_FERRY_OUT));
    TL_TRY(tl_outlet_ferry(context, outlet, &outlet->angular, j->motion + 3, TL_FERRY_OUT));
  }
  if (outlet->contact_velocity.array != NULL) {
    tl_judgement_velocity(j, velocity);
    TL_TRY(tl_outlet_ferry(context, outlet, &outlet->contact_velocity, velocity, TL_FERRY_OUT));
  }
  return TALUS_OK;
}

/* Nothing to solve: no constraint, or none that would move anything beyond rounding. */
static talus_status rest(tl_run *run) {
  TL_TRY(run->ops->start(run->engine, NULL, 1));
  TL_TRY(run->ops->keep(run->engine));
  run->outcome = TALUS_OUTCOME_CONVERGED;
  return TALUS_OK;
}

/* Bounds would be a cone of their own in host/newton's sheet, which has none for them yet. */
static talus_status method_check(const talus_solver *solver) {
  const tl_method *const named = tl_method_find(solver->settings.method);
  if (named == NULL || named->attempt == NULL || tl_newton_serves(&solver->problem)) {
    return TALUS_OK;
  }
  return tl_fail(solver->context, TALUS_UNSUPPORTED,
                 "settings.method %s does not take bilateral rows with bounds (row_lower, "
                 "row_upper): use auto or a first-order method",
                 talus_method_name(named->id));
}

static talus_status solve_run(talus_solver *solver, const tl_outlet *outlet, tl_run *run,
                              talus_method *used) {
  const tl_system *const system = &solver->assembly.system;
  const size_t constraints = (size_t)system->shape.contact_count;
  TL_TRY(method_check(solver));
  TL_TRY(tl_buffer_reserve(solver->context, internal_of(solver), 3 * constraints, sizeof(double),
                           "impulses"));
  TL_TRY(tl_buffer_reserve(solver->context, &solver->exported, 3 * constraints, sizeof(double),
                           "impulses"));
  TL_TRY(tl_engine_make(solver));
  run->engine = solver->engine;
  run->ops = solver->engine->ops;
  run->law = solver->settings.law == TALUS_LAW_COULOMB;
  run->tolerance = solver->settings.tolerance;
  run->target = solver->settings.tolerance;
  run->reference =
      solver->resident ? solver->raw.reference[run->law] : tl_system_residual(system, run->law);
  *used = solver->settings.method == TALUS_METHOD_AUTO ? TALUS_METHOD_GAUSS_SEIDEL_NESTEROV
                                                       : solver->settings.method;
  const double rounding =
      solver->resident ? solver->raw.rounding : solver->assembly.rounding;
  const double *start;
  TL_TRY(warm_start(solver, outlet, &start));
  if (tl_small_takes(&solver->settings)) {
    return tl_small_solve(run, start, used);
  }
  if (!(run->reference > ldexp(sqrt(rounding), -44))) {
    return rest(run);
  }
  return tl_run_all(run, start, used);
}

static void info_fill(const talus_solver *solver, const tl_run *run, talus_method used,
                      talus_info *info) {
  info->outcome = run->outcome;
  info->method = used;
  info->precision = solver->settings.precision;
  info->backend = solver->engine_backend->kind;
  info->threads = solver->threads;
  info->colours = solver->assembly.system.colour_count;
  info->notes = run->notes | solver->assembly.notes;
  if (solver->context->def.backend == TALUS_BACKEND_AUTO && info->backend == TALUS_BACKEND_CPU &&
      tl_backend_find(TALUS_BACKEND_CUDA) != NULL) {
    info->notes |= TALUS_NOTE_CPU_FALLBACK;
  }
  if (run->certificate.asymmetry > 1e-12) {
    info->notes |= TALUS_NOTE_ASYMMETRIC;
  }
  info->iterations = run->iterations;
  info->passes = run->passes;
  info->factorisations = run->factorisations;
  info->measure = run->measure;
  info->incompatible = run->incompatible;
  info->certificate = run->certificate;
  const double all = tl_clock() - run->begin;
  info->seconds_check = solver->seconds_check;
  info->seconds_build = solver->seconds_build;
  info->seconds_certificate = run->seconds_certificate;
  info->seconds_iterate = all - run->seconds_certificate;
  info->seconds = all + solver->seconds_check + solver->seconds_build;
  info->bytes = tl_assembly_bytes(&solver->assembly) + solver->engine->bytes +
                tl_judgement_bytes(&solver->judgement) + tl_gathered_bytes(&solver->gathered) +
                (int64_t)solver->exported.capacity + tl_small_bytes(solver->small) +
                tl_newton_bytes(solver->newton);
}

/* A problem in device memory leaves it if the settings ask for what is not done there, or to be
 * taken anew after a solve, when the caller's arrays may be gone but copies are at hand. */
static talus_status resident_keep(talus_solver *solver, int recolour) {
  const int again = solver->fetched && solver->engine_precision != solver->settings.precision;
  if (!recolour && !again && !tl_small_takes(&solver->settings)) {
    return TALUS_OK;
  }
  return problem_take(solver, solver->fetched ? &solver->problem : &solver->given);
}

talus_status talus_solver_solve(talus_solver *solver, talus_solution *solution, talus_info *info) {
  if (solver == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  if (!solver->has_problem) {
    return tl_fail(solver->context, TALUS_CALL_ORDER, "talus_solver_update must come first");
  }
  if (solution != NULL && solution->struct_size != sizeof *solution) {
    return tl_fail(solver->context, TALUS_STRUCT_SIZE, "solution.struct_size is %u, not %zu",
                   solution->struct_size, sizeof *solution);
  }
  if (info != NULL && info->struct_size != sizeof *info) {
    return tl_fail(solver->context, TALUS_STRUCT_SIZE, "info.struct_size is %u, not %zu",
                   info->struct_size, sizeof *info);
  }
  /* The order of the contacts follows from the method, not from the methods used before. */
  const int recolour = solver->coloured != wants_colours(solver);
  if (solver->resident) {
    TL_TRY(resident_keep(solver, recolour));
  } else if (recolour) {
    TL_TRY(system_make(solver));
  }
  tl_outlet outlet;
  TL_TRY(tl_outlet_make(solver->context, &solver->problem, solution, &outlet));
  tl_run run = {.solver = solver, .context = solver->context, .begin = tl_clock()};
  talus_method used;
  TL_TRY(solve_run(solver, &outlet, &run, &used));
  TL_TRY(tl_run_certify(&run));
  if (run.measure <= run.tolerance) { /* a limit may have come at the very iterate that converged */
    run.outcome = TALUS_OUTCOME_CONVERGED;
  } else if (run.outcome == TALUS_OUTCOME_CONVERGED) { /* the certificate has the last word */
    run.outcome = isfinite(run.measure) ? TALUS_OUTCOME_STALLED : TALUS_OUTCOME_NOT_FINITE;
  }
  TL_TRY(solution_fill(solver, &outlet));
  if (info != NULL) {
    info_fill(solver, &run, used, info);
  }
  return TALUS_OK;
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

talus_status talus_certify(talus_context *context, const talus_problem *problem,
                           const double *impulse, const double *bilateral_impulse,
                           talus_certificate *certificate) {
  return talus_certify_cone(context, problem, NULL, impulse, bilateral_impulse, certificate);
}

talus_status talus_certify_cone(talus_context *context, const talus_problem *problem,
                                const talus_settings *settings, const double *impulse,
                                const double *bilateral_impulse, talus_certificate *certificate) {
  if (context == NULL || certificate == NULL) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT, "context or certificate is NULL");
  }
  if (context->backend == NULL) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT, "the context was not created successfully");
  }
  if (settings != NULL) {
    TL_TRY(tl_settings_check(context, settings));
  }
  tl_gathered gathered;
  tl_judgement judgement;
  memset(&gathered, 0, sizeof gathered);
  memset(&judgement, 0, sizeof judgement);
  if (settings != NULL) {
    judgement.polygon = tl_polygon_of(settings);
  }
  talus_status status = tl_problem_gather(context, problem, &gathered, &problem);
  if (status == TALUS_OK) {
    status = tl_problem_check(context, problem);
  }
  if (status == TALUS_OK && ((impulse == NULL && problem->contact_count > 0) ||
                             (bilateral_impulse == NULL && problem->bilateral_count > 0))) {
    status = tl_fail(context, TALUS_MISSING_ARRAY, "impulse or bilateral_impulse is NULL");
  }
  if (status == TALUS_OK) {
    status = tl_judgement_make(context, problem, impulse, bilateral_impulse, context->threads,
                               &judgement);
  }
  if (status == TALUS_OK) {
    tl_judgement_pronounce(&judgement, certificate);
  }
  tl_judgement_release(context, &judgement);
  tl_gathered_release(context, &gathered);
  return status;
}
