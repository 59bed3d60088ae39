/* spread_hold.c: which bodies a rank has where bodies are local: those that it answers for (their
 * holder), those that may touch something in its bricks, and those that stay with all.
 *
 *   holders     tell the owners of the bricks of a body's box that they need it
 *   owners      ask for those that they have not, and are sent them; others go
 *   all         tell holders which of their bodies they have: to whom velocities are sent
 *
 * Within a step bodies only come, and holders stay what they are, so that the step can be restored.
 * All of it is made when a box holds no more, not in every step. */
#include <math.h>
#include <string.h>

#include "host/world/spread_local.h"

/* ---- who needs what -------------------------------------------------------------------------- */

/* The ids of this rank's bodies for those that need them, behind each rank's first; id NULL: they
 * are counted. Marks those that it needs itself. */
static void needs_collect(const talus_world *world, int64_t *at, int32_t *id) {
  const tl_world_spread *const spread = world->spread;
  const int32_t own = spread->owners.rank;
  for (int32_t i = 0; i < world->body_count; i++) {
    const tl_body *const body = &world->body[i];
    int32_t rank[TL_SPREAD_TAKERS];
    if (!tl_spread_gives(world, i)) {
      continue;
    }
    const int32_t count = tl_spread_takers(spread, i, rank);
    for (int32_t k = 0; k < count; k++) {
      if (rank[k] == own) {
        spread->near[i] = true;
      } else if (id != NULL) {
        id[at[rank[k]]++] = body->id;
      } else {
        at[rank[k]]++;
      }
    }
  }
}

/* Ids that others need of this rank go out, those that it needs come in: in spread->in. */
static talus_status needs_tell(talus_world *world) {
  talus_context *const context = world->context;
  tl_world_spread *const spread = world->spread;
  tl_route *const route = &spread->route;
  const int32_t size = spread->owners.size;
  TL_TRY(tl_ranks_agree(context, tl_route_begin(context, route)));
  needs_collect(world, route->send, NULL);
  TL_TRY(tl_route_open(context, route));
  talus_status status = tl_buffer_reserve(context, &spread->out, (size_t)route->send[size],
                                          sizeof(int32_t), "bodies for other ranks");
  if (status == TALUS_OK) {
    status = tl_buffer_reserve(context, &spread->in, (size_t)route->receive[size], sizeof(int32_t),
                               "bodies of other ranks");
  }
  TL_TRY(tl_ranks_agree(context, status));
  needs_collect(world, route->send, spread->out.memory);
  tl_route_rewind(route->send, size);
  return tl_route_carry(context, route, sizeof(int32_t), spread->out.memory, spread->in.memory);
}

/* What it has of them is near; the others are asked for: ids in spread->stash, and the route has
 * what goes where. */
static talus_status lacking_find(talus_world *world) {
  talus_context *const context = world->context;
  tl_world_spread *const spread = world->spread;
  tl_route *const route = &spread->route;
  const int32_t size = spread->owners.size, *const needed = spread->in.memory;
  const int64_t count = route->receive[size];
  TL_TRY(tl_buffer_reserve(context, &spread->stash, (size_t)count, sizeof(int32_t),
                           "bodies of other ranks"));
  int32_t *const ask = spread->stash.memory;
  int64_t asked = 0;
  for (int32_t r = 0; r < size; r++) {
    const int64_t before = asked;
    for (int64_t i = route->receive[r]; i < route->receive[r + 1]; i++) {
      const int32_t slot = tl_body_slot(world, needed[i]);
      if (slot >= 0) {
        spread->near[slot] = true;
      } else {
        ask[asked++] = needed[i];
      }
    }
    route->send[r] = asked - before;
  }
  return TALUS_OK;
}

