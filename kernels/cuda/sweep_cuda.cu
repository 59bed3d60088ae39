/* sweep_cuda.cu: coloured Gauss-Seidel: a kernel for all colours, or phases of bricks, where all
 * contacts are of one kind and have no rows of W, else one for each.
 *
 * The ticket counts through all colours, so the last block of the last colour adds up the sweep. */
#include "kernels/item/sweep.h"

#include "kernels/cuda/contact_cuda.cuh"

namespace {

struct sweep_pass {
  enum { ordered = 1 };
  static __device__ __forceinline__ bool is_due(const tl_control *control) {
    return tl_is_due(control, TL_RUNNING);
  }
  static __device__ __forceinline__ tl_share share(const tl_cuda_work &work, const tl_range range,
                                                   int32_t k) {
    return tl_sweep_step(&work.view, range, k, work.control->pace);
  }
  static __device__ __forceinline__ void finish(tl_control *control, double step_norm2,
                                                double restart_test) {
    tl_state state = control->state;
    state.step_norm2 = step_norm2;
    state.restart_test = restart_test;
    tl_state_momentum(&state, control->rule.momentum, control->rule.cap);
    control->state = state;
    control->pace = tl_pace_make(&state, &control->rule);
  }
};

/* MATRIX: y of all contacts from x and x_previous. */
__global__ void __launch_bounds__(TL_CHUNK) extrapolate_kernel(const tl_cuda_work work) {
  const int64_t k = tl_thread_index();
  if (k < work.view.shape.contact_count && tl_is_due(work.control, TL_RUNNING)) {
    tl_sweep_extrapolate(&work.view, (int32_t)k, (tl_real)work.control->state.beta);
  }
}

/* V(y) from V(x) and, in its place, V(x_previous). */
__global__ void __launch_bounds__(TL_CHUNK) rebuild_kernel(const tl_cuda_work work) {
  const int64_t i = tl_thread_index();
  if (i < work.view.shape.velocity_size && tl_is_due(work.control, TL_RUNNING)) {
    const tl_real beta = (tl_real)work.control->state.beta;
    const tl_real now = work.view.velocity[i];
    work.view.velocity_y[i] = now + beta * (now - work.view.velocity_y[i]);
  }
}

bool is_matrix(const tl_cuda_engine *engine) {
  return engine->work.view.shape.range[0].kind == TL_MATRIX;
}

/* A colour's chunks; with bricks, its bricks, each by a block. */
talus_status colours_sweep(tl_cuda_engine *engine) {
  const tl_shape *const shape = &engine->work.view.shape;
  const int32_t *const colour = (const int32_t *)engine->colours.memory;
  const bool groups = shape->group_count > 0;
  if (shape->chunk_count == 0) {
    return tl_cuda_chunks<sweep_pass>(engine, shape->range[0], 0, 0);
  }
  const unsigned all = groups ? (unsigned)shape->group_count : engine->work.contact_blocks;
  if (engine->work.colour_first != NULL) {
    const tl_cuda_part part = {0, (int32_t)all, groups, all};
    return tl_cuda_part_run<sweep_pass>(engine, shape->range[0], part);
  }
  for (int32_t i = 0; i < engine->colour_count; i++) {
    const tl_cuda_part part = {colour[i], colour[i + 1], groups, all};
    const int32_t range = colour[engine->colour_count + 1 + i];
    TL_TRY(tl_cuda_part_run<sweep_pass>(engine, shape->range[range], part));
  }
  return TALUS_OK;
}

talus_status sweep_issue(tl_cuda_engine *engine) {
  const tl_view *const view = &engine->work.view;
  const bool matrix = is_matrix(engine);
  if (matrix) {
    TL_LAUNCH(engine, tl_cuda_blocks(view->shape.contact_count, TL_CHUNK), TL_CHUNK,
              extrapolate_kernel, engine->work);
  }
  TL_TRY(colours_sweep(engine));
  TL_TRY(matrix ? tl_cuda_look(engine) : tl_cuda_carry(engine, view->velocity_y, TL_RUNNING));
  tl_cuda_swap(engine);
  return TALUS_OK;
}

/* V(x) and V(y) anew from both impulse buffers. */
talus_status rebuild(tl_cuda_engine *engine) {
  const tl_view *const view = &engine->work.view;
  TL_TRY(tl_cuda_units_respond(engine, view->x, view->velocity, TL_RUNNING));
  TL_TRY(tl_cuda_units_respond(engine, view->x_previous, view->velocity_y, TL_RUNNING));
  TL_LAUNCH(engine, tl_cuda_blocks(view->shape.velocity_size, TL_CHUNK), TL_CHUNK, rebuild_kernel,
            engine->work);
  return TALUS_OK;
}

/* As many sweeps as may run before the next rebuilding. */
int32_t batch_of(const tl_cuda_engine *engine, const tl_rule *rule, int32_t since, int32_t count) {
  const int32_t left = rule->rebuild - since;
  return is_matrix(engine) || left > count ? count : (left > 1 ? left : 1);
}

/* `count` sweeps with the rebuildings among them, until a look ends them; *since: sweeps since the
 * last one. */
talus_status sweeps_queue(tl_cuda_engine *engine, const tl_rule *rule, int32_t count,
                          int32_t *since) {
  bool stopped = false;
  while (count > 0 && !stopped) {
    if (!is_matrix(engine) && *since >= rule->rebuild) {
      TL_TRY(rebuild(engine));
      *since = 0;
    }
    const int32_t batch = batch_of(engine, rule, *since, count);
    TL_TRY(tl_cuda_iterate(engine, TL_GRAPH_SWEEP, sweep_issue, rule, batch, &stopped));
    *since += batch;
    count -= batch;
  }
  return TALUS_OK;
}

/* What `made` sweeps were, of those queued. */
void sweeps_count(tl_cuda_engine *engine, const tl_rule *rule, int32_t made, int64_t *passes) {
  *passes += made;
  for (int32_t i = 0; i < made && !is_matrix(engine); i++) {
    if (engine->since_rebuild >= rule->rebuild) {
      *passes += 1;
      engine->since_rebuild = 0;
    }
    engine->since_rebuild++;
  }
}

} // namespace

