/* narrow_axis.h: the direction along which two polyhedra are farthest apart, or overlap least.
 *
 * Only face normals and cross products of edges can be that direction (where it is that of two
 * corners, or of a corner and an edge, the solids are apart and gjk.h finds it). Of the pairs of
 * edges only those matter whose ranges of normals cross: then both edges are farthest along their
 * product, and the separation follows from one point of each. */
#ifndef TL_ITEM_NARROW_AXIS_H
#define TL_ITEM_NARROW_AXIS_H

#include "kernels/item/collide/axis_search.h"
#include "kernels/item/collide/mesh_edge.h"

/* Whether a contact of the mesh's triangle may have this normal. */
TL_ITEM_LARGE bool tl_axis_is_allowed(const tl_axis_search *search, const double normal[3]) {
  if (search->mesh == NULL) {
    return true;
  }
  const double *const point = search->a->point;
  double height[3], low = INFINITY, high = -INFINITY, spread = 0;
  for (int k = 0; k < 3; k++) {
    double apart[3];
    height[k] = tl_dot3(normal, point + 3 * k);
    low = tl_min(low, height[k]);
    high = tl_max(high, height[k]);
    tl_sub3(apart, point + 3 * k, point + 3 * ((k + 1) % 3));
    spread = tl_max(spread, tl_dot3(apart, apart));
  }
  const double tolerance = 1e-6 * sqrt(spread);
  int corner[3], count = 0;
  for (int k = 0; k < 3; k++) {
    if (high - height[k] <= tolerance) {
      corner[count++] = k;
    }
  }
  return tl_mesh_is_peak(search->mesh, search->triangle, corner, count, normal);
}

/* Takes the axis if its separation is larger than the best so far by more than the preference. */
TL_ITEM_LARGE void tl_axis_search_consider(tl_axis_search *search, const tl_separating_axis *axis,
                                           double preference) {
  if (axis->separation > search->any.separation + preference || search->any.kind == TL_AXIS_NONE) {
    search->any = *axis;
  }
  if ((axis->separation > search->allowed.separation + preference ||
       search->allowed.kind == TL_AXIS_NONE) &&
      tl_axis_is_allowed(search, axis->normal)) {
    search->allowed = *axis;
  }
}

/* The separation along a unit direction of a's frame. */
TL_ITEM_LARGE double tl_axis_search_separation(const tl_axis_search *search,
                                               const double normal[3]) {
  double local[3], point[3];
  int32_t index;
  const double on_a = tl_solid_support(search->a, normal, point, &index);
  tl_turn_back3(local, search->place.rotation, normal);
  tl_scale3(local, -1, local);
  const double on_b = tl_solid_support(search->b, local, point, &index);
  return tl_dot3(normal, search->place.position) - on_b - on_a;
}

/* The axis of the distance, if the solids are apart; looks once. */
TL_ITEM_LARGE bool tl_axis_search_closest(tl_axis_search *search, tl_separating_axis *axis) {
  tl_closest *const closest = &search->closest;
  if (search->closest_known == 0) {
    const bool apart = tl_gjk_distance(search->a, search->b, &search->place, search->any.normal,
                                       search->enough, closest);
    search->closest_known = apart ? 1 : -1;
  }
  axis->kind = TL_AXIS_OTHER;
  axis->index_a = axis->index_b = -1;
  tl_sub3(axis->normal, closest->on_b, closest->on_a);
  if (search->closest_known < 0 || !(tl_unit3(axis->normal) > 0)) {
    return false;
  }
  axis->separation = tl_axis_search_separation(search, axis->normal);
  return true;
}

TL_ITEM_LARGE bool tl_axis_faces_of_a(tl_axis_search *search) {
  for (int32_t f = 0; f < search->a->face_count; f++) {
    tl_separating_axis axis = {TL_AXIS_FACE_A, f, -1, {0, 0, 0}, 0};
    double local[3], point[3];
    int32_t index;
    const double *const plane = search->a->plane + 4 * f;
    tl_copy3(axis.normal, plane);
    tl_turn_back3(local, search->place.rotation, plane);
    tl_scale3(local, -1, local);
    axis.separation = tl_dot3(plane, search->place.position) -
                      tl_solid_support(search->b, local, point, &index) - plane[3];
    if (axis.separation > search->enough) {
      return false;
    }
    tl_axis_search_consider(search, &axis, 0);
  }
  return true;
}

