/* spectral.c: spectral projected gradient: the step 1/L with Barzilai and Borwein's
 * L = d'Wd / d'Sd of the step before. Not monotone by design; the best impulses are kept. */
#include "host/method/first_order/first_order.h"

talus_status tl_spectral_prepare(tl_run *run, tl_rule *rule) {
  rule->step = TL_STEP_SPECTRAL;
  rule->momentum = 0;
  run->lipschitz = 3;
  return TALUS_OK;
}
