/* test_bulk.c: many bodies in one call are what calls for each would make; shapes come back as they
 * were given. */
#include <math.h>
#include <string.h>

#include "tests/world/place.h"

enum { COUNT = 200 };

static void positions_make(double *position, double *radius) {
  for (int i = 0; i < COUNT; i++) {
    radius[i] = 0.01 + 0.0001 * (i % 9);
    position[3 * i] = 0.03 * (i % 10);
    position[3 * i + 1] = 0.03 * (i / 10 % 10);
    position[3 * i + 2] = 0.02 + 0.03 * (i / 100);
  }
}

static talus_world *floor_make(int32_t *material) {
  talus_world_def def = talus_world_def_default();
  talus_world *world;
  MUST(talus_world_create(place_context, &def, &world));
  *material = place_material(world, 2500, 0.5, 0);
  place_floor(world, *material);
  return world;
}

/* The same bits after some steps, however the bodies were added and read. */
static void test_spheres(void) {
  static double position[3 * COUNT], radius[COUNT];
  static int32_t id[COUNT];
  static talus_body_state state[COUNT + 1];
  int32_t material;
  positions_make(position, radius);
  talus_world *const many = floor_make(&material), *const single = floor_make(&material);
  MUST(talus_spheres_add(many, NULL, material, COUNT, position, radius, id));
  for (int i = 0; i < COUNT; i++) {
    const double *const p = position + 3 * i;
    CHECK(place_sphere(single, material, radius[i], p[0], p[1], p[2]) == id[i]);
  }
  for (int i = 0; i < 20; i++) {
    MUST(talus_world_step(many, NULL));
    MUST(talus_world_step(single, NULL));
  }
  MUST(talus_bodies_get(many, COUNT + 1, state));
  for (int i = 0; i < COUNT; i++) {
    talus_body_state one;
    MUST(talus_body_get(single, id[i], &one));
    CHECK(memcmp(&one, &state[id[i]], sizeof one) == 0);
  }
  CHECK(talus_bodies_get(many, COUNT, state) == TALUS_SIZE_OVERFLOW);
  talus_world_destroy(many);
  talus_world_destroy(single);
}

/* Nothing stays of spheres of which one is refused. */
static void test_refused(void) {
  static double position[3 * COUNT], radius[COUNT];
  static int32_t id[COUNT];
  int32_t material;
  positions_make(position, radius);
  talus_world *const world = floor_make(&material);
  const int32_t before = talus_body_count(world);
  radius[150] = -1;
  CHECK(talus_spheres_add(world, NULL, material, COUNT, position, radius, id) == TALUS_BAD_SETTING);
  CHECK(strstr(talus_context_message(place_context), "sphere 150: ") != NULL);
  radius[150] = 0.01;
  position[3] = NAN;
  CHECK(talus_spheres_add(world, NULL, material, COUNT, position, radius, id) == TALUS_NOT_FINITE);
  CHECK(talus_body_count(world) == before);
  CHECK(talus_spheres_add(world, NULL, material, -1, position, radius, id) == TALUS_SIZE_OVERFLOW);
  talus_world_destroy(world);
}

static void test_state_and_measure(void) {
  const double position[6] = {0, 0, 1, 1, 0, 1}, radius[2] = {0.1, 0.2};
  int32_t id[2], material, type[4];
  double mass[4], reach[4];
  talus_body_state state[4];
  talus_world *const world = floor_make(&material);
  MUST(talus_spheres_add(world, NULL, material, 2, position, radius, id));
  MUST(talus_bodies_get(world, 4, state));
  CHECK(isnan(state[3].position[0]) && state[id[1]].position[0] == 1);
  const talus_body_state swapped[2] = {state[id[1]], state[id[0]]};
  MUST(talus_bodies_set(world, 2, id, swapped));
  const double force[6] = {0, 0, 9.81 * talus_body_mass(world, id[0]), 0, 0, 0};
  MUST(talus_bodies_force(world, 2, id, force, NULL));
  MUST(talus_world_step(world, NULL));
  MUST(talus_bodies_get(world, 4, state));
  CHECK(state[id[0]].position[0] == 1);
  CHECK_CLOSE(state[id[0]].velocity[2], 0, 1e-15);
  CHECK(state[id[1]].velocity[2] < -0.009);
  MUST(talus_body_remove(world, id[0]));
  MUST(talus_bodies_measure(world, 4, type, mass, reach));
  CHECK(type[0] == TALUS_BODY_FIXED && type[1] == TALUS_NONE && type[2] == TALUS_BODY_FREE);
  CHECK(mass[0] == 0 && mass[2] == talus_body_mass(world, id[1]));
  CHECK(isinf(reach[0]) && reach[1] == 0 && reach[2] == 0.2);
  talus_world_destroy(world);
}

