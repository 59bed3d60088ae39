/* global_form.h: problems of form RIGID and BLOCKS rewritten as form GLOBAL, for files.
 *
 *   M    the inverse of each body's inverse mass block. Degrees of freedom whose row of the block
 * is zero cannot move: they are left out, and what their velocity adds to u goes into w and b. f =
 * M v, so that the velocity without impulses is v H    its columns are the contacts' Jacobian rows,
 * (n, t1, t2); RIGID: the frame of contact_frame.h w    bias and immovable part;  G, b  bilateral
 * rows and the same The unknowns stay in the order of the bodies. */
#ifndef TL_GLOBAL_FORM_H
#define TL_GLOBAL_FORM_H

#include "host/io/stored.h"

/* Both fill *result, whose arrays live as long as `scratch` and those of `problem`. The problem
 * must have passed tl_problem_check. Statuses: OUT_OF_MEMORY, NEGATIVE_MASS (a block that has no
 * inverse), SIZE_OVERFLOW. */
talus_status tl_blocks_from_rigid(talus_stored *scratch, const talus_problem *problem,
                                  talus_problem *result);
talus_status tl_global_from_blocks(talus_stored *scratch, const talus_problem *problem,
                                   talus_problem *result);

/* v = M^-1 (f + H r) and u = H^T v + w of a GLOBAL problem without bilateral rows. *v and *u stay
 * NULL if M cannot be factored. Status: OUT_OF_MEMORY. */
talus_status tl_global_velocities(talus_stored *scratch, const talus_problem *problem,
                                  const double *impulse, const double **v, const double **u);

#endif
