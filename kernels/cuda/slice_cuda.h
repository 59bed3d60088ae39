/* slice_cuda.h: many items in one call, a block of threads for each, slice by slice.
 *
 * A slice is as many items as fit in SLICE_BYTES of device memory, or one that needs more. Its data
 * are laid out in an image on the host, go to the device as one piece and come back as another.
 * The memory is the context's and is kept: it grows to that of the largest slice. */
#ifndef TL_CUDA_SLICE_H
#define TL_CUDA_SLICE_H

#include "kernels/cuda/device_cuda.h"
#include "kernels/cuda/launch.h"

/* The items' team (item/team.h) is the block. */
#define TL_TEAM_LANE ((int32_t)threadIdx.x)
#define TL_TEAM_SIZE ((int32_t)blockDim.x)
#define TL_MEET() __syncthreads()

static const size_t SLICE_BYTES = (size_t)256 << 20;

/* make(batch, first): the slice that begins there, its `count` at least 1. */
template <class B, class S>
talus_status tl_cuda_slices(talus_context *context, const B *batch, S (*make)(const B *, int32_t),
                            talus_status (*run)(tl_cuda_device *, const B *, const S *,
                                                tl_cuda_buffer *, tl_buffer *)) {
  tl_cuda_device *const device = (tl_cuda_device *)context->device;
  TL_CUDA_ENTER(device);
  for (int32_t first = 0; first < batch->count;) {
    const S slice = make(batch, first);
    TL_TRY(run(device, batch, &slice, &device->slice, &device->image));
    first += slice.count;
  }
  return TALUS_OK;
}

#endif
