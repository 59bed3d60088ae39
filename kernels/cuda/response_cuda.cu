/* response_cuda.cu: kernels over units: the bodies' answer V = M^-1 D^T x, or W x.
 *
 * A thread takes a unit, a block 256 of them; the last block adds up the energy and moves the
 * scalars, as in contact_cuda.cuh. Rigid bodies and general blocks are two launches of one pass. */
#include "kernels/cuda/engine_cuda.cuh"
#include "kernels/cuda/sum_cuda.h"
#include "kernels/cuda/sum_exact_cuda.h"
#include "kernels/item/body.h"

namespace {

/* The end of an iteration of the gradient methods. */
struct step_pass {
  template <int KIND>
  static __device__ __forceinline__ double share(const tl_cuda_work &work, int32_t i) {
    const tl_view *const view = &work.view;
    const tl_real beta = (tl_real)work.control->state.beta;
    return KIND == TL_MATRIX   ? tl_matrix_step(view, i, view->x_previous, beta)
           : KIND == TL_BLOCKS ? tl_block_step(view, i, view->x_previous, beta)
                               : tl_body_step(view, KIND, i, view->x_previous, beta);
  }
  static __device__ __forceinline__ void finish(tl_control *control, double energy) {
    tl_state state = control->state;
    state.curvature = energy;
    tl_state_step(&state, control->rule.step, control->rule.yield);
    tl_state_look(&state, &control->rule);
    control->state = state;
    control->pace = tl_pace_make(&state, &control->rule);
  }
};

/* A trial of APGD. */
struct try_pass {
  template <int KIND>
  static __device__ __forceinline__ double share(const tl_cuda_work &work, int32_t i) {
    const tl_view *const view = &work.view;
    return KIND == TL_MATRIX   ? tl_matrix_try(view, i, work.control->pace.beta)
           : KIND == TL_BLOCKS ? tl_block_try(view, i, view->trial)
                               : tl_body_try(view, KIND, i);
  }
  static __device__ __forceinline__ void finish(tl_control *control, double energy) {
    tl_state state = control->state;
    state.curvature = energy;
    tl_state_backtrack(&state, control->rule.cap, control->rule.yield);
    control->state = state;
    control->pace = tl_pace_make(&state, &control->rule);
  }
};

template <class PASS, int KIND>
__global__ void __launch_bounds__(TL_CHUNK)
    unit_kernel(const tl_cuda_work now, const int32_t count, const unsigned block_first) {
  if (!tl_is_due(now.control, TL_RUNNING)) {
    return;
  }
  const tl_cuda_work work = tl_work_now(now);
  const int32_t *const first = block_first == 0 ? work.view.unit_first : NULL; /* of bricks */
  const int64_t i = first != NULL ? first[blockIdx.x] + (int64_t)threadIdx.x : tl_thread_index();
  double sum[1] = {0};
  if (i < (first != NULL ? first[blockIdx.x + 1] : count)) {
    sum[0] = PASS::template share<KIND>(work, (int32_t)i);
  }
  tl_sum_block(sum);
  if (threadIdx.x == 0) {
    work.energy[block_first + blockIdx.x] = sum[0];
  }
  if (tl_sum_is_last(&work.control->units_done, work.unit_blocks)) {
    const bool exact = work.view.unit_first != NULL;
    double all[1] = {exact ? tl_sum_exact(work.energy, work.unit_blocks)
                           : tl_sum_leaf(work.energy, work.unit_blocks)};
    if (!exact) {
      tl_sum_block(all);
    }
    if (threadIdx.x == 0) {
      PASS::finish(work.control, all[0]);
    }
  }
}

template <class PASS> talus_status units_run(tl_cuda_engine *engine) {
  const tl_cuda_work &work = engine->work;
  const tl_shape *const shape = &work.view.shape;
  if (shape->range[0].kind == TL_MATRIX) {
    TL_LAUNCH(engine, work.unit_blocks, TL_CHUNK, unit_kernel<PASS, TL_MATRIX>, work,
              shape->contact_count, 0u);
    return TALUS_OK;
  }
  const unsigned blocks = tl_cuda_blocks(shape->block_count, TL_CHUNK);
  const unsigned rigid = work.unit_blocks - blocks; /* one even if there is no unit at all */
  if (shape->body_kind == TL_SPHERES) {
    TL_LAUNCH(engine, rigid, TL_CHUNK, unit_kernel<PASS, TL_SPHERES>, work, shape->rigid_count, 0u);
  } else {
    TL_LAUNCH(engine, rigid, TL_CHUNK, unit_kernel<PASS, TL_ARMS>, work, shape->rigid_count, 0u);
  }
  TL_LAUNCH(engine, blocks, TL_CHUNK, unit_kernel<PASS, TL_BLOCKS>, work, shape->block_count,
            rigid);
  return TALUS_OK;
}

template <int KIND>
__global__ void __launch_bounds__(TL_CHUNK)
    respond_kernel(const tl_cuda_work work, const int32_t count, const tl_real *impulse,
                   tl_real *velocity, const int when) {
  const int64_t i = tl_thread_index();
  if (i >= count || !tl_is_due(work.control, when)) {
    return;
  }
  if (KIND == TL_MATRIX) {
    tl_matrix_respond(&work.view, (int32_t)i, impulse, velocity);
  } else if (KIND == TL_BLOCKS) {
    tl_block_respond(&work.view, (int32_t)i, impulse, velocity);
  } else {
    tl_body_respond(&work.view, KIND, (int32_t)i, impulse, velocity);
  }
}

__global__ void __launch_bounds__(TL_CHUNK)
    carry_kernel(const tl_cuda_work work, const tl_real *next, const int when) {
  if (!tl_is_due(work.control, TL_RUNNING)) {
    return;
  }
  const int64_t i = tl_thread_index();
  if (i < work.view.shape.velocity_size && tl_is_due(work.control, when)) {
    tl_velocity_carry(&work.view, (int32_t)i, next[i], (tl_real)work.control->state.beta);
  }
  __syncthreads(); /* no thread of this block asks any more whether it is due */
  if (tl_sum_is_last(&work.control->units_done, gridDim.x) && threadIdx.x == 0) {
    tl_state_look(&work.control->state, &work.control->rule);
  }
}

__global__ void look_kernel(tl_control *control) {
  if (tl_is_due(control, TL_RUNNING)) {
    tl_state_look(&control->state, &control->rule);
  }
}

} // namespace

