/* place.h: small worlds for the tests, in a few calls. Any failing call ends the test. */
#ifndef TL_PLACE_H
#define TL_PLACE_H

#include <stdio.h>
#include <stdlib.h>

#include "talus/talus_world.h"
#include "tests/check.h"

static talus_context *place_context;

#define MUST(call)                                                                         \
  do {                                                                                     \
    const talus_status status_ = (call);                                                   \
    if (status_ != TALUS_OK) {                                                             \
      printf("%s:%d: %s: %s: %s\n", __FILE__, __LINE__, #call, talus_status_name(status_), \
             talus_context_message(place_context));                                        \
      exit(EXIT_FAILURE);                                                                  \
    }                                                                                      \
  } while (0)

static inline void place_begin(int32_t threads) {
  talus_context_def def = talus_context_def_default();
  def.threads = threads;
  def.backend = TALUS_BACKEND_CPU;
  MUST(talus_context_create(&def, &place_context));
}

static inline void place_end(void) {
  talus_context_destroy(place_context);
}

static inline int32_t place_material(talus_world *world, double density, double friction,
                                     double restitution) {
  talus_material_def def = talus_material_def_default();
  def.density = density;
  def.friction = friction;
  def.restitution = restitution;
  int32_t material;
  MUST(talus_material_add(world, &def, &material));
  return material;
}

static inline int32_t place_body(talus_world *world, talus_body_type type, double x, double y,
                                 double z) {
  talus_body_def def = talus_body_def_default();
  def.type = type;
  def.position[0] = x;
  def.position[1] = y;
  def.position[2] = z;
  int32_t body;
  MUST(talus_body_add(world, &def, &body));
  return body;
}

static inline int32_t place_sphere(talus_world *world, int32_t material, double radius, double x,
                                   double y, double z) {
  const int32_t body = place_body(world, TALUS_BODY_FREE, x, y, z);
  talus_shape_def shape = talus_shape_def_default(TALUS_SHAPE_SPHERE);
  shape.material = material;
  shape.radius = radius;
  MUST(talus_shape_add(world, body, &shape, NULL));
  return body;
}

static inline int32_t place_box(talus_world *world, int32_t material, const double half[3],
                                double x, double y, double z) {
  const int32_t body = place_body(world, TALUS_BODY_FREE, x, y, z);
  talus_shape_def shape = talus_shape_def_default(TALUS_SHAPE_BOX);
  shape.material = material;
  for (int c = 0; c < 3; c++) {
    shape.half_edge[c] = half[c];
  }
  MUST(talus_shape_add(world, body, &shape, NULL));
  return body;
}

/* A floor at z = 0, solid below. */
static inline int32_t place_floor(talus_world *world, int32_t material) {
  const int32_t body = place_body(world, TALUS_BODY_FIXED, 0, 0, 0);
  talus_shape_def shape = talus_shape_def_default(TALUS_SHAPE_HALFSPACE);
  shape.material = material;
  MUST(talus_shape_add(world, body, &shape, NULL));
  return body;
}

static inline talus_body_state place_state(const talus_world *world, int32_t body) {
  talus_body_state state;
  MUST(talus_body_get(world, body, &state));
  return state;
}

static inline talus_step_report place_run(talus_world *world, int steps) {
  talus_step_report report = talus_step_report_default();
  for (int i = 0; i < steps; i++) {
    MUST(talus_world_step(world, &report));
  }
  return report;
}

#endif
