/* auto.c: which methods a solve tries, in which order, with which momentum and filter.
 *
 * A method asked for by name is the only attempt. `auto`: on the CPU Gauss-Seidel with momentum
 * takes the fewest passes on every convex problem measured; on a device the scaled gradient needs
 * no colours. For the exact law momentum must be capped and the slip filtered, or it never
 * converges; what still stalls is handed to slower, steadier settings. */
#include <math.h>

#include "host/method/small/small.h"
#include "host/solve/run.h"

/* Passes before a second-order method: a handful of contacts is factored sooner than swept, and for
 * one factorisation of many there are a thousand passes. */
enum { SWEEPS_FEW = 5, SWEEPS = 250, SWEEPS_MANY = 2500, FEW = 12, MANY = 2000 };

/* Under the convex law sweeps are weighed against the interior point from the first look on, which
 * takes 8 to 40 factorisations from wherever it starts; under the exact law Newton's method wants
 * to be led near, and takes less from there. */
enum { SWEEPS_LEAST = 50, SWEEPS_DENSE = 100, PATIENCE = 400 };
static const double RIVAL_CONVEX = 5.5, RIVAL_EXACT = 4;

/* L of gradient steps in packings; the longest momentum of compliant contacts, exact law. */
static const double GRADIENT_LIPSCHITZ = 3, SOFT_CAP = 0.85;

const tl_method *tl_method_find(talus_method id) {
  static const tl_method *const methods[] = {&tl_method_jacobi,
                                             &tl_method_apgd,
                                             &tl_method_apgdb,
                                             &tl_method_gauss_seidel,
                                             &tl_method_gauss_seidel_nesterov,
                                             &tl_method_spectral,
                                             &tl_method_newton,
                                             &tl_method_path,
                                             &tl_method_interior_point};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    if (methods[i]->id == id) {
      return methods[i];
    }
  }
  return NULL;
}

int tl_method_sweeps(talus_method id) {
  return id == TALUS_METHOD_GAUSS_SEIDEL || id == TALUS_METHOD_GAUSS_SEIDEL_NESTEROV;
}

/* Newton's method starts from some sweeps, the path where they are far cheaper than its corners. */
static int sweeps_before(talus_method id, int32_t constraints) {
  return id == TALUS_METHOD_NEWTON || (id == TALUS_METHOD_PATH && constraints > MANY);
}

int tl_method_colours(talus_method id, int32_t constraints) {
  return tl_method_sweeps(id) || sweeps_before(id, constraints);
}

/* Largest momentum: a long memory pays where high accuracy is wanted or, late in the run, where
 * the problem turns out to be hard; never under the exact law, where sweeps want less of it than
 * gradient steps. */
static double cap_rigid(const tl_run *run, const tl_method *method, int late) {
  const talus_settings *const settings = &run->solver->settings;
  if (run->law == 1) {
    return method == &tl_method_gauss_seidel_nesterov ? 0.85 : 0.95;
  }
  return settings->tolerance >= 1e-3 && !late ? 0.97 : 1;
}

/* Compliance makes the problem strongly convex by the share r^2 of S (for gradient steps, which are
 * 1/L long, of S L): momentum beyond (1 - r) / (1 + r) overshoots and stalls large problems. Under
 * the exact law it is not more than SOFT_CAP, for gradient steps too. */
static double cap_for(const tl_run *run, const tl_method *method, int late) {
  if (run->solver->settings.momentum_cap >= 0) {
    return run->solver->settings.momentum_cap;
  }
  const double rigid = cap_rigid(run, method, late), stiffest = run->solver->assembly.stiffest;
  if (!(stiffest > 0)) {
    return rigid;
  }
  const double r = sqrt(tl_method_sweeps(method->id) ? stiffest : stiffest / GRADIENT_LIPSCHITZ);
  const double most = run->law == 1 ? SOFT_CAP : rigid, cap = (1 - r) / (1 + r);
  return cap < most ? cap : most;
}

static double filter_for(const tl_run *run) {
  const double filter = run->solver->settings.slip_filter;
  return filter > 0 ? filter : 0.3;
}

/* Second-order methods come early where high accuracy is wanted and late, when others have stalled,
 * elsewhere; in double precision on the CPU. */
static int second_order(const tl_run *run) {
  const talus_settings *const settings = &run->solver->settings;
  return !settings->same_bits && settings->precision == TALUS_F64 && !run->solver->resident &&
         run->solver->engine_backend->kind == TALUS_BACKEND_CPU;
}

static int64_t sweeps_for(const tl_run *run) {
  const int32_t contacts = run->solver->assembly.system.shape.contact_count;
  return contacts <= FEW ? SWEEPS_FEW : contacts <= MANY ? SWEEPS : SWEEPS_MANY;
}

/* So many passes of a method, whatever they gain. */
static tl_attempt attempt_of(const tl_run *run, const tl_method *method, int64_t budget) {
  return (tl_attempt){.method = method,
                      .cap = cap_for(run, method, 0),
                      .filter = filter_for(run),
                      .late_cap = cap_for(run, method, 1),
                      .patience = budget,
                      .leap = 1e6,
                      .budget = budget};
}

