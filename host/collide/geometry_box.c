/* geometry_box.c: bounding boxes of placed shapes, and the radius that stands for a shape's size.
 */
#include "host/collide/collide.h"
#include "host/collide/mesh.h"
#include "host/math/pose.h"

static tl_box around(const double centre[3], const double half[3]) {
  tl_box box;
  tl_sub3(box.lower, centre, half);
  tl_along3(box.upper, centre, 1, half);
  return box;
}

/* A box of half edges `half` around the local point `centre`, turned. */
static tl_box turned_box(const tl_pose *pose, const double centre[3], const double half[3]) {
  double middle[3], extent[3];
  tl_place3(middle, pose, centre);
  for (int i = 0; i < 3; i++) {
    const double *const row = pose->rotation + 3 * i;
    extent[i] = fabs(row[0]) * half[0] + fabs(row[1]) * half[1] + fabs(row[2]) * half[2];
  }
  return around(middle, extent);
}

static tl_box hull_box(const tl_pose *pose, const tl_hull *hull) {
  tl_box box;
  tl_set3(box.lower, INFINITY, INFINITY, INFINITY);
  tl_set3(box.upper, -INFINITY, -INFINITY, -INFINITY);
  for (int32_t k = 0; k < hull->point_count; k++) {
    double point[3];
    tl_place3(point, pose, hull->point + 3 * k);
    for (int i = 0; i < 3; i++) {
      box.lower[i] = fmin(box.lower[i], point[i]);
      box.upper[i] = fmax(box.upper[i], point[i]);
    }
  }
  return box;
}

/* Bounded only if its normal is an axis. */
static tl_box halfspace_box(const tl_pose *pose) {
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

tl_box tl_collider_box(const tl_collider *collider) {
  const tl_geometry *const g = collider->geometry;
  const tl_pose *const pose = &collider->pose;
  const double *const centre = pose->position;
  const double origin[3] = {0, 0, 0};
  double axis[3], half[3];
  tl_pose_axis(pose, axis);
  switch (g->kind) {
  case TALUS_SHAPE_SPHERE:
    tl_set3(half, g->radius, g->radius, g->radius);
    return around(centre, half);
  case TALUS_SHAPE_BOX:
    return turned_box(pose, origin, g->half_edge);
  case TALUS_SHAPE_CAPSULE:
    for (int i = 0; i < 3; i++) {
      half[i] = g->half_length * fabs(axis[i]) + g->radius;
    }
    return around(centre, half);
  case TALUS_SHAPE_CYLINDER:
    for (int i = 0; i < 3; i++) {
      half[i] = g->half_length * fabs(axis[i]) + g->radius * sqrt(fmax(0, 1 - axis[i] * axis[i]));
    }
    return around(centre, half);
  case TALUS_SHAPE_HULL:
    return hull_box(pose, g->hull);
  case TALUS_SHAPE_MESH: {
    const tl_box local = tl_mesh_box(g->mesh);
    double middle[3];
    for (int i = 0; i < 3; i++) {
      middle[i] = 0.5 * (local.lower[i] + local.upper[i]);
      half[i] = 0.5 * (local.upper[i] - local.lower[i]);
    }
    return turned_box(pose, middle, half);
  }
  default:
    return halfspace_box(pose);
  }
}

double tl_geometry_size(const tl_geometry *g) {
  switch (g->kind) {
  case TALUS_SHAPE_SPHERE:
  case TALUS_SHAPE_CAPSULE:
  case TALUS_SHAPE_HULL: /* found when the hull was built */
    return g->radius;
  case TALUS_SHAPE_BOX:
    return fmin(g->half_edge[0], fmin(g->half_edge[1], g->half_edge[2]));
  case TALUS_SHAPE_CYLINDER:
    return fmin(g->radius, g->half_length);
  default:
    return INFINITY;
  }
}
