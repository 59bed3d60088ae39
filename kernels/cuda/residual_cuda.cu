/* residual_cuda.cu: the sum of all contacts' residuals at the current impulses. */
#include "kernels/item/residual.h"

#include "kernels/cuda/contact_cuda.cuh"

namespace {

/* ENDED: after iterations, of which an odd number leaves x where x_previous was. */
template <int ENDED> struct residual_pass {
  enum { when = TL_ALWAYS, ordered = 0 };
  static __device__ __forceinline__ tl_share share(const tl_cuda_work &work, const tl_range range,
                                                   int32_t k) {
    tl_view view = work.view;
    if (ENDED && work.control->state.made % 2 != 0) {
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
  }
};

} // namespace

talus_status tl_cuda_residual_queue(tl_cuda_engine *engine, tl_real *begin) {
  return begin != NULL ? tl_cuda_contacts<residual_pass<1>>(engine)
                       : tl_cuda_contacts<residual_pass<0>>(engine);
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
