/* test_stages.c: stages end by time or by a condition, change what they say and nothing else, tell
 * when they are late, and restart to the bit in the middle, on another number of threads. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "talus/talus_io.h"
#include "tests/check.h"
#include "tests/scene/scene_text.h"

static talus_status run(talus_scene *scene, talus_world *world, int steps) {
  talus_status status = TALUS_OK;
  for (int i = 0; i < steps && status == TALUS_OK && talus_scene_over(scene) == TALUS_STAGE_GOES_ON;
       i++) {
    talus_step_report report = talus_step_report_default();
    status = talus_scene_tick(scene, world);
    status = status == TALUS_OK ? talus_world_step(world, &report) : status;
    status = status == TALUS_OK ? talus_scene_watch(scene, world, &report) : status;
  }
  return status;
}

static bool begin(talus_context *context, const char *text, talus_scene **scene,
                  talus_world **world) {
  if (!CHECK(world_of(context, text, scene, world) == TALUS_OK)) {
    printf("  %s\n", talus_context_message(context));
    return false;
  }
  return true;
}

static void end(talus_scene *scene, talus_world *world) {
  talus_world_destroy(world);
  talus_scene_destroy(scene);
}

static double position(const talus_world *world, int32_t body, int axis) {
  talus_body_state state;
  return talus_body_get(world, body, &state) == TALUS_OK ? state.position[axis] : NAN;
}

/* A ball falls for 0.1 s, flies for 0.05 s without gravity, then sideways; a plate rests, moves
 * from the second stage on and stops in the third. */
static const char flying[] = "world: {step: 1 ms}\n"
                             "bodies:\n"
                             "  - {name: ball, radius: 1 cm, position: [0, 0, 1]}\n"
                             "walls:\n"
                             "  - {kind: plane, name: plate, position: [0, 0, -9]}\n"
                             "stages:\n"
                             "  - {name: fall, time: 0.1 s}\n"
                             "  - name: drift\n"
                             "    time: 50 ms\n"
                             "    set:\n"
                             "      world.gravity: [0, 0, 0]\n"
                             "      walls: {plate: {motions: [{kind: velocity, velocity: [0, 0, 1],"
                             " begin: 10 ms}]}}\n"
                             "  - name: blow\n"
                             "    time: 0.1 s\n"
                             "    set: {world.gravity: [2, 0, 0], walls.plate.motions: []}\n";

static void check_times(talus_context *context) {
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  if (begin(context, flying, &scene, &world)) {
    const int32_t plate = talus_scene_body_find(scene, "plate");
    const int32_t ball = talus_scene_body_find(scene, "ball");
    CHECK_CLOSE(talus_scene_end(scene), 0.25, 1e-12);
    CHECK(run(scene, world, 1000) == TALUS_OK);
    CHECK(talus_scene_over(scene) == TALUS_STAGE_LAST_ENDED);
    CHECK(talus_world_steps(world) == 250);
    /* semi-implicit steps: v = n g dt, sum of n is n (n + 1)/2 */
    CHECK_CLOSE(position(world, ball, 2), 1 - 9.81 * (5050e-6 + 0.1 * 0.15), 1e-10);
    CHECK_CLOSE(position(world, ball, 0), 2 * 5050e-6, 1e-10);
    CHECK_CLOSE(position(world, plate, 2), -9 + 0.04, 1e-10);
  }
  end(scene, world);
}

/* A ball rolls out on a floor: rubbed from the second stage on, at rest in the third. */
static const char waiting[] =
    "world: {step: 1 ms}\n"
    "materials: {smooth: {friction: 0}}\n"
    "walls:\n"
    "  - {kind: plane}\n"
    "bodies:\n"
    "  - {name: box, shape: box, size: [2 cm, 2 cm, 2 cm], position: [0, 0, 1 cm], velocity: [1, "
    "0, "
    "0]}\n"
    "inlets:\n"
    "  - {radius: 1 mm, rate: 100 Hz, region: {lower: [5, 5, 0], upper: [6, 6, 2 mm]}}\n"
    "output: {track: [box]}\n"
    "stages:\n"
    "  - {time: 1 s, until: {column: box_x, above: 10 cm}, check: 1 ms}\n"
    "  - time: 1 s\n"
    "    until: [{column: kinetic, below: 1e-7 J}, {column: stage, above: 1, below: 3}]\n"
    "    hold: 20 ms\n"
    "    set: {materials.smooth.friction: 0.5, inlets.0.rate: 0}\n"
    "  - {time: 30 ms, until: {column: box_x, below: -1 m}, late: LATE}\n"
    "  - {time: 10 ms}\n";

static void check_conditions(talus_context *context, const char *late) {
  char text[sizeof waiting + 16];
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  const char *const at = strstr(waiting, "LATE");
  snprintf(text, sizeof text, "%.*s%s%s", (int)(at - waiting), waiting, late, at + 4);
  if (begin(context, text, &scene, &world)) {
    const bool stops = strcmp(late, "stop") == 0;
    CHECK(run(scene, world, 5000) == TALUS_OK);
    CHECK(talus_scene_over(scene) == (stops ? TALUS_STAGE_LATE : TALUS_STAGE_LAST_ENDED));
    CHECK(talus_scene_added(scene) == 9); /* in the first stage, of 100 steps */
    /* v^2/(2 mu g) after the first stage */
    CHECK_CLOSE(position(world, 1, 0), 0.101 + 0.5 / (0.5 * 9.81), 3e-3);
  }
  end(scene, world);
}

