/* cone.h: one contact's friction cone: projection and the exact local problem.
 *
 * K = { |x_t| <= mu x_n }. proj is exact in the metric S = diag(Sn, St, St), in which the cone
 * stays circular: the one scaling that pays. cone_step lowers 1/2 x^T A x + c^T x over K for a
 * general symmetric A: what Gauss-Seidel asks of a contact whose normal and tangential motion are
 * coupled. */
#ifndef TL_ITEM_CONE_H
#define TL_ITEM_CONE_H

#include "kernels/item/real.h"
#include "kernels/item/tangent.h"

/* How far along its axis the point of the edge lies that is nearest to (zn, m), m from the axis; 0
 * or less: it is the tip. */
TL_ITEM tl_real tl_cone_edge(tl_real zn, tl_real m, tl_real mu, tl_real sn, tl_real st) {
  const tl_real stick = st * mu;
  return (sn * zn + stick * m) / (sn + stick * mu);
}

/* The nearest point of K about the unit axis n, in the metric S. */
TL_ITEM tl_vec tl_cone_project(tl_vec z, tl_vec n, tl_real mu, tl_real sn, tl_real st) {
  const tl_real zn = tl_dot(n, z);
  const tl_vec t = tl_along(z, -zn, n);
  const tl_real m2 = tl_dot(t, t);
  if (zn > 0 && m2 <= mu * zn * (mu * zn)) {
    return z;
  }
  const tl_real m = tl_sqrt(m2);
  const tl_real x = tl_cone_edge(zn, m, mu, sn, st);
  if (!(x > 0)) {
    return tl_vec_make(0, 0, 0);
  }
  const tl_real along = m > 0 ? mu * x / m : 0;
  return tl_vec_make(x * n.x + along * t.x, x * n.y + along * t.y, x * n.z + along * t.z);
}

TL_ITEM tl_vec tl_choose(int first, tl_vec a, tl_vec b) {
  return tl_vec_make(first ? a.x : b.x, first ? a.y : b.y, first ? a.z : b.z);
}

/* -A^-1 c by elimination without pivoting, A being positive semidefinite. Rows without a pivot (a
 * direction in which nothing moves) get 0. Returns 0 if that solves nothing. */
TL_ITEM int tl_cone_free(const tl_real *a, tl_vec c, tl_vec *x) {
  const tl_real tiny = 16 * TL_REAL_EPSILON;
  const int has0 = a[0] > 0;
  const tl_real p0 = has0 ? 1 / a[0] : 0;
  const tl_real l1 = a[1] * p0, l2 = a[2] * p0;
  const tl_real d1 = a[3] - l1 * a[1];
  const int has1 = d1 > tiny * a[3];
  const tl_real p1 = has1 ? 1 / d1 : 0;
  const tl_real e = a[4] - l1 * a[2], l3 = e * p1;
  const tl_real d2 = a[5] - l2 * a[2] - l3 * e;
  const int has2 = d2 > tiny * a[5];
  const tl_real p2 = has2 ? 1 / d2 : 0;
  const tl_real f1 = l1 * c.x - c.y, f2 = l2 * c.x - c.z - l3 * f1;
  x->z = f2 * p2;
  x->y = f1 * p1 - l3 * x->z;
  x->x = -c.x * p0 - l1 * x->y - l2 * x->z;
  const tl_vec left = tl_add(tl_sym_times(a, *x), c);
  return (has0 & has1 & has2) |
         (tl_dot(left, left) <= 4096 * TL_REAL_EPSILON * TL_REAL_EPSILON * tl_dot(c, c));
}

/* The projection in the frame (n, t1, t2). */
TL_ITEM tl_vec tl_cone_clip(tl_vec z, tl_real mu, tl_real sn, tl_real st) {
  const tl_real m2 = z.y * z.y + z.z * z.z, m = tl_sqrt(m2);
  const tl_real best = tl_cone_edge(z.x, m, mu, sn, st);
  const tl_real x = best > 0 ? best : 0;
  const tl_real along = m > 0 ? mu * x / m : 0;
  return tl_choose((z.x > 0) & (m2 <= mu * z.x * (mu * z.x)), z,
                   tl_vec_make(x, along * z.y, along * z.z));
}

/* Where the way from x, inside the cone, to a point outside leaves it. */
TL_ITEM tl_vec tl_cone_leave(tl_vec x, tl_vec target, tl_real mu) {
  const tl_vec d = tl_sub(target, x);
  const tl_real q2 = d.y * d.y + d.z * d.z - mu * d.x * (mu * d.x);
  const tl_real q1 = x.y * d.y + x.z * d.z - mu * x.x * (mu * d.x);
  const tl_real q0 = x.y * x.y + x.z * x.z - mu * x.x * (mu * x.x); /* <= 0: inside */
  const tl_real q = q1 * q1 - q2 * q0;
  const tl_real below = q1 + tl_sqrt(q > 0 ? q : 0);
  const tl_real share = (below > 0) & (-q0 < below) ? -q0 / below : 1;
  return tl_along(x, share, d);
}

/* x on the boundary: the best length of its direction (1, mu h), after one Newton step along the
 * circle of directions, the length being optimal at each; turned only if the cost falls, or stays
 * within its rounding. */
