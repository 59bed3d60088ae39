/* process_windows.c: processors, memory and threads of Windows. There are no forks, and no signals
 * that threads would have to be kept from. */
#include "host/base/process.h"

#include <malloc.h>

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

uint32_t tl_fork_count(void) {
  return 0;
}

int32_t tl_processors_allowed(void) {
  SYSTEM_INFO system;
  GetSystemInfo(&system);
  return (int32_t)system.dwNumberOfProcessors;
}

void *tl_memory_take(size_t size) {
  return _aligned_malloc(size, TL_CACHE_LINE);
}

void tl_memory_release(void *memory) {
  _aligned_free(memory);
}

bool tl_thread_start(pthread_t *thread, void *(*run)(void *), void *argument) {
  return pthread_create(thread, NULL, run, argument) == 0;
}
