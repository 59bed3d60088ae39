/* spread_same.c: what ranks compare: the def of a world, the bodies that it begins with, what
 * decides about a step before it, and the state after it. Ranks that were given different things,
 * or on which arithmetic differs, end with a message. */
#include <string.h>

#include "host/world/spread_local.h"

/* Mixes 64 bits into a hash. */
static uint64_t mixed(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
  return hash ^ hash >> 32;
}

static uint64_t mixed_doubles(uint64_t hash, const double *value, int count) {
  for (int i = 0; i < count; i++) {
    uint64_t word;
    memcpy(&word, &value[i], sizeof word);
    hash = mixed(hash, word);
  }
  return hash;
}

static uint64_t mixed_numbers(uint64_t hash, const int64_t *value, int count) {
  for (int i = 0; i < count; i++) {
    hash = mixed(hash, (uint64_t)value[i]);
  }
  return hash;
}

static talus_status hash_compare(const talus_world *world, uint64_t hash, const char *what) {
  return tl_ranks_same(world->context, &hash, sizeof hash, what);
}

/* ---- the def --------------------------------------------------------------------------------- */

static uint64_t settings_mixed(uint64_t hash, const talus_settings *s) {
  const double number[] = {s->tolerance, s->max_seconds, s->momentum_cap, s->slip_filter,
                           s->facet_angle};
  const int64_t choice[] = {s->law,       s->method,    s->precision,        s->measure,
                            s->unique,    s->cone,      s->facets,           s->facet_align,
                            s->same_bits, s->islands,   s->fixed_iterations, s->max_iterations,
                            s->certify,   s->warm_start};
  hash = mixed_doubles(hash, number, sizeof number / sizeof *number);
  return mixed_numbers(hash, choice, sizeof choice / sizeof *choice);
}

static uint64_t def_hash(const talus_world_def *d) {
  const double number[] = {
      d->gravity[0], d->gravity[1],        d->gravity[2],    d->step,   d->slop,
      d->margin,     d->bias_cap,          d->tolerance,     d->accept, d->restitution_speed,
      d->brick_size, d->penetration_limit, d->velocity_scale};
  const int64_t choice[] = {d->substeps, d->integrator, d->stabilisation, d->restitution,
                            d->plane,    d->on_miss,    d->softness,      (int64_t)d->seed};
  const uint64_t hash = mixed_doubles(0, number, sizeof number / sizeof *number);
  return settings_mixed(mixed_numbers(hash, choice, sizeof choice / sizeof *choice), &d->solver);
}

talus_status tl_spread_same_def(talus_world *world) {
  return tl_ranks_of(world->context) == NULL
             ? TALUS_OK
             : hash_compare(world, def_hash(&world->def), "world def");
}

/* ---- bodies that a world begins with --------------------------------------------------------- */

static uint64_t counts_hash(const talus_world *world) {
  const int32_t bodies = tl_spread_body_count(world), shapes = tl_spread_shape_count(world);
  const int64_t count[] = {world->step_count,   bodies,
                           world->body_next,    shapes,
                           world->shape_next,   world->joint_count,
                           world->bond_count,   world->material_count,
                           world->pair_count,   world->mechanism_count,
                           world->loop_count,   world->servo_count,
                           world->motion_count, world->cell.def.periodic};
  return mixed_numbers(0, count, sizeof count / sizeof *count);
}

talus_status tl_spread_same_bodies(const talus_world *world) {
  if (tl_ranks_of(world->context) == NULL) {
    return TALUS_OK;
  }
  uint64_t hash = counts_hash(world);
  for (int32_t i = 0; i < world->body_count; i++) {
    const tl_body *const body = &world->body[i];
    hash = mixed(mixed(hash, (uint64_t)body->id), (uint64_t)body->type);
    hash = mixed_doubles(hash, &body->mass, 1);
    hash = mixed_doubles(hash, body->position, 3);
    hash = mixed_doubles(hash, body->orientation, 4);
    hash = mixed_doubles(hash, body->velocity, 3);
    hash = mixed_doubles(hash, body->spin, 3);
  }
  for (int32_t i = 0; i < world->shape_count; i++) {
    const tl_shape_slot *const shape = &world->shape[i];
    hash = mixed(mixed(hash, (uint64_t)shape->body), (uint64_t)shape->material);
    hash = mixed_doubles(hash, shape->position, 3);
    hash = mixed_doubles(hash, &shape->size, 1);
    hash = mixed_doubles(hash, &shape->volume, 1);
  }
  return hash_compare(world, hash, "world that the scene builds");
}

