/* measure.c: `talus measure DIR`: measures the frames of a run: averages over time on stdout, all
 * of it in files. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/cli/cli.h"
#include "host/cli/options.h"
#include "talus/talus_scene.h"

static volatile sig_atomic_t interrupted;

static void stop(int number) {
  (void)number;
  interrupted = 1;
}

/* One line at a terminal; after an interrupt what was measured so far is averaged. */
static int tell(void *user, int32_t frame, int32_t count) {
  const int terminal = *(const int *)user;
  if (terminal) {
    fprintf(stderr, frame < count && !interrupted ? "\r\033[Kframe %d of %d" : "\r\033[K",
            (int)frame, (int)count);
  }
  return interrupted != 0;
}

/* Prints name, mean, error and unit of a line of averages.csv. */
static void print_average(char *line) {
  char *field[4] = {line, NULL, NULL, NULL};
  for (int i = 1; i < 4 && field[i - 1] != NULL; i++) {
    field[i] = strchr(field[i - 1], ',');
    if (field[i] != NULL) {
      *field[i]++ = '\0';
    }
  }
  char *const end = field[3] != NULL ? strchr(field[3], ',') : NULL;
  if (end == NULL) {
    return;
  }
  *end = '\0';
  const double mean = strtod(field[2], NULL), error = strtod(field[3], NULL);
  if (isnan(mean)) {
    printf("%-36s %13s\n", field[0], "-");
  } else if (isnan(error)) {
    printf("%-36s %13.6g %12s  %s\n", field[0], mean, "", field[1]);
  } else {
    printf("%-36s %13.6g +- %9.2g  %s\n", field[0], mean, error, field[1]);
  }
}

static int print_averages(const char *out) {
  char path[1300], line[1024];
  snprintf(path, sizeof path, "%s/averages.csv", out);
  FILE *const file = fopen(path, "r");
  for (int k = 0; file != NULL && fgets(line, sizeof line, file) != NULL; k++) {
    if (k > 0) {
      print_average(line);
    }
  }
  if (file != NULL) {
    fclose(file);
  }
  return TL_EXIT_OK;
}

static int measure(talus_context *context, talus_measure_def *def, int quiet) {
  char out[1200];
  int terminal = isatty(STDERR_FILENO);
  int32_t frames = 0;
  struct sigaction action = {.sa_handler = stop}, before;
  snprintf(out, sizeof out, def->out != NULL ? "%s" : "%s/measured",
           def->out != NULL ? def->out : def->directory);
  def->progress = tell;
  def->user = &terminal;
  action.sa_flags = (int)SA_RESETHAND; /* a second interrupt ends the program */
  sigaction(SIGINT, &action, &before);
  const talus_status status = talus_measure_run(context, def, &frames);
  sigaction(SIGINT, &before, NULL);
  if (status == TALUS_FILE_FORMAT) { /* the message tells the key of a measurement, or the frame */
    return tl_cli_fail("%s", talus_context_message(context));
  }
  if (status != TALUS_OK) {
    return tl_cli_fail_status(context, status, def->directory);
  }
  if (!quiet) {
    print_averages(out);
  }
  printf("%s: %d frames measured\n", out, (int)frames);
  return interrupted ? TL_EXIT_INTERRUPTED : TL_EXIT_OK;
}

int tl_cli_measure(int argc, char **argv) {
  talus_measure_def def = talus_measure_def_default();
  tl_option_texts add = {.count = 0};
  int64_t every = 1;
  int quiet = 0;
  double begin = 0, end = INFINITY;
  const tl_option table[] = {
      {"add", TL_OPTION_TEXTS, &add, "'{...}'",
       "a measurement, as the list output.measure of a scene has them", 0, 0, 0},
      {"file", TL_OPTION_TEXT, &def.file, "FILE", "a YAML file with a list of measurements", 0, 0,
       0},
      {"begin", TL_OPTION_TIME, &begin, "T", "first time, s (default: all)", 0, 1e300, 0},
      {"end", TL_OPTION_TIME, &end, "T", "last time, s (default: all)", 0, 1e300, 0},
      {"every", TL_OPTION_INTEGER, &every, "N", "every N-th frame (default 1)", 1, 1000000000, 0},
      {"out", TL_OPTION_TEXT, &def.out, "DIR", "where results go (default: DIR/measured)", 0, 0, 0},
      {"quiet", TL_OPTION_FLAG, &quiet, NULL, "print no averages", 0, 0, 0},
      {0}};
  const tl_command command = {
      .name = "measure",
      .summary = "Measures the frames of a run, with averages and errors over time.",
      .positional = "DIR",
      .notes =
          "Without --add and --file it measures what output.measure of DIR/scene.yaml asks for, "
          "or\n"
          "if that is empty everything about the box around all grains (about the cell, if that "
          "is\nperiodic in all directions). Examples:\n"
          "  --add '{name: bed, region: {lower: [0, 0, 1 cm], upper: [5 cm, 5 cm, 3 cm]}}'\n"
          "  --add '{kind: profile, name: height, along: z, bins: 30, quantities: [stress]}'\n"
          "  --add '{kind: plane, name: outlet, point: [0, 0, 2 cm]}'\n"
          "  --add '{kind: radial, name: g, reach: 2 cm}'   --add '{kind: forces, name: f}'\n"
          "  --add '{kind: fields, name: cg, width: 5 mm, region: {lower: ..., upper: ...}}'\n"
          "The keys: docs/reference/scene.md. Bare numbers are in the units of the scene; results\n"
          "are in SI: measure.csv (a line per frame), averages.csv (mean and standard error),\n"
          "NAME.csv (profiles, distributions), NAME.vti (fields, for ParaView).\n"
          "exit code: 0 measured, 2 not, 130 interrupted (and averaged so far)\n",
      .options = table,
      .arguments = &def.directory};
  const tl_parsed parsed = tl_options_parse(&command, argc, argv);
  if (parsed != TL_PARSED_OK) {
    return parsed == TL_PARSED_HELP ? TL_EXIT_OK : TL_EXIT_BAD;
  }
  if (!(begin <= end)) {
    return tl_cli_fail("--end %g is before --begin %g", end, begin);
  }
  def.begin = begin;
  def.end = end;
  def.every = (int32_t)every;
  def.add = add.text;
  def.add_count = add.count;
  talus_context *context = NULL;
  if (tl_cli_context_open(TALUS_BACKEND_CPU, 1, 0, &context) != TL_EXIT_OK) {
    return TL_EXIT_BAD;
  }
  const int code = measure(context, &def, quiet);
  talus_context_destroy(context);
  return code;
}
