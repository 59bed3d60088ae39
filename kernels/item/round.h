/* round.h: the exact cone as equations in an unconstrained variable ([A] = Mylapilli and Jain 2017,
 * eqs 49-59), with a proximal term.
 *
 * z = rho u - F stands for impulse and velocity: F = max(0, -z_n) normal, -s z_t tangential with s
 * = min(1, mu F_n / |z_t|), and u = (z + F) / rho obey the law whatever z is. Left is
 *   phi = rho (W F + q + alpha (F - centre)) - F - z = 0,   rho = 1 / (1 + alpha)
 * [A] has alpha = 0. The convex law has the same shape with F = P(-z), the projection on the cone;
 * so have bilateral rows, F = -z, and those with bounds, F = -z held between them. */
#ifndef TL_ITEM_ROUND_H
#define TL_ITEM_ROUND_H

#include "kernels/item/dense.h"

/* F and dF/dz (row-major 3 x 3) of a contact with friction under the exact law. */
TL_ITEM void tl_round_exact(double mu, const double *z, double *f, double *slope) {
  const double size = sqrt(z[1] * z[1] + z[2] * z[2]), normal = z[0] < 0 ? -z[0] : 0;
  const int sticks = mu * normal >= size, pressed = normal > 0;
  const double s = sticks ? 1 : mu * normal / size;
  const double h[2] = {sticks ? 0 : z[1] / size, sticks ? 0 : z[2] / size};
  f[0] = normal;
  f[1] = -s * z[1];
  f[2] = -s * z[2];
  slope[0] = pressed ? -1 : 0;
  slope[1] = slope[2] = 0;
  for (int i = 0; i < 2; i++) {
    slope[3 + 3 * i] = pressed ? mu * h[i] : 0;
    for (int j = 0; j < 2; j++) {
      slope[4 + 3 * i + j] = pressed ? -s * ((i == j ? 1.0 : 0.0) - h[i] * h[j]) : 0;
    }
  }
}

/* The same under the convex law: F = P(-z). */
TL_ITEM void tl_round_convex(double mu, const double *z, double *f, double *slope) {
  const double size = sqrt(z[1] * z[1] + z[2] * z[2]);
  const double along = (-z[0] + mu * size) / (1 + mu * mu);
  if (size <= -mu * z[0]) {
    for (int i = 0; i < 9; i++) {
      slope[i] = i % 4 == 0 ? -1 : 0;
    }
    for (int i = 0; i < 3; i++) {
      f[i] = -z[i];
    }
    return;
  }
  const int inside = along > 0;
  const double direction[3] = {1, -mu * z[1] / size, -mu * z[2] / size};
  const double turn = inside ? mu * along / size : 0;
  for (int i = 0; i < 3; i++) {
    f[i] = inside ? along * direction[i] : 0;
    for (int j = 0; j < 3; j++) {
      const double across =
          i > 0 && j > 0 ? turn * ((i == j ? 1.0 : 0.0) - z[i] * z[j] / (size * size)) : 0;
      slope[3 * i + j] = inside ? -(direction[i] * direction[j] / (1 + mu * mu) + across) : 0;
    }
  }
}

/* F and dF/dz of every constraint. */
TL_TEAM void tl_round_impulses(const tl_small_problem *p, const double *z, double *f,
                               double *slope) {
  TL_TEAM_EACH(k, 0, p->count) {
    const int32_t first = p->first[k], rows = p->first[k + 1] - first;
    double at[3], x[3], s[9];
    tl_small_load(z, first, rows, at);
    if (rows == 1) {
      x[0] = -at[0];
      x[1] = x[2] = 0;
      tl_small_nearest(p->kind[k], 0, 1, p->lower[k], p->upper[k], x);
      s[0] = x[0] == -at[0] ? -1 : 0;
      for (int i = 1; i < 9; i++) {
        s[i] = 0;
      }
    } else if (p->law == TL_LAW_COULOMB) {
      tl_round_exact(p->friction[k], at, x, s);
    } else {
      tl_round_convex(p->friction[k], at, x, s);
    }
    for (int32_t i = 0; i < rows; i++) {
      f[first + i] = x[i];
    }
    for (int i = 0; i < 9; i++) {
      slope[9 * k + i] = s[i];
    }
  }
  TL_MEET();
}

/* A point of the equations: all arrays but slope, of which there are nine numbers for each
 * constraint, are as long as a column. */
typedef struct tl_round_point {
  double alpha;
  const double *centre;
  double *z, *f, *u, *phi, *slope;
} tl_round_point;

/* F, its slopes, u = W F + q and phi at z. */
TL_TEAM void tl_round_evaluate(const tl_small_problem *p, tl_round_point *at) {
  const double rho = 1 / (1 + at->alpha);
  tl_round_impulses(p, at->z, at->f, at->slope);
  tl_small_velocities(p, at->f, at->u);
  TL_TEAM_EACH(i, 0, p->rows) {
    const double f = at->f[i];
    const double u = at->u[i] + at->alpha * (f - at->centre[i]);
    at->phi[i] = rho * u - f - at->z[i];
  }
  TL_MEET();
}

/* z of impulses y whose velocities without the proximal term are u. */
TL_TEAM void tl_round_begin(const tl_small_problem *p, const double *y, const double *u,
                            tl_round_point *at) {
  const double rho = 1 / (1 + at->alpha);
  TL_TEAM_EACH(i, 0, p->rows) {
    at->z[i] = rho * (u[i] + at->alpha * (y[i] - at->centre[i])) - y[i];
  }
  TL_MEET();
}

/* The column of dphi/dz = (rho (W + alpha) - 1) dF/dz - 1 that belongs to component c of constraint
 * k, as long as a column of W. Each member is to meet before it reads others' elements. */
TL_TEAM void tl_round_column(const tl_small_problem *p, const tl_round_point *at, int32_t k,
                             int32_t c, double *column) {
  const double rho = 1 / (1 + at->alpha), own = rho * at->alpha - 1;
  const int32_t first = p->first[k], rows = p->first[k + 1] - first;
  const double *const w = p->w + (int64_t)p->stride * first;
  const double *const w1 = w + (rows > 1 ? p->stride : 0);
  const double *const w2 = w + (rows > 2 ? 2 * p->stride : 0);
  double s[3];
  for (int d = 0; d < 3; d++) {
    s[d] = d < rows ? at->slope[9 * k + 3 * d + c] : 0;
  }
  const double r[3] = {rho * s[0], rho * s[1], rho * s[2]};
  TL_EACH_STRIP(i, 0, p->stride) {
    TL_WITHIN(l) {
      column[i + l] = w[i + l] * r[0] + w1[i + l] * r[1] + w2[i + l] * r[2];
    }
  }
  TL_MEET();
  TL_TEAM_EACH(d, 0, rows) {
    column[first + d] += own * s[d] - (d == c ? 1 : 0);
  }
}

#endif
