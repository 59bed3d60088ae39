/* links_add.c: a mechanism becomes part of a world: its links become bodies, its loops rows of the
 * coupling that all mechanisms share. */
#include <math.h>
#include <string.h>

#include "host/world/links.h"

void tl_links_release(talus_world *world) {
  talus_coupling_destroy(world->coupling);
  for (int32_t m = 0; m < world->mechanism_count; m++) {
    talus_mechanism_destroy(world->mechanism[m].mechanism);
  }
  void *const arrays[] = {world->mechanism, world->loop, world->link_impulse};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
    tl_free(world->context, arrays[i]);
  }
  tl_buffer_release(world->context, &world->saved_links);
  tl_buffer_release(world->context, &world->block_memory);
  tl_buffer_release(world->context, &world->block_index);
}

/* In a plane world every joint keeps to x and z, and turns about y. */
static talus_status plane_check(const talus_world *world, talus_mechanism *mechanism) {
  if (!world->def.plane) {
    return TALUS_OK;
  }
  tl_mechanism_place(mechanism);
  for (int32_t i = 0; i < mechanism->link_count; i++) {
    const tl_link *const link = &mechanism->link[i];
    const double *const axis = tl_axis_of(mechanism, link);
    char text[64];
    for (int k = 0; k < link->v_count; k++) {
      if (fabs(axis[6 * k]) + fabs(axis[6 * k + 2]) + fabs(axis[6 * k + 4]) > 1e-9) {
        return tl_fail(world->context, TALUS_UNSUPPORTED,
                       "%s leaves the plane of the world: it must turn about y and slide across it",
                       tl_joint_text(link->name, i, text));
      }
    }
  }
  return TALUS_OK;
}

static talus_status bodies_add(talus_world *world, const talus_mechanism_def *def, int32_t index) {
  const talus_mechanism *const mechanism = world->mechanism[index].mechanism;
  TL_TRY(tl_ids_left(world, (int64_t)world->body_next + def->link_count, "bodies"));
  TL_TRY(tl_world_grow(world, (void **)&world->body, &world->body_capacity,
                       world->body_count + def->link_count, sizeof *world->body, "bodies"));
  for (int32_t i = 0; i < def->link_count; i++) {
    tl_body *const body = &world->body[world->body_count + i];
    memset(body, 0, sizeof *body);
    body->id = world->body_next + i;
    body->exists = 1;
    body->first_shape = body->extra = -1;
    body->type = TALUS_BODY_LINK;
    body->group = def->link[i].group;
    body->collides = def->link[i].collides;
    body->mechanism = index;
    body->link = i;
    body->mass = mechanism->link[i].mass;
    body->inverse_mass = 1 / body->mass;
    memcpy(body->inertia, mechanism->link[i].inertia, sizeof body->inertia);
  }
  return TALUS_OK;
}

/* Loops are kept with the number that their mechanism has in the world. */
static talus_status loops_add(talus_world *world, const talus_loop_def *given, int32_t count,
                              int32_t index) {
  if (count < 0 || (count > 0 && given == NULL)) {
    return tl_fail(world->context, TALUS_INVALID_ARGUMENT, "loop is NULL, or its count negative");
  }
  const talus_loop_def *loop;
  void *memory;
  TL_TRY(tl_world_grow(world, (void **)&world->loop, &world->loop_capacity,
                       world->loop_count + count, sizeof *world->loop, "loops"));
  TL_TRY(tl_loops_read(world->context, given, count, &loop, &memory));
  for (int32_t i = 0; i < count; i++) {
    talus_loop_def *const kept = &world->loop[world->loop_count + i];
    *kept = loop[i];
    kept->mechanism_a = kept->mechanism_b = index;
  }
  tl_free(world->context, memory);
  return TALUS_OK;
}

/* A coupling of all mechanisms and loops, and room for its rows' impulses, all zero. Rows are
 * numbered anew, so that those of other mechanisms lose their warm start too. */
