/* levenberg.c: Levenberg-Marquardt on psi = |phi|^2 / 2 ([A] = Mylapilli and Jain 2017, section 5).
 *
 * Regular: steps -(J^T J + lambda I)^-1 J^T phi (the sign is missing in print), lambda times or
 * over 20 as the fall agrees with the model. Projected: lambda stays at 1e-16, the step is a
 * stacked least squares solution by QR, its length found by a nonmonotone search: psi must fall
 * below the largest of the last few. The watchdog goes back to the best point, and asks for
 * monotone steps from there, when the best has not moved for a while. */
#include <math.h>
#include <string.h>

#include "host/small/qr.h"
#include "host/small/small.h"
#include "host/solve/dense.h"

enum { MEMORY = 5, WATCH = 20 };
static const double SOLVED = 1e-30;

typedef struct search {
  const tl_equations *e;
  double *phi, *trial_phi, *z, *trial, *step, *gradient, *best, *jacobian, *work;
  double psi, best_psi;
} search;

size_t tl_levenberg_room(int32_t size) {
  const size_t n = (size_t)size;
  return 3 * n * n + 8 * n;
}

static search search_make(const tl_equations *e, double *z, double *room) {
  const int64_t n = e->size;
  search s = {.e = e, .z = z, .phi = room};
  s.trial_phi = s.phi + n;
  s.trial = s.trial_phi + n;
  s.step = s.trial + n;
  s.gradient = s.step + n;
  s.best = s.gradient + n;
  s.jacobian = s.best + n;
  s.work = s.jacobian + n * n; /* 2 n n + 2 n */
  return s;
}

static double half_square(const double *v, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; i++) {
    sum += v[i] * v[i];
  }
  return 0.5 * sum;
}

/* psi at z + length * step. */
static double trial_make(search *s, double length) {
  const int32_t n = s->e->size;
  for (int32_t i = 0; i < n; i++) {
    s->trial[i] = s->z[i] + length * s->step[i];
  }
  s->e->evaluate(s->e->self, s->trial, s->trial_phi, NULL);
  s->e->small->run->passes++;
  const double psi = half_square(s->trial_phi, n);
  return isfinite(psi) ? psi : INFINITY;
}

static void trial_accept(search *s, double psi) {
  memcpy(s->z, s->trial, (size_t)s->e->size * sizeof *s->z);
  s->psi = psi;
}

/* phi, J and J^T phi at z. */
static void point_evaluate(search *s) {
  const int64_t n = s->e->size;
  s->e->evaluate(s->e->self, s->z, s->phi, s->jacobian);
  s->e->small->run->passes++;
  s->psi = half_square(s->phi, n);
  memset(s->gradient, 0, (size_t)n * sizeof *s->gradient);
  for (int64_t i = 0; i < n; i++) {
    for (int64_t j = 0; j < n; j++) {
      s->gradient[j] += s->jacobian[i * n + j] * s->phi[i];
    }
  }
}

static int ended(search *s) {
  return s->e->look(s->e->self, s->z) || s->psi < SOLVED;
}

/* ---- regular -------------------------------------------------------------------------------- */

/* work := J^T J, the lower half. */
static void hessian_make(const search *s, double *h) {
  const int64_t n = s->e->size;
  memset(h, 0, (size_t)(n * n) * sizeof *h);
  for (int64_t r = 0; r < n; r++) {
    const double *const row = s->jacobian + r * n;
    for (int64_t i = 0; i < n; i++) {
      if (row[i] != 0) {
        for (int64_t j = 0; j <= i; j++) {
          h[i * n + j] += row[i] * row[j];
        }
      }
    }
  }
}

/* The step for lambda; 0 if the matrix cannot be factored. Returns what the model says of the fall.
 */
static int step_regular(search *s, double lambda, double *predicted) {
  const int64_t n = s->e->size;
  double *const h = s->work, *const factor = s->work + n * n;
  memcpy(factor, h, (size_t)(n * n) * sizeof *h);
  for (int64_t i = 0; i < n; i++) {
    factor[i * n + i] += lambda;
    s->step[i] = -s->gradient[i];
  }
  if (!tl_dense_factor(factor, n)) {
    return 0;
  }
  tl_dense_solve(factor, n, s->step);
  double sum = 0;
  for (int64_t i = 0; i < n; i++) {
    double row = s->phi[i];
    for (int64_t j = 0; j < n; j++) {
      row += s->jacobian[i * n + j] * s->step[j];
    }
    sum += row * row;
  }
  *predicted = 0.5 * sum - s->psi;
  return 1;
}

