/* links.c: mechanisms of a world: their links as bodies, their state and motion. */
#include "host/world/links.h"

#include <math.h>
#include <string.h>

size_t tl_velocity_size(const talus_world *world) {
  return 6 * (size_t)world->body_count + (size_t)world->joint_velocity_count;
}

/* ---- who is who ------------------------------------------------------------------------------ */

int32_t talus_world_mechanism_count(const talus_world *world) {
  return world != NULL ? world->mechanism_count : 0;
}

talus_mechanism *talus_world_mechanism(const talus_world *world, int32_t mechanism) {
  return world != NULL && mechanism >= 0 && mechanism < world->mechanism_count
             ? world->mechanism[mechanism].mechanism
             : NULL;
}

int32_t talus_link_body(const talus_world *world, int32_t mechanism, int32_t link) {
  const talus_mechanism *const made = talus_world_mechanism(world, mechanism);
  return made != NULL && link >= 0 && link < made->link_count
             ? world->body[world->mechanism[mechanism].first_body + link].id
             : TALUS_NONE;
}

int talus_body_link(const talus_world *world, int32_t id, int32_t *mechanism, int32_t *link) {
  const tl_body *const body = tl_body_at(world, id);
  const bool found = body != NULL && body->type == TALUS_BODY_LINK;
  if (mechanism != NULL) {
    *mechanism = found ? body->mechanism : TALUS_NONE;
  }
  if (link != NULL) {
    *link = found ? body->link : TALUS_NONE;
  }
  return found;
}

talus_status talus_world_set_base(talus_world *world, int32_t mechanism, int32_t id) {
  int32_t body = TALUS_NONE;
  if (talus_world_mechanism(world, mechanism) == NULL) {
    return tl_fail(world != NULL ? world->context : NULL, TALUS_INDEX_RANGE,
                   "mechanism %d does not exist", mechanism);
  }
  if (id != TALUS_NONE) {
    TL_TRY(tl_body_find(world, id, &body));
    if (world->body[body].type != TALUS_BODY_FIXED) {
      return tl_fail(world->context, TALUS_CALL_ORDER,
                     "body %d is not fixed: no base for a mechanism", id);
    }
  }
  world->mechanism[mechanism].base = body;
  return TALUS_OK;
}

/* Whether the link hangs on this very body. */
static bool stands_on(const talus_world *world, const tl_body *link, int32_t body) {
  const tl_world_mechanism *const of = &world->mechanism[link->mechanism];
  return of->base == body && of->mechanism->link[link->link].parent < 0;
}

bool tl_links_collide(const talus_world *world, int32_t body_a, int32_t body_b) {
  const tl_body *const a = &world->body[body_a], *const b = &world->body[body_b];
  if ((a->type == TALUS_BODY_LINK && stands_on(world, a, body_b)) ||
      (b->type == TALUS_BODY_LINK && stands_on(world, b, body_a))) {
    return false;
  }
  if (a->type != TALUS_BODY_LINK || b->type != TALUS_BODY_LINK || a->mechanism != b->mechanism) {
    return true;
  }
  const tl_world_mechanism *const of = &world->mechanism[a->mechanism];
  return of->self_collide && of->mechanism->link[a->link].parent != b->link &&
         of->mechanism->link[b->link].parent != a->link;
}

/* ---- state ----------------------------------------------------------------------------------- */

void tl_link_sync(const talus_world *world, int32_t index) {
  tl_body *const body = &world->body[index]; /* a copy of the mechanism's state: no change */
  talus_mechanism *const mechanism = tl_mechanism_of(world, index);
  tl_mechanism_place(mechanism);
  const tl_link_state *const state = &mechanism->state[body->link];
  talus_mechanism_pose(mechanism, body->link, NULL, body->orientation, NULL);
  tl_along3(body->position, state->origin, 1, state->centre);
  tl_copy3(body->spin, state->velocity);
  tl_copy3(body->velocity, state->velocity + 3);
  tl_add_cross3(body->velocity, state->velocity, state->centre);
}

void tl_link_bias_acceleration(const talus_world *world, int32_t body, double swing[6]) {
  const talus_mechanism *const mechanism = tl_mechanism_of(world, body);
  const int32_t link = world->body[body].link;
  const tl_link_state *const own = &mechanism->state[link];
  double motion[6] = {0}, arm[3], part[6], turn[3] = {0};
  for (int32_t i = link; i >= 0; i = mechanism->link[i].parent) {
    tl_sub3(arm, own->origin, mechanism->state[i].origin);
    tl_motion_shift(part, mechanism->state[i].bias, arm);
    tl_add6(motion, 1, part);
  }
  tl_copy3(swing, motion + 3);
  tl_copy3(swing + 3, motion);
  tl_add_cross3(swing, motion, own->centre);
  tl_add_cross3(turn, own->velocity, own->centre);
  tl_add_cross3(swing, own->velocity, turn);
}

