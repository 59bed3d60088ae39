/* sweep.c: `talus sweep SCENE.yaml`: a study over values and seeds; its parts: sweep.h. */
#define _POSIX_C_SOURCE 200809L
#include "host/cli/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/cli/cli.h"

/* --at: a word, or a time in seconds. */
static tl_parsed read_at(tl_sweep_options *o) {
  static const char *const word[] = {"end", "mean", "min", "max"};
  for (int k = 0; k < TL_AT_TIME; k++) {
    if (strcmp(o->at_text, word[k]) == 0) {
      o->at = (tl_sweep_at)k;
      return TL_PARSED_OK;
    }
  }
  o->at = TL_AT_TIME;
  if (!tl_option_time(o->at_text, &o->at_time) || !isfinite(o->at_time) || o->at_time < 0.0) {
    tl_cli_fail("--at wants end, mean, min, max or a time, not '%s'", o->at_text);
    return TL_PARSED_BAD;
  }
  return TL_PARSED_OK;
}

static tl_parsed parse_options(tl_sweep_options *o, int argc, char **argv) {
  const tl_option table[] = {
      {"set", TL_OPTION_TEXTS, &o->set, "KEY=VALUES",
       "a key of the scene and its values: 0.1,0.3 or 1..5 or 0..1:0.25", 0, 0, 0},
      {"seeds", TL_OPTION_TEXT, &o->seeds, "VALUES", "of world.seed: 1..5", 0, 0, 0},
      {"out", TL_OPTION_TEXT, &o->out, "DIR", "the study (default: the scene's name + .sweep)", 0,
       0, 0},
      {"columns", TL_OPTION_TEXT, &o->columns, "A,B",
       "what is measured: columns of scalars.csv (default kinetic,potential)", 0, 0, 0},
      {"at", TL_OPTION_TEXT, &o->at_text, "WHEN",
       "end, mean, min, max, or a time in s (default end)", 0, 0, 0},
      {"after", TL_OPTION_TIME, &o->after, "T", "mean, min and max leave out times before T, s", 0,
       1e300, 0},
      {"time", TL_OPTION_TIME, &o->time, "T", "simulated time at which runs end, s", 0, 1e300, 1},
      {"jobs", TL_OPTION_INTEGER, &o->jobs, "N", "runs at a time (default: CPUs / threads)", 1,
       4096, 0},
      {"threads", TL_OPTION_INTEGER, &o->threads, "N", "CPU threads of a run (default 1)", 1, 4096,
       0},
      {"backend", TL_OPTION_CHOICE, &o->backend, tl_cli_backends, "of the contact solver", 0, 0, 0},
      {"format", TL_OPTION_CHOICE, &o->format, "png|svg|pdf|none", "of the plots (default png)", 0,
       0, 0},
      {"log-x", TL_OPTION_FLAG, &o->log_x, NULL, "logarithmic axis", 0, 0, 0},
      {"log-y", TL_OPTION_FLAG, &o->log_y, NULL, "logarithmic axis", 0, 0, 0},
      {"force", TL_OPTION_FLAG, &o->force, NULL, "begin all runs anew", 0, 0, 0},
      {"quiet", TL_OPTION_FLAG, &o->quiet, NULL, "no progress", 0, 0, 0},
      {0}};
  const tl_command command = {
      .name = "sweep",
      .summary = "Runs a scene with every combination of some values, and with several seeds.",
      .positional = "SCENE.yaml",
      .notes =
          "  talus sweep heap.yaml --set materials.grain.friction=0.1,0.3,0.5 --seeds 1..5 --jobs "
          "2\n"
          "Values are separated by commas (vectors stand in brackets); a..b counts by 1, a..b:s by "
          "s;\n"
          "units are allowed. --set may be given several times: all combinations are run.\n"
          "DIR holds runs/ and logs/; results.csv, a line per run; summary.csv, means over the "
          "seeds\n"
          "with their standard errors (A_error); and a plot of each column over the first "
          "parameter\n"
          "that has several numbers, with these errors. `talus plot DIR` draws columns over time.\n"
          "Calling it again skips what has finished and resumes what was interrupted; with other\n"
          "--columns or --at it only measures anew. Ctrl-C ends the runs with checkpoints.\n"
          "exit code: 0 all runs finished, 2 bad input, 3 some runs failed (they are named),\n"
          "130 interrupted\n",
      .options = table,
      .arguments = &o->scene};
  const tl_parsed parsed = tl_options_parse(&command, argc, argv);
  return parsed == TL_PARSED_OK ? read_at(o) : parsed;
}

static int make_study(tl_sweep *sweep) {
  int code = tl_sweep_plan(sweep);
  if (code == TL_EXIT_OK) {
    code = tl_sweep_open(sweep);
  }
  if (code != TL_EXIT_OK) {
    return code;
  }
  const int worked = tl_sweep_work(sweep);
  code = worked == TL_EXIT_BAD ? worked : tl_sweep_measure(sweep);
  if (code == TL_EXIT_OK) {
    code = tl_sweep_report(sweep);
  }
  if (worked == TL_EXIT_INTERRUPTED) {
    fprintf(stderr, "talus: interrupted; the same command goes on with the study\n");
    return worked;
  }
  return code;
}

int tl_cli_sweep(int argc, char **argv) {
  static tl_sweep_options o = {
      .columns = "kinetic,potential", .at_text = "end", .threads = 1, .jobs = 0};
  static tl_sweep sweep;
  const tl_parsed parsed = parse_options(&o, argc, argv);
  if (parsed != TL_PARSED_OK) {
    return parsed == TL_PARSED_HELP ? TL_EXIT_OK : TL_EXIT_BAD;
  }
  if (o.jobs == 0) {
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    o.jobs = processors > o.threads ? processors / o.threads : 1;
  }
  sweep.o = &o;
  sweep.lock = -1;
  if (tl_cli_context_open(TALUS_BACKEND_CPU, 1, 0, &sweep.context) != TL_EXIT_OK) {
    return TL_EXIT_BAD;
  }
  const int code = make_study(&sweep);
  if (sweep.lock >= 0) {
    close(sweep.lock);
  }
  tl_sweep_release(&sweep);
  talus_context_destroy(sweep.context);
  return code;
}
