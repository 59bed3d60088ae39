/* cuda_runtime.h: the part of CUDA's run time that Talus uses, for machines without the toolkit.
 *
 * A C++17 compiler reads kernels/cuda/x.cu against this header (-x c++ -I tests/emu) and emu_x.cpp
 * carries the calls out on the CPU. Numbers of the enumerators are CUDA's. What is not declared
 * here does not compile, on purpose: no triple brackets, no dynamic shared memory, no float
 * atomics. Modes, by environment: see emu.h. Compile kernels with -ffp-contract=off, as nvcc
 * --fmad=false. */
#ifndef TL_EMU_CUDA_RUNTIME_H
#define TL_EMU_CUDA_RUNTIME_H
#define TL_EMU 1

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

#define CUDART_VERSION 13000

/* ---- words of the language ------------------------------------------------------------------- */

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
/* One block runs at a time, so a static array is what its threads share. ASan watches its ends. */
#define __shared__ static

/* clang-format off */
#define EMU_VECTOR(type, name)                                                                   \
  struct __align__(2 * sizeof(type)) name##2 { type x, y; };                                     \
  struct name##3 { type x, y, z; };                                                              \
  struct __align__(4 * sizeof(type) < 16 ? 4 * sizeof(type) : 16) name##4 { type x, y, z, w; };  \
  static inline name##2 make_##name##2(type x, type y) { return {x, y}; }                        \
  static inline name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }             \
  static inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
/* clang-format on */
EMU_VECTOR(int, int)
EMU_VECTOR(unsigned, uint)
EMU_VECTOR(float, float)
EMU_VECTOR(double, double)
#undef EMU_VECTOR

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

extern uint3 threadIdx, blockIdx; /* not const, or the compiler would keep them across barriers */
extern dim3 blockDim, gridDim;
static const int warpSize = 32;

/* ---- errors ---------------------------------------------------------------------------------- */

#define EMU_ERROR_LIST(X)                                                                      \
  X(Success, 0, "no error")                                                                    \
  X(ErrorInvalidValue, 1, "invalid argument")                                                  \
  X(ErrorMemoryAllocation, 2, "out of memory")                                                 \
  X(ErrorInvalidConfiguration, 9, "invalid configuration argument")                            \
  X(ErrorInvalidDevicePointer, 17, "invalid device pointer")                                   \
  X(ErrorInvalidMemcpyDirection, 21, "invalid copy direction")                                 \
  X(ErrorInsufficientDriver, 35, "driver too old for the run time")                            \
  X(ErrorInvalidDeviceFunction, 98, "invalid device function")                                 \
  X(ErrorNoDevice, 100, "no CUDA-capable device is detected")                                  \
  X(ErrorInvalidDevice, 101, "invalid device ordinal")                                         \
  X(ErrorInvalidResourceHandle, 400, "invalid resource handle")                                \
  X(ErrorIllegalState, 401, "operation not allowed in the present state")                      \
  X(ErrorNotReady, 600, "device not ready")                                                    \
  X(ErrorIllegalAddress, 700, "illegal memory access")                                         \
  X(ErrorLaunchOutOfResources, 701, "too many resources requested for launch")                 \
  X(ErrorLaunchFailure, 719, "unspecified launch failure")                                     \
  X(ErrorNotSupported, 801, "operation not supported")                                         \
  X(ErrorStreamCaptureUnsupported, 900, "operation not permitted while a stream is capturing") \
  X(ErrorStreamCaptureInvalidated, 901, "the capture failed before this operation")            \
  X(ErrorStreamCaptureMerge, 902, "operation would merge two captures")                        \
  X(ErrorStreamCaptureUnmatched, 903, "the capture was not begun in this stream")              \
  X(ErrorStreamCaptureUnjoined, 904, "a stream of the capture was not joined")                 \
  X(ErrorStreamCaptureIsolation, 905, "captured work would depend on work outside")            \
  X(ErrorStreamCaptureImplicit, 906, "default stream used beside a capturing blocking stream") \
  X(ErrorCapturedEvent, 907, "the event was last recorded in a capture")                       \
  X(ErrorUnknown, 999, "unknown error")

