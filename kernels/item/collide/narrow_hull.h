/* narrow_hull.h: a sphere against a hull: the nearest point of its surface, face by face. */
#ifndef TL_ITEM_NARROW_HULL_H
#define TL_ITEM_NARROW_HULL_H

#include "kernels/item/collide/query.h"

typedef struct tl_hull_nearest {
  double square, outward[3];
  uint32_t feature;
} tl_hull_nearest;

TL_ITEM_LARGE void tl_ball_hull_try_point(tl_hull_nearest *best, const double centre[3],
                                          const double point[3], uint32_t feature) {
  double from[3];
  tl_sub3(from, centre, point);
  const double square = tl_dot3(from, from);
  if (square < best->square) {
    best->square = square;
    best->feature = feature;
    tl_copy3(best->outward, from);
  }
}

/* The face's own plane if the centre is over it, otherwise the edges that it is beyond. */
TL_ITEM_LARGE void tl_ball_hull_try_face(const tl_hull *hull, int32_t face, const double centre[3],
                                         double height, tl_hull_nearest *best) {
  const double *const plane = hull->face_plane + 4 * face;
  const int32_t first = hull->face_first[face], end = hull->face_first[face + 1];
  int beyond = 0;
  for (int32_t k = first; k < end; k++) {
    const int32_t i = hull->face_point[k], j = hull->face_point[k + 1 < end ? k + 1 : first];
    const double *const p = hull->point + 3 * i;
    double along[3], outward[3], from[3], point[3];
    tl_sub3(along, hull->point + 3 * j, p);
    tl_cross3(outward, along, plane);
    tl_sub3(from, centre, p);
    if (!(tl_dot3(from, outward) > 0)) {
      continue;
    }
    beyond = 1;
    const double s = tl_clamp(tl_dot3(from, along) / tl_dot3(along, along), 0, 1);
    tl_along3(point, p, s, along);
    const uint32_t low = (uint32_t)(i < j ? i : j), high = (uint32_t)(i < j ? j : i);
    tl_ball_hull_try_point(best, centre, point,
                           s > 0 && s < 1 ? tl_feature(2, low, high)
                                          : tl_feature(3, (uint32_t)(s > 0 ? j : i), 0));
  }
  if (!beyond) {
    double point[3];
    tl_along3(point, centre, -height, plane);
    tl_ball_hull_try_point(best, centre, point, tl_feature(1, (uint32_t)face, 0));
  }
}

TL_ITEM_LARGE void tl_narrow_sphere_hull(const tl_pair_query *query) {
  const tl_hull *const hull = query->b.geometry->hull;
  const double radius = query->a.geometry->radius;
  double centre[3], normal[3], on_a[3], highest = -INFINITY;
  int32_t face = 0;
  tl_unplace3(centre, query->b.pose, query->a.pose->position);
  for (int32_t f = 0; f < hull->face_count; f++) {
    const double *const plane = hull->face_plane + 4 * f;
    const double height = tl_dot3(plane, centre) - plane[3];
    if (height > highest) {
      highest = height;
      face = f;
    }
  }
  if (!(highest - radius < query->margin)) {
    return;
  }
  tl_hull_nearest best = {INFINITY, {0, 0, 0}, 0};
  for (int32_t f = 0; f < hull->face_count && highest > 0; f++) {
    const double *const plane = hull->face_plane + 4 * f;
    const double height = tl_dot3(plane, centre) - plane[3];
    if (height > 0) {
      tl_ball_hull_try_face(hull, f, centre, height, &best);
    }
  }
  double distance = highest > 0 ? tl_unit3(best.outward) : highest;
  if (!(highest > 0) || !(distance > 0)) {
    tl_copy3(best.outward, hull->face_plane + 4 * face);
    best.feature = tl_feature(1, (uint32_t)face, 0);
    distance = highest;
  }
  tl_turn3(normal, query->b.pose->rotation, best.outward);
  tl_scale3(normal, -1, normal);
  tl_along3(on_a, query->a.pose->position, radius, normal);
  tl_pair_query_add_from(query, on_a, normal, distance - radius, best.feature);
}

#endif
