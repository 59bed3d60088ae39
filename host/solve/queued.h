/* queued.h: a solve whose results stay in device memory and are not waited for: the caller goes on
 * with them there. */
#ifndef TL_QUEUED_H
#define TL_QUEUED_H

#include "talus/talus_solve.h"

/* As talus_solver_solve, but work on the arrays of a solution in device memory may still be under
 * way. */
talus_status tl_solver_solve_queued(talus_solver *solver, const talus_solution *solution,
                                    talus_info *info);

#endif
