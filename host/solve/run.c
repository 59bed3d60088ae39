/* run.c: advances methods until the certificate agrees, a limit comes, or nothing moves any more.
 *
 * Checks cost a pass, so they are made where the size of the step itself (free, and proportional to
 * the residual once known) says that the target is near, and otherwise rarely. The best impulses
 * are kept throughout: whatever the outcome, they are what is returned. */
#include "host/solve/run.h"

#include <math.h>

#include "host/method/newton/second_order.h"
#include "host/solve/solver.h"

enum {
  LOOK = 5,         /* iterations between looks at the step's size, by any engine */
  CHECK_EVERY = 50, /* iterations between checks at the least */
  ASK_DEVICE = 20,  /* iterations between questions about limits, on a device that is to be asked */
  LATE_PASSES = 400, /* easy problems are solved by then; hard ones want a longer memory */
  RECOVERIES = 3,    /* returns to the best impulses per attempt */
  ASK_EARLY = 100,   /* times the tolerance, see run_worth */
  DEAR = 400,        /* passes that a factorisation of a packing costs, and more */
  ORDER_SHARE = 3,  /* an end within so many times the cost of ordering a matrix: none is ordered */
  CERTIFY_MOST = 40 /* certificates per solve: each one lowers the target */
};

/* The solve that a run is part of. */
static tl_solve *solve_of(tl_run *run) {
  return (tl_solve *)run;
}

/* Evaluates the residual; keeps the impulses if they are the best. method: NULL if no step was made
 * whose size would mean anything. */
static talus_status check(tl_solve *solve, const tl_method *method) {
  tl_run *const run = &solve->run;
  double squares[TALUS_LAW_COUNT];
  TL_TRY(run->ops->residual(run->engine, squares, &run->passes));
  const double residual = sqrt(squares[run->settings->law]);
  solve->epsilon = isfinite(residual) ? residual / run->reference : INFINITY;
  const double norm = method != NULL ? tl_state_size(&run->state, method->sweeps) : 0;
  solve->ratio = norm > 0 && isfinite(norm) ? residual / norm : 0;
  if (solve->epsilon < run->best) {
    TL_TRY(run->ops->keep(run->engine));
    const bool progress = solve->epsilon < 0.9 * solve->mark;
    solve->proved = false;
    solve->best_passes = progress ? run->passes : solve->best_passes;
    solve->mark = progress ? solve->epsilon : solve->mark;
    run->best = solve->epsilon;
  }
  return TALUS_OK;
}

static double run_worth(const tl_run *run) {
  const bool siconos = run->settings->measure == TALUS_MEASURE_SICONOS;
  return (siconos && !run->asked ? ASK_EARLY : 1) * run->target;
}

/* Whether the certificate is to be asked now. */
static bool is_worth(tl_solve *solve) {
  tl_run *const run = &solve->run;
  if (solve->epsilon > run_worth(run)) {
    return false;
  }
  run->asked = true;
  run->target = fmax(run->target, solve->epsilon);
  return solve->certified < CERTIFY_MOST;
}

static double run_left(const tl_run *run) {
  const double most = run->settings->max_seconds;
  return most > 0 ? most - (tl_clock() - ((const tl_solve *)run)->begin) : INFINITY;
}

static bool run_late(tl_run *run) {
  const talus_settings *const settings = run->settings;
  const double seconds = tl_clock() - solve_of(run)->begin;
  bool late = settings->max_seconds > 0 && seconds >= settings->max_seconds;
  if (!late && settings->progress != NULL &&
      settings->progress(settings->progress_user, run->iterations, run->passes, run->best,
                         seconds) != 0) {
    run->notes |= TALUS_NOTE_STOPPED;
    late = true;
  }
  late = tl_pieces_end(solve_of(run)->solver, late);
  run->outcome = late ? TALUS_OUTCOME_TIME_LIMIT : run->outcome;
  return late;
}

static bool run_limit(tl_run *run) {
  if (run->iterations >= run->settings->max_iterations) {
    run->outcome = TALUS_OUTCOME_ITERATION_LIMIT;
    return true;
  }
  return run_late(run);
}

/* The step was too long: back to the best impulses with a step that is safe. */
static talus_status recover(tl_run *run, const tl_method *method) {
  double lambda = 0;
  TL_TRY(run->ops->start(run->engine, TL_START_KEPT, NULL, run->lipschitz));
  TL_TRY(run->ops->estimate_lipschitz(run->engine, method->scaled, 20, &lambda));
  run->passes += 20;
  run->lipschitz = lambda > 0 ? 1.05 * lambda : run->lipschitz;
  return run->ops->start(run->engine, TL_START_KEPT, NULL, run->lipschitz);
}

