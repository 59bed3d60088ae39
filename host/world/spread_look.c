/* spread_look.c: what a rank looks at: immovable bodies, and those that may touch something such
 * that the contact is in one of its bricks (spread_reach.c).
 *
 * Where bodies are local, it has these alone (spread_hold.c). Else it has a list of them, which is
 * kept while it holds: pairs are searched anew only when it changes. Bodies more than a brick apart
 * meet only if one of them reaches through half a brick; their contacts are rank 0's, which then
 * looks at all bodies. */
#include <math.h>
#include <string.h>

#include "host/world/spread_local.h"

static bool same_stamp(const tl_slot_stamp *a, const tl_slot_stamp *b) {
  return a->body_count == b->body_count && a->shape_count == b->shape_count &&
         a->body_next == b->body_next && a->shape_next == b->shape_next &&
         a->slots_changed == b->slots_changed;
}

/* ---- what to look at, of all bodies ---------------------------------------------------------- */

/* Holders of all bodies; whether the list has all that it must have. */
static bool list_holds(const talus_world *world) {
  const tl_world_spread *const spread = world->spread;
  const tl_slot_stamp now = tl_spread_stamp(world);
  bool holds = same_stamp(&spread->stamp, &now);
  for (int32_t i = 0; i < world->body_count; i++) {
    const bool goes = (spread->brick[i] & TL_SPREAD_STAYS) == 0;
    spread->holder[i] = tl_spread_entry(spread, spread->brick[i] & ~TL_SPREAD_MARKS)->owner;
    holds = holds && (spread->near[i] || (goes && !spread->wide && tl_spread_box_clear(world, i)));
  }
  return holds;
}

static void list_make(talus_world *world, double reach) {
  tl_world_spread *const spread = world->spread;
  spread->distance = tl_spread_distance(world, reach);
  tl_spread_boxes(world);
  for (int32_t i = 0; i < world->body_count; i++) {
    int32_t rank[TL_SPREAD_TAKERS];
    spread->near[i] = spread->wide || (spread->brick[i] & TL_SPREAD_STAYS) != 0;
    const int32_t count = spread->near[i] ? 0 : tl_spread_takers(spread, i, rank);
    for (int32_t k = 0; k < count; k++) {
      spread->near[i] = spread->near[i] || rank[k] == spread->owners.rank;
    }
  }
  spread->shape = spread->shape_memory.memory;
  spread->shape_count = 0;
  for (int32_t i = 0; i < world->shape_count; i++) {
    if (spread->near[world->shape[i].body]) {
      spread->shape[spread->shape_count++] = i;
    }
  }
  spread->stamp = tl_spread_stamp(world);
}

/* Whether the list was made anew, which it is where bodies that reach so far want it. */
static bool list_keep(talus_world *world, double reach) {
  tl_world_spread *const spread = world->spread;
  const bool far = tl_spread_far(world, reach);
  spread->wide = far && spread->owners.rank == 0;
  const bool wider =
      far ? spread->distance < tl_spread_distance(world, reach) : 2 * reach > spread->distance;
  const bool holds = list_holds(world);
  if (!holds || wider) {
    list_make(world, reach);
  }
  return !holds || wider;
}

static talus_status whole_look(talus_world *world, double dt, const double *least_margin,
                               double *reach) {
  TL_TRY(tl_ranks_agree(world->context, tl_spread_reserve(world)));
  tl_spread_bricks(world);
  if (tl_spread_cut_due(world)) {
    TL_TRY(tl_spread_cut(world));
  }
  *reach = tl_spread_reach(world, dt, NULL, least_margin);
  list_keep(world, *reach);
  return TALUS_OK;
}

/* ---- what to have, where bodies are local ---------------------------------------------------- */

/* Whether the boxes of all bodies that this rank answers for hold. */
static bool boxes_hold(const talus_world *world) {
  const tl_world_spread *const spread = world->spread;
  bool hold = true;
  for (int32_t i = 0; i < world->body_count && hold; i++) {
    hold = spread->holder[i] != spread->owners.rank || tl_spread_stays(&world->body[i]) ||
           tl_spread_box_holds(world, i);
  }
  return hold;
}

