/* queued.h: what worlds ask of a solver beyond talus_solve.h: a solve whose results stay in device
 * memory and are not waited for, or that is queued as a whole, solves that every rank makes for
 * itself, and pieces that lie where they are to be solved. */
#ifndef TL_QUEUED_H
#define TL_QUEUED_H

#include <stdbool.h>

#include "kernels/data/queued.h"
#include "talus/talus_solve.h"

struct tl_owners;

/* As talus_solver_solve, but work on the arrays of a solution in device memory may still be under
 * way. */
talus_status tl_solver_solve_queued(talus_solver *solver, const talus_solution *solution,
                                    talus_info *info);

/* Whether a solve like the last one can be queued: it asked the host for nothing on its way. */
bool tl_solver_can_queue(const talus_solver *solver);
/* Queues the solve that is expected of a problem in device memory, of the last one's bodies, which
 * takes about as many iterations as that. Nothing is waited for. *queued: it can be expected; then
 * the update and the solve that follow, after the device was waited for, tell what it came to, or
 * return TL_NOT_QUEUED: it was another solve, whose arrays are not to be used. */
talus_status tl_solver_queue(talus_solver *solver, const talus_problem *problem,
                             const talus_solution *solution, const tl_queued_facts *facts,
                             bool *queued);
/* Whether the solve that was queued was not enough: it was made on from there, and whatever was
 * queued behind it has used results that were not the last. */
bool tl_solver_queue_went_on(const talus_solver *solver);
/* Nothing is queued: the next update and solve are as ever. */
talus_status tl_solver_queue_drop(talus_solver *solver);

/* In a context with ranks: problems are not pieces but whole from now on, and each rank solves the
 * one that it was given; or, false, as they were. Before talus_solver_update. */
void tl_solver_set_alone(talus_solver *solver, bool alone);

/* The cut by which pieces are dealt out from now on, which is the same on all ranks and stays where
 * it is; every body is given by one rank. NULL: the solver cuts by itself. */
void tl_solver_set_owners(talus_solver *solver, const struct tl_owners *owners);

/* Problems are solved by the CPU from now on, whatever the context's backend is. */
void tl_solver_set_host(talus_solver *solver);

#endif
