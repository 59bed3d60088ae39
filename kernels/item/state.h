/* state.h: the scalars of an iteration, and the rules by which they change.
 *
 * They live where the iteration runs (on the device in device memory), in double whatever the
 * kernels' precision, and are changed by these functions on every backend. */
#ifndef TL_ITEM_STATE_H
#define TL_ITEM_STATE_H

#include "kernels/item/real.h"

typedef enum tl_step_rule {
  TL_STEP_FIXED = 0,   /* L stays, unless d'Wd / d'Sd shows it to be too small: projected Jacobi */
  TL_STEP_ADAPT = 1,   /* L = max(0.99 L, d'Wd / d'Sd): APGDB, accepted without backtracking */
  TL_STEP_SPECTRAL = 2 /* L = d'Wd / d'Sd: Barzilai and Borwein's first step in the metric S */
} tl_step_rule;

/* What the host decides for a run of iterations. */
typedef struct tl_rule {
  int32_t step;     /* tl_step_rule; gradient only */
  int32_t momentum; /* 1: Nesterov with gradient restart */
  int32_t coulomb;  /* 1: exact law by the filtered de Saxce term */
  int32_t rebuild;  /* sweep: velocities are rebuilt from the impulses every so many sweeps */
  int32_t sweeps;   /* 1: the step's size is its norm; else its norm times L */
  int32_t look;     /* iterations between looks at the step's size, see tl_state_look; 0: none */
  double cap;       /* largest momentum factor */
  double filter;    /* gain of the slip filter */
  double yield;     /* the largest d'Cd over b: what compliance adds to a / b at the most */
  double ratio;     /* R(x) over the step's size when R was last computed; 0: not known */
  double enough;    /* R(x) from which on R is to be computed */
} tl_rule;

typedef struct tl_state {
  double lipschitz; /* L, in units of S */
  double theta, beta;
  double step_norm2;   /* b = |x_new - y|^2 in the metric */
  double restart_test; /* s = <y - x_new, x_new - x> (APGD: gradient along the step) */
  double curvature;    /* a = d'Wd */
  int32_t fresh;       /* 1 before the first iteration after a start: slip is not known yet */
  int32_t accepted;    /* APGD: the last trial was accepted */
  int32_t made;        /* iterations of this call */
  int32_t stopped;     /* 1: a look has ended this call; the iterations that are left do nothing */
} tl_state;

/* Before the iterations of a call. */
TL_ITEM void tl_state_begin(tl_state *state) {
  state->accepted = 0; /* no trial of an earlier call is to be taken over */
  state->made = state->stopped = 0;
}

/* The size of the last step, which goes to zero as the residual does. */
TL_ITEM double tl_state_size(const tl_state *state, int32_t sweeps) {
  const double norm = sqrt(state->step_norm2);
  return sweeps ? norm : norm * state->lipschitz;
}

/* After each iteration: counts it, and at every look ends the call if the step's size says that the
 * residual is small enough to be computed, cannot say it, or is not finite. */
TL_ITEM void tl_state_look(tl_state *state, const tl_rule *rule) {
  state->made++;
  if (rule->look > 0 && state->made % rule->look == 0) {
    const double size = tl_state_size(state, rule->sweeps);
    state->stopped =
        !(size - size == 0) || !(rule->ratio > 0) || rule->ratio * size <= rule->enough;
  }
}

/* Nesterov's sequence with the restart test, after b and s are known. */
TL_ITEM void tl_state_momentum(tl_state *state, int32_t momentum, double cap) {
  state->fresh = 0;
  if (!momentum || !(state->restart_test <= 0)) {
    state->theta = 1;
    state->beta = 0;
    return;
  }
  const double theta = state->theta;
  const double next = 0.5 * (1 + sqrt(1 + 4 * theta * theta));
  const double beta = (theta - 1) / next;
  state->beta = beta < cap ? beta : cap;
  state->theta = next;
}

/* The step size, after a is known too: (a + d'Cd) / b, of which the last is bounded by `yield`, is
 * what d'(W + C)d / d'Sd can be. b = 0: keep L. */
TL_ITEM void tl_state_step(tl_state *state, int32_t rule, double yield) {
  if (!(state->step_norm2 > 0)) {
    return;
  }
  const double ratio = state->curvature / state->step_norm2 + yield;
  if (rule == TL_STEP_FIXED) {
    /* a step that is too long turns to the eigenvector that the power iteration had missed, and
     * the ratio to its eigenvalue: the longest safe step is 2 / lambda */
    const double least = 1.05 / 1.9 * ratio;
    state->lipschitz = least > state->lipschitz ? least : state->lipschitz;
    return;
  }
  if (rule == TL_STEP_ADAPT) {
    const double slow = 0.99 * state->lipschitz;
    state->lipschitz = ratio > slow ? ratio : slow;
  } else if (ratio > 0) {
    /* a nearly flat direction would give an unbounded step */
    state->lipschitz = ratio > 1e-4 ? ratio : 1e-4;
  }
}

/* APGD as published: the trial is refused and L doubled while the quadratic bound fails; after an
 * accepted one theta follows the published recurrence, and L shrinks by a tenth. */
TL_ITEM void tl_state_backtrack(tl_state *state, double cap, double yield) {
  state->fresh = 0;
  if (state->curvature + yield * state->step_norm2 > state->lipschitz * state->step_norm2) {
    state->lipschitz *= 2;
    state->accepted = 0;
    return;
  }
  state->accepted = 1;
  if (state->restart_test > 0) {
    state->theta = 1;
    state->beta = 0;
  } else {
    const double theta = state->theta;
    const double next = 0.5 * (theta * sqrt(theta * theta + 4) - theta * theta);
    const double beta = theta * (1 - theta) / (theta * theta + next);
    state->beta = beta < cap ? beta : cap;
    state->theta = next;
  }
  state->lipschitz *= 0.9;
}

#endif
