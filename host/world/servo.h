/* servo.h: kinematic bodies that follow a force or a pressure instead of a path. */
#ifndef TL_SERVO_H
#define TL_SERVO_H

#include "host/world/world.h"

/* The servo of a body; NULL: it has none. */
tl_servo *tl_servo_of(const talus_world *world, int32_t body);
/* Adds how far the servo of a body will have carried it after dt. */
void tl_servo_offset(const talus_world *world, int32_t body, double dt, double position[3]);
/* After a (sub-)step: moves on, reads what contacts press with, and chooses the next speed. Status:
 * UNSUPPORTED (a rigid contact, or a body of `across` is gone), OUT_OF_MEMORY. */
talus_status tl_servos_follow(talus_world *world, double dt);
/* What a step changes, to restore it. */
void tl_servos_save(talus_world *world);
void tl_servos_restore(talus_world *world);

#endif
