/* cone.h: one contact's friction cone: projection and the exact local problem.
 *
 * K = { |x_t| <= mu x_n }. proj is exact in the metric S = diag(Sn, St, St), in which the cone
 * stays circular (design: the one scaling that pays). cone_solve minimises
 * 1/2 x^T A x + c^T x over K for a general symmetric A: what Gauss-Seidel asks of a contact
 * whose normal and tangential motion are coupled. */
#ifndef TL_ITEM_CONE_H
#define TL_ITEM_CONE_H

#include "kernels/item/real.h"

/* The nearest point of K about the unit axis n, in the metric S. */
TL_ITEM tl_vec tl_cone_project(tl_vec z, tl_vec n, tl_real mu, tl_real sn, tl_real st) {
  const tl_real zn = tl_dot(n, z);
  const tl_vec t = tl_along(z, -zn, n);
  const tl_real m2 = tl_dot(t, t);
  if (zn > 0 && m2 <= mu * zn * (mu * zn)) {
    return z;
  }
  const tl_real m = tl_sqrt(m2);
  const tl_real stick = st * mu;
  const tl_real x = (sn * zn + stick * m) / (sn + stick * mu);
  if (!(x > 0)) {
    return tl_vec_make(0, 0, 0);
  }
  const tl_real along = m > 0 ? mu * x / m : 0;
  return tl_vec_make(x * n.x + along * t.x, x * n.y + along * t.y, x * n.z + along * t.z);
}

/* Two tangents that complete the unit vector n to a right-handed frame, without a branch on the
 * direction but its sign in z. */
TL_ITEM void tl_frame(tl_vec n, tl_vec *t1, tl_vec *t2) {
  const tl_real sign = n.z >= 0 ? (tl_real)1 : (tl_real)-1;
  const tl_real a = -1 / (sign + n.z);
  const tl_real b = n.x * n.y * a;
  *t1 = tl_vec_make(1 + sign * n.x * n.x * a, sign * b, -sign * n.x);
  *t2 = tl_vec_make(b, sign + n.y * n.y * a, -n.y);
}

/* -A^-1 c by elimination without pivoting (A is positive semidefinite); 0 if A is singular. */
TL_ITEM int tl_cone_free(const tl_real *a, tl_vec c, tl_vec *x) {
  const tl_real tiny = 16 * TL_REAL_EPSILON;
  if (!(a[0] > 0)) {
    return 0;
  }
  const tl_real l1 = a[1] / a[0], l2 = a[2] / a[0];
  const tl_real d1 = a[3] - l1 * a[1];
  if (!(d1 > tiny * a[3])) {
    return 0;
  }
  const tl_real e = a[4] - l1 * a[2], l3 = e / d1;
  const tl_real d2 = a[5] - l2 * a[2] - l3 * e;
  if (!(d2 > tiny * a[5])) {
    return 0;
  }
  const tl_real f1 = -c.y + l1 * c.x, f2 = -c.z + l2 * c.x - l3 * f1;
  x->z = f2 / d2;
  x->y = f1 / d1 - l3 * x->z;
  x->x = -c.x / a[0] - l1 * x->y - l2 * x->z;
  return 1;
}

/* One Newton step along the circle of directions (1, mu h), the length being optimal at each
 * direction; taken only if the cost falls, or stays within its rounding. Returns 0 if not. */
