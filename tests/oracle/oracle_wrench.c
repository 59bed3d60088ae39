/* oracle_wrench.c: judges contacts of six rows and elliptic cones. See oracle_wrench.h. */
#include "tests/oracle/oracle_wrench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/oracle/oracle_dense.h"

typedef long double real;

/* One contact in its own axes: n, two directions of friction; spinning; rolling about the two. */
typedef struct six {
  real v[6];
} six;

typedef struct contact {
  int rows;        /* 3 or 6 */
  real axis[3][3]; /* n, d1, d2 in the frame of the rows */
  real mu[2];      /* along d1, d2 */
  real spin, roll;
} contact;

static real dot3(const real *a, const real *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static contact contact_at(const talus_problem *p, int k) {
  contact c;
  memset(&c, 0, sizeof c);
  c.rows = p->dimension;
  c.mu[0] = p->friction != NULL ? p->friction[k] : 0.0;
  c.mu[1] = p->cross_friction != NULL ? (real)p->cross_friction[k] : c.mu[0];
  c.spin = p->torque_friction != NULL ? p->torque_friction[2 * k] : 0.0;
  c.roll = p->torque_friction != NULL ? p->torque_friction[2 * k + 1] : 0.0;
  real *n = c.axis[0], *d = c.axis[1], *e = c.axis[2];
  n[0] = d[1] = e[2] = 1.0L;
  if (p->form == TALUS_FORM_RIGID) {
    const double any[3] = {0.3, 0.5, -0.7};
    const double *wanted = p->friction_direction != NULL ? p->friction_direction + 3 * k : any;
    for (int i = 0; i < 3; i++) {
      n[i] = p->rigid.normal[3 * k + i];
      d[i] = wanted[i];
    }
    const real length = sqrtl(dot3(n, n)), along = dot3(n, d) / (length * length);
    for (int i = 0; i < 3; i++) {
      d[i] -= along * n[i];
    }
    const real across = sqrtl(dot3(d, d));
    for (int i = 0; i < 3; i++) {
      n[i] /= length;
      d[i] /= across;
    }
    for (int i = 0; i < 3; i++) {
      e[i] = n[(i + 1) % 3] * d[(i + 2) % 3] - n[(i + 2) % 3] * d[(i + 1) % 3];
    }
  }
  return c;
}

/* Rows to axes. */
static six turned(const contact *c, const real *rows) {
  six s;
  memset(&s, 0, sizeof s);
  for (int i = 0; i < c->rows; i++) {
    s.v[i] = dot3(c->axis[i % 3], rows + (i < 3 ? 0 : 3));
  }
  return s;
}

/* a' W_kk b over force (first 0) or torque (first 3), a and b among the axes. */
static real block(const oracle_system *system, const contact *c, int k, int first, int a, int b) {
  real sum = 0.0L;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      const size_t row = (size_t)(c->rows * k + first + i);
      const size_t column = (size_t)(c->rows * k + first + j);
      sum += c->axis[a][i] * system->w[row * (size_t)system->rows + column] * c->axis[b][j];
    }
  }
  return sum;
}

/* Scaled so that the cone is circular with the larger friction and both weights are 1: factors of
 * impulses; velocities are divided by them. */
static void scaling(const oracle_system *system, const contact *c, int k, const talus_problem *p,
                    real *factor, real *mu) {
  const real largest = fmaxl(c->mu[0], c->mu[1]);
  real trace = 0.0L, turn = 0.0L;
  for (int i = 0; i < 3; i++) {
    const real squeeze = i > 0 && largest > 0.0L ? c->mu[i - 1] / largest : 1.0L;
    const real yield = p->compliance != NULL ? p->compliance[2 * k + (i > 0)] : 0.0;
    factor[i] = 1.0L / squeeze;
    trace += squeeze * squeeze * (block(system, c, k, 0, i, i) - yield) / 3.0L + yield / 3.0L;
    turn += c->rows == 6 ? block(system, c, k, 3, i, i) / 3.0L : 0.0L;
  }
  const int turns = turn > 0.0L;
  for (int i = 0; i < 3; i++) {
    factor[i] *= sqrtl(trace);
    factor[3 + i] = turns ? sqrtl(turn) : 1.0L;
  }
  mu[0] = largest;
  mu[1] = turns ? c->spin * factor[3] / sqrtl(trace) : 0.0L;
  mu[2] = turns ? c->roll * factor[3] / sqrtl(trace) : 0.0L;
}

