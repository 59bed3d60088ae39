/* sweep_jobs.c: the runs of a study as processes, several at a time; see sweep.h.
 *
 * A run is a fork of this program that calls the verb `run`, with its output in a log. It is in a
 * process group of its own: Ctrl-C reaches this process alone, which asks every run once to write
 * its checkpoint and to end; the second time it ends them at once. Runs also end, with a
 * checkpoint, when this process dies. */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "host/base/base.h"
#include "host/cli/cli.h"
#include "host/cli/run_progress.h"
#include "host/cli/sweep.h"

static volatile sig_atomic_t interrupts;

static void note_interrupt(int signal_number) {
  (void)signal_number;
  interrupts = interrupts + 1;
}

/* The work while it is going on. */
typedef struct work {
  tl_sweep *sweep;
  struct sigaction before[2]; /* of SIGINT and SIGTERM */
  int32_t next, running, told_interrupts;
  double begin, done_at_begin, last_update;
  bool stopped;  /* no more runs are begun */
  bool terminal; /* progress is shown */
  bool shown;
} work;

static const int signals[2] = {SIGINT, SIGTERM};

static void watch_signals(work *w) {
  for (int i = 0; i < 2; i++) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = note_interrupt;
    sigaction(signals[i], NULL, &w->before[i]);
    if (w->before[i].sa_handler != SIG_IGN) {
      sigaction(signals[i], &action, NULL);
    }
  }
}

static void restore_signals(const work *w) {
  for (int i = 0; i < 2; i++) {
    sigaction(signals[i], &w->before[i], NULL);
  }
}

/* ---- a run ----------------------------------------------------------------------------------- */

/* The time in the last whole line of a run's table; 0 if there is none. */
static double time_reached(const tl_sweep *sweep, const tl_sweep_run *run) {
  char folder[TL_SWEEP_PATH], path[TL_SWEEP_PATH + 16], tail[4097];
  tl_sweep_run_path(sweep, run, folder);
  snprintf(path, sizeof path, "%s/scalars.csv", folder);
  FILE *const file = fopen(path, "r");
  if (file == NULL) {
    return 0.0;
  }
  if (fseek(file, -(long)(sizeof tail - 1), SEEK_END) != 0) {
    rewind(file);
  }
  const size_t length = fread(tail, 1, sizeof tail - 1, file);
  fclose(file);
  tail[length] = '\0';
  char *const end = strrchr(tail, '\n');
  if (end == NULL) {
    return 0.0;
  }
  *end = '\0';
  const char *const line = strrchr(tail, '\n');
  const char *const comma = line != NULL ? strchr(line, ',') : NULL;
  return comma != NULL ? strtod(comma + 1, NULL) : 0.0;
}

/* Whether the folder of a run holds a checkpoint to go on from. */
static bool has_checkpoint(const char *folder) {
  char pattern[TL_SWEEP_PATH + 32];
  glob_t found;
  size_t used = 0;
  for (const char *at = folder; *at != '\0' && used + 32 < sizeof pattern; at++) {
    if (strchr("*?[]\\", *at) != NULL) {
      pattern[used++] = '\\';
    }
    pattern[used++] = *at;
  }
  snprintf(pattern + used, sizeof pattern - used, "/checkpoint-*.h5");
  const bool there = glob(pattern, GLOB_NOSORT, NULL, &found) == 0;
  if (there) {
    globfree(&found);
  }
  return there;
}

/* The arguments of `talus run`, and the texts that they point to. */
typedef struct arguments {
  char *argv[2 * TL_SWEEP_AXES + 20];
  char set[TL_SWEEP_AXES][TL_SWEEP_KEY + TL_SWEEP_VALUE + 1];
  char folder[TL_SWEEP_PATH], threads[24], time[40], backend[16];
  int argc;
  bool resumed;
} arguments;

static void add_pair(arguments *a, const char *option, char *value) {
  a->argv[a->argc++] = (char *)option;
  a->argv[a->argc++] = value;
}

