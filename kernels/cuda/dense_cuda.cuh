/* dense_cuda.cuh: dense systems in device memory: what the host keeps of them, and how kernels
 * see them.
 *
 *   dense_cuda.cu          the object and its problems
 *   dense_request_cuda.cu  factors, solutions, products
 *   dense_form_cuda.cu     kernels
 *   dense_library.cu       cuBLAS and cuSOLVER */
#ifndef TL_DENSE_CUDA_CUH
#define TL_DENSE_CUDA_CUH

#include "kernels/cuda/device_cuda.h"
#include "kernels/dense_backend.h"

/* An entry of J, from its unit's side. */
struct tl_dense_end {
  int32_t constraint, entry;
};

/* A problem and what is asked of it: all pointers are the device's. */
struct tl_dense_view {
  int32_t count, rows, unit_count;
  int32_t active; /* order of the matrix asked for */
  const int32_t *first;
  const int64_t *block_first;
  const int32_t *block_column;
  const double *block;
  const int32_t *unit_first, *entry_first, *end_first;
  const tl_scaled_entry *entry;
  const tl_dense_end *end;
  const double *jacobian;
  double *w;      /* full W by columns, or NULL */
  double *matrix; /* by columns, as far apart as the object's order */
  int32_t *pivot; /* [order] */
  const double *a, *b, *scale, *gain;
  const int32_t *place;
  const double *from; /* W is applied to it */
  double *to;
};

/* ---- the object ------------------------------------------------------------------------------ */

struct tl_dense_slot {
  tl_cuda_buffer fixed, matrix;
  tl_dense_view view; /* of what stays */
  int32_t active;     /* order of the factor */
  bool cholesky;
};

struct tl_dense_store {
  tl_dense base;
  tl_cuda_device *device;
  int32_t capacity, order;
  tl_dense_slot *slots;
  int32_t *picked;      /* [capacity] requests of one kind */
  tl_buffer image;      /* what is sent, as the host makes it, and what is fetched */
  tl_cuda_buffer arena; /* the same on the device, and scratch behind it */
};

/* A piece of memory in the making: the same offsets in the image and on the device. */
struct tl_dense_layout {
  size_t used;
  size_t take(size_t bytes) {
    const size_t at = used;
    used += (bytes + 15) / 16 * 16;
    return at;
  }
  template <class T> size_t take_of(size_t count) { return take(count * sizeof(T)); }
};

template <class T> T *tl_dense_at(void *base, size_t offset) {
  return (T *)(void *)((char *)base + offset);
}

#define TL_DENSE_LAUNCH(d, call)    \
  do {                              \
    TL_CUDA_TRY((d)->device, call); \
    (d)->base.counts.launches++;    \
  } while (0)

/* Room for `sent` bytes in the image, which are set to 0, and `all` on the device. */
talus_status tl_dense_arena_reserve(tl_dense_store *d, size_t sent, size_t all);
talus_status tl_dense_arena_send(tl_dense_store *d, size_t bytes);
/* From an offset of the arena to the image's begin; waits. */
talus_status tl_dense_arena_fetch(tl_dense_store *d, size_t from, size_t bytes);

/* Copies an array into the image; returns where it will be on the device. */
template <class T>
const T *tl_dense_array_put(tl_dense_store *d, void *base, tl_dense_layout *l, const T *from,
                            int64_t count) {
  const size_t offset = l->take_of<T>((size_t)count);
  if (count > 0) {
    memcpy(tl_dense_at<T>(d->image.memory, offset), from, (size_t)count * sizeof(T));
  }
  return tl_dense_at<T>(base, offset);
}

/* dense_request_cuda.cu: see tl_dense_ops. */
talus_status tl_dense_cuda_factor(tl_dense *base, int32_t count, tl_dense_matrix *requests);
talus_status tl_dense_cuda_solve(tl_dense *base, int32_t count, const tl_dense_vector *requests);
talus_status tl_dense_cuda_apply(tl_dense *base, int32_t count, const tl_dense_vector *requests);

/* ---- kernels --------------------------------------------------------------------------------- */

/* For `count` views in device memory. */
cudaError_t tl_dense_full_form(cudaStream_t stream, const tl_dense_view *view, int32_t rows,
                               int32_t constraints);
cudaError_t tl_dense_clear(cudaStream_t stream, const tl_dense_view *views, int32_t count,
                           int32_t order);
/* most: constraints of the largest, or units. */
cudaError_t tl_dense_contacts_form(cudaStream_t stream, const tl_dense_view *views, int32_t count,
                                   int32_t most, int32_t order);
cudaError_t tl_dense_bodies_form(cudaStream_t stream, const tl_dense_view *views, int32_t count,
                                 int32_t most, int32_t order);
cudaError_t tl_dense_blocks_apply(cudaStream_t stream, const tl_dense_view *views, int32_t count,
                                  int32_t most);
/* After a factorisation of order n: pivots go to each problem's own, with those of an identity
 * behind them; result: [2 count] 0 if good, sign of the determinant. */
cudaError_t tl_dense_note(cudaStream_t stream, const tl_dense_view *views, int32_t count, int32_t n,
                          int32_t order, bool cholesky, const int32_t *pivot, const int32_t *info,
                          int32_t *result);
/* The other way: pivot[n i ..] of problem i. */
cudaError_t tl_dense_pivots_gather(cudaStream_t stream, const tl_dense_view *views, int32_t count,
                                   int32_t n, int32_t *pivot);

#endif
