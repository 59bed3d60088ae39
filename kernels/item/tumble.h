/* tumble.h: the spin of a body that is not round, whose inertia turns with it. */
#ifndef TL_ITEM_TUMBLE_H
#define TL_ITEM_TUMBLE_H

#include "kernels/item/rotation.h"

/* v turned by the vector `angle`. */
TL_ITEM void tl_turned_by(const double *angle, const double *v, double *out) {
  double q[4] = {1, 0, 0, 0}, rotation[9];
  tl_quaternion_turn(q, angle);
  tl_quaternion_matrix(q, rotation);
  tl_turn3(out, rotation, v);
}

/* x = (inertia - [p]x)^-1 b; the matrix has an inverse for every p. */
TL_ITEM void tl_gyro_solve(const double *inertia, const double *p, const double *b, double *x) {
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
TL_ITEM void tl_spin_advance(const double inertia[6], const double inverse_inertia[6], double dt,
                             const double *impulse, double *spin) {
  enum { TL_SPIN_MOST = 12 };
  double angle[3], momentum[3], kept[3], rest[3], change[3];
  tl_sym3(momentum, inertia, spin);
  tl_scale3(angle, -0.5 * dt, spin);
  tl_turned_by(angle, momentum, kept);
  tl_along3(kept, kept, 1, impulse);
  for (int i = 0; i < TL_SPIN_MOST; i++) {
    tl_scale3(angle, -0.5 * dt, spin);
    tl_turned_by(angle, kept, momentum); /* what I w' has to be */
    tl_sym3(rest, inertia, spin);
    tl_sub3(rest, momentum, rest);
    if (!(tl_norm3(rest) > 1e-14 * tl_norm3(kept))) {
      break;
    }
    tl_scale3(momentum, 0.5 * dt, momentum);
    tl_gyro_solve(inertia, momentum, rest, change);
    tl_along3(spin, spin, 1, change);
  }
  tl_scale3(angle, -0.5 * dt, spin);
  tl_turned_by(angle, kept, momentum);
  tl_sym3(spin, inverse_inertia, momentum);
}

/* The spin (world frame) after dt under a torque, of a body that stands as `orientation` says. */
TL_ITEM void tl_spin_tumble(const double inertia[6], const double inverse_inertia[6],
                            const double orientation[4], const double carried[3],
                            const double torque[3], double dt, double spin[3]) {
  double impulse[3], own[3], rotation[9];
  tl_quaternion_matrix(orientation, rotation);
  tl_along3(impulse, carried, dt, torque);
  tl_turn_back3(impulse, rotation, impulse);
  tl_turn_back3(own, rotation, spin);
  tl_spin_advance(inertia, inverse_inertia, dt, impulse, own);
  tl_turn3(spin, rotation, own);
}

/* What the momentum gains until half a step later, seen from the body: turn(dt/2 w) I w - I w. */
TL_ITEM void tl_momentum_gain(const double inertia[6], const double *rotation, double dt,
                              const double *spin, double *gain) {
  double own[3], momentum[3], angle[3];
  tl_turn_back3(own, rotation, spin);
  tl_sym3(momentum, inertia, own);
  tl_scale3(angle, 0.5 * dt, own);
  tl_turned_by(angle, momentum, gain);
  tl_sub3(gain, gain, momentum);
}

/* What the impulses between `free` and `after` did to the angular momentum of a body that tumbles,
 * beyond what the solve, which has inertias at one orientation, made of it. */
TL_ITEM void tl_spin_carry(const double inertia[6], const double orientation[4], double dt,
                           const double *free, const double *after, double carried[3]) {
  double rotation[9], before[3], now[3];
  const double *const spin = after + 3;
  tl_quaternion_matrix(orientation, rotation);
  tl_momentum_gain(inertia, rotation, dt, free + 3, before);
  tl_momentum_gain(inertia, rotation, dt, spin, now);
  tl_sub3(before, before, now);
  const double square = dt * dt * tl_dot3(spin, spin);
  tl_scale3(before, 1 / (1 + square * square), before); /* what whirls does not build it up */
  tl_turn3(carried, rotation, before);
}

#endif