static void make_arguments(const tl_sweep *sweep, int32_t index, arguments *a) {
  const tl_sweep_options *const o = sweep->o;
  struct stat about;
  a->argc = 0;
  tl_sweep_run_path(sweep, &sweep->run[index], a->folder);
  snprintf(a->threads, sizeof a->threads, "%lld", (long long)o->threads);
  snprintf(a->time, sizeof a->time, "%.17g", o->time);
  snprintf(a->backend, sizeof a->backend, "%s",
           tl_cli_backend_name((talus_backend_kind)o->backend));
  a->argv[a->argc++] = (char *)"run";
  a->argv[a->argc++] = (char *)o->scene;
  a->argv[a->argc++] = (char *)"--quiet";
  add_pair(a, "--out", a->folder);
  add_pair(a, "--threads", a->threads);
  add_pair(a, "--backend", a->backend);
  if (o->time > 0.0) {
    add_pair(a, "--time", a->time);
  }
  for (int32_t i = 0; i < sweep->axis_count; i++) {
    const tl_sweep_axis *const axis = &sweep->axis[i];
    snprintf(a->set[i], sizeof a->set[i], "%s=%s", axis->key,
             axis->value[tl_sweep_choice(sweep, index, i)]);
    add_pair(a, "--set", a->set[i]);
  }
  a->resumed = !o->force && has_checkpoint(a->folder);
  if (a->resumed) {
    add_pair(a, "--resume", a->folder);
  } else if (stat(a->folder, &about) == 0) {
    a->argv[a->argc++] = (char *)"--force"; /* begun, but not as far as a checkpoint */
  }
  a->argv[a->argc] = NULL;
}

/* stdin from nowhere, stdout and stderr to the log. */
static bool redirect(const char *log) {
  const int in = open("/dev/null", O_RDONLY);
  const int out = open(log, O_WRONLY | O_CREAT | O_APPEND, 0666);
  return in >= 0 && out >= 0 && dup2(in, 0) == 0 && dup2(out, 1) == 1 && dup2(out, 2) == 2;
}

/* What the new process does; does not return. */
static void be_run(const work *w, int32_t index, pid_t parent) {
  static arguments a;
  const tl_sweep *const sweep = w->sweep;
  char log[TL_SWEEP_PATH];
  setpgid(0, 0);
  restore_signals(w);
  signal(SIGTERM, SIG_DFL); /* also where the caller ignores it: it is how runs are asked to end */
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
  close(sweep->lock);
  tl_sweep_log_path(sweep, &sweep->run[index], log);
  if (getppid() != parent || !redirect(log)) {
    _exit(TL_EXIT_BAD);
  }
  make_arguments(sweep, index, &a);
  int code = tl_cli_run(a.argc, a.argv);
  /* A run that was killed between its end and the note of it has nothing left to do. */
  const bool whole = a.resumed && code == TL_EXIT_BAD &&
                     time_reached(sweep, &sweep->run[index]) >= (1.0 - 1e-6) * sweep->end;
  if (code == TL_EXIT_OK || whole) {
    code = tl_sweep_note_finished(sweep, &sweep->run[index]);
  }
  fflush(NULL);
  _exit(code);
}

static int begin_run(work *w, int32_t index) {
  tl_sweep_run *const run = &w->sweep->run[index];
  const pid_t parent = getpid();
  fflush(NULL);
  const pid_t process = fork();
  if (process < 0) {
    return tl_cli_fail("cannot begin a process: %s", strerror(errno));
  }
  if (process == 0) {
    be_run(w, index, parent);
  }
  setpgid(process, process);
  run->process = process;
  run->state = TL_SWEEP_RUNNING;
  w->running++;
  return TL_EXIT_OK;
}

/* Notes how a process ended. */
static void end_run(work *w, pid_t process, int status) {
  for (int32_t i = 0; i < w->next; i++) {
    tl_sweep_run *const run = &w->sweep->run[i];
    if (run->state != TL_SWEEP_RUNNING || run->process != process) {
      continue;
    }
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    const bool asked = interrupts > 0 && (code == TL_EXIT_INTERRUPTED || WIFSIGNALED(status));
    run->state = code == TL_EXIT_OK                     ? TL_SWEEP_FINISHED
                 : asked || code == TL_EXIT_INTERRUPTED ? TL_SWEEP_INTERRUPTED
                                                        : TL_SWEEP_FAILED;
    run->wait_status = status;
    w->running--;
  }
}

/* ---- progress -------------------------------------------------------------------------------- */

/* Runs done, with the shares of those that are going on or were interrupted. */
static double amount_done(const tl_sweep *sweep) {
  double done = 0.0;
  for (int32_t i = 0; i < sweep->run_count; i++) {
    const tl_sweep_run *const run = &sweep->run[i];
    if (run->state == TL_SWEEP_FINISHED || run->state == TL_SWEEP_FAILED) {
      done += 1.0;
    } else if (sweep->end > 0.0) {
      done += fmin(1.0, time_reached(sweep, run) / sweep->end);
    }
  }
  return done;
}

