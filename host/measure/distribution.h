/* distribution.h: how far grains are from each other, and how strong contacts are. */
#ifndef TL_MEASURE_DISTRIBUTION_H
#define TL_MEASURE_DISTRIBUTION_H

#include "host/measure/domain.h"
#include "host/measure/sample.h"

/* g(r): how many centres stand at a distance r from a grain, over how many would if the domain's
 * grains were spread evenly. Only grains that are further than `reach` from the domain's faces are
 * looked from, so that nothing is missing around them. Bin k goes from k to k + 1 times
 * reach / bins. *from: how many were looked from; 0: g is NAN. Status: OUT_OF_MEMORY. */
talus_status tl_radial_take(const tl_sample *sample, const tl_domain *domain, double reach,
                            int32_t bins, double *g, int32_t *from);

/* Probability density of the normal forces of contacts whose point is in the domain, over their
 * mean: bin k goes from k to k + 1 times reach / bins. The last bin does not hold what is beyond:
 * the sum times the bin's width is the share of forces below `reach`. Returns how many contacts
 * there are; 0: density is NAN. */
int32_t tl_force_density(const tl_sample *sample, const tl_domain *domain, double reach,
                         int32_t bins, double *density);

#endif
