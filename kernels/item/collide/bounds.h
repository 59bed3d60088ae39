/* bounds.h: bounding boxes of placed shapes. */
#ifndef TL_ITEM_BOUNDS_H
#define TL_ITEM_BOUNDS_H

#include "kernels/item/collide/geometry.h"

TL_ITEM_LARGE tl_box tl_bounds_around(const double centre[3], const double half[3]) {
  tl_box box;
  tl_sub3(box.lower, centre, half);
  tl_along3(box.upper, centre, 1, half);
  return box;
}

/* A box of half edges `half` around the local point `centre`, turned. */
TL_ITEM_LARGE tl_box tl_bounds_turned(const tl_pose *pose, const double centre[3],
                                      const double half[3]) {
  double middle[3], extent[3];
  tl_place3(middle, pose, centre);
  for (int i = 0; i < 3; i++) {
    const double *const row = pose->rotation + 3 * i;
    extent[i] = fabs(row[0]) * half[0] + fabs(row[1]) * half[1] + fabs(row[2]) * half[2];
  }
  return tl_bounds_around(middle, extent);
}

TL_ITEM_LARGE tl_box tl_bounds_hull(const tl_pose *pose, const tl_hull *hull) {
  tl_box box;
  tl_set3(box.lower, INFINITY, INFINITY, INFINITY);
  tl_set3(box.upper, -INFINITY, -INFINITY, -INFINITY);
  for (int32_t k = 0; k < hull->point_count; k++) {
    double point[3];
    tl_place3(point, pose, hull->point + 3 * k);
    for (int i = 0; i < 3; i++) {
      box.lower[i] = tl_min(box.lower[i], point[i]);
      box.upper[i] = tl_max(box.upper[i], point[i]);
    }
  }
  return box;
}

/* Bounded only if its normal is an axis. */
TL_ITEM_LARGE tl_box tl_bounds_halfspace(const tl_pose *pose) {
  tl_box box;
  double normal[3];
  tl_pose_axis(pose, normal);
  for (int i = 0; i < 3; i++) {
    const bool alone = normal[(i + 1) % 3] == 0 && normal[(i + 2) % 3] == 0;
    box.lower[i] = alone && normal[i] < 0 ? pose->position[i] : -INFINITY;
    box.upper[i] = alone && normal[i] > 0 ? pose->position[i] : INFINITY;
  }
  return box;
}

/* Half-spaces and huge meshes may be infinite in some directions (+-INFINITY). */
TL_ITEM_LARGE tl_box tl_bounds(const tl_geometry *g, const tl_pose *pose) {
  const double *const centre = pose->position;
  const double origin[3] = {0, 0, 0};
  double axis[3], half[3];
  tl_pose_axis(pose, axis);
  switch (g->kind) {
  case TALUS_SHAPE_SPHERE:
    tl_set3(half, g->radius, g->radius, g->radius);
    return tl_bounds_around(centre, half);
  case TALUS_SHAPE_BOX:
    return tl_bounds_turned(pose, origin, g->half_edge);
  case TALUS_SHAPE_CAPSULE:
    for (int i = 0; i < 3; i++) {
      half[i] = g->half_length * fabs(axis[i]) + g->radius;
    }
    return tl_bounds_around(centre, half);
  case TALUS_SHAPE_CYLINDER:
    for (int i = 0; i < 3; i++) {
      half[i] = g->half_length * fabs(axis[i]) + g->radius * sqrt(tl_max(0, 1 - axis[i] * axis[i]));
    }
    return tl_bounds_around(centre, half);
  case TALUS_SHAPE_HULL:
    return tl_bounds_hull(pose, g->hull);
  case TALUS_SHAPE_MESH: {
    const tl_box local = tl_mesh_box(g->mesh);
    double middle[3];
    for (int i = 0; i < 3; i++) {
      middle[i] = 0.5 * (local.lower[i] + local.upper[i]);
      half[i] = 0.5 * (local.upper[i] - local.lower[i]);
    }
    return tl_bounds_turned(pose, middle, half);
  }
  default:
    return tl_bounds_halfspace(pose);
  }
}

#endif
