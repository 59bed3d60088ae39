/* test_shaken.c: a box that is shaken harder than gravity holds its grains, at take-off, where
 * nothing presses and the error relative to doing nothing means nothing. */
#include <stdio.h>
#include <string.h>

#include "tests/check.h"
#include "tests/scene/scene_text.h"

enum { SEEDS = 4, STEPS = 500 };

static const char text[] =
    "world: {seed: %d%s}\n"
    "walls:\n"
    "  - kind: box\n"
    "    size: [4 cm, 4 cm, 10 cm]\n"
    "    motions:\n"
    "      - {kind: sinusoid, amplitude: [0, 0, 3 mm], frequency: 10 Hz, "
    "begin: 0.15 s}\n"
    "grains:\n"
    "  - {kind: random, radius: 4 mm, count: %d, sizes: {kind: uniform, low: "
    "0.9, high: 1.1}}\n"
    "run: {time: 1 s}\n";

/* Steps that are made before one fails; *missed: those above the tolerance. */
static int steps_made(talus_context *context, int seed, const char *more, int *missed) {
  char scene_text[1024];
  talus_scene *scene;
  talus_world *world;
  talus_step_report report = talus_step_report_default();
  snprintf(scene_text, sizeof scene_text, text, seed, more, 55 + 7 * seed);
  const talus_status built = world_of(context, scene_text, &scene, &world);
  CHECK_CASE(built == TALUS_OK, "%s", talus_context_message(context));
  int made = 0;
  *missed = 0;
  while (built == TALUS_OK && made < STEPS && talus_world_step(world, &report) == TALUS_OK) {
    CHECK(report.error < 1 && report.halvings == 0);
    *missed += report.accepted;
    made++;
  }
  talus_world_destroy(world);
  talus_scene_destroy(scene);
  return made;
}

int main(void) {
  talus_context *context;
  talus_context_def def = talus_context_def_default();
  def.threads = 1;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  int dead = 0, missed;
  for (int seed = 1; seed <= SEEDS; seed++) {
    const int made = steps_made(context, seed, "", &missed);
    CHECK_CASE(made == STEPS, "seed %d: %s", seed, talus_context_message(context));
    CHECK_CASE(missed <= STEPS / 20, "seed %d: %d steps above the tolerance", seed, missed);
    /* a scale of next to nothing is none: that is what the world's own is for */
    dead +=
        steps_made(context, seed, ", velocity_scale: 1e-30 m/s, tolerance: 0.03, on_miss: halve",
                   &missed) < STEPS;
  }
  CHECK_CASE(dead > 0, "%d of %d", dead, SEEDS);
  talus_context_destroy(context);
  return check_end();
}
