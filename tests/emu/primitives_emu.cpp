/* primitives_emu.cpp: kernels/cuda/primitives.h without CUB.
 *
 * The work is queued like a kernel, so that EMU_LAZY, EMU_GUARD and captures apply to it. Scratch
 * is asked for and overwritten, though nothing here needs it: a caller that gives too little, or
 * keeps something in it, shall notice here already. */
#include "kernels/cuda/primitives.h"

#include <limits.h>

#include <algorithm>
#include <numeric>
#include <vector>

/* Answers the size query, or queues the work; the bytes are of the order of CUB's. */
static cudaError_t queue(int64_t count, void *scratch, size_t *scratch_bytes, cudaStream_t stream,
                         std::function<void()> work) {
  const size_t need = 1024 + (size_t)count * 2 * sizeof(uint32_t);
  if (!scratch) {
    *scratch_bytes = need;
    return cudaSuccess;
  }
  if (*scratch_bytes < need) {
    return cudaErrorInvalidValue;
  }
  return emu_queue(stream, [scratch, need, work] {
    memset(scratch, 0xff, need);
    work();
  });
}

static void sort_pairs(const uint32_t *keys_in, uint32_t *keys_out, const uint32_t *values_in,
                       uint32_t *values_out, size_t count, int key_bits) {
  const uint32_t mask = 0xffffffffu >> (32 - key_bits);
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), (size_t)0);
  std::stable_sort(order.begin(), order.end(), [keys_in, mask](size_t a, size_t b) {
    return (keys_in[a] & mask) < (keys_in[b] & mask);
  });
  for (size_t i = 0; i < count; i++) {
    keys_out[i] = keys_in[order[i]];
    values_out[i] = values_in[order[i]];
  }
}

cudaError_t tl_cuda_sort_pairs(const uint32_t *keys_in, uint32_t *keys_out,
                               const uint32_t *values_in, uint32_t *values_out, int64_t count,
                               int key_bits, void *scratch, size_t *scratch_bytes,
                               cudaStream_t stream) {
  if (count < 0 || key_bits < 1 || key_bits > 32 || !scratch_bytes) {
    return cudaErrorInvalidValue;
  }
  return queue(count, scratch, scratch_bytes, stream, [=] {
    sort_pairs(keys_in, keys_out, values_in, values_out, (size_t)count, key_bits);
  });
}

cudaError_t tl_cuda_exclusive_scan(const uint32_t *counts, uint32_t *sums, int64_t count,
                                   void *scratch, size_t *scratch_bytes, cudaStream_t stream) {
  if (count < 0 || !scratch_bytes) {
    return cudaErrorInvalidValue;
  }
  return queue(count, scratch, scratch_bytes, stream, [=] {
    uint32_t sum = 0;
    for (int64_t i = 0; i < count; i++) {
      sums[i] = sum;
      sum += counts[i];
    }
  });
}

cudaError_t tl_cuda_run_lengths(const uint32_t *keys, uint32_t *unique, uint32_t *lengths,
                                uint32_t *run_count, int64_t count, void *scratch,
                                size_t *scratch_bytes, cudaStream_t stream) {
  if (count < 0 || count > INT_MAX || !scratch_bytes) {
    return cudaErrorInvalidValue;
  }
  return queue(count, scratch, scratch_bytes, stream, [=] {
    uint32_t runs = 0;
    for (int64_t i = 0; i < count; i++) {
      if (i == 0 || keys[i] != keys[i - 1]) {
        unique[runs] = keys[i];
        lengths[runs++] = 0;
      }
      lengths[runs - 1]++;
    }
    *run_count = runs;
  });
}
