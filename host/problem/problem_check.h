/* problem_check.h: refuses a bad problem before anything is computed from it. */
#ifndef TL_PROBLEM_CHECK_H
#define TL_PROBLEM_CHECK_H

#include "host/base/base.h"
#include "kernels/item/compliance.h"
#include "talus/talus_solve.h"

/* Each defect has its own status; the message names the field and the index. */
talus_status tl_problem_check(talus_context *context, const talus_problem *problem);

/* ---- problem_traits.c ------------------------------------------------------------------------ */

/* Whether a bound of a bilateral row holds anything back. */
bool tl_problem_bounded(const talus_problem *problem);

/* Whether a contact or row gives way. */
bool tl_problem_compliant(const talus_problem *problem);

/* Whether contacts are assembled with six rows: they resist spinning or rolling, or their cone is
 * an ellipse. */
bool tl_problem_wrenches(const talus_problem *problem);

/* The elliptic cone of contact k: the larger friction, and the squeeze g that makes its cone
 * circular (kernels/item/wrench.h), in the frame of impulses. A circular one has g = 0. */
typedef struct tl_ellipse {
  double friction;
  double squeeze[3];
} tl_ellipse;
tl_ellipse tl_problem_ellipse(const talus_problem *problem, int32_t k);
/* The unit vectors along and across the direction of friction; false if that is the normal's. */
bool tl_problem_directions(const talus_problem *problem, int32_t k, double *along, double *across);

/* What the caller says of one constraint's compliance. Bilateral rows are numbered behind the
 * contacts. */
tl_yielding tl_problem_yielding(const talus_problem *problem, int32_t constraint);

#endif
