/* narrow_round.h: pairs of spheres and capsules, and a sphere against a box or cylinder.
 *
 * All in closed form: the closest point to a centre or a segment. Where the centre lies inside, the
 * nearest face gives the way out. Where two centres or axes coincide no direction is better than
 * another: the first that fits is taken, always the same. */
#ifndef TL_ITEM_NARROW_ROUND_H
#define TL_ITEM_NARROW_ROUND_H

#include "kernels/item/ball.h"
#include "kernels/item/collide/query.h"

/* A point of a with radius_a against a point of b with radius_b. */
TL_ITEM_LARGE void tl_round_ball_ball(const tl_pair_query *query, const double centre_a[3],
                                      double radius_a, const double centre_b[3], double radius_b,
                                      uint32_t feature) {
  tl_point point;
  if (tl_ball_ball(centre_a, radius_a, centre_b, radius_b, query->margin, &point)) {
    tl_pair_query_add(query, point.position, point.normal, point.gap, feature);
  }
}

TL_ITEM_LARGE void tl_narrow_sphere_sphere(const tl_pair_query *query) {
  tl_round_ball_ball(query, query->a.pose->position, query->a.geometry->radius,
                     query->b.pose->position, query->b.geometry->radius, 0);
}

/* The sphere a against a point and outward normal of b, both in b's frame; distance of the centre
 * from that point, negative inside. */
TL_ITEM_LARGE void tl_round_sphere_surface(const tl_pair_query *query, const double outward[3],
                                           double distance, uint32_t feature) {
  double normal[3], on_a[3];
  const double radius = query->a.geometry->radius;
  tl_turn3(normal, query->b.pose->rotation, outward);
  tl_scale3(normal, -1, normal);
  tl_along3(on_a, query->a.pose->position, radius, normal);
  tl_pair_query_add_from(query, on_a, normal, distance - radius, feature);
}

TL_ITEM_LARGE void tl_narrow_sphere_box(const tl_pair_query *query) {
  const double *const half = query->b.geometry->half_edge;
  double centre[3], nearest[3], outward[3];
  tl_unplace3(centre, query->b.pose, query->a.pose->position);
  uint32_t feature = 0; /* which of the 27 regions around a box the centre is in */
  int face = 0;
  for (int i = 0; i < 3; i++) {
    nearest[i] = tl_clamp(centre[i], -half[i], half[i]);
    feature = 3 * feature + (centre[i] > half[i] ? 2u : centre[i] < -half[i] ? 0u : 1u);
    if (half[i] - fabs(centre[i]) < half[face] - fabs(centre[face])) {
      face = i;
    }
  }
  tl_sub3(outward, centre, nearest);
  double distance = tl_unit3(outward);
  if (!(distance > 0)) {
    const bool up = centre[face] >= 0;
    tl_set3(outward, 0, 0, 0);
    outward[face] = up ? 1 : -1;
    distance = fabs(centre[face]) - half[face];
    feature = 27u + 2u * (uint32_t)face + (uint32_t)up;
  }
  tl_round_sphere_surface(query, outward, distance, feature);
}

TL_ITEM_LARGE void tl_narrow_sphere_cylinder(const tl_pair_query *query) {
  const double radius = query->b.geometry->radius, half = query->b.geometry->half_length;
  double centre[3], outward[3];
  tl_unplace3(centre, query->b.pose, query->a.pose->position);
  const double across = sqrt(centre[0] * centre[0] + centre[1] * centre[1]);
  const double beyond_side = across - radius, beyond_cap = fabs(centre[2]) - half;
  const double up = centre[2] >= 0 ? 1 : -1;
  const double x = across > 0 ? centre[0] / across : 1, y = across > 0 ? centre[1] / across : 0;
  if (beyond_side > 0 && beyond_cap > 0) {
    const double distance = sqrt(beyond_side * beyond_side + beyond_cap * beyond_cap);
    tl_set3(outward, x * beyond_side / distance, y * beyond_side / distance,
            up * beyond_cap / distance);
    tl_round_sphere_surface(query, outward, distance, 3u + (up > 0));
    return;
  }
  if (beyond_side > beyond_cap) {
    tl_set3(outward, x, y, 0);
    tl_round_sphere_surface(query, outward, beyond_side, 0);
    return;
  }
  tl_set3(outward, 0, 0, up);
  tl_round_sphere_surface(query, outward, beyond_cap, 1u + (up > 0));
}

