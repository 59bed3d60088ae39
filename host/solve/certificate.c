/* certificate.c: the certificate of design: epsilon for both laws and what else can be said.
 *
 *   R(x) = || sqrt(w_k) (x_k - P_K(x_k - (u_k + [mu |u_t| n]) / w_k)) ||,  epsilon = R(x)/R(0)
 * R(0) is floored by the rounding error of q itself; at the floor nothing is left to solve. */
#include "host/solve/certificate.h"

#include <math.h>
#include <string.h>

typedef struct point {
  double normal, tangential[3]; /* a vector split about the cone's axis */
} point;

static point split(const double *v, const double *axis) {
  const double first[3] = {1, 0, 0};
  const double *const n = axis != NULL ? axis : first;
  point p;
  p.normal = n[0] * v[0] + n[1] * v[1] + n[2] * v[2];
  for (int c = 0; c < 3; c++) {
    p.tangential[c] = v[c] - p.normal * n[c];
  }
  return p;
}

static double length(const double *v) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

static double inner(point a, point b) {
  return a.normal * b.normal + a.tangential[0] * b.tangential[0] +
         a.tangential[1] * b.tangential[1] + a.tangential[2] * b.tangential[2];
}

static point step(point x, double s, point u) {
  point p = {x.normal + s * u.normal, {0, 0, 0}};
  for (int c = 0; c < 3; c++) {
    p.tangential[c] = x.tangential[c] + s * u.tangential[c];
  }
  return p;
}

/* Euclidean projection on the cone of half-angle atan(mu). */
static point project(point z, double mu) {
  const double m = length(z.tangential);
  if (m <= mu * z.normal) {
    return z;
  }
  point p = {0, {0, 0, 0}};
  const double along = (z.normal + mu * m) / (1 + mu * mu);
  if (along > 0) {
    p.normal = along;
    for (int c = 0; c < 3 && m > 0; c++) {
      p.tangential[c] = mu * along * (z.tangential[c] / m);
    }
  }
  return p;
}

/* |x - P(x - u/w)|^2 */
static double natural(point x, point u, double mu, double w) {
  const point d = step(x, -1, project(step(x, -1 / w, u), mu));
  return inner(d, d);
}

/* The law's velocity: u, or u + mu |u_t| n. Without friction the normal row alone counts. */
static point law_velocity(point u, double mu, int coulomb) {
  if (!(mu > 0)) {
    u.tangential[0] = u.tangential[1] = u.tangential[2] = 0;
  }
  if (coulomb) {
    u.normal += mu * length(u.tangential);
  }
  return u;
}

typedef struct sums {
  double residual[2], reference[2]; /* weighted squares: 0 convex, 1 exact law */
  double natural[2];                /* unweighted squares, rho = 1: Siconos' numerator */
  double product[2], size[2];       /* complementarity */
  double impulse, velocity, free;   /* squares of norms */
  double rounding;
  double violation, largest, closing, dissipation, bilateral;
} sums;

static void contact_judge(const tl_judgement *j, int32_t k, sums *s) {
  const double *const axis = j->axis != NULL ? j->axis + 3 * (int64_t)k : NULL;
  const double mu = j->friction != NULL && j->dimension > 1 ? j->friction[k] : 0;
  const double w = j->weight[k];
  const point x = split(j->impulse + 3 * (int64_t)k, axis);
  const point u = split(j->velocity + 3 * (int64_t)k, axis);
  const point q = split(j->free + 3 * (int64_t)k, axis);
  const point zero = {0, {0, 0, 0}};
  for (int law = 0; law < 2; law++) {
    const point lawful = law_velocity(u, mu, law);
    s->residual[law] += w * natural(x, lawful, mu, w);
    s->reference[law] += w * natural(zero, law_velocity(q, mu, law), mu, w);
    s->natural[law] += natural(x, lawful, mu, 1);
    s->product[law] += fabs(inner(x, lawful));
    s->size[law] += sqrt(inner(x, x) * inner(lawful, lawful));
  }
  const double slide = length(x.tangential);
  const double outside = fmax(slide - mu * x.normal, -x.normal);
  s->violation = fmax(s->violation, outside);
  s->largest = fmax(s->largest, sqrt(inner(x, x)));
  s->closing = fmax(s->closing, -u.normal);
  for (int c = 0; c < 3; c++) {
    s->dissipation += x.tangential[c] * u.tangential[c];
    const double r = j->rounding[3 * (int64_t)k + c];
    s->rounding += r * r / w;
  }
  s->impulse += inner(x, x);
  s->velocity += inner(u, u);
  s->free += inner(q, q);
}

static void row_judge(const tl_judgement *j, int32_t k, sums *s) {
  const double w = j->weight[k], u = j->velocity[3 * (int64_t)k], q = j->free[3 * (int64_t)k];
  const double x = j->impulse[3 * (int64_t)k], r = j->rounding[3 * (int64_t)k];
  for (int law = 0; law < 2; law++) {
    s->residual[law] += u * u / w;
    s->reference[law] += q * q / w;
    s->natural[law] += u * u;
  }
  s->rounding += r * r / w;
  s->bilateral = fmax(s->bilateral, fabs(u));
  s->impulse += x * x;
  s->velocity += u * u;
  s->free += q * q;
}

/* Anything that is not a number must not read as success. */
static double honest(double value) { return isfinite(value) ? value : INFINITY; }

void tl_judgement_pronounce(const tl_judgement *j, talus_certificate *certificate) {
  sums s;
  memset(&s, 0, sizeof s);
  for (int32_t k = 0; k < j->contact_count; k++) {
    contact_judge(j, k, &s);
  }
  for (int32_t k = j->contact_count; k < j->contact_count + j->bilateral_count; k++) {
    row_judge(j, k, &s);
  }
  const double floor = ldexp(sqrt(s.rounding), -44);
  const double scale = sqrt(fmax(s.free, fmax(s.impulse, s.velocity)));
  double epsilon[2], residual[2], reference[2], siconos[2], complementarity[2];
  for (int law = 0; law < 2; law++) {
    residual[law] = honest(sqrt(s.residual[law]));
    reference[law] = honest(sqrt(s.reference[law]));
    if (reference[law] <= floor) { /* nothing to solve: only doing nothing is right */
      epsilon[law] = residual[law] <= floor ? 0 : honest(residual[law] / floor);
    } else {
      epsilon[law] = honest(residual[law] / reference[law]);
    }
    siconos[law] = scale > 0 ? honest(sqrt(s.natural[law]) / scale) : honest(scale);
    complementarity[law] = s.size[law] > 0 ? honest(s.product[law] / s.size[law]) : 0;
  }
  *certificate = (talus_certificate){
      .epsilon_ccp = epsilon[0],
      .epsilon_coulomb = epsilon[1],
      .residual_ccp = residual[0],
      .residual_coulomb = residual[1],
      .reference_ccp = reference[0],
      .reference_coulomb = reference[1],
      .siconos_ccp = siconos[0],
      .siconos_coulomb = siconos[1],
      .cone_violation = s.largest > 0 ? honest(fmax(s.violation, 0) / s.largest) : 0,
      .complementarity = complementarity[1],
      .complementarity_ccp = complementarity[0],
      .dissipation = honest(s.dissipation),
      .bilateral = honest(s.bilateral),
      .penetration_speed = honest(s.closing),
      .momentum_balance = honest(j->momentum_balance),
      .asymmetry = honest(j->asymmetry),
  };
}
