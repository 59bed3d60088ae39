/* packing.c: from a world to a packing and back; which kind of table a file is. */
#include "host/io/packing.h"

#include <string.h>

#include "host/world/world.h"

void tl_packing_release(tl_body_list *packing) {
  talus_context *const context = packing->context;
  if (context != NULL) {
    tl_free(context, packing->body);
    tl_free(context, packing->shape);
    tl_free(context, packing->point);
    tl_free(context, packing->materials);
  }
  memset(packing, 0, sizeof *packing);
}

/* Counts free bodies, their shapes and the points of those. */
static void measure(const talus_world *world, tl_body_list *packing) {
  for (int32_t i = 0; i < world->body_count; i++) {
    const tl_body *const body = &world->body[i];
    packing->body_count += body->exists && body->type == TALUS_BODY_FREE;
  }
  for (int32_t i = 0; i < world->shape_count; i++) {
    const tl_shape_slot *const shape = &world->shape[i];
    if (shape->exists && world->body[shape->body].type == TALUS_BODY_FREE) {
      const bool hull = shape->geometry.kind == TALUS_SHAPE_HULL;
      packing->shape_count++;
      packing->point_count += hull ? shape->geometry.hull->point_count : 0;
    }
  }
}

talus_status tl_packing_reserve(tl_body_list *packing) {
  talus_context *const context = packing->context;
  void *memory = NULL;
  TL_TRY(tl_alloc(context, &memory, (size_t)packing->body_count + 1, sizeof *packing->body,
                  "bodies of a packing"));
  packing->body = memory;
  TL_TRY(tl_alloc(context, &memory, (size_t)packing->shape_count + 1, sizeof *packing->shape,
                  "shapes of a packing"));
  packing->shape = memory;
  TL_TRY(tl_alloc(context, &memory, 3 * (size_t)packing->point_count + 1, sizeof(double),
                  "points of a packing"));
  packing->point = memory;
  return TALUS_OK;
}

static talus_status take_shape(const talus_world *world, int32_t slot, tl_body_list *packing,
                               int32_t *points, tl_packing_shape *to) {
  talus_shape_def def = talus_shape_def_default(TALUS_SHAPE_SPHERE);
  int32_t body;
  TL_TRY(talus_shape_get(world, world->shape[slot].id, &body, &def));
  memset(to, 0, sizeof *to);
  to->kind = (int32_t)def.kind;
  to->material = def.material;
  memcpy(to->position, def.position, sizeof to->position);
  memcpy(to->orientation, def.orientation, sizeof to->orientation);
  to->radius = def.radius;
  to->half_length = def.half_length;
  memcpy(to->half_edge, def.half_edge, sizeof to->half_edge);
  if (def.kind == TALUS_SHAPE_HULL) {
    to->first_point = *points;
    to->point_count = def.point_count;
    memcpy(packing->point + 3 * (int64_t)*points, def.point,
           3 * (size_t)def.point_count * sizeof(double));
    *points += def.point_count;
  }
  return TALUS_OK;
}

static talus_status take_bodies(const talus_world *world, tl_body_list *packing) {
  int32_t n = 0, shapes = 0, points = 0;
  for (int32_t i = 0; i < world->body_count; i++) {
    const tl_body *const from = &world->body[i];
    if (!from->exists || from->type != TALUS_BODY_FREE) {
      continue;
    }
    tl_packing_body *const to = &packing->body[n++];
    memset(to, 0, sizeof *to);
    TL_TRY(talus_body_get(world, from->id, &to->state));
    to->group = from->group;
    to->collides = from->collides;
    to->first_shape = shapes;
    to->shape_count = from->shape_count;
    for (int32_t s = from->first_shape; s >= 0; s = world->shape[s].next) {
      TL_TRY(take_shape(world, s, packing, &points, &packing->shape[shapes++]));
    }
  }
  return TALUS_OK;
}

talus_status tl_packing_take(const talus_world *world, const char *materials,
                             tl_body_list *packing) {
  memset(packing, 0, sizeof *packing);
  packing->context = world->context;
  packing->plane = world->def.plane != 0;
  packing->periodic = world->cell.def.periodic != 0;
  memcpy(packing->cell, world->cell.def.edge, sizeof packing->cell);
  memcpy(packing->rate, world->cell.def.rate, sizeof packing->rate);
  measure(world, packing);
  TL_TRY(tl_packing_reserve(packing));
  if (materials != NULL) {
    void *memory = NULL;
    TL_TRY(tl_alloc(packing->context, &memory, strlen(materials) + 1, 1, "names"));
    packing->materials = strcpy(memory, materials);
  }
  return take_bodies(world, packing);
}

