/* test_clumps.c: bodies of several unlike parts, added in every order: mass, centre, inertia and
 * the place of each part by closed forms, and where they come to rest. */
#include <string.h>

#include "host/world/world.h"
#include "tests/clumps.h"
#include "tests/world/place.h"

static talus_world *clump_world(const double gravity) {
  talus_world *world = NULL;
  talus_world_def def = talus_world_def_default();
  def.gravity[2] = -gravity;
  MUST(talus_world_create(place_context, &def, &world));
  for (int i = 0; i < CLUMP_MATERIALS; i++) {
    place_material(world, clump_density[i], 0.5, 0);
  }
  return world;
}

static int32_t add_part(talus_world *world, int32_t body, int part) {
  const clump_part *from = &clump_parts[part];
  talus_shape_def def = talus_shape_def_default(from->kind);
  int32_t shape;
  def.material = from->material;
  memcpy(def.position, from->position, sizeof def.position);
  memcpy(def.orientation, from->orientation, sizeof def.orientation);
  def.radius = from->radius;
  def.half_length = from->half_length;
  memcpy(def.half_edge, from->half_edge, sizeof def.half_edge);
  def.point = clump_corner;
  def.point_count = 4;
  MUST(talus_shape_add(world, body, &def, &shape));
  return shape;
}

/* Whether each part is where the body's frame of definition has it. */
static int parts_in_place(const talus_world *world, int32_t body, const int *part,
                          const int32_t *shape, int count, const double origin[3],
                          const double orientation[4]) {
  const talus_body_state state = place_state(world, body);
  int good = 1;
  for (int i = 0; i < count; i++) {
    double wanted[3], got[3];
    clump_turn(orientation, clump_parts[part[i]].position, wanted);
    clump_turn(state.orientation, world->shape[shape[i]].position, got);
    for (int c = 0; c < 3; c++) {
      good &= fabs(state.position[c] + got[c] - origin[c] - wanted[c]) < 1e-15;
    }
  }
  return good;
}

static void check_mass(const talus_world *world, int32_t body, const clump_mass *wanted,
                       const double origin[3], const double orientation[4]) {
  const talus_body_state state = place_state(world, body);
  double inertia[6], centre[3];
  talus_body_inertia(world, body, inertia);
  CHECK_CLOSE(talus_body_mass(world, body), wanted->mass, 1e-14 * wanted->mass);
  clump_turn(orientation, wanted->centre, centre);
  for (int c = 0; c < 3; c++) {
    CHECK_CLOSE(state.position[c], origin[c] + centre[c], 1e-15);
  }
  for (int i = 0; i < 6; i++) {
    CHECK_CLOSE(inertia[i], wanted->inertia[i], 1e-13 * wanted->inertia[0]);
  }
}

/* Every order of the first `count` parts; free, and fixed, which stays where it was put. */
static void check_orders(int count) {
  static const double origin[3] = {0.1, -0.2, 0.3}, turned[4] = {0.5, 0.5, -0.1, 0.7};
  talus_world *world = clump_world(0);
  int part[CLUMP_PARTS] = {0, 1, 2, 3, 4};
  do {
    const clump_mass wanted = clump_expect(part, count, 1);
    for (int type = TALUS_BODY_FREE; type <= TALUS_BODY_KINEMATIC; type++) {
      talus_body_def def = talus_body_def_default();
      int32_t body, shape[CLUMP_PARTS];
      def.type = (talus_body_type)type;
      memcpy(def.position, origin, sizeof def.position);
      memcpy(def.orientation, turned, sizeof def.orientation);
      def.spin[1] = 3;
      MUST(talus_body_add(world, &def, &body));
      for (int i = 0; i < count; i++) {
        shape[i] = add_part(world, body, part[i]);
      }
      CHECK(parts_in_place(world, body, part, shape, count, origin, turned));
      if (type == TALUS_BODY_FREE) {
        check_mass(world, body, &wanted, origin, turned);
        CHECK(place_state(world, body).velocity[0] == 0); /* given for the centre of mass */
      } else {
        const talus_body_state state = place_state(world, body);
        CHECK(memcmp(state.position, origin, sizeof origin) == 0);
        CHECK(talus_body_mass(world, body) == 0);
      }
    }
  } while (clump_next(part, count));
  talus_world_destroy(world);
}

