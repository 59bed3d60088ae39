/* reference.h: the residual of no impulses, by which residuals are measured. */
#ifndef TL_REFERENCE_H
#define TL_REFERENCE_H

#include "kernels/data/system.h"
#include "talus/talus_solve.h"

/* R(0) of a law. */
double tl_system_residual(const tl_system *system, talus_law law);
/* Sum of 1 / w_k over the contacts. */
double tl_system_inverse_weight(const tl_system *system);
/* max(1, R_s/R(0)) for a velocity scale in the units of the other two. */
double tl_reference_slack(double velocity_scale, double inverse_weight, double reference);

#endif
