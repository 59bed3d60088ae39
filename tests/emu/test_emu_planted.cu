/* test_emu_planted.cu: errors made on purpose, which the emulation must not let pass.
 *
 * Each runs in a child of its own, with the mode in its environment; the parent makes no call, so
 * that every child begins with a fresh device. What the child writes to stderr is looked at too.
 * Emulation only. */
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

#include "kernels/cuda/launch.h"
#include "tests/check.h"

enum { THREADS = 64 };

/* ---- children -------------------------------------------------------------------------------- */

static char child_text[4096]; /* what the last child said on stderr */

/* Runs body() with NAME=VALUE settings; what waitpid says of it. */
static int run_child(int (*body)(void), std::vector<const char *> settings) {
  int ends[2];
  if (pipe(ends) != 0) {
    return -1;
  }
  fflush(stdout); /* a child that exits would write it once more */
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    for (const char *setting : settings) {
      putenv((char *)setting);
    }
    signal(SIGSEGV, SIG_DFL); /* a sanitizer would turn it into an exit code */
    signal(SIGBUS, SIG_DFL);
    _exit(body());
  }
  close(ends[1]);
  size_t length = 0;
  ssize_t got;
  while ((got = read(ends[0], child_text + length, sizeof child_text - 1 - length)) > 0) {
    length += (size_t)got;
  }
  child_text[length] = 0;
  close(ends[0]);
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

