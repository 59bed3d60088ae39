/* sum_cuda.h: sums over the fixed tree that every backend uses, by blocks of 256 threads.
 *
 * A block's 256 values are halved 16, 8, 4, 2, 1 in each warp by shuffles, then the eight sums 4,
 * 2,
 * 1. Partial sums of blocks: thread t of one block takes elements t, t + 256, ... in order. The CPU
 * (item/sum_tree.h) does the same in loops. No floating-point atomics: the block that finishes
 * last, told by an integer ticket, adds up what all have left in memory. */
#ifndef TL_SUM_CUDA_H
#define TL_SUM_CUDA_H

#include <cuda_runtime.h>

#include <stdint.h>

/* In place; the sums are thread 0's. A barrier must lie between two calls. */
template <int N> static __device__ __forceinline__ void tl_sum_block(double (&value)[N]) {
  __shared__ double group[N][8];
  for (int n = 0; n < N; n++) {
    for (int stride = 16; stride > 0; stride /= 2) {
      value[n] += __shfl_down_sync(0xffffffffu, value[n], stride);
    }
    if (threadIdx.x % 32 == 0) {
      group[n][threadIdx.x / 32] = value[n];
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int n = 0; n < N; n++) {
      const double *const g = group[n];
      value[n] = ((g[0] + g[4]) + (g[2] + g[6])) + ((g[1] + g[5]) + (g[3] + g[7]));
    }
  }
}

/* True in the last of `total` blocks to come here, in all of its threads; what thread 0 of the
 * others wrote before can then be read. The counter is left at 0 for the next time. */
static __device__ __forceinline__ bool tl_sum_is_last(unsigned *counter, unsigned total) {
  __shared__ unsigned ticket;
  if (threadIdx.x == 0) {
    __threadfence();
    ticket = atomicInc(counter, total - 1);
  }
  __syncthreads();
  if (ticket != total - 1) {
    return false;
  }
  __threadfence();
  return true;
}

/* This thread's leaf of an array of partial sums; volatile, since they come from other blocks. */
static __device__ __forceinline__ double tl_sum_leaf(const double *partial, unsigned count) {
  const volatile double *const fresh = partial;
  double sum = 0;
  for (unsigned i = threadIdx.x; i < count; i += 256) {
    sum += fresh[i];
  }
  return sum;
}

#endif
