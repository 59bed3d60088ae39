/* ranks.c: finds out whether the program is one of several processes, and loads what they need. */
#define _GNU_SOURCE
#include "host/cli/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/cli/cli.h"

#ifndef _WIN32
#include <dlfcn.h>
#include <sched.h>
#include <unistd.h>
#endif

typedef talus_status (*begin_fn)(talus_transport *transport, int32_t *neighbours);
typedef void (*end_fn)(void);

static struct {
  bool joined;
  talus_transport transport;
  int32_t neighbours; /* processes on this machine, this one included */
  end_fn end;
  char note[512];
} ranks;

const talus_transport *tl_cli_ranks(void) {
  return ranks.joined ? &ranks.transport : NULL;
}

bool tl_cli_ranks_speaks(void) {
  return !ranks.joined || ranks.transport.rank == 0;
}

void tl_cli_ranks_note(const char *message) {
  snprintf(ranks.note, sizeof ranks.note, "%s", message);
}

/* What launchers call the number of processes. */
static const char *const size_names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_SIZE"};
enum { SIZE_NAMES = sizeof size_names / sizeof *size_names };

/* How many processes were started, as the launcher says; 1: it says nothing. */
static int processes_started(void) {
  for (size_t i = 0; i < SIZE_NAMES; i++) {
    const char *const text = getenv(size_names[i]);
    if (text != NULL && atoi(text) > 0) {
      return atoi(text);
    }
  }
  const char *const tasks = getenv("SLURM_STEP_NUM_TASKS");
  return getenv("PMIX_RANK") != NULL && tasks != NULL && atoi(tasks) > 0 ? atoi(tasks) : 1;
}

/* Which of them this one is, as the launcher says; 0: it says nothing. */
static int rank_started(void) {
  static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *const text = getenv(names[i]);
    if (text != NULL) {
      return atoi(text);
    }
  }
  return 0;
}

bool tl_cli_ranks_leave(const char *verb) {
  const int started = processes_started();
  if (started < 2) {
    return false;
  }
  if (rank_started() > 0) {
    return true;
  }
  if (verb != NULL) {
    fprintf(stderr, "talus: %s is the work of one process: the first of %d does it\n", verb,
            started);
  }
#ifndef _WIN32
  for (size_t i = 0; i < SIZE_NAMES; i++) {
    unsetenv(size_names[i]);
  }
  unsetenv("SLURM_STEP_NUM_TASKS");
#endif
  return false;
}

#ifdef _WIN32
static int load(begin_fn *begin, int started) {
  (void)begin;
  return tl_cli_fail("this is one of %d processes, which Talus does not join on Windows", started);
}
#else
static int load(begin_fn *begin, int started) {
  const char *const given = getenv("TALUS_MPI_LIBRARY");
  const char *const file = given != NULL ? given : TL_MPI_FILE;
  void *const library = dlopen(file, RTLD_NOW | RTLD_GLOBAL);
  if (library != NULL) {
    *(void **)begin = dlsym(library, "talus_mpi_begin");
    *(void **)&ranks.end = dlsym(library, "talus_mpi_end");
  }
  if (library != NULL && *begin != NULL && ranks.end != NULL) {
    return TL_EXIT_OK;
  }
  if (rank_started() > 0) {
    return TL_EXIT_BAD; /* one of them says it */
  }
  return tl_cli_fail("this is one of %d processes, but %s: build Talus with MPI (Debian: "
                     "libopenmpi-dev or libmpich-dev, then cmake -DTALUS_MPI=ON), or name the "
                     "library by TALUS_MPI_LIBRARY",
                     started, dlerror());
}
#endif

int tl_cli_ranks_begin(void) {
  begin_fn begin = NULL;
  const int started = processes_started();
  if (started < 2 || ranks.joined) {
    return TL_EXIT_OK;
  }
  const int code = load(&begin, started);
  if (code != TL_EXIT_OK) {
    return code;
  }
  ranks.transport = talus_transport_default();
  if (begin(&ranks.transport, &ranks.neighbours) != TALUS_OK) {
    return tl_cli_fail("MPI cannot be begun: is libtalus_mpi built with the MPI of this mpirun?");
  }
  ranks.joined = true;
  if (ranks.transport.size != started) {
    return tl_cli_fail("%d processes were started, but MPI sees %d: libtalus_mpi was built with "
                       "another MPI than the one of this mpirun",
                       started, ranks.transport.size);
  }
  return TL_EXIT_OK;
}

void tl_cli_ranks_end(void) {
  if (ranks.joined) {
    ranks.end();
    ranks.joined = false;
  }
}

int tl_cli_ranks_threads(void) {
#ifdef __linux__
  cpu_set_t set;
  if (ranks.joined && ranks.neighbours > 1 && getenv("OMP_NUM_THREADS") == NULL &&
      sched_getaffinity(0, sizeof set, &set) == 0) {
    const int cores = CPU_COUNT(&set);
    const int share = cores / ranks.neighbours;
    return cores < sysconf(_SC_NPROCESSORS_ONLN) ? cores : share > 0 ? share : 1;
  }
#endif
  return 0;
}

int tl_cli_ranks_agree(int code) {
  const talus_transport *const t = &ranks.transport;
  if (!ranks.joined) {
    return code;
  }
  /* the largest code, and the first rank that has one */
  int64_t found[2] = {code, code != TL_EXIT_OK ? t->size - t->rank : 0};
  if (t->largest(t->user, found, 2) != 0) {
    return TL_EXIT_BAD;
  }
  const int32_t first = found[1] > 0 ? t->size - (int32_t)found[1] : 0;
  if (first > 0 && first == t->rank) {
    fprintf(stderr, "talus: rank %d: %s\n", t->rank, ranks.note);
  }
  return (int)found[0];
}

bool tl_cli_ranks_any(bool own) {
  int64_t any = own;
  return ranks.joined ? ranks.transport.largest(ranks.transport.user, &any, 1) != 0 || any != 0
                      : own;
}

tl_parsed tl_cli_ranks_parsed(tl_parsed parsed) {
  if (tl_cli_ranks_agree(parsed == TL_PARSED_BAD ? TL_EXIT_BAD : TL_EXIT_OK) != TL_EXIT_OK) {
    return TL_PARSED_BAD;
  }
  return tl_cli_ranks_any(parsed == TL_PARSED_HELP) ? TL_PARSED_HELP : parsed;
}
