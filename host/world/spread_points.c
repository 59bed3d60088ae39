/* spread_points.c: contact points on several ranks: each treats its part of the pairs and gets the
 * others' points, which then stand in the order of the pairs as if one had treated them all. */
#include <string.h>

#include "host/world/spread.h"

/* Points of balls and walls are found faster than sent; below so many pairs all are. */
enum { LEAST_PAIRS = 512 };

/* counts: [size] points of each rank. All of them, the own ones in their place. */
static talus_status points_lay_out(talus_world *world, const tl_contact_point *own,
                                   const int64_t *counts, int64_t *total) {
  const talus_transport *const t = tl_ranks_of(world->context);
  int64_t first = 0;
  *total = 0;
  for (int32_t r = 0; r < t->size; r++) {
    first += r < t->rank ? counts[r] : 0;
    *total += counts[r];
  }
  tl_buffer *const all = &world->spread_points;
  if (all->capacity < (size_t)*total * sizeof *own) {
    TL_TRY(tl_buffer_reserve(world->context, all, (size_t)(*total + *total / 4), sizeof *own,
                             "contact points of all ranks"));
  }
  if (counts[t->rank] > 0) {
    memcpy((tl_contact_point *)all->memory + first, own, (size_t)counts[t->rank] * sizeof *own);
  }
  return TALUS_OK;
}

static talus_status points_share(talus_world *world, const tl_contact_point *own, int64_t count,
                                 int64_t *counts, const tl_contact_point **points,
                                 int64_t *point_count) {
  const talus_transport *const t = tl_ranks_of(world->context);
  const int code = t->gather(t->user, &count, sizeof count, counts);
  if (code != 0) {
    return tl_ranks_lost(world->context, code);
  }
  TL_TRY(tl_ranks_agree(world->context, points_lay_out(world, own, counts, point_count)));
  *points = world->spread_points.memory;
  return tl_ranks_share_parts(world->context, world->spread_points.memory, counts, sizeof *own);
}

talus_status tl_spread_points(talus_world *world, const tl_pair *pairs, int64_t pair_count,
                              int32_t threads, const tl_contact_point **points,
                              int64_t *point_count) {
  const talus_transport *const t = tl_ranks_of(world->context);
  const tl_collider *const collider = world->colliders.memory;
  if (t == NULL || t->size == 1 || world->contacts_local || pair_count < LEAST_PAIRS ||
      world->contacts_spherical) {
    return tl_narrow_pairs(world->narrow, collider, pairs, pair_count, threads, points,
                           point_count);
  }
  const int64_t first = tl_ranks_first_of(t, t->rank, pair_count);
  const int64_t end = tl_ranks_first_of(t, t->rank + 1, pair_count);
  const tl_contact_point *own;
  int64_t count;
  void *counts = NULL;
  talus_status status =
      tl_narrow_pairs(world->narrow, collider, pairs + first, end - first, threads, &own, &count);
  if (status == TALUS_OK) {
    status = tl_alloc(world->context, &counts, (size_t)t->size, sizeof(int64_t), "counts of ranks");
  }
  status = tl_ranks_agree(world->context, status);
  if (status == TALUS_OK) {
    status = points_share(world, own, count, counts, points, point_count);
  }
  tl_free(world->context, counts);
  return status;
}
