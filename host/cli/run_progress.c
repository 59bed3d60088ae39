/* run_progress.c: rate and time left from the steps made so far. */
#define _POSIX_C_SOURCE 200809L
#include "host/cli/run_progress.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host/base/base.h"

static const double terminal_seconds = 0.2, plain_seconds = 10;

static volatile sig_atomic_t interrupted;
static struct sigaction previous[2]; /* of SIGINT and SIGTERM */
static const int signals[2] = {SIGINT, SIGTERM};

static void note_interrupt(int signal_number) {
  (void)signal_number;
  interrupted = 1;
}

int tl_run_interrupted(void) {
  return interrupted != 0;
}

void tl_run_progress_begin(tl_run_progress *progress, int64_t first, int64_t last, int quiet) {
  memset(progress, 0, sizeof *progress);
  progress->terminal = isatty(STDERR_FILENO);
  progress->quiet = quiet;
  progress->first = first;
  progress->last = last;
  progress->begin = progress->last_update = tl_clock();
}

void tl_run_watch(void) {
  for (int i = 0; i < 2; i++) {
    sigaction(signals[i], NULL, &previous[i]);
    if (previous[i].sa_handler != SIG_IGN) {
      struct sigaction action;
      memset(&action, 0, sizeof action);
      action.sa_handler = note_interrupt;
      action.sa_flags = (int)SA_RESETHAND; /* the second one finds the default action */
      sigaction(signals[i], &action, NULL);
    }
  }
}

void tl_run_time_words(double seconds, char *text, size_t capacity) {
  if (seconds >= 5400) {
    snprintf(text, capacity, "%.0f h %02.0f min", (double)(int64_t)(seconds / 3600),
             (double)((int64_t)(seconds / 60) % 60));
  } else if (seconds >= 90) {
    snprintf(text, capacity, "%.0f min", seconds / 60);
  } else {
    snprintf(text, capacity, "%.0f s", seconds);
  }
}

void tl_run_progress_update(tl_run_progress *progress, const talus_step_report *report) {
  const double now = tl_clock();
  const double pause = progress->terminal ? terminal_seconds : plain_seconds;
  if (progress->quiet || now - progress->last_update < pause) {
    return;
  }
  progress->last_update = now;
  const double made = (double)(report->step - progress->first), spent = now - progress->begin;
  const double rate = made / spent;
  char left[48];
  tl_run_time_words((double)(progress->last - report->step) / rate, left, sizeof left);
  fprintf(stderr,
          "%sstep %" PRId64 " of %" PRId64
          ", t = %.4g s, %d contacts, error %.1e, %.3g steps/s, %s "
          "left%s",
          progress->terminal ? "\r\033[K" : "", report->step, progress->last, report->time,
          (int)report->touching_count, report->error, rate, left, progress->terminal ? "" : "\n");
  fflush(stderr);
  progress->shown = progress->terminal;
}

void tl_run_progress_end(tl_run_progress *progress) {
  if (progress->shown) {
    fputs("\r\033[K", stderr);
    fflush(stderr);
  }
  for (int i = 0; i < 2; i++) {
    sigaction(signals[i], &previous[i], NULL);
  }
}
