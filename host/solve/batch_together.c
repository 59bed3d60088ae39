/* batch_together.c: problems of second-order methods, some at a time, whose matrices a device forms
 * and factors together.
 *
 * Each problem is solved as it is alone, but as a coroutine with a table of dense operations in
 * place of the backend's, which waits until the others have come as far (batch_requests.c). Who
 * goes on, and in which order, follows from the problems alone. Who is refused memory, the device's
 * or the host's, ends there, and is solved again when the others have given back theirs. */
#include <string.h>

#include "host/solve/batch_together.h"

static talus_status solver_make(const tl_group *g, tl_worker *w) {
  TL_TRY(tl_wave_open(g->context, 1, &w->wave));
  return talus_solver_create(g->context, g->batch->settings, &w->wave->slot[0].solver);
}

static void lane_run(void *arguments, int32_t index) {
  tl_group *const g = arguments;
  const tl_batch *const b = g->batch;
  tl_worker *const w = &g->lane[index].worker;
  const int32_t i = g->index[index];
  talus_status status = solver_make(g, w);
  if (status == TALUS_OK) {
    tl_wave_update(w->wave, 0, b, i);
    status = tl_wave_finish(w->wave, 0, tl_batch_solution(b, i), tl_batch_info(b, i));
  }
  g->again[index] = status == TALUS_OUT_OF_MEMORY;
  if (!g->again[index]) {
    tl_worker_tell(w, b, i, status);
  }
  tl_wave_close(w->wave);
}

static void lanes_run(tl_group *g) {
  do {
    for (g->present = 0; g->present < g->count; g->present++) {
      tl_lane *const l = tl_lane_present(g);
      if (l->running && l->kind == TL_REQUEST_NONE) {
        l->running = tl_coroutines_resume(g->coroutines, g->present);
      }
    }
  } while (tl_requests_serve(g));
}

/* Those that lacked memory, if there are any. */
static void again_tell(const tl_group *g) {
  int32_t count = 0;
  for (int32_t i = 0; i < g->count; i++) {
    count += g->again[i];
  }
  if (count > 0) {
    tl_log(g->teller, TALUS_LOG_INFO,
           "%d of %d problems that keep step lack memory for that: they are solved one by one",
           (int)count, (int)g->count);
  }
}

/* The stores' work, told and ended. */
static void stores_end(tl_group *g) {
  tl_dense_counts all = {0};
  while (g->stores != NULL) {
    tl_store *const s = g->stores;
    const tl_dense_counts *const c = &s->dense->counts;
    all.factorisations += c->factorisations;
    all.operations += c->operations;
    all.solves += c->solves;
    all.products += c->products;
    all.launches += c->launches;
    all.calls += c->calls;
    all.sent += c->sent;
    all.fetched += c->fetched;
    g->stores = s->next;
    s->dense->ops->destroy(s->dense);
    tl_free(g->context, s);
  }
  if (all.factorisations > 0) {
    tl_log(g->teller, TALUS_LOG_INFO,
           "dense factors on the device, %d problems together: %lld factorisations of %.3g "
           "operations in %lld rounds, %lld solves, %lld products with W; %lld kernels, %lld calls "
           "of cuBLAS and cuSOLVER; %lld B to the device, %lld B back",
           (int)g->count, (long long)all.factorisations, all.operations, (long long)g->rounds,
           (long long)all.solves, (long long)all.products, (long long)all.launches,
           (long long)all.calls, (long long)all.sent, (long long)all.fetched);
  }
}

/* The first failure of the lanes is the worker's. */
static void failures_take(const tl_group *g, tl_worker *worker) {
  for (int32_t i = 0; i < g->count; i++) {
    const tl_worker *const w = &g->lane[i].worker;
    if (w->failed >= 0 && (worker->failed < 0 || w->failed < worker->failed)) {
      worker->failed = w->failed;
      worker->status = w->status;
      memcpy(worker->message, w->message, sizeof worker->message);
    }
  }
}

static void group_run(tl_group *g, tl_worker *worker) {
  talus_context *const context = g->context;
  context->together = g;
  context->dense = &tl_lane_ops;
  lanes_run(g);
  context->dense = NULL;
  context->together = NULL;
  failures_take(g, worker);
  stores_end(g);
  again_tell(g);
}

void tl_batch_together(talus_context *teller, tl_worker *worker, const tl_batch *b,
                       const int32_t *index, int32_t count, bool *again) {
  talus_context *const context = worker->context;
  tl_group *g = NULL;
  for (int32_t i = 0; i < count; i++) {
    again[i] = true;
  }
  if (tl_alloc(context, (void **)&g, 1, sizeof *g, "a batch") == TALUS_OK) {
    memset(g, 0, sizeof *g);
    g->context = context;
    g->teller = teller;
    g->batch = b;
    g->index = index;
    g->count = count;
    g->again = again;
    g->ops = tl_dense_backend_find(context);
    for (int32_t i = 0; i < count; i++) {
      g->lane[i].running = true;
      g->lane[i].worker.context = context;
      g->lane[i].worker.failed = -1;
    }
    if (tl_coroutines_make(context, count, lane_run, g, &g->coroutines) == TALUS_OK &&
        g->coroutines != NULL) {
      group_run(g, worker);
    }
    tl_coroutines_destroy(g->coroutines);
    tl_free(context, g);
  }
  context->message[0] = '\0'; /* what failed is solved again, or has its message in the worker */
}
