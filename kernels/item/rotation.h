/* rotation.h: quaternions (w x y z). */
#ifndef TL_ITEM_ROTATION_H
#define TL_ITEM_ROTATION_H

#include "kernels/item/sine.h"

TL_ITEM void tl_quaternion_matrix(const double *q, double *r) {
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  r[0] = 1 - 2 * (y * y + z * z);
  r[1] = 2 * (x * y - w * z);
  r[2] = 2 * (x * z + w * y);
  r[3] = 2 * (x * y + w * z);
  r[4] = 1 - 2 * (x * x + z * z);
  r[5] = 2 * (y * z - w * x);
  r[6] = 2 * (x * z - w * y);
  r[7] = 2 * (y * z + w * x);
  r[8] = 1 - 2 * (x * x + y * y);
}

TL_ITEM void tl_quaternion_times(const double *a, const double *b, double *product) {
  const double w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  const double x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  const double y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
  product[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
  product[0] = w;
  product[1] = x;
  product[2] = y;
}

/* q turned by the vector `angle` (world frame, rad), normalised. */
TL_ITEM void tl_quaternion_turn(double *q, const double *angle) {
  const double size = sqrt(tl_dot3(angle, angle));
  if (!(size > 0)) {
    return;
  }
  double sine, cosine;
  tl_sine_cosine(0.5 * size, &sine, &cosine);
  const double s = sine / size;
  const double turn[4] = {cosine, s * angle[0], s * angle[1], s * angle[2]};
  double next[4];
  tl_quaternion_times(turn, q, next);
  const double length =
      sqrt(next[0] * next[0] + next[1] * next[1] + next[2] * next[2] + next[3] * next[3]);
  for (int i = 0; i < 4; i++) {
    q[i] = next[i] / length;
  }
}

/* Where a shape stands: the way from its body's centre to it, its position and rotation. A ball
 * about the centre of a free body looks the same however it is turned: `still`. */
TL_ITEM void tl_shape_place_find(const double position[3], const double orientation[4],
                                 const double shape_position[3], const double shape_rotation[9],
                                 int still, double arm[3], double place[3], double rotation[9]) {
  double turn[9];
  if (still) {
    tl_set3(arm, 0, 0, 0);
    tl_copy3(place, position);
    for (int i = 0; i < 9; i++) {
      rotation[i] = shape_rotation[i];
    }
    return;
  }
  tl_quaternion_matrix(orientation, turn);
  tl_turn3(arm, turn, shape_position);
  for (int c = 0; c < 3; c++) {
    place[c] = position[c] + arm[c];
    for (int d = 0; d < 3; d++) {
      rotation[3 * c + d] = turn[3 * c] * shape_rotation[d] +
                            turn[3 * c + 1] * shape_rotation[3 + d] +
                            turn[3 * c + 2] * shape_rotation[6 + d];
    }
  }
}

#endif
