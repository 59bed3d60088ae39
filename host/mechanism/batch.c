/* batch.c: forward dynamics of many mechanisms in one call: by divide and conquer in one piece for
 * the backend, the other ways one mechanism per thread at a time. */
#include "host/mechanism/response.h"
#include "host/mechanism/workers.h"

typedef struct batch {
  talus_mechanism *const *mechanism;
  talus_dynamics dynamics;
  double *const *acceleration;
  const talus_link_point *const *point;
  const int32_t *point_count;
  double *const *response, *const *free;
  tl_places *places; /* responses by divide and conquer */
  tl_forward forward;
  tl_mechanism_worker *worker;
  int32_t threads, count;
} batch;

static double *of(double *const *list, int32_t i) {
  return list != NULL ? list[i] : NULL;
}

static talus_status one_alone(void *self, int32_t thread, int32_t i) {
  const batch *const b = self;
  talus_mechanism *const mechanism = b->mechanism[i];
  (void)thread;
  return b->acceleration != NULL
             ? talus_mechanism_accelerate(mechanism, b->dynamics, b->acceleration[i])
             : talus_mechanism_response(mechanism, b->dynamics, b->point[i], b->point_count[i],
                                        of(b->response, i), of(b->free, i));
}

/* Evaluation i of the batch. */
static talus_status one_open(void *self, int32_t thread, int32_t i) {
  const batch *const b = self;
  talus_mechanism *const mechanism = b->mechanism[i];
  tl_conquest *const c = &b->forward.conquest[i];
  talus_status status = TALUS_OK;
  (void)thread;
  if (b->acceleration != NULL) {
    status = tl_conquest_make(mechanism, NULL, 0, c);
    c->acceleration = b->acceleration[i];
  } else {
    tl_places *const p = &b->places[i];
    status = tl_places_make(mechanism, b->dynamics, b->point[i], b->point_count[i], p);
    if (status == TALUS_OK) {
      status = tl_conquest_make(mechanism, p->unit, 3 * p->count, c);
      c->motion = p->motion;
    }
  }
  return status;
}

static talus_status one_close(void *self, int32_t thread, int32_t i) {
  const batch *const b = self;
  (void)thread;
  if (b->forward.singular[i]) {
    return tl_conquer_singular(b->mechanism[i]);
  }
  if (b->acceleration == NULL) {
    tl_places_conquered(b->mechanism[i], &b->places[i], of(b->response, i), of(b->free, i));
  }
  return TALUS_OK;
}

static talus_status conquer_all(talus_context *context, batch *b) {
  TL_TRY(tl_forward_reserve(context, &b->forward, b->count));
  if (b->acceleration == NULL) {
    TL_TRY(tl_alloc(context, (void **)&b->places, (size_t)b->count, sizeof *b->places,
                    "points of mechanisms"));
    memset(b->places, 0, (size_t)b->count * sizeof *b->places);
  }
  TL_TRY(
      tl_mechanism_workers_run(context, b->worker, b->threads, b->count, one_open, b, "mechanism"));
  TL_TRY(tl_forward_run(context, &b->forward, b->threads));
  return tl_mechanism_workers_run(context, b->worker, b->threads, b->count, one_close, b,
                                  "mechanism");
}

static void batch_close(talus_context *context, batch *b) {
  for (int32_t i = 0; b->places != NULL && i < b->count; i++) {
    tl_free(context, b->places[i].memory);
  }
  tl_free(context, b->places);
  tl_forward_release(context, &b->forward);
  tl_free(context, b->worker);
}

static talus_status batch_run(talus_context *context, batch *b) {
  for (int32_t i = 0; i < b->count; i++) {
    if (b->mechanism[i] == NULL || (b->acceleration != NULL && b->acceleration[i] == NULL)) {
      return tl_fail(context, TALUS_INVALID_ARGUMENT, "mechanism %d, or its result, is NULL", i);
    }
    if (b->mechanism[i]->context != context) {
      return tl_fail(context, TALUS_INVALID_ARGUMENT, "mechanism %d has another context", i);
    }
  }
  if ((unsigned)b->dynamics > TALUS_DYNAMICS_CONQUER) {
    return tl_fail(context, TALUS_BAD_SETTING, "dynamics %d is unknown", (int)b->dynamics);
  }
  b->threads = tl_context_threads(context);
  b->threads = b->threads < b->count ? b->threads : b->count;
  b->threads = b->threads > 0 ? b->threads : 1;
  TL_TRY(tl_alloc(context, (void **)&b->worker, (size_t)b->threads, sizeof *b->worker,
                  "threads for mechanisms"));
  const talus_status status = b->dynamics == TALUS_DYNAMICS_CONQUER
                                  ? conquer_all(context, b)
                                  : tl_mechanism_workers_run(context, b->worker, b->threads,
                                                             b->count, one_alone, b, "mechanism");
  batch_close(context, b);
  return status;
}

talus_status talus_mechanism_accelerate_batch(talus_context *context, talus_dynamics dynamics,
                                              int32_t count, talus_mechanism *const *mechanism,
                                              double *const *acceleration) {
  TL_TRY(tl_context_check(context));
  if (count < 0 || (count > 0 && (mechanism == NULL || acceleration == NULL))) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT,
                   "mechanism or acceleration is NULL, or count (%d) makes no sense", count);
  }
  batch b = {
      .mechanism = mechanism, .dynamics = dynamics, .acceleration = acceleration, .count = count};
  return count > 0 ? batch_run(context, &b) : TALUS_OK;
}

talus_status talus_mechanism_response_batch(talus_context *context, talus_dynamics dynamics,
                                            int32_t count, talus_mechanism *const *mechanism,
                                            const talus_link_point *const *point,
                                            const int32_t *point_count, double *const *response,
                                            double *const *free) {
  TL_TRY(tl_context_check(context));
  if (count < 0 || (count > 0 && (mechanism == NULL || point == NULL || point_count == NULL))) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT,
                   "mechanism, point or point_count is NULL, or count (%d) makes no sense", count);
  }
  batch b = {.mechanism = mechanism,
             .dynamics = dynamics,
             .point = point,
             .point_count = point_count,
             .response = response,
             .free = free,
             .count = count};
  return count > 0 ? batch_run(context, &b) : TALUS_OK;
}
