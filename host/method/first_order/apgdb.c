/* apgdb.c: accelerated projected gradient, scaled by S, one pass per iteration, no backtracking.
 *
 * Each step is accepted; L follows max(0.99 L, d'Wd / d'Sd) from L = 3, which bounds
 * lambda_max(S^-1 W) of sphere packings; where the residual doubles all the same, the run returns
 * to its best impulses with L from a power iteration. */
#include "host/method/first_order/first_order.h"

talus_status tl_apgdb_prepare(tl_run *run, tl_rule *rule) {
  rule->step = TL_STEP_ADAPT;
  rule->momentum = 1;
  run->lipschitz = 3;
  return TALUS_OK;
}
