/* many.c: many bodies in one call; shapes and the world's def read back: for callers to whom a
 * call for each body would cost more than the world does. Each goes the way of the call for one. */
#include <math.h>
#include <string.h>

#include "host/base/structs.h"
#include "host/collide/mesh.h"
#include "host/world/links.h"

static talus_status count_check(const talus_world *world, int32_t count, int32_t least,
                                const char *what) {
  return count >= least ? TALUS_OK
                        : tl_fail(world->context, TALUS_SIZE_OVERFLOW,
                                  "%s: the count is %d, at least %d is needed", what, count, least);
}

static talus_status sphere_add(talus_world *world, talus_body_def *body_def,
                               talus_shape_def *shape_def, const double position[3], double radius,
                               int32_t *body) {
  memcpy(body_def->position, position, sizeof body_def->position);
  shape_def->radius = radius;
  TL_TRY(talus_body_add(world, body_def, body));
  const talus_status status = talus_shape_add(world, *body, shape_def, NULL);
  if (status != TALUS_OK) {
    (void)talus_body_remove(world, *body);
  }
  return status;
}

/* Says which of many was refused, in front of why. */
static talus_status index_tell(talus_world *world, talus_status status, const char *what,
                               int32_t index) {
  char why[512];
  const char *const said = talus_context_message(world->context);
  const size_t length = strlen(said) < sizeof why ? strlen(said) : sizeof why - 1;
  memcpy(why, said, length);
  why[length] = '\0';
  return tl_fail(world->context, status, "%s %d: %s", what, index, why);
}

talus_status talus_spheres_add(talus_world *world, const talus_body_def *def, int32_t material,
                               int32_t count, const double *position, const double *radius,
                               int32_t *body) {
  if (world == NULL || ((position == NULL || radius == NULL || body == NULL) && count > 0)) {
    return TALUS_INVALID_ARGUMENT;
  }
  TL_TRY(count_check(world, count, 0, "spheres"));
  talus_body_def body_def = talus_body_def_default();
  if (def != NULL) {
    TL_TRY(tl_struct_read(world->context, &tl_struct_body_def, "body def", def, &body_def));
  }
  talus_shape_def shape_def = talus_shape_def_default(TALUS_SHAPE_SPHERE);
  shape_def.material = material;
  for (int32_t i = 0; i < count; i++) {
    const talus_status status =
        sphere_add(world, &body_def, &shape_def, position + 3 * (int64_t)i, radius[i], &body[i]);
    if (status != TALUS_OK) {
      const talus_status told = index_tell(world, status, "sphere", i);
      while (--i >= 0) {
        (void)talus_body_remove(world, body[i]);
      }
      return told;
    }
  }
  return TALUS_OK;
}

talus_status talus_bodies_get(const talus_world *world, int32_t count, talus_body_state *state) {
  if (world == NULL || (state == NULL && count > 0)) {
    return TALUS_INVALID_ARGUMENT;
  }
  TL_TRY(count_check(world, count, talus_body_capacity(world), "states of bodies"));
  double *const number = (double *)(void *)state;
  const int64_t numbers = (int64_t)(sizeof *state / sizeof *number) * count;
  if (talus_body_count(world) < count) {
    for (int64_t i = 0; i < numbers; i++) {
      number[i] = NAN;
    }
  }
  for (int32_t b = talus_body_after(world, TALUS_NONE); b != TALUS_NONE;
       b = talus_body_after(world, b)) {
    TL_TRY(talus_body_get(world, b, &state[b]));
  }
  return TALUS_OK;
}

talus_status talus_bodies_set(talus_world *world, int32_t count, const int32_t *body,
                              const talus_body_state *state) {
  if (world == NULL || ((body == NULL || state == NULL) && count > 0)) {
    return TALUS_INVALID_ARGUMENT;
  }
  TL_TRY(count_check(world, count, 0, "states of bodies"));
  for (int32_t i = 0; i < count; i++) {
    TL_TRY(talus_body_set(world, body[i], &state[i]));
  }
  return TALUS_OK;
}

talus_status talus_bodies_force(talus_world *world, int32_t count, const int32_t *body,
                                const double *force, const double *torque) {
  if (world == NULL || (body == NULL && count > 0)) {
    return TALUS_INVALID_ARGUMENT;
  }
  TL_TRY(count_check(world, count, 0, "forces on bodies"));
  for (int32_t i = 0; i < count; i++) {
    TL_TRY(talus_body_force(world, body[i], force != NULL ? force + 3 * (int64_t)i : NULL,
                            torque != NULL ? torque + 3 * (int64_t)i : NULL));
  }
  return TALUS_OK;
}

