/* spread_owners.c: which bricks are whose: where bodies are, what they weigh, and which pairs
 * are kept by whom. */
#include <string.h>

#include "host/world/spread_local.h"

/* Steps between looks at the balance. */
enum { CUT_STEPS = 10 };

tl_slot_stamp tl_spread_stamp(const talus_world *world) {
  return (tl_slot_stamp){world->body_count, world->shape_count, world->body_next, world->shape_next,
                         world->slots_changed};
}

/* ---- bricks ---------------------------------------------------------------------------------- */

static void entries_clear(tl_world_spread *spread) {
  for (int i = 0; i < TL_SPREAD_ENTRIES; i++) {
    spread->entry[i].brick = TL_BRICK_FAR;
  }
}

static int32_t owner_of_brick(const tl_world_spread *spread, tl_brick brick) {
  return tl_spread_entry(spread, brick & ~TL_SPREAD_MARKS)->owner;
}

int32_t tl_spread_owner(const tl_world_spread *spread, int32_t slot_a, int32_t slot_b) {
  const tl_brick a = spread->brick[slot_a], b = spread->brick[slot_b];
  const bool stays_a = (a & TL_SPREAD_STAYS) != 0, stays_b = (b & TL_SPREAD_STAYS) != 0;
  if (stays_a != stays_b || (a & TL_SPREAD_MOVES) == 0 || (b & TL_SPREAD_MOVES) == 0) {
    const bool first = stays_a != stays_b ? stays_b : (a & TL_SPREAD_MOVES) != 0;
    return owner_of_brick(spread, first ? a : b);
  }
  const tl_brick brick = tl_brick_join(a & ~TL_SPREAD_MARKS, b & ~TL_SPREAD_MARKS);
  return brick == TL_BRICK_FAR ? 0 : owner_of_brick(spread, brick);
}

talus_status tl_spread_reserve(talus_world *world) {
  tl_world_spread *const spread = world->spread;
  const size_t bodies = (size_t)world->body_count;
  if (spread->body_memory.capacity < bodies * TL_SPREAD_BODY_BYTES) {
    spread->stamp.body_count = -1; /* what was near is lost */
    TL_TRY(tl_buffer_reserve(world->context, &spread->body_memory, bodies + bodies / 8,
                             TL_SPREAD_BODY_BYTES, "bricks of bodies"));
  }
  if (spread->entry == NULL) {
    TL_TRY(tl_buffer_reserve(world->context, &spread->entry_memory, TL_SPREAD_ENTRIES,
                             sizeof *spread->entry, "bricks"));
    spread->entry = spread->entry_memory.memory;
    entries_clear(spread);
  }
  tl_spread_bodies_place(spread, world->body_count);
  return tl_buffer_reserve(world->context, &spread->shape_memory, (size_t)world->shape_count,
                           sizeof *spread->shape, "shapes of a rank");
}

void tl_spread_bricks(const talus_world *world) {
  const tl_world_spread *const spread = world->spread;
  for (int32_t i = 0; i < world->body_count; i++) {
    const tl_body *const body = &world->body[i];
    spread->brick[i] = tl_brick_at(body->position, world->def.brick_size) |
                       (body->inverse_mass > 0 ? TL_SPREAD_MOVES : 0) |
                       (tl_spread_stays(body) ? TL_SPREAD_STAYS : 0);
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

/* Whether a body is counted by this rank. */
static bool is_counted(const talus_world *world, int64_t i) {
  const talus_transport *const t = tl_ranks_of(world->context);
  return world->bodies_local ? world->spread->holder[i] == t->rank
                             : i >= tl_ranks_first_of(t, t->rank, world->body_count) &&
                                   i < tl_ranks_first_of(t, t->rank + 1, world->body_count);
}

static uint64_t cut_hash(const tl_owners *owners) {
  uint64_t hash = 0;
  for (int32_t r = 0; r < owners->size && owners->valid; r++) {
    hash = (hash ^ owners->first[r]) * UINT64_C(0x9E3779B97F4A7C15);
    hash ^= hash >> 32;
  }
  return hash;
}

/* Bricks by the weight of what is in them: of bodies that this rank counts, and of its contacts'
 * ends. */
talus_status tl_spread_cut(talus_world *world) {
  tl_world_spread *const spread = world->spread;
  const uint64_t before = cut_hash(&spread->owners);
  tl_brick *brick = NULL;
  int64_t *weight = NULL;
  int32_t count = 0;
  TL_TRY(tl_ranks_agree(world->context, weights_take(world, &brick, &weight)));
  ends_count(world, weight);
  for (int64_t i = 0; i < world->body_count; i++) {
    const int64_t own = weight[i] + is_counted(world, i);
    if (own > 0 && (spread->brick[i] & TL_SPREAD_MOVES) != 0) {
      brick[count] = spread->brick[i] & ~TL_SPREAD_MARKS;
      weight[count++] = own;
    }
  }
  TL_TRY(
      tl_owners_cut(world->context, world->def.brick_size, brick, weight, count, &spread->owners));
  tl_buffer_release(world->context, &spread->weights);
  tl_buffer_release(world->context, &spread->owners.scratch);
  spread->cut_step = world->step_count;
  if (cut_hash(&spread->owners) != before) {
    spread->stamp.body_count = -1;
    spread->listed = false;
    entries_clear(spread);
  }
  return TALUS_OK;
}

bool tl_spread_cut_due(const talus_world *world) {
  const tl_world_spread *const spread = world->spread;
  const int64_t since = world->step_count - spread->cut_step;
  return !spread->owners.valid || spread->owners.brick_size != world->def.brick_size ||
         since >= CUT_STEPS || since < 0;
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
