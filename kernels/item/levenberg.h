/* levenberg.h: Levenberg-Marquardt on psi = |phi|^2 / 2, by a team (team.h; [A] = Mylapilli and
 * Jain 2017, section 5).
 *
 * Regular: steps -(J^T J + lambda I)^-1 J^T phi (the sign is missing in print), lambda times or
 * over 20 as the fall agrees with the model. Projected: lambda stays at 1e-16, the step is a
 * stacked least squares solution by reflections, its length found by a nonmonotone search: psi must
 * fall below the largest of the last few. The watchdog goes back to the best point, and asks for
 * monotone steps from there, when the best has not moved for a while.
 *
 * Whoever includes this has defined the equations before: the type tl_search_equations and
 *   tl_search_evaluate(e, z, phi, jacobian)  phi and, unless NULL, its derivative (row-major); a
 * pass
 *   tl_search_look(e, z)                     1 if z, whose phi was the last found, may end the
 * search
 *   tl_search_step(e)                        counts a step
 *   tl_search_stopped(e)                     1 if a limit was reached
 *   tl_search_phase(e), tl_search_result(e)  who is asked within a long step; may be NULL */
#ifndef TL_ITEM_LEVENBERG_H
#define TL_ITEM_LEVENBERG_H

#include "kernels/item/normal.h"
#include "kernels/item/reflection.h"

enum { TL_SEARCH_MEMORY = 5, TL_SEARCH_WATCH = 20 };
#define TL_SEARCH_SOLVED 1e-30

typedef struct tl_search {
  tl_search_equations *e;
  int32_t n;
  double *phi, *trial_phi, *z, *trial, *step, *gradient, *best, *jacobian, *work;
  double psi;
} tl_search;

/* Numbers of scratch. */
TL_ITEM int64_t tl_search_room(int32_t size) {
  const int64_t n = size, stride = tl_padded(size);
  const int64_t normal = 2 * n * stride, stacked = tl_reflection_room(size);
  return n * n + 6 * n + (normal > stacked ? normal : stacked);
}

TL_ITEM tl_search tl_search_make(tl_search_equations *e, int32_t n, double *z, double *room) {
  tl_search s;
  s.e = e;
  s.n = n;
  s.z = z;
  s.phi = room;
  s.trial_phi = s.phi + n;
  s.trial = s.trial_phi + n;
  s.step = s.trial + n;
  s.gradient = s.step + n;
  s.best = s.gradient + n;
  s.jacobian = s.best + n;
  s.work = s.jacobian + (int64_t)n * n;
  s.psi = 0;
  return s;
}

/* psi at z + length * step. */
TL_TEAM double tl_search_try(tl_search *s, double length) {
  TL_TEAM_EACH(i, 0, s->n) {
    s->trial[i] = s->z[i] + length * s->step[i];
  }
  TL_MEET();
  tl_search_evaluate(s->e, s->trial, s->trial_phi, NULL);
  const double psi = 0.5 * tl_team_square(s->n, s->trial_phi);
  TL_MEET();
  return psi - psi == 0 ? psi : HUGE_VAL;
}

/* phi, J and J^T phi at z. */
TL_TEAM void tl_search_point(tl_search *s) {
  const int32_t n = s->n;
  tl_search_evaluate(s->e, s->z, s->phi, s->jacobian);
  s->psi = 0.5 * tl_team_square(n, s->phi);
  TL_TEAM_EACH(j, 0, n) {
    s->gradient[j] = 0;
  }
  for (int32_t i = 0; i < n; i++) {
    const double phi = s->phi[i];
    TL_TEAM_EACH(j, 0, n) {
      s->gradient[j] += s->jacobian[(int64_t)n * i + j] * phi;
    }
  }
  TL_MEET();
}

TL_TEAM int tl_search_ended(tl_search *s) {
  return tl_search_look(s->e, s->z) || s->psi < TL_SEARCH_SOLVED;
}

/* ---- regular --------------------------------------------------------------------------------- */

/* The step for lambda, and what the model says of the fall; 0 if the matrix cannot be factored. */
TL_TEAM int tl_search_regular_step(tl_search *s, double lambda, double *predicted) {
  const int32_t n = s->n;
  const int64_t size = (int64_t)n * tl_padded(n);
  const double *const h = s->work;
  double *const factor = s->work + size;
  TL_TEAM_EACH(i, 0, (int32_t)size) {
    factor[i] = h[i];
  }
  TL_TEAM_EACH(i, 0, n) {
    s->step[i] = -s->gradient[i];
  }
  TL_MEET();
  if (!tl_normal_solve(factor, n, lambda, s->step, tl_search_phase(s->e), tl_search_result(s->e))) {
    return 0;
  }
  TL_TEAM_EACH(i, 0, n) { /* where no one looks until the next trial */
    double row = s->phi[i];
    for (int32_t j = 0; j < n; j++) {
      row += s->jacobian[(int64_t)n * i + j] * s->step[j];
    }
    s->trial_phi[i] = row;
  }
  TL_MEET();
  *predicted = 0.5 * tl_team_square(n, s->trial_phi) - s->psi;
  TL_MEET();
  return 1;
}

