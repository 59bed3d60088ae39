/* test_resident.c: worlds in the memory of a device are those of the CPU, to the bit: bodies,
 * contacts, reports, through inlets, outlets, changes from outside and restarts on the other
 * backend. Some with the settings by default, some by gradients and a fixed number of them, two
 * with iterations in single precision. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/world/resident.h"
#include "talus/talus_io.h"
#include "tests/backend/device_world.h"

enum { MOST = 256, STEPS = 16, PART = 5 };

typedef enum scene_kind { BED, SHAKEN, DRUM, SOFT, FLAT, NUT, BED_F32, NUT_F32, SCENES } scene_kind;
static const char *const names[SCENES] = {
    "bed",   "shaken box",        "drum",     "soft bed",
    "disks", "large among small", "bed, f32", "large among small, f32"};

static uint32_t scatter;
static double uniform(void) {
  scatter = scatter * 1664525u + 1013904223u;
  return (double)(scatter >> 8) / (1 << 24);
}

static void sphere_add(talus_world *world, int32_t material, double radius, double x, double y,
                       double z) {
  talus_body_def def = talus_body_def_default();
  talus_shape_def shape = talus_shape_def_default(TALUS_SHAPE_SPHERE);
  int32_t body;
  def.position[0] = x;
  def.position[1] = y;
  def.position[2] = z;
  shape.material = material;
  shape.radius = radius;
  MUST(talus_body_add(world, &def, &body));
  MUST(talus_shape_add(world, body, &shape, NULL));
}

/* Floor and four walls on one body; of disks the walls across y are left out. */
static int32_t box_add(talus_world *world, int32_t material, talus_body_type type, double width,
                       bool flat) {
  const double h = 0.70710678118654752;
  const double turn[5][4] = {
      {1, 0, 0, 0}, {h, 0, h, 0}, {h, 0, -h, 0}, {h, -h, 0, 0}, {h, h, 0, 0}};
  talus_body_def def = talus_body_def_default();
  int32_t body;
  def.type = type;
  MUST(talus_body_add(world, &def, &body));
  for (int i = 0; i < (flat ? 3 : 5); i++) {
    talus_shape_def shape = talus_shape_def_default(TALUS_SHAPE_HALFSPACE);
    shape.material = material;
    memcpy(shape.orientation, turn[i], sizeof turn[i]);
    shape.position[0] = i == 1 ? 0 : i == 2 ? width : 0;
    shape.position[1] = i == 3 ? 0 : i == 4 ? width : 0;
    MUST(talus_shape_add(world, body, &shape, NULL));
  }
  return body;
}

static void motion_add(talus_world *world, int32_t body, scene_kind kind) {
  talus_motion_def motion =
      talus_motion_def_default(kind == DRUM ? TALUS_MOTION_SPIN : TALUS_MOTION_SINUSOID);
  motion.vector[kind == DRUM ? 1 : 2] = kind == DRUM ? 2 : 0.004;
  motion.frequency = 20;
  motion.centre[0] = motion.centre[2] = 0.12;
  MUST(talus_motion_add(world, body, &motion));
}

static void grains_add(talus_world *world, int32_t material, scene_kind kind) {
  const int side = kind == FLAT ? 8 : 4, layers = kind == FLAT ? 6 : 3;
  for (int z = 0; z < layers; z++) {
    for (int y = 0; y < (kind == FLAT ? 1 : side); y++) {
      for (int x = 0; x < side; x++) {
        const double radius = 0.0245 - 0.002 * uniform();
        sphere_add(world, material, radius, 0.025 + 0.0475 * x + 0.001 * uniform(),
                   kind == FLAT ? 0 : 0.025 + 0.0475 * y + 0.001 * uniform(), 0.0245 + 0.0455 * z);
      }
    }
  }
  if (kind == NUT || kind == NUT_F32) {
    sphere_add(world, material, 0.08, 0.1, 0.1, 0.0455 * layers + 0.08);
  }
}

