/* reform.h: contact laws as sums of squares under bounds, by name mncpopt and lcpopt. */
#ifndef TL_SMALL_REFORM_H
#define TL_SMALL_REFORM_H

#include "host/method/small/small.h"

talus_status tl_reform_solve(tl_small *small, tl_run *run);

#endif
