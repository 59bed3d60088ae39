/* second_order.c: the second-order methods as a solve knows them; the order of their procedures.
 *
 * The best impulses of all phases are kept; the certificate is asked whenever they meet the target.
 * Factorisations count as iterations and passes; limits are asked before each of them and, where
 * they take long, within (limit.h). */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "host/method/method.h"
#include "host/method/newton/newton.h"

enum {
  VECTORS = 12,
  FIRST_STEPS = 8,
  MANY = 2000,         /* order of the matrix: 330 bodies */
  MOST = 20000,        /* 3300 bodies */
  ROUND_PASSES = 4000, /* in the first round of sweeps; each has twice as many as the one before */
  ROUNDS = 10,
  GRADIENT_PASSES = 2000,
  PATH_FIRST = 150, /* factorisations: heaps of 1000 in motion take half of that */
  PATH_LAST = 20000,
  PATH_AFTER = 4, /* rounds of sweeps */
  IDLE = 4        /* rounds without a gain: settled heaps have up to three before the next */
};

static talus_status memory_reserve(tl_newton *newton) {
  const size_t size = (size_t)tl_scaled_size(&newton->scaled), count = (size_t)newton->scaled.count;
  TL_TRY(tl_buffer_reserve(newton->context, &newton->memory, (VECTORS + 2) * size + 30 * count,
                           sizeof(double), "second-order iterates"));
  double *room = newton->memory.memory;
  newton->best.y = room;
  newton->inside = room + size;
  room += 2 * size;
  for (int i = 0; i < VECTORS; i++, room += size) {
    newton->vector[i] = room;
  }
  newton->impulse = room;
  newton->a = room + 3 * count;
  newton->b = newton->a + 9 * count;
  newton->scale = newton->b + 9 * count;
  return TALUS_OK;
}

/* The run's limits, within a factorisation. A callback that has said stop is not asked again. */
static bool limit_reached(void *user) {
  tl_newton *const newton = user;
  newton->stop = newton->stop || tl_run_late(newton->run);
  return newton->stop;
}

static double seconds_left(void *user) {
  return tl_run_left(((const tl_newton *)user)->run);
}

const tl_dense_ops *tl_newton_dense(const tl_run *run) {
  return run->backend == TALUS_BACKEND_CUDA && !run->settings->same_bits && !run->context->undense
             ? tl_dense_backend_find(run->context)
             : NULL;
}

bool tl_newton_dense_serves(double order) {
  return tl_linear_device_serves((int64_t)order);
}

/* The problem written out, unless that has been done. dense: see tl_linear_make. */
static talus_status make(tl_run *run, const tl_dense_ops *dense, tl_newton **result) {
  tl_method_memory *const memory = run->memory;
  if (memory->newton == NULL) {
    TL_TRY(tl_alloc(run->context, (void **)&memory->newton, 1, sizeof *memory->newton,
                    "second-order methods"));
    memset(memory->newton, 0, sizeof *memory->newton);
    memory->newton->context = run->context;
  }
  tl_newton *const newton = memory->newton;
  if (!newton->ready) {
    TL_TRY(tl_scaled_import(run->context, &run->assembly->system, &(tl_scaled_options){0},
                            &newton->scaled));
    tl_scaled_reference(&newton->scaled, TALUS_LAW_COULOMB);
    tl_scaled_reference(&newton->scaled, TALUS_LAW_CCP);
    TL_TRY(memory_reserve(newton));
  }
  if (!newton->ready || (newton->on_host && dense != NULL)) {
    TL_TRY(tl_linear_make(run->context, &newton->scaled, dense, &newton->linear));
    newton->on_host = dense == NULL;
    newton->ready = true;
  }
  newton->run = run;
  newton->linear.limit =
      (tl_limit){.user = newton, .reached = limit_reached, .seconds_left = seconds_left};
  *result = newton;
  return TALUS_OK;
}

talus_status tl_newton_foresee(tl_run *run, double *order, double *entries, double *operations) {
  tl_newton *newton;
  TL_TRY(make(run, NULL, &newton));
  *order = (double)newton->linear.order;
  return tl_linear_foresee(&newton->linear, entries, operations);
}

