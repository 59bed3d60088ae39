/* test_cone.c: one contact's cone: the projection in the metric S, and the local problem
 * min 1/2 x'Ax + c'x over K, against definitions and brute force.
 *
 * Compiled in double; test_cone_f32.c includes this file for single precision. Everything is judged
 * in long double, with the numbers as the precision at hand has them. */
#ifndef TL_REAL_IS_FLOAT
#define TL_REAL_IS_FLOAT 0
#endif
#include <string.h>

#include "kernels/item/cone.h"
#include "tests/check.h"

enum { ROUNDS = 20000 };
static const double eps = TL_REAL_EPSILON;

static uint64_t random_state = 1;

/* Uniform in low .. high (splitmix64). */
static double uniform(double low, double high) {
  uint64_t z = random_state += UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return low + (high - low) * (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* A size over many decades. */
static double size_draw(double decades) {
  return pow(10, uniform(-decades, decades));
}

static double friction_draw(void) {
  const double draw = uniform(0, 1);
  return draw < 0.1 ? 0 : draw < 0.2 ? uniform(0, 1e-3) : uniform(0, 2);
}

static tl_vec vector_draw(double size) {
  return tl_vec_make((tl_real)uniform(-size, size), (tl_real)uniform(-size, size),
                     (tl_real)uniform(-size, size));
}

static tl_vec unit_draw(void) {
  for (;;) {
    const double x = uniform(-1, 1), y = uniform(-1, 1), z = uniform(-1, 1);
    const double length = sqrt(x * x + y * y + z * z);
    if (length > 0.1 && length < 1) {
      return tl_vec_make((tl_real)(x / length), (tl_real)(y / length), (tl_real)(z / length));
    }
  }
}

typedef long double real;

static real dot(const real a[3], const real b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* ---- projection ------------------------------------------------------------------------------ */

/* <a, b> in the metric S about the axis n, and the split of a. */
typedef struct metric {
  real n[3], sn, st, mu;
} metric;

static real product(const metric *m, const real a[3], const real b[3]) {
  const real an = dot(m->n, a), bn = dot(m->n, b);
  return m->st * (dot(a, b) - an * bn) + m->sn * an * bn;
}

/* How far outside the cone. */
static real outside(const metric *m, const real x[3]) {
  real t[3], xn = dot(m->n, x);
  for (int i = 0; i < 3; i++) {
    t[i] = x[i] - xn * m->n[i];
  }
  return fmaxl(sqrtl(dot(t, t)) - m->mu * xn, -xn);
}

/* x = P(z) iff x is in K, <z - x, x> = 0 and <z - x, y> <= 0 for all y in K: checked for sampled y,
 * the axis, and the ray that is worst. */
static void projection_check(const metric *m, tl_vec zv, tl_vec xv) {
  const real z[3] = {zv.x, zv.y, zv.z}, x[3] = {xv.x, xv.y, xv.z};
  const real d[3] = {z[0] - x[0], z[1] - x[1], z[2] - x[2]};
  const real size = sqrtl(dot(z, z)), weight = fmaxl(m->sn, m->st);
  CHECK_CASE(outside(m, x) <= 8 * (1 + m->mu) * eps * size, "outside by %Lg of %Lg", outside(m, x),
             size);
  CHECK_CASE(fabsl(product(m, d, x)) <= 1024 * (1 + m->mu) * eps * weight * size * size,
             "<z - x, x> = %Lg of %Lg", product(m, d, x), weight * size * size);
  for (int i = 0; i < 12; i++) {
    real y[3], t[3], length = 0;
    const tl_vec any = i == 0 ? zv : vector_draw(1);
    const real a[3] = {any.x, any.y, any.z}, an = dot(m->n, a);
    for (int c = 0; c < 3; c++) {
      t[c] = a[c] - an * m->n[c];
    }
    length = sqrtl(dot(t, t));
    const real share =
        i == 1 || length < 1e-3 * sqrtl(dot(a, a)) ? 0 : m->mu / length; /* the axis */
    for (int c = 0; c < 3; c++) {
      y[c] = m->n[c] + share * t[c];
    }
    CHECK_CASE(product(m, d, y) <= 1024 * (1 + m->mu) * (1 + m->mu) * eps * weight * size,
               "a point of the cone is nearer: %Lg of %Lg", product(m, d, y), weight * size);
  }
}

static void test_projection(void) {
  for (int i = 0; i < ROUNDS; i++) {
    const tl_vec n = i % 5 == 0 ? tl_vec_make(1, 0, 0) : unit_draw();
    const tl_real mu = (tl_real)friction_draw();
    const tl_real sn = (tl_real)size_draw(2), st = (tl_real)size_draw(2);
    const double size = size_draw(3);
    tl_vec z = vector_draw(size);
    z = i % 7 == 0 ? tl_times((tl_real)uniform(-size, size), n) : z; /* on the axis */
    const metric m = {{n.x, n.y, n.z}, sn, st, mu};
    const tl_vec x = tl_cone_project(z, n, mu, sn, st);
    projection_check(&m, z, x);
    const tl_vec again = tl_cone_project(x, n, mu, sn, st), moved = tl_sub(again, x);
    CHECK_CASE(sqrt((double)tl_dot(moved, moved)) <=
                   256 * (1 + mu) * eps * sqrt((double)tl_dot(z, z)),
               "projecting twice moves by %g", sqrt((double)tl_dot(moved, moved)));
  }
  const tl_vec zero = tl_vec_make(0, 0, 0), axis = tl_vec_make(0, 0, 1);
  const tl_vec origin = tl_cone_project(zero, axis, 1, 1, 1);
  CHECK(origin.x == 0 && origin.y == 0 && origin.z == 0);
  const tl_vec below = tl_cone_project(tl_vec_make(0, 0, -1), axis, 0, 1, 1);
  CHECK(below.x == 0 && below.y == 0 && below.z == 0); /* without friction a half-line */
}

/* ---- frames ---------------------------------------------------------------------------------- */

static void test_frame(void) {
  for (int i = 0; i < ROUNDS; i++) {
    tl_vec n = unit_draw(), t1, t2;
    const tl_real near[] = {-1, 1, (tl_real)-0.0, 0};
    if (i < 4) {
      n = tl_vec_make(i < 2 ? 0 : 1, 0, near[i]);
    } else if (i % 5 == 0) { /* close to -z, where the formula has its seam */
      n = tl_vec_make((tl_real)uniform(-1e-3, 1e-3), (tl_real)uniform(-1e-3, 1e-3), -1);
      n = tl_times(1 / tl_sqrt(tl_dot(n, n)), n);
    }
    tl_tangents(n, &t1, &t2);
    const tl_vec right = tl_sub(tl_cross(n, t1), t2);
    CHECK_CLOSE(tl_dot(t1, t1), 1, 8 * eps);
    CHECK_CLOSE(tl_dot(t2, t2), 1, 8 * eps);
    CHECK_CLOSE(tl_dot(n, t1), 0, 8 * eps);
    CHECK_CLOSE(tl_dot(n, t2), 0, 8 * eps);
    CHECK_CLOSE(tl_dot(t1, t2), 0, 8 * eps);
    CHECK_CLOSE(tl_dot(right, right), 0, 64 * eps);
  }
}

/* ---- the local problem ----------------------------------------------------------------------- */

typedef struct local {
  tl_real a[6];
  tl_vec c;
  tl_real mu, sn, st;
} local;

/* A = B'B + floor of rows of B scaled over `decades`: without a floor singular ones too. */
static local local_draw(double decades, double floor) {
  local l;
  double a[6] = {0};
  for (int row = 0; row < 3; row++) {
    const double size = pow(10, -uniform(0, decades));
    const double b[3] = {size * uniform(-1, 1), size * uniform(-1, 1), size * uniform(-1, 1)};
    a[0] += b[0] * b[0];
    a[1] += b[0] * b[1];
    a[2] += b[0] * b[2];
    a[3] += b[1] * b[1];
    a[4] += b[1] * b[2];
    a[5] += b[2] * b[2];
  }
  const double least = floor * (a[0] + a[3] + a[5]);
  a[0] += least;
  a[3] += least;
  a[5] += least;
  const double unit = size_draw(4), weight = (a[0] + a[3] + a[5]) / 3;
  const double half = 0.5 * (a[3] - a[5]);
  const double spread = 0.5 * (a[3] + a[5]) + sqrt(half * half + a[4] * a[4]);
  for (int i = 0; i < 6; i++) {
    l.a[i] = (tl_real)(unit * a[i]);
  }
  l.sn = (tl_real)(unit * fmax(a[0], 1e-3 * weight)); /* as the assembly has it */
  l.st = (tl_real)(unit * fmax(spread, 1e-3 * weight));
  l.c = vector_draw(size_draw(2));
  l.mu = (tl_real)friction_draw();
  return l;
}

static void gradient_of(const local *l, const real x[3], real u[3]) {
  const real a[9] = {l->a[0], l->a[1], l->a[2], l->a[1], l->a[3],
                     l->a[4], l->a[2], l->a[4], l->a[5]};
  const real c[3] = {l->c.x, l->c.y, l->c.z};
  for (int i = 0; i < 3; i++) {
    u[i] = c[i] + dot(a + 3 * i, x);
  }
}

static real cost_of(const local *l, const real x[3]) {
  real u[3];
  const real c[3] = {l->c.x, l->c.y, l->c.z};
  gradient_of(l, x, u);
  return (dot(u, x) + dot(c, x)) / 2;
}

/* What the terms of the cost add up to without their signs: the scale of its rounding. */
static real cost_size(const local *l, const real x[3]) {
  const real a[9] = {l->a[0], l->a[1], l->a[2], l->a[1], l->a[3],
                     l->a[4], l->a[2], l->a[4], l->a[5]};
  const real c[3] = {l->c.x, l->c.y, l->c.z};
  real sum = 0;
  for (int i = 0; i < 3; i++) {
    sum += fabsl(c[i] * x[i]);
    for (int j = 0; j < 3; j++) {
      sum += fabsl(a[3 * i + j] * x[i] * x[j]) / 2;
    }
  }
  return sum;
}

/* The natural residual of x in units of a velocity, over |c|. */
static real error_of(const local *l, tl_vec xv) {
  const real x[3] = {xv.x, xv.y, xv.z}, w = ((real)l->a[0] + l->a[3] + l->a[5]) / 3;
  const real c[3] = {l->c.x, l->c.y, l->c.z};
  real u[3], z[3];
  gradient_of(l, x, u);
  for (int i = 0; i < 3; i++) {
    z[i] = x[i] - u[i] / w;
  }
  const real m = hypotl(z[1], z[2]);
  if (!(z[0] >= 0 && m <= l->mu * z[0])) {
    const real along = fmaxl(0, (z[0] + l->mu * m) / (1 + (real)l->mu * l->mu));
    z[1] = m > 0 ? l->mu * along * z[1] / m : 0;
    z[2] = m > 0 ? l->mu * along * z[2] / m : 0;
    z[0] = along;
  }
  const real d[3] = {x[0] - z[0], x[1] - z[1], x[2] - z[2]};
  return w * sqrtl(dot(d, d)) / sqrtl(dot(c, c));
}

/* Lowest cost over a fine fan of rays, each with its best length: on the boundary and inside. */
static real cost_sampled(const local *l) {
  real best = 0;
  for (int turn = 0; turn < 720; turn++) {
    for (int ring = 0; ring <= 4; ring++) {
      const real angle = turn * 3.14159265358979323846L / 360, tilt = l->mu * ring / 4.0L;
      const real d[3] = {1, tilt * cosl(angle), tilt * sinl(angle)}, zero[3] = {0, 0, 0};
      real c[3], u[3];
      gradient_of(l, zero, c);
      gradient_of(l, d, u);
      const real slope = dot(c, d), curvature = dot(u, d) - slope;
      if (slope < 0 && curvature > 0) {
        best = fminl(best, -slope * slope / (2 * curvature));
      }
    }
  }
  return best;
}

enum { TURNS = 60 };

/* Among many, and alone: the same. */
static tl_vec step(const local *l, tl_vec x) {
  const tl_vec u = tl_add(tl_sym_times(l->a, x), l->c);
  const tl_vec among = tl_cone_step(l->a, u, l->mu, l->sn, l->st, x, 0);
  const tl_vec alone = tl_cone_step(l->a, u, l->mu, l->sn, l->st, x, 1);
  CHECK(memcmp(&among, &alone, sizeof among) == 0);
  return among;
}

/* Turn after turn from the projection of the start: in the cone, and never dearer. */
static tl_vec turns(const local *l, tl_vec start, int count) {
  tl_vec xv = tl_cone_project(start, tl_vec_make(1, 0, 0), l->mu, l->sn, l->st);
  for (int i = 0; i < count; i++) {
    const real before[3] = {xv.x, xv.y, xv.z};
    xv = step(l, xv);
    const real x[3] = {xv.x, xv.y, xv.z}, size = sqrtl(dot(x, x)), cost = cost_of(l, x);
    CHECK(isfinite((double)size));
    CHECK_CASE(hypotl(x[1], x[2]) - l->mu * x[0] <= 16 * (1 + l->mu) * eps * size && x[0] >= 0,
               "outside the cone: %Lg %Lg %Lg, friction %g", x[0], x[1], x[2], (double)l->mu);
    CHECK_CASE(cost <= cost_of(l, before) + 64 * eps * (cost_size(l, before) + cost_size(l, x)),
               "cost rose from %Lg to %Lg", cost_of(l, before), cost);
  }
  return xv;
}

static double local_check(const local *l, tl_vec start) {
  return (double)error_of(l, turns(l, start, TURNS));
}

/* What sticks and what opens is solved by the first turn, from any start. */
static void test_local_once(void) {
  int stuck = 0, open = 0;
  for (int i = 0; i < ROUNDS; i++) {
    const local l = local_draw(1, 1e-2);
    const tl_vec x = turns(&l, tl_vec_make(0, 0, 0), TURNS);
    const int sticks = hypot((double)x.y, (double)x.z) < 0.99 * (double)(l.mu * x.x);
    const int opens = x.x == 0;
    if (sticks || opens) {
      const tl_vec once = step(&l, tl_times(1 / l.sn, vector_draw(1)));
      CHECK_CASE(error_of(&l, once) <= 1e5 * eps, "residual %Lg", error_of(&l, once));
      stuck += sticks;
      open += opens;
    }
  }
  CHECK_CASE(stuck > ROUNDS / 50 && open > ROUNDS / 50, "%d stuck, %d open", stuck, open);
}

/* Regular A: the solution, from any start. */
static void test_local(void) {
  for (int i = 0; i < ROUNDS; i++) {
    const local l = local_draw(1, 1e-2);
    const tl_real far = (tl_real)size_draw(3) / l.sn;
    const tl_vec start = i % 3 == 0 ? tl_vec_make(0, 0, 0) : tl_times(far, vector_draw(1));
    const double error = local_check(&l, start);
    CHECK_CASE(error <= 1e5 * eps,
               "residual %g, A %.9g %.9g %.9g %.9g %.9g %.9g c %.9g %.9g %.9g mu %.9g", error,
               (double)l.a[0], (double)l.a[1], (double)l.a[2], (double)l.a[3], (double)l.a[4],
               (double)l.a[5], (double)l.c.x, (double)l.c.y, (double)l.c.z, (double)l.mu);
    if (i % 100 == 0) {
      const tl_vec xv = turns(&l, start, TURNS);
      const real x[3] = {xv.x, xv.y, xv.z}, cost = cost_of(&l, x), best = cost_sampled(&l);
      CHECK_CASE(cost <= best + 1e4 * eps * fabsl(best), "cost %Lg, sampled %Lg", cost, best);
    }
  }
}

/* Nearly singular A: no last digit can be asked for, but progress, and a solution as a rule. */
static void test_local_singular(void) {
  int missed = 0;
  for (int i = 0; i < ROUNDS; i++) {
    const local l = local_draw(TL_REAL_IS_FLOAT ? 1.5 : 4, 0);
    const tl_vec start = i % 2 ? tl_vec_make(0, 0, 0) : tl_times(1 / l.sn, vector_draw(1));
    missed += !(local_check(&l, start) <= 1e-2);
  }
  CHECK_CASE(missed <= ROUNDS / 200, "%d of %d not solved to 1e-2", missed, ROUNDS);
}

/* A of rank one and two, as one body that turns only, or nothing that moves sideways. */
static void test_local_rank(void) {
  for (int i = 0; i < ROUNDS; i++) {
    local l = local_draw(0, 0);
    const int rank = 1 + i % 2;
    double a[6] = {0};
    for (int row = 0; row < rank; row++) {
      const double b[3] = {uniform(-1, 1), i % 3 ? uniform(-1, 1) : 0, i % 5 ? uniform(-1, 1) : 0};
      const double part[6] = {b[0] * b[0], b[0] * b[1], b[0] * b[2],
                              b[1] * b[1], b[1] * b[2], b[2] * b[2]};
      for (int k = 0; k < 6; k++) {
        a[k] += part[k];
      }
    }
    const double least = 1e-3 * (a[0] + a[3] + a[5]) / 3;
    for (int k = 0; k < 6; k++) {
      l.a[k] = (tl_real)a[k];
    }
    l.sn = (tl_real)fmax(a[0], least);
    l.st = (tl_real)fmax(a[3] + a[5], least);
    local_check(&l, i % 2 ? tl_vec_make(0, 0, 0) : vector_draw(3));
  }
}

/* Started at the solution it stays there. */
static void test_local_stays(void) {
  for (int i = 0; i < ROUNDS / 4; i++) {
    const local l = local_draw(1, 1e-2);
    const tl_vec x = turns(&l, tl_vec_make(0, 0, 0), TURNS);
    const tl_vec y = step(&l, x), d = tl_sub(y, x);
    CHECK_CASE(sqrt((double)tl_dot(d, d)) <= 1e6 * eps * sqrt((double)tl_dot(x, x)),
               "moved by %g of %g", sqrt((double)tl_dot(d, d)), sqrt((double)tl_dot(x, x)));
  }
}

int main(void) {
  test_projection();
  test_frame();
  test_local();
  test_local_once();
  test_local_singular();
  test_local_rank();
  test_local_stays();
  return check_end();
}
