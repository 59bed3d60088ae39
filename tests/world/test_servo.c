/* test_servo.c: plates that follow a force.
 *
 * One ball between floor and plate: its springs give the plate's place in closed form, for a linear
 * spring and after Hertz. Four balls in a square: the area in contact and that between facing
 * walls. A sheared bed under a plate: the pressure is held to 1 %. A restart goes on to the bit.
 * What cannot move, and what is rigid, is refused. */
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "talus/talus_io.h"
#include "tests/world/place.h"

static const double RADIUS = 0.01, STIFFNESS = 1e4;

static talus_world *soft_world(double stiffness, double young, int32_t *material) {
  talus_world_def def = talus_world_def_default();
  talus_material_def grain = talus_material_def_default();
  talus_world *world;
  def.gravity[2] = 0;
  def.step = 5e-4;
  MUST(talus_world_create(place_context, &def, &world));
  grain.stiffness = stiffness;
  grain.young = young;
  grain.friction = 0.3;
  MUST(talus_material_add(world, &grain, material));
  return world;
}

/* A half-space that looks along `normal`, at a place. */
static int32_t place_plane(talus_world *world, int32_t material, talus_body_type type, double x,
                           double y, double z, const double turn[4]) {
  const int32_t body = place_body(world, type, x, y, z);
  talus_shape_def shape = talus_shape_def_default(TALUS_SHAPE_HALFSPACE);
  shape.material = material;
  memcpy(shape.orientation, turn, sizeof shape.orientation);
  MUST(talus_shape_add(world, body, &shape, NULL));
  return body;
}

static const double UP[4] = {1, 0, 0, 0}, DOWN[4] = {0, 1, 0, 0};
static const double HALF = 0.70710678118654752;

static talus_servo_def press_down(double force, double pressure) {
  talus_servo_def def = talus_servo_def_default();
  def.axis[2] = -1;
  def.force = force;
  def.pressure = pressure;
  def.speed = 0.05;
  return def;
}

static talus_servo_state servo_of(const talus_world *world, int32_t body) {
  talus_servo_state state = talus_servo_state_default();
  MUST(talus_servo_get(world, body, &state));
  return state;
}

/* The plate comes down by the gap and twice the overlap. */
static void one_ball(double stiffness, double young) {
  int32_t material;
  talus_world *const world = soft_world(stiffness, young, &material);
  const talus_servo_def def = press_down(5, 0);
  place_floor(world, material);
  place_sphere(world, material, RADIUS, 0, 0, RADIUS);
  const int32_t plate =
      place_plane(world, material, TALUS_BODY_KINEMATIC, 0, 0, 2.1 * RADIUS, DOWN);
  MUST(talus_servo_set(world, plate, &def));
  place_run(world, 2000);
  const double modulus = young / (2 * (1 - 0.25 * 0.25));
  const double overlap =
      stiffness > 0 ? 5 / stiffness : pow(5 / (4.0 / 3 * modulus * sqrt(RADIUS)), 2.0 / 3);
  const talus_servo_state state = servo_of(world, plate);
  CHECK_CLOSE(state.force, 5, 1e-3);
  CHECK_CLOSE(state.travel, 0.1 * RADIUS + 2 * overlap, 2e-3 * overlap);
  CHECK_CLOSE(place_state(world, plate).position[2], 2.1 * RADIUS - state.travel, 1e-12);
  talus_world_destroy(world);
}