/* Asks the certificate about impulses that meet the target; if it does not agree, lowers the target
 * by what they miss. */
static talus_status confirm(tl_solve *solve, bool *done) {
  tl_run *const run = &solve->run;
  if (tl_solve_believes(solve)) {
    run->outcome = TALUS_OUTCOME_CONVERGED;
    *done = solve->uncertified = true;
    return TALUS_OK;
  }
  TL_TRY(tl_solve_certify(solve));
  *done = solve->measure <= run->tolerance;
  if (*done) {
    run->outcome = TALUS_OUTCOME_CONVERGED;
    return TALUS_OK;
  }
  const double shrink = 0.7 * run->tolerance / solve->measure;
  run->target = fmin(run->target, run->best) * fmin(0.7, fmax(0.02, shrink));
  solve->certified++;
  return TALUS_OK;
}

static talus_status run_offer(tl_run *run, const double *impulse, bool *done) {
  tl_solve *const solve = solve_of(run);
  *done = false;
  TL_TRY(run->ops->start(run->engine, TL_START_GIVEN, impulse, 3));
  run->state.step_norm2 = 0; /* no step was made whose size would mean anything */
  TL_TRY(check(solve, NULL));
  return is_worth(solve) ? confirm(solve, done) : TALUS_OK;
}

static talus_status run_replace(tl_run *run, const double *impulse, double *measure) {
  tl_solve *const solve = solve_of(run);
  TL_TRY(run->ops->start(run->engine, TL_START_GIVEN, impulse, 3));
  TL_TRY(run->ops->keep(run->engine));
  solve->proved = solve->uncertified = false;
  TL_TRY(tl_solve_certify(solve));
  *measure = solve->measure;
  return TALUS_OK;
}

/* ---- attempts -------------------------------------------------------------------------------- */

/* The passes that are left to the target if the residual goes on falling as it did on average since
 * it was `first`: the best falls by steps, so that the last few passes tell little. */
static double passes_left(const tl_run *run, int64_t made, double first) {
  const double fell = log(first / run->best), wanted = log(run->best / run->target);
  return fell > 0 && isfinite(fell) ? (double)made * fmax(wanted, 0) / fell : INFINITY;
}

/* Whether an attempt that has used up its budget is to go on. What factorisations cost is asked
 * only where knowing that is cheap against the passes that are left. */
static talus_status is_promising(tl_solve *solve, const tl_attempt *attempt, int64_t made,
                                 double first, bool *promising) {
  tl_run *const run = &solve->run;
  const double left = passes_left(run, made, first);
  *promising = false;
  if (!(attempt->rival > 0)) {
    return TALUS_OK;
  }
  if (solve->factor_cost == 0) {
    if (left <= ORDER_SHARE * tl_cost_order(run)) {
      *promising = true;
      return TALUS_OK;
    }
    TL_TRY(tl_cost_factor(run, &solve->factor_cost));
  }
  /* the time of one factorisation is given to passes that begin slowly, and to the last few; dear
   * factors are those of packings, which take the most of them */
  const double rival = (solve->factor_cost > DEAR ? 1.5 : 1) * attempt->rival;
  *promising = fmin((double)made, left) <= solve->factor_cost ||
               (double)made + left <= rival * solve->factor_cost;
  return TALUS_OK;
}

/* A first-order attempt on its way. */
typedef struct passes {
  const tl_attempt *attempt;
  tl_rule rule;
  int32_t unchecked; /* iterations since the last check */
  int32_t recoveries;
  int64_t begin, budget; /* passes */
  double first;          /* the best at the beginning */
  bool over;             /* it has stalled */
} passes;

/* From 0 if it is to be fresh, else from the kept impulses. */
static talus_status passes_begin(tl_solve *solve, const tl_attempt *attempt, bool fresh,
                                 passes *p) {
  tl_run *const run = &solve->run;
  *p = (passes){
      .attempt = attempt,
      .rule = {.coulomb = run->settings->law == TALUS_LAW_COULOMB,
               .cap = attempt->cap,
               .filter = attempt->filter,
               .rebuild = 100,
               .sweeps = attempt->method->sweeps,
               .look = LOOK,
               .yield = TL_HAS_ROWS(&run->assembly->system.shape) ? 0 : run->assembly->softest},
      .begin = run->passes,
      .budget = attempt->budget};
  TL_TRY(attempt->method->prepare(run, &p->rule));
  TL_TRY(
      run->ops->start(run->engine, fresh ? TL_START_GIVEN : TL_START_KEPT, NULL, run->lipschitz));
  solve->best_passes = run->passes;
  solve->mark = p->first = run->best;
  return TALUS_OK;
}

