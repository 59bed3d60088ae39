/* emu_memory.cpp: device and pinned memory, copies, fills.
 *
 * Fresh memory is full of NaN. Device memory comes from malloc, so that ASan knows its ends to the
 * byte; with EMU_GUARD it is mapped, closed to the host except while device work runs, and its last
 * byte lies before an inaccessible page (up to the 255 bytes that CUDA's alignment asks for, which
 * are looked at when the memory is freed). */
#include "emu.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include <map>
#include <memory>
#include <vector>

static const size_t ALIGNMENT = 256; /* what cudaMalloc promises */
static const int FRESH = 0xff;

struct emu_allocation {
  size_t size;
  cudaMemoryType type;
  int device;
  char *pages; /* with EMU_GUARD: between the two guard pages */
  size_t pages_size;
};

/* Never destroyed: the program may free until its very end. */
static std::map<const char *, emu_allocation> &allocations =
    *new std::map<const char *, emu_allocation>();
static size_t device_bytes;
static int open_count;

static size_t round_up(size_t size, size_t unit) {
  return (size + unit - 1) / unit * unit;
}

/* The allocation that holds all the bytes, or the end. */
static std::map<const char *, emu_allocation>::iterator find(const void *memory, size_t size) {
  auto it = allocations.upper_bound((const char *)memory);
  if (it == allocations.begin()) {
    return allocations.end();
  }
  --it;
  const size_t offset = (size_t)((const char *)memory - it->first);
  return offset < it->second.size && size <= it->second.size - offset ? it : allocations.end();
}

static bool is_type(const void *memory, size_t size, cudaMemoryType type) {
  const auto it = find(memory, size);
  return (it == allocations.end() ? cudaMemoryTypeUnregistered : it->second.type) == type;
}

static void protect_all(int protection) {
  for (const auto &entry : allocations) {
    if (entry.second.pages) {
      mprotect(entry.second.pages, entry.second.pages_size, protection);
    }
  }
}

emu_open::emu_open() {
  if (emu_get().guard && open_count++ == 0) {
    protect_all(PROT_READ | PROT_WRITE);
  }
}

emu_open::~emu_open() {
  if (emu_get().guard && --open_count == 0) {
    protect_all(PROT_NONE);
  }
}

/* ---- allocation ------------------------------------------------------------------------------ */

static char *map_guarded(emu_allocation *a) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  a->pages_size = round_up(a->size, page);
  char *all = (char *)mmap(nullptr, a->pages_size + 2 * page, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) {
    return nullptr;
  }
  a->pages = all + page;
  mprotect(a->pages, a->pages_size, PROT_READ | PROT_WRITE);
  memset(a->pages, FRESH, a->pages_size);
  mprotect(a->pages, a->pages_size, PROT_NONE);
  return a->pages + a->pages_size - round_up(a->size, ALIGNMENT);
}

static cudaError_t allocate(void **memory, size_t size, cudaMemoryType type) {
  static long count;
  EMU_ENTER;
  if (!memory) {
    return emu_fail(cudaErrorInvalidValue);
  }
  *memory = nullptr;
  if (const cudaError_t error = emu_refuse_capture()) {
    return error;
  }
  if (size == 0) {
    return cudaSuccess;
  }
  const emu_settings &settings = emu_get();
  count++;
  const bool injected =
      settings.fail_alloc > 0 &&
      (count == settings.fail_alloc || (settings.fail_alloc_on && count > settings.fail_alloc));
  const bool on_device = type == cudaMemoryTypeDevice;
  if (injected || (on_device && size > settings.memory - device_bytes)) {
    return emu_fail(cudaErrorMemoryAllocation);
  }
  emu_allocation a = {size, type, emu_device(), nullptr, 0};
  void *start = nullptr;
  if (on_device && settings.guard) {
    start = map_guarded(&a);
  } else if (posix_memalign(&start, ALIGNMENT, size) == 0) {
    memset(start, FRESH, size);
  }
  if (!start) {
    return emu_fail(cudaErrorMemoryAllocation);
  }
  allocations[(char *)start] = a;
  device_bytes += on_device ? size : 0;
  *memory = start;
  return cudaSuccess;
}

static void check_rims(const char *start, const emu_allocation *a) {
  const char *end = a->pages + a->pages_size;
  for (const char *p = a->pages; p < end; p++) {
    if (p == start) {
      p += a->size;
    }
    if (p < end && *p != (char)FRESH) {
      emu_break(cudaErrorIllegalAddress,
                "device memory of %zu bytes was written outside, at offset %td", a->size,
                p - start);
      return;
    }
  }
}

static cudaError_t release(void *memory, cudaMemoryType type) {
  EMU_ENTER;
  if (!memory) {
    return cudaSuccess;
  }
  if (const cudaError_t error = emu_refuse_capture()) {
    return error;
  }
  const auto it = allocations.find((char *)memory);
  if (it == allocations.end() || it->second.type != type) {
    return emu_fail(cudaErrorInvalidValue);
  }
  emu_drain_all(); /* as CUDA does: nobody uses it any more */
  const emu_allocation a = it->second;
  if (a.pages) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    mprotect(a.pages, a.pages_size, PROT_READ);
    check_rims((char *)memory, &a);
    munmap(a.pages - page, a.pages_size + 2 * page);
  } else {
    free(memory);
  }
  allocations.erase(it);
  device_bytes -= type == cudaMemoryTypeDevice ? a.size : 0;
  return emu_enter();
}

