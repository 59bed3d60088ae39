/* scope.h: what one thread of a loop has of a context for itself.
 *
 * While a thread is inside a scope, messages of the context go to the scope, nothing is logged,
 * loops run on this thread alone, and calls that enter the context are let in. Memory is the
 * context's, as always. So the same functions serve one thread and many, and no context is
 * copied. */
#ifndef TL_SCOPE_H
#define TL_SCOPE_H

#include "host/base/base.h"

typedef struct tl_scope {
  const talus_context *context;
  struct tl_scope *outer; /* of the same thread */
  char message[TL_MESSAGE];
} tl_scope;

void tl_scope_enter(tl_scope *scope, const talus_context *context);
/* The innermost one first. */
void tl_scope_leave(tl_scope *scope);
/* The calling thread's scope of a context; NULL: none. */
tl_scope *tl_scope_of(const talus_context *context);

#endif
