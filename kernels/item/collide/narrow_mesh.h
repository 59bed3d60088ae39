/* narrow_mesh.h: a convex shape against a mesh, triangle by triangle.
 *
 * Both sides of a triangle are walls. Contacts at flat or hollow edges are dropped or turned to the
 * face's normal (mesh_edge.h), so that things roll and slide over a floor of triangles as over a
 * plane. What several triangles say about one place is said once. */
#ifndef TL_ITEM_NARROW_MESH_H
#define TL_ITEM_NARROW_MESH_H

#include "kernels/item/collide/bounds.h"
#include "kernels/item/collide/mesh_walk.h"
#include "kernels/item/collide/narrow_convex.h"

/* Nearest point of the segment p q to the point x, as a parameter. */
TL_ITEM_LARGE double tl_near_mesh_nearest_on_segment(const double x[3], const double p[3],
                                                     const double q[3], double out[3]) {
  double along[3], from[3];
  tl_sub3(along, q, p);
  tl_sub3(from, x, p);
  const double s = tl_clamp(tl_dot3(from, along) / tl_dot3(along, along), 0, 1);
  tl_along3(out, p, s, along);
  return s;
}

/* Which corners the nearest point of the triangle to x lies between, and that point. */
TL_ITEM_LARGE int tl_near_mesh_nearest_on_triangle(const double x[3], const double *const p[3],
                                                   const double normal[3], int corner[3],
                                                   double nearest[3]) {
  double best = INFINITY, from[3];
  int count = 3, outside = 0;
  corner[0] = 0;
  corner[1] = 1;
  corner[2] = 2;
  tl_copy3(nearest, p[0]);
  for (int k = 0; k < 3; k++) {
    const double *const here = p[k], *const next = p[(k + 1) % 3];
    double along[3], outward[3], point[3], apart[3];
    tl_sub3(along, next, here);
    tl_cross3(outward, along, normal);
    tl_sub3(from, x, here);
    if (!(tl_dot3(from, outward) > 0)) {
      continue;
    }
    outside = 1;
    const double s = tl_near_mesh_nearest_on_segment(x, here, next, point);
    tl_sub3(apart, x, point);
    const double square = tl_dot3(apart, apart);
    if (square < best) {
      best = square;
      tl_copy3(nearest, point);
      corner[0] = s < 1 ? k : (k + 1) % 3;
      corner[1] = (k + 1) % 3;
      count = s > 0 && s < 1 ? 2 : 1;
    }
  }
  if (!outside) {
    tl_sub3(from, x, p[0]);
    tl_along3(nearest, x, -tl_dot3(from, normal), normal);
  }
  return count;
}

TL_ITEM_LARGE uint32_t tl_near_mesh_feature_of(const int32_t *triangle, int32_t index,
                                               const int corner[3], int count) {
  if (count == 3) {
    return tl_feature(11, (uint32_t)index, 0);
  }
  const uint32_t u = (uint32_t)triangle[corner[0]];
  if (count == 1) {
    return tl_feature(13, u, 0);
  }
  const uint32_t v = (uint32_t)triangle[corner[1]];
  return tl_feature(12, u < v ? u : v, u < v ? v : u);
}

/* The sphere's centre is in the mesh's frame. */
TL_ITEM_LARGE void tl_near_mesh_sphere_triangle(const tl_pair_query *query, const double centre[3],
                                                int32_t index) {
  const tl_mesh *const mesh = query->b.geometry->mesh;
  const int32_t *const t = mesh->triangle + 3 * index;
  const double *const p[3] = {mesh->point + 3 * t[0], mesh->point + 3 * t[1],
                              mesh->point + 3 * t[2]};
  const double *const face = mesh->normal + 3 * index;
  const double radius = query->a.geometry->radius;
  int corner[3];
  double nearest[3], outward[3], normal[3], on_a[3];
  const int count = tl_near_mesh_nearest_on_triangle(centre, p, face, corner, nearest);
  tl_sub3(outward, centre, nearest);
  const double distance = tl_unit3(outward);
  if (!(distance - radius < query->margin)) {
    return;
  }
  if (count == 3) {
    /* the face's own normal, on the side where the centre is: no rounding when the gap is small */
    double from[3];
    tl_sub3(from, centre, p[0]);
    tl_scale3(outward, tl_dot3(from, face) < 0 ? -1 : 1, face);
  } else if (!(distance > 0)) {
    tl_copy3(outward, face);
  } else if (!tl_mesh_is_peak(mesh, index, corner, count, outward)) {
    return;
  }
  tl_turn3(normal, query->b.pose->rotation, outward);
  tl_scale3(normal, -1, normal);
  tl_along3(on_a, query->a.pose->position, radius, normal);
  tl_pair_query_add_from(query, on_a, normal, distance - radius,
                         tl_near_mesh_feature_of(t, index, corner, count));
}

/* The collider's box in the frame of the mesh, enlarged by the margin. */
TL_ITEM_LARGE tl_mesh_walk tl_near_mesh_walk_around(const tl_pair_query *query) {
  const tl_pose seen = tl_pose_between(query->b.pose, query->a.pose);
  tl_box box = tl_bounds(query->a.geometry, &seen);
  for (int i = 0; i < 3; i++) {
    box.lower[i] -= query->margin;
    box.upper[i] += query->margin;
  }
  return tl_mesh_walk_begin(query->b.geometry->mesh, &box);
}

/* How far two points are apart across the normal of the first; INFINITY if the normals differ. */
TL_ITEM_LARGE double tl_near_mesh_apart_across(const tl_contact_point *p, const tl_contact_point *q,
                                               double same_normal) {
  double turned[3], from[3];
  tl_sub3(turned, p->normal, q->normal);
  if (tl_dot3(turned, turned) > same_normal * same_normal) {
    return INFINITY;
  }
  tl_sub3(from, p->position, q->position);
  tl_along3(from, from, -tl_dot3(from, p->normal), p->normal);
  return tl_norm3(from);
}

