/* plot_runs.c: columns of tables as curves, or as the mean of several with a band; see plot.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/view/plot.h"

enum { WORDS = 160 };

tl_plot_options tl_plot_options_default(void) {
  const tl_plot_options options = {.width = 1000, .height = 700, .legend = TL_LEGEND_INSIDE};
  return options;
}

/* What is being made: the curves and the memory that they lie in. */
typedef struct plan {
  talus_context *context;
  const tl_plot_run *run;
  int32_t run_count, y_count;
  const char *x;
  const char *const *y;
  tl_plot_style style;
  tl_plot_band band;
  tl_plot_series *series; /* [series_count] */
  int32_t series_count;
  char (*label)[WORDS]; /* [series_count] */
  double *mean;         /* of all groups: x, mean, low and high in turn */
} plan;

/* ---- names ----------------------------------------------------------------------------------- */

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

static talus_status check_columns(const plan *p) {
  if (p->y_count < 1 || p->run_count < 1) {
    return tl_fail(p->context, TALUS_BAD_SETTING, "plot: no column is asked for");
  }
  for (int32_t r = 0; r < p->run_count; r++) {
    const tl_stored_table *const table = p->run[r].table;
    for (int32_t k = -1; k < p->y_count; k++) {
      const char *const name = k < 0 ? p->x : p->y[k];
      if (tl_stored_table_find(table, name) < 0) {
        return no_column(p->context, table, name);
      }
    }
  }
  return TALUS_OK;
}

static const double *column_of(const tl_stored_table *table, const char *name) {
  return table->value + (int64_t)tl_stored_table_find(table, name) * table->row_count;
}

static const char *unit_of(const plan *p, const char *name) {
  const tl_stored_table *const table = p->run[0].table;
  return table->unit[tl_stored_table_find(table, name)];
}

static void print_with_unit(const plan *p, const char *name, char words[WORDS]) {
  const char *const unit = unit_of(p, name);
  snprintf(words, WORDS, unit[0] != 0 ? "%s [%s]" : "%s", name, unit);
}

/* Whether all columns have the same unit: it stands at the axis then, not in the legend. */
static bool units_agree(const plan *p) {
  bool same = true;
  for (int32_t k = 1; k < p->y_count; k++) {
    same = same && strcmp(unit_of(p, p->y[k]), unit_of(p, p->y[0])) == 0;
  }
  return same;
}

/* The label of a curve: its group, where there are several, and its column, where there are. */
static void print_label(const plan *p, int32_t column, const char *group, char words[WORDS]) {
  char name[WORDS];
  if (units_agree(p)) {
    snprintf(name, sizeof name, "%s", p->y[column]);
  } else {
    print_with_unit(p, p->y[column], name);
  }
  const bool named = group != NULL && group[0] != '\0';
  const bool several = p->y_count > 1;
  const int used =
      snprintf(words, WORDS, "%.*s%s", WORDS / 2, named ? group : "", named && several ? ", " : "");
  if (several) {
    snprintf(words + used, (size_t)(WORDS - used), "%.*s", WORDS / 2 - 4, name);
  }
}

static void print_y_label(const plan *p, char words[WORDS]) {
  words[0] = 0;
  if (p->y_count == 1) {
    print_with_unit(p, p->y[0], words);
  } else if (units_agree(p) && unit_of(p, p->y[0])[0] != 0) {
    snprintf(words, WORDS, "[%s]", unit_of(p, p->y[0]));
  }
}

/* ---- curves ---------------------------------------------------------------------------------- */

static tl_plot_series *series_add(plan *p, int32_t column, const char *group) {
  tl_plot_series *const series = &p->series[p->series_count];
  *series = (tl_plot_series){.style = p->style, .label = p->label[p->series_count]};
  print_label(p, column, group, p->label[p->series_count++]);
  return series;
}

/* The value at x between the lines of a table whose x grows; NAN outside of them. *line: the last
 * line at or before x, kept from the x before. */
static double value_at(const double *over, const double *value, int64_t count, double x,
                       int64_t *line) {
  while (*line + 1 < count && over[*line + 1] <= x) {
    (*line)++;
  }
  const int64_t k = *line;
  if (count == 0 || !(x >= over[k]) || (x > over[k] && k + 1 == count)) {
    return NAN;
  }
  return x == over[k]
             ? value[k]
             : value[k] + (value[k + 1] - value[k]) * (x - over[k]) / (over[k + 1] - over[k]);
}

typedef struct moments {
  double count, sum, squares, low, high;
} moments;

static double band_half(const moments *m, tl_plot_band band) {
  const double mean = m->sum / m->count;
  const double variance = fmax(0.0, m->squares / m->count - mean * mean) * m->count;
  const double deviation = m->count > 1.0 ? sqrt(variance / (m->count - 1.0)) : NAN;
  return band == TL_BAND_ERROR ? deviation / sqrt(m->count) : deviation;
}

/* Values of the runs first .. end - 1 at an x, as offsets from that of the first run, so that their
 * squares keep their digits. */
static void mean_at(const plan *p, int32_t first, int32_t end, int32_t column, int64_t *line,
                    double x, double out[3]) {
  moments m = {0.0, 0.0, 0.0, INFINITY, -INFINITY};
  double origin = NAN;
  for (int32_t r = first; r < end; r++) {
    const tl_stored_table *const table = p->run[r].table;
    const double value = value_at(column_of(table, p->x), column_of(table, p->y[column]),
                                  table->row_count, x, &line[r]);
    if (isfinite(value)) {
      origin = isnan(origin) ? value : origin;
      m.count += 1.0;
      m.sum += value - origin;
      m.squares += (value - origin) * (value - origin);
      m.low = fmin(m.low, value);
      m.high = fmax(m.high, value);
    }
  }
  const double half = band_half(&m, p->band);
  out[0] = m.count > 0.0 ? origin + m.sum / m.count : NAN;
  out[1] = p->band == TL_BAND_RANGE ? m.low : out[0] - half;
  out[2] = p->band == TL_BAND_RANGE ? m.high : out[0] + half;
}

