/* route.c: records from any rank to any: how many first, then all of them in one exchange. */
#include "host/ranks/route.h"

#include <string.h>

#include "host/ranks/agree.h"

talus_status tl_route_begin(talus_context *context, tl_route *route) {
  const size_t size = (size_t)tl_ranks_of(context)->size;
  const size_t firsts = 2 * (size + 1) * sizeof(int64_t);
  TL_TRY(tl_buffer_reserve(context, &route->memory, firsts + 2 * size * sizeof(talus_message), 1,
                           "counts of ranks"));
  route->send = route->memory.memory;
  route->receive = route->send + size + 1;
  route->message = (talus_message *)(route->receive + size + 1);
  memset(route->memory.memory, 0, firsts);
  return TALUS_OK;
}

/* One number to and from every other rank. */
static talus_status counts_exchange(talus_context *context, tl_route *route) {
  const talus_transport *const t = tl_ranks_of(context);
  talus_message *const receive = route->message + t->size;
  int32_t count = 0;
  for (int32_t r = 0; r < t->size; r++) {
    if (r != t->rank) {
      route->message[count] =
          (talus_message){.rank = r, .memory = &route->send[r], .bytes = sizeof(int64_t)};
      receive[count++] =
          (talus_message){.rank = r, .memory = &route->receive[r], .bytes = sizeof(int64_t)};
    }
  }
  route->receive[t->rank] = route->send[t->rank];
  const int code = t->exchange(t->user, count, route->message, count, receive);
  return code == 0 ? TALUS_OK : tl_ranks_lost(context, code);
}

/* From counts to firsts. */
static void firsts_make(int64_t *first, int32_t size) {
  int64_t sum = 0;
  for (int32_t r = 0; r <= size; r++) {
    const int64_t own = r < size ? first[r] : 0;
    first[r] = sum;
    sum += own;
  }
}

talus_status tl_route_open(talus_context *context, tl_route *route) {
  const int32_t size = tl_ranks_of(context)->size;
  TL_TRY(counts_exchange(context, route));
  firsts_make(route->send, size);
  firsts_make(route->receive, size);
  return TALUS_OK;
}

talus_status tl_route_open_others(talus_context *context, tl_route *route, int64_t *own) {
  const talus_transport *const t = tl_ranks_of(context);
  *own = route->send[t->rank];
  route->send[t->rank] = 0;
  return tl_route_open(context, route);
}

static int32_t messages_make(const talus_transport *t, const int64_t *first, size_t bytes,
                             char *memory, talus_message *message) {
  int32_t count = 0;
  for (int32_t r = 0; r < t->size; r++) {
    if (r != t->rank && first[r + 1] > first[r]) {
      message[count++] = (talus_message){.rank = r,
                                         .memory = memory + (int64_t)bytes * first[r],
                                         .bytes = (int64_t)bytes * (first[r + 1] - first[r])};
    }
  }
  return count;
}

static talus_status carry(talus_context *context, const tl_route *route, const int64_t *send,
                          const int64_t *receive, size_t bytes, const char *out, char *in) {
  const talus_transport *const t = tl_ranks_of(context);
  const int32_t sends = messages_make(t, send, bytes, (char *)out, route->message);
  const int32_t receives = messages_make(t, receive, bytes, in, route->message + t->size);
  const int code = t->exchange(t->user, sends, route->message, receives, route->message + t->size);
  return code == 0 ? TALUS_OK : tl_ranks_lost(context, code);
}

/* What this rank has for itself. */
static void keep(talus_context *context, const int64_t *send, const int64_t *receive, size_t bytes,
                 const char *out, char *in) {
  const int32_t rank = tl_ranks_of(context)->rank;
  const int64_t own = send[rank + 1] - send[rank];
  if (own > 0) {
    memcpy(in + (int64_t)bytes * receive[rank], out + (int64_t)bytes * send[rank],
           (size_t)own * bytes);
  }
}

talus_status tl_route_carry(talus_context *context, const tl_route *route, size_t bytes,
                            const void *out, void *in) {
  keep(context, route->send, route->receive, bytes, out, in);
  return tl_route_carry_others(context, route, bytes, out, in);
}

talus_status tl_route_carry_others(talus_context *context, const tl_route *route, size_t bytes,
                                   const void *out, void *in) {
  return carry(context, route, route->send, route->receive, bytes, out, in);
}

talus_status tl_route_answer(talus_context *context, const tl_route *route, size_t bytes,
                             const void *out, void *in) {
  keep(context, route->receive, route->send, bytes, out, in);
  return tl_route_answer_others(context, route, bytes, out, in);
}

talus_status tl_route_answer_others(talus_context *context, const tl_route *route, size_t bytes,
                                    const void *out, void *in) {
  return carry(context, route, route->receive, route->send, bytes, out, in);
}

void tl_route_release(talus_context *context, tl_route *route) {
  tl_buffer_release(context, &route->memory);
}
