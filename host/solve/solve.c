/* solve.c: one solve: plan, start, methods, the certificate, results. */
#include <assert.h>
#include <math.h>

#include "host/base/structs.h"
#include "host/problem/problem_check.h"
#include "host/solve/solver.h"
#include "kernels/registry.h"

tl_solve tl_solve_begin(talus_solver *solver, const tl_found *found) {
  const talus_settings *const settings = &solver->settings;
  return (tl_solve){
      .run = {.ask = &tl_solve_ops,
              .context = solver->context,
              .settings = settings,
              .memory = &solver->methods,
              .assembly = &solver->assembly,
              .form = solver->problem.form,
              .velocity_scale = solver->problem.velocity_scale * solver->assembly.velocity_unit,
              .found = found,
              .tolerance = settings->tolerance,
              .target = settings->tolerance,
              .slack = 1},
      .solver = solver,
      .begin = tl_clock()};
}

/* Room for impulses in both orders. */
static talus_status impulses_reserve(talus_solver *solver) {
  const talus_problem *const p = &solver->problem;
  const size_t contacts = (size_t)p->contact_count * (tl_problem_wrenches(p) ? 2 : 1);
  const size_t constraints = contacts + (size_t)p->bilateral_count;
  TL_TRY(tl_buffer_reserve(solver->context, tl_assembly_impulses(&solver->assembly),
                           3 * constraints, sizeof(double), "impulses"));
  return tl_buffer_reserve(solver->context, &solver->exported, 3 * constraints, sizeof(double),
                           "impulses");
}

/* The solver's plan; what it leaves unsolved goes to an engine, anew. */
static talus_status plan_run(tl_solve *solve, const tl_outlet *outlet) {
  talus_solver *const solver = solve->solver;
  bool done;
  TL_TRY(solver->plan->solve(solve, outlet, &done));
  if (done) {
    return TALUS_OK;
  }
  TL_TRY(tl_plan_assemble(solver));
  solve->seconds_build = solver->seconds_build;
  solve->proved = false;
  solve->run.found = NULL;
  return solver->plan->solve(solve, outlet, &done);
}

/* Whether the impulses are worse than none at all, by the circular cone's law; fixed points on
 * facets may have their reasons. */
static bool is_worthless(const tl_solve *solve) {
  const talus_settings *const settings = solve->run.settings;
  const talus_certificate *const c = &solve->certificate;
  return settings->cone == TALUS_CONE_CIRCULAR &&
         (settings->law == TALUS_LAW_COULOMB ? c->residual_coulomb > c->reference_coulomb
                                             : c->residual_ccp > c->reference_ccp);
}

/* Impulses that left the range of numbers, or grew until the velocity was lost in rounding, are not
 * handed out: none are better. */
static talus_status stay_sound(tl_solve *solve) {
  const talus_solver *const solver = solve->solver;
  const double *const impulse = solver->exported.memory;
  const int64_t count = tl_solver_rows(solver) + solver->problem.bilateral_count;
  int64_t good = solve->resident ? count : 0; /* whose squares have a finite sum */
  while (good < count && isfinite(impulse[good])) {
    good++;
  }
  const bool sound = !tl_pieces_any(solve->solver, good < count);
  if (sound && !is_worthless(solve)) {
    return TALUS_OK;
  }
  solve->run.outcome = sound ? solve->run.outcome : TALUS_OUTCOME_NOT_FINITE;
  TL_TRY(solver->plan->rest(solve));
  solve->proved = solve->uncertified = false;
  return tl_solve_certify(solve);
}

/* The outcome is what the certificate says. */
static void outcome_settle(tl_solve *solve) {
  tl_run *const run = &solve->run;
  if (run->settings->fixed_iterations > 0 || solve->uncertified) {
    return; /* nothing was asked */
  }
  if (solve->measure <= run->tolerance) { /* a limit may have come at the iterate that converged */
    run->outcome = TALUS_OUTCOME_CONVERGED;
  } else if (run->outcome == TALUS_OUTCOME_CONVERGED) {
    run->outcome = isfinite(solve->measure) ? TALUS_OUTCOME_STALLED : TALUS_OUTCOME_NOT_FINITE;
  }
}

static uint32_t notes_of(const tl_solve *solve) {
  uint32_t notes = solve->run.notes;
  if (solve->run.context->def.backend == TALUS_BACKEND_AUTO &&
      solve->run.backend == TALUS_BACKEND_CPU && tl_backend_find(TALUS_BACKEND_CUDA) != NULL) {
    notes |= TALUS_NOTE_CPU_FALLBACK;
  }
  notes |= solve->uncertified ? TALUS_NOTE_UNCERTIFIED : 0;
  return solve->certificate.asymmetry > 1e-12 ? notes | TALUS_NOTE_ASYMMETRIC : notes;
}

