/* gradient_cuda.cu: the gradient methods: one kernel over contacts and one over units each pass.
 *
 * Pure spheres, the case that must be fast, are exactly these two kernels per iteration. */
#include "kernels/cuda/contact_cuda.cuh"

namespace {

/* Projected Jacobi, APGDB, spectral. */
struct gradient_pass {
  enum { ordered = 0 };
  static __device__ __forceinline__ bool is_due(const tl_control *control) {
    return tl_is_due(control, TL_RUNNING);
  }
  static __device__ __forceinline__ tl_share share(const tl_cuda_work &work, const tl_range range,
                                                   int32_t k) {
    return tl_gradient_step(&work.view, range, k, work.control->pace);
  }
  static __device__ __forceinline__ void finish(tl_control *control, double step_norm2,
                                                double restart_test) {
    tl_state state = control->state;
    state.step_norm2 = step_norm2;
    state.restart_test = restart_test;
    tl_state_momentum(&state, control->rule.momentum, control->rule.cap);
    control->state = state;
  }
};

/* APGD as published. */
struct backtrack_pass {
  enum { ordered = 0 };
  static __device__ __forceinline__ bool is_due(const tl_control *control) {
    return tl_is_due(control, TL_RUNNING);
  }
  static __device__ __forceinline__ tl_share share(const tl_cuda_work &work, const tl_range range,
                                                   int32_t k) {
    return tl_backtrack_step(&work.view, range, k, work.control->pace,
                             work.control->state.accepted);
  }
  static __device__ __forceinline__ void finish(tl_control *control, double step_norm2,
                                                double restart_test) {
    control->state.step_norm2 = step_norm2;
    control->state.restart_test = restart_test;
  }
};

/* Power iteration, scaled by S or not. */
template <int SCALED> struct lipschitz_pass {
  enum { ordered = 0 };
  static __device__ __forceinline__ bool is_due(const tl_control *) { return true; }
  static __device__ __forceinline__ tl_share share(const tl_cuda_work &work, const tl_range range,
                                                   int32_t k) {
    return tl_lipschitz_step(&work.view, range, k, SCALED, work.control->shrink);
  }
  static __device__ __forceinline__ void finish(tl_control *control, double step_norm2,
                                                double restart_test) {
    const double lambda = step_norm2 > 0 ? restart_test / step_norm2 : 0;
    control->lambda = lambda;
    control->shrink = lambda > 0 ? (tl_real)(1 / lambda) : 1;
  }
};

/* The last accepted trial becomes x. */
__global__ void __launch_bounds__(TL_CHUNK) accept_kernel(const tl_cuda_work work) {
  const int64_t k = tl_thread_index();
  if (k < tl_contacts_of(work, TL_PLACES(&work.view.shape)) && work.control->state.accepted) {
    tl_backtrack_accept(&work.view, (int32_t)k);
  }
}

__global__ void __launch_bounds__(TL_CHUNK)
    lipschitz_begin_kernel(const tl_cuda_work work, const tl_range range) {
  const int64_t i = tl_thread_index();
  if (i == 0) {
    work.control->lambda = 0;
    work.control->shrink = 1;
  }
  if (i < tl_contacts_of(work, range.count)) {
    const int32_t k = range.first + (int32_t)i;
    tl_lipschitz_begin(&work.view, range, k, k);
  }
}

talus_status gradient_issue(tl_cuda_engine *engine) {
  TL_TRY(tl_cuda_contacts<gradient_pass>(engine));
  TL_TRY(tl_cuda_units_step(engine));
  tl_cuda_swap(engine);
  return TALUS_OK;
}

talus_status backtrack_issue(tl_cuda_engine *engine) {
  TL_TRY(tl_cuda_contacts<backtrack_pass>(engine));
  TL_TRY(tl_cuda_units_try(engine));
  return tl_cuda_carry(engine, engine->work.view.velocity_trial, TL_ACCEPTED);
}

} // namespace

