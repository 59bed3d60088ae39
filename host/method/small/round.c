/* round.c: methods for the circular cone: plans of phases, carried out by a backend
 * (kernels/small_batch.h).
 *
 * Sweeps bring a method near; where it stalls, proximal points follow, which are steadier, then the
 * method once more from many sweeps, and at last sweeps alone. The best impulses are kept. */
#include "host/method/small/round.h"

#include <math.h>
#include <string.h>

#include "kernels/item/lanes.h"
#include "kernels/item/phase.h"
#include "kernels/registry.h"

enum { INNER = 3, AUTO_PHASES = 2, BARRIER_PHASES = 2, TRIES = 3 };
enum { NEAR_STEPS = 60, NEAR_FAILURES = 3 };
/* Under the convex law the engine's sweeps over more rows of W get to a loose tolerance sooner.
 * Other forms are left to the phases, which a device takes too. */
enum { FEW_ROWS = 20 };
static const double LOOSE = 1e-3;

bool tl_small_serves(const talus_settings *settings, int32_t constraints) {
  return settings->method == TALUS_METHOD_AUTO && settings->cone == TALUS_CONE_CIRCULAR &&
         settings->precision == TALUS_F64 &&
         constraints <= tl_method_of(TALUS_METHOD_MNCP_PROX)->most_in_auto &&
         settings->fixed_iterations == 0 &&
         !settings->same_bits; /* a world's impulses stay what they were, bounds to the bit */
}

bool tl_small_begins(const talus_settings *settings, talus_form form, int32_t constraints) {
  const bool swept = form == TALUS_FORM_DELASSUS && settings->law == TALUS_LAW_CCP &&
                     settings->tolerance >= LOOSE && constraints > FEW_ROWS;
  return tl_small_serves(settings, constraints) && !swept;
}

/* Weight of the proximal term to begin with, where sweeps have led near or others come after. */
static const double BOLD = 1e-2;

bool tl_small_barrier(const talus_settings *settings, int32_t constraints) {
  return settings->law == TALUS_LAW_CCP && settings->precision == TALUS_F64 &&
         constraints <= tl_method_of(settings->method)->most_dense;
}

bool tl_round_takes(const tl_small *small, const talus_settings *settings) {
  const double *const w = small->scaled.w;
  const int64_t stride = small->scaled.stride;
  bool symmetric = true;
  for (int64_t j = 0; j < small->scaled.rows && settings->method == TALUS_METHOD_INTERIOR_POINT;
       j++) {
    for (int64_t i = 0; i < j; i++) {
      symmetric = symmetric && fabs(w[stride * j + i] - w[stride * i + j]) <= 1e-13;
    }
  }
  return symmetric;
}

double tl_small_target(const talus_settings *settings) {
  const bool siconos = settings->measure == TALUS_MEASURE_SICONOS;
  /* Siconos' measure has its own scale: by name as far as it goes, by `auto` step by step */
  const bool stepwise =
      settings->method == TALUS_METHOD_AUTO || settings->method == TALUS_METHOD_INTERIOR_POINT;
  return siconos && !stepwise ? 0 : (siconos ? 0.1 : 0.5) * settings->tolerance;
}