void tl_links_sync(talus_world *world) {
  for (int32_t m = 0; m < world->mechanism_count; m++) {
    const tl_world_mechanism *const of = &world->mechanism[m];
    for (int32_t i = 0; i < of->mechanism->link_count; i++) {
      tl_link_sync(world, of->first_body + i);
    }
  }
}

void tl_links_read(const talus_world *world, double *velocity) {
  double *const part = tl_links_part(world, velocity);
  for (int32_t m = 0; m < world->mechanism_count; m++) {
    const tl_world_mechanism *const of = &world->mechanism[m];
    memcpy(part + of->first_velocity, of->mechanism->v,
           (size_t)of->mechanism->v_count * sizeof *part);
  }
}

void tl_links_write(talus_world *world, const double *velocity) {
  const double *const part = velocity + 6 * (size_t)world->body_count;
  for (int32_t m = 0; m < world->mechanism_count; m++) {
    const tl_world_mechanism *const of = &world->mechanism[m];
    memcpy(of->mechanism->v, part + of->first_velocity,
           (size_t)of->mechanism->v_count * sizeof *part);
    of->mechanism->placed = 0;
  }
}

void tl_links_spread(const talus_world *world, double *velocity) {
  const double *const part = tl_links_part(world, velocity);
  for (int32_t m = 0; m < world->mechanism_count; m++) {
    const tl_world_mechanism *const of = &world->mechanism[m];
    tl_mechanism_spread(of->mechanism, part + of->first_velocity);
    for (int32_t i = 0; i < of->mechanism->link_count; i++) {
      const double *const motion = of->mechanism->motion + 6 * i;
      double *const v = velocity + 6 * (size_t)(of->first_body + i);
      tl_copy3(v, motion + 3);
      tl_add_cross3(v, motion, of->mechanism->state[i].centre);
      tl_copy3(v + 3, motion);
    }
  }
}

/* Forces on a link's body act like loads, for this step. */
static talus_status forces_load(const talus_world *world, const tl_world_mechanism *of) {
  static const double none[3];
  for (int32_t i = 0; i < of->mechanism->link_count; i++) {
    const tl_body_extra *const extra = tl_body_extra_of(world, &world->body[of->first_body + i]);
    if (memcmp(extra->force, none, sizeof none) != 0 ||
        memcmp(extra->torque, none, sizeof none) != 0) {
      TL_TRY(talus_mechanism_load(of->mechanism, i, of->mechanism->link[i].centre, extra->force,
                                  extra->torque));
    }
  }
  return TALUS_OK;
}

/* Whether a link's spin changes without a torque. */
static bool tumbles(const talus_mechanism *mechanism) {
  for (int32_t i = 0; i < mechanism->link_count; i++) {
    if (mechanism->link[i].kind == TALUS_LINK_FREE) {
      return true;
    }
  }
  return false;
}

/* v receives the velocities after dt without contacts. With a free joint, whatever depends on
 * velocities is that of the mean of those before and after, found by repeating: a spin then has the
 * same energy after as before, w_m . (w_m x I w_m) = 0, where that of the velocities before makes a
 * top gain without bound. */
static talus_status velocities_advance(talus_mechanism *mechanism, double dt, double *v) {
  enum { ROUNDS = 12 };
  const int32_t count = mechanism->v_count;
  const int rounds = tumbles(mechanism) ? ROUNDS : 1;
  double *const before = mechanism->saved, change = 1, size = 0;
  memcpy(before, mechanism->v, (size_t)count * sizeof *before);
  talus_status status = TALUS_OK;
  for (int round = 0; round < rounds && status == TALUS_OK && change > 1e-14 * size; round++) {
    status = talus_mechanism_accelerate(mechanism, mechanism->dynamics, v);
    change = size = 0;
    for (int32_t i = 0; i < count && status == TALUS_OK; i++) {
      v[i] = before[i] + dt * v[i];
      if (rounds > 1) {
        const double mean = 0.5 * (before[i] + v[i]);
        change = fmax(change, fabs(mean - mechanism->v[i]));
        size = fmax(size, fabs(mean));
        mechanism->v[i] = mean;
      }
    }
    if (rounds > 1) {
      mechanism->placed = mechanism->articulated = 0;
    }
  }
  memcpy(mechanism->v, before, (size_t)count * sizeof *before);
  return status;
}

