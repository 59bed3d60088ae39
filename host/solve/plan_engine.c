/* plan_engine.c: a system assembled on the host, in an engine of the CPU or of a device. */
#include <assert.h>
#include <math.h>

#include "host/method/small/small.h"
#include "host/problem/reference.h"
#include "host/solve/solver.h"
#include "kernels/registry.h"

/* Under `auto` a device is only worth its launches from so many contacts on. */
enum { DEVICE_CONTACTS = 4096 };

int32_t tl_solver_threads(const talus_solver *solver) {
  const talus_context *const context = solver->context;
  const int32_t asked = solver->settings.threads;
  return asked > 0 && !tl_context_forked(context)
             ? asked
             : tl_threads_for(context, solver->problem.contact_count);
}

const tl_backend *tl_solver_backend(const talus_context *context, talus_memory memory,
                                    int32_t constraints) {
  return context->def.backend == TALUS_BACKEND_AUTO && memory == TALUS_MEMORY_HOST &&
                 constraints < DEVICE_CONTACTS
             ? &tl_backend_cpu
             : context->backend;
}

/* ---- the system ------------------------------------------------------------------------------ */

talus_status tl_plan_assemble(talus_solver *solver) {
  const double begin = tl_clock();
  solver->plan = &tl_plan_engine;
  tl_method_memory_forget(&solver->methods);
  solver->assembly.threads = tl_solver_threads(solver);
  TL_TRY(tl_system_build(solver->context, &solver->problem, tl_solver_wants_colours(solver),
                         &solver->assembly));
  solver->seconds_build = tl_clock() - begin;
  return TALUS_OK;
}

talus_status tl_plan_choose(talus_solver *solver, double begin) {
  solver->plan = &tl_plan_engine;
  solver->assembly.ordering = TL_ORDERING_NONE;
  solver->dense_refused = false;
  if (tl_plan_dense_serves(solver)) {
    TL_TRY(tl_plan_dense_take(solver));
    solver->seconds_build = tl_clock() - begin;
  }
  return solver->plan == &tl_plan_dense ? TALUS_OK : tl_plan_assemble(solver);
}

/* The order of the contacts follows from the method, not from the methods used before. */
static talus_status engine_prepare(talus_solver *solver) {
  if (!solver->dense_refused && tl_plan_dense_serves(solver)) {
    TL_TRY(tl_plan_dense_take(solver));
    if (solver->plan == &tl_plan_dense) {
      return TALUS_OK;
    }
  }
  const tl_ordering wanted =
      tl_solver_wants_colours(solver) ? TL_ORDERING_COLOURS : TL_ORDERING_BODIES;
  return solver->assembly.ordering == wanted ? TALUS_OK : tl_plan_assemble(solver);
}

/* ---- the engine ------------------------------------------------------------------------------ */

/* An engine of the right kind, whatever it holds. */
static talus_status slot_fill(talus_solver *solver) {
  tl_engine_slot *const slot = &solver->slot;
  const talus_precision precision = solver->settings.precision;
  const int32_t contacts = solver->assembly.system.shape.contact_count;
  const tl_backend *const backend =
      solver->on_host ? &tl_backend_cpu
                      : tl_solver_backend(solver->context, solver->memory, contacts);
  if (slot->engine != NULL && slot->precision == precision && slot->backend == backend) {
    return TALUS_OK;
  }
  if (slot->engine != NULL) {
    slot->engine->ops->destroy(slot->engine);
  }
  *slot = (tl_engine_slot){.precision = precision, .backend = backend};
  return backend->create(solver->context, precision, &slot->engine);
}

talus_status tl_plan_engine_make(talus_solver *solver, tl_raw *raw) {
  TL_TRY(slot_fill(solver));
  tl_engine_slot *const slot = &solver->slot;
  if (solver->on_ranks) {
    const talus_status status =
        tl_halo_finish(&solver->part, &solver->assembly, &solver->rank_halo);
    if (status != TALUS_OK) { /* nothing that was made for exchanges may be kept */
      solver->part.kept.valid = false;
      return status;
    }
  }
  const int32_t threads = tl_solver_threads(solver);
  if (slot->revision == solver->assembly.revision && (slot->threads == threads || raw != NULL)) {
    slot->threads = threads;
    return TALUS_OK;
  }
  slot->revision = 0;
  TL_TRY(slot->engine->ops->upload(slot->engine, &solver->assembly.system, raw, threads));
  slot->revision = solver->assembly.revision;
  slot->threads = threads;
  return TALUS_OK;
}

