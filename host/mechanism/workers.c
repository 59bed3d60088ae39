/* workers.c: threads that take the next mechanism; evaluations for the seam. */
#include "host/mechanism/workers.h"

#include <stdio.h>

#include "host/base/each.h"
#include "host/solve/batch.h"
#include "kernels/backend.h"

static void worker_work(tl_mechanism_worker *h, int32_t thread, int32_t index,
                        tl_mechanism_task work, void *self) {
  const talus_status status = work(self, thread, index);
  if (status != TALUS_OK && (h->failed < 0 || index < h->failed)) {
    h->failed = index;
    h->status = status;
    snprintf(h->message, sizeof h->message, "%s", h->scope.message);
  }
}

typedef struct workers_task {
  const talus_context *context;
  tl_mechanism_worker *worker;
  int32_t count;
  tl_mechanism_task work;
  void *self;
  int64_t next; /* atomic: the piece that is to be done next */
} workers_task;

static void worker_run(void *arguments, int64_t first, int64_t end) {
  workers_task *const m = arguments;
  for (int32_t t = (int32_t)first; t < end; t++) {
    tl_scope_enter(&m->worker[t].scope, m->context);
    for (int64_t i; (i = tl_each_next(&m->next)) < m->count;) {
      worker_work(&m->worker[t], t, (int32_t)i, m->work, m->self);
    }
    tl_scope_leave(&m->worker[t].scope);
  }
}

talus_status tl_mechanism_workers_run(talus_context *context, tl_mechanism_worker *worker,
                                      int32_t threads, int32_t count, tl_mechanism_task work,
                                      void *self, const char *what) {
  const tl_mechanism_worker *first = NULL;
  for (int32_t t = 0; t < threads; t++) {
    worker[t].failed = -1;
  }
  workers_task task = {context, worker, count, work, self, 0};
  tl_each(context, threads, threads, worker_run, &task);
  for (int32_t t = 0; t < threads; t++) {
    if (worker[t].failed >= 0 && (first == NULL || worker[t].failed < first->failed)) {
      first = &worker[t];
    }
  }
  return first == NULL ? TALUS_OK
                       : tl_fail(context, first->status, "%s %d: %.480s", what, first->failed,
                                 first->message);
}

talus_status tl_forward_reserve(talus_context *context, tl_forward *forward, int32_t count) {
  TL_TRY(tl_buffer_reserve(context, &forward->conquests, (size_t)count, sizeof *forward->conquest,
                           "evaluations of mechanisms"));
  TL_TRY(tl_buffer_reserve(context, &forward->singulars, (size_t)count, sizeof *forward->singular,
                           "evaluations of mechanisms"));
  forward->conquest = forward->conquests.memory;
  forward->singular = forward->singulars.memory;
  forward->count = count;
  return TALUS_OK;
}

talus_status tl_forward_run(talus_context *context, tl_forward *forward, int32_t threads) {
  tl_conquer_batch batch = {.count = forward->count,
                            .conquest = forward->conquest,
                            .singular = forward->singular,
                            .threads = threads};
  if (tl_batch_pays(context, forward->count)) {
    return context->backend->conquer(context, &batch);
  }
  size_t most = 0;
  for (int32_t i = 0; i < forward->count; i++) {
    const tl_conquest *const c = &forward->conquest[i];
    const size_t reals = tl_conquest_reals(&c->pieces, c->columns);
    most = reals > most ? reals : most;
  }
  TL_TRY(tl_buffer_reserve(context, &forward->room, tl_size_product(most, (size_t)threads),
                           sizeof(double), "the numbers of pieces"));
  batch.room = forward->room.memory;
  batch.room_stride = (int64_t)most;
  return tl_backend_cpu.conquer(context, &batch);
}

void tl_forward_release(talus_context *context, tl_forward *forward) {
  tl_buffer_release(context, &forward->conquests);
  tl_buffer_release(context, &forward->singulars);
  tl_buffer_release(context, &forward->room);
}
