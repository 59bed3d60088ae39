/* solve.c: one solve: engine, start, methods, the certificate's last word, results. */
#include <math.h>

#include "host/solve/direct.h"
#include "host/solve/solver.h"
#include "kernels/registry.h"

/* Nothing to solve: no constraint, or none that would move anything beyond rounding. */
static talus_status rest(tl_run *run) {
  TL_TRY(run->ops->start(run->engine, NULL, 1));
  TL_TRY(run->ops->keep(run->engine));
  run->outcome = TALUS_OUTCOME_CONVERGED;
  return TALUS_OK;
}

/* How much larger than the tolerance an epsilon may be, by the problem's velocity_scale. */
static double slack_of(const talus_solver *solver, double reference) {
  const talus_problem *const problem = solver->resident ? &solver->given : &solver->problem;
  if (!(problem->velocity_scale > 0) || solver->settings.measure == TALUS_MEASURE_SICONOS) {
    return 1;
  }
  const double unit = solver->resident ? solver->raw.velocity_unit : solver->assembly.velocity_unit;
  const double inverse_weight = solver->resident
                                    ? solver->raw.inverse_weight
                                    : tl_system_inverse_weight(&solver->assembly.system);
  return tl_reference_slack(problem->velocity_scale * unit, inverse_weight, reference);
}

static talus_status solve_run(talus_solver *solver, const tl_outlet *outlet, tl_run *run,
                              talus_method *used) {
  const tl_system *const system = &solver->assembly.system;
  const size_t constraints = solver->direct ? (size_t)solver->problem.contact_count +
                                                  (size_t)solver->problem.bilateral_count
                                            : (size_t)system->shape.contact_count;
  TL_TRY(tl_buffer_reserve(solver->context, tl_solver_internal(solver), 3 * constraints,
                           sizeof(double), "impulses"));
  TL_TRY(tl_buffer_reserve(solver->context, &solver->exported, 3 * constraints, sizeof(double),
                           "impulses"));
  run->law = solver->settings.law == TALUS_LAW_COULOMB;
  run->tolerance = solver->settings.tolerance;
  run->target = solver->settings.tolerance;
  run->slack = 1;
  if (solver->direct) {
    int done;
    const double *start;
    *used = TALUS_METHOD_MNCP_PROX;
    TL_TRY(tl_solution_start(solver, outlet, &start));
    TL_TRY(tl_direct_solve(run, start, &done));
    if (done) {
      return TALUS_OK;
    }
    TL_TRY(tl_solver_assemble(solver));
    run->seconds_build = solver->seconds_build;
    run->proved = 0;
  }
  TL_TRY(tl_engine_make(solver));
  run->engine = solver->engine;
  run->ops = solver->engine->ops;
  run->reference =
      solver->resident ? solver->raw.reference[run->law] : tl_system_residual(system, run->law);
  run->slack = slack_of(solver, run->reference);
  run->target = run->slack * run->tolerance;
  *used = solver->settings.method == TALUS_METHOD_AUTO ? TALUS_METHOD_GAUSS_SEIDEL_NESTEROV
                                                       : solver->settings.method;
  const double rounding = solver->resident ? solver->raw.rounding : solver->assembly.rounding;
  const double *start;
  TL_TRY(tl_solution_start(solver, outlet, &start));
  if (tl_small_takes(&solver->settings)) {
    return tl_small_solve(run, start, used);
  }
  if (!(run->reference > ldexp(sqrt(rounding), -44))) {
    return rest(run);
  }
  return tl_run_all(run, start, used);
}

/* Worse than none at all, by the circular cone's law; fixed points on facets may have their
 * reasons. */
static int is_worthless(const tl_run *run) {
  const talus_certificate *const c = &run->certificate;
  return run->solver->settings.cone == TALUS_CONE_CIRCULAR &&
         (run->law == 1 ? c->residual_coulomb > c->reference_coulomb
                        : c->residual_ccp > c->reference_ccp);
}

/* Impulses that left the range of numbers, or grew until the velocity was lost in rounding, are not
 * handed out: none are better. */
static talus_status stay_sound(tl_run *run) {
  const double *const impulse = run->solver->exported.memory;
  const talus_problem *const problem = &run->solver->problem;
  const int64_t count =
      (int64_t)problem->dimension * problem->contact_count + problem->bilateral_count;
  int64_t good = 0;
  while (good < count && isfinite(impulse[good])) {
    good++;
  }
  if (good == count && !is_worthless(run)) {
    return TALUS_OK;
  }
  run->proved = 0;
  run->outcome = good == count ? run->outcome : TALUS_OUTCOME_NOT_FINITE;
  if (run->solver->direct) { /* there is no engine */
    return tl_direct_rest(run);
  }
  TL_TRY(run->ops->start(run->engine, NULL, 1));
  TL_TRY(run->ops->keep(run->engine));
  return tl_run_certify(run);
}

static void info_fill(const talus_solver *solver, const tl_run *run, talus_method used,
                      talus_info *info) {
  info->outcome = run->outcome;
  info->method = used;
  info->precision = solver->settings.precision;
  info->backend = solver->direct ? TALUS_BACKEND_CPU : solver->engine_backend->kind;
  info->threads = solver->threads;
  info->colours = solver->direct ? 0 : solver->assembly.system.colour_count;
  info->notes = run->notes | (solver->direct ? 0 : solver->assembly.notes);
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
  const double all = tl_clock() - run->begin - run->seconds_build;
  info->seconds_check = solver->seconds_check;
  info->seconds_build = solver->seconds_build;
  info->seconds_certificate = run->seconds_certificate;
  info->seconds_iterate = all - run->seconds_certificate;
  info->seconds = all + solver->seconds_check + solver->seconds_build;
  info->bytes =
      tl_assembly_bytes(&solver->assembly) + (solver->engine != NULL ? solver->engine->bytes : 0) +
      tl_certification_bytes(&solver->certification) + tl_gathered_bytes(&solver->gathered) +
      (int64_t)solver->exported.capacity + tl_small_bytes(solver->small) +
      tl_newton_bytes(solver->newton) + tl_sleep_bytes(&solver->sleep) +
      tl_keys_bytes(&solver->contact_keys) + tl_keys_bytes(&solver->row_keys);
  info->islands = solver->sleep.islands;
  info->islands_asleep = solver->sleep.skipped;
  info->keys_matched = solver->keys_matched;
}

talus_status tl_solve_carry_out(talus_solver *solver, const talus_solution *solution,
                                talus_info *info) {
  tl_outlet outlet;
  TL_TRY(tl_outlet_make(solver->context, tl_solver_whole(solver), solution, &outlet));
  tl_run run = {.solver = solver, .context = solver->context, .begin = tl_clock()};
  talus_method used;
  TL_TRY(solve_run(solver, &outlet, &run, &used));
  TL_TRY(tl_run_certify(&run));
  TL_TRY(stay_sound(&run));
  if (run.measure <= run.tolerance) { /* a limit may have come at the very iterate that converged */
    run.outcome = TALUS_OUTCOME_CONVERGED;
  } else if (run.outcome == TALUS_OUTCOME_CONVERGED) { /* the certificate has the last word */
    run.outcome = isfinite(run.measure) ? TALUS_OUTCOME_STALLED : TALUS_OUTCOME_NOT_FINITE;
  }
  tl_dump_consider(solver, run.outcome, run.measure); /* results may go over the problem's arrays */
  TL_TRY(tl_solution_fill(solver, &outlet));
  info_fill(solver, &run, used, info);
  return TALUS_OK;
}
