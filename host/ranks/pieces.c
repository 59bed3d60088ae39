/* pieces.c: what a rank may give: checked by each for itself, then against what the others give. */
#include <string.h>

#include "host/math/radix.h"
#include "host/ranks/ranks.h"
#include "kernels/backend.h"

talus_status tl_piece_check(talus_context *context, const talus_problem *p) {
  if (p->form != TALUS_FORM_RIGID || p->memory != TALUS_MEMORY_HOST) {
    return tl_fail(context, TALUS_UNSUPPORTED,
                   "ranks take form RIGID in host memory: translate other forms, or solve without "
                   "ranks");
  }
  if (p->asleep != NULL) {
    return tl_fail(context, TALUS_UNSUPPORTED,
                   "ranks do not take problem.asleep: leave out what sleeps, or nothing");
  }
  if (!(p->brick_size > 0)) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT,
                   "problem.brick_size is 0: ranks need bricks, of some eight diameters");
  }
  if (p->rigid.body_count > 0 && p->ids == NULL) {
    return tl_fail(context, TALUS_MISSING_ARRAY, "problem.ids is NULL: ranks need names of bodies");
  }
  if (p->ghost_count < 0 || p->ghost_count > p->rigid.body_count) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT, "problem.ghost_count is %d of %d bodies",
                   p->ghost_count, p->rigid.body_count);
  }
  return TALUS_OK;
}

/* Contacts of six rows are said by the dimension; a rank without contacts has none to say. */
talus_status tl_pieces_same(talus_context *context, const talus_problem *p) {
  const double sizes[2] = {p->brick_size, p->velocity_scale};
  TL_TRY(tl_ranks_same_version(context));
  TL_TRY(tl_ranks_same(context, sizes, sizeof sizes, "problem.brick_size or velocity_scale"));
  return tl_ranks_same(context, &p->dimension, sizeof p->dimension, "problem.dimension");
}

/* The rank that looks whether an id was given before. */
static int32_t keeper_of(uint64_t id, int32_t size) {
  return (int32_t)((id * UINT64_C(0x9E3779B97F4A7C15) >> 32) % (uint64_t)size);
}

static int32_t giver_of(const tl_route *route, int32_t i) {
  int32_t rank = 0;
  while (route->receive[rank + 1] <= i) {
    rank++;
  }
  return rank;
}

/* Counts, and after the counts have been made firsts, sorts the ids by their keepers. */
static void ids_sort(const talus_problem *p, int32_t size, int64_t *place, uint64_t *id) {
  for (int32_t i = 0; i < p->rigid.body_count - p->ghost_count; i++) {
    const int64_t at = place[keeper_of(p->ids[i], size)]++;
    if (id != NULL) {
      id[at] = p->ids[i];
    }
  }
}

static talus_status ids_look(talus_context *context, const tl_route *route, uint64_t *id,
                             int64_t count) {
  int32_t *const from = (int32_t *)(id + 2 * count);
  for (int64_t i = 0; i < count; i++) {
    from[i] = (int32_t)i;
  }
  tl_radix_sort(id, from, id + count, from + count, count);
  for (int64_t i = 1; i < count; i++) {
    if (id[i] == id[i - 1]) {
      return tl_fail(context, TALUS_INVALID_ARGUMENT,
                     "body %llu is given by rank %d and by rank %d: one of them has a ghost",
                     (unsigned long long)id[i], giver_of(route, from[i - 1]),
                     giver_of(route, from[i]));
    }
  }
  return TALUS_OK;
}

static talus_status unique(talus_context *context, const talus_problem *p, tl_buffer *memory,
                           tl_route *route) {
  const int32_t size = tl_ranks_of(context)->size;
  TL_TRY(tl_ranks_agree(context, tl_route_begin(context, route)));
  ids_sort(p, size, route->send, NULL);
  TL_TRY(tl_route_open(context, route));
  const int64_t sends = route->send[size], receives = route->receive[size];
  TL_TRY(tl_ranks_agree(context,
                        tl_buffer_reserve(context, memory, (size_t)(sends + size + 3 * receives),
                                          sizeof(uint64_t), "ids of bodies")));
  uint64_t *const in = memory->memory, *const out = in + 3 * receives;
  int64_t *const place = (int64_t *)(out + sends);
  memcpy(place, route->send, (size_t)size * sizeof *place);
  ids_sort(p, size, place, out);
  TL_TRY(tl_route_carry(context, route, sizeof *out, out, in));
  return tl_ranks_agree(context, ids_look(context, route, in, receives));
}

talus_status tl_pieces_unique(talus_context *context, const talus_problem *piece,
                              tl_buffer *memory) {
  tl_route route = {.send = NULL};
  const talus_status status = unique(context, piece, memory, &route);
  tl_route_release(context, &route);
  return status;
}
