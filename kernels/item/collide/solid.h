/* solid.h: convex shapes as the general narrow-phase sees them, in their own frame, and their
 * farthest points. */
#ifndef TL_ITEM_SOLID_H
#define TL_ITEM_SOLID_H

#include <string.h>

#include "kernels/item/collide/query.h"

/* A polyhedron, perhaps flat (a triangle) or thin (a capsule's segment), or a cylinder; `rounding`
 * is wrapped around it. The sides of an edge are two unit normals between which the outward normals
 * along that edge lie: faces, or for flat and thin solids directions made up so that less than half
 * a turn lies between them. A solid may point into itself: it is not to be copied. */
typedef struct tl_solid {
  bool is_cylinder;
  double radius, half_length; /* cylinder */
  double rounding;
  double size; /* scale of tolerances */
  int32_t point_count, face_count, edge_count;
  const double *point, *plane; /* plane: faces first, then made-up sides; [4] each */
  const int32_t *face_first, *face_point, *edge, *edge_side;
  double own_point[24], own_plane[24];
} tl_solid;

/* Corner k of a box has x > 0 if bit 0 is set, y if bit 1, z if bit 2; faces -x +x -y +y -z +z. */
TL_ITEM_TABLE int32_t tl_box_face_first[7] = {0, 4, 8, 12, 16, 20, 24};
TL_ITEM_TABLE int32_t tl_box_face_point[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4,
                                               2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
TL_ITEM_TABLE int32_t tl_box_edge[24] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3,
                                         4, 6, 5, 7, 0, 4, 1, 5, 2, 6, 3, 7};
TL_ITEM_TABLE int32_t tl_box_edge_side[24] = {2, 4, 3, 4, 2, 5, 3, 5, 0, 4, 1, 4,
                                              0, 5, 1, 5, 0, 2, 1, 2, 0, 3, 1, 3};

/* The one edge of a segment has all directions around it, in four quarters. */
TL_ITEM_TABLE int32_t tl_segment_edge[8] = {0, 1, 0, 1, 0, 1, 0, 1};
TL_ITEM_TABLE int32_t tl_segment_edge_side[8] = {0, 1, 1, 2, 2, 3, 3, 0};

/* A triangle has a front, a back, and between them a side per edge. */
TL_ITEM_TABLE int32_t tl_triangle_face_first[3] = {0, 3, 6};
TL_ITEM_TABLE int32_t tl_triangle_face_point[6] = {0, 1, 2, 0, 2, 1};
TL_ITEM_TABLE int32_t tl_triangle_edge[12] = {0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2, 0};
TL_ITEM_TABLE int32_t tl_triangle_edge_side[12] = {0, 2, 0, 3, 0, 4, 2, 1, 3, 1, 4, 1};

TL_ITEM_LARGE void tl_solid_make_box(tl_solid *s, const double half[3]) {
  for (int k = 0; k < 8; k++) {
    tl_set3(s->own_point + 3 * k, k & 1 ? half[0] : -half[0], k & 2 ? half[1] : -half[1],
            k & 4 ? half[2] : -half[2]);
  }
  for (int f = 0; f < 6; f++) {
    double *const plane = s->own_plane + 4 * f;
    memset(plane, 0, 4 * sizeof *plane);
    plane[f / 2] = f & 1 ? 1 : -1;
    plane[3] = half[f / 2];
  }
  s->point_count = 8;
  s->face_count = 6;
  s->edge_count = 12;
  s->face_first = tl_box_face_first;
  s->face_point = tl_box_face_point;
  s->edge = tl_box_edge;
  s->edge_side = tl_box_edge_side;
  s->size = tl_min(half[0], tl_min(half[1], half[2]));
}

TL_ITEM_LARGE void tl_solid_make_segment(tl_solid *s, double half_length, double radius) {
  tl_set3(s->own_point, 0, 0, -half_length);
  tl_set3(s->own_point + 3, 0, 0, half_length);
  for (int k = 0; k < 4; k++) {
    double *const plane = s->own_plane + 4 * k;
    memset(plane, 0, 4 * sizeof *plane);
    plane[k & 1] = k < 2 ? 1 : -1;
  }
  s->point_count = half_length > 0 ? 2 : 1;
  s->edge_count = half_length > 0 ? 4 : 0;
  s->edge = tl_segment_edge;
  s->edge_side = tl_segment_edge_side;
  s->rounding = s->size = radius;
}

TL_ITEM_LARGE void tl_solid_make_hull(tl_solid *s, const tl_hull *hull, double size) {
  s->point_count = hull->point_count;
  s->face_count = hull->face_count;
  s->edge_count = hull->edge_count;
  s->point = hull->point;
  s->plane = hull->face_plane;
  s->face_first = hull->face_first;
  s->face_point = hull->face_point;
  s->edge = hull->edge;
  s->edge_side = hull->edge_face;
  s->size = size;
}

TL_ITEM_LARGE void tl_solid_clear(tl_solid *s) {
  s->is_cylinder = 0;
  s->radius = s->half_length = s->rounding = s->size = 0;
  s->point_count = s->face_count = s->edge_count = 0;
  s->point = s->own_point;
  s->plane = s->own_plane;
  s->face_first = s->face_point = s->edge = s->edge_side = NULL;
}

