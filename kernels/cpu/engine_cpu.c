/* engine_cpu.c: the CPU engine's life: memory, upload, start, best impulses. */
#include "kernels/cpu/engine_cpu.h"

#include <string.h>

static void engine_destroy(tl_engine *base) {
  tl_cpu_engine *const engine = (tl_cpu_engine *)base;
  if (engine == NULL) {
    return;
  }
  talus_context *const context = engine->context;
  tl_buffer_release(context, &engine->copy);
  tl_buffer_release(context, &engine->impulse);
  tl_buffer_release(context, &engine->velocity);
  tl_buffer_release(context, &engine->trial);
  tl_buffer_release(context, &engine->partial);
  tl_free(context, engine);
}

static void bytes_count(tl_cpu_engine *engine) {
  engine->base.bytes =
      (int64_t)(engine->copy.capacity + engine->impulse.capacity + engine->velocity.capacity +
                engine->trial.capacity + engine->partial.capacity);
}

/* The system's arrays: taken as they are in double, converted in single precision. */
static talus_status arrays_take(tl_cpu_engine *engine, const tl_system *system) {
  const tl_shape *const s = &system->shape;
  tl_view *const view = &engine->view;
#define TL_PLAIN(type, name, count) view->name = system->name;
#if TL_REAL_IS_FLOAT
  int64_t total = 0;
#define TL_REALS(name, count) total += ((int64_t)(count) + 15) / 16 * 16;
  TL_ARRAY_LIST(TL_PLAIN, TL_REALS)
#undef TL_REALS
  TL_TRY(tl_buffer_reserve(engine->context, &engine->copy, (size_t)total, sizeof(tl_real),
                           "problem in single precision"));
  tl_real *room = engine->copy.memory;
#define TL_REALS(name, count)             \
  {                                       \
    const int64_t n = (int64_t)(count);   \
    view->name = n > 0 ? room : NULL;     \
    for (int64_t i = 0; i < n; i++) {     \
      room[i] = (tl_real)system->name[i]; \
    }                                     \
    room += (n + 15) / 16 * 16;           \
  }
#undef TL_PLAIN
#define TL_PLAIN(type, name, count)
  TL_ARRAY_LIST(TL_PLAIN, TL_REALS)
#else
#define TL_REALS(name, count) view->name = system->name;
  TL_ARRAY_LIST(TL_PLAIN, TL_REALS)
#endif
#undef TL_PLAIN
#undef TL_REALS
  (void)s;
  return TALUS_OK;
}

/* Whole cache lines per array. */
static size_t padded(int64_t count) {
  return (size_t)(count + 15) / 16 * 16;
}

static talus_status state_reserve(tl_cpu_engine *engine) {
  tl_view *const view = &engine->view;
  const tl_shape *const shape = &view->shape;
  const size_t impulses = padded(3 * TL_PLACES(shape));
  const size_t velocities = padded(shape->velocity_size);
  TL_TRY(tl_buffer_reserve(engine->context, &engine->impulse, 4 * impulses, sizeof(tl_real),
                           "impulses"));
  TL_TRY(tl_buffer_reserve(engine->context, &engine->velocity, 2 * velocities, sizeof(tl_real),
                           "velocities"));
  view->x = engine->impulse.memory;
  view->x_previous = view->x + impulses;
  view->best = view->x_previous + impulses;
  view->slip = view->best + impulses;
  view->velocity = engine->velocity.memory;
  view->velocity_y = view->velocity + velocities;
  view->trial = view->velocity_trial = NULL;
  const int32_t units = shape->contact_count > shape->rigid_count + shape->block_count
                            ? shape->contact_count
                            : shape->rigid_count + shape->block_count;
  const size_t energies = padded(units / TL_CHUNK + 2 + shape->unit_chunk_count);
  const size_t chunks = padded(shape->chunk_count);
  TL_TRY(tl_buffer_reserve(engine->context, &engine->partial, 2 * chunks + energies, sizeof(double),
                           "partial sums"));
  engine->first_sum = engine->partial.memory;
  engine->second_sum = engine->first_sum + chunks;
  engine->energy = engine->second_sum + chunks;
  return TALUS_OK;
}

