/* gauss_seidel.c: coloured projected Gauss-Seidel, plain and with Nesterov momentum.
 *
 * Velocities are carried along incrementally and rebuilt from the impulses now and then: every 20
 * sweeps in single, every 100 in double precision. */
#include "host/method/first_order/first_order.h"

talus_status tl_gauss_seidel_prepare(tl_run *run, tl_rule *rule) {
  rule->momentum = 0;
  rule->rebuild = run->settings->precision == TALUS_F32 ? 20 : 100;
  run->lipschitz = 1;
  return TALUS_OK;
}

talus_status tl_gauss_seidel_nesterov_prepare(tl_run *run, tl_rule *rule) {
  TL_TRY(tl_gauss_seidel_prepare(run, rule));
  rule->momentum = 1;
  return TALUS_OK;
}
