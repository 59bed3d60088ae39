/* material.c: materials, and what two of them do to each other.
 *
 * Pairs with values of their own are few among all that there could be: they are kept in a table by
 * hash, with free places where a search may end, so that n materials take n places and not n². */
#include <math.h>
#include <string.h>

#include "host/base/structs.h"
#include "host/world/problem_build.h"
#include "host/world/world.h"
#include "kernels/item/rigid.h"

/* Of forces, energies and stiffness: beyond them contact problems leave the range of numbers. */
#define LEAST 1e-100
#define MOST 1e100

void talus_material_def_init(talus_material_def *def, size_t size) {
  static const talus_material_def defaults = {.density = 2500, .friction = 0.5, .poisson = 0.25};
  tl_struct_init(&tl_struct_material_def, &defaults, def, size);
}

static talus_status cohesion_check(const talus_world *world, const talus_material_def *def) {
  const struct {
    const char *name;
    double value, most;
  } numbers[] = {{"pull_off", def->pull_off, MOST},
                 {"surface_energy", def->surface_energy, MOST},
                 {"surface_tension", def->surface_tension, MOST},
                 {"bridge_volume", def->bridge_volume, MOST},
                 {"contact_angle", def->contact_angle, 1.57}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    if (!(numbers[i].value >= 0 && numbers[i].value <= numbers[i].most)) {
      return tl_fail(world->context, TALUS_BAD_SETTING,
                     "material: %s is %g, and must be in 0 .. %g", numbers[i].name,
                     numbers[i].value, numbers[i].most);
    }
  }
  if ((def->bridge_volume > 0) != (def->surface_tension > 0)) {
    return tl_fail(world->context, TALUS_BAD_SETTING,
                   "material: liquid bridges need both bridge_volume (%g) and surface_tension (%g)",
                   def->bridge_volume, def->surface_tension);
  }
  if (def->adhesion != TALUS_ADHESION_JKR && def->adhesion != TALUS_ADHESION_DMT) {
    return tl_fail(world->context, TALUS_BAD_SETTING, "material: adhesion %d is unknown",
                   (int)def->adhesion);
  }
  return TALUS_OK;
}

static talus_status softness_check(const talus_world *world, const talus_material_def *def) {
  const struct {
    const char *name;
    double value;
  } numbers[] = {{"stiffness", def->stiffness}, {"young", def->young}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    if (numbers[i].value != 0 && !(numbers[i].value >= LEAST && numbers[i].value <= MOST)) {
      return tl_fail(world->context, TALUS_BAD_SETTING,
                     "material: %s is %g, and must be 0 or in %g .. %g", numbers[i].name,
                     numbers[i].value, LEAST, MOST);
    }
  }
  if (!(def->poisson >= 0 && def->poisson <= 0.5)) {
    return tl_fail(world->context, TALUS_BAD_SETTING,
                   "material: poisson is %g, and must be in 0 .. 0.5", def->poisson);
  }
  if ((uint32_t)def->rigid > 1 || (def->rigid && (def->stiffness > 0 || def->young > 0))) {
    return tl_fail(world->context, TALUS_BAD_SETTING,
                   "material: rigid is %d: it must be 0, or 1 without stiffness (%g N/m) and young "
                   "(%g Pa)",
                   def->rigid, def->stiffness, def->young);
  }
  if (def->stiffness > 0 && def->young > 0) {
    return tl_fail(world->context, TALUS_BAD_SETTING,
                   "material: stiffness (%g N/m) and young (%g Pa) exclude each other",
                   def->stiffness, def->young);
  }
  return TALUS_OK;
}

/* What contact problems take. */
static bool friction_good(double friction) {
  return friction >= 0 && friction <= TL_FRICTION_MOST;
}

