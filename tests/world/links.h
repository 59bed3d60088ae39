/* links.h: mechanisms for the worlds of the tests. */
#ifndef TL_TESTS_LINKS_H
#define TL_TESTS_LINKS_H

#include "talus/talus_mechanism.h"
#include "tests/world/place.h"

static inline talus_link_def link_def(talus_link_kind kind, int32_t parent, double x, double y,
                                      double z) {
  talus_link_def def = talus_link_def_default(kind);
  def.parent = parent;
  def.position[0] = x;
  def.position[1] = y;
  def.position[2] = z;
  return def;
}

/* A hinge about y whose link hangs down by `length` with its mass at the lower end. */
static inline talus_link_def link_pendulum(int32_t parent, double z, double mass, double length,
                                           double inertia) {
  talus_link_def def = link_def(TALUS_LINK_REVOLUTE, parent, 0, 0, z);
  def.axis[1] = 1;
  def.axis[2] = 0;
  def.mass = mass;
  def.centre[2] = -length;
  def.inertia[0] = def.inertia[3] = def.inertia[5] = inertia;
  return def;
}

static inline int32_t links_add(talus_world *world, const talus_link_def *link, int32_t count,
                                const talus_loop_def *loop, int32_t loops) {
  talus_mechanism_def def = talus_mechanism_def_default();
  int32_t mechanism;
  def.link_count = count;
  def.link = link;
  MUST(talus_world_add_mechanism(world, &def, loop, loops, &mechanism));
  return mechanism;
}

static inline void link_sphere(talus_world *world, int32_t body, int32_t material, double radius,
                               double x, double y, double z) {
  talus_shape_def shape = talus_shape_def_default(TALUS_SHAPE_SPHERE);
  shape.material = material;
  shape.radius = radius;
  shape.position[0] = x;
  shape.position[1] = y;
  shape.position[2] = z;
  MUST(talus_shape_add(world, body, &shape, NULL));
}

static inline void link_box(talus_world *world, int32_t body, int32_t material,
                            const double half[3], double x, double y, double z) {
  talus_shape_def shape = talus_shape_def_default(TALUS_SHAPE_BOX);
  shape.material = material;
  for (int c = 0; c < 3; c++) {
    shape.half_edge[c] = half[c];
  }
  shape.position[0] = x;
  shape.position[1] = y;
  shape.position[2] = z;
  MUST(talus_shape_add(world, body, &shape, NULL));
}

#endif
