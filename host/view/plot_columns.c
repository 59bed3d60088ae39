/* plot_columns.c: columns of a table as curves; see plot.h. */
#include <stdio.h>
#include <string.h>

#include "host/view/plot.h"

enum { WORDS = 160 };

/* BAD_SETTING with the names that would have been right, as far as there is room. */
static talus_status no_column(talus_context *context, const tl_stored_table *table,
                              const char *name) {
  char list[360];
  size_t length = 0;
  list[0] = 0;
  for (int32_t k = 0; k < table->column_count; k++) {
    const size_t left = sizeof list - length;
    const int more = snprintf(list + length, left, "%s%s", k > 0 ? ", " : "", table->name[k]);
    if (more < 0 || (size_t)more >= left) {
      list[length] = 0;
      break;
    }
    length += (size_t)more;
  }
  return tl_fail(context, TALUS_BAD_SETTING, "plot: there is no column '%s'; there are: %s", name,
                 list);
}

static void print_label(const tl_stored_table *table, int32_t column, char words[WORDS]) {
  const char *unit = table->unit[column];
  snprintf(words, WORDS, unit[0] != 0 ? "%s [%s]" : "%s", table->name[column], unit);
}

/* What all curves share stands at the axis, the rest in the legend. */
static void print_labels(const tl_stored_table *table, const int32_t *column, int32_t count,
                         char (*label)[WORDS], char y_label[WORDS]) {
  int same = 1;
  for (int32_t k = 1; k < count; k++) {
    same &= strcmp(table->unit[column[k]], table->unit[column[0]]) == 0;
  }
  for (int32_t k = 0; k < count; k++) {
    if (same) {
      snprintf(label[k], WORDS, "%s", table->name[column[k]]);
    } else {
      print_label(table, column[k], label[k]);
    }
  }
  y_label[0] = 0;
  if (count == 1) {
    print_label(table, column[0], y_label);
    label[0][0] = 0;
  } else if (same && table->unit[column[0]][0] != 0) {
    snprintf(y_label, WORDS, "[%s]", table->unit[column[0]]);
  }
}

static talus_status draw(talus_context *context, const tl_stored_table *table, int32_t x,
                         const int32_t *column, int32_t count, tl_plot_style style,
                         const tl_plot_options *options, tl_plot_series *series,
                         char (*label)[WORDS], const char *path) {
  char x_label[WORDS], y_label[WORDS];
  tl_plot_options with = *options;
  print_label(table, x, x_label);
  print_labels(table, column, count, label, y_label);
  for (int32_t k = 0; k < count; k++) {
    series[k].x = table->value + (int64_t)x * table->row_count;
    series[k].y = table->value + (int64_t)column[k] * table->row_count;
    series[k].count = table->row_count;
    series[k].label = label[k];
    series[k].style = style;
  }
  with.x_label = options->x_label != NULL ? options->x_label : x_label;
  with.y_label = options->y_label != NULL ? options->y_label : y_label[0] != 0 ? y_label : NULL;
  return tl_plot_file(context, series, count, &with, path);
}

talus_status tl_plot_columns(talus_context *context, const tl_stored_table *table, const char *x,
                             const char *const *y, int32_t y_count, tl_plot_style style,
                             const tl_plot_options *options, const char *path) {
  void *column = NULL, *series = NULL, *label = NULL;
  const int32_t over = tl_stored_table_find(table, x);
  if (over < 0 || y_count < 1) {
    return over < 0 ? no_column(context, table, x)
                    : tl_fail(context, TALUS_BAD_SETTING, "plot: no column is asked for");
  }
  talus_status status = tl_alloc(context, &column, (size_t)y_count, sizeof(int32_t), "plot");
  for (int32_t k = 0; status == TALUS_OK && k < y_count; k++) {
    const int32_t found = tl_stored_table_find(table, y[k]);
    ((int32_t *)column)[k] = found;
    status = found >= 0 ? TALUS_OK : no_column(context, table, y[k]);
  }
  if (status == TALUS_OK) {
    status = tl_alloc(context, &series, (size_t)y_count, sizeof(tl_plot_series), "plot");
  }
  if (status == TALUS_OK) {
    status = tl_alloc(context, &label, (size_t)y_count, WORDS, "plot");
  }
  if (status == TALUS_OK) {
    status = draw(context, table, over, column, y_count, style, options, series, label, path);
  }
  tl_free(context, label);
  tl_free(context, series);
  tl_free(context, column);
  return status;
}
