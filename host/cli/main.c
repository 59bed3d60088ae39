/* main.c: the `talus` program: finds the verb and hands over.
 *
 * Exit codes: 0 done and converged, 3 not converged (run: a step failed), 2 bad usage, bad input or
 * failed output, 130 interrupted. */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "host/base/words.h"
#include "host/cli/cli.h"
#include "host/cli/options.h"
#include "host/cli/ranks.h"

static const struct {
  const char *name;
  int (*run)(int argc, char **argv);
  const char *help;
} verbs[] = {
    {"run", tl_cli_run, "simulate a scene file"},
    {"scene", tl_cli_scene, "check a scene file without running it"},
    {"render", tl_cli_render, "draw pictures of a run"},
    {"view", tl_cli_view, "write a page that plays a run in a browser"},
    {"plot", tl_cli_plot, "plot columns of runs"},
    {"sweep", tl_cli_sweep, "run a study: a scene with many values and seeds"},
    {"measure", tl_cli_measure, "measure the frames of a run: packing, stress, profiles, fields"},
    {"solve", tl_cli_solve, "solve a problem file and certify the impulses"},
    {"check", tl_cli_check, "judge impulses that somebody found"},
    {"generate", tl_cli_generate, "make problem files: heaps, stacks, random systems"},
    {"profile", tl_cli_profile, "compare methods on a folder of problem files"},
    {"bench", tl_cli_bench, "measure passes, seconds and bytes on this machine"},
    {"info", tl_cli_info, "version, build, backends, devices"},
};
enum { VERB_COUNT = sizeof verbs / sizeof verbs[0] };

static void print_help(FILE *out) {
  fprintf(out,
          "usage: talus VERB [arguments] [options]\n\n"
          "Talus %s: scenes in, motion out; contact problems in, certified impulses out.\n\n",
          talus_version());
  for (int i = 0; i < VERB_COUNT; i++) {
    fprintf(out, "  %-10s %s\n", verbs[i].name, verbs[i].help);
  }
  fprintf(out, "\n`talus VERB --help` explains one; `talus --version` prints the version.\n");
}

static int unknown_verb(const char *typed) {
  char words[256] = "", near[32];
  for (int i = 0; i < VERB_COUNT; i++) {
    const size_t used = strlen(words);
    snprintf(words + used, sizeof words - used, "%s%s", i > 0 ? "|" : "", verbs[i].name);
  }
  if (tl_words_nearest(typed, words, near, sizeof near) != NULL) {
    tl_cli_fail("unknown verb '%s': did you mean %s?", typed, near);
  } else {
    tl_cli_fail("unknown verb '%s'", typed);
  }
  print_help(stderr);
  return TL_EXIT_BAD;
}

/* Whether the processes that mpirun started share the work. */
static bool is_shared(int argc, char **argv) {
  return strcmp(argv[0], "run") == 0 || strcmp(argv[0], "info") == 0 ||
         (strcmp(argv[0], "bench") == 0 && argc > 1 && strcmp(argv[1], "world") == 0);
}

/* argv[0] is the verb. */
static int run_named(int argc, char **argv) {
  for (int i = 0; i < VERB_COUNT; i++) {
    if (strcmp(argv[0], verbs[i].name) == 0) {
      if (!is_shared(argc, argv) && tl_cli_ranks_leave(argv[0])) {
        return TL_EXIT_OK; /* the launcher ends with the code of the first */
      }
      return verbs[i].run(argc, argv);
    }
  }
  return tl_cli_ranks_leave(NULL) ? TL_EXIT_BAD : unknown_verb(argv[0]);
}

static int run_verb(int argc, char **argv) {
  if (argc < 2) {
    if (!tl_cli_ranks_leave(NULL)) {
      print_help(stderr);
    }
    return TL_EXIT_BAD;
  }
  if ((argv[1][0] == '-' || strcmp(argv[1], "help") == 0) && tl_cli_ranks_leave(NULL)) {
    return TL_EXIT_OK; /* words are said once */
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
      (strcmp(argv[1], "help") == 0 && argc == 2)) {
    print_help(stdout);
    return TL_EXIT_OK;
  }
  if (strcmp(argv[1], "--version") == 0) {
    printf("talus %s\n", talus_version());
    return TL_EXIT_OK;
  }
  if (strcmp(argv[1], "help") == 0) {
    char option[] = "--help", *asked[] = {argv[2], option, NULL};
    return run_named(2, asked);
  }
  return run_named(argc - 1, argv + 1);
}

/* Occupies those of the descriptors 0 to 2 that the caller closed: else the first files opened
 * would get these numbers, and messages would be written into results. Opened the wrong way round,
 * so that reading or writing fails as it does on a closed one. */
static void open_standard_files(void) {
  for (int file = 0; file <= 2; file++) {
    if (fcntl(file, F_GETFD) < 0 && errno == EBADF) {
      (void)!open("/dev/null", file == 0 ? O_WRONLY : O_RDONLY);
    }
  }
}

/* Starts the program once more without OpenBLAS's threads, which Talus has no use for, where the
 * address space is limited: each of them maps a large buffer when the library is loaded, tries
 * again without end where there is no room, and is waited for at the end of the process. Goes on as
 * it is where that cannot be done. */
static void threads_spare(char **argv) {
#if defined __linux__ && (TL_HAVE_LAPACK || TL_HAVE_SUITESPARSE)
  static const char name[] = "OPENBLAS_NUM_THREADS";
  const char *const threads = getenv(name);
  struct rlimit space;
  if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY &&
      (threads == NULL || strcmp(threads, "1") != 0) && setenv(name, "1", 1) == 0) {
    execv("/proc/self/exe", argv);
  }
#else
  (void)argv;
#endif
}

int main(int argc, char **argv) {
  threads_spare(argv);
  open_standard_files();
  signal(SIGXFSZ, SIG_IGN); /* a file above the limit is a failed write with a message, not death */
  const int code = run_verb(argc, argv);
  /* A report that did not reach its reader is no success. */
  if (fflush(stdout) != 0 || ferror(stdout)) {
    return tl_cli_fail("cannot write the report: %s", strerror(errno));
  }
  return code;
}
