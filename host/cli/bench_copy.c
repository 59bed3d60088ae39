/* bench_copy.c: how fast this machine copies memory, the limit that a pass is measured against.
 *
 * Arrays of 256 MB, each thread copying its own part, which it has also touched first, by plain
 * loads and stores as the kernels use them. The sign is changed on the way: otherwise the compiler
 * calls memcpy, whose stores may go round the caches. A shared last-level cache of that size
 * (server processors have such) can hold part of the arrays: then the figure is above what the
 * memory alone gives, and the limit is a strict one. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "host/base/each.h"
#include "host/cli/bench.h"

enum { ROUNDS = 7 };
static const size_t array_bytes = (size_t)256 << 20;

double tl_bench_copy_array_bytes(void) {
  return (double)array_bytes;
}

/* The part of each thread, in reals: whole cache lines. */
static size_t part_of(int threads) {
  return array_bytes / sizeof(double) / (size_t)threads / 8 * 8;
}

typedef struct arrays {
  double *from, *to;
  size_t part;
} arrays;

static void parts_touch(void *arguments, int64_t first, int64_t end) {
  const arrays *const a = arguments;
  for (size_t t = (size_t)first; t < (size_t)end; t++) {
    memset(a->from + a->part * t, 1, a->part * sizeof *a->from);
    memset(a->to + a->part * t, 2, a->part * sizeof *a->to);
  }
}

static void parts_copy(void *arguments, int64_t first, int64_t end) {
  const arrays *const a = arguments;
  const double *restrict const from = a->from;
  double *restrict const to = a->to;
  for (size_t i = a->part * (size_t)first; i < a->part * (size_t)end; i++) {
    to[i] = -from[i];
  }
}

static double best_rate(talus_context *context, arrays *a, int threads) {
  double best = 0;
  tl_each(context, threads, threads, parts_touch, a);
  for (int round = 0; round < ROUNDS; round++) {
    const double begin = tl_clock();
    tl_each(context, threads, threads, parts_copy, a);
    const double seconds = tl_clock() - begin;
    const double rate = 2 * (double)(a->part * (size_t)threads * sizeof(double)) / seconds;
    best = rate > best ? rate : best;
  }
  return best;
}

double tl_bench_copy(int threads) {
  arrays a = {malloc(array_bytes), malloc(array_bytes), part_of(threads)};
  talus_context_def def = talus_context_def_default();
  talus_context *context = NULL;
  double best = 0;
  def.backend = TALUS_BACKEND_CPU;
  if (a.from != NULL && a.to != NULL && talus_context_create(&def, &context) == TALUS_OK) {
    best = best_rate(context, &a, threads);
  }
  talus_context_destroy(context);
  free(a.from);
  free(a.to);
  return best;
}
