/* plot.c: `talus plot DIR`: columns of a run's scalars.csv over time, as a PNG picture. */
#define _POSIX_C_SOURCE 200809L
#include "host/view/plot.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "host/base/words.h"
#include "host/cli/cli.h"
#include "host/cli/options.h"

enum { COLUMNS = 16, NAME = 64 };

typedef struct plot_options {
  const char *directory, *columns, *x, *out;
  int style, list, log_x, log_y;
  int64_t width, height;
  tl_plot_options options;
} plot_options;

static tl_parsed parse_options(plot_options *o, int argc, char **argv) {
  const tl_option table[] = {
      {"columns", TL_OPTION_TEXT, &o->columns, "A,B", "what to plot (default kinetic,potential)", 0,
       0, 0},
      {"x", TL_OPTION_TEXT, &o->x, "COLUMN", "over what (default time)", 0, 0, 0},
      {"out", TL_OPTION_TEXT, &o->out, "FILE.png", "(default: DIR/plot.png)", 0, 0, 0},
      {"list", TL_OPTION_FLAG, &o->list, NULL, "print the names of the columns and end", 0, 0, 0},
      {"style", TL_OPTION_CHOICE, &o->style, "line|points|both", "(default line)", 0, 0, 0},
      {"log-x", TL_OPTION_FLAG, &o->log_x, NULL, "logarithmic axis", 0, 0, 0},
      {"log-y", TL_OPTION_FLAG, &o->log_y, NULL, "logarithmic axis", 0, 0, 0},
      {"title", TL_OPTION_TEXT, &o->options.title, "TEXT", "above the plot", 0, 0, 0},
      {"width", TL_OPTION_INTEGER, &o->width, "N", "pixels (default 1000)", 64, 16384, 0},
      {"height", TL_OPTION_INTEGER, &o->height, "N", "pixels (default 700)", 64, 16384, 0},
      {0}};
  const tl_command command = {.name = "plot",
                              .summary = "Plots columns of a run's scalars.csv.",
                              .positional = "DIR",
                              .notes = "DIR may also be a CSV file.\nexit code: 0 drawn, 2 not\n",
                              .options = table,
                              .arguments = &o->directory};
  return tl_options_parse(&command, argc, argv);
}

/* A column that is not there, with the nearest that is. */
static int check_column(const tl_table *table, const char *name) {
  char names[2048] = "", near[NAME];
  if (tl_table_find(table, name) >= 0) {
    return TL_EXIT_OK;
  }
  for (int32_t i = 0; i < table->column_count; i++) {
    const size_t used = strlen(names);
    snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? "|" : "", table->name[i]);
  }
  if (tl_words_nearest(name, names, near, sizeof near) != NULL) {
    return tl_cli_complain("no column '%s'; did you mean %s?", name, near);
  }
  return tl_cli_complain("no column '%s'; --list prints those there", name);
}

static int draw(talus_context *context, const plot_options *o, const tl_table *table,
                const char *path) {
  char name[COLUMNS][NAME];
  const char *column[COLUMNS], *rest = o->columns;
  int32_t count = 0;
  while (count < COLUMNS && (rest = tl_words_next(rest, ',', name[count], NAME)) != NULL) {
    column[count] = name[count];
    if (check_column(table, column[count++]) != TL_EXIT_OK) {
      return TL_EXIT_BAD;
    }
  }
  if (rest != NULL && *rest != '\0') {
    return tl_cli_complain("at most %d columns can be plotted at once", COLUMNS);
  }
  if (check_column(table, o->x) != TL_EXIT_OK) {
    return TL_EXIT_BAD;
  }
  const talus_status status = tl_plot_columns(context, table, o->x, column, count,
                                              (tl_plot_style)o->style, &o->options, path);
  if (status != TALUS_OK) {
    return tl_cli_complain_status(context, status, path);
  }
  printf("%s\n", path);
  return TL_EXIT_OK;
}

static void list_columns(const tl_table *table) {
  for (int32_t i = 0; i < table->column_count; i++) {
    printf("%s%s%s%s\n", table->name[i], table->unit[i][0] != '\0' ? " [" : "", table->unit[i],
           table->unit[i][0] != '\0' ? "]" : "");
  }
}

int tl_cli_plot(int argc, char **argv) {
  plot_options o = {.columns = "kinetic,potential", .x = "time", .width = 1000, .height = 700};
  o.options = tl_plot_options_default();
  const tl_parsed parsed = parse_options(&o, argc, argv);
  if (parsed != TL_PARSED_OK) {
    return parsed == TL_PARSED_HELP ? TL_EXIT_OK : TL_EXIT_BAD;
  }
  o.options.width = (int32_t)o.width;
  o.options.height = (int32_t)o.height;
  o.options.log_x = o.log_x;
  o.options.log_y = o.log_y;
  struct stat about;
  const int folder = stat(o.directory, &about) == 0 && S_ISDIR(about.st_mode);
  char path[1200], picture[1200];
  snprintf(path, sizeof path, "%s%s", o.directory, folder ? "/scalars.csv" : "");
  snprintf(picture, sizeof picture, "%s%s", o.directory, folder ? "/plot.png" : ".png");
  talus_context *context = NULL;
  if (tl_cli_context_open(TALUS_BACKEND_CPU, 1, 0, &context) != TL_EXIT_OK) {
    return TL_EXIT_BAD;
  }
  tl_table table;
  int code = TL_EXIT_OK;
  const talus_status status = tl_table_read(context, path, &table);
  if (status != TALUS_OK) {
    code = tl_cli_complain_status(context, status, path);
  } else if (o.list) {
    list_columns(&table);
  } else {
    code = draw(context, &o, &table, o.out != NULL ? o.out : picture);
  }
  tl_table_release(&table);
  talus_context_destroy(context);
  return code;
}
