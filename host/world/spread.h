/* spread.h: a world that several ranks step together.
 *
 * All ranks make every decision from the same numbers. With bricks contacts are local
 * (talus_world.contacts_local): each rank finds, matches, solves and keeps those of its own bricks,
 * and whoever looks at all of them gathers them first (tl_contacts_read). Bodies then are local too
 * (talus_world.bodies_local): a rank has those that may touch something in its bricks, all that do
 * not move freely and all that are large or have joints, until somebody reads or changes bodies
 * (tl_bodies_whole). One rank answers for each body: its holder. Other worlds have all bodies and
 * contacts on every rank; what takes long is dealt out and shared: contact points of pairs
 * (spread_points.c) and the iterations of solves with bricks (spread.c).
 *
 *   spread.c           pieces and solves             spread_owners.c      which bricks are whose
 *   spread_look.c      what a rank looks at          spread_record.c      a body in a message
 *   spread_agree.c     sums and agreement            spread_reach.c       where contacts may lie
 *   spread_same.c      what ranks compare            spread_hold.c        which bodies a rank has
 *   spread_points.c    contact points                spread_bodies.c      bodies that come and go
 *   spread_contacts.c  contacts change their rank    spread_velocities.c  what holders tell
 *   spread_whole.c     all bodies to all             spread_shared.c      bodies between steps
 *   spread_first.c     all to the rank that writes
 *   spread_push.c      what contacts do to bodies */
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
 * counts, materials and contact callback or none, which decide about the calls of a step. status:
 * of what was done before, of all ranks. Collective. */
talus_status tl_spread_same_def(talus_world *world);
talus_status tl_spread_same_bodies(const talus_world *world);
talus_status tl_spread_same_step(talus_world *world, talus_status status);
/* The end of a step: RANKS_FAILED unless all ranks have come to the same; `status` otherwise. */
talus_status tl_spread_end(talus_world *world, talus_status status);

/* As a step begins, before anything is saved: bodies that a rank does not need go. Collective. */
talus_status tl_spread_step(talus_world *world);

/* ---- bodies between steps, where they are local (talus_world.bodies_local); collective ------ */

/* A mark for each body that is here, not set. */
talus_status tl_bodies_marks(talus_world *world, bool **mark);
/* Whether this rank answers for the body in a slot, and marks it if it is to be marked. */
bool tl_bodies_answered(const talus_world *world, int32_t slot);
/* All ranks have the marked ones until the next step. Slots change. */
talus_status tl_bodies_share(talus_world *world);
/* Removes the marked ones, *count on all ranks; refused: none, since joints hold some of them. */
talus_status tl_bodies_remove(talus_world *world, int64_t *count, bool *refused);

/* ---- local contacts; each does nothing in a world whose contacts are not --------------------- */

/* What keeps a world with bricks from being shared out to ranks on the CPU, and what follows, as
 * "bonds, with which ..."; NULL: nothing. */
const char *tl_spread_hindrance(const talus_world *world);
/* Before contacts are found: whether they are to be local, which bricks are whose, bodies and the
 * old contacts to the ranks that will look for them. Slots may change, and *least_margin, which may
 * lead to NULL, with them. Collective. */
talus_status tl_spread_prepare(talus_world *world, double dt, const double **least_margin);
/* The shapes that this rank looks at, slots ascending; NULL: all. */
const int32_t *tl_spread_shapes(const talus_world *world, int32_t *count);
/* Looks further if bodies with the velocities after the solve could meet others that were not
 * looked at; whether that is new, and colliders have to be placed again. Slots may change, and
 * *after with them. Collective. */
talus_status tl_spread_widen(talus_world *world, double dt, const double **after, bool *changed);
/* Leaves the pairs of this rank's bricks. */
talus_status tl_spread_pairs(talus_world *world, const tl_pair **pairs, int64_t *count);
/* After contacts were found, or were not: few of them become whole. Collective. */
talus_status tl_spread_finish(talus_world *world, talus_status status);

/* Contacts of all ranks; bodies and shapes; whether some have a free body that is no ball. */
int32_t tl_spread_contact_count(const talus_world *world);
int32_t tl_spread_body_count(const talus_world *world);
int32_t tl_spread_shape_count(const talus_world *world);
bool tl_spread_uneven(const talus_world *world);
/* Sums and maxima over the contacts of all ranks; with bricks the sums are exact, with ranks and
 * without. Collective. */
talus_status tl_spread_reduce(talus_world *world, const tl_reduction *reduction, double *result);
/* The same over the bodies of all ranks. */
talus_status tl_spread_reduce_bodies(talus_world *world, const tl_reduction *reduction,
                                     double *result);
/* Velocities of the bodies that are here, from those that the ranks have who answer for them.
 * Collective. */
talus_status tl_spread_velocities(talus_world *world, double *velocity);
/* Changes of velocities by contacts, which a body gets in the order of contacts (spread_push.c).
 * Before them; contact k, as it was found, changes a body: false if this rank adds that itself;
 * after them. The first and the last are collective. */
talus_status tl_spread_push_begin(talus_world *world);
bool tl_spread_push(talus_world *world, int32_t k, int32_t body, const double change[6]);
talus_status tl_spread_push_end(talus_world *world, double *velocity);
/* Completes an array of `count` elements of `bytes` each by those of the other ranks, rank by rank.
 * status: of what was done before, of all ranks. Collective. */
talus_status tl_spread_collect(talus_world *world, talus_status status, size_t bytes,
                               tl_buffer *memory, int64_t *count);
/* `status` of all ranks, and whether any has one of the flags. Collective. */
talus_status tl_spread_flags(talus_world *world, talus_status status, bool *flag[], int32_t count);
/* The worst of all ranks. Collective. */
talus_status tl_spread_penetration(talus_world *world, talus_status status, tl_penetration *worst);
/* The margins of the shapes that are here, from those of all ranks: slots have changed. */
talus_status tl_spread_margins_fill(talus_world *world);
/* The largest of all ranks' margins. Collective. */
talus_status tl_spread_margins(talus_world *world, double *margin, int32_t count);

#endif
