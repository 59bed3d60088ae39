/* batch_device.c: batches of small problems on a device, wave by wave.
 *
 * The host's threads prepare and finish the problems of a wave (batch_wave.c), the device takes
 * them through the plan of their method. What is not small, or not for a device, the threads
 * solve. */
#include "host/solve/batch.h"

#include "host/base/each.h"

enum {
  WAVE = 1024,       /* problems of which all is kept at once */
  DEVICE_LEAST = 256 /* fewer are not worth a device, unless it is asked for by name */
};

bool tl_batch_pays(const talus_context *context, int32_t count) {
  const bool asked = context->def.backend == TALUS_BACKEND_CUDA;
  return context->backend->kind == TALUS_BACKEND_CUDA && (asked || count >= DEVICE_LEAST);
}

bool tl_batch_on_device(const talus_context *context, const talus_settings *settings,
                        int32_t count) {
  return tl_batch_pays(context, count) && tl_wave_serves(settings);
}

/* One wave: problems first .. first + count - 1 of the batch. */
typedef struct wave_task {
  const tl_batch *batch;
  tl_batch_workers *workers;
  int32_t first, count;
} wave_task;

static void wave_prepare(void *arguments, int64_t begin, int64_t end) {
  const wave_task *const task = arguments;
  tl_wave *const w = task->workers->wave;
  for (int64_t t = begin; t < end; t++) {
    for (int32_t j = (int32_t)t; j < task->count; j += task->workers->threads) {
      tl_wave_prepare(w, j, task->batch, task->first + j);
      tl_worker_warn(&task->workers->worker[t], task->first + j, w->slot[j].status);
    }
  }
}

static void problem_finish(const wave_task *task, tl_worker *worker, int32_t j) {
  const tl_batch *const b = task->batch;
  tl_wave *const w = task->workers->wave;
  const int32_t i = task->first + j;
  talus_info *const info = tl_batch_info(b, i);
  const talus_status status = tl_wave_finish(w, j, tl_batch_solution(b, i), info);
  if (status == TALUS_OK && info != NULL && w->slot[j].sent) {
    info->backend = TALUS_BACKEND_CUDA;
    info->notes &= ~(uint32_t)TALUS_NOTE_CPU_FALLBACK;
  }
  tl_worker_tell(worker, b, i, status);
}

static void wave_finish(void *arguments, int64_t begin, int64_t end) {
  const wave_task *const task = arguments;
  for (int64_t t = begin; t < end; t++) {
    for (int32_t j = (int32_t)t; j < task->count; j += task->workers->threads) {
      problem_finish(task, &task->workers->worker[t], j);
    }
  }
}

/* Solvers for as many problems as a wave of this batch has; the wave of the workers only grows. */
static talus_status wave_open(talus_context *context, const tl_batch *b,
                              tl_batch_workers *workers) {
  const int32_t capacity = b->count < WAVE ? b->count : WAVE;
  if (workers->wave != NULL && workers->wave->capacity < capacity) {
    tl_wave_close(workers->wave);
    workers->wave = NULL;
  }
  if (workers->wave == NULL) {
    TL_TRY(tl_wave_open(context, capacity, &workers->wave));
  }
  for (int32_t j = 0; j < capacity; j++) {
    talus_context *const owner = workers->worker[j % workers->threads].context;
    talus_solver **const solver = &workers->wave->slot[j].solver;
    const talus_status status =
        *solver == NULL ? talus_solver_create(owner, b->settings, solver) : TALUS_OK;
    if (status != TALUS_OK) {
      return tl_fail(context, status, "%s", talus_context_message(owner));
    }
  }
  return TALUS_OK;
}

talus_status tl_batch_device(talus_context *context, tl_batch_workers *workers, const tl_batch *b) {
  TL_TRY(wave_open(context, b, workers));
  for (int32_t first = 0; first < b->count; first += WAVE) {
    const int32_t count = b->count - first < WAVE ? b->count - first : WAVE;
    wave_task task = {b, workers, first, count};
    tl_each(context, workers->threads, workers->threads, wave_prepare, &task);
    TL_TRY(tl_wave_run(workers->wave, context->backend, b->settings, count));
    tl_each(context, workers->threads, workers->threads, wave_finish, &task);
  }
  return TALUS_OK;
}
