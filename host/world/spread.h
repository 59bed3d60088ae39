/* spread.h: a world that several ranks step together.
 *
 * Every rank has all bodies, moves them and makes every decision from the same numbers. With bricks
 * contacts are local (talus_world.contacts_local): each rank finds, matches, solves and keeps those
 * of its own bricks, and whoever looks at all of them gathers them first (tl_contacts_read). Other
 * worlds have all contacts on every rank; what takes long is dealt out and shared: contact points
 * of pairs (spread_points.c) and the iterations of solves with bricks (spread.c).
 *
 *   spread.c         pieces and solves      spread_owners.c    what a rank looks at
 *   spread_agree.c   sums and agreement     spread_contacts.c  contacts that change their rank
 *   spread_same.c    what ranks compare     spread_points.c    contact points */
#ifndef TL_SPREAD_H
#define TL_SPREAD_H

#include "host/math/reduce.h"
#include "host/ranks/agree.h"
#include "host/world/world.h"

/* Begins a world: its solvers are asked for whole problems. `status`: of what was done before.
 * After it all ranks have failed or none. Statuses: RANKS_FAILED (another release, another def),
 * UNSUPPORTED. */
talus_status tl_spread_begin(talus_context *context, talus_world *world, talus_status status);
void tl_spread_release(talus_world *world);
/* Refuses settings that ranks could not follow alike. */
talus_status tl_spread_check(talus_context *context, const talus_settings *settings);
/* Solves the problem of this rank's contacts, or a whole one that every rank has: with bricks and
 * enough contacts each gives a piece; else each solves it alone, as without ranks. Velocities are
 * those of all bodies. */
talus_status tl_spread_solve(talus_world *world, talus_solver *solver, const talus_problem *problem,
                             talus_solution *solution, talus_info *info);
/* As tl_narrow_pairs of the world's colliders; where that pays, each rank treats some of them. */
talus_status tl_spread_points(talus_world *world, const tl_pair *pairs, int64_t pair_count,
                              int32_t threads, const tl_contact_point **points,
                              int64_t *point_count);
/* RANKS_FAILED unless all ranks have the same def; the same bodies and shapes; the same settings,
 * counts and contact callback or none, which decide about the calls of a step. Collective. */
talus_status tl_spread_same_def(talus_world *world);
talus_status tl_spread_same_bodies(const talus_world *world);
talus_status tl_spread_same_step(talus_world *world);
/* The end of a step: RANKS_FAILED unless all ranks have come to the same; `status` otherwise. */
talus_status tl_spread_end(talus_world *world, talus_status status);

/* ---- local contacts; each does nothing in a world whose contacts are not --------------------- */

/* Before contacts are found: whether they are to be local, which bricks are whose, and the old ones
 * to the ranks that will look for them. Collective. */
talus_status tl_spread_prepare(talus_world *world, double dt, const double *least_margin);
/* The shapes that this rank looks at, slots ascending; NULL: all. */
const int32_t *tl_spread_shapes(const talus_world *world, int32_t *count);
/* Rank 0 looks at all shapes if bodies with these velocities could meet others beyond the bricks
 * beside theirs; whether that is new, and colliders have to be placed again. */
bool tl_spread_widen(talus_world *world, double dt, const double *velocity);
/* Leaves the pairs of this rank's bricks. */
talus_status tl_spread_pairs(talus_world *world, const tl_pair **pairs, int64_t *count);
/* After contacts were found, or were not: few of them become whole. Collective. */
talus_status tl_spread_finish(talus_world *world, talus_status status);

/* Contacts of all ranks. */
int32_t tl_spread_contact_count(const talus_world *world);
/* Sums and maxima over the contacts of all ranks; with bricks the sums are exact, with ranks and
 * without. Collective. */
talus_status tl_spread_reduce(talus_world *world, const tl_reduction *reduction, double *result);
/* `status` of all ranks, and whether any has one of the flags. Collective. */
talus_status tl_spread_flags(talus_world *world, talus_status status, bool *flag[], int32_t count);
/* The worst of all ranks. Collective. */
talus_status tl_spread_penetration(talus_world *world, talus_status status, tl_penetration *worst);
/* The largest of all ranks' margins. Collective. */
talus_status tl_spread_margins(talus_world *world, double *margin, int32_t count);

#endif