/* Records of what this rank was asked for; the route has their words. */
static talus_status answers_pack(talus_world *world, const int32_t *asked, const int64_t *first) {
  tl_world_spread *const spread = world->spread;
  const int32_t size = spread->owners.size;
  int64_t words = 0;
  for (int32_t r = 0; r < size; r++) {
    const int64_t before = words;
    for (int64_t i = first[r]; i < first[r + 1]; i++) {
      words += tl_body_record_words(world, tl_body_slot(world, asked[i]));
    }
    spread->held.send[r] = words - before;
  }
  TL_TRY(tl_buffer_reserve(world->context, &spread->out, (size_t)words, sizeof(uint64_t),
                           "bodies for other ranks"));
  uint64_t *at = spread->out.memory;
  for (int64_t i = 0; i < first[size]; i++) {
    const int32_t slot = tl_body_slot(world, asked[i]);
    tl_body_record_pack(world, slot, at);
    at += tl_body_record_words(world, slot);
  }
  return TALUS_OK;
}

/* Asks for what it lacks, and gets it. */
static talus_status newcomers_fetch(talus_world *world, tl_newcomers *list) {
  talus_context *const context = world->context;
  tl_world_spread *const spread = world->spread;
  tl_route *const route = &spread->route, *const words = &spread->held;
  const int32_t size = spread->owners.size;
  TL_TRY(tl_ranks_agree(context, lacking_find(world)));
  TL_TRY(tl_route_open(context, route));
  talus_status status = tl_buffer_reserve(context, &spread->in, (size_t)route->receive[size],
                                          sizeof(int32_t), "bodies for other ranks");
  status = status == TALUS_OK ? tl_route_begin(context, words) : status;
  TL_TRY(tl_ranks_agree(context, status));
  TL_TRY(tl_route_carry(context, route, sizeof(int32_t), spread->stash.memory, spread->in.memory));
  TL_TRY(tl_ranks_agree(context, answers_pack(world, spread->in.memory, route->receive)));
  TL_TRY(tl_route_open(context, words));
  TL_TRY(tl_ranks_agree(
      context, tl_newcomers_reserve(world, route->send[size], words->receive[size], list)));
  TL_TRY(tl_route_carry(context, words, sizeof(uint64_t), spread->out.memory, list->memory));
  for (int32_t r = 0; r < size; r++) {
    tl_newcomers_find(world, words->receive[r], words->receive[r + 1], r, list);
  }
  return TALUS_OK;
}

/* ---- who has what ---------------------------------------------------------------------------- */

static bool is_taken(const tl_world_spread *spread, const talus_world *world, int32_t slot) {
  return spread->holder[slot] != spread->owners.rank && world->body[slot].inverse_mass > 0;
}

static talus_status taken_list(talus_world *world, int32_t **ids) {
  tl_world_spread *const spread = world->spread;
  tl_route *const held = &spread->held;
  const int64_t sends = held->send[spread->owners.size];
  const int64_t receives = held->receive[spread->owners.size];
  TL_TRY(tl_buffer_reserve(world->context, &spread->held_memory, (size_t)(sends + receives),
                           sizeof(int32_t), "bodies of other ranks"));
  TL_TRY(tl_buffer_reserve(world->context, &spread->stash, (size_t)sends, sizeof(int32_t),
                           "bodies of other ranks"));
  spread->taken = spread->held_memory.memory;
  spread->given = spread->taken + sends;
  *ids = spread->stash.memory;
  for (int32_t i = 0; i < world->body_count; i++) {
    if (is_taken(spread, world, i)) {
      const int64_t at = held->send[spread->holder[i]]++;
      spread->taken[at] = i;
      (*ids)[at] = world->body[i].id;
    }
  }
  tl_route_rewind(held->send, spread->owners.size);
  return TALUS_OK;
}

