/* batch_wave.c: some small problems of a batch, taken together by a backend.
 *
 * Each is checked, assembled and written out by a solver of its own; the backend takes all of them
 * through the plan of their method; each solver then finishes with what was found, as if it had
 * found it itself, certificate included. What is not small its solver solves as always. The phases
 * have the same bits wherever they run, so the results have. */
#include <math.h>
#include <string.h>

#include "host/method/small/round.h"
#include "host/problem/problem_check.h"
#include "host/solve/batch.h"
#include "host/solve/solver.h"

bool tl_wave_serves(const talus_settings *settings) {
  /* a time limit must be able to end a problem before its plan is through */
  return !settings->warm_start && !(settings->max_seconds > 0) &&
         (tl_method_of(settings->method)->phases || tl_small_serves(settings, 1) ||
          tl_small_barrier(settings, 1));
}

talus_status tl_wave_open(talus_context *context, int32_t capacity, tl_wave **result) {
  const size_t n = (size_t)capacity;
  tl_wave *wave;
  *result = NULL;
  TL_TRY(tl_alloc(context, (void **)&wave, 1, sizeof *wave + n * sizeof *wave->slot, "a batch"));
  memset(wave, 0, sizeof *wave + n * sizeof *wave->slot);
  wave->context = context;
  wave->capacity = capacity;
  *result = wave;
  TL_TRY(tl_buffer_reserve(context, &wave->items, n, sizeof(tl_small_problem), "a batch"));
  TL_TRY(tl_buffer_reserve(context, &wave->results, n, sizeof(tl_small_result), "a batch"));
  return tl_buffer_reserve(context, &wave->bests, n, sizeof(double *), "a batch");
}

void tl_wave_close(tl_wave *wave) {
  if (wave == NULL) {
    return;
  }
  for (int32_t j = 0; j < wave->capacity; j++) {
    talus_solver_destroy(wave->slot[j].solver);
  }
  tl_buffer_release(wave->context, &wave->items);
  tl_buffer_release(wave->context, &wave->results);
  tl_buffer_release(wave->context, &wave->bests);
  tl_buffer_release(wave->context, &wave->room);
  tl_free(wave->context, wave);
}

static talus_status update(talus_solver *solver, const tl_batch *b, int32_t i) {
  tl_problem_copy copy;
  TL_TRY(tl_batch_check(solver->context, b, i));
  TL_TRY(tl_problem_copy_make(solver->context, tl_batch_problem(b, i), &copy));
  copy.problem.contact_key = copy.problem.row_key = NULL; /* names are of one solver's steps */
  return talus_solver_update(solver, &copy.problem);
}

void tl_wave_update(tl_wave *wave, int32_t j, const tl_batch *b, int32_t i) {
  wave->slot[j].sent = false;
  wave->slot[j].status = update(wave->slot[j].solver, b, i);
}

static talus_status prepare(talus_solver *solver, bool *sent) {
  if (solver->problem.velocity_scale > 0) { /* a wave has one target, these have their own */
    return TALUS_OK;
  }
  if (solver->plan == &tl_plan_dense) {
    *sent = tl_plan_dense_open(solver);
    return TALUS_OK;
  }
  const int32_t constraints = solver->assembly.system.shape.contact_count;
  if (constraints < 1 || constraints > TL_WAVE_MOST || tl_problem_wrenches(&solver->problem) ||
      (solver->settings.method == TALUS_METHOD_AUTO &&
       !tl_small_begins(&solver->settings, solver->problem.form, constraints))) {
    return TALUS_OK;
  }
  tl_solve solve = tl_solve_begin(solver, NULL);
  TL_TRY(tl_small_open(&solve.run));
  const tl_small *const small = solver->methods.small;
  const double floor = ldexp(sqrt(solver->assembly.rounding), -44);
  *sent = small->scaled.reference[small->law] * small->scaled.unit > floor &&
          isfinite(small->scaled.reference[small->law]) && tl_round_takes(small, &solver->settings);
  return TALUS_OK;
}

void tl_wave_prepare(tl_wave *wave, int32_t j, const tl_batch *b, int32_t i) {
  tl_wave_slot *const slot = &wave->slot[j];
  tl_wave_update(wave, j, b, i);
  if (slot->status == TALUS_OK) {
    slot->status = prepare(slot->solver, &slot->sent);
  }
}

/* Those that were sent, in the order of the wave. */
static int32_t items_take(tl_wave *wave, int32_t count) {
  tl_small_problem *const item = wave->items.memory;
  tl_small_result *const result = wave->results.memory;
  double **const best = wave->bests.memory;
  int32_t sent = 0;
  for (int32_t j = 0; j < count; j++) {
    tl_wave_slot *const slot = &wave->slot[j];
    slot->sent = slot->sent && slot->status == TALUS_OK;
    if (slot->sent) {
      tl_small *const small = slot->solver->methods.small;
      memset(small->found, 0, (size_t)small->scaled.stride * sizeof *small->found);
      item[sent] = tl_round_item(small);
      best[sent] = small->found;
      result[sent++] = (tl_small_result){.epsilon = 1};
    }
  }
  return sent;
}

/* Scratch on the host. */
static talus_status room_reserve(tl_wave *wave, int32_t sent) {
  const tl_small_problem *const item = wave->items.memory;
  size_t most = 0;
  for (int32_t i = 0; i < sent; i++) {
    const size_t reals = tl_round_rooms(&item[i]);
    most = reals > most ? reals : most;
  }
  return tl_buffer_reserve(wave->context, &wave->room, most, sizeof(double),
                           "steps of small problems");
}

talus_status tl_wave_run(tl_wave *wave, const tl_backend *backend, const talus_settings *settings,
                         int32_t count) {
  tl_small_phase plan[TL_ROUND_PHASES];
  const int32_t sent = items_take(wave, count);
  const bool on_host = backend->kind == TALUS_BACKEND_CPU;
  if (sent == 0) {
    return TALUS_OK;
  }
  if (on_host) {
    TL_TRY(room_reserve(wave, sent));
  }
  const tl_small_batch batch = {.count = sent,
                                .problem = wave->items.memory,
                                .best = wave->bests.memory,
                                .result = wave->results.memory,
                                .phase = plan,
                                .phase_count =
                                    tl_round_plan(settings, tl_small_target(settings), plan),
                                .room = wave->room.memory,
                                .lanes = on_host};
  TL_TRY(backend->small(wave->context, &batch));
  const tl_small_result *result = batch.result;
  for (int32_t j = 0; j < count; j++) {
    tl_wave_slot *const slot = &wave->slot[j];
    if (slot->sent) {
      slot->found = (tl_found){slot->solver->methods.small->found, *result++};
    }
  }
  return TALUS_OK;
}

talus_status tl_wave_finish(tl_wave *wave, int32_t j, talus_solution *solution, talus_info *info) {
  const tl_wave_slot *const slot = &wave->slot[j];
  tl_request request;
  TL_TRY(slot->status);
  TL_TRY(tl_solver_enter(slot->solver));
  talus_status status = tl_request_make(slot->solver, solution, info, &request);
  if (status == TALUS_OK) {
    request.found = slot->sent ? &slot->found : NULL;
    status = tl_solver_solve(slot->solver, &request);
  }
  tl_solver_leave(slot->solver);
  return status;
}
