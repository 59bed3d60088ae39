/* spread_owners.c: which bricks are whose, and what a rank looks at: immovable bodies, and those
 * that may touch something such that the contact is in one of its bricks.
 *
 * A contact lies in the brick with the smaller coordinates of its bodies' bricks, so that bodies in
 * a brick, or one further along any axis, are enough. The list of them has some slack and is kept
 * while it holds: pairs are searched anew only when it changes. Bodies more than a brick apart
 * meet only if one of them reaches through half a brick; their contacts are rank 0's, which then
 * looks at all bodies. */
#include <math.h>
#include <string.h>

#include "host/world/spread_local.h"

/* ENTRY_BITS: bricks that are kept in mind. CUT_STEPS: between looks at the balance. */
enum { ENTRY_BITS = 13, CUT_STEPS = 10 };
/* Of the typical radius: how far bodies may move before the list is made anew. */
static const double SLACK = 0.5;

tl_slot_stamp tl_spread_stamp(const talus_world *world) {
  return (tl_slot_stamp){world->body_count, world->shape_count, world->body_next,
                         world->shape_next};
}

static bool same_stamp(const tl_slot_stamp *a, const tl_slot_stamp *b) {
  return a->body_count == b->body_count && a->shape_count == b->shape_count &&
         a->body_next == b->body_next && a->shape_next == b->shape_next;
}

/* ---- bricks ---------------------------------------------------------------------------------- */

static void entries_clear(tl_world_spread *spread) {
  for (int i = 0; i < 1 << ENTRY_BITS; i++) {
    spread->entry[i].brick = TL_BRICK_FAR;
  }
}

/* Whether one of the bricks is this rank's in which bodies of this one may have contacts. */
static bool is_near(const tl_owners *owners, tl_brick brick) {
  for (int corner = 0; corner < 8; corner++) {
    tl_brick below = brick;
    bool inside = true;
    for (int axis = 0; axis < 3; axis++) {
      const int step = corner >> axis & 1;
      inside = inside && tl_brick_coordinate(brick, axis) >= step;
      below -= inside ? (tl_brick)step << (TL_BRICK_BITS * axis) : 0;
    }
    if (inside && tl_owner_of_brick(owners, below) == owners->rank) {
      return true;
    }
  }
  return false;
}

static const tl_brick_entry *entry_of(const tl_world_spread *spread, tl_brick brick) {
  tl_brick_entry *const entry =
      &spread->entry[brick * UINT64_C(0x9E3779B97F4A7C15) >> (64 - ENTRY_BITS)];
  if (entry->brick != brick) {
    *entry = (tl_brick_entry){brick, tl_owner_of_brick(&spread->owners, brick),
                              is_near(&spread->owners, brick)};
  }
  return entry;
}

int32_t tl_spread_owner(const tl_world_spread *spread, int32_t slot_a, int32_t slot_b) {
  const tl_brick a = spread->brick[slot_a], b = spread->brick[slot_b];
  const bool moves_a = (a & TL_SPREAD_MOVES) != 0;
  if (a == b || !moves_a || (b & TL_SPREAD_MOVES) == 0) {
    return spread->holder[moves_a ? slot_a : slot_b];
  }
  const tl_brick brick = tl_brick_join(a & ~TL_SPREAD_MOVES, b & ~TL_SPREAD_MOVES);
  return brick == TL_BRICK_FAR ? 0 : entry_of(spread, brick)->owner;
}

static talus_status bodies_reserve(talus_world *world) {
  tl_world_spread *const spread = world->spread;
  const size_t bodies = (size_t)world->body_count;
  const size_t each = sizeof(tl_brick) + sizeof(int32_t) + sizeof(bool);
  if (spread->body_memory.capacity < bodies * each) {
    spread->stamp.body_count = -1; /* what was near is lost */
    TL_TRY(tl_buffer_reserve(world->context, &spread->body_memory, bodies + bodies / 8, each,
                             "bricks of bodies"));
  }
  if (spread->entry == NULL) {
    TL_TRY(tl_buffer_reserve(world->context, &spread->entry_memory, 1 << ENTRY_BITS,
                             sizeof *spread->entry, "bricks"));
    spread->entry = spread->entry_memory.memory;
    entries_clear(spread);
  }
  spread->brick = spread->body_memory.memory;
  spread->holder = (int32_t *)(spread->brick + bodies);
  spread->near = (bool *)(spread->holder + bodies);
  return tl_buffer_reserve(world->context, &spread->shape_memory, (size_t)world->shape_count,
                           sizeof *spread->shape, "shapes of a rank");
}

