/* copy_array_cuda.cu: arrays of the caller's in device memory to and from packed ones on the host.
 *
 * A kernel packs a part of the array into device memory of the context's, from where it goes
 * through the staging memory; the way back likewise. All on the context's stream. Compiled once. */
#include <string.h>

#include "kernels/cuda/device_cuda.h"
#include "kernels/cuda/launch.h"

namespace {

enum { THREADS = 256 };

/* Where element `i / components` of a part that begins at `array` has its number `i % components`.
 */
template <class T, class Address>
__device__ __forceinline__ T *number_of(Address array, int64_t stride, int32_t components,
                                        int64_t i) {
  return (T *)(array + i / components * stride) + i % components;
}

template <class Theirs, class Ours>
__global__ void __launch_bounds__(THREADS)
    field_pack_kernel(const char *array, const int64_t stride, const int32_t components,
                      const int64_t count, const int32_t *live, Ours *packed, const int32_t pitch) {
  const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count && (live == NULL || i < (int64_t)*live * components)) {
    packed[i / components * pitch + i % components] =
        (Ours)*number_of<const Theirs>(array, stride, components, i);
  }
}

template <class Theirs, class Ours>
__global__ void __launch_bounds__(THREADS)
    field_unpack_kernel(char *array, const int64_t stride, const int32_t components,
                        const int64_t count, const int32_t *live, const Ours *packed,
                        const int32_t pitch) {
  const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count && (live == NULL || i < (int64_t)*live * components)) {
    *number_of<Theirs>(array, stride, components, i) =
        (Theirs)packed[i / components * pitch + i % components];
  }
}

template <class Theirs, class Ours>
cudaError_t field_move(tl_cuda_device *device, const tl_caller_array *field, void *room,
                       int32_t pitch, tl_copy_mode way, const int32_t *live) {
  const int64_t numbers = field->count * field->components;
  const unsigned blocks = tl_cuda_blocks(numbers, THREADS);
  char *const array = (char *)field->array;
  return way == TL_COPY_IN
             ? tl_cuda_start(device, device->stream, blocks, THREADS,
                             field_pack_kernel<Theirs, Ours>, (const char *)array, field->stride,
                             field->components, numbers, live, (Ours *)room, pitch)
             : tl_cuda_start(device, device->stream, blocks, THREADS,
                             field_unpack_kernel<Theirs, Ours>, array, field->stride,
                             field->components, numbers, live, (const Ours *)room, pitch);
}

/* Between the caller's array and packed device memory, `pitch` numbers from element to element.
 * live: NULL, or where the device has how many elements there are. */
talus_status field_launch(tl_cuda_device *device, const tl_caller_array *field, void *room,
                          int32_t pitch, tl_copy_mode way, const int32_t *live) {
  cudaError_t error;
  switch (field->scalar) {
  case TL_SCALAR_F64:
    error = field_move<double, double>(device, field, room, pitch, way, live);
    break;
  case TL_SCALAR_F32:
    error = field_move<float, double>(device, field, room, pitch, way, live);
    break;
  case TL_SCALAR_I32:
    error = field_move<int32_t, int32_t>(device, field, room, pitch, way, live);
    break;
  default:
    error = field_move<int64_t, int64_t>(device, field, room, pitch, way, live);
  }
  return tl_cuda_check(device, error, "kernel launch", field->name);
}

/* Between staging memory, without gaps, and the packed array with its pitch. */
void part_unpack(const tl_caller_array *field, char *room, char *packed, int64_t count,
                 tl_copy_mode way) {
  const size_t size = (size_t)tl_packed_size(field->scalar);
  const size_t bytes = (size_t)field->components * size, pitch = (size_t)field->pitch * size;
  for (int64_t i = 0; i < count; i++) {
    memcpy(way == TL_COPY_IN ? packed + i * pitch : room + i * bytes,
           way == TL_COPY_IN ? room + i * bytes : packed + i * pitch, bytes);
  }
}

