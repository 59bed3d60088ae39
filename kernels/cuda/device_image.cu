/* device_image.cu: pieces of memory of any size on their way to the device and back, through the
 * staging memory. */
#include <string.h>

#include "kernels/cuda/device_cuda.h"

talus_status tl_cuda_send_all(tl_cuda_device *device, const void *from, void *to, size_t bytes) {
  for (size_t first = 0; first < bytes; first += TL_CUDA_STAGING) {
    const size_t n = bytes - first < TL_CUDA_STAGING ? bytes - first : (size_t)TL_CUDA_STAGING;
    char *room;
    TL_TRY(tl_cuda_stage(device, &room));
    memcpy(room, (const char *)from + first, n);
    TL_TRY(tl_cuda_send(device, (char *)to + first, n));
  }
  return TALUS_OK;
}

talus_status tl_cuda_fetch_all(tl_cuda_device *device, const void *from, void *to, size_t bytes) {
  for (size_t first = 0; first < bytes; first += TL_CUDA_STAGING) {
    const size_t n = bytes - first < TL_CUDA_STAGING ? bytes - first : (size_t)TL_CUDA_STAGING;
    char *room;
    TL_TRY(tl_cuda_stage(device, &room));
    TL_TRY(tl_cuda_copy(device, room, (const char *)from + first, n, cudaMemcpyDeviceToHost));
    TL_TRY(tl_cuda_wait(device));
    memcpy((char *)to + first, room, n);
  }
  return TALUS_OK;
}