/* Of points that say the same, the deepest stays. */
TL_ITEM_LARGE void tl_near_mesh_drop_repeats(tl_point_list *list, int64_t first, double same_normal,
                                             double same_place) {
  int64_t kept = first;
  for (int64_t k = first; k < list->count; k++) {
    int64_t j = first;
    while (j < kept && !(tl_near_mesh_apart_across(&list->point[j], &list->point[k], same_normal) <=
                         same_place)) {
      j++;
    }
    if (j == kept) {
      list->point[kept++] = list->point[k];
    } else if (list->point[k].gap < list->point[j].gap) {
      list->point[j] = list->point[k];
    }
  }
  list->count = kept;
}

TL_ITEM_LARGE void tl_narrow_sphere_mesh(const tl_pair_query *query) {
  tl_mesh_walk walk = tl_near_mesh_walk_around(query);
  double centre[3];
  const int64_t first = query->list->count;
  tl_unplace3(centre, query->b.pose, query->a.pose->position);
  for (int32_t k = tl_mesh_next(&walk); k >= 0; k = tl_mesh_next(&walk)) {
    tl_near_mesh_sphere_triangle(query, centre, k);
  }
  tl_near_mesh_drop_repeats(query->list, first, 1e-5, 1e-5 * query->a.geometry->radius);
  return;
}

/* Marks of points while groups are thinned out; kept in the field `spherical`, which is 0 here. */
enum { TL_MARK_OPEN = 0, TL_MARK_MEMBER = 1, TL_MARK_DONE = 2, TL_MARK_DROPPED = 3 };

/* Of the open points with the normal of point[seed], keeps a few that span the rest. */
TL_ITEM_LARGE void tl_near_mesh_thin_group(tl_contact_point *point, int64_t count, int64_t seed) {
  double direction[8][3];
  int64_t best[9];
  tl_narrow_compass(point[seed].normal, direction);
  for (int d = 0; d < 9; d++) {
    best[d] = seed;
  }
  for (int64_t k = count - 1; k >= seed; k--) {
    if (point[k].spherical != TL_MARK_OPEN ||
        !(tl_near_mesh_apart_across(&point[seed], &point[k], 1e-3) < INFINITY)) {
      continue;
    }
    point[k].spherical = TL_MARK_MEMBER;
    for (int d = 0; d < 8; d++) {
      if (tl_dot3(direction[d], point[k].position) >
          tl_dot3(direction[d], point[best[d + 1]].position)) {
        best[d + 1] = k;
      }
    }
    if (point[k].gap < point[best[0]].gap) {
      best[0] = k;
    }
  }
  for (int d = 0, kept = 0; d < 9 && kept < TL_CLIP_MOST; d++) {
    kept += point[best[d]].spherical == TL_MARK_MEMBER;
    point[best[d]].spherical = TL_MARK_DONE;
  }
  for (int64_t k = seed; k < count; k++) {
    if (point[k].spherical == TL_MARK_MEMBER) {
      point[k].spherical = TL_MARK_DROPPED;
    }
  }
}

TL_ITEM_LARGE void tl_near_mesh_thin_out(tl_point_list *list, int64_t first) {
  const int64_t count = list->count - first;
  if (count <= TL_CLIP_MOST) {
    return;
  }
  tl_contact_point *const point = list->point + first;
  for (int64_t k = 0; k < count; k++) {
    if (point[k].spherical == TL_MARK_OPEN) {
      tl_near_mesh_thin_group(point, count, k);
    }
  }
  int64_t kept = 0;
  for (int64_t k = 0; k < count; k++) {
    if (point[k].spherical == TL_MARK_DONE) {
      point[kept] = point[k];
      point[kept++].spherical = 0;
    }
  }
  list->count = first + kept;
}

/* Names of different triangles' points may coincide. */
TL_ITEM_LARGE void tl_near_mesh_name_apart(tl_point_list *list, int64_t first) {
  for (int64_t k = first; k < list->count; k++) {
    for (int64_t j = first; j < k; j++) {
      if (list->point[j].feature == list->point[k].feature) {
        list->point[k].feature++;
        j = first - 1;
      }
    }
  }
}

TL_ITEM_LARGE void tl_narrow_convex_mesh(const tl_pair_query *query) {
  tl_pair_query turned = *query;
  tl_solid triangle, convex;
  tl_axis_search search;
  tl_manifold manifold;
  turned.a = query->b;
  turned.b = query->a;
  turned.flipped = !query->flipped;
  tl_solid_make(&convex, query->a.geometry);
  search.a = &triangle;
  search.b = &convex;
  search.place = tl_pose_between(query->b.pose, query->a.pose);
  search.mesh = query->b.geometry->mesh;
  search.room = &query->room->clip;
  const int64_t first = query->list->count;
  tl_mesh_walk walk = tl_near_mesh_walk_around(query);
  for (int32_t k = tl_mesh_next(&walk); k >= 0; k = tl_mesh_next(&walk)) {
    tl_solid_triangle(&triangle, search.mesh, k);
    search.triangle = k;
    tl_narrow_solids(&search, query->margin, &manifold);
    for (int i = 0; i < manifold.count; i++) {
      manifold.feature[i] = tl_feature(14, manifold.feature[i], (uint32_t)k);
    }
    tl_narrow_report(&turned, &search, &manifold);
  }
  tl_near_mesh_drop_repeats(query->list, first, 1e-3, 1e-3 * convex.size);
  tl_near_mesh_thin_out(query->list, first);
  tl_near_mesh_name_apart(query->list, first);
  return;
}

#endif
