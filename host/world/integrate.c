/* integrate.c: velocities under forces, positions under velocities. */
#include <math.h>

#include "host/base/each.h"
#include "host/world/world.h"
#include "kernels/item/motion.h"
#include "kernels/item/tumble.h"

/* Whether the spin changes without a torque. */
static bool tumbles(const talus_world *world, const tl_body *body) {
  return body->exists && body->type == TALUS_BODY_FREE && body->inverse_mass > 0 && !body->round &&
         !world->def.plane;
}

/* v + dt (g + f/m), spin likewise. */
static void body_free(const talus_world *world, const tl_body *body, double dt, double *v) {
  const tl_body_extra *const extra = tl_body_extra_of(world, body);
  tl_velocity_push(v, dt, world->def.gravity, body->inverse_mass, extra->force);
  if (tumbles(world, body)) {
    tl_spin_tumble(body->inertia, body->inverse_inertia, body->orientation, extra->carried,
                   extra->torque, dt, v + 3);
  } else {
    tl_spin_push(v + 3, dt, body->inverse_inertia, extra->torque);
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

static void begin_part(void *arguments, int64_t first, int64_t end) {
  const move_task *const t = arguments;
  for (int64_t i = first; i < end; i++) {
    const tl_body *const body = &t->world->body[i];
    if (body->exists && body->type == TALUS_BODY_KINEMATIC) {
      tl_motion_steer(t->world, (int32_t)i, t->dt);
    }
    tl_copy3(t->velocity + 6 * i, body->velocity);
    tl_copy3(t->velocity + 6 * i + 3, body->spin);
  }
}

void tl_velocities_begin(talus_world *world, double dt, double *velocity) {
  move_task task = {.world = world, .velocity = velocity, .dt = dt};
  each_body(world, begin_part, &task);
  tl_links_read(world, velocity);
}

static void again_part(void *arguments, int64_t first, int64_t end) {
  const move_task *const t = arguments;
  for (int64_t i = first; i < end; i++) {
    tl_copy3(t->velocity + 6 * i, t->world->body[i].velocity);
    tl_copy3(t->velocity + 6 * i + 3, t->world->body[i].spin);
  }
}

talus_status tl_velocities_again(talus_world *world, double dt) {
  const size_t size = tl_velocity_size(world);
  TL_TRY(tl_buffer_reserve(world->context, &world->velocity_memory, 3 * size, sizeof(double),
                           "velocities"));
  move_task task = {.world = world, .velocity = world->velocity_memory.memory, .dt = dt};
  each_body(world, again_part, &task);
  tl_velocity_free(world, dt, task.velocity + size);
  return TALUS_OK;
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
      tl_spin_carry(body->inertia, body->orientation, t->dt, t->free + 6 * i, after,
                    t->world->body_extra[body->extra].carried);
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
