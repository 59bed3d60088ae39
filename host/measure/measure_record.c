/* measure_record.c: measurements during a run: a line of measure.csv for each frame, and a file for
 * each profile, distribution and field. Nothing is kept from frame to frame, so that a run in
 * pieces leaves the files of one in one piece. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "host/measure/measure.h"

talus_status tl_measure_record_open(talus_context *context, const char *directory,
                                    const tl_measure_def *def, int32_t count, bool plane,
                                    int64_t resume, tl_measure_record *r) {
  memset(r, 0, sizeof *r);
  r->directory = directory;
  r->measures.context = context;
  TL_TRY(tl_measures_open(context, def, count, plane, false, &r->measures));
  return tl_measures_line(&r->measures, NULL, NULL, NULL) == 0
             ? TALUS_OK
             : tl_measures_table_open(&r->measures, directory, resume, &r->table, &r->line);
}

static talus_status write_file(tl_measure_record *r, const tl_measure *item,
                               const tl_frame *frame) {
  char path[1300];
  const bool field = item->def.kind == TL_MEASURE_FIELDS;
  snprintf(path, sizeof path, "%s/measure-%s-%08" PRId64 ".%s", r->directory, item->def.name,
           frame->step, field ? "vti" : "csv");
  return field ? tl_grid_write(&item->grid, frame->plane != 0, frame->time, path)
               : tl_measure_table_write(r->measures.context, item, item->value, NULL, path);
}

talus_status tl_measure_record_frame(tl_measure_record *r, const tl_frame *frame) {
  tl_measures *const m = &r->measures;
  if (m->count == 0) {
    return TALUS_OK;
  }
  for (int32_t k = 0; k < m->count; k++) {
    if (m->item[k].def.kind == TL_MEASURE_FIELDS) {
      tl_grid_clear(&m->item[k].grid);
    }
  }
  TL_TRY(tl_measures_take(m, frame));
  for (int32_t k = 0; k < m->count; k++) {
    if (!tl_measure_is_line(&m->item[k])) {
      TL_TRY(write_file(r, &m->item[k], frame));
    }
  }
  return tl_measures_table_row(m, frame, r->table, r->line);
}

talus_status tl_measure_record_close(tl_measure_record *r) {
  talus_context *const context = r->measures.context;
  char table[1200], path[1200];
  talus_status status = TALUS_OK;
  if (context == NULL) {
    return TALUS_OK;
  }
  if (r->measures.sample.frame != NULL) { /* at least one was measured */
    tl_measures_tell_empty(&r->measures);
  }
  if (r->table != NULL) {
    status = talus_table_close(r->table);
    snprintf(table, sizeof table, "%s/measure.csv", r->directory);
    snprintf(path, sizeof path, "%s/averages.csv", r->directory);
    status = status == TALUS_OK ? tl_averages_write(context, table, path) : status;
  }
  tl_free(context, r->line);
  tl_measures_release(&r->measures);
  memset(r, 0, sizeof *r);
  return status;
}
