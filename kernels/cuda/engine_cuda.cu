/* engine_cuda.cu: the CUDA engine's life: start, best impulses, the scalars on the device.
 *
 * Nothing here waits for the device but what hands results to the host. */
#include "kernels/cuda/engine_cuda.cuh"

#include <string.h>

namespace {

/* The scalars of a fresh start. */
__global__ void control_reset_kernel(tl_control *control, const double lipschitz) {
  tl_state state = {};
  state.lipschitz = lipschitz < 0 ? control->state.lipschitz : lipschitz;
  state.theta = 1;
  state.fresh = 1;
  control->state = state;
  control->contacts_done = control->units_done = 0;
}

/* Before iterations of any kind. */
__global__ void control_prepare_kernel(tl_control *control, const tl_rule rule) {
  control->rule = rule;
  control->queued = control->ended = 0;
  tl_state_begin(&control->state);
  control->pace = tl_pace_make(&control->state, &control->rule);
}

size_t impulse_bytes(const tl_cuda_engine *engine) {
  return 3 * (size_t)TL_PLACES(&engine->work.view.shape) * sizeof(tl_real);
}

/* Copies between arrays on the device; nothing to copy is no error. */
talus_status array_copy(tl_cuda_engine *engine, tl_real *to, const tl_real *from, size_t bytes) {
  if (bytes > 0) {
    TL_TRY(tl_cuda_copy(engine->device, to, from, bytes, cudaMemcpyDeviceToDevice));
  }
  return TALUS_OK;
}

/* Doubles of the host become reals of the device. */
talus_status reals_send(tl_cuda_engine *engine, tl_real *to, const double *from, int64_t count) {
  const int64_t room_count = TL_CUDA_STAGING / (int64_t)sizeof(tl_real);
  for (int64_t first = 0; first < count; first += room_count) {
    const int64_t n = count - first < room_count ? count - first : room_count;
    char *room;
    TL_TRY(tl_cuda_stage(engine->device, &room));
    for (int64_t i = 0; i < n; i++) {
      ((tl_real *)(void *)room)[i] = (tl_real)from[first + i];
    }
    TL_TRY(tl_cuda_send(engine->device, to + first, (size_t)n * sizeof(tl_real)));
  }
  return TALUS_OK;
}

/* The way back. */
talus_status reals_fetch(tl_cuda_engine *engine, double *to, const tl_real *from, int64_t count) {
  tl_cuda_device *const device = engine->device;
  const int64_t room_count = TL_CUDA_STAGING / (int64_t)sizeof(tl_real);
  for (int64_t first = 0; first < count; first += room_count) {
    const int64_t n = count - first < room_count ? count - first : room_count;
    char *room;
    TL_TRY(tl_cuda_stage(device, &room));
    TL_TRY(tl_cuda_copy(device, room, from + first, (size_t)n * sizeof(tl_real),
                        cudaMemcpyDeviceToHost));
    TL_TRY(tl_cuda_wait(device));
    for (int64_t i = 0; i < n; i++) {
      to[first + i] = ((const tl_real *)(const void *)room)[i];
    }
  }
  return TALUS_OK;
}

/* The scalars of a fresh start, on the host. */
tl_state state_begun(double lipschitz) {
  tl_state state = {};
  state.lipschitz = lipschitz;
  state.theta = 1;
  state.fresh = 1;
  return state;
}

size_t ranks_bytes(const tl_cuda_ranks *ranks) {
  return ranks->places.capacity + ranks->packed.capacity + ranks->digits.capacity +
         ranks->lists.capacity + ranks->image.capacity + ranks->pinned_bytes;
}

talus_status control_reset(tl_cuda_engine *engine, double lipschitz) {
  TL_LAUNCH(engine, 1, 1, control_reset_kernel, engine->work.control, lipschitz);
  engine->started = lipschitz;
  engine->since_rebuild = engine->stale = 0;
  return TALUS_OK;
}

} // namespace

void tl_cuda_bytes_count(tl_cuda_engine *engine) {
  engine->base.bytes =
      (int64_t)(engine->arrays.capacity + engine->impulse.capacity + engine->velocity.capacity +
                engine->trial.capacity + engine->partial.capacity + engine->scratch.capacity +
                engine->palette.capacity + engine->colours.capacity +
                tl_cuda_assembly_bytes(&engine->assembly) + ranks_bytes(&engine->ranks) +
                (1 + TL_BEHIND) * sizeof *engine->result + sizeof *engine->judged +
                tl_cuda_told_size());
}

