/* conquer_cpu.c: mechanisms each by a team of one; threads take the next. */
#include "kernels/cpu/conquer_cpu.h"

#include "host/base/each.h"
#include "kernels/item/conquer_team.h"

typedef struct conquer_task {
  const tl_conquer_batch *batch;
  int64_t next; /* atomic: the mechanism that is to be taken next */
} conquer_task;

static void threads_run(void *arguments, int64_t first, int64_t end) {
  conquer_task *const task = arguments;
  const tl_conquer_batch *const batch = task->batch;
  for (int64_t t = first; t < end; t++) {
    for (int64_t i; (i = tl_each_next(&task->next)) < batch->count;) {
      tl_conquest c = batch->conquest[i];
      tl_conquest_room(&c, batch->room + batch->room_stride * t);
      batch->singular[i] = !tl_conquer_run(&c);
    }
  }
}

talus_status tl_cpu_conquer(talus_context *context, const tl_conquer_batch *batch) {
  const int32_t threads = batch->threads > 1 ? batch->threads : 1;
  conquer_task task = {batch, 0};
  tl_each(context, threads, threads, threads_run, &task);
  return TALUS_OK;
}
