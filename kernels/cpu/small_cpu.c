/* small_cpu.c: small problems each by a team of one; threads take the next.
 *
 * Their loops are short and full of arithmetic, so that wide registers pay: a second version of the
 * whole, for machines that have them, is chosen when the library is loaded. Each element is
 * computed as before, so the bits are the same. */
#include "kernels/cpu/small_cpu.h"

#include "host/base/each.h"
#include "kernels/item/phase.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

WIDE static void problem_run(const tl_small_batch *batch, int32_t i, double *scratch) {
  const tl_small_problem *const problem = &batch->problem[i];
  tl_small_result *const result = &batch->result[i];
  for (int32_t p = 0; p < batch->phase_count; p++) {
    const tl_small_phase *const phase = &batch->phase[p];
    if (result->epsilon <= phase->tolerance) {
      return;
    }
    tl_small_room room = tl_small_room_make(problem, batch->best[i], scratch);
    result->phase = p;
    tl_small_phase_run(problem, phase, &room, result);
  }
}

talus_status tl_cpu_small(talus_context *context, const tl_small_batch *batch) {
  (void)context;
  const int32_t threads = batch->threads > 1 ? batch->threads : 1;
  int32_t next = 0;
  TL_EACH(threads, threads > 1, int32_t, t, threads, {
    for (int32_t i; (i = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED)) < batch->count;) {
      problem_run(batch, i, batch->room + batch->room_stride * t);
    }
  });
  return TALUS_OK;
}
