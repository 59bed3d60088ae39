/* oracle.c: residuals of some impulses, straight from the definitions.
 *
 *   u^   = u + friction |u_t| n (law coulomb) or u (law ccp)
 *   w_k  = trace of the diagonal block / dimension;  bilateral row: its diagonal entry
 *   R(x) = | sqrt(w_k) (x_k - P(x_k - u^_k / w_k)) |;  bilateral row: P into its bounds
 *   epsilon = R(x) / R(0), R(0) not below 2^-44 | (|D||v| + |bias|) / sqrt(w) |
 *
 * With friction 0 the cone is the half-line along n, so that a tangential impulse counts as error.
 */
#include "tests/oracle/oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/oracle/oracle_dense.h"

typedef long double real;

static real dot(const real *a, const real *b, int n) {
  real sum = 0.0L;
  for (int i = 0; i < n; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

/* Splits x into its normal part and the tangential vector, whose length is returned. */
static real split(const real *x, const real *n, int dimension, real *normal, real *tangent) {
  *normal = dot(x, n, dimension);
  for (int i = 0; i < dimension; i++) {
    tangent[i] = x[i] - *normal * n[i];
  }
  return sqrtl(dot(tangent, tangent, dimension));
}

/* The nearest point of the cone |t| <= friction * normal. */
static void project(real *x, const real *n, int dimension, real friction) {
  real normal, tangent[3];
  const real length = split(x, n, dimension, &normal, tangent);
  if (normal >= 0.0L && length <= friction * normal) {
    return; /* inside */
  }
  const real along = (normal + friction * length) / (1.0L + friction * friction);
  for (int i = 0; i < dimension; i++) {
    x[i] = 0.0L;
    if (along > 0.0L) {
      x[i] = along * n[i] + (length > 0.0L ? friction * along * tangent[i] / length : 0.0L);
    }
  }
}

static real diagonal(const oracle_system *system, int row) {
  return system->w[(size_t)row * (size_t)system->rows + (size_t)row];
}

static real trace_mean(const oracle_system *system, int contact) {
  real sum = 0.0L;
  for (int i = 0; i < system->dimension; i++) {
    sum += diagonal(system, system->dimension * contact + i);
  }
  return sum / system->dimension;
}

static void velocity_of(const oracle_system *system, const real *x, real *u) {
  for (int r = 0; r < system->rows; r++) {
    u[r] = system->q[r] + dot(system->w + (size_t)r * (size_t)system->rows, x, system->rows);
  }
}

static real *stack(const oracle_system *system, const double *impulse, const double *bilateral) {
  const int contact_rows = system->dimension * system->contacts;
  real *x = oracle_calloc((size_t)system->rows, sizeof *x);
  for (int r = 0; r < system->rows; r++) {
    x[r] = r < contact_rows ? impulse[r] : bilateral != NULL ? bilateral[r - contact_rows] : 0.0;
  }
  return x;
}

void oracle_velocity(const oracle_system *system, const double *impulse, const double *bilateral,
                     long double *velocity) {
  real *x = stack(system, impulse, bilateral);
  velocity_of(system, x, velocity);
  free(x);
}

/* u^ of one contact. */
static void corrected(const oracle_system *system, int k, const real *u, talus_law law, real *out) {
  const int dimension = system->dimension;
  const real *n = system->normal + dimension * k;
  real normal, tangent[3];
  const real slip = split(u + dimension * k, n, dimension, &normal, tangent);
  for (int i = 0; i < dimension; i++) {
    const real extra = law == TALUS_LAW_COULOMB ? system->friction[k] * slip * n[i] : 0.0L;
    out[i] = u[dimension * k + i] + extra;
  }
}

/* | factor_k (x_k - P(x_k - u^_k step_k)) | over all rows: with factor sqrt(w) and step 1/w this is
 * R, with 1 and 1 the numerator of Siconos' measure. */
typedef enum scaling { BY_DIAGONAL, BY_ONE } scaling;

static real natural_map(const oracle_system *system, const real *x, const real *u, talus_law law,
                        scaling scale) {
  const int dimension = system->dimension;
  real square = 0.0L;
  for (int k = 0; k < system->contacts; k++) {
    const real w = scale == BY_DIAGONAL ? trace_mean(system, k) : 1.0L;
    real hat[3], point[3];
    corrected(system, k, u, law, hat);
    for (int i = 0; i < dimension; i++) {
      point[i] = x[dimension * k + i] - hat[i] / w;
    }
    project(point, system->normal + dimension * k, dimension, system->friction[k]);
    for (int i = 0; i < dimension; i++) {
      const real difference = x[dimension * k + i] - point[i];
      square += w * difference * difference;
    }
  }
  for (int r = dimension * system->contacts; r < system->rows; r++) {
    const int row = r - dimension * system->contacts;
    const real w = scale == BY_DIAGONAL ? diagonal(system, r) : 1.0L;
    const real there = fminl(fmaxl(x[r] - u[r] / w, system->lower[row]), system->upper[row]);
    const int endless = isinf(system->lower[row]) && isinf(system->upper[row]);
    const real difference = endless ? u[r] / w : x[r] - there;
    square += w * difference * difference;
  }
  return sqrtl(square);
}

static real rounding_floor(const oracle_system *system) {
  const int contact_rows = system->dimension * system->contacts;
  real square = 0.0L;
  for (int r = 0; r < system->rows; r++) {
    const real w =
        r < contact_rows ? trace_mean(system, r / system->dimension) : diagonal(system, r);
    square += system->weight[r] * system->weight[r] / w;
  }
  return ldexpl(sqrtl(square), -44);
}

/* a / b that can never read as success by accident. */
static double ratio(real a, real b) {
  if (a == 0.0L && b >= 0.0L) {
    return 0.0;
  }
  const double value = (double)(a / b);
  return value >= 0.0 ? value : HUGE_VAL; /* NaN fails the comparison */
}

static real largest_norm(const oracle_system *system, const real *x, const real *u) {
  const real q_norm = sqrtl(dot(system->q, system->q, system->rows));
  const real x_norm = sqrtl(dot(x, x, system->rows));
  const real u_norm = sqrtl(dot(u, u, system->rows));
  return fmaxl(q_norm, fmaxl(x_norm, u_norm));
}

static void judge_contacts(const oracle_system *system, const real *x, const real *u, talus_law law,
                           oracle_report *report) {
  const int dimension = system->dimension;
  real products = 0.0L, lengths = 0.0L, outside = 0.0L, largest = 0.0L, power = 0.0L,
       deepest = 0.0L;
  for (int k = 0; k < system->contacts; k++) {
    const real *n = system->normal + dimension * k, *xk = x + dimension * k;
    real hat[3], x_normal, x_tangent[3], u_normal, u_tangent[3];
    corrected(system, k, u, law, hat);
    const real x_slide = split(xk, n, dimension, &x_normal, x_tangent);
    split(u + dimension * k, n, dimension, &u_normal, u_tangent);
    products += fabsl(dot(xk, hat, dimension));
    lengths += sqrtl(dot(xk, xk, dimension) * dot(hat, hat, dimension));
    largest = fmaxl(largest, sqrtl(dot(xk, xk, dimension)));
    outside = fmaxl(outside, fmaxl(x_slide - system->friction[k] * x_normal, -x_normal));
    power += dot(x_tangent, u_tangent, dimension);
    deepest = fmaxl(deepest, -u_normal);
  }
  for (int row = 0; row < system->bilateral; row++) {
    const real value = x[dimension * system->contacts + row];
    if (!isinf(system->lower[row]) || !isinf(system->upper[row])) {
      outside = fmaxl(outside, fmaxl(system->lower[row] - value, value - system->upper[row]));
      largest = fmaxl(largest, fabsl(value));
    }
  }
  report->complementarity = ratio(products, lengths);
  report->cone_violation = ratio(outside, largest);
  report->dissipation = (double)power;
  report->penetration = (double)deepest;
}

oracle_report oracle_judge(const oracle_system *system, const double *impulse,
                           const double *bilateral, talus_law law) {
  oracle_report report;
  real *x = stack(system, impulse, bilateral);
  real *zero = oracle_calloc((size_t)system->rows, sizeof *zero);
  real *u = oracle_calloc((size_t)system->rows, sizeof *u);
  memset(&report, 0, sizeof report);
  velocity_of(system, x, u);
  const real residual = natural_map(system, x, u, law, BY_DIAGONAL);
  const real reference = natural_map(system, zero, system->q, law, BY_DIAGONAL);
  const real floor_value = rounding_floor(system);
  const int at_floor = reference <= floor_value;
  report.residual = (double)residual;
  report.reference = (double)(at_floor ? floor_value : reference);
  report.epsilon = at_floor && residual <= floor_value
                       ? 0.0
                       : ratio(residual, at_floor ? floor_value : reference);
  report.siconos = ratio(natural_map(system, x, u, law, BY_ONE), largest_norm(system, x, u));
  for (int r = system->dimension * system->contacts; r < system->rows; r++) {
    const int row = r - system->dimension * system->contacts;
    const int held =
        (u[r] > 0.0L && x[r] <= system->lower[row]) || (u[r] < 0.0L && x[r] >= system->upper[row]);
    report.bilateral = fmax(report.bilateral, held ? 0.0 : (double)fabsl(u[r]));
  }
  judge_contacts(system, x, u, law, &report);
  free(x);
  free(zero);
  free(u);
  return report;
}

double oracle_epsilon(const talus_problem *problem, const double *impulse, const double *bilateral,
                      talus_law law) {
  oracle_system system;
  if (!oracle_build(problem, &system)) {
    return HUGE_VAL;
  }
  const double epsilon = oracle_judge(&system, impulse, bilateral, law).epsilon;
  oracle_free(&system);
  return epsilon;
}

double oracle_siconos(const talus_problem *problem, const double *impulse, const double *bilateral,
                      talus_law law) {
  oracle_system system;
  if (!oracle_build(problem, &system)) {
    return HUGE_VAL;
  }
  const double error = oracle_judge(&system, impulse, bilateral, law).siconos;
  oracle_free(&system);
  return error;
}
