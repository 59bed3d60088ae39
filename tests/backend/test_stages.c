/* test_stages.c: a restart in the middle of a stage on the other backend: the same bytes.
 *
 * Grains in a box that begins to turn under a lid that presses: a run on one backend throughout,
 * and one that is saved in the second stage and goes on on the other, end with the same bodies. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "talus/talus_io.h"
#include "talus/talus_scene.h"
#include "tests/check.h"

enum { MIDDLE = 30, LAST = 45, GRAINS = 18, MOST = GRAINS + 4 };

static const char text[] =
    "world: {step: 1 ms}\n"
    "materials:\n"
    "  bead: {friction: 0.1, stiffness: 2000 N/m}\n"
    "walls:\n"
    "  - {kind: box, name: box, size: [3 cm, 3 cm, 4 cm]}\n"
    "  - {kind: plane, name: lid, position: [0, 0, 26 mm], normal: [0, 0, -1]}\n"
    "grains:\n"
    "  - {kind: random, radius: 4 mm, count: 18, region: {lower: [-15 mm, -15 mm, 0], "
    "upper: [15 mm, 15 mm, 25 mm]}}\n"
    "stages:\n"
    "  - {time: 20 ms}\n"
    "  - time: 20 ms\n"
    "    set:\n"
    "      materials.bead.friction: 0.5\n"
    "      walls.lid.servo: {pressure: 200 Pa, speed: 0.1 m/s}\n"
    "      walls.box.motions: [{kind: spin, spin: [0, 0, 2 rad/s]}]\n"
    "  - {time: 20 ms, set: {walls.lid.servo.pressure: 400 Pa}}\n";

/* Runs to step `last`, from the checkpoint at `path` if there is one; save: leaves one there. */
static void run(talus_backend_kind backend, int last, bool save, char path[512],
                talus_body_state *state) {
  talus_context_def def = talus_context_def_default();
  talus_context *context = NULL;
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  def.backend = backend;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  CHECK(talus_scene_read(context, "stages.yaml", NULL, 0, &scene) == TALUS_OK);
  if (!CHECK(talus_scene_build(scene, &world) == TALUS_OK)) {
    printf("  %s\n", talus_context_message(context));
  }
  CHECK(path[0] == '\0' || talus_scene_resume(scene, world, path) == TALUS_OK);
  while (talus_world_steps(world) < last) {
    talus_step_report report = talus_step_report_default();
    CHECK(talus_scene_tick(scene, world) == TALUS_OK);
    if (!CHECK(talus_world_step(world, &report) == TALUS_OK)) {
      break;
    }
    CHECK(talus_scene_watch(scene, world, &report) == TALUS_OK);
  }
  if (save) {
    CHECK(talus_scene_save(scene, world, "stage", 1) == TALUS_OK);
    CHECK(talus_checkpoint_newest(context, "stage", path, 512) == TALUS_OK);
  }
  CHECK(talus_bodies_get(world, MOST, state) == TALUS_OK);
  talus_world_destroy(world);
  talus_scene_destroy(scene);
  talus_context_destroy(context);
}

static void check_pair(talus_backend_kind first, talus_backend_kind second) {
  static talus_body_state whole[MOST], middle[MOST], rest[MOST];
  char path[512] = "";
  memset(whole, 0, sizeof whole);
  memset(rest, 0, sizeof rest);
  mkdir("stage", 0777);
  memset(middle, 0, sizeof middle);
  run(first, LAST, false, path, whole);
  run(first, MIDDLE, true, path, middle);
  run(second, LAST, false, path, rest);
  CHECK(memcmp(whole, rest, sizeof whole) == 0);
  CHECK(memcmp(whole, middle, sizeof whole) != 0);
  CHECK(remove(path) == 0);
}

int main(void) {
  talus_context_def def = talus_context_def_default();
  talus_context *context = NULL;
  FILE *const file = fopen("stages.yaml", "w");
  fputs(text, file);
  fclose(file);
  def.backend = TALUS_BACKEND_CUDA;
  const bool device = talus_context_create(&def, &context) == TALUS_OK;
  talus_context_destroy(context);
  if (!device) {
    printf("skipped: no device\n");
    return 77;
  }
  check_pair(TALUS_BACKEND_CPU, TALUS_BACKEND_CUDA);
  check_pair(TALUS_BACKEND_CUDA, TALUS_BACKEND_CPU);
  return check_end();
}
