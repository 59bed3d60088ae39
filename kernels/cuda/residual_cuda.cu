/* residual_cuda.cu: the sum of all contacts' residuals at the current impulses. */
#include "kernels/item/residual.h"

#include "kernels/cuda/contact_cuda.cuh"

namespace {

/* Of a solve that is queued: what was made, and whether more is to follow, as passes_check of
 * host/solve/run.c has it. Where iterations did not end by a look, or the target is met, the host
 * goes on. */
__device__ __forceinline__ void stage_end(tl_control *control) {
  tl_stage *const stage = &control->stage[control->stages++];
  stage->state = control->state;
  stage->squares[TL_LAW_CCP] = control->squares[TL_LAW_CCP];
  stage->squares[TL_LAW_COULOMB] = control->squares[TL_LAW_COULOMB];
  stage->ratio = control->rule.ratio;
  stage->enough = control->rule.enough;
  const double residual = sqrt(control->squares[control->law]);
  const double epsilon = residual / control->reference;
  const double norm = tl_state_size(&control->state, control->rule.sweeps);
  control->ended = !control->state.stopped || !(epsilon > control->target);
  control->improved = epsilon < control->best;
  control->best = control->improved ? epsilon : control->best;
  control->odd ^= control->state.made % 2;
  control->rule.ratio = norm > 0 && norm - norm == 0 ? residual / norm : 0;
  control->rule.enough = 1.1 * control->target * control->reference;
  tl_state_begin(&control->state);
  control->state.stopped = control->ended;
  control->pace = tl_pace_make(&control->state, &control->rule);
}

enum { PLAIN, ENDED, ANEW };

/* ENDED: after iterations, of which an odd number leaves x where x_previous was. ANEW: after a
 * restart. */
template <int WHEN> struct residual_pass {
  enum { ordered = 0 };
  static __device__ __forceinline__ bool is_due(const tl_control *control) {
    return WHEN == PLAIN || (WHEN == ENDED && !control->ended) ||
           (WHEN == ANEW && control->restart);
  }
  static __device__ __forceinline__ tl_share share(const tl_cuda_work &work, const tl_range range,
                                                   int32_t k) {
    tl_view view = work.view;
    if (WHEN == ENDED && work.control->state.made % 2 != 0) {
      view.x = work.view.x_previous;
    }
    const tl_residual residual = tl_residual_of(&view, range, k);
    tl_share share;
    share.step_norm2 = residual.ccp;
    share.restart_test = residual.coulomb;
    return share;
  }
  static __device__ __forceinline__ void finish(tl_control *control, double ccp, double coulomb) {
    control->squares[TL_LAW_CCP] = ccp;
    control->squares[TL_LAW_COULOMB] = coulomb;
    if (WHEN == ENDED && control->queued) {
      stage_end(control);
    }
    if (WHEN == ANEW) {
      control->anew[TL_LAW_CCP] = ccp;
      control->anew[TL_LAW_COULOMB] = coulomb;
      control->best = sqrt(control->squares[control->law]) / control->reference;
    }
  }
};

} // namespace

talus_status tl_cuda_residual_queue(tl_cuda_engine *engine, tl_real *begin) {
  return begin != NULL ? tl_cuda_contacts<residual_pass<ENDED>>(engine)
                       : tl_cuda_contacts<residual_pass<PLAIN>>(engine);
}

talus_status tl_cuda_residual_anew(tl_cuda_engine *engine) {
  return tl_cuda_contacts<residual_pass<ANEW>>(engine);
}

/* What follows from it is known only with the certificate: impulses that were taken may be good
 * enough as they are. */
static talus_status residual_find(tl_cuda_engine *engine) {
  TL_TRY(tl_cuda_residual_queue(engine, NULL));
  if (engine->taken) {
    TL_TRY(tl_cuda_judge_now(engine, NULL));
  }
  TL_TRY(tl_cuda_result(engine));
  engine->residual_known = true;
  return TALUS_OK;
}

talus_status tl_cuda_residual(tl_engine *base, double squares[2], int64_t *passes) {
  tl_cuda_engine *const engine = (tl_cuda_engine *)base;
  TL_ENGINE_ENTER(engine);
  if (engine->ranks.halo != NULL) {
    return tl_cuda_ranks_residual(engine, squares, passes);
  }
  if (engine->stale) {
    TL_TRY(
        tl_cuda_units_respond(engine, engine->work.view.x, engine->work.view.velocity, TL_ALWAYS));
    engine->stale = 0;
    *passes += 1;
  }
  if (!engine->residual_known) {
    TL_TRY(residual_find(engine));
  }
  engine->base.strange = engine->result->strange != 0;
  squares[TL_LAW_CCP] = engine->result->squares[TL_LAW_CCP];
  squares[TL_LAW_COULOMB] = engine->result->squares[TL_LAW_COULOMB];
  *passes += 1;
  return TALUS_OK;
}
