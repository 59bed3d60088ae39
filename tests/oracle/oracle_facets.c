/* oracle_facets.c: epsilon with a faceted cone, straight from the definitions of talus_cone.
 *
 * The nearest point of a faceted cone is the nearest of its candidates: the point itself, its feet
 * on the planes of all facets, on all edges, and the apex, as far as they lie in the cone. */
#include <math.h>
#include <stdlib.h>

#include "tests/oracle/oracle.h"
#include "tests/oracle/oracle_dense.h"

typedef long double real;

enum { VERTICES = 64 };

typedef struct faceted {
  int count;
  real vertex[VERTICES][2]; /* times friction */
} faceted;

static const real TURN = 6.283185307179586476925286766559L;

/* Coordinates of v in n t1 t2; rigid: the tangents that the header defines. */
static void coordinates(const oracle_system *system, int k, int rigid, const real *v, real *out) {
  if (!rigid) {
    for (int i = 0; i < 3; i++) {
      out[i] = i < system->dimension ? v[i] : 0.0L;
    }
    return;
  }
  const real *n = system->normal + 3 * k, x = n[0], y = n[1], z = n[2];
  const real s = z >= 0.0L ? 1.0L : -1.0L, b = -1.0L / (s + z);
  out[0] = x * v[0] + y * v[1] + z * v[2];
  out[1] = (1.0L + s * x * x * b) * v[0] + s * x * y * b * v[1] - s * x * v[2];
  out[2] = x * y * b * v[0] + (s + y * y * b) * v[1] - y * v[2];
}

static faceted cone_of(const talus_settings *settings, real friction, int dimension,
                       const real *q) {
  faceted cone = {0};
  const int box = settings->cone == TALUS_CONE_BOX;
  if (dimension == 2) {
    cone.count = 2;
    cone.vertex[0][0] = friction;
    cone.vertex[1][0] = -friction;
    return cone;
  }
  cone.count = box ? 4 : settings->facets;
  real angle = settings->facet_angle;
  if (settings->facet_align && (q[1] != 0.0L || q[2] != 0.0L)) {
    angle += atan2l(-q[2], -q[1]);
  }
  const real c = cosl(angle), s = sinl(angle);
  for (int i = 0; i < cone.count; i++) {
    const real a = TURN * i / cone.count;
    /* corners of the box from its sides */
    const real along = box ? (i == 0 || i == 3 ? 1.0L : -1.0L) : cosl(a);
    const real across = box ? (i < 2 ? 1.0L : -1.0L) : sinl(a);
    cone.vertex[i][0] = friction * (c * along - s * across);
    cone.vertex[i][1] = friction * (s * along + c * across);
  }
  return cone;
}

/* Whether p lies in the cone, but for rounding: on the inner side of all facets. */
static int inside(const faceted *cone, const real *p, real size) {
  if (cone->count == 2) {
    return fabsl(p[1]) <= cone->vertex[0][0] * p[0] + 1e-17L * size;
  }
  for (int i = 0; i < cone->count; i++) {
    const real *a = cone->vertex[i], *b = cone->vertex[(i + 1) % cone->count];
    const real nx = b[1] - a[1], ny = a[0] - b[0]; /* outwards, counted counter-clockwise */
    const real scale = sqrtl(nx * nx + ny * ny);
    if (nx * p[1] + ny * p[2] > (nx * a[0] + ny * a[1]) * p[0] + 1e-17L * size * scale) {
      return 0;
    }
  }
  return p[0] >= -1e-17L * size;
}

static void candidate(const faceted *cone, const real *z, const real *p, real size, real *nearest,
                      real *best) {
  real square = 0.0L;
  for (int i = 0; i < 3; i++) {
    square += (z[i] - p[i]) * (z[i] - p[i]);
  }
  if (inside(cone, p, size) && square < *nearest) {
    *nearest = square;
    for (int i = 0; i < 3; i++) {
      best[i] = p[i];
    }
  }
}

