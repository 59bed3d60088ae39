/* narrow_cylinder.h: the direction of largest separation where a cylinder takes part.
 *
 * The side is treated as it is, round. Solids that are apart have it from their distance. For
 * others the directions that can be best are: the axis; faces of the other solid; square to the
 * axis towards a corner; and along each edge of the other the normals between its two faces, where
 * the largest separation is found on the arc by a search in one variable, cut at the kink where the
 * normal is square to the axis. For two cylinders the arcs are the circles square to either axis;
 * rim against rim needs a search in two variables. Overlaps found so are those of the nearest of
 * these directions: never too small. */
#ifndef TL_ITEM_NARROW_CYLINDER_H
#define TL_ITEM_NARROW_CYLINDER_H

#include "kernels/item/collide/narrow_axis.h"
#include "kernels/item/frame.h"

enum { TL_CYLINDER_SAMPLES = 6, TL_CYLINDER_GOLDEN = 36, TL_CYLINDER_CLIMB = 100 };

/* All in the frame of the cylinder: `place` of the other solid, normals from cylinder to other. */
typedef struct tl_round_search {
  tl_axis_search *search;
  const tl_solid *cylinder, *other;
  tl_pose place;
  int of_b; /* the cylinder is b */
} tl_round_search;

TL_ITEM_LARGE void tl_cylinder_to_frame_of_a(const tl_round_search *r, const double normal[3],
                                             double out[3]) {
  if (r->of_b) {
    tl_turn3(out, r->search->place.rotation, normal);
    tl_scale3(out, -1, out);
  } else {
    tl_copy3(out, normal);
  }
}

TL_ITEM_LARGE double tl_cylinder_cylinder_reach(const tl_solid *c, const double n[3]) {
  return c->radius * sqrt(n[0] * n[0] + n[1] * n[1]) + c->half_length * fabs(n[2]);
}

TL_ITEM_LARGE double tl_cylinder_separation(const tl_round_search *r, const double n[3]) {
  double local[3], point[3];
  int32_t index;
  tl_turn_back3(local, r->place.rotation, n);
  tl_scale3(local, -1, local);
  return tl_dot3(n, r->place.position) - tl_solid_support(r->other, local, point, &index) -
         tl_cylinder_cylinder_reach(r->cylinder, n);
}

TL_ITEM_LARGE void tl_cylinder_consider(const tl_round_search *r, tl_separating_axis_kind kind,
                                        int32_t index, const double n[3], double preference) {
  tl_separating_axis axis = {kind, -1, -1, {0, 0, 0}, 0};
  axis.separation = tl_cylinder_separation(r, n);
  if (kind == TL_AXIS_FACE_A) {
    axis.index_a = index;
  } else if (kind == TL_AXIS_FACE_B) {
    axis.index_b = index;
  }
  tl_cylinder_to_frame_of_a(r, n, axis.normal);
  tl_axis_search_consider(r->search, &axis, preference);
}

TL_ITEM_LARGE void tl_cylinder_caps(const tl_round_search *r, double preference) {
  for (int32_t k = 0; k < 2; k++) {
    const double n[3] = {0, 0, k ? 1.0 : -1.0};
    tl_cylinder_consider(r, r->of_b ? TL_AXIS_FACE_B : TL_AXIS_FACE_A, k, n, preference);
  }
}

TL_ITEM_LARGE void tl_cylinder_faces_of_other(const tl_round_search *r) {
  for (int32_t f = 0; f < r->other->face_count; f++) {
    double n[3];
    tl_turn3(n, r->place.rotation, r->other->plane + 4 * f);
    tl_scale3(n, -1, n);
    tl_cylinder_consider(r, r->of_b ? TL_AXIS_FACE_A : TL_AXIS_FACE_B, f, n, r->search->tolerance);
  }
}

/* Square to the axis, towards (or if it lies beyond the axis, away from) each corner. */
TL_ITEM_LARGE void tl_cylinder_corners_of_other(const tl_round_search *r) {
  for (int32_t k = 0; k < r->other->point_count; k++) {
    double p[3];
    tl_place3(p, &r->place, r->other->point + 3 * k);
    const double across = sqrt(p[0] * p[0] + p[1] * p[1]);
    /* the corner bounds what this direction can give */
    if (across > 0 &&
        across - r->cylinder->radius > r->search->allowed.separation + r->search->tolerance) {
      const double n[3] = {p[0] / across, p[1] / across, 0};
      tl_cylinder_consider(r, TL_AXIS_OTHER, 0, n, r->search->tolerance);
    }
  }
}

/* Normals from `from` to `to`, less than half a turn apart; on is a point of the other solid that
 * is nearest for all of them, or NULL to ask for it each time. */
typedef struct tl_arc {
  const tl_round_search *r;
  double from[3], to[3];
  const double *on;
} tl_arc;

