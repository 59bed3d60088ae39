/* bench_measure.c: times one method on one problem.
 *
 * The time of a pass is a difference: two solves that are alike but for their number of iterations
 * share all of the set-up, and the best of several of each is taken. The seconds to a tolerance
 * are those of a whole solve, certificate included. */
#include <math.h>
#include <stdio.h>

#include "host/cli/bench.h"
#include "host/cli/cli.h"
#include "host/cli/progress.h"

enum {
  FEW = 10,   /* iterations: the first look at the residual is behind */
  MANY = 50,  /* and the next one has not come */
  LEAST = 3,  /* repetitions at the least */
  MOST = 200, /* small problems are repeated more often ... */
};
static const double enough_seconds = 0.5; /* ... until so much time was spent */

static talus_settings settings_of(const tl_bench_options *options, const tl_bench_result *result) {
  talus_settings settings = talus_settings_default();
  settings.law = (talus_law)options->law;
  settings.method = result->method;
  settings.precision = result->precision;
  settings.threads = result->threads;
  settings.max_seconds = options->max_seconds;
  return settings;
}

static talus_status solve_timed(talus_solver *solver, talus_settings settings, int64_t iterations,
                                talus_info *info) {
  settings.tolerance = 1e-300;
  settings.max_iterations = iterations;
  *info = talus_info_default();
  const talus_status status = talus_solver_set(solver, &settings);
  return status == TALUS_OK ? talus_solver_solve(solver, NULL, info) : status;
}

/* Seconds of one pass; stays negative if the method ends before it has made enough of them. */
static talus_status time_pass(talus_solver *solver, talus_settings settings,
                              tl_bench_result *result) {
  double few = INFINITY, many = INFINITY, spent = 0;
  int64_t few_passes = 0, many_passes = 0;
  for (int i = 0; i < LEAST || (i < MOST && spent < enough_seconds); i++) {
    talus_info info;
    talus_status status = solve_timed(solver, settings, FEW, &info);
    if (status != TALUS_OK) {
      return status;
    }
    few = fmin(few, info.seconds_iterate);
    few_passes = info.passes;
    spent += info.seconds_iterate;
    status = solve_timed(solver, settings, MANY, &info);
    if (status != TALUS_OK) {
      return status;
    }
    many = fmin(many, info.seconds_iterate);
    many_passes = info.passes;
    spent += info.seconds_iterate;
    result->bytes = info.bytes;
    result->seconds_check = info.seconds_check;
    result->seconds_build = info.seconds_build;
    result->seconds_certificate = info.seconds_certificate;
    if (tl_progress_interrupted()) {
      break;
    }
  }
  if (many_passes > few_passes && many > few) {
    result->pass_seconds = (many - few) / (double)(many_passes - few_passes);
  }
  return TALUS_OK;
}

/* Solves from loose to tight; what comes after the first failure is left out. */
static talus_status reach_targets(talus_solver *solver, const talus_problem *source,
                                  talus_settings settings, const tl_bench_list *tolerances,
                                  tl_bench_result *result) {
  int reached = 1;
  for (int i = 0; i < tolerances->count; i++) {
    tl_bench_target *const target = &result->target[result->target_count++];
    *target = (tl_bench_target){.tolerance = tolerances->value[i]};
    if (!reached || tl_progress_interrupted()) {
      continue;
    }
    char label[96];
    snprintf(label, sizeof label, "%s %s, %d threads", talus_method_name(result->method),
             talus_precision_name(result->precision), result->threads);
    tl_progress progress;
    tl_progress_begin(&progress, label, target->tolerance);
    settings.tolerance = target->tolerance;
    settings.progress = tl_progress_report;
    settings.progress_user = &progress;
    talus_info info = talus_info_default();
    talus_status status = talus_solver_set(solver, &settings);
    status = status == TALUS_OK ? talus_solver_update(solver, source) : status;
    status = status == TALUS_OK ? talus_solver_solve(solver, NULL, &info) : status;
    tl_progress_end(&progress);
    if (status != TALUS_OK) {
      return status;
    }
    target->run = 1;
    target->outcome = info.outcome;
    target->passes = info.passes;
    target->seconds = info.seconds;
    target->measure = info.measure;
    reached = info.outcome == TALUS_OUTCOME_CONVERGED;
  }
  return TALUS_OK;
}

int tl_bench_measure(talus_context *context, const tl_bench_options *options,
                     const talus_problem *source, tl_bench_problem *problem,
                     tl_bench_result *result) {
  const talus_settings settings = settings_of(options, result);
  result->pass_seconds = result->traffic = result->limit_ratio = -1;
  /* a solver of its own: the order of the contacts and the memory depend on the method */
  talus_solver *solver = NULL;
  talus_status status = talus_solver_create(context, &settings, &solver);
  status = status == TALUS_OK ? talus_solver_update(solver, source) : status;
  status = status == TALUS_OK ? time_pass(solver, settings, result) : status;
  if (status == TALUS_OK) {
    status = reach_targets(solver, source, settings, &options->tolerances, result);
  }
  talus_solver_destroy(solver);
  if (status == TALUS_UNSUPPORTED) { /* a fact about the method, not a failure */
    return TL_EXIT_OK;
  }
  if (status != TALUS_OK) {
    return tl_cli_fail_status(context, status, problem->name);
  }
  result->traffic = tl_bench_traffic(problem, result->method, result->precision, settings.law);
  if (result->traffic > 0 && result->pass_seconds > 0 && result->copy_bandwidth > 0) {
    result->limit_ratio = result->pass_seconds * result->copy_bandwidth / result->traffic;
  }
  return TL_EXIT_OK;
}