static void test_shapes(void) {
  int32_t material, body, clump;
  talus_world *const world = floor_make(&material);
  talus_body_def def = talus_body_def_default();
  MUST(talus_body_add(world, &def, &clump));
  const double turn[4] = {0.5, -0.5, 0.5, 0.5};
  for (int i = 0; i < 2; i++) {
    talus_shape_def box = talus_shape_def_default(TALUS_SHAPE_BOX);
    box.material = material;
    box.position[0] = i;
    box.half_edge[0] = box.half_edge[1] = box.half_edge[2] = 0.1;
    memcpy(box.orientation, turn, sizeof turn);
    MUST(talus_shape_add(world, clump, &box, NULL));
  }
  CHECK(talus_shape_capacity(world) == 3);
  talus_shape_def got = talus_shape_def_default(TALUS_SHAPE_SPHERE);
  MUST(talus_shape_get(world, 2, &body, &got));
  CHECK(body == clump && got.kind == TALUS_SHAPE_BOX && got.half_edge[1] == 0.1);
  CHECK_CLOSE(got.position[0], 0.5, 1e-15);
  for (int i = 0; i < 4; i++) {
    CHECK_CLOSE(got.orientation[i] * (got.orientation[0] > 0 ? 1 : -1), turn[i], 1e-15);
  }
  CHECK(talus_shape_get(world, 3, &body, &got) == TALUS_INDEX_RANGE);
  got.struct_size = 3;
  CHECK(talus_shape_get(world, 2, &body, &got) == TALUS_STRUCT_SIZE);
  talus_world_destroy(world);
}

static void test_def(void) {
  int32_t material;
  talus_world *const world = floor_make(&material);
  talus_world_def def = talus_world_def_default();
  def.step = 0;
  MUST(talus_world_get(world, &def));
  CHECK(def.step == 1e-3 && def.gravity[2] == -9.81 && def.tolerance == 1e-4);
  CHECK(def.struct_size == sizeof def && def.solver.struct_size == sizeof def.solver);
  CHECK(talus_world_get(world, NULL) == TALUS_INVALID_ARGUMENT);
  talus_world_destroy(world);
}

/* What talus_world_get gives, talus_world_set and talus_world_create take; what follows from other
 * members goes on following them. */
static void test_def_returned(void) {
  int32_t material;
  talus_world *const world = floor_make(&material), *other;
  talus_world_def def = talus_world_def_default();
  MUST(talus_world_get(world, &def));
  CHECK(def.on_miss == TALUS_MISS_CONTINUE && isinf(def.accept));
  CHECK(def.solver.max_iterations == 200);
  MUST(talus_world_create(place_context, &def, &other));
  talus_world_destroy(other);
  def.gravity[2] = -1;
  def.tolerance = 1e-6;
  MUST(talus_world_set(world, &def));
  MUST(talus_world_get(world, &def));
  CHECK(def.gravity[2] == -1 && isinf(def.accept) && def.solver.max_iterations == 2000);
  CHECK_CLOSE(def.restitution_speed, 2e-3, 1e-15);
  def.on_miss = TALUS_MISS_HALVE;
  MUST(talus_world_set(world, &def));
  MUST(talus_world_get(world, &def));
  CHECK_CLOSE(def.accept, 1e-5, 1e-18);
  def.restitution_speed = 0.5; /* was given: stays */
  MUST(talus_world_set(world, &def));
  def.gravity[2] = -2;
  MUST(talus_world_set(world, &def));
  MUST(talus_world_get(world, &def));
  CHECK(def.restitution_speed == 0.5 && def.on_miss == TALUS_MISS_HALVE && def.tolerance == 1e-6);
  def.on_miss = TALUS_MISS_CONTINUE;
  def.accept = 1e-3;
  CHECK(talus_world_set(world, &def) == TALUS_BAD_SETTING);
  talus_world_destroy(world);
}

int main(void) {
  place_begin(1);
  test_spheres();
  test_refused();
  test_state_and_measure();
  test_shapes();
  test_def();
  test_def_returned();
  place_end();
  return check_end();
}