int tl_levenberg_regular(const tl_equations *e, int32_t most, double *z, double *room) {
  const double grow = 20, least = 1e-25, largest = 1e12;
  search s = search_make(e, z, room);
  double lambda = 1e-3;
  int fresh = 1;
  point_evaluate(&s);
  for (int32_t i = 0; i < most; i++) {
    if (fresh && ended(&s)) {
      return 1;
    }
    if (tl_small_limit(e->small) || !isfinite(s.psi) || lambda > largest) {
      return 0;
    }
    if (fresh) {
      hessian_make(&s, s.work);
    }
    e->small->run->iterations++;
    double predicted;
    fresh = 0;
    if (!step_regular(&s, lambda, &predicted)) {
      lambda = fmax(lambda, 1e-16) * grow;
      continue;
    }
    const double psi = trial_make(&s, 1), ratio = (psi - s.psi) / predicted;
    if (!(ratio >= 0.3)) {
      lambda *= grow;
    }
    if (ratio > 0) {
      trial_accept(&s, psi);
      lambda = ratio > 0.8 ? fmax(lambda / grow, least) : lambda;
      point_evaluate(&s);
      fresh = 1;
    }
    if (!(predicted < -1e-18 * s.psi)) { /* nothing to be gained any more */
      return ended(&s);
    }
  }
  return ended(&s);
}

/* ---- projected ------------------------------------------------------------------------------ */

/* Largest psi of the last few points. */
static double recent_most(const double *recent, int32_t count) {
  double most = 0;
  for (int32_t i = 0; i < (count < MEMORY ? count : MEMORY); i++) {
    most = fmax(most, recent[i]);
  }
  return most;
}

/* Steps along `step` until psi is below the bound; 0 if none does. */
static int line_search(search *s, double bound) {
  const int64_t n = s->e->size;
  double slope = 0;
  for (int64_t i = 0; i < n; i++) {
    slope += s->gradient[i] * s->step[i];
  }
  if (!(slope < 0)) {
    return 0;
  }
  for (double length = 1; length > 1e-10; length *= 0.5) {
    const double psi = trial_make(s, length);
    if (psi <= bound + 1e-4 * length * slope) {
      trial_accept(s, psi);
      return 1;
    }
  }
  return 0;
}

/* The damped least squares step; where no length of it will do, with a hundred times the damping.
 */
static int projected_step(search *s, double bound) {
  const int32_t n = s->e->size;
  for (double lambda = 1e-16; lambda < 1e3; lambda *= 1e4) {
    for (int32_t i = 0; i < n; i++) {
      s->trial_phi[i] = -s->phi[i];
    }
    s->e->small->run->iterations++;
    if (tl_qr_damped(s->jacobian, n, lambda, s->trial_phi, s->step, s->work) &&
        line_search(s, bound)) {
      return 1;
    }
    if (tl_small_limit(s->e->small)) {
      return 0;
    }
  }
  return 0;
}

int tl_levenberg_projected(const tl_equations *e, int32_t most, double *z, double *room) {
  search s = search_make(e, z, room);
  const size_t bytes = (size_t)e->size * sizeof *z;
  double recent[MEMORY];
  int32_t since = 0, known = 0, monotone = 0;
  point_evaluate(&s);
  s.best_psi = INFINITY;
  for (int32_t i = 0; i < most; i++) {
    if (ended(&s)) {
      return 1;
    }
    if (tl_small_limit(e->small) || !isfinite(s.psi)) {
      return 0;
    }
    since++;
    if (s.psi < s.best_psi) {
      since = s.psi < 0.9 * s.best_psi ? 0 : since;
      s.best_psi = s.psi;
      memcpy(s.best, z, bytes);
    }
    if (since > WATCH) {
      if (monotone) {
        return 0;
      }
      memcpy(z, s.best, bytes);
      point_evaluate(&s);
      monotone = 1;
      since = known = 0;
    }
    recent[known++ % MEMORY] = s.psi;
    if (!projected_step(&s, monotone ? s.psi : recent_most(recent, known))) {
      return 0;
    }
    point_evaluate(&s);
  }
  return ended(&s);
}
