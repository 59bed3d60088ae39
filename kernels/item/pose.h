/* pose.h: poses of shapes and bodies: points placed in the world and back. */
#ifndef TL_ITEM_POSE_H
#define TL_ITEM_POSE_H

#include "kernels/item/vector.h"

/* A place and a turn: world = rotation * local + position; rotation row-major. */
typedef struct tl_pose {
  double position[3];
  double rotation[9];
} tl_pose;

/* A local point in the world, and back. */
TL_ITEM void tl_place3(double out[3], const tl_pose *pose, const double a[3]) {
  tl_turn3(out, pose->rotation, a);
  tl_along3(out, out, 1, pose->position);
}

TL_ITEM void tl_unplace3(double out[3], const tl_pose *pose, const double a[3]) {
  double from[3];
  tl_sub3(from, a, pose->position);
  tl_turn_back3(out, pose->rotation, from);
}

/* Where b is as seen from a: points of b's frame into a's. */
TL_ITEM tl_pose tl_pose_between(const tl_pose *a, const tl_pose *b) {
  tl_pose between;
  tl_unplace3(between.position, a, b->position);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      between.rotation[3 * i + j] = a->rotation[i] * b->rotation[j] +
                                    a->rotation[3 + i] * b->rotation[3 + j] +
                                    a->rotation[6 + i] * b->rotation[6 + j];
    }
  }
  return between;
}

TL_ITEM tl_pose tl_pose_inverse(const tl_pose *pose) {
  tl_pose inverse;
  const double *const r = pose->rotation;
  const double turned[9] = {r[0], r[3], r[6], r[1], r[4], r[7], r[2], r[5], r[8]};
  for (int i = 0; i < 9; i++) {
    inverse.rotation[i] = turned[i];
  }
  double back[3];
  tl_turn3(back, inverse.rotation, pose->position);
  tl_scale3(inverse.position, -1, back);
  return inverse;
}

/* The shape's z axis in the world, length one. */
TL_ITEM void tl_pose_axis(const tl_pose *pose, double axis[3]) {
  tl_set3(axis, pose->rotation[2], pose->rotation[5], pose->rotation[8]);
}

#endif
