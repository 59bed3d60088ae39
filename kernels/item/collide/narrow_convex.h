/* narrow_convex.h: contact points of two convex solids: normal first, then points.
 *
 * The normal is the direction of largest separation. Overlapping solids have it from faces and
 * edges; where solids are apart these give a lower bound, which the points found along it confirm
 * or not: if not, corners face each other and the distance gives the normal. Along the normal that
 * is reported the smallest gap is always that of the two solids. */
#ifndef TL_ITEM_NARROW_CONVEX_H
#define TL_ITEM_NARROW_CONVEX_H

#include "kernels/item/collide/clip.h"
#include "kernels/item/collide/narrow_cylinder.h"
#include "kernels/item/collide/narrow_flat.h"

TL_ITEM_LARGE double tl_convex_least_gap(const tl_manifold *m) {
  double least = INFINITY;
  for (int k = 0; k < m->count; k++) {
    least = tl_min(least, m->gap[k]);
  }
  return least;
}

TL_ITEM_LARGE bool tl_convex_same_axis(const tl_separating_axis *a, const tl_separating_axis *b) {
  return a->kind == b->kind && a->index_a == b->index_a && a->index_b == b->index_b &&
         a->separation == b->separation;
}

typedef enum tl_convex_look {
  TL_LOOK_SAME,   /* the axis known is that of the distance */
  TL_LOOK_BETTER, /* it was not, and has been replaced */
  TL_LOOK_DENIED, /* it was not, but the mesh does not allow the better one */
  TL_LOOK_FAR     /* too far apart for a contact */
} tl_convex_look;

/* Solids that are apart, and perhaps not just along the axis found. */
TL_ITEM_LARGE tl_convex_look tl_convex_look_between(tl_axis_search *search) {
  tl_separating_axis axis;
  const double preference = 0.05 * search->tolerance;
  if (!tl_axis_search_closest(search, &axis)) {
    return TL_LOOK_SAME;
  }
  if (axis.separation > search->enough) {
    return TL_LOOK_FAR;
  }
  if (!(axis.separation > search->any.separation + preference)) {
    return TL_LOOK_SAME;
  }
  tl_axis_search_consider(search, &axis, preference);
  return tl_convex_same_axis(&axis, &search->allowed) ? TL_LOOK_BETTER : TL_LOOK_DENIED;
}

/* The mesh does not allow the normal at this triangle: a neighbour is nearer. What lies over the
 * triangle itself is a contact with its face; but not if the solid would have to be moved along it
 * by more than its size, out of proportion to how it overlaps. */
TL_ITEM_LARGE void tl_convex_over_own_face(const tl_axis_search *search, tl_manifold *m) {
  tl_separating_axis axis = {TL_AXIS_FACE_A, 0, -1, {0, 0, 0}, -INFINITY};
  const double size = search->b->size;
  for (int32_t f = 0; f < 2; f++) {
    const double separation = tl_axis_search_separation(search, search->a->plane + 4 * f);
    if (separation > axis.separation) {
      axis.index_a = f;
      axis.separation = separation;
      tl_copy3(axis.normal, search->a->plane + 4 * f);
    }
  }
  m->count = 0;
  if (axis.separation > -size || search->any.separation < axis.separation + size) {
    tl_clip_manifold(search, &axis, search->enough, 0, NULL, m);
  }
}

/* Faces that lie almost flat on each other, or a face that the normal almost belongs to: contacts
 * of faces, although by a hair an edge or corner is nearer. Boxes at rest would otherwise keep
 * changing between one point and four. */
TL_ITEM_LARGE bool tl_convex_try_flat(const tl_axis_search *search, tl_manifold *m) {
  tl_separating_axis axis;
  if (!tl_axis_search_flat(search, &search->allowed, &axis)) {
    return false;
  }
  const double tolerance = 0.05 * tl_min(search->a->size, search->b->size);
  tl_clip_manifold(search, &axis, search->enough, 0, NULL, m);
  return m->count > 0 && tl_convex_least_gap(m) <= search->allowed.separation + tolerance;
}

