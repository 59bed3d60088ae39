/* ahead_cuda.cu: residual and certificate are queued with the iterations, before the host has seen
 * how those ended, so that it waits once for all three. Of problems that an upload has built from
 * arrays in device memory.
 *
 * The certificate of the current impulses becomes that of the kept ones when they are put aside;
 * results are handed out from the arrays behind it. */
#include "kernels/cuda/engine_cuda.cuh"

namespace {

/* Impulses in the caller's order and units. ended: after an odd number of iterations, by all stages
 * of a solve that was queued, x is where x_previous was. */
__global__ void __launch_bounds__(TL_CHUNK)
    impulses_give_kernel(const tl_real *now, const tl_real *previous, const tl_control *ended,
                         const tl_cuda_judging j) {
  const int64_t i = tl_thread_index();
  const tl_real *const from =
      ended != NULL && (ended->odd + ended->state.made) % 2 != 0 ? previous : now;
  if (i < 3 * (int64_t)j.live->contacts) {
    j.impulse[3 * (int64_t)j.order[i / 3] + i % 3] = j.unit[0] / j.unit[1] * (double)from[i];
  }
}

/* Queues the certificate of impulses. */
talus_status judge_queue(tl_cuda_engine *engine, const tl_real *now, const tl_real *previous,
                         const tl_control *ended) {
  tl_cuda_judging judging;
  engine->judged_now = engine->judged_kept = false;
  TL_TRY(tl_cuda_judge_open(engine->device, &engine->assembly, &judging));
  tl_cuda_bytes_count(engine);
  TL_LAUNCH(engine, tl_cuda_blocks(3 * (int64_t)judging.capacity, TL_CHUNK), TL_CHUNK,
            impulses_give_kernel, now, previous, ended, judging);
  return tl_cuda_judge(engine->device, &engine->assembly, engine->judged);
}

talus_status judge_kept(tl_cuda_engine *engine) {
  TL_TRY(judge_queue(engine, engine->work.view.best, NULL, NULL));
  engine->judged_kept = true;
  return TALUS_OK;
}

} // namespace

void tl_cuda_forget(tl_cuda_engine *engine) {
  engine->residual_known = engine->judged_now = false;
}

talus_status tl_cuda_judge_now(tl_cuda_engine *engine, tl_real *begin) {
  const tl_view *const view = &engine->work.view;
  TL_TRY(
      judge_queue(engine, view->x, view->x_previous, begin != NULL ? engine->work.control : NULL));
  engine->judged_now = true;
  return TALUS_OK;
}

/* Residual and certificate of the impulses that iterations lead to. */
static talus_status end_queue(tl_cuda_engine *engine, tl_real *begin) {
  if (begin != NULL && engine->work.view.x != begin) {
    tl_cuda_swap(engine);
  }
  TL_TRY(tl_cuda_residual_queue(engine, begin));
  return tl_cuda_judge_now(engine, begin);
}

talus_status tl_cuda_end(tl_cuda_engine *engine, tl_real *begin) {
  if (engine->built) {
    TL_TRY(end_queue(engine, begin));
  }
  TL_TRY(tl_cuda_result_queue(engine, TL_CONTROL_READ));
  TL_TRY(tl_cuda_wait(engine->device));
  const int32_t made = engine->result->state.made;
  engine->expected = engine->built ? (made + 9) / 10 * 10 : 0;
  engine->residual_known = engine->built;
  if (begin != NULL) {
    tl_cuda_settle(engine, begin, made);
  }
  return TALUS_OK;
}

int32_t tl_cuda_expect(tl_cuda_engine *engine, const tl_rule *rule, int32_t count) {
  const int32_t expected = engine->expected;
  engine->expected = 0; /* beyond it there is nothing to go by */
  return rule->look > 0 && expected > 0 && expected < count ? expected : count;
}

talus_status tl_cuda_judge_kept(tl_engine *base, tl_judge_sums *sums, tl_judge_balance *balance) {
  tl_cuda_engine *const engine = (tl_cuda_engine *)base;
  TL_ENGINE_ENTER(engine);
  if (!engine->judged_kept) {
    TL_TRY(judge_kept(engine));
    TL_TRY(tl_cuda_wait(engine->device));
  }
  *sums = engine->judged->sums;
  *balance = engine->judged->balance;
  return TALUS_OK;
}

talus_status tl_cuda_give(tl_engine *base, tl_result which, const tl_caller_array *array) {
  tl_cuda_engine *const engine = (tl_cuda_engine *)base;
  TL_ENGINE_ENTER(engine);
  if (!engine->judged_kept) { /* others were looked at since */
    TL_TRY(judge_kept(engine));
  }
  return tl_cuda_judge_give(engine->device, &engine->assembly, which, array);
}