static talus_status coupling_make(talus_world *world, int32_t mechanisms, int32_t loops,
                                  talus_coupling **coupling, double **impulse) {
  talus_coupling_def def = talus_coupling_def_default();
  talus_mechanism **list;
  TL_TRY(tl_alloc(world->context, (void **)&list, (size_t)mechanisms, sizeof *list, "mechanisms"));
  for (int32_t m = 0; m < mechanisms; m++) {
    list[m] = world->mechanism[m].mechanism;
  }
  def.step = world->def.step;
  def.correction = 1; /* so that bias times step is the error itself */
  def.mechanism_count = mechanisms;
  def.mechanism = list;
  def.loop_count = loops;
  def.loop = world->loop;
  talus_status status = talus_coupling_create(world->context, &def, coupling);
  tl_free(world->context, list);
  if (status != TALUS_OK) {
    return status;
  }
  const size_t rows = (size_t)(*coupling)->bilateral_count;
  status =
      tl_buffer_reserve(world->context, &(*coupling)->rows, rows, sizeof(tl_coupling_row), "rows");
  if (status == TALUS_OK) {
    status = tl_alloc(world->context, (void **)impulse, rows, sizeof **impulse, "impulses of rows");
  }
  if (status != TALUS_OK) {
    talus_coupling_destroy(*coupling);
    return status;
  }
  (*coupling)->row = (*coupling)->rows.memory;
  memset(*impulse, 0, rows * sizeof **impulse);
  return TALUS_OK;
}

static talus_status groups_check(const talus_world *world, const talus_mechanism_def *def) {
  char text[64];
  for (int32_t i = 0; i < def->link_count; i++) {
    if (def->link[i].group < 0 || def->link[i].group > 31) {
      return tl_fail(world->context, TALUS_BAD_SETTING, "%s: group %d must be in 0 .. 31",
                     tl_joint_text(def->link[i].name, i, text), def->link[i].group);
    }
  }
  return TALUS_OK;
}

/* All that can fail comes before anything is counted in. */
static talus_status mechanism_add(talus_world *world, const talus_mechanism_def *def,
                                  const talus_loop_def *loop, int32_t loop_count) {
  const int32_t index = world->mechanism_count;
  tl_world_mechanism *const made = &world->mechanism[index];
  talus_coupling *coupling;
  double *impulse;
  TL_TRY(groups_check(world, def));
  TL_TRY(plane_check(world, made->mechanism));
  TL_TRY(bodies_add(world, def, index));
  TL_TRY(loops_add(world, loop, loop_count, index));
  TL_TRY(coupling_make(world, index + 1, world->loop_count + loop_count, &coupling, &impulse));
  talus_coupling_destroy(world->coupling);
  tl_free(world->context, world->link_impulse);
  world->coupling = coupling;
  world->link_impulse = impulse;
  made->first_body = world->body_count;
  made->first_velocity = world->joint_velocity_count;
  made->self_collide = def->self_collide != 0;
  made->base = TALUS_NONE;
  world->joint_velocity_count += made->mechanism->v_count;
  world->loop_count += loop_count;
  world->body_count += def->link_count;
  world->body_next += def->link_count;
  world->mechanism_count++;
  tl_links_sync(world);
  return TALUS_OK;
}

/* `def` and its links have the library's sizes, `loop` the caller's. */
static talus_status mechanism_take(talus_world *world, const talus_mechanism_def *def,
                                   const talus_loop_def *loop, int32_t loop_count) {
  TL_TRY(tl_world_grow(world, (void **)&world->mechanism, &world->mechanism_capacity,
                       world->mechanism_count + 1, sizeof *world->mechanism, "mechanisms"));
  tl_world_mechanism *const made = &world->mechanism[world->mechanism_count];
  memset(made, 0, sizeof *made);
  TL_TRY(talus_mechanism_create(world->context, def, &made->mechanism));
  const talus_status status = mechanism_add(world, def, loop, loop_count);
  if (status != TALUS_OK) {
    talus_mechanism_destroy(made->mechanism);
  }
  return status;
}

talus_status talus_world_add_mechanism(talus_world *world, const talus_mechanism_def *given,
                                       const talus_loop_def *loop, int32_t loop_count,
                                       int32_t *result) {
  if (world == NULL || given == NULL || result == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  talus_mechanism_def def;
  void *memory;
  TL_TRY(tl_cell_refuse(world, "a mechanism"));
  TL_TRY(tl_world_edit(world));
  TL_TRY(tl_mechanism_def_read(world->context, given, &def, &memory));
  memcpy(def.gravity, world->def.gravity, sizeof def.gravity);
  const talus_status status = mechanism_take(world, &def, loop, loop_count);
  tl_free(world->context, memory);
  if (status == TALUS_OK) {
    *result = world->mechanism_count - 1;
  }
  return status;
}
