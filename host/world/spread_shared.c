/* spread_shared.c: bodies that come and go between steps where bodies are local: those that a
 * caller adds, which are on every rank at first; those that all ranks are to see; those that are
 * removed. */
#include <string.h>

#include "host/world/spread_local.h"

int32_t tl_spread_body_count(const talus_world *world) {
  const tl_world_spread *const spread = world->spread;
  return world->bodies_local ? spread->body_total + (world->body_count - spread->arranged)
                             : world->body_count;
}

int32_t tl_spread_shape_count(const talus_world *world) {
  const tl_world_spread *const spread = world->spread;
  return world->bodies_local ? spread->shape_total + (world->shape_count - spread->shapes_arranged)
                             : world->shape_count;
}

/* What was added since: its holder is found by where it is. */
static void added_note(talus_world *world, const int32_t *old, int32_t count) {
  tl_world_spread *const spread = world->spread;
  memcpy(spread->holder, old, (size_t)count * sizeof *old);
  tl_spread_bricks(world);
  for (int32_t i = count; i < world->body_count; i++) {
    spread->holder[i] = tl_spread_entry(spread, spread->brick[i] & ~TL_SPREAD_MARKS)->owner;
  }
  tl_spread_boxes(world);
}

talus_status tl_spread_arrange(talus_world *world) {
  tl_world_spread *const spread = world->spread;
  const int32_t bodies = tl_spread_body_count(world), shapes = tl_spread_shape_count(world);
  if (spread->arranged == world->body_count) {
    /* a body that had no shape may move now: others are to hear of it */
    spread->listed = spread->listed && spread->shapes_arranged == world->shape_count;
    spread->shape_total = shapes;
    spread->shapes_arranged = world->shape_count;
    return TALUS_OK;
  }
  tl_buffer old = spread->body_memory;
  const int32_t *const holder = spread->holder;
  const size_t room = (size_t)world->body_count + (size_t)world->body_count / 16;
  spread->body_memory = (tl_buffer){.memory = NULL};
  const talus_status status =
      tl_ranks_agree(world->context, tl_buffer_reserve(world->context, &spread->body_memory, room,
                                                       TL_SPREAD_BODY_BYTES, "bricks of bodies"));
  if (status != TALUS_OK) {
    tl_buffer_release(world->context, &spread->body_memory);
    spread->body_memory = old;
    return status;
  }
  const int32_t before = spread->arranged;
  tl_spread_bodies_place(spread, world->body_count);
  added_note(world, holder, before);
  tl_buffer_release(world->context, &old);
  spread->shapes_arranged = world->shape_count;
  spread->body_total = bodies;
  spread->shape_total = shapes;
  spread->listed = false;
  return TALUS_OK;
}

bool tl_body_everywhere(const talus_world *world, int32_t slot) {
  const tl_body *const body = &world->body[slot];
  return !world->bodies_local || tl_spread_stays(body) || body->shared ||
         slot >= world->spread->arranged;
}

/* ---- for all to see -------------------------------------------------------------------------- */

talus_status tl_bodies_marks(talus_world *world, bool **mark) {
  TL_TRY(tl_spread_arrange(world));
  *mark = world->spread->near;
  memset(*mark, 0, (size_t)world->body_count * sizeof **mark);
  return TALUS_OK;
}

bool tl_bodies_answered(const talus_world *world, int32_t slot) {
  return !world->bodies_local || world->spread->holder[slot] == world->spread->owners.rank;
}

talus_status tl_bodies_share(talus_world *world) {
  for (int32_t i = 0; i < world->body_count; i++) {
    world->body[i].shared = world->body[i].shared || world->spread->near[i];
  }
  const int64_t slots = world->slots_changed;
  TL_TRY(tl_bodies_gather(world, true));
  if (slots != world->slots_changed) { /* lists are made anew with the next step */
    tl_spread_bricks(world);
    tl_spread_boxes(world);
  }
  return TALUS_OK; /* boxes stay those by which other ranks have the bodies */
}

/* ---- for all to remove ----------------------------------------------------------------------- */

/* Ids of the bodies that any rank has marked, *count of them, in spread->in. */
static talus_status marked_share(talus_world *world, int64_t *each, int64_t *count) {
  const talus_transport *const t = tl_ranks_of(world->context);
  tl_world_spread *const spread = world->spread;
  int64_t own = 0, first = 0;
  for (int32_t i = 0; i < world->body_count; i++) {
    own += spread->near[i];
  }
  const int code = t->gather(t->user, &own, sizeof own, each);
  if (code != 0) {
    return tl_ranks_lost(world->context, code);
  }
  *count = 0;
  for (int32_t r = 0; r < t->size; r++) {
    first += r < t->rank ? each[r] : 0;
    *count += each[r];
  }
  TL_TRY(tl_ranks_agree(world->context,
                        tl_buffer_reserve(world->context, &spread->in, (size_t)*count,
                                          sizeof(int32_t), "bodies that are removed")));
  int32_t *const id = spread->in.memory;
  for (int32_t i = 0; i < world->body_count; i++) {
    if (spread->near[i]) {
      id[first++] = world->body[i].id;
    }
  }
  return tl_ranks_share_parts(world->context, id, each, sizeof *id);
}

static talus_status marked_remove(talus_world *world, int64_t *each) {
  tl_world_spread *const spread = world->spread;
  tl_newcomers none = {.count = 0};
  int64_t count = 0;
  TL_TRY(marked_share(world, each, &count));
  memset(spread->near, 1, (size_t)world->body_count * sizeof *spread->near); /* what stays */
  const int32_t *const id = spread->in.memory;
  for (int64_t i = 0; i < count; i++) {
    const int32_t slot = tl_body_slot(world, id[i]);
    if (slot >= 0) {
      spread->near[slot] = false;
    }
  }
  return tl_bodies_rebuild(world, spread->near, &none);
}

talus_status tl_bodies_remove(talus_world *world, int64_t *count, bool *refused) {
  tl_world_spread *const spread = world->spread;
  int64_t sum[3] = {0, 0, 0}; /* bodies, shapes, bodies that joints hold */
  for (int32_t i = 0; i < world->body_count; i++) {
    const tl_body *const body = &world->body[i];
    sum[0] += spread->near[i];
    sum[1] += spread->near[i] ? body->shape_count : 0;
    sum[2] += spread->near[i] && body->jointed;
  }
  TL_TRY(tl_ranks_sum(world->context, sum, 3));
  *refused = sum[2] != 0;
  *count = *refused ? 0 : sum[0];
  if (*count == 0) {
    return TALUS_OK;
  }
  void *each = NULL;
  TL_TRY(tl_ranks_agree(world->context, tl_alloc(world->context, &each, (size_t)spread->owners.size,
                                                 sizeof(int64_t), "counts of ranks")));
  const talus_status status = marked_remove(world, each);
  tl_free(world->context, each);
  TL_TRY(status);
  spread->body_total -= (int32_t)sum[0];
  spread->shape_total -= (int32_t)sum[1];
  spread->listed = false;
  tl_spread_bricks(world);
  tl_spread_boxes(world);
  return TALUS_OK;
}
