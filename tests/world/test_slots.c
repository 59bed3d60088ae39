/* test_slots.c: ids of bodies, shapes and joints name one thing for good, whatever is removed; what
 * a world costs depends on what it holds. */
#include <math.h>
#include <string.h>

#include "host/world/state.h"
#include "host/world/world.h"
#include "tests/world/links.h"

static uint64_t stream = 7;

static int32_t below(int32_t n) {
  stream = stream * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (int32_t)((stream >> 33) % (uint64_t)n);
}

/* What a name stands for, kept by the test. */
typedef struct thing {
  int32_t body, shape;
  double mass;
  int there;
} thing;

/* A ball or a clump of two, hanging in its own place. */
static thing thing_add(talus_world *world, int32_t material, int32_t place) {
  thing t = {.there = 1};
  const double at[3] = {0.1 * (place % 10), 0.1 * (place / 10 % 10), 0.5 + 0.1 * (place / 100)};
  t.body = place_body(world, TALUS_BODY_FREE, at[0], at[1], at[2]);
  talus_shape_def shape = talus_shape_def_default(TALUS_SHAPE_SPHERE);
  shape.material = material;
  shape.radius = 0.01 + 1e-5 * below(1000);
  MUST(talus_shape_add(world, t.body, &shape, &t.shape));
  for (int i = below(2); i > 0; i--) {
    shape.position[0] = 0.02;
    MUST(talus_shape_add(world, t.body, &shape, NULL));
  }
  t.mass = talus_body_mass(world, t.body);
  return t;
}

static void things_check(const talus_world *world, const thing *t, int32_t count) {
  int32_t there = 0, next = talus_body_after(world, 0); /* 0 is the floor */
  for (int32_t i = 0; i < count; i++) {
    CHECK(talus_body_exists(world, t[i].body) == t[i].there);
    CHECK(talus_body_mass(world, t[i].body) == (t[i].there ? t[i].mass : 0));
    if (t[i].there) {
      CHECK_CASE(next == t[i].body, "%d after the last, not %d", next, t[i].body);
      next = talus_body_after(world, next);
      there++;
    } else {
      talus_body_state state;
      CHECK(talus_body_get(world, t[i].body, &state) == TALUS_INDEX_RANGE);
      CHECK(talus_body_remove((talus_world *)world, t[i].body) == TALUS_INDEX_RANGE);
    }
  }
  CHECK(next == TALUS_NONE && talus_body_count(world) == there + 1);
}

static void contacts_check(const talus_world *world) {
  const talus_contact *contact;
  const int32_t count = talus_world_contacts(world, &contact);
  for (int32_t k = 0; k < count; k++) {
    CHECK(talus_body_exists(world, contact[k].body_a) &&
          talus_body_exists(world, contact[k].body_b));
    const int32_t slot = tl_shape_slot_of(world, contact[k].shape_a);
    CHECK(slot >= 0 && world->body[world->shape[slot].body].id == contact[k].body_a);
  }
}

/* Things come and go at random, some between steps. */
static void names(void) {
  enum { MOST = 600 };
  static thing t[MOST];
  talus_world *world;
  MUST(talus_world_create(place_context, NULL, &world));
  const int32_t material = place_material(world, 2500, 0.5, 0);
  CHECK(place_floor(world, material) == 0);
  int32_t count = 0, highest_shape = -1;
  for (int round = 0; count < MOST; round++) {
    for (int i = below(30); i > 0 && count < MOST; i--) {
      t[count] = thing_add(world, material, count);
      CHECK(t[count].body == count + 1 && t[count].shape > highest_shape);
      highest_shape = t[count++].shape;
    }
    for (int i = below(30); i > 0 && count > 0; i--) {
      thing *const gone = &t[below(count)];
      if (gone->there) {
        MUST(talus_body_remove(world, gone->body));
        gone->there = 0;
      }
    }
    things_check(world, t, count);
    if (round % 3 == 0) {
      place_run(world, 20);
      things_check(world, t, count);
      contacts_check(world);
    }
  }
  CHECK(talus_body_capacity(world) == MOST + 1);
  talus_world_destroy(world);
}

