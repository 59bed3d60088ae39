/* radix.c: a stable sort of whole numbers. */
#include "host/math/radix.h"

#include <string.h>

enum { DIGIT = 11, BINS = 1 << DIGIT };

/* Places of the digits at `shift`; 0 if all keys have the same one. */
static int places_find(const uint64_t *key, int64_t count, int shift, int64_t *place) {
  memset(place, 0, (BINS + 1) * sizeof *place);
  for (int64_t i = 0; i < count; i++) {
    place[(key[i] >> shift & (BINS - 1)) + 1]++;
  }
  if (place[(key[0] >> shift & (BINS - 1)) + 1] == count) {
    return 0;
  }
  for (int b = 0; b < BINS; b++) {
    place[b + 1] += place[b];
  }
  return 1;
}

void tl_radix_sort(uint64_t *key, int32_t *value, uint64_t *key_other, int32_t *value_other,
                   int64_t count) {
  uint64_t *from = key, *to = key_other;
  int32_t *value_from = value, *value_to = value_other;
  int64_t place[BINS + 1];
  for (int shift = 0; count > 0 && shift < 64; shift += DIGIT) {
    if (!places_find(from, count, shift, place)) {
      continue;
    }
    for (int64_t i = 0; i < count; i++) {
      const int64_t at = place[from[i] >> shift & (BINS - 1)]++;
      to[at] = from[i];
      value_to[at] = value_from[i];
    }
    uint64_t *const keys = from;
    int32_t *const values = value_from;
    from = to;
    value_from = value_to;
    to = keys;
    value_to = values;
  }
  if (from != key && count > 0) {
    memcpy(key, from, (size_t)count * sizeof *key);
    memcpy(value, value_from, (size_t)count * sizeof *value);
  }
}