static bool passes(int (*body)(void), std::vector<const char *> settings) {
  const int status = run_child(body, settings);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool faults(int (*body)(void), std::vector<const char *> settings) {
  const int status = run_child(body, settings);
  return WIFSIGNALED(status) && (WTERMSIG(status) == SIGSEGV || WTERMSIG(status) == SIGBUS);
}

static bool said(const char *words) {
  return strstr(child_text, words) != NULL;
}

/* In a child: a broken expectation ends it with its line as the exit code (modulo 256, not 0). */
#define EXPECT(condition)                         \
  do {                                            \
    if (!(condition)) {                           \
      return __LINE__ % 256 ? __LINE__ % 256 : 1; \
    }                                             \
  } while (0)

/* ---- memory ---------------------------------------------------------------------------------- */

static __global__ void write_kernel(int *values, int index) {
  values[index] = 1;
}

static int read_device_memory(void) {
  volatile int *values = NULL;
  EXPECT(cudaMalloc((int **)&values, 4) == cudaSuccess);
  EXPECT(cudaMemset((int *)values, 0, 4) == cudaSuccess);
  return values[0];
}

static int write_far_outside(void) {
  int *values;
  EXPECT(cudaMalloc(&values, 256) == cudaSuccess);
  tl_cuda_launch(0, 1, 1, write_kernel, values, 64);
  return (int)cudaDeviceSynchronize();
}

static int write_just_outside(void) {
  int *values;
  EXPECT(cudaMalloc(&values, 200) == cudaSuccess);
  EXPECT(tl_cuda_launch(0, 1, 1, write_kernel, values, 49) == cudaSuccess);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
  EXPECT(tl_cuda_launch(0, 1, 1, write_kernel, values, 50) == cudaSuccess);
  EXPECT(cudaFree(values) == cudaErrorIllegalAddress);
  return 0;
}

static int copy_outside(void) {
  int host[8] = {0}, *device, *pinned;
  EXPECT(cudaMalloc(&device, sizeof host) == cudaSuccess);
  EXPECT(cudaMallocHost(&pinned, sizeof host) == cudaSuccess);
  EXPECT(cudaMemcpy(device + 1, host, sizeof host, cudaMemcpyHostToDevice) ==
         cudaErrorInvalidValue);
  EXPECT(cudaMemcpy(host, device, sizeof host, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  EXPECT(cudaMemcpy(device, pinned + 1, sizeof host, cudaMemcpyHostToDevice) ==
         cudaErrorInvalidValue);
  EXPECT(cudaMemset(device, 0, sizeof host + 1) == cudaErrorInvalidValue);
  EXPECT(cudaFree(device + 1) == cudaErrorInvalidValue);
  EXPECT(cudaFree(pinned) == cudaErrorInvalidValue && cudaFreeHost(pinned) == cudaSuccess);
  EXPECT(cudaFree(device) == cudaSuccess && cudaFree(device) == cudaErrorInvalidValue);
  return 0;
}

static int fresh_is_nan(void) {
  double *device, host[5] = {0};
  EXPECT(cudaMalloc(&device, sizeof host) == cudaSuccess);
  EXPECT(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess);
  for (double value : host) {
    EXPECT(isnan(value));
  }
  return 0;
}

static int count_allocation_failures(int count, int *failures) {
  for (int i = 0; i < count; i++) {
    void *memory = NULL;
    const cudaError_t error = i % 2 ? cudaMallocHost(&memory, 64) : cudaMalloc(&memory, 64);
    EXPECT(error == (memory ? cudaSuccess : cudaErrorMemoryAllocation));
    failures[i] = error != cudaSuccess;
  }
  return 0;
}

static int second_allocation_fails(void) {
  int failures[5];
  EXPECT(count_allocation_failures(5, failures) == 0);
  EXPECT(!failures[0] && failures[1] && !failures[2] && !failures[3] && !failures[4]);
  return 0;
}

static int allocations_fail_from_second(void) {
  int failures[5];
  EXPECT(count_allocation_failures(5, failures) == 0);
  EXPECT(!failures[0] && failures[1] && failures[2] && failures[3] && failures[4]);
  return 0;
}

static int memory_is_limited(void) {
  void *first, *second;
  size_t free_bytes, total_bytes;
  EXPECT(cudaMalloc(&first, 48 << 10) == cudaSuccess);
  EXPECT(cudaMemGetInfo(&free_bytes, &total_bytes) == cudaSuccess);
  EXPECT(free_bytes == 16 << 10 && total_bytes == 64 << 10);
  EXPECT(cudaMalloc(&second, (16 << 10) + 1) == cudaErrorMemoryAllocation && !second);
  EXPECT(cudaFree(first) == cudaSuccess);
  EXPECT(cudaMalloc(&second, 64 << 10) == cudaSuccess);
  return 0;
}

/* ---- threads that do not come together ------------------------------------------------------- */

enum planted { LEFT, TWO_BARRIERS, WARP_AND_BARRIER, OTHER_MASK, NOT_IN_MASK, BALLOT_OR_SHUFFLE };

static __global__ void divergent_kernel(planted what, int *out) {
  const unsigned lane = threadIdx.x % 32;
  switch (what) {
  case LEFT:
    if (threadIdx.x == 5) {
      return;
    }
    __syncthreads();
    break;
  case TWO_BARRIERS:
    if (threadIdx.x < 32) {
      __syncthreads();
    } else {
      __syncthreads();
    }
    break;
  case WARP_AND_BARRIER:
    if (lane == 3) {
      __syncthreads();
    } else {
      __syncwarp();
    }
    break;
  case OTHER_MASK:
    __ballot_sync(lane < 16 ? 0xffffffffu : 0xffff0001u, 1);
    break;
  case NOT_IN_MASK:
    __ballot_sync(0xfffffffeu, 1);
    break;
  case BALLOT_OR_SHUFFLE:
    if (lane == 0) {
      __ballot_sync(0xffffffffu, 1);
    } else {
      __shfl_sync(0xffffffffu, 1, 0);
    }
    break;
  }
  out[threadIdx.x] = 1;
}

static planted what_is_planted;

/* The launch fails, once and for all. */
static int diverge(void) {
  int *out, count;
  void *more;
  EXPECT(cudaMalloc(&out, THREADS * sizeof(int)) == cudaSuccess);
  tl_cuda_launch(0, 1, THREADS, divergent_kernel, what_is_planted, out);
  EXPECT(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
  EXPECT(cudaMalloc(&more, 4) == cudaErrorLaunchFailure);
  EXPECT(cudaGetLastError() == cudaErrorLaunchFailure);
  EXPECT(cudaGetLastError() == cudaErrorLaunchFailure);
  EXPECT(tl_cuda_launch(0, 1, 1, write_kernel, out, 0) == cudaErrorLaunchFailure);
  EXPECT(cudaGetDeviceCount(&count) == cudaErrorLaunchFailure);
  return 0;
}

static __global__ void exited_lane_kernel(float *out) {
  if (threadIdx.x == 9) {
    return;
  }
  out[threadIdx.x] = __shfl_xor_sync(0xffffffffu, 1.0f, 1);
}

/* The lane that left has nothing to give: a NaN, and no fault. */
static int shuffle_from_exited(void) {
  float *device, host[32];
  EXPECT(cudaMalloc(&device, sizeof host) == cudaSuccess);
  EXPECT(tl_cuda_launch(0, 1, 32, exited_lane_kernel, device) == cudaSuccess);
  EXPECT(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess);
  EXPECT(isnan(host[8]) && host[7] == 1 && host[10] == 1);
  return 0;
}

/* ---- order ----------------------------------------------------------------------------------- */

static __global__ void last_wins_kernel(int *winner, int *visited) {
  if (threadIdx.x == 0) {
    *winner = (int)blockIdx.x;
    visited[blockIdx.x]++;
  }
}

/* Reads the neighbour's value with no barrier between. */
static __global__ void no_barrier_kernel(int *out) {
  __shared__ int values[THREADS];
  values[threadIdx.x] = (int)(threadIdx.x + blockIdx.x);
  out[threadIdx.x] = values[threadIdx.x ? threadIdx.x - 1 : 0];
  __syncthreads();
  values[threadIdx.x] = -1;
}

enum { BLOCKS = 50 };

static int winner_of_blocks(int *winner) {
  int *device, host[1 + BLOCKS];
  EXPECT(cudaMalloc(&device, sizeof host) == cudaSuccess);
  EXPECT(cudaMemset(device, 0, sizeof host) == cudaSuccess);
  EXPECT(tl_cuda_launch(0, BLOCKS, 2, last_wins_kernel, device, device + 1) == cudaSuccess);
  EXPECT(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess);
  for (int b = 0; b < BLOCKS; b++) {
    EXPECT(host[1 + b] == 1); /* whatever the order, each once */
  }
  *winner = host[0];
  return 0;
}

static int is_racy(bool *racy) {
  int *device, host[THREADS];
  EXPECT(cudaMalloc(&device, sizeof host) == cudaSuccess);
  EXPECT(tl_cuda_launch(0, 2, THREADS, no_barrier_kernel, device) == cudaSuccess);
  EXPECT(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess);
  int wrong0 = 0, wrong1 = 0;
  for (int t = 0; t < THREADS; t++) {
    wrong0 += host[t] != (t ? t - 1 : 0);
    wrong1 += host[t] != (t ? t : 1);
  }
  *racy = wrong0 > 0 && wrong1 > 0;
  return 0;
}

static int order_forward(void) {
  int winner;
  EXPECT(winner_of_blocks(&winner) == 0 && winner == BLOCKS - 1);
  return 0;
}

static int order_reverse(void) {
  int winner;
  bool racy;
  EXPECT(winner_of_blocks(&winner) == 0 && winner == 0);
  EXPECT(is_racy(&racy) == 0 && racy);
  return 0;
}

static int order_random(void) {
  int winner, different = 0;
  bool racy;
  for (int repeat = 0; repeat < 10; repeat++) {
    EXPECT(winner_of_blocks(&winner) == 0);
    different += winner != 0 && winner != BLOCKS - 1;
  }
  EXPECT(different > 5);
  EXPECT(is_racy(&racy) == 0 && racy);
  return 0;
}

/* ---- asynchronous work ----------------------------------------------------------------------- */

static int lazy_streams(void) {
  int *device, *pinned;
  cudaStream_t stream, other;
  EXPECT(cudaMalloc(&device, 4) == cudaSuccess && cudaMallocHost(&pinned, 4) == cudaSuccess);
  EXPECT(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  EXPECT(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking) == cudaSuccess);
  /* The result is looked at too early, or after waiting for the wrong stream. */
  *pinned = 77;
  EXPECT(cudaMemsetAsync(device, 0, 4, stream) == cudaSuccess);
  EXPECT(tl_cuda_launch(stream, 1, 1, write_kernel, device, 0) == cudaSuccess);
  EXPECT(cudaMemcpyAsync(pinned, device, 4, cudaMemcpyDeviceToHost, stream) == cudaSuccess);
  EXPECT(*pinned == 77);
  EXPECT(cudaStreamSynchronize(other) == cudaSuccess && *pinned == 77);
  EXPECT(cudaStreamSynchronize(stream) == cudaSuccess && *pinned == 1);
  /* Pinned memory is written to while a copy may still read it. */
  *pinned = 5;
  EXPECT(cudaMemcpyAsync(device, pinned, 4, cudaMemcpyHostToDevice, stream) == cudaSuccess);
  *pinned = 6;
  EXPECT(cudaStreamQuery(stream) == cudaErrorNotReady);
  EXPECT(cudaStreamQuery(stream) == cudaSuccess);
  EXPECT(cudaMemcpy(pinned, device, 4, cudaMemcpyDeviceToHost) == cudaSuccess && *pinned == 6);
  /* A stream does not wait for another without an event. */
  EXPECT(cudaMemsetAsync(device, 0, 4, stream) == cudaSuccess);
  EXPECT(cudaStreamSynchronize(stream) == cudaSuccess);
  EXPECT(tl_cuda_launch(stream, 1, 1, write_kernel, device, 0) == cudaSuccess);
  EXPECT(cudaMemcpyAsync(pinned, device, 4, cudaMemcpyDeviceToHost, other) == cudaSuccess);
  EXPECT(cudaStreamSynchronize(other) == cudaSuccess && *pinned == 0);
  return 0;
}

/* ---- injected failures ----------------------------------------------------------------------- */

static int second_launch_refused(void) {
  int *device;
  EXPECT(cudaMalloc(&device, 4) == cudaSuccess);
  EXPECT(tl_cuda_launch(0, 1, 1, write_kernel, device, 0) == cudaSuccess);
  EXPECT(tl_cuda_launch(0, 1, 1, write_kernel, device, 0) == cudaErrorLaunchOutOfResources);
  EXPECT(tl_cuda_launch(0, 1, 1, write_kernel, device, 0) == cudaSuccess);
  return (int)cudaDeviceSynchronize();
}

static int second_run_breaks(void) {
  int *device;
  EXPECT(cudaMalloc(&device, 4) == cudaSuccess);
  EXPECT(tl_cuda_launch(0, 1, 1, write_kernel, device, 0) == cudaSuccess);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
  EXPECT(tl_cuda_launch(0, 1, 1, write_kernel, device, 0) == cudaSuccess);
  EXPECT(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
  EXPECT(cudaFree(device) == cudaErrorLaunchFailure);
  return 0;
}

static int no_device(void) {
  int count = 7;
  void *memory = NULL;
  EXPECT(cudaGetDeviceCount(&count) == cudaErrorNoDevice && count == 0);
  EXPECT(cudaSetDevice(0) == cudaErrorNoDevice && cudaMalloc(&memory, 4) == cudaErrorNoDevice);
  return 0;
}

int main(void) {
  CHECK(faults(read_device_memory, {"EMU_GUARD=1"}));
  CHECK(faults(write_far_outside, {"EMU_GUARD=1"}));
  CHECK(passes(write_just_outside, {"EMU_GUARD=1"}) && said("offset 200"));
  CHECK(passes(copy_outside, {}) && passes(copy_outside, {"EMU_GUARD=1"}));
  CHECK(passes(fresh_is_nan, {}) && passes(fresh_is_nan, {"EMU_GUARD=1"}));
  CHECK(passes(second_allocation_fails, {"EMU_FAIL_ALLOC=2"}));
  CHECK(passes(allocations_fail_from_second, {"EMU_FAIL_ALLOC=2+"}));
  CHECK(passes(memory_is_limited, {"EMU_MEMORY=64K"}));

  const char *const words[] = {"63 of 64 threads wait, 1 have left",
                               "at another one",
                               "2 of 64 threads wait, 0 have left the kernel, 62 wait elsewhere",
                               "mask ffffffff",
                               "lacks the thread that calls",
                               "the same operation"};
  for (int p = LEFT; p <= BALLOT_OR_SHUFFLE; p++) {
    what_is_planted = (planted)p;
    for (const char *lazy : {"EMU_LAZY=0", "EMU_LAZY=1"}) {
      CHECK_CASE(passes(diverge, {lazy}) && said("test_emu_planted.cu:") && said(words[p]),
                 "%d: %s", p, child_text);
    }
  }
  CHECK(passes(shuffle_from_exited, {}));

  CHECK(passes(order_forward, {}) && passes(order_forward, {"EMU_ORDER=forward"}));
  CHECK(passes(order_reverse, {"EMU_ORDER=reverse"}));
  CHECK(passes(order_random, {"EMU_ORDER=random:1"}) &&
        passes(order_random, {"EMU_ORDER=random:2"}));
  CHECK(passes(lazy_streams, {"EMU_LAZY=1"}) && !passes(lazy_streams, {}));

  CHECK(passes(second_launch_refused, {"EMU_FAIL_LAUNCH=2"}));
  CHECK(passes(second_run_breaks, {"EMU_FAIL_RUN=2"}) && said("as asked for"));
  CHECK(passes(no_device, {"EMU_DEVICES=0"}));
  CHECK(!passes(fresh_is_nan, {"EMU_ORDER=sideways"}) && said("EMU_ORDER=sideways"));
  return check_end();
}