TL_ITEM_LARGE double tl_cylinder_on_arc(const tl_arc *c, double s, double n[3]) {
  for (int i = 0; i < 3; i++) {
    n[i] = (1 - s) * c->from[i] + s * c->to[i];
  }
  if (!(tl_unit3(n) > 0)) {
    return -INFINITY;
  }
  return c->on != NULL ? tl_dot3(n, c->on) - tl_cylinder_cylinder_reach(c->r->cylinder, n)
                       : tl_cylinder_separation(c->r, n);
}

/* Whether nothing between samples of at most `best` can be better than what is known: along the arc
 * the separation changes no faster than the reach of both solids. */
TL_ITEM_LARGE bool tl_cylinder_is_hopeless(const tl_arc *c, double best) {
  const tl_solid *const cylinder = c->r->cylinder, *const other = c->r->other;
  const double reach =
      cylinder->radius + cylinder->half_length +
      (c->on != NULL ? tl_norm3(c->on)
                     : tl_norm3(c->r->place.position) + other->radius + other->half_length);
  double apart[3];
  tl_sub3(apart, c->to, c->from);
  const double chord = tl_norm3(apart);
  return chord < 1.5 && best + 1.5 * chord / TL_CYLINDER_SAMPLES * reach <
                            c->r->search->allowed.separation + c->r->search->tolerance;
}

/* The best of the arc: samples, then golden sections around the best of them. */
TL_ITEM_LARGE void tl_cylinder_search_arc(const tl_arc *c) {
  double n[3], best = -INFINITY, at = 0;
  for (int k = 0; k <= TL_CYLINDER_SAMPLES; k++) {
    const double s = (double)k / TL_CYLINDER_SAMPLES, value = tl_cylinder_on_arc(c, s, n);
    if (value > best) {
      best = value;
      at = s;
    }
  }
  if (tl_cylinder_is_hopeless(c, best)) {
    return;
  }
  const double golden = 0.61803398874989484820;
  double low = tl_max(at - 1.0 / TL_CYLINDER_SAMPLES, 0),
         high = tl_min(at + 1.0 / TL_CYLINDER_SAMPLES, 1);
  double s = high - golden * (high - low), t = low + golden * (high - low);
  double at_s = tl_cylinder_on_arc(c, s, n), at_t = tl_cylinder_on_arc(c, t, n);
  for (int k = 0; k < TL_CYLINDER_GOLDEN; k++) {
    if (at_s > at_t) {
      high = t;
      t = s;
      at_t = at_s;
      s = high - golden * (high - low);
      at_s = tl_cylinder_on_arc(c, s, n);
    } else {
      low = s;
      s = t;
      at_s = at_t;
      t = low + golden * (high - low);
      at_t = tl_cylinder_on_arc(c, t, n);
    }
  }
  tl_cylinder_on_arc(c, 0.5 * (s + t), n);
  tl_cylinder_consider(c->r, TL_AXIS_OTHER, 0, n, c->r->search->tolerance);
}

/* The arc of normals of each edge of the other solid, cut where it passes the cylinder's side. */
TL_ITEM_LARGE void tl_cylinder_edges_of_other(const tl_round_search *r) {
  for (int32_t k = 0; k < r->other->edge_count; k++) {
    double side[2][3], middle[3], on[3];
    for (int i = 0; i < 2; i++) {
      tl_turn3(side[i], r->place.rotation, r->other->plane + 4 * r->other->edge_side[2 * k + i]);
      tl_scale3(side[i], -1, side[i]);
    }
    tl_place3(on, &r->place, r->other->point + 3 * r->other->edge[2 * k]);
    tl_arc c = {r, {0, 0, 0}, {0, 0, 0}, on};
    tl_copy3(c.from, side[0]);
    tl_copy3(c.to, side[1]);
    if (side[0][2] * side[1][2] < 0) {
      for (int i = 0; i < 3; i++) {
        middle[i] = fabs(side[1][2]) * side[0][i] + fabs(side[0][2]) * side[1][i];
      }
      middle[2] = 0;
      tl_unit3(middle);
      tl_cylinder_consider(r, TL_AXIS_OTHER, 0, middle, r->search->tolerance);
      tl_copy3(c.to, middle);
      tl_cylinder_search_arc(&c);
      tl_copy3(c.from, middle);
      tl_copy3(c.to, side[1]);
    }
    tl_cylinder_search_arc(&c);
  }
}

/* The circle of directions square to an axis, in eighths. */
TL_ITEM_LARGE void tl_cylinder_search_circle(const tl_round_search *r, const double axis[3]) {
  double t1[3], t2[3];
  const double q = 0.70710678118654752440;
  const double turn[9][2] = {{1, 0},   {q, q},  {0, 1},  {-q, q}, {-1, 0},
                             {-q, -q}, {0, -1}, {q, -q}, {1, 0}};
  tl_frame3(axis, t1, t2);
  for (int k = 0; k < 8; k++) {
    tl_arc c = {r, {0, 0, 0}, {0, 0, 0}, NULL};
    for (int i = 0; i < 3; i++) {
      c.from[i] = turn[k][0] * t1[i] + turn[k][1] * t2[i];
      c.to[i] = turn[k + 1][0] * t1[i] + turn[k + 1][1] * t2[i];
    }
    tl_cylinder_search_arc(&c);
  }
}