talus_status tl_links_free(talus_world *world, double dt, double *velocity) {
  double *const part = tl_links_part(world, velocity);
  for (int32_t m = 0; m < world->mechanism_count; m++) {
    const tl_world_mechanism *const of = &world->mechanism[m];
    talus_mechanism *const mechanism = of->mechanism;
    double *const v = part + of->first_velocity;
    const int32_t loads = mechanism->load_count;
    talus_status status = forces_load(world, of);
    if (status == TALUS_OK) {
      status = velocities_advance(mechanism, dt, v);
    }
    mechanism->load_count = loads;
    TL_TRY(status);
  }
  tl_links_spread(world, velocity);
  return TALUS_OK;
}

void tl_links_move(talus_world *world, const double *velocity, double dt) {
  const double *const part = velocity + 6 * (size_t)world->body_count;
  for (int32_t m = 0; m < world->mechanism_count; m++) {
    const tl_world_mechanism *const of = &world->mechanism[m];
    tl_mechanism_drift(of->mechanism, part + of->first_velocity, dt);
  }
  tl_links_sync(world);
}

/* ---- Poisson's push -------------------------------------------------------------------------- */

void tl_links_push_begin(talus_world *world) {
  for (int32_t m = 0; m < world->mechanism_count; m++) {
    talus_mechanism *const of = world->mechanism[m].mechanism;
    memset(of->outer, 0, 6 * (size_t)of->link_count * sizeof *of->outer);
  }
}

void tl_links_push(talus_world *world, int32_t body, const double *arm, const double *impulse) {
  const int32_t link = world->body[body].link;
  talus_mechanism *const mechanism = tl_mechanism_of(world, body);
  double from_origin[3];
  tl_along3(from_origin, arm, 1, mechanism->state[link].centre);
  tl_add_cross3(mechanism->outer + 6 * link, from_origin, impulse);
  tl_along3(mechanism->outer + 6 * link + 3, mechanism->outer + 6 * link + 3, 1, impulse);
}

talus_status tl_links_push_end(talus_world *world, double *velocity) {
  double *const part = tl_links_part(world, velocity);
  for (int32_t m = 0; m < world->mechanism_count; m++) {
    talus_mechanism *const of = world->mechanism[m].mechanism;
    double *const v = part + world->mechanism[m].first_velocity;
    TL_TRY(tl_mechanism_factor(of));
    tl_mechanism_sweep(of, NULL, of->outer, 0, of->saved);
    for (int32_t i = 0; i < of->v_count; i++) {
      v[i] += of->saved[i];
    }
  }
  tl_links_spread(world, velocity);
  return TALUS_OK;
}

/* ---- what a failed step gives back ----------------------------------------------------------- */

/* Copies coordinates, velocities and the impulses of all rows; back: from the memory. */
static void state_carry(talus_world *world, double *at, int back) {
  for (int32_t m = 0; m <= world->mechanism_count; m++) {
    talus_mechanism *const of = m < world->mechanism_count ? world->mechanism[m].mechanism : NULL;
    double *const array[2] = {of != NULL ? of->q : world->link_impulse, of != NULL ? of->v : NULL};
    const size_t count[2] = {of != NULL ? (size_t)of->q_count : (size_t)tl_links_rows(world),
                             of != NULL ? (size_t)of->v_count : 0};
    for (int k = 0; k < 2; k++) {
      if (count[k] > 0) {
        memcpy(back ? array[k] : at, back ? at : array[k], count[k] * sizeof *at);
      }
      at += count[k];
    }
    if (back && of != NULL) {
      of->placed = of->articulated = 0;
    }
  }
}

talus_status tl_links_save(talus_world *world) {
  size_t size = (size_t)tl_links_rows(world);
  for (int32_t m = 0; m < world->mechanism_count; m++) {
    const talus_mechanism *const of = world->mechanism[m].mechanism;
    size += (size_t)of->q_count + (size_t)of->v_count;
  }
  TL_TRY(tl_buffer_reserve(world->context, &world->saved_links, size, sizeof(double),
                           "states of mechanisms"));
  state_carry(world, world->saved_links.memory, 0);
  return TALUS_OK;
}

void tl_links_restore(talus_world *world) {
  state_carry(world, world->saved_links.memory, 1);
  tl_links_sync(world);
}
