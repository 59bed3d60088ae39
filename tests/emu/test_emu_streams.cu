/* test_emu_streams.cu: copies, streams, events, graphs, and errors that pass.
 *
 * As test_emu.cu: one source for the emulation, for ptxrun and for a GPU; every mode of emu.h. */
#include <stdint.h>
#include <string.h>

#include <algorithm>
#include <vector>

#include "kernels/cuda/launch.h"
#include "tests/check.h"

#define CUDA(call) CHECK_CASE((call) == cudaSuccess, "%s", cudaGetErrorName(cudaPeekAtLastError()))

enum { COUNT = 1000, THREADS = 128 };
static const unsigned BLOCKS = (COUNT + THREADS - 1) / THREADS;

static __global__ void add_kernel(int *values, int amount) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < COUNT) {
    values[i] += amount;
  }
}

static __global__ void combine_kernel(const int *a, const int *b, int *sum) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < COUNT) {
    sum[i] = a[i] * 10 + b[i];
  }
}

static bool is_all(const int *values, int expected) {
  return std::all_of(values, values + COUNT, [expected](int v) { return v == expected; });
}

/* Device arrays a, b, sum, and pinned memory to look at one of them. */
struct arrays {
  int *a, *b, *sum, *pinned;
};

static arrays make_arrays(void) {
  arrays x = {};
  CUDA(cudaMalloc(&x.a, COUNT * sizeof(int)));
  CUDA(cudaMalloc(&x.b, COUNT * sizeof(int)));
  CUDA(cudaMalloc(&x.sum, COUNT * sizeof(int)));
  CUDA(cudaMallocHost(&x.pinned, COUNT * sizeof(int)));
  return x;
}

static void free_arrays(arrays x) {
  CUDA(cudaFree(x.a));
  CUDA(cudaFree(x.b));
  CUDA(cudaFree(x.sum));
  CUDA(cudaFreeHost(x.pinned));
}

/* ---- copies and streams ---------------------------------------------------------------------- */

static void test_copies(void) {
  arrays x = make_arrays();
  cudaStream_t stream;
  CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  std::vector<int> pageable(COUNT, 4);
  CUDA(cudaMemcpyAsync(x.a, pageable.data(), COUNT * sizeof(int), cudaMemcpyHostToDevice, stream));
  std::fill(pageable.begin(), pageable.end(), 5); /* already read */
  CUDA(tl_cuda_launch(stream, BLOCKS, THREADS, add_kernel, x.a, 30));
  CUDA(cudaMemcpyAsync(x.b, x.a, COUNT * sizeof(int), cudaMemcpyDeviceToDevice, stream));
  CUDA(cudaMemsetAsync(x.a, 1, COUNT * sizeof(int), stream));
  CUDA(cudaMemcpyAsync(x.pinned, x.b, COUNT * sizeof(int), cudaMemcpyDeviceToHost, stream));
  CUDA(cudaStreamSynchronize(stream));
  CHECK(is_all(x.pinned, 34));
  CUDA(cudaMemcpyAsync(pageable.data(), x.a, COUNT * sizeof(int), cudaMemcpyDefault, stream));
  CUDA(cudaStreamSynchronize(stream));
  CHECK(is_all(pageable.data(), 0x01010101));
  cudaError_t error = cudaStreamQuery(stream);
  CHECK(error == cudaSuccess);
  CUDA(cudaStreamDestroy(stream));
  free_arrays(x);
}