static real slide(const real *v) {
  return sqrtl(v[1] * v[1] + v[2] * v[2]);
}
static real spin(const real *v) {
  return fabsl(v[3]);
}
static real roll(const real *v) {
  return sqrtl(v[4] * v[4] + v[5] * v[5]);
}

/* Half the slope of the distance to what is allowed at normal part x. */
static real slope(const real *z, const real *mu, real x) {
  return x - z[0] - mu[0] * fmaxl(0.0L, slide(z) - mu[0] * x) -
         mu[1] * fmaxl(0.0L, spin(z) - mu[1] * x) - mu[2] * fmaxl(0.0L, roll(z) - mu[2] * x);
}

/* The nearest point of the cone, by bisection. */
static void project(real *z, const real *mu) {
  real low = 0.0L, high = fabsl(z[0]) + mu[0] * slide(z) + mu[1] * spin(z) + mu[2] * roll(z);
  if (slope(z, mu, 0.0L) >= 0.0L) {
    memset(z, 0, 6 * sizeof *z);
    return;
  }
  for (int round = 0; round < 200 && low < high; round++) {
    const real middle = 0.5L * (low + high);
    if (middle <= low || middle >= high) {
      break;
    }
    *(slope(z, mu, middle) < 0.0L ? &low : &high) = middle;
  }
  const real x = high, sizes[3] = {slide(z), spin(z), roll(z)};
  for (int i = 1; i < 6; i++) {
    const int part = i < 3 ? 0 : i == 3 ? 1 : 2;
    z[i] *= sizes[part] > mu[part] * x ? mu[part] * x / sizes[part] : 1.0L;
  }
  z[0] = x;
}

static real natural_square(const talus_problem *p, const oracle_system *system, int k,
                           const real *x, const real *u, talus_law law) {
  const contact c = contact_at(p, k);
  six own = turned(&c, x + c.rows * k), moves = turned(&c, u + c.rows * k);
  real factor[6], mu[3], z[6], square = 0.0L;
  scaling(system, &c, k, p, factor, mu);
  for (int i = 0; i < 6; i++) {
    own.v[i] *= factor[i];
    moves.v[i] /= factor[i];
  }
  if (law == TALUS_LAW_COULOMB) {
    moves.v[0] += mu[0] * slide(moves.v) + mu[1] * spin(moves.v) + mu[2] * roll(moves.v);
  }
  for (int i = 0; i < 6; i++) {
    z[i] = own.v[i] - moves.v[i];
  }
  project(z, mu);
  for (int i = 0; i < 6; i++) {
    square += (own.v[i] - z[i]) * (own.v[i] - z[i]);
  }
  return square;
}

static real natural(const talus_problem *p, const oracle_system *system, const real *x,
                    const real *u, talus_law law) {
  real square = 0.0L;
  for (int k = 0; k < system->contacts; k++) {
    square += natural_square(p, system, k, x, u, law);
  }
  for (int r = system->dimension * system->contacts; r < system->rows; r++) {
    const int row = r - system->dimension * system->contacts;
    const real w = system->w[(size_t)r * (size_t)system->rows + (size_t)r];
    const int endless = isinf(system->lower[row]) && isinf(system->upper[row]);
    const real there = fminl(fmaxl(x[r] - u[r] / w, system->lower[row]), system->upper[row]);
    const real d = endless ? u[r] / w : x[r] - there;
    square += w * d * d;
  }
  return sqrtl(square);
}

/* What q is not known better than. */
static real rounding_floor(const oracle_system *system) {
  real square = 0.0L;
  for (int r = 0; r < system->rows; r++) {
    const real w = system->w[(size_t)r * (size_t)system->rows + (size_t)r];
    square += w > 0.0L ? system->weight[r] * system->weight[r] / w : 0.0L;
  }
  return ldexpl(sqrtl(square), -44);
}

