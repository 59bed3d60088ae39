/* test_failure.c: a step that cannot be solved to what is accepted leaves the world as it was. */
#include <string.h>

#include "tests/scarce.h"
#include "tests/world/place.h"

enum { GRAINS = 12 };

/* A ball that bounces on a floor, its memory from s. */
static talus_world *bouncing(scarce *s, talus_restitution restitution) {
  talus_world_def def = talus_world_def_default();
  talus_world *world;
  place_context = scarce_context(s);
  def.restitution = restitution;
  MUST(talus_world_create(place_context, &def, &world));
  const int32_t material = place_material(world, 2500, 0.5, 0.9);
  place_floor(world, material);
  place_sphere(world, material, 0.05, 0, 0, 0.06);
  return world;
}

/* No memory for the contacts' copy is not the same as no contacts. */
static void contacts_check(void) {
  scarce s = {0};
  talus_world *const world = bouncing(&s, TALUS_RESTITUTION_NEWTON);
  const talus_contact *contacts = NULL;
  int32_t count = 0;
  for (int i = 0; i < 100 && count == 0; i++) {
    MUST(talus_world_step(world, NULL));
    count = talus_world_contacts(world, NULL);
  }
  CHECK(count > 0);
  s.fail_from = s.requests + 1;
  CHECK(talus_world_contacts(world, &contacts) == TALUS_NONE && contacts == NULL);
  CHECK(strstr(talus_context_message(place_context), "no memory") != NULL);
  s.fail_from = 0;
  CHECK(talus_world_contacts(world, &contacts) == count && contacts != NULL);
  talus_world_destroy(world);
  place_end();
  CHECK(s.held == 0);
}

/* Poisson's second phase has its memory from the first bounce on. */
static void poisson_check(void) {
  scarce s = {0};
  talus_world *const world = bouncing(&s, TALUS_RESTITUTION_POISSON);
  for (int i = 0; i < 400; i++) {
    MUST(talus_world_step(world, NULL));
  }
  const int64_t before = s.requests;
  for (int i = 0; i < 400; i++) {
    MUST(talus_world_step(world, NULL));
  }
  CHECK_CASE(s.requests == before, "%lld requests", (long long)(s.requests - before));
  talus_world_destroy(world);
  place_end();
  CHECK(s.held == 0);
}

int main(void) {
  contacts_check();
  poisson_check();
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
