/* problem_check.h: refuses a bad problem before anything is computed from it. */
#ifndef TL_PROBLEM_CHECK_H
#define TL_PROBLEM_CHECK_H

#include "host/base/base.h"
#include "talus/talus_solve.h"

/* Each defect has its own status; the message names the field and the index. */
talus_status tl_problem_check(talus_context *context, const talus_problem *problem);

/* Whether a bound of a bilateral row holds anything back. */
int tl_problem_bounded(const talus_problem *problem);

#endif
