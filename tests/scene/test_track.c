/* test_track.c: a ball that slides or rolls in a concave track of flat faces, at the defaults: it
 * never has more energy than at the start, and loses no more than a step along a straight line
 * does, which ends inside the wall and turns the velocity by dt v / R. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/check.h"
#include "tests/scene/scene_text.h"

enum { FACES = 240, TEXT = 16384 };
static const double PI = 3.14159265358979323846, RADIUS = 0.5, BALL = 0.05;

static void text_write(double friction, double step_ms, char *text) {
  int at = snprintf(text, TEXT,
                    "materials:\n  m: {friction: %g, density: 2500}\n"
                    "world: {step: %g ms}\n"
                    "walls:\n  - {kind: extruded, length: 0.4, profile: [",
                    friction, step_ms);
  for (int i = 0; i <= FACES; i++) {
    const double angle = PI / 180 * (-60 + 120.0 * i / FACES);
    at += snprintf(text + at, (size_t)(TEXT - at), "%s[%.9f, %.9f]", i > 0 ? ", " : "",
                   RADIUS * sin(angle), RADIUS - RADIUS * cos(angle));
  }
  const double height = RADIUS - (RADIUS - BALL) * cos(PI / 4) + 1e-5;
  snprintf(text + at, (size_t)(TEXT - at),
           "]}\nbodies:\n  - {name: ball, shape: sphere, radius: %g, position: [%.9f, 0, %.9f]}\n",
           BALL, (RADIUS - BALL) * sin(PI / 4), height);
}

/* Per unit of mass, above the lowest place. */
static double energy_of(const talus_world *world, int32_t ball) {
  talus_body_state s;
  CHECK(talus_body_get(world, ball, &s) == TALUS_OK);
  double energy = 9.81 * (s.position[2] - BALL);
  for (int c = 0; c < 3; c++) {
    energy += 0.5 * s.velocity[c] * s.velocity[c] + 0.2 * BALL * BALL * s.spin[c] * s.spin[c];
  }
  return energy;
}

static void slide(talus_context *context, double friction, double step_ms, double most_lost) {
  char text[TEXT];
  talus_scene *scene;
  talus_world *world;
  text_write(friction, step_ms, text);
  const talus_status built = world_of(context, text, &scene, &world);
  CHECK_CASE(built == TALUS_OK, "%s", talus_context_message(context));
  if (built != TALUS_OK) {
    return;
  }
  const int32_t ball = talus_scene_body_find(scene, "ball");
  const double first = energy_of(world, ball);
  double largest = 0, last = 0;
  for (int n = 0; n < (int)(3000 / step_ms); n++) {
    CHECK(talus_world_step(world, NULL) == TALUS_OK);
    last = energy_of(world, ball);
    largest = fmax(largest, last);
  }
  printf("friction %g, %g ms: at most %.4f of the energy, %.4f after 3 s\n", friction, step_ms,
         largest / first, last / first);
  CHECK_CASE(largest < 1.01 * first, "friction %g: %g of the energy", friction, largest / first);
  CHECK_CASE(last > (1 - most_lost) * first, "friction %g: %g left", friction, last / first);
  talus_world_destroy(world);
  talus_scene_destroy(scene);
}

int main(void) {
  talus_context *context;
  talus_context_def def = talus_context_def_default();
  def.threads = 1;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  slide(context, 0, 1, 0.06);
  slide(context, 0, 5, 0.15);
  slide(context, 0.5, 1, 0.06);
  slide(context, 0.5, 5, 0.15);
  talus_context_destroy(context);
  return check_end();
}
