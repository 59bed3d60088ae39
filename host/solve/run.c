/* run.c: advances methods until the certificate agrees, a limit comes, or nothing moves any more.
 *
 * Checks cost a pass, so they are made where the size of the step itself (free, and proportional to
 * the residual once known) says that the target is near, and otherwise rarely. The best impulses
 * are kept throughout: whatever the outcome, they are what is returned. */
#include "host/solve/run.h"

#include <math.h>

enum {
  BATCH = 5,         /* iterations between looks at the step's size on the CPU */
  BATCH_DEVICE = 20, /* on a device, where a look is a synchronisation */
  CHECK_EVERY = 50,  /* iterations between checks at the least */
  LATE_PASSES = 400, /* easy problems are solved by then; hard ones want a longer memory */
  RECOVERIES = 3,    /* returns to the best impulses per attempt */
  ASK_EARLY = 100,   /* times the tolerance, see tl_run_worth */
  DEAR = 400,        /* passes that a factorisation of a packing costs, and more */
  ORDER_SHARE = 3,  /* an end within so many times the cost of ordering a matrix: none is ordered */
  CERTIFY_MOST = 40 /* certificates per solve: each one lowers the target */
};

talus_status tl_gradient_advance(tl_run *run, const tl_rule *rule, int32_t count) {
  run->passes += count;
  run->iterations += count;
  return run->ops->gradient(run->engine, rule, count, &run->state);
}

/* The step's own norm, which goes to zero like the residual does. */
static double step_norm(const tl_run *run, const tl_method *method) {
  const double norm = sqrt(run->state.step_norm2);
  return tl_method_sweeps(method->id) ? norm : norm * run->state.lipschitz;
}

static talus_status check(tl_run *run, const tl_method *method) {
  double squares[2];
  TL_TRY(run->ops->residual(run->engine, squares, &run->passes));
  const double residual = sqrt(squares[run->law]);
  run->epsilon = isfinite(residual) ? residual / run->reference : INFINITY;
  const double norm = method != NULL ? step_norm(run, method) : 0;
  run->ratio = norm > 0 && isfinite(norm) ? residual / norm : 0;
  if (run->epsilon < run->best) {
    TL_TRY(run->ops->keep(run->engine));
    run->proved = 0;
    run->best_passes = run->epsilon < 0.9 * run->mark ? run->passes : run->best_passes;
    run->mark = run->epsilon < 0.9 * run->mark ? run->epsilon : run->mark;
    run->best = run->epsilon;
  }
  return TALUS_OK;
}

double tl_run_worth(const tl_run *run) {
  const int siconos = run->solver->settings.measure == TALUS_MEASURE_SICONOS;
  return (siconos && !run->asked ? ASK_EARLY : 1) * run->target;
}

/* Whether the certificate is to be asked now. */
static int is_worth(tl_run *run) {
  if (run->epsilon > tl_run_worth(run)) {
    return 0;
  }
  run->asked = 1;
  run->target = fmax(run->target, run->epsilon);
  return run->certified < CERTIFY_MOST;
}

int tl_run_limit(tl_run *run) {
  const talus_settings *const settings = &run->solver->settings;
  if (run->iterations >= settings->max_iterations) {
    run->outcome = TALUS_OUTCOME_ITERATION_LIMIT;
    return 1;
  }
  return tl_run_late(run);
}

int tl_run_late(tl_run *run) {
  const talus_settings *const settings = &run->solver->settings;
  const double seconds = tl_clock() - run->begin;
  if (settings->max_seconds > 0 && seconds >= settings->max_seconds) {
    run->outcome = TALUS_OUTCOME_TIME_LIMIT;
    return 1;
  }
  if (settings->progress != NULL && settings->progress(settings->progress_user, run->iterations,
                                                       run->passes, run->best, seconds) != 0) {
    run->outcome = TALUS_OUTCOME_TIME_LIMIT;
    run->notes |= TALUS_NOTE_STOPPED;
    return 1;
  }
  return 0;
}

/* Whether a check is due. */
static int check_due(const tl_run *run, const tl_method *method, int32_t unchecked) {
  const double norm = step_norm(run, method);
  return unchecked >= CHECK_EVERY || !isfinite(norm) || !(run->ratio > 0) ||
         run->ratio * norm <= 1.1 * tl_run_worth(run) * run->reference;
}