static real *stack(const oracle_system *system, const double *impulse, const double *bilateral) {
  const int contact_rows = system->dimension * system->contacts;
  real *x = oracle_calloc((size_t)system->rows, sizeof *x);
  for (int r = 0; r < system->rows; r++) {
    x[r] = r < contact_rows ? impulse[r] : bilateral[r - contact_rows];
  }
  return x;
}

double oracle_wrench_epsilon(const talus_problem *problem, const double *impulse,
                             const double *bilateral, talus_law law) {
  oracle_system system;
  if (!oracle_build(problem, &system)) {
    return HUGE_VAL;
  }
  real *x = stack(&system, impulse, bilateral);
  real *zero = oracle_calloc((size_t)system.rows, sizeof *zero);
  real *u = oracle_calloc((size_t)system.rows, sizeof *u);
  oracle_velocity(&system, impulse, bilateral, u);
  const real residual = natural(problem, &system, x, u, law), least = rounding_floor(&system);
  const real reference = natural(problem, &system, zero, system.q, law);
  const double ratio =
      reference <= least && residual <= least ? 0.0 : (double)(residual / fmaxl(reference, least));
  free(x);
  free(zero);
  free(u);
  oracle_free(&system);
  return ratio >= 0.0 ? ratio : HUGE_VAL; /* NaN fails the comparison */
}

/* How much the law's statements are missed at one contact, torques as forces at `reach`. */
static real defect(const contact *c, const six *x, const six *u, talus_law law, real reach,
                   real impulse, real velocity) {
  const real m1 = c->mu[0], m2 = c->mu[1];
  const real slid = m1 > 0.0L ? hypotl(x->v[1] / m1, x->v[2] / m2) : slide(x->v);
  const real opening =
      hypotl(m1 * u->v[1], m2 * u->v[2]) + c->spin * spin(u->v) + c->roll * roll(u->v);
  const real normal = u->v[0] + (law == TALUS_LAW_COULOMB ? opening : 0.0L);
  const real outside =
      fmaxl(slid - (m1 > 0.0L ? x->v[0] : 0.0L),
            fmaxl(spin(x->v) - c->spin * x->v[0], roll(x->v) - c->roll * x->v[0]) / reach);
  real product = x->v[0] * normal;
  for (int i = 1; i < 6; i++) {
    product += x->v[i] * u->v[i];
  }
  return fmaxl(fmaxl(outside, -x->v[0]) / impulse,
               fmaxl((opening - normal) / velocity, fabsl(product) / (impulse * velocity)));
}

double oracle_wrench_defect(const talus_problem *problem, const double *impulse,
                            const double *bilateral, talus_law law) {
  oracle_system system;
  if (!oracle_build(problem, &system)) {
    return HUGE_VAL;
  }
  real *x = stack(&system, impulse, bilateral);
  real *u = oracle_calloc((size_t)system.rows, sizeof *u);
  oracle_velocity(&system, impulse, bilateral, u);
  real push = 0.0L, speed = 0.0L, worst = 0.0L;
  for (int r = 0; r < system.rows; r++) {
    if (r >= system.dimension * system.contacts || r % system.dimension < 3) {
      push = fmaxl(push, fabsl(x[r]));
      speed = fmaxl(speed, fabsl(system.q[r]));
    }
  }
  for (int k = 0; k < system.contacts; k++) {
    const contact c = contact_at(problem, k);
    const six own = turned(&c, x + c.rows * k), moves = turned(&c, u + c.rows * k);
    const real turn = c.rows == 6 ? block(&system, &c, k, 3, 0, 0) : 1.0L;
    const real reach = sqrtl(block(&system, &c, k, 0, 0, 0) / (turn > 0.0L ? turn : 1.0L));
    const real d = defect(&c, &own, &moves, law, reach, push, speed);
    worst = d > worst || isnan(d) ? d : worst;
  }
  free(x);
  free(u);
  oracle_free(&system);
  return isnan(worst) ? HUGE_VAL : (double)worst;
}
