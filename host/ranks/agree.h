/* agree.h: what all ranks must agree upon, and how they share what each has found.
 *
 *   agree.c    statuses, same bytes, numbers    share.c    arrays of which each rank has a part */
#ifndef TL_AGREE_H
#define TL_AGREE_H

#include "host/base/base.h"
#include "talus/talus_ranks.h"

/* ---- agree.c --------------------------------------------------------------------------------- */

/* The context's transport; NULL: it is alone. */
static inline const talus_transport *tl_ranks_of(const talus_context *context) {
  return context->def.ranks;
}
/* Whether this rank is the one that writes files and speaks. */
static inline bool tl_ranks_first(const talus_context *context) {
  return tl_ranks_of(context) == NULL || tl_ranks_of(context)->rank == 0;
}
/* Checks the transport of a context's def. */
talus_status tl_ranks_check(talus_context *context);
/* OK if `status` is OK on all ranks; this rank's own failure; else RANKS_FAILED with the message of
 * the first that failed. Without ranks: `status`. */
talus_status tl_ranks_agree(talus_context *context, talus_status status);
/* The same; if it is OK, the numbers become the largest of all ranks' ones, in the same
 * exchange. */
enum { TL_AGREE_MOST = 63 };
talus_status tl_ranks_agree_on(talus_context *context, talus_status status, int64_t *number,
                               int32_t count);
/* Whether the other ranks know of this rank's failure already: it was agreed upon, or is theirs. */
static inline bool tl_ranks_told(const talus_context *context, talus_status status) {
  return status != TALUS_OK && (status == TALUS_RANKS_FAILED || context->told);
}
/* As tl_ranks_agree behind a call in which ranks have met: a failure that was agreed upon in there
 * stays what it is; one that failed for a reason of its own (no memory) gives up, since the others
 * may be waiting for it in there. */
talus_status tl_ranks_settle(talus_context *context, talus_status status);
/* RANKS_FAILED unless all ranks have the same bytes; `what` they are goes into the message. */
talus_status tl_ranks_same(talus_context *context, const void *memory, size_t bytes,
                           const char *what);
/* RANKS_FAILED unless all ranks have the same release of the library. Without ranks: OK. */
talus_status tl_ranks_same_version(talus_context *context);
/* The largest of all ranks' numbers. */
talus_status tl_ranks_largest(talus_context *context, int64_t *value, int32_t count);
/* The sums of all ranks' numbers. */
talus_status tl_ranks_sum(talus_context *context, int64_t *value, int32_t count);
/* RANKS_FAILED, with the reason by what a function of the transport gave, which was not 0. */
talus_status tl_ranks_lost(talus_context *context, int code);
/* Tells the other ranks that this one cannot go on. */
void tl_ranks_give_up(talus_context *context);

/* ---- share.c --------------------------------------------------------------------------------- */

/* Where the part of a rank begins when `count` things are dealt out in order; of rank `size` that
 * is count. */
static inline int64_t tl_ranks_first_of(const talus_transport *t, int32_t rank, int64_t count) {
  return count * rank / t->size;
}
/* Completes an array of `count` elements of `bytes` each, of which every rank has its part by
 * tl_ranks_first_of. Statuses: RANKS_FAILED, OUT_OF_MEMORY (the others are told). */
talus_status tl_ranks_share(talus_context *context, void *array, int64_t count, size_t bytes);
/* The same for parts of any length: own[r] elements of rank r, all behind each other. */
talus_status tl_ranks_share_parts(talus_context *context, void *array, const int64_t *own,
                                  size_t bytes);

#endif