static talus_world *world_make(talus_context *context, scene_kind kind) {
  talus_world_def def = talus_world_def_default();
  talus_material_def material_def = talus_material_def_default();
  talus_world *world;
  int32_t material;
  scatter = 7;
  def.plane = kind == FLAT;
  def.solver.precision = kind == BED_F32 || kind == NUT_F32 ? TALUS_F32 : TALUS_F64;
  if (kind != BED && kind != BED_F32 &&
      kind != DRUM) { /* those take what a world takes by itself */
    def.solver.method = TALUS_METHOD_APGDB;
    def.tolerance = 1e-300;
    def.solver.max_iterations = 40;
  }
  def.softness = kind == SOFT ? TALUS_SOFTNESS_AUTO : TALUS_SOFTNESS_RIGID;
  MUST(talus_world_create(context, &def, &world));
  material_def.friction = 0.4;
  material_def.restitution = kind == SHAKEN || kind == SOFT ? 0.5 : 0;
  MUST(talus_material_add(world, &material_def, &material));
  const bool moves = kind == SHAKEN || kind == DRUM;
  const int32_t box = box_add(world, material, moves ? TALUS_BODY_KINEMATIC : TALUS_BODY_FIXED,
                              kind == FLAT ? 0.39 : 0.2, kind == FLAT);
  if (moves) {
    motion_add(world, box, kind);
  }
  grains_add(world, material, kind);
  return world;
}

/* Holds the state of two worlds against each other. */
static int same_state(const talus_world *a, const talus_world *b) {
  static talus_body_state p[MOST], q[MOST];
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

/* Grains come and go, and one is pushed. */
static void disturb(talus_world *world, int i) {
  if (i == 5) {
    sphere_add(world, 0, 0.02, 0.11, 0.12, 0.4);
    MUST(talus_body_remove(world, 17));
  }
  if (i == 10) {
    const double force[3] = {3, 0, -1};
    MUST(talus_body_force(world, 9, force, NULL));
  }
}

static void scene_check(scene_kind kind, int64_t *resident_steps) {
  talus_context *const host = context_open(TALUS_BACKEND_CPU, 2);
  talus_context *const device = context_open(TALUS_BACKEND_CUDA, 1);
  talus_world *const a = world_make(host, kind), *const b = world_make(device, kind);
  bool same = true;
  for (int i = 0; i < STEPS && same; i++) {
    disturb(a, i);
    disturb(b, i);
    const talus_step_report p = step(a), q = step(b);
    CHECK(p.precision == a->def.solver.precision && q.precision == p.precision);
    same = memcmp(&p, &q, sizeof p) == 0 && (i % 8 != 7 || same_state(a, b));
    CHECK_CASE(same, "%s: step %d: %d and %d contacts, kinetic %.17g %.17g, epsilon %g %g",
               names[kind], i, p.contact_count, q.contact_count, p.kinetic, q.kinetic, p.epsilon,
               q.epsilon);
  }
  CHECK_CASE(same_state(a, b), "%s", names[kind]);
  *resident_steps = b->resident->step_count;
  printf("%s: %lld of %d steps on the device%s%s\n", names[kind], (long long)*resident_steps, STEPS,
         b->resident->reason != NULL ? ", last reason: " : "",
         b->resident->reason != NULL ? b->resident->reason : "");
  talus_world_destroy(a);
  talus_world_destroy(b);
  talus_context_destroy(device);
  talus_context_destroy(host);
}

/* A run that goes on after a restart on the other backend, against one that was not stopped. */
static void restart_check(talus_backend_kind first, talus_backend_kind second) {
  char directory[] = "/tmp/talus_resident_XXXXXX", path[256];
  CHECK(mkdtemp(directory) != NULL);
  talus_context *const one = context_open(first, 1), *const other = context_open(second, 2);
  talus_world *const a = world_make(one, SOFT), *const b = world_make(other, SOFT);
  for (int i = 0; i < PART; i++) {
    step(a);
  }
  const talus_status written = talus_checkpoint_write(a, directory, 1);
  if (written != TALUS_UNSUPPORTED) { /* built without HDF5 */
    MUST(written);
    MUST(talus_checkpoint_newest(other, directory, path, sizeof path));
    MUST(talus_checkpoint_read(b, path));
    for (int i = 0; i < PART; i++) {
      step(a);
      step(b);
    }
    CHECK(same_state(a, b));
    remove(path);
  }
  rmdir(directory);
  talus_world_destroy(a);
  talus_world_destroy(b);
  talus_context_destroy(one);
  talus_context_destroy(other);
}

int main(void) {
  for (int kind = 0; kind < SCENES; kind++) {
    int64_t steps;
    scene_check((scene_kind)kind, &steps);
    CHECK_CASE(steps > STEPS / 2, "%s: %lld steps on the device", names[kind], (long long)steps);
  }
  restart_check(TALUS_BACKEND_CPU, TALUS_BACKEND_CUDA);
  restart_check(TALUS_BACKEND_CUDA, TALUS_BACKEND_CPU);
  return check_end();
}
