/* measure_series.c: measurements of many frames, with averages and errors over time; see
 * measure.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/io/output_file.h"
#include "host/io/table.h"
#include "host/measure/average.h"
#include "host/measure/measure.h"

/* ---- averages of a table --------------------------------------------------------------------- */

static talus_status write_averages(talus_context *context, const tl_stored_table *t,
                                   double *scratch, const char *path) {
  tl_output output;
  TL_TRY(tl_output_begin(context, path, &output));
  fputs("name,unit,mean,error,least,largest,count,block\n", output.stream);
  for (int32_t c = 2; c < t->column_count; c++) { /* behind step and time */
    const tl_average a =
        tl_average_take(t->value + (size_t)c * (size_t)t->row_count, t->row_count, 1, scratch);
    fprintf(output.stream, "%s,%s", t->name[c], t->unit[c]);
    const double number[] = {a.mean, a.error, a.least, a.largest};
    for (int i = 0; i < 4; i++) {
      fputc(',', output.stream);
      tl_measure_print(output.stream, number[i]);
    }
    fprintf(output.stream, ",%lld,%lld\n", (long long)a.count, (long long)a.block);
  }
  return tl_output_commit(&output);
}

talus_status tl_averages_write(talus_context *context, const char *table, const char *path) {
  tl_stored_table t;
  void *scratch = NULL;
  talus_status status = tl_stored_table_read(context, table, &t);
  if (status == TALUS_OK) {
    status = tl_alloc(context, &scratch, (size_t)t.row_count, sizeof(double), "averages");
  }
  if (status == TALUS_OK) {
    status = write_averages(context, &t, scratch, path);
  }
  tl_free(context, scratch);
  tl_stored_table_release(&t);
  return status;
}

/* ---- frames ---------------------------------------------------------------------------------- */

static size_t values_of(const tl_measure *item) {
  return (size_t)item->row_count * (size_t)item->column_count;
}

talus_status tl_measure_series_open(talus_context *context, const char *directory,
                                    const tl_measure_def *def, int32_t count, bool plane,
                                    tl_measure_series *s) {
  void *memory = NULL;
  memset(s, 0, sizeof *s);
  s->measures.context = context;
  TL_TRY(tl_measures_open(context, def, count, plane, true, &s->measures));
  TL_TRY(tl_alloc(context, &memory, (size_t)count, sizeof *s->kept, "measurements"));
  s->kept = memory;
  memset(s->kept, 0, (size_t)count * sizeof *s->kept);
  return tl_measures_table_open(&s->measures, directory, -1, &s->table, &s->line);
}

/* Room for one more frame of every measurement. */
static talus_status grow(tl_measure_series *s) {
  const int32_t capacity = 2 * s->frame_capacity + 16;
  if (s->frame_count < s->frame_capacity) {
    return TALUS_OK;
  }
  for (int32_t k = 0; k < s->measures.count; k++) {
    const size_t values = values_of(&s->measures.item[k]);
    void *memory = NULL;
    TL_TRY(tl_alloc(s->measures.context, &memory, values * (size_t)capacity, sizeof(double),
                    "measurements of all frames"));
    if (s->frame_count > 0) {
      memcpy(memory, s->kept[k], values * (size_t)s->frame_count * sizeof(double));
    }
    tl_free(s->measures.context, s->kept[k]);
    s->kept[k] = memory;
  }
  s->frame_capacity = capacity;
  return TALUS_OK;
}

talus_status tl_measure_series_add(tl_measure_series *s, const tl_frame *frame) {
  TL_TRY(grow(s));
  TL_TRY(tl_measures_take(&s->measures, frame));
  for (int32_t k = 0; k < s->measures.count; k++) {
    const tl_measure *const item = &s->measures.item[k];
    const size_t values = values_of(item);
    if (values > 0) {
      memcpy(s->kept[k] + values * (size_t)s->frame_count, item->value, values * sizeof(double));
    }
  }
  s->frame_count++;
  s->last_time = frame->time;
  return tl_measures_table_row(&s->measures, frame, s->table, s->line);
}

/* Means over the frames, and their errors, of a measurement with several rows. */
static talus_status write_rows(const tl_measure_series *s, int32_t k, const char *path) {
  const tl_measure *const item = &s->measures.item[k];
  talus_context *const context = s->measures.context;
  const size_t values = values_of(item);
  void *memory = NULL;
  TL_TRY(tl_alloc(context, &memory, 2 * values + (size_t)s->frame_count, sizeof(double),
                  "averages of a measurement"));
  double *const mean = memory, *const error = mean + values, *const scratch = error + values;
  for (size_t i = 0; i < values; i++) {
    const tl_average a = tl_average_take(s->kept[k] + i, s->frame_count, (int64_t)values, scratch);
    mean[i] = a.mean;
    error[i] = a.error;
  }
  const talus_status status = tl_measure_table_write(context, item, mean, error, path);
  tl_free(context, memory);
  return status;
}

talus_status tl_measure_series_finish(tl_measure_series *s, const char *directory) {
  tl_measures *const m = &s->measures;
  char path[1300], table[1300];
  for (int32_t k = 0; k < m->count; k++) {
    const tl_measure *const item = &m->item[k];
    const bool field = item->def.kind == TL_MEASURE_FIELDS;
    snprintf(path, sizeof path, "%s/%s.%s", directory, item->def.name, field ? "vti" : "csv");
    if (field) {
      TL_TRY(tl_grid_write(&item->grid, m->sample.plane, s->last_time, path));
    } else if (!tl_measure_is_line(item)) {
      TL_TRY(write_rows(s, k, path));
    }
  }
  talus_table *const written = s->table;
  s->table = NULL;
  TL_TRY(talus_table_close(written));
  snprintf(table, sizeof table, "%s/measure.csv", directory);
  snprintf(path, sizeof path, "%s/averages.csv", directory);
  return tl_averages_write(m->context, table, path);
}

void tl_measure_series_close(tl_measure_series *s) {
  talus_context *const context = s->measures.context;
  if (context == NULL) {
    return;
  }
  for (int32_t k = 0; s->kept != NULL && k < s->measures.count; k++) {
    tl_free(context, s->kept[k]);
  }
  talus_table_close(s->table);
  tl_free(context, s->kept);
  tl_free(context, s->line);
  tl_measures_release(&s->measures);
  memset(s, 0, sizeof *s);
}
