/* base.c: status texts, messages, memory, clock. */
#define _POSIX_C_SOURCE 200809L
#include "host/base/base.h"

#include <assert.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host/base/process.h"
#include "host/base/scope.h"

#define TL_TEXT_(x) #x
#define TL_TEXT(x) TL_TEXT_(x)

const char *talus_version(void) {
  return TL_TEXT(TALUS_VERSION_MAJOR) "." TL_TEXT(TALUS_VERSION_MINOR) "." TL_TEXT(
      TALUS_VERSION_PATCH);
}

const char *talus_status_name(talus_status status) {
  static const char *const names[] = {
#define TL_NAME(name, text) #name,
      TALUS_STATUS_LIST(TL_NAME)
#undef TL_NAME
  };
  return (unsigned)status < TALUS_STATUS_COUNT ? names[status] : "UNKNOWN";
}

const char *talus_status_text(talus_status status) {
  static const char *const texts[] = {
#define TL_NAME(name, text) text,
      TALUS_STATUS_LIST(TL_NAME)
#undef TL_NAME
  };
  return (unsigned)status < TALUS_STATUS_COUNT ? texts[status] : "unknown status";
}

static _Thread_local tl_scope *innermost;

void tl_scope_enter(tl_scope *scope, const talus_context *context) {
  *scope = (tl_scope){.context = context, .outer = innermost};
  innermost = scope;
}

void tl_scope_leave(tl_scope *scope) {
  assert(innermost == scope);
  innermost = scope->outer;
}

tl_scope *tl_scope_of(const talus_context *context) {
  tl_scope *scope = innermost;
  while (scope != NULL && scope->context != context) {
    scope = scope->outer;
  }
  return scope;
}

talus_status tl_fail(talus_context *context, talus_status status, const char *format, ...) {
  if (context != NULL) {
    tl_scope *const scope = tl_scope_of(context);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(scope != NULL ? scope->message : context->message, TL_MESSAGE, format, arguments);
    va_end(arguments);
    if (scope == NULL) {
      __atomic_store_n(&context->notice, NULL, __ATOMIC_RELEASE);
      context->told = false;
    }
  }
  return status;
}

talus_status tl_refuse(talus_context *context, talus_status status, const char *text) {
  if (tl_scope_of(context) != NULL) {
    return tl_fail(context, status, "%s", text);
  }
  __atomic_store_n(&context->notice, text, __ATOMIC_RELEASE);
  return status;
}

void tl_log(talus_context *context, talus_log_level level, const char *format, ...) {
  if (context == NULL || context->def.log == NULL || tl_scope_of(context) != NULL) {
    return; /* the caller's log need not be safe among threads */
  }
  char text[TL_MESSAGE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  context->def.log(context->def.log_user, level, text);
}

size_t tl_size_product(size_t a, size_t b) {
  size_t product;
  return __builtin_mul_overflow(a, b, &product) ? SIZE_MAX : product;
}

/* Each allocation carries its size in a header of one cache line, so that it can be counted and
 * given back to a caller's allocator, which wants to know it. */
enum { HEADER = TL_CACHE_LINE };

talus_status tl_alloc(talus_context *context, void **memory, size_t count, size_t size,
                      const char *what) {
  *memory = NULL;
  const size_t wanted = tl_size_product(count, size);
  if (wanted > (size_t)PTRDIFF_MAX - 2 * HEADER) {
    return tl_fail(context, TALUS_OUT_OF_MEMORY, "%s: %zu elements of %zu bytes do not fit", what,
                   count, size);
  }
  const size_t total = ((wanted + HEADER - 1) / HEADER + 1) * HEADER;
  char *block = context->def.allocate != NULL
                    ? context->def.allocate(context->def.allocate_user, total)
                    : tl_memory_take(total);
  if (block == NULL) {
    return tl_fail(context, TALUS_OUT_OF_MEMORY, "%s: no memory for %zu bytes", what, wanted);
  }
  memcpy(block, &total, sizeof total);
  __atomic_add_fetch(&context->bytes, (int64_t)total, __ATOMIC_RELAXED);
  *memory = block + HEADER;
  return TALUS_OK;
}

void tl_free(talus_context *context, void *memory) {
  if (memory == NULL) {
    return;
  }
  char *block = (char *)memory - HEADER;
  size_t total;
  memcpy(&total, block, sizeof total);
  __atomic_sub_fetch(&context->bytes, (int64_t)total, __ATOMIC_RELAXED);
  if (context->def.release != NULL) {
    context->def.release(context->def.allocate_user, block, total);
  } else {
    tl_memory_release(block);
  }
}

talus_status tl_buffer_reserve(talus_context *context, tl_buffer *buffer, size_t count, size_t size,
                               const char *what) {
  const size_t wanted = tl_size_product(count, size);
  if (buffer->memory != NULL && wanted <= buffer->capacity) {
    return TALUS_OK;
  }
  tl_buffer_release(context, buffer);
  TL_TRY(tl_alloc(context, &buffer->memory, count, size, what));
  buffer->capacity = wanted;
  return TALUS_OK;
}

void tl_buffer_release(talus_context *context, tl_buffer *buffer) {
  tl_free(context, buffer->memory);
  buffer->memory = NULL;
  buffer->capacity = 0;
}

int32_t tl_threads_for(const talus_context *context, int64_t count) {
  const int32_t threads = tl_context_threads(context);
  const int64_t worth = 1 + count / 2048;
  return context->def.threads > 0 || worth > threads ? threads : (int32_t)worth;
}

double tl_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
