/* resident_room.c: worlds that are too large for the memory of a device.
 *
 * They are refused before the first step, with what is missing; `auto` leaves them to the CPU, and
 * their solves with them. Contacts may become more than there is room for later: then the step is
 * taken back, and the same holds. */
#include <stdio.h>
#include <string.h>

#include "host/solve/queued.h"
#include "host/world/resident.h"

/* Pairs of shapes near each other, and contacts, for each shape: a dense packing of balls has fewer
 * pairs. Others are near where their boxes are, and rest on four points or more. */
enum { PAIRS = 4, BOXED_PAIRS = 6, BOXED_CONTACTS = 12 };

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

static int64_t hull_bytes(const tl_hull *hull) {
  return (int64_t)sizeof *hull + 24 * (int64_t)hull->point_count +
         4 * (int64_t)hull->face_first[hull->face_count] + 36 * (int64_t)hull->face_count +
         16 * (int64_t)hull->edge_count;
}

static int64_t mesh_bytes(const tl_mesh *mesh) {
  return (int64_t)sizeof *mesh + 28 * (int64_t)mesh->point_count +
         40 * (int64_t)mesh->triangle_count + 4 * (int64_t)mesh->ring_first[mesh->point_count] +
         (int64_t)sizeof *mesh->node * mesh->node_count;
}

static int64_t geometry_bytes(const talus_world *world) {
  int64_t bytes = 0;
  for (int32_t i = 0; i < world->shape_count; i++) {
    const tl_geometry *const geometry = &world->shape[i].geometry;
    bytes += (int64_t)sizeof *geometry;
    bytes += geometry->kind == TALUS_SHAPE_HULL   ? hull_bytes(geometry->hull)
             : geometry->kind == TALUS_SHAPE_MESH ? mesh_bytes(geometry->mesh)
                                                  : 0;
  }
  return bytes;
}

tl_resident_size tl_resident_size_of(const talus_world *world) {
  tl_resident_size size = {.bodies = world->body_count,
                           .shapes = world->shape_count,
                           .materials = world->material_count,
                           .general = !tl_resident_is_plain(world)};
  const int64_t contacts = (size.general ? BOXED_CONTACTS : PAIRS) * size.shapes;
  size.pairs = (size.general ? BOXED_PAIRS : PAIRS) * size.shapes;
  size.contacts = world->contact_count > contacts ? world->contact_count : contacts;
  size.pairs = size.general || size.pairs > size.contacts ? size.pairs : size.contacts;
  size.geometry_bytes = size.general ? geometry_bytes(world) : 0;
  return size;
}

talus_status tl_resident_fit(tl_world_resident *resident, const char **reason) {
  talus_world *const world = resident->world;
  int64_t needed, free;
  *reason = resident->refused ? refusal : NULL;
  if (resident->refused || world->shape_count <= resident->fitting) {
    return TALUS_OK;
  }
  const tl_resident_size size = tl_resident_size_of(world);
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
