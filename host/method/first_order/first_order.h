/* first_order.h: methods that are rules for passes of an engine (kernels/backend.h). */
#ifndef TL_FIRST_ORDER_H
#define TL_FIRST_ORDER_H

#include "host/method/run.h"

talus_status tl_jacobi_prepare(tl_run *run, tl_rule *rule);
talus_status tl_apgd_prepare(tl_run *run, tl_rule *rule);
talus_status tl_apgdb_prepare(tl_run *run, tl_rule *rule);
talus_status tl_gauss_seidel_prepare(tl_run *run, tl_rule *rule);
talus_status tl_gauss_seidel_nesterov_prepare(tl_run *run, tl_rule *rule);
talus_status tl_spectral_prepare(tl_run *run, tl_rule *rule);

/* What the methods that are gradient steps (kernels' gradient.h) advance by. */
talus_status tl_gradient_advance(tl_run *run, const tl_rule *rule, int32_t count);
talus_status tl_apgd_advance(tl_run *run, const tl_rule *rule, int32_t count);
talus_status tl_sweep_advance(tl_run *run, const tl_rule *rule, int32_t count);

#endif
