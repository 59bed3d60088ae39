/* process.h: what holds for the process as a whole: forks, processors. */
#ifndef TL_PROCESS_H
#define TL_PROCESS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How many forks lie between this process and the one that called this first. A process has only
 * the thread that forked it: whoever owns threads keeps the count of then and compares. */
uint32_t tl_fork_count(void);

/* Processors that this process may run on; as many as OMP_NUM_THREADS says where that is set. */
int32_t tl_processor_count(void);

#ifdef __cplusplus
}
#endif

#endif
