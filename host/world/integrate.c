/* integrate.c: velocities under forces, positions under velocities. */
#include <math.h>

#include "host/base/each.h"
#include "host/world/world.h"
#include "kernels/item/motion.h"

/* v turned by the vector `angle`. */
static void turned_by(const double *angle, const double *v, double *out) {
  double q[4] = {1, 0, 0, 0}, rotation[9];
  tl_quaternion_turn(q, angle);
  tl_quaternion_matrix(q, rotation);
  tl_turn3(out, rotation, v);
}

/* x = (inertia - [p]x)^-1 b; the matrix has an inverse for every p. */
static void gyro_solve(const double *inertia, const double *p, const double *b, double *x) {
  const double column[3][3] = {{inertia[0], inertia[1] - p[2], inertia[2] + p[1]},
                               {inertia[1] + p[2], inertia[3], inertia[4] - p[0]},
                               {inertia[2] - p[1], inertia[4] + p[0], inertia[5]}};
  double other[3][3];
  for (int c = 0; c < 3; c++) {
    tl_cross3(other[c], column[(c + 1) % 3], column[(c + 2) % 3]);
  }
  const double determinant = tl_dot3(column[0], other[0]);
  for (int c = 0; c < 3; c++) {
    x[c] = determinant != 0 ? tl_dot3(other[c], b) / determinant : 0;
  }
}

/* The spin after an angular impulse, both in the body's frame. It keeps the angular momentum, seen
 * half a step before and half a step after the orientation at hand, at which contacts are solved:
 *   turn(dt/2 w') I w' = turn(-dt/2 w) I w + impulse
 * Symmetric in time, so that neither momentum nor energy drifts. Rejected: w x I w at the beginning
 * of the step, with which a top gains energy without bound. The last line keeps |I w|, which bounds
 * the energy of what turns so far in a step that Newton's method does not converge. */
static void spin_advance(const tl_body *body, double dt, const double *impulse, double *spin) {
  enum { MOST = 12 };
  double angle[3], momentum[3], kept[3], rest[3], change[3];
  tl_sym3(momentum, body->inertia, spin);
  tl_scale3(angle, -0.5 * dt, spin);
  turned_by(angle, momentum, kept);
  tl_along3(kept, kept, 1, impulse);
  for (int i = 0; i < MOST; i++) {
    tl_scale3(angle, -0.5 * dt, spin);
    turned_by(angle, kept, momentum); /* what I w' has to be */
    tl_sym3(rest, body->inertia, spin);
    tl_sub3(rest, momentum, rest);
    if (!(tl_norm3(rest) > 1e-14 * tl_norm3(kept))) {
      break;
    }
    tl_scale3(momentum, 0.5 * dt, momentum);
    gyro_solve(body->inertia, momentum, rest, change);
    tl_along3(spin, spin, 1, change);
  }
  tl_scale3(angle, -0.5 * dt, spin);
  turned_by(angle, kept, momentum);
  tl_sym3(spin, body->inverse_inertia, momentum);
}

/* Whether the spin changes without a torque. */
static bool tumbles(const talus_world *world, const tl_body *body) {
  return body->exists && body->type == TALUS_BODY_FREE && body->inverse_mass > 0 && !body->round &&
         !world->def.plane;
}

/* What the momentum gains until half a step later, seen from the body: turn(dt/2 w) I w - I w. */
static void gain_until(const tl_body *body, const double *rotation, double dt, const double *spin,
                       double *gain) {
  double own[3], momentum[3], angle[3];
  tl_turn_back3(own, rotation, spin);
  tl_sym3(momentum, body->inertia, own);
  tl_scale3(angle, 0.5 * dt, own);
  turned_by(angle, momentum, gain);
  tl_sub3(gain, gain, momentum);
}

/* What the impulses between `free` and `after` did to the angular momentum of a body that tumbles,
 * beyond what the solve, which has inertias at one orientation, made of it. */
static void spin_carry(tl_body *body, double dt, const double *free, const double *after) {
  double rotation[9], before[3], now[3];
  const double *const spin = after + 3;
  tl_quaternion_matrix(body->orientation, rotation);
  gain_until(body, rotation, dt, free + 3, before);
  gain_until(body, rotation, dt, spin, now);
  tl_sub3(before, before, now);
  const double square = dt * dt * tl_dot3(spin, spin);
  tl_scale3(before, 1 / (1 + square * square), before); /* what whirls does not build it up */
  tl_turn3(body->carried, rotation, before);
}

/* v + dt (g + f/m), spin likewise. */
static void body_free(const talus_world *world, const tl_body *body, double dt, double *v) {
  tl_velocity_push(v, dt, world->def.gravity, body->inverse_mass, body->force);
  double impulse[3], spin[3], rotation[9];
  if (tumbles(world, body)) {
    tl_quaternion_matrix(body->orientation, rotation);
    tl_along3(impulse, body->carried, dt, body->torque);
    tl_turn_back3(impulse, rotation, impulse);
    tl_turn_back3(spin, rotation, body->spin);
    spin_advance(body, dt, impulse, spin);
    tl_turn3(v + 3, rotation, spin);
  } else {
    tl_spin_push(v + 3, dt, body->inverse_inertia, body->torque);
  }
  if (world->def.plane) {
    tl_velocity_flatten(v);
  }
}

