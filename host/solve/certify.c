/* certify.c: asks the certificate: about the impulses that a run has kept, and about anybody's. */
#include <string.h>

#include "host/base/structs.h"
#include "host/problem/problem_check.h"
#include "host/solve/solver.h"

/* Siconos' measure is relative to the impulses among others, and so forgives any that grow without
 * bound: above this epsilon it is not believed. */
#define SOLVED_AT_ALL 0.1

static double *rows_behind(const talus_solver *solver, double *impulse) {
  return impulse + (int64_t)solver->problem.dimension * solver->problem.contact_count;
}

talus_status tl_run_judge(tl_run *run) {
  talus_solver *const solver = run->solver;
  const double *const impulse = solver->exported.memory;
  const double *const bilateral = rows_behind(solver, solver->exported.memory);
  const talus_certificate *const c = &run->certificate;
  const double begin = tl_clock();
  solver->certification.polygon = tl_polygon_of(&solver->settings);
  TL_TRY(tl_certification_make(run->context, &solver->problem, impulse, bilateral, solver->threads,
                               &solver->certification));
  tl_certification_evaluate(&solver->certification, &run->certificate);
  const double epsilon = run->law == 1 ? c->error_coulomb : c->error_ccp;
  const double siconos = run->law == 1 ? c->siconos_coulomb : c->siconos_ccp;
  run->measure = solver->settings.measure == TALUS_MEASURE_SICONOS && epsilon <= SOLVED_AT_ALL
                     ? siconos
                     : epsilon;
  run->seconds_certificate += tl_clock() - begin;
  run->proved = 1;
  return TALUS_OK;
}

talus_status tl_run_certify(tl_run *run) {
  talus_solver *const solver = run->solver;
  if (run->proved) {
    return TALUS_OK;
  }
  double *const internal = tl_solver_internal(solver)->memory;
  double *const impulse = solver->exported.memory;
  const double begin = tl_clock();
  TL_TRY(tl_resident_fetch(solver));
  TL_TRY(run->ops->finish(run->engine, internal));
  tl_impulse_export(&solver->assembly, internal, impulse, rows_behind(solver, impulse));
  run->seconds_certificate += tl_clock() - begin;
  return tl_run_judge(run);
}

talus_status talus_certify(talus_context *context, const talus_problem *problem,
                           const double *impulse, const double *bilateral_impulse,
                           talus_certificate *certificate) {
  return talus_certify_cone(context, problem, NULL, impulse, bilateral_impulse, certificate);
}

static talus_status certify(talus_context *context, const talus_problem *given,
                            const talus_settings *settings, const double *impulse,
                            const double *bilateral_impulse, talus_certificate *certificate) {
  talus_settings used;
  tl_problem_copy copy;
  TL_TRY(tl_struct_check(context, &tl_struct_certificate, "certificate", certificate));
  TL_TRY(tl_settings_read(context, settings, &used));
  TL_TRY(tl_problem_copy_make(context, given, &copy));
  const talus_problem *problem;
  tl_gathered gathered;
  tl_certification certification;
  memset(&gathered, 0, sizeof gathered);
  memset(&certification, 0, sizeof certification);
  certification.polygon = tl_polygon_of(&used);
  talus_status status = tl_problem_gather(context, &copy.problem, &gathered, &problem);
  if (status == TALUS_OK) {
    status = tl_problem_check(context, problem);
  }
  if (status == TALUS_OK && ((impulse == NULL && problem->contact_count > 0) ||
                             (bilateral_impulse == NULL && problem->bilateral_count > 0))) {
    status = tl_fail(context, TALUS_MISSING_ARRAY, "impulse or bilateral_impulse is NULL");
  }
  if (status == TALUS_OK) {
    status = tl_certification_make(context, problem, impulse, bilateral_impulse,
                                   tl_context_threads(context), &certification);
  }
  if (status == TALUS_OK) {
    talus_certificate found;
    tl_certification_evaluate(&certification, &found);
    tl_struct_write(&tl_struct_certificate, &found, certificate);
  }
  tl_certification_release(context, &certification);
  tl_gathered_release(context, &gathered);
  return status;
}

talus_status talus_certify_cone(talus_context *context, const talus_problem *problem,
                                const talus_settings *settings, const double *impulse,
                                const double *bilateral_impulse, talus_certificate *certificate) {
  TL_TRY(tl_context_enter(context));
  const talus_status status =
      certify(context, problem, settings, impulse, bilateral_impulse, certificate);
  tl_context_leave(context);
  return status;
}