/* The step was too long: back to the best impulses with a step that is safe. */
static talus_status recover(tl_run *run, const tl_method *method) {
  double lambda = 0;
  TL_TRY(run->ops->restore(run->engine, run->lipschitz));
  const int scaled = method->id != TALUS_METHOD_APGD;
  TL_TRY(run->ops->estimate_lipschitz(run->engine, scaled, 20, &lambda));
  run->passes += 20;
  run->lipschitz = lambda > 0 ? 1.05 * lambda : run->lipschitz;
  return run->ops->restore(run->engine, run->lipschitz);
}

/* The target is met by the solver's own count: has the certificate the same opinion? */
static talus_status confirm(tl_run *run, int *done) {
  TL_TRY(tl_run_certify(run));
  *done = run->measure <= run->tolerance;
  if (*done) {
    run->outcome = TALUS_OUTCOME_CONVERGED;
    return TALUS_OK;
  }
  const double shrink = 0.7 * run->tolerance / run->measure;
  run->target = fmin(run->target, run->best) * fmin(0.7, fmax(0.02, shrink));
  run->certified++;
  return TALUS_OK;
}

talus_status tl_run_offer(tl_run *run, const double *impulse, int *done) {
  *done = 0;
  TL_TRY(run->ops->start(run->engine, impulse, 3));
  run->state.step_norm2 = 0; /* no step was made whose size would mean anything */
  TL_TRY(check(run, NULL));
  if (is_worth(run)) {
    TL_TRY(confirm(run, done));
  }
  return TALUS_OK;
}

talus_status tl_run_replace(tl_run *run, const double *impulse) {
  TL_TRY(run->ops->start(run->engine, impulse, 3));
  TL_TRY(run->ops->keep(run->engine));
  run->proved = 0;
  return tl_run_certify(run);
}

/* The passes that are left to the target if the residual goes on falling as it did on average since
 * it was `first`: the best falls by steps, so that the last few passes tell little. */
static double passes_left(const tl_run *run, int64_t made, double first) {
  const double fell = log(first / run->best), wanted = log(run->best / run->target);
  return fell > 0 && isfinite(fell) ? (double)made * fmax(wanted, 0) / fell : INFINITY;
}

/* Whether an attempt that has used up its budget is to go on. What factorisations cost is asked
 * only where knowing that is cheap against the passes that are left. */
static talus_status is_promising(tl_run *run, const tl_attempt *attempt, int64_t made, double first,
                                 int *promising) {
  const double left = passes_left(run, made, first);
  *promising = 0;
  if (!(attempt->rival > 0)) {
    return TALUS_OK;
  }
  if (run->factor_cost == 0) {
    if (left <= ORDER_SHARE * tl_cost_order(&run->solver->assembly.system.shape)) {
      *promising = 1;
      return TALUS_OK;
    }
    TL_TRY(tl_cost_factor(run, &run->factor_cost));
  }
  /* the time of one factorisation is given to passes that begin slowly, and to the last few; dear
   * factors are those of packings, which take the most of them */
  const double rival = (run->factor_cost > DEAR ? 1.5 : 1) * attempt->rival;
  *promising = fmin((double)made, left) <= run->factor_cost ||
               (double)made + left <= rival * run->factor_cost;
  return TALUS_OK;
}

/* Runs one attempt until it converges, stalls or meets a limit; from 0 if it is to be fresh, else
 * from the kept impulses. */
