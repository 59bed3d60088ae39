/* sum_exact_cuda.h: sums without any rounding (item/exact.h), for problems with bricks. */
#ifndef TL_SUM_EXACT_CUDA_H
#define TL_SUM_EXACT_CUDA_H

#include <cuda_runtime.h>

#include "kernels/item/exact.h"

/* Adds a number to a sum that all threads of a block, or of several, add to. */
static __device__ __forceinline__ void tl_sum_exact_add(tl_exact *sum, double value) {
  const tl_exact_term term = tl_exact_split(value);
  const int digits = term.first == TL_EXACT_DIGITS - 1 ? 1 : 3;
  for (int n = 0; n < digits; n++) {
    const int64_t digit = term.negative ? -(int64_t)term.digit[n] : (int64_t)term.digit[n];
    atomicAdd((unsigned long long *)&sum->digit[term.first + n], (unsigned long long)digit);
  }
}

/* The sum of an array of partial sums without any rounding (item/exact.h), by all threads of a
 * block; thread 0's. Integers are added in any order. A call of its own: it is rare, and would cost
 * the kernels registers. */
static __device__ __attribute__((noinline, unused)) double tl_sum_exact(const double *partial,
                                                                        unsigned count) {
  __shared__ tl_exact sum;
  const volatile double *const fresh = partial;
  __syncthreads();
  for (unsigned i = threadIdx.x; i < TL_EXACT_DIGITS; i += 256) {
    sum.digit[i] = 0;
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < count; i += 256) {
    tl_sum_exact_add(&sum, fresh[i]);
  }
  __syncthreads();
  return threadIdx.x == 0 ? tl_exact_round(&sum) : 0;
}

#endif
