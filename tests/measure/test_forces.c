/* test_forces.c: force and torque of named bodies, walls and links as columns of a run's table:
 * against weights and lever arms, and names that are not there. */
#include <string.h>

#include "host/scene/snapshot.h"
#include "host/world/world.h"
#include "tests/check.h"
#include "tests/scene/scene_text.h"

/* A plate of 3 kg on the floor, with a ball of known weight off its middle. */
static const char loaded[] =
    "world: {step: 1 ms, tolerance: 1e-10}\n"
    "materials: {m: {density: 1000, friction: 0.5}}\n"
    "walls:\n"
    "  - {kind: plane, name: floor}\n"
    "bodies:\n"
    "  - {name: plate, type: free, shape: box, size: [30 cm, 20 cm, 5 cm], position: [0, 0, 2.5 "
    "cm]}\n"
    "  - {name: ball, type: free, shape: sphere, radius: 5 cm, position: [6 cm, 3 cm, 10 cm]}\n"
    "output: {forces: [plate, floor, ball]}\n";

static double column_of(const tl_snapshot *s, const char *name) {
  for (int32_t i = 0; i < s->column_count; i++) {
    if (strcmp(s->column[i].name, name) == 0) {
      return s->value[i];
    }
  }
  CHECK_CASE(0, "no column %s", name);
  return NAN;
}

static void check_weights(talus_context *context) {
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  tl_snapshot snapshot;
  talus_step_report report = talus_step_report_default();
  const double pi = 3.14159265358979323846, g = 9.81;
  const double ball = 1000 * 4.0 / 3 * pi * 0.05 * 0.05 * 0.05, plate = 1000 * 0.3 * 0.2 * 0.05;
  if (!CHECK_CLOSE(world_of(context, loaded, &scene, &world), TALUS_OK, 0)) {
    printf("  %s\n", talus_context_message(context));
    return;
  }
  for (int i = 0; i < 50; i++) {
    CHECK(talus_world_step(world, &report) == TALUS_OK);
  }
  CHECK(tl_snapshot_open(scene, &snapshot) == TALUS_OK);
  CHECK(tl_snapshot_take(&snapshot, scene, world, &report, 0) == TALUS_OK);
  CHECK_CLOSE(column_of(&snapshot, "force_ball_z"), ball * g, 1e-4 * ball * g);
  CHECK_CLOSE(column_of(&snapshot, "force_plate_z"), plate * g, 1e-4 * plate * g);
  CHECK_CLOSE(column_of(&snapshot, "force_floor_z"), -(plate + ball) * g, 1e-4 * plate * g);
  /* At rest the plate turns no more; the floor carries both about its origin. */
  CHECK_CLOSE(column_of(&snapshot, "torque_plate_x"), 0, 1e-4);
  CHECK_CLOSE(column_of(&snapshot, "torque_floor_x"), -ball * g * 0.03, 1e-4);
  CHECK_CLOSE(column_of(&snapshot, "torque_floor_y"), ball * g * 0.06, 1e-4);
  /* The ball is taken away: its columns have no value, the others go on. */
  CHECK(talus_body_remove(world, talus_scene_body_find(scene, "ball")) == TALUS_OK);
  CHECK(tl_snapshot_take(&snapshot, scene, world, &report, 0) == TALUS_OK);
  CHECK(isnan(column_of(&snapshot, "force_ball_z")));
  CHECK(isnan(column_of(&snapshot, "torque_ball_y")));
  CHECK(isfinite(column_of(&snapshot, "torque_floor_y")));
  tl_snapshot_close(&snapshot);
  talus_world_destroy(world);
  talus_scene_destroy(scene);
}

/* A link of a mechanism: the weight of a ball that lies on it. */
static void check_link(talus_context *context) {
  static const char arm[] =
      "world: {step: 1 ms, tolerance: 1e-10}\n"
      "materials: {m: {density: 1000, friction: 0.5}}\n"
      "bodies:\n"
      "  - {name: ball, type: free, shape: sphere, radius: 5 cm, position: [0, 0, 10 cm]}\n"
      "mechanisms:\n"
      "  - name: table\n"
      "    links:\n"
      "      - {name: top, kind: revolute, axis: [0, 0, 1], mass: 1, inertia: [1, 1, 1], "
      "shapes: [{shape: box, size: [40 cm, 40 cm, 10 cm]}]}\n"
      "output: {forces: [table.top]}\n";
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  tl_snapshot snapshot;
  talus_step_report report = talus_step_report_default();
  const double weight = 1000 * 4.0 / 3 * 3.14159265358979323846 * 0.05 * 0.05 * 0.05 * 9.81;
  if (!CHECK_CLOSE(world_of(context, arm, &scene, &world), TALUS_OK, 0)) {
    printf("  %s\n", talus_context_message(context));
    return;
  }
  for (int i = 0; i < 20; i++) {
    CHECK(talus_world_step(world, &report) == TALUS_OK);
  }
  CHECK(tl_snapshot_open(scene, &snapshot) == TALUS_OK);
  CHECK(tl_snapshot_take(&snapshot, scene, world, &report, 0) == TALUS_OK);
  CHECK_CLOSE(column_of(&snapshot, "force_table_top_z"), -weight, 1e-4 * weight);
  tl_snapshot_close(&snapshot);
  talus_world_destroy(world);
  talus_scene_destroy(scene);
}

static void check_names(talus_context *context) {
  talus_scene *scene = NULL;
  CHECK(scene_of(context,
                 "bodies: [{name: plate, shape: sphere, radius: 1}]\n"
                 "output: {forces: [plat]}\n",
                 &scene) == TALUS_FILE_FORMAT);
  CHECK(strstr(talus_context_message(context), "did you mean plate") != NULL);
  CHECK(scene_of(context,
                 "bodies: [{name: plate, shape: sphere, radius: 1}]\n"
                 "output: {forces: [plate, plate]}\n",
                 &scene) == TALUS_FILE_FORMAT);
  CHECK(strstr(talus_context_message(context), "twice") != NULL);
}

int main(void) {
  talus_context *context = NULL;
  const talus_context_def def = talus_context_def_default();
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  talus_scene *scene = NULL;
  if (scene_of(context, "", &scene) == TALUS_UNSUPPORTED) {
    talus_context_destroy(context);
    return CHECK_SKIPPED;
  }
  check_weights(context);
  check_link(context);
  check_names(context);
  talus_context_destroy(context);
  return check_end();
}
