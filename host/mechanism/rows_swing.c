/* rows_swing.c: stops of a spherical joint: how far its axis swings from where it was, and how far
 * the link twists about it.
 *
 * With the joint's quaternion (w, v), the axis a and a' = R a, p = v . a, in the joint's frame:
 *   swing = angle between a and a',       its rate = s . c,  c = a x a' / |a x a'|
 *   twist = 2 atan2(p, w),                its rate = s . (w^2 a + w v x a + p v) / (w^2 + p^2)
 * s being the joint's velocities. Where a' has not left a, c is about where it is going. */
#include <math.h>

#include "host/math/rotation.h"
#include "host/math/trigonometry.h"
#include "host/mechanism/coupling.h"

static const double PI = 3.14159265358979323846;
static const double STRAIGHT = 1e-7; /* rad: less has no direction */

static bool swings(const tl_link *link) {
  return link->kind == TALUS_LINK_SPHERICAL && link->upper[0] < PI;
}

static bool twists(const tl_link *link) {
  return link->kind == TALUS_LINK_SPHERICAL && isfinite(link->upper[1]);
}

int32_t tl_rows_swing_count(const tl_link *link) {
  return swings(link) + 2 * twists(link);
}

/* Angle of the swing, and the unit vector about which it grows. */
static double swing_find(const tl_link *link, const double *q, const double *v, double *about) {
  double turn[9], now[3];
  tl_quaternion_matrix(q, turn);
  tl_turn3(now, turn, link->axis);
  tl_cross3(about, link->axis, now);
  const double sine = tl_norm3(about), swing = tl_angle(sine, tl_dot3(link->axis, now));
  if (sine < STRAIGHT) { /* across the axis, as it moves; or anyhow */
    double other[3];
    tl_along3(about, v, -tl_dot3(v, link->axis), link->axis);
    if (!(tl_norm3(about) > 0)) {
      tl_frame3(link->axis, about, other);
    }
  }
  tl_unit3(about);
  return swing;
}

/* Angle of the twist, and its derivative by the joint's velocities. */
static double twist_find(const tl_link *link, const double *q, double *rate) {
  const double *const a = link->axis, w = q[0], p = tl_dot3(q + 1, a), square = w * w + p * p;
  double side[3];
  tl_cross3(side, q + 1, a);
  for (int k = 0; k < 3; k++) {
    rate[k] =
        square > STRAIGHT * STRAIGHT ? (w * w * a[k] + w * side[k] + p * q[1 + k]) / square : a[k];
  }
  return 2 * tl_angle(p, w);
}

/* A stop whose gap changes by `sign` times `rate` (joint's frame) per joint velocity. */
static void row_stop(const talus_coupling *coupling, int32_t m, int32_t i, const double *rate,
                     double sign, double gap, tl_coupling_row *row) {
  const talus_mechanism *const mechanism = coupling->mechanism[m];
  const tl_link *const link = &mechanism->link[i];
  const double *const axis = tl_axis_of(mechanism, link), *const at = mechanism->state[i].origin;
  const int32_t side[4] = {m, link->parent, m, i};
  double about[3];
  for (int c = 0; c < 3; c++) {
    about[c] = sign * (rate[0] * axis[c] + rate[1] * axis[6 + c] + rate[2] * axis[12 + c]);
  }
  tl_row_twist(coupling, side, at, at, about, row);
  row->of_joint = 1;
  row->lower = 0;
  row->bias = tl_stop_bias(coupling, gap);
}

int32_t tl_rows_swing(const talus_coupling *coupling, int32_t m, int32_t i, tl_coupling_row *row) {
  const talus_mechanism *const mechanism = coupling->mechanism[m];
  const tl_link *const link = &mechanism->link[i];
  const double *const q = mechanism->q + link->first_q;
  double rate[3];
  if (swings(link)) {
    const double swing = swing_find(link, q, mechanism->v + link->first_v, rate);
    row_stop(coupling, m, i, rate, -1, link->upper[0] - swing, row++);
  }
  if (twists(link)) { /* from the middle of the way, so that it may pass half a turn */
    const double middle = 0.5 * (link->lower[1] + link->upper[1]);
    const double half = 0.5 * (link->upper[1] - link->lower[1]);
    const double way = remainder(twist_find(link, q, rate) - middle, 2 * PI);
    row_stop(coupling, m, i, rate, 1, way + half, row++);
    row_stop(coupling, m, i, rate, -1, half - way, row++);
  }
  return tl_rows_swing_count(link);
}