/* The default stream waits for blocking streams, and they for it. */
static void test_default_stream(void) {
  arrays x = make_arrays();
  cudaStream_t stream;
  CUDA(cudaStreamCreate(&stream));
  CUDA(cudaMemset(x.a, 0, COUNT * sizeof(int)));
  CUDA(tl_cuda_launch(stream, BLOCKS, THREADS, add_kernel, x.a, 3));
  CUDA(tl_cuda_launch(0, BLOCKS, THREADS, add_kernel, x.a, 4));
  CUDA(tl_cuda_launch(stream, BLOCKS, THREADS, combine_kernel, x.a, x.a, x.sum));
  CUDA(cudaMemcpy(x.pinned, x.sum, COUNT * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(is_all(x.pinned, 77));
  CUDA(tl_cuda_launch(stream, BLOCKS, THREADS, add_kernel, x.a, 1));
  CUDA(cudaStreamDestroy(stream)); /* its work is done all the same */
  CUDA(cudaMemcpy(x.pinned, x.a, COUNT * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(is_all(x.pinned, 8));
  free_arrays(x);
}

static void test_events(void) {
  arrays x = make_arrays();
  cudaStream_t one, two;
  cudaEvent_t filled, start, end;
  CUDA(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
  CUDA(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
  CUDA(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming));
  CUDA(cudaEventCreate(&start));
  CUDA(cudaEventCreate(&end));
  CUDA(cudaEventQuery(filled)); /* never recorded: nothing to wait for */
  CUDA(cudaEventRecord(start, two));
  CUDA(cudaMemsetAsync(x.a, 0, COUNT * sizeof(int), one));
  CUDA(tl_cuda_launch(one, BLOCKS, THREADS, add_kernel, x.a, 7));
  CUDA(cudaEventRecord(filled, one));
  CUDA(cudaMemsetAsync(x.b, 0, COUNT * sizeof(int), two));
  CUDA(cudaStreamWaitEvent(two, filled, 0));
  CUDA(tl_cuda_launch(two, BLOCKS, THREADS, combine_kernel, x.a, x.b, x.sum));
  CUDA(cudaMemcpyAsync(x.pinned, x.sum, COUNT * sizeof(int), cudaMemcpyDeviceToHost, two));
  CUDA(cudaEventRecord(end, two));
  const cudaError_t error = cudaEventQuery(end);
  CHECK(error == cudaSuccess || error == cudaErrorNotReady);
  (void)cudaGetLastError();
  CUDA(cudaEventSynchronize(end));
  CUDA(cudaEventQuery(end));
  CHECK(is_all(x.pinned, 70));
  float milliseconds = -1;
  CUDA(cudaEventElapsedTime(&milliseconds, start, end));
  CHECK(milliseconds >= 0 && milliseconds < 600e3f);
  CHECK(cudaEventElapsedTime(&milliseconds, start, filled) != cudaSuccess); /* keeps no time */
  (void)cudaGetLastError();
  for (cudaEvent_t event : {filled, start, end}) {
    CUDA(cudaEventDestroy(event));
  }
  CUDA(cudaStreamDestroy(one));
  CUDA(cudaStreamDestroy(two));
  free_arrays(x);
}

/* ---- graphs ---------------------------------------------------------------------------------- */

/* a += 1 beside b += 2 on a second stream, then sum = 10 a + b, and sum to the host. */
static void capture_work(cudaStream_t stream, cudaStream_t side, cudaEvent_t event, arrays x) {
  CUDA(cudaEventRecord(event, stream));
  CUDA(cudaStreamWaitEvent(side, event, 0));
  CUDA(tl_cuda_launch(side, BLOCKS, THREADS, add_kernel, x.b, 2));
  CUDA(tl_cuda_launch(stream, BLOCKS, THREADS, add_kernel, x.a, 1));
  CUDA(cudaEventRecord(event, side));
  CUDA(cudaStreamWaitEvent(stream, event, 0));
  CUDA(tl_cuda_launch(stream, BLOCKS, THREADS, combine_kernel, x.a, x.b, x.sum));
  CUDA(cudaMemcpyAsync(x.pinned, x.sum, COUNT * sizeof(int), cudaMemcpyDeviceToHost, stream));
}

static void test_graph(void) {
  arrays x = make_arrays();
  cudaStream_t stream, side;
  cudaEvent_t event;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamCaptureStatus status;
  size_t nodes = 0;
  CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CUDA(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
  CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  CUDA(cudaMemsetAsync(x.a, 0, COUNT * sizeof(int), stream));
  CUDA(cudaMemsetAsync(x.b, 0, COUNT * sizeof(int), stream));
  CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  CUDA(cudaStreamIsCapturing(stream, &status));
  CHECK(status == cudaStreamCaptureStatusActive);
  capture_work(stream, side, event, x);
  CUDA(cudaStreamEndCapture(stream, &graph));
  CUDA(cudaStreamIsCapturing(stream, &status));
  CHECK(status == cudaStreamCaptureStatusNone);
  CUDA(cudaGraphGetNodes(graph, NULL, &nodes));
  CHECK(nodes == 4);
  CUDA(cudaGraphInstantiate(&exec, graph, 0));
  CUDA(cudaGraphDestroy(graph));
  for (int repeat = 1; repeat <= 3; repeat++) {
    CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaStreamSynchronize(stream));
    CHECK(is_all(x.pinned, 2 * repeat * 10 + 4 * repeat));
  }
  CUDA(cudaGraphExecDestroy(exec));
  CUDA(cudaEventDestroy(event));
  CUDA(cudaStreamDestroy(side));
  CUDA(cudaStreamDestroy(stream));
  free_arrays(x);
}

/* What CUDA forbids during a capture ends that capture, and nothing else. */
static void test_capture_errors(void) {
  arrays x = make_arrays();
  cudaStream_t stream, side;
  cudaEvent_t event;
  cudaGraph_t graph;
  void *memory = NULL;
  CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CUDA(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
  CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  for (int forbidden = 0; forbidden < 5; forbidden++) {
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CUDA(tl_cuda_launch(stream, BLOCKS, THREADS, add_kernel, x.a, 1));
    cudaError_t expected = cudaErrorStreamCaptureUnsupported, error = cudaSuccess;
    switch (forbidden) {
    case 0:
      error = cudaMalloc(&memory, 64);
      break;
    case 1:
      error = cudaStreamSynchronize(stream);
      break;
    case 2:
      error = cudaDeviceSynchronize();
      break;
    case 3:
      error = cudaMemcpy(x.a, x.b, sizeof(int), cudaMemcpyDeviceToDevice);
      break;
    case 4: /* forked, with work, and not joined */
      CUDA(cudaEventRecord(event, stream));
      CUDA(cudaStreamWaitEvent(side, event, 0));
      CUDA(tl_cuda_launch(side, BLOCKS, THREADS, add_kernel, x.b, 1));
      expected = cudaSuccess;
      break;
    }
    CHECK_CASE(error == expected, "%d: %s", forbidden, cudaGetErrorName(error));
    graph = (cudaGraph_t)(void *)&memory;
    error = cudaStreamEndCapture(stream, &graph);
    CHECK_CASE(error == (forbidden == 4 ? cudaErrorStreamCaptureUnjoined
                                        : cudaErrorStreamCaptureInvalidated),
               "%d: %s", forbidden, cudaGetErrorName(error));
    CHECK(graph == NULL);
    (void)cudaGetLastError();
  }
  CUDA(cudaMemsetAsync(x.a, 0, COUNT * sizeof(int), stream));
  CUDA(tl_cuda_launch(stream, BLOCKS, THREADS, add_kernel, x.a, 6));
  CUDA(cudaMemcpyAsync(x.pinned, x.a, COUNT * sizeof(int), cudaMemcpyDeviceToHost, stream));
  CUDA(cudaStreamSynchronize(stream));
  CHECK(is_all(x.pinned, 6)); /* nothing of what was captured has run */
  CUDA(cudaEventDestroy(event));
  CUDA(cudaStreamDestroy(side));
  CUDA(cudaStreamDestroy(stream));
  free_arrays(x);
}

/* ---- other errors, and queries --------------------------------------------------------------- */

static void test_errors(void) {
  arrays x = make_arrays();
  CHECK(tl_cuda_launch(0, 1, 2048, add_kernel, x.a, 1) != cudaSuccess);
  CHECK(cudaPeekAtLastError() == cudaSuccess); /* the wrapper leaves nothing behind */
  CHECK(tl_cuda_launch(0, 0, THREADS, add_kernel, x.a, 1) == cudaSuccess);
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(0);
  config.blockDim = dim3(32);
  CHECK(cudaLaunchKernelEx(&config, add_kernel, x.a, 1) == cudaErrorInvalidConfiguration);
  CHECK(cudaPeekAtLastError() == cudaErrorInvalidConfiguration);
  CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
  CHECK(cudaGetLastError() == cudaSuccess);
  void *huge = &config;
  CHECK(cudaMalloc(&huge, (size_t)1 << 60) == cudaErrorMemoryAllocation);
  CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
  CHECK(cudaSetDevice(12345) == cudaErrorInvalidDevice);
  (void)cudaGetLastError();
  CHECK(strcmp(cudaGetErrorName(cudaErrorNoDevice), "cudaErrorNoDevice") == 0);
  CHECK(strlen(cudaGetErrorString(cudaErrorLaunchFailure)) > 5);
  CUDA(cudaFree(NULL));
  CUDA(cudaFreeHost(NULL));
  free_arrays(x);
}

static void test_queries(void) {
  arrays x = make_arrays();
  int device = -1, value = 0, version = 0, blocks = 0;
  size_t free_bytes = 0, total_bytes = 0;
  cudaDeviceProp properties;
  cudaPointerAttributes where;
  cudaFuncAttributes function;
  CUDA(cudaGetDevice(&device));
  CUDA(cudaSetDevice(device));
  CUDA(cudaGetDeviceProperties(&properties, device));
  CHECK(properties.warpSize == 32 && properties.maxThreadsPerBlock == 1024);
  CUDA(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, device));
  CHECK(value > 0 && value == properties.multiProcessorCount);
  CUDA(cudaRuntimeGetVersion(&version));
  CHECK(version >= 12000);
  CUDA(cudaDriverGetVersion(&version));
  CHECK(version > 0);
  CUDA(cudaMemGetInfo(&free_bytes, &total_bytes));
  CHECK(free_bytes > 0 && free_bytes <= total_bytes);
  CUDA(cudaPointerGetAttributes(&where, x.a + 3));
  CHECK(where.type == cudaMemoryTypeDevice && where.device == device);
  CUDA(cudaPointerGetAttributes(&where, x.pinned));
  CHECK(where.type == cudaMemoryTypeHost);
  CUDA(cudaPointerGetAttributes(&where, &where));
  CHECK(where.type == cudaMemoryTypeUnregistered);
  CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add_kernel, THREADS, 0));
  CHECK(blocks > 0);
  CUDA(cudaFuncGetAttributes(&function, add_kernel));
  CHECK(function.maxThreadsPerBlock >= THREADS);
  CHECK(tl_cuda_blocks(0, 128) == 0 && tl_cuda_blocks(128, 128) == 1 &&
        tl_cuda_blocks(129, 128) == 2);
  free_arrays(x);
}

int main(void) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    printf("skipped: no CUDA device\n");
    return CHECK_SKIPPED;
  }
  test_copies();
  test_default_stream();
  test_events();
  test_graph();
  test_capture_errors();
  test_errors();
  test_queries();
  return check_end();
}
