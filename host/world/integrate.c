/* integrate.c: velocities under forces, positions under velocities. */
#include <math.h>

#include "host/base/each.h"
#include "host/world/world.h"

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
static int tumbles(const talus_world *world, const tl_body *body) {
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

void tl_spin_carry(talus_world *world, double dt, const double *free, const double *after) {
  for (int64_t i = 0; i < world->body_count; i++) {
    tl_body *const body = &world->body[i];
    if (tumbles(world, body)) {
      double rotation[9], before[3], now[3];
      tl_quaternion_matrix(body->orientation, rotation);
      gain_until(body, rotation, dt, free + 6 * i + 3, before);
      gain_until(body, rotation, dt, after + 6 * i + 3, now);
      tl_sub3(before, before, now);
      const double *const spin = after + 6 * i + 3;
      const double square = dt * dt * tl_dot3(spin, spin);
      tl_scale3(before, 1 / (1 + square * square), before); /* what whirls does not build it up */
      tl_turn3(body->carried, rotation, before);
    }
  }
}

void tl_velocity_free(const talus_world *world, double dt, double *velocity) {
  for (int64_t i = 0; i < world->body_count; i++) {
    const tl_body *const body = &world->body[i];
    double *const v = velocity + 6 * i;
    for (int c = 0; c < 3; c++) {
      v[c] = body->exists ? body->velocity[c] : 0;
      v[3 + c] = body->exists ? body->spin[c] : 0;
    }
    if (!body->exists || body->type != TALUS_BODY_FREE || !(body->inverse_mass > 0)) {
      continue;
    }
    for (int c = 0; c < 3; c++) {
      v[c] += dt * (world->def.gravity[c] + body->inverse_mass * body->force[c]);
    }
    double impulse[3], spin[3], rotation[9];
    if (tumbles(world, body)) {
      tl_quaternion_matrix(body->orientation, rotation);
      tl_along3(impulse, body->carried, dt, body->torque);
      tl_turn_back3(impulse, rotation, impulse);
      tl_turn_back3(spin, rotation, body->spin);
      spin_advance(body, dt, impulse, spin);
      tl_turn3(v + 3, rotation, spin);
    } else {
      tl_sym3(spin, body->inverse_inertia, body->torque);
      tl_along3(v + 3, v + 3, dt, spin);
    }
    if (world->def.plane) {
      v[1] = v[3] = v[5] = 0;
    }
  }
}

typedef struct move_task {
  talus_world *world;
  const double *velocity;
  double dt;
} move_task;

static void positions_part(void *arguments, int64_t first, int64_t end) {
  const move_task *const t = arguments;
  const double dt = t->dt;
  for (int64_t i = first; i < end; i++) {
    tl_body *const body = &t->world->body[i];
    if (!body->exists || body->type == TALUS_BODY_FIXED || body->type == TALUS_BODY_LINK) {
      continue;
    }
    const double *const v = t->velocity + 6 * i;
    const double angle[3] = {dt * v[3], dt * v[4], dt * v[5]};
    for (int c = 0; c < 3; c++) {
      body->position[c] += dt * v[c];
    }
    tl_quaternion_turn(body->orientation, angle);
  }
}

void tl_positions_move(talus_world *world, const double *velocity, double dt) {
  move_task task = {world, velocity, dt};
  tl_each(world->context, tl_threads_for(world->context, world->body_count), world->body_count,
          positions_part, &task);
  tl_links_move(world, velocity, dt);
}

talus_status tl_positions_check(const talus_world *world) {
  for (int32_t i = 0; i < world->body_count; i++) {
    const tl_body *const body = &world->body[i];
    const double all = body->position[0] + body->position[1] + body->position[2] +
                       body->velocity[0] + body->velocity[1] + body->velocity[2] + body->spin[0] +
                       body->spin[1] + body->spin[2];
    if (body->exists && !isfinite(all)) {
      return tl_fail(world->context, TALUS_NOT_FINITE,
                     "body %d left the range of numbers at t = %g s", body->id, world->time);
    }
  }
  return TALUS_OK;
}
