/* device_cuda.h: what a context keeps of a CUDA device: stream, staging memory, the first error.
 *
 * Compiled once, for both precisions. Every call of CUDA goes through TL_CUDA_TRY, which words the
 * context's message. An error other than lack of memory leaves the work on the device undefined,
 * so it sticks: all later calls of the context return it. */
#ifndef TL_DEVICE_CUDA_H
#define TL_DEVICE_CUDA_H

#include <cuda_runtime.h>
#include <string.h>

#include "host/base/base.h"
#include "kernels/backend.h"

/* Pinned memory through which arrays pass, in two halves of this many bytes each: one is filled
 * while the other travels. */
enum { TL_CUDA_STAGING = 1 << 20 };

/* Device memory that grows and is kept. */
typedef struct tl_cuda_buffer {
  void *memory;
  size_t capacity; /* bytes */
} tl_cuda_buffer;

typedef struct tl_cuda_device {
  talus_context *context;
  int number;
  int processors, processor_threads; /* multiprocessors; threads that one of them can hold */
  cudaStream_t stream;               /* the caller's, or own */
  cudaStream_t own;                  /* NULL if the caller gave one */
  cudaStream_t recorder; /* graphs are recorded here, so that the caller's stream is left alone */
  char *staging[2];
  cudaEvent_t sent[2]; /* the half may be used again */
  int half;
  tl_cuda_buffer field;           /* a part of a caller's array, packed */
  tl_cuda_buffer slice;           /* of a batch, see slice_cuda.h; and ... */
  tl_buffer image;                /* ... what it is on the host */
  struct tl_dense_library *dense; /* cuBLAS and cuSOLVER; NULL until they are needed */
  talus_status sticky;
  char message[256];
} tl_cuda_device;

/* The status of a call of CUDA; `call` is its text, `where` the function it stands in. */
talus_status tl_cuda_check(tl_cuda_device *device, cudaError_t error, const char *call,
                           const char *where);
#define TL_CUDA_TRY(device, call) TL_TRY(tl_cuda_check((device), (call), #call, __func__))

/* Waits for the stream. */
talus_status tl_cuda_wait(tl_cuda_device *device);
talus_status tl_cuda_event_wait(tl_cuda_device *device, cudaEvent_t event);
/* Queues a copy, a fill. */
talus_status tl_cuda_copy(tl_cuda_device *device, void *to, const void *from, size_t bytes,
                          cudaMemcpyKind kind);
talus_status tl_cuda_fill(tl_cuda_device *device, void *to, int value, size_t bytes);
/* As TL_CUDA_TRY, of a primitive. */
#define TL_CUDA_RUN(device, call)         \
  do {                                    \
    (device)->context->counts.launches++; \
    TL_CUDA_TRY(device, call);            \
  } while (0)

/* Room for that many bytes; contents are not preserved, and work under way is waited for. */
talus_status tl_cuda_reserve(tl_cuda_device *device, tl_cuda_buffer *buffer, size_t bytes,
                             const char *what);
void tl_cuda_release(tl_cuda_device *device, tl_cuda_buffer *buffer);

/* The half of the staging memory to be filled next; waits until its last journey has ended. */
talus_status tl_cuda_stage(tl_cuda_device *device, char **room);
/* Sends it off to device memory. */
talus_status tl_cuda_send(tl_cuda_device *device, void *to, size_t bytes);

/* device_image.cu: the same for any number of bytes of ordinary memory; and back, waiting. */
talus_status tl_cuda_send_all(tl_cuda_device *device, const void *from, void *to, size_t bytes);
talus_status tl_cuda_fetch_all(tl_cuda_device *device, const void *from, void *to, size_t bytes);

/* Copies numbers to an image of device memory, which has room for so many there, and returns where
 * they will be on the device. Both places move on. */
template <class T>
T *tl_cuda_put(char **at, char **there, const T *from, size_t count, size_t room) {
  T *const place = (T *)(void *)*there;
  if (count > 0) {
    memcpy(*at, from, count * sizeof(T));
  }
  *at += room * sizeof(T);
  *there += room * sizeof(T);
  return place;
}

/* For the length of a call the context's device is the current one of the thread. */
struct tl_cuda_scope {
  explicit tl_cuda_scope(tl_cuda_device *device);
  ~tl_cuda_scope();
  tl_cuda_scope(const tl_cuda_scope &) = delete;
  tl_cuda_scope &operator=(const tl_cuda_scope &) = delete;
  talus_status status; /* the sticky one, too */

private:
  int before, now;
};
#define TL_CUDA_ENTER(device)          \
  const tl_cuda_scope scope((device)); \
  TL_TRY(scope.status)

/* copy_array_cuda.cu */
/* Is the array where it was said to be? */
talus_status tl_cuda_field_check(tl_cuda_device *device, const tl_caller_array *field,
                                 int on_device);
/* Queues the packing of a whole array into device memory; live: NULL, or where the device has how
 * many of its elements there are. */
talus_status tl_cuda_field_pack(tl_cuda_device *device, const tl_caller_array *field, void *packed,
                                const int32_t *live);
/* The way back. */
talus_status tl_cuda_field_unpack(tl_cuda_device *device, const tl_caller_array *field,
                                  void *packed, const int32_t *live);
talus_status tl_cuda_copy_array(talus_context *context, const tl_caller_array *field, void *packed,
                                tl_copy_mode way);

/* small_cuda.cu */
talus_status tl_cuda_small(talus_context *context, const tl_small_batch *batch);

/* conquer_cuda.cu */
talus_status tl_cuda_conquer(talus_context *context, const tl_conquer_batch *batch);

/* engine_cuda.cu, compiled for each precision. */
talus_status tl_cuda_estimate_memory_f32(talus_context *context, const tl_shape *shape,
                                         int64_t *host, int64_t *device);
talus_status tl_cuda_estimate_memory_f64(talus_context *context, const tl_shape *shape,
                                         int64_t *host, int64_t *device);
talus_status tl_cuda_create_f32(talus_context *context, tl_engine **engine);
talus_status tl_cuda_create_f64(talus_context *context, tl_engine **engine);

#endif