/* ---- the solve ------------------------------------------------------------------------------- */

/* How much larger than the tolerance an epsilon may be, by the problem's velocity_scale. */
static double slack_of(const tl_run *run, double inverse_weight) {
  return run->velocity_scale > 0 && run->settings->measure != TALUS_MEASURE_SICONOS
             ? tl_reference_slack(run->velocity_scale, inverse_weight, run->reference)
             : 1;
}

/* What the run knows of the engine and the system in it. */
static void run_connect(tl_solve *solve, double reference, double inverse_weight) {
  const talus_solver *const solver = solve->solver;
  const tl_assembly *const assembly = &solver->assembly;
  tl_run *const run = &solve->run;
  assert(solver->slot.revision == assembly->revision);
  run->engine = solver->slot.engine;
  run->ops = run->engine->ops;
  run->backend = solver->slot.backend->kind;
  run->threads = solver->slot.threads;
  run->on_device = solver->plan == &tl_plan_device;
  run->coloured = assembly->ordering == TL_ORDERING_COLOURS;
  run->velocity_scale = solver->problem.velocity_scale * assembly->velocity_unit;
  run->reference = reference;
  run->slack = slack_of(run, inverse_weight);
  run->target = run->slack * run->tolerance;
  run->notes |= assembly->notes;
  solve->colours = assembly->system.colour_count;
}

/* Impulses in the engine's order. */
static const double *start_import(talus_solver *solver, const double *start) {
  double *const internal = tl_assembly_impulses(&solver->assembly)->memory;
  tl_impulse_import(solver->context, &solver->assembly, start, start + tl_solver_rows(solver),
                    internal);
  return internal;
}

talus_status tl_plan_engine_rest(tl_solve *solve) {
  TL_TRY(solve->run.ops->start(solve->run.engine, TL_START_GIVEN, NULL, 1));
  return solve->run.ops->keep(solve->run.engine);
}

talus_status tl_plan_engine_run(tl_solve *solve, const double *start, double reference,
                                double inverse_weight) {
  tl_run *const run = &solve->run;
  run_connect(solve, reference, inverse_weight);
  const double *const impulse = start != NULL ? start_import(solve->solver, start) : NULL;
  if (run->settings->fixed_iterations > 0) {
    return tl_run_fixed(solve, impulse);
  }
  if (tl_settings_small(run->settings)) {
    return tl_small_solve(run, impulse, &solve->used);
  }
  solve->used = run->settings->method == TALUS_METHOD_AUTO ? TALUS_METHOD_GAUSS_SEIDEL_NESTEROV
                                                           : run->settings->method;
  if (!(run->reference > ldexp(sqrt(run->assembly->rounding), -44))) {
    run->outcome = TALUS_OUTCOME_CONVERGED; /* nothing that would move anything beyond rounding */
    return tl_plan_engine_rest(solve);
  }
  return tl_run_all(solve, impulse);
}

talus_status tl_plan_engine_export(tl_solve *solve) {
  talus_solver *const solver = solve->solver;
  double *const internal = tl_assembly_impulses(&solver->assembly)->memory;
  double *const impulse = solver->exported.memory;
  TL_TRY(solve->run.ops->finish(solve->run.engine, internal));
  tl_impulse_export(solver->context, &solver->assembly, internal, impulse,
                    impulse + tl_solver_rows(solver));
  return TALUS_OK;
}

static talus_status engine_solve(tl_solve *solve, const tl_outlet *outlet, bool *done) {
  talus_solver *const solver = solve->solver;
  double reference = 0, inverse_weight = 0;
  const double *start;
  *done = true;
  TL_TRY(tl_plan_engine_make(solver, NULL));
  TL_TRY(tl_solution_start(solve, outlet, &start));
  if (solver->settings.fixed_iterations == 0) {
    TL_TRY(tl_system_references(solver->context, &solver->assembly, solver->settings.law,
                                &reference, &inverse_weight));
  }
  return tl_plan_engine_run(solve, start, reference, inverse_weight);
}

const tl_plan tl_plan_engine = {.name = "engine",
                                .prepare = engine_prepare,
                                .solve = engine_solve,
                                .export = tl_plan_engine_export,
                                .rest = tl_plan_engine_rest};