/* Whether a free body that this rank answers for is no ball. */
static bool has_uneven(const talus_world *world) {
  const tl_world_spread *const spread = world->spread;
  bool has = false;
  for (int32_t i = 0; i < world->body_count && !has; i++) {
    const tl_body *const body = &world->body[i];
    has = spread->holder[i] == spread->owners.rank && !body->round && body->inverse_mass > 0;
  }
  return has;
}

/* How far bodies reach, on all ranks, and whether some are no balls; whether some rank wants other
 * lists. */
static talus_status reach_agree(talus_world *world, double dt, const double *velocity,
                                const double *least_margin, bool holds, double *reach,
                                bool *wanted) {
  tl_world_spread *const spread = world->spread;
  int64_t most[3];
  *reach = tl_spread_reach(world, dt, velocity, least_margin);
  *reach = isfinite(*reach) ? *reach : INFINITY;
  memcpy(&most[0], reach, sizeof *reach); /* not negative: ordered as their bits are */
  most[1] = !holds || !spread->listed || !(2 * *reach <= spread->distance);
  most[2] = has_uneven(world);
  TL_TRY(tl_ranks_largest(world->context, most, 3));
  memcpy(reach, &most[0], sizeof *reach);
  *wanted = most[1] != 0;
  spread->uneven = most[2] != 0;
  return TALUS_OK;
}

/* The next steps have all bodies where this was wanted soon after they were local. */
static void pause_learn(talus_world *world) {
  enum { SOON = 8, LONGEST = 64 };
  tl_world_spread *const spread = world->spread;
  const bool soon = spread->steps - spread->local_since < SOON;
  const int64_t next = soon ? 2 * spread->pause + 1 : 0;
  spread->pause = next < LONGEST ? next : LONGEST;
  spread->whole_until = spread->steps + spread->pause;
}

talus_status tl_spread_whole(talus_world *world) {
  if (!world->bodies_local) {
    return TALUS_OK;
  }
  TL_TRY(tl_spread_arrange(world));
  TL_TRY(tl_bodies_gather(world, false));
  world->bodies_local = false;
  world->spread->stamp.body_count = -1;
  pause_learn(world);
  return TALUS_OK;
}

talus_status tl_bodies_whole(const talus_world *world) {
  return world->bodies_local ? tl_spread_whole(world->spread->world) : TALUS_OK;
}

static talus_status local_look(talus_world *world, double dt, const double *least_margin) {
  tl_world_spread *const spread = world->spread;
  double reach;
  bool wanted;
  if (spread->looked && least_margin == NULL) { /* when the step began */
    spread->looked = false;
    return TALUS_OK;
  }
  spread->looked = false;
  tl_spread_bricks(world);
  TL_TRY(reach_agree(world, dt, NULL, least_margin, boxes_hold(world), &reach, &wanted));
  if (!wanted) {
    return TALUS_OK;
  }
  return tl_spread_far(world, reach) ? tl_spread_whole(world) : tl_spread_hold(world, reach, false);
}

talus_status tl_spread_look(talus_world *world, double dt, const double *least_margin) {
  double reach;
  if (world->bodies_local) {
    TL_TRY(local_look(world, dt, least_margin));
  }
  return world->bodies_local ? TALUS_OK : whole_look(world, dt, least_margin, &reach);
}

/* ---- as a step begins ------------------------------------------------------------------------ */

static talus_status local_begin(talus_world *world, double dt) {
  tl_world_spread *const spread = world->spread;
  double reach;
  bool wanted;
  TL_TRY(tl_spread_arrange(world));
  tl_spread_bricks(world);
  if (tl_spread_cut_due(world)) {
    TL_TRY(tl_spread_cut(world));
  }
  TL_TRY(reach_agree(world, dt, NULL, NULL, boxes_hold(world), &reach, &wanted));
  if (wanted && tl_spread_far(world, reach)) {
    return tl_spread_whole(world);
  }
  if (wanted) {
    TL_TRY(tl_spread_move(world));
    TL_TRY(tl_spread_hold(world, reach, true));
  }
  spread->looked = world->def.integrator != TALUS_INTEGRATOR_MIDPOINT;
  return TALUS_OK;
}

