/* test_resident_shapes.c: worlds of boxes, capsules, clumps, cylinders, hulls and meshes in the
 * memory of a device are those of the CPU, to the bit; grains of a hopper come and go. `quick`: few
 * steps of two scenes.
 *
 * And what a device leaves to the host: a hull on very many triangles, very many half-spaces. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "tests/backend/device_runs.h"

enum { STEPS = 200, SETTLE = 150, QUICK_STEPS = 8, CROWDED_STEPS = 40 };

static talus_world *crowded_make(talus_context *context) {
  talus_world_def def = talus_world_def_default();
  talus_material_def material = talus_material_def_default();
  talus_body_def hull = talus_body_def_default();
  talus_world *world;
  int32_t id;
  MUST(talus_world_create(context, &def, &world));
  MUST(talus_material_add(world, &material, &id));
  triangles_add(world, planes_add(world, TALUS_BODY_FIXED, 0, 0, 0), 25, 0.004, 0, 0, 0);
  hull.position[2] = 0.0155;
  MUST(talus_body_add(world, &hull, &id));
  shape_add(world, id, TALUS_SHAPE_HULL, 0);
  sphere_add(world, 0.01, 0.04, 0, 0.011);
  return world;
}

/* The pair has no contacts on the device; the host makes the steps, and asks the device more and
 * more seldom. */
static void crowded_check(void) {
  talus_context *const host = context_open(TALUS_BACKEND_CPU, 1);
  talus_context *const device = context_open(TALUS_BACKEND_CUDA, 1);
  talus_world *const a = crowded_make(host), *const b = crowded_make(device);
  bool same = true;
  for (int i = 0; i < CROWDED_STEPS && same; i++) {
    const talus_step_report p = world_step(a), q = world_step(b);
    same = memcmp(&p, &q, sizeof p) == 0;
  }
  const tl_world_resident *const r = b->resident;
  printf("crowded: %lld of %d steps on the device, %lld refused: %s\n", (long long)r->step_count,
         CROWDED_STEPS, (long long)r->refused_count, r->reason != NULL ? r->reason : "none");
  CHECK(same && same_state(a, b));
  CHECK(r->reason != NULL && strcmp(r->reason, "a pair with many contact points") == 0);
  CHECK(r->refused_count > 1 && r->refused_count < 7 && r->step_count < CROWDED_STEPS / 2);
  talus_world_destroy(a);
  talus_world_destroy(b);
  talus_context_destroy(device);
  talus_context_destroy(host);
}

/* A ball on the floor, and more planes far below it. */
static void planes_check(int planes, bool taken) {
  talus_context *const device = context_open(TALUS_BACKEND_CUDA, 1);
  talus_world_def def = talus_world_def_default();
  talus_material_def material = talus_material_def_default();
  talus_shape_def plane = talus_shape_def_default(TALUS_SHAPE_HALFSPACE);
  talus_world *world;
  const char *reason = NULL;
  int32_t id;
  MUST(talus_world_create(device, &def, &world));
  MUST(talus_material_add(world, &material, &id));
  const int32_t floor = planes_add(world, TALUS_BODY_FIXED, 0, 0, 1);
  for (int i = 1; i < planes; i++) {
    plane.position[2] = -0.1 * i;
    MUST(talus_shape_add(world, floor, &plane, NULL));
  }
  sphere_add(world, 0.01, 0, 0, 0.01);
  world_step(world);
  CHECK(talus_world_device_steps(world, &reason) == taken);
  CHECK(taken ? reason == NULL : reason != NULL && strcmp(reason, "many half-spaces") == 0);
  CHECK(talus_world_contacts(world, NULL) == 1);
  talus_world_destroy(world);
  talus_context_destroy(device);
}

int main(int count, char **arguments) {
  const bool quick = count > 1 && strcmp(arguments[1], "quick") == 0;
  crowded_check();
  planes_check(TL_RESIDENT_PLANES, true);
  planes_check(TL_RESIDENT_PLANES + 1, false);
  for (int scene = quick ? HULLS : BOXES; scene < SCENES; scene++) { /* MESH has every kind */
    scene_check((scene_kind)scene, quick ? SETTLE : 0, quick ? QUICK_STEPS : STEPS, quick);
  }
  return check_end();
}
