/* test_certify.c: solver.certify of a world: every Nth step is judged by the certificate, by the
 * number of steps, also after a restart; reports say which are not. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "tests/world/place_restart.h"

enum { GRAINS = 12, STEPS = 90, EVERY = 4 };

/* A column of balls that falls on a floor, solved by sweeps. */
static talus_world *column(int64_t certify) {
  talus_world *world;
  talus_world_def def = talus_world_def_default();
  def.solver.method = TALUS_METHOD_GAUSS_SEIDEL_NESTEROV;
  def.solver.certify = certify;
  MUST(talus_world_create(place_context, &def, &world));
  const int32_t material = place_material(world, 2500, 0.5, 0);
  place_floor(world, material);
  for (int i = 0; i < GRAINS; i++) {
    place_sphere(world, material, 0.05, 0.02 * (i % 3), 0.015 * (i % 2), 0.05 + 0.1 * i);
  }
  return world;
}

/* Steps that miss the tolerance are judged beside those that are asked for. */
static int steps_judge(talus_world *world, int64_t certify) {
  int uncertified = 0;
  for (int64_t n = 0; n < STEPS; n++) {
    talus_step_report report = talus_step_report_default();
    MUST(talus_world_step(world, &report));
    const bool asked = certify > 0 && n % certify == 0;
    CHECK_CASE(!asked || report.uncertified == 0, "step %d of every %d", (int)n, (int)certify);
    CHECK_CASE(asked || report.uncertified > 0 || report.accepted || report.contact_count == 0 ||
                   report.epsilon == 0,
               "step %d of every %d", (int)n, (int)certify);
    CHECK(isnan(report.epsilon_other) == (report.uncertified > 0));
    CHECK(isfinite(report.error) && report.accepted == (report.error > 1e-4));
    uncertified += report.uncertified > 0;
  }
  return uncertified;
}

static void test_every(int64_t certify, int least, int most) {
  talus_world *const sure = column(1), *const world = column(certify);
  CHECK(steps_judge(sure, 1) == 0);
  const int uncertified = steps_judge(world, certify);
  CHECK_CASE(uncertified >= least && uncertified <= most, "%d uncertified", uncertified);
  for (int32_t i = talus_body_after(world, TALUS_NONE); i != TALUS_NONE;
       i = talus_body_after(world, i)) {
    const talus_body_state a = place_state(world, i), b = place_state(sure, i);
    CHECK(memcmp(&a, &b, sizeof a) == 0); /* the certificate agreed whenever it was asked */
  }
  talus_world_destroy(sure);
  talus_world_destroy(world);
}

static void test_restart(void) {
  talus_world *const world = column(EVERY);
  place_run(world, STEPS / 2 + 1);
  place_restart(world, column(EVERY), STEPS / 2);
}

int main(void) {
  place_begin(1);
  test_every(EVERY, STEPS / 2, STEPS * (EVERY - 1) / EVERY);
  test_every(0, STEPS * 2 / 3, STEPS);
  test_restart();
  place_end();
  return check_end();
}
