/* test_stage_changes.c: what a stage sets is what goes on from then: pairs, forces, outlets, rates
 * and servos of the cell; a condition that came too late is told with its numbers. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/check.h"
#include "tests/scene/scene_text.h"

static char heard[1024];

static void listen(void *user, talus_log_level level, const char *text) {
  (void)user;
  if (level <= TALUS_LOG_WARNING) {
    snprintf(heard, sizeof heard, "%s", text);
  }
}

static int build(talus_context *context, const char *text, talus_scene **scene,
                 talus_world **world) {
  *scene = NULL;
  *world = NULL;
  if (!CHECK(world_of(context, text, scene, world) == TALUS_OK)) {
    printf("  %s\n", talus_context_message(context));
    return 0;
  }
  return 1;
}

static void end(talus_scene *scene, talus_world *world) {
  talus_world_destroy(world);
  talus_scene_destroy(scene);
}

static void run(talus_scene *scene, talus_world *world, int steps) {
  for (int i = 0; i < steps && talus_scene_over(scene) == TALUS_STAGE_GOES_ON; i++) {
    talus_step_report report = talus_step_report_default();
    CHECK(talus_scene_tick(scene, world) == TALUS_OK);
    CHECK(talus_world_step(world, &report) == TALUS_OK);
    CHECK(talus_scene_watch(scene, world, &report) == TALUS_OK);
  }
}

static talus_body_state state_of(const talus_scene *scene, const talus_world *world,
                                 const char *name) {
  talus_body_state state;
  CHECK(talus_body_get(world, talus_scene_body_find(scene, name), &state) == TALUS_OK);
  return state;
}

/* A box slides without friction, is rubbed by the pair of its material and the floor's, then pulled
 * by a force that the stage made larger; a ball is let alone by an outlet until the last one. */
static void check_pairs(talus_context *context) {
  static const char text[] =
      "world: {step: 1 ms, tolerance: 1e-7}\n"
      "materials: {wood: {density: 1000, friction: 0.9}, ice: {friction: 0.9}}\n"
      "pairs: [{between: [wood, ice], friction: 0}]\n"
      "walls: [{kind: plane, material: ice}]\n"
      "bodies:\n"
      "  - {name: box, shape: box, size: [20 cm, 20 cm, 10 cm], material: wood, velocity: [1, 0, "
      "0],\n     position: [0, 0, 5 cm]}\n"
      "  - {name: ball, radius: 1 cm, material: wood, position: [0, 5, 1 cm]}\n"
      "forces: [{body: box, force: [0, 1 N, 0]}]\n"
      "outlets: [{region: {lower: [-1, 4, 0], upper: [1, 6, 1]}, begin: 9}]\n"
      "stages:\n"
      "  - {time: 0.1 s}\n"
      "  - {time: 0.1 s, set: {pairs.0.friction: 0.2, forces.0.force: [0, 0, 0]}}\n"
      "  - {time: 0.1 s, set: {pairs.0.friction: 0, forces.0.force: [0, 8 N, 0], outlets.0.begin: "
      "0}}\n";
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  if (build(context, text, &scene, &world)) {
    const double mass = 4, g = 9.81;
    run(scene, world, 100);
    talus_body_state s = state_of(scene, world, "box");
    CHECK_CLOSE(s.velocity[0], 1, 1e-6);
    CHECK_CLOSE(s.velocity[1], 0.1 / mass, 1e-6);
    const double speed = sqrt(1 + 0.025 * 0.025), left = 1 - 0.2 * g * 0.1 / speed;
    run(scene, world, 100);
    s = state_of(scene, world, "box");
    CHECK_CLOSE(s.velocity[0], left, 1e-4);
    CHECK_CLOSE(s.velocity[1], 0.025 * left, 1e-4);
    CHECK(talus_body_count(world) == 3);
    run(scene, world, 100);
    s = state_of(scene, world, "box");
    CHECK_CLOSE(s.velocity[0], left, 1e-4);
    CHECK_CLOSE(s.velocity[1], 0.025 * left + 0.8 / mass, 1e-4);
    CHECK(talus_body_count(world) == 2); /* the floor and the box */
  }
  end(scene, world);
}

