/* emu.h: what the files of the emulation share. Kernels and tests do not include it.
 *
 *   EMU_ORDER=forward|reverse|random:SEED  order of the blocks, and of threads between barriers
 *   EMU_LAZY=1         asynchronous work waits until something waits for it
 *   EMU_GUARD=1        device memory is out of the host's reach, with guard pages at both ends
 *   EMU_MEMORY=BYTES   device memory (K, M, G understood; 4G)        EMU_DEVICES=N  (1)
 *   EMU_STACK=BYTES    localSizeBytes of every kernel (0)
 *   EMU_DOUBLE_RATIO=N single precision is so many times as fast as double (2)
 *   EMU_CLOCK=KHZ      of its processors, as the device tells it (0: it does not)
 *   EMU_LIBRARIES=1    stand-ins for cuBLAS and cuSOLVER; otherwise there are none
 *   EMU_FAIL_ALLOC=N   the N-th allocation fails (N+: all later ones too), pinned ones counted
 *   EMU_FAIL_LAUNCH=N  the N-th launch is refused     EMU_FAIL_RUN=N  the N-th kernel run breaks
 * off */
#ifndef TL_EMU_H
#define TL_EMU_H

#include <cuda_runtime.h>

#include <mutex>

enum emu_order { EMU_FORWARD, EMU_REVERSE, EMU_RANDOM };

struct emu_settings {
  emu_order order;
  uint64_t seed;
  bool lazy, guard, libraries;
  size_t memory, stack;
  int devices, double_ratio, clock;
  long fail_alloc, fail_launch, fail_run; /* 0 = never */
  bool fail_alloc_on;                     /* and all later ones */
};
const emu_settings &emu_get(void);

/* Every call of the run time holds the lock, runs of kernels included. */
typedef std::lock_guard<std::recursive_mutex> emu_lock;
extern std::recursive_mutex emu_mutex;

/* What a call must return before it begins: no device, or the error that ended all. */
cudaError_t emu_enter(void);
/* Keeps the error for cudaGetLastError and returns it. */
cudaError_t emu_fail(cudaError_t error);
/* The device is lost: from now on every call returns this error. */
void emu_break(cudaError_t error, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool emu_is_broken(void);
int emu_device(void);

#define EMU_ENTER                           \
  emu_lock lock(emu_mutex);                 \
  do {                                      \
    const cudaError_t before = emu_enter(); \
    if (before != cudaSuccess) {            \
      return before;                        \
    }                                       \
  } while (0)

/* emu_block.cpp: runs a whole grid; false if it broke off (the device is lost then). */
bool emu_run_grid(dim3 grid, dim3 block, const std::function<void()> &thread);

/* emu_memory.cpp: device memory is readable while one of these lives. */
struct emu_open {
  emu_open();
  ~emu_open();
  emu_open(const emu_open &) = delete;
  emu_open &operator=(const emu_open &) = delete;
};

/* emu_stream.cpp: queues work on a stream, or adds it to the capture under way there. */
cudaError_t emu_submit(cudaStream_t stream, std::function<void()> work);
/* Runs what the stream (or everybody) has queued. */
void emu_drain(cudaStream_t stream);
void emu_drain_all(void);
/* emu_graph.cpp: refuses a call that captures forbid, if there are any, and spoils them. */
cudaError_t emu_refuse_capture(void);
bool emu_is_capturing(cudaStream_t stream);
/* Refuses a call that the capture on this stream cannot take. */
cudaError_t emu_spoil_capture(cudaStream_t stream);

#endif
