/* resident_lost.c: a device that is lost takes the steps with it that it made since the host
 * last had the bodies. The world goes back to them, so that it can be read and written to a
 * checkpoint; contacts that the host did not read then, and with them the impulses of that step,
 * are lost too. */
#include <stdio.h>
#include <string.h>

#include "host/world/resident.h"

void tl_resident_keep(tl_world_resident *resident) {
  const talus_world *const world = resident->world;
  resident->kept_step = world->step_count;
  resident->kept_time = world->time;
  resident->steered = false;
  for (int32_t n = 0; n < resident->kinematic_count; n++) {
    const tl_body *const body = &world->body[resident->kinematic[n]];
    tl_body_motion *const kept = &resident->kept[n];
    memcpy(kept->position, body->position, sizeof kept->position);
    memcpy(kept->orientation, body->orientation, sizeof kept->orientation);
    memcpy(kept->velocity, body->velocity, sizeof kept->velocity);
    memcpy(kept->spin, body->spin, sizeof kept->spin);
  }
}

/* Only where the device's steps have moved or steered them: else the caller may have, or their
 * slots may be those of other bodies by now. */
static void kinematic_restore(const tl_world_resident *resident) {
  for (int32_t n = 0; n < resident->kinematic_count; n++) {
    tl_body *const body = &resident->world->body[resident->kinematic[n]];
    const tl_body_motion *const kept = &resident->kept[n];
    memcpy(body->position, kept->position, sizeof kept->position);
    memcpy(body->orientation, kept->orientation, sizeof kept->orientation);
    memcpy(body->velocity, kept->velocity, sizeof kept->velocity);
    memcpy(body->spin, kept->spin, sizeof kept->spin);
  }
}

talus_status tl_resident_rewind(tl_world_resident *resident, talus_status status) {
  talus_world *const world = resident->world;
  char message[sizeof world->context->message];
  if (status != TALUS_DEVICE_ERROR || !resident->loaded) {
    return status;
  }
  if (resident->ahead || resident->steered) {
    kinematic_restore(resident);
  }
  const long long lost = (long long)(world->step_count - resident->kept_step);
  world->step_count = resident->kept_step;
  world->time = resident->kept_time;
  resident->ahead = resident->contacts_ahead = resident->loaded = false;
  if (!resident->contacts_kept) {
    world->contact_count = 0;
    TL_TRY(tl_contacts_store_keys(world));
  }
  snprintf(message, sizeof message, "%s", world->context->message);
  return tl_fail(world->context, status,
                 "%s; %lld steps that the device alone had are lost, the world is as it was after "
                 "step %lld%s",
                 message, lost, (long long)resident->kept_step,
                 resident->contacts_kept ? "" : ", without contacts");
}
