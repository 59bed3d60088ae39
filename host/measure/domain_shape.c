/* domain_shape.c: the part of a shape that is no ball, by evenly spread points; see domain.h.
 *
 * Multiples of powers of the plastic number, modulo one, fill the shape's box more evenly than
 * random points: the share of 1024 of them is off by some 3e-3 of the body. Which points there are
 * depends on the shape alone. */
#include <math.h>

#include "host/measure/domain.h"

enum { POINTS = 1024 };

bool tl_shape_holds(const tl_geometry *g, const double p[3]) {
  const double across = p[0] * p[0] + p[1] * p[1], square = g->radius * g->radius;
  const double beyond = fmax(0, fabs(p[2]) - g->half_length);
  bool inside = true;
  switch (g->kind) {
  case TALUS_SHAPE_SPHERE:
    return across + p[2] * p[2] <= square;
  case TALUS_SHAPE_CAPSULE:
    return across + beyond * beyond <= square;
  case TALUS_SHAPE_CYLINDER:
    return across <= square && beyond == 0;
  case TALUS_SHAPE_BOX:
    for (int c = 0; c < 3; c++) {
      inside = inside && fabs(p[c]) <= g->half_edge[c];
    }
    return inside;
  case TALUS_SHAPE_HULL:
    for (int32_t i = 0; i < g->hull->face_count && inside; i++) {
      const double *const face = g->hull->face_plane + 4 * (size_t)i;
      inside = tl_dot3(face, p) <= face[3];
    }
    return inside;
  default:
    return false;
  }
}

/* Of a sphere the points are not needed. */
static double sphere_share(const tl_domain *d, double radius, const double centre[3]) {
  const double pi = 3.14159265358979323846;
  const double whole = d->plane ? pi * radius * radius : 4.0 / 3 * pi * radius * radius * radius;
  return tl_domain_ball_volume(d, centre, radius) / whole;
}

double tl_domain_shape_share(const tl_domain *d, const tl_geometry *geometry, const tl_pose *pose) {
  static const double step[3] = {0.8191725133961645, 0.6710436067037893, 0.5497004779019703};
  const double reach = tl_geometry_reach(geometry);
  int32_t solid = 0, inside = 0;
  if (geometry->kind == TALUS_SHAPE_SPHERE) {
    return sphere_share(d, geometry->radius, pose->position);
  }
  if (!tl_domain_meets_ball(d, pose->position, reach)) {
    return 0;
  }
  if (tl_domain_holds_ball(d, pose->position, reach)) {
    return 1;
  }
  const tl_collider at_home = {.geometry = geometry,
                               .pose = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}}};
  const tl_box box = tl_collider_box(&at_home);
  for (int k = 0; k < POINTS; k++) {
    double local[3], point[3];
    for (int c = 0; c < 3; c++) {
      const double x = 0.5 + k * step[c], part = x - floor(x);
      local[c] = box.lower[c] + part * (box.upper[c] - box.lower[c]);
    }
    local[1] = d->plane ? 0 : local[1];
    if (tl_shape_holds(geometry, local)) {
      tl_place3(point, pose, local);
      solid++;
      inside += tl_domain_contains(d, point);
    }
  }
  return solid > 0 ? (double)inside / solid : tl_domain_contains(d, pose->position);
}