/* A cell is stretched, sheared the other way, then follows a stress; the edges say so. */
static void check_cell(talus_context *context) {
  static const char text[] =
      "world: {step: 1 ms, gravity: [0, 0, 0], softness: auto}\n"
      "cell: {periodic: [x, y, z], lower: [0, 0, 0], upper: [6 cm, 6 cm, 6 cm], rate: [0.5 Hz, 0, "
      "0]}\n"
      "grains: [{kind: random, radius: 4 mm, count: 150}]\n"
      "stages:\n"
      "  - {time: 0.1 s}\n"
      "  - {time: 0.1 s, set: {cell.rate: [0, 0, 0], cell.shear: [0, -2 Hz, 0]}}\n"
      "  - {time: 1 s, set: {cell.shear: [0, 0, 0], cell.servo: [z], cell.stress: [0, 0, 500 "
      "Pa],\n       cell.rate_limit: 3 Hz}}\n"
      "  - {time: 0.3 s, set: {cell.servo: [z, xz], cell.shear_stress: [0, -400 Pa, 0]}}\n";
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  talus_cell cell = talus_cell_default();
  if (build(context, text, &scene, &world)) {
    run(scene, world, 100);
    CHECK(talus_world_cell(world, &cell) == TALUS_OK);
    const double stretched = 0.06 * pow(1 + 0.5e-3, 100);
    CHECK_CLOSE(cell.edge[0], stretched, 1e-12);
    run(scene, world, 100);
    CHECK(talus_world_cell(world, &cell) == TALUS_OK);
    CHECK_CLOSE(cell.edge[0], stretched, 1e-12);
    CHECK_CLOSE(cell.edge[4], -0.2 * 0.06, 1e-12);
    CHECK(cell.servo == 0 && cell.rate[4] == -2);
    for (int i = 0; i < 1000; i++) {
      run(scene, world, 1);
      CHECK(talus_world_cell(world, &cell) == TALUS_OK && fabs(cell.rate[2]) <= 3);
    }
    double stress[9];
    CHECK(talus_world_stress(world, stress) == TALUS_OK);
    CHECK(cell.servo == 4 && cell.rate[4] == 0 && cell.edge[2] < 0.055);
    CHECK_CASE(fabs(stress[8] - 500) < 100, "%g Pa", stress[8]);
    run(scene, world, 300);
    CHECK(talus_world_cell(world, &cell) == TALUS_OK);
    CHECK(cell.servo == 20 && cell.shear_stress[1] == -400);
    CHECK_CASE(cell.edge[4] > -0.0118, "leans by %g m", cell.edge[4]);
  }
  end(scene, world);
}

/* The name, the limit, the column, its value, what was wanted, and what happens. */
static void check_late(talus_context *context, const char *late, const char *words) {
  char text[512];
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  snprintf(text, sizeof text,
           "world: {step: 1 ms, gravity: [0, 0, 0]}\n"
           "bodies:\n  - {name: ball, radius: 1 cm, velocity: [2, 0, 0]}\n"
           "output: {track: [ball]}\n"
           "stages:\n  - {name: go, time: 0.25 s, until: {column: ball_x, above: 1 m, below: 2 m}, "
           "late: %s}\n  - {time: 1 ms}\n",
           late);
  heard[0] = '\0';
  if (build(context, text, &scene, &world)) {
    run(scene, world, 1000);
    CHECK_CASE(strstr(heard, words) != NULL, "'%s' is not in '%s'", words, heard);
  }
  end(scene, world);
}

int main(void) {
  talus_context *context = NULL;
  talus_context_def def = talus_context_def_default();
  def.threads = 1;
  def.log = listen;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  talus_scene *scene = NULL;
  if (scene_of(context, "", &scene) == TALUS_UNSUPPORTED) {
    talus_context_destroy(context);
    return CHECK_SKIPPED;
  }
  talus_scene_destroy(scene);
  check_pairs(context);
  check_cell(context);
  check_late(context, "stop",
             "stage 'go' reached its time limit of 0.25 s: ball_x is 0.5, wanted above 1 and below "
             "2; the run ends here");
  check_late(context, "continue",
             "stage 'go' reached its time limit of 0.25 s: ball_x is 0.5, wanted above 1 and below "
             "2");
  CHECK(strstr(heard, "the run ends here") == NULL);
  talus_context_destroy(context);
  return check_end();
}