static void bricks_find(talus_world *world) {
  const tl_world_spread *const spread = world->spread;
  for (int32_t i = 0; i < world->body_count; i++) {
    spread->brick[i] = tl_brick_at(world->body[i].position, world->def.brick_size) |
                       (world->body[i].inverse_mass > 0 ? TL_SPREAD_MOVES : 0);
  }
}

/* ---- the cut --------------------------------------------------------------------------------- */

/* Counts the ends of this rank's contacts; of whole ones it has a part. */
static void ends_count(const talus_world *world, int64_t *weight) {
  const talus_transport *const t = tl_ranks_of(world->context);
  const int64_t all = world->contact_count;
  const int64_t first = world->contacts_local ? 0 : tl_ranks_first_of(t, t->rank, all);
  const int64_t end = world->contacts_local ? all : tl_ranks_first_of(t, t->rank + 1, all);
  for (int64_t k = first; k < end; k++) {
    const tl_contact_shown *const shown = &world->contact[k].shown;
    const int32_t slot[2] = {tl_body_slot(world, shown->body_a),
                             tl_body_slot(world, shown->body_b)};
    for (int side = 0; side < 2; side++) {
      if (slot[side] >= 0) {
        weight[slot[side]]++;
      }
    }
  }
}

static talus_status weights_take(talus_world *world, tl_brick **brick, int64_t **weight) {
  const size_t bodies = (size_t)world->body_count;
  TL_TRY(tl_buffer_reserve(world->context, &world->spread->weights, 2 * bodies, sizeof(int64_t),
                           "weights of bodies"));
  *weight = world->spread->weights.memory;
  *brick = (tl_brick *)(*weight + bodies);
  memset(*weight, 0, bodies * sizeof **weight);
  return TALUS_OK;
}

/* What this rank has to say of weights: of a part of the bodies, and of its contacts' ends. */
static talus_status bricks_cut(talus_world *world) {
  const talus_transport *const t = tl_ranks_of(world->context);
  tl_world_spread *const spread = world->spread;
  const int64_t first = tl_ranks_first_of(t, t->rank, world->body_count);
  const int64_t end = tl_ranks_first_of(t, t->rank + 1, world->body_count);
  tl_brick *brick = NULL;
  int64_t *weight = NULL;
  int32_t count = 0;
  TL_TRY(tl_ranks_agree(world->context, weights_take(world, &brick, &weight)));
  ends_count(world, weight);
  for (int64_t i = 0; i < world->body_count; i++) {
    const int64_t own = weight[i] + (i >= first && i < end);
    if (own > 0 && (spread->brick[i] & TL_SPREAD_MOVES) != 0) {
      brick[count] = spread->brick[i] & ~TL_SPREAD_MOVES;
      weight[count++] = own;
    }
  }
  TL_TRY(
      tl_owners_cut(world->context, world->def.brick_size, brick, weight, count, &spread->owners));
  tl_buffer_release(world->context, &spread->weights);
  tl_buffer_release(world->context, &spread->owners.scratch);
  spread->cut_step = world->step_count;
  spread->stamp.body_count = -1;
  entries_clear(spread);
  return TALUS_OK;
}

static bool cut_is_due(const talus_world *world) {
  const tl_world_spread *const spread = world->spread;
  const int64_t since = world->step_count - spread->cut_step;
  return !spread->owners.valid || spread->owners.brick_size != world->def.brick_size ||
         since >= CUT_STEPS || since < 0;
}

/* ---- what to look at ------------------------------------------------------------------------- */

/* Whether a shape reaches through half a brick, from its body's centre, when it moves so far. */
static bool reaches_far(const talus_world *world, const tl_shape_slot *shape, double way) {
  return tl_norm3(shape->position) + tl_geometry_reach(&shape->geometry) + way >=
         0.49 * world->def.brick_size;
}

/* How far a shape moves at most in dt, with six velocities. */
static double way_of(const tl_shape_slot *shape, const double *v, const double *spin, double dt) {
  const double reach = tl_norm3(shape->position) + tl_geometry_reach(&shape->geometry);
  return dt * (tl_norm3(v) + tl_norm3(spin) * reach);
}

