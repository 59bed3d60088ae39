/* test_miss.c: what a world does with a step that misses its tolerance, or in which bodies sink. */
#include <math.h>
#include <string.h>

#include "host/io/world_frame.h"
#include "host/world/world.h"
#include "tests/world/place.h"

enum { GRAINS = 12, STEPS = 300 };

/* A column of balls that falls on a floor; one iteration is not enough for it. */
static talus_world *column(const talus_world_def *def) {
  talus_world *world;
  MUST(talus_world_create(place_context, def, &world));
  const int32_t material = place_material(world, 2500, 0.5, 0);
  place_floor(world, material);
  for (int i = 0; i < GRAINS; i++) {
    place_sphere(world, material, 0.05, 0.02 * (i % 3), 0.015 * (i % 2), 0.05 + 0.11 * i);
  }
  return world;
}

static talus_world_def hasty(void) {
  talus_world_def def = talus_world_def_default();
  def.tolerance = 1e-12;
  def.solver.max_iterations = 1;
  def.penetration_limit = INFINITY;
  return def;
}

/* By default steps that miss go on, and the report says so. */
static void test_continue(void) {
  const talus_world_def def = hasty();
  talus_world *const world = column(&def);
  talus_step_report report = talus_step_report_default();
  int missed = 0;
  for (int n = 0; n < STEPS; n++) {
    MUST(talus_world_step(world, &report));
    CHECK_CASE(report.accepted == (report.error > 1e-12), "step %d: error %g, accepted %d", n,
               report.error, report.accepted);
    CHECK(report.error < 1 && report.halvings == 0);
    missed += report.accepted;
  }
  CHECK_CASE(missed > 10, "%d steps missed", missed);
  talus_world_destroy(world);
}

/* The first step that fails; *report is of the last that did not. */
static int first_failure(talus_world *world, talus_step_report *report) {
  for (int n = 0; n < STEPS; n++) {
    *report = talus_step_report_default();
    const talus_status status = talus_world_step(world, report);
    if (status != TALUS_OK) {
      CHECK(status == TALUS_STEP_FAILED);
      return n;
    }
  }
  return STEPS;
}

/* The forces of a frame after a step that was cut are the impulses over the part they acted in. */
static void test_forces_of_parts(void) {
  int cut = 0;
  for (double accept = 0.5; accept > 1e-3; accept *= 0.7) {
    talus_world_def def = hasty();
    talus_step_report report = talus_step_report_default();
    def.on_miss = TALUS_MISS_HALVE;
    def.accept = accept;
    talus_world *const world = column(&def);
    tl_world_frame frame;
    memset(&frame, 0, sizeof frame);
    for (int n = 0; n < STEPS && talus_world_step(world, &report) == TALUS_OK; n++) {
      const talus_contact *contact;
      const int32_t count = talus_world_contacts(world, &contact);
      if (report.halvings == 0 || count == 0) {
        continue;
      }
      cut++;
      MUST(tl_world_frame_take(&frame, world, true));
      const double part = def.step / (1 << report.halvings);
      for (int32_t k = 0; k < count; k++) {
        const double wanted = contact[k].impulse[2] / part;
        CHECK_CASE(fabs(frame.frame.contact_force[3 * k + 2] - wanted) <= 1e-12 * fabs(wanted),
                   "%g N, not %g", frame.frame.contact_force[3 * k + 2], wanted);
      }
    }
    tl_world_frame_release(world->context, &frame);
    talus_world_destroy(world);
  }
  CHECK_CASE(cut > 0, "%d steps were cut", cut);
}

/* STOP ends at once, HALVE cuts the step before. Either is what `accept` is for. */
static void test_stop_and_halve(void) {
  talus_world_def def = hasty();
  talus_step_report report;
  def.on_miss = TALUS_MISS_STOP;
  talus_world *world = column(&def);
  const int stopped = first_failure(world, &report);
  CHECK(stopped < STEPS &&
        strstr(talus_context_message(place_context), "after 0 halvings") != NULL);
  talus_world_destroy(world);

  def.on_miss = TALUS_MISS_DEFAULT;
  def.accept = 1e-12; /* means HALVE */
  world = column(&def);
  const int halved = first_failure(world, &report);
  CHECK(halved < STEPS && strstr(talus_context_message(place_context), "after 4 halvings") != NULL);
  talus_world_destroy(world);
}

static void test_refused(void) {
  talus_world *world;
  for (int which = 0; which < 6; which++) {
    talus_world_def def = talus_world_def_default();
    def.on_miss = which == 0 ? TALUS_MISS_CONTINUE : which == 1 ? (talus_miss)4 : def.on_miss;
    def.accept = which == 0 ? 0.1 : 0;
    def.penetration_limit = which == 2 ? 0 : which == 3 ? NAN : def.penetration_limit;
    def.velocity_scale = which == 4 ? -1 : which == 5 ? INFINITY : 0;
    CHECK_CASE(talus_world_create(place_context, &def, &world) == TALUS_BAD_SETTING, "case %d",
               which);
  }
}

/* A plate presses a ball, or a box, against the floor: nothing can hold it, and the run ends before
 * the two are in each other, naming them. */
static void test_crush(int box) {
  const talus_world_def def = talus_world_def_default();
  talus_world *world;
  MUST(talus_world_create(place_context, &def, &world));
  const int32_t material = place_material(world, 2500, 0.5, 0);
  place_floor(world, material);
  const double half[3] = {0.01, 0.01, 0.01};
  const int32_t victim = box ? place_box(world, material, half, 0, 0, 0.01)
                             : place_sphere(world, material, 0.01, 0, 0, 0.01);
  const int32_t plate = place_body(world, TALUS_BODY_KINEMATIC, 0, 0, 0.031);
  talus_shape_def shape = talus_shape_def_default(TALUS_SHAPE_BOX);
  shape.material = material;
  shape.half_edge[0] = shape.half_edge[1] = 0.1;
  shape.half_edge[2] = 0.01;
  MUST(talus_shape_add(world, plate, &shape, NULL));
  talus_motion_def motion = talus_motion_def_default(TALUS_MOTION_VELOCITY);
  motion.vector[2] = -2;
  MUST(talus_motion_add(world, plate, &motion));
  talus_step_report report;
  const int failed = first_failure(world, &report);
  const char *const message = talus_context_message(place_context);
  CHECK_CASE(failed < 20, "failed at %d", failed);
  CHECK_CASE(report.penetration_max <= 0.003, "deepest %g", report.penetration_max);
  CHECK_CASE(strstr(message, "would sink into each other") != NULL ||
                 strstr(message, "no better than none") != NULL,
             "%s", message);
  (void)victim;
  talus_world_destroy(world);
}

/* A step of a second: cut or refused, but nothing passes into anything. */
static void test_long_step(void) {
  talus_world_def def = talus_world_def_default();
  def.step = 1;
  talus_world *const world = column(&def);
  for (int n = 0; n < 5; n++) {
    const talus_contact *contacts;
    const talus_status status = talus_world_step(world, NULL);
    CHECK(status == TALUS_OK || status == TALUS_STEP_FAILED);
    const int32_t count = talus_world_contacts(world, &contacts);
    for (int32_t k = 0; k < count; k++) {
      CHECK_CASE(contacts[k].gap > -0.05, "step %d: gap %g", n, contacts[k].gap);
    }
  }
  talus_world_destroy(world);
}

int main(void) {
  place_begin(1);
  test_continue();
  test_stop_and_halve();
  test_forces_of_parts();
  test_refused();
  test_crush(0);
  test_crush(1);
  test_long_step();
  place_end();
  return check_end();
}
