/* ball.h: the contact point of a ball with a ball, and with a half-space.
 *
 * Where two centres coincide no direction is better than another: always the same is taken. */
#ifndef TL_ITEM_BALL_H
#define TL_ITEM_BALL_H

#include "kernels/item/vector.h"

/* A contact point: midway in the gap, normal from the first shape to the second. */
typedef struct tl_point {
  double position[3], normal[3], gap;
} tl_point;

/* From a point on the first shape's surface, once normal and gap are known. */
TL_ITEM void tl_point_from(tl_point *point, const double on_a[3]) {
  tl_along3(point->position, on_a, 0.5 * point->gap, point->normal);
}

/* Returns 0 where the two are so far apart that the gap cannot be below the margin. */
TL_ITEM int tl_ball_ball(const double centre_a[3], double radius_a, const double centre_b[3],
                         double radius_b, double margin, tl_point *point) {
  double on_a[3];
  tl_sub3(point->normal, centre_b, centre_a);
  const double reach = radius_a + radius_b + margin;
  if (!(tl_dot3(point->normal, point->normal) < reach * reach)) {
    return 0;
  }
  const double distance = tl_unit3(point->normal);
  if (!(distance > 0)) {
    tl_set3(point->normal, 0, 0, 1);
  }
  point->gap = distance - radius_a - radius_b;
  tl_along3(on_a, centre_a, radius_a, point->normal);
  tl_point_from(point, on_a);
  return 1;
}

/* outward: the half-space's normal; on_plane: a point of its plane. */
TL_ITEM void tl_ball_halfspace(const double centre[3], double radius, const double on_plane[3],
                               const double outward[3], tl_point *point) {
  double from[3], on_a[3];
  tl_sub3(from, centre, on_plane);
  point->gap = tl_dot3(from, outward) - radius;
  tl_scale3(point->normal, -1, outward);
  tl_along3(on_a, centre, radius, point->normal);
  tl_point_from(point, on_a);
}

#endif