/* Four balls whose centres are the corners of a square. */
static void areas(void) {
  const double side[4] = {HALF, 0, HALF, 0}, front[4] = {HALF, -HALF, 0, 0};
  const double edge = 4 * RADIUS, pi = 3.14159265358979323846;
  int32_t material;
  talus_world *const world = soft_world(STIFFNESS, 0, &material);
  talus_servo_def def = press_down(0, 1000);
  place_floor(world, material);
  for (int i = 0; i < 4; i++) {
    place_sphere(world, material, RADIUS, i % 2 * edge, i / 2 * edge, RADIUS);
  }
  const int32_t plate = place_plane(world, material, TALUS_BODY_KINEMATIC, 0, 0, 2 * RADIUS, DOWN);
  def.across[0] = place_plane(world, material, TALUS_BODY_FIXED, -1, 0, 0, side);
  def.across[1] = place_body(world, TALUS_BODY_FIXED, 2, 0, 0);
  def.across[2] = place_plane(world, material, TALUS_BODY_FIXED, 0, -1, 0, front);
  def.across[3] = place_body(world, TALUS_BODY_FIXED, 0, 0.5, 0);
  talus_servo_def hull = def;
  hull.across[0] = TALUS_NONE;
  MUST(talus_servo_set(world, plate, &hull));
  place_run(world, 1000);
  talus_servo_state state = servo_of(world, plate);
  const double area = edge * edge + 4 * edge * RADIUS + pi * RADIUS * RADIUS;
  CHECK_CLOSE(state.area, area, 1e-6 * area);
  CHECK_CLOSE(state.force, 1000 * area, 1e-3 * 1000 * area);
  def.pressure = 1;
  MUST(talus_servo_set(world, plate, &def));
  place_run(world, 2000);
  state = servo_of(world, plate);
  CHECK_CLOSE(state.area, 3 * 1.5, 1e-9);
  CHECK_CLOSE(state.pressure, 1, 1e-3);
  def.area = 0;
  MUST(talus_servo_set(world, plate, NULL)); /* stays where it is */
  const double z = place_state(world, plate).position[2];
  place_run(world, 10);
  CHECK_CLOSE(place_state(world, plate).position[2], z, 1e-15);
  talus_world_destroy(world);
}

/* Beads between a floor that shakes sideways and a plate, in a cell that repeats itself. */
static talus_world *sheared_bed(int32_t *plate, int32_t *floor) {
  talus_cell cell = talus_cell_default();
  int32_t material;
  talus_world *const world = soft_world(STIFFNESS, 0, &material);
  cell.periodic = 3;
  cell.edge[0] = cell.edge[1] = 8 * RADIUS;
  cell.edge[2] = 1;
  MUST(talus_world_set_cell(world, &cell));
  *floor = place_plane(world, material, TALUS_BODY_KINEMATIC, 0, 0, 0, UP);
  for (int i = 0; i < 48; i++) {
    const double wave = 0.1 * sin(7.0 * i);
    place_sphere(world, material, RADIUS * (0.95 + wave), (i % 4 + 0.5 + 0.3 * wave) * 2 * RADIUS,
                 (i / 4 % 4 + 0.5) * 2 * RADIUS, (2.3 * (i / 16) + 1.2) * RADIUS);
  }
  *plate = place_plane(world, material, TALUS_BODY_KINEMATIC, 0, 0, 7.5 * RADIUS, DOWN);
  talus_servo_def def = press_down(0, 1000);
  def.area = cell.edge[0] * cell.edge[1];
  def.speed = 0.3;
  MUST(talus_servo_set(world, *plate, &def));
  talus_motion_def motion = talus_motion_def_default(TALUS_MOTION_VELOCITY);
  motion.vector[0] = 0.05;
  motion.begin = 0.2;
  MUST(talus_motion_add(world, *floor, &motion));
  return world;
}

static void sheared(void) {
  int32_t plate, floor;
  talus_world *const world = sheared_bed(&plate, &floor);
  double sum = 0, square = 0, worst = 0;
  place_run(world, 800);
  for (int i = 0; i < 2000; i++) {
    place_run(world, 1);
    const double pressure = servo_of(world, plate).pressure;
    sum += pressure / 2000;
    square += (pressure - 1000) * (pressure - 1000) / 2000;
    worst = fmax(worst, fabs(pressure - 1000));
  }
  printf("pressure while shearing: %.2f Pa, deviation %.1f Pa, at most %.1f Pa\n", sum,
         sqrt(square), worst);
  CHECK_CLOSE(sum, 1000, 1); /* as docs/how-to/servo.md says */
  CHECK(sqrt(square) < 10 && worst < 100);
  talus_world_destroy(world);
}