/* A tripod with what lies on it, from just above the floor: it stays upright. */
static void check_rest(int count) {
  int part[CLUMP_PARTS] = {0, 1, 2, 3, 4};
  do {
    talus_world *world = clump_world(9.81);
    const clump_mass wanted = clump_expect(part, count, 1);
    place_floor(world, 0);
    const int32_t body = place_body(world, TALUS_BODY_FREE, 0.3, 0.2, 5e-5);
    for (int i = 0; i < count; i++) {
      add_part(world, body, part[i]);
    }
    place_run(world, 40);
    const talus_body_state state = place_state(world, body);
    CHECK_CLOSE(state.position[0], 0.3 + wanted.centre[0], 2e-6);
    CHECK_CLOSE(state.position[1], 0.2 + wanted.centre[1], 2e-6);
    CHECK_CLOSE(state.position[2], wanted.centre[2], 2e-6);
    talus_world_destroy(world);
  } while (clump_next(part, count));
}

static int32_t add_ball(talus_world *world, int32_t body, double radius, double x, double z) {
  talus_shape_def def = talus_shape_def_default(TALUS_SHAPE_SPHERE);
  int32_t shape;
  def.radius = radius;
  def.position[0] = x;
  def.position[2] = z;
  MUST(talus_shape_add(world, body, &def, &shape));
  return shape;
}

/* Two balls of 4 mm at z = -10 and +10 mm stand 14 mm above the floor; a fixed pair carries a ball
 * of 1 mm at 10 + 4 + 1 mm. */
static void check_dumbbell(void) {
  for (int order = 0; order < 2; order++) {
    talus_world *world = clump_world(9.81);
    place_floor(world, 0);
    const int32_t free = place_body(world, TALUS_BODY_FREE, 0, 0, 14.05e-3);
    const int32_t fixed = place_body(world, TALUS_BODY_FIXED, 0.1, 0, 14e-3);
    for (int i = 0; i < 2; i++) {
      add_ball(world, free, 4e-3, 0, i == order ? 10e-3 : -10e-3);
      add_ball(world, fixed, 4e-3, 0, i == order ? 10e-3 : -10e-3);
    }
    const int32_t rider = place_sphere(world, 0, 1e-3, 0.1, 0, 29.05e-3);
    place_run(world, 100);
    CHECK_CLOSE(place_state(world, free).position[2], 14e-3, 2e-6);
    CHECK_CLOSE(place_state(world, rider).position[2], 29e-3, 2e-6);
    talus_world_destroy(world);
  }
}

/* Parts added to a body that has moved and turned since: the frame of definition went with it. */
static void check_late(void) {
  static const double origin[3] = {0.02, 0.01, -0.03}, turned[4] = {0.1, -0.7, 0.5, 0.5};
  talus_world *world = clump_world(0);
  const int part[CLUMP_PARTS] = {0, 1, 2, 3, 4};
  const int32_t body = place_body(world, TALUS_BODY_FREE, 0, 0, 0);
  int32_t shape[CLUMP_PARTS];
  for (int i = 0; i < 3; i++) {
    shape[i] = add_part(world, body, part[i]);
  }
  talus_body_state state = place_state(world, body);
  const clump_mass half = clump_expect(part, 3, 1), whole = clump_expect(part, CLUMP_PARTS, 1);
  double arm[3];
  clump_turn(turned, half.centre, arm);
  memcpy(state.orientation, turned, sizeof turned);
  for (int c = 0; c < 3; c++) {
    state.position[c] = origin[c] + arm[c];
  }
  MUST(talus_body_set(world, body, &state));
  for (int i = 3; i < CLUMP_PARTS; i++) {
    shape[i] = add_part(world, body, part[i]);
  }
  CHECK(parts_in_place(world, body, part, shape, CLUMP_PARTS, origin, turned));
  check_mass(world, body, &whole, origin, turned);
  talus_world_destroy(world);
}