static talus_status attempt_run(tl_run *run, const tl_attempt *attempt, int fresh, int *done) {
  const tl_method *const method = attempt->method;
  if (method->attempt != NULL) {
    return method->attempt(run, done);
  }
  const int64_t begin = run->passes;
  tl_rule rule = {.coulomb = run->law,
                  .cap = attempt->cap,
                  .filter = attempt->filter,
                  .rebuild = 100,
                  .yield = TL_HAS_ROWS(&run->solver->assembly.system.shape)
                               ? 0
                               : run->solver->assembly.softest};
  const int32_t batch =
      run->solver->engine_backend->kind == TALUS_BACKEND_CUDA ? BATCH_DEVICE : BATCH;
  int32_t unchecked = 0, recoveries = 0;
  int64_t budget = attempt->budget;
  TL_TRY(method->prepare(run, &rule));
  TL_TRY(fresh ? run->ops->start(run->engine, NULL, run->lipschitz)
               : run->ops->restore(run->engine, run->lipschitz));
  run->best_passes = run->passes;
  run->mark = run->best;
  const double first = run->best;
  *done = 0;
  while (!*done) {
    if (tl_run_limit(run)) {
      *done = 1;
      return unchecked > 0 ? check(run, method) : TALUS_OK; /* the last may be the best */
    }
    const int64_t left = run->solver->settings.max_iterations - run->iterations;
    const int32_t count = left < batch ? (int32_t)left : batch;
    rule.cap = run->passes < LATE_PASSES ? attempt->cap : attempt->late_cap;
    TL_TRY(method->advance(run, &rule, count));
    unchecked += count;
    int spent = budget > 0 && run->passes - begin >= budget;
    if (count == batch && !spent && !check_due(run, method, unchecked)) {
      continue;
    }
    unchecked = 0;
    TL_TRY(check(run, method));
    if (is_worth(run)) {
      TL_TRY(confirm(run, done));
    }
    if (!*done && !(run->epsilon <= attempt->leap * run->best)) {
      if (recoveries++ >= RECOVERIES) {
        run->outcome = isfinite(run->epsilon) ? TALUS_OUTCOME_STALLED : TALUS_OUTCOME_NOT_FINITE;
        return TALUS_OK;
      }
      TL_TRY(recover(run, method));
    }
    if (!*done && spent) {
      int promising;
      TL_TRY(is_promising(run, attempt, run->passes - begin, first, &promising));
      spent = !promising;
      budget = run->passes - begin + CHECK_EVERY;
    }
    const int64_t half = run->passes / 2;
    const int grows = attempt->last || attempt->rival > 0;
    const int64_t patience = grows && half > attempt->patience ? half : attempt->patience;
    if (!*done && (spent || run->passes - run->best_passes > patience)) {
      run->outcome = TALUS_OUTCOME_STALLED;
      return TALUS_OK;
    }
  }
  return TALUS_OK;
}

/* The start is kept whatever it is worth: where every residual overflows, nothing later is. */
static talus_status begin(tl_run *run, const tl_method *method, const double *impulse) {
  run->best = INFINITY;
  TL_TRY(run->ops->start(run->engine, impulse, 3));
  TL_TRY(run->ops->keep(run->engine));
  return check(run, method);
}

talus_status tl_run_sweep(tl_run *run, int64_t passes, int *done) {
  const tl_attempt attempt = tl_attempt_sweeps(run, passes);
  return attempt_run(run, &attempt, 0, done);
}

talus_status tl_run_gradient(tl_run *run, int64_t passes, int *done) {
  const tl_attempt attempt = tl_attempt_gradient(run, passes);
  return attempt_run(run, &attempt, 1, done);
}

talus_status tl_run_all(tl_run *run, const double *impulse, talus_method *used) {
  tl_attempt attempts[10];
  const int32_t count = tl_attempts_plan(run, attempts, 10);
  *used = attempts[0].method->id;
  TL_TRY(begin(run, attempts[0].method, impulse));
  if (impulse != NULL && !(run->epsilon <= 1)) { /* a start worse than none */
    TL_TRY(begin(run, attempts[0].method, NULL));
  }
  int done = 0;
  if (run->best <= run->target) {
    TL_TRY(confirm(run, &done));
  }
  const talus_method wanted = run->solver->settings.method;
  for (int32_t i = 0; i < count && !done; i++) {
    if (i > 0 && wanted == TALUS_METHOD_AUTO) {
      run->notes |= TALUS_NOTE_METHOD_CHANGED;
      tl_log(run->context, TALUS_LOG_INFO, "%s stalled at %.3g after %lld passes: trying %s",
             talus_method_name(*used), run->best, (long long)run->passes,
             talus_method_name(attempts[i].method->id));
    }
    *used = attempts[i].method->id;
    const talus_status status = attempt_run(run, &attempts[i], 0, &done);
    if (status == TALUS_UNSUPPORTED && wanted == TALUS_METHOD_AUTO) {
      tl_log(run->context, TALUS_LOG_INFO, "%s", talus_context_message(run->context));
      continue; /* this build has no factorisation for it: the impulses so far stand */
    }
    TL_TRY(status);
  }
  *used = wanted != TALUS_METHOD_AUTO ? wanted : *used; /* its sweeps are part of it */
  if (run->solver->settings.unique && run->outcome == TALUS_OUTCOME_CONVERGED) {
    return tl_newton_unique(run);
  }
  return TALUS_OK;
}
