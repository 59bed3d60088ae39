/* bond_state.c: bonds out to the arrays of a state and back. */
#include <math.h>
#include <string.h>

#include "host/world/bond.h"
#include "host/world/state.h"

_Static_assert(sizeof(tl_bond_numbers) == TL_STATE_BOND * sizeof(double),
               "a state has all numbers of a bond");

static int32_t id_of(const talus_world *world, int32_t slot) {
  return slot >= 0 ? world->body[slot].id : TALUS_NONE;
}

void tl_bonds_state_save(const talus_world *world, tl_world_state *state) {
  int64_t n = 0;
  for (int32_t i = 0; i < world->bond_count; i++) {
    const tl_bond *const bond = &world->bond[i];
    if (bond->exists) {
      int32_t *const key = state->bond_key + 3 * n;
      key[0] = bond->id;
      key[1] = id_of(world, bond->body_a);
      key[2] = id_of(world, bond->body_b);
      memcpy(state->bond + TL_STATE_BOND * n++, &bond->of, sizeof bond->of);
    }
  }
}

/* Infinite strengths and limits are numbers here. */
static bool numbers_good(const tl_bond_numbers *of) {
  const double *const number = (const double *)of;
  bool good = of->radius > 0 && of->length > 0 && tl_quaternion_good(of->relative);
  for (int i = 0; i < TL_STATE_BOND; i++) {
    good = good && !isnan(number[i]);
  }
  for (int i = 0; i < TL_BOND_ROWS; i++) {
    good = good && isfinite(of->impulse[i]);
  }
  return good;
}

static talus_status bond_load(talus_world *world, const int32_t *key, int32_t before, int32_t next,
                              const double *from, tl_bond *bond) {
  bond->id = key[0];
  bond->exists = 1;
  memcpy(&bond->of, from, sizeof bond->of);
  bool good = key[0] > before && key[0] < next && key[1] != key[2] && numbers_good(&bond->of);
  for (int side = 0; side < 2; side++) {
    const int32_t slot = tl_body_slot(world, key[1 + side]);
    *(side ? &bond->body_b : &bond->body_a) = slot;
    good = good && (slot >= 0 || key[1 + side] == TALUS_NONE);
    if (slot >= 0) {
      world->body[slot].bonded = 1;
    }
  }
  return good ? TALUS_OK
              : tl_fail(world->context, TALUS_FILE_FORMAT,
                        "state of bond %d: its bodies are not in the world, or its numbers make "
                        "no sense",
                        key[0]);
}

talus_status tl_bonds_state_load(talus_world *world, const tl_world_state *state) {
  TL_TRY(tl_world_grow(world, (void **)&world->bond, &world->bond_capacity, state->bond_count,
                       sizeof *world->bond, "bonds"));
  world->bond_count = world->bond_gaps = world->broken_count = 0;
  world->bonds_changed = true;
  world->bond_next = state->bond_next;
  world->broken_before = state->bond_broken;
  for (int64_t i = 0; i < state->bond_count; i++) {
    const int32_t *const key = state->bond_key + 3 * i;
    TL_TRY(bond_load(world, key, i > 0 ? key[-3] : -1, state->bond_next,
                     state->bond + TL_STATE_BOND * i, &world->bond[i]));
    world->bond_count++;
  }
  return state->bond_count > 0 ? tl_solver_prepare_rows(world) : TALUS_OK;
}
