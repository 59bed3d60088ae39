/* reduce.c: each chunk leaves its sums and maxima in a place of its own; the chunks are added up
 * over the same tree. Exact sums of threads are added in any order. */
#include "host/math/reduce.h"

#include <assert.h>
#include <string.h>

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

/* ---- exact ----------------------------------------------------------------------------------- */

typedef struct exact_task {
  talus_context *context;
  const tl_reduction *reduction;
  int64_t count;
  tl_exact *sum; /* both of all threads */
  double *maximum;
} exact_task;

static void exact_add(tl_exact *sum, const tl_exact *other) {
  for (int i = 0; i < TL_EXACT_DIGITS; i++) {
    sum->digit[i] += other->digit[i];
  }
}

static void chunks_reduce_exact(void *arguments, int64_t first, int64_t end) {
  const exact_task *const t = arguments;
  const tl_reduction *const r = t->reduction;
  double leaf[VALUES][TL_REDUCE_CHUNK], most[VALUES] = {0};
  tl_exact sum[VALUES];
  memset(sum, 0, (size_t)r->sum_count * sizeof *sum);
  for (int64_t c = first; c < end; c++) {
    const int64_t begin = c * TL_REDUCE_CHUNK, left = t->count - begin;
    const int32_t count = left < TL_REDUCE_CHUNK ? (int32_t)left : TL_REDUCE_CHUNK;
    r->function(r->arguments, begin, count, leaf);
    for (int32_t n = 0; n < r->sum_count; n++) {
      tl_exact_add_all(&sum[n], leaf[n], count);
    }
    for (int32_t n = 0; n < r->maximum_count; n++) {
      const double here = largest(leaf[r->sum_count + n], count);
      most[n] = here > most[n] ? here : most[n];
    }
  }
  tl_each_lock(t->context);
  for (int32_t n = 0; n < r->sum_count; n++) {
    exact_add(&t->sum[n], &sum[n]);
  }
  for (int32_t n = 0; n < r->maximum_count; n++) {
    t->maximum[n] = most[n] > t->maximum[n] ? most[n] : t->maximum[n];
  }
  tl_each_unlock(t->context);
}

void tl_reduce_exact(talus_context *context, int64_t count, const tl_reduction *reduction,
                     tl_exact *sum, double *maximum) {
  const int64_t chunks = (count + TL_REDUCE_CHUNK - 1) / TL_REDUCE_CHUNK;
  exact_task task = {context, reduction, count, sum, maximum};
  assert(reduction->sum_count + reduction->maximum_count <= VALUES);
  memset(sum, 0, (size_t)reduction->sum_count * sizeof *sum);
  for (int32_t n = 0; n < reduction->maximum_count; n++) {
    maximum[n] = 0;
  }
  tl_each(context, tl_threads_for(context, count), chunks, chunks_reduce_exact, &task);
}