/* Points over a face at the distance found prove it; lines may meet beyond their ends. */
TL_ITEM_LARGE bool tl_convex_is_proved(const tl_axis_search *search, tl_manifold *m) {
  if (search->allowed.kind > TL_AXIS_FACE_B) {
    return false;
  }
  tl_clip_manifold(search, &search->allowed, search->enough, 0, NULL, m);
  return tl_convex_least_gap(m) <= search->allowed.separation + 0.05 * search->tolerance;
}

/* The best axis is known and allowed. */
TL_ITEM_LARGE void tl_convex_points_along(tl_axis_search *search, tl_manifold *m) {
  tl_convex_look found = TL_LOOK_SAME;
  if (tl_convex_try_flat(search, m)) {
    return;
  }
  if (search->allowed.separation > 0) {
    if (tl_convex_is_proved(search, m)) {
      return;
    }
    m->count = 0;
    found = tl_convex_look_between(search);
    if (found == TL_LOOK_FAR || (found == TL_LOOK_BETTER && tl_convex_try_flat(search, m))) {
      return;
    }
  }
  if (found == TL_LOOK_DENIED) {
    tl_convex_over_own_face(search, m);
  } else {
    tl_clip_manifold(search, &search->allowed, search->enough, 1,
                     search->allowed.kind == TL_AXIS_OTHER && search->closest_known > 0
                         ? &search->closest
                         : NULL,
                     m);
  }
}

TL_ITEM_LARGE void tl_narrow_solids(tl_axis_search *search, double margin, tl_manifold *m) {
  m->count = 0;
  search->enough = margin + search->a->rounding + search->b->rounding;
  search->tolerance = 2e-5 * tl_min(search->a->size, search->b->size);
  search->any.kind = search->allowed.kind = TL_AXIS_NONE;
  search->closest_known = 0;
  const bool near = search->a->is_cylinder || search->b->is_cylinder
                        ? tl_axis_search_cylinder(search)
                        : tl_axis_search_polyhedra(search);
  if (!near || search->any.kind == TL_AXIS_NONE) {
    return;
  }
  if (tl_convex_same_axis(&search->any, &search->allowed)) {
    tl_convex_points_along(search, m);
  } else {
    tl_convex_over_own_face(search, m);
  }
}

TL_ITEM_LARGE void tl_narrow_report(const tl_pair_query *query, const tl_axis_search *search,
                                    tl_manifold *m) {
  const tl_pose *const pose = query->a.pose;
  const double rounding = search->a->rounding + search->b->rounding;
  double normal[3];
  tl_turn3(normal, pose->rotation, m->normal);
  for (int k = 0; k < m->count; k++) {
    double on_a[3];
    /* names within a pair differ, whatever they were made from */
    for (int j = 0; j < k; j++) {
      if (m->feature[j] == m->feature[k]) {
        m->feature[k]++;
        j = -1;
      }
    }
    tl_place3(on_a, pose, m->point[k]);
    tl_along3(on_a, on_a, search->a->rounding, normal);
    tl_pair_query_add_from(query, on_a, normal, m->gap[k] - rounding, m->feature[k]);
  }
  return;
}

TL_ITEM_LARGE void tl_narrow_convex(const tl_pair_query *query) {
  tl_solid a, b;
  tl_axis_search search;
  tl_manifold manifold;
  tl_solid_make(&a, query->a.geometry);
  tl_solid_make(&b, query->b.geometry);
  search.a = &a;
  search.b = &b;
  search.place = tl_pose_between(query->a.pose, query->b.pose);
  search.mesh = NULL;
  search.triangle = -1;
  search.room = &query->room->clip;
  tl_narrow_solids(&search, query->margin, &manifold);
  tl_narrow_report(query, &search, &manifold);
}

#endif
