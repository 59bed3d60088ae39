/* fuzz.h: what the fuzz targets share: numbers and arrays out of bytes, files without a disk.
 *
 * A target is one function, LLVMFuzzerTestOneInput. Linked with driver.c it runs kept inputs; built
 * by clang with TALUS_FUZZ it is a libFuzzer program. Whatever the bytes, a call ends with a
 * status: a crash, a sanitizer's report or a broken promise (FUZZ_PROMISE) is a defect of Talus. */
#ifndef TL_FUZZ_H
#define TL_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "talus/talus_base.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define FUZZ_PROMISE(condition)                                                       \
  do {                                                                                \
    if (!(condition)) {                                                               \
      fprintf(stderr, "%s:%d: broken promise: %s\n", __FILE__, __LINE__, #condition); \
      abort();                                                                        \
    }                                                                                 \
  } while (0)

/* ---- bytes read from front to back; zeros after the end -------------------------------------- */

enum { FUZZ_ARRAYS = 256 };

typedef struct fuzz_input {
  const uint8_t *bytes;
  size_t size, place;
  void *array[FUZZ_ARRAYS]; /* what fuzz_array gave */
  int array_count;
} fuzz_input;

uint8_t fuzz_byte(fuzz_input *input);
/* 0 .. limit - 1, limit <= 256. */
int32_t fuzz_below(fuzz_input *input, int32_t limit);
/* Mostly small and round; sometimes tiny, huge, infinite, NaN or any eight bytes. */
double fuzz_number(fuzz_input *input);
/* Mostly low .. high, sometimes anything. */
int64_t fuzz_integer(fuzz_input *input, int64_t low, int64_t high);
/* Memory of exactly this size, so that a sanitizer sees one byte too far; until fuzz_end. */
void *fuzz_array(fuzz_input *input, size_t count, size_t size);
double *fuzz_numbers(fuzz_input *input, int64_t count);
int32_t *fuzz_integers(fuzz_input *input, int64_t count, int64_t low, int64_t high);
void fuzz_end(fuzz_input *input);

/* ---- surroundings ---------------------------------------------------------------------------- */

/* A context on one thread of the CPU whose memory ends at 256 MB; the same one at every call. */
talus_context *fuzz_context(void);
/* What is held from that context; the same before and after, or something leaked. */
int64_t fuzz_held(void);
/* The bytes as a file in memory; returns its path, which belongs to the function. */
const char *fuzz_file(const void *bytes, size_t size);

#endif
