/* test_failure.c: a step that cannot be solved to what is accepted leaves the world as it was. */
#include <string.h>

#include "tests/world/place.h"

enum { GRAINS = 12 };

int main(void) {
  place_begin(1);
  talus_world_def def = talus_world_def_default();
  def.tolerance = def.accept =
      1e-12; /* one ball on the floor reaches it, a heap in a few passes not */
  def.solver.max_iterations = 1;
  talus_world *world;
  MUST(talus_world_create(place_context, &def, &world));
  const int32_t material = place_material(world, 2500, 0.5, 0);
  place_floor(world, material);
  int32_t ball[GRAINS];
  ball[0] = place_sphere(world, material, 0.05, 0, 0, 0.05);
  for (int i = 1; i < GRAINS; i++) {
    ball[i] = place_sphere(world, material, 0.05, 0.02 * (i % 3), 0.015 * (i % 2), 0.05 + 0.11 * i);
  }
  talus_body_state before[GRAINS];
  talus_contact contact = {0};
  talus_status status = TALUS_OK;
  int32_t count = 0;
  double time = 0;
  int64_t steps = 0;
  for (int n = 0; n < 1000 && status == TALUS_OK; n++) {
    const talus_contact *contacts;
    for (int i = 0; i < GRAINS; i++) {
      before[i] = place_state(world, ball[i]);
    }
    count = talus_world_contacts(world, &contacts);
    contact = count > 0 ? contacts[0] : contact;
    time = talus_world_time(world);
    steps = talus_world_steps(world);
    status = talus_world_step(world, NULL);
  }
  CHECK(status == TALUS_STEP_FAILED);
  CHECK(strstr(talus_context_message(place_context), "above the accepted") != NULL);
  CHECK(steps > 0 && talus_world_steps(world) == steps && talus_world_time(world) == time);
  for (int i = 0; i < GRAINS; i++) {
    const talus_body_state after = place_state(world, ball[i]);
    CHECK(memcmp(&after, &before[i], sizeof after) == 0);
  }
  const talus_contact *contacts;
  CHECK(count > 0 && talus_world_contacts(world, &contacts) == count);
  CHECK(contacts[0].gap == contact.gap &&
        memcmp(contacts[0].impulse, contact.impulse, sizeof contact.impulse) == 0);
  CHECK(talus_world_step(world, NULL) == TALUS_STEP_FAILED); /* and it says so again */
  talus_world_destroy(world);
  place_end();
  return check_end();
}
