/* first_order.h: methods that are rules for iterations of an engine (kernels/backend.h): each
 * sets the fields of its rule and L to start from. */
#ifndef TL_FIRST_ORDER_H
#define TL_FIRST_ORDER_H

#include "host/method/run.h"

talus_status tl_jacobi_prepare(tl_run *run, tl_rule *rule);
talus_status tl_apgd_prepare(tl_run *run, tl_rule *rule);
talus_status tl_apgdb_prepare(tl_run *run, tl_rule *rule);
talus_status tl_gauss_seidel_prepare(tl_run *run, tl_rule *rule);
talus_status tl_gauss_seidel_nesterov_prepare(tl_run *run, tl_rule *rule);
talus_status tl_spectral_prepare(tl_run *run, tl_rule *rule);

#endif
