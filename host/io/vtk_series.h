/* vtk_series.h: a .pvd file: which file shows which time.
 *
 * Rewritten whole for every frame. Behind each entry a comment names the step, since the file of an
 * earlier step may be shown again. */
#ifndef TL_VTK_SERIES_H
#define TL_VTK_SERIES_H

#include "host/base/base.h"

typedef struct tl_series_entry {
  int64_t step;
  double time;
  int64_t file_step; /* the file is <name>-<file_step>.vtp */
} tl_series_entry;

typedef struct tl_series {
  talus_context *context;
  const char *directory, *name; /* the caller's */
  tl_series_entry *entry;       /* ascending */
  int32_t count, capacity;
  int64_t resume; /* entries of later steps go with the first new one; INT64_MAX: none */
} tl_series;

/* Reads what is there (all of it if resume is negative is forgotten). Statuses: OUT_OF_MEMORY,
 * FILE_FORMAT. A missing file is an empty series. tl_series_release is due in every case. */
talus_status tl_series_open(talus_context *context, const char *directory, const char *name,
                            int64_t resume, tl_series *series);
/* Adds or replaces the entry of a step and writes the .pvd; then deletes the files of entries that
 * the restart left behind. Statuses: FILE_WRITE (the file is as it was), OUT_OF_MEMORY. */
talus_status tl_series_add(tl_series *series, int64_t step, double time, int64_t file_step);
/* Takes entries of steps after `step`, and those that the restart left behind, out of the .pvd and
 * deletes their files; a .pvd without entries goes. Statuses: FILE_WRITE, OUT_OF_MEMORY. */
talus_status tl_series_cut(tl_series *series, int64_t step);
void tl_series_release(tl_series *series);

/* The last entry that stays when `step` is added, or NULL. */
const tl_series_entry *tl_series_last(const tl_series *series, int64_t step);
/* <directory>/<name>-NNNNNNNN.vtp from tl_alloc. */
talus_status tl_series_path(const tl_series *series, int64_t file_step, char **path);

#endif
