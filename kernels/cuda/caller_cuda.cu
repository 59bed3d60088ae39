/* caller_cuda.cu: impulses of the caller's in device memory, for problems that an upload has built
 * there. The way back: ahead_cuda.cu. */
#include "kernels/cuda/engine_cuda.cuh"

namespace {

/* The caller's impulses are put aside; *strange: one of them is no number. */
__global__ void __launch_bounds__(TL_CHUNK)
    impulses_take_kernel(const tl_cuda_judging j, const double *impulse, tl_real *best,
                         tl_control *control) {
  const int64_t i = tl_thread_index();
  if (i < 3 * (int64_t)j.live->contacts) {
    const double x = impulse[3 * (int64_t)j.order[i / 3] + i % 3];
    best[i] = (tl_real)(j.unit[1] / j.unit[0] * x);
    if (!isfinite(x)) {
      atomicOr(&control->strange, 1u);
    }
  }
}

} // namespace

talus_status tl_cuda_take(tl_engine *base, const tl_caller_array *impulse) {
  tl_cuda_engine *const engine = (tl_cuda_engine *)base;
  TL_ENGINE_ENTER(engine);
  tl_cuda_device *const device = engine->device;
  tl_cuda_judging judging;
  TL_TRY(tl_cuda_field_check(device, impulse, 1));
  TL_TRY(tl_cuda_judge_open(device, &engine->assembly, &judging));
  engine->judged_now = engine->judged_kept = engine->start_kept = false;
  const double *from = (const double *)impulse->array;
  if (impulse->scalar != TL_SCALAR_F64 || impulse->stride != 3 * (int64_t)sizeof *from) {
    TL_TRY(tl_cuda_field_pack(device, impulse, judging.impulse, &judging.live->contacts));
    from = judging.impulse;
  }
  if (engine->taken) { /* since the upload, which clears the flag */
    TL_TRY(tl_cuda_fill(device, &engine->work.control->strange, 0,
                        sizeof engine->work.control->strange));
  }
  engine->taken = true;
  TL_LAUNCH(engine, tl_cuda_blocks(3 * (int64_t)judging.capacity, TL_CHUNK), TL_CHUNK,
            impulses_take_kernel, judging, from, engine->work.view.best, engine->work.control);
  return TALUS_OK;
}
