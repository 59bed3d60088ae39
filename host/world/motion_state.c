/* motion_state.c: where kinematic bodies began and how far servos carried them, out to an array and
 * back. What its motions say from the first step on needs no state. */
#include <math.h>
#include <string.h>

#include "host/world/servo.h"
#include "host/world/state.h"

static bool is_changed(const talus_world *world, int32_t slot) {
  const tl_body *const body = &world->body[slot];
  const tl_body_extra *const extra = tl_body_extra_of(world, body);
  return body->exists && body->type == TALUS_BODY_KINEMATIC &&
         (extra->motion_begin != 0 || tl_norm3(extra->carried_by_servo) > 0 ||
          tl_servo_of(world, slot) != NULL);
}

int32_t tl_motions_state_count(const talus_world *world) {
  int32_t count = 0;
  for (int32_t i = 0; i < world->body_count; i++) {
    count += is_changed(world, i);
  }
  return count;
}

void tl_motions_state_save(const talus_world *world, double *value) {
  static const tl_servo_motion none = {.travel = 0};
  for (int32_t i = 0; i < world->body_count; i++) {
    const tl_body *const body = &world->body[i];
    const tl_body_extra *const extra = tl_body_extra_of(world, body);
    if (!is_changed(world, i)) {
      continue;
    }
    const tl_servo *const servo = tl_servo_of(world, i);
    const tl_servo_motion *const now = servo != NULL ? &servo->now : &none;
    value[0] = body->id;
    memcpy(value + 1, extra->anchor, sizeof extra->anchor);
    memcpy(value + 4, extra->anchor_orientation, sizeof extra->anchor_orientation);
    value[8] = extra->motion_begin;
    memcpy(value + 9, extra->carried_by_servo, sizeof extra->carried_by_servo);
    value[12] = now->travel;
    value[13] = now->speed;
    value[14] = now->sum;
    value[15] = now->force;
    value[16] = now->area;
    value[17] = now->stiffness;
    value += TL_STATE_KINEMATIC;
  }
}

talus_status tl_motions_state_load(talus_world *world, const double *value, int32_t count) {
  for (int32_t n = 0; n < count; n++, value += TL_STATE_KINEMATIC) {
    for (int c = 0; c < TL_STATE_KINEMATIC; c++) {
      if (!isfinite(value[c])) {
        return tl_fail(world->context, TALUS_NOT_FINITE,
                       "the state of kinematic body number %d is not finite", n);
      }
    }
    const bool named = value[0] >= 0 && value[0] < world->body_next;
    const int32_t slot = named ? tl_body_slot(world, (int32_t)value[0]) : -1;
    if (slot < 0 || world->body[slot].type != TALUS_BODY_KINEMATIC ||
        !tl_quaternion_good(value + 4)) {
      return tl_fail(world->context, TALUS_FILE_FORMAT,
                     "the state has motions of body %g, which is not kinematic in this world",
                     value[0]);
    }
    tl_body_extra *const extra = &world->body_extra[world->body[slot].extra];
    tl_servo *const servo = tl_servo_of(world, slot);
    memcpy(extra->anchor, value + 1, sizeof extra->anchor);
    memcpy(extra->anchor_orientation, value + 4, sizeof extra->anchor_orientation);
    extra->motion_begin = value[8];
    memcpy(extra->carried_by_servo, value + 9, sizeof extra->carried_by_servo);
    if (servo != NULL) {
      servo->now.travel = value[12];
      servo->now.speed = value[13];
      servo->now.sum = value[14];
      servo->now.force = value[15];
      servo->now.area = value[16];
      servo->now.stiffness = value[17];
    }
  }
  return TALUS_OK;
}
