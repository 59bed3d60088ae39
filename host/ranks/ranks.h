/* ranks.h: one problem on several ranks.
 *
 *   threads.c  ranks that are threads      agree.c  what all ranks must agree upon
 *   join.c     pieces of a problem to one  plan.c   who does what, and what is exchanged when
 *
 * Every rank gets the whole problem from the pieces, orders and assembles it as one rank would, and
 * then iterates over the bricks of its own alone. So all that is decided on the way (the order,
 * R(0), the certificate) is the same everywhere without asking. */
#ifndef TL_RANKS_H
#define TL_RANKS_H

#include "host/problem/assembly.h"
#include "kernels/halo.h"
#include "talus/talus_ranks.h"

/* ---- agree.c --------------------------------------------------------------------------------- */

/* The context's transport; NULL: it is alone. */
static inline const talus_transport *tl_ranks_of(const talus_context *context) {
  return context->def.ranks;
}
/* Checks the transport of a context's def. */
talus_status tl_ranks_check(talus_context *context);
/* OK if `status` is OK on all ranks; this rank's own failure; else RANKS_FAILED with the message of
 * the first that failed. */
talus_status tl_ranks_agree(talus_context *context, talus_status status);
/* RANKS_FAILED unless all ranks have the same bytes; `what` they are goes into the message. */
talus_status tl_ranks_same(talus_context *context, const void *memory, size_t bytes,
                           const char *what);
/* The largest of all ranks' numbers. */
talus_status tl_ranks_largest(talus_context *context, int64_t *value, int32_t count);
/* Tells the other ranks that this one cannot go on. */
void tl_ranks_give_up(talus_context *context);

/* ---- join.c ---------------------------------------------------------------------------------- */

typedef struct tl_joined {
  talus_problem whole;              /* of all ranks' pieces */
  int32_t contact_first, row_first; /* of this rank's in the whole */
  int32_t contact_count, row_count, body_count;
  int32_t *body; /* [body_count] this rank's bodies in the whole */
  bool limits;   /* some rank has a limit of time or a callback */
  tl_buffer pieces, arrays, bodies;
  tl_buffer results; /* impulses of the whole, rows, velocities, velocities of contacts */
} tl_joined;

/* The whole problem from a packed and checked piece of every rank. Statuses: UNSUPPORTED,
 * MISSING_ARRAY, INVALID_ARGUMENT (ids), RANKS_FAILED, OUT_OF_MEMORY. */
talus_status tl_join(talus_context *context, const talus_problem *piece, tl_joined *joined);
/* Arrays for the whole problem's results; with impulses to start from if `warm`. */
talus_status tl_join_results(talus_context *context, tl_joined *joined, const talus_solution *piece,
                             bool warm, talus_solution *whole);
/* This rank's part of them. */
void tl_join_share(const tl_joined *joined, const talus_solution *whole,
                   const talus_solution *piece);
void tl_joined_release(talus_context *context, tl_joined *joined);

/* ---- plan.c ---------------------------------------------------------------------------------- */

typedef struct tl_rank_plan {
  tl_halo halo; /* first: engines are given its address */
  talus_context *context;
  int64_t revision; /* of the assembly that it is for; 0: none */
  tl_buffer owners, keys, roles, lists, messages, out, in;
} tl_rank_plan;

/* Who does what of an assembled problem with bricks; puts the halo in its system. */
talus_status tl_rank_plan_make(talus_context *context, tl_assembly *assembly, tl_rank_plan *plan);
void tl_rank_plan_release(talus_context *context, tl_rank_plan *plan);

#endif
