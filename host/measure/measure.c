/* measure.c: which columns and rows a measurement has; see measure.h. */
#include "host/measure/measure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/io/output_file.h"

static const talus_column flow_columns[] = {
    {"mass_flow", "kg/s"}, {"volume_flow", "m3/s"}, {"number_flow", "1/s"}, {"crossings", "1/s"}};
static const talus_column radial_columns[] = {{"distance", "m"}, {"g", ""}};
static const talus_column force_columns[] = {{"force_over_mean", ""}, {"density", ""}};
static const talus_column place_column = {"place", "m"};

bool tl_measure_is_line(const tl_measure *m) {
  return m->def.kind == TL_MEASURE_REGION || m->def.kind == TL_MEASURE_PLANE;
}

static int32_t append(talus_column *column, int32_t count, const talus_column *more, int32_t n) {
  for (int32_t i = 0; i < n && column != NULL; i++) {
    column[count + i] = more[i];
  }
  return count + n;
}

static int32_t append_means(talus_column *column, int32_t count, uint32_t groups) {
  for (int i = 0; i < TL_MEAN_COUNT; i++) {
    if (groups >> tl_mean_columns[i].group & 1u) {
      count = append(column, count, &tl_mean_columns[i].column, 1);
    }
  }
  return count;
}

/* Names the columns; returns how many. */
static int32_t name_columns(const tl_measure_def *def, bool crossings, talus_column *column) {
  switch (def->kind) {
  case TL_MEASURE_REGION:
    return append_means(column, 0, def->groups);
  case TL_MEASURE_PROFILE:
    return append_means(column, append(column, 0, &place_column, 1), def->groups);
  case TL_MEASURE_PLANE:
    return append(column, 0, flow_columns, crossings ? 4 : 3);
  case TL_MEASURE_RADIAL:
    return append(column, 0, radial_columns, 2);
  case TL_MEASURE_FORCES:
    return append(column, 0, force_columns, 2);
  default:
    return 0;
  }
}

static talus_status open_one(tl_measures *m, const tl_measure_def *def, bool plane,
                             tl_measure *item) {
  void *memory = NULL;
  item->def = *def;
  if (def->kind == TL_MEASURE_FIELDS) {
    const tl_kernel kernel = tl_kernel_make(def->kernel, def->width, plane);
    return tl_grid_create(m->context, def->domain.lower, def->domain.upper, def->spacing, &kernel,
                          plane, &item->grid);
  }
  item->column_count = name_columns(def, m->crossings, NULL);
  TL_TRY(tl_alloc(m->context, &memory, (size_t)item->column_count, sizeof(talus_column),
                  "columns of a measurement"));
  item->column = memory;
  name_columns(def, m->crossings, item->column);
  item->row_count = tl_measure_is_line(item) ? 1 : def->bins;
  const size_t values = (size_t)item->row_count * (size_t)item->column_count;
  TL_TRY(tl_alloc(m->context, &memory, values, sizeof(double), "values of a measurement"));
  item->value = memory;
  for (size_t k = 0; k < values; k++) {
    item->value[k] = NAN;
  }
  return TALUS_OK;
}

talus_status tl_measures_open(talus_context *context, const tl_measure_def *def, int32_t count,
                              bool plane, bool crossings, tl_measures *m) {
  void *memory = NULL;
  memset(m, 0, sizeof *m);
  m->context = m->sample.context = context;
  m->crossings = crossings;
  m->before_count = -1;
  TL_TRY(tl_alloc(context, &memory, (size_t)count, sizeof *m->item, "measurements"));
  m->item = memory;
  memset(m->item, 0, (size_t)count * sizeof *m->item);
  m->count = count;
  for (int32_t k = 0; k < count; k++) {
    TL_TRY(open_one(m, &def[k], plane, &m->item[k]));
  }
  return TALUS_OK;
}

void tl_measures_release(tl_measures *m) {
  for (int32_t k = 0; k < m->count; k++) {
    tl_free(m->context, m->item[k].column);
    tl_free(m->context, m->item[k].value);
    tl_grid_release(&m->item[k].grid);
  }
  if (m->context != NULL) {
    tl_free(m->context, m->item);
    tl_buffer_release(m->context, &m->before);
    tl_sample_release(&m->sample);
  }
  memset(m, 0, sizeof *m);
}

