/* batch_device.c: batches of small problems on a device, wave by wave.
 *
 * The host's threads check, assemble and write out the problems of a wave; the device takes them all
 * through the plan of their method; the threads then finish each solve with what was found, as if
 * they had found it, certificate included. What is not small, or not for a device, they solve
 * themselves. The phases have the same bits on both sides, so the results have. */
#include <math.h>
#include <string.h>

#include "host/small/round.h"
#include "host/solve/batch.h"

enum {
  WAVE = 1024,          /* problems of which all is kept at once */
  DEVICE_MOST = 64,     /* constraints */
  DEVICE_PROBLEMS = 256 /* fewer are not worth a device, unless it is asked for by name */
};

typedef struct tl_wave {
  int32_t first, count;
  talus_solver *solver[WAVE];
  talus_status status[WAVE];
  int32_t sent[WAVE]; /* 1: goes to the device */
  tl_small_problem item[WAVE];
  double *best[WAVE];
  tl_small_result result[WAVE];
} tl_wave;

static int is_round(talus_method method) {
  return method == TALUS_METHOD_MNCP_RLM || method == TALUS_METHOD_MNCP_PLM ||
         method == TALUS_METHOD_MNCP_PROX;
}

int tl_batch_on_device(const talus_context *context, const talus_settings *s, int32_t count) {
  const int asked = context->def.backend == TALUS_BACKEND_CUDA;
  return context->backend->kind == TALUS_BACKEND_CUDA && !s->warm_start &&
         (asked || count >= DEVICE_PROBLEMS) &&
         (is_round(s->method) || tl_small_begins(s, 1) || tl_small_barrier(s, 1));
}

/* Checks and writes out; decides whether the device gets it. */
static talus_status problem_prepare(talus_solver *solver, const talus_problem *problem,
                                    int32_t *sent) {
  *sent = 0;
  TL_TRY(talus_solver_update(solver, problem));
  const int32_t constraints = solver->assembly.system.shape.contact_count;
  if (constraints < 1 || constraints > DEVICE_MOST) {
    return TALUS_OK;
  }
  TL_TRY(tl_small_open(solver));
  const double floor = ldexp(sqrt(solver->assembly.rounding), -44);
  *sent = solver->small->reference * solver->small->unit > floor &&
          isfinite(solver->small->reference) &&
          tl_round_takes(solver->small, &solver->settings);
  return TALUS_OK;
}

static void wave_prepare(const tl_batch *b, tl_wave *w, int32_t threads) {
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int32_t t = 0; t < threads; t++) {
    for (int32_t j = t; j < w->count; j += threads) {
      w->status[j] =
          problem_prepare(w->solver[j], &b->problems[w->first + j], &w->sent[j]);
    }
  }
}

/* The device's part: those that were sent, in the order of the batch. */
static talus_status wave_run(talus_context *context, const tl_batch *b, tl_wave *w) {
  tl_small_phase plan[TL_ROUND_PHASES];
  int32_t count = 0;
  for (int32_t j = 0; j < w->count; j++) {
    if (w->sent[j] && w->status[j] == TALUS_OK) {
      tl_small *const small = w->solver[j]->small;
      memset(small->found, 0, (size_t)small->stride * sizeof *small->found);
      w->item[count] = tl_round_item(small);
      w->best[count] = small->found;
      w->result[count] = (tl_small_result){.epsilon = 1};
      count++;
    }
  }
  const tl_small_batch batch = {.count = count,
                                .problem = w->item,
                                .best = w->best,
                                .result = w->result,
                                .phase = plan,
                                .phase_count = tl_round_plan(
                                    b->settings, tl_small_target(b->settings), plan)};
  if (count == 0) {
    return TALUS_OK;
  }
  TL_TRY(context->backend->small(context, &batch));
  count = 0;
  for (int32_t j = 0; j < w->count; j++) {
    if (w->sent[j] && w->status[j] == TALUS_OK) {
      w->solver[j]->small->result = w->result[count++];
      w->solver[j]->small->ahead = 1;
    }
  }
  return TALUS_OK;
}

static void wave_finish(const tl_batch *b, tl_wave *w, tl_worker *workers, int32_t threads) {
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int32_t t = 0; t < threads; t++) {
    for (int32_t j = t; j < w->count; j += threads) {
      const int32_t i = w->first + j;
      talus_info *const info = b->infos != NULL ? &b->infos[i] : NULL;
      talus_status status = w->status[j];
      if (status == TALUS_OK) {
        status = talus_solver_solve(w->solver[j], b->solutions != NULL ? &b->solutions[i] : NULL,
                                    info);
      }
      if (status == TALUS_OK && info != NULL && w->sent[j]) {
        info->backend = TALUS_BACKEND_CUDA;
        info->notes &= ~(uint32_t)TALUS_NOTE_CPU_FALLBACK;
      }
      tl_worker_tell(&workers[t], b, i, status);
    }
  }
}

/* Solvers for as many problems as a wave of this batch has. */
static talus_status wave_open(talus_context *context, const tl_batch *b, tl_crew *crew) {
  if (crew->wave == NULL) {
    TL_TRY(tl_alloc(context, (void **)&crew->wave, 1, sizeof *crew->wave, "a batch"));
    memset(crew->wave, 0, sizeof *crew->wave);
  }
  for (int32_t j = 0; j < WAVE && j < b->count; j++) {
    talus_context *const owner = crew->worker[j % crew->threads].context;
    talus_solver **const solver = &crew->wave->solver[j];
    const talus_status status =
        *solver == NULL ? talus_solver_create(owner, b->settings, solver) : TALUS_OK;
    if (status != TALUS_OK) {
      return tl_fail(context, status, "%s", talus_context_message(owner));
    }
  }
  return TALUS_OK;
}

void tl_wave_close(talus_context *context, tl_crew *crew) {
  for (int32_t j = 0; crew->wave != NULL && j < WAVE; j++) {
    talus_solver_destroy(crew->wave->solver[j]);
  }
  tl_free(context, crew->wave);
}

talus_status tl_batch_device(talus_context *context, tl_crew *crew, const tl_batch *b) {
  TL_TRY(wave_open(context, b, crew));
  tl_wave *const w = crew->wave;
  for (w->first = 0; w->first < b->count; w->first += w->count) {
    w->count = b->count - w->first < WAVE ? b->count - w->first : WAVE;
    wave_prepare(b, w, crew->threads);
    TL_TRY(wave_run(context, b, w));
    wave_finish(b, w, crew->worker, crew->threads);
  }
  return TALUS_OK;
}
