/* integrate.c: velocities under forces, positions under velocities. */
#include <math.h>

#include "host/world/world.h"

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
    double torque[3], rotation[9], inertia[6], inverse[6], spin[3], gyro[3];
    for (int c = 0; c < 3; c++) {
      v[c] += dt * (world->def.gravity[c] + body->inverse_mass * body->force[c]);
      torque[c] = body->torque[c];
    }
    if (!body->round) {
      tl_quaternion_matrix(body->orientation, rotation);
      tl_inertia_turn(body->inertia, rotation, inertia);
      tl_sym3(spin, inertia, body->spin);
      tl_cross3(gyro, body->spin, spin);
      tl_inertia_turn(body->inverse_inertia, rotation, inverse);
      for (int c = 0; c < 3; c++) {
        torque[c] -= gyro[c];
      }
      tl_sym3(spin, inverse, torque);
    } else {
      tl_sym3(spin, body->inverse_inertia, torque);
    }
    for (int c = 0; c < 3; c++) {
      v[3 + c] += dt * spin[c];
    }
    if (world->def.plane) {
      v[1] = v[3] = v[5] = 0;
    }
  }
}

void tl_positions_move(talus_world *world, const double *velocity, double dt) {
#pragma omp parallel for num_threads(tl_threads_for(world->context, world->body_count))            \
    schedule(static)
  for (int32_t i = 0; i < world->body_count; i++) {
    tl_body *const body = &world->body[i];
    if (!body->exists || body->type == TALUS_BODY_FIXED ||
        body->type == TALUS_BODY_LINK) {
      continue;
    }
    const double *const v = velocity + 6 * (int64_t)i;
    const double angle[3] = {dt * v[3], dt * v[4], dt * v[5]};
    for (int c = 0; c < 3; c++) {
      body->position[c] += dt * v[c];
    }
    tl_quaternion_turn(body->orientation, angle);
  }
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
                     "body %d left the range of numbers at t = %g s", i, world->time);
    }
  }
  return TALUS_OK;
}