/* ---- a step ---------------------------------------------------------------------------------- */

static uint64_t materials_hash(const talus_world *world) {
  uint64_t hash = 0;
  for (int32_t i = 0; i < world->material_count; i++) {
    const talus_material_def *const m = &world->material[i];
    const double number[] = {m->density,
                             m->friction,
                             m->restitution,
                             m->pull_off,
                             m->surface_energy,
                             m->surface_tension,
                             m->contact_angle,
                             m->bridge_volume,
                             m->stiffness,
                             m->young,
                             m->poisson,
                             m->rolling_friction,
                             m->spinning_friction,
                             m->rolling_fraction,
                             m->spinning_fraction,
                             m->cross_friction,
                             m->friction_direction[0],
                             m->friction_direction[1],
                             m->friction_direction[2]};
    hash = mixed_doubles(hash, number, sizeof number / sizeof *number);
    hash = mixed(mixed(hash, (uint64_t)m->adhesion), (uint64_t)m->rigid);
  }
  for (int32_t i = 0; i < world->pair_count; i++) {
    const tl_material_pair *const pair = &world->pair[i];
    hash = mixed(mixed(mixed(hash, (uint64_t)pair->low), (uint64_t)pair->high), pair->used);
    hash = mixed_doubles(hash, &pair->friction, 1);
    hash = mixed_doubles(hash, &pair->restitution, 1);
  }
  return hash;
}

talus_status tl_spread_same_step(talus_world *world, talus_status status) {
  if (tl_ranks_of(world->context) == NULL) {
    return status;
  }
  const int64_t has[] = {world->contact_function != NULL, world->cohesive, world->soft,
                         world->resists, world->elliptic};
  uint64_t hash = mixed(counts_hash(world), def_hash(&world->def));
  hash = mixed(mixed_numbers(hash, has, sizeof has / sizeof *has), materials_hash(world));
  int64_t both[2] = {(int64_t)(hash >> 2), -(int64_t)(hash >> 2)}; /* the largest, the smallest */
  TL_TRY(tl_ranks_agree_on(world->context, status, both, 2));
  return both[0] == -both[1]
             ? TALUS_OK
             : hash_compare(world, hash,
                            "world before a step (settings, contact callback, materials, bodies)");
}

static uint64_t body_hash(uint64_t hash, const tl_body *body) {
  hash = mixed_doubles(hash, body->position, 3);
  hash = mixed_doubles(hash, body->velocity, 3);
  return mixed_doubles(hash, body->spin, 3);
}

/* Of the bodies that all ranks have. */
static uint64_t state_hash(const talus_world *world) {
  uint64_t hash = mixed((uint64_t)world->step_count, (uint64_t)tl_spread_contact_count(world));
  for (int32_t i = 0; i < world->body_count; i++) {
    if (!world->bodies_local || tl_spread_stays(&world->body[i])) {
      hash = body_hash(hash, &world->body[i]);
    }
  }
  return hash;
}

/* Copies are what the bodies are: sums over both in all ranks. */
static talus_status copies_compare(const talus_world *world) {
  const tl_world_spread *const spread = world->spread;
  uint64_t sum = 0;
  if (!world->bodies_local || !spread->listed) {
    return TALUS_OK;
  }
  const int32_t size = spread->owners.size;
  for (int64_t i = 0; i < spread->held.receive[size]; i++) {
    sum += body_hash(0, &world->body[spread->given[i]]);
  }
  for (int64_t i = 0; i < spread->held.send[size]; i++) {
    sum -= body_hash(0, &world->body[spread->taken[i]]);
  }
  int64_t half[2] = {(int64_t)(sum & UINT32_MAX), (int64_t)(sum >> 32)}; /* never too large */
  TL_TRY(tl_ranks_sum(world->context, half, 2));
  if ((uint64_t)half[0] + ((uint64_t)half[1] << 32) != 0) {
    tl_fail(world->context, TALUS_RANKS_FAILED,
            "a rank has another state of some bodies after a step than the rank that answers for "
            "them: all ranks must compute alike");
    world->context->told = true;
    return TALUS_RANKS_FAILED;
  }
  return TALUS_OK;
}

talus_status tl_spread_end(talus_world *world, talus_status status) {
  talus_context *const context = world->context;
  status = tl_ranks_settle(context, status);
  if (status != TALUS_OK || tl_ranks_of(context) == NULL) {
    return status;
  }
  TL_TRY(copies_compare(world));
  return hash_compare(world, state_hash(world), "state after a step");
}
