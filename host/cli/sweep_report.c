/* sweep_report.c: tables, plots and the printed summary of a study; see sweep.h. */
#define _POSIX_C_SOURCE 200809L
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "host/cli/cli.h"
#include "host/cli/study.h"
#include "host/cli/sweep.h"

static void print_number(FILE *out, double value) {
  if (isnan(value)) {
    fputc(',', out);
  } else {
    fprintf(out, ",%.17g", value);
  }
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* Names of the parameters; a unit that all values share stands here and not with them. */
static void print_keys(FILE *out, const tl_sweep *sweep, bool seeds) {
  for (int32_t i = 0; i < sweep->axis_count; i++) {
    const tl_sweep_axis *const axis = &sweep->axis[i];
    if (!axis->is_seed || seeds) {
      fprintf(out, "%s%s%s%s%s", i > 0 ? "," : "", axis->is_seed ? "seed" : axis->key,
              axis->unit[0] != '\0' ? " [" : "", axis->unit, axis->unit[0] != '\0' ? "]" : "");
    }
  }
}

static void print_parameters(FILE *out, const tl_sweep *sweep, int32_t run, bool seeds) {
  for (int32_t i = 0; i < sweep->axis_count; i++) {
    const tl_sweep_axis *const axis = &sweep->axis[i];
    const int32_t choice = tl_sweep_choice(sweep, run, i);
    if (axis->is_seed && !seeds) {
      continue;
    }
    fputs(i > 0 ? "," : "", out);
    if (axis->unit[0] != '\0') {
      fprintf(out, "%.15g", axis->number[choice]);
    } else {
      tl_cli_csv_field(out, axis->value[choice]);
    }
  }
}

static void print_column(FILE *out, const tl_sweep *sweep, int32_t k, const char *suffix) {
  const char *const unit = sweep->unit[k];
  fprintf(out, ",%s%s%s%s%s", sweep->column[k], suffix, unit[0] != '\0' ? " [" : "", unit,
          unit[0] != '\0' ? "]" : "");
}

static void outcome_words(const tl_sweep_run *run, char *words, size_t capacity) {
  static const char *const word[] = {"waiting", "running", "finished", "failed", "interrupted"};
  const int status = run->wait_status;
  if (run->state != TL_SWEEP_FAILED) {
    snprintf(words, capacity, "%s", word[run->state]);
  } else if (WIFSIGNALED(status)) {
    snprintf(words, capacity, "failed: signal %d", WTERMSIG(status));
  } else {
    snprintf(words, capacity, "failed: exit code %d", WEXITSTATUS(status));
  }
}

static int write_results(const tl_sweep *sweep) {
  char path[TL_SWEEP_PATH], outcome[48];
  snprintf(path, sizeof path, "%s/results.csv", sweep->folder);
  tl_cli_text text;
  if (tl_cli_text_begin(&text) != TL_EXIT_OK) {
    return TL_EXIT_BAD;
  }
  FILE *const file = text.stream;
  print_keys(file, sweep, true);
  for (int32_t k = 0; k < sweep->column_count; k++) {
    print_column(file, sweep, k, "");
  }
  fputs(",outcome,run\n", file);
  for (int32_t i = 0; i < sweep->run_count; i++) {
    print_parameters(file, sweep, i, true);
    for (int32_t k = 0; k < sweep->column_count; k++) {
      print_number(file, sweep->run[i].value[k]);
    }
    outcome_words(&sweep->run[i], outcome, sizeof outcome);
    fprintf(file, ",%s,runs/%s\n", outcome, sweep->run[i].name);
  }
  return tl_cli_text_write(&text, sweep->context, path);
}

/* Whether there is a parameter to call a line of the summary by. */
static bool has_parameters(const tl_sweep *sweep) {
  return sweep->axis_count > 1 || !sweep->axis[0].is_seed;
}

static int write_summary(const tl_sweep *sweep) {
  char path[TL_SWEEP_PATH];
  snprintf(path, sizeof path, "%s/summary.csv", sweep->folder);
  tl_cli_text text;
  if (tl_cli_text_begin(&text) != TL_EXIT_OK) {
    return TL_EXIT_BAD;
  }
  FILE *const file = text.stream;
  print_keys(file, sweep, false);
  fprintf(file, "%sruns", has_parameters(sweep) ? "," : "");
  for (int32_t k = 0; k < sweep->column_count; k++) {
    print_column(file, sweep, k, "");
    print_column(file, sweep, k, "_error");
  }
  fputc('\n', file);
  for (int32_t i = 0; i < sweep->run_count; i += sweep->seed_count) {
    double mean, error;
    print_parameters(file, sweep, i, false);
    fprintf(file, "%s%d", has_parameters(sweep) ? "," : "",
            (int)tl_sweep_mean(sweep, i, 0, &mean, &error));
    for (int32_t k = 0; k < sweep->column_count; k++) {
      tl_sweep_mean(sweep, i, k, &mean, &error);
      print_number(file, mean);
      print_number(file, error);
    }
    fputc('\n', file);
  }
  return tl_cli_text_write(&text, sweep->context, path);
}

/* The list that `talus plot` reads. */
static int write_runs(const tl_sweep *sweep) {
  tl_study_runs runs = {.run = calloc((size_t)sweep->run_count, sizeof *runs.run)};
  if (runs.run == NULL) {
    return tl_cli_fail("out of memory");
  }
  for (int32_t i = 0; i < sweep->run_count; i++) {
    if (sweep->run[i].state == TL_SWEEP_FINISHED) {
      tl_study_run *const run = &runs.run[runs.count++];
      snprintf(run->folder, sizeof run->folder, "runs/%s", sweep->run[i].name);
      tl_sweep_label(sweep, i, -1, run->label, sizeof run->label);
    }
  }
  const int code = tl_study_runs_write(sweep->context, sweep->folder, &runs);
  tl_study_runs_release(&runs);
  return code;
}

/* ---- plots ----------------------------------------------------------------------------------- */

static const char *const endings[] = {"png", "svg", "pdf"}; /* as in --format */

/* The first parameter that has several numbers, or -1. */
static int32_t x_axis(const tl_sweep *sweep) {
  int32_t found = -1;
  for (int32_t i = sweep->axis_count - 1; i >= 0; i--) {
    const tl_sweep_axis *const axis = &sweep->axis[i];
    found = axis->numeric && axis->count > 1 && !axis->is_seed ? i : found;
  }
  return found;
}

/* A curve per combination of the other parameters. */
typedef struct curves {
  tl_plot_series *series;
  char (*label)[128];
  double *room; /* of a series: x, mean, low, high */
  int32_t count;
} curves;

/* Means over the axis x for the combination of run `first`, in the order of x. */
static void fill_series(const tl_sweep *sweep, int32_t axis, int32_t first, int32_t stride,
                        int32_t column, curves *c) {
  const int32_t count = sweep->axis[axis].count;
  double *const x = c->room + (size_t)4 * (size_t)count * (size_t)c->count;
  double *const mean = x + count, *const low = mean + count, *const high = low + count;
  for (int32_t k = 0; k < count; k++) {
    double error;
    int32_t rank = 0;
    for (int32_t j = 0; j < count; j++) {
      rank += sweep->axis[axis].number[j] < sweep->axis[axis].number[k] ||
              (sweep->axis[axis].number[j] == sweep->axis[axis].number[k] && j < k);
    }
    x[rank] = sweep->axis[axis].number[k];
    tl_sweep_mean(sweep, first + k * stride, column, &mean[rank], &error);
    low[rank] = mean[rank] - error;
    high[rank] = mean[rank] + error;
  }
  tl_sweep_label(sweep, first, axis, c->label[c->count], sizeof c->label[0]);
  c->series[c->count] = (tl_plot_series){.x = x,
                                         .y = mean,
                                         .low = low,
                                         .high = high,
                                         .count = count,
                                         .label = c->label[c->count],
                                         .style = TL_PLOT_BOTH};
  c->count++;
}

/* A little beyond the first and the last value, so that bars do not lie on the border. */
static void set_range(const tl_sweep *sweep, int32_t axis, tl_plot_options *options) {
  double low = INFINITY, high = -INFINITY;
  for (int32_t k = 0; k < sweep->axis[axis].count; k++) {
    low = fmin(low, sweep->axis[axis].number[k]);
    high = fmax(high, sweep->axis[axis].number[k]);
  }
  if (options->log_x && low > 0.0) {
    options->x_low = low * pow(low / high, 0.05);
    options->x_high = high * pow(high / low, 0.05);
  } else if (!options->log_x) {
    options->x_low = low - 0.05 * (high - low);
    options->x_high = high + 0.05 * (high - low);
  }
}

static void with_unit(const char *name, const char *unit, char *words, size_t capacity) {
  snprintf(words, capacity, unit[0] != '\0' ? "%s [%s]" : "%s", name, unit);
}

static int draw_column(const tl_sweep *sweep, int32_t axis, int32_t column, curves *c) {
  char path[TL_SWEEP_PATH], x_label[160], y_label[128];
  tl_plot_options options = tl_plot_options_default();
  int32_t stride = 1;
  for (int32_t i = axis + 1; i < sweep->axis_count; i++) {
    stride *= sweep->axis[i].count;
  }
  c->count = 0;
  for (int32_t i = 0; i < sweep->run_count; i += sweep->seed_count) {
    if (tl_sweep_choice(sweep, i, axis) == 0) {
      fill_series(sweep, axis, i, stride, column, c);
    }
  }
  with_unit(sweep->axis[axis].name, sweep->axis[axis].unit, x_label, sizeof x_label);
  with_unit(sweep->column[column], sweep->unit[column], y_label, sizeof y_label);
  options.x_label = x_label;
  options.y_label = y_label;
  options.log_x = sweep->o->log_x;
  options.log_y = sweep->o->log_y;
  options.legend = c->count > 8 ? TL_LEGEND_BESIDE : TL_LEGEND_INSIDE;
  set_range(sweep, axis, &options);
  snprintf(path, sizeof path, "%s/%s.%s", sweep->folder, sweep->column[column],
           endings[sweep->o->format]);
  const talus_status status = tl_plot_file(sweep->context, c->series, c->count, &options, path);
  if (status != TALUS_OK) { /* the tables are there all the same */
    tl_cli_fail("%s was not drawn: %s", path, talus_context_message(sweep->context));
    return status == TALUS_UNSUPPORTED ? TL_EXIT_OK : TL_EXIT_BAD;
  }
  printf("%s\n", path);
  return TL_EXIT_OK;
}

static int draw_plots(const tl_sweep *sweep) {
  const int32_t axis = x_axis(sweep);
  if (axis < 0 || sweep->o->format >= (int)(sizeof endings / sizeof endings[0])) {
    return TL_EXIT_OK;
  }
  const size_t most = (size_t)(sweep->run_count / sweep->seed_count);
  curves c = {.series = calloc(most, sizeof *c.series),
              .label = calloc(most, sizeof *c.label),
              .room = calloc(4 * most, sizeof *c.room)};
  int code = c.series != NULL && c.label != NULL && c.room != NULL ? TL_EXIT_OK
                                                                   : tl_cli_fail("out of memory");
  for (int32_t k = 0; k < sweep->column_count && code == TL_EXIT_OK; k++) {
    code = draw_column(sweep, axis, k, &c);
  }
  free(c.series);
  free(c.label);
  free(c.room);
  return code;
}

/* ---- what is printed ------------------------------------------------------------------------- */

static void print_summary(const tl_sweep *sweep) {
  enum { WIDE = 24, LINES = 200 };
  int shown = 0;
  char first[256];
  tl_sweep_label(sweep, 0, -1, first, sizeof first);
  for (int32_t k = 0; k < sweep->column_count; k++) {
    char words[128];
    with_unit(sweep->column[k], sweep->unit[k], words, sizeof words);
    printf("%-*s", WIDE, words);
  }
  printf("%-6s%s\n", "runs", first[0] != '\0' ? "with" : "");
  for (int32_t i = 0; i < sweep->run_count && shown < LINES; i += sweep->seed_count, shown++) {
    double mean, error;
    char words[64], label[256];
    for (int32_t k = 0; k < sweep->column_count; k++) {
      tl_sweep_mean(sweep, i, k, &mean, &error);
      if (isnan(mean)) {
        snprintf(words, sizeof words, "-");
      } else if (isnan(error)) {
        snprintf(words, sizeof words, "%.5g", mean);
      } else {
        snprintf(words, sizeof words, "%.5g +- %.2g", mean, error);
      }
      printf("%-*s", WIDE, words);
    }
    tl_sweep_label(sweep, i, -1, label, sizeof label);
    printf("%-6d%s\n", (int)tl_sweep_mean(sweep, i, 0, &mean, &error), label);
  }
  if (sweep->run_count / sweep->seed_count > shown) {
    printf("... the rest is in summary.csv\n");
  }
}

/* The first complaint in the log of a run. */
static void print_complaint(const tl_sweep *sweep, const tl_sweep_run *run) {
  char path[TL_SWEEP_PATH], line[400], found[400] = "", outcome[48];
  tl_sweep_log_path(sweep, run, path);
  FILE *const file = fopen(path, "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    if (strncmp(line, "talus: ", 7) == 0 && strncmp(line, "talus: warning", 14) != 0) {
      line[strcspn(line, "\n")] = '\0';
      snprintf(found, sizeof found, ": %s", line + 7);
      break;
    }
  }
  if (file != NULL) {
    fclose(file);
  }
  outcome_words(run, outcome, sizeof outcome);
  tl_cli_fail("%s %s%s (%s)", run->name, outcome, found, path);
}

