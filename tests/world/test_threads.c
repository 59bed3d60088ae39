/* test_threads.c: a world and the report of its steps have the same bits on 1, 2, 7 threads. */
#include <string.h>

#include "tests/world/place.h"

enum { SIDE = 14, HEIGHT = 10, STEPS = 12, BODIES = SIDE * SIDE * HEIGHT };

typedef struct record {
  talus_step_report report[STEPS];
  talus_body_state body[BODIES];
} record;

/* Spheres of two sizes that fall on each other and a floor. */
static talus_world *world_make(void) {
  talus_world_def def = talus_world_def_default();
  talus_world *world;
  MUST(talus_world_create(place_context, &def, &world));
  const int32_t material = place_material(world, 2500, 0.4, 0.3);
  for (int i = 0; i < BODIES; i++) {
    const int x = i % SIDE, y = i / SIDE % SIDE, z = i / (SIDE * SIDE);
    place_sphere(world, material, i % 3 == 0 ? 0.05 : 0.0495, 0.0995 * x + 0.002 * (z % 2),
                 0.0995 * y, 0.05 + 0.0993 * z);
  }
  place_floor(world, material);
  return world;
}

static void world_record(int32_t threads, record *r) {
  place_begin(threads);
  talus_world *const world = world_make();
  for (int i = 0; i < STEPS; i++) {
    r->report[i] = talus_step_report_default();
    MUST(talus_world_step(world, &r->report[i]));
    talus_step_report *const report = &r->report[i];
    report->seconds = report->seconds_collide = report->seconds_build = 0;
    report->seconds_solve = report->seconds_project = 0;
  }
  for (int32_t i = 0; i < BODIES; i++) {
    MUST(talus_body_get(world, i, &r->body[i]));
  }
  talus_world_destroy(world);
  place_end();
}

int main(void) {
  static record first, other;
  world_record(1, &first);
  CHECK_CASE(first.report[STEPS - 1].touching_count > BODIES / 10, "%d contacts touch",
             first.report[STEPS - 1].touching_count);
  CHECK(first.report[STEPS - 1].momentum_error < 1e-14);
  CHECK(first.report[STEPS - 1].energy_error < 1e-9);
  const int32_t threads[] = {2, 7};
  for (int t = 0; t < 2; t++) {
    world_record(threads[t], &other);
    CHECK_CASE(memcmp(first.body, other.body, sizeof first.body) == 0, "%d threads", threads[t]);
    for (int i = 0; i < STEPS; i++) {
      CHECK_CASE(memcmp(&first.report[i], &other.report[i], sizeof first.report[i]) == 0,
                 "step %d, %d threads", i, threads[t]);
    }
  }
  return check_end();
}
