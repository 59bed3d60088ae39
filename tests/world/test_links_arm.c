/* test_links_arm.c: an arm among grains: balances, the same bits on any number of threads, a failed
 * step that gives all back, memory that runs out, and what is refused. */
#include <math.h>
#include <string.h>

#include "talus/talus_io.h"
#include "tests/scarce.h"
#include "tests/world/links.h"

enum { LINKS = 3 };

/* An arm with a paddle over a bed of `grains` in the open; its shoulder swings, its wrist slides.
 */
static talus_status arm_make(talus_context *context, int grains, double accept,
                             talus_world **result, int32_t *mechanism) {
  talus_world_def def = talus_world_def_default();
  talus_material_def stone = talus_material_def_default();
  talus_body_def floor = talus_body_def_default(), grain = talus_body_def_default();
  talus_shape_def flat = talus_shape_def_default(TALUS_SHAPE_HALFSPACE);
  talus_shape_def ball = talus_shape_def_default(TALUS_SHAPE_SPHERE);
  talus_shape_def paddle = talus_shape_def_default(TALUS_SHAPE_BOX);
  talus_link_def link[LINKS];
  talus_mechanism_def arm = talus_mechanism_def_default();
  int32_t material, body;
  def.step = 2e-3;
  def.accept = accept;
  if (accept > 0) {
    def.tolerance = accept;
    def.solver.max_iterations = 1;
  }
  *result = NULL;
  talus_status status = talus_world_create(context, &def, result);
  talus_world *const world = *result;
#define NEXT(call) status = status == TALUS_OK ? (call) : status
  NEXT(talus_material_add(world, &stone, &material));
  floor.type = TALUS_BODY_FIXED;
  NEXT(talus_body_add(world, &floor, &body));
  NEXT(talus_shape_add(world, body, &flat, NULL));
  ball.radius = 0.02;
  for (int i = 0; i < grains; i++) {
    grain.position[0] = 0.25 + 0.041 * (i % 6) + 0.001 * (i % 5);
    grain.position[1] = 0.041 * (i / 6 % 4) - 0.06 + 0.001 * (i % 3);
    grain.position[2] = 0.02 + 0.041 * (i / 24);
    NEXT(talus_body_add(world, &grain, &body));
    NEXT(talus_shape_add(world, body, &ball, NULL));
  }
  for (int i = 0; i < LINKS; i++) {
    link[i] = link_def(i == 1 ? TALUS_LINK_PRISMATIC : TALUS_LINK_REVOLUTE, i - 1, 0, 0,
                       i == 0 ? 0.5 : (i == 1 ? -0.2 : -0.2));
    link[i].axis[i == 1 ? 2 : 1] = 1;
    link[i].axis[i == 1 ? 1 : 2] = 0;
    link[i].centre[2] = -0.1;
    link[i].mass = 0.5;
    link[i].inertia[0] = link[i].inertia[3] = link[i].inertia[5] = 2e-3;
    link[i].motor = i == 0 ? TALUS_MOTOR_RATE : TALUS_MOTOR_SERVO;
    link[i].rate[0] = i == 0 ? 2 : 0;
    link[i].effort = 30;
    link[i].response = 0.05;
    link[i].limited = i > 0;
    link[i].lower[0] = -0.1;
    link[i].upper[0] = 0.1;
    link[i].damping = 0.1;
  }
  link[0].axis[1] = -1; /* towards the grains */
  arm.link_count = LINKS;
  arm.link = link;
  NEXT(talus_world_add_mechanism(world, &arm, NULL, 0, mechanism));
  paddle.half_edge[0] = 0.01;
  paddle.half_edge[1] = 0.08;
  paddle.half_edge[2] = 0.08;
  paddle.position[2] = -0.01;
  NEXT(talus_shape_add(world, talus_link_body(world, *mechanism, 2), &paddle, NULL));
#undef NEXT
  return status;
}

/* Everything that a step leaves behind. */
static uint64_t world_hash(talus_world *world, int32_t mechanism) {
  uint64_t hash = 1469598103934665603u;
  double coordinate[LINKS], velocity[LINKS];
  const talus_contact *contact;
  MUST(talus_mechanism_get(talus_world_mechanism(world, mechanism), coordinate, velocity));
  const struct {
    const void *array;
    size_t size;
  } part[2] = {{coordinate, sizeof coordinate}, {velocity, sizeof velocity}};
  const int32_t bodies = talus_body_capacity(world), count = talus_world_contacts(world, &contact);
  for (int32_t i = 0; i < bodies + count + 2; i++) {
    talus_body_state state;
    const void *at = &state;
    size_t size = sizeof state;
    if (i < bodies) {
      state = place_state(world, i);
    } else if (i < bodies + count) {
      at = contact[i - bodies].impulse;
      size = sizeof contact->impulse;
    } else {
      at = part[i - bodies - count].array;
      size = part[i - bodies - count].size;
    }
    for (size_t k = 0; k < size; k++) {
      hash = (hash ^ ((const unsigned char *)at)[k]) * 1099511628211u;
    }
  }
  return hash;
}

