/* device_world.h: what tests of worlds on a device begin with. */
#ifndef TL_DEVICE_WORLD_H
#define TL_DEVICE_WORLD_H

#include <stdlib.h>

#include "talus/talus_world.h"
#include "tests/check.h"

/* Without it nothing else makes sense. */
#define MUST(call)                                                                      \
  do {                                                                                  \
    const talus_status status_ = (call);                                                \
    if (status_ != TALUS_OK) {                                                          \
      printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, talus_status_name(status_)); \
      exit(EXIT_FAILURE);                                                               \
    }                                                                                   \
  } while (0)

/* Ends the program as skipped where there is no device. */
static inline talus_context *context_open(talus_backend_kind backend, int32_t threads) {
  talus_context_def def = talus_context_def_default();
  talus_context *context = NULL;
  def.backend = backend;
  def.threads = threads;
  if (talus_context_create(&def, &context) == TALUS_DEVICE_ABSENT) {
    printf("no device\n");
    exit(CHECK_SKIPPED);
  }
  CHECK(context != NULL);
  return context;
}

#endif
