/* primitives.cu: the device primitives by CUB.
 *
 * Integers only, so that the results do not depend on the order in which CUB adds. The checks are
 * those which CUB leaves to its caller; everything else is handed through. */
#include "kernels/cuda/primitives.h"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>

#include <limits.h>

/* A null scratch is CUB's size query, so the size must not be 0 for anybody to pass memory. */
static cudaError_t size_floor(cudaError_t error, const void *scratch, size_t *scratch_bytes) {
  if (error == cudaSuccess && !scratch && *scratch_bytes == 0) {
    *scratch_bytes = 1;
  }
  return error;
}

cudaError_t tl_cuda_sort_pairs(const uint32_t *keys_in, uint32_t *keys_out,
                               const uint32_t *values_in, uint32_t *values_out, int64_t count,
                               int key_bits, void *scratch, size_t *scratch_bytes,
                               cudaStream_t stream) {
  if (count < 0 || key_bits < 1 || key_bits > 32 || !scratch_bytes) {
    return cudaErrorInvalidValue;
  }
  return size_floor(cub::DeviceRadixSort::SortPairs(scratch, *scratch_bytes, keys_in, keys_out,
                                                    values_in, values_out, count, 0, key_bits,
                                                    stream),
                    scratch, scratch_bytes);
}

cudaError_t tl_cuda_exclusive_scan(const uint32_t *counts, uint32_t *sums, int64_t count,
                                   void *scratch, size_t *scratch_bytes, cudaStream_t stream) {
  if (count < 0 || !scratch_bytes) {
    return cudaErrorInvalidValue;
  }
  return size_floor(
      cub::DeviceScan::ExclusiveSum(scratch, *scratch_bytes, counts, sums, count, stream), scratch,
      scratch_bytes);
}

cudaError_t tl_cuda_run_lengths(const uint32_t *keys, uint32_t *unique, uint32_t *lengths,
                                uint32_t *run_count, int64_t count, void *scratch,
                                size_t *scratch_bytes, cudaStream_t stream) {
  if (count < 0 || count > INT_MAX || !scratch_bytes) {
    return cudaErrorInvalidValue;
  }
  return size_floor(cub::DeviceRunLengthEncode::Encode(scratch, *scratch_bytes, keys, unique,
                                                       lengths, run_count, (int)count, stream),
                    scratch, scratch_bytes);
}
