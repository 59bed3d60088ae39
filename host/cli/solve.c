/* solve.c: `talus solve FILE`: reads a problem, solves it by one method or by all, reports what the
 * impulses are worth and writes them.
 *
 * Everything that can be refused is refused before the solve: options, input, output. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/cli/cli.h"
#include "host/cli/options.h"
#include "host/cli/progress.h"
#include "host/cli/solve.h"

static tl_parsed parse_options(tl_solve_options *o, int argc, char **argv) {
  const talus_settings defaults = talus_settings_default();
  *o = (tl_solve_options){.tolerance = defaults.tolerance,
                          .facets = defaults.facets,
                          .max_iterations = defaults.max_iterations};
  const tl_option table[] = {
      {"law", TL_OPTION_CHOICE, &o->law, tl_cli_laws,
       "coulomb is exact, ccp its convex relaxation (default coulomb)", 0, 0, 0},
      {"method", TL_OPTION_CHOICE, &o->method, tl_cli_methods,
       "all runs each and compares them (default auto)", 0, 0, 0},
      {"cone", TL_OPTION_CHOICE, &o->cone, tl_cli_cones,
       "pyramid is inscribed, box circumscribed (default circular)", 0, 0, 0},
      TL_OPTIONS_FACETS(o),
      {"tol", TL_OPTION_REAL, &o->tolerance, "X", "reach this measure (default 1e-4)", 0, 1e300, 1},
      {"measure", TL_OPTION_CHOICE, &o->measure, tl_cli_measures,
       "what --tol means (default epsilon)", 0, 0, 0},
      {"max-iterations", TL_OPTION_INTEGER, &o->max_iterations, "N",
       "give up after N iterations (default 100000)", 0, 1e15, 0},
      {"fixed-iterations", TL_OPTION_INTEGER, &o->fixed_iterations, "N",
       "make N iterations and check nothing (default 0: solve)", 0, 1e15, 0},
      {"max-seconds", TL_OPTION_REAL, &o->max_seconds, "S",
       "give up after S seconds; 0 = no limit (default 0)", 0, 1e9, 0},
      {"compliance", TL_OPTION_REAL, &o->compliance, "A",
       "contacts give way by A times their diagonal of W (default 0: as FILE)", 0, 1e6, 0},
      {"unique", TL_OPTION_FLAG, &o->unique, NULL,
       "of all impulses with the solved velocity those of least norm", 0, 0, 0},
      {"backend", TL_OPTION_CHOICE, &o->backend, tl_cli_backends, "where to compute (default auto)",
       0, 0, 0},
      {"precision", TL_OPTION_CHOICE, &o->precision, tl_cli_precisions,
       "of the iterations; f32 reaches about 1e-5 (default f64)", 0, 0, 0},
      {"threads", TL_OPTION_INTEGER, &o->threads, "N",
       "CPU threads; 0 = all; the result does not depend on it (default 0)", 0, 1024, 0},
      {"impulses", TL_OPTION_TEXT, &o->impulses, "OUT.txt",
       "write the impulses: a line `normal tangent1 tangent2` per contact", 0, 0, 0},
      {"json", TL_OPTION_FLAG, &o->json, NULL, "report as JSON, alone on stdout", 0, 0, 0},
      {"verbose", TL_OPTION_FLAG, &o->verbose, NULL, "tell the choices made, on stderr", 0, 0, 0},
      {0}};
  const tl_command command = {
      .name = "solve",
      .summary = "Solves a contact problem (FCLIB HDF5 or Siconos text) and certifies the result.",
      .positional = "FILE",
      .notes = "Bilateral rows, if there are any, go to OUT.bilateral.txt.\n"
               "epsilon is the residual relative to that of no impulses at all.\n"
               "With --method all the impulses and the exit code are those of the best method.\n"
               "Ctrl-C ends it with the best impulses so far.\n"
               "exit code: 0 converged, 3 not converged or unchecked (impulses are written), "
               "2 bad usage or input\n",
      .options = table,
      .arguments = &o->file};
  const tl_parsed parsed = tl_options_parse(&command, argc, argv);
  return tl_cli_facets_check(parsed, o->cone, o->facets, o->facet_angle, o->facet_align);
}

/* C = A w, in the place of what the file has; targets are 0. */
static int comply(tl_solve_session *s) {
  talus_problem *const problem = &s->stored->problem;
  const int64_t count = 2 * (int64_t)problem->contact_count;
  if (!(s->options.compliance > 0)) {
    return TL_EXIT_OK;
  }
  s->compliance = tl_cli_numbers(count);
  if (s->compliance == NULL) {
    return TL_EXIT_BAD;
  }
  const talus_status status = talus_problem_diagonal(s->context, problem, s->compliance, NULL);
  if (status != TALUS_OK) {
    return tl_cli_fail_status(s->context, status, s->options.file);
  }
  for (int64_t i = 0; i < count; i++) {
    s->compliance[i] *= s->options.compliance;
  }
  problem->compliance = s->compliance;
  problem->target_impulse = NULL;
  return TL_EXIT_OK;
}

