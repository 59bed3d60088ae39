/* sweep.h: a study: a scene run with every combination of some values, and with several seeds.
 *
 * Its folder has
 *   study.txt    what was asked for: scene, print of its file, end
 *   runs/NAME    a run each, as `talus run` leaves it; logs/NAME.log what it printed
 *   finished.txt names of the runs that came to their end, one per line
 *   runs.txt     finished runs in groups, for `talus plot` (study.h)
 *   results.csv  a line per run; summary.csv a line per combination: means over the seeds
 *   COLUMN.png   means over the first parameter that has several numbers */
#ifndef TL_SWEEP_H
#define TL_SWEEP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "host/cli/options.h"
#include "host/view/plot.h"

enum {
  TL_SWEEP_VALUE = 96,
  TL_SWEEP_KEY = 128,
  TL_SWEEP_NAME = 240,
  TL_SWEEP_PATH = 1400,
  TL_SWEEP_COLUMNS = 16,
  TL_SWEEP_AXES = 66 /* as many as --set can be given, and the seeds */
};

/* What a column of a run becomes. */
typedef enum tl_sweep_at {
  TL_AT_END,
  TL_AT_MEAN,
  TL_AT_MIN,
  TL_AT_MAX,
  TL_AT_TIME /* between the lines before and after it */
} tl_sweep_at;

typedef struct tl_sweep_options {
  const char *scene, *out, *seeds, *columns, *at_text;
  tl_option_texts set;
  tl_sweep_at at;
  double at_time, after, time;
  int64_t jobs, threads;
  int backend, format, log_x, log_y, force, quiet;
} tl_sweep_options;

/* A key and the values that it takes. */
typedef struct tl_sweep_axis {
  char key[TL_SWEEP_KEY];
  const char *name;              /* within key: its last part, unless another axis has the same */
  char (*value)[TL_SWEEP_VALUE]; /* [count] as they are handed to `talus run --set` */
  double *number;                /* [count] without the unit; NAN if it is none */
  int32_t count;
  bool numeric;  /* all values are numbers of one unit */
  char unit[16]; /* of them, "" if there is none */
  bool is_seed;
} tl_sweep_axis;

typedef enum tl_sweep_state {
  TL_SWEEP_WAITING,
  TL_SWEEP_RUNNING,
  TL_SWEEP_FINISHED,
  TL_SWEEP_FAILED,
  TL_SWEEP_INTERRUPTED
} tl_sweep_state;

typedef struct tl_sweep_run {
  char name[TL_SWEEP_NAME]; /* of its folder in runs/ */
  tl_sweep_state state;
  pid_t process;
  int wait_status;                /* of waitpid, if it failed */
  bool finished_before;           /* by an earlier call */
  double value[TL_SWEEP_COLUMNS]; /* measured; NAN if it has not finished */
} tl_sweep_run;

typedef struct tl_sweep {
  const tl_sweep_options *o;
  talus_context *context;
  char folder[1024];
  double end; /* of the runs, s */
  tl_sweep_axis axis[TL_SWEEP_AXES];
  int32_t axis_count;
  tl_sweep_run *run; /* [run_count]; the last axis, that of the seeds, changes fastest */
  int32_t run_count;
  int32_t seed_count; /* runs of a combination, which stand together; at least 1 */
  char column[TL_SWEEP_COLUMNS][64], unit[TL_SWEEP_COLUMNS][32];
  int32_t column_count;
  bool columns_checked; /* with the table of a run */
  int lock;             /* file descriptor; -1: none */
} tl_sweep;

/* ---- sweep_plan.c: all return exit codes, with a complaint ----------------------------------- */

/* Axes and runs from the options; every value is tried on the scene. */
int tl_sweep_plan(tl_sweep *sweep);
void tl_sweep_release(tl_sweep *sweep);
/* Which value of an axis a run has. */
int32_t tl_sweep_choice(const tl_sweep *sweep, int32_t run, int32_t axis);
/* The parameters of a run that differ within the study, but not the seed nor axis `without` (-1:
 * none): "friction = 0.3, count = 200". */
void tl_sweep_label(const tl_sweep *sweep, int32_t run, int32_t without, char *label,
                    size_t capacity);

/* ---- sweep_values.c -------------------------------------------------------------------------- */

/* "0.1,0.3", "1..5", "0..1:0.25", "1mm..3mm": what is no range is taken as it is. Commas within
 * brackets and quotes do not separate. option: for the complaint. */
int tl_sweep_values(const char *option, const char *text, tl_sweep_axis *axis);

/* ---- sweep_folder.c -------------------------------------------------------------------------- */

/* Makes or takes up the folder, locks it, and finds the runs that have finished. */
int tl_sweep_open(tl_sweep *sweep);
/* The path of something that belongs to a run: runs/NAME or logs/NAME.log. */
void tl_sweep_run_path(const tl_sweep *sweep, const tl_sweep_run *run, char path[TL_SWEEP_PATH]);
void tl_sweep_log_path(const tl_sweep *sweep, const tl_sweep_run *run, char path[TL_SWEEP_PATH]);
/* Adds to the list of those that came to their end; called by the process of the run. */
int tl_sweep_note_finished(const tl_sweep *sweep, const tl_sweep_run *run);

/* ---- sweep_jobs.c ---------------------------------------------------------------------------- */

/* Runs what has not finished, several at a time. TL_EXIT_OK, also if runs failed; INTERRUPTED. */
int tl_sweep_work(tl_sweep *sweep);

/* ---- sweep_measure.c, sweep_report.c --------------------------------------------------------- */

/* Looks whether the table of a run has the columns that were asked for. TL_EXIT_OK also if the run
 * has no table yet. */
int tl_sweep_check_columns(tl_sweep *sweep, const tl_sweep_run *run);
/* Reads what finished runs measured. */
int tl_sweep_measure(tl_sweep *sweep);
/* Mean over the seeds of a combination, that of run `first`, and its standard error; NAN where
 * there are too few. Returns how many runs have finished. */
int32_t tl_sweep_mean(const tl_sweep *sweep, int32_t first, int32_t column, double *mean,
                      double *error);
/* Tables, plots and the report on stdout. */
int tl_sweep_report(const tl_sweep *sweep);

#endif
