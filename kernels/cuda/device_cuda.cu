/* device_cuda.cu: the CUDA backend's door: finds the device, makes stream and staging memory.
 *
 * Compiled once. The engines, one per precision, are made by engine_cuda.cu. */
#include "kernels/cuda/device_cuda.h"

#include <stdio.h>
#include <string.h>

#include "kernels/cuda/dense_library.h"
#include "kernels/halo.h"

/* ---- errors ---------------------------------------------------------------------------------- */

talus_status tl_cuda_check(tl_cuda_device *device, cudaError_t error, const char *call,
                           const char *where) {
  if (error == cudaSuccess) {
    return TALUS_OK;
  }
  (void)cudaGetLastError(); /* told here; it must not be found by somebody else's check */
  const int name = (int)strcspn(call, "(");
  if (error == cudaErrorMemoryAllocation) {
    return tl_fail(device->context, TALUS_OUT_OF_MEMORY, "%.*s in %s: %s", name, call, where,
                   cudaGetErrorString(error));
  }
  if (device->sticky == TALUS_OK) {
    device->sticky = TALUS_DEVICE_ERROR;
    snprintf(device->message, sizeof device->message, "%.*s in %s: %s (%s)", name, call, where,
             cudaGetErrorString(error), cudaGetErrorName(error));
  }
  return tl_fail(device->context, device->sticky, "%s", device->message);
}

/* In clean-up nothing can be done about an error but to tell. */
static void check_release(tl_cuda_device *device, cudaError_t error, const char *what) {
  if (error != cudaSuccess) {
    (void)cudaGetLastError();
    tl_log(device->context, TALUS_LOG_WARNING, "cuda: releasing %s: %s", what,
           cudaGetErrorString(error));
  }
}

tl_cuda_scope::tl_cuda_scope(tl_cuda_device *device)
    : status(TALUS_OK), before(device->number), now(device->number) {
  if (device->sticky != TALUS_OK) {
    status = tl_fail(device->context, device->sticky, "%s", device->message);
    return;
  }
  status = tl_cuda_check(device, cudaGetDevice(&before), "cudaGetDevice", "entry");
  if (status == TALUS_OK && before != now) {
    status = tl_cuda_check(device, cudaSetDevice(now), "cudaSetDevice", "entry");
  }
}

tl_cuda_scope::~tl_cuda_scope() {
  if (before != now && cudaSetDevice(before) != cudaSuccess) {
    (void)cudaGetLastError(); /* the caller's device is gone: his next call tells him */
  }
}

/* ---- counted calls --------------------------------------------------------------------------- */

talus_status tl_cuda_wait(tl_cuda_device *device) {
  device->context->counts.waits++;
  TL_CUDA_TRY(device, cudaStreamSynchronize(device->stream));
  return TALUS_OK;
}

talus_status tl_cuda_event_wait(tl_cuda_device *device, cudaEvent_t event) {
  if (cudaEventQuery(event) == cudaSuccess) {
    return TALUS_OK;
  }
  (void)cudaGetLastError(); /* not ready is no error; others show below */
  device->context->counts.waits++;
  TL_CUDA_TRY(device, cudaEventSynchronize(event));
  return TALUS_OK;
}

talus_status tl_cuda_copy(tl_cuda_device *device, void *to, const void *from, size_t bytes,
                          cudaMemcpyKind kind) {
  tl_device_counts *const counts = &device->context->counts;
  counts->copies++;
  counts->bytes += kind != cudaMemcpyDeviceToDevice ? (int64_t)bytes : 0;
  TL_CUDA_TRY(device, cudaMemcpyAsync(to, from, bytes, kind, device->stream));
  return TALUS_OK;
}

