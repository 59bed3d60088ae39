/* resident_change.c: what the caller changes between steps of a world on a device, and that alone
 * on its way there: bodies and shapes added or removed, poses, velocities, masses and forces of
 * some bodies, materials.
 *
 * The device has slots of its own, which it was given with the world; ids ascend in both, so that
 * what came and what went is found by walking along the two. Poses are read before they, or the
 * bodies, are changed: should the device be lost, the host has all bodies of one step. */
#include <math.h>
#include <string.h>

#include "host/world/problem_build.h"
#include "host/world/resident.h"

/* ---- notes ----------------------------------------------------------------------------------- */

talus_status tl_resident_names_reserve(tl_world_resident *resident) {
  const talus_world *const world = resident->world;
  const size_t things = (size_t)world->body_count + (size_t)world->shape_count;
  /* with room to spare: not every body that comes makes it grow */
  return tl_buffer_reserve(world->context, &resident->names_next, things + things / 4 + 1,
                           sizeof(tl_resident_name) + sizeof(int32_t) + 1, "names of bodies");
}

void tl_resident_note_names(tl_world_resident *resident) {
  const talus_world *const world = resident->world;
  const tl_buffer before = resident->names_memory;
  resident->names_memory = resident->names_next;
  resident->names_next = before;
  resident->shape_name = resident->names_memory.memory;
  resident->body_id = (int32_t *)(void *)(resident->shape_name + world->shape_count);
  resident->mark = (uint8_t *)(resident->body_id + world->body_count);
  for (int32_t i = 0; i < world->shape_count; i++) {
    const tl_shape_slot *const shape = &world->shape[i];
    resident->shape_name[i] = (tl_resident_name){shape->id, world->body[shape->body].id};
  }
  for (int32_t i = 0; i < world->body_count; i++) {
    resident->body_id[i] = world->body[i].id;
    resident->mark[i] = 0;
  }
  resident->body_count = world->body_count;
  resident->shape_count = world->shape_count;
  resident->rearranged = resident->marked = resident->other_materials = false;
}

tl_resident_side tl_resident_side_of(const tl_world_resident *resident, int32_t shape) {
  const talus_world *const world = resident->world;
  tl_resident_side side = {.shape = shape, .body = -1, .name = resident->shape_name[shape]};
  if (resident->rearranged) {
    side.shape = tl_shape_slot_of(world, side.name.shape);
  }
  if (side.shape >= 0) {
    side.body = world->shape[side.shape].body;
  }
  return side;
}

/* The device's slot of a body; -1: it does not have it. */
static int32_t device_slot(const tl_world_resident *resident, int32_t id) {
  int32_t low = 0, high = id < resident->body_count ? id + 1 : resident->body_count;
  if (id < resident->body_count && resident->body_id[id] == id) { /* nothing was removed */
    return id;
  }
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (resident->body_id[middle] < id) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < resident->body_count && resident->body_id[low] == id ? low : -1;
}

talus_status tl_bodies_edit(talus_world *world) {
  TL_TRY(tl_bodies_read(world));
  if (world->resident != NULL && world->resident->loaded) {
    world->resident->rearranged = true;
  }
  return TALUS_OK;
}

talus_status tl_body_edit(talus_world *world, int32_t slot, int parts) {
  tl_world_resident *const resident = world->resident;
  if (parts & TL_EDIT_MOTION) {
    TL_TRY(tl_bodies_read(world));
  }
  if (resident != NULL && resident->loaded) {
    const int32_t at = device_slot(resident, world->body[slot].id);
    resident->marked = true;
    if (at >= 0) { /* else it was added since, and goes as a whole */
      resident->mark[at] |= (uint8_t)parts;
    }
  }
  return TALUS_OK;
}

void tl_materials_edit(talus_world *world) {
  if (world->resident != NULL) {
    world->resident->other_materials = true;
  }
}

/* ---- a change -------------------------------------------------------------------------------- */

