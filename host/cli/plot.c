/* plot.c: `talus plot PATH...`: columns of runs over time, as a PNG, SVG or PDF. */
#define _POSIX_C_SOURCE 200809L
#include "host/view/plot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "host/base/words.h"
#include "host/cli/cli.h"
#include "host/cli/options.h"
#include "host/cli/study.h"

enum { COLUMNS = 16, NAME = 64, PATH = 1200, AUTO = 0 };

typedef struct plot_options {
  const char **path; /* [path_count] */
  int path_count;
  const char *columns, *x, *out;
  int style, band, list, log_x, log_y;
  int64_t width, height;
  tl_plot_options options;
} plot_options;

/* The tables of all runs. */
typedef struct run_list {
  talus_context *context;
  tl_plot_run *run;       /* [count] */
  tl_stored_table *table; /* [count] */
  char (*label)[NAME * 2];
  int32_t count, capacity;
} run_list;

static tl_parsed parse_options(plot_options *o, int argc, char **argv) {
  const tl_option table[] = {
      {"columns", TL_OPTION_TEXT, &o->columns, "A,B", "what to plot (default kinetic,potential)", 0,
       0, 0},
      {"x", TL_OPTION_TEXT, &o->x, "COLUMN", "over what (default time)", 0, 0, 0},
      {"out", TL_OPTION_TEXT, &o->out, "FILE",
       "ends with .png, .svg or .pdf (default PATH/plot.png)", 0, 0, 0},
      {"list", TL_OPTION_FLAG, &o->list, NULL, "print the names of the columns and end", 0, 0, 0},
      {"style", TL_OPTION_CHOICE, &o->style, "line|points|both", "(default line)", 0, 0, 0},
      {"band", TL_OPTION_CHOICE, &o->band, "auto|error|deviation|range|none",
       "mean of the runs, with this band (default auto: error for a study)", 0, 0, 0},
      {"log-x", TL_OPTION_FLAG, &o->log_x, NULL, "logarithmic axis", 0, 0, 0},
      {"log-y", TL_OPTION_FLAG, &o->log_y, NULL, "logarithmic axis", 0, 0, 0},
      {"title", TL_OPTION_TEXT, &o->options.title, "TEXT", "above the plot", 0, 0, 0},
      {"width", TL_OPTION_INTEGER, &o->width, "N", "pixels (default 1000)", 64, 16384, 0},
      {"height", TL_OPTION_INTEGER, &o->height, "N", "pixels (default 700)", 64, 16384, 0},
      {0}};
  const tl_command command = {
      .name = "plot",
      .summary = "Plots columns of the scalars.csv of runs, each run with curves of its own.",
      .positional = "[PATH...]",
      .notes =
          "PATH is the folder of a run, a CSV file, or the folder of a study by talus sweep: then\n"
          "runs that differ in their seed alone are one curve, their mean, with a band: error is\n"
          "the standard error of the mean. Other paths with --band are seeds of one another.\n"
          "In SVG and PDF a pixel is 1/200 inch.\n"
          "exit code: 0 drawn, 2 not\n",
      .options = table,
      .arguments = o->path};
  const tl_parsed parsed = tl_options_parse(&command, argc, argv);
  while (parsed == TL_PARSED_OK && o->path[o->path_count] != NULL) {
    o->path_count++;
  }
  if (parsed == TL_PARSED_OK && o->path_count == 0) {
    tl_cli_fail("PATH is missing");
    return TL_PARSED_BAD;
  }
  return parsed;
}

/* A column that is not there, with the nearest that is. */
int tl_cli_column_check(const tl_stored_table *table, const char *name) {
  char names[2048] = "", near[NAME];
  if (tl_stored_table_find(table, name) >= 0) {
    return TL_EXIT_OK;
  }
  for (int32_t i = 0; i < table->column_count; i++) {
    const size_t used = strlen(names);
    snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? "|" : "", table->name[i]);
  }
  if (tl_words_nearest(name, names, near, sizeof near) != NULL) {
    return tl_cli_fail("no column '%s'; did you mean %s?", name, near);
  }
  return tl_cli_fail("no column '%s'; --list prints those there", name);
}

/* ---- runs ------------------------------------------------------------------------------------ */

static int list_grow(run_list *list) {
  if (list->count < list->capacity) {
    return TL_EXIT_OK;
  }
  const int32_t more = 2 * list->capacity + 8;
  void *const run = realloc(list->run, (size_t)more * sizeof *list->run);
  list->run = run != NULL ? run : list->run;
  void *const table = realloc(list->table, (size_t)more * sizeof *list->table);
  list->table = table != NULL ? table : list->table;
  void *const label = realloc(list->label, (size_t)more * sizeof *list->label);
  list->label = label != NULL ? label : list->label;
  if (run == NULL || table == NULL || label == NULL) {
    return tl_cli_fail("out of memory");
  }
  list->capacity = more;
  return TL_EXIT_OK;
}

static int add_run(run_list *list, const char *path, const char *label, int32_t group) {
  if (list_grow(list) != TL_EXIT_OK) {
    return TL_EXIT_BAD;
  }
  tl_stored_table *const table = &list->table[list->count];
  const talus_status status = tl_stored_table_read(list->context, path, table);
  if (status != TALUS_OK) {
    tl_stored_table_release(table);
    return tl_cli_fail_status(list->context, status, path);
  }
  snprintf(list->label[list->count], sizeof list->label[0], "%s", label);
  list->run[list->count].group = group;
  list->count++;
  return TL_EXIT_OK;
}

