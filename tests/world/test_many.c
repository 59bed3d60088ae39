/* test_many.c: a box of grains: balances, determinism, restart, units; a stack; a pendulum. */
#include <math.h>
#include <string.h>

#include "host/world/state.h"
#include "tests/world/place.h"

/* 150 spheres over a floor between four walls. scale: length of a metre in the world's unit. */
static talus_world *grains_make(double scale, talus_law law) {
  talus_world_def def = talus_world_def_default();
  def.gravity[2] = -9.81 * scale;
  def.step = 2e-3;
  def.solver.law = law;
  talus_world *world;
  MUST(talus_world_create(place_context, &def, &world));
  const int32_t material = place_material(world, 2500 / (scale * scale * scale), 0.4, 0);
  place_floor(world, material);
  const double h = sqrt(0.5),
               quaternion[4][4] = {{h, 0, h, 0}, {h, 0, -h, 0}, {h, -h, 0, 0}, {h, h, 0, 0}};
  for (int i = 0; i < 4; i++) {
    const double side = (i % 2 ? 0.3 : -0.3) * scale;
    talus_body_def wall = talus_body_def_default();
    wall.type = TALUS_BODY_FIXED;
    wall.position[i / 2] = side;
    memcpy(wall.orientation, quaternion[i], sizeof wall.orientation);
    int32_t body;
    MUST(talus_body_add(world, &wall, &body));
    talus_shape_def shape = talus_shape_def_default(TALUS_SHAPE_HALFSPACE);
    shape.material = material;
    MUST(talus_shape_add(world, body, &shape, NULL));
  }
  for (int i = 0; i < 150; i++) {
    const double x = -0.22 + 0.11 * (i % 5) + 0.003 * (i % 7), z = 0.06 + 0.11 * (i / 25);
    const double y = -0.22 + 0.11 * (i / 5 % 5) + 0.002 * (i % 11);
    place_sphere(world, material, (0.045 + 0.001 * (i % 6)) * scale, x * scale, y * scale,
                 z * scale);
  }
  return world;
}

static uint64_t state_hash(const talus_world *world) {
  uint64_t hash = 1469598103934665603u;
  for (int32_t i = 0; i < talus_body_capacity(world); i++) {
    const talus_body_state state = place_state(world, i);
    const unsigned char *bytes = (const unsigned char *)&state;
    for (size_t b = 0; b < sizeof state; b++) {
      hash = (hash ^ bytes[b]) * 1099511628211u;
    }
  }
  return hash;
}

static void balances(talus_law law) {
  talus_world *const world = grains_make(1, law);
  talus_step_report report = talus_step_report_default();
  double worst_energy = 0, worst_momentum = 0, worst_error = 0;
  for (int i = 0; i < 200; i++) {
    MUST(talus_world_step(world, &report));
    worst_energy = fmax(worst_energy, report.energy_error);
    worst_momentum = fmax(worst_momentum, report.momentum_error);
    worst_error = fmax(worst_error, report.error);
  }
  CHECK_CASE(worst_energy < 1e-10, "energy %g", worst_energy);
  CHECK_CASE(worst_momentum < 1e-10, "momentum %g", worst_momentum);
  CHECK_CASE(worst_error <= 1e-3, "error %g", worst_error);
  CHECK(report.touching_count > 200);
  CHECK_CASE(report.penetration_mean < 2e-3 * 0.05, "%g", report.penetration_mean);
  const talus_contact *contacts;
  const int32_t count = talus_world_contacts(world, &contacts);
  CHECK(count == report.contact_count);
  for (int32_t k = 0; k < count; k++) {
    const double *n = contacts[k].normal;
    CHECK_CLOSE(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1, 1e-12);
  }
  talus_world_destroy(world);
}

/* The same bits whatever the number of threads. */
static void threads(void) {
  const int32_t counts[3] = {1, 2, 7};
  uint64_t hash[3];
  for (int i = 0; i < 3; i++) {
    talus_context *const kept = place_context;
    place_begin(counts[i]);
    talus_world *const world = grains_make(1, TALUS_LAW_COULOMB);
    place_run(world, 120);
    hash[i] = state_hash(world);
    talus_world_destroy(world);
    place_end();
    place_context = kept;
  }
  CHECK(hash[0] == hash[1]);
  CHECK(hash[0] == hash[2]);
}

