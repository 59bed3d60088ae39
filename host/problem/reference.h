/* reference.h: the residual of no impulses, by which residuals are measured. */
#ifndef TL_REFERENCE_H
#define TL_REFERENCE_H

#include "host/problem/assembly.h"

/* R(0) of a law, and the sum of 1 / w_k over contacts and rows that give way. */
talus_status tl_system_references(talus_context *context, tl_assembly *assembly, talus_law law,
                                  double *reference, double *inverse_weight);
/* max(1, R_s/R(0)) for a velocity scale in the units of the other two. */
double tl_reference_slack(double velocity_scale, double inverse_weight, double reference);

#endif
