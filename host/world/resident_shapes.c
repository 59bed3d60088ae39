/* resident_shapes.c: bodies and shapes as a device sees them, and which of them it takes. */
#include <math.h>
#include <string.h>

#include "host/world/resident.h"

enum { MATERIALS = 256 }; /* pairs of them are written out */

/* Walls without an end, or of triangles, are not moved by impulses. */
static bool is_wall(const tl_geometry *geometry) {
  return geometry->kind == TALUS_SHAPE_HALFSPACE || geometry->kind == TALUS_SHAPE_MESH;
}

const char *tl_resident_shapes_reason(const talus_world *world) {
  int32_t planes = 0;
  for (int32_t i = 0; i < world->shape_count; i++) {
    const tl_shape_slot *const shape = &world->shape[i];
    if (is_wall(&shape->geometry) && world->body[shape->body].inverse_mass > 0) {
      return "walls that move freely";
    }
    planes += shape->geometry.kind == TALUS_SHAPE_HALFSPACE;
  }
  return planes > TL_RESIDENT_PLANES         ? "many half-spaces"
         : world->material_count > MATERIALS ? "many materials"
                                             : NULL;
}

static bool shape_is_plain(const talus_world *world, const tl_shape_slot *shape) {
  const tl_body *const body = &world->body[shape->body];
  return shape->geometry.kind == TALUS_SHAPE_SPHERE ? body->round || body->type == TALUS_BODY_FIXED
                                                    : shape->geometry.kind == TALUS_SHAPE_HALFSPACE;
}

bool tl_resident_is_plain(const talus_world *world) {
  for (int32_t i = 0; i < world->shape_count; i++) {
    if (!shape_is_plain(world, &world->shape[i])) {
      return false;
    }
  }
  for (int32_t i = 0; i < world->body_count; i++) {
    const tl_body *const body = &world->body[i];
    if (body->inverse_mass > 0 && !(body->round && body->shape_count == 1)) {
      return false;
    }
  }
  return true;
}

bool tl_resident_is_uneven(const talus_world *world) {
  for (int32_t i = 0; i < world->body_count; i++) {
    if (world->body[i].inverse_mass > 0 && !world->body[i].round) {
      return true;
    }
  }
  return false;
}

void tl_resident_body_fact(const talus_world *world, const tl_body *body, tl_body_fact *fact) {
  const bool gives = body->type == TALUS_BODY_FREE && body->inverse_mass > 0;
  *fact = (tl_body_fact){.mass = body->mass,
                         .inverse_mass = body->inverse_mass,
                         .free = body->type == TALUS_BODY_FREE,
                         .moves = body->type != TALUS_BODY_FIXED,
                         .round = body->round,
                         .shape = gives ? body->first_shape : -1,
                         .tumbles = gives && !body->round && !world->def.plane};
  memcpy(fact->inertia, body->inertia, sizeof body->inertia);
  memcpy(fact->inverse_inertia, body->inverse_inertia, sizeof body->inverse_inertia);
  const tl_body_extra *const extra = tl_body_extra_of(world, body);
  memcpy(fact->force, extra->force, sizeof extra->force);
  memcpy(fact->torque, extra->torque, sizeof extra->torque);
}

void tl_resident_shape_fact(const talus_world *world, const tl_shape_slot *shape,
                            tl_shape_fact *fact) {
  const tl_body *const body = &world->body[shape->body];
  *fact = (tl_shape_fact){.body = shape->body,
                          .material = shape->material,
                          .halfspace = shape->geometry.kind == TALUS_SHAPE_HALFSPACE,
                          .ball = shape->geometry.kind == TALUS_SHAPE_SPHERE,
                          .movable = body->inverse_mass > 0,
                          .still = body->round && body->inverse_mass > 0,
                          .group = body->group,
                          .collides = body->collides,
                          .radius = shape->geometry.radius,
                          .size = shape->size,
                          .reach = tl_geometry_reach(&shape->geometry)};
  memcpy(fact->position, shape->position, sizeof shape->position);
  memcpy(fact->rotation, tl_shape_rotation(world, shape), sizeof fact->rotation);
}

/* m: from the middle of the shape's box to its sides, at most. */
static double extent_of(const tl_geometry *geometry) {
  return geometry->kind == TALUS_SHAPE_SPHERE ? geometry->radius : tl_geometry_reach(geometry);
}

double tl_resident_cell_width(const talus_world *world) {
  double sum = 0, most = 0;
  int32_t count = 0;
  for (int32_t i = 0; i < world->shape_count; i++) {
    const tl_geometry *const geometry = &world->shape[i].geometry;
    if (!is_wall(geometry)) {
      const double extent = extent_of(geometry);
      sum += extent;
      most = fmax(most, extent);
      count++;
    }
  }
  const double reach = count > 0 ? fmin(most, 2 * sum / count) : world->size;
  const double extra = 0.5 * world->def.margin * world->size + tl_contacts_skin(world);
  return 2.5 * (reach + extra) + (reach + extra > 0 ? 0 : 1);
}