int32_t tl_round_plan(const talus_settings *settings, double target, tl_small_phase *plan) {
  const talus_method method = settings->method;
  const int32_t own = method == TALUS_METHOD_MNCP_RLM   ? TL_SMALL_REGULAR
                      : method == TALUS_METHOD_MNCP_PLM ? TL_SMALL_PROJECTED
                                                        : TL_SMALL_PROXIMAL;
  static const tl_small_phase phases[TL_ROUND_PHASES] = {
      {.sweeps = 20, .steps = 150, .failures = 6, .alpha = 1},
      {.method = TL_SMALL_PROXIMAL, .sweeps = 200, .steps = 100, .failures = 6, .alpha = 1},
      {.sweeps = 400, .steps = 150, .failures = 6, .alpha = 1e-2},
      {.method = TL_SMALL_PROXIMAL,
       .fresh = 1,
       .sweeps = 1500,
       .steps = 200,
       .failures = 9,
       .alpha = 10},
      {.method = TL_SMALL_PROJECTED, .sweeps = 100, .steps = 150},
      {.method = TL_SMALL_SWEEPS, .sweeps = 2000},
  };
  /* the convex law: an interior point, and a polish of what it leaves */
  static const tl_small_phase convex[BARRIER_PHASES] = {
      {.method = TL_SMALL_BARRIER, .steps = 88},
      {.method = TL_SMALL_PROXIMAL, .steps = 60, .failures = 3, .alpha = 1e-4},
  };
  memcpy(plan, phases, sizeof phases);
  plan[0].method = plan[2].method = own;
  if (method == TALUS_METHOD_INTERIOR_POINT) {
    memcpy(plan, convex, sizeof convex);
  }
  if (method == TALUS_METHOD_AUTO) { /* other attempts follow: few sweeps, a light proximal term */
    plan[0].sparing = 1;
    plan[0].alpha = BOLD;
  }
  for (int i = 0; i < TL_ROUND_PHASES; i++) {
    plan[i].inner = INNER;
    plan[i].tolerance = target;
    plan[i].all =
        settings->max_iterations < INT32_MAX ? (int32_t)settings->max_iterations : INT32_MAX;
  }
  return method == TALUS_METHOD_AUTO             ? AUTO_PHASES /* others come after these */
         : method == TALUS_METHOD_INTERIOR_POINT ? BARRIER_PHASES
                                                 : TL_ROUND_PHASES;
}

tl_small_problem tl_round_item(const tl_small *small) {
  const tl_scaled *const scaled = &small->scaled;
  const tl_small_problem item = {.count = scaled->count,
                                 .rows = scaled->rows,
                                 .stride = scaled->stride,
                                 .law = (tl_law)small->law,
                                 .reference = scaled->reference[small->law],
                                 .first = scaled->first,
                                 .kind = scaled->kind,
                                 .friction = scaled->friction,
                                 .lower = scaled->lower,
                                 .upper = scaled->upper,
                                 .pace = small->pace,
                                 .w = scaled->w,
                                 .q = scaled->q};
  return item;
}

size_t tl_round_room(const tl_small *small) {
  return (size_t)tl_small_reals(small->scaled.count, small->scaled.rows);
}

size_t tl_round_rooms(const tl_small_problem *item) {
  return (size_t)(tl_small_reals(item->count, item->rows) +
                  tl_lanes_reals(item->count, item->rows));
}

/* Where a run is, as far as its limits need to know. */
typedef struct watch {
  tl_small *small;
  int64_t iterations, passes, factorisations;
} watch;

static void counts_take(const watch *w, const tl_small_result *result) {
  w->small->run->iterations = w->iterations + result->steps;
  w->small->run->passes = w->passes + result->passes;
  w->small->run->best = result->epsilon;
  if (w->small->run->settings->method == TALUS_METHOD_INTERIOR_POINT) {
    w->small->run->factorisations = w->factorisations + result->steps;
  }
}

static bool stop(void *self, const tl_small_result *result, int within) {
  tl_small *const small = ((watch *)self)->small;
  counts_take(self, result);
  return within ? tl_small_late(small) : tl_small_limit(small);
}

/* Runs the plan on the CPU, or takes what was found before the solve. */
static talus_status plan_run(tl_small *small, tl_run *run, const tl_small_phase *plan,
                             int32_t count, tl_small_result *result) {
  if (run->found != NULL) {
    *result = run->found->result;
    memcpy(small->best.y, run->found->impulse, (size_t)small->scaled.rows * sizeof *small->best.y);
    run->found = NULL; /* what the certificate asks for beyond that is computed here */
    return TALUS_OK;
  }
  const tl_small_problem item = tl_round_item(small);
  const tl_small_batch batch = {.count = 1,
                                .problem = &item,
                                .best = &small->best.y,
                                .result = result,
                                .phase = plan,
                                .phase_count = count,
                                .room = small->work.memory};
  return tl_backend_cpu.small(small->context, &batch);
}

