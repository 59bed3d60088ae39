/* reduce.h: sums and maxima over many things, by several threads, with the same bits on any number
 * of them: sums run over the fixed tree of item/sum_tree.h, or are exact and do not even depend on
 * the order of things. */
#ifndef TL_MATH_REDUCE_H
#define TL_MATH_REDUCE_H

#include "host/base/base.h"
#include "kernels/item/exact.h"

/* What one call of a reduction's function covers at most. */
enum { TL_REDUCE_CHUNK = 256 };

/* Writes the values of `count` things from `first` on: leaf[n][i] belongs to value n of thing
 * first + i. */
typedef void tl_reduce_function(void *arguments, int64_t first, int32_t count,
                                double (*leaf)[TL_REDUCE_CHUNK]);

typedef struct tl_reduction {
  tl_reduce_function *function;
  void *arguments;
  int32_t sum_count, maximum_count; /* values of a thing: those to be added, then the others */
} tl_reduction;

/* result: [sum_count + maximum_count]; a maximum is at least 0. memory: kept by the caller. */
talus_status tl_reduce(talus_context *context, int64_t count, const tl_reduction *reduction,
                       tl_buffer *memory, double *result);
/* The same with sums that are not rounded: sum [sum_count], to which those of other things can be
 * added, and maximum [maximum_count]. */
void tl_reduce_exact(talus_context *context, int64_t count, const tl_reduction *reduction,
                     tl_exact *sum, double *maximum);

#endif