/* Reads the problem, and makes sure that the results can be kept. */
static int prepare(tl_solve_session *s) {
  const tl_solve_options *o = &s->options;
  if (tl_cli_context_open((talus_backend_kind)o->backend, o->threads, o->verbose, &s->context) !=
      TL_EXIT_OK) {
    return TL_EXIT_BAD;
  }
  if (o->impulses != NULL && tl_cli_writable(o->impulses, o->file) != TL_EXIT_OK) {
    return TL_EXIT_BAD;
  }
  const talus_status status = talus_problem_read(s->context, o->file, &s->stored);
  if (status != TALUS_OK) {
    return tl_cli_fail_status(s->context, status, o->file);
  }
  const talus_problem *problem = &s->stored->problem;
  if (o->impulses != NULL && problem->bilateral_count > 0) {
    char *path = tl_cli_bilateral_path(o->impulses);
    const int code = path != NULL ? tl_cli_writable(path, o->file) : TL_EXIT_BAD;
    free(path);
    if (code != TL_EXIT_OK) {
      return code;
    }
  }
  const int64_t count = (int64_t)problem->dimension * problem->contact_count;
  s->impulse = tl_cli_numbers(count);
  s->best_impulse = tl_cli_numbers(count);
  s->bilateral = tl_cli_numbers(problem->bilateral_count);
  s->best_bilateral = tl_cli_numbers(problem->bilateral_count);
  return s->impulse != NULL && s->best_impulse != NULL && s->bilateral != NULL &&
                 s->best_bilateral != NULL
             ? comply(s)
             : TL_EXIT_BAD;
}

static talus_settings settings_of(const tl_solve_options *o, talus_method method,
                                  tl_progress *progress) {
  talus_settings settings = talus_settings_default();
  settings.law = (talus_law)o->law;
  settings.method = method;
  settings.precision = (talus_precision)o->precision;
  settings.measure = (talus_measure)o->measure;
  settings.tolerance = o->tolerance;
  settings.max_iterations = o->max_iterations;
  settings.max_seconds = o->max_seconds;
  settings.fixed_iterations = o->fixed_iterations;
  settings.unique = o->unique;
  settings.cone = (talus_cone)o->cone;
  settings.facets = (int32_t)o->facets;
  settings.facet_angle = o->facet_angle;
  settings.facet_align = o->facet_align;
  settings.progress = tl_progress_report;
  settings.progress_user = progress;
  return settings;
}

/* Converged beats not converged; then the smaller measure, where NaN loses to everything. */
static int better(const talus_info *a, const talus_info *b) {
  const bool a_good = a->outcome == TALUS_OUTCOME_CONVERGED;
  const bool b_good = b->outcome == TALUS_OUTCOME_CONVERGED;
  if (a_good != b_good) {
    return a_good;
  }
  return a->measure < b->measure || (isnan(b->measure) && !isnan(a->measure));
}

static void keep_if_best(tl_solve_session *s, int index) {
  if (s->best >= 0 && !better(&s->attempts[index].info, &s->attempts[s->best].info)) {
    return;
  }
  s->best = index;
  double *swap = s->impulse;
  s->impulse = s->best_impulse;
  s->best_impulse = swap;
  swap = s->bilateral;
  s->bilateral = s->best_bilateral;
  s->best_bilateral = swap;
}

/* Why a method was not run, so that several can share the reason: its name is in the table. */
static void reason_keep(tl_solve_attempt *result, talus_method method, const char *message) {
  char name[64];
  const int length = snprintf(name, sizeof name, "settings.method %s ", talus_method_name(method));
  const bool named = strncmp(message, name, (size_t)length) == 0;
  snprintf(result->message, sizeof result->message, "%s%s", named ? "it " : "",
           message + (named ? length : 0));
}

/* Runs one method. A method that does not support the problem is a row in the table of all of
 * them; any other failure ends the program. */