TL_ITEM_LARGE bool tl_axis_faces_of_b(tl_axis_search *search) {
  tl_axis_search of_b = *search;
  of_b.any.kind = of_b.allowed.kind = TL_AXIS_NONE;
  for (int32_t f = 0; f < search->b->face_count; f++) {
    tl_separating_axis axis = {TL_AXIS_FACE_B, -1, f, {0, 0, 0}, 0};
    double outward[3], point[3];
    int32_t index;
    const double *const plane = search->b->plane + 4 * f;
    tl_turn3(outward, search->place.rotation, plane);
    tl_scale3(axis.normal, -1, outward);
    axis.separation = tl_dot3(axis.normal, search->place.position) - plane[3] -
                      tl_solid_support(search->a, axis.normal, point, &index);
    if (axis.separation > search->enough) {
      return false;
    }
    tl_axis_search_consider(&of_b, &axis, 0);
  }
  if (of_b.any.kind != TL_AXIS_NONE) {
    tl_axis_search_consider(search, &of_b.any, search->tolerance);
  }
  if (of_b.allowed.kind != TL_AXIS_NONE) {
    tl_axis_search_consider(search, &of_b.allowed, search->tolerance);
  }
  return true;
}

/* An edge of b in a's frame; its sides turned inwards, as directions from a to b. */
typedef struct tl_far_edge {
  double point[3], along[3], side[2][3];
} tl_far_edge;

TL_ITEM_LARGE tl_far_edge tl_axis_edge_of_b(const tl_axis_search *search, int32_t k) {
  const tl_solid *const b = search->b;
  tl_far_edge edge;
  double local[3];
  const double *const p = b->point + 3 * b->edge[2 * k];
  tl_place3(edge.point, &search->place, p);
  tl_sub3(local, b->point + 3 * b->edge[2 * k + 1], p);
  tl_turn3(edge.along, search->place.rotation, local);
  for (int i = 0; i < 2; i++) {
    tl_turn3(edge.side[i], search->place.rotation, b->plane + 4 * b->edge_side[2 * k + i]);
    tl_scale3(edge.side[i], -1, edge.side[i]);
  }
  return edge;
}

/* The common normal of the edges, if it is outward for both. */
TL_ITEM_LARGE bool tl_axis_edges_cross(const tl_solid *a, int32_t k, const tl_far_edge *edge,
                                       tl_separating_axis *axis) {
  const double *const p = a->point + 3 * a->edge[2 * k];
  const double *const side0 = a->plane + 4 * a->edge_side[2 * k];
  const double *const side1 = a->plane + 4 * a->edge_side[2 * k + 1];
  double along[3], from[3], sum[3];
  tl_sub3(along, a->point + 3 * a->edge[2 * k + 1], p);
  if (tl_dot3(edge->side[0], along) * tl_dot3(edge->side[1], along) > 0 ||
      tl_dot3(side0, edge->along) * tl_dot3(side1, edge->along) > 0) {
    return false;
  }
  tl_cross3(axis->normal, along, edge->along);
  const double turned = tl_dot3(axis->normal, axis->normal);
  if (!(turned > 1e-12 * tl_dot3(along, along) * tl_dot3(edge->along, edge->along))) {
    return false;
  }
  tl_along3(sum, side0, 1, side1);
  tl_scale3(axis->normal, (tl_dot3(axis->normal, sum) < 0 ? -1 : 1) / sqrt(turned), axis->normal);
  tl_along3(sum, edge->side[0], 1, edge->side[1]);
  if (!(tl_dot3(axis->normal, sum) > 0)) {
    return false;
  }
  tl_sub3(from, edge->point, p);
  axis->separation = tl_dot3(axis->normal, from);
  return true;
}

TL_ITEM_LARGE bool tl_axis_pairs_of_edges(tl_axis_search *search) {
  tl_axis_search of_edges = *search;
  of_edges.any.kind = of_edges.allowed.kind = TL_AXIS_NONE;
  for (int32_t j = 0; j < search->b->edge_count; j++) {
    const tl_far_edge edge = tl_axis_edge_of_b(search, j);
    for (int32_t i = 0; i < search->a->edge_count; i++) {
      tl_separating_axis axis = {TL_AXIS_EDGES, i, j, {0, 0, 0}, 0};
      if (!tl_axis_edges_cross(search->a, i, &edge, &axis)) {
        continue;
      }
      if (axis.separation > search->enough &&
          tl_axis_search_separation(search, axis.normal) > search->enough) {
        return false;
      }
      tl_axis_search_consider(&of_edges, &axis, 0);
    }
  }
  /* edges that are nearly parallel give poor normals: what counts is what holds for all points */
  if (of_edges.any.kind != TL_AXIS_NONE) {
    of_edges.any.separation = tl_axis_search_separation(search, of_edges.any.normal);
    tl_axis_search_consider(search, &of_edges.any, search->tolerance);
  }
  if (of_edges.allowed.kind != TL_AXIS_NONE) {
    of_edges.allowed.separation = tl_axis_search_separation(search, of_edges.allowed.normal);
    tl_axis_search_consider(search, &of_edges.allowed, search->tolerance);
  }
  return true;
}

/* Sets any and allowed; false if the solids are farther apart than `enough`. */
TL_ITEM_LARGE bool tl_axis_search_polyhedra(tl_axis_search *search) {
  return tl_axis_faces_of_a(search) && tl_axis_faces_of_b(search) && tl_axis_pairs_of_edges(search);
}

#endif