talus_status tl_cuda_gradient_queue(tl_cuda_engine *engine, const tl_rule *rule, int32_t count) {
  bool stopped;
  tl_rule alone = *rule;
  alone.look = 0; /* the host does not ask whether they have ended */
  return tl_cuda_iterate(engine, TL_GRAPH_GRADIENT, gradient_issue, &alone, count, &stopped);
}

talus_status tl_cuda_gradient(tl_engine *base, const tl_rule *rule, int32_t count, tl_state *state,
                              int64_t *passes) {
  tl_cuda_engine *const engine = (tl_cuda_engine *)base;
  TL_ENGINE_ENTER(engine);
  const tl_shape *const shape = &engine->work.view.shape;
  if (shape->range[0].kind == TL_MATRIX || shape->block_count > 0) {
    TL_TRY(tl_cuda_reserve_trial(engine));
  }
  tl_real *const begin = engine->work.view.x;
  TL_TRY(tl_cuda_prepare(engine, rule));
  bool stopped;
  int32_t left = count;
  do {
    const int32_t batch = tl_cuda_expect(engine, rule, left);
    TL_TRY(tl_cuda_iterate(engine, TL_GRAPH_GRADIENT, gradient_issue, rule, batch, &stopped));
    TL_TRY(tl_cuda_end(engine, begin));
    stopped = engine->result->state.stopped != 0;
    left -= batch;
  } while (left > 0 && !stopped);
  engine->since_rebuild = 0;
  *state = engine->result->state;
  *passes += state->made;
  return TALUS_OK;
}

talus_status tl_cuda_backtrack(tl_engine *base, const tl_rule *rule, int32_t count, tl_state *state,
                               int64_t *passes) {
  tl_cuda_engine *const engine = (tl_cuda_engine *)base;
  TL_ENGINE_ENTER(engine);
  TL_TRY(tl_cuda_reserve_trial(engine));
  bool stopped;
  TL_TRY(tl_cuda_prepare(engine, rule));
  TL_TRY(tl_cuda_iterate(engine, TL_GRAPH_BACKTRACK, backtrack_issue, rule, count, &stopped));
  TL_LAUNCH(engine, tl_cuda_blocks(TL_PLACES(&engine->work.view.shape), TL_CHUNK), TL_CHUNK,
            accept_kernel, engine->work);
  TL_TRY(tl_cuda_end(engine, NULL));
  engine->since_rebuild = 0;
  *state = engine->result->state;
  *passes += state->made;
  state->accepted = 0; /* taken over; the device forgets it before the next iterations */
  return TALUS_OK;
}

talus_status tl_cuda_estimate_lipschitz(tl_engine *base, int32_t scaled, int32_t count,
                                        double *lambda) {
  tl_cuda_engine *const engine = (tl_cuda_engine *)base;
  TL_ENGINE_ENTER(engine);
  engine->base.asks = engine->base.asks || engine->calls.count == 0;
  if (engine->ranks.halo != NULL) {
    return tl_cuda_ranks_lipschitz(engine, scaled, count, lambda);
  }
  const tl_view *const view = &engine->work.view;
  for (int32_t i = 0; i < view->shape.range_count; i++) {
    TL_LAUNCH(engine, tl_cuda_blocks(view->shape.range[i].count, TL_CHUNK), TL_CHUNK,
              lipschitz_begin_kernel, engine->work, view->shape.range[i]);
  }
  for (int32_t i = 0; i < count; i++) {
    TL_TRY(tl_cuda_units_respond(engine, view->x_previous, view->velocity_y, TL_ALWAYS));
    TL_TRY(scaled ? tl_cuda_contacts<lipschitz_pass<1>>(engine)
                  : tl_cuda_contacts<lipschitz_pass<0>>(engine));
  }
  TL_TRY(tl_cuda_reset(engine, -1));
  TL_TRY(tl_cuda_result(engine));
  *lambda = count > 0 ? engine->result->lambda : 0;
  return TALUS_OK;
}
