/* bench.c: `talus bench solve`: what solves cost on this machine, per method, precision and number
 * of threads, on generated problems of any size and on files.
 *
 * The figures are meant for an idle machine: the best of several is taken, but what shares the
 * memory with the run still shows. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/base/words.h"
#include "host/cli/bench.h"
#include "host/cli/cli.h"
#include "host/cli/options.h"
#include "host/cli/progress.h"

typedef struct bench_texts {
  const char *contacts, *methods, *precisions, *threads, *tolerances;
} bench_texts;

static bool number_read(const char *word, double low, double high, int whole, double *value) {
  char *end;
  *value = strtod(word, &end);
  return end != word && *end == '\0' && *value >= low && *value <= high &&
         (!whole || *value == floor(*value));
}

int tl_bench_numbers_read(const char *name, const char *text, double low, double high, int whole,
                          tl_bench_list *list) {
  char word[64];
  list->count = 0;
  while ((text = tl_words_next(text, ',', word, sizeof word)) != NULL) {
    if (list->count == TL_BENCH_MOST) {
      return tl_cli_fail("--%s takes at most %d values", name, TL_BENCH_MOST);
    }
    if (!number_read(word, low, high, whole, &list->value[list->count++])) {
      return tl_cli_fail("--%s wants %s from %g to %g, separated by commas, not '%s'", name,
                         whole ? "whole numbers" : "numbers", low, high, word);
    }
  }
  return TL_EXIT_OK;
}

static int methods_read(const char *text, tl_bench_list *list) {
  talus_method method[TALUS_METHOD_COUNT];
  const int code = tl_cli_methods_read("method", text, TALUS_CONE_CIRCULAR, method, &list->count);
  list->count = list->count < TL_BENCH_MOST ? list->count : TL_BENCH_MOST;
  for (int i = 0; code == TL_EXIT_OK && i < list->count; i++) {
    list->value[i] = method[i];
  }
  return code;
}

static int precisions_read(const char *text, tl_bench_list *list) {
  char word[64];
  list->count = 0;
  while ((text = tl_words_next(text, ',', word, sizeof word)) != NULL) {
    talus_precision precision;
    if (!talus_precision_parse(word, &precision) || precision == TALUS_PRECISION_AUTO) {
      return tl_cli_fail("--precision knows f64 and f32, not '%s'", word);
    }
    if (list->count < TL_BENCH_MOST) {
      list->value[list->count++] = precision;
    }
  }
  return TL_EXIT_OK;
}

static int descending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x < y) - (x > y);
}

static int lists_read(const bench_texts *texts, tl_bench_options *o) {
  if (tl_bench_numbers_read("contacts", texts->contacts, 1, 1e8, 1, &o->contacts) != TL_EXIT_OK ||
      tl_bench_numbers_read("threads", texts->threads, 1, 1024, 1, &o->threads) != TL_EXIT_OK ||
      tl_bench_numbers_read("tol", texts->tolerances, 1e-300, 1, 0, &o->tolerances) != TL_EXIT_OK ||
      methods_read(texts->methods, &o->methods) != TL_EXIT_OK ||
      precisions_read(texts->precisions, &o->precisions) != TL_EXIT_OK) {
    return TL_EXIT_BAD;
  }
  qsort(o->tolerances.value, (size_t)o->tolerances.count, sizeof(double), descending);
  return TL_EXIT_OK;
}

static tl_parsed options_read(tl_bench_options *o, int argc, char **argv) {
  bench_texts texts = {"1e3,1e4,1e5,1e6", "all", "f64,f32", "1,2", "1e-2,1e-4,1e-6"};
  *o = (tl_bench_options){.law = TALUS_LAW_CCP, .backend = TALUS_BACKEND_CPU, .max_seconds = 20};
  o->files = calloc((size_t)argc + 1, sizeof *o->files);
  if (o->files == NULL) {
    tl_cli_fail("out of memory");
    return TL_PARSED_BAD;
  }
  const tl_option table[] = {
      {"contacts", TL_OPTION_TEXT, &texts.contacts, "N,...",
       "sizes of the generated problems (default 1e3,1e4,1e5,1e6)", 0, 0, 0},
      {"kind", TL_OPTION_CHOICE, &o->kind, "heap|stack|random", "what to generate (default heap)",
       0, 0, 0},
      {"method", TL_OPTION_TEXT, &texts.methods, "NAME,...", "methods (default all)", 0, 0, 0},
      {"law", TL_OPTION_CHOICE, &o->law, tl_cli_laws, "default ccp", 0, 0, 0},
      {"precision", TL_OPTION_TEXT, &texts.precisions, "f64,f32", "default both", 0, 0, 0},
      {"threads", TL_OPTION_TEXT, &texts.threads, "N,...", "numbers of threads (default 1,2)", 0, 0,
       0},
      {"tol", TL_OPTION_TEXT, &texts.tolerances, "X,...", "default 1e-2,1e-4,1e-6", 0, 0, 0},
      {"max-seconds", TL_OPTION_REAL, &o->max_seconds, "S",
       "of each solve; 0 = no limit (default 20)", 0, 1e9, 0},
      {"backend", TL_OPTION_CHOICE, &o->backend, tl_cli_backends, "default cpu", 0, 0, 0},
      {"json", TL_OPTION_FLAG, &o->json, NULL, "report as JSON, alone on stdout", 0, 0, 0},
      {0}};
  const tl_command command = {
      .name = "bench solve",
      .summary = "Measures what a solve costs: time and bytes of a pass against the machine's own "
                 "copy,\npasses and seconds to tolerances. Given files replace the generated "
                 "problems.",
      .positional = "[FILE...]",
      .notes = "The machine should be idle. A tolerance is left out once a looser one was not "
               "reached.\n"
               "exit code: 0 measured, 2 bad usage or input\n",
      .options = table,
      .arguments = o->files};
  const tl_parsed parsed = tl_options_parse(&command, argc, argv);
  while (o->files[o->file_count] != NULL) {
    o->file_count++;
  }
  if (parsed == TL_PARSED_OK && lists_read(&texts, o) != TL_EXIT_OK) {
    return TL_PARSED_BAD;
  }
  return parsed;
}

/* A problem of about so many contacts. */
static talus_status generate(talus_context *context, const tl_bench_options *o, double contacts,
                             talus_stored **stored, char *name, size_t capacity) {
  static const double per_body[] = {3.3, 4, 2}; /* contacts per body of each kind */
  static const char *const names[] = {"heap", "stack", "random"};
  talus_generate_def def = talus_generate_def_default((talus_generate_kind)o->kind);
  def.body_count = (int32_t)fmax(1, contacts / per_body[o->kind]);
  snprintf(name, capacity, "%s of %d bodies", names[o->kind], def.body_count);
  return talus_problem_generate(context, &def, stored);
}

