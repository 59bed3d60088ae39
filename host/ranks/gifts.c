/* gifts.c: things of a piece on their way to the parts of their owners, and results back. */
#include <string.h>

#include "host/ranks/ranks.h"

talus_status tl_gifts_make(talus_context *context, int32_t count, const int32_t *rank,
                           tl_gifts *gifts) {
  const int32_t size = tl_ranks_of(context)->size;
  TL_TRY(tl_ranks_agree(context, tl_route_begin(context, &gifts->route)));
  int64_t *const send = gifts->route.send;
  for (int32_t i = 0; i < count; i++) {
    send[rank[i]]++;
  }
  TL_TRY(tl_route_open(context, &gifts->route));
  const int64_t sends = send[size], receives = gifts->route.receive[size];
  TL_TRY(
      tl_ranks_agree(context, tl_buffer_reserve(context, &gifts->memory, (size_t)(sends + receives),
                                                sizeof(int32_t), "things of other ranks")));
  gifts->sent = gifts->memory.memory;
  gifts->taken = gifts->sent + sends;
  for (int32_t i = 0; i < count; i++) {
    gifts->sent[send[rank[i]]++] = i;
  }
  memmove(send + 1, send, (size_t)size * sizeof *send); /* the firsts again */
  send[0] = 0;
  return TALUS_OK;
}

/* Room for what goes and what comes. */
static talus_status rooms_take(talus_context *context, const tl_gifts *gifts, int32_t width,
                               tl_buffer *scratch, double **piece, double **part) {
  const int32_t size = tl_ranks_of(context)->size;
  const int64_t sends = gifts->route.send[size], receives = gifts->route.receive[size];
  TL_TRY(tl_ranks_agree(context,
                        tl_buffer_reserve(context, scratch, (size_t)(sends + receives),
                                          (size_t)width * sizeof(double), "messages of ranks")));
  *piece = scratch->memory;
  *part = *piece + width * sends;
  return TALUS_OK;
}

static void pick(const double *from, const int32_t *place, int64_t count, int32_t width,
                 double *to) {
  for (int64_t i = 0; i < count && from != NULL; i++) {
    memcpy(to + width * i, from + width * (int64_t)place[i], (size_t)width * sizeof *to);
  }
}

static void put(const double *from, const int32_t *place, int64_t count, int32_t width,
                double *to) {
  for (int64_t i = 0; i < count && to != NULL; i++) {
    memcpy(to + width * (int64_t)place[i], from + width * i, (size_t)width * sizeof *to);
  }
}

talus_status tl_gifts_forward(talus_context *context, const tl_gifts *gifts, int32_t width,
                              const double *piece, double *part, tl_buffer *scratch) {
  const int32_t size = tl_ranks_of(context)->size;
  const size_t row = (size_t)width * sizeof(double);
  double *out, *in;
  TL_TRY(rooms_take(context, gifts, width, scratch, &out, &in));
  if (piece == NULL) {
    memset(out, 0, (size_t)gifts->route.send[size] * row);
  }
  pick(piece, gifts->sent, gifts->route.send[size], width, out);
  TL_TRY(tl_route_carry(context, &gifts->route, row, out, in));
  put(in, gifts->taken, gifts->route.receive[size], width, part);
  return TALUS_OK;
}

talus_status tl_gifts_back(talus_context *context, const tl_gifts *gifts, int32_t width,
                           const double *part, double *piece, tl_buffer *scratch) {
  const int32_t size = tl_ranks_of(context)->size;
  double *in, *out;
  TL_TRY(rooms_take(context, gifts, width, scratch, &in, &out));
  pick(part, gifts->taken, gifts->route.receive[size], width, out);
  TL_TRY(tl_route_answer(context, &gifts->route, (size_t)width * sizeof(double), out, in));
  put(in, gifts->sent, gifts->route.send[size], width, piece);
  return TALUS_OK;
}

void tl_gifts_release(talus_context *context, tl_gifts *gifts) {
  tl_route_release(context, &gifts->route);
  tl_buffer_release(context, &gifts->memory);
}