static void threads(void) {
  const int32_t count[3] = {1, 2, 7};
  uint64_t hash[3];
  for (int i = 0; i < 3; i++) {
    talus_world *world;
    int32_t mechanism, linked = 0;
    place_begin(count[i]);
    MUST(arm_make(place_context, 96, 0, &world, &mechanism));
    for (int n = 0; n < 200; n++) {
      const talus_step_report report = place_run(world, 1);
      const talus_contact *contact;
      CHECK_CASE(report.momentum_error < 1e-9, "step %d: %g", n, report.momentum_error);
      CHECK_CASE(report.energy_error < 1e-6, "step %d: %g", n, report.energy_error);
      CHECK(report.singular == 0);
      for (int32_t k = talus_world_contacts(world, &contact) - 1; k >= 0; k--) {
        linked += talus_body_link(world, contact[k].body_a, NULL, NULL) ||
                  talus_body_link(world, contact[k].body_b, NULL, NULL);
      }
    }
    CHECK(linked > 100); /* or it met no grains, and nothing was tested */
    hash[i] = world_hash(world, mechanism);
    talus_world_destroy(world);
    place_end();
  }
  CHECK(hash[0] == hash[1] && hash[0] == hash[2]);
}

static void failure(void) {
  talus_world *world;
  int32_t mechanism;
  place_begin(1);
  MUST(arm_make(place_context, 60, 1e-13, &world, &mechanism));
  talus_status status = TALUS_OK;
  uint64_t before = 0;
  for (int n = 0; n < 400 && status == TALUS_OK; n++) {
    before = world_hash(world, mechanism);
    status = talus_world_step(world, NULL);
  }
  CHECK(status == TALUS_STEP_FAILED);
  CHECK(world_hash(world, mechanism) == before);
  status =
      talus_world_problem_write(world, "failed_arm.hdf5"); /* the problem that it was, for later */
  CHECK(status == TALUS_OK || status == TALUS_UNSUPPORTED);
  talus_world_destroy(world);
  place_end();
}

static void memory(void) {
  int64_t at = 1;
  for (talus_status status = TALUS_OUT_OF_MEMORY; status != TALUS_OK && at < 2000; at++) {
    scarce s = {0};
    talus_world *world = NULL;
    int32_t mechanism;
    talus_context *const context = scarce_context(&s);
    s.fail_at = s.requests + at;
    status = arm_make(context, 8, 0, &world, &mechanism);
    for (int n = 0; n < 3 && status == TALUS_OK; n++) {
      status = talus_world_step(world, NULL);
    }
    CHECK(status == TALUS_OK || status == TALUS_OUT_OF_MEMORY);
    talus_world_destroy(world);
    talus_context_destroy(context);
    CHECK_CASE(s.held == 0, "request %d", (int)at);
  }
  CHECK(at > 40 && at < 2000);
}

static void refusals(void) {
  talus_world *world, *plane;
  int32_t mechanism, id;
  place_begin(1);
  MUST(arm_make(place_context, 1, 0, &world, &mechanism));
  const int32_t body = talus_link_body(world, mechanism, 1);
  const talus_body_state state = place_state(world, body);
  CHECK(talus_body_set(world, body, &state) == TALUS_CALL_ORDER);
  CHECK(talus_body_remove(world, body) == TALUS_CALL_ORDER);
  CHECK(strstr(talus_context_message(place_context), "link 1 of mechanism 0") != NULL);
  const double point[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  const int32_t triangle[3] = {0, 1, 2};
  talus_shape_def mesh = talus_shape_def_default(TALUS_SHAPE_MESH);
  mesh.point = point;
  mesh.point_count = 3;
  mesh.triangle = triangle;
  mesh.triangle_count = 1;
  CHECK(talus_shape_add(world, body, &mesh, NULL) == TALUS_UNSUPPORTED);
  CHECK(talus_link_body(world, mechanism, LINKS) == TALUS_NONE);
  CHECK(talus_link_body(world, 1, 0) == TALUS_NONE);
  CHECK(talus_world_mechanism(world, 1) == NULL);
  CHECK(!talus_body_link(world, 0, &id, NULL) && id == TALUS_NONE);
  talus_link_def link = talus_link_def_default(TALUS_LINK_REVOLUTE);
  talus_mechanism_def def = talus_mechanism_def_default();
  def.link_count = 1;
  def.link = &link;
  link.name = "elbow";
  link.group = 32;
  CHECK(talus_world_add_mechanism(world, &def, NULL, 0, &id) == TALUS_BAD_SETTING);
  CHECK(strstr(talus_context_message(place_context), "elbow") != NULL);
  link.group = 0;
  talus_loop_def loop = talus_loop_def_default();
  loop.link_a = 3;
  CHECK(talus_world_add_mechanism(world, &def, &loop, 1, &id) == TALUS_INDEX_RANGE);
  CHECK(talus_world_mechanism_count(world) == 1);
  place_run(world, 2); /* it is as if they had never been tried */
  talus_world_destroy(world);
  talus_world_def flat = talus_world_def_default();
  flat.plane = 1;
  MUST(talus_world_create(place_context, &flat, &plane));
  CHECK(talus_world_add_mechanism(plane, &def, NULL, 0, &id) == TALUS_UNSUPPORTED);
  CHECK(strstr(talus_context_message(place_context), "leaves the plane") != NULL);
  link.axis[1] = 1;
  link.axis[2] = 0;
  link.centre[0] = 1;
  MUST(talus_world_add_mechanism(plane, &def, NULL, 0, &id));
  place_run(plane, 10);
  talus_world_destroy(plane);
  place_end();
}

int main(void) {
  threads();
  failure();
  memory();
  refusals();
  return check_end();
}