static int64_t bytes_of(const talus_solver *solver) {
  return tl_assembly_bytes(&solver->assembly) +
         (solver->slot.engine != NULL ? solver->slot.engine->bytes : 0) +
         tl_certification_bytes(&solver->certification) + tl_gathered_bytes(&solver->gathered) +
         (int64_t)solver->exported.capacity + tl_method_memory_bytes(&solver->methods) +
         tl_sleep_bytes(&solver->sleep) + tl_keys_bytes(&solver->contact_keys) +
         tl_keys_bytes(&solver->row_keys) + tl_part_bytes(&solver->part);
}

static void info_fill(const tl_solve *solve, talus_info *info) {
  const talus_solver *const solver = solve->solver;
  const tl_run *const run = &solve->run;
  info->outcome = run->outcome;
  info->method = solve->used;
  info->precision = solver->settings.precision;
  info->backend = run->backend;
  info->threads = run->threads;
  info->colours = solve->colours;
  info->notes = notes_of(solve);
  info->iterations = run->iterations;
  info->passes = run->passes;
  info->factorisations = run->factorisations;
  info->measure = solve->measure;
  info->incompatible = run->incompatible;
  info->certificate = solve->certificate;
  const double all = tl_clock() - solve->begin - solve->seconds_build;
  info->seconds_check = solver->seconds_check;
  info->seconds_build = solver->seconds_build;
  info->seconds_certificate = solve->seconds_certificate;
  info->seconds_iterate = all - solve->seconds_certificate;
  info->seconds = all + solver->seconds_check + solver->seconds_build;
  info->bytes = bytes_of(solver);
  info->islands = solver->sleep.islands;
  info->islands_asleep = solver->sleep.skipped;
  info->keys_matched = solver->on_ranks ? solver->part.keys_matched : solve->keys_matched;
}

/* Contacts of six rows and elliptic cones are for methods of first order, and newton, on the
 * circular cone. */
static talus_status wrenches_allow(const talus_solver *solver) {
  const talus_settings *const s = &solver->settings;
  const tl_method_family family = tl_method_of(s->method)->family;
  if (!tl_problem_wrenches(&solver->problem)) {
    return TALUS_OK;
  }
  const char *const what =
      solver->problem.dimension == 6 ? "contacts of six rows" : "elliptic cones";
  if (tl_settings_small(s) || (family != TL_FAMILY_AUTO && family != TL_FAMILY_FIRST_ORDER &&
                               s->method != TALUS_METHOD_NEWTON)) {
    return tl_fail(
        solver->context, TALUS_UNSUPPORTED,
        "settings.method %s with cone %s does not take %s: auto, jacobi, apgd, apgdb, "
        "gauss_seidel, gauss_seidel_nesterov, spectral and newton with the circular cone do",
        talus_method_name(s->method), talus_cone_name(s->cone), what);
  }
  return s->unique ? tl_fail(solver->context, TALUS_UNSUPPORTED,
                             "settings.unique is not for %s: set it to 0", what)
                   : TALUS_OK;
}

talus_status tl_solver_solve(talus_solver *solver, const tl_request *request) {
  assert(solver->plan != NULL); /* tl_request_make refuses a solver without a problem */
  talus_info info = talus_info_default();
  tl_outlet outlet;
  TL_TRY(wrenches_allow(solver));
  TL_TRY(solver->plan->prepare(solver));
  TL_TRY(tl_outlet_make(solver->context, tl_solver_whole(solver), request->solution, &outlet));
  tl_solve solve = tl_solve_begin(solver, request->found);
  solve.velocity_wanted = outlet.contact_velocity.array != NULL;
  solve.queued = request->queued;
  TL_TRY(impulses_reserve(solver));
  TL_TRY(plan_run(&solve, &outlet));
  TL_TRY(tl_solve_certify(&solve));
  TL_TRY(stay_sound(&solve));
  outcome_settle(&solve);
  /* before results may go over the problem's arrays */
  tl_dump_consider(solver, solve.run.outcome, solve.measure);
  TL_TRY(solve.resident ? tl_plan_device_give(&solve, &outlet) : tl_solution_fill(solver, &outlet));
  solver->solve_count++;
  info_fill(&solve, &info);
  if (request->info != NULL) {
    tl_struct_write(&tl_struct_info, &info, request->info);
  }
  return TALUS_OK;
}
