/* process_posix.c: forks, processors, memory and threads of POSIX systems. */
#define _GNU_SOURCE
#include "host/base/process.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
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

int32_t tl_processors_allowed(void) {
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    return CPU_COUNT(&set);
  }
#endif
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 && online <= 4096 ? (int32_t)online : 1;
}

/* Long arrays ask for huge pages: contacts reach their bodies all over the memory, and with small
 * pages a good part of the time goes into finding out where that is. */
void *tl_memory_take(size_t size) {
#ifdef MADV_HUGEPAGE
  const size_t page = (size_t)2 << 20;
  if (size >= 4 * page) {
    void *const block = aligned_alloc(page, (size + page - 1) / page * page);
    if (block != NULL) {
      madvise(block, size, MADV_HUGEPAGE); /* without effect where the system has no huge pages */
    }
    return block;
  }
#endif
  return aligned_alloc(TL_CACHE_LINE, size);
}

void tl_memory_release(void *memory) {
  free(memory);
}

bool tl_thread_start(pthread_t *thread, void *(*run)(void *), void *argument) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const bool started = pthread_create(thread, NULL, run, argument) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return started;
}
