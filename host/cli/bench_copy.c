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

#include "host/base/base.h"
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

/* Copies the part of each thread; returns the seconds it took. */
static double copy_once(double *restrict to, const double *restrict from, int threads) {
  const size_t part = part_of(threads);
  const double begin = tl_clock();
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int t = 0; t < threads; t++) {
    for (size_t i = part * (size_t)t; i < part * ((size_t)t + 1); i++) {
      to[i] = -from[i];
    }
  }
  return tl_clock() - begin;
}

double tl_bench_copy(int threads) {
  double *const from = malloc(array_bytes), *const to = malloc(array_bytes);
  double best = 0;
  if (from != NULL && to != NULL) {
    const size_t part = part_of(threads);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int t = 0; t < threads; t++) {
      memset(from + part * (size_t)t, 1, part * sizeof *from);
      memset(to + part * (size_t)t, 2, part * sizeof *to);
    }
    for (int round = 0; round < ROUNDS; round++) {
      const double seconds = copy_once(to, from, threads);
      const double rate = 2 * (double)(part * (size_t)threads * sizeof(double)) / seconds;
      best = rate > best ? rate : best;
    }
  }
  free(from);
  free(to);
  return best;
}