/* Of the ball about the body's position that holds its shapes. */
static double body_radius(const talus_world *world, const tl_body *body) {
  double radius = 0;
  for (int32_t i = body->first_shape; i >= 0; i = world->shape[i].next) {
    const tl_shape_slot *const shape = &world->shape[i];
    radius = fmax(radius, tl_norm3(shape->position) + tl_geometry_reach(&shape->geometry));
  }
  return radius;
}

talus_status talus_bodies_measure(const talus_world *world, int32_t count, int32_t *type,
                                  double *mass, double *radius) {
  if (world == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  TL_TRY(count_check(world, count, talus_body_capacity(world), "measures of bodies"));
  TL_TRY(tl_bodies_whole(world));
  for (int32_t b = 0; b < count; b++) {
    const tl_body *const body = tl_body_at(world, b);
    if (type != NULL) {
      type[b] = body != NULL ? (int32_t)body->type : TALUS_NONE;
    }
    if (mass != NULL) {
      mass[b] = body != NULL ? body->mass : 0;
    }
    if (radius != NULL) {
      radius[b] = body != NULL ? body_radius(world, body) : 0;
    }
  }
  return TALUS_OK;
}

talus_status talus_world_get(const talus_world *world, talus_world_def *def) {
  if (world == NULL || def == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  TL_TRY(tl_struct_check(world->context, &tl_struct_world_def, "world def", def));
  tl_struct_write(&tl_struct_world_def, &world->def, def);
  return TALUS_OK;
}

int32_t talus_shape_capacity(const talus_world *world) {
  return world != NULL ? world->shape_next : 0;
}

/* The quaternion of a rotation matrix (row-major), by its largest component. */
static void matrix_quaternion(const double *r, double *q) {
  const double squares[4] = {1 + r[0] + r[4] + r[8], 1 + r[0] - r[4] - r[8], 1 - r[0] + r[4] - r[8],
                             1 - r[0] - r[4] + r[8]};
  int largest = 0;
  for (int i = 1; i < 4; i++) {
    largest = squares[i] > squares[largest] ? i : largest;
  }
  const double products[4][4] = {
      {squares[0], r[7] - r[5], r[2] - r[6], r[3] - r[1]},
      {r[7] - r[5], squares[1], r[1] + r[3], r[2] + r[6]},
      {r[2] - r[6], r[1] + r[3], squares[2], r[5] + r[7]},
      {r[3] - r[1], r[2] + r[6], r[5] + r[7], squares[3]},
  };
  const double scale = 0.5 / sqrt(squares[largest]);
  for (int i = 0; i < 4; i++) {
    q[i] = scale * products[largest][i];
  }
}

/* Kind, sizes and points of a shape. */
static void geometry_write(const tl_geometry *geometry, talus_shape_def *def) {
  def->kind = (talus_shape_kind)geometry->kind;
  def->radius = geometry->radius;
  def->half_length = geometry->half_length;
  memcpy(def->half_edge, geometry->half_edge, sizeof def->half_edge);
  if (geometry->kind == TALUS_SHAPE_HULL) {
    def->point = geometry->hull->point;
    def->point_count = geometry->hull->point_count;
  } else if (geometry->kind == TALUS_SHAPE_MESH) {
    def->point = geometry->mesh->point;
    def->point_count = geometry->mesh->point_count;
    def->triangle = geometry->mesh->triangle;
    def->triangle_count = geometry->mesh->triangle_count;
  }
}

talus_status talus_shape_get(const talus_world *world, int32_t id, int32_t *body,
                             talus_shape_def *def) {
  if (world == NULL || def == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  TL_TRY(tl_struct_check(world->context, &tl_struct_shape_def, "shape def", def));
  TL_TRY(tl_bodies_whole(world));
  const int32_t slot = tl_shape_slot_of(world, id);
  if (slot < 0) {
    return tl_fail(world->context, TALUS_INDEX_RANGE, "shape %d does not exist", id);
  }
  const tl_shape_slot *const shape = &world->shape[slot];
  talus_shape_def own = talus_shape_def_default((talus_shape_kind)shape->geometry.kind);
  geometry_write(&shape->geometry, &own);
  own.material = shape->material;
  memcpy(own.position, shape->position, sizeof own.position);
  matrix_quaternion(tl_shape_rotation(world, shape), own.orientation);
  tl_struct_write(&tl_struct_shape_def, &own, def);
  if (body != NULL) {
    *body = world->body[shape->body].id;
  }
  return TALUS_OK;
}
