/* reduce.c: each chunk leaves its sums and maxima in a place of its own; the chunks are added up
 * over the same tree. */
#include "host/math/reduce.h"

#include <assert.h>

#include "host/base/each.h"
#include "kernels/item/sum_tree.h"

enum { VALUES = 16 };

typedef struct reduce_task {
  const tl_reduction *reduction;
  int64_t count, chunk_count;
  double *partial; /* [values][chunk_count] */
} reduce_task;

static double largest(const double *value, int64_t count) {
  double most = 0;
  for (int64_t i = 0; i < count; i++) {
    most = value[i] > most ? value[i] : most;
  }
  return most;
}

static void chunks_reduce(void *arguments, int64_t first, int64_t end) {
  const reduce_task *const t = arguments;
  const tl_reduction *const r = t->reduction;
  double leaf[VALUES][TL_REDUCE_CHUNK];
  for (int64_t c = first; c < end; c++) {
    const int64_t begin = c * TL_REDUCE_CHUNK, left = t->count - begin;
    const int32_t count = left < TL_REDUCE_CHUNK ? (int32_t)left : TL_REDUCE_CHUNK;
    r->function(r->arguments, begin, count, leaf);
    for (int32_t n = 0; n < r->sum_count + r->maximum_count; n++) {
      t->partial[n * t->chunk_count + c] =
          n < r->sum_count ? tl_sum_leaves(leaf[n], count) : largest(leaf[n], count);
    }
  }
}

talus_status tl_reduce(talus_context *context, int64_t count, const tl_reduction *reduction,
                       tl_buffer *memory, double *result) {
  const int32_t values = reduction->sum_count + reduction->maximum_count;
  const int64_t chunks = (count + TL_REDUCE_CHUNK - 1) / TL_REDUCE_CHUNK;
  assert(values <= VALUES);
  TL_TRY(tl_buffer_reserve(context, memory, (size_t)(chunks * values), sizeof(double), "sums"));
  reduce_task task = {reduction, count, chunks, memory->memory};
  tl_each(context, tl_threads_for(context, count), chunks, chunks_reduce, &task);
  for (int32_t n = 0; n < values; n++) {
    const double *const partial = task.partial + n * chunks;
    result[n] = n < reduction->sum_count ? tl_sum_partials(partial, (int32_t)chunks)
                                         : largest(partial, chunks);
  }
  return TALUS_OK;
}
