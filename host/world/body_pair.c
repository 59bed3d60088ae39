/* body_pair.c: which pairs of bodies make no contacts: those that are bonded, and those that a
 * joint holds at a point where their shapes meet. Keys of pairs in ascending order: of bonds found
 * anew when bonds or slots have changed, of joints, which are rows of every solve, in every step.
 */
#include <stdlib.h>

#include "host/world/bond.h"

static uint64_t key_of(int32_t a, int32_t b) {
  const uint32_t low = (uint32_t)(a < b ? a : b), high = (uint32_t)(a < b ? b : a);
  return (uint64_t)high << 32 | low;
}

static int compare(const void *left, const void *right) {
  const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return (a > b) - (a < b);
}

static void sort(uint64_t *key, int32_t count) {
  if (count > 0) {
    qsort(key, (size_t)count, sizeof *key, compare);
  }
}

static bool is_among(const tl_buffer *keys, int32_t count, int32_t body_a, int32_t body_b) {
  const uint64_t key = key_of(body_a, body_b);
  return bsearch(&key, keys->memory, (size_t)count, sizeof key, compare) != NULL;
}

talus_status tl_bond_pairs_find(talus_world *world) {
  if (!world->bonds_changed) {
    return TALUS_OK;
  }
  TL_TRY(tl_buffer_reserve(world->context, &world->bond_pairs, (size_t)world->bond_count,
                           sizeof(uint64_t), "pairs of bonded bodies"));
  uint64_t *const key = world->bond_pairs.memory;
  int32_t count = 0;
  for (int32_t i = 0; i < world->bond_count; i++) {
    const tl_bond *const bond = &world->bond[i];
    if (bond->exists && bond->body_a >= 0 && bond->body_b >= 0) {
      key[count++] = key_of(bond->body_a, bond->body_b);
    }
  }
  sort(key, count);
  world->bond_pair_count = count;
  world->bonds_changed = false;
  return TALUS_OK;
}

bool tl_bonded(const talus_world *world, int32_t body_a, int32_t body_b) {
  return world->bond_pair_count > 0 && world->body[body_a].bonded && world->body[body_b].bonded &&
         is_among(&world->bond_pairs, world->bond_pair_count, body_a, body_b);
}

/* The two points of a DISTANCE may be anywhere, and a rope is slack: its bodies meet as others do.
 */
static bool keeps_contacts(const talus_joint_def *def) {
  return def->collide == TALUS_JOINT_COLLIDE_YES ||
         (def->collide == TALUS_JOINT_COLLIDE_AUTO && def->kind == TALUS_JOINT_DISTANCE);
}

talus_status tl_joint_pairs_find(talus_world *world) {
  TL_TRY(tl_buffer_reserve(world->context, &world->joint_pairs, (size_t)world->joint_count,
                           sizeof(uint64_t), "pairs of joined bodies"));
  uint64_t *const key = world->joint_pairs.memory;
  int32_t count = 0;
  for (int32_t i = 0; i < world->joint_count; i++) {
    const tl_joint *const joint = &world->joint[i];
    const talus_joint_def *const def = &joint->def;
    if (joint->exists && def->body_a >= 0 && def->body_b >= 0 && !keeps_contacts(def)) {
      key[count++] = key_of(def->body_a, def->body_b);
    }
  }
  sort(key, count);
  world->joint_pair_count = count;
  return TALUS_OK;
}

bool tl_joined(const talus_world *world, int32_t body_a, int32_t body_b) {
  return world->joint_pair_count > 0 && world->body[body_a].jointed &&
         world->body[body_b].jointed &&
         is_among(&world->joint_pairs, world->joint_pair_count, body_a, body_b);
}
