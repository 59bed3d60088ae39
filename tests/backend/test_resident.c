/* test_resident.c: worlds of balls and half-spaces in the memory of a device are those of the CPU,
 * to the bit, through changes from outside and restarts on the other backend. `quick`: few steps.
 *
 * And a device that is lost while the world is fetched: the host keeps what it had. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "tests/backend/device_runs.h"

enum { STEPS = 200, QUICK_STEPS = 16, KEPT = 4 };

static talus_status fetch_fails(tl_resident *resident, tl_body_motion *motion,
                                tl_resident_contacts *contacts) {
  (void)resident;
  (void)motion;
  (void)contacts;
  return TALUS_DEVICE_ERROR;
}

static void lost_check(void) {
  device_run a = run_begin(BED, TALUS_BACKEND_CUDA, 1), b = run_begin(BED, TALUS_BACKEND_CPU, 1);
  talus_body_state state;
  const talus_contact *contact;
  for (int i = 0; i < KEPT; i++) {
    run_step(&a);
    run_step(&b);
  }
  CHECK(same_state(a.world, b.world) && talus_world_contacts(a.world, &contact) > 0);
  run_step(&a);
  tl_world_backend failing = *a.world->resident->backend;
  failing.fetch = fetch_fails;
  a.world->resident->backend = &failing;
  CHECK(talus_body_get(a.world, 1, &state) == TALUS_DEVICE_ERROR);
  CHECK(talus_world_steps(a.world) == KEPT && same_state(a.world, b.world));
  run_end(&a);
  run_end(&b);
}

/* A pair of materials that is set between steps: the device has it from the next one on. */
static void pair_check(void) {
  device_run a = run_begin(DRUM, TALUS_BACKEND_CUDA, 1), b = run_begin(DRUM, TALUS_BACKEND_CPU, 1);
  for (int i = 0; i < 4 * KEPT; i++) {
    if (i == 2 * KEPT) {
      MUST(talus_material_pair(a.world, 0, 0, 0, 0));
      MUST(talus_material_pair(b.world, 0, 0, 0, 0));
    }
    run_step(&a);
    run_step(&b);
  }
  CHECK(same_state(a.world, b.world));
  run_end(&a);
  run_end(&b);
}

int main(int count, char **arguments) {
  const bool quick = count > 1 && strcmp(arguments[1], "quick") == 0;
  for (int kind = 0; kind < BOXES; kind++) {
    scene_check((scene_kind)kind, 0, quick ? QUICK_STEPS : STEPS, quick);
  }
  pair_check();
  lost_check();
  return check_end();
}