TL_ITEM tl_vec tl_cone_turn(const tl_real *a, tl_vec c, tl_real mu, tl_vec x) {
  const tl_real m = tl_sqrt(x.y * x.y + x.z * x.z);
  const int some = (x.x > 0) & (m > 0);
  const tl_real inverse = some ? 1 / m : 0;
  const tl_real hy = x.y * inverse, hz = x.z * inverse;
  const tl_vec d = tl_vec_make(1, mu * hy, mu * hz);
  const tl_vec side = tl_vec_make(0, -mu * hz, mu * hy);
  const tl_vec ad = tl_sym_times(a, d), aside = tl_sym_times(a, side);
  const tl_real p = tl_dot(c, d), r = tl_dot(d, ad);
  const int good = some & (p < 0) & (r > 0);
  const tl_real per = r > 0 ? 1 / r : 0;
  const tl_real length = -p * per;
  const tl_vec u = tl_along(c, length, ad);
  const tl_real slope = tl_dot(side, u);
  const tl_real length_slope = -(tl_dot(c, side) + 2 * length * tl_dot(d, aside)) * per;
  const tl_real curvature =
      -mu * (hy * u.y + hz * u.z) + length * tl_dot(side, aside) + length_slope * tl_dot(side, ad);
  const int bowl = curvature > 0;
  const tl_real blind = slope > 0 ? (tl_real)-0.3 : (tl_real)0.3;
  const tl_real wanted = bowl ? -slope / curvature : blind;
  const tl_real least = wanted > -1 ? wanted : -1;
  const tl_real turn = least < 1 ? least : 1;
  const tl_real unit = 1 / tl_sqrt(1 + turn * turn);
  const tl_vec e = tl_vec_make(1, mu * ((hy - turn * hz) * unit), mu * ((hz + turn * hy) * unit));
  const tl_real pe = tl_dot(c, e), re = tl_dot(e, tl_sym_times(a, e));
  const tl_real per_e = re > 0 ? 1 / re : 0;
  /* near the end the gain of a good turn is less than the cost's own rounding */
  const tl_real enough = p * p * per * (bowl ? 1 - 4 * TL_REAL_EPSILON : 1);
  const int turned = good & (pe < 0) & (pe * pe * per_e > enough);
  const tl_vec straight =
      tl_choose(good, tl_times(length, d), tl_choose(some & (p >= 0), tl_vec_make(0, 0, 0), x));
  return tl_choose(turned, tl_times(-pe * per_e, e), straight);
}

TL_ITEM tl_real tl_cone_cost(const tl_real *a, tl_vec c, tl_vec x) {
  return tl_dot(x, tl_along(c, (tl_real)0.5, tl_sym_times(a, x)));
}

/* What slides lies on the boundary: a projected gradient step from y (2 S majorises A), if that
 * ends inside on to the boundary towards the free minimiser, and one Newton turn along it. */
TL_ITEM tl_vec tl_cone_slide(const tl_real *a, tl_vec c, tl_vec u, tl_real mu, tl_real sn,
                             tl_real st, tl_vec y, tl_vec free, int regular) {
  const tl_real half = (tl_real)0.5;
  const tl_vec x = tl_cone_clip(
      tl_vec_make(y.x - half * u.x / sn, y.y - half * u.y / st, y.z - half * u.z / st), mu, sn, st);
  const tl_real edge = mu * x.x * (mu * x.x);
  const int inside = x.y * x.y + x.z * x.z < edge * (1 - 8 * TL_REAL_EPSILON);
  const tl_vec rim = tl_cone_leave(x, free, mu);
  const tl_vec turned = tl_cone_turn(a, c, mu, tl_choose(inside, rim, x));
  /* the free minimiser of a nearly singular A may be anywhere */
  const tl_real before = tl_cone_cost(a, c, x), after = tl_cone_cost(a, c, turned);
  const int better = (!inside) | (regular & (rim.x > 0) & (after <= before));
  return tl_choose(better, turned, x);
}

/* One contact's turn at its own problem, min 1/2 x^T A x + c^T x over K in the frame (n, t1, t2),
 * from y, where A y + c = u. What opens and what sticks is solved; what slides goes on in the next
 * sweep. From y in K nothing raises the cost. Many contacts at once take no branches; one alone
 * leaves as soon as its answer is known, which is the same. */
TL_ITEM tl_vec tl_cone_step(const tl_real *a, tl_vec u, tl_real mu, tl_real sn, tl_real st,
                            tl_vec y, int alone) {
  const tl_vec c = tl_sub(u, tl_sym_times(a, y)), zero = tl_vec_make(0, 0, 0);
  const tl_vec push = tl_vec_make((a[0] > 0) & (c.x < 0) ? -c.x / a[0] : 0, 0, 0);
  if (alone && !(mu > 0)) {
    return push;
  }
  const int opens = (c.x >= 0) & (c.x * c.x >= mu * mu * (c.y * c.y + c.z * c.z));
  if (alone && opens) {
    return zero;
  }
  tl_vec free;
  const int regular = tl_cone_free(a, c, &free);
  const tl_real reach = mu * free.x;
  const int sticks = regular & (free.x >= 0) & (free.y * free.y + free.z * free.z <= reach * reach);
  if (alone && sticks) {
    return free;
  }
  const tl_vec slides = tl_cone_slide(a, c, u, mu, sn, st, y, free, regular);
  const tl_vec rubs = tl_choose(opens, zero, tl_choose(sticks, free, slides));
  return tl_choose(mu > 0, rubs, push);
}

#endif
