/* bond_pair.c: which pairs of bodies are bonded, so that they make no contacts. Keys of pairs in
 * ascending order, found anew when bonds or slots have changed. */
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
  if (count > 0) {
    qsort(key, (size_t)count, sizeof *key, compare);
  }
  world->bond_pair_count = count;
  world->bonds_changed = false;
  return TALUS_OK;
}

bool tl_bonded(const talus_world *world, int32_t body_a, int32_t body_b) {
  if (world->bond_pair_count == 0 || !world->body[body_a].bonded || !world->body[body_b].bonded) {
    return false;
  }
  const uint64_t key = key_of(body_a, body_b);
  return bsearch(&key, world->bond_pairs.memory, (size_t)world->bond_pair_count, sizeof key,
                 compare) != NULL;
}
