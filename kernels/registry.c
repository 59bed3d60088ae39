/* registry.c: the backends of this build. Build options are known here and nowhere below. */
#include "kernels/registry.h"

#include <stdio.h>

#include "host/base/process.h"
#include "kernels/cpu/conquer_cpu.h"
#include "kernels/cpu/copy_array_cpu.h"
#include "kernels/cpu/small_cpu.h"
#include "kernels/dense_backend.h"
#include "kernels/world_backend.h"

talus_status tl_cpu_create_f32(talus_context *context, tl_engine **engine);
talus_status tl_cpu_create_f64(talus_context *context, tl_engine **engine);

static talus_status cpu_open(talus_context *context) {
  (void)context;
  return TALUS_OK;
}

static void cpu_close(talus_context *context) {
  (void)context;
}

static void cpu_describe(char *text, size_t capacity) {
  const int32_t threads = tl_processor_count();
  snprintf(text, capacity, "%d thread%s", (int)threads, threads == 1 ? "" : "s");
}

static talus_status cpu_create(talus_context *context, talus_precision precision,
                               tl_engine **engine) {
  return precision == TALUS_F32 ? tl_cpu_create_f32(context, engine)
                                : tl_cpu_create_f64(context, engine);
}

const tl_backend tl_backend_cpu = {
    .name = "cpu",
    .kind = TALUS_BACKEND_CPU,
    .open = cpu_open,
    .close = cpu_close,
    .describe = cpu_describe,
    .copy_array = tl_cpu_copy_array,
    .create = cpu_create,
    .small = tl_cpu_small,
    .conquer = tl_cpu_conquer,
};

const tl_backend *tl_backend_find(talus_backend_kind kind) {
  if (kind == TALUS_BACKEND_CPU) {
    return &tl_backend_cpu;
  }
#if TL_HAVE_CUDA
  if (kind == TALUS_BACKEND_CUDA) {
    return &tl_backend_cuda;
  }
#endif
  return NULL;
}

const tl_world_backend *tl_world_backend_find(const talus_context *context) {
#if TL_HAVE_CUDA
  if (context->backend->kind == TALUS_BACKEND_CUDA) {
    return &tl_world_backend_cuda;
  }
#else
  (void)context;
#endif
  return NULL;
}

const tl_dense_ops *tl_dense_backend_find(const talus_context *context) {
#if TL_HAVE_CUDA
  if (context->dense == NULL && context->backend->kind == TALUS_BACKEND_CUDA) {
    return &tl_dense_cuda;
  }
#endif
  return context->dense;
}
