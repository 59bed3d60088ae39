/* balance.h: what one body and one contact bring to the balances of a step: energies, works,
 * momenta. Impulses act at an instant, so their work is the product with the mean of the velocities
 * before and after. */
#ifndef TL_ITEM_BALANCE_H
#define TL_ITEM_BALANCE_H

#include "kernels/item/vector.h"

/* J; inertia as it stands in the world, velocity: linear and angular. */
TL_ITEM double tl_body_kinetic(double mass, const double inertia[6], const double velocity[6]) {
  double momentum[3];
  tl_sym3(momentum, inertia, velocity + 3);
  return 0.5 * (mass * tl_dot3(velocity, velocity) + tl_dot3(velocity + 3, momentum));
}

/* N s along an axis: the momentum that the body has gained in dt; what gravity and force gave it. */
TL_ITEM double tl_body_gain(double mass, double before, double after) {
  return mass * (after - before);
}
TL_ITEM double tl_body_given(double mass, double dt, double gravity, double force) {
  return dt * (mass * gravity + force);
}

/* J: work of an impulse on the point at `arm` of a body whose velocities become `after`. */
TL_ITEM double tl_impulse_work(const double impulse[3], const double arm[3], const double free[6],
                               const double after[6]) {
  double mean[3], spin[3], turn[3];
  for (int c = 0; c < 3; c++) {
    mean[c] = 0.5 * (free[c] + after[c]);
    spin[c] = 0.5 * (free[3 + c] + after[3 + c]);
  }
  tl_cross3(turn, spin, arm);
  tl_along3(mean, mean, 1, turn);
  return tl_dot3(impulse, mean);
}

/* Velocity of the point at `arm`, added to u with a sign. */
TL_ITEM void tl_point_velocity_add(double u[3], double sign, const double velocity[6],
                                   const double arm[3]) {
  double turn[3];
  tl_cross3(turn, velocity + 3, arm);
  for (int c = 0; c < 3; c++) {
    u[c] += sign * (velocity[c] + turn[c]);
  }
}

#endif
