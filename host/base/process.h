/* process.h: what the system gives a process: forks, processors, memory, threads. from POSIX in
 * process_posix.c, from Windows in process_windows.c. */
#ifndef TL_PROCESS_H
#define TL_PROCESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How many forks lie between this process and the one that called this first. A process has only
 * the thread that forked it: whoever owns threads keeps the count of then and compares. */
uint32_t tl_fork_count(void);

/* Processors that this process may run on; as many as OMP_NUM_THREADS says where that is set. */
int32_t tl_processor_count(void);
/* The same by the system alone. */
int32_t tl_processors_allowed(void);

/* Memory that begins with a cache line; size: a multiple of TL_CACHE_LINE. NULL: there is none. */
enum { TL_CACHE_LINE = 64 };
void *tl_memory_take(size_t size);
void tl_memory_release(void *memory);

/* Starts a thread that gets no signals: they are for the caller's. */
bool tl_thread_start(pthread_t *thread, void *(*run)(void *), void *argument);

#ifdef __cplusplus
}
#endif

#endif
