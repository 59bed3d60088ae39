/* test_world_bits.c: a world whose solves run on a device is the world of the CPU, bit by bit: one
 * order of methods, one rule of stopping, one order of contacts. Ends with 77 where there is no
 * device. */
#include <string.h>

#include "tests/world/place.h"

enum { BODIES = 30, STEPS = 8 };

typedef struct scene {
  const char *name;
  talus_law law;
  talus_method method;
  talus_precision precision;
  int boxes;
} scene;

/* What a run leaves: states of all bodies, and how many iterations each step took. */
typedef struct record {
  talus_body_state state[BODIES + 1];
  int64_t iterations[STEPS];
} record;

static talus_world *world_make(talus_context *context, const scene *s) {
  talus_world_def def = talus_world_def_default();
  def.step = 2e-3;
  def.solver.law = s->law;
  def.solver.method = s->method;
  def.solver.precision = s->precision;
  talus_world *world;
  MUST(talus_world_create(context, &def, &world));
  const int32_t material = place_material(world, 2500, 0.5, 0);
  const double half[3] = {0.01, 0.01, 0.01};
  place_floor(world, material);
  for (int i = 0; i < BODIES; i++) {
    const double x = 0.0203 * (i % 3) + 0.003 * (i / 9), y = 0.0203 * (i / 3 % 3) - 0.002 * (i / 9);
    const double z = 0.0099 + 0.0199 * (i / 9);
    if (s->boxes) {
      place_box(world, material, half, x, y, z);
    } else {
      place_sphere(world, material, 0.01 + 0.0001 * (i % 3), x, y, z);
    }
  }
  return world;
}

static void world_run(talus_context *context, const scene *s, record *result) {
  place_context = context; /* whose message a failing call shows */
  talus_world *const world = world_make(context, s);
  memset(result, 0, sizeof *result);
  for (int i = 0; i < STEPS; i++) {
    talus_step_report report = talus_step_report_default();
    MUST(talus_world_step(world, &report));
    result->iterations[i] = report.iterations;
  }
  for (int32_t i = 0; i <= BODIES; i++) {
    result->state[i] = place_state(world, i);
  }
  talus_world_destroy(world);
}

static void compare(talus_context *cpu, talus_context *cuda, const scene *s) {
  static record here, there;
  world_run(cpu, s, &here);
  world_run(cuda, s, &there);
  int64_t most = 0;
  for (int i = 0; i < STEPS; i++) {
    CHECK_CASE(here.iterations[i] == there.iterations[i], "%s, step %d: %lld and %lld iterations",
               s->name, i, (long long)here.iterations[i], (long long)there.iterations[i]);
    most = here.iterations[i] > most ? here.iterations[i] : most;
  }
  CHECK_CASE(most >= 10, "%s: %lld iterations a step prove nothing", s->name, (long long)most);
  CHECK_CASE(memcmp(here.state, there.state, sizeof here.state) == 0, "%s: states differ", s->name);
}

int main(void) {
  const scene scenes[] = {
      {"spheres, exact, auto", TALUS_LAW_COULOMB, TALUS_METHOD_AUTO, TALUS_F64, 0},
      {"spheres, convex, apgdb, f32", TALUS_LAW_CCP, TALUS_METHOD_APGDB, TALUS_F32, 0},
      {"spheres, convex, auto, f32", TALUS_LAW_CCP, TALUS_METHOD_AUTO, TALUS_F32, 0},
      {"spheres, convex, apgd", TALUS_LAW_CCP, TALUS_METHOD_APGD, TALUS_F64, 0},
      {"boxes, exact, auto", TALUS_LAW_COULOMB, TALUS_METHOD_AUTO, TALUS_F64, 1}};
  talus_context_def def = talus_context_def_default();
  talus_context *cpu, *cuda;
  def.threads = 1;
  def.backend = TALUS_BACKEND_CUDA;
  const talus_status status = talus_context_create(&def, &cuda);
  if (status == TALUS_BACKEND_ABSENT || status == TALUS_DEVICE_ABSENT) {
    return CHECK_SKIPPED;
  }
  CHECK_CASE(status == TALUS_OK, "%s", talus_status_name(status));
  def.backend = TALUS_BACKEND_CPU;
  MUST(talus_context_create(&def, &cpu));
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    compare(cpu, cuda, &scenes[i]);
  }
  talus_context_destroy(cuda);
  talus_context_destroy(cpu);
  return check_end();
}