/* The problem written out, and the kept impulses. */
static talus_status prepare(tl_run *run, tl_newton **result) {
  TL_TRY(make(run, tl_newton_dense(run), result));
  tl_newton *const newton = *result;
  newton->law = run->settings->law;
  newton->stop = newton->examined = false;
  newton->best.epsilon = INFINITY;
  TL_TRY(run->ops->finish(run->engine, newton->impulse));
  tl_scaled_impulse_import(&newton->scaled, newton->impulse, newton->best.y);
  return TALUS_OK;
}

void tl_newton_release(talus_context *context, tl_newton *newton) {
  if (newton == NULL) {
    return;
  }
  tl_linear_release(context, &newton->linear);
  tl_scaled_release(context, &newton->scaled);
  tl_buffer_release(context, &newton->memory);
  tl_buffer_release(context, &newton->store);
  tl_free(context, newton);
}

void tl_newton_forget(tl_newton *newton) {
  if (newton != NULL) {
    newton->ready = false;
  }
}

int64_t tl_newton_bytes(const tl_newton *newton) {
  return newton == NULL ? 0
                        : tl_scaled_bytes(&newton->scaled) + tl_linear_bytes(&newton->linear) +
                              (int64_t)(newton->memory.capacity + newton->store.capacity);
}

talus_status tl_newton_factor(tl_newton *newton, const double *a, const double *b,
                              const double *scale, bool symmetric, bool *good) {
  tl_run *const run = newton->run;
  *good = false;
  if (newton->stop || tl_run_limit(run)) {
    newton->stop = true;
    return TALUS_OK;
  }
  run->iterations++;
  run->passes++;
  run->factorisations++;
  TL_TRY(tl_linear_factor(&newton->linear, a, b, scale, symmetric, good));
  if (newton->linear.limit.interrupted) {
    run->factorisations -= newton->linear.limit.refused;
    run->outcome = TALUS_OUTCOME_TIME_LIMIT;
    newton->stop = true;
  }
  return TALUS_OK;
}

/* Impulses of y for the engine, each projected on its cone or between its bounds. */
static void export(tl_newton *newton, const double *y) {
  const tl_scaled *const scaled = &newton->scaled;
  double *const inside = newton->inside;
  memcpy(inside, y, (size_t)scaled->rows * sizeof *y);
  for (int32_t k = 0; k < scaled->count; k++) {
    tl_scaled_project(scaled, k, inside + scaled->first[k]);
  }
  tl_scaled_impulse_export(scaled, inside, newton->impulse);
}

talus_status tl_newton_offer(tl_newton *newton, const double *y, const double *u, double *epsilon) {
  tl_run *const run = newton->run;
  if (!tl_scaled_offer(&newton->scaled, newton->law, y, u, &newton->best, epsilon) ||
      newton->stop || newton->best.epsilon > tl_run_worth(run)) {
    return TALUS_OK;
  }
  export(newton, y);
  return tl_run_offer(run, newton->impulse, &newton->stop);
}

/* ---- plans ----------------------------------------------------------------------------------- */

/* An interior point in the last vectors, which the procedures leave alone. */
static tl_interior point_of(tl_newton *newton) {
  return (tl_interior){.y = newton->vector[6], .v = newton->vector[7], .u = newton->vector[8]};
}

/* Jammed contacts carry impulses far beyond those of the first guess, which then takes many short
 * steps: it is given a few, and else begins again from a hundred times as much. */
static talus_status interior(tl_newton *newton, int most) {
  tl_interior point = point_of(newton);
  tl_interior_rule rule = {.reach = 0.99, .most = 0};
  tl_interior_start(newton, 1, &point);
  TL_TRY(tl_interior_run(newton, &rule, &point));
  const double begin = point.primal_residual;
  rule.most = FIRST_STEPS;
  TL_TRY(tl_interior_run(newton, &rule, &point));
  if (point.primal_residual > 0.2 * begin && !newton->stop) {
    tl_interior_start(newton, 100, &point);
  }
  rule.most = most;
  return newton->stop ? TALUS_OK : tl_interior_run(newton, &rule, &point);
}