/* 2 N steps = N steps, state out, state into a world built anew, N steps. */
static void restart(void) {
  talus_world *const through = grains_make(1, TALUS_LAW_COULOMB);
  talus_world *const first = grains_make(1, TALUS_LAW_COULOMB);
  talus_world *const second = grains_make(1, TALUS_LAW_COULOMB);
  place_run(through, 160);
  place_run(first, 80);
  tl_world_state state;
  tl_world_state_measure(first, &state);
  state.body = calloc((size_t)state.body_count * TL_STATE_BODY, sizeof(double));
  state.carried = calloc((size_t)state.body_count * 3, sizeof(double));
  state.id = calloc((size_t)state.body_count + (size_t)state.joint_count, sizeof(int32_t));
  state.contact_key = calloc((size_t)state.contact_count * 3 + 1, sizeof(int32_t));
  state.contact_value = calloc((size_t)state.contact_count * TL_STATE_CONTACT + 1, sizeof(double));
  state.joint = calloc(1, sizeof(double));
  tl_world_state_save(first, &state);
  MUST(tl_world_state_load(second, &state));
  place_run(second, 80);
  CHECK(state_hash(second) == state_hash(through));
  CHECK(talus_world_steps(second) == 160);
  CHECK(talus_world_time(second) == talus_world_time(through));
  state.id[1] = state.id[0];
  CHECK(tl_world_state_load(second, &state) == TALUS_FILE_FORMAT);
  state.id[1] = state.next.body;
  CHECK(tl_world_state_load(second, &state) == TALUS_FILE_FORMAT);
  free(state.body);
  free(state.carried);
  free(state.id);
  free(state.contact_key);
  free(state.contact_value);
  free(state.joint);
  talus_world_destroy(through);
  talus_world_destroy(first);
  talus_world_destroy(second);
}

/* Metres and millimetres: the same iterations. */
static void units(void) {
  talus_world *const metres = grains_make(1, TALUS_LAW_COULOMB);
  talus_world *const millimetres = grains_make(1000, TALUS_LAW_COULOMB);
  int64_t differing = 0;
  for (int i = 0; i < 60; i++) {
    const talus_step_report a = place_run(metres, 1), b = place_run(millimetres, 1);
    differing += a.iterations != b.iterations || a.contact_count != b.contact_count;
  }
  CHECK_CASE(differing == 0, "%d steps differ", (int)differing);
  talus_world_destroy(metres);
  talus_world_destroy(millimetres);
}

/* Ten boxes on each other stay where they are. */
static void stack(void) {
  talus_world_def def = talus_world_def_default();
  def.tolerance = 1e-3;
  talus_world *world;
  MUST(talus_world_create(place_context, &def, &world));
  const int32_t material = place_material(world, 1000, 0.5, 0);
  place_floor(world, material);
  const double half[3] = {0.1, 0.1, 0.1};
  int32_t box[10];
  for (int i = 0; i < 10; i++) {
    box[i] = place_box(world, material, half, 0, 0, 0.1 + 0.2 * i);
  }
  place_run(world, 1000);
  for (int i = 0; i < 10; i++) {
    const talus_body_state state = place_state(world, box[i]);
    CHECK_CLOSE(state.position[0], 0, 1e-5);
    CHECK_CLOSE(state.position[2], 0.1 + 0.2 * i, 1e-4);
  }
  talus_world_destroy(world);
}

/* A ball on a hinge: a pendulum of length 1, small swing, period 2 pi sqrt((l + 2 r^2 / 5 l) /
 * g). */
static void pendulum(void) {
  talus_world_def def = talus_world_def_default();
  def.tolerance = 1e-8;
  talus_world *world;
  MUST(talus_world_create(place_context, &def, &world));
  const int32_t ball =
      place_sphere(world, place_material(world, 1000, 0.5, 0), 0.1, sin(0.1), 0, -cos(0.1));
  talus_joint_def hinge = talus_joint_def_default(TALUS_JOINT_HINGE);
  hinge.body_b = ball;
  hinge.axis[2] = 0;
  hinge.axis[1] = 1;
  int32_t joint;
  MUST(talus_joint_add(world, &hinge, &joint));
  double crossings[2] = {0, 0};
  int count = 0;
  double last = place_state(world, ball).position[0];
  for (int i = 0; i < 3000 && count < 2; i++) {
    place_run(world, 1);
    const talus_body_state state = place_state(world, ball);
    if (last > 0 && state.position[0] <= 0) {
      crossings[count++] = talus_world_time(world);
    }
    last = state.position[0];
    const double length = hypot(state.position[0], state.position[2]);
    if (fabs(length - 1) > 1e-4 || fabs(state.position[1]) > 1e-9) {
      CHECK_CASE(0, "length %g y %g at step %d", length, state.position[1], i);
      break;
    }
  }
  const double inertia = 1 + 0.4 * 0.01;
  CHECK_CLOSE(crossings[1] - crossings[0], 2 * 3.14159265358979 * sqrt(inertia / 9.81) * 1.000625,
              0.004);
  CHECK(fabs(talus_joint_coordinate(world, joint)) < 0.3);
  talus_world_destroy(world);
}

/* Bodies come and go between steps. */
static void change(void) {
  talus_world *const world = grains_make(1, TALUS_LAW_CCP);
  place_run(world, 50);
  for (int32_t body = 10; body < 100; body += 3) {
    MUST(talus_body_remove(world, body));
  }
  place_run(world, 20);
  CHECK(!talus_body_exists(world, 10));
  talus_body_state state;
  CHECK(talus_body_get(world, 10, &state) == TALUS_INDEX_RANGE);
  place_sphere(world, 0, 0.05, 0, 0, 2);
  place_run(world, 50);
  talus_world_destroy(world);
}

int main(void) {
  place_begin(2);
  balances(TALUS_LAW_COULOMB);
  balances(TALUS_LAW_CCP);
  threads();
  restart();
  units();
  stack();
  pendulum();
  change();
  place_end();
  return check_end();
}
