/* geometry_reach.c: how far a shape reaches from its origin: the fastest point of a turning body.
 */
#include <math.h>

#include "host/collide/mesh.h"

static double farthest(const double *point, int32_t count) {
  double square = 0;
  for (int32_t i = 0; i < count; i++) {
    const double *const p = point + 3 * (int64_t)i;
    square = fmax(square, p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
  }
  return sqrt(square);
}

double tl_geometry_reach(const tl_geometry *g) {
  switch (g->kind) {
  case TALUS_SHAPE_SPHERE:
    return g->radius;
  case TALUS_SHAPE_BOX:
    return farthest(g->half_edge, 1);
  case TALUS_SHAPE_CAPSULE:
    return g->half_length + g->radius;
  case TALUS_SHAPE_CYLINDER:
    return sqrt(g->half_length * g->half_length + g->radius * g->radius);
  case TALUS_SHAPE_HULL:
    return farthest(g->hull->point, g->hull->point_count);
  case TALUS_SHAPE_MESH:
    return farthest(g->mesh->point, g->mesh->point_count);
  default:
    return INFINITY;
  }
}