/* What names a body in the world follows it: joints, motions, a mechanism and its base. */
static void followers(void) {
  talus_world *world;
  MUST(talus_world_create(place_context, NULL, &world));
  const int32_t material = place_material(world, 2500, 0.5, 0);
  int32_t gone[5], joint[3], b = 0;
  gone[b++] = place_sphere(world, material, 0.1, 50, 0, 0);
  talus_body_def def = talus_body_def_default();
  int32_t turning, base;
  def.type = TALUS_BODY_KINEMATIC;
  MUST(talus_body_add(world, &def, &gone[b]));
  talus_motion_def motion = talus_motion_def_default(TALUS_MOTION_VELOCITY);
  motion.vector[1] = 9;
  MUST(talus_motion_add(world, gone[b++], &motion));
  MUST(talus_body_add(world, &def, &turning));
  motion.vector[1] = 0;
  motion.vector[0] = 1;
  MUST(talus_motion_add(world, turning, &motion));
  gone[b++] = place_sphere(world, material, 0.1, 60, 0, 0);
  def.type = TALUS_BODY_FIXED;
  MUST(talus_body_add(world, &def, &base));
  const talus_link_def link = link_pendulum(TALUS_NONE, -5, 1, 1, 0.01);
  const int32_t mechanism = links_add(world, &link, 1, NULL, 0);
  MUST(talus_world_set_base(world, mechanism, base));
  const int32_t body = talus_link_body(world, mechanism, 0);
  gone[b++] = place_sphere(world, material, 0.1, 70, 0, 0);
  const int32_t bob = place_sphere(world, material, 0.1, 0, 20, -1);
  for (int i = 0; i < 3; i++) { /* all hold the bob to one point */
    talus_joint_def hook = talus_joint_def_default(TALUS_JOINT_BALL);
    hook.body_b = bob;
    hook.point[1] = 20;
    MUST(talus_joint_add(world, &hook, &joint[i]));
  }
  gone[b++] = place_sphere(world, material, 0.1, 80, 0, 0);
  place_run(world, 2);
  for (int i = 0; i < b; i++) {
    MUST(talus_body_remove(world, gone[i]));
  }
  MUST(talus_joint_remove(world, joint[0]));
  MUST(talus_joint_remove(world, joint[1]));
  CHECK(talus_body_remove(world, bob) == TALUS_CALL_ORDER);
  CHECK(strstr(talus_context_message(place_context), "joint 2") != NULL);
  place_run(world, 98);
  CHECK(world->body_count == 4 && world->motion_count == 1 && world->joint_count == 1);
  CHECK_CLOSE(place_state(world, turning).position[0], 0.1, 1e-12);
  CHECK(place_state(world, turning).position[1] == 0);
  CHECK_CLOSE(place_state(world, bob).position[2], -1, 1e-6);
  CHECK(talus_joint_coordinate(world, joint[2]) < 1);
  CHECK(isnan(talus_joint_coordinate(world, joint[0])));
  int32_t which, part;
  CHECK(talus_link_body(world, mechanism, 0) == body);
  CHECK(talus_body_link(world, body, &which, &part) && which == mechanism && part == 0);
  CHECK(talus_body_link(world, bob, NULL, NULL) == 0);
  MUST(talus_body_remove(world, base)); /* the mechanism then stands on nothing */
  place_run(world, 1);
  MUST(talus_joint_remove(world, joint[2]));
  MUST(talus_body_remove(world, bob));
  place_run(world, 1);
  talus_joint_def hook = talus_joint_def_default(TALUS_JOINT_BALL);
  hook.body_b = place_sphere(world, material, 0.1, 0, 20, -1);
  MUST(talus_joint_add(world, &hook, &joint[0]));
  CHECK(joint[0] == 3); /* not one of those before */
  talus_world_destroy(world);
}

/* A hundred thousand bodies and joints come and go; the arrays stay as large as what is there. */
static void room(void) {
  enum { THERE = 20, TIMES = 100000 };
  talus_world *world;
  MUST(talus_world_create(place_context, NULL, &world));
  const int32_t material = place_material(world, 2500, 0.5, 0);
  place_floor(world, material);
  int32_t ring[THERE], joint[THERE], last = 0;
  for (int i = 0; i < TIMES; i++) {
    const int at = i % THERE;
    if (i >= THERE) {
      MUST(talus_joint_remove(world, joint[at]));
      MUST(talus_body_remove(world, ring[at]));
    }
    ring[at] = place_sphere(world, material, 0.01, 0.1 * at, 0, 0.5);
    CHECK(ring[at] > last);
    last = ring[at];
    talus_joint_def hook = talus_joint_def_default(TALUS_JOINT_BALL);
    hook.body_b = ring[at];
    MUST(talus_joint_add(world, &hook, &joint[at]));
    if (i % 500 == 499) {
      place_run(world, 1);
      CHECK(world->body_count == THERE + 1 && world->joint_count == THERE);
    }
  }
  CHECK_CASE(world->body_capacity < 1200 && world->shape_capacity < 1200 &&
                 world->joint_capacity < 1200,
             "room for %d bodies, %d shapes, %d joints", world->body_capacity,
             world->shape_capacity, world->joint_capacity);
  CHECK(talus_body_count(world) == THERE + 1 && talus_body_capacity(world) == TIMES + 1);
  talus_world_destroy(world);
}

int main(void) {
  place_begin(1);
  names();
  followers();
  room();
  place_end();
  return check_end();
}