talus_status tl_cuda_reserve_trial(tl_cuda_engine *engine) {
  tl_view *const view = &engine->work.view;
  if (view->trial != NULL) {
    return TALUS_OK;
  }
  const size_t impulses = tl_cuda_trial_impulses(&view->shape);
  const size_t bytes = tl_cuda_trial_bytes(&view->shape);
  TL_TRY(tl_cuda_reserve(engine->device, &engine->trial, bytes, "trial impulses"));
  tl_cuda_bytes_count(engine);
  TL_TRY(tl_cuda_fill(engine->device, engine->trial.memory, 0, bytes));
  view->trial = (tl_real *)engine->trial.memory;
  view->velocity_trial = view->trial + impulses;
  return TALUS_OK;
}

talus_status tl_cuda_reset(tl_cuda_engine *engine, double lipschitz) {
  tl_view *const view = &engine->work.view;
  tl_cuda_device *const device = engine->device;
  const size_t velocities = (size_t)view->shape.velocity_size * sizeof(tl_real);
  TL_TRY(array_copy(engine, view->x_previous, view->x, impulse_bytes(engine)));
  if (velocities > 0) { /* the record of what cannot move stays 0 */
    TL_TRY(tl_cuda_fill(device, view->velocity, 0, velocities));
  }
  TL_TRY(tl_cuda_units_respond(engine, view->x, view->velocity, TL_ALWAYS));
  TL_TRY(array_copy(engine, view->velocity_y, view->velocity, velocities));
  TL_TRY(control_reset(engine, lipschitz));
  tl_cuda_forget(engine);
  engine->at_start = true;
  engine->start_kept = false;
  return TALUS_OK;
}

talus_status tl_cuda_prepare(tl_cuda_engine *engine, const tl_rule *rule) {
  tl_cuda_forget(engine);
  engine->at_start = engine->start_kept = false;
  TL_LAUNCH(engine, 1, 1, control_prepare_kernel, engine->work.control, *rule);
  return TALUS_OK;
}

talus_status tl_cuda_result_queue(tl_cuda_engine *engine, size_t bytes) {
  return tl_cuda_copy(engine->device, engine->result, engine->work.control, bytes,
                      cudaMemcpyDeviceToHost);
}

talus_status tl_cuda_result(tl_cuda_engine *engine) {
  TL_TRY(tl_cuda_result_queue(engine, TL_CONTROL_READ));
  return tl_cuda_wait(engine->device);
}

/* ---- operations ------------------------------------------------------------------------------ */

static talus_status engine_start(tl_engine *base, tl_start from, const double *impulse,
                                 double lipschitz) {
  tl_cuda_engine *const engine = (tl_cuda_engine *)base;
  TL_ENGINE_ENTER(engine);
  tl_view *const view = &engine->work.view;
  engine->restarted =
      engine->restarted || (engine->taken && from == TL_START_GIVEN && impulse == NULL);
  if (from == TL_START_KEPT && engine->start_kept) { /* x and its velocities are there */
    engine->ranks.state = state_begun(lipschitz);
    return control_reset(engine, lipschitz);
  }
  if (from == TL_START_KEPT) {
    TL_TRY(array_copy(engine, view->x, view->best, impulse_bytes(engine)));
  } else if (impulse != NULL) {
    TL_TRY(reals_send(engine, view->x, impulse, 3 * engine->places));
  } else if (impulse_bytes(engine) > 0) {
    TL_TRY(tl_cuda_fill(engine->device, view->x, 0, impulse_bytes(engine)));
  }
  return engine->ranks.halo != NULL ? tl_cuda_ranks_reset(engine, lipschitz)
                                    : tl_cuda_reset(engine, lipschitz);
}

static talus_status engine_iterate(tl_engine *base, tl_iteration kind, const tl_rule *rule,
                                   int32_t count, tl_state *state, int64_t *passes) {
  tl_cuda_engine *const engine = (tl_cuda_engine *)base;
  TL_ENGINE_ENTER(engine);
  if (engine->ranks.halo != NULL) {
    return tl_cuda_ranks_iterate(engine, kind, rule, count, state, passes);
  }
  if (rule->look > 0 && !(rule->ratio > 0) && kind != TL_ITERATE_BACKTRACK) {
    engine->asked = {true, kind, *rule, engine->started};
  }
  switch (kind) {
  case TL_ITERATE_GRADIENT:
    TL_TRY(tl_cuda_gradient(base, rule, count, state, passes));
    break;
  case TL_ITERATE_BACKTRACK:
    TL_TRY(tl_cuda_backtrack(base, rule, count, state, passes));
    break;
  default:
    TL_TRY(tl_cuda_sweep(base, rule, count, state, passes));
    break;
  }
  tl_cuda_calls_note(engine, state);
  return TALUS_OK;
}

