/* fixed_point.h: fixed points of convex problems, by name lcp1, lcp2 or lcp3. */
#ifndef TL_SMALL_FIXED_POINT_H
#define TL_SMALL_FIXED_POINT_H

#include "host/method/small/lcp.h"

talus_status tl_fixed_point_solve(tl_small *small, tl_run *run);

#endif