/* A part that fits into the staging memory. */
talus_status part_copy(tl_cuda_device *device, const tl_caller_array *field, char *packed,
                       tl_copy_mode way) {
  const size_t bytes =
      (size_t)(field->count * field->components) * (size_t)tl_packed_size(field->scalar);
  char *room;
  if (way == TL_COPY_IN) {
    TL_TRY(field_launch(device, field, device->field.memory, field->components, way, NULL));
    TL_TRY(tl_cuda_stage(device, &room));
    TL_TRY(tl_cuda_copy(device, room, device->field.memory, bytes, cudaMemcpyDeviceToHost));
    TL_TRY(tl_cuda_wait(device));
    part_unpack(field, room, packed, field->count, way);
    return TALUS_OK;
  }
  TL_TRY(tl_cuda_stage(device, &room));
  part_unpack(field, room, packed, field->count, way);
  TL_TRY(tl_cuda_send(device, device->field.memory, bytes));
  return field_launch(device, field, device->field.memory, field->components, way, NULL);
}

const char *type_name(cudaMemoryType type) {
  return type == cudaMemoryTypeDevice ? "device memory"
         : type == cudaMemoryTypeHost ? "pinned host memory"
                                      : "host memory";
}

} // namespace

talus_status tl_cuda_field_check(tl_cuda_device *device, const tl_caller_array *field,
                                 int on_device) {
  cudaPointerAttributes where;
  const cudaError_t error = cudaPointerGetAttributes(&where, field->array);
  if (error != cudaSuccess) { /* of no kind that CUDA knows */
    (void)cudaGetLastError();
    where.type = cudaMemoryTypeUnregistered;
  }
  if (where.type == cudaMemoryTypeManaged) {
    return TALUS_OK;
  }
  if ((where.type == cudaMemoryTypeDevice) != (on_device != 0)) {
    return tl_fail(device->context, TALUS_WRONG_MEMORY,
                   "%s is in %s, but memory says TALUS_MEMORY_%s", field->name,
                   type_name(where.type), on_device ? "DEVICE" : "HOST");
  }
  if (on_device && where.device != device->number) {
    return tl_fail(device->context, TALUS_WRONG_MEMORY,
                   "%s is in memory of device %d, but the context runs on device %d", field->name,
                   where.device, device->number);
  }
  return TALUS_OK;
}

talus_status tl_cuda_field_pack(tl_cuda_device *device, const tl_caller_array *field, void *packed,
                                const int32_t *live) {
  return field_launch(device, field, packed, field->pitch, TL_COPY_IN, live);
}

talus_status tl_cuda_field_unpack(tl_cuda_device *device, const tl_caller_array *field,
                                  void *packed, const int32_t *live) {
  return field_launch(device, field, packed, field->pitch, TL_COPY_OUT, live);
}

talus_status tl_cuda_copy_array(talus_context *context, const tl_caller_array *field, void *packed,
                                tl_copy_mode way) {
  tl_cuda_device *const device = (tl_cuda_device *)context->device;
  TL_CUDA_ENTER(device);
  if (way == TL_COPY_END) {
    if (device->own != NULL) { /* the caller cannot wait for that stream */
      TL_TRY(tl_cuda_wait(device));
    }
    return TALUS_OK;
  }
  TL_TRY(tl_cuda_field_check(device, field, way != TL_COPY_LOOK));
  if (way == TL_COPY_LOOK) {
    return TALUS_OK;
  }
  TL_TRY(tl_cuda_reserve(device, &device->field, TL_CUDA_STAGING, "arrays of the caller's"));
  const int64_t size = tl_packed_size(field->scalar);
  const int64_t most = TL_CUDA_STAGING / (size * field->components);
  for (int64_t first = 0; first < field->count; first += most) {
    const int64_t left = field->count - first;
    tl_caller_array part = *field;
    part.array = (char *)field->array + first * field->stride;
    part.count = left < most ? left : most;
    TL_TRY(part_copy(device, &part, (char *)packed + first * field->pitch * size, way));
  }
  return TALUS_OK;
}
