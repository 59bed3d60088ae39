/* table.h: tables of numbers as text: one line per output step, and reading them back for plots.
 *
 * The first line names the columns, each with its unit in brackets: "step,time [s],kinetic [J]".
 * Numbers are printed with 17 digits, so that they come back bit for bit; what is not finite is
 * printed as nan, inf, -inf. The first column is always the step. Lines end with \n alone; decimal
 * points whatever the locale. */
#ifndef TL_TABLE_H
#define TL_TABLE_H

#include "host/base/base.h"
#include "talus/talus_io.h"

/* ---- writing: talus_table_open, talus_table_row, talus_table_close (talus_io.h) -------------- */

/* talus_table_row, but a step may have several lines. */
talus_status tl_table_append(talus_table *table, int64_t step, const double *value);
/* The step of the last line, or -1. */
int64_t tl_table_last(const talus_table *table);
/* The step of the last whole line of a table up to that step; -1 if there is none, or no table.
 * Statuses: FILE_OPEN, FILE_FORMAT, OUT_OF_MEMORY. */
talus_status tl_table_find(talus_context *context, const char *path, int64_t step, int64_t *last);
/* Brings the lines to disk. Status: FILE_WRITE: lines may be lost, and a second call would not
 * report it. */
talus_status tl_table_sync(talus_table *table);

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct tl_stored_table {
  talus_context *context;
  int32_t column_count;
  int64_t row_count;
  const char **name; /* [column_count] without the unit */
  const char **unit; /* [column_count] "" if there is none */
  double *value;     /* column after column: value[column * row_count + row] */
  char *text;        /* private: what names and units point into */
} tl_stored_table;

/* Reads a table that Talus or somebody else wrote: a line of names, then numbers; commas (or
 * semicolons or tabs) between them; empty lines and lines with # are passed over, empty fields are
 * nan. A last line without its end is passed over if it is short. Statuses: FILE_OPEN, FILE_FORMAT
 * (naming line and column), OUT_OF_MEMORY. tl_stored_table_release is due in every case. */
talus_status tl_stored_table_read(talus_context *context, const char *path, tl_stored_table *table);
void tl_stored_table_release(tl_stored_table *table);
/* The column of that name (without unit, case counts), or -1. */
int32_t tl_stored_table_find(const tl_stored_table *table, const char *name);

#endif
