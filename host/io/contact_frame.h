/* contact_frame.h: the (n, t1, t2) frame that Talus gives to a contact of form RIGID.
 *
 * RIGID problems know only normals. Where a file wants (n, t1, t2), the tangents are those of
 * talus_cone in talus_solve.h, so that a faceted cone is the same in a file as it was in the solve.
 */
#ifndef TL_CONTACT_FRAME_H
#define TL_CONTACT_FRAME_H

#include "talus/talus_solve.h"

/* frame[0..2] = n, frame[3..5] = t1, frame[6..8] = t2. */
void tl_contact_frame(const double normal[3], double frame[9]);

/* The same of contact k of form RIGID; t1 is along its direction of friction if it has one. */
void tl_problem_frame(const talus_problem *problem, int64_t k, double frame[9]);

/* Impulses (or velocities) of all contacts of a problem of form RIGID, from the world frame to
 * (n, t1, t2) and back. The two arrays may be the same. */
void tl_impulses_to_contact(const talus_problem *problem, const double *world, double *contact);
void tl_impulses_to_world(const talus_problem *problem, const double *contact, double *world);

#endif