talus_status tl_cuda_fill(tl_cuda_device *device, void *to, int value, size_t bytes) {
  device->context->counts.copies++;
  TL_CUDA_TRY(device, cudaMemsetAsync(to, value, bytes, device->stream));
  return TALUS_OK;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static talus_status memory_refuse(tl_cuda_device *device, size_t bytes, const char *what) {
  size_t left = 0, all = 0;
  if (cudaMemGetInfo(&left, &all) != cudaSuccess) {
    (void)cudaGetLastError();
  }
  return tl_fail(device->context, TALUS_OUT_OF_MEMORY,
                 "cudaMalloc: no device memory for %zu bytes of %s: %zu of %zu are free, %zu are "
                 "missing",
                 bytes, what, left, all, bytes > left ? bytes - left : 0);
}

talus_status tl_cuda_reserve(tl_cuda_device *device, tl_cuda_buffer *buffer, size_t bytes,
                             const char *what) {
  if (buffer->memory != NULL && bytes <= buffer->capacity) {
    return TALUS_OK;
  }
  /* What grows once tends to grow again: a quarter more, if it is to be had. */
  const size_t spare = buffer->memory != NULL ? bytes / 4 : 0;
  tl_cuda_release(device, buffer);
  size_t size = bytes + spare + (bytes == 0);
  device->context->counts.allocations++;
  cudaError_t error = cudaMalloc(&buffer->memory, size);
  if (error == cudaErrorMemoryAllocation && spare > 0) {
    (void)cudaGetLastError();
    size = bytes;
    error = cudaMalloc(&buffer->memory, size);
  }
  if (error != cudaSuccess) {
    buffer->memory = NULL;
  }
  if (error == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    return memory_refuse(device, bytes, what);
  }
  TL_TRY(tl_cuda_check(device, error, "cudaMalloc", what));
  buffer->capacity = size;
  return TALUS_OK;
}

void tl_cuda_release(tl_cuda_device *device, tl_cuda_buffer *buffer) {
  if (buffer->memory != NULL) {
    check_release(device, cudaFree(buffer->memory), "device memory");
  }
  buffer->memory = NULL;
  buffer->capacity = 0;
}

talus_status tl_cuda_stage(tl_cuda_device *device, char **room) {
  TL_TRY(tl_cuda_event_wait(device, device->sent[device->half]));
  *room = device->staging[device->half];
  return TALUS_OK;
}

talus_status tl_cuda_send(tl_cuda_device *device, void *to, size_t bytes) {
  TL_TRY(tl_cuda_copy(device, to, device->staging[device->half], bytes, cudaMemcpyHostToDevice));
  TL_CUDA_TRY(device, cudaEventRecord(device->sent[device->half], device->stream));
  device->half = 1 - device->half;
  return TALUS_OK;
}

/* ---- life ------------------------------------------------------------------------------------ */

/* Asked for its attributes only, to learn whether this build has code for the device. */
static __global__ void probe_kernel(int *answer) {
  *answer = 1;
}

/* The device of a context: that of its def; ranks that name none, and give no stream of theirs,
 * take them in turns. */
static talus_status device_find(talus_context *context, int *number) {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess || count < 1) {
    (void)cudaGetLastError();
    return tl_fail(context, TALUS_DEVICE_ABSENT, "no CUDA device was found: %s",
                   error != cudaSuccess ? cudaGetErrorString(error) : "the count is 0");
  }
  if (context->def.device < 0 || context->def.device >= count) {
    return tl_fail(context, TALUS_DEVICE_ABSENT, "CUDA device %d was asked for, there are %d",
                   (int)context->def.device, count);
  }
  const talus_context_def *const def = &context->def;
  const bool in_turns = def->device == 0 && def->stream == NULL;
  *number = in_turns ? tl_halo_rank(def) % count : def->device;
  return TALUS_OK;
}

/* Events cannot be recorded on streams of other devices: that tells whose stream it is. */
static talus_status stream_check(tl_cuda_device *device) {
  const cudaError_t error = cudaEventRecord(device->sent[0], device->stream);
  if (error == cudaErrorInvalidResourceHandle) {
    (void)cudaGetLastError();
    return tl_fail(device->context, TALUS_INVALID_ARGUMENT,
                   "context_def.stream is no stream of device %d: give one of that device, or NULL",
                   device->number);
  }
  return tl_cuda_check(device, error, "cudaEventRecord", __func__);
}

/* Operations in single precision for one in double precision; from this on F32 is the better
 * choice, since then iterations in F64 are bound by arithmetic (docs/measured/device.md). */
enum { SLOW_DOUBLES = 8 };

static talus_status device_fill(tl_cuda_device *device) {
  cudaFuncAttributes attributes;
  const cudaError_t probe = cudaFuncGetAttributes(&attributes, probe_kernel);
  if (probe != cudaSuccess) {
    (void)cudaGetLastError();
    return tl_fail(device->context, TALUS_DEVICE_ABSENT,
                   "CUDA device %d cannot run the kernels of this build: %s", device->number,
                   cudaGetErrorString(probe));
  }
  int ratio = 1;
  TL_CUDA_TRY(device, cudaDeviceGetAttribute(&ratio, cudaDevAttrSingleToDoublePrecisionPerfRatio,
                                             device->number));
  device->context->halved = ratio >= SLOW_DOUBLES;
  TL_CUDA_TRY(device, cudaDeviceGetAttribute(&device->processors, cudaDevAttrMultiProcessorCount,
                                             device->number));
  TL_CUDA_TRY(device,
              cudaDeviceGetAttribute(&device->processor_threads,
                                     cudaDevAttrMaxThreadsPerMultiProcessor, device->number));
  device->stream = (cudaStream_t)device->context->def.stream;
  if (device->stream == NULL) {
    TL_CUDA_TRY(device, cudaStreamCreateWithFlags(&device->own, cudaStreamNonBlocking));
    device->stream = device->own;
  }
  TL_CUDA_TRY(device, cudaStreamCreateWithFlags(&device->recorder, cudaStreamNonBlocking));
  for (int i = 0; i < 2; i++) {
    TL_CUDA_TRY(device,
                cudaHostAlloc((void **)&device->staging[i], TL_CUDA_STAGING, cudaHostAllocDefault));
    TL_CUDA_TRY(device, cudaEventCreateWithFlags(&device->sent[i], cudaEventDisableTiming));
  }
  return device->own == NULL ? stream_check(device) : TALUS_OK;
}