/* The ends of a capsule's segment in the world. */
TL_ITEM_LARGE void tl_round_capsule_ends(const tl_placed *capsule, double low[3], double high[3]) {
  double axis[3];
  tl_pose_axis(capsule->pose, axis);
  tl_along3(low, capsule->pose->position, -capsule->geometry->half_length, axis);
  tl_along3(high, capsule->pose->position, capsule->geometry->half_length, axis);
}

TL_ITEM_LARGE void tl_narrow_sphere_capsule(const tl_pair_query *query) {
  const tl_geometry *const capsule = query->b.geometry;
  double axis[3], from[3], nearest[3];
  tl_pose_axis(query->b.pose, axis);
  tl_sub3(from, query->a.pose->position, query->b.pose->position);
  const double along = tl_clamp(tl_dot3(from, axis), -capsule->half_length, capsule->half_length);
  tl_along3(nearest, query->b.pose->position, along, axis);
  tl_round_ball_ball(query, query->a.pose->position, query->a.geometry->radius, nearest,
                     capsule->radius, 0);
}

/* Closest points of the segments p0 p1 and q0 q1, as parameters from 0 to 1. */
TL_ITEM_LARGE void tl_closest_segments(const double p0[3], const double p1[3], const double q0[3],
                                       const double q1[3], double *s, double *t) {
  double u[3], v[3], w[3];
  tl_sub3(u, p1, p0);
  tl_sub3(v, q1, q0);
  tl_sub3(w, p0, q0);
  const double uu = tl_dot3(u, u), uv = tl_dot3(u, v), vv = tl_dot3(v, v);
  const double uw = tl_dot3(u, w), vw = tl_dot3(v, w);
  const double det = uu * vv - uv * uv;
  /* parallel, or a point: start from the middle of p, so that the answer does not jump */
  *s = det > 1e-14 * uu * vv ? tl_clamp((uv * vw - vv * uw) / det, 0, 1) : 0.5;
  *t = vv > 0 ? tl_clamp((uv * *s + vw) / vv, 0, 1) : 0;
  *s = uu > 0 ? tl_clamp((uv * *t - uw) / uu, 0, 1) : 0;
}

TL_ITEM_LARGE void tl_round_between(double out[3], const double p0[3], const double p1[3],
                                    double s) {
  for (int i = 0; i < 3; i++) {
    out[i] = (1 - s) * p0[i] + s * p1[i];
  }
}

/* Two capsules side by side touch along a line: its two ends are the contact points. The segments
 * overlap between the parameters `first` and `last` of a. */
TL_ITEM_LARGE void tl_round_capsules_side_by_side(const tl_pair_query *query, double end[4][3],
                                                  const double range[2]) {
  double along[3];
  tl_sub3(along, end[3], end[2]);
  const double length = tl_dot3(along, along);
  for (uint32_t k = 0; k < 2; k++) {
    double on_a[3], on_b[3], from[3];
    tl_round_between(on_a, end[0], end[1], range[k]);
    tl_sub3(from, on_a, end[2]);
    tl_round_between(on_b, end[2], end[3], tl_clamp(tl_dot3(from, along) / length, 0, 1));
    tl_round_ball_ball(query, on_a, query->a.geometry->radius, on_b, query->b.geometry->radius,
                       1 + k);
  }
  return;
}

TL_ITEM_LARGE void tl_narrow_capsule_capsule(const tl_pair_query *query) {
  double end[4][3], u[3], v[3], turned[3], s, t;
  tl_round_capsule_ends(&query->a, end[0], end[1]);
  tl_round_capsule_ends(&query->b, end[2], end[3]);
  tl_sub3(u, end[1], end[0]);
  tl_sub3(v, end[3], end[2]);
  tl_cross3(turned, u, v);
  const double uu = tl_dot3(u, u), vv = tl_dot3(v, v);
  if (uu > 0 && vv > 0 && tl_dot3(turned, turned) < 4e-4 * uu * vv) {
    double low[3], high[3];
    tl_sub3(low, end[2], end[0]);
    tl_sub3(high, end[3], end[0]);
    const double at[2] = {tl_dot3(low, u) / uu, tl_dot3(high, u) / uu};
    const int order = at[0] > at[1];
    const double range[2] = {tl_max(at[order], 0), tl_min(at[!order], 1)};
    if (range[1] - range[0] > 1e-3) {
      tl_round_capsules_side_by_side(query, end, range);
      return;
    }
  }
  double on_a[3], on_b[3];
  tl_closest_segments(end[0], end[1], end[2], end[3], &s, &t);
  tl_round_between(on_a, end[0], end[1], s);
  tl_round_between(on_b, end[2], end[3], t);
  tl_round_ball_ball(query, on_a, query->a.geometry->radius, on_b, query->b.geometry->radius, 0);
}

#endif
