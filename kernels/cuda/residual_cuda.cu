/* residual_cuda.cu: the sum of all contacts' residuals at the current impulses. */
#include "kernels/item/residual.h"

#include "kernels/cuda/contact_cuda.cuh"

namespace {

struct residual_pass {
  enum { when = TL_ALWAYS };
  static __device__ __forceinline__ tl_share share(const tl_cuda_work &work, const tl_range range,
                                                   int32_t k) {
    const tl_residual residual = tl_residual_of(&work.view, range, k);
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

talus_status tl_cuda_residual(tl_engine *base, double squares[2], int64_t *passes) {
  tl_cuda_engine *const engine = (tl_cuda_engine *)base;
  TL_ENGINE_ENTER(engine);
  if (engine->stale) {
    TL_TRY(
        tl_cuda_units_respond(engine, engine->work.view.x, engine->work.view.velocity, TL_ALWAYS));
    engine->stale = 0;
    *passes += 1;
  }
  TL_TRY(tl_cuda_contacts<residual_pass>(engine));
  TL_TRY(tl_cuda_result(engine));
  squares[TL_LAW_CCP] = engine->result->squares[TL_LAW_CCP];
  squares[TL_LAW_COULOMB] = engine->result->squares[TL_LAW_COULOMB];
  *passes += 1;
  return TALUS_OK;
}
