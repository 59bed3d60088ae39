/* test_resident_queue.c: steps of a world on a device that are queued as a whole are those of the
 * CPU, to the bit; so are those that come out otherwise and are made once more: a bed that is at
 * rest, and swayed a little. By gradients, by sweeps, and in single precision. `quick`: some steps
 * of one of them. */
#include <stdlib.h>
#include <string.h>

#include "host/world/resident.h"
#include "tests/backend/device_world.h"

enum { SIDE = 4, LAYERS = 3, STEPS = 60, QUICK_STEPS = 24 };

typedef struct way {
  const char *name;
  talus_method method;
  talus_precision precision;
} way;

static const way ways[] = {{"by itself", TALUS_METHOD_AUTO, TALUS_F64},
                           {"gradients", TALUS_METHOD_APGDB, TALUS_F64},
                           {"sweeps, f32", TALUS_METHOD_GAUSS_SEIDEL_NESTEROV, TALUS_F32}};

static void ball_add(talus_world *world, double x, double y, double z) {
  talus_body_def ball = talus_body_def_default();
  talus_shape_def shape = talus_shape_def_default(TALUS_SHAPE_SPHERE);
  int32_t body;
  ball.position[0] = x;
  ball.position[1] = y;
  ball.position[2] = z;
  shape.radius = 0.01;
  MUST(talus_body_add(world, &ball, &body));
  MUST(talus_shape_add(world, body, &shape, NULL));
}

/* Floor and four walls, which sway. */
static void box_add(talus_world *world) {
  const double h = 0.70710678118654752;
  const double turn[5][4] = {
      {1, 0, 0, 0}, {h, 0, h, 0}, {h, 0, -h, 0}, {h, -h, 0, 0}, {h, h, 0, 0}};
  talus_body_def def = talus_body_def_default();
  int32_t body;
  def.type = TALUS_BODY_KINEMATIC;
  MUST(talus_body_add(world, &def, &body));
  for (int i = 0; i < 5; i++) {
    talus_shape_def shape = talus_shape_def_default(TALUS_SHAPE_HALFSPACE);
    memcpy(shape.orientation, turn[i], sizeof turn[i]);
    shape.position[0] = i == 2 ? 0.02 * SIDE : 0;
    shape.position[1] = i == 4 ? 0.02 * SIDE : 0;
    MUST(talus_shape_add(world, body, &shape, NULL));
  }
  talus_motion_def motion = talus_motion_def_default(TALUS_MOTION_SINUSOID);
  motion.vector[0] = 1e-4;
  motion.frequency = 3;
  MUST(talus_motion_add(world, body, &motion));
}

static talus_world *world_make(talus_context *context, const way *w) {
  talus_world_def def = talus_world_def_default();
  talus_material_def material_def = talus_material_def_default();
  talus_world *world;
  int32_t material;
  def.solver.method = w->method;
  def.solver.precision = w->precision;
  MUST(talus_world_create(context, &def, &world));
  material_def.friction = 0.5;
  MUST(talus_material_add(world, &material_def, &material));
  box_add(world);
  for (int z = 0; z < LAYERS; z++) {
    for (int i = 0; i < (SIDE - z) * (SIDE - z); i++) {
      ball_add(world, 0.01 + 0.02 * (i % (SIDE - z)) + 0.01 * z,
               0.01 + 0.02 * (i / (SIDE - z)) + 0.01 * z, 0.01 + 0.01414213562373095 * z);
    }
  }
  return world;
}

static int same_state(const talus_world *a, const talus_world *b) {
  static talus_body_state p[64], q[64];
  const talus_contact *c, *d;
  const int32_t bodies = talus_body_capacity(a), contacts = talus_world_contacts(a, &c);
  MUST(talus_bodies_get(a, bodies, p));
  MUST(talus_bodies_get(b, bodies, q));
  return talus_world_contacts(b, &d) == contacts && memcmp(p, q, (size_t)bodies * sizeof *p) == 0 &&
         memcmp(c, d, (size_t)contacts * sizeof *c) == 0;
}

static talus_step_report step(talus_world *world) {
  talus_step_report report = talus_step_report_default();
  MUST(talus_world_step(world, &report));
  report.seconds = report.seconds_collide = report.seconds_build = 0;
  report.seconds_solve = report.seconds_project = 0;
  report.resident = 0;
  return report;
}

/* Returns how many steps were made once more. */
static int64_t way_check(const way *w, int steps) {
  talus_context *const host = context_open(TALUS_BACKEND_CPU, 2);
  talus_context *const device = context_open(TALUS_BACKEND_CUDA, 1);
  talus_world *const a = world_make(host, w), *const b = world_make(device, w);
  bool same = true;
  for (int i = 0; i < steps && same; i++) {
    const talus_step_report p = step(a), q = step(b);
    same = memcmp(&p, &q, sizeof p) == 0;
    CHECK_CASE(same, "%s: step %d: %d and %d iterations, kinetic %.17g %.17g", w->name, i,
               (int)p.iterations, (int)q.iterations, p.kinetic, q.kinetic);
  }
  CHECK_CASE(same_state(a, b), "%s", w->name);
  const tl_world_resident *const r = b->resident;
  printf("%s: %lld of %d steps on the device, %lld queued, %lld made once more\n", w->name,
         (long long)r->step_count, steps, (long long)r->queued_count, (long long)r->missed_count);
  CHECK(r->step_count == steps && r->queued_count > 4);
  const int64_t missed = r->missed_count;
  talus_world_destroy(a);
  talus_world_destroy(b);
  talus_context_destroy(device);
  talus_context_destroy(host);
  return missed;
}

int main(int count, char **arguments) {
  if (count > 1 && strcmp(arguments[1], "quick") == 0) {
    way_check(&ways[0], QUICK_STEPS);
    return check_end();
  }
  int64_t missed = 0;
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    missed += way_check(&ways[i], STEPS);
  }
  CHECK(missed > 0);
  return check_end();
}
