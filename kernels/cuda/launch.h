/* launch.h: the one way in which kernels are started.
 *
 * Everything goes through cudaLaunchKernelEx and never through the triple brackets, so that a plain
 * C++ compiler can read every .cu file (tests/emu), and so that the arguments are converted to the
 * types the kernel declares. There is no dynamic shared memory: sizes are known when compiling. */
#ifndef TL_CUDA_LAUNCH_H
#define TL_CUDA_LAUNCH_H

#include <cuda_runtime.h>

#include <stdint.h>

#include "kernels/cuda/device_cuda.h"

/* Blocks of that many threads which cover count items. */
static inline unsigned tl_cuda_blocks(int64_t count, unsigned threads) {
  return count > 0 ? (unsigned)((count + threads - 1) / threads) : 0;
}

/* Starts kernel(args...) on blocks x threads. No blocks means no items: nothing to start. A failed
 * launch is returned and not left behind as the last error, where the next caller would find it. */
template <class... P, class... A>
cudaError_t tl_cuda_launch(cudaStream_t stream, unsigned blocks, unsigned threads,
                           void (*kernel)(P...), A... args) {
  if (blocks == 0) {
    return cudaSuccess;
  }
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.stream = stream;
  const cudaError_t error = cudaLaunchKernelEx(&config, kernel, args...);
  if (error != cudaSuccess) {
    (void)cudaGetLastError();
  }
  return error;
}

/* The same, counted. */
template <class... P, class... A>
cudaError_t tl_cuda_start(tl_cuda_device *device, cudaStream_t stream, unsigned blocks,
                          unsigned threads, void (*kernel)(P...), A... args) {
  device->context->counts.launches += blocks > 0;
  return tl_cuda_launch(stream, blocks, threads, kernel, args...);
}

/* Loads kernel(args...) without starting it: at its first launch, which is when it is loaded
 * otherwise, a graph may be under record, and that forbids it. */
template <class... P, class... A> cudaError_t tl_cuda_load(void (*kernel)(P...), A...) {
  cudaFuncAttributes attributes;
  const cudaError_t error = cudaFuncGetAttributes(&attributes, kernel);
  if (error != cudaSuccess) {
    (void)cudaGetLastError();
  }
  return error;
}

#endif