enum cudaError {
#define EMU_ERROR_ENUM(name, number, text) cuda##name = number,
  EMU_ERROR_LIST(EMU_ERROR_ENUM)
#undef EMU_ERROR_ENUM
};
typedef enum cudaError cudaError_t;

cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);

/* ---- device ---------------------------------------------------------------------------------- */

struct cudaDeviceProp {
  char name[256];
  size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerMultiprocessor;
  int regsPerBlock, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
  int major, minor, multiProcessorCount, maxThreadsPerMultiProcessor, maxBlocksPerMultiProcessor;
  int integrated, concurrentKernels, asyncEngineCount, unifiedAddressing, ECCEnabled;
  int memoryBusWidth, l2CacheSize, pciBusID, pciDeviceID, pciDomainID;
};

enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = 1,
  cudaDevAttrMaxGridDimX = 5,
  cudaDevAttrMaxSharedMemoryPerBlock = 8,
  cudaDevAttrWarpSize = 10,
  cudaDevAttrClockRate = 13,
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrMemoryClockRate = 36,
  cudaDevAttrGlobalMemoryBusWidth = 37,
  cudaDevAttrL2CacheSize = 38,
  cudaDevAttrMaxThreadsPerMultiProcessor = 39,
  cudaDevAttrUnifiedAddressing = 41,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76,
  cudaDevAttrSingleToDoublePrecisionPerfRatio = 87
};

cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device);
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device);
/* For tests: how often the host has waited for work, asked for device or pinned memory, and made a
 * graph ready; what it has started: kernels and primitives, whole graphs, copies and fills of
 * device memory; the kernels and primitives that ran, those of graphs included; bytes between host
 * and device. */
extern long emu_waits, emu_allocations, emu_graphs, emu_launches, emu_graph_launches, emu_copies,
    emu_runs;
extern long long emu_bus_bytes;

cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaDriverGetVersion(int *version);

/* ---- memory ---------------------------------------------------------------------------------- */

enum cudaMemcpyKind {
  cudaMemcpyHostToHost = 0,
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3,
  cudaMemcpyDefault = 4
};
enum cudaMemoryType {
  cudaMemoryTypeUnregistered = 0,
  cudaMemoryTypeHost = 1,
  cudaMemoryTypeDevice = 2,
  cudaMemoryTypeManaged = 3
};
struct cudaPointerAttributes {
  cudaMemoryType type;
  int device;
  void *devicePointer, *hostPointer;
};
#define cudaHostAllocDefault 0x00u
#define cudaHostAllocPortable 0x01u
#define cudaHostAllocMapped 0x02u
#define cudaHostAllocWriteCombined 0x04u

typedef struct emu_stream *cudaStream_t;
typedef struct emu_event *cudaEvent_t;
typedef struct emu_graph *cudaGraph_t;
typedef struct emu_graph_exec *cudaGraphExec_t;
typedef struct emu_graph_node *cudaGraphNode_t;

cudaError_t cudaMalloc(void **memory, size_t size);
cudaError_t cudaFree(void *memory);
cudaError_t cudaHostAlloc(void **memory, size_t size, unsigned flags);
cudaError_t cudaMallocHost(void **memory, size_t size);
cudaError_t cudaFreeHost(void *memory);
cudaError_t cudaMemcpy(void *to, const void *from, size_t size, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, cudaMemcpyKind kind,
                            cudaStream_t stream = 0);
cudaError_t cudaMemset(void *memory, int value, size_t size);
cudaError_t cudaMemsetAsync(void *memory, int value, size_t size, cudaStream_t stream = 0);
cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *memory);

template <class T> cudaError_t cudaMalloc(T **memory, size_t size) {
  return cudaMalloc((void **)(void *)memory, size);
}
template <class T> cudaError_t cudaHostAlloc(T **memory, size_t size, unsigned flags) {
  return cudaHostAlloc((void **)(void *)memory, size, flags);
}
template <class T> cudaError_t cudaMallocHost(T **memory, size_t size, unsigned flags = 0) {
  return cudaHostAlloc((void **)(void *)memory, size, flags);
}

/* ---- streams, events, graphs ----------------------------------------------------------------- */

