/* small_methods.h: the methods of this folder, for the table of methods. Each improves
 * small->best. */
#ifndef TL_SMALL_METHODS_H
#define TL_SMALL_METHODS_H

#include "host/method/small/fixed_point.h"
#include "host/method/small/reform.h"
#include "host/method/small/round.h"

talus_status tl_lemke_solve(tl_small *small, tl_run *run);
talus_status tl_pfb_regular_solve(tl_small *small, tl_run *run);
talus_status tl_pfb_projected_solve(tl_small *small, tl_run *run);

#endif