/* Few enough for W written out, which wants less of a lead than sparse factors. */
static int is_dense(const tl_run *run) {
  const talus_settings *const settings = &run->solver->settings;
  const tl_shape *const shape = &run->solver->assembly.system.shape;
  const int rows = TL_HAS_ROWS(shape) && shape->contact_count <= TL_DENSE_MOST;
  return second_order(run) && settings->cone == TALUS_CONE_CIRCULAR &&
         (rows || shape->contact_count <= TL_AUTO_MOST);
}

/* Sweeps until a second-order method would be there sooner. */
static tl_attempt sweeps_rivalled(const tl_run *run) {
  const int64_t budget = run->law == 0   ? SWEEPS_LEAST
                         : is_dense(run) ? SWEEPS_DENSE
                                         : sweeps_for(run);
  tl_attempt attempt = tl_attempt_sweeps(run, budget);
  attempt.patience = budget > PATIENCE ? budget : PATIENCE;
  attempt.rival = run->law == 1 ? RIVAL_EXACT : RIVAL_CONVEX;
  return attempt;
}

tl_attempt tl_attempt_sweeps(const tl_run *run, int64_t budget) {
  return attempt_of(run, &tl_method_gauss_seidel_nesterov, budget);
}

tl_attempt tl_attempt_gradient(const tl_run *run, int64_t budget) {
  return attempt_of(run, &tl_method_apgdb, budget);
}

/* A method by name. */
static int32_t named_plan(const tl_run *run, talus_method wanted, tl_attempt *attempts) {
  const tl_method *const only = tl_method_find(wanted);
  const double filter = filter_for(run);
  int32_t count = 0;
  if (sweeps_before(wanted, run->solver->assembly.system.shape.contact_count)) {
    attempts[count++] = tl_attempt_sweeps(run, sweeps_for(run));
  }
  if (!run->solver->resident &&
      tl_small_barrier(&run->solver->settings, run->solver->assembly.system.shape.contact_count)) {
    attempts[count++] = (tl_attempt){.method = &tl_method_barrier};
  }
  attempts[count++] =
      (tl_attempt){only, cap_for(run, only, 0), filter, cap_for(run, only, 1), 3000, 1e3, 0, 1, 0};
  return count;
}

int32_t tl_attempts_plan(const tl_run *run, tl_attempt *attempts, int32_t most) {
  const talus_method wanted = run->solver->settings.method;
  const double filter = filter_for(run);
  int32_t count = 0;
  if (wanted != TALUS_METHOD_AUTO) {
    return named_plan(run, wanted, attempts);
  }
  const int device = run->solver->engine_backend->kind == TALUS_BACKEND_CUDA;
  const tl_method *const first = device ? &tl_method_apgdb : &tl_method_gauss_seidel_nesterov;
  const tl_method *const second = device ? &tl_method_gauss_seidel_nesterov : &tl_method_apgdb;
  const tl_method *const accurate = run->law == 1 ? &tl_method_newton : &tl_method_interior_point;
  const int allowed = second_order(run),
            exact = allowed && (run->law == 0 || run->solver->settings.tolerance < 1e-5);
  const tl_attempt quick = {
      first, cap_for(run, first, 0), filter, cap_for(run, first, 1), 400, 1e2, 0, 0, 0};
  const int32_t contacts = run->solver->assembly.system.shape.contact_count;
  const int small = !run->solver->resident && tl_small_serves(&run->solver->settings, contacts);
  const int few =
      small && tl_small_begins(&run->solver->settings, run->solver->problem.form, contacts);
  const int dense = is_dense(run);
  const int islands = run->solver->settings.islands && !run->solver->resident && !small &&
                      run->solver->settings.precision == TALUS_F64;
  const tl_attempt plan[] = {
      {.method = islands ? &tl_method_islands : NULL},
      {.method = few ? &tl_method_mncp_prox : NULL},
      exact ? sweeps_rivalled(run) : quick,
      {.method = dense && !few ? &tl_method_mncp_near : NULL},
      {.method = small ? &tl_method_mncp_rest : NULL},
      {.method = exact ? accurate : NULL},
      {second, cap_for(run, second, 0), filter, cap_for(run, second, 1), 400, 1e2, 0, 0, 0},
      {.method = exact || !allowed ? NULL : accurate},
      {&tl_method_gauss_seidel, 0, 1, 0, 400, 1e2, 0, 0, 0},
      {&tl_method_gauss_seidel_nesterov, 0.8, 0.1, 0.8, 600, 1e2, 0, 0, 0},
      {&tl_method_apgdb, 0.9, 0.1, 0.9, 2000, 1e2, 0, 1, 0},
  };
  for (size_t i = 0; i < sizeof plan / sizeof *plan && count < most; i++) {
    const tl_method *const method = plan[i].method;
    if (method != NULL && (run->solver->coloured > 0 || !tl_method_sweeps(method->id))) {
      attempts[count++] = plan[i];
    }
  }
  return count;
}