static void nearest_point(const faceted *cone, const real *z, real *best) {
  const real size = sqrtl(z[0] * z[0] + z[1] * z[1] + z[2] * z[2]);
  const real apex[3] = {0.0L, 0.0L, 0.0L};
  real nearest = HUGE_VALL;
  candidate(cone, z, apex, size, &nearest, best);
  candidate(cone, z, z, size, &nearest, best);
  for (int i = 0; i < cone->count; i++) {
    const real *a = cone->vertex[i], *b = cone->vertex[(i + 1) % cone->count];
    const real along = (z[0] + a[0] * z[1] + a[1] * z[2]) / (1.0L + a[0] * a[0] + a[1] * a[1]);
    const real edge[3] = {along, along * a[0], along * a[1]};
    if (along > 0.0L) {
      candidate(cone, z, edge, size, &nearest, best);
    }
    if (cone->count > 2) { /* the plane through the apex and both edges */
      const real m[3] = {a[0] * b[1] - a[1] * b[0], a[1] - b[1], b[0] - a[0]};
      const real out =
          (m[0] * z[0] + m[1] * z[1] + m[2] * z[2]) / (m[0] * m[0] + m[1] * m[1] + m[2] * m[2]);
      const real foot[3] = {z[0] - out * m[0], z[1] - out * m[1], z[2] - out * m[2]};
      candidate(cone, z, foot, size, &nearest, best);
    }
  }
}

static real contact_square(const faceted *cone, const real *x, const real *u, real w,
                           talus_law law) {
  real slip = 0.0L, z[3], p[3], square = 0.0L;
  for (int i = 0; i < cone->count; i++) {
    slip = fmaxl(slip, -(cone->vertex[i][0] * u[1] + cone->vertex[i][1] * u[2]));
  }
  for (int i = 0; i < 3; i++) {
    z[i] = x[i] - (u[i] + (i == 0 && law == TALUS_LAW_COULOMB ? slip : 0.0L)) / w;
  }
  nearest_point(cone, z, p);
  for (int i = 0; i < 3; i++) {
    square += w * (x[i] - p[i]) * (x[i] - p[i]);
  }
  return square;
}

static real residual(const oracle_system *system, const talus_problem *problem,
                     const talus_settings *settings, const real *x, const real *u) {
  const int rigid = problem->form == TALUS_FORM_RIGID, d = system->dimension;
  real square = 0.0L;
  for (int k = 0; k < system->contacts; k++) {
    real w = 0.0L, xk[3], uk[3], qk[3];
    for (int i = d * k; i < d * (k + 1); i++) {
      w += system->w[(size_t)i * (size_t)system->rows + (size_t)i] / d;
    }
    coordinates(system, k, rigid, x + d * k, xk);
    coordinates(system, k, rigid, u + d * k, uk);
    coordinates(system, k, rigid, system->q + d * k, qk);
    if (system->friction[k] > 0.0L && d > 1) {
      const faceted cone = cone_of(settings, system->friction[k], d, qk);
      square += contact_square(&cone, xk, uk, w, settings->law);
    } else {
      const real there = fmaxl(0.0L, xk[0] - uk[0] / w);
      square += w * ((xk[0] - there) * (xk[0] - there) + xk[1] * xk[1] + xk[2] * xk[2]);
    }
  }
  for (int r = d * system->contacts; r < system->rows; r++) {
    const int row = r - d * system->contacts;
    const real w = system->w[(size_t)r * (size_t)system->rows + (size_t)r];
    const real there = fminl(fmaxl(x[r] - u[r] / w, system->lower[row]), system->upper[row]);
    square += w * (x[r] - there) * (x[r] - there);
  }
  return sqrtl(square);
}

double oracle_epsilon_faceted(const talus_problem *problem, const talus_settings *settings,
                              const double *impulse, const double *bilateral) {
  oracle_system system;
  if (!oracle_build(problem, &system)) {
    return HUGE_VAL;
  }
  const int contact_rows = system.dimension * system.contacts;
  real *x = oracle_calloc((size_t)system.rows, sizeof *x);
  real *zero = oracle_calloc((size_t)system.rows, sizeof *zero);
  real *u = oracle_calloc((size_t)system.rows, sizeof *u);
  for (int r = 0; r < system.rows; r++) {
    x[r] = r < contact_rows ? impulse[r] : bilateral[r - contact_rows];
  }
  oracle_velocity(&system, impulse, bilateral, u);
  const real now = residual(&system, problem, settings, x, u);
  const real before = residual(&system, problem, settings, zero, system.q);
  free(x);
  free(zero);
  free(u);
  oracle_free(&system);
  const double epsilon = (double)(now / before);
  return epsilon >= 0.0 ? epsilon : HUGE_VAL;
}
