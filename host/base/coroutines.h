/* coroutines.h: pieces of work in one context, each on a thread of its own, of which one is at work
 * at any time: a piece may stop anywhere until others have come as far.
 *
 * Which piece goes on when is said by the thread that made them, so that results do not depend on
 * chance. A piece is inside a scope of the context (scope.h): its messages are its own, nothing is
 * logged. */
#ifndef TL_COROUTINES_H
#define TL_COROUTINES_H

#include "host/base/base.h"

typedef struct tl_coroutines tl_coroutines;
/* Does piece `index`. */
typedef void tl_coroutines_body(void *arguments, int32_t index);

/* Threads for so many pieces, none of which has begun. NULL without an error: they were not to be
 * had. */
talus_status tl_coroutines_make(talus_context *context, int32_t count, tl_coroutines_body *body,
                                void *arguments, tl_coroutines **all);
/* Lets a piece go on until it yields; returns false once it has ended. */
bool tl_coroutines_resume(tl_coroutines *all, int32_t index);
/* For the piece at work: returns when it may go on. */
void tl_coroutines_yield(tl_coroutines *all);
/* Accepts NULL. Every piece has ended or has not begun. */
void tl_coroutines_destroy(tl_coroutines *all);

#endif