talus_status tl_cuda_units_step(tl_cuda_engine *engine) {
  return units_run<step_pass>(engine);
}

talus_status tl_cuda_units_try(tl_cuda_engine *engine) {
  return units_run<try_pass>(engine);
}

talus_status tl_cuda_units_respond(tl_cuda_engine *engine, const tl_real *impulse,
                                   tl_real *velocity, int when) {
  const tl_cuda_work &work = engine->work;
  const tl_shape *const shape = &work.view.shape;
  if (shape->range[0].kind == TL_MATRIX) {
    TL_LAUNCH(engine, tl_cuda_blocks(shape->contact_count, TL_CHUNK), TL_CHUNK,
              respond_kernel<TL_MATRIX>, work, shape->contact_count, impulse, velocity, when);
    return TALUS_OK;
  }
  const unsigned rigid = tl_cuda_blocks(shape->rigid_count, TL_CHUNK);
  if (shape->body_kind == TL_SPHERES) {
    TL_LAUNCH(engine, rigid, TL_CHUNK, respond_kernel<TL_SPHERES>, work, shape->rigid_count,
              impulse, velocity, when);
  } else {
    TL_LAUNCH(engine, rigid, TL_CHUNK, respond_kernel<TL_ARMS>, work, shape->rigid_count, impulse,
              velocity, when);
  }
  TL_LAUNCH(engine, tl_cuda_blocks(shape->block_count, TL_CHUNK), TL_CHUNK,
            respond_kernel<TL_BLOCKS>, work, shape->block_count, impulse, velocity, when);
  return TALUS_OK;
}

talus_status tl_cuda_carry(tl_cuda_engine *engine, const tl_real *next, int when) {
  const unsigned blocks = tl_cuda_blocks(engine->work.view.shape.velocity_size, TL_CHUNK);
  TL_LAUNCH(engine, blocks > 0 ? blocks : 1, TL_CHUNK, carry_kernel, engine->work, next, when);
  return TALUS_OK;
}

talus_status tl_cuda_look(tl_cuda_engine *engine) {
  TL_LAUNCH(engine, 1, 1, look_kernel, engine->work.control);
  return TALUS_OK;
}
