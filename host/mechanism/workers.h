/* workers.h: the same work on many mechanisms, by threads; and their forward dynamics in one piece.
 *
 * Mechanisms word messages and take memory through their context, which is one thread's. So each
 * thread has a stand-in of the caller's context, which what it works on uses meanwhile. */
#ifndef TL_MECHANISM_WORKERS_H
#define TL_MECHANISM_WORKERS_H

#include "host/mechanism/conquer.h"
#include "host/mechanism/coupling.h"
#include "kernels/conquer_batch.h"

typedef struct tl_mechanism_worker {
  talus_context context;
  int32_t failed; /* the first of this thread's that failed; -1: none */
  talus_status status;
  char message[TL_MESSAGE];
} tl_mechanism_worker;

/* Does piece `index`; thread: whose scratch may be used. */
typedef talus_status (*tl_mechanism_task)(void *self, int32_t thread, int32_t index,
                                          talus_context *context);

/* All of count pieces, whichever fail; the first failure (by index) becomes the context's message,
 * "what 17: ...". Threads take the next piece; worker has one element for each. */
talus_status tl_mechanism_workers_run(talus_context *context, tl_mechanism_worker *worker,
                                      int32_t threads, int32_t count, tl_mechanism_task work,
                                      void *self, const char *what);

/* Hands a coupling and its mechanisms to a context, and back. */
void tl_coupling_set_context(talus_coupling *coupling, talus_context *context);

/* Forward dynamics by divide and conquer: evaluations in `conquest`, results where they say. On the
 * context's device if that is worth it, else by threads; the bits are the same. */
typedef struct tl_forward {
  int32_t count;
  tl_conquest *conquest; /* [count] */
  int32_t *singular;     /* [count] */
  tl_buffer conquests, singulars, room;
} tl_forward;
talus_status tl_forward_reserve(talus_context *context, tl_forward *forward, int32_t count);
talus_status tl_forward_run(talus_context *context, tl_forward *forward, int32_t threads);
void tl_forward_release(talus_context *context, tl_forward *forward);

#endif
