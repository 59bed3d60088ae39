/* certify.c: asks the certificate: about the impulses that a solve has kept, and about any
 * others. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "host/base/structs.h"
#include "host/problem/problem_check.h"
#include "host/solve/solver.h"
#include "kernels/halo.h"

/* Siconos' measure is relative to the impulses among others, and so forgives any that grow without
 * bound: above this epsilon it is not believed. */
#define SOLVED_AT_ALL 0.1

/* What nobody computed: no number, which no comparison takes for a small one. */
static void certificate_leave(tl_solve *solve) {
  const size_t first = offsetof(talus_certificate, epsilon_ccp);
  double nothing[sizeof solve->certificate / sizeof(double)];
  for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++) {
    nothing[i] = NAN;
  }
  solve->certificate = (talus_certificate){.struct_size = sizeof solve->certificate};
  memcpy((char *)&solve->certificate + first, nothing, sizeof solve->certificate - first);
  solve->measure = NAN;
}

/* From the caller's arrays. */
static talus_status host_certify(tl_solve *solve) {
  talus_solver *const solver = solve->solver;
  TL_TRY(solver->plan->export(solve));
  const double *const impulse = solver->exported.memory;
  const tl_system *const system = &solver->assembly.system;
  const bool bricks = solver->plan == &tl_plan_engine &&
                      (system->shape.unit_chunk_count > 0 || system->halo != NULL);
  solver->certification.polygon = tl_polygon_of(&solver->settings);
  solver->certification.bricks = bricks ? system : NULL;
  /* impulses in the engine's order have just gone out of it */
  solver->certification.velocity_room =
      solve->velocity_wanted ? tl_assembly_impulses(&solver->assembly)->memory : NULL;
  TL_TRY(tl_certification_make(solver->context, &solver->problem, impulse,
                               impulse + tl_solver_rows(solver), solve->run.threads,
                               &solver->certification));
  if (solver->settings.fixed_iterations > 0 || solve->uncertified) {
    certificate_leave(solve);
  } else {
    tl_certification_evaluate(&solver->certification, &solve->certificate);
  }
  return system->halo != NULL ? system->halo->check(system->halo) : TALUS_OK;
}

/* Where problem and impulses are, if they are to stay there. Numbers out of the ordinary are left
 * to the host: the solve is then no longer resident. */
static talus_status resident_certify(tl_solve *solve) {
  if (!solve->resident) {
    return TALUS_OK;
  }
  tl_judge_sums sums;
  TL_TRY(tl_plan_device_judge(solve, &sums));
  solve->resident = tl_certificate_unit(&sums) == 1 && isfinite(sums.impulse);
  if (solve->resident && solve->uncertified) {
    certificate_leave(solve);
  } else if (solve->resident) {
    tl_certificate_conclude(&sums, &solve->solver->certification, &solve->certificate);
  }
  return TALUS_OK;
}

bool tl_solve_believes(const tl_solve *solve) {
  const talus_settings *const s = solve->run.settings;
  return s->measure == TALUS_MEASURE_EPSILON && s->cone == TALUS_CONE_CIRCULAR &&
         (s->certify == 0 || solve->solver->solve_count % s->certify != 0);
}

talus_status tl_solve_certify(tl_solve *solve) {
  talus_solver *const solver = solve->solver;
  const talus_settings *const settings = &solver->settings;
  const talus_certificate *const c = &solve->certificate;
  if (solve->proved) {
    return TALUS_OK;
  }
  const double begin = tl_clock();
  TL_TRY(resident_certify(solve));
  if (!solve->resident) {
    TL_TRY(host_certify(solve));
  }
  solve->proved = true;
  if (settings->fixed_iterations > 0) {
    return TALUS_OK;
  }
  if (solve->uncertified) {
    solve->measure = fmin(solve->run.best / solve->run.slack, settings->tolerance);
    solve->seconds_certificate += tl_clock() - begin;
    return TALUS_OK;
  }
  const bool exact = settings->law == TALUS_LAW_COULOMB;
  const double epsilon = exact ? c->error_coulomb : c->error_ccp;
  const double siconos = exact ? c->siconos_coulomb : c->siconos_ccp;
  solve->measure =
      settings->measure == TALUS_MEASURE_SICONOS && epsilon <= SOLVED_AT_ALL ? siconos : epsilon;
  solve->seconds_certificate += tl_clock() - begin;
  return TALUS_OK;
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
