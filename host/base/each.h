/* each.h: loops over independent pieces, shared out among the threads of a context: the one way by
 * which the library's own code runs on several threads.
 *
 * A body is a function of a range of pieces, so that its inner loop is the compiler's. Results must
 * not depend on who did which piece: sums go to one place per piece and are added in order. */
#ifndef TL_EACH_H
#define TL_EACH_H

#include "host/base/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Does the pieces first .. end - 1. */
typedef void tl_each_body(void *arguments, int64_t first, int64_t end);

/* Calls body for ranges that together are 0 .. count - 1, each piece once, on the calling thread
 * and at most threads - 1 others, and returns when all are done. The caller takes whatever nobody
 * has begun and so never waits for a thread that sleeps or was not to be had. On the calling thread
 * alone, in one range: loops within loops, loops of a second thread in one context, and all loops
 * of a context that was made before a fork. */
void tl_each(talus_context *context, int32_t threads, int64_t count, tl_each_body *body,
             void *arguments);

/* Held by one thread of a loop at a time, around what belongs to the context: memory and message.
 */
void tl_each_lock(talus_context *context);
void tl_each_unlock(talus_context *context);

/* Takes the next number of a counter that several threads share. */
static inline int64_t tl_each_next(int64_t *counter) {
  return __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

#ifdef __cplusplus
}
#endif

#endif
