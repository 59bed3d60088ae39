/* test_cone.c: the cone of friction that a scene names is the one the world is solved with.
 *
 * A sphere slides and begins to roll at t = 2 v / (7 mu g) = 0.2913 s if friction has the whole
 * mu against the way. A pyramid with edges at 45 degrees to it has mu cos 45 there, a box turned by
 * 45 degrees mu / cos 45; a pyramid aligned with the way has mu. */
#include "tests/check.h"
#include "tests/scene/scene_text.h"

static const char *const SCENE =
    "world: {step: 1 ms, tolerance: 1e-8%s}\n"
    "materials: {ball: {density: 0.238732414637843, friction: 0.2}}\n"
    "walls: [{kind: plane}]\n"
    "bodies: [{name: ball, radius: 1, position: [0, 0, 1], velocity: [2, 0, 0]}]\n";

/* When the lowest point stands still, s; speed across the way in *across. */
static double rolls_from(talus_context *context, const char *keys, double *across) {
  char text[512];
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  double rolling = NAN;
  snprintf(text, sizeof text, SCENE, keys);
  *across = 0;
  if (!CHECK(world_of(context, text, &scene, &world) == TALUS_OK)) {
    printf("  %s: %s\n", keys, talus_context_message(context));
    talus_scene_destroy(scene);
    return NAN;
  }
  const int32_t ball = talus_scene_body_find(scene, "ball");
  while (isnan(rolling) && talus_world_time(world) < 0.6) {
    talus_body_state state;
    CHECK(talus_world_step(world, NULL) == TALUS_OK);
    CHECK(talus_body_get(world, ball, &state) == TALUS_OK);
    const double slip = hypot(state.velocity[0] - state.spin[1], state.velocity[1] + state.spin[0]);
    rolling = slip < 1e-6 ? talus_world_time(world) : rolling;
    *across = fmax(*across, fabs(state.velocity[1]));
  }
  talus_world_destroy(world);
  talus_scene_destroy(scene);
  return rolling;
}

int main(void) {
  talus_context *context = NULL;
  talus_scene *scene = NULL;
  const double whole = 2 * 2 / (7 * 0.2 * 9.81), h = sqrt(0.5);
  double across;
  CHECK(talus_context_create(NULL, &context) == TALUS_OK);
  if (scene_of(context, "title: any\n", &scene) == TALUS_UNSUPPORTED) {
    talus_context_destroy(context);
    return CHECK_SKIPPED;
  }
  talus_scene_destroy(scene);
  CHECK_CLOSE(rolls_from(context, "", &across), whole, 2e-3);
  CHECK_CLOSE(rolls_from(context, ", cone: pyramid, facet_angle: 45 deg", &across), whole / h,
              2e-3);
  CHECK_CLOSE(across, 0, 1e-6);
  CHECK_CLOSE(rolls_from(context, ", cone: box, facet_angle: 45 deg", &across), whole * h, 2e-3);
  CHECK_CLOSE(rolls_from(context, ", cone: pyramid, facets: 3, facet_align: true", &across), whole,
              2e-3);
  CHECK_CLOSE(across, 0, 1e-6);
  /* edges at 30 degrees pull aside; many of them come near the circle */
  rolls_from(context, ", cone: pyramid, facet_angle: 30 deg", &across);
  CHECK_CLOSE(across, 0.10, 0.01);
  CHECK_CLOSE(rolls_from(context, ", cone: pyramid, facets: 64, facet_angle: 1 deg", &across),
              whole, 2e-3);
  talus_context_destroy(context);
  return check_end();
}