/* Memory of steps that had all bodies. */
static void memory_release(talus_world *world) {
  tl_buffer *const buffers[] = {&world->velocity_memory, &world->saved_bodies,
                                &world->problem_memory,  &world->colliders,
                                &world->facts,           &world->fast_colliders,
                                &world->least_margins,   &world->ordered_pairs,
                                &world->spread_memory,   &world->spread_points,
                                &world->spread->out,     &world->spread->in,
                                &world->spread->stash,   &world->spread->shape_memory};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
    tl_buffer_release(world->context, buffers[i]);
  }
}

static bool bodies_may_go(const talus_world *world) {
  const tl_world_spread *const spread = world->spread;
  return tl_spread_serves(world) && !spread->few && tl_ranks_of(world->context)->size > 1 &&
         spread->steps >= spread->whole_until;
}

/* Marks the bodies that every rank is to have since they would make lists of all bodies long. */
static void large_mark(talus_world *world) {
  static const double LARGE = 0.2; /* of a brick */
  for (int32_t i = 0; i < world->body_count; i++) {
    tl_body *const body = &world->body[i];
    const double reach = body->inverse_mass > 0 ? tl_spread_size(world, i) : 0;
    body->large = body->large || (reach > LARGE * world->def.brick_size && reach > 4 * world->size);
  }
}

static talus_status local_make(talus_world *world, double dt) {
  double reach;
  large_mark(world);
  TL_TRY(whole_look(world, dt, NULL, &reach));
  if (tl_spread_far(world, reach)) {
    return TALUS_OK;
  }
  TL_TRY(tl_spread_move(world));
  TL_TRY(tl_spread_hold(world, reach, true));
  memory_release(world);
  world->spread->looked = world->def.integrator != TALUS_INTEGRATOR_MIDPOINT;
  return TALUS_OK;
}

talus_status tl_spread_step(talus_world *world) {
  tl_world_spread *const spread = world->spread;
  if (spread == NULL) {
    return TALUS_OK;
  }
  const double dt = world->def.step / world->def.substeps;
  spread->steps++;
  spread->looked = false;
  if (world->bodies_local && !tl_spread_serves(world)) {
    TL_TRY(tl_spread_whole(world));
  } else if (world->bodies_local) {
    TL_TRY(local_begin(world, dt));
  } else if (bodies_may_go(world)) {
    TL_TRY(local_make(world, dt));
  }
  spread->local_steps += world->bodies_local;
  return TALUS_OK;
}

/* ---- the search ------------------------------------------------------------------------------ */

const int32_t *tl_spread_shapes(const talus_world *world, int32_t *count) {
  const bool list = world->contacts_local && !world->bodies_local;
  *count = list ? world->spread->shape_count : world->shape_count;
  return list ? world->spread->shape : NULL;
}

/* Reaches that grew in a step will do so again. */
static void growth_raise(talus_world *world) {
  world->spread->growth = fmin(2 * world->spread->growth, world->size);
}

talus_status tl_spread_widen(talus_world *world, double dt, const double **after, bool *changed) {
  double reach;
  *changed = false;
  if (!world->contacts_local) {
    return TALUS_OK;
  }
  if (world->bodies_local) {
    TL_TRY(reach_agree(world, dt, *after, NULL, true, &reach, changed));
    if (!*changed) {
      return TALUS_OK;
    }
    growth_raise(world);
    TL_TRY(tl_spread_look_further(world, dt, reach, after));
    TL_TRY(tl_ranks_agree(world->context, tl_spread_margins_fill(world)));
    if (world->bodies_local) {
      return TALUS_OK;
    }
    TL_TRY(tl_ranks_agree(world->context, tl_spread_reserve(world)));
    tl_spread_bricks(world);
  } else {
    reach = tl_spread_reach(world, dt, *after, NULL);
  }
  *changed = list_keep(world, reach) || *changed;
  return TALUS_OK;
}