static int run_method(tl_solve_session *s, talus_method method) {
  tl_solve_attempt *result = &s->attempts[s->count];
  tl_progress progress;
  tl_progress_begin(&progress, talus_method_name(method), s->options.tolerance);
  const talus_settings settings = settings_of(&s->options, method, &progress);
  talus_solution solution = talus_solution_default();
  solution.impulse = s->impulse;
  solution.bilateral_impulse = s->bilateral;
  result->info = talus_info_default();
  result->info.method = method;
  if (s->options.method == TALUS_METHOD_COUNT &&
      !talus_method_takes(method, (talus_cone)s->options.cone)) {
    result->status = TALUS_UNSUPPORTED;
    snprintf(result->message, sizeof result->message, "it takes %s",
             talus_method_takes(method, TALUS_CONE_CIRCULAR)  ? "the circular cone"
             : talus_method_takes(method, TALUS_CONE_PYRAMID) ? "faceted cones"
                                                              : "the box");
    s->count++;
    return TL_EXIT_OK;
  }
  if (s->solver == NULL) {
    result->status = talus_solver_create(s->context, &settings, &s->solver);
  } else {
    result->status = talus_solver_set(s->solver, &settings);
  }
  if (result->status == TALUS_OK) {
    result->status = talus_solver_update(s->solver, &s->stored->problem);
  }
  if (result->status == TALUS_OK) {
    result->status = talus_solver_solve(s->solver, &solution, &result->info);
  }
  tl_progress_end(&progress);
  if (result->status == TALUS_OK) {
    keep_if_best(s, s->count);
  } else if (result->status == TALUS_UNSUPPORTED && s->options.method == TALUS_METHOD_COUNT) {
    reason_keep(result, method, talus_context_message(s->context));
  } else {
    return tl_cli_fail_status(s->context, result->status, s->options.file);
  }
  s->count++;
  return TL_EXIT_OK;
}

/* The reason of one that takes the cone says more than that others do not. */
static int none_complain(const tl_solve_session *s) {
  int told = 0;
  for (int i = 0; i < s->count; i++) {
    if (talus_method_takes(s->attempts[i].info.method, (talus_cone)s->options.cone)) {
      told = i;
      break;
    }
  }
  return tl_cli_fail("%s: no method supports this problem; of %s: %s", s->options.file,
                     talus_method_name(s->attempts[told].info.method), s->attempts[told].message);
}

static int run(tl_solve_session *s) {
  s->best = -1;
  if (s->options.method < TALUS_METHOD_COUNT) {
    return run_method(s, (talus_method)s->options.method);
  }
  for (int method = TALUS_METHOD_AUTO + 1; method < TALUS_METHOD_COUNT; method++) {
    if (tl_progress_interrupted()) {
      break;
    }
    if (run_method(s, (talus_method)method) != TL_EXIT_OK) {
      return TL_EXIT_BAD;
    }
  }
  return s->best >= 0 ? TL_EXIT_OK : none_complain(s);
}

/* The companion first: where the main file exists, both do. */
static int write_impulses(tl_solve_session *s) {
  const char *path = s->options.impulses;
  const talus_problem *problem = &s->stored->problem;
  if (path == NULL) {
    return TL_EXIT_OK;
  }
  if (problem->bilateral_count > 0) {
    char *companion = tl_cli_bilateral_path(path);
    if (companion == NULL) {
      return TL_EXIT_BAD;
    }
    const talus_status status =
        talus_impulses_write(s->context, companion, s->best_bilateral, problem->bilateral_count, 1);
    if (status != TALUS_OK) {
      tl_cli_fail_status(s->context, status, companion);
    }
    free(companion);
    if (status != TALUS_OK) {
      return TL_EXIT_BAD;
    }
  }
  const talus_status status = talus_impulses_write(s->context, path, s->best_impulse,
                                                   problem->contact_count, problem->dimension);
  return status == TALUS_OK ? TL_EXIT_OK : tl_cli_fail_status(s->context, status, path);
}

static int solve_and_report(tl_solve_session *s) {
  if (prepare(s) != TL_EXIT_OK || run(s) != TL_EXIT_OK || write_impulses(s) != TL_EXIT_OK) {
    return TL_EXIT_BAD;
  }
  if (s->options.json) {
    tl_solve_print_json(s);
  } else {
    tl_solve_print(s);
  }
  return s->attempts[s->best].info.outcome == TALUS_OUTCOME_CONVERGED ? TL_EXIT_OK
                                                                      : TL_EXIT_NOT_CONVERGED;
}

int tl_cli_solve(int argc, char **argv) {
  tl_solve_session s = {0};
  const tl_parsed parsed = parse_options(&s.options, argc, argv);
  if (parsed != TL_PARSED_OK) {
    return parsed == TL_PARSED_HELP ? TL_EXIT_OK : TL_EXIT_BAD;
  }
  const int code = solve_and_report(&s);
  talus_solver_destroy(s.solver);
  talus_stored_destroy(s.stored);
  talus_context_destroy(s.context);
  free(s.impulse);
  free(s.best_impulse);
  free(s.bilateral);
  free(s.best_bilateral);
  free(s.compliance);
  return code;
}
