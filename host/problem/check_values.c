/* check_values.c: what arrays of a caller's problem are held against, whichever form it has. */
#include "host/problem/check_values.h"

#include <math.h>
#include <string.h>

enum { COUNT_MAX = 1 << 29 }; /* products with small factors must fit in 32 bits */

talus_status tl_check_given(talus_context *context, const void *array, int64_t count,
                            const char *name) {
  if (count > 0 && array == NULL) {
    return tl_fail(context, TALUS_MISSING_ARRAY, "%s is NULL, but %lld values are needed", name,
                   (long long)count);
  }
  return TALUS_OK;
}

/* By exponents, without a branch: adding one to the largest reaches the sign. */
static bool all_finite(const double *array, int64_t count) {
  const uint64_t exponent = UINT64_C(0x7ff) << 52, one = UINT64_C(1) << 52;
  uint64_t any = 0;
  for (int64_t i = 0; i < count; i++) {
    uint64_t bits;
    memcpy(&bits, &array[i], sizeof bits);
    any |= (bits & exponent) + one;
  }
  return any >> 63 == 0;
}

talus_status tl_check_finite(talus_context *context, const double *array, int64_t count,
                             const char *name) {
  if (array == NULL || all_finite(array, count)) {
    return TALUS_OK;
  }
  for (int64_t i = 0; i < count; i++) {
    if (!isfinite(array[i])) {
      return tl_fail(context, TALUS_NOT_FINITE, "%s[%lld] is %g", name, (long long)i, array[i]);
    }
  }
  return TALUS_OK;
}

talus_status tl_check_numbers(talus_context *context, const double *array, int64_t count,
                              const char *name) {
  TL_TRY(tl_check_given(context, array, count, name));
  return tl_check_finite(context, array, count, name);
}

talus_status tl_check_indices(talus_context *context, const int32_t *index, int64_t count,
                              int32_t low, int32_t high, const char *name) {
  TL_TRY(tl_check_given(context, index, count, name));
  for (int64_t i = 0; i < count; i++) {
    if (index[i] < low || index[i] >= high) {
      return tl_fail(context, TALUS_INDEX_RANGE, "%s[%lld] is %d, outside %d .. %d", name,
                     (long long)i, index[i], low, high - 1);
    }
  }
  return TALUS_OK;
}

talus_status tl_check_count_to(talus_context *context, int64_t count, int32_t most,
                               const char *name) {
  if (count < 0 || count > most) {
    return tl_fail(context, TALUS_SIZE_OVERFLOW, "%s is %lld, outside 0 .. %d", name,
                   (long long)count, most);
  }
  return TALUS_OK;
}

talus_status tl_check_count(talus_context *context, int64_t count, const char *name) {
  return tl_check_count_to(context, count, COUNT_MAX, name);
}

talus_status tl_check_offsets(talus_context *context, const int64_t *start, int64_t count,
                              const char *name) {
  TL_TRY(tl_check_given(context, start, count + 1, name));
  for (int64_t i = 0; i <= count; i++) {
    if (i == 0 ? start[0] != 0 : start[i] < start[i - 1]) {
      return tl_fail(context, TALUS_INDEX_RANGE, "%s[%lld] is %lld: offsets begin at 0 and rise",
                     name, (long long)i, (long long)start[i]);
    }
  }
  if (start[count] > INT32_MAX) {
    return tl_fail(context, TALUS_SIZE_OVERFLOW, "%s ends at %lld entries: too many", name,
                   (long long)start[count]);
  }
  return TALUS_OK;
}