static talus_status add_shape(const tl_body_list *packing, talus_world *world, int32_t body,
                              const tl_packing_shape *from, const int32_t *material) {
  talus_shape_def def = talus_shape_def_default((talus_shape_kind)from->kind);
  int32_t id;
  def.material = material[from->material];
  memcpy(def.position, from->position, sizeof def.position);
  memcpy(def.orientation, from->orientation, sizeof def.orientation);
  def.radius = from->radius;
  def.half_length = from->half_length;
  memcpy(def.half_edge, from->half_edge, sizeof def.half_edge);
  def.point = packing->point + 3 * (int64_t)from->first_point;
  def.point_count = from->point_count;
  return talus_shape_add(world, body, &def, &id);
}

talus_status tl_packing_add(const tl_body_list *packing, talus_world *world, talus_body_type type,
                            const int32_t *material, int32_t *body) {
  for (int32_t i = 0; i < packing->body_count; i++) {
    const tl_packing_body *const from = &packing->body[i];
    talus_body_def def = talus_body_def_default();
    def.type = type;
    memcpy(def.position, from->state.position, sizeof def.position);
    memcpy(def.orientation, from->state.orientation, sizeof def.orientation);
    def.group = from->group;
    def.collides = from->collides;
    TL_TRY(talus_body_add(world, &def, &body[i]));
    /* a body's list has the last shape first; so do worlds that are made again */
    for (int32_t s = from->shape_count - 1; s >= 0; s--) {
      TL_TRY(add_shape(packing, world, body[i], &packing->shape[from->first_shape + s], material));
    }
    TL_TRY(talus_body_set(world, body[i], &from->state));
  }
  return TALUS_OK;
}

int32_t tl_packing_material_count(const tl_body_list *packing) {
  int32_t most = -1;
  for (int32_t i = 0; i < packing->shape_count; i++) {
    most = packing->shape[i].material > most ? packing->shape[i].material : most;
  }
  return most + 1;
}

const char *tl_packing_material(const tl_body_list *packing, int32_t m, char *text,
                                size_t capacity) {
  const char *name = packing->materials;
  for (int32_t i = 0; name != NULL && i < m; i++) {
    name = strchr(name, '\n');
    name = name != NULL ? name + 1 : NULL;
  }
  const char *const end = name != NULL ? strchr(name, '\n') : NULL;
  if (end == NULL || end == name || (size_t)(end - name) >= capacity) {
    return NULL;
  }
  memcpy(text, name, (size_t)(end - name));
  text[end - name] = '\0';
  return text;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static bool is_vtp(const char *path) {
  const char *const ending = strrchr(path, '.');
  return ending != NULL && strcmp(ending, ".vtp") == 0;
}

talus_status tl_packing_read(talus_context *context, const char *path, tl_body_list *packing) {
  memset(packing, 0, sizeof *packing);
  packing->context = context;
  return is_vtp(path) ? tl_packing_read_vtp(path, packing) : tl_packing_read_csv(path, packing);
}

static bool fits_table(const tl_body_list *packing, int32_t i) {
  const tl_packing_body *const body = &packing->body[i];
  return body->shape_count == 1 && packing->shape[body->first_shape].kind <= TALUS_SHAPE_CYLINDER;
}

int32_t tl_packing_left_out(const tl_body_list *packing) {
  int32_t count = 0;
  for (int32_t i = 0; i < packing->body_count; i++) {
    count += !fits_table(packing, i);
  }
  return count;
}

talus_status tl_packing_write(const tl_body_list *packing, const char *path) {
  tl_body_list table = *packing; /* with a list of its own of the bodies that it can hold */
  void *memory = NULL;
  TL_TRY(tl_alloc(packing->context, &memory, (size_t)packing->body_count + 1, sizeof *table.body,
                  "bodies of a table"));
  table.body = memory;
  table.body_count = 0;
  for (int32_t i = 0; i < packing->body_count; i++) {
    if (fits_table(packing, i)) {
      table.body[table.body_count++] = packing->body[i];
    }
  }
  const talus_status status =
      is_vtp(path) ? tl_packing_write_vtp(&table, path) : tl_packing_write_csv(&table, path);
  tl_free(packing->context, memory);
  return status;
}