static void describe(const talus_problem *source, tl_bench_problem *problem) {
  problem->form = source->form;
  problem->contacts = source->contact_count;
  problem->dimension = source->dimension;
  if (source->form == TALUS_FORM_RIGID) {
    problem->bodies = source->rigid.body_count;
    problem->spheres = source->rigid.reach_a != NULL;
  } else if (source->form == TALUS_FORM_GLOBAL && source->dimension == 3) {
    problem->bodies = source->global.mass.rows / 6;
  }
}

/* A global problem may turn out to be one of spheres: a solve without iterations tells. */
static talus_status spheres_look(talus_context *context, const talus_problem *source,
                                 tl_bench_problem *problem) {
  talus_settings settings = talus_settings_default();
  talus_info info = talus_info_default();
  settings.max_iterations = 0;
  const talus_status status = talus_solve_once(context, source, &settings, NULL, &info);
  problem->spheres = problem->spheres || (info.notes & TALUS_NOTE_SPHERES_FOUND) != 0;
  return status;
}

static int problem_measure(tl_bench_session *s, talus_context *context, const talus_problem *source,
                           tl_bench_problem *problem) {
  const tl_bench_options *const o = &s->options;
  const int most = o->methods.count * o->precisions.count * o->threads.count;
  problem->result = calloc((size_t)most + 1, sizeof *problem->result);
  if (problem->result == NULL) {
    return tl_cli_fail("out of memory");
  }
  if (!o->json) {
    tl_bench_print_problem(o, problem);
  }
  for (int i = 0; i < most && !tl_progress_interrupted(); i++) {
    tl_bench_result *const result = &problem->result[problem->result_count++];
    const int t = i % o->threads.count, p = i / o->threads.count % o->precisions.count;
    result->method = (talus_method)o->methods.value[i / o->threads.count / o->precisions.count];
    result->precision = (talus_precision)o->precisions.value[p];
    result->threads = (int)o->threads.value[t];
    result->copy_bandwidth = s->copy_bandwidth[t];
    const int code = tl_bench_measure(context, o, source, problem, result);
    if (code != TL_EXIT_OK) {
      return code;
    }
    if (!o->json) {
      tl_bench_print_result(problem, result);
    }
  }
  return TL_EXIT_OK;
}