/* The arrays of a change in the host's memory; without memory it only counts. */
typedef struct writer {
  const tl_world_resident *resident;
  bool writes;
  int32_t *removed_body, *removed_shape, *moved, *fact_body, *changed_shape;
  tl_body_motion *motion;
  tl_body_fact *fact;
  double *inverse_mass, *inverse_inertia, *friction, *restitution;
  tl_shape_fact *shape;
  tl_spring_material *spring;
  const tl_geometry **geometry;
  tl_resident_change change;
} writer;

static void body_write(writer *w, int32_t slot, int parts) {
  const talus_world *const world = w->resident->world;
  const tl_body *const body = &world->body[slot];
  if (parts & TL_EDIT_MOTION) {
    const int32_t n = w->change.moved_count++;
    if (w->writes) {
      w->moved[n] = slot;
      tl_resident_motion_copy(world, body, &w->motion[n]);
    }
  }
  if (parts & TL_EDIT_FACT) {
    const int32_t n = w->change.fact_count++;
    if (w->writes) {
      w->fact_body[n] = slot;
      tl_resident_body_fact(world, body, &w->fact[n]);
      tl_body_fill(body, true, &w->inverse_mass[n], w->inverse_inertia + 6 * (int64_t)n);
    }
  }
  for (int32_t i = parts & TL_EDIT_FACT ? body->first_shape : -1; i >= 0;
       i = world->shape[i].next) {
    const int32_t n = w->change.changed_shapes++;
    if (w->writes) {
      w->changed_shape[n] = i;
      tl_resident_shape_fact(world, &world->shape[i], &w->shape[n]);
    }
  }
}

/* Bodies of the device and of the world side by side. */
static void bodies_write(writer *w) {
  const tl_world_resident *const r = w->resident;
  const talus_world *const world = r->world;
  int32_t at = 0;
  for (int32_t i = 0; i <= world->body_count; i++) {
    const int32_t id = i < world->body_count ? world->body[i].id : INT32_MAX;
    for (; at < r->body_count && r->body_id[at] < id; at++) {
      if (w->writes) {
        w->removed_body[w->change.removed_bodies] = at;
      }
      w->change.removed_bodies++;
    }
    if (i < world->body_count) {
      const bool there = at < r->body_count && r->body_id[at] == id;
      body_write(w, i, there ? r->mark[at] : TL_EDIT_MOTION | TL_EDIT_FACT);
      at += there;
    }
  }
}

static void shapes_write(writer *w) {
  const tl_world_resident *const r = w->resident;
  const talus_world *const world = r->world;
  int32_t at = 0;
  for (int32_t i = 0; i <= world->shape_count; i++) {
    const int32_t id = i < world->shape_count ? world->shape[i].id : INT32_MAX;
    for (; at < r->shape_count && r->shape_name[at].shape < id; at++) {
      if (w->writes) {
        w->removed_shape[w->change.removed_shapes] = at;
      }
      w->change.removed_shapes++;
    }
    if (i < world->shape_count) {
      const bool there = at < r->shape_count && r->shape_name[at].shape == id;
      w->change.added_shapes += !there;
      at += there;
      if (w->writes) {
        w->geometry[i] = &world->shape[i].geometry;
      }
    }
  }
}

static void change_write(writer *w) {
  const talus_world *const world = w->resident->world;
  w->change = (tl_resident_change){.body_count = world->body_count,
                                   .shape_count = world->shape_count,
                                   .material_count = world->material_count,
                                   .rearranged = w->resident->rearranged};
  if (w->resident->rearranged || w->resident->marked) {
    bodies_write(w);
  }
  if (w->resident->rearranged) {
    shapes_write(w);
  }
}

