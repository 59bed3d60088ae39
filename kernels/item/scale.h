/* scale.h: which contact velocities are small in a step: problem.velocity_scale, by the sums behind
 * it (host/world/scale.c). */
#ifndef TL_ITEM_SCALE_H
#define TL_ITEM_SCALE_H

#include "kernels/data/contact_rule.h"
#include "kernels/item/real.h"

/* change: sum over free_count bodies of what gravity and forces do to their velocities; speed: sum
 * over the contacts of their relative speeds. */
TL_ITEM double tl_velocity_scale_find(const tl_scale_rule *rule, double change, double free_count,
                                      double speed, double contact_count) {
  if (rule->given > 0) {
    return rule->given;
  }
  const double pull = free_count > 0 ? change / free_count : rule->pull;
  const double scale =
      rule->gravity * pull + rule->motion * (contact_count > 0 ? speed / contact_count : 0);
  return scale - scale == 0 ? scale : 0; /* the solver will say that numbers end */
}

#endif
