/* direct.h: scaled problems with W dense, of forms (a), (b) and (c), from the caller's arrays.
 *
 *   direct.c         the problem as a whole
 *   direct_rigid.c   constraints of form (a)      direct_blocks.c   of form (b)
 *   direct_matrix.c  of form (c) */
#ifndef TL_DIRECT_H
#define TL_DIRECT_H

#include "host/problem/scaled.h"
#include "host/problem/scaled_jacobian.h"

/* Imports a checked problem, in the caller's order, q of length one; rounding: as in tl_assembly.
 * *taken = false: its numbers are too far from 1. */
talus_status tl_direct_import(talus_context *context, const talus_problem *problem,
                              tl_scaled *scaled, double *rounding, bool *taken);

/* ---- between the files ----------------------------------------------------------------------- */

typedef struct tl_direct {
  talus_context *context;
  const talus_problem *problem;
  tl_scaled *scaled;
  tl_jacobian_list blocks; /* scaled: J / sqrt(w), J M^-1 / sqrt(w) */
  double rounding;
  bool compliant; /* some constraint has compliance */
} tl_direct;

/* Room for so many Jacobian blocks, with so many numbers. */
talus_status tl_direct_reserve(tl_direct *d, int64_t blocks, int64_t reals);
/* Kind, friction and bounds of constraint k. */
void tl_direct_kind(tl_direct *d, int32_t k);
/* Weight w_k and velocity u of constraint k, whose `rows` rows lie along the axes of its frame;
 * sizes: the absolute sums of what u was computed from; its compliance is added to all. Returns
 * 1 / sqrt(w_k), or 0 if that is nothing to work with. */
double tl_direct_scale(tl_direct *d, int32_t k, double weight, double *u, double *sizes,
                       int32_t rows);
/* Jacobian blocks, frames, kinds and velocities of all constraints. */
talus_status tl_direct_rigid(tl_direct *d, bool *taken);
talus_status tl_direct_blocks(tl_direct *d, bool *taken);
/* The same without Jacobian blocks, and W once the rows are counted. */
talus_status tl_direct_matrix(tl_direct *d, bool *taken);
void tl_direct_matrix_fill(const tl_direct *d);

#endif
