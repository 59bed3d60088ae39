/* dense_form_cuda.cu: kernels around the libraries' factors: matrices formed block by block, W
 * applied, pivots.
 *
 * A block of threads per constraint or unit writes rows that no other one writes, in a fixed order:
 * no atomics, the same bits from run to run. */
#include "kernels/cuda/dense_cuda.cuh"
#include "kernels/cuda/launch.h"
#include "kernels/item/linear_block.h"

namespace {

enum { THREADS = 256, ROW_THREADS = 64, LANES = 32 };

/* Full W; what has no block is 0. */
__global__ void full_clear_kernel(const tl_dense_view *view, const int64_t count) {
  const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    view->w[i] = 0;
  }
}

__global__ void full_form_kernel(const tl_dense_view *view) {
  const tl_dense_view p = *view;
  const int32_t k = (int32_t)blockIdx.x, at = p.first[k], rows = p.first[k + 1] - at;
  for (int64_t e = p.block_first[k] + threadIdx.x; e < p.block_first[k + 1]; e += blockDim.x) {
    const int32_t to = p.first[p.block_column[e]];
    const int32_t columns = p.first[p.block_column[e] + 1] - to;
    for (int32_t i = 0; i < rows; i++) {
      for (int32_t j = 0; j < columns; j++) {
        p.w[at + i + (int64_t)p.rows * (to + j)] = p.block[9 * e + 3 * i + j];
      }
    }
  }
}

/* Zeros, and the identity where no constraint stands: behind the matrix, and under J^T G J. */
__global__ void clear_kernel(const tl_dense_view *views, const unsigned each, const int32_t order) {
  const tl_dense_view *const p = views + blockIdx.x / each;
  const int64_t at = (int64_t)(blockIdx.x % each) * blockDim.x + threadIdx.x;
  if (at < (int64_t)order * order) {
    const int32_t i = (int32_t)(at % order), j = (int32_t)(at / order);
    p->matrix[at] = i == j && (p->unit_count > 0 || i >= p->active) ? 1 : 0;
  }
}

__global__ void contacts_form_kernel(const tl_dense_view *views, const unsigned most,
                                     const int32_t order) {
  const tl_dense_view p = views[blockIdx.x / most];
  const int32_t k = (int32_t)(blockIdx.x % most);
  if (k >= p.count || p.place[k] < 0) {
    return;
  }
  const int32_t at = p.place[k], rows = p.first[k + 1] - p.first[k];
  for (int64_t e = p.block_first[k] + threadIdx.x; e < p.block_first[k + 1]; e += blockDim.x) {
    const int32_t l = p.block_column[e], to = p.place[l];
    if (to < 0) {
      continue;
    }
    double block[9];
    tl_linear_block(p.b + 9 * (int64_t)k, p.block + 9 * e,
                    p.scale != NULL ? p.scale + 9 * (int64_t)l : NULL, block);
    if (l == k) {
      tl_linear_block_add(p.a != NULL ? p.a + 9 * (int64_t)k : NULL, block);
    }
    for (int32_t i = 0; i < rows; i++) {
      for (int32_t j = 0; j < p.first[l + 1] - p.first[l]; j++) {
        p.matrix[at + i + (int64_t)order * (to + j)] = block[3 * i + j];
      }
    }
  }
}

/* Rows of one unit. An entry of the matrix is summed by one thread: which one follows from its
 * place among the unit's. */
__global__ void bodies_form_kernel(const tl_dense_view *views, const unsigned most,
                                   const int32_t order) {
  const tl_dense_view p = views[blockIdx.x / most];
  const int32_t u = (int32_t)(blockIdx.x % most);
  if (u >= p.unit_count) {
    return;
  }
  const int32_t at = p.unit_first[u], size = p.unit_first[u + 1] - at;
  for (int32_t n = p.end_first[u]; n < p.end_first[u + 1]; n++) {
    const int32_t k = p.end[n].constraint, rows = p.first[k + 1] - p.first[k];
    const double *const own = p.jacobian + p.entry[p.end[n].entry].jacobian;
    for (int32_t e = p.entry_first[k]; e < p.entry_first[k + 1]; e++) {
      const int32_t to = p.unit_first[p.entry[e].unit];
      const int32_t width = p.unit_first[p.entry[e].unit + 1] - to;
      for (int32_t t = (int32_t)threadIdx.x; t < size * width; t += (int32_t)blockDim.x) {
        const int32_t i = t % size, j = t / size;
        p.matrix[at + i + (int64_t)order * (to + j)] +=
            tl_linear_product(own, size, i, p.gain + 9 * (int64_t)k,
                              p.jacobian + p.entry[e].jacobian, width, j, rows);
      }
    }
  }
}

