/* workers.h: the threads of a context; see each.h for the loops that they share. */
#ifndef TL_WORKERS_H
#define TL_WORKERS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tl_workers tl_workers;

/* A place for threads, which are started when a loop first asks for them. NULL: no memory. */
tl_workers *tl_workers_create(void);
/* Ends the threads, which must be idle. Accepts NULL. In a process that was forked off there are
 * none, and what they held is given back. */
void tl_workers_destroy(tl_workers *workers);
/* 1 in a process that was forked off after the workers were made: it has none of their threads. */
bool tl_workers_lost(const tl_workers *workers);

#ifdef __cplusplus
}
#endif

#endif