static const char *words_of_nothing(tl_measure_kind kind) {
  switch (kind) {
  case TL_MEASURE_RADIAL:
    return "no grain of any frame is `reach` away from all faces of its region";
  case TL_MEASURE_FORCES:
    return "no frame has contacts with a force in its region (output.contacts)";
  default:
    return "no grain of any frame is in its region";
  }
}

void tl_measures_tell_empty(const tl_measures *m) {
  for (int32_t k = 0; k < m->count; k++) {
    if (m->item[k].found == 0) {
      tl_log(m->context, TALUS_LOG_WARNING, "measurement '%s': %s", m->item[k].def.name,
             words_of_nothing(m->item[k].def.kind));
    }
  }
}

int32_t tl_measures_line(const tl_measures *m, talus_column *column, char *text, double *value) {
  int32_t count = 0;
  for (int32_t k = 0; k < m->count; k++) {
    const tl_measure *const item = &m->item[k];
    for (int32_t i = 0; i < item->column_count && tl_measure_is_line(item); i++, count++) {
      if (value != NULL) {
        value[count] = item->value[i];
      }
      if (column != NULL) {
        char *const name = text + (size_t)TL_MEASURE_COLUMN * (size_t)count;
        snprintf(name, TL_MEASURE_COLUMN, "%s_%s", item->def.name, item->column[i].name);
        column[count] = (talus_column){name, item->column[i].unit};
      }
    }
  }
  return count;
}

talus_status tl_measures_table_open(const tl_measures *m, const char *directory, int64_t resume,
                                    talus_table **table, double **line) {
  const int32_t count = tl_measures_line(m, NULL, NULL, NULL);
  char path[1200];
  void *column = NULL, *text = NULL, *memory = NULL;
  *table = NULL;
  *line = NULL;
  snprintf(path, sizeof path, "%s/measure.csv", directory);
  talus_status status =
      tl_alloc(m->context, &memory, (size_t)count + 1, sizeof(double), "a line of measurements");
  *line = memory;
  if (status == TALUS_OK) {
    status = tl_alloc(m->context, &text, (size_t)count, TL_MEASURE_COLUMN, "names of columns");
  }
  if (status == TALUS_OK) {
    status =
        tl_alloc(m->context, &column, (size_t)count + 1, sizeof(talus_column), "names of columns");
  }
  if (status == TALUS_OK) {
    ((talus_column *)column)[0] = (talus_column){"time", "s"};
    tl_measures_line(m, (talus_column *)column + 1, text, NULL);
    status = talus_table_open(m->context, path, column, count + 1, resume, table);
  }
  tl_free(m->context, column);
  tl_free(m->context, text);
  return status;
}

talus_status tl_measures_table_row(const tl_measures *m, const tl_frame *frame, talus_table *table,
                                   double *line) {
  if (table == NULL) {
    return TALUS_OK;
  }
  line[0] = frame->time;
  tl_measures_line(m, NULL, NULL, line + 1);
  return talus_table_row(table, frame->step, line);
}

/* "name [unit]", or the name alone. */
static void print_name(FILE *stream, const talus_column *column, const char *ending) {
  fprintf(stream, column->unit[0] != '\0' ? "%s%s [%s]" : "%s%s%s", column->name, ending,
          column->unit);
}

void tl_measure_print(FILE *stream, double x) {
  if (isnan(x)) { /* no sign */
    fputs("nan", stream);
  } else {
    fprintf(stream, "%.17g", x);
  }
}

talus_status tl_measure_table_write(talus_context *context, const tl_measure *m,
                                    const double *value, const double *error, const char *path) {
  tl_output output;
  TL_TRY(tl_output_begin(context, path, &output));
  for (int32_t c = 0; c < m->column_count; c++) {
    fputs(c > 0 ? "," : "", output.stream);
    print_name(output.stream, &m->column[c], "");
    if (error != NULL && c > 0) { /* the first column is the place */
      fputs(",", output.stream);
      print_name(output.stream, &m->column[c], "_error");
    }
  }
  fputs("\n", output.stream);
  for (int32_t r = 0; r < m->row_count; r++) {
    for (int32_t c = 0; c < m->column_count; c++) {
      const size_t at = (size_t)r * (size_t)m->column_count + (size_t)c;
      fputs(c > 0 ? "," : "", output.stream);
      tl_measure_print(output.stream, value[at]);
      if (error != NULL && c > 0) {
        fputs(",", output.stream);
        tl_measure_print(output.stream, error[at]);
      }
    }
    fputs("\n", output.stream);
  }
  return tl_output_commit(&output);
}