talus_status tl_cpu_reserve_trial(tl_cpu_engine *engine) {
  tl_view *const view = &engine->view;
  if (view->trial != NULL) {
    return TALUS_OK;
  }
  const size_t impulses = padded(3 * TL_PLACES(&view->shape));
  const size_t velocities = padded(view->shape.velocity_size);
  TL_TRY(tl_buffer_reserve(engine->context, &engine->trial, impulses + velocities, sizeof(tl_real),
                           "trial impulses"));
  bytes_count(engine);
  memset(engine->trial.memory, 0, (impulses + velocities) * sizeof(tl_real));
  view->trial = engine->trial.memory;
  view->velocity_trial = view->trial + impulses;
  return TALUS_OK;
}

talus_status tl_cpu_reserve_next(tl_cpu_engine *engine) {
  tl_view *const view = &engine->view;
  const size_t velocities = padded(view->shape.velocity_size);
  if (view->velocity_trial == NULL) {
    TL_TRY(tl_buffer_reserve(engine->context, &engine->trial, velocities, sizeof(tl_real),
                             "next velocities"));
    bytes_count(engine);
    memset(engine->trial.memory, 0, velocities * sizeof(tl_real));
    view->velocity_trial = engine->trial.memory;
  }
  return TALUS_OK;
}

static talus_status engine_upload(tl_engine *base, const tl_system *system, tl_raw *raw,
                                  int32_t threads) {
  (void)raw; /* arrays in device memory go to a device's engine */
  tl_cpu_engine *const engine = (tl_cpu_engine *)base;
  engine->system = system;
  engine->threads = threads;
  engine->at_start = engine->start_kept = false;
  engine->view.shape = system->shape;
  TL_TRY(arrays_take(engine, system));
  TL_TRY(state_reserve(engine));
  bytes_count(engine);
  return TALUS_OK;
}

/* Numbers on their way from one array to another, one of which may be in double. */
typedef struct copy_task {
  tl_real *to;
  const tl_real *from;
  double *to_double;
  const double *from_double;
} copy_task;

static void copy_part(void *arguments, int64_t first, int64_t end) {
  const copy_task *const t = arguments;
  if (t->from != NULL && t->to != NULL) {
    memcpy(t->to + first, t->from + first, (size_t)(end - first) * sizeof *t->to);
    return;
  }
  for (int64_t i = first; i < end; i++) {
    if (t->to_double != NULL) {
      t->to_double[i] = t->from[i];
    } else {
      t->to[i] = t->from_double != NULL ? (tl_real)t->from_double[i] : 0;
    }
  }
}

static void numbers_copy(const tl_cpu_engine *engine, int64_t count, copy_task task) {
  tl_each(engine->context, count >= TL_FEW_ITEMS * TL_RECORD ? engine->threads : 1, count,
          copy_part, &task);
}

static void impulses_copy(const tl_cpu_engine *engine, tl_real *to, const tl_real *from) {
  numbers_copy(engine, 3 * TL_PLACES(&engine->view.shape), (copy_task){.to = to, .from = from});
}

/* Steps begin anew from impulses whose velocities are known. */
static void state_begin(tl_cpu_engine *engine, double lipschitz) {
  engine->state = (tl_state){
      .lipschitz = lipschitz, .theta = 1, .fresh = 1, .step_norm2 = 0, .restart_test = 0};
  engine->since_rebuild = engine->stale = 0;
}

