/* process.c: how many threads a user wants. */
#include "host/base/process.h"

#include <stdlib.h>

/* What a user sets to keep all libraries of a process to so many. */
static int32_t asked_by_user(void) {
  const char *const text = getenv("OMP_NUM_THREADS");
  const long value = text != NULL ? strtol(text, NULL, 10) : 0;
  return value > 0 && value <= 4096 ? (int32_t)value : 0;
}

int32_t tl_processor_count(void) {
  const int32_t asked = asked_by_user(), allowed = tl_processors_allowed();
  return asked > 0 ? asked : allowed > 0 ? allowed : 1;
}
