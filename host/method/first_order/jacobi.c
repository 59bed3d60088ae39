/* jacobi.c: projected Jacobi: x+ = P(x - S^-1 u / L) with L = lambda_max(S^-1 W) / 1.9.
 *
 * The longest step that converges is 2 / lambda_max; 1.9 was the best of those measured. */
#include "host/method/first_order/first_order.h"

talus_status tl_jacobi_prepare(tl_run *run, tl_rule *rule) {
  double lambda;
  TL_TRY(run->ops->estimate_lipschitz(run->engine, 1, 20, &lambda));
  run->passes += 20;
  rule->step = TL_STEP_FIXED;
  rule->momentum = 0;
  /* the power iteration approaches from below: 5 % of reserve */
  run->lipschitz = lambda > 0 ? 1.05 * lambda / 1.9 : 1;
  return TALUS_OK;
}