/* One row of blocks times y, summed over a fixed tree. */
__global__ void __launch_bounds__(LANES)
    blocks_apply_kernel(const tl_dense_view *views, const unsigned most) {
  __shared__ double part[3][LANES];
  const tl_dense_view p = views[blockIdx.x / most];
  const int32_t k = (int32_t)(blockIdx.x % most), lane = (int32_t)threadIdx.x;
  if (k >= p.count) {
    return;
  }
  double sum[3] = {0, 0, 0};
  for (int64_t e = p.block_first[k] + lane; e < p.block_first[k + 1]; e += LANES) {
    const int32_t l = p.block_column[e], columns = p.first[l + 1] - p.first[l];
    for (int32_t j = 0; j < columns; j++) {
      const double y = p.from[p.first[l] + j];
      for (int i = 0; i < 3; i++) {
        sum[i] += p.block[9 * e + 3 * i + j] * y;
      }
    }
  }
  for (int i = 0; i < 3; i++) {
    part[i][lane] = sum[i];
  }
  for (int32_t half = LANES / 2; half > 0; half /= 2) {
    __syncthreads();
    for (int i = 0; i < 3 && lane < half; i++) {
      part[i][lane] += part[i][lane + half];
    }
  }
  __syncthreads();
  if (lane < p.first[k + 1] - p.first[k]) {
    p.to[p.first[k] + lane] = part[lane][0];
  }
}

/* The sign is a parity: of the negative pivots and of the rows that changed places. */
__global__ void note_kernel(const tl_dense_view *views, const int32_t n, const int32_t order,
                            const int32_t cholesky, const int32_t *pivot, const int32_t *info,
                            int32_t *result) {
  __shared__ int changes;
  const tl_dense_view p = views[blockIdx.x];
  const int32_t lane = (int32_t)threadIdx.x;
  if (lane == 0) {
    changes = 0;
  }
  __syncthreads();
  int own = 0;
  for (int32_t c = lane; c < order && !cholesky; c += (int32_t)blockDim.x) {
    const int32_t row = c < n ? pivot[(int64_t)n * blockIdx.x + c] : c + 1;
    p.pivot[c] = row;
    own ^= (c < n && p.matrix[c + (int64_t)order * c] < 0) != (row != c + 1);
  }
  if (own != 0) {
    atomicAdd(&changes, 1);
  }
  __syncthreads();
  if (lane == 0) {
    result[2 * blockIdx.x] = info[blockIdx.x];
    result[2 * blockIdx.x + 1] = changes % 2 != 0 ? -1 : 1;
  }
}

__global__ void pivots_gather_kernel(const tl_dense_view *views, const unsigned each,
                                     const int32_t n, int32_t *pivot) {
  const tl_dense_view *const p = views + blockIdx.x / each;
  const int32_t c = (int32_t)(blockIdx.x % each * blockDim.x + threadIdx.x);
  if (c < n) {
    pivot[(int64_t)n * (blockIdx.x / each) + c] = p->pivot[c];
  }
}

} // namespace

cudaError_t tl_dense_full_form(cudaStream_t stream, const tl_dense_view *view, int32_t rows,
                               int32_t constraints) {
  const int64_t count = (int64_t)rows * rows;
  const cudaError_t error = tl_cuda_launch(stream, tl_cuda_blocks(count, THREADS), THREADS,
                                           full_clear_kernel, view, count);
  return error != cudaSuccess
             ? error
             : tl_cuda_launch(stream, (unsigned)constraints, ROW_THREADS, full_form_kernel, view);
}

cudaError_t tl_dense_clear(cudaStream_t stream, const tl_dense_view *views, int32_t count,
                           int32_t order) {
  const unsigned each = tl_cuda_blocks((int64_t)order * order, THREADS);
  return tl_cuda_launch(stream, each * (unsigned)count, THREADS, clear_kernel, views, each, order);
}

cudaError_t tl_dense_contacts_form(cudaStream_t stream, const tl_dense_view *views, int32_t count,
                                   int32_t most, int32_t order) {
  return tl_cuda_launch(stream, (unsigned)most * (unsigned)count, ROW_THREADS, contacts_form_kernel,
                        views, (unsigned)most, order);
}

cudaError_t tl_dense_bodies_form(cudaStream_t stream, const tl_dense_view *views, int32_t count,
                                 int32_t most, int32_t order) {
  return tl_cuda_launch(stream, (unsigned)most * (unsigned)count, ROW_THREADS, bodies_form_kernel,
                        views, (unsigned)most, order);
}

cudaError_t tl_dense_blocks_apply(cudaStream_t stream, const tl_dense_view *views, int32_t count,
                                  int32_t most) {
  return tl_cuda_launch(stream, (unsigned)most * (unsigned)count, LANES, blocks_apply_kernel, views,
                        (unsigned)most);
}

cudaError_t tl_dense_note(cudaStream_t stream, const tl_dense_view *views, int32_t count, int32_t n,
                          int32_t order, bool cholesky, const int32_t *pivot, const int32_t *info,
                          int32_t *result) {
  return tl_cuda_launch(stream, (unsigned)count, THREADS, note_kernel, views, n, order,
                        (int32_t)cholesky, pivot, info, result);
}

cudaError_t tl_dense_pivots_gather(cudaStream_t stream, const tl_dense_view *views, int32_t count,
                                   int32_t n, int32_t *pivot) {
  const unsigned each = tl_cuda_blocks(n, THREADS);
  return tl_cuda_launch(stream, each * (unsigned)count, THREADS, pivots_gather_kernel, views, each,
                        n, pivot);
}
