/* route.h: records from any rank to any. */
#ifndef TL_ROUTE_H
#define TL_ROUTE_H

#include <string.h>

#include "host/base/base.h"
#include "talus/talus_ranks.h"

/* How many records go where. */
typedef struct tl_route {
  int64_t *send, *receive; /* [size + 1] the first of each rank, this one among them */
  talus_message *message;  /* [2 size] */
  tl_buffer memory;
} tl_route;

/* Room for the counts, which are 0. */
talus_status tl_route_begin(talus_context *context, tl_route *route);
/* Counts in send[rank] become firsts, and everybody hears how many come. Collective. */
talus_status tl_route_open(talus_context *context, tl_route *route);
/* The same where those that this rank has for itself, *own of them, are not carried. */
talus_status tl_route_open_others(talus_context *context, tl_route *route, int64_t *own);
/* The firsts of all ranks again, once each has moved on to the next one's. */
static inline void tl_route_rewind(int64_t *first, int32_t size) {
  memmove(first + 1, first, (size_t)size * sizeof *first);
  first[0] = 0;
}
/* Carries records of `bytes` each. Collective. */
talus_status tl_route_carry(talus_context *context, const tl_route *route, size_t bytes,
                            const void *out, void *in);
/* The answers to them, of `bytes` each: `out` has one for each record received. Collective. */
talus_status tl_route_answer(talus_context *context, const tl_route *route, size_t bytes,
                             const void *out, void *in);
/* The same, but for those that this rank has for itself. */
talus_status tl_route_carry_others(talus_context *context, const tl_route *route, size_t bytes,
                                   const void *out, void *in);
talus_status tl_route_answer_others(talus_context *context, const tl_route *route, size_t bytes,
                                    const void *out, void *in);
void tl_route_release(talus_context *context, tl_route *route);

#endif