/* C; *y is where A should go on: the best impulses if they are of this phase, else the last. */
static talus_status exact_interior(tl_newton *newton, double damping, int most, double **y) {
  const double before = newton->best.epsilon;
  tl_interior point = point_of(newton);
  const tl_interior_rule rule = {
      .exact = true, .damping = damping, .reach = 0.95, .least = 0.02, .most = most};
  tl_interior_start(newton, 1, &point);
  TL_TRY(tl_interior_run(newton, &rule, &point));
  *y = newton->best.epsilon < before || !isfinite(point.gap) ? newton->best.y : point.y;
  return TALUS_OK;
}

/* Ends a phase. Siconos' measure does not follow epsilon, so the best impulses are offered
 * again. */
static talus_status phase_end(tl_newton *newton, const char *what) {
  tl_run *const run = newton->run;
  tl_log(newton->context, TALUS_LOG_INFO, "%s: epsilon %.3g after %lld factorisations", what,
         newton->best.epsilon, (long long)run->factorisations);
  if (newton->stop || run->settings->measure != TALUS_MEASURE_SICONOS ||
      newton->best.epsilon >= run->best) {
    return TALUS_OK;
  }
  run->asked = false;
  export(newton, newton->best.y);
  return tl_run_offer(run, newton->impulse, &newton->stop);
}

/* A from y, or from the best impulses so far. */
static talus_status prox(tl_newton *newton, const double *y, double alpha, double shrink, int most,
                         int failures) {
  const tl_prox_rule rule = {newton->law, alpha, shrink, most, failures, 0, NULL};
  if (newton->stop) {
    return TALUS_OK;
  }
  memcpy(newton->vector[9], y != NULL ? y : newton->best.y,
         (size_t)newton->scaled.rows * sizeof *newton->best.y);
  TL_TRY(tl_prox_run(newton, &rule, newton->vector[9]));
  return phase_end(newton, "proximal Newton");
}

/* The path from the best impulses. */
static talus_status path(tl_newton *newton, int most) {
  if (newton->stop) {
    return TALUS_OK;
  }
  memcpy(newton->vector[9], newton->best.y, (size_t)newton->scaled.rows * sizeof *newton->best.y);
  TL_TRY(tl_path_run(newton, most, newton->vector[9]));
  return phase_end(newton, "proximal path");
}

/* First-order steps; the best impulses are those of all. */
static talus_status first_order(tl_newton *newton,
                                talus_status (*go)(tl_run *run, int64_t passes, bool *done),
                                int64_t passes, const char *what) {
  tl_run *const run = newton->run;
  if (newton->stop) {
    return TALUS_OK;
  }
  if (newton->best.epsilon < run->best) {
    export(newton, newton->best.y);
    TL_TRY(tl_run_offer(run, newton->impulse, &newton->stop));
  }
  if (!newton->stop) {
    TL_TRY(go(run, passes, &newton->stop));
  }
  if (run->best < newton->best.epsilon) {
    TL_TRY(run->ops->finish(run->engine, newton->impulse));
    tl_scaled_impulse_import(&newton->scaled, newton->impulse, newton->best.y);
    newton->best.epsilon = run->best;
  }
  return phase_end(newton, what);
}

/* Under the exact law they wander, and yet come nearer in the long run, also where every
 * second-order procedure is at its end. */
static talus_status sweeps(tl_newton *newton, int64_t passes) {
  return first_order(newton, newton->run->ask->sweep, passes, "sweeps");
}

static talus_status slip(tl_newton *newton, int most) {
  if (newton->stop) {
    return TALUS_OK;
  }
  TL_TRY(tl_slip_run(newton, most, newton->vector[9]));
  return phase_end(newton, "Newton on the slip");
}

/* The convex law: interior point, and a polish of what it leaves. */
static talus_status convex_plan(tl_newton *newton) {
  TL_TRY(interior(newton, 80));
  TL_TRY(phase_end(newton, "interior point"));
  TL_TRY(prox(newton, NULL, 1e-4, 0.1, 60, 3));
  return TALUS_OK;
}

