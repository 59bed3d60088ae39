/* test_facets.c: facets of a cone lie in the same directions whether or not a mechanism is in the
 * world, though the solver is handed another form of problem then. */
#include <math.h>

#include "tests/world/links.h"

/* Throw a ball and a box that slide across the floor; an arm far away touches nothing. */
static void slide(int arm, int32_t facets, talus_body_state end[2]) {
  talus_world_def def = talus_world_def_default();
  talus_world *world;
  const double half[3] = {0.1, 0.15, 0.05};
  def.step = 2e-3;
  def.tolerance = 1e-12;
  def.velocity_scale = 1e-12;
  def.solver.cone = TALUS_CONE_PYRAMID;
  def.solver.facets = facets;
  def.solver.max_iterations = 20000;
  MUST(talus_world_create(place_context, &def, &world));
  const int32_t material = place_material(world, 1000, 0.3, 0);
  place_floor(world, material);
  const int32_t body[2] = {place_sphere(world, material, 0.1, 0, 0, 0.1),
                           place_box(world, material, half, 2, 0, 0.05)};
  if (arm) {
    const talus_link_def link = link_pendulum(TALUS_NONE, 50, 1, 1, 0.1);
    links_add(world, &link, 1, NULL, 0);
  }
  for (int i = 0; i < 2; i++) {
    talus_body_state state = place_state(world, body[i]);
    state.velocity[0] = 2;
    state.velocity[1] = 0.7;
    MUST(talus_body_set(world, body[i], &state));
  }
  place_run(world, 60);
  for (int i = 0; i < 2; i++) {
    end[i] = place_state(world, body[i]);
  }
  talus_world_destroy(world);
}

int main(void) {
  place_begin(1);
  for (int32_t facets = 3; facets <= 7; facets += 2) { /* odd: a quarter turn shows */
    talus_body_state without[2], with[2];
    slide(0, facets, without);
    slide(1, facets, with);
    for (int i = 0; i < 2; i++) {
      for (int c = 0; c < 3; c++) {
        CHECK_CASE(fabs(with[i].velocity[c] - without[i].velocity[c]) < 1e-6,
                   "%d facets, body %d, axis %d: %.9g with an arm, %.9g without", (int)facets, i, c,
                   with[i].velocity[c], without[i].velocity[c]);
      }
    }
  }
  place_end();
  return check_end();
}
