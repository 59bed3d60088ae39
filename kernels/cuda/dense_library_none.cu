/* dense_library_none.cu: dense_library.h for builds whose toolkit has no headers of cuBLAS and
 * cuSOLVER: says so, to whoever asks. */
#include "kernels/cuda/dense_library.h"

#include <stdio.h>

static talus_status none(tl_cuda_device *device) {
  return tl_fail(
      device->context, TALUS_UNSUPPORTED,
      "dense factors on a device need cuBLAS and cuSOLVER, and this build was made without "
      "them: their headers come with the CUDA toolkit");
}

talus_status tl_dense_library_open(tl_cuda_device *device) {
  return none(device);
}

void tl_dense_library_close(tl_cuda_device *) {}

void tl_dense_library_describe(char *text, size_t capacity) {
  snprintf(text, capacity, "built without cuBLAS and cuSOLVER");
}

talus_status tl_dense_library_factor(tl_cuda_device *device, bool, int, int, int, tl_dense_pointers,
                                     int *, int *) {
  return none(device);
}

talus_status tl_dense_library_solve(tl_cuda_device *device, bool, int, int, int, tl_dense_pointers,
                                    const int *, tl_dense_pointers, int *) {
  return none(device);
}

talus_status tl_dense_library_apply(tl_cuda_device *device, int, int, tl_dense_pointers,
                                    tl_dense_pointers, tl_dense_pointers) {
  return none(device);
}
