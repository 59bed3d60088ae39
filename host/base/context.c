/* context.c: life of a context: threads, backend, allocator, log. */
#include <stdio.h>
#include <stdlib.h>

#include "host/base/process.h"
#include "host/base/scope.h"
#include "host/base/structs.h"
#include "host/base/workers.h"
#include "kernels/registry.h"

void talus_context_def_init(talus_context_def *def, size_t size) {
  static const talus_context_def defaults;
  tl_struct_init(&tl_struct_context_def, &defaults, def, size);
}

/* Picks the backend that was asked for; AUTO falls back to the CPU. */
static talus_status backend_open(talus_context *context) {
  const talus_backend_kind wanted = context->def.backend;
  const tl_backend *const device = tl_backend_find(TALUS_BACKEND_CUDA);
  if (wanted == TALUS_BACKEND_CUDA && device == NULL) {
    return tl_fail(context, TALUS_BACKEND_ABSENT,
                   "the cuda backend was asked for, but this build of Talus has none");
  }
  if (wanted != TALUS_BACKEND_CPU && device != NULL) {
    const talus_status status = device->open(context);
    if (status == TALUS_OK) {
      context->backend = device;
      return TALUS_OK;
    }
    if (wanted == TALUS_BACKEND_CUDA) {
      return status;
    }
    tl_log(context, TALUS_LOG_INFO, "no device (%s): using the CPU", context->message);
    context->message[0] = 0;
  }
  context->backend = &tl_backend_cpu;
  return context->backend->open(context);
}

talus_status talus_context_create(const talus_context_def *given, talus_context **result) {
  if (result == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  *result = NULL;
  talus_context_def def = talus_context_def_default();
  if (given != NULL) {
    TL_TRY(tl_struct_read(NULL, &tl_struct_context_def, "context def", given, &def));
  }
  /* the context itself comes from the C library: it outlives every use of the caller's allocator */
  talus_context *const context = calloc(1, sizeof *context);
  if (context == NULL) {
    return TALUS_OUT_OF_MEMORY;
  }
  *result = context;
  context->magic = TL_CONTEXT_MAGIC;
  context->holders = 1;
  context->def = def;
  if ((def.allocate == NULL) != (def.release == NULL)) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT, "give both allocate and release, or neither");
  }
  if (def.threads < 0 || def.threads > 4096) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT, "threads is %d, outside 0 .. 4096",
                   def.threads);
  }
  if ((unsigned)def.backend > TALUS_BACKEND_CUDA) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT, "backend %d is unknown", (int)def.backend);
  }
  context->threads = def.threads > 0 ? def.threads : tl_processor_count();
  context->workers = tl_workers_create();
  if (context->workers == NULL) {
    return tl_fail(context, TALUS_OUT_OF_MEMORY, "no memory for threads");
  }
  return backend_open(context);
}

talus_status tl_context_check(talus_context *context) {
  if (context == NULL || context->magic != TL_CONTEXT_MAGIC) {
    return TALUS_INVALID_ARGUMENT; /* without a context there is no message */
  }
  return context->backend != NULL
             ? TALUS_OK
             : tl_fail(context, TALUS_INVALID_ARGUMENT, "the context was not created successfully");
}

/* ---- who is at work -------------------------------------------------------------------------- */

/* Its address tells threads apart. */
static _Thread_local char mark;

talus_status tl_context_enter(talus_context *context) {
  TL_TRY(tl_context_check(context));
  if (tl_scope_of(context) != NULL) {
    return TALUS_OK; /* part of a call that has come in */
  }
  uintptr_t owner = 0;
  if (__atomic_load_n(&context->owner, __ATOMIC_RELAXED) != (uintptr_t)&mark &&
      !__atomic_compare_exchange_n(&context->owner, &owner, (uintptr_t)&mark, 0, __ATOMIC_ACQUIRE,
                                   __ATOMIC_RELAXED)) {
    return tl_refuse(context, TALUS_BUSY,
                     "another thread, or a solve under way, is at work in this context: make one "
                     "for each thread");
  }
  context->depth++;
  return TALUS_OK;
}

void tl_context_leave(talus_context *context) {
  if (tl_scope_of(context) == NULL && --context->depth == 0) {
    __atomic_store_n(&context->owner, 0, __ATOMIC_RELEASE);
  }
}

talus_status tl_context_hand_over(talus_context *context) {
  if (context->depth > 1) {
    return tl_fail(context, TALUS_BUSY,
                   "the call that called back is at work in this context: a solve beside it needs "
                   "another");
  }
  __atomic_store_n(&context->owner, (uintptr_t)context, __ATOMIC_RELEASE);
  return TALUS_OK;
}

void tl_context_take(talus_context *context) {
  (void)__atomic_exchange_n(&context->owner, (uintptr_t)&mark, __ATOMIC_ACQ_REL);
}

/* ---- end ------------------------------------------------------------------------------------- */

void tl_context_hold(talus_context *context) {
  __atomic_add_fetch(&context->holders, 1, __ATOMIC_RELAXED);
}

void tl_context_let_go(talus_context *context) {
  if (__atomic_sub_fetch(&context->holders, 1, __ATOMIC_ACQ_REL) > 0) {
    return;
  }
  if (context->backend != NULL) {
    context->backend->close(context);
  }
  tl_workers_destroy(context->workers);
  free(context);
}

void talus_context_destroy(talus_context *context) {
  if (context == NULL || context->magic != TL_CONTEXT_MAGIC) {
    return;
  }
  *(volatile uint32_t *)&context->magic = 0; /* a compiler may not leave this out before free */
  tl_context_let_go(context);
}

const char *talus_context_message(const talus_context *context) {
  if (context == NULL || context->magic != TL_CONTEXT_MAGIC) {
    return "no context";
  }
  const tl_scope *const scope = tl_scope_of(context);
  if (scope != NULL) {
    return scope->message;
  }
  const char *const notice = __atomic_load_n(&context->notice, __ATOMIC_ACQUIRE);
  return notice != NULL ? notice : context->message;
}

const char *talus_context_backend(const talus_context *context) {
  return context != NULL && context->magic == TL_CONTEXT_MAGIC && context->backend != NULL
             ? context->backend->name
             : "none";
}

bool tl_context_forked(const talus_context *context) {
  return context->workers != NULL && tl_workers_lost(context->workers);
}

int32_t tl_context_threads(const talus_context *context) {
  return tl_context_forked(context) || tl_scope_of(context) != NULL ? 1 : context->threads;
}

int32_t talus_context_threads(const talus_context *context) {
  return context != NULL && context->magic == TL_CONTEXT_MAGIC ? tl_context_threads(context) : 0;
}

void talus_build_text(char *text, size_t capacity) {
  if (text == NULL || capacity == 0) {
    return;
  }
  char cpu[256] = "", cuda[512] = "not in this build";
  tl_backend_cpu.describe(cpu, sizeof cpu);
  const tl_backend *const device = tl_backend_find(TALUS_BACKEND_CUDA);
  if (device != NULL) {
    device->describe(cuda, sizeof cuda);
  }
  const char *const sparse = TL_HAVE_SUITESPARSE ? "CHOLMOD and UMFPACK" : "none in this build";
  const char *const dense = TL_HAVE_LAPACK ? "LAPACK" : "own";
  snprintf(text, capacity, "cpu: %s\ncuda: %s\nfactors: sparse %s, dense %s\ncompiler: %s\n", cpu,
           cuda, sparse, dense, __VERSION__);
}