talus_status tl_cuda_sweep_queue(tl_cuda_engine *engine, const tl_rule *rule, int32_t count) {
  int32_t since = 0;
  tl_rule alone = *rule;
  alone.look = 0; /* the host does not ask whether they have ended */
  return sweeps_queue(engine, &alone, count, &since);
}

talus_status tl_cuda_sweep(tl_engine *base, const tl_rule *rule, int32_t count, tl_state *state,
                           int64_t *passes) {
  tl_cuda_engine *const engine = (tl_cuda_engine *)base;
  TL_ENGINE_ENTER(engine);
  const bool matrix = is_matrix(engine);
  if (engine->colour_count == 0 && engine->work.colour_first == NULL &&
      engine->work.view.shape.chunk_count > 0) {
    return tl_fail(engine->context, TALUS_INTERNAL,
                   "a sweep was asked of contacts without colours");
  }
  if (matrix) {
    TL_TRY(tl_cuda_reserve_trial(engine));
  }
  tl_real *const begin = engine->work.view.x;
  int32_t since = engine->since_rebuild;
  int32_t left = count;
  bool stopped;
  TL_TRY(tl_cuda_prepare(engine, rule));
  do {
    const int32_t batch = tl_cuda_expect(engine, rule, left);
    TL_TRY(sweeps_queue(engine, rule, batch, &since));
    TL_TRY(tl_cuda_end(engine, begin));
    stopped = engine->result->state.stopped != 0;
    left -= batch;
  } while (left > 0 && !stopped);
  engine->stale = matrix; /* these sweeps go without V, which residuals want */
  *state = engine->result->state;
  sweeps_count(engine, rule, state->made, passes);
  return TALUS_OK;
}
