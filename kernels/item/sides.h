/* sides.h: one row with bounds in an interior point: two distances, two slacks.
 *
 *   y - lower = x_0 > 0,  upper - y = x_1 > 0,  u = v_0 - v_1,  x_i v_i -> 0
 * A side without a bound has neither. Bounds that leave no room hold y, and are no sides. The
 * larger slack follows from the linear equation, so that v_0 - v_1 = u is kept; the smaller one
 * from its own complementarity, so that it keeps its digits. In double precision. */
#ifndef TL_ITEM_SIDES_H
#define TL_ITEM_SIDES_H

#include "kernels/item/lorentz.h"

/* Bounds nearer to each other than this, of the size of what stands in a row, leave no room. */
#define TL_SIDES_ROOM 1e-13

typedef struct tl_sides {
  int held;
  int there[2];
  double bound[2];
  double x[2], v[2];
} tl_sides;

/* size: what a row's numbers are like. Slacks of sides that are not there are not read. */
TL_ITEM tl_sides tl_sides_make(double lower, double upper, double size, double y, double v_0,
                               double v_1) {
  tl_sides s;
  const double width = upper - lower, far = tl_larger(upper, -lower);
  s.held = width - width == 0 && !(width > TL_SIDES_ROOM * (tl_larger(far, -far) + size));
  s.bound[0] = lower;
  s.bound[1] = upper;
  s.there[0] = !s.held && lower - lower == 0;
  s.there[1] = !s.held && upper - upper == 0;
  s.x[0] = s.there[0] ? tl_larger(y - lower, 1e-300) : HUGE_VAL;
  s.x[1] = s.there[1] ? tl_larger(upper - y, 1e-300) : HUGE_VAL;
  s.v[0] = s.there[0] ? v_0 : 0;
  s.v[1] = s.there[1] ? v_1 : 0;
  return s;
}

/* y of no hurry for a velocity q, between the two or not far from 0; slacks are product / x. */
TL_ITEM double tl_sides_start(const tl_sides *s, double q, double size, double product) {
  const double far = product / size;
  const double low = tl_larger(s->bound[0], tl_lesser(-far, s->bound[1] - 2 * far));
  const double high = tl_lesser(s->bound[1], tl_larger(far, s->bound[0] + 2 * far));
  const double half = 0.5 * (high - low), middle = low + half, pull = q * half;
  /* product / x_0 - product / x_1 = q, all but */
  const double turn = pull * half / (product + sqrt(product * product + pull * pull));
  return s->held ? middle : middle - 0.99 * turn;
}

/* y, or the bound that y - u lies at or beyond. */
TL_ITEM double tl_sides_pressed(const tl_sides *s, double y, double u) {
  const double z = y - u;
  return z <= s->bound[0] ? s->bound[0] : z >= s->bound[1] ? s->bound[1] : y;
}

/* Sum of v_i / x_i. */
TL_ITEM double tl_sides_stiffness(const tl_sides *s) {
  return s->v[0] / s->x[0] + s->v[1] / s->x[1];
}

/* Sum of x_i v_i after a step. */
TL_ITEM double tl_sides_gap(const tl_sides *s, double dy, double dv_0, double dv_1) {
  return (s->there[0] ? (s->x[0] + dy) * (s->v[0] + dv_0) : 0) +
         (s->there[1] ? (s->x[1] - dy) * (s->v[1] + dv_1) : 0);
}

/* The smallest x_i v_i. */
TL_ITEM double tl_sides_least(const tl_sides *s) {
  return tl_lesser(s->there[0] ? s->x[0] * s->v[0] : HUGE_VAL,
                   s->there[1] ? s->x[1] * s->v[1] : HUGE_VAL);
}

/* The way along a step to the first bound. */
TL_ITEM double tl_sides_reach(const tl_sides *s, double dy, double dv_0, double dv_1) {
  const double dx[2] = {dy, -dy}, dv[2] = {dv_0, dv_1};
  double reach = HUGE_VAL;
  for (int i = 0; i < 2; i++) {
    if (s->there[i] && dx[i] < 0) {
      reach = tl_lesser(-s->x[i] / dx[i], reach);
    }
    if (s->there[i] && dv[i] < 0) {
      reach = tl_lesser(-s->v[i] / dv[i], reach);
    }
  }
  return reach;
}

/* What the affine step and the target add to the right-hand side; *small: what the smaller slack
 * needs of it. */
TL_ITEM double tl_sides_correct(const tl_sides *s, double dy, double dv_0, double dv_1,
                                double target, double *small) {
  const double across[2] = {dy * dv_0, -dy * dv_1};
  double c[2];
  for (int i = 0; i < 2; i++) {
    c[i] = s->there[i] ? (target - across[i]) / s->x[i] - s->v[i] : 0;
  }
  *small = s->v[0] < s->v[1] ? c[0] : c[1];
  return c[0] - c[1];
}

/* Steps of both slacks, `net` being that of v_0 - v_1; small: of the corrector, or that of the
 * affine step. */
TL_ITEM void tl_sides_step(const tl_sides *s, double dy, double net, double small, double *dv_0,
                           double *dv_1) {
  const int first = s->v[0] < s->v[1];
  const double stiffness = first ? s->v[0] / s->x[0] : s->v[1] / s->x[1];
  const int there = first ? s->there[0] : s->there[1];
  const double own = there ? small - (first ? stiffness * dy : -stiffness * dy) : 0;
  *dv_0 = s->there[0] ? (first ? own : own + net) : 0;
  *dv_1 = s->there[1] ? (first ? own - net : own) : 0;
}

/* `small` of the affine step. */
TL_ITEM double tl_sides_affine(const tl_sides *s) {
  return -(s->v[0] < s->v[1] ? s->v[0] : s->v[1]);
}

#endif
