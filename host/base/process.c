/* process.c: forks are counted, processors too. */
#define _GNU_SOURCE
#include "host/base/process.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

static uint32_t forks; /* atomic; a fact of the process, which no context could hold */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void fork_child(void) {
  __atomic_add_fetch(&forks, 1, __ATOMIC_RELAXED);
}

static void forks_count(void) {
  (void)pthread_atfork(NULL, NULL, fork_child);
}

uint32_t tl_fork_count(void) {
  (void)pthread_once(&once, forks_count);
  return __atomic_load_n(&forks, __ATOMIC_RELAXED);
}

/* What a user sets to keep all libraries of a process to so many. */
static int32_t asked_by_user(void) {
  const char *const text = getenv("OMP_NUM_THREADS");
  const long value = text != NULL ? strtol(text, NULL, 10) : 0;
  return value > 0 && value <= 4096 ? (int32_t)value : 0;
}

static int32_t allowed_by_system(void) {
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    return CPU_COUNT(&set);
  }
#endif
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 && online <= 4096 ? (int32_t)online : 1;
}

int32_t tl_processor_count(void) {
  const int32_t asked = asked_by_user(), allowed = allowed_by_system();
  return asked > 0 ? asked : allowed > 0 ? allowed : 1;
}