/* C, then A from where it ended. */
static talus_status damped_plan(tl_newton *newton, double damping, int most, int failures) {
  double *y;
  if (newton->stop) {
    return TALUS_OK;
  }
  TL_TRY(exact_interior(newton, damping, 150, &y));
  TL_TRY(phase_end(newton, "interior point on the exact law"));
  return prox(newton, y, 1e-4, 0.1, most, failures);
}

/* A with a light term: most are near enough for it. Where a factorisation costs thousands of sweeps
 * it has to be more likely. */
static talus_status light(tl_newton *newton) {
  if (newton->linear.order > MOST && newton->best.epsilon > 1e-5) {
    return TALUS_OK;
  }
  return prox(newton, NULL, 1e-3, 0.03, 20, 1);
}

/* Not solved: is there anything to be solved? */
static talus_status examine(tl_newton *newton) {
  bool found;
  if (newton->stop || newton->examined || !(newton->best.epsilon > 1e-8)) {
    return TALUS_OK;
  }
  newton->examined = true;
  TL_TRY(tl_incompatible_find(newton, newton->best.y, &newton->run->incompatible));
  TL_TRY(tl_contradiction_find(newton, &found));
  if (found) {
    newton->run->outcome = TALUS_OUTCOME_INCONSISTENT;
    newton->stop = true;
  }
  return TALUS_OK;
}

/* Sweeps, ever more of them, and A with a light term where they have gained something; until round
 * after round, each as long as all before, gained nothing. */
static talus_status sweep_rounds(tl_newton *newton, int rounds) {
  int64_t passes = ROUND_PASSES;
  double tried = newton->best.epsilon;
  for (int i = 0, idle = 0; i < rounds && idle < IDLE && !newton->stop; i++, passes *= 2) {
    const double before = newton->best.epsilon;
    TL_TRY(sweeps(newton, passes));
    idle = newton->best.epsilon < 0.9 * before ? 0 : idle + 1;
    if (newton->best.epsilon < 0.5 * tried) {
      TL_TRY(light(newton));
      tried = newton->best.epsilon;
    }
  }
  return TALUS_OK;
}

/* The exact law: A solves most; sweeps bring heaps near enough for it; C and A solve what is
 * compatible and yet hard, B most settled heaps of a hundred bodies, the path what is left of them,
 * and heaps of a thousand in motion. In larger ones only sweeps come any further, and they do so
 * for long; one factorisation there costs a thousand of them. */
static talus_status exact_plan(tl_newton *newton) {
  const int64_t order = newton->linear.order;
  TL_TRY(light(newton));
  TL_TRY(sweep_rounds(newton, 1));
  TL_TRY(first_order(newton, newton->run->ask->gradient, GRADIENT_PASSES, "gradient steps"));
  if (order <= MANY) {
    TL_TRY(slip(newton, 20)); /* all but sticking: a few steps, or many */
  }
  if (order <= MOST) {
    TL_TRY(prox(newton, NULL, 1, 0.3, 60, 3));
    if (order > MANY) {
      TL_TRY(path(newton, PATH_FIRST));
    }
    TL_TRY(damped_plan(newton, 0.8, 100, 6));
  }
  if (order <= MANY) {
    TL_TRY(slip(newton, 150));
    TL_TRY(damped_plan(newton, 0.5, 600, 20));
    TL_TRY(slip(newton, 600));
    TL_TRY(prox(newton, NULL, 1e-4, 0.1, 300, 20));
  }
  TL_TRY(examine(newton));
  if (order <= MANY) {
    TL_TRY(sweep_rounds(newton, PATH_AFTER));
    TL_TRY(path(newton, PATH_LAST));
  }
  return sweep_rounds(newton, ROUNDS);
}

static talus_status newton_plan(tl_newton *newton) {
  if (newton->law == TALUS_LAW_COULOMB) {
    return exact_plan(newton);
  }
  TL_TRY(prox(newton, NULL, 1, 0.3, 100, 3));
  return newton->stop ? TALUS_OK : convex_plan(newton);
}

