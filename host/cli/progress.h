/* progress.h: tells a person at a terminal how a long solve is getting on, and lets them stop it.
 *
 * One line on stderr, rewritten a few times a second; nothing at all if stderr is not a terminal.
 * The first interrupt (Ctrl-C) ends the solve and keeps its best impulses, the second ends the
 * program. */
#ifndef TL_PROGRESS_H
#define TL_PROGRESS_H

#include <stdint.h>

enum { TL_PROGRESS_SAMPLES = 16 };

typedef struct tl_progress {
  const char *label; /* the method */
  double tolerance;
  int terminal;      /* stderr is one */
  int shown;         /* a line stands there and has to be wiped */
  double last_shown; /* s */
  int count;         /* samples taken, the last TL_PROGRESS_SAMPLES are kept */
  double seconds[TL_PROGRESS_SAMPLES];
  double measure[TL_PROGRESS_SAMPLES]; /* decimal logarithms */
} tl_progress;

void tl_progress_begin(tl_progress *progress, const char *label, double tolerance);
/* A talus_progress_fn; user is the tl_progress. */
int tl_progress_report(void *user, int64_t iterations, int64_t passes, double measure,
                       double seconds);
/* Wipes the line; an interrupt does again what it did before. */
void tl_progress_end(tl_progress *progress);
/* Whether the user has asked to stop. */
int tl_progress_interrupted(void);

#endif
