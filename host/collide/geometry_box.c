/* geometry_box.c: bounding boxes of colliders, and the radius that stands for a shape's size. */
#include "host/collide/collide.h"
#include "kernels/item/collide/bounds.h"

tl_box tl_collider_box(const tl_collider *collider) {
  return tl_bounds(collider->geometry, &collider->pose);
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
