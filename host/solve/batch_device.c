/* batch_device.c: batches of small problems on a device, wave by wave.
 *
 * The host's threads prepare and finish the problems of a wave (batch_wave.c), the device takes them
 * through the plan of their method. What is not small, or not for a device, the threads solve. */
#include "host/solve/batch.h"

enum {
  WAVE = 1024,       /* problems of which all is kept at once */
  DEVICE_LEAST = 256 /* fewer are not worth a device, unless it is asked for by name */
};

int tl_batch_pays(const talus_context *context, int32_t count) {
  const int asked = context->def.backend == TALUS_BACKEND_CUDA;
  return context->backend->kind == TALUS_BACKEND_CUDA && (asked || count >= DEVICE_LEAST);
}

int tl_batch_on_device(const talus_context *context, const talus_settings *settings,
                       int32_t count) {
  return tl_batch_pays(context, count) && tl_wave_serves(settings);
}

static void wave_prepare(const tl_batch *b, tl_wave *w, int32_t first, int32_t count,
                         tl_worker *workers, int32_t threads) {
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int32_t t = 0; t < threads; t++) {
    for (int32_t j = t; j < count; j += threads) {
      tl_wave_prepare(w, j, &b->problems[first + j]);
      tl_worker_warn(&workers[t], first + j, w->slot[j].status);
    }
  }
}

static void wave_finish(const tl_batch *b, tl_wave *w, int32_t first, int32_t count,
                        tl_worker *workers, int32_t threads) {
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int32_t t = 0; t < threads; t++) {
    for (int32_t j = t; j < count; j += threads) {
      const int32_t i = first + j;
      talus_info *const info = b->infos != NULL ? &b->infos[i] : NULL;
      const talus_status status =
          tl_wave_finish(w, j, b->solutions != NULL ? &b->solutions[i] : NULL, info);
      if (status == TALUS_OK && info != NULL && w->slot[j].sent) {
        info->backend = TALUS_BACKEND_CUDA;
        info->notes &= ~(uint32_t)TALUS_NOTE_CPU_FALLBACK;
      }
      tl_worker_tell(&workers[t], b, i, status);
    }
  }
}

/* Solvers for as many problems as a wave of this batch has; a crew's wave only grows. */
static talus_status wave_open(talus_context *context, const tl_batch *b, tl_crew *crew) {
  const int32_t capacity = b->count < WAVE ? b->count : WAVE;
  if (crew->wave != NULL && crew->wave->capacity < capacity) {
    tl_wave_close(crew->wave);
    crew->wave = NULL;
  }
  if (crew->wave == NULL) {
    TL_TRY(tl_wave_open(context, capacity, &crew->wave));
  }
  for (int32_t j = 0; j < capacity; j++) {
    talus_context *const owner = crew->worker[j % crew->threads].context;
    talus_solver **const solver = &crew->wave->slot[j].solver;
    const talus_status status =
        *solver == NULL ? talus_solver_create(owner, b->settings, solver) : TALUS_OK;
    if (status != TALUS_OK) {
      return tl_fail(context, status, "%s", talus_context_message(owner));
    }
  }
  return TALUS_OK;
}

talus_status tl_batch_device(talus_context *context, tl_crew *crew, const tl_batch *b) {
  TL_TRY(wave_open(context, b, crew));
  for (int32_t first = 0; first < b->count; first += WAVE) {
    const int32_t count = b->count - first < WAVE ? b->count - first : WAVE;
    wave_prepare(b, crew->wave, first, count, crew->worker, crew->threads);
    TL_TRY(tl_wave_run(crew->wave, context->backend, b->settings, count));
    wave_finish(b, crew->wave, first, count, crew->worker, crew->threads);
  }
  return TALUS_OK;
}
