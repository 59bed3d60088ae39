/* auto.c: which methods a solve tries, in which order, with which momentum and filter.
 *
 * A method asked for by name is the only attempt. `auto`: on the CPU Gauss-Seidel with momentum
 * takes the fewest passes on every convex problem measured; on a device the scaled gradient needs
 * no colours, unless the bits are to be the CPU's (same_bits). For the exact law momentum must be
 * capped and the slip filtered, or it never converges; what still stalls is handed to slower,
 * steadier settings. */
#include <math.h>

#include "host/method/newton/second_order.h"
#include "host/method/small/round.h"

/* Passes before a second-order method: a handful of contacts is factored sooner than swept, and for
 * one factorisation of many there are a thousand passes. */
enum { SWEEPS_FEW = 5, SWEEPS = 250, SWEEPS_MANY = 2500, FEW = 12, MANY = 2000 };

/* Under the convex law sweeps are weighed against the interior point from the first look on, which
 * takes 8 to 40 factorisations from wherever it starts; under the exact law Newton's method wants
 * to be led near, and takes less from there. */
enum { SWEEPS_LEAST = 50, SWEEPS_DENSE = 100, PATIENCE = 400 };

/* Where no other method follows that would do better. */
enum { PATIENCE_ALONE = 3000 };
static const double RIVAL_CONVEX = 5.5, RIVAL_EXACT = 4;

/* L of gradient steps in packings; the longest momentum of compliant contacts, exact law. */
static const double GRADIENT_LIPSCHITZ = 3, SOFT_CAP = 0.85;

/* Share of C in W from which on slip needs no filter. */
static const double SOFT_ENOUGH = 1.5e-2;

/* Constraints up to which W is written out if the problem has its rows (form (c)). */
enum { ROWS_DENSE = 64 };

static const tl_method *named(talus_method id) {
  return tl_method_of(id);
}

static int32_t constraints_of(const tl_run *run) {
  return run->assembly->system.shape.contact_count;
}

/* Whether slip feeds back: without contacts rows that give way are a convex problem under either
 * law. (Rigid rows keep the exact law's momentum, and with it their bits.) */
static bool slips(const tl_run *run) {
  return run->settings->law == TALUS_LAW_COULOMB &&
         (tl_assembly_contacts(run->assembly) > 0 || !(run->assembly->stiffest > 0));
}

/* Contacts of six rows are for methods of first order, and newton where they are few. */
static bool has_torques(const tl_run *run) {
  return run->assembly->wrenches;
}

/* Largest momentum: a long memory pays where high accuracy is wanted or, late in the run, where
 * the problem turns out to be hard; never under the exact law, where sweeps want less of it than
 * gradient steps. */
static double cap_rigid(const tl_run *run, const tl_method *method, bool late) {
  const talus_settings *const settings = run->settings;
  if (slips(run)) {
    return method->id == TALUS_METHOD_GAUSS_SEIDEL_NESTEROV ? 0.85 : 0.95;
  }
  return settings->tolerance >= 1e-3 && !late ? 0.97 : 1;
}

/* Compliance makes the problem strongly convex by the share r^2 of S (for gradient steps, which are
 * 1/L long, of S L): momentum beyond (1 - r) / (1 + r) overshoots and stalls large problems. Under
 * the exact law it is not more than SOFT_CAP, for gradient steps too. */
static double cap_for(const tl_run *run, const tl_method *method, bool late) {
  const talus_settings *const settings = run->settings;
  if (settings->momentum_cap >= 0) {
    return settings->momentum_cap;
  }
  const double rigid = cap_rigid(run, method, late), stiffest = run->assembly->stiffest;
  if (!(stiffest > 0)) {
    return rigid;
  }
  const bool exact = slips(run);
  /* from nothing weight has to be carried through the whole heap, where more of it pays */
  const double less = exact && stiffest >= SOFT_ENOUGH && !settings->warm_start ? 2.0 / 3 : 1;
  const double r = less * sqrt(method->sweeps ? stiffest : stiffest / GRADIENT_LIPSCHITZ);
  const double most = exact ? SOFT_CAP : rigid;
  const double cap = (1 - r) / (1 + r);
  return cap < most ? cap : most;
}

