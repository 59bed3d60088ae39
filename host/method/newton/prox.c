/* prox.c: procedure A: proximal point around a full-step Newton method on Alart and Curnier's
 * function of the exact law (or the natural map of the convex one).
 *
 *   u = W y + q + alpha (y - centre),  z = y - rho u,  rho = 1 / (1 + alpha)
 *   (A + B (W + alpha)) dy = -F
 * No line search: a descent on |F| takes several times as many steps and ends higher; a failure is
 * answered by a heavier proximal term. */
#include <math.h>
#include <string.h>

#include "host/method/newton/newton.h"

enum { STEPS = 20 };

typedef struct prox {
  double *centre, *y, *u, *moved, *f, *step;
  double best; /* epsilon of the best of this phase */
  int made;    /* factorisations */
} prox;

/* -F at y, with the blocks of the next factor; returns |F|. */
static double equations_set(tl_newton *newton, int law, double alpha, const prox *p) {
  for (int32_t i = 0; i < newton->scaled.rows; i++) {
    p->moved[i] = p->u[i] + alpha * (p->y[i] - p->centre[i]);
  }
  return tl_law_equations(&newton->scaled, law, NULL, alpha, p->y, p->moved, p->f, newton->a,
                          newton->b);
}

/* Newton's method on one proximal problem; *success says whether it was solved well enough. */
static talus_status proximal_step(tl_newton *newton, const tl_prox_rule *rule, double alpha,
                                  double epsilon, double *y, prox *p, bool *success,
                                  double *reached) {
  const size_t bytes = (size_t)newton->scaled.rows * sizeof(double);
  memcpy(p->y, rule->centre != NULL ? y : p->centre, bytes);
  tl_scaled_velocity(&newton->scaled, p->y, p->u);
  const double first = equations_set(newton, rule->law, alpha, p);
  const double exactly = fmax(1e-13 * first, 1e-15 * newton->scaled.reference[TALUS_LAW_CCP]);
  const double enough = rule->centre != NULL ? exactly : 0.1 * first * fmin(1, 100 * epsilon);
  double size = first;
  *reached = epsilon;
  for (int i = 0; i < STEPS && size > enough && p->made < rule->most && !newton->stop; i++) {
    bool good;
    TL_TRY(tl_newton_factor(newton, newton->a, newton->b, NULL, 0, &good));
    p->made++;
    if (newton->stop || !good) {
      break;
    }
    TL_TRY(tl_linear_solve(&newton->linear, p->f, p->step, p->step));
    for (int32_t j = 0; j < newton->scaled.rows; j++) {
      p->y[j] += p->step[j];
    }
    tl_scaled_velocity(&newton->scaled, p->y, p->u);
    TL_TRY(tl_newton_offer(newton, p->y, p->u, NULL));
    *reached = tl_scaled_epsilon(&newton->scaled, tl_law_measure(rule->law), p->y, p->u);
    if (*reached < p->best && !rule->single) {
      p->best = *reached;
      memcpy(y, p->y, bytes);
    }
    size = equations_set(newton, rule->law, alpha, p);
    if (!isfinite(size) || size > 1e8 * first) {
      break;
    }
  }
  *success = size <= 0.5 * first;
  return TALUS_OK;
}

talus_status tl_prox_run(tl_newton *newton, const tl_prox_rule *rule, double *y) {
  const size_t bytes = (size_t)newton->scaled.rows * sizeof(double);
  double *const *const v = newton->vector;
  prox p = {.centre = v[0], .y = v[1], .u = v[2], .moved = v[3], .f = v[4], .step = v[5]};
  double alpha = rule->alpha;
  int failures = 0;
  memcpy(p.centre, rule->centre != NULL ? rule->centre : y, bytes);
  tl_scaled_velocity(&newton->scaled, y, p.u);
  double epsilon = tl_scaled_epsilon(&newton->scaled, tl_law_measure(rule->law), y, p.u);
  p.best = epsilon;
  while (!newton->stop && p.made < rule->most && failures < rule->failures && alpha < 1e6) {
    const double before = p.best;
    const int made = p.made;
    bool success;
    double reached;
    TL_TRY(proximal_step(newton, rule, alpha, epsilon, y, &p, &success, &reached));
    if (rule->single) {
      memcpy(y, p.y, bytes);
      break;
    }
    if (made == p.made) {
      break; /* nothing to solve, or no room */
    }
    success = success && reached < 5 * epsilon;
    failures = success || p.best < 0.9 * before ? 0 : failures + 1;
    if (success) {
      memcpy(p.centre, p.y, bytes);
      epsilon = reached;
      alpha = fmax(1e-8, rule->shrink * alpha);
    } else {
      alpha *= 4;
    }
  }
  return TALUS_OK;
}
