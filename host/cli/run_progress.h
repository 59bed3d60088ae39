/* run_progress.h: tells how a run is getting on, and lets a person stop it.
 *
 * A terminal gets one line that is rewritten; anything else a plain line now and then. The first
 * interrupt or request to terminate asks the run to end, the second ends the program. */
#ifndef TL_RUN_PROGRESS_H
#define TL_RUN_PROGRESS_H

#include <stddef.h>

#include "talus/talus_world.h"

typedef struct tl_run_progress {
  int terminal, shown, quiet;
  int64_t first, last;       /* steps of this run */
  double begin, last_update; /* seconds */
} tl_run_progress;

/* From here on an interrupt is noted: before the run has a directory that it would leave behind
 * without a checkpoint. Until tl_run_progress_end. */
void tl_run_watch(void);
void tl_run_progress_begin(tl_run_progress *progress, int64_t first, int64_t last, int quiet);
void tl_run_progress_update(tl_run_progress *progress, const talus_step_report *report);
void tl_run_progress_end(tl_run_progress *progress);
/* "3 h 12 min", "45 s". */
void tl_run_time_words(double seconds, char *text, size_t capacity);
/* Whether somebody has asked to stop. */
int tl_run_interrupted(void);

#endif
