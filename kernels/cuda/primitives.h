/* primitives.h: sorting, scanning and counting runs on the device.
 *
 * The only door to CUB; its types do not show here, and tests/emu has a twin without CUB. Every
 * call comes twice: with scratch NULL it writes the bytes it needs to *scratch_bytes and does
 * nothing else; then it queues the work on the stream, where *scratch_bytes is the size of scratch.
 * All arrays are device memory; inputs are left as they are and must not overlap outputs or
 * scratch. No call waits for the device, and all may be captured into a graph. count = 0 is
 * allowed. */
#ifndef TL_CUDA_PRIMITIVES_H
#define TL_CUDA_PRIMITIVES_H

#include <cuda_runtime.h>

#include <stdint.h>

/* Sorts by the lowest key_bits bits (1 to 32) of the keys. Stable: equal keys keep their order. */
cudaError_t tl_cuda_sort_pairs(const uint32_t *keys_in, uint32_t *keys_out,
                               const uint32_t *values_in, uint32_t *values_out, int64_t count,
                               int key_bits, void *scratch, size_t *scratch_bytes,
                               cudaStream_t stream);

/* sums[i] = counts[0] + ... + counts[i - 1] modulo 2^32; sums[0] = 0. */
cudaError_t tl_cuda_exclusive_scan(const uint32_t *counts, uint32_t *sums, int64_t count,
                                   void *scratch, size_t *scratch_bytes, cudaStream_t stream);

/* Runs of equal neighbours: their keys, their lengths, and (on the device) how many there are.
 * unique and lengths need room for as many runs as there may be; count below 2^31. */
cudaError_t tl_cuda_run_lengths(const uint32_t *keys, uint32_t *unique, uint32_t *lengths,
                                uint32_t *run_count, int64_t count, void *scratch,
                                size_t *scratch_bytes, cudaStream_t stream);

#endif
