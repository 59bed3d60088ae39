/* direct.h: small problems of forms (a), (b) and (c) without a system or an engine.
 *
 *   direct.c         the problem as a whole, its solution
 *   direct_rigid.c   constraints of form (a)      direct_blocks.c   of form (b)
 *   direct_matrix.c  of form (c) */
#ifndef TL_DIRECT_H
#define TL_DIRECT_H

#include "host/method/small/small.h"
#include "host/method/small/touch.h"

/* 1 if the solver's problem and settings are for this way. */
int tl_direct_serves(const talus_solver *solver);
/* Writes the solver's checked problem out. *taken = 0: it must go the usual way. */
talus_status tl_direct_form(talus_solver *solver, int *taken);
/* Law and R(0) of the settings; 0 if nothing is to be solved. */
int tl_direct_open(talus_solver *solver);
/* From the caller's impulses `start`, in his order, or from 0 (NULL). *done = 1: the run is over,
 * impulses (in `exported`) and certificate stand. 0: it begins anew in the usual way. */
talus_status tl_direct_solve(tl_run *run, const double *start, int *done);
/* No impulses, and what the certificate says of that. */
talus_status tl_direct_rest(tl_run *run);

/* ---- between the files ----------------------------------------------------------------------- */

typedef struct tl_direct {
  const talus_problem *problem;
  tl_small *small;
  tl_touching touches; /* scaled: J / sqrt(w), J M^-1 / sqrt(w) */
  double rounding;
  int compliant; /* some constraint gives way */
} tl_direct;

/* Room for so many touches, with so many numbers. */
talus_status tl_direct_reserve(tl_direct *d, int64_t touches, int64_t reals);
/* Kind, friction and bounds of constraint k. */
void tl_direct_kind(tl_direct *d, int32_t k);
/* Weight w_k and velocity u of constraint k, whose `rows` rows lie along the axes of its frame;
 * sizes: the absolute sums of what u was computed from; its compliance is added to all. Returns
 * 1 / sqrt(w_k), or 0 if that is nothing to work with. */
double tl_direct_scale(tl_direct *d, int32_t k, double weight, double *u, double *sizes,
                       int32_t rows);
/* Touches, frames, kinds and velocities of all constraints. *taken = 0: not for this way. */
talus_status tl_direct_rigid(tl_direct *d, int *taken);
talus_status tl_direct_blocks(tl_direct *d, int *taken);
/* The same without touches, and W once the rows are counted. */
talus_status tl_direct_matrix(tl_direct *d, int *taken);
void tl_direct_matrix_fill(const tl_direct *d);

#endif
