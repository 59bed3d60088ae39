/* caller_cuda.cu: impulses between an engine and the caller's order in device memory, for problems
 * that an upload has built there. */
#include "kernels/cuda/engine_cuda.cuh"

namespace {

/* The caller's impulses, times unit, are put aside; *strange: one of them is no number. */
__global__ void __launch_bounds__(TL_CHUNK)
    impulses_take_kernel(const double *given, const uint32_t *order, const int64_t count,
                         const double unit, tl_real *best, tl_control *control) {
  const int64_t i = tl_thread_index();
  if (i < count) {
    const double x = given[3 * (int64_t)order[i / 3] + i % 3];
    best[i] = (tl_real)(unit * x);
    if (!isfinite(x)) {
      atomicOr(&control->strange, 1u);
    }
  }
}

__global__ void __launch_bounds__(TL_CHUNK)
    impulses_give_kernel(const tl_real *best, const uint32_t *order, const int64_t count,
                         const double unit, double *given) {
  const int64_t i = tl_thread_index();
  if (i < count) {
    given[3 * (int64_t)order[i / 3] + i % 3] = unit * (double)best[i];
  }
}

} // namespace

talus_status tl_cuda_take(tl_engine *base, const tl_caller_array *impulse, double unit,
                          bool *finite) {
  tl_cuda_engine *const engine = (tl_cuda_engine *)base;
  TL_ENGINE_ENTER(engine);
  tl_cuda_device *const device = engine->device;
  const uint32_t *order;
  double *given;
  TL_TRY(tl_cuda_field_check(device, impulse, 1));
  TL_TRY(tl_cuda_judge_open(device, &engine->assembly, &order, &given));
  TL_TRY(tl_cuda_field_pack(device, impulse, given));
  TL_CUDA_TRY(device, cudaMemsetAsync(&engine->work.control->strange, 0,
                                      sizeof engine->work.control->strange, device->stream));
  const int64_t count = 3 * (int64_t)engine->work.view.shape.contact_count;
  TL_LAUNCH(engine, tl_cuda_blocks(count, TL_CHUNK), TL_CHUNK, impulses_take_kernel,
            (const double *)given, order, count, unit, engine->work.view.best,
            engine->work.control);
  TL_TRY(tl_cuda_result(engine));
  *finite = engine->result->strange == 0;
  return TALUS_OK;
}

talus_status tl_cuda_judge_kept(tl_engine *base, double unit, tl_judge_sums *sums,
                                tl_judge_balance *balance) {
  tl_cuda_engine *const engine = (tl_cuda_engine *)base;
  TL_ENGINE_ENTER(engine);
  const uint32_t *order;
  double *given;
  TL_TRY(tl_cuda_judge_open(engine->device, &engine->assembly, &order, &given));
  tl_cuda_bytes_count(engine);
  const int64_t count = 3 * (int64_t)engine->work.view.shape.contact_count;
  TL_LAUNCH(engine, tl_cuda_blocks(count, TL_CHUNK), TL_CHUNK, impulses_give_kernel,
            (const tl_real *)engine->work.view.best, order, count, unit, given);
  return tl_cuda_judge(engine->device, &engine->assembly, sums, balance);
}

talus_status tl_cuda_give(tl_engine *base, tl_result which, const tl_caller_array *array) {
  tl_cuda_engine *const engine = (tl_cuda_engine *)base;
  TL_ENGINE_ENTER(engine);
  return tl_cuda_judge_give(engine->device, &engine->assembly, which, array);
}