/* Slip that oscillates would hold contacts open where they are rigid; soft ones damp it, and a
 * filter only delays them. */
static double filter_for(const tl_run *run) {
  const double filter = run->settings->slip_filter;
  return filter > 0 ? filter : run->assembly->stiffest >= SOFT_ENOUGH ? 1 : 0.3;
}

/* Second-order methods come early where high accuracy is wanted and late, when others have stalled,
 * elsewhere; in double precision, on the CPU or with matrices on a device: whether that is sooner
 * is asked when they are due (cost.c). */
static bool second_order(const tl_run *run) {
  return !has_torques(run) && !run->settings->same_bits && run->settings->precision == TALUS_F64 &&
         !run->on_device && (run->backend == TALUS_BACKEND_CPU || tl_cost_device_thinkable(run));
}

static int64_t sweeps_for(const tl_run *run) {
  const int32_t constraints = constraints_of(run);
  return constraints <= FEW ? SWEEPS_FEW : constraints <= MANY ? SWEEPS : SWEEPS_MANY;
}

/* Passes without progress until the next attempt. Momentum without bound takes long to turn round;
 * where nothing better follows it is waited for. */
static int64_t patience_for(const tl_run *run) {
  const bool alone = has_torques(run) || (run->settings->same_bits && !slips(run));
  return alone ? PATIENCE_ALONE : PATIENCE;
}

/* A method with the momentum and filter of the settings. */
static tl_attempt attempt_of(const tl_run *run, talus_method id) {
  const tl_method *const method = named(id);
  return (tl_attempt){.method = method,
                      .cap = cap_for(run, method, false),
                      .late_cap = cap_for(run, method, true),
                      .filter = filter_for(run),
                      .patience = patience_for(run),
                      .leap = 1e2};
}

/* So many passes of a method, whatever they gain. */
static tl_attempt passes_of(const tl_run *run, talus_method id, int64_t budget) {
  tl_attempt attempt = attempt_of(run, id);
  attempt.budget = attempt.patience = budget;
  attempt.leap = 1e6;
  return attempt;
}

tl_attempt tl_attempt_sweeps(const tl_run *run, int64_t budget) {
  return passes_of(run, TALUS_METHOD_GAUSS_SEIDEL_NESTEROV, budget);
}

tl_attempt tl_attempt_gradient(const tl_run *run, int64_t budget) {
  return passes_of(run, TALUS_METHOD_APGDB, budget);
}

/* Few enough for W written out, which wants less of a lead than sparse factors. */
static bool is_dense(const tl_run *run) {
  const int32_t constraints = constraints_of(run);
  const bool rows = TL_HAS_ROWS(&run->assembly->system.shape) && constraints <= ROWS_DENSE;
  return run->backend == TALUS_BACKEND_CPU && second_order(run) &&
         run->settings->cone == TALUS_CONE_CIRCULAR &&
         (rows || constraints <= named(TALUS_METHOD_MNCP_PROX)->most_in_auto);
}

/* Sweeps, or gradient steps, until a second-order method would be there sooner. */
static tl_attempt rivalled(const tl_run *run, talus_method id) {
  const bool exact = run->settings->law == TALUS_LAW_COULOMB;
  const int64_t budget = !exact ? SWEEPS_LEAST : is_dense(run) ? SWEEPS_DENSE : sweeps_for(run);
  tl_attempt attempt = passes_of(run, id, budget);
  attempt.patience = budget > PATIENCE ? budget : PATIENCE;
  attempt.rival = exact ? RIVAL_EXACT : RIVAL_CONVEX;
  return attempt;
}

