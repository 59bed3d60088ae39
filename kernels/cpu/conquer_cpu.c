/* conquer_cpu.c: mechanisms each by a team of one; threads take the next. */
#include "kernels/cpu/conquer_cpu.h"

#include "host/base/each.h"
#include "kernels/item/conquer.h"

talus_status tl_cpu_conquer(talus_context *context, const tl_conquer_batch *batch) {
  (void)context;
  const int32_t threads = batch->threads > 1 ? batch->threads : 1;
  int32_t next = 0;
  TL_EACH(threads, threads > 1, int32_t, t, threads, {
    for (int32_t i; (i = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED)) < batch->count;) {
      tl_conquest c = batch->conquest[i];
      tl_conquest_room(&c, batch->room + batch->room_stride * t);
      batch->singular[i] = !tl_conquer_run(&c);
    }
  });
  return TALUS_OK;
}