/* Holders learn who has their bodies. */
static talus_status lists_make(talus_world *world) {
  talus_context *const context = world->context;
  tl_world_spread *const spread = world->spread;
  tl_route *const held = &spread->held;
  int32_t *ids = NULL;
  TL_TRY(tl_ranks_agree(context, tl_route_begin(context, held)));
  for (int32_t i = 0; i < world->body_count; i++) {
    if (is_taken(spread, world, i)) {
      held->send[spread->holder[i]]++;
    }
  }
  TL_TRY(tl_route_open(context, held));
  TL_TRY(tl_ranks_agree(context, taken_list(world, &ids)));
  TL_TRY(tl_route_carry(context, held, sizeof(int32_t), ids, spread->given));
  for (int64_t i = 0; i < held->receive[spread->owners.size]; i++) {
    spread->given[i] = tl_body_slot(world, spread->given[i]);
  }
  spread->listed = true;
  return TALUS_OK;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Which bodies of a world that has all this rank needs. */
static void near_choose(const talus_world *world) {
  const tl_world_spread *const spread = world->spread;
  for (int32_t i = 0; i < world->body_count; i++) {
    int32_t rank[TL_SPREAD_TAKERS];
    const int32_t count = tl_spread_stays(&world->body[i]) ? 0 : tl_spread_takers(spread, i, rank);
    spread->near[i] = tl_spread_stays(&world->body[i]);
    world->body[i].shared = false;
    for (int32_t k = 0; k < count; k++) {
      spread->near[i] = spread->near[i] || rank[k] == spread->owners.rank;
    }
  }
}

static void near_begin(const talus_world *world, bool drop) {
  const tl_world_spread *const spread = world->spread;
  for (int32_t i = 0; i < world->body_count; i++) {
    spread->near[i] = !drop || tl_spread_stays(&world->body[i]);
    world->body[i].shared = world->body[i].shared && !drop;
  }
}

static bool some_go(const talus_world *world) {
  bool all = true;
  for (int32_t i = 0; i < world->body_count && all; i++) {
    all = world->spread->near[i];
  }
  return !all;
}

/* What other ranks have and this one lacks. */
static talus_status come_find(talus_world *world, bool drop, tl_newcomers *list) {
  near_begin(world, drop);
  TL_TRY(needs_tell(world));
  return newcomers_fetch(world, list);
}

/* Bricks, boxes and, where they are found anew, holders of what is here now. */
static void here_look(const talus_world *world, bool anew) {
  const tl_world_spread *const spread = world->spread;
  tl_spread_bricks(world);
  tl_spread_boxes(world);
  for (int32_t i = 0; i < world->body_count && anew; i++) {
    spread->holder[i] = tl_spread_entry(spread, spread->brick[i] & ~TL_SPREAD_MARKS)->owner;
  }
}

/* Counts of a world that has all. */
static void totals_keep(talus_world *world) {
  tl_world_spread *const spread = world->spread;
  spread->body_total = spread->arranged = world->body_count;
  spread->shape_total = spread->shapes_arranged = world->shape_count;
  spread->uneven = false;
  for (int32_t i = 0; i < world->body_count; i++) {
    const tl_body *const body = &world->body[i];
    spread->uneven = spread->uneven || (!body->round && body->inverse_mass > 0);
  }
}

talus_status tl_spread_hold(talus_world *world, double reach, bool drop) {
  tl_world_spread *const spread = world->spread;
  tl_newcomers list = {.count = 0};
  const double least = 0.1 * world->size;
  spread->listed = false; /* its memory serves for what comes */
  spread->growth = drop ? fmax(least, 0.9 * spread->growth) : spread->growth;
  spread->distance = tl_spread_distance(world, reach);
  tl_spread_boxes(world);
  talus_status status = TALUS_OK;
  if (world->bodies_local) {
    status = come_find(world, drop, &list);
  } else {
    totals_keep(world);
    near_choose(world);
  }
  int64_t changes = status == TALUS_OK && (list.count > 0 || some_go(world));
  status = status == TALUS_OK ? tl_ranks_largest(world->context, &changes, 1) : status;
  if (status == TALUS_OK && changes != 0) {
    status = tl_bodies_rebuild(world, spread->near, &list);
  }
  tl_buffer_release(world->context, &list.buffer);
  TL_TRY(status);
  if (!world->bodies_local) {
    spread->local_since = spread->steps;
  }
  world->bodies_local = true;
  here_look(world, drop);
  return lists_make(world);
}
