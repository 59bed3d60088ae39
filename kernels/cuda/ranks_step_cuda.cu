/* ranks_step_cuda.cu: the operations of an engine of one of several ranks: kernels over the chunks
 * and bodies that are this rank's own, exchanges between them, and the scalars on the host, which
 * hears the sums of all ranks. What is exchanged when is what engine_cpu.c, gradient_cpu.c,
 * response_cpu.c and sweep_cpu.c do; the arithmetic is that of the same items. */
#include "kernels/cuda/contact_cuda.cuh"
#include "kernels/item/body.h"
#include "kernels/item/residual.h"
#include "kernels/item/sweep.h"

namespace {

/* ---- contacts -------------------------------------------------------------------------------- */

/* What a pass over contacts needs beside the view. */
struct pass_input {
  tl_pace pace;
  tl_real shrink;
  int32_t scaled;
};

struct sweep_pass {
  static __device__ __forceinline__ tl_share share(const tl_view *view, const tl_range range,
                                                   int32_t k, const pass_input &input) {
    return tl_sweep_step(view, range, k, input.pace);
  }
};

struct gradient_pass {
  static __device__ __forceinline__ tl_share share(const tl_view *view, const tl_range range,
                                                   int32_t k, const pass_input &input) {
    return tl_gradient_step(view, range, k, input.pace);
  }
};

struct residual_pass {
  static __device__ __forceinline__ tl_share share(const tl_view *view, const tl_range range,
                                                   int32_t k, const pass_input &) {
    const tl_residual residual = tl_residual_of(view, range, k);
    tl_share share;
    share.step_norm2 = residual.ccp;
    share.restart_test = residual.coulomb;
    return share;
  }
};

struct lipschitz_pass {
  static __device__ __forceinline__ tl_share share(const tl_view *view, const tl_range range,
                                                   int32_t k, const pass_input &input) {
    return tl_lipschitz_step(view, range, k, input.scaled, input.shrink);
  }
};

/* A block takes a chunk, or the chunks of a brick one after the other, a thread a contact; chunks
 * of other ranks are left out where `role` is given. */
template <class PASS, int KIND, int TORQUE>
__global__ void __launch_bounds__(TL_CHUNK, TORQUE ? 1 : 2)
    own_kernel(const tl_cuda_work work, const tl_range given, const tl_cuda_part part,
               const uint8_t *role, const pass_input input) {
  tl_range range = given;
  range.kind = KIND;
  range.torque = TORQUE;
  if (KIND == TL_SPHERES || KIND == TL_ARMS) {
    range.rows = 3;
    range.bilateral = range.bounded = 0;
  }
  const int32_t own = part.first + (int32_t)blockIdx.x;
  const int32_t end = part.groups ? work.view.group_chunk[own + 1] : own + 1;
  for (int32_t c = part.groups ? work.view.group_chunk[own] : own; c < end; c++) {
    if (role != NULL && role[c] == 0) {
      continue;
    }
    const int32_t k = work.view.chunk_first[c] + (int32_t)threadIdx.x;
    double sum[2] = {0, 0};
    if (k < work.view.chunk_first[c + 1]) {
      const tl_share share = PASS::share(&work.view, range, k, input);
      sum[0] = share.step_norm2;
      sum[1] = share.restart_test;
    }
    tl_sum_block(sum);
    if (threadIdx.x == 0) {
      work.first_sum[c] = sum[0];
      work.second_sum[c] = sum[1];
    }
    __syncthreads(); /* the next chunk of a group reads what this one wrote */
  }
}

template <class PASS, int TORQUE>
talus_status kinds_run(tl_cuda_engine *engine, const tl_range &range, const tl_cuda_part &part,
                       const uint8_t *role, const pass_input &input) {
  const unsigned blocks = part.end > part.first ? (unsigned)(part.end - part.first) : 0;
  switch (range.kind) {
  case TL_SPHERES:
    TL_LAUNCH(engine, blocks, TL_CHUNK, own_kernel<PASS, TL_SPHERES, TORQUE>, engine->work, range,
              part, role, input);
    break;
  case TL_ARMS:
    TL_LAUNCH(engine, blocks, TL_CHUNK, own_kernel<PASS, TL_ARMS, TORQUE>, engine->work, range,
              part, role, input);
    break;
  default: /* bilateral rows */
    TL_LAUNCH(engine, blocks, TL_CHUNK, own_kernel<PASS, TL_BLOCKS, TORQUE>, engine->work, range,
              part, role, input);
    break;
  }
  return TALUS_OK;
}

template <class PASS>
talus_status part_run(tl_cuda_engine *engine, const tl_range &range, const tl_cuda_part &part,
                      const uint8_t *role, const pass_input &input) {
  return range.torque ? kinds_run<PASS, 1>(engine, range, part, role, input)
                      : kinds_run<PASS, 0>(engine, range, part, role, input);
}

/* All contacts, or the own ones. */
template <class PASS>
talus_status contacts_run(tl_cuda_engine *engine, const uint8_t *role, const pass_input &input) {
  const tl_shape *const shape = &engine->work.view.shape;
  for (int32_t i = 0; i < shape->range_count; i++) {
    const tl_range *const range = &shape->range[i];
    const int32_t first = range->chunk_first;
    const tl_cuda_part part = {first, first + range->chunk_count, false, 0};
    TL_TRY(part_run<PASS>(engine, *range, part, role, input));
  }
  return TALUS_OK;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/* V(impulse) of own bodies, and nothing of the others', which is exchanged; energy NULL, or their
 * shares of a. A block takes a chunk. */
template <int KIND>
__global__ void __launch_bounds__(TL_CHUNK)
    bodies_kernel(const tl_cuda_work work, const uint8_t *own, const tl_real *impulse,
                  tl_real *velocity, double *energy) {
  const tl_view *const view = &work.view;
  const int32_t i = view->unit_first[blockIdx.x] + (int32_t)threadIdx.x;
  const bool there = i < view->unit_first[blockIdx.x + 1];
  if (own[blockIdx.x] == 0) {
    tl_twist rest;
    rest.linear = rest.angular = tl_vec_make(0, 0, 0);
    if (there) {
      tl_twist_save(view, KIND, velocity, i, rest);
    }
    return;
  }
  double sum[1] = {0};
  if (there && energy == NULL) {
    tl_body_respond(view, KIND, i, impulse, velocity);
  } else if (there) {
    sum[0] = tl_body_weigh(view, KIND, i, tl_body_gather(view, KIND, i, impulse));
  }
  if (energy != NULL) {
    tl_sum_block(sum);
    if (threadIdx.x == 0) {
      energy[blockIdx.x] = sum[0];
    }
  }
}

talus_status bodies_run(tl_cuda_engine *engine, const tl_real *impulse, tl_real *velocity,
                        double *energy) {
  const tl_shape *const shape = &engine->work.view.shape;
  const unsigned chunks = (unsigned)shape->unit_chunk_count;
  if (shape->body_kind == TL_SPHERES) {
    TL_LAUNCH(engine, chunks, TL_CHUNK, bodies_kernel<TL_SPHERES>, engine->work,
              engine->ranks.unit_own, impulse, velocity, energy);
  } else {
    TL_LAUNCH(engine, chunks, TL_CHUNK, bodies_kernel<TL_ARMS>, engine->work,
              engine->ranks.unit_own, impulse, velocity, energy);
  }
  return tl_cuda_ranks_exchange(engine, TL_RANKS_BODIES, velocity);
}

/* velocity = V(impulse), with what other ranks have of both. */
talus_status respond(tl_cuda_engine *engine, tl_real *impulse, tl_real *velocity) {
  TL_TRY(tl_cuda_ranks_exchange(engine, TL_RANKS_CONTACTS, impulse));
  return bodies_run(engine, impulse, velocity, NULL);
}

/* ---- velocities ------------------------------------------------------------------------------ */

__global__ void __launch_bounds__(TL_CHUNK)
    carry_kernel(const tl_cuda_work work, const tl_real *next, const tl_real beta) {
  const int64_t i = tl_thread_index();
  if (i < work.view.shape.velocity_size) {
    tl_velocity_carry(&work.view, (int32_t)i, next[i], beta);
  }
}

/* V(y) from V(x) and, in its place, V(x_previous). */
__global__ void __launch_bounds__(TL_CHUNK)
    extrapolate_kernel(const tl_cuda_work work, const tl_real beta) {
  const int64_t i = tl_thread_index();
  if (i < work.view.shape.velocity_size) {
    const tl_real now = work.view.velocity[i];
    work.view.velocity_y[i] = now + beta * (now - work.view.velocity_y[i]);
  }
}

unsigned velocity_blocks(const tl_cuda_engine *engine) {
  return tl_cuda_blocks(engine->work.view.shape.velocity_size, TL_CHUNK);
}

talus_status carry(tl_cuda_engine *engine, const tl_real *next) {
  TL_LAUNCH(engine, velocity_blocks(engine), TL_CHUNK, carry_kernel, engine->work, next,
            (tl_real)engine->ranks.state.beta);
  return TALUS_OK;
}

talus_status rebuild(tl_cuda_engine *engine, int64_t *passes) {
  const tl_view *const view = &engine->work.view;
  TL_TRY(respond(engine, view->x, view->velocity));
  TL_TRY(respond(engine, view->x_previous, view->velocity_y));
  TL_LAUNCH(engine, velocity_blocks(engine), TL_CHUNK, extrapolate_kernel, engine->work,
            (tl_real)engine->ranks.state.beta);
  *passes += 1;
  engine->since_rebuild = 0;
  return TALUS_OK;
}

/* ---- iterations ------------------------------------------------------------------------------ */

pass_input input_of(const tl_state *state, const tl_rule *rule) {
  pass_input input = {};
  input.pace = tl_pace_make(state, rule);
  return input;
}

/* All phases of one sweep; velocities go on behind each. */
talus_status contacts_sweep(tl_cuda_engine *engine, const tl_rule *rule) {
  tl_state *const state = &engine->ranks.state;
  const tl_shape *const shape = &engine->work.view.shape;
  const int32_t *const colour = (const int32_t *)engine->colours.memory;
  const pass_input input = input_of(state, rule);
  double sum[2];
  for (int32_t i = 0; i < engine->colour_count; i++) {
    const tl_cuda_part part = {colour[i], colour[i + 1], shape->group_count > 0, 0};
    const tl_range *const range = &shape->range[colour[engine->colour_count + 1 + i]];
    TL_TRY(part_run<sweep_pass>(engine, *range, part, engine->ranks.chunk_role, input));
    TL_TRY(tl_cuda_ranks_exchange(engine, TL_RANKS_PHASE + i, engine->work.view.velocity_y));
  }
  TL_TRY(tl_cuda_ranks_exchange(engine, TL_RANKS_SETTLED, engine->work.view.velocity_y));
  TL_TRY(tl_cuda_ranks_sum(engine, 2, sum));
  state->step_norm2 = sum[0];
  state->restart_test = sum[1];
  return TALUS_OK;
}

talus_status sweep(tl_cuda_engine *engine, const tl_rule *rule, int64_t *passes) {
  tl_state *const state = &engine->ranks.state;
  if (engine->since_rebuild >= rule->rebuild) {
    TL_TRY(rebuild(engine, passes));
  }
  TL_TRY(contacts_sweep(engine, rule));
  tl_state_momentum(state, rule->momentum, rule->cap);
  TL_TRY(carry(engine, engine->work.view.velocity_y));
  engine->since_rebuild++;
  tl_state_look(state, rule);
  *passes += 1;
  return TALUS_OK;
}

talus_status gradient(tl_cuda_engine *engine, const tl_rule *rule, int64_t *passes) {
  tl_state *const state = &engine->ranks.state;
  const tl_view *const view = &engine->work.view;
  double sum[3];
  TL_TRY(contacts_run<gradient_pass>(engine, NULL, input_of(state, rule)));
  TL_TRY(bodies_run(engine, view->x_previous, view->velocity_trial, engine->work.energy));
  TL_TRY(tl_cuda_ranks_sum(engine, 3, sum));
  state->step_norm2 = sum[0];
  state->restart_test = sum[1];
  state->curvature = sum[2];
  tl_state_momentum(state, rule->momentum, rule->cap);
  TL_TRY(carry(engine, view->velocity_trial));
  tl_state_step(state, rule->step, rule->yield);
  tl_state_look(state, rule);
  *passes += 1;
  return TALUS_OK;
}

__global__ void __launch_bounds__(TL_CHUNK)
    lipschitz_begin_kernel(const tl_cuda_work work, const tl_range range, const int32_t *number) {
  const int64_t i = tl_thread_index();
  if (i < range.count) {
    const int32_t k = range.first + (int32_t)i;
    tl_lipschitz_begin(&work.view, range, k, number[k]);
  }
}

talus_status array_copy(tl_cuda_engine *engine, tl_real *to, const tl_real *from, int64_t count) {
  return count > 0 ? tl_cuda_copy(engine->device, to, from, (size_t)count * sizeof *to,
                                  cudaMemcpyDeviceToDevice)
                   : TALUS_OK;
}

} // namespace

talus_status tl_cuda_ranks_reset(tl_cuda_engine *engine, double lipschitz) {
  const tl_view *const view = &engine->work.view;
  const int64_t velocities = view->shape.velocity_size;
  TL_TRY(tl_cuda_ranks_exchange(engine, TL_RANKS_CONTACTS, view->x));
  TL_TRY(array_copy(engine, view->x_previous, view->x, 3 * TL_PLACES(&view->shape)));
  if (velocities > 0) { /* the record of what cannot move stays 0 */
    TL_TRY(tl_cuda_fill(engine->device, view->velocity, 0, (size_t)velocities * sizeof(tl_real)));
  }
  TL_TRY(respond(engine, view->x, view->velocity));
  TL_TRY(array_copy(engine, view->velocity_y, view->velocity, velocities));
  engine->ranks.state = tl_state{};
  engine->ranks.state.lipschitz = lipschitz;
  engine->ranks.state.theta = 1;
  engine->ranks.state.fresh = 1;
  engine->since_rebuild = engine->stale = 0;
  engine->at_start = true;
  engine->start_kept = false;
  return engine->ranks.halo->check(engine->ranks.halo);
}

talus_status tl_cuda_ranks_iterate(tl_cuda_engine *engine, tl_iteration kind, const tl_rule *rule,
                                   int32_t count, tl_state *state, int64_t *passes) {
  tl_state *const s = &engine->ranks.state;
  if (kind == TL_ITERATE_BACKTRACK) {
    return tl_fail(engine->context, TALUS_INTERNAL, "trials were asked of a rank");
  }
  if (kind == TL_ITERATE_GRADIENT) {
    TL_TRY(tl_cuda_reserve_trial(engine));
  }
  engine->at_start = engine->start_kept = false;
  tl_state_begin(s);
  while (s->made < count && !s->stopped) {
    TL_TRY((kind == TL_ITERATE_SWEEP ? sweep : gradient)(engine, rule, passes));
    tl_cuda_swap(engine);
  }
  engine->since_rebuild = kind == TL_ITERATE_SWEEP ? engine->since_rebuild : 0;
  *state = *s;
  return engine->ranks.halo->check(engine->ranks.halo);
}

talus_status tl_cuda_ranks_residual(tl_cuda_engine *engine, double squares[2], int64_t *passes) {
  double sum[2];
  TL_TRY(contacts_run<residual_pass>(engine, engine->ranks.chunk_role, pass_input{}));
  TL_TRY(tl_cuda_ranks_sum(engine, 2, sum));
  squares[TL_LAW_CCP] = sum[0];
  squares[TL_LAW_COULOMB] = sum[1];
  *passes += 1;
  return engine->ranks.halo->check(engine->ranks.halo);
}

talus_status tl_cuda_ranks_lipschitz(tl_cuda_engine *engine, int32_t scaled, int32_t count,
                                     double *lambda) {
  const tl_view *const view = &engine->work.view;
  for (int32_t i = 0; i < view->shape.range_count; i++) {
    TL_LAUNCH(engine, tl_cuda_blocks(view->shape.range[i].count, TL_CHUNK), TL_CHUNK,
              lipschitz_begin_kernel, engine->work, view->shape.range[i], engine->ranks.number);
  }
  *lambda = 0;
  for (int32_t i = 0; i < count; i++) {
    pass_input input = {};
    double sum[2];
    input.scaled = scaled;
    input.shrink = *lambda > 0 ? (tl_real)(1 / *lambda) : 1;
    TL_TRY(respond(engine, view->x_previous, view->velocity_y));
    TL_TRY(contacts_run<lipschitz_pass>(engine, NULL, input));
    TL_TRY(tl_cuda_ranks_sum(engine, 2, sum));
    *lambda = sum[0] > 0 ? sum[1] / sum[0] : 0;
  }
  return tl_cuda_ranks_reset(engine, engine->ranks.state.lipschitz);
}
