/* emu_device.cpp: the emulated device, the settings from the environment, and errors.
 *
 * Errors behave as CUDA's: most are told once (cudaGetLastError clears them), the loss of the
 * device is told by every later call. */
#include "emu.h"

#include <stdarg.h>
#include <stdio.h>

std::recursive_mutex emu_mutex;

static thread_local cudaError_t last_error = cudaSuccess;
static thread_local int current_device = 0;
static cudaError_t broken = cudaSuccess;

/* A misspelt setting must not pass for a run in that mode. */
static void refuse_setting(const char *name, const char *text) {
  fprintf(stderr, "emu: %s=%s is not understood\n", name, text);
  exit(2);
}

static long long number_setting(const char *name, long long otherwise, const char *suffixes) {
  const char *text = getenv(name);
  if (!text || !*text) {
    return otherwise;
  }
  char *end;
  long long number = strtoll(text, &end, 10);
  const char *suffix = *end ? strchr(suffixes, *end) : nullptr;
  if (end == text || number < 0 || (*end && (!suffix || end[1]))) {
    refuse_setting(name, text);
  }
  switch (*end) {
  case 'G':
    number <<= 10; /* fall through */
  case 'M':
    number <<= 10; /* fall through */
  case 'K':
    number <<= 10;
  }
  return number;
}

static emu_settings read_settings(void) {
  emu_settings settings = {};
  const char *order = getenv("EMU_ORDER");
  if (!order || !*order || !strcmp(order, "forward")) {
    settings.order = EMU_FORWARD;
  } else if (!strcmp(order, "reverse")) {
    settings.order = EMU_REVERSE;
  } else if (!strncmp(order, "random:", 7)) {
    settings.order = EMU_RANDOM;
    settings.seed = strtoull(order + 7, nullptr, 10);
  } else {
    refuse_setting("EMU_ORDER", order);
  }
  settings.lazy = number_setting("EMU_LAZY", 0, "") != 0;
  settings.guard = number_setting("EMU_GUARD", 0, "") != 0;
  settings.libraries = number_setting("EMU_LIBRARIES", 0, "") != 0;
  settings.clock = (int)number_setting("EMU_CLOCK", 0, "");
  settings.memory = (size_t)number_setting("EMU_MEMORY", 4LL << 30, "KMG");
  settings.stack = (size_t)number_setting("EMU_STACK", 0, "KMG");
  settings.double_ratio = (int)number_setting("EMU_DOUBLE_RATIO", 2, "");
  settings.devices = (int)number_setting("EMU_DEVICES", 1, "");
  settings.fail_alloc = (long)number_setting("EMU_FAIL_ALLOC", 0, "+");
  settings.fail_alloc_on = settings.fail_alloc && strchr(getenv("EMU_FAIL_ALLOC"), '+');
  settings.fail_launch = (long)number_setting("EMU_FAIL_LAUNCH", 0, "");
  settings.fail_run = (long)number_setting("EMU_FAIL_RUN", 0, "");
  return settings;
}

const emu_settings &emu_get(void) {
  static const emu_settings settings = read_settings();
  return settings;
}

cudaError_t emu_enter(void) {
  if (broken != cudaSuccess) {
    return broken;
  }
  return emu_get().devices > 0 ? cudaSuccess : emu_fail(cudaErrorNoDevice);
}

cudaError_t emu_fail(cudaError_t error) {
  last_error = error;
  return error;
}

void emu_break(cudaError_t error, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "emu: ");
  vfprintf(stderr, format, arguments);
  fprintf(stderr, "\n");
  va_end(arguments);
  if (broken == cudaSuccess) {
    broken = error;
  }
}

bool emu_is_broken(void) {
  return broken != cudaSuccess;
}

int emu_device(void) {
  return current_device;
}

cudaError_t cudaPeekAtLastError(void) {
  emu_lock lock(emu_mutex);
  return broken != cudaSuccess ? broken : last_error;
}

cudaError_t cudaGetLastError(void) {
  const cudaError_t error = cudaPeekAtLastError();
  last_error = cudaSuccess;
  return error;
}

const char *cudaGetErrorName(cudaError_t error) {
  switch (error) {
#define EMU_ERROR_NAME(name, number, text) \
  case cuda##name:                         \
    return "cuda" #name;
    EMU_ERROR_LIST(EMU_ERROR_NAME)
#undef EMU_ERROR_NAME
  }
  return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error) {
  switch (error) {
#define EMU_ERROR_TEXT(name, number, text) \
  case cuda##name:                         \
    return text;
    EMU_ERROR_LIST(EMU_ERROR_TEXT)
#undef EMU_ERROR_TEXT
  }
  return "unrecognized error code";
}