static void device_empty(tl_cuda_device *device) {
  if (device->stream != NULL) { /* the staging memory may still be under way */
    check_release(device, cudaStreamSynchronize(device->stream), "work");
  }
  tl_dense_library_close(device);
  tl_cuda_release(device, &device->field);
  tl_cuda_release(device, &device->slice);
  tl_buffer_release(device->context, &device->image);
  for (int i = 0; i < 2; i++) {
    if (device->sent[i] != NULL) {
      check_release(device, cudaEventDestroy(device->sent[i]), "event");
    }
    if (device->staging[i] != NULL) {
      check_release(device, cudaFreeHost(device->staging[i]), "staging memory");
    }
  }
  if (device->recorder != NULL) {
    check_release(device, cudaStreamDestroy(device->recorder), "stream");
  }
  if (device->own != NULL) {
    check_release(device, cudaStreamDestroy(device->own), "stream");
  }
}

static void device_close(talus_context *context) {
  tl_cuda_device *const device = (tl_cuda_device *)context->device;
  if (device == NULL) {
    return;
  }
  {
    const tl_cuda_scope scope(device); /* a lost device is no reason to leak what the host holds */
    device_empty(device);
  }
  context->device = NULL;
  tl_free(context, device);
}

static talus_status device_open(talus_context *context) {
  int number = 0;
  TL_TRY(device_find(context, &number));
  tl_cuda_device *device;
  TL_TRY(tl_alloc(context, (void **)&device, 1, sizeof *device, "CUDA device"));
  memset(device, 0, sizeof *device);
  device->context = context;
  device->number = number;
  context->device = device;
  talus_status status;
  {
    const tl_cuda_scope scope(device);
    status = scope.status == TALUS_OK ? device_fill(device) : scope.status;
  }
  if (status != TALUS_OK) {
    device_close(context);
  }
  return status;
}

/* ---- for people ------------------------------------------------------------------------------ */

static void device_describe(char *text, size_t capacity) {
  if (capacity == 0) {
    return;
  }
  int run_time = 0, driver = 0, count = 0;
  cudaError_t error = cudaRuntimeGetVersion(&run_time);
  error = error == cudaSuccess ? cudaDriverGetVersion(&driver) : error;
  error = error == cudaSuccess ? cudaGetDeviceCount(&count) : error;
  int used = snprintf(text, capacity, "run time %d.%d, driver %d.%d", run_time / 1000,
                      run_time % 1000 / 10, driver / 1000, driver % 1000 / 10);
  if (error != cudaSuccess || count < 1) {
    (void)cudaGetLastError();
    if (used > 0 && (size_t)used < capacity) {
      snprintf(text + used, capacity - (size_t)used, ", no device (%s)",
               error != cudaSuccess ? cudaGetErrorString(error) : "the count is 0");
    }
    return;
  }
  for (int i = 0; i < count && used > 0 && (size_t)used < capacity; i++) {
    cudaDeviceProp properties;
    int ratio = 1;
    error = cudaGetDeviceProperties(&properties, i);
    error = error == cudaSuccess
                ? cudaDeviceGetAttribute(&ratio, cudaDevAttrSingleToDoublePrecisionPerfRatio, i)
                : error;
    if (error != cudaSuccess) {
      (void)cudaGetLastError();
      used += snprintf(text + used, capacity - (size_t)used, "\n  device %d: %s", i,
                       cudaGetErrorString(error));
      continue;
    }
    used +=
        snprintf(text + used, capacity - (size_t)used,
                 "\n  device %d: %s, compute capability %d.%d, %d multiprocessors, %.1f GB, "
                 "double precision 1/%d of single",
                 i, properties.name, properties.major, properties.minor,
                 properties.multiProcessorCount, (double)properties.totalGlobalMem / 1e9, ratio);
  }
  if (used > 0 && (size_t)used < capacity) {
    char libraries[128];
    tl_dense_library_describe(libraries, sizeof libraries);
    snprintf(text + used, capacity - (size_t)used, "\n  dense factors: %s", libraries);
  }
}

static talus_status engine_create(talus_context *context, talus_precision precision,
                                  tl_engine **engine) {
  return precision == TALUS_F32 ? tl_cuda_create_f32(context, engine)
                                : tl_cuda_create_f64(context, engine);
}

static talus_status engine_estimate(talus_context *context, talus_precision precision,
                                    const tl_shape *shape, int64_t *host, int64_t *device) {
  return precision == TALUS_F32 ? tl_cuda_estimate_memory_f32(context, shape, host, device)
                                : tl_cuda_estimate_memory_f64(context, shape, host, device);
}

const tl_backend tl_backend_cuda = {
    /* .name = */ "cuda",
    /* .kind = */ TALUS_BACKEND_CUDA,
    /* .open = */ device_open,
    /* .close = */ device_close,
    /* .describe = */ device_describe,
    /* .copy_array = */ tl_cuda_copy_array,
    /* .create = */ engine_create,
    /* .estimate_memory = */ engine_estimate,
    /* .small = */ tl_cuda_small,
    /* .conquer = */ tl_cuda_conquer,
};