/* A scene without materials has one, called default, which a stage may set. */
static void check_default(talus_context *context) {
  static const char text[] =
      "world: {step: 1 ms}\nwalls: [{kind: plane}]\n"
      "bodies:\n  - {name: box, shape: box, size: 2 cm, position: [0, 0, 1 cm], velocity: [1, 0, "
      "0]}\n"
      "stages:\n  - {time: FIRST}\n  - {time: 0.2 s, set: {materials.default.friction: 0}}\n"
      "  - {time: 1 s, set: {materials.default.friction: 0.25}}\n";
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  char changed[sizeof text + 64];
  const char *const at = strstr(text, "FIRST");
  for (int first = 0; first < 2; first++) { /* also when the first stage sets it */
    snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text,
             first ? "1 ms, set: {materials.default.friction: 0}" : "1 ms", at + 5);
    if (begin(context, changed, &scene, &world)) {
      CHECK(run(scene, world, 5000) == TALUS_OK);
      /* without friction, then v^2/(2 mu g); by default it is rubbed in the first step */
      const double v = first ? 1 : 1 - 0.5 * 9.81e-3;
      CHECK_CLOSE(position(world, 1, 0), 0.201 * v + 0.5 * v * v / (0.25 * 9.81), 2e-3);
    }
    end(scene, world);
    scene = NULL;
    world = NULL;
  }
}

/* Without talus_scene_watch conditions would never be seen. */
static void check_order(talus_context *context) {
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  char text[sizeof waiting + 16];
  const char *const at = strstr(waiting, "LATE");
  snprintf(text, sizeof text, "%.*sstop%s", (int)(at - waiting), waiting, at + 4);
  if (begin(context, text, &scene, &world)) {
    CHECK(talus_scene_tick(scene, world) == TALUS_OK);
    CHECK(talus_world_step(world, NULL) == TALUS_OK);
    CHECK(talus_scene_tick(scene, world) == TALUS_CALL_ORDER);
  }
  end(scene, world);
}

/* Soft beads under a lid, then in a turning box, then under another pressure. */
static const char pressing[] =
    "world: {step: 1 ms, softness: auto}\n"
    "materials: {bead: {friction: 0}, lid: {friction: 0.2}}\n"
    "walls:\n"
    "  - {kind: box, name: box, size: [4 cm, 4 cm, 4 cm]}\n"
    "  - {kind: plane, name: lid, position: [0, 0, 4 cm], normal: [0, 0, -1], material: lid}\n"
    "grains:\n"
    "  - {kind: random, radius: 4 mm, count: 60, region: {lower: [-2 cm, -2 cm, 0], upper: [2 cm, "
    "2 cm, 4 cm]}}\n"
    "stages:\n"
    "  - {time: 60 ms}\n"
    "  - time: 0.2 s\n"
    "    until: {column: servo_lid_force, above: 0.2 N}\n"
    "    set:\n"
    "      materials.bead.friction: 0.5\n"
    "      walls.lid.servo: {pressure: 200 Pa, speed: 0.1 m/s}\n"
    "      walls.box.motions: [{kind: spin, spin: [0, 0, 1 rad/s]}]\n"
    "  - {time: 0.1 s, set: {walls.lid.servo.pressure: 400 Pa, world.law: ccp}}\n";

static void check_restart(void) {
  enum { MIDDLE = 200, STEPS = 260 };
  talus_body_state first[STEPS], again[STEPS];
  char path[512] = "";
  mkdir("stages_restart", 0777);
  for (int part = 0; part < 2; part++) {
    talus_context_def def = talus_context_def_default();
    talus_context *context = NULL;
    talus_scene *scene = NULL;
    talus_world *world = NULL;
    def.threads = 1 + part;
    CHECK(talus_context_create(&def, &context) == TALUS_OK);
    if (begin(context, pressing, &scene, &world)) {
      talus_body_state *const state = part == 0 ? first : again;
      if (part == 0) {
        CHECK(run(scene, world, MIDDLE) == TALUS_OK);
        CHECK(tl_scene_stage_index(scene) == 1);
        CHECK(talus_scene_save(scene, world, "stages_restart", 1) == TALUS_OK);
        CHECK(talus_checkpoint_newest(context, "stages_restart", path, sizeof path) == TALUS_OK);
      } else if (!CHECK(talus_scene_resume(scene, world, path) == TALUS_OK)) {
        printf("  %s\n", talus_context_message(context));
      }
      CHECK(run(scene, world, 120) == TALUS_OK);
      CHECK(talus_body_count(world) == 62);
      CHECK(talus_bodies_get(world, STEPS, state) == TALUS_OK);
    }
    end(scene, world);
    talus_context_destroy(context);
  }
  CHECK(memcmp(first, again, 62 * sizeof *first) == 0);
  CHECK(remove(path) == 0); /* or the next run would take it for its own */
}

int main(void) {
  talus_context *context = NULL;
  CHECK(talus_context_create(NULL, &context) == TALUS_OK);
  check_times(context);
  check_conditions(context, "continue");
  check_conditions(context, "stop");
  check_default(context);
  check_order(context);
  talus_context_destroy(context);
  check_restart();
  return check_end();
}
