/* queue_cuda.cu: a whole solve queued before the host has seen anything of it, so that it waits
 * once: assembly, impulses of the caller's, iterations up to the first look, certificate, results.
 *
 * The device decides one thing, whether the impulses are good enough to begin with: then the
 * iterations do nothing. All else stays with the host, which makes the solve as ever after the
 * wait, with operations that do nothing but tell what was found (`answers`). Where it asks for
 * something that was not queued it is told so, and the solve has to be made once more. So the host
 * alone decides what a solve is, and its bits are those of a solve that was not queued. */
#include <string.h>

#include "kernels/cuda/engine_cuda.cuh"

namespace {

/* After the residual to begin with: as control_reset_kernel and control_prepare_kernel; iterations
 * do nothing where R(x) <= tolerance R(0). */
__global__ void control_queue_kernel(tl_control *control, const tl_rule rule,
                                     const double lipschitz, const double *square,
                                     const int32_t law, const double tolerance) {
  tl_state state = {};
  state.lipschitz = lipschitz;
  state.theta = 1;
  state.fresh = 1;
  tl_state_begin(&state);
  state.stopped = sqrt(control->squares[law]) / sqrt(*square) <= tolerance;
  control->begun[TL_LAW_CCP] = control->squares[TL_LAW_CCP];
  control->begun[TL_LAW_COULOMB] = control->squares[TL_LAW_COULOMB];
  control->state = state;
  control->rule = rule;
  control->pace = tl_pace_make(&control->state, &control->rule);
}

/* The iterations up to the first look, of the kind that the last solve made; none, if it is not
 * known. */
talus_status iterations_queue(tl_cuda_engine *engine) {
  const tl_cuda_asked *const asked = &engine->asked;
  if (!asked->known) {
    return TALUS_OK;
  }
  return asked->kind == TL_ITERATE_SWEEP
             ? tl_cuda_sweep_queue(engine, &asked->rule, asked->rule.look)
             : tl_cuda_gradient_queue(engine, &asked->rule, asked->rule.look);
}

talus_status results_queue(tl_cuda_engine *engine, const tl_queue_request *request) {
  engine->results_left = 0;
  for (int i = 0; i < TL_RESULT_COUNT; i++) {
    if (request->result[i].array != NULL) {
      TL_TRY(
          tl_cuda_judge_give(engine->device, &engine->assembly, (tl_result)i, &request->result[i]));
      engine->results_left++;
    }
  }
  return TALUS_OK;
}

talus_status solve_queue(tl_cuda_engine *engine, const tl_queue_request *request,
                         const double *square) {
  const tl_engine_ops *const ops = engine->base.ops;
  TL_TRY(ops->take(&engine->base, &request->impulse));
  TL_TRY(ops->start(&engine->base, TL_START_KEPT, NULL, engine->asked.lipschitz));
  TL_TRY(tl_cuda_residual_queue(engine, NULL));
  tl_real *const begin = engine->work.view.x;
  TL_LAUNCH(engine, 1, 1, control_queue_kernel, engine->work.control, engine->asked.rule,
            engine->asked.lipschitz, square, request->law, request->tolerance);
  TL_TRY(iterations_queue(engine));
  TL_TRY(tl_cuda_end_queue(engine, begin, TL_CONTROL_QUEUED));
  return results_queue(engine, request);
}

/* ---- answers --------------------------------------------------------------------------------- */

/* From now on operations are themselves again. */
talus_status refuse(tl_cuda_engine *engine) {
  engine->base.ops = &tl_cuda_engine_ops;
  return TL_NOT_QUEUED;
}

bool same_arrays(const tl_raw *a, const tl_raw *b) {
  bool same = a->body_count == b->body_count && a->contact_count == b->contact_count &&
              a->coloured == b->coloured && a->friction.array == b->friction.array &&
              a->angular_velocity.array == b->angular_velocity.array &&
              a->compliance.array == b->compliance.array &&
              a->target_impulse.array == b->target_impulse.array;
#define TL_FIELD(type, name, components, of) same = same && a->name.array == b->name.array;
  TL_RAW_LIST(TL_FIELD)
#undef TL_FIELD
  return same;
}

talus_status answer_upload(tl_engine *base, const tl_system *system, tl_raw *raw, int32_t threads) {
  (void)system;
  (void)threads;
  tl_cuda_engine *const engine = (tl_cuda_engine *)base;
  if (raw == NULL || !same_arrays(raw, &engine->queued_raw)) {
    return refuse(engine);
  }
  tl_cuda_assemble_answer(&engine->assembly, raw);
  return raw->taken ? TALUS_OK : refuse(engine);
}

talus_status answer_take(tl_engine *base, const tl_caller_array *impulse) {
  tl_cuda_engine *const engine = (tl_cuda_engine *)base;
  return impulse->array == engine->request.impulse.array ? TALUS_OK : refuse(engine);
}

talus_status answer_start(tl_engine *base, tl_start from, const double *impulse, double lipschitz) {
  (void)impulse;
  tl_cuda_engine *const engine = (tl_cuda_engine *)base;
  engine->started = lipschitz;
  return from == TL_START_KEPT && !engine->iterated ? TALUS_OK : refuse(engine);
}

talus_status answer_iterate(tl_engine *base, tl_iteration kind, const tl_rule *rule, int32_t count,
                            tl_state *state, int64_t *passes) {
  tl_cuda_engine *const engine = (tl_cuda_engine *)base;
  const tl_cuda_asked *const asked = &engine->asked;
  const int32_t made = engine->result->state.made;
  tl_rule same = *rule;
  same.enough = asked->rule.enough; /* which nobody asks before the first look */
  if (engine->iterated || made == 0 || made > count || kind != asked->kind ||
      engine->started != asked->lipschitz || memcmp(&same, &asked->rule, sizeof same) != 0) {
    return refuse(engine);
  }
  engine->iterated = true;
  *state = engine->result->state;
  *passes += made;
  return TALUS_OK;
}

talus_status answer_residual(tl_engine *base, double squares[2], int64_t *passes) {
  tl_cuda_engine *const engine = (tl_cuda_engine *)base;
  const tl_control *const result = engine->result;
  if (result->strange != 0) {
    return refuse(engine);
  }
  for (int law = 0; law < TL_LAW_COUNT; law++) {
    squares[law] = engine->iterated ? result->squares[law] : result->begun[law];
  }
  engine->base.strange = false;
  *passes += 1;
  return TALUS_OK;
}

talus_status answer_keep(tl_engine *base) {
  tl_cuda_engine *const engine = (tl_cuda_engine *)base;
  engine->judged_kept = engine->iterated == (engine->result->state.made > 0);
  return TALUS_OK;
}

talus_status answer_judge(tl_engine *base, tl_judge_sums *sums, tl_judge_balance *balance) {
  tl_cuda_engine *const engine = (tl_cuda_engine *)base;
  if (!engine->judged_kept) {
    return refuse(engine);
  }
  *sums = engine->judged->sums;
  *balance = engine->judged->balance;
  return TALUS_OK;
}

talus_status answer_give(tl_engine *base, tl_result which, const tl_caller_array *array) {
  tl_cuda_engine *const engine = (tl_cuda_engine *)base;
  if (!engine->judged_kept || array->array != engine->request.result[which].array) {
    return refuse(engine);
  }
  if (--engine->results_left == 0) {
    engine->base.ops = &tl_cuda_engine_ops;
  }
  return TALUS_OK;
}

talus_status answer_lipschitz(tl_engine *base, int32_t scaled, int32_t count, double *lambda) {
  (void)scaled;
  (void)count;
  (void)lambda;
  return refuse((tl_cuda_engine *)base);
}

talus_status answer_finish(tl_engine *base, double *impulse) {
  (void)impulse;
  return refuse((tl_cuda_engine *)base);
}

void answer_destroy(tl_engine *base) {
  tl_cuda_engine_ops.destroy(base);
}

const tl_engine_ops answers = {
    /* .destroy = */ answer_destroy,
    /* .upload = */ answer_upload,
    /* .start = */ answer_start,
    /* .iterate = */ answer_iterate,
    /* .residual = */ answer_residual,
    /* .keep = */ answer_keep,
    /* .estimate_lipschitz = */ answer_lipschitz,
    /* .finish = */ answer_finish,
    /* .take = */ answer_take,
    /* .judge = */ answer_judge,
    /* .give = */ answer_give,
    /* .queue = */ tl_cuda_queue,
};

} // namespace

talus_status tl_cuda_queue(tl_engine *base, const tl_raw *raw, const tl_queue_request *request,
                           bool *queued) {
  tl_cuda_engine *const engine = (tl_cuda_engine *)base;
  const double *square;
  engine->base.ops = &tl_cuda_engine_ops; /* even where the device is lost */
  *queued = false;
  TL_CUDA_ENTER(engine->device);
  if (raw == NULL || !engine->ready || !engine->built) {
    return TALUS_OK;
  }
  TL_TRY(tl_cuda_upload_queue(engine, raw, request->law, &square, queued));
  if (*queued) {
    TL_TRY(solve_queue(engine, request, square));
    engine->queued_raw = *raw;
    engine->request = *request;
    engine->iterated = engine->judged_kept = false;
    engine->base.ops = &answers;
  }
  return TALUS_OK;
}
