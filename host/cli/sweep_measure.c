/* sweep_measure.c: one number per column from the tables of runs; see sweep.h. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host/cli/cli.h"
#include "host/cli/sweep.h"

/* FILE_OPEN if the run has no table yet. tl_stored_table_release is due in every case. */
static talus_status read_table(const tl_sweep *sweep, const tl_sweep_run *run,
                               tl_stored_table *table) {
  char folder[TL_SWEEP_PATH], path[TL_SWEEP_PATH + 16];
  tl_sweep_run_path(sweep, run, folder);
  snprintf(path, sizeof path, "%s/scalars.csv", folder);
  memset(table, 0, sizeof *table);
  if (access(path, F_OK) != 0) {
    return TALUS_FILE_OPEN;
  }
  return tl_stored_table_read(sweep->context, path, table);
}

int tl_sweep_check_columns(tl_sweep *sweep, const tl_sweep_run *run) {
  tl_stored_table table;
  int code = TL_EXIT_OK;
  if (read_table(sweep, run, &table) == TALUS_OK && table.column_count > 1) {
    sweep->columns_checked = true;
    for (int32_t k = 0; k < sweep->column_count && code == TL_EXIT_OK; k++) {
      code = tl_cli_column_check(&table, sweep->column[k]);
      if (code == TL_EXIT_OK) {
        snprintf(sweep->unit[k], sizeof sweep->unit[k], "%s",
                 table.unit[tl_stored_table_find(&table, sweep->column[k])]);
      }
    }
  }
  tl_stored_table_release(&table);
  return code;
}

/* Between the lines before and after a time; NAN outside of them. */
static double value_at(const double *time, const double *value, int64_t count, double at) {
  const double slack = 1e-9 * fabs(at);
  for (int64_t k = 0; k < count; k++) {
    if (fabs(time[k] - at) <= slack) {
      return value[k];
    }
    if (time[k] > at) {
      return k == 0 ? NAN
                    : value[k - 1] +
                          (value[k] - value[k - 1]) * (at - time[k - 1]) / (time[k] - time[k - 1]);
    }
  }
  return NAN;
}

/* Mean, least or greatest of the lines from a time on; each line counts once. */
static double value_over(tl_sweep_at kind, const double *time, const double *value, int64_t count,
                         double after) {
  double sum = 0.0, low = INFINITY, high = -INFINITY;
  int64_t used = 0;
  for (int64_t k = 0; k < count; k++) {
    if (time[k] >= after - 1e-9 * fabs(after)) {
      sum += value[k];
      low = fmin(low, value[k]);
      high = fmax(high, value[k]);
      used++;
    }
  }
  return used == 0 ? NAN : kind == TL_AT_MEAN ? sum / (double)used : kind == TL_AT_MIN ? low : high;
}

static double reduce(const tl_sweep_options *o, const tl_stored_table *table, const char *name) {
  const int32_t column = tl_stored_table_find(table, name),
                times = tl_stored_table_find(table, "time");
  const int64_t count = table->row_count;
  if (column < 0 || times < 0 || count == 0) {
    return NAN;
  }
  const double *const value = table->value + column * count, *const time =
                                                                 table->value + times * count;
  return o->at == TL_AT_END    ? value[count - 1]
         : o->at == TL_AT_TIME ? value_at(time, value, count, o->at_time)
                               : value_over(o->at, time, value, count, o->after);
}

int tl_sweep_measure(tl_sweep *sweep) {
  for (int32_t i = 0; i < sweep->run_count; i++) {
    tl_sweep_run *const run = &sweep->run[i];
    tl_stored_table table;
    for (int32_t k = 0; k < sweep->column_count; k++) {
      run->value[k] = NAN;
    }
    if (run->state != TL_SWEEP_FINISHED) {
      continue;
    }
    const talus_status status = read_table(sweep, run, &table);
    for (int32_t k = 0; status == TALUS_OK && k < sweep->column_count; k++) {
      run->value[k] = reduce(sweep->o, &table, sweep->column[k]);
    }
    tl_stored_table_release(&table);
    if (status != TALUS_OK) {
      char path[TL_SWEEP_PATH];
      tl_sweep_run_path(sweep, run, path);
      return tl_cli_fail("%s: the table of the finished run cannot be read: %s", path,
                         talus_status_text(status));
    }
  }
  return TL_EXIT_OK;
}

int32_t tl_sweep_mean(const tl_sweep *sweep, int32_t first, int32_t column, double *mean,
                      double *error) {
  double sum = 0.0, squares = 0.0;
  int32_t finished = 0, count = 0;
  for (int32_t i = first; i < first + sweep->seed_count; i++) {
    finished += sweep->run[i].state == TL_SWEEP_FINISHED;
    if (isfinite(sweep->run[i].value[column])) {
      sum += sweep->run[i].value[column];
      count++;
    }
  }
  *mean = count > 0 ? sum / count : NAN;
  for (int32_t i = first; i < first + sweep->seed_count; i++) {
    const double off = sweep->run[i].value[column] - *mean;
    squares += isfinite(off) ? off * off : 0.0;
  }
  *error = count > 1 ? sqrt(squares / (count - 1) / count) : NAN;
  return finished;
}
