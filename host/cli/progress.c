/* progress.c: the line of progress.h, with an estimate of the time left.
 *
 * The measure falls by a constant factor per second, more or less: the slope of its logarithm over
 * the last samples gives the estimate. */
#define _POSIX_C_SOURCE 200809L
#include "host/cli/progress.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const double first_seconds = 0.5, refresh_seconds = 0.2;

static volatile sig_atomic_t interrupted;
static struct sigaction previous; /* what an interrupt did before */

static void note_interrupt(int signal_number) {
  (void)signal_number;
  interrupted = 1;
}

int tl_progress_interrupted(void) {
  return interrupted != 0;
}

void tl_progress_begin(tl_progress *progress, const char *label, double tolerance) {
  memset(progress, 0, sizeof *progress);
  progress->label = label;
  progress->tolerance = tolerance;
  progress->terminal = isatty(STDERR_FILENO);
  sigaction(SIGINT, NULL, &previous);
  if (previous.sa_handler != SIG_IGN && !interrupted) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = note_interrupt;
    action.sa_flags = (int)SA_RESETHAND; /* the second interrupt finds the default action */
    sigaction(SIGINT, &action, NULL);
  }
}

/* Seconds until the tolerance, negative if that is not known. */
static double time_left(const tl_progress *progress) {
  if (progress->count < 4) {
    return -1;
  }
  const int kept = progress->count < TL_PROGRESS_SAMPLES ? progress->count : TL_PROGRESS_SAMPLES;
  const int newest = (progress->count - 1) % TL_PROGRESS_SAMPLES;
  const int oldest = (progress->count - kept) % TL_PROGRESS_SAMPLES;
  const double slope = (progress->measure[newest] - progress->measure[oldest]) /
                       (progress->seconds[newest] - progress->seconds[oldest]);
  const double left = (log10(progress->tolerance) - progress->measure[newest]) / slope;
  return isfinite(left) && slope < 0 && left >= 0 ? left : -1;
}

int tl_progress_report(void *user, int64_t iterations, int64_t passes, double measure,
                       double seconds) {
  tl_progress *progress = user;
  (void)iterations;
  if (!progress->terminal || seconds < first_seconds ||
      seconds < progress->last_shown + refresh_seconds) {
    return interrupted;
  }
  progress->last_shown = seconds;
  if (isfinite(measure) && measure > 0) {
    const int slot = progress->count++ % TL_PROGRESS_SAMPLES;
    progress->seconds[slot] = seconds;
    progress->measure[slot] = log10(measure);
  }
  char estimate[48] = "";
  const double left = time_left(progress);
  if (left >= 0) {
    snprintf(estimate, sizeof estimate, ", about %.3g s to go", left);
  }
  fprintf(stderr, "\r\033[K%s: %" PRId64 " passes, %.2e of %.2e, %.1f s%s", progress->label, passes,
          measure, progress->tolerance, seconds, estimate);
  fflush(stderr);
  progress->shown = 1;
  return interrupted;
}

void tl_progress_end(tl_progress *progress) {
  if (progress->shown) {
    fputs("\r\033[K", stderr);
    fflush(stderr);
    progress->shown = 0;
  }
  sigaction(SIGINT, &previous, NULL);
}
