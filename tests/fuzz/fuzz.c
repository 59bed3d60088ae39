/* fuzz.c: numbers out of bytes, memory that ends, files without a disk; see fuzz.h. */
#define _GNU_SOURCE
#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- bytes ----------------------------------------------------------------------------------- */

uint8_t fuzz_byte(fuzz_input *input) {
  return input->place < input->size ? input->bytes[input->place++] : 0;
}

int32_t fuzz_below(fuzz_input *input, int32_t limit) {
  return fuzz_byte(input) % limit;
}

static uint64_t word(fuzz_input *input) {
  uint64_t bits = 0;
  for (int i = 0; i < 8; i++) {
    bits |= (uint64_t)fuzz_byte(input) << (8 * i);
  }
  return bits;
}

double fuzz_number(fuzz_input *input) {
  static const double odd[] = {NAN,   INFINITY, -INFINITY, 1e300, -1e300, 1e-300, 5e-324,
                               1e160, -1e160,   1e-160,    1e15,  1e-15,  -0.0};
  enum { ODD = sizeof odd / sizeof *odd };
  const uint8_t code = fuzz_byte(input);
  if (code < 240) {
    return (code - 120) / 16.0;
  }
  if (code < 240 + ODD) {
    return odd[code - 240];
  }
  const uint64_t bits = word(input);
  double number;
  memcpy(&number, &bits, sizeof number);
  return number;
}

int64_t fuzz_integer(fuzz_input *input, int64_t low, int64_t high) {
  const uint8_t code = fuzz_byte(input);
  if (code == 255) {
    return (int64_t)word(input);
  }
  if (code == 254) {
    return INT32_MAX;
  }
  if (code >= 252) {
    return code == 253 ? high + 1 : low - 1;
  }
  return low + code % (high - low + 1);
}

void *fuzz_array(fuzz_input *input, size_t count, size_t size) {
  void *const memory = malloc(count * size > 0 ? count * size : 1);
  FUZZ_PROMISE(memory != NULL && input->array_count < FUZZ_ARRAYS);
  input->array[input->array_count++] = memory;
  return memory;
}

double *fuzz_numbers(fuzz_input *input, int64_t count) {
  double *const list = fuzz_array(input, (size_t)count, sizeof *list);
  for (int64_t i = 0; i < count; i++) {
    list[i] = fuzz_number(input);
  }
  return list;
}

int32_t *fuzz_integers(fuzz_input *input, int64_t count, int64_t low, int64_t high) {
  int32_t *const list = fuzz_array(input, (size_t)count, sizeof *list);
  for (int64_t i = 0; i < count; i++) {
    list[i] = (int32_t)fuzz_integer(input, low, high);
  }
  return list;
}

void fuzz_end(fuzz_input *input) {
  while (input->array_count > 0) {
    free(input->array[--input->array_count]);
  }
}

/* ---- surroundings ---------------------------------------------------------------------------- */

static int64_t held;

enum { MEMORY = 256 << 20 };

static void *take(void *user, size_t size) {
  (void)user;
  if (size > MEMORY || held + (int64_t)size > MEMORY) {
    return NULL;
  }
  void *const memory = aligned_alloc(64, (size + 63) / 64 * 64);
  held += memory != NULL ? (int64_t)size : 0;
  return memory;
}

static void give(void *user, void *memory, size_t size) {
  (void)user;
  held -= memory != NULL ? (int64_t)size : 0;
  free(memory);
}

talus_context *fuzz_context(void) {
  static talus_context *context;
  if (context == NULL) {
    talus_context_def def = talus_context_def_default();
    def.threads = 1;
    def.backend = TALUS_BACKEND_CPU;
    def.allocate = take;
    def.release = give;
    FUZZ_PROMISE(talus_context_create(&def, &context) == TALUS_OK);
  }
  return context;
}

int64_t fuzz_held(void) {
  return held;
}

const char *fuzz_file(const void *bytes, size_t size) {
  static char path[64];
  static int file = -1;
  if (file < 0) {
    file = memfd_create("fuzz", 0);
    FUZZ_PROMISE(file >= 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  }
  FUZZ_PROMISE(ftruncate(file, 0) == 0 && pwrite(file, bytes, size, 0) == (ssize_t)size);
  return path;
}
