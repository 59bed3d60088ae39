/* apgd.c: accelerated projected gradient descent as published by Mazhar, Heyn, Negrut and Tasora
 * (ACM Trans. Graph. 34, 2015): no scaling, backtracking on L, gradient restart. The baseline that
 * users know. Their two products with W per iteration are one here, by linearity; a refused trial
 * costs a pass like an accepted one. */
#include "host/method/first_order/first_order.h"

talus_status tl_apgd_prepare(tl_run *run, tl_rule *rule) {
  double lambda;
  TL_TRY(run->ops->estimate_lipschitz(run->engine, 0, 1, &lambda)); /* their |N 1| / |1| */
  run->passes += 1;
  rule->momentum = 1;
  rule->yield = rule->yield > 0 ? run->assembly->most_compliance : 0;
  run->lipschitz = lambda > 0 ? lambda : 1;
  return TALUS_OK;
}