/* Looks at the residual: is it over, one way or the other? */
static talus_status passes_check(tl_solve *solve, passes *p, bool spent, bool *done) {
  tl_run *const run = &solve->run;
  const tl_attempt *const attempt = p->attempt;
  p->unchecked = 0;
  TL_TRY(check(solve, attempt->method));
  if (is_worth(solve)) {
    TL_TRY(confirm(solve, done));
  }
  if (*done) {
    return TALUS_OK;
  }
  if (!(solve->epsilon <= attempt->leap * run->best)) {
    if (p->recoveries++ >= RECOVERIES) {
      run->outcome = isfinite(solve->epsilon) ? TALUS_OUTCOME_STALLED : TALUS_OUTCOME_NOT_FINITE;
      p->over = true;
      return TALUS_OK;
    }
    TL_TRY(recover(run, attempt->method));
  }
  if (spent) {
    bool promising;
    TL_TRY(is_promising(solve, attempt, run->passes - p->begin, p->first, &promising));
    spent = !promising;
    p->budget = run->passes - p->begin + CHECK_EVERY;
  }
  const int64_t half = run->passes / 2;
  const bool grows = attempt->last || attempt->rival > 0;
  const int64_t patience = grows && half > attempt->patience ? half : attempt->patience;
  if (spent || run->passes - solve->best_passes > patience) {
    run->outcome = TALUS_OUTCOME_STALLED;
    p->over = true;
  }
  return TALUS_OK;
}

/* The looks that surely fit into so many passes, with the rebuildings among them; at least one. */
static int32_t looks_within(int64_t room) {
  const int64_t looks = (room - room / 16 - 1) / LOOK;
  return looks < 1 ? 1 : looks > CHECK_EVERY / LOOK ? CHECK_EVERY / LOOK : (int32_t)looks;
}

/* Iterations that an engine may make by itself. It ends at a look where a check is due; here are
 * the ends that it does not know of: the next check, the budget, another cap, limits. A device is
 * given as many as possible, since a question is a synchronisation; the results are the same. */
static int32_t iterations_next(const tl_run *run, const passes *p) {
  const bool asked = run->settings->max_seconds > 0 || run->settings->progress != NULL;
  int32_t count = CHECK_EVERY - p->unchecked;
  if (run->backend == TALUS_BACKEND_CPU) {
    count = LOOK;
  } else if (asked && count > ASK_DEVICE) {
    count = ASK_DEVICE;
  }
  if (p->budget > 0) {
    const int32_t most = LOOK * looks_within(p->budget - (run->passes - p->begin));
    count = most < count ? most : count;
  }
  if (run->passes < LATE_PASSES) {
    const int32_t most = LOOK * looks_within(LATE_PASSES - run->passes);
    count = most < count ? most : count;
  }
  const int64_t left = run->settings->max_iterations - run->iterations;
  return left < count ? (int32_t)left : count;
}

/* Advances an attempt until it converges, stalls or meets a limit. */
static talus_status passes_run(tl_solve *solve, const tl_attempt *attempt, bool fresh, bool *done) {
  tl_run *const run = &solve->run;
  const tl_method *const method = attempt->method;
  passes p;
  TL_TRY(passes_begin(solve, attempt, fresh, &p));
  *done = false;
  while (!*done && !p.over) {
    if (run_limit(run)) {
      *done = true;
      return p.unchecked > 0 ? check(solve, method) : TALUS_OK; /* the last may be the best */
    }
    p.rule.cap = run->passes < LATE_PASSES ? attempt->cap : attempt->late_cap;
    p.rule.ratio = solve->ratio;
    p.rule.enough = 1.1 * run_worth(run) * run->reference;
    TL_TRY(run->ops->iterate(run->engine, method->iteration, &p.rule, iterations_next(run, &p),
                             &run->state, &run->passes));
    run->iterations += run->state.made;
    p.unchecked += run->state.made;
    const bool spent = p.budget > 0 && run->passes - p.begin >= p.budget;
    if (run->state.stopped || run->state.made % LOOK != 0 || spent || p.unchecked >= CHECK_EVERY) {
      TL_TRY(passes_check(solve, &p, spent, done));
    }
  }
  return TALUS_OK;
}

static talus_status attempt_run(tl_solve *solve, const tl_attempt *attempt, bool *done) {
  talus_status (*const whole)(tl_run *, bool *) =
      attempt->attempt != NULL ? attempt->attempt : attempt->method->attempt;
  return whole != NULL ? whole(&solve->run, done) : passes_run(solve, attempt, false, done);
}

static talus_status run_sweep(tl_run *run, int64_t count, bool *done) {
  const tl_attempt attempt = tl_attempt_sweeps(run, count);
  return passes_run(solve_of(run), &attempt, false, done);
}