/* On another number of threads, in the middle of a motion that began anew. */
static void restart(void) {
  const char *const folder = "servo_checkpoint";
  char path[256];
  int32_t plate, floor;
  talus_world *const world = sheared_bed(&plate, &floor);
  talus_motion_def motion = talus_motion_def_default(TALUS_MOTION_VELOCITY);
  motion.vector[1] = 0.05;
  place_run(world, 500);
  const double x = place_state(world, floor).position[0];
  MUST(talus_motions_clear(world, floor));
  MUST(talus_motion_add(world, floor, &motion));
  place_run(world, 100);
  CHECK_CLOSE(place_state(world, floor).position[0], x, 1e-15);
  CHECK_CLOSE(place_state(world, floor).position[1], 0.05 * 0.05, 1e-12);
  mkdir(folder, 0777);
  MUST(talus_checkpoint_write(world, folder, 1));
  MUST(talus_checkpoint_newest(place_context, folder, path, sizeof path));
  place_run(world, 200);
  const talus_body_state end = place_state(world, plate), ball = place_state(world, 20);
  talus_world_destroy(world);
  place_end();
  place_begin(2);
  talus_world *const other = sheared_bed(&plate, &floor);
  MUST(talus_motions_clear(other, floor));
  MUST(talus_motion_add(other, floor, &motion));
  MUST(talus_checkpoint_read(other, path));
  place_run(other, 200);
  const talus_body_state again = place_state(other, plate), same = place_state(other, 20);
  CHECK(memcmp(&end, &again, sizeof end) == 0);
  CHECK(memcmp(&ball, &same, sizeof ball) == 0);
  talus_world_destroy(other);
}

static void refused(void) {
  int32_t material, id;
  talus_world *const world = soft_world(0, 0, &material);
  talus_servo_def def = press_down(1, 0);
  talus_servo_state state = talus_servo_state_default();
  const int32_t floor = place_floor(world, material);
  id = place_sphere(world, material, RADIUS, 0, 0, RADIUS);
  CHECK(talus_servo_set(world, floor, &def) == TALUS_CALL_ORDER);
  CHECK(talus_servo_set(world, id, &def) == TALUS_CALL_ORDER);
  const int32_t plate = place_plane(world, material, TALUS_BODY_KINEMATIC, 0, 0, 2 * RADIUS, DOWN);
  CHECK(talus_servo_get(world, plate, &state) == TALUS_CALL_ORDER);
  def.speed = 0;
  CHECK(talus_servo_set(world, plate, &def) == TALUS_BAD_SETTING);
  def.speed = 0.01;
  def.axis[2] = -2;
  CHECK(talus_servo_set(world, plate, &def) == TALUS_BAD_SETTING);
  def.axis[2] = -1;
  def.pressure = 1;
  CHECK(talus_servo_set(world, plate, &def) == TALUS_BAD_SETTING);
  def.pressure = 0;
  def.across[0] = 99;
  CHECK(talus_servo_set(world, plate, &def) == TALUS_INDEX_RANGE);
  def.across[0] = TALUS_NONE;
  MUST(talus_servo_set(world, plate, &def));
  talus_status status = TALUS_OK;
  for (int i = 0; i < 10 && status == TALUS_OK; i++) {
    status = talus_world_step(world, NULL);
  }
  CHECK(status == TALUS_UNSUPPORTED);
  CHECK(strstr(talus_context_message(place_context), "rigid") != NULL);
  CHECK(talus_motions_clear(world, floor) == TALUS_CALL_ORDER);
  talus_world_destroy(world);
}

int main(void) {
  place_begin(1);
  one_ball(STIFFNESS, 0);
  one_ball(0, 1e7);
  areas();
  sheared();
  refused();
  restart();
  place_end();
  return check_end();
}
