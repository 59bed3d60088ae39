/* spread.h: a world that several ranks step together.
 *
 * Every rank has all bodies and contacts and makes every decision from the same numbers. What takes
 * long is dealt out and shared: contact points of pairs (spread_points.c) and the iterations of
 * solves with bricks (spread.c). The rest is made by each rank, with the same bits. */
#ifndef TL_SPREAD_H
#define TL_SPREAD_H

#include "host/ranks/agree.h"
#include "host/world/world.h"

/* Begins a world: its solvers are asked for whole problems. Status: RANKS_FAILED (another release),
 * UNSUPPORTED. */
talus_status tl_spread_begin(talus_world *world);
/* Refuses settings that ranks could not follow alike. */
talus_status tl_spread_check(talus_context *context, const talus_settings *settings);
/* Solves a whole problem that every rank has. With bricks and enough contacts each gives a piece
 * and gets the whole solution; else each solves it alone, as without ranks. */
talus_status tl_spread_solve(talus_world *world, talus_solver *solver, const talus_problem *problem,
                             talus_solution *solution, talus_info *info);
/* As tl_narrow_pairs of the world's colliders; where that pays, each rank treats some of them. */
talus_status tl_spread_points(talus_world *world, const tl_pair *pairs, int64_t pair_count,
                              int32_t threads, const tl_contact_point **points,
                              int64_t *point_count);
/* The end of a step: RANKS_FAILED unless all ranks have come to the same; `status` otherwise. */
talus_status tl_spread_end(talus_world *world, talus_status status);

#endif
