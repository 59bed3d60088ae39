/* certificate_wrench.c: the natural map of a contact of six rows, or of an elliptic cone.
 *
 * Force and torque have a weight each, w and w' = tr of their parts of W_kk over 3. In x sqrt(w)
 * and torque sqrt(w') the metric is the plain one, and friction of spinning and rolling is
 * mu_s sqrt(w'/w) and mu_r sqrt(w'/w). An elliptic cone is judged where it is circular: in
 * T^-1 x and T u, T = I - g g^T (tl_problem_ellipse). */
#include "host/solve/certificate_wrench.h"

#include <math.h>
#include <string.h>

#include "host/problem/problem_check.h"

enum { PARTS = 3 }; /* sliding, spinning, rolling: what the normal impulse bounds */

static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static tl_six split(const double *force, const double *torque, const double *n, double first,
                    double second) {
  tl_six v;
  const double along = dot(n, force), about = dot(n, torque);
  v.normal = first * along;
  for (int c = 0; c < 3; c++) {
    v.part[0][c] = first * (force[c] - along * n[c]);
    v.part[1][c] = second * about * n[c];
    v.part[2][c] = second * (torque[c] - about * n[c]);
  }
  return v;
}

static double length(const double *v) {
  return sqrt(dot(v, v));
}

double tl_six_inner(const tl_six *a, const tl_six *b) {
  return a->normal * b->normal + dot(a->part[0], b->part[0]) + dot(a->part[1], b->part[1]) +
         dot(a->part[2], b->part[2]);
}

/* The law's velocity: parts without friction do not count. */
static tl_six law_velocity(tl_six u, const double *mu, talus_law law) {
  for (int i = 0; i < PARTS; i++) {
    if (!(mu[i] > 0)) {
      memset(u.part[i], 0, sizeof u.part[i]);
    }
    u.normal += law == TALUS_LAW_COULOMB ? mu[i] * length(u.part[i]) : 0;
  }
  return u;
}

/* The normal part of the nearest point of the cone: parts take part from the most violated on,
 * while the root without the next is still below where that begins to hold. */
static double nearest_normal(double normal, const double *size, const double *mu) {
  double sum = normal, scale = 1, begins[PARTS];
  int taken[PARTS] = {0, 0, 0};
  for (int i = 0; i < PARTS; i++) {
    begins[i] = mu[i] > 0 ? size[i] / mu[i] : -INFINITY; /* below it the part is cut */
  }
  for (int round = 0; round < PARTS; round++) {
    int next = -1;
    for (int i = 0; i < PARTS; i++) {
      next = !taken[i] && (next < 0 || begins[i] > begins[next]) ? i : next;
    }
    if (sum / scale >= begins[next]) {
      break;
    }
    taken[next] = 1;
    sum += mu[next] * size[next];
    scale += mu[next] * mu[next];
  }
  return sum / scale;
}

/* |x - P(x - u)|^2 */
static double natural(const tl_six *x, const tl_six *u, const double *mu) {
  tl_six z = *x;
  double size[PARTS], squares = 0;
  z.normal -= u->normal;
  for (int i = 0; i < PARTS; i++) {
    for (int c = 0; c < 3; c++) {
      z.part[i][c] -= u->part[i][c];
    }
    size[i] = length(z.part[i]);
  }
  const double normal = nearest_normal(z.normal, size, mu);
  if (!(normal > 0)) {
    return isnan(normal) ? normal : tl_six_inner(x, x);
  }
  for (int i = 0; i < PARTS; i++) {
    const double most = mu[i] * normal;
    for (int c = 0; c < 3; c++) {
      /* what is not cut differs from x by u: the difference of the two would lose it */
      const double d =
          size[i] > most ? x->part[i][c] - most / size[i] * z.part[i][c] : u->part[i][c];
      squares += d * d;
    }
  }
  const double along = normal == z.normal ? u->normal : x->normal - normal;
  return squares + along * along;
}

static void naturals(const tl_six *x, const tl_six *u, const double *mu, double *squares) {
  for (int law = 0; law < TALUS_LAW_COUNT; law++) {
    const tl_six lawful = law_velocity(*u, mu, (talus_law)law);
    squares[law] = natural(x, &lawful, mu);
  }
}

tl_wrench_verdict tl_wrench_judge(const tl_facts *facts, int64_t i, const double *friction,
                                  const double *axis) {
  const double first[3] = {1, 0, 0};
  const double *const n = axis != NULL ? axis : first;
  const tl_spins *const spins = &facts->spins;
  const bool turns = spins->weight[i] > 0;
  const double w = facts->weight[i], wt = turns ? spins->weight[i] : 1;
  const double a = sqrt(w), b = sqrt(wt);
  const double mu[PARTS] = {friction[0], turns ? friction[1] : 0, turns ? friction[2] : 0};
  const double scaled[PARTS] = {mu[0], mu[1] * b / a, mu[2] * b / a};
  const double none[3] = {0, 0, 0};
  const double *const x = facts->impulse + 3 * i, *const t = spins->impulse + 3 * i;
  const double *const u = facts->velocity + 3 * i, *const o = spins->velocity + 3 * i;
  const tl_six zero = split(none, none, n, 1, 1), own = split(x, t, n, a, b);
  const tl_six after = split(u, o, n, 1 / a, 1 / b);
  const tl_six before = split(facts->free + 3 * i, spins->free + 3 * i, n, 1 / a, 1 / b);
  tl_wrench_verdict v = {.impulse = split(x, t, n, 1, 1), .velocity = split(u, o, n, 1, 1)};
  naturals(&own, &after, scaled, v.residual);
  naturals(&zero, &before, scaled, v.reference);
  naturals(&v.impulse, &v.velocity, mu, v.plain);
  v.lawful[TALUS_LAW_CCP] = law_velocity(v.velocity, mu, TALUS_LAW_CCP);
  v.lawful[TALUS_LAW_COULOMB] = law_velocity(v.velocity, mu, TALUS_LAW_COULOMB);
  v.load = tl_six_inner(&own, &own);
  v.outside = -v.impulse.normal;
  for (int part = 0; part < PARTS; part++) {
    const double lever = part == 0 || !(b > 0) ? 1 : b / a; /* torques by the force they match */
    const double over = lever * (length(v.impulse.part[part]) - mu[part] * v.impulse.normal);
    v.outside = over > v.outside || isnan(over) ? over : v.outside;
    v.work += dot(v.impulse.part[part], v.velocity.part[part]);
  }
  return v;
}

/* v - factor (g . v) g */
static void shrink(const double *g, double factor, double *v) {
  const double along = factor * dot(g, v);
  for (int c = 0; c < 3; c++) {
    v[c] -= along * g[c];
  }
}

double tl_ellipse_apply(const tl_certification *j, int32_t k, int64_t i, tl_facts *facts) {
  const tl_ellipse ellipse = tl_problem_ellipse(j->problem, k);
  const double *const g = ellipse.squeeze;
  const double square = dot(g, g);
  shrink(g, -1 / (1 - square), facts->impulse + 3 * i);
  shrink(g, 1, facts->velocity + 3 * i);
  shrink(g, 1, facts->free + 3 * i);
  facts->weight[i] -=
      (2 - square) * facts->squeezed[i] / 3; /* tr(T W T), T^2 = I - (2 - g.g) g g' */
  return ellipse.friction;
}
