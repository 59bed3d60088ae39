/* csv.h: tables of numbers as text: one line per output step, and reading them back for plots.
 *
 * The first line names the columns, each with its unit in brackets: "step,time [s],kinetic [J]".
 * Numbers are printed with 17 digits, so that they come back bit for bit; what is not finite is
 * printed as nan, inf, -inf. The first column is always the step. Lines end with \n alone; decimal
 * points whatever the locale. */
#ifndef TL_CSV_H
#define TL_CSV_H

#include "host/io/frame.h"

/* ---- writing --------------------------------------------------------------------------------- */

typedef struct tl_csv tl_csv;

/* Opens a table for writing. column: what follows the step. resume < 0: a new file, replacing what
 * was there. resume >= 0: goes on after a restart from that step: lines of later steps, and a last
 * line that was cut, are removed; the columns must be the same; a missing file is made. Statuses:
 * FILE_WRITE, FILE_FORMAT (other columns, or something that is no table: nothing is changed),
 * INVALID_ARGUMENT (a column's name or unit has a comma, quote, bracket or line end),
 * OUT_OF_MEMORY. On failure *csv is NULL. */
talus_status tl_csv_open(talus_context *context, const char *path, const tl_column *column,
                         int32_t column_count, int64_t resume, tl_csv **csv);
/* Appends one line and hands it to the system at once; the line of the same step, if that is the
 * last one, is replaced. value: [column_count]. Status: FILE_WRITE: the line is not there, not even
 * a part of it. */
talus_status tl_csv_row(tl_csv *csv, int64_t step, const double *value);
/* The step of the last line, or -1. */
int64_t tl_csv_last(const tl_csv *csv);
/* The step of the last whole line of a table up to that step; -1 if there is none, or no table.
 * Statuses: FILE_OPEN, FILE_FORMAT, OUT_OF_MEMORY. */
talus_status tl_csv_find(talus_context *context, const char *path, int64_t step, int64_t *last);
/* Brings the lines to disk. Status: FILE_WRITE: lines may be lost, and a second call would not
 * know. */
talus_status tl_csv_sync(tl_csv *csv);
/* Accepts NULL. Status FILE_WRITE: the system could not keep what it had taken. */
talus_status tl_csv_close(tl_csv *csv);

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct tl_table {
  talus_context *context;
  int32_t column_count;
  int64_t row_count;
  const char **name; /* [column_count] without the unit */
  const char **unit; /* [column_count] "" if there is none */
  double *value;     /* column after column: value[column * row_count + row] */
  char *text;        /* private: what names and units point into */
} tl_table;

/* Reads a table that Talus or somebody else wrote: a line of names, then numbers; commas (or
 * semicolons or tabs) between them; empty lines and lines with # are passed over, empty fields are
 * nan. A last line without its end is passed over if it is short. Statuses: FILE_OPEN, FILE_FORMAT
 * (naming line and column), OUT_OF_MEMORY. tl_table_release is due in every case. */
talus_status tl_table_read(talus_context *context, const char *path, tl_table *table);
void tl_table_release(tl_table *table);
/* The column of that name (without unit, case counts), or -1. */
int32_t tl_table_find(const tl_table *table, const char *name);

#endif