/* The path alone. The convex law has no corners that turn back: an interior point does better. */
static talus_status path_plan(tl_newton *newton) {
  return newton->law == TALUS_LAW_COULOMB ? path(newton, INT_MAX) : convex_plan(newton);
}

static talus_status interior_plan(tl_newton *newton) {
  return newton->law == TALUS_LAW_COULOMB ? damped_plan(newton, 0.8, 300, 20) : convex_plan(newton);
}

/* Whether `auto` goes on without factors: on a device where the host would be sooner with them. */
static talus_status forgo(tl_run *run, bool *forgone) {
  double passes = 0;
  *forgone = false;
  if (run->settings->method != TALUS_METHOD_AUTO || run->backend == TALUS_BACKEND_CPU) {
    return TALUS_OK;
  }
  TL_TRY(tl_cost_factor(run, &passes));
  *forgone = !isfinite(passes);
  return TALUS_OK;
}

static talus_status attempt(tl_run *run, talus_status (*plan)(tl_newton *newton), bool *done) {
  tl_newton *newton;
  bool forgone;
  *done = false;
  TL_TRY(forgo(run, &forgone));
  if (forgone) {
    run->outcome = TALUS_OUTCOME_STALLED;
    return TALUS_OK;
  }
  TL_TRY(prepare(run, &newton));
  tl_scaled_velocity(&newton->scaled, newton->best.y, newton->vector[0]);
  newton->best.epsilon =
      tl_scaled_epsilon(&newton->scaled, newton->law, newton->best.y, newton->vector[0]);
  run->outcome = TALUS_OUTCOME_STALLED;
  const bool blas = tl_linear_uses_blas(&newton->linear);
  if (blas) {
    const talus_status begun = tl_blas_begin(run->context);
    if (begun != TALUS_OK) { /* auto goes on without factors */
      return run->settings->method == TALUS_METHOD_AUTO ? TALUS_UNSUPPORTED : begun;
    }
  }
  talus_status status = plan(newton);
  if (status == TALUS_OK) {
    status = examine(newton);
  }
  if (blas) {
    tl_blas_end(run->context);
  }
  tl_linear_device_tell(&newton->linear);
  *done = newton->stop;
  if (status == TALUS_OK && newton->best.epsilon < run->best) {
    bool agreed;
    export(newton, newton->best.y);
    status = tl_run_offer(run, newton->impulse, &agreed);
    *done = *done || agreed;
  }
  return status;
}

talus_status tl_newton_unique(tl_run *run) {
  tl_newton *newton;
  if (run->on_device) {
    return TALUS_OK; /* and no note */
  }
  TL_TRY(prepare(run, &newton));
  double *const y = newton->vector[9];
  memcpy(y, newton->best.y, (size_t)newton->scaled.rows * sizeof *y);
  newton->best.epsilon = -1; /* nothing on the way is offered */
  const bool blas = tl_linear_uses_blas(&newton->linear);
  if (blas) {
    TL_TRY(tl_blas_begin(run->context));
  }
  const talus_status status = tl_least_find(newton, y);
  if (blas) {
    tl_blas_end(run->context);
  }
  if (status != TALUS_OK || newton->stop) {
    return status;
  }
  const double before = run->best;
  export(newton, y);
  double measure;
  TL_TRY(run->ask->replace(run, newton->impulse, &measure));
  if (measure <= run->tolerance) {
    run->notes |= TALUS_NOTE_UNIQUE;
    return TALUS_OK;
  }
  export(newton, newton->best.y);
  run->best = before;
  return run->ask->replace(run, newton->impulse, &measure);
}

talus_status tl_newton_attempt(tl_run *run, bool *done) {
  return run->assembly->system.shape.torque_count > 0 ? tl_wrench_attempt(run, done)
                                                      : attempt(run, newton_plan, done);
}

talus_status tl_interior_attempt(tl_run *run, bool *done) {
  return attempt(run, interior_plan, done);
}

talus_status tl_path_attempt(tl_run *run, bool *done) {
  return attempt(run, path_plan, done);
}