static void tell_progress(work *w) {
  const tl_sweep *const sweep = w->sweep;
  const double now = tl_clock(), pause = 0.5;
  if (!w->terminal || now < w->last_update + pause) {
    return;
  }
  w->last_update = now;
  int32_t finished = 0, failed = 0;
  for (int32_t i = 0; i < sweep->run_count; i++) {
    finished += sweep->run[i].state == TL_SWEEP_FINISHED;
    failed += sweep->run[i].state == TL_SWEEP_FAILED;
  }
  char left[48] = "", estimate[80] = "", bad[48] = "";
  const double done = amount_done(sweep), made = done - w->done_at_begin;
  if (made > 0.0 && now - w->begin > 1.0) {
    tl_run_time_words((now - w->begin) * (sweep->run_count - done) / made, left, sizeof left);
    snprintf(estimate, sizeof estimate, ", about %s left", left);
  }
  if (failed > 0) {
    snprintf(bad, sizeof bad, ", %d failed", (int)failed);
  }
  fprintf(stderr, "\r\033[K%d of %d runs finished, %d going on%s%s%s", (int)finished,
          (int)sweep->run_count, (int)w->running, bad, estimate,
          w->stopped ? "; ending, with checkpoints" : "");
  fflush(stderr);
  w->shown = true;
}

/* ---- all runs -------------------------------------------------------------------------------- */

/* Hands every new interrupt on to the runs. */
static void hand_on_interrupts(work *w) {
  for (; w->told_interrupts < interrupts; w->told_interrupts++) {
    w->stopped = true;
    for (int32_t i = 0; i < w->next; i++) {
      if (w->sweep->run[i].state == TL_SWEEP_RUNNING) {
        kill(w->sweep->run[i].process, SIGTERM);
      }
    }
  }
}

/* Columns that no run has are found as soon as a run has begun its table, and end the work. */
static int check_columns(work *w) {
  int code = TL_EXIT_OK;
  for (int32_t i = 0; i < w->next && !w->sweep->columns_checked && code == TL_EXIT_OK; i++) {
    code = tl_sweep_check_columns(w->sweep, &w->sweep->run[i]);
  }
  if (code != TL_EXIT_OK) {
    w->sweep->columns_checked = true;
    interrupts = interrupts + 1;
  }
  return code;
}

static int begin_runs(work *w) {
  tl_sweep *const sweep = w->sweep;
  while (!w->stopped && w->running < sweep->o->jobs && w->next < sweep->run_count) {
    const int32_t index = w->next++;
    if (sweep->run[index].state == TL_SWEEP_WAITING && begin_run(w, index) != TL_EXIT_OK) {
      w->stopped = true;
      return TL_EXIT_BAD;
    }
  }
  return TL_EXIT_OK;
}

static void collect(work *w) {
  const struct timespec pause = {0, 10000000};
  int status;
  pid_t process;
  bool ended = false;
  while ((process = waitpid(-1, &status, WNOHANG)) > 0) {
    end_run(w, process, status);
    ended = true;
  }
  if (!ended) {
    nanosleep(&pause, NULL);
  }
}

int tl_sweep_work(tl_sweep *sweep) {
  work w = {.sweep = sweep, .begin = tl_clock(), .done_at_begin = amount_done(sweep)};
  int code = TL_EXIT_OK;
  w.terminal = isatty(STDERR_FILENO) && !sweep->o->quiet;
  interrupts = 0;
  watch_signals(&w);
  do {
    const int begun = begin_runs(&w), checked = check_columns(&w);
    code = code != TL_EXIT_OK ? code : begun != TL_EXIT_OK ? begun : checked;
    hand_on_interrupts(&w);
    tell_progress(&w);
    if (w.running > 0) {
      collect(&w);
    }
  } while (w.running > 0 || (!w.stopped && w.next < sweep->run_count));
  if (code == TL_EXIT_OK) {
    code = check_columns(&w);
  }
  if (w.shown) {
    fputs("\r\033[K", stderr);
  }
  restore_signals(&w);
  return code != TL_EXIT_OK ? code : w.stopped ? TL_EXIT_INTERRUPTED : TL_EXIT_OK;
}
