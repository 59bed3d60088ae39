/* direct.h: small problems of form (a) without a system or an engine; direct.c. */
#ifndef TL_DIRECT_H
#define TL_DIRECT_H

#include "host/small/small.h"

/* 1 if the solver's problem and settings are for this way. */
int tl_direct_serves(const talus_solver *solver);
/* Writes the solver's checked problem out. *taken = 0: it must go the usual way. */
talus_status tl_direct_form(talus_solver *solver, int *taken);
/* Law and R(0) of the settings; 0 if nothing is to be solved. */
int tl_direct_open(talus_solver *solver);
/* From the caller's impulses `start`, in his order, or from 0 (NULL). *done = 1: the run is over,
 * impulses (in `exported`) and certificate stand. 0: it begins anew in the usual way. */
talus_status tl_direct_solve(tl_run *run, const double *start, int *done);

#endif