cudaError_t cudaGetDeviceCount(int *count) {
  emu_lock lock(emu_mutex);
  if (!count) {
    return emu_fail(cudaErrorInvalidValue);
  }
  *count = emu_get().devices;
  return emu_enter();
}

cudaError_t cudaGetDevice(int *device) {
  EMU_ENTER;
  *device = current_device;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  EMU_ENTER;
  if (device < 0 || device >= emu_get().devices) {
    return emu_fail(cudaErrorInvalidDevice);
  }
  current_device = device;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device) {
  EMU_ENTER;
  if (!properties || device < 0 || device >= emu_get().devices) {
    return emu_fail(properties ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
  }
  *properties = {};
  strcpy(properties->name, "CUDA emulated on the CPU");
  properties->totalGlobalMem = emu_get().memory;
  properties->sharedMemPerBlock = 48 << 10;
  properties->sharedMemPerMultiprocessor = 164 << 10;
  properties->regsPerBlock = 65536;
  properties->warpSize = warpSize;
  properties->maxThreadsPerBlock = 1024;
  properties->maxThreadsDim[0] = properties->maxThreadsDim[1] = 1024;
  properties->maxThreadsDim[2] = 64;
  properties->maxGridSize[0] = 0x7fffffff;
  properties->maxGridSize[1] = properties->maxGridSize[2] = 65535;
  properties->major = 8;
  properties->multiProcessorCount = 4;
  properties->maxThreadsPerMultiProcessor = 2048;
  properties->maxBlocksPerMultiProcessor = 32;
  properties->concurrentKernels = 1;
  properties->asyncEngineCount = 1;
  properties->unifiedAddressing = 1;
  properties->memoryBusWidth = 64;
  properties->l2CacheSize = 1 << 20;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device) {
  cudaDeviceProp properties;
  const cudaError_t error = cudaGetDeviceProperties(&properties, device);
  if (error != cudaSuccess || !value) {
    return error != cudaSuccess ? error : emu_fail(cudaErrorInvalidValue);
  }
  switch (attribute) {
  case cudaDevAttrMaxThreadsPerBlock:
    *value = properties.maxThreadsPerBlock;
    return cudaSuccess;
  case cudaDevAttrMaxGridDimX:
    *value = properties.maxGridSize[0];
    return cudaSuccess;
  case cudaDevAttrMaxSharedMemoryPerBlock:
    *value = (int)properties.sharedMemPerBlock;
    return cudaSuccess;
  case cudaDevAttrWarpSize:
    *value = properties.warpSize;
    return cudaSuccess;
  case cudaDevAttrMultiProcessorCount:
    *value = properties.multiProcessorCount;
    return cudaSuccess;
  case cudaDevAttrClockRate:
    *value = emu_get().clock;
    return cudaSuccess;
  case cudaDevAttrMemoryClockRate:
    *value = 0;
    return cudaSuccess;
  case cudaDevAttrGlobalMemoryBusWidth:
    *value = properties.memoryBusWidth;
    return cudaSuccess;
  case cudaDevAttrL2CacheSize:
    *value = properties.l2CacheSize;
    return cudaSuccess;
  case cudaDevAttrMaxThreadsPerMultiProcessor:
    *value = properties.maxThreadsPerMultiProcessor;
    return cudaSuccess;
  case cudaDevAttrUnifiedAddressing:
    *value = properties.unifiedAddressing;
    return cudaSuccess;
  case cudaDevAttrComputeCapabilityMajor:
    *value = properties.major;
    return cudaSuccess;
  case cudaDevAttrComputeCapabilityMinor:
    *value = properties.minor;
    return cudaSuccess;
  case cudaDevAttrSingleToDoublePrecisionPerfRatio:
    *value = emu_get().double_ratio;
    return cudaSuccess;
  }
  return emu_fail(cudaErrorInvalidValue);
}

cudaError_t cudaRuntimeGetVersion(int *version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

/* 0 is CUDA's way to say that there is no driver. */
cudaError_t cudaDriverGetVersion(int *version) {
  *version = emu_get().devices > 0 ? CUDART_VERSION : 0;
  return cudaSuccess;
}

cudaError_t emu_occupancy(int *blocks, int threads, size_t) {
  EMU_ENTER;
  if (!blocks || threads < 1) {
    return emu_fail(cudaErrorInvalidValue);
  }
  const int fit = 2048 / ((threads + 31) / 32 * 32);
  *blocks = threads > 1024 ? 0 : fit < 32 ? fit : 32;
  return cudaSuccess;
}

/* What a compiler for the host cannot know is left 0. */
cudaError_t emu_function_attributes(cudaFuncAttributes *attributes) {
  EMU_ENTER;
  *attributes = {};
  attributes->maxThreadsPerBlock = 1024;
  attributes->localSizeBytes = emu_get().stack;
  attributes->ptxVersion = attributes->binaryVersion = 80;
  return cudaSuccess;
}
