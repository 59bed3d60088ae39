/* profile_run.c: every method on every problem, timed; ratios to the fastest.
 *
 * Each method has a solver of its own and is handed the problem anew each time, so that check,
 * sorting and certificate count; reading the file does not. Only solves that reached the tolerance
 * are repeated. One thread is timed by what it computes, so that others on the machine count less.
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host/base/base.h"
#include "host/cli/cli.h"
#include "host/cli/profile.h"
#include "host/cli/progress.h"

static const double enough_seconds = 0.5; /* a solve that took longer is not repeated */

static talus_settings settings_of(const tl_profile_options *o, talus_method method,
                                  tl_progress *progress) {
  talus_settings settings = talus_settings_default();
  settings.law = (talus_law)o->law;
  settings.method = method;
  settings.cone = (talus_cone)o->cone;
  settings.facets = (int32_t)o->facets;
  settings.measure = (talus_measure)o->measure;
  settings.tolerance = o->tolerance;
  settings.max_seconds = o->max_seconds;
  settings.max_iterations = INT64_MAX / 4; /* time is the measure */
  settings.progress = tl_progress_report;
  settings.progress_user = progress;
  return settings;
}

static double clock_of(const tl_profile_options *o) {
  struct timespec now;
  if (o->threads != 1 || clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) != 0) {
    return tl_clock();
  }
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static talus_status solve_timed(tl_profile *p, const talus_settings *settings,
                                const talus_problem *problem, tl_profile_run *run) {
  talus_solver *solver = NULL;
  talus_status status = talus_solver_create(p->context, settings, &solver);
  double spent = 0;
  run->seconds = INFINITY;
  for (int64_t i = 0; status == TALUS_OK && i < p->options.repeat && spent < enough_seconds; i++) {
    run->info = talus_info_default();
    const double begin = clock_of(&p->options);
    status = talus_solver_update(solver, problem);
    status = status == TALUS_OK ? talus_solver_solve(solver, NULL, &run->info) : status;
    const double seconds = clock_of(&p->options) - begin;
    run->seconds = fmin(run->seconds, seconds);
    spent += seconds;
    if (run->info.outcome != TALUS_OUTCOME_CONVERGED) {
      break;
    }
  }
  talus_solver_destroy(solver);
  return status;
}

static int solve_one(tl_profile *p, const talus_problem *problem, tl_profile_problem *to, int m) {
  const talus_method method = p->options.method[m];
  tl_profile_run *const run = &to->run[m];
  char label[160];
  const char *slash = strrchr(to->file, '/');
  snprintf(label, sizeof label, "[%d/%d] %s, %s", p->count + 1, p->file_count,
           slash != NULL ? slash + 1 : to->file, talus_method_name(method));
  tl_progress progress;
  tl_progress_begin(&progress, label, p->options.tolerance);
  const talus_settings settings = settings_of(&p->options, method, &progress);
  const talus_status status = solve_timed(p, &settings, problem, run);
  tl_progress_end(&progress);
  run->info.method = method;
  run->done = status == TALUS_OK && (run->info.notes & TALUS_NOTE_STOPPED) == 0;
  if (status != TALUS_OK && status != TALUS_UNSUPPORTED) { /* a fact about the method */
    return tl_cli_fail_status(p->context, status, to->file);
  }
  return TL_EXIT_OK;
}

static void ratios_find(const tl_profile_options *o, tl_profile_problem *problem) {
  double best = INFINITY;
  problem->fastest = -1;
  for (int m = 0; m < o->method_count; m++) {
    const tl_profile_run *const run = &problem->run[m];
    if (run->done && run->info.outcome == TALUS_OUTCOME_CONVERGED && run->seconds < best) {
      best = run->seconds;
      problem->fastest = m;
    }
  }
  for (int m = 0; m < o->method_count; m++) {
    tl_profile_run *const run = &problem->run[m];
    const bool solved = run->done && run->info.outcome == TALUS_OUTCOME_CONVERGED;
    run->ratio = solved ? run->seconds / fmax(best, 1e-9) : INFINITY;
    run->ratio = m == problem->fastest ? 1 : run->ratio;
  }
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static int sums_find(tl_profile *p) {
  double *const ratio = tl_cli_numbers(p->count);
  for (int m = 0; m < p->options.method_count && ratio != NULL; m++) {
    tl_profile_sum *const sum = &p->sum[m];
    *sum = (tl_profile_sum){.median = NAN, .worst = NAN};
    for (int i = 0; i < p->count; i++) {
      const tl_profile_run *const run = &p->problem[i].run[m];
      sum->tried += run->done;
      sum->seconds += run->done ? run->info.seconds : 0;
      sum->fastest += p->problem[i].fastest == m;
      if (isfinite(run->ratio)) {
        ratio[sum->solved++] = run->ratio;
      }
    }
    if (sum->solved > 0) {
      qsort(ratio, (size_t)sum->solved, sizeof *ratio, ascending);
      sum->median = ratio[sum->solved / 2];
      sum->worst = ratio[sum->solved - 1];
    }
  }
  free(ratio);
  return ratio != NULL ? TL_EXIT_OK : TL_EXIT_BAD;
}

/* All methods on one file; it counts once it is complete. */
static int problem_solve(tl_profile *p, char *file) {
  talus_stored *stored = NULL;
  const talus_status status = talus_problem_read(p->context, file, &stored);
  if (status != TALUS_OK) {
    fprintf(stderr, "talus: passed over %s: %s\n", file, talus_context_message(p->context));
    return TL_EXIT_OK;
  }
  tl_profile_problem *const to = &p->problem[p->count];
  *to = (tl_profile_problem){.file = file,
                             .form = stored->problem.form,
                             .contacts = stored->problem.contact_count,
                             .rows = stored->problem.bilateral_count};
  to->run = calloc((size_t)p->options.method_count, sizeof *to->run);
  int code = to->run != NULL ? TL_EXIT_OK : tl_cli_fail("out of memory");
  for (int m = 0; code == TL_EXIT_OK && m < p->options.method_count; m++) {
    code = tl_progress_interrupted() ? TL_EXIT_INTERRUPTED : solve_one(p, &stored->problem, to, m);
  }
  talus_stored_destroy(stored);
  if (code != TL_EXIT_OK) {
    free(to->run);
    return code;
  }
  ratios_find(&p->options, to);
  p->count++;
  return TL_EXIT_OK;
}

int tl_profile_solve(tl_profile *p) {
  int code = TL_EXIT_OK;
  p->problem = calloc((size_t)p->file_count, sizeof *p->problem);
  if (p->problem == NULL) {
    return tl_cli_fail("out of memory");
  }
  for (int i = 0; i < p->file_count && code == TL_EXIT_OK; i++) {
    code = problem_solve(p, p->file[i]);
  }
  if (code == TL_EXIT_BAD) {
    return code;
  }
  if (p->count == 0 && code == TL_EXIT_OK) {
    return tl_cli_fail("none of the files holds a contact problem");
  }
  if (p->count == 0) {
    tl_cli_fail("interrupted before the first problem was done");
    return code;
  }
  return sums_find(p) == TL_EXIT_OK ? code : TL_EXIT_BAD;
}