/* A method by name, with what it begins with. */
static int32_t named_plan(const tl_run *run, tl_attempt *attempts) {
  const tl_method *const method = named(run->settings->method);
  const int32_t constraints = constraints_of(run);
  int32_t count = 0;
  if (method->sweeps_from > 0 && constraints >= method->sweeps_from) {
    attempts[count++] = tl_attempt_sweeps(run, sweeps_for(run));
  }
  if (!run->on_device && tl_small_barrier(run->settings, constraints)) {
    attempts[count++] = (tl_attempt){.method = method, .attempt = tl_barrier_attempt};
  }
  attempts[count] = attempt_of(run, method->id);
  attempts[count].patience = PATIENCE_ALONE;
  attempts[count].leap = 1e3;
  attempts[count++].last = true;
  return count;
}

/* Newton's method for contacts of six rows, once sweeps and gradients have stalled. */
static bool newton_six(const tl_run *run) {
  const tl_shape *const shape = &run->assembly->system.shape;
  return has_torques(run) && 6 * shape->torque_count + shape->contact_count <= TL_WRENCH_ROWS &&
         !run->settings->same_bits && run->settings->precision == TALUS_F64 && !run->on_device &&
         run->backend == TALUS_BACKEND_CPU;
}

static int32_t auto_plan(const tl_run *run, tl_attempt *attempts) {
  const talus_settings *const settings = run->settings;
  const int32_t constraints = constraints_of(run);
  const bool gradient = run->backend == TALUS_BACKEND_CUDA && !settings->same_bits;
  const bool exact = settings->law == TALUS_LAW_COULOMB;
  const bool small = !run->on_device && !has_torques(run) && tl_small_serves(settings, constraints);
  const bool few = small && tl_small_begins(settings, run->form, constraints);
  const bool allowed = second_order(run), early = allowed && (!exact || settings->tolerance < 1e-5);
  const bool islands = settings->islands && !run->on_device && !small && !has_torques(run) &&
                       settings->precision == TALUS_F64;
  const tl_method *const mncp = named(TALUS_METHOD_MNCP_PROX);
  const tl_method *const accurate =
      named(exact || has_torques(run) ? TALUS_METHOD_NEWTON : TALUS_METHOD_INTERIOR_POINT);
  const talus_method first = gradient ? TALUS_METHOD_APGDB : TALUS_METHOD_GAUSS_SEIDEL_NESTEROV;
  const talus_method second = gradient ? TALUS_METHOD_GAUSS_SEIDEL_NESTEROV : TALUS_METHOD_APGDB;
  const tl_attempt list[TL_ATTEMPTS] = {
      {.method = mncp, .attempt = tl_islands_attempt, .skip = !islands},
      {.method = mncp, .attempt = tl_mncp_attempt, .skip = !few},
      early ? rivalled(run, first) : attempt_of(run, first),
      {.method = mncp, .attempt = tl_mncp_near_attempt, .skip = !is_dense(run) || few},
      {.method = mncp, .attempt = tl_mncp_rest_attempt, .skip = !small},
      {.method = accurate, .skip = !early},
      attempt_of(run, second),
      {.method = accurate, .skip = early || !(allowed || newton_six(run))},
      {.method = named(TALUS_METHOD_GAUSS_SEIDEL), .filter = 1, .patience = 400, .leap = 1e2},
      {.method = named(TALUS_METHOD_GAUSS_SEIDEL_NESTEROV),
       .cap = 0.8,
       .late_cap = 0.8,
       .filter = 0.1,
       .patience = 600,
       .leap = 1e2},
      {.method = named(TALUS_METHOD_APGDB),
       .cap = 0.9,
       .late_cap = 0.9,
       .filter = 0.1,
       .patience = 2000,
       .leap = 1e2,
       .last = true},
  };
  int32_t count = 0;
  for (int i = 0; i < TL_ATTEMPTS; i++) {
    if (!list[i].skip && (run->coloured || !list[i].method->sweeps)) {
      attempts[count++] = list[i];
    }
  }
  return count;
}

int32_t tl_attempts_plan(const tl_run *run, tl_attempt attempts[TL_ATTEMPTS]) {
  return run->settings->method == TALUS_METHOD_AUTO ? auto_plan(run, attempts)
                                                    : named_plan(run, attempts);
}