/* Improves z; returns 1 if psi fell below 1e-30 or look said so. */
TL_TEAM int tl_search_regular(tl_search_equations *e, int32_t n, int32_t most, double *z,
                              double *room) {
  const double grow = 20, least = 1e-25, largest = 1e12;
  tl_search s = tl_search_make(e, n, z, room);
  double lambda = 1e-3;
  int fresh = 1;
  tl_search_point(&s);
  for (int32_t i = 0; i < most; i++) {
    if (fresh && tl_search_ended(&s)) {
      return 1;
    }
    if (tl_search_stopped(e) || !(s.psi - s.psi == 0) || lambda > largest) {
      return 0;
    }
    if (fresh && !tl_normal_make(s.jacobian, n, s.work, tl_search_phase(e), tl_search_result(e))) {
      return 0;
    }
    tl_search_step(e);
    double predicted;
    fresh = 0;
    if (!tl_search_regular_step(&s, lambda, &predicted)) {
      lambda = (lambda > 1e-16 ? lambda : 1e-16) * grow;
      continue;
    }
    const double psi = tl_search_try(&s, 1), ratio = (psi - s.psi) / predicted;
    if (!(ratio >= 0.3)) {
      lambda *= grow;
    }
    if (ratio > 0) {
      tl_team_copy(n, s.trial, s.z);
      lambda = ratio > 0.8 ? (lambda / grow > least ? lambda / grow : least) : lambda;
      tl_search_point(&s);
      fresh = 1;
    }
    if (!(predicted < -1e-18 * s.psi)) { /* nothing to be gained any more */
      break;
    }
  }
  return fresh && tl_search_ended(&s);
}

/* ---- projected ------------------------------------------------------------------------------- */

/* Steps along `step` until psi is below the bound; 0 if none does. */
TL_TEAM int tl_search_along(tl_search *s, double bound) {
  double slope = 0;
  for (int32_t i = 0; i < s->n; i++) {
    slope += s->gradient[i] * s->step[i];
  }
  if (!(slope < 0)) {
    return 0;
  }
  for (double length = 1; length > 1e-10; length *= 0.5) {
    const double psi = tl_search_try(s, length);
    if (psi <= bound + 1e-4 * length * slope) {
      tl_team_copy(s->n, s->trial, s->z);
      return 1;
    }
  }
  return 0;
}

/* The damped least squares step; where no length of it will do, with more damping. */
TL_TEAM int tl_search_projected_step(tl_search *s, double bound) {
  for (double lambda = 1e-16; lambda < 1e3; lambda *= 1e4) {
    TL_TEAM_EACH(i, 0, s->n) {
      s->trial_phi[i] = -s->phi[i];
    }
    TL_MEET();
    tl_search_step(s->e);
    if (tl_reflection_solve(s->jacobian, s->n, lambda, s->trial_phi, s->step, s->work,
                            tl_search_phase(s->e), tl_search_result(s->e)) &&
        tl_search_along(s, bound)) {
      return 1;
    }
    if (tl_search_stopped(s->e)) {
      return 0;
    }
  }
  return 0;
}

TL_TEAM int tl_search_projected(tl_search_equations *e, int32_t n, int32_t most, double *z,
                                double *room) {
  tl_search s = tl_search_make(e, n, z, room);
  double recent[TL_SEARCH_MEMORY], best = HUGE_VAL;
  int32_t since = 0, known = 0, monotone = 0;
  tl_search_point(&s);
  for (int32_t i = 0; i < most; i++) {
    if (tl_search_ended(&s)) {
      return 1;
    }
    if (tl_search_stopped(e) || !(s.psi - s.psi == 0)) {
      return 0;
    }
    since++;
    if (s.psi < best) {
      since = s.psi < 0.9 * best ? 0 : since;
      best = s.psi;
      tl_team_copy(n, z, s.best);
    }
    if (since > TL_SEARCH_WATCH) {
      if (monotone) {
        return 0;
      }
      tl_team_copy(n, s.best, z);
      tl_search_point(&s);
      monotone = 1;
      since = known = 0;
    }
    recent[known++ % TL_SEARCH_MEMORY] = s.psi;
    double most_recent = 0;
    for (int32_t r = 0; r < TL_SEARCH_MEMORY && r < known; r++) {
      most_recent = recent[r] > most_recent ? recent[r] : most_recent;
    }
    if (!tl_search_projected_step(&s, monotone ? s.psi : most_recent)) {
      return 0;
    }
    tl_search_point(&s);
  }
  return tl_search_ended(&s);
}

#endif