/* Means of one column over a group, in `room` of four times the lines of its first run. */
static talus_status mean_make(plan *p, int32_t first, int32_t end, int32_t column, double *room) {
  const tl_stored_table *const table = p->run[first].table;
  const int64_t count = table->row_count;
  void *memory = NULL;
  TL_TRY(tl_alloc(p->context, &memory, (size_t)p->run_count, sizeof(int64_t), "plot"));
  int64_t *const line = memory;
  memset(line, 0, (size_t)p->run_count * sizeof *line);
  memcpy(room, column_of(table, p->x), (size_t)count * sizeof *room);
  for (int64_t k = 0; k < count; k++) {
    double found[3];
    mean_at(p, first, end, column, line, room[k], found);
    for (int i = 0; i < 3; i++) {
      room[(i + 1) * count + k] = found[i];
    }
  }
  tl_free(p->context, memory);
  tl_plot_series *const series = series_add(p, column, p->run[first].label);
  *series = (tl_plot_series){.x = room,
                             .y = room + count,
                             .low = room + 2 * count,
                             .high = room + 3 * count,
                             .count = count,
                             .label = series->label,
                             .style = p->style};
  return TALUS_OK;
}

static talus_status check_growing(const plan *p) {
  for (int32_t r = 0; r < p->run_count; r++) {
    const tl_stored_table *const table = p->run[r].table;
    const double *const x = column_of(table, p->x);
    for (int64_t k = 1; k < table->row_count; k++) {
      if (!(x[k] > x[k - 1])) {
        return tl_fail(p->context, TALUS_BAD_SETTING,
                       "plot: a mean over runs needs an x that grows; '%s' does not at line %lld",
                       p->x, (long long)k + 1);
      }
    }
  }
  return TALUS_OK;
}

static talus_status make_means(plan *p) {
  double *room = p->mean;
  TL_TRY(check_growing(p));
  for (int32_t first = 0, end; first < p->run_count; first = end) {
    for (end = first + 1; end < p->run_count && p->run[end].group == p->run[first].group; end++) {
    }
    for (int32_t k = 0; k < p->y_count; k++) {
      TL_TRY(mean_make(p, first, end, k, room));
      room += 4 * p->run[first].table->row_count;
    }
  }
  return TALUS_OK;
}

static void make_curves(plan *p) {
  for (int32_t r = 0; r < p->run_count; r++) {
    const tl_stored_table *const table = p->run[r].table;
    for (int32_t k = 0; k < p->y_count; k++) {
      tl_plot_series *const series = series_add(p, k, p->run[r].label);
      series->x = column_of(table, p->x);
      series->y = column_of(table, p->y[k]);
      series->count = table->row_count;
    }
  }
}

/* ---- entry ----------------------------------------------------------------------------------- */

static talus_status plan_reserve(plan *p) {
  const size_t most = (size_t)p->run_count * (size_t)p->y_count;
  size_t lines = 0;
  void *memory = NULL;
  for (int32_t r = 0; r < p->run_count; r++) {
    lines += (size_t)p->run[r].table->row_count;
  }
  TL_TRY(tl_alloc(p->context, &memory, most, sizeof(tl_plot_series), "plot"));
  p->series = memory;
  TL_TRY(tl_alloc(p->context, &memory, most, WORDS, "plot"));
  p->label = memory;
  if (p->band != TL_BAND_NONE) {
    TL_TRY(
        tl_alloc(p->context, &memory, 4 * lines * (size_t)p->y_count + 1, sizeof(double), "plot"));
    p->mean = memory;
  }
  return TALUS_OK;
}

static talus_status plan_draw(plan *p, const tl_plot_options *options, const char *path) {
  char x_label[WORDS], y_label[WORDS];
  tl_plot_options with = *options;
  if (p->band != TL_BAND_NONE) {
    TL_TRY(make_means(p));
  } else {
    make_curves(p);
  }
  print_with_unit(p, p->x, x_label);
  print_y_label(p, y_label);
  with.x_label = options->x_label != NULL ? options->x_label : x_label;
  with.y_label = options->y_label != NULL ? options->y_label : y_label[0] != 0 ? y_label : NULL;
  if (p->series_count > 8 && with.legend == TL_LEGEND_INSIDE) {
    with.legend = TL_LEGEND_BESIDE; /* inside it would hide too much */
  }
  return tl_plot_file(p->context, p->series, p->series_count, &with, path);
}

talus_status tl_plot_runs(talus_context *context, const tl_plot_run *run, int32_t run_count,
                          const char *x, const char *const *y, int32_t y_count, tl_plot_style style,
                          tl_plot_band band, const tl_plot_options *options, const char *path) {
  plan p = {.context = context,
            .run = run,
            .run_count = run_count,
            .x = x,
            .y = y,
            .y_count = y_count,
            .style = style,
            .band = band};
  TL_TRY(check_columns(&p));
  talus_status status = plan_reserve(&p);
  if (status == TALUS_OK) {
    status = plan_draw(&p, options, path);
  }
  tl_free(context, p.mean);
  tl_free(context, p.label);
  tl_free(context, p.series);
  return status;
}