/* What loops over the bodies are given. */
typedef struct move_task {
  talus_world *world;
  double *velocity;
  const double *free, *after;
  double dt, share; /* share: of dt, by which positions move */
} move_task;

static void each_body(talus_world *world, tl_each_body *part, move_task *task) {
  tl_each(world->context, tl_threads_for(world->context, world->body_count), world->body_count,
          part, task);
}

static void free_part(void *arguments, int64_t first, int64_t end) {
  const move_task *const t = arguments;
  for (int64_t i = first; i < end; i++) {
    const tl_body *const body = &t->world->body[i];
    double *const v = t->velocity + 6 * i;
    for (int c = 0; c < 3; c++) {
      v[c] = body->exists ? body->velocity[c] : 0;
      v[3 + c] = body->exists ? body->spin[c] : 0;
    }
    if (body->exists && body->type == TALUS_BODY_FREE && body->inverse_mass > 0) {
      body_free(t->world, body, t->dt, v);
    }
  }
}

void tl_velocity_free(talus_world *world, double dt, double *velocity) {
  move_task task = {.world = world, .velocity = velocity, .dt = dt};
  each_body(world, free_part, &task);
}

static void read_part(void *arguments, int64_t first, int64_t end) {
  const move_task *const t = arguments;
  for (int64_t i = first; i < end; i++) {
    tl_copy3(t->velocity + 6 * i, t->world->body[i].velocity);
    tl_copy3(t->velocity + 6 * i + 3, t->world->body[i].spin);
  }
}

void tl_velocities_read(talus_world *world, double *velocity) {
  move_task task = {.world = world, .velocity = velocity};
  each_body(world, read_part, &task);
  tl_links_read(world, velocity);
}

void tl_body_move(tl_body *body, const double *v, double dt) {
  if (body->exists && body->type != TALUS_BODY_FIXED && body->type != TALUS_BODY_LINK) {
    tl_place_move(body->position, body->orientation, v, dt);
  }
}

static void positions_part(void *arguments, int64_t first, int64_t end) {
  const move_task *const t = arguments;
  for (int64_t i = first; i < end; i++) {
    tl_body_move(&t->world->body[i], t->after + 6 * i, t->dt);
  }
}

void tl_positions_move(talus_world *world, const double *velocity, double dt) {
  move_task task = {.world = world, .after = velocity, .dt = dt};
  each_body(world, positions_part, &task);
  tl_links_move(world, velocity, dt);
}

static void advance_part(void *arguments, int64_t first, int64_t end) {
  const move_task *const t = arguments;
  for (int64_t i = first; i < end; i++) {
    tl_body *const body = &t->world->body[i];
    const double *const after = t->after + 6 * i;
    if (tumbles(t->world, body)) {
      spin_carry(body, t->dt, t->free + 6 * i, after);
    }
    if (body->exists && body->type == TALUS_BODY_FREE) {
      tl_copy3(body->velocity, after);
      tl_copy3(body->spin, after + 3);
    }
    tl_body_move(body, after, t->share * t->dt);
  }
}

void tl_bodies_advance(talus_world *world, double dt, double share, const double *free,
                       const double *after) {
  move_task task = {.world = world, .free = free, .after = after, .dt = dt, .share = share};
  each_body(world, advance_part, &task);
  tl_links_write(world, after);
  tl_links_move(world, after, share * dt);
}

static bool body_good(const tl_body *body) {
  const double all = body->position[0] + body->position[1] + body->position[2] + body->velocity[0] +
                     body->velocity[1] + body->velocity[2] + body->spin[0] + body->spin[1] +
                     body->spin[2];
  return !body->exists || isfinite(all);
}

/* The first body that is not finite. */
typedef struct check_task {
  const talus_world *world;
  int64_t bad; /* atomic */
} check_task;

static void check_part(void *arguments, int64_t first, int64_t end) {
  check_task *const t = arguments;
  for (int64_t i = first; i < end; i++) {
    int64_t bad = __atomic_load_n(&t->bad, __ATOMIC_RELAXED);
    while (
        !body_good(&t->world->body[i]) && i < bad &&
        !__atomic_compare_exchange_n(&t->bad, &bad, i, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
  }
}

talus_status tl_positions_check(talus_world *world) {
  check_task task = {world, world->body_count};
  tl_each(world->context, tl_threads_for(world->context, world->body_count), world->body_count,
          check_part, &task);
  return task.bad < world->body_count ? tl_fail(world->context, TALUS_NOT_FINITE,
                                                "body %d left the range of numbers at t = %g s",
                                                world->body[task.bad].id, world->time)
                                      : TALUS_OK;
}
