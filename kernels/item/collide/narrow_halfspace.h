/* narrow_halfspace.h: any shape against a half-space: those of its points that are nearest.
 *
 * Corners of boxes and hulls, the two ends of a capsule, the line under a lying cylinder. The rim
 * of a standing cylinder is represented by eight points fixed to it, and by its lowest point as
 * well once it tilts so far that this one is noticeably lower than the eight. */
#ifndef TL_ITEM_NARROW_HALFSPACE_H
#define TL_ITEM_NARROW_HALFSPACE_H

#include "kernels/item/ball.h"
#include "kernels/item/collide/room.h"
#include "kernels/item/collide/spread.h"

enum { TL_HALFSPACE_MOST = 8 };

TL_ITEM_LARGE void tl_halfspace_reduce(tl_halfspace_candidates *c) {
  unsigned char keep[TL_HALFSPACE_ROOM];
  if (c->count <= TL_HALFSPACE_MOST) {
    return;
  }
  const double up[3] = {0, 0, 1};
  tl_narrow_spread(up, (const double(*)[3])c->point, c->gap, c->count, TL_HALFSPACE_MOST, keep);
  int kept = 0;
  for (int k = 0; k < c->count; k++) {
    if (keep[k]) {
      tl_copy3(c->point[kept], c->point[k]);
      c->gap[kept] = c->gap[k];
      c->feature[kept++] = c->feature[k];
    }
  }
  c->count = kept;
}

/* A point of a's frame. Where too many are near, what has been found is thinned out first. */
TL_ITEM_LARGE void tl_halfspace_consider(tl_halfspace_candidates *c, const double local[3],
                                         uint32_t feature) {
  double point[3];
  tl_place3(point, &c->place, local);
  const double gap = point[2] - c->radius;
  if (!(gap < c->query->margin)) {
    return;
  }
  if (c->count == TL_HALFSPACE_ROOM) {
    tl_halfspace_reduce(c);
  }
  tl_copy3(c->point[c->count], point);
  c->gap[c->count] = gap;
  c->feature[c->count++] = feature;
}

TL_ITEM_LARGE void tl_halfspace_report(tl_halfspace_candidates *c) {
  tl_halfspace_reduce(c);
  double normal[3];
  const tl_pose *const pose = c->query->b.pose;
  tl_pose_axis(pose, normal);
  tl_scale3(normal, -1, normal);
  for (int k = 0; k < c->count; k++) {
    double point[3], world[3];
    tl_set3(point, c->point[k][0], c->point[k][1], 0.5 * c->gap[k]);
    tl_place3(world, pose, point);
    tl_pair_query_add(c->query, world, normal, c->gap[k], c->feature[k]);
  }
  return;
}

TL_ITEM_LARGE void tl_halfspace_box_corners(tl_halfspace_candidates *c, const double half[3]) {
  for (uint32_t k = 0; k < 8; k++) {
    const double corner[3] = {k & 1 ? half[0] : -half[0], k & 2 ? half[1] : -half[1],
                              k & 4 ? half[2] : -half[2]};
    tl_halfspace_consider(c, corner, k);
  }
}

TL_ITEM_LARGE void tl_halfspace_hull_corners(tl_halfspace_candidates *c, const tl_hull *hull) {
  for (int32_t k = 0; k < hull->point_count; k++) {
    tl_halfspace_consider(c, hull->point + 3 * k, (uint32_t)k);
  }
}

TL_ITEM_LARGE void tl_halfspace_capsule_ends(tl_halfspace_candidates *c,
                                             const tl_geometry *capsule) {
  for (uint32_t k = 0; k < 2; k++) {
    const double end[3] = {0, 0, k ? capsule->half_length : -capsule->half_length};
    tl_halfspace_consider(c, end, k);
  }
}

/* Eight points of the lower cap's rim. */
TL_ITEM_LARGE void tl_halfspace_cylinder_cap(tl_halfspace_candidates *c,
                                             const tl_geometry *cylinder, double z) {
  const double q = 0.70710678118654752440;
  const double rim[8][2] = {{1, 0}, {q, q}, {0, 1}, {-q, q}, {-1, 0}, {-q, -q}, {0, -1}, {q, -q}};
  for (uint32_t k = 0; k < 8; k++) {
    const double point[3] = {cylinder->radius * rim[k][0], cylinder->radius * rim[k][1], z};
    tl_halfspace_consider(c, point, 4 + k);
  }
}

TL_ITEM_LARGE void tl_halfspace_cylinder_points(tl_halfspace_candidates *c,
                                                const tl_geometry *cylinder) {
  const double *const up = c->place.rotation + 6; /* the half-space's normal in a's frame */
  const double across = sqrt(up[0] * up[0] + up[1] * up[1]);
  const double low = up[2] > 0 ? -cylinder->half_length : cylinder->half_length;
  const double r = across > 0 ? cylinder->radius / across : 0;
  const double lowest[3] = {-r * up[0], -r * up[1], low};
  const double other[3] = {-r * up[0], -r * up[1], -low};
  const bool standing = across < 0.70710678118654752440;
  if (standing) {
    tl_halfspace_cylinder_cap(c, cylinder, low);
    /* the lowest point of the rim is at most 0.076 across radius below the nearest of the eight */
    if (0.076 * across < 2e-5) {
      return;
    }
  }
  tl_halfspace_consider(c, lowest, up[2] > 0 ? 0 : 1);
  if (!standing) {
    tl_halfspace_consider(c, other, up[2] > 0 ? 1 : 0);
  }
}

TL_ITEM_LARGE void tl_halfspace_sphere(const tl_pair_query *query) {
  double outward[3];
  tl_point point;
  tl_pose_axis(query->b.pose, outward);
  tl_ball_halfspace(query->a.pose->position, query->a.geometry->radius, query->b.pose->position,
                    outward, &point);
  tl_pair_query_add(query, point.position, point.normal, point.gap, 0);
}

TL_ITEM_LARGE void tl_narrow_halfspace(const tl_pair_query *query) {
  const tl_geometry *const geometry = query->a.geometry;
  tl_halfspace_candidates *const c = &query->room->halfspace;
  if (geometry->kind == TALUS_SHAPE_SPHERE) {
    tl_halfspace_sphere(query);
    return;
  }
  c->query = query;
  c->place = tl_pose_between(query->b.pose, query->a.pose);
  c->radius = geometry->kind == TALUS_SHAPE_CAPSULE ? geometry->radius : 0;
  c->count = 0;
  switch (geometry->kind) {
  case TALUS_SHAPE_BOX:
    tl_halfspace_box_corners(c, geometry->half_edge);
    break;
  case TALUS_SHAPE_CAPSULE:
    tl_halfspace_capsule_ends(c, geometry);
    break;
  case TALUS_SHAPE_CYLINDER:
    tl_halfspace_cylinder_points(c, geometry);
    break;
  default:
    tl_halfspace_hull_corners(c, geometry->hull);
  }
  tl_halfspace_report(c);
}

#endif
