/* dense.h: one small problem with W written out, u = W y + q, worked on by a team (team.h).
 *
 * Scaled as host/method/small/small.h says: the certificate's residual is the plain natural map.
 * Cones are circular. Here: nearest points, velocities, the residual, Gauss-Seidel sweeps. */
#ifndef TL_ITEM_DENSE_H
#define TL_ITEM_DENSE_H

#include "kernels/item/dense_problem.h"
#include "kernels/item/team.h"

/* What the nearest points of a cone of this friction have in common. */
TL_ITEM double tl_small_shrink(double mu) {
  return 1 / (1 + mu * mu);
}

/* z becomes the nearest point of a constraint's set; components beyond its rows are 0. shrink is
 * that of mu: a sweep comes here often, and waits for its roots and divisions. */
TL_ITEM void tl_small_nearest(int32_t kind, double mu, double shrink, double lower, double upper,
                              double *z) {
  if (kind == TL_CONSTRAINT_FRICTION) {
    const double m = sqrt(z[1] * z[1] + z[2] * z[2]);
    if (!(m <= mu * z[0])) {
      const double inverse = m > 1e-300 ? 1 / m : 0, along = (z[0] + mu * m) * shrink;
      z[0] = along > 0 ? along : 0;
      z[1] = mu * z[0] * (inverse * z[1]);
      z[2] = mu * z[0] * (inverse * z[2]);
    }
  } else if (kind == TL_CONSTRAINT_UNILATERAL) {
    z[0] = z[0] > 0 ? z[0] : 0;
  } else if (kind == TL_CONSTRAINT_BOUNDED) {
    z[0] = z[0] < lower ? lower : z[0] > upper ? upper : z[0];
  }
}

/* What is added to the normal velocity under the exact law. */
TL_ITEM double tl_small_lift(tl_law law, int32_t kind, double mu, const double *u) {
  return law == TL_LAW_COULOMB && kind == TL_CONSTRAINT_FRICTION
             ? mu * sqrt(u[1] * u[1] + u[2] * u[2])
             : 0;
}

/* Three numbers of a constraint, 0 beyond its rows. */
TL_ITEM void tl_small_load(const double *v, int32_t first, int32_t rows, double *three) {
  three[0] = v[first];
  three[1] = rows > 1 ? v[first + 1] : 0;
  three[2] = rows > 2 ? v[first + 2] : 0;
}

/* u = W y + from, NULL = 0; sums in ascending order. */
TL_TEAM void tl_small_product(const tl_small_problem *p, const double *from, const double *y,
                              double *u) {
  const int32_t n = p->rows, stride = p->stride;
  TL_EACH_STRIP(i, 0, stride) {
    double sum[TL_STRIP];
    TL_WITHIN(l) {
      sum[l] = from != NULL ? from[i + l] : 0;
    }
    for (int32_t j = 0; j < n; j++) {
      const double *const column = p->w + (int64_t)stride * j + i;
      TL_WITHIN(l) {
        sum[l] += column[l] * y[j];
      }
    }
    TL_WITHIN(l) {
      u[i + l] = sum[l];
    }
  }
  TL_MEET();
}

/* u = W y + q. */
TL_TEAM void tl_small_velocities(const tl_small_problem *p, const double *y, double *u) {
  tl_small_product(p, p->q, y, u);
}

/* R(y), u = W y + q being known. share: [count] scratch. */
TL_TEAM double tl_small_remainder(const tl_small_problem *p, const double *y, const double *u,
                                  double *share) {
  TL_TEAM_EACH(k, 0, p->count) {
    const int32_t first = p->first[k], rows = p->first[k + 1] - first;
    double x[3], v[3], z[3];
    tl_small_load(y, first, rows, x);
    tl_small_load(u, first, rows, v);
    z[0] = x[0] - v[0] - tl_small_lift(p->law, p->kind[k], p->friction[k], v);
    z[1] = x[1] - v[1];
    z[2] = x[2] - v[2];
    tl_small_nearest(p->kind[k], p->friction[k], tl_small_shrink(p->friction[k]), p->lower[k],
                     p->upper[k], z);
    const double d[3] = {x[0] - z[0], x[1] - z[1], x[2] - z[2]};
    share[k] = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
  }
  TL_MEET();
  double sum[4] = {0, 0, 0, 0};
  for (int32_t k = 0; k < p->count; k++) {
    sum[k % 4] += share[k];
  }
  TL_MEET();
  return sqrt((sum[0] + sum[2]) + (sum[1] + sum[3]));
}

