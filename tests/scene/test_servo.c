/* test_servo.c: servos as a scene says them: the ring of plates, the limit of the speed, the gain,
 * and how near a step's pressure is to the one wanted. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/check.h"
#include "tests/scene/scene_text.h"

static talus_servo_state servo_of(const talus_scene *scene, const talus_world *world,
                                  const char *name) {
  talus_servo_state state = talus_servo_state_default();
  CHECK(talus_servo_get(world, talus_scene_body_find(scene, name), &state) == TALUS_OK);
  return state;
}

static void end(talus_scene *scene, talus_world *world) {
  talus_world_destroy(world);
  talus_scene_destroy(scene);
}

static void step(talus_context *context, talus_scene *scene, talus_world *world) {
  if (!CHECK(talus_scene_tick(scene, world) == TALUS_OK &&
             talus_world_step(world, NULL) == TALUS_OK)) {
    printf("  %s\n", talus_context_message(context));
  }
}

/* No bead has left through a plate, which has gone along its normal. */
static void check_inside(const talus_scene *scene, const talus_world *world, const char *name,
                         int plate) {
  const double angle = 2 * 3.14159265358979323846 * plate / 16;
  const double out[2] = {cos(angle), sin(angle)};
  talus_body_state wall, bead;
  CHECK(talus_body_get(world, talus_scene_body_find(scene, name), &wall) == TALUS_OK);
  CHECK_CLOSE(wall.position[1] * out[0] - wall.position[0] * out[1], 0, 1e-12);
  for (int32_t i = 0; i < talus_body_capacity(world); i++) {
    if (talus_body_kind(world, i) == TALUS_BODY_FREE) {
      CHECK(talus_body_get(world, i, &bead) == TALUS_OK);
      const double gap = (wall.position[0] - bead.position[0]) * out[0] +
                         (wall.position[1] - bead.position[1]) * out[1];
      CHECK_CASE(gap > 0.9 * 2.7e-3, "%s: %g m", name, gap);
    }
  }
}

/* Sixteen planes that face the axis come inwards at their speed; the beads stay between them. */
static void check_ring(talus_context *context) {
  static const char *const changes[] = {"grains.0.count=120", "walls.ring.radius=18mm",
                                        "grains.0.region.radius=17mm", "grains.0.region.height=6cm",
                                        "walls.lid.position=[0,0,6cm]"};
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  if (!CHECK(talus_scene_read(context, source_path("samples/scenes/ring.yaml"), changes, 5,
                              &scene) == TALUS_OK &&
             talus_scene_build(scene, &world) == TALUS_OK)) {
    printf("  %s\n", talus_context_message(context));
    end(scene, world);
    return;
  }
  for (int i = 0; i < 3200; i++) { /* they rattle for some 2000 */
    step(context, scene, world);
  }
  double sum = 0;
  for (int i = 0; i < 16; i++) {
    char name[16];
    snprintf(name, sizeof name, "ring%d", i);
    const talus_servo_state s = servo_of(scene, world, name);
    CHECK_CASE(s.pressure > 500 && s.pressure < 2000 && fabs(s.speed) <= 0.2, "%s: %g Pa", name,
               s.pressure);
    check_inside(scene, world, name, i);
    sum += s.pressure / 16;
  }
  CHECK_CASE(fabs(sum - 1000) < 50, "%g Pa", sum);
  const talus_servo_state s = servo_of(scene, world, "lid");
  CHECK_CASE(fabs(s.pressure - 2000) < 200 && s.travel > 0.03, "%g Pa", s.pressure);
  end(scene, world);
}

/* A lid comes down on a bead. Returns the steps from its first force to 2 % of the one wanted. */
static int settle(talus_context *context, double gain) {
  char text[512];
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  int met = 0, held = 0;
  snprintf(text, sizeof text,
           "world: {step: 0.5 ms, gravity: [0, 0, 0]}\n"
           "materials: {bead: {stiffness: 10 kN/m}}\n"
           "walls:\n  - {kind: plane}\n"
           "  - {kind: plane, name: lid, position: [0, 0, 22 mm], normal: [0, 0, -1],\n"
           "     servo: {force: 1 N, speed: 0.05 m/s, gain: %g}}\n"
           "bodies:\n  - {radius: 1 cm, position: [0, 0, 1 cm]}\n",
           gain);
  if (!CHECK(world_of(context, text, &scene, &world) == TALUS_OK)) {
    printf("  %s\n", talus_context_message(context));
  }
  for (int i = 1; i <= 400 && world != NULL; i++) {
    step(context, scene, world);
    const talus_servo_state s = servo_of(scene, world, "lid");
    CHECK(fabs(s.speed) <= 0.05 * (1 + 1e-12));
    CHECK(met > 0 || s.force > 0 || i < 3 || fabs(s.speed - 0.05) < 1e-12);
    met = met == 0 && s.force > 0 ? i : met;
    held = fabs(s.force - 1) < 0.02 ? held : i;
  }
  CHECK_CASE(met > 70 && held < 300, "%g: met after %d, held after %d", gain, met, held);
  end(scene, world);
  return held - met;
}

/* The speed is a limit; the gain is how much of what is missing a step makes up for. */
static void check_gain(talus_context *context) {
  const int fast = settle(context, 0.6), slow = settle(context, 0.1);
  CHECK_CASE(fast < 20 && slow > 3 * fast && slow > 25, "%d and %d steps", fast, slow);
}

int main(void) {
  talus_context *context = NULL;
  talus_context_def def = talus_context_def_default();
  def.threads = 1;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  talus_scene *scene = NULL;
  if (scene_of(context, "", &scene) == TALUS_UNSUPPORTED) {
    talus_context_destroy(context);
    return CHECK_SKIPPED;
  }
  talus_scene_destroy(scene);
  check_ring(context);
  check_gain(context);
  talus_context_destroy(context);
  return check_end();
}
