/* planted_world.h: small worlds on the ground, for tests in which a device fails or lies. */
#ifndef TL_TESTS_PLANTED_WORLD_H
#define TL_TESTS_PLANTED_WORLD_H

#include "talus/talus_world.h"
#include "tests/check.h"

static inline talus_context *planted_open(talus_backend_kind backend) {
  talus_context_def def = talus_context_def_default();
  talus_context *context = NULL;
  def.backend = backend;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  return context;
}

/* A world of the default material, with the ground as body 0. */
static inline talus_world *planted_world(talus_context *context, talus_method method) {
  talus_world_def def = talus_world_def_default();
  talus_material_def material_def = talus_material_def_default();
  talus_body_def ground = talus_body_def_default();
  talus_shape_def plane = talus_shape_def_default(TALUS_SHAPE_HALFSPACE);
  talus_world *world;
  int32_t material, body;
  def.solver.method = method;
  CHECK(talus_world_create(context, &def, &world) == TALUS_OK);
  CHECK(talus_material_add(world, &material_def, &material) == TALUS_OK);
  ground.type = TALUS_BODY_FIXED;
  CHECK(talus_body_add(world, &ground, &body) == TALUS_OK);
  CHECK(talus_shape_add(world, body, &plane, NULL) == TALUS_OK);
  return world;
}

/* A ball, or a cube, 2 cm wide. */
static inline void planted_body(talus_world *world, talus_shape_kind kind, double x, double y,
                                double z) {
  talus_body_def def = talus_body_def_default();
  talus_shape_def shape = talus_shape_def_default(kind);
  int32_t body;
  def.position[0] = x;
  def.position[1] = y;
  def.position[2] = z;
  shape.radius = shape.half_edge[0] = shape.half_edge[1] = shape.half_edge[2] = 0.01;
  CHECK(talus_body_add(world, &def, &body) == TALUS_OK);
  CHECK(talus_shape_add(world, body, &shape, NULL) == TALUS_OK);
}

#endif
