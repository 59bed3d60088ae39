/* caller_array.h: an array of the caller's as the caller laid it out, in host or device memory.
 *
 * Its packed counterpart, on the host, holds doubles for reals and the same integers for indices;
 * element i of it begins at packed + i * pitch numbers. */
#ifndef TL_CALLER_ARRAY_H
#define TL_CALLER_ARRAY_H

#include <stdint.h>

typedef enum tl_scalar { TL_SCALAR_F64, TL_SCALAR_F32, TL_SCALAR_I32, TL_SCALAR_I64 } tl_scalar;

typedef struct tl_caller_array {
  void *array;
  int64_t stride;     /* bytes from element to element */
  int64_t count;      /* elements */
  int32_t components; /* numbers of an element, side by side */
  int32_t pitch;      /* numbers from element to element of the packed counterpart */
  tl_scalar scalar;
  const char *name; /* for messages */
} tl_caller_array;

typedef enum tl_copy_mode {
  TL_COPY_IN,   /* caller's array -> packed */
  TL_COPY_OUT,  /* packed -> caller's array; complete on the stream, for the host after END */
  TL_COPY_LOOK, /* nothing is moved: is the array in the memory of the host? */
  TL_COPY_END   /* nothing is moved: all that went out is there, as far as the caller cannot wait
                    for the stream himself. No field */
} tl_copy_mode;

static inline int32_t tl_scalar_size(tl_scalar scalar) {
  return scalar == TL_SCALAR_F64 || scalar == TL_SCALAR_I64 ? 8 : 4;
}

/* Of a number in the packed counterpart. */
static inline int32_t tl_packed_size(tl_scalar scalar) {
  return scalar == TL_SCALAR_I32 ? 4 : 8;
}

#endif