int tl_sweep_report(const tl_sweep *sweep) {
  int32_t finished = 0, before = 0, failed = 0;
  for (int32_t i = 0; i < sweep->run_count; i++) {
    finished += sweep->run[i].state == TL_SWEEP_FINISHED;
    before += sweep->run[i].finished_before;
    failed += sweep->run[i].state == TL_SWEEP_FAILED;
  }
  if (write_results(sweep) != TL_EXIT_OK || write_summary(sweep) != TL_EXIT_OK ||
      write_runs(sweep) != TL_EXIT_OK) {
    return TL_EXIT_BAD;
  }
  printf("%s: %d of %d runs finished", sweep->folder, (int)finished, (int)sweep->run_count);
  printf(before > 0 ? ", %d of them before\n" : "\n", (int)before);
  int code = TL_EXIT_OK;
  if (finished > 0) {
    print_summary(sweep);
    printf("%s/results.csv\n%s/summary.csv\n", sweep->folder, sweep->folder);
    code = draw_plots(sweep);
  }
  for (int32_t i = 0; i < sweep->run_count; i++) {
    if (sweep->run[i].state == TL_SWEEP_FAILED) {
      print_complaint(sweep, &sweep->run[i]);
    }
  }
  return code != TL_EXIT_OK ? code : failed > 0 ? TL_EXIT_NOT_CONVERGED : TL_EXIT_OK;
}