void tl_cpu_reset(tl_cpu_engine *engine, double lipschitz) {
  tl_view *const view = &engine->view;
  const int32_t velocities = view->shape.velocity_size;
  if (engine->system->halo != NULL) { /* what was kept may be old where others have a contact */
    tl_cpu_exchange(engine, &engine->system->halo->contacts, view->x, 3);
  }
  impulses_copy(engine, view->x_previous, view->x);
  memset(view->velocity, 0,
         (size_t)velocities * sizeof(tl_real)); /* the record of what cannot move stays 0 */
  tl_cpu_units_respond(engine, view->x, view->velocity);
  numbers_copy(engine, velocities, (copy_task){.to = view->velocity_y, .from = view->velocity});
  state_begin(engine, lipschitz);
  engine->at_start = true;
  engine->start_kept = false;
}

static talus_status engine_start(tl_engine *base, tl_start from, const double *impulse,
                                 double lipschitz) {
  tl_cpu_engine *const engine = (tl_cpu_engine *)base;
  tl_view *const view = &engine->view;
  if (from == TL_START_KEPT && engine->at_start && engine->start_kept) {
    state_begin(engine, lipschitz);
    return TALUS_OK;
  }
  if (from == TL_START_KEPT) {
    impulses_copy(engine, view->x, view->best);
  } else if (from == TL_START_GIVEN) {
    numbers_copy(engine, 3 * TL_PLACES(&view->shape),
                 (copy_task){.to = view->x, .from_double = impulse});
  }
  tl_cpu_reset(engine, lipschitz);
  return TALUS_OK;
}

/* Whether the other ranks could be reached. */
static talus_status others_check(const tl_cpu_engine *engine) {
  tl_halo *const halo = engine->system->halo;
  return halo != NULL ? halo->check(halo) : TALUS_OK;
}

static talus_status engine_iterate(tl_engine *base, tl_iteration kind, const tl_rule *rule,
                                   int32_t count, tl_state *state, int64_t *passes) {
  ((tl_cpu_engine *)base)->at_start = false;
  switch (kind) {
  case TL_ITERATE_GRADIENT:
    TL_TRY(tl_cpu_gradient(base, rule, count, state, passes));
    break;
  case TL_ITERATE_BACKTRACK:
    TL_TRY(tl_cpu_backtrack(base, rule, count, state, passes));
    break;
  default:
    TL_TRY(tl_cpu_sweep(base, rule, count, state, passes));
    break;
  }
  return others_check((const tl_cpu_engine *)base);
}

static talus_status engine_residual(tl_engine *base, double squares[2], int64_t *passes) {
  TL_TRY(tl_cpu_residual(base, squares, passes));
  return others_check((const tl_cpu_engine *)base);
}

static talus_status engine_keep(tl_engine *base) {
  tl_cpu_engine *const engine = (tl_cpu_engine *)base;
  tl_view *const view = &engine->view;
  engine->start_kept = engine->at_start;
  impulses_copy(engine, view->best, view->x);
  return TALUS_OK;
}

static talus_status engine_finish(tl_engine *base, double *impulse) {
  const tl_cpu_engine *const engine = (const tl_cpu_engine *)base;
  const tl_view *const view = &engine->view;
  if (engine->system->halo != NULL) {
    tl_cpu_exchange(engine, &engine->system->halo->contacts, view->best, 3);
  }
  numbers_copy(engine, 3 * TL_PLACES(&view->shape),
               (copy_task){.from = view->best, .to_double = impulse});
  return others_check(engine);
}

const tl_engine_ops tl_cpu_ops = {
    .destroy = engine_destroy,
    .upload = engine_upload,
    .start = engine_start,
    .iterate = engine_iterate,
    .residual = engine_residual,
    .keep = engine_keep,
    .estimate_lipschitz = tl_cpu_estimate_lipschitz,
    .finish = engine_finish,
};

/* The registry makes engines through this. */
talus_status TL_NAME(tl_cpu_create)(talus_context *context, tl_engine **result) {
  tl_cpu_engine *engine;
  *result = NULL;
  TL_TRY(tl_alloc(context, (void **)&engine, 1, sizeof *engine, "engine"));
  memset(engine, 0, sizeof *engine);
  engine->base.ops = &tl_cpu_ops;
  engine->context = context;
  engine->threads = 1;
  *result = &engine->base;
  return TALUS_OK;
}