/* Which phases of a plan are gone through. */
typedef struct selection {
  int32_t first, count; /* count 0: as many as the method has */
  int near;             /* 1: sweeps have led here: the first goes without, and not for long */
} selection;

static talus_status phases_solve(tl_small *small, tl_run *run, double target, selection part) {
  TL_TRY(tl_buffer_reserve(small->context, &small->work, tl_round_room(small), sizeof(double),
                           "steps of a small problem"));
  tl_small_phase plan[TL_ROUND_PHASES];
  watch w = {small, run->iterations, run->passes, run->factorisations};
  tl_small_result result = {.epsilon = small->best.epsilon};
  const int32_t usual = tl_round_plan(run->settings, target, plan);
  const int32_t first = part.first, count = part.count > 0 ? part.count : usual;
  if (part.near) {
    plan[0].sweeps = 0;
    plan[0].steps = NEAR_STEPS;
    plan[0].failures = NEAR_FAILURES;
  }
  for (int32_t i = first; i < first + count; i++) {
    plan[i].stop = stop;
    plan[i].stop_self = &w;
  }
  TL_TRY(plan_run(small, run, plan + first, count, &result));
  counts_take(&w, &result);
  small->best.epsilon = result.epsilon;
  if (small->best.epsilon > target) {
    tl_small_limit(small); /* was it one that ended it? */
  }
  if (result.phase > 0 && run->settings->method != TALUS_METHOD_AUTO &&
      run->settings->method != TALUS_METHOD_INTERIOR_POINT) {
    run->notes |= TALUS_NOTE_METHOD_CHANGED;
    tl_log(small->context, TALUS_LOG_INFO, "%s stalled and was helped by phase %d of %d",
           talus_method_name(run->settings->method), result.phase + 1, count);
  }
  return TALUS_OK;
}

talus_status tl_round_solve(tl_small *small, tl_run *run, double target) {
  return phases_solve(small, run, target, (selection){0, 0, 0});
}

talus_status tl_phases_solve(tl_small *small, tl_run *run) {
  return tl_round_solve(small, run, small->slack * tl_small_target(run->settings));
}

/* From the kept impulses; the certificate may ask for more. */
static talus_status phases_attempt(tl_run *run, selection part, bool *done) {
  TL_TRY(tl_small_open(run));
  tl_small *const small = run->memory->small;
  double target = small->slack * tl_small_target(run->settings);
  TL_TRY(run->ops->finish(run->engine, small->engine));
  tl_scaled_impulse_import(&small->scaled, small->engine, small->y);
  tl_small_offer(small, small->y, small->u);
  run->outcome = TALUS_OUTCOME_STALLED;
  double best;
  for (int i = 0; i < TRIES && !*done && !small->stop && small->scaled.reference[small->law] > 0;
       i++) {
    best = run->best;
    TL_TRY(phases_solve(small, run, target, part));
    run->best = best; /* by the engine's count, not by that of this room */
    tl_scaled_impulse_export(&small->scaled, small->best.y, small->engine);
    TL_TRY(tl_run_offer(run, small->engine, done));
    if (small->best.epsilon > target) {
      break; /* it stalled */
    }
    target *= 1e-2;
  }
  *done = *done || small->stop;
  return TALUS_OK;
}

talus_status tl_mncp_attempt(tl_run *run, bool *done) {
  return phases_attempt(run, (selection){0, 0, 0}, done);
}

talus_status tl_mncp_near_attempt(tl_run *run, bool *done) {
  return phases_attempt(run, (selection){0, 1, 1}, done);
}

talus_status tl_mncp_rest_attempt(tl_run *run, bool *done) {
  return phases_attempt(run, (selection){AUTO_PHASES, TL_ROUND_PHASES - AUTO_PHASES, 0}, done);
}

talus_status tl_barrier_attempt(tl_run *run, bool *done) {
  TL_TRY(tl_small_open(run));
  return tl_round_takes(run->memory->small, run->settings)
             ? phases_attempt(run, (selection){0, 0, 0}, done)
             : TALUS_OK;
}
