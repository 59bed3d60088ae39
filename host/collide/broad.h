/* broad.h: the broad-phase beyond collide.h: a list of pairs that is kept while it holds.
 *
 * tl_broad_pairs (collide.h) searches anew at each call. What both leave out of the pairs whose
 * boxes overlap are those that cannot touch all the same and where that costs nothing to see: two
 * balls further apart than their radii and margins, and boxes that stay above a half-space. */
#ifndef TL_BROAD_H
#define TL_BROAD_H

#include "host/collide/collide.h"

/* As tl_broad_pairs, but the pairs of an earlier call stand while every collider is still inside
 * the room it had then: its box (ball, half-space) enlarged by margin + skin, skin >= 0 in metres
 * and the same for all. At each call the colliders, enlarged by their margins of now, are held
 * against that room; if one has left it, or their number, order, bodies, groups or kinds have
 * changed, or a half-space has turned, everything is found anew with the skin of this call.
 *
 * The list is then a superset of what tl_broad_pairs would give, sorted in the same way. Which
 * superset depends on when it was built, so only what the narrow-phase makes of it (which asks for
 * the gap) is the same after a restart. rebuilt (may be NULL): 1 if a search was made.
 *
 * Statuses of both: OUT_OF_MEMORY, SIZE_OVERFLOW (a negative count), INVALID_ARGUMENT (the skin),
 * NOT_FINITE: a position, size or margin is not a number, or a position infinite; the message names
 * body and shape. After an error the list is void and the next call searches anew. */
talus_status tl_broad_refresh(tl_broad *broad, const tl_collider *collider, int32_t count,
                              double skin, int32_t threads, const tl_pair **pairs,
                              int64_t *pair_count, int *rebuilt);

#endif