TL_ITEM int tl_cone_turn(const tl_real *a, tl_vec c, tl_real mu, tl_vec *x) {
  if (!(x->x > 0)) {
    return 0;
  }
  const tl_real inverse = 1 / (mu * x->x);
  const tl_real hy = x->y * inverse, hz = x->z * inverse;
  const tl_vec d = tl_vec_make(1, mu * hy, mu * hz);
  const tl_vec side = tl_vec_make(0, -mu * hz, mu * hy);
  const tl_vec ad = tl_sym_times(a, d), aside = tl_sym_times(a, side);
  const tl_real p = tl_dot(c, d), r = tl_dot(d, ad);
  if (!(p < 0)) { /* nothing is better than any length of this direction */
    *x = tl_vec_make(0, 0, 0);
    return p >= 0;
  }
  if (!(r > 0)) {
    return 0;
  }
  const tl_real length = -p / r;
  *x = tl_times(length, d); /* the best of this direction, whether it can be turned or not */
  const tl_vec u = tl_along(c, length, ad);
  const tl_real slope = tl_dot(side, u);
  const tl_real length_slope = -(tl_dot(c, side) + 2 * length * tl_dot(d, aside)) / r;
  const tl_real curvature = -mu * (hy * u.y + hz * u.z) + length * tl_dot(side, aside) +
                            length_slope * tl_dot(side, ad);
  tl_real turn = curvature > 0 ? -slope / curvature : (slope > 0 ? (tl_real)-0.3 : (tl_real)0.3);
  turn = turn > 1 ? 1 : (turn < -1 ? -1 : turn);
  /* near the end the gain of a good turn is less than the cost's own rounding */
  const tl_real best = p * p / r * (curvature > 0 ? 1 - 4 * TL_REAL_EPSILON : 1);
  for (int halving = 0; halving < 4; halving++) {
    const tl_real unit = 1 / tl_sqrt(1 + turn * turn);
    const tl_real gy = (hy - turn * hz) * unit, gz = (hz + turn * hy) * unit;
    const tl_vec e = tl_vec_make(1, mu * gy, mu * gz);
    const tl_real pe = tl_dot(c, e), re = tl_dot(e, tl_sym_times(a, e));
    if (pe < 0 && re > 0 && pe * pe / re > best) {
      const tl_real xn = -pe / re;
      *x = tl_vec_make(xn, xn * e.y, xn * e.z);
      return 1;
    }
    turn *= (tl_real)0.25;
  }
  return 0;
}

/* Where the way from x, inside the cone, to a point outside leaves it. */
TL_ITEM tl_vec tl_cone_leave(tl_vec x, tl_vec target, tl_real mu) {
  const tl_vec d = tl_sub(target, x);
  const tl_real q2 = d.y * d.y + d.z * d.z - mu * d.x * (mu * d.x);
  const tl_real q1 = x.y * d.y + x.z * d.z - mu * x.x * (mu * d.x);
  const tl_real q0 = x.y * x.y + x.z * x.z - mu * x.x * (mu * x.x); /* <= 0: inside */
  const tl_real q = q1 * q1 - q2 * q0;
  const tl_real below = q1 + (q > 0 ? tl_sqrt(q) : 0);
  const tl_real share = below > 0 && -q0 < below ? -q0 / below : 1;
  return tl_along(x, share, d);
}

/* The minimiser in the frame (n, t1, t2), a = W_kk (six entries), start = any guess. Beyond the two
 * simple cases it lies on the boundary. Each round takes one projected gradient step, which lowers
 * the convex cost (2 S majorises A), goes on to the boundary if that ended inside, towards the free
 * minimiser, and takes one Newton turn along the boundary; each lowers the cost or is not taken: it
 * cannot cycle. */
TL_ITEM tl_vec tl_cone_solve(const tl_real *a, tl_vec c, tl_real mu, tl_real sn, tl_real st,
                             tl_vec start) {
  const tl_vec axis = tl_vec_make(1, 0, 0);
  if (!(mu > 0)) {
    return tl_vec_make(a[0] > 0 && c.x < 0 ? -c.x / a[0] : 0, 0, 0);
  }
  tl_vec x, free;
  const int regular = tl_cone_free(a, c, &free);
  if (regular && free.x >= 0 &&
      free.y * free.y + free.z * free.z <= mu * free.x * (mu * free.x)) {
    return free;
  }
  if (c.x >= 0 && c.x * c.x >= mu * mu * (c.y * c.y + c.z * c.z)) {
    return tl_vec_make(0, 0, 0);
  }
  const tl_real step_n = (tl_real)0.5 / sn, step_t = (tl_real)0.5 / st;
  x = tl_cone_project(start, axis, mu, sn, st);
  for (int round = 0; round < 24; round++) {
    const tl_vec before = x;
    const tl_vec u = tl_add(tl_sym_times(a, x), c);
    x = tl_cone_project(tl_vec_make(x.x - step_n * u.x, x.y - step_t * u.y, x.z - step_t * u.z),
                        axis, mu, sn, st);
    const tl_vec moved = tl_sub(x, before);
    const tl_real enough = 4 * TL_REAL_EPSILON;
    if (sn * moved.x * moved.x + st * (moved.y * moved.y + moved.z * moved.z) <=
        enough * enough * (sn * x.x * x.x + st * (x.y * x.y + x.z * x.z))) {
      break;
    }
    const tl_real m2 = x.y * x.y + x.z * x.z, edge = mu * x.x * (mu * x.x);
    if (m2 < edge * (1 - 8 * TL_REAL_EPSILON)) {
      if (!regular) {
        continue;
      }
      x = tl_cone_leave(x, free, mu);
    }
    tl_cone_turn(a, c, mu, &x);
  }
  return x;
}

#endif