/* The runs of a study, in groups that differ in more than the seed. */
static int add_study(run_list *list, const char *folder) {
  tl_study_runs runs;
  int32_t group = list->count > 0 ? list->run[list->count - 1].group : -1;
  int code = tl_study_runs_read(folder, &runs);
  for (int32_t i = 0; code == TL_EXIT_OK && i < runs.count; i++) {
    char path[PATH];
    group += i == 0 || strcmp(runs.run[i].label, runs.run[i - 1].label) != 0;
    snprintf(path, sizeof path, "%s/%s/scalars.csv", folder, runs.run[i].folder);
    code = add_run(list, path, runs.run[i].label, group);
  }
  tl_study_runs_release(&runs);
  return code;
}

static bool is_folder(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static int add_path(run_list *list, const plot_options *o, const char *path) {
  char file[PATH], label[NAME * 2];
  const bool folder = is_folder(path);
  int length = (int)strlen(path);
  while (folder && length > 1 && path[length - 1] == '/') {
    length--;
  }
  snprintf(file, sizeof file, "%s%s", path, folder ? "/scalars.csv" : "");
  snprintf(label, sizeof label, "%.*s", o->path_count > 1 && o->band == AUTO ? length : 0, path);
  return add_run(list, file, label, 0);
}

static int add_paths(run_list *list, plot_options *o) {
  int code = TL_EXIT_OK;
  for (int i = 0; i < o->path_count && code == TL_EXIT_OK; i++) {
    const bool study = tl_study_is(o->path[i]);
    code = study ? add_study(list, o->path[i]) : add_path(list, o, o->path[i]);
    if (study && o->band == AUTO) {
      o->band = TL_BAND_ERROR;
    }
  }
  for (int32_t i = 0; i < list->count; i++) { /* the arrays no longer move */
    list->run[i].table = &list->table[i];
    list->run[i].label = list->label[i];
  }
  return code;
}

static void list_release(run_list *list) {
  for (int32_t i = 0; i < list->count; i++) {
    tl_stored_table_release(&list->table[i]);
  }
  free(list->run);
  free(list->table);
  free(list->label);
}

/* ---- the plot -------------------------------------------------------------------------------- */

static int draw(const run_list *list, const plot_options *o, const char *path) {
  static const tl_plot_band bands[] = {TL_BAND_NONE, TL_BAND_ERROR, TL_BAND_DEVIATION,
                                       TL_BAND_RANGE, TL_BAND_NONE};
  char name[COLUMNS][NAME];
  const char *column[COLUMNS], *rest = o->columns;
  int32_t count = 0;
  while (count < COLUMNS && (rest = tl_words_next(rest, ',', name[count], NAME)) != NULL) {
    column[count] = name[count];
    if (tl_cli_column_check(&list->table[0], column[count++]) != TL_EXIT_OK) {
      return TL_EXIT_BAD;
    }
  }
  if (rest != NULL && *rest != '\0') {
    return tl_cli_fail("at most %d columns can be plotted at once", COLUMNS);
  }
  if (tl_cli_column_check(&list->table[0], o->x) != TL_EXIT_OK) {
    return TL_EXIT_BAD;
  }
  const talus_status status =
      tl_plot_runs(list->context, list->run, list->count, o->x, column, count,
                   (tl_plot_style)o->style, bands[o->band], &o->options, path);
  if (status != TALUS_OK) {
    return tl_cli_fail_status(list->context, status, path);
  }
  printf("%s\n", path);
  return TL_EXIT_OK;
}

static void list_columns(const tl_stored_table *table) {
  for (int32_t i = 0; i < table->column_count; i++) {
    printf("%s%s%s%s\n", table->name[i], table->unit[i][0] != '\0' ? " [" : "", table->unit[i],
           table->unit[i][0] != '\0' ? "]" : "");
  }
}

static int run_plot(plot_options *o) {
  char picture[PATH];
  run_list list = {0};
  const bool folder = is_folder(o->path[0]);
  snprintf(picture, sizeof picture, "%s%s", o->path[0], folder ? "/plot.png" : ".png");
  if (tl_cli_context_open(TALUS_BACKEND_CPU, 1, 0, &list.context) != TL_EXIT_OK) {
    return TL_EXIT_BAD;
  }
  int code = add_paths(&list, o);
  if (code == TL_EXIT_OK && list.count == 0) {
    code = tl_cli_fail("%s: no run of the study has finished", o->path[0]);
  } else if (code == TL_EXIT_OK && o->list) {
    list_columns(&list.table[0]);
  } else if (code == TL_EXIT_OK) {
    code = draw(&list, o, o->out != NULL ? o->out : picture);
  }
  list_release(&list);
  talus_context_destroy(list.context);
  return code;
}

int tl_cli_plot(int argc, char **argv) {
  plot_options o = {.columns = "kinetic,potential", .x = "time", .width = 1000, .height = 700};
  o.options = tl_plot_options_default();
  o.path = calloc((size_t)argc + 1, sizeof *o.path);
  if (o.path == NULL) {
    return tl_cli_fail("out of memory");
  }
  const tl_parsed parsed = parse_options(&o, argc, argv);
  o.options.width = (int32_t)o.width;
  o.options.height = (int32_t)o.height;
  o.options.log_x = o.log_x;
  o.options.log_y = o.log_y;
  const int code = parsed == TL_PARSED_OK     ? run_plot(&o)
                   : parsed == TL_PARSED_HELP ? TL_EXIT_OK
                                              : TL_EXIT_BAD;
  free(o.path);
  return code;
}
