/* bench_batch.c: `talus bench batch`: many small problems in one call, against as many calls.
 *
 * The same random problems are solved in four ways: each by a solver of its own (solve_once), one
 * after the other by a kept solver, and in one batch on one and on all threads. The best of some
 * rounds, in turn, so that a slow moment of the machine meets them all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/base/base.h"
#include "host/cli/bench.h"
#include "host/cli/cli.h"
#include "host/cli/json.h"
#include "host/cli/options.h"

enum { WAYS = 4 };

typedef struct batch_options {
  int64_t problems, contacts, threads, rounds;
  int method, law, json;
  double tolerance;
} batch_options;

typedef struct pile {
  talus_stored **stored;
  talus_problem *problem;
  talus_solution *solution;
  talus_info *info;
  double *impulse, *first; /* [3 contacts problems] of this way, and of the first */
  size_t size;
} pile;

typedef struct way {
  const char *name;
  int32_t threads; /* 0: as many calls */
  double seconds;  /* of the whole, the best */
  int32_t converged;
  int same; /* bits as the first way's */
} way;

static void pile_free(pile *p, int64_t count) {
  for (int64_t i = 0; p->stored != NULL && i < count; i++) {
    talus_stored_destroy(p->stored[i]);
  }
  free(p->stored);
  free(p->problem);
  free(p->solution);
  free(p->info);
  free(p->impulse);
  free(p->first);
}

static int pile_make(talus_context *context, const batch_options *o, pile *p) {
  const size_t n = (size_t)o->problems;
  p->size = 3 * (size_t)o->contacts * n;
  p->stored = calloc(n, sizeof *p->stored);
  p->problem = calloc(n, sizeof *p->problem);
  p->solution = calloc(n, sizeof *p->solution);
  p->info = calloc(n, sizeof *p->info);
  p->impulse = calloc(p->size, sizeof *p->impulse);
  p->first = calloc(p->size, sizeof *p->first);
  if (!p->stored || !p->problem || !p->solution || !p->info || !p->impulse || !p->first) {
    return tl_cli_fail("out of memory");
  }
  talus_generate_def def = talus_generate_def_default(TALUS_GENERATE_RANDOM);
  def.body_count = (int32_t)(o->contacts + 1) / 2;
  def.contact_ratio = (double)o->contacts / (double)def.body_count;
  for (size_t i = 0; i < n; i++) {
    def.seed = i + 1;
    const talus_status status = talus_problem_generate(context, &def, &p->stored[i]);
    if (status != TALUS_OK) {
      return tl_cli_fail_status(context, status, "making a problem");
    }
    p->problem[i] = p->stored[i]->problem;
    p->solution[i] = talus_solution_default();
    p->solution[i].impulse = p->impulse + 3 * (size_t)o->contacts * i;
    p->info[i] = talus_info_default();
  }
  return p->problem[0].contact_count == o->contacts
             ? TL_EXIT_OK
             : tl_cli_fail("problems of %d contacts came out", p->problem[0].contact_count);
}

static talus_status calls_run(talus_context *context, const talus_settings *settings, int64_t count,
                              pile *p) {
  talus_status status = TALUS_OK;
  for (int64_t i = 0; i < count && status == TALUS_OK; i++) {
    status = talus_solve_once(context, &p->problem[i], settings, &p->solution[i], &p->info[i]);
  }
  return status;
}

static talus_status kept_run(talus_context *context, const talus_settings *settings, int64_t count,
                             pile *p) {
  talus_solver *solver;
  talus_status status = talus_solver_create(context, settings, &solver);
  for (int64_t i = 0; i < count && status == TALUS_OK; i++) {
    status = talus_solver_update(solver, &p->problem[i]);
    if (status == TALUS_OK) {
      status = talus_solver_solve(solver, &p->solution[i], &p->info[i]);
    }
  }
  talus_solver_destroy(solver);
  return status;
}

static talus_status way_run(talus_context *context, const batch_options *o, int index, way *w,
                            pile *p) {
  talus_settings settings = talus_settings_default();
  settings.method = (talus_method)o->method;
  settings.law = (talus_law)o->law;
  settings.tolerance = o->tolerance;
  settings.threads = w->threads > 0 ? w->threads : 1;
  const double begin = tl_clock();
  const talus_status status = index == 0 ? calls_run(context, &settings, o->problems, p)
                              : index == 1
                                  ? kept_run(context, &settings, o->problems, p)
                                  : talus_solve_batch(context, &settings, (int32_t)o->problems,
                                                      p->problem, p->solution, p->info, NULL);
  const double seconds = tl_clock() - begin;
  w->seconds = w->seconds > 0 && w->seconds < seconds ? w->seconds : seconds;
  w->converged = 0;
  for (int64_t i = 0; i < o->problems; i++) {
    w->converged += p->info[i].outcome == TALUS_OUTCOME_CONVERGED;
  }
  if (index == 0) {
    memcpy(p->first, p->impulse, p->size * sizeof *p->first);
  }
  w->same = memcmp(p->first, p->impulse, p->size * sizeof *p->first) == 0;
  return status;
}