/* A part far from the origin of the frame has the inertia that it has at the origin. */
static void check_far(void) {
  talus_world *world = clump_world(0);
  double near[6], far[6];
  const int32_t a = place_body(world, TALUS_BODY_FREE, 0, 0, 0);
  const int32_t b = place_body(world, TALUS_BODY_FREE, 0, 0, 0);
  for (int side = -1; side <= 1; side += 2) {
    add_ball(world, a, 2e-3, side * 3e-3, 0);
    add_ball(world, b, 2e-3, 64 + side * 3e-3, 0);
  }
  talus_body_inertia(world, a, near);
  talus_body_inertia(world, b, far);
  for (int i = 0; i < 6; i++) {
    CHECK_CLOSE(far[i], near[i], 1e-11 * near[5]);
  }
  talus_world_destroy(world);
}

/* Three disks in a plane world: only the turn about y is left. */
static void check_plane(void) {
  static const double disk[3][3] = {{-3, 1, 2}, {5, -2, 1}, {0, 4, 3}}; /* x, z, radius */
  int order[3] = {0, 1, 2};
  const double density = clump_density[0], pi = 3.14159265358979323846;
  double mass = 0, centre[2] = {0, 0}, inertia = 0;
  for (int i = 0; i < 3; i++) {
    const double m = density * pi * disk[i][2] * disk[i][2];
    mass += m;
    centre[0] += m * disk[i][0];
    centre[1] += m * disk[i][1];
    inertia +=
        m * (disk[i][2] * disk[i][2] / 2 + disk[i][0] * disk[i][0] + disk[i][1] * disk[i][1]);
  }
  inertia -= (centre[0] * centre[0] + centre[1] * centre[1]) / mass;
  do {
    talus_world *world = NULL;
    talus_world_def def = talus_world_def_default();
    double got[6];
    def.plane = 1;
    MUST(talus_world_create(place_context, &def, &world));
    place_material(world, density, 0.5, 0);
    const int32_t body = place_body(world, TALUS_BODY_FREE, 7, 0, 9);
    for (int i = 0; i < 3; i++) {
      const double *d = disk[order[i]];
      add_ball(world, body, d[2], d[0], d[1]);
    }
    talus_body_inertia(world, body, got);
    CHECK_CLOSE(talus_body_mass(world, body), mass, 1e-14 * mass);
    CHECK_CLOSE(place_state(world, body).position[0], 7 + centre[0] / mass, 1e-14);
    CHECK_CLOSE(place_state(world, body).position[2], 9 + centre[1] / mass, 1e-14);
    CHECK_CLOSE(got[3], inertia, 1e-13 * inertia);
    CHECK(got[0] == 0 && got[5] == 0);
    talus_world_destroy(world);
  } while (clump_next(order, 3));
}

/* A pendulum whose joint comes between or after its parts swings the same. */
static void check_joint(void) {
  talus_body_state after[CLUMP_PARTS + 1];
  for (int when = 1; when <= CLUMP_PARTS; when++) {
    talus_world *world = clump_world(9.81);
    const int32_t body = place_body(world, TALUS_BODY_FREE, 0, 0, 0);
    for (int i = 0; i <= CLUMP_PARTS; i++) {
      if (i == when) {
        talus_joint_def def = talus_joint_def_default(TALUS_JOINT_BALL);
        def.body_a = TALUS_NONE;
        def.body_b = body;
        def.point[0] = 50e-3;
        MUST(talus_joint_add(world, &def, NULL));
      }
      if (i < CLUMP_PARTS) {
        add_part(world, body, i);
      }
    }
    place_run(world, 50);
    after[when] = place_state(world, body);
    for (int c = 0; c < 3; c++) {
      CHECK_CLOSE(after[when].position[c], after[1].position[c], 1e-9);
    }
    talus_world_destroy(world);
  }
  CHECK(after[1].position[2] < -1e-3);
}

int main(void) {
  place_begin(1);
  for (int count = 2; count <= CLUMP_PARTS; count++) {
    check_orders(count);
  }
  for (int count = 3; count <= CLUMP_PARTS; count++) {
    check_rest(count);
  }
  check_dumbbell();
  check_late();
  check_far();
  check_plane();
  check_joint();
  place_end();
  return check_end();
}
