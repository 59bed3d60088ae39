/* gradient.c: iterations of the methods that are gradient steps; one pass each. */
#include "host/method/first_order/first_order.h"

talus_status tl_gradient_advance(tl_run *run, const tl_rule *rule, int32_t count) {
  run->passes += count;
  run->iterations += count;
  return run->ops->gradient(run->engine, rule, count, &run->state);
}