static talus_status run_gradient(tl_run *run, int64_t count, bool *done) {
  const tl_attempt attempt = tl_attempt_gradient(run, count);
  return passes_run(solve_of(run), &attempt, true, done);
}

const tl_run_ops tl_solve_ops = {.worth = run_worth,
                                 .limit = run_limit,
                                 .late = run_late,
                                 .left = run_left,
                                 .offer = run_offer,
                                 .replace = run_replace,
                                 .sweep = run_sweep,
                                 .gradient = run_gradient};

/* ---- the run --------------------------------------------------------------------------------- */

/* Keeps the start whatever it is worth: where every residual overflows, nothing later is. */
static talus_status begin(tl_solve *solve, const tl_method *method, const double *impulse) {
  tl_run *const run = &solve->run;
  run->best = INFINITY;
  TL_TRY(
      run->ops->start(run->engine, solve->start_kept ? TL_START_KEPT : TL_START_GIVEN, impulse, 3));
  TL_TRY(run->ops->keep(run->engine));
  return check(solve, method);
}

/* Whether the start is good enough only beside what moves (problem.velocity_scale). Taken as it is,
 * step after step, it would never be mended: what slides fast while friction sets in or turns would
 * not be braked. A few passes, and errors fade over the steps. */
static bool is_borrowed(const tl_run *run) {
  return run->best > run->tolerance;
}

/* `auto` goes on with another method. */
static void change_note(tl_solve *solve, const tl_method *next) {
  tl_run *const run = &solve->run;
  run->notes |= TALUS_NOTE_METHOD_CHANGED;
  tl_log(run->context, TALUS_LOG_INFO, "%s stalled at %.3g after %lld passes: trying %s",
         talus_method_name(solve->used), run->best, (long long)run->passes, next->name);
}

talus_status tl_run_fixed(tl_solve *solve, const double *impulse) {
  tl_run *const run = &solve->run;
  const int64_t wanted = run->settings->fixed_iterations;
  tl_attempt attempts[TL_ATTEMPTS];
  passes p;
  tl_attempts_plan(run, attempts);
  const tl_method *const method = attempts[0].method;
  solve->used = method->id;
  TL_TRY(run->ops->start(run->engine, TL_START_GIVEN, impulse, 3));
  TL_TRY(run->ops->keep(run->engine));
  TL_TRY(passes_begin(solve, &attempts[0], false, &p));
  p.rule.look = 0; /* no engine ends by itself */
  while (run->iterations < wanted) {
    const int64_t left = wanted - run->iterations;
    const int32_t count = left < LATE_PASSES ? (int32_t)left : LATE_PASSES;
    p.rule.cap = run->iterations < LATE_PASSES ? attempts[0].cap : attempts[0].late_cap;
    TL_TRY(run->ops->iterate(run->engine, method->iteration, &p.rule, count, &run->state,
                             &run->passes));
    run->iterations += count;
  }
  run->outcome = TALUS_OUTCOME_UNCHECKED;
  return run->ops->keep(run->engine);
}

talus_status tl_run_all(tl_solve *solve, const double *impulse) {
  tl_run *const run = &solve->run;
  const talus_method wanted = run->settings->method;
  tl_attempt attempts[TL_ATTEMPTS];
  const int32_t count = tl_attempts_plan(run, attempts);
  const bool warm = impulse != NULL || solve->start_kept;
  solve->used = attempts[0].method->id;
  TL_TRY(begin(solve, attempts[0].method, impulse));
  if (warm && !(solve->epsilon <= 1)) { /* worse than none */
    solve->start_kept = false;
    TL_TRY(begin(solve, attempts[0].method, NULL));
  }
  bool done = false;
  if (run->best <= run->target && !(warm && is_borrowed(run))) {
    TL_TRY(confirm(solve, &done));
  }
  for (int32_t i = 0; i < count && !done; i++) {
    if (i > 0 && wanted == TALUS_METHOD_AUTO) {
      change_note(solve, attempts[i].method);
    }
    solve->used = attempts[i].method->id;
    const talus_status status = attempt_run(solve, &attempts[i], &done);
    if (status == TALUS_UNSUPPORTED && wanted == TALUS_METHOD_AUTO) {
      tl_log(run->context, TALUS_LOG_INFO, "%s", talus_context_message(run->context));
      continue; /* this build has no factorisation for it: the impulses so far stand */
    }
    TL_TRY(status);
  }
  solve->used = wanted != TALUS_METHOD_AUTO ? wanted : solve->used; /* its sweeps are part of it */
  return run->settings->unique && run->outcome == TALUS_OUTCOME_CONVERGED ? tl_newton_unique(run)
                                                                          : TALUS_OK;
}
