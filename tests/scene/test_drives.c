/* test_drives.c: limits, motors and friction of joints as a scene says them, units included. */
#include <math.h>
#include <string.h>

#include "tests/check.h"
#include "tests/scene/scene_text.h"

/* Balls of 1 g and 1 cm on their joints, without gravity; the sixth hangs on a rope that is slack.
 */
static const char drives[] =
    "world: {gravity: [0, 0, 0], step: 1 ms, tolerance: 1e-9}\n"
    "units: {length: mm}\n"
    "materials: {m: {density: 238.732414637843 kg/m3}}\n"
    "bodies:\n"
    "  - {name: a, radius: 10, position: [100, 0, 0]}\n"
    "  - {name: b, radius: 10, position: [100, 100, 0]}\n"
    "  - {name: c, radius: 10, position: [100, 200, 0], velocity: [500, 0, 0]}\n"
    "  - {name: d, radius: 10, position: [100, 300, 0], velocity: [0, 0, 1000]}\n"
    "  - {name: e, radius: 10, position: [100, 400, 0]}\n"
    "  - {name: f, radius: 10, position: [100, 500, 0], velocity: [200, 0, 0]}\n"
    "joints:\n"
    "  - {kind: hinge, a: world, b: a, point: [0, 0, 0], axis: [0, 1, 0], rate: 30 rpm,\n"
    "     limits: [-10 deg, 90 deg]}\n"
    "  - {kind: hinge, a: world, b: b, point: [0, 100, 0], axis: [0, 1, 0], rate: 1 rad/s,\n"
    "     effort: 1e-6 N m}\n"
    "  - {kind: slider, a: world, b: c, point: [100, 200, 0], axis: [2, 0, 0],\n"
    "     limits: [-inf, 5 cm], friction: 1e-4 N}\n"
    "  - {kind: ball, a: world, b: d, point: [0, 300, 0], axis: [1, 0, 0], swing: 20 deg}\n"
    "  - {kind: slider, a: world, b: e, point: [0, 400, 0], axis: [0, 1, 0], target: 30 mm,\n"
    "     response: 20 ms}\n"
    "  - {kind: distance, a: world, b: f, point: [0, 500, 0], point_b: [100, 500, 0],\n"
    "     limits: [0, 15 cm]}\n";

static void test_drives(talus_context *context) {
  talus_scene *scene;
  talus_world *world;
  const double degree = 3.14159265358979323846 / 180;
  if (!CHECK(world_of(context, drives, &scene, &world) == TALUS_OK)) {
    printf("  %s\n", talus_context_message(context));
    return;
  }
  double furthest[6] = {0};
  for (int i = 0; i < 600; i++) {
    if (!CHECK(talus_world_step(world, NULL) == TALUS_OK)) {
      printf("  step %d: %s\n", i, talus_context_message(context));
      break;
    }
    for (int j = 0; j < 6; j++) {
      furthest[j] = fmax(furthest[j], talus_joint_coordinate(world, j));
    }
    if (i == 99) {
      talus_joint_state state = talus_joint_state_default();
      CHECK_CLOSE(talus_joint_coordinate(world, 0), 0.1 * 180 * degree, 1e-4);
      CHECK(talus_joint_get(world, 1, &state) == TALUS_OK);
      CHECK_CLOSE(state.motor, 1e-6 * 1e-3, 1e-15);
      CHECK_CLOSE(state.rate, 0.1 * 1e-6 / (1e-3 * (0.01 + 0.4e-4)), 1e-5);
    }
  }
  CHECK_CLOSE(furthest[0], 90 * degree, 5e-4);
  CHECK_CLOSE(talus_joint_coordinate(world, 0), 90 * degree, 5e-4);
  CHECK_CLOSE(furthest[2], 0.05, 1e-5);
  CHECK_CLOSE(furthest[3], 20 * degree, 5e-4);
  CHECK_CLOSE(furthest[4], 0.03, 1e-6);
  CHECK_CLOSE(talus_joint_coordinate(world, 4), 0.03, 1e-6);
  CHECK_CLOSE(furthest[5], 0.15, 1e-5);
  talus_world_destroy(world);
  talus_scene_destroy(scene);
}

/* A scene whose limits leave out the beginning is refused, with the joint's line. */
static void test_begin(talus_context *context) {
  talus_scene *scene;
  talus_world *world;
  const talus_status status =
      world_of(context,
               "bodies:\n  - {name: a, radius: 1, position: [3, 0, 0]}\njoints:\n"
               "  - {kind: hinge, a: world, b: a, point: [0, 0, 0], axis: [0, 1, 0],\n"
               "     limits: [10 deg, 20 deg]}\n",
               &scene, &world);
  CHECK(status == TALUS_BAD_SETTING || status == TALUS_FILE_FORMAT);
  CHECK_CASE(strstr(talus_context_message(context), "scene.yaml:4") != NULL &&
                 strstr(talus_context_message(context), "outside its limits") != NULL,
             "%s", talus_context_message(context));
  talus_world_destroy(world);
  talus_scene_destroy(scene);
}

int main(void) {
  talus_context *context = NULL;
  talus_context_def def = talus_context_def_default();
  def.threads = 1;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  talus_scene *scene = NULL;
  if (scene_of(context, "title: any\n", &scene) == TALUS_OK) { /* else there is no YAML in this
                                                                  build */
    talus_scene_destroy(scene);
    test_drives(context);
    test_begin(context);
  }
  talus_context_destroy(context);
  return check_end();
}
