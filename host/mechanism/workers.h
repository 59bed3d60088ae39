/* workers.h: the same work on many mechanisms, by threads; and their forward dynamics in one piece.
 *
 * Each thread has a scope of the caller's context: messages of its own (host/base/scope.h). */
#ifndef TL_MECHANISM_WORKERS_H
#define TL_MECHANISM_WORKERS_H

#include "host/base/scope.h"
#include "host/mechanism/conquer.h"
#include "host/mechanism/coupling.h"
#include "kernels/conquer_batch.h"

typedef struct tl_mechanism_worker {
  tl_scope scope;
  int32_t failed; /* the first of this thread's that failed; -1: none */
  talus_status status;
  char message[TL_MESSAGE];
} tl_mechanism_worker;

/* Does piece `index`; thread: whose scratch may be used. */
typedef talus_status (*tl_mechanism_task)(void *self, int32_t thread, int32_t index);

/* All of count pieces, whichever fail; the first failure (by index) becomes the context's message,
 * "what 17: ...". Threads take the next piece; worker has one element for each. */
talus_status tl_mechanism_workers_run(talus_context *context, tl_mechanism_worker *worker,
                                      int32_t threads, int32_t count, tl_mechanism_task work,
                                      void *self, const char *what);

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
