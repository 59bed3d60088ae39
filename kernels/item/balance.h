/* balance.h: what one body and one contact bring to the balances of a step: energies, works,
 * momenta. Impulses act at an instant, so their work is the product with the mean of the velocities
 * before and after. */
#ifndef TL_ITEM_BALANCE_H
#define TL_ITEM_BALANCE_H

#include "kernels/item/vector.h"

/* Sums over the contacts of a step; the last is a maximum. */
enum {
  TL_CONTACT_WORK,
  TL_CONTACT_MOTION, /* J: work of walls that move */
  TL_CONTACT_PUSH,   /* three: N s on free bodies */
  TL_CONTACT_SIZE = TL_CONTACT_PUSH + 3,
  TL_CONTACT_TOUCHING,
  TL_CONTACT_DEPTH,
  TL_CONTACT_ENDS, /* free bodies at contacts that touch */
  TL_CONTACT_DEEPEST,
  TL_CONTACT_VALUES
};

/* Sums over the bodies. */
enum {
  TL_BODY_KINETIC, /* three: before, free, after */
  TL_BODY_POTENTIAL = TL_BODY_KINETIC + 3,
  TL_BODY_GAIN, /* three: momentum beyond what gravity and forces gave */
  TL_BODY_SIZE = TL_BODY_GAIN + 3,
  TL_BODY_FREE,
  TL_BODY_VALUES
};

/* What a balance has to know of the body at a side of a contact. */
typedef struct tl_side_balance {
  double work; /* J: of the impulse on it */
  int movable; /* it gives way */
  int alone;   /* it is no part of a mechanism */
} tl_side_balance;

TL_ITEM void tl_contact_balance(const double impulse[3], const double normal[3], double gap,
                                const tl_side_balance *a, const tl_side_balance *b,
                                double value[TL_CONTACT_VALUES]) {
  const int touches = tl_dot3(normal, impulse) > 0;
  const double depth = touches && gap < 0 ? -gap : 0;
  value[TL_CONTACT_WORK] = a->work + b->work;
  value[TL_CONTACT_MOTION] = -((a->movable ? 0 : a->work) + (b->movable ? 0 : b->work));
  value[TL_CONTACT_SIZE] = 0;
  for (int c = 0; c < 3; c++) {
    value[TL_CONTACT_PUSH + c] = (b->alone - a->alone) * impulse[c];
    value[TL_CONTACT_SIZE] += fabs(impulse[c]);
  }
  value[TL_CONTACT_TOUCHING] = touches;
  value[TL_CONTACT_DEPTH] = depth;
  value[TL_CONTACT_ENDS] = touches ? a->movable + b->movable : 0;
  value[TL_CONTACT_DEEPEST] = depth;
}

/* J; inertia as it stands in the world, velocity: linear and angular. */
TL_ITEM double tl_body_kinetic(double mass, const double inertia[6], const double velocity[6]) {
  double momentum[3];
  tl_sym3(momentum, inertia, velocity + 3);
  return 0.5 * (mass * tl_dot3(velocity, velocity) + tl_dot3(velocity + 3, momentum));
}

/* A free body that no mechanism holds. */
TL_ITEM void tl_body_balance(double mass, const double inertia[6], const double force[3],
                             const double gravity[3], double dt, const double before[6],
                             const double free[6], const double after[6],
                             double value[TL_BODY_VALUES]) {
  value[TL_BODY_KINETIC] = tl_body_kinetic(mass, inertia, before);
  value[TL_BODY_KINETIC + 1] = tl_body_kinetic(mass, inertia, free);
  value[TL_BODY_KINETIC + 2] = tl_body_kinetic(mass, inertia, after);
  for (int c = 0; c < 3; c++) {
    const double given = dt * (mass * gravity[c] + force[c]);
    value[TL_BODY_GAIN + c] = mass * (after[c] - before[c]) - given;
    value[TL_BODY_SIZE] += fabs(given);
  }
}

TL_ITEM double tl_body_potential(double mass, const double gravity[3], const double position[3]) {
  return -mass * tl_dot3(gravity, position);
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