static bool some_reach_far(const talus_world *world, double dt, const double *velocity,
                           const double *least_margin) {
  const double margin =
      0.5 * world->def.margin * world->size + dt * dt * tl_norm3(world->def.gravity);
  for (int32_t i = 0; i < world->shape_count; i++) {
    const tl_shape_slot *const shape = &world->shape[i];
    const tl_body *const body = &world->body[shape->body];
    if (!(body->inverse_mass > 0)) {
      continue;
    }
    const double *const v = velocity != NULL ? velocity + 6 * (int64_t)shape->body : body->velocity;
    const double *const spin = velocity != NULL ? v + 3 : body->spin;
    const double least = least_margin != NULL ? least_margin[i] : 0;
    if (reaches_far(world, shape, fmax(margin + way_of(shape, v, spin, dt), least))) {
      return true;
    }
  }
  return false;
}

/* With slack: one of the corners of a cube about the body. */
static bool is_near_slack(const talus_world *world, int32_t i, double slack) {
  const double *const position = world->body[i].position;
  for (int corner = 0; corner < 8; corner++) {
    double at[3];
    for (int axis = 0; axis < 3; axis++) {
      at[axis] = position[axis] + (corner >> axis & 1 ? slack : -slack);
    }
    if (entry_of(world->spread, tl_brick_at(at, world->def.brick_size))->near) {
      return true;
    }
  }
  return false;
}

/* Holders of all bodies; whether the list has all that it must have. */
static bool list_holds(const talus_world *world) {
  const tl_world_spread *const spread = world->spread;
  const tl_slot_stamp now = tl_spread_stamp(world);
  bool holds = same_stamp(&spread->stamp, &now);
  for (int32_t i = 0; i < world->body_count; i++) {
    const tl_brick_entry *const entry = entry_of(spread, spread->brick[i] & ~TL_SPREAD_MOVES);
    const bool wanted = entry->near || (spread->brick[i] & TL_SPREAD_MOVES) == 0 || spread->wide;
    spread->holder[i] = entry->owner;
    holds = holds && (!wanted || spread->near[i]);
  }
  return holds;
}

static void list_make(talus_world *world) {
  tl_world_spread *const spread = world->spread;
  const double slack = fmin(SLACK * world->size, 0.25 * world->def.brick_size);
  for (int32_t i = 0; i < world->body_count; i++) {
    spread->near[i] =
        spread->wide || (spread->brick[i] & TL_SPREAD_MOVES) == 0 || is_near_slack(world, i, slack);
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

talus_status tl_spread_look(talus_world *world, double dt, const double *least_margin) {
  tl_world_spread *const spread = world->spread;
  TL_TRY(tl_ranks_agree(world->context, bodies_reserve(world)));
  bricks_find(world);
  if (cut_is_due(world)) {
    TL_TRY(bricks_cut(world));
  }
  spread->wide = spread->owners.rank == 0 && some_reach_far(world, dt, NULL, least_margin);
  if (!list_holds(world)) {
    list_make(world);
  }
  return TALUS_OK;
}

const int32_t *tl_spread_shapes(const talus_world *world, int32_t *count) {
  *count = world->contacts_local ? world->spread->shape_count : world->shape_count;
  return world->contacts_local ? world->spread->shape : NULL;
}

bool tl_spread_widen(talus_world *world, double dt, const double *velocity) {
  tl_world_spread *const spread = world->spread;
  if (!world->contacts_local || spread->wide || spread->owners.rank != 0 ||
      !some_reach_far(world, dt, velocity, NULL)) {
    return false;
  }
  spread->wide = true;
  list_make(world);
  return true;
}

talus_status tl_spread_pairs(talus_world *world, const tl_pair **pairs, int64_t *count) {
  const tl_world_spread *const spread = world->spread;
  const tl_collider_fact *const fact = world->facts.memory;
  if (!world->contacts_local) {
    return TALUS_OK;
  }
  TL_TRY(tl_buffer_reserve(world->context, &world->ordered_pairs, (size_t)*count, sizeof(tl_pair),
                           "pairs"));
  tl_pair *const own = world->ordered_pairs.memory;
  int64_t kept = 0;
  for (int64_t i = 0; i < *count; i++) {
    const tl_pair pair = (*pairs)[i];
    own[kept] = pair;
    kept += tl_spread_owner(spread, fact[pair.a].body, fact[pair.b].body) == spread->owners.rank;
  }
  *pairs = own;
  *count = kept;
  return TALUS_OK;
}
