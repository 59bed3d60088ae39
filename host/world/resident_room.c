/* resident_room.c: worlds that are too large for the memory of a device.
 *
 * They are refused before the first step, with what is missing; `auto` leaves them to the CPU, and
 * their solves with them. Contacts may become more than there is room for later: then the step is
 * taken back, and the same holds. */
#include <stdio.h>
#include <string.h>

#include "host/solve/queued.h"
#include "host/world/resident.h"

enum { PAIRS = 4 }; /* of shapes near each other, for each shape: a dense packing has fewer */

static const char *const refusal = "too little memory on the device";

static void leave(tl_world_resident *resident) {
  const talus_world *const world = resident->world;
  resident->refused = true;
  tl_solver_set_host(world->solver);
  if (world->projector != NULL) {
    tl_solver_set_host(world->projector);
  }
  tl_log(world->context, TALUS_LOG_INFO, "world: stays on the CPU: %s", world->context->message);
  world->context->message[0] = 0;
}

talus_status tl_resident_yield(tl_world_resident *resident, talus_status status,
                               const char **reason) {
  if (status != TALUS_OUT_OF_MEMORY ||
      resident->world->context->def.backend != TALUS_BACKEND_AUTO) {
    return status;
  }
  leave(resident);
  *reason = refusal;
  return TALUS_OK;
}

talus_status tl_resident_fit(tl_world_resident *resident, const char **reason) {
  talus_world *const world = resident->world;
  const int64_t least = PAIRS * (int64_t)world->shape_count;
  const tl_resident_size size = {.bodies = world->body_count,
                                 .shapes = world->shape_count,
                                 .materials = world->material_count,
                                 .pairs =
                                     world->contact_count > least ? world->contact_count : least};
  int64_t needed, free;
  *reason = resident->refused ? refusal : NULL;
  if (resident->refused || size.shapes <= resident->fitting) {
    return TALUS_OK;
  }
  TL_TRY(resident->backend->room(resident->memory, &size, &needed, &free));
  if (needed <= free) {
    resident->fitting = size.shapes;
    return TALUS_OK;
  }
  const talus_status status =
      tl_fail(world->context, TALUS_OUT_OF_MEMORY,
              "the world needs about %.1f MB of device memory, %.1f MB are free, %.1f MB are "
              "missing: take fewer bodies, or the backend cpu",
              1e-6 * (double)needed, 1e-6 * (double)free, 1e-6 * (double)(needed - free));
  return tl_resident_yield(resident, status, reason);
}
