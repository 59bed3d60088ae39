/* radix.h: a stable sort of whole numbers, digit by digit from below. */
#ifndef TL_MATH_RADIX_H
#define TL_MATH_RADIX_H

#include <stdint.h>

/* Sorts keys, and values along with them, in place; equal keys keep their order. key_other,
 * value_other: room of the same size. Digits that are all alike cost one look. */
void tl_radix_sort(uint64_t *key, int32_t *value, uint64_t *key_other, int32_t *value_other,
                   int64_t count);

#endif