static void ways_print(const batch_options *o, const way *w) {
  printf("%lld problems of %lld contacts, method %s, law %s, tolerance %g\n\n",
         (long long)o->problems, (long long)o->contacts, talus_method_name((talus_method)o->method),
         talus_law_name((talus_law)o->law), o->tolerance);
  printf("%-28s %16s %8s %10s %10s\n", "", "us per problem", "faster", "converged", "same bits");
  for (int i = 0; i < WAYS; i++) {
    printf("%-28s %16.2f %8.2f %10d %10s\n", w[i].name, 1e6 * w[i].seconds / (double)o->problems,
           w[0].seconds / w[i].seconds, w[i].converged, w[i].same ? "yes" : "no");
  }
}

static void ways_json(const batch_options *o, const way *w) {
  tl_json json = tl_json_begin(stdout);
  tl_json_object(&json, NULL);
  tl_json_integer(&json, "problems", o->problems);
  tl_json_integer(&json, "contacts", o->contacts);
  tl_json_text(&json, "method", talus_method_name((talus_method)o->method));
  tl_json_text(&json, "law", talus_law_name((talus_law)o->law));
  tl_json_real(&json, "tolerance", o->tolerance);
  tl_json_array(&json, "ways");
  for (int i = 0; i < WAYS; i++) {
    tl_json_object(&json, NULL);
    tl_json_text(&json, "way", w[i].name);
    tl_json_integer(&json, "threads", w[i].threads > 0 ? w[i].threads : 1);
    tl_json_real(&json, "seconds", w[i].seconds);
    tl_json_integer(&json, "converged", w[i].converged);
    tl_json_integer(&json, "same_bits", w[i].same);
    tl_json_object_end(&json);
  }
  tl_json_array_end(&json);
  tl_json_object_end(&json);
  tl_json_end(&json);
}

static tl_parsed options_read(batch_options *o, int argc, char **argv) {
  *o = (batch_options){.problems = 1000, .contacts = 10, .rounds = 5, .tolerance = 1e-3};
  const tl_option table[] = {
      {"problems", TL_OPTION_INTEGER, &o->problems, "N", "default 1000", 1, 1000000, 0},
      {"contacts", TL_OPTION_INTEGER, &o->contacts, "N", "each, 1 .. 1000 (default 10)", 1, 1000,
       0},
      {"threads", TL_OPTION_INTEGER, &o->threads, "N", "of the last way (default: all)", 0, 1024,
       0},
      {"rounds", TL_OPTION_INTEGER, &o->rounds, "N", "the best of so many is told (default 5)", 1,
       1000, 0},
      {"method", TL_OPTION_CHOICE, &o->method, tl_cli_method,
       "one that takes the circular cone (default auto)", 0, 0, 0},
      {"law", TL_OPTION_CHOICE, &o->law, tl_cli_laws, "default coulomb", 0, 0, 0},
      {"tol", TL_OPTION_REAL, &o->tolerance, "X", "default 1e-3", 1e-300, 1, 0},
      {"json", TL_OPTION_FLAG, &o->json, NULL, "report as JSON, alone on stdout", 0, 0, 0},
      {0}};
  const tl_command command = {
      .name = "bench batch",
      .summary = "Measures many small problems solved in one call (talus_solve_batch) against as "
                 "many calls.",
      .positional = "",
      .notes =
          "The machine should be idle: the best of some rounds is told. Problems are those of\n"
          "`talus generate random`, with two contacts per body.\n"
          "exit code: 0 measured, 2 bad usage or input\n",
      .options = table};
  return tl_options_parse(&command, argc, argv);
}

int tl_cli_bench_batch(int argc, char **argv) {
  batch_options o;
  const tl_parsed parsed = options_read(&o, argc, argv);
  if (parsed != TL_PARSED_OK) {
    return parsed == TL_PARSED_HELP ? TL_EXIT_OK : TL_EXIT_BAD;
  }
  talus_context *context;
  if (tl_cli_context_open(TALUS_BACKEND_CPU, (int32_t)o.threads, 0, &context) != TL_EXIT_OK) {
    return TL_EXIT_BAD;
  }
  char all[32];
  const int32_t threads = talus_context_threads(context);
  snprintf(all, sizeof all, "a batch, %d threads", threads);
  way ways[WAYS] = {
      {.name = "a call each"},
      {.name = "a kept solver"},
      {.name = "a batch, one thread", .threads = 1},
      {.name = all, .threads = threads},
  };
  pile p = {0};
  int code = pile_make(context, &o, &p);
  for (int64_t round = 0; round < o.rounds && code == TL_EXIT_OK; round++) {
    for (int i = 0; i < WAYS && code == TL_EXIT_OK; i++) {
      const talus_status status = way_run(context, &o, i, &ways[i], &p);
      code = status == TALUS_OK ? TL_EXIT_OK : tl_cli_fail_status(context, status, "solving");
    }
  }
  if (code == TL_EXIT_OK) {
    (o.json ? ways_json : ways_print)(&o, ways);
  }
  pile_free(&p, o.problems);
  talus_context_destroy(context);
  return code;
}