static int problem_run(tl_bench_session *s, talus_context *context, int index) {
  tl_bench_problem *const problem = &s->problem[s->problem_count++];
  const tl_bench_options *const o = &s->options;
  talus_stored *stored = NULL;
  talus_status status;
  if (o->file_count > 0) {
    snprintf(problem->name, sizeof problem->name, "%s", o->files[index]);
    status = talus_problem_read(context, o->files[index], &stored);
  } else {
    status = generate(context, o, o->contacts.value[index], &stored, problem->name,
                      sizeof problem->name);
  }
  if (status == TALUS_OK) {
    describe(&stored->problem, problem);
    status = spheres_look(context, &stored->problem, problem);
  }
  const int code = status == TALUS_OK ? problem_measure(s, context, &stored->problem, problem)
                                      : tl_cli_fail_status(context, status, problem->name);
  talus_stored_destroy(stored);
  return code;
}

/* Refuses a file that does not exist before anything is measured. */
static int files_look(const tl_bench_options *o) {
  for (int i = 0; i < o->file_count; i++) {
    FILE *const file = fopen(o->files[i], "rb");
    if (file == NULL) {
      return tl_cli_fail("cannot read %s: %s", o->files[i], strerror(errno));
    }
    fclose(file);
  }
  return TL_EXIT_OK;
}

static int session_run(tl_bench_session *s) {
  const tl_bench_options *const o = &s->options;
  if (files_look(o) != TL_EXIT_OK) {
    return TL_EXIT_BAD;
  }
  talus_context *context;
  if (tl_cli_context_open((talus_backend_kind)o->backend, 0, 0, &context) != TL_EXIT_OK) {
    return TL_EXIT_BAD;
  }
  for (int t = 0; t < o->threads.count && o->backend == TALUS_BACKEND_CPU; t++) {
    s->copy_bandwidth[t] = tl_bench_copy((int)o->threads.value[t]);
  }
  const int count = o->file_count > 0 ? o->file_count : o->contacts.count;
  s->problem = calloc((size_t)count + 1, sizeof *s->problem);
  int code = s->problem != NULL ? TL_EXIT_OK : tl_cli_fail("out of memory");
  if (code == TL_EXIT_OK && !o->json) {
    tl_bench_print_copy(s);
  }
  for (int i = 0; i < count && code == TL_EXIT_OK && !tl_progress_interrupted(); i++) {
    code = problem_run(s, context, i);
  }
  if (code == TL_EXIT_OK && o->json) {
    tl_bench_print_json(s);
  } else if (code == TL_EXIT_OK) {
    tl_bench_print_notes(s);
  }
  talus_context_destroy(context);
  return code;
}

int tl_cli_bench(int argc, char **argv) {
  if (argc >= 2 && strcmp(argv[1], "world") == 0) {
    return tl_cli_bench_world(argc - 1, argv + 1);
  }
  if (argc >= 2 && strcmp(argv[1], "call") == 0) {
    return tl_cli_bench_call(argc - 1, argv + 1);
  }
  if (argc >= 2 && strcmp(argv[1], "batch") == 0) {
    return tl_cli_bench_batch(argc - 1, argv + 1);
  }
  if (argc < 2 || strcmp(argv[1], "solve") != 0) {
    if (argc >= 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
      printf("usage: talus bench solve [FILE...] [options]\n"
             "       talus bench world [options]\n"
             "       talus bench call [options]\n"
             "       talus bench batch [options]\n\n"
             "`talus bench solve --help` and so on list the options.\n");
      return TL_EXIT_OK;
    }
    return tl_cli_fail("talus bench measures `solve`, `world`, `call` or `batch`: talus bench "
                       "--help");
  }
  tl_bench_session s = {0};
  const tl_parsed parsed = options_read(&s.options, argc - 1, argv + 1);
  const int code = parsed == TL_PARSED_OK     ? session_run(&s)
                   : parsed == TL_PARSED_HELP ? TL_EXIT_OK
                                              : TL_EXIT_BAD;
  for (int i = 0; i < s.problem_count; i++) {
    free(s.problem[i].result);
  }
  free(s.problem);
  free(s.options.files);
  return code;
}
