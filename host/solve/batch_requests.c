/* batch_requests.c: what problems that keep step ask of the device, handed on as lists.
 *
 * Within a lane an operation notes its request and hands the turn on; it returns once the request
 * was fulfilled. Solutions and products go first, so that who is behind catches up, and a factor is
 * made when all that still run want one: a round's factors are made by one call, whatever each
 * problem does in between. */
#include <assert.h>
#include <string.h>

#include "host/solve/batch_together.h"

/* Those of one object are as large as its largest: smaller ones than this share go elsewhere. */
static const double ALIKE = 0.75;

/* ---- the operations that a lane sees --------------------------------------------------------- */

typedef struct member {
  tl_dense base; /* its counts stay 0: they are the store's */
  tl_group *group;
} member;

/* Hands the turn on; returns once the request was fulfilled. */
static talus_status await(tl_group *g, tl_request_kind kind) {
  tl_lane *const l = tl_lane_present(g);
  l->kind = kind;
  tl_coroutines_yield(g->coroutines);
  return l->status == TALUS_OK ? TALUS_OK : tl_fail(g->context, l->status, "%s", g->message);
}

static void lane_rates(talus_context *context, tl_dense_rates *rates) {
  ((tl_group *)context->together)->ops->rates(context, rates);
}

static talus_status lane_open(talus_context *context) {
  return ((tl_group *)context->together)->ops->open(context);
}

static talus_status lane_create(talus_context *context, int32_t capacity, int32_t order,
                                tl_dense **dense) {
  tl_group *const g = context->together;
  member *m;
  assert(capacity == 1);
  (void)capacity;
  *dense = NULL;
  tl_lane_present(g)->order = order;
  TL_TRY(await(g, TL_REQUEST_CREATE));
  TL_TRY(tl_alloc(context, (void **)&m, 1, sizeof *m, "dense systems"));
  memset(m, 0, sizeof *m);
  m->base.ops = &tl_lane_ops;
  m->group = g;
  *dense = &m->base;
  return TALUS_OK;
}

/* The store stays until the group has ended. */
static void lane_destroy(tl_dense *base) {
  if (base != NULL) {
    tl_free(((member *)base)->group->context, base);
  }
}

static talus_status lane_load(tl_dense *base, int32_t slot, const tl_dense_problem *problem) {
  tl_lane *const l = tl_lane_present(((member *)base)->group);
  (void)slot;
  base->bytes = (int64_t)sizeof(double) * l->order * l->order; /* of all else it has a share */
  return l->dense->ops->load(l->dense, l->slot, problem);
}

static talus_status lane_factor(tl_dense *base, int32_t count, tl_dense_matrix *requests) {
  tl_group *const g = ((member *)base)->group;
  assert(count == 1);
  (void)count;
  tl_lane_present(g)->matrix = requests;
  return await(g, TL_REQUEST_FACTOR);
}

static talus_status vector_await(tl_dense *base, const tl_dense_vector *request,
                                 tl_request_kind kind) {
  tl_group *const g = ((member *)base)->group;
  tl_lane_present(g)->vector = *request;
  return await(g, kind);
}

static talus_status lane_solve(tl_dense *base, int32_t count, const tl_dense_vector *requests) {
  assert(count == 1);
  (void)count;
  return vector_await(base, requests, TL_REQUEST_SOLVE);
}

static talus_status lane_apply(tl_dense *base, int32_t count, const tl_dense_vector *requests) {
  assert(count == 1);
  (void)count;
  return vector_await(base, requests, TL_REQUEST_APPLY);
}

const tl_dense_ops tl_lane_ops = {.rates = lane_rates,
                                  .open = lane_open,
                                  .create = lane_create,
                                  .destroy = lane_destroy,
                                  .load = lane_load,
                                  .factor = lane_factor,
                                  .solve = lane_solve,
                                  .apply = lane_apply};

/* ---- requests -------------------------------------------------------------------------------- */

static void picked_answer(tl_group *g, int32_t count, talus_status status) {
  if (status != TALUS_OK) {
    strncpy(g->message, talus_context_message(g->context), sizeof g->message - 1);
  }
  for (int32_t i = 0; i < count; i++) {
    g->lane[g->picked[i]].status = status;
    g->lane[g->picked[i]].kind = TL_REQUEST_NONE;
  }
}

