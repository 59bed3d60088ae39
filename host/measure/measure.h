/* measure.h: a list of measurements, taken of frame after frame.
 *
 * Every measurement but fields is a table of rows and columns: one row for a region or a plane, a
 * row for each bin of a profile or a distribution. Fields are sums on a grid (field.h).
 *
 *   measure.c          definitions to tables      measure_take.c   values of a frame
 *   measure_record.c   files during a run         measure_series.c averages over many frames */
#ifndef TL_MEASURE_H
#define TL_MEASURE_H

#include <stdio.h>

#include "host/measure/field.h"
#include "host/measure/means.h"

#define TL_MEASURE_LIST(X) \
  X(REGION, "region")      \
  X(PLANE, "plane")        \
  X(PROFILE, "profile")    \
  X(RADIAL, "radial")      \
  X(FORCES, "forces")      \
  X(FIELDS, "fields")
typedef enum tl_measure_kind {
#define TL_X(name, word) TL_MEASURE_##name,
  TL_MEASURE_LIST(TL_X)
#undef TL_X
} tl_measure_kind;

/* What a profile's bins follow each other along, in the domain's frame. */
#define TL_ALONG_LIST(X) \
  X(X, "x")              \
  X(Y, "y")              \
  X(Z, "z")              \
  X(AXIS, "axis")        \
  X(RADIUS, "radius")
typedef enum tl_profile_along {
#define TL_X(name, word) TL_ALONG_##name,
  TL_ALONG_LIST(TL_X)
#undef TL_X
} tl_profile_along;

enum { TL_MEASURE_NAME = 64 };

typedef struct tl_measure_def {
  tl_measure_kind kind;
  char name[TL_MEASURE_NAME]; /* letters, digits, _ and - */
  bool everywhere;            /* instead of the domain the box around all grains of the frame, or
                               * for REGION and FORCES its cell if that is periodic throughout */
  tl_domain domain;           /* in the frame of `body` */
  int32_t body;               /* id of the body that it moves with, or TALUS_NONE */
  uint32_t groups;            /* REGION, PROFILE: bits of tl_group */
  int32_t rattlers;           /* grains that fewer bodies touch */
  tl_profile_along along;     /* PROFILE */
  int32_t bins;               /* PROFILE, RADIAL, FORCES */
  double reach;               /* RADIAL: m; FORCES: times the mean force */
  double point[3], normal[3]; /* PLANE, unit; its domain counts unless `everywhere` */
  tl_kernel_kind kernel;      /* FIELDS, over the domain's box */
  double width, spacing;      /* m */
} tl_measure_def;

typedef struct tl_measure {
  tl_measure_def def;
  int32_t row_count, column_count; /* FIELDS: 0 */
  talus_column *column;            /* names without that of the measurement */
  double *value;                   /* [row_count * column_count] of the last frame */
  tl_grid grid;                    /* FIELDS */
  int64_t found;                   /* frames in which there was something to measure */
} tl_measure;

/* A grain that was on one side of a plane, for counting crossings. */
typedef struct tl_measure_side {
  int32_t id;
  double centre[3];
} tl_measure_side;

typedef struct tl_measures {
  talus_context *context;
  tl_measure *item;
  int32_t count;
  tl_sample sample;
  bool crossings; /* planes count grains that crossed since the last frame */
  tl_buffer before;
  int32_t before_count;
  double before_time;
} tl_measures;

/* crossings: planes have a column for them, which needs one frame before. def is copied. Statuses:
 * SIZE_OVERFLOW, OUT_OF_MEMORY. tl_measures_release is due in every case. */
talus_status tl_measures_open(talus_context *context, const tl_measure_def *def, int32_t count,
                              bool plane, bool crossings, tl_measures *measures);
void tl_measures_release(tl_measures *measures);

/* Measures a frame: fills the tables, adds to the grids. Statuses: MISSING_ARRAY (no masses),
 * INDEX_RANGE (a body that a region moves with is gone), OUT_OF_MEMORY. */
talus_status tl_measures_take(tl_measures *measures, const tl_frame *frame);

/* Warns of measurements that found nothing: a region elsewhere, frames without contacts. */
void tl_measures_tell_empty(const tl_measures *measures);

/* Whether it has one row: a line of a table over time. */
bool tl_measure_is_line(const tl_measure *measure);
/* All measurements of one row as one line: "NAME_column". Returns how many columns there are;
 * column and value may be NULL. text: room for TL_MEASURE_NAME + 32 characters each. */
int32_t tl_measures_line(const tl_measures *measures, talus_column *column, char *text,
                         double *value);
enum { TL_MEASURE_COLUMN = TL_MEASURE_NAME + 32 };

/* Writes the table of a measurement with several rows. Status: FILE_WRITE, OUT_OF_MEMORY. */
talus_status tl_measure_table_write(talus_context *context, const tl_measure *measure,
                                    const double *value, const double *error, const char *path);

/* Opens measure.csv of a directory for the measurements of one row, with room for a line; with none
 * of them it has the time alone. And writes the line of a frame. Statuses: FILE_WRITE, FILE_FORMAT,
 * OUT_OF_MEMORY. */
talus_status tl_measures_table_open(const tl_measures *measures, const char *directory,
                                    int64_t resume, talus_table **table, double **line);
talus_status tl_measures_table_row(const tl_measures *measures, const tl_frame *frame,
                                   talus_table *table, double *line);
/* A number with all its digits; nan has no sign. */
void tl_measure_print(FILE *stream, double number);

/* ---- measure_record.c: during a run ---------------------------------------------------------- */

typedef struct tl_measure_record {
  tl_measures measures;
  const char *directory; /* the caller's */
  talus_table *table;    /* measure.csv, or NULL: nothing has one row */
  double *line;
} tl_measure_record;

/* resume: the step that a restart goes on from, or -1. Statuses: FILE_WRITE, FILE_FORMAT,
 * SIZE_OVERFLOW, OUT_OF_MEMORY. tl_measure_record_close is due in every case. */
talus_status tl_measure_record_open(talus_context *context, const char *directory,
                                    const tl_measure_def *def, int32_t count, bool plane,
                                    int64_t resume, tl_measure_record *record);
/* Measures a frame and writes its line and its files. */
talus_status tl_measure_record_frame(tl_measure_record *record, const tl_frame *frame);
/* Writes averages.csv beside the table. Status: FILE_WRITE. */
talus_status tl_measure_record_close(tl_measure_record *record);

/* ---- measure_series.c: over many frames ------------------------------------------------------ */

typedef struct tl_measure_series {
  tl_measures measures;
  talus_table *table;
  double *line;
  double **kept; /* for each measurement: values of all frames, one after another */
  int32_t frame_count, frame_capacity;
  double last_time;
} tl_measure_series;

/* Files go to `directory`, which must exist. Statuses: as above. */
talus_status tl_measure_series_open(talus_context *context, const char *directory,
                                    const tl_measure_def *def, int32_t count, bool plane,
                                    tl_measure_series *series);
talus_status tl_measure_series_add(tl_measure_series *series, const tl_frame *frame);
/* Writes averages.csv, a table for each profile and distribution, a .vti for each field. */
talus_status tl_measure_series_finish(tl_measure_series *series, const char *directory);
void tl_measure_series_close(tl_measure_series *series);

/* Averages of the columns of a table over its lines, as another table: name, unit, mean, error,
 * least, largest, count, block. Statuses: FILE_OPEN, FILE_FORMAT, FILE_WRITE, OUT_OF_MEMORY. */
talus_status tl_averages_write(talus_context *context, const char *table, const char *path);

#endif