long emu_allocations;

cudaError_t cudaMalloc(void **memory, size_t size) {
  emu_allocations++;
  return allocate(memory, size, cudaMemoryTypeDevice);
}

cudaError_t cudaFree(void *memory) {
  return release(memory, cudaMemoryTypeDevice);
}

cudaError_t cudaHostAlloc(void **memory, size_t size, unsigned) {
  emu_allocations++;
  return allocate(memory, size, cudaMemoryTypeHost);
}

cudaError_t cudaMallocHost(void **memory, size_t size) {
  return allocate(memory, size, cudaMemoryTypeHost);
}

cudaError_t cudaFreeHost(void *memory) {
  return release(memory, cudaMemoryTypeHost);
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes) {
  EMU_ENTER;
  *free_bytes = emu_get().memory - device_bytes;
  *total_bytes = emu_get().memory;
  return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *memory) {
  EMU_ENTER;
  if (!attributes) {
    return emu_fail(cudaErrorInvalidValue);
  }
  const auto it = find(memory, 1);
  *attributes = {cudaMemoryTypeUnregistered, -2, nullptr, (void *)memory};
  if (it != allocations.end()) {
    const bool pinned = it->second.type == cudaMemoryTypeHost;
    *attributes = {it->second.type, it->second.device, (void *)memory,
                   pinned ? (void *)memory : nullptr};
  }
  return cudaSuccess;
}

/* ---- copies and fills ------------------------------------------------------------------------ */

long emu_copies;
long long emu_bus_bytes;

static cudaMemcpyKind kind_of(const void *to, const void *from) {
  const bool to_device = is_type(to, 1, cudaMemoryTypeDevice);
  const bool from_device = is_type(from, 1, cudaMemoryTypeDevice);
  return to_device     ? from_device ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice
         : from_device ? cudaMemcpyDeviceToHost
                       : cudaMemcpyHostToHost;
}

/* All of it on the device, or none of it and, where pinned, not beyond the end. */
static bool is_side_good(const void *memory, size_t size, bool on_device) {
  return is_type(memory, size, cudaMemoryTypeDevice)
             ? on_device
             : !on_device && (is_type(memory, 1, cudaMemoryTypeUnregistered) ||
                              is_type(memory, size, cudaMemoryTypeHost));
}

static cudaError_t copy(void *to, const void *from, size_t size, cudaMemcpyKind kind,
                        cudaStream_t stream, bool waits) {
  if (size == 0) {
    return cudaSuccess;
  }
  if (kind == cudaMemcpyDefault) {
    kind = kind_of(to, from);
  }
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if (!is_side_good(to, size, to_device) || !is_side_good(from, size, from_device)) {
    return emu_fail(cudaErrorInvalidValue);
  }
  const bool to_pageable = is_type(to, 1, cudaMemoryTypeUnregistered);
  const bool from_pageable = is_type(from, 1, cudaMemoryTypeUnregistered);
  /* A graph would keep the address of memory that the caller may give back at any time. */
  if ((to_pageable || from_pageable) && emu_is_capturing(stream)) {
    return emu_spoil_capture(stream);
  }
  std::shared_ptr<std::vector<char>> staged;
  if (from_pageable) { /* read before the call returns */
    staged = std::make_shared<std::vector<char>>((const char *)from, (const char *)from + size);
    from = staged->data();
  }
  emu_copies++;
  emu_bus_bytes += to_device != from_device ? (long long)size : 0;
  const cudaError_t error =
      emu_submit(stream, [to, from, size, staged] { memmove(to, from, size); });
  if (error == cudaSuccess && (waits || to_pageable)) {
    emu_drain(stream);
    return emu_enter();
  }
  return error;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  EMU_ENTER;
  return copy(to, from, size, kind, stream, false);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t size, cudaMemcpyKind kind) {
  EMU_ENTER;
  if (const cudaError_t error = emu_refuse_capture()) {
    return error;
  }
  return copy(to, from, size, kind, nullptr, true);
}

cudaError_t cudaMemsetAsync(void *memory, int value, size_t size, cudaStream_t stream) {
  EMU_ENTER;
  if (size == 0) {
    return cudaSuccess;
  }
  if (find(memory, size) == allocations.end()) {
    return emu_fail(cudaErrorInvalidValue);
  }
  emu_copies++;
  return emu_submit(stream, [memory, value, size] { memset(memory, value, size); });
}

cudaError_t cudaMemset(void *memory, int value, size_t size) {
  EMU_ENTER;
  if (const cudaError_t error = emu_refuse_capture()) {
    return error;
  }
  return cudaMemsetAsync(memory, value, size, nullptr);
}