/* Climbs from a direction by steps to four sides that are halved when none of them leads up. */
TL_ITEM_LARGE void tl_cylinder_climb(const tl_round_search *r, const double start[3]) {
  double n[3], best, step = 0.3;
  tl_copy3(n, start);
  best = tl_cylinder_separation(r, n);
  for (int k = 0; k < TL_CYLINDER_CLIMB && step > 1e-6; k++) {
    double t[2][3], better[3] = {0, 0, 0};
    int moved = 0;
    tl_frame3(n, t[0], t[1]);
    for (int side = 0; side < 4; side++) {
      double tried[3];
      tl_along3(tried, n, side & 1 ? -step : step, t[side / 2]);
      tl_unit3(tried);
      const double value = tl_cylinder_separation(r, tried);
      if (value > best) {
        best = value;
        moved = 1;
        tl_copy3(better, tried);
      }
    }
    if (moved) {
      tl_copy3(n, better);
    } else {
      step *= 0.5;
    }
  }
  tl_cylinder_consider(r, TL_AXIS_OTHER, 0, n, r->search->tolerance);
}

TL_ITEM_LARGE void tl_cylinder_square_to(const double axis[3], const double from[3],
                                         double out[3]) {
  tl_along3(out, from, -tl_dot3(from, axis), axis);
  tl_unit3(out);
}

TL_ITEM_LARGE void tl_cylinder_two_cylinders(const tl_round_search *r) {
  const double z[3] = {0, 0, 1};
  const double *const from = r->place.position;
  double axis[3], n[3];
  tl_set3(axis, r->place.rotation[2], r->place.rotation[5], r->place.rotation[8]);
  tl_cross3(n, z, axis);
  if (tl_unit3(n) > 1e-9) {
    tl_scale3(n, tl_dot3(n, from) < 0 ? -1 : 1, n);
    tl_cylinder_consider(r, TL_AXIS_OTHER, 0, n, r->search->tolerance);
  }
  tl_cylinder_square_to(z, from, n);
  if (tl_norm3(n) > 0) {
    tl_cylinder_consider(r, TL_AXIS_OTHER, 0, n, r->search->tolerance);
  }
  tl_cylinder_square_to(axis, from, n);
  if (tl_norm3(n) > 0) {
    tl_cylinder_consider(r, TL_AXIS_OTHER, 0, n, r->search->tolerance);
  }
  tl_cylinder_search_circle(r, z);
  tl_cylinder_search_circle(r, axis);
  /* rim against rim: from the best so far, in the frame of a, which is r's cylinder; from the line
   * of the centres; and from between the two */
  const tl_separating_axis known = r->search->allowed;
  tl_cylinder_climb(r, known.normal);
  tl_copy3(n, from);
  if (tl_unit3(n) > 0) {
    tl_cylinder_climb(r, n);
    tl_along3(n, n, 1, known.normal);
    if (tl_unit3(n) > 0) {
      tl_cylinder_climb(r, n);
    }
  }
}

/* The directions of overlapping solids that need a search. */
TL_ITEM_LARGE void tl_cylinder_look_around(const tl_round_search *r) {
  if (r->other->is_cylinder) {
    tl_cylinder_two_cylinders(r);
  } else {
    tl_cylinder_corners_of_other(r);
    tl_cylinder_edges_of_other(r);
  }
}

/* The same where one or both are cylinders. */
TL_ITEM_LARGE bool tl_axis_search_cylinder(tl_axis_search *search) {
  tl_round_search r;
  tl_separating_axis axis;
  r.search = search;
  r.of_b = !search->a->is_cylinder;
  r.cylinder = r.of_b ? search->b : search->a;
  r.other = r.of_b ? search->a : search->b;
  r.place = r.of_b ? tl_pose_inverse(&search->place) : search->place;
  tl_cylinder_caps(&r, 0);
  if (r.other->is_cylinder) {
    tl_round_search back = r;
    back.of_b = 1;
    back.cylinder = r.other;
    back.other = r.cylinder;
    back.place = tl_pose_inverse(&search->place);
    tl_cylinder_caps(&back, search->tolerance);
  } else {
    tl_cylinder_faces_of_other(&r);
  }
  if (search->any.separation > search->enough) {
    return false;
  }
  if (tl_axis_search_closest(search, &axis)) {
    tl_axis_search_consider(search, &axis, search->tolerance);
  } else {
    tl_cylinder_look_around(&r);
  }
  return !(search->any.separation > search->enough);
}

#endif