static void writer_take(writer *w, tl_resident_pieces *p) {
  const tl_resident_change *const c = &w->change;
  const size_t facts = (size_t)c->fact_count, shapes = (size_t)c->changed_shapes;
  const size_t materials = w->resident->other_materials ? (size_t)c->material_count : 0;
  w->removed_body = tl_resident_piece(p, (size_t)c->removed_bodies, sizeof(int32_t));
  w->removed_shape = tl_resident_piece(p, (size_t)c->removed_shapes, sizeof(int32_t));
  w->moved = tl_resident_piece(p, (size_t)c->moved_count, sizeof(int32_t));
  w->motion = tl_resident_piece(p, (size_t)c->moved_count, sizeof *w->motion);
  w->fact_body = tl_resident_piece(p, facts, sizeof(int32_t));
  w->fact = tl_resident_piece(p, facts, sizeof *w->fact);
  w->inverse_mass = tl_resident_piece(p, facts, sizeof(double));
  w->inverse_inertia = tl_resident_piece(p, 6 * facts, sizeof(double));
  w->changed_shape = tl_resident_piece(p, shapes, sizeof(int32_t));
  w->shape = tl_resident_piece(p, shapes, sizeof *w->shape);
  w->geometry = tl_resident_piece(p, w->resident->rearranged ? (size_t)c->shape_count : 0,
                                  sizeof *w->geometry);
  w->friction = tl_resident_piece(p, materials * materials, sizeof(double));
  w->restitution = tl_resident_piece(p, materials * materials, sizeof(double));
  w->spring = tl_resident_piece(p, materials, sizeof *w->spring);
}

static talus_status change_make(tl_world_resident *resident, writer *w) {
  const talus_world *const world = resident->world;
  tl_resident_pieces count = {NULL, 0};
  *w = (writer){.resident = resident};
  change_write(w);
  writer_take(w, &count);
  TL_TRY(tl_buffer_reserve(world->context, &resident->load_memory, count.used + 1, 1,
                           "changes of the world"));
  tl_resident_pieces room = {resident->load_memory.memory, 0};
  writer_take(w, &room);
  w->writes = true;
  change_write(w);
  tl_resident_change *const c = &w->change;
  if (resident->other_materials) {
    tl_resident_materials_copy(world, w->friction, w->restitution, w->spring);
    c->friction = w->friction;
    c->restitution = w->restitution;
    c->spring = w->spring;
  }
  c->removed_body = w->removed_body;
  c->removed_shape = w->removed_shape;
  c->moved = w->moved;
  c->motion = w->motion;
  c->fact_body = w->fact_body;
  c->fact = w->fact;
  c->inverse_mass = w->inverse_mass;
  c->inverse_inertia = w->inverse_inertia;
  c->changed_shape = w->changed_shape;
  c->shape = w->shape;
  c->geometry = w->geometry;
  c->uneven = tl_resident_is_uneven(world);
  c->cell = tl_resident_cell_width(world);
  return TALUS_OK;
}

talus_status tl_resident_change_world(tl_world_resident *resident, const char **reason) {
  talus_world *const world = resident->world;
  writer w;
  if (!resident->rearranged && !resident->marked && !resident->other_materials) {
    return TALUS_OK;
  }
  *reason = tl_resident_shapes_reason(world);
  if (*reason != NULL) {
    return TALUS_OK;
  }
  TL_TRY(tl_resident_fit(resident, reason));
  if (*reason != NULL) {
    return TALUS_OK;
  }
  if (resident->rearranged && tl_resident_is_plain(world) == resident->general) {
    return tl_world_edit(world); /* contacts have other arrays */
  }
  if (!resident->ahead) { /* the host has the bodies, and perhaps others than before */
    TL_TRY(tl_resident_note_kinematic(resident));
  }
  TL_TRY(tl_resident_names_reserve(resident));
  TL_TRY(change_make(resident, &w));
  talus_status status = resident->backend->change(resident->memory, &w.change);
  if (status == TALUS_OK) {
    tl_resident_note_names(resident);
    return TALUS_OK;
  }
  if (status == TALUS_OUT_OF_MEMORY) { /* bodies are the host's, and contacts still those before */
    char message[sizeof world->context->message];
    memcpy(message, world->context->message, sizeof message);
    TL_TRY(tl_world_edit(world));
    memcpy(world->context->message, message, sizeof message);
  }
  return tl_resident_yield(resident, status, reason);
}
