/* motion.h: velocities of one body under forces, its place under velocities. */
#ifndef TL_ITEM_MOTION_H
#define TL_ITEM_MOTION_H

#include "kernels/item/rotation.h"

/* v + dt (g + f/m) */
TL_ITEM void tl_velocity_push(double velocity[3], double dt, const double gravity[3],
                              double inverse_mass, const double force[3]) {
  for (int c = 0; c < 3; c++) {
    velocity[c] += dt * (gravity[c] + inverse_mass * force[c]);
  }
}

/* The same of the spin of a body that looks alike however it is turned. */
TL_ITEM void tl_spin_push(double spin[3], double dt, const double inverse_inertia[6],
                          const double torque[3]) {
  double change[3];
  tl_sym3(change, inverse_inertia, torque);
  tl_along3(spin, spin, dt, change);
}

/* A disk stays in its plane. */
TL_ITEM void tl_velocity_flatten(double velocity[6]) {
  velocity[1] = velocity[3] = velocity[5] = 0;
}

/* velocity: linear and angular. */
TL_ITEM void tl_place_move(double position[3], double orientation[4], const double velocity[6],
                           double dt) {
  const double angle[3] = {dt * velocity[3], dt * velocity[4], dt * velocity[5]};
  tl_along3(position, position, dt, velocity);
  tl_quaternion_turn(orientation, angle);
}

/* The most that a point of a shape moves per unit of time; arm: from the body's centre to it,
 * reach: from there to its farthest point, m. What is not bounded is asked for its body's speed
 * alone. */
TL_ITEM double tl_shape_speed(int round, double reach, const double arm[3],
                              const double velocity[3], const double spin[3]) {
  const double speed = tl_norm3(velocity);
  if (round) {
    return speed;
  }
  const double turning = tl_norm3(spin) * (tl_norm3(arm) + reach);
  return speed + (isfinite(turning) ? turning : 0);
}

/* Of the point at `arm` from the body's centre. */
TL_ITEM void tl_point_velocity(const double velocity[3], const double spin[3], const double arm[3],
                               double u[3]) {
  tl_cross3(u, spin, arm);
  for (int c = 0; c < 3; c++) {
    u[c] += velocity[c];
  }
}

#endif