/* Box, capsule, cylinder or hull. */
TL_ITEM_LARGE void tl_solid_make(tl_solid *s, const tl_geometry *g) {
  tl_solid_clear(s);
  if (g->kind == TALUS_SHAPE_BOX) {
    tl_solid_make_box(s, g->half_edge);
  } else if (g->kind == TALUS_SHAPE_CAPSULE) {
    tl_solid_make_segment(s, g->half_length, g->radius);
  } else if (g->kind == TALUS_SHAPE_HULL) {
    tl_solid_make_hull(s, g->hull, g->radius);
  } else {
    s->is_cylinder = 1;
    s->radius = g->radius;
    s->half_length = g->half_length;
    s->size = tl_min(g->radius, g->half_length);
  }
}

TL_ITEM_LARGE void tl_solid_triangle(tl_solid *s, const tl_mesh *mesh, int32_t triangle) {
  const double *const normal = mesh->normal + 3 * triangle;
  tl_solid_clear(s);
  for (int k = 0; k < 3; k++) {
    tl_copy3(s->own_point + 3 * k, mesh->point + 3 * mesh->triangle[3 * triangle + k]);
  }
  tl_copy3(s->own_plane, normal);
  tl_scale3(s->own_plane + 4, -1, normal);
  s->own_plane[3] =
      tl_max(tl_dot3(normal, s->own_point),
             tl_max(tl_dot3(normal, s->own_point + 3), tl_dot3(normal, s->own_point + 6)));
  s->own_plane[7] =
      -tl_min(tl_dot3(normal, s->own_point),
              tl_min(tl_dot3(normal, s->own_point + 3), tl_dot3(normal, s->own_point + 6)));
  for (int k = 0; k < 3; k++) {
    double along[3], *const plane = s->own_plane + 8 + 4 * k;
    tl_sub3(along, s->own_point + 3 * ((k + 1) % 3), s->own_point + 3 * k);
    tl_cross3(plane, along, normal);
    tl_unit3(plane);
    plane[3] = tl_dot3(plane, s->own_point + 3 * k);
  }
  s->point_count = 3;
  s->face_count = 2;
  s->edge_count = 6;
  s->face_first = tl_triangle_face_first;
  s->face_point = tl_triangle_face_point;
  s->edge = tl_triangle_edge;
  s->edge_side = tl_triangle_edge_side;
  s->size = INFINITY; /* the other solid's size counts */
}

/* The farthest point of a cylinder's rim; the cap's middle if the direction is the axis. */
TL_ITEM_LARGE void tl_solid_cylinder_rim(const tl_solid *s, const double direction[3],
                                         double point[3]) {
  const double across = sqrt(direction[0] * direction[0] + direction[1] * direction[1]);
  const double r = across > 0 ? s->radius / across : 0;
  tl_set3(point, r * direction[0], r * direction[1],
          direction[2] >= 0 ? s->half_length : -s->half_length);
}

/* The largest of direction . x over the solid without its rounding; point: where; index: the corner
 * (the lowest of equals), 0 for cylinders. */
TL_ITEM_LARGE double tl_solid_support(const tl_solid *s, const double direction[3], double point[3],
                                      int32_t *index) {
  if (s->is_cylinder) {
    const double across = sqrt(direction[0] * direction[0] + direction[1] * direction[1]);
    tl_solid_cylinder_rim(s, direction, point);
    *index = 0;
    return s->radius * across + s->half_length * fabs(direction[2]);
  }
  double best = tl_dot3(direction, s->point);
  int32_t at = 0;
  for (int32_t k = 1; k < s->point_count; k++) {
    const double height = tl_dot3(direction, s->point + 3 * k);
    if (height > best) {
      best = height;
      at = k;
    }
  }
  tl_copy3(point, s->point + 3 * at);
  *index = at;
  return best;
}

TL_ITEM_LARGE int tl_solid_cylinder_line(const tl_solid *s, const double direction[3],
                                         double end[2][3], uint32_t *name) {
  tl_solid_cylinder_rim(s, direction, end[0]);
  *name = direction[2] >= 0 ? 1 : 2;
  if (fabs(direction[2]) > 0.02) {
    return 1;
  }
  end[0][2] = -s->half_length;
  tl_set3(end[1], end[0][0], end[0][1], s->half_length);
  *name = 0;
  return 2;
}

/* The edge of the solid that is farthest in the direction, if it is square to it within a hundredth
 * or so: 2 and its ends; otherwise 1 and the farthest point. name: of the feature. */
TL_ITEM_LARGE int tl_solid_line(const tl_solid *s, const double direction[3], double end[2][3],
                                uint32_t *name) {
  if (s->is_cylinder) {
    return tl_solid_cylinder_line(s, direction, end, name);
  }
  int32_t at, found = -1;
  double least = 0.02;
  tl_solid_support(s, direction, end[0], &at);
  for (int32_t k = 0; k < s->edge_count; k++) {
    const int32_t p = s->edge[2 * k], q = s->edge[2 * k + 1];
    if (p != at && q != at) {
      continue;
    }
    double along[3];
    tl_sub3(along, s->point + 3 * q, s->point + 3 * p);
    const double slope = fabs(tl_dot3(along, direction)) / tl_norm3(along);
    if (slope < least) {
      least = slope;
      found = k;
    }
  }
  *name = tl_feature(1, (uint32_t)at, 0);
  if (found < 0) {
    return 1;
  }
  const int32_t p = s->edge[2 * found], q = s->edge[2 * found + 1];
  tl_copy3(end[0], s->point + 3 * p);
  tl_copy3(end[1], s->point + 3 * q);
  *name = tl_feature(2, (uint32_t)p, (uint32_t)q);
  return 2;
}

#endif
