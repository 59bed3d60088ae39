/* scarce.h: memory that is counted, and that runs out at a chosen request. */
#ifndef TL_TESTS_SCARCE_H
#define TL_TESTS_SCARCE_H

#include <stdlib.h>
#include <string.h>

#include "host/base/process.h"
#include "talus/talus_base.h"
#include "tests/check.h"

typedef struct scarce {
  int64_t requests, held;
  int64_t fail_at;   /* the request that gets nothing, from 1; 0: none */
  int64_t fail_from; /* no request gets anything from this one on; 0: none */
} scarce;

static inline void *scarce_allocate(void *user, size_t size) {
  scarce *const s = (scarce *)user;
  s->requests++;
  if (s->requests == s->fail_at || (s->fail_from > 0 && s->requests >= s->fail_from)) {
    return NULL;
  }
  void *const memory = tl_memory_take((size + 63) / 64 * 64);
  if (memory != NULL) {
    memset(memory, 0xa5, size); /* nothing may rely on zeros */
    s->held++;
  }
  return memory;
}

static inline void scarce_release(void *user, void *memory, size_t size) {
  scarce *const s = (scarce *)user;
  (void)size;
  s->held--;
  tl_memory_release(memory);
}

/* A context on the CPU, one thread, that takes its memory from s. */
static inline talus_context *scarce_context(scarce *s) {
  talus_context_def def = talus_context_def_default();
  talus_context *context = NULL;
  def.threads = 1;
  def.backend = TALUS_BACKEND_CPU;
  def.allocate = scarce_allocate;
  def.release = scarce_release;
  def.allocate_user = s;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  return context;
}

#endif
