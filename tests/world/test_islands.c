/* test_islands.c: worlds whose groups of contacts are solved each for itself: many small piles
 * beside a heap that is too large for that. The same bits on 1, 2 and 7 threads, every step to its
 * tolerance, and other bits without islands, so that they are known to have been used. */
#include <math.h>
#include <string.h>

#include "tests/world/place.h"

enum { PILES = 24, PILE = 4, HEAP = 48, STEPS = 40 };

static uint64_t mix(uint64_t hash, const void *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) {
    hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001B3);
  }
  return hash;
}

/* Three balls on the floor and one above them; layers of 4 x 4 for the heap. */
static void scene_make(talus_world *world) {
  const int32_t material = place_material(world, 1000, 0.4, 0);
  place_floor(world, material);
  for (int i = 0; i < PILES; i++) {
    const double x = 1.0 * (i % 6), y = 1.0 * (i / 6);
    for (int j = 0; j < PILE; j++) {
      const double turn = 2.0944 * j;
      place_sphere(world, material, 0.1 + 0.002 * (i % 3), x + (j < 3 ? 0.117 * cos(turn) : 0.004),
                   y + (j < 3 ? 0.117 * sin(turn) : 0), j < 3 ? 0.104 : 0.275);
    }
  }
  for (int i = 0; i < HEAP; i++) {
    const int layer = i / 16, row = i % 16 / 4, column = i % 4;
    place_sphere(world, material, 0.1 + 0.003 * (i % 5), -3 + 0.215 * column + 0.06 * layer,
                 0.215 * row + 0.05 * layer, 0.113 + 0.2 * layer);
  }
}

/* Runs the scene and returns the hash of all states; the most contacts a step had. */
static uint64_t run(int32_t threads, int32_t islands, int32_t *most) {
  uint64_t hash = UINT64_C(0xCBF29CE484222325);
  talus_world_def def = talus_world_def_default();
  talus_world *world;
  def.solver.islands = islands;
  def.tolerance = 1e-4;
  def.accept = 1e-3;
  def.solver.max_iterations = 2000;
  place_begin(threads);
  MUST(talus_world_create(place_context, &def, &world));
  scene_make(world);
  *most = 0;
  for (int i = 0; i < STEPS; i++) {
    const talus_step_report report = place_run(world, 1);
    CHECK_CASE(report.error <= def.tolerance && report.halvings == 0,
               "%d threads, islands %d, step %d: %g", threads, islands, i, report.epsilon);
    *most = report.touching_count > *most ? report.touching_count : *most;
  }
  for (int32_t b = 0; b < talus_body_capacity(world); b++) {
    const talus_body_state state = place_state(world, b);
    hash = mix(hash, &state, sizeof state);
  }
  talus_world_destroy(world);
  place_end();
  return hash;
}

int main(void) {
  int32_t most, other;
  const uint64_t one = run(1, 1, &most);
  CHECK_CASE(most > 4 * PILES, "only %d contacts", most);
  CHECK_CASE(run(2, 1, &other) == one && other == most, "two threads: other bits");
  CHECK_CASE(run(7, 1, &other) == one && other == most, "seven threads: other bits");
  CHECK_CASE(run(1, 0, &other) != one, "islands make no difference");
  return check_end();
}