static talus_status engine_keep(tl_engine *base) {
  tl_cuda_engine *const engine = (tl_cuda_engine *)base;
  TL_ENGINE_ENTER(engine);
  engine->judged_kept = engine->judged_now;
  engine->start_kept = engine->at_start;
  return array_copy(engine, engine->work.view.best, engine->work.view.x, impulse_bytes(engine));
}

static talus_status engine_finish(tl_engine *base, double *impulse) {
  tl_cuda_engine *const engine = (tl_cuda_engine *)base;
  TL_ENGINE_ENTER(engine);
  tl_halo *const halo = engine->ranks.halo;
  tl_real *const best = engine->work.view.best;
  if (halo != NULL) {
    TL_TRY(tl_cuda_ranks_exchange(engine, TL_RANKS_CONTACTS, best));
  }
  TL_TRY(reals_fetch(engine, impulse, best, 3 * engine->places));
  return halo != NULL ? halo->check(halo) : TALUS_OK;
}

static void engine_destroy(tl_engine *base) {
  tl_cuda_engine *const engine = (tl_cuda_engine *)base;
  if (engine == NULL) {
    return;
  }
  tl_cuda_device *const device = engine->device;
  {
    const tl_cuda_scope scope(device); /* lost or not, the host's part must be released */
    tl_cuda_graphs_drop(engine);
    tl_cuda_release(device, &engine->arrays);
    tl_cuda_release(device, &engine->impulse);
    tl_cuda_release(device, &engine->velocity);
    tl_cuda_release(device, &engine->trial);
    tl_cuda_release(device, &engine->partial);
    tl_cuda_release(device, &engine->scratch);
    tl_cuda_release(device, &engine->palette);
    tl_cuda_assembly_release(device, &engine->assembly);
    tl_cuda_ranks_release(engine);
    void *const pinned[] = {engine->result, engine->judged, engine->assembly.told};
    for (void *memory : pinned) {
      if (memory != NULL && cudaFreeHost(memory) != cudaSuccess) {
        (void)cudaGetLastError(); /* as in tl_cuda_release: told by the calls before */
      }
    }
    for (cudaEvent_t seen : engine->seen) {
      if (seen != NULL && cudaEventDestroy(seen) != cudaSuccess) {
        (void)cudaGetLastError();
      }
    }
  }
  tl_buffer_release(engine->context, &engine->colours);
  tl_free(engine->context, engine);
}

const tl_engine_ops tl_cuda_engine_ops = {
    /* .destroy = */ engine_destroy,
    /* .upload = */ tl_cuda_upload,
    /* .start = */ engine_start,
    /* .iterate = */ engine_iterate,
    /* .residual = */ tl_cuda_residual,
    /* .keep = */ engine_keep,
    /* .estimate_lipschitz = */ tl_cuda_estimate_lipschitz,
    /* .finish = */ engine_finish,
    /* .take = */ tl_cuda_take,
    /* .judge = */ tl_cuda_judge_kept,
    /* .give = */ tl_cuda_give,
    /* .queue = */ tl_cuda_queue,
};

/* Where the host finds the scalars. */
static talus_status results_make(tl_cuda_engine *engine) {
  TL_CUDA_TRY(engine->device,
              cudaHostAlloc((void **)&engine->result, (1 + TL_BEHIND) * sizeof *engine->result,
                            cudaHostAllocDefault));
  TL_CUDA_TRY(engine->device, cudaHostAlloc((void **)&engine->judged, sizeof *engine->judged,
                                            cudaHostAllocDefault));
  TL_CUDA_TRY(engine->device,
              cudaHostAlloc(&engine->assembly.told, tl_cuda_told_size(), cudaHostAllocDefault));
  for (cudaEvent_t &seen : engine->seen) {
    TL_CUDA_TRY(engine->device, cudaEventCreateWithFlags(&seen, cudaEventDisableTiming));
  }
  return TALUS_OK;
}

talus_status tl_cuda_create(talus_context *context, tl_engine **result) {
  *result = NULL;
  tl_cuda_device *const device = (tl_cuda_device *)context->device;
  TL_CUDA_ENTER(device);
  tl_cuda_engine *engine;
  TL_TRY(tl_alloc(context, (void **)&engine, 1, sizeof *engine, "engine"));
  memset((void *)engine, 0, sizeof *engine);
  engine->base.ops = &tl_cuda_engine_ops;
  engine->context = context;
  engine->device = device;
  engine->target = device->stream;
  const talus_status status = results_make(engine);
  if (status != TALUS_OK) {
    engine_destroy(&engine->base);
    return status;
  }
  *result = &engine->base;
  return TALUS_OK;
}