talus_status talus_material_add(talus_world *world, const talus_material_def *given,
                                int32_t *material) {
  if (world == NULL || given == NULL || material == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  talus_material_def own = talus_material_def_default();
  const talus_material_def *const def = &own;
  TL_TRY(tl_struct_read(world->context, &tl_struct_material_def, "material def", given, &own));
  tl_materials_edit(world);
  TL_TRY(cohesion_check(world, def));
  TL_TRY(softness_check(world, def));
  TL_TRY(tl_resistance_check(world, def));
  if (!(def->density > 0 && isfinite(def->density)) || !friction_good(def->friction) ||
      !(def->restitution >= 0 && def->restitution <= 1)) {
    return tl_fail(world->context, TALUS_BAD_SETTING,
                   "material: density %g must be positive, friction %g in 0 .. %g, restitution "
                   "%g in 0 .. 1",
                   def->density, def->friction, TL_FRICTION_MOST, def->restitution);
  }
  TL_TRY(tl_world_grow(world, (void **)&world->material, &world->material_capacity,
                       world->material_count + 1, sizeof *world->material, "materials"));
  world->material[world->material_count] = *def;
  *material = world->material_count++;
  world->cohesive = world->cohesive || def->pull_off > 0 || def->surface_energy > 0 ||
                    (def->bridge_volume > 0 && def->surface_tension > 0);
  world->soft = world->soft || def->stiffness > 0 || def->young > 0;
  tl_resistance_note(world, def);
  if (def->surface_tension > 0) {
    world->cohesion_volume = fmax(world->cohesion_volume, def->bridge_volume);
    world->cohesion_angle = fmax(world->cohesion_angle, def->contact_angle);
  }
  return TALUS_OK;
}

talus_status talus_material_set(talus_world *world, int32_t material,
                                const talus_material_def *given) {
  int32_t last;
  if (world == NULL || given == NULL || material < 0 || material >= world->material_count) {
    return tl_fail(world != NULL ? world->context : NULL,
                   world == NULL || given == NULL ? TALUS_INVALID_ARGUMENT : TALUS_INDEX_RANGE,
                   "material %d does not exist, or an argument is NULL", material);
  }
  TL_TRY(talus_material_add(world, given, &last)); /* checks it */
  const talus_material_def def = world->material[last];
  world->material_count = last;
  if (def.density != world->material[material].density) {
    return tl_fail(world->context, TALUS_BAD_SETTING,
                   "material %d: density %g: masses of bodies do not change", material,
                   def.density);
  }
  world->material[material] = def;
  return TALUS_OK;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

/* The place of a pair, low < high or equal, or the free one where it belongs; capacity is a power
 * of two. */
static int32_t pair_place(const tl_material_pair *table, int32_t capacity, int32_t low,
                          int32_t high) {
  uint64_t at = ((uint64_t)(uint32_t)high << 32 | (uint32_t)low) * UINT64_C(0x9e3779b97f4a7c15);
  for (at ^= at >> 32;; at++) {
    const tl_material_pair *const pair = &table[at & (uint64_t)(capacity - 1)];
    if (!pair->used || (pair->low == low && pair->high == high)) {
      return (int32_t)(pair - table);
    }
  }
}

/* Room for one more, at least half of the places free. */
static talus_status pairs_reserve(talus_world *world) {
  if (2 * (world->pair_count + 1) <= world->pair_capacity) {
    return TALUS_OK;
  }
  const int32_t capacity = world->pair_capacity > 0 ? 2 * world->pair_capacity : 16;
  void *memory;
  if (capacity > (1 << 29)) {
    return tl_fail(world->context, TALUS_SIZE_OVERFLOW, "too many pairs of materials");
  }
  TL_TRY(tl_alloc(world->context, &memory, (size_t)capacity, sizeof *world->pair,
                  "pairs of materials"));
  tl_material_pair *const larger = memory;
  memset(larger, 0, (size_t)capacity * sizeof *larger);
  for (int32_t i = 0; i < world->pair_capacity; i++) {
    const tl_material_pair *const old = &world->pair[i];
    if (old->used) {
      larger[pair_place(larger, capacity, old->low, old->high)] = *old;
    }
  }
  tl_free(world->context, world->pair);
  world->pair = larger;
  world->pair_capacity = capacity;
  return TALUS_OK;
}

talus_status talus_material_pair(talus_world *world, int32_t a, int32_t b, double friction,
                                 double restitution) {
  if (world == NULL || a < 0 || b < 0 || a >= world->material_count || b >= world->material_count) {
    return tl_fail(world != NULL ? world->context : NULL, TALUS_INDEX_RANGE,
                   "materials %d and %d: one does not exist", a, b);
  }
  if (!friction_good(friction) || !(restitution >= 0 && restitution <= 1)) {
    return tl_fail(world->context, TALUS_BAD_SETTING,
                   "pair of materials %d and %d: friction %g must be in 0 .. %g, restitution %g in "
                   "0 .. 1",
                   a, b, friction, TL_FRICTION_MOST, restitution);
  }
  tl_materials_edit(world);
  TL_TRY(pairs_reserve(world));
  const int32_t low = a < b ? a : b, high = a < b ? b : a;
  tl_material_pair *const pair =
      &world->pair[pair_place(world->pair, world->pair_capacity, low, high)];
  world->pair_count += !pair->used;
  *pair = (tl_material_pair){low, high, 1, friction, restitution};
  return TALUS_OK;
}

void tl_material_mix(const talus_world *world, int32_t a, int32_t b, double *friction,
                     double *restitution) {
  const talus_material_def *const p = &world->material[a], *const q = &world->material[b];
  if (world->pair_count > 0) {
    const tl_material_pair *const pair =
        &world->pair[pair_place(world->pair, world->pair_capacity, a < b ? a : b, a < b ? b : a)];
    if (pair->used) {
      *friction = pair->friction;
      *restitution = pair->restitution;
      return;
    }
  }
  *friction = p->friction < q->friction ? p->friction : q->friction;
  *restitution = p->restitution > q->restitution ? p->restitution : q->restitution;
}
