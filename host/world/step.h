/* step.h: what the phases of a step hand on to each other. */
#ifndef TL_WORLD_STEP_H
#define TL_WORLD_STEP_H

#include "host/world/world.h"

/* How often contacts are found in a sub-step at most, for bodies that become faster than their
 * margins allow; an impact that goes on from body to body needs one round each. */
enum { TL_ROUNDS = 32 };

/* What is known of a (sub-)step before it is accepted. */
typedef struct tl_step_quality {
  bool good;
  bool missed;  /* contacts would close that were not found, to the last round */
  double error; /* of the solve: what the tolerance is compared with */
  tl_penetration penetration;
} tl_step_quality;

/* Whether impulses are good enough to go on with. */
bool tl_step_acceptable(const talus_world *world, const talus_info *info);

/* Fails with STEP_FAILED and the reason in words. `halvings` were tried; first: what penetrated in
 * the whole step. */
talus_status tl_step_refuse(const talus_world *world, const tl_step_quality *quality,
                            const tl_penetration *first, int32_t halvings);

#endif