/* ---- sweeps ---------------------------------------------------------------------------------- */

/* Projected steps of one constraint on its own, by every member for itself: its impulse becomes x,
 * which is d away from where it was. */
TL_TEAM void tl_small_settle(const tl_small_problem *p, int32_t k, int32_t inner, const double *y,
                             const double *u, double *x, double *d) {
  const int32_t first = p->first[k], rows = p->first[k + 1] - first;
  const double mu = p->friction[k], pace = p->pace[k], shrink = tl_small_shrink(mu);
  const double *const block = p->w + (int64_t)p->stride * first + first;
  double a[9], base[3], v[3];
  for (int j = 0; j < 3; j++) {
    for (int i = 0; i < 3; i++) {
      a[3 * j + i] = i < rows && j < rows ? block[(int64_t)p->stride * j + i] : 0;
    }
  }
  tl_small_load(y, first, rows, x);
  tl_small_load(u, first, rows, base);
  const double begin[3] = {x[0], x[1], x[2]};
  d[0] = d[1] = d[2] = 0;
  for (int32_t step = 0; step < (rows > 1 ? inner : 1); step++) {
    for (int i = 0; i < 3; i++) {
      v[i] = base[i] + a[i] * d[0] + a[3 + i] * d[1] + a[6 + i] * d[2];
    }
    x[0] -= pace * (v[0] + tl_small_lift(p->law, p->kind[k], mu, v));
    x[1] -= pace * v[1];
    x[2] -= pace * v[2];
    tl_small_nearest(p->kind[k], mu, shrink, p->lower[k], p->upper[k], x);
    for (int i = 0; i < 3; i++) {
      d[i] = x[i] - begin[i];
    }
  }
}

/* How many sweeps a phase makes at the most: a few constraints are factored in the time of as many
 * sweeps as there are of them. */
TL_ITEM int32_t tl_small_most(const tl_small_phase *phase, int32_t constraints) {
  const int32_t few = constraints > 5 ? constraints : 5;
  return phase->sparing && few < phase->sweeps ? few : phase->sweeps;
}

/* The sweeps of a phase over all constraints, from y; u follows. Ends when a sweep moves y by less
 * than `least`. Returns the sweeps made. */
TL_TEAM int32_t tl_small_sweeps(const tl_small_problem *p, const tl_small_phase *phase,
                                double least, double *y, double *u, const tl_small_result *result) {
  const int32_t stride = p->stride, inner = phase->inner;
  int32_t most = tl_small_most(phase, p->count);
  tl_small_velocities(p, y, u);
  for (int32_t sweep = 0; sweep < most; sweep++) {
    double moved = 0;
    for (int32_t k = 0; k < p->count; k++) {
      const int32_t first = p->first[k], rows = p->first[k + 1] - first;
      double x[3], d[3];
      if (!(p->pace[k] > 0)) {
        continue;
      }
      tl_small_settle(p, k, inner, y, u, x, d);
      const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
      if (!(square > 0)) { /* what is not a number is left alone */
        continue;
      }
      moved += square;
      TL_MEET(); /* all have read u and y */
      const double *const w = p->w + (int64_t)stride * first;
      if (rows == 3) {
        TL_EACH_STRIP(i, 0, stride) {
          TL_WITHIN(l) {
            u[i + l] = u[i + l] + w[i + l] * d[0] + w[stride + i + l] * d[1] +
                       w[2 * stride + i + l] * d[2];
          }
        }
      } else {
        for (int32_t c = 0; c < rows; c++) {
          TL_TEAM_EACH(i, 0, stride) {
            u[i] += w[stride * c + i] * d[c];
          }
        }
      }
      TL_TEAM_EACH(c, 0, rows) {
        y[first + c] = x[c];
      }
      TL_MEET();
    }
    if (moved <= least * least || TL_INTERRUPTED(phase, result, p->rows, 0)) {
      most = sweep + 1;
    }
  }
  TL_MEET(); /* constraints that did not move were read without one */
  return most;
}

#endif