#define cudaStreamDefault 0x00u
#define cudaStreamNonBlocking 0x01u
#define cudaEventDefault 0x00u
#define cudaEventBlockingSync 0x01u
#define cudaEventDisableTiming 0x02u

enum cudaStreamCaptureMode {
  cudaStreamCaptureModeGlobal = 0,
  cudaStreamCaptureModeThreadLocal = 1,
  cudaStreamCaptureModeRelaxed = 2
};
enum cudaStreamCaptureStatus {
  cudaStreamCaptureStatusNone = 0,
  cudaStreamCaptureStatusActive = 1,
  cudaStreamCaptureStatusInvalidated = 2
};

cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status);
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);

cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = 0);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end);

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                 unsigned long long flags = 0);
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec);

/* ---- launches -------------------------------------------------------------------------------- */

struct cudaLaunchAttribute;
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute *attrs;
  unsigned numAttrs;
};
struct cudaFuncAttributes {
  size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion;
};

/* Work of the device in general, as one launch: for kernels, and for primitives_emu.cpp. */
cudaError_t emu_launch(const cudaLaunchConfig_t *config, std::function<void()> thread);
cudaError_t emu_queue(cudaStream_t stream, std::function<void()> work);
cudaError_t emu_occupancy(int *blocks, int threads, size_t shared_bytes);
cudaError_t emu_function_attributes(cudaFuncAttributes *attributes);

template <class... P, class... A>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(P...),
                               A &&...args) {
  /* By value: the launch may run, and a graph be replayed, long after the caller's are gone. */
  std::tuple<std::decay_t<P>...> copies(std::forward<A>(args)...);
  return emu_launch(config, [kernel, copies] { std::apply(kernel, copies); });
}
template <class F>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, F, int threads,
                                                          size_t shared_bytes) {
  return emu_occupancy(blocks, threads, shared_bytes);
}
template <class F> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, F) {
  return emu_function_attributes(attributes);
}

/* ---- what the threads of a block do together ------------------------------------------------- */

struct emu_site { /* where in the source, for reports and to tell barriers apart */
  const char *file;
  int line;
};
enum emu_shuffle_kind { EMU_SHUFFLE_INDEX, EMU_SHUFFLE_UP, EMU_SHUFFLE_DOWN, EMU_SHUFFLE_XOR };

/* Waits for the whole block; how many predicates were true. */
int emu_barrier(bool predicate, emu_site site);
/* Waits for the lanes of the mask; bits of those whose predicate was true. */
unsigned emu_ballot(unsigned mask, bool predicate, emu_site site);
uint64_t emu_shuffle(unsigned mask, uint64_t bits, emu_shuffle_kind kind, int operand, int width,
                     emu_site site);
unsigned emu_lane_bit(void);
unsigned emu_thread_count(void);

#define EMU_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()

static inline void __syncthreads(EMU_HERE) {
  emu_barrier(false, {file, line});
}
static inline int __syncthreads_count(int predicate, EMU_HERE) {
  return emu_barrier(predicate != 0, {file, line});
}
static inline int __syncthreads_or(int predicate, EMU_HERE) {
  return emu_barrier(predicate != 0, {file, line}) != 0;
}
static inline int __syncthreads_and(int predicate, EMU_HERE) {
  return emu_barrier(predicate != 0, {file, line}) == (int)emu_thread_count();
}
static inline void __syncwarp(unsigned mask = 0xffffffffu, EMU_HERE) {
  emu_ballot(mask, false, {file, line});
}
static inline unsigned __ballot_sync(unsigned mask, int predicate, EMU_HERE) {
  return emu_ballot(mask, predicate != 0, {file, line});
}
static inline int __any_sync(unsigned mask, int predicate, EMU_HERE) {
  return emu_ballot(mask, predicate != 0, {file, line}) != 0;
}
static inline int __all_sync(unsigned mask, int predicate, EMU_HERE) {
  return emu_ballot(mask, predicate == 0, {file, line}) == 0;
}
/* CUDA promises only that the caller is in it; a kernel that counts on more is wrong. */
static inline unsigned __activemask(void) {
  return emu_lane_bit();
}