/* Lanes that ask for this kind, of one store: that of the first. */
static int32_t pick(tl_group *g, tl_request_kind kind) {
  const tl_dense *dense = NULL;
  int32_t count = 0;
  for (int32_t i = 0; i < g->count; i++) {
    const tl_lane *const l = &g->lane[i];
    if (l->running && l->kind == kind && (dense == NULL || l->dense == dense)) {
      dense = l->dense;
      g->picked[count++] = i;
    }
  }
  return count;
}

static talus_status factors_make(tl_group *g, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    const tl_lane *const l = &g->lane[g->picked[i]];
    g->matrix[i] = *l->matrix;
    g->matrix[i].slot = l->slot;
  }
  tl_dense *const dense = g->lane[g->picked[0]].dense;
  TL_TRY(dense->ops->factor(dense, count, g->matrix));
  g->rounds++;
  for (int32_t i = 0; i < count; i++) {
    tl_dense_matrix *const asked = g->lane[g->picked[i]].matrix;
    asked->good = g->matrix[i].good;
    asked->sign = g->matrix[i].sign;
  }
  return TALUS_OK;
}

static talus_status vectors_make(tl_group *g, tl_request_kind kind, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    const tl_lane *const l = &g->lane[g->picked[i]];
    g->vector[i] = l->vector;
    g->vector[i].slot = l->slot;
  }
  tl_dense *const dense = g->lane[g->picked[0]].dense;
  return kind == TL_REQUEST_SOLVE ? dense->ops->solve(dense, count, g->vector)
                                  : dense->ops->apply(dense, count, g->vector);
}

/* Lanes that ask for a store of like orders, beginning with the largest. */
static int32_t alike_pick(tl_group *g) {
  int32_t largest = 0, count = 0;
  for (int32_t i = 0; i < g->count; i++) {
    const tl_lane *const l = &g->lane[i];
    largest = l->running && l->kind == TL_REQUEST_CREATE && l->order > largest ? l->order : largest;
  }
  for (int32_t i = 0; i < g->count && (count == 0 || largest <= TL_STEP_ORDER); i++) {
    const tl_lane *const l = &g->lane[i];
    if (l->running && l->kind == TL_REQUEST_CREATE &&
        (largest > TL_STEP_ORDER ? l->order == largest : l->order >= ALIKE * largest)) {
      g->picked[count++] = i;
    }
  }
  return count;
}

/* What it has no library for is told once, and not asked of it again. */
static void store_refused(tl_group *g, talus_status status) {
  if (status == TALUS_UNSUPPORTED && !g->context->undense) {
    tl_log(g->teller, TALUS_LOG_WARNING, "second-order methods factor on the host: %s",
           talus_context_message(g->context));
    g->context->undense = g->teller->undense = true;
  }
}

static talus_status store_make(tl_group *g, int32_t count) {
  int32_t order = 0;
  tl_store *s;
  for (int32_t i = 0; i < count; i++) {
    const tl_lane *const l = &g->lane[g->picked[i]];
    order = l->order > order ? l->order : order;
  }
  TL_TRY(tl_alloc(g->context, (void **)&s, 1, sizeof *s, "dense systems"));
  const talus_status status = g->ops->create(g->context, count, order, &s->dense);
  if (status != TALUS_OK) {
    store_refused(g, status);
    tl_free(g->context, s);
    return status;
  }
  s->next = g->stores;
  g->stores = s;
  for (int32_t i = 0; i < count; i++) {
    g->lane[g->picked[i]].dense = s->dense;
    g->lane[g->picked[i]].slot = i;
  }
  return TALUS_OK;
}

bool tl_requests_serve(tl_group *g) {
  for (int kind = TL_REQUEST_NONE + 1; kind < TL_REQUEST_COUNT; kind++) {
    const bool creates = kind == TL_REQUEST_CREATE;
    int32_t count = creates ? alike_pick(g) : pick(g, (tl_request_kind)kind);
    if (count == 0) {
      continue;
    }
    for (; count > 0; count = creates ? alike_pick(g) : pick(g, (tl_request_kind)kind)) {
      picked_answer(g, count,
                    creates                     ? store_make(g, count)
                    : kind == TL_REQUEST_FACTOR ? factors_make(g, count)
                                                : vectors_make(g, (tl_request_kind)kind, count));
    }
    return true;
  }
  return false;
}
