/* caller_cuda.cu: impulses of the caller's in device memory, for problems that an upload has built
 * there. The way back: ahead_cuda.cu. */
#include "kernels/cuda/engine_cuda.cuh"

namespace {

/* The caller's impulses are put aside; *strange: one of them is no number. */
__global__ void __launch_bounds__(TL_CHUNK)
    impulses_take_kernel(const tl_cuda_judging j, const int64_t count, tl_real *best,
                         tl_control *control) {
  const int64_t i = tl_thread_index();
  if (i < count) {
    const double x = j.impulse[3 * (int64_t)j.order[i / 3] + i % 3];
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
  TL_TRY(tl_cuda_field_pack(device, impulse, judging.impulse));
  if (engine->taken) { /* since the upload, which clears the flag */
    TL_TRY(tl_cuda_fill(device, &engine->work.control->strange, 0,
                        sizeof engine->work.control->strange));
  }
  engine->taken = true;
  const int64_t count = 3 * (int64_t)engine->work.view.shape.contact_count;
  TL_LAUNCH(engine, tl_cuda_blocks(count, TL_CHUNK), TL_CHUNK, impulses_take_kernel, judging, count,
            engine->work.view.best, engine->work.control);
  return TALUS_OK;
}