template <class T>
static inline T emu_shuffle_value(unsigned mask, T value, emu_shuffle_kind kind, int operand,
                                  int width, emu_site site) {
  static_assert(std::is_arithmetic<T>::value && (sizeof(T) == 4 || sizeof(T) == 8),
                "shuffles move 32 or 64 bits");
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof value);
  bits = emu_shuffle(mask, bits, kind, operand, width, site);
  memcpy(&value, &bits, sizeof value);
  return value;
}
template <class T>
static inline T __shfl_sync(unsigned mask, T value, int lane, int width = 32, EMU_HERE) {
  return emu_shuffle_value(mask, value, EMU_SHUFFLE_INDEX, lane, width, {file, line});
}
template <class T>
static inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, EMU_HERE) {
  return emu_shuffle_value(mask, value, EMU_SHUFFLE_UP, (int)delta, width, {file, line});
}
template <class T>
static inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, EMU_HERE) {
  return emu_shuffle_value(mask, value, EMU_SHUFFLE_DOWN, (int)delta, width, {file, line});
}
template <class T>
static inline T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32, EMU_HERE) {
  return emu_shuffle_value(mask, value, EMU_SHUFFLE_XOR, bits, width, {file, line});
}
#undef EMU_HERE

/* One thread runs at a time and is never interrupted, so plain arithmetic is atomic. */
#define EMU_ATOMIC(name, type, expression)             \
  static inline type name(type *address, type value) { \
    const type old = *address;                         \
    *address = (expression);                           \
    return old;                                        \
  }
#define EMU_ATOMICS(type)                                                  \
  EMU_ATOMIC(atomicAdd, type, old + value)                                 \
  EMU_ATOMIC(atomicMax, type, old > value ? old : value)                   \
  EMU_ATOMIC(atomicMin, type, old < value ? old : value)                   \
  EMU_ATOMIC(atomicExch, type, value)                                      \
  EMU_ATOMIC(atomicOr, type, old | value)                                  \
  EMU_ATOMIC(atomicAnd, type, old &value)                                  \
  static inline type atomicCAS(type *address, type expected, type value) { \
    const type old = *address;                                             \
    *address = old == expected ? value : old;                              \
    return old;                                                            \
  }
EMU_ATOMICS(int)
EMU_ATOMICS(unsigned)
EMU_ATOMICS(unsigned long long)
EMU_ATOMIC(atomicInc, unsigned, old >= value ? 0 : old + 1)
#undef EMU_ATOMICS
#undef EMU_ATOMIC

static inline void __threadfence(void) {
  __asm__ volatile("" ::: "memory");
}
static inline void __threadfence_block(void) {
  __asm__ volatile("" ::: "memory");
}
template <class T> static inline T __ldg(const T *address) {
  return *address;
}

static inline int __popc(unsigned bits) {
  return __builtin_popcount(bits);
}
static inline int __ffs(int bits) {
  return __builtin_ffs(bits);
}
static inline int __clz(int bits) {
  return bits ? __builtin_clz((unsigned)bits) : 32;
}

/* As the device has them: a NaN loses against a number, and -0 is below +0. */
#define EMU_INTEGER_LIMITS(type)           \
  static inline type min(type a, type b) { \
    return b < a ? b : a;                  \
  }                                        \
  static inline type max(type a, type b) { \
    return a < b ? b : a;                  \
  }
#define EMU_REAL_LIMITS(type)                                 \
  static inline type min(type a, type b) {                    \
    return a < b || b != b || (a == b && signbit(a)) ? a : b; \
  }                                                           \
  static inline type max(type a, type b) {                    \
    return a > b || b != b || (a == b && signbit(b)) ? a : b; \
  }
EMU_INTEGER_LIMITS(int)
EMU_INTEGER_LIMITS(unsigned)
EMU_INTEGER_LIMITS(long)
EMU_INTEGER_LIMITS(unsigned long)
EMU_INTEGER_LIMITS(long long)
EMU_INTEGER_LIMITS(unsigned long long)
EMU_REAL_LIMITS(float)
EMU_REAL_LIMITS(double)
#undef EMU_INTEGER_LIMITS
#undef EMU_REAL_LIMITS

#endif
