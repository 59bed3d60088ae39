/* check_values.h: what problem_check.c and its forms have in common. `name` is what a message calls
 * the array or the count. */
#ifndef TL_CHECK_VALUES_H
#define TL_CHECK_VALUES_H

#include "host/base/base.h"
#include "talus/talus_solve.h"

/* MISSING_ARRAY if values are needed and there is no array. */
talus_status tl_check_given(talus_context *context, const void *array, int64_t count,
                            const char *name);
/* NOT_FINITE; an optional array may be NULL. */
talus_status tl_check_finite(talus_context *context, const double *array, int64_t count,
                             const char *name);
/* Both. */
talus_status tl_check_numbers(talus_context *context, const double *array, int64_t count,
                              const char *name);
/* INDEX_RANGE: all of low .. high - 1. */
talus_status tl_check_indices(talus_context *context, const int32_t *index, int64_t count,
                              int32_t low, int32_t high, const char *name);
/* INDEX_RANGE: count + 1 offsets that begin at 0 and never fall. */
talus_status tl_check_offsets(talus_context *context, const int64_t *start, int64_t count,
                              const char *name);
/* SIZE_OVERFLOW: 0 .. most; without it, as many as positions in arrays can be counted for. */
talus_status tl_check_count_to(talus_context *context, int64_t count, int32_t most,
                               const char *name);
talus_status tl_check_count(talus_context *context, int64_t count, const char *name);

/* The arrays of a form: check_rigid.c, check_blocks.c, check_matrix.c. */
talus_status tl_check_rigid(talus_context *context, const talus_problem *problem);
talus_status tl_check_blocks(talus_context *context, const talus_problem *problem);
talus_status tl_check_delassus(talus_context *context, const talus_problem *problem);
talus_status tl_check_global(talus_context *context, const talus_problem *problem);

#endif
