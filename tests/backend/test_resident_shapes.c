/* test_resident_shapes.c: worlds of boxes, capsules, clumps, cylinders, hulls and meshes in the
 * memory of a device are those of the CPU, to the bit: every report, and checkpoints byte by byte,
 * of a run on each backend and of one that changes the backend midway. `quick`: few steps of two
 * scenes. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/world/resident.h"
#include "talus/talus_io.h"
#include "tests/backend/device_world.h"

typedef enum scene_kind { BOXES, CAPSULES, CLUMPS, CYLINDERS, HULLS, MESH, SCENES } scene_kind;
static const char *const names[SCENES] = {"boxes",     "capsules", "clumps",
                                          "cylinders", "hulls",    "all shapes on triangles"};

/* ---- scenes ---------------------------------------------------------------------------------- */

static void shape_add(talus_world *world, int32_t body, talus_shape_kind kind, double x) {
  static const double corner[18] = {-0.02, -0.018, -0.015, 0.021,  -0.016, -0.014,
                                    0.0,   0.02,   -0.015, -0.015, 0.01,   0.019,
                                    0.016, 0.004,  0.02,   0.002,  -0.012, 0.022};
  talus_shape_def shape = talus_shape_def_default(kind);
  shape.radius = kind == TALUS_SHAPE_SPHERE ? 0.02 : 0.014;
  shape.half_length = 0.013;
  shape.half_edge[0] = 0.02;
  shape.half_edge[1] = 0.017;
  shape.half_edge[2] = 0.015;
  shape.position[0] = x;
  if (kind == TALUS_SHAPE_HULL) {
    shape.point = corner;
    shape.point_count = 6;
  }
  MUST(talus_shape_add(world, body, &shape, NULL));
}

static talus_shape_kind kind_of(scene_kind scene, int n) {
  static const talus_shape_kind kind[] = {TALUS_SHAPE_BOX, TALUS_SHAPE_CAPSULE,
                                          TALUS_SHAPE_CYLINDER, TALUS_SHAPE_HULL,
                                          TALUS_SHAPE_SPHERE};
  return scene == BOXES       ? TALUS_SHAPE_BOX
         : scene == CAPSULES  ? TALUS_SHAPE_CAPSULE
         : scene == CLUMPS    ? (n % 2 ? TALUS_SHAPE_SPHERE : TALUS_SHAPE_BOX)
         : scene == CYLINDERS ? TALUS_SHAPE_CYLINDER
         : scene == HULLS     ? TALUS_SHAPE_HULL
                              : kind[n % 5];
}

/* Layers that fall a little, each body turned another way. */
static void grains_add(talus_world *world, scene_kind scene) {
  for (int n = 0; n < 18; n++) {
    talus_body_def def = talus_body_def_default();
    int32_t body;
    const double turn[3] = {0.1 * (n % 4), 0.07 * (n % 3), 0.2 * (n % 5)};
    def.position[0] = 0.05 + 0.055 * (n % 3);
    def.position[1] = 0.05 + 0.055 * (n / 3 % 3) + 0.002 * (n % 2);
    def.position[2] = 0.03 + 0.052 * (n / 9);
    def.orientation[0] =
        sqrt(1 - turn[0] * turn[0] / 4 - turn[1] * turn[1] / 4 - turn[2] * turn[2] / 4);
    for (int c = 0; c < 3; c++) {
      def.orientation[1 + c] = turn[c] / 2;
    }
    MUST(talus_body_add(world, &def, &body));
    shape_add(world, body, kind_of(scene, n), scene == CLUMPS ? -0.008 : 0);
    if (scene == CLUMPS) {
      shape_add(world, body, TALUS_SHAPE_SPHERE, 0.012);
    }
  }
}

/* A hollow of triangles. */
static void triangles_add(talus_world *world, int32_t body) {
  enum { SIDE = 5 };
  static double point[3 * SIDE * SIDE];
  static int32_t triangle[6 * (SIDE - 1) * (SIDE - 1)];
  int count = 0;
  for (int n = 0; n < SIDE * SIDE; n++) {
    const double x = n % SIDE - 2, y = n / SIDE - 2;
    point[3 * n] = 0.105 + 0.055 * x;
    point[3 * n + 1] = 0.105 + 0.055 * y;
    point[3 * n + 2] = 0.008 * (x * x + y * y) - 0.012;
  }
  for (int32_t n = 0; n < (SIDE - 1) * (SIDE - 1); n++) {
    const int32_t at = n / (SIDE - 1) * SIDE + n % (SIDE - 1);
    const int32_t corner[6] = {at, at + 1, at + SIDE, at + 1, at + SIDE + 1, at + SIDE};
    memcpy(triangle + count, corner, sizeof corner);
    count += 6;
  }
  talus_shape_def shape = talus_shape_def_default(TALUS_SHAPE_MESH);
  shape.point = point;
  shape.point_count = SIDE * SIDE;
  shape.triangle = triangle;
  shape.triangle_count = count / 3;
  MUST(talus_shape_add(world, body, &shape, NULL));
}

/* Floor and two walls, or a hollow between them; boxes stand on a floor that is shaken. */
static void walls_add(talus_world *world, scene_kind scene) {
  const double h = 0.70710678118654752;
  const double turn[3][4] = {{1, 0, 0, 0}, {h, 0, h, 0}, {h, -h, 0, 0}};
  talus_body_def def = talus_body_def_default();
  int32_t body;
  def.type = scene == BOXES ? TALUS_BODY_KINEMATIC : TALUS_BODY_FIXED;
  MUST(talus_body_add(world, &def, &body));
  for (int i = scene == MESH; i < 3; i++) {
    talus_shape_def shape = talus_shape_def_default(TALUS_SHAPE_HALFSPACE);
    memcpy(shape.orientation, turn[i], sizeof turn[i]);
    shape.position[0] = i == 1 ? -0.01 : 0;
    shape.position[1] = i == 2 ? -0.01 : 0;
    MUST(talus_shape_add(world, body, &shape, NULL));
  }
  if (scene == MESH) {
    triangles_add(world, body);
  }
  if (scene == BOXES) {
    talus_motion_def motion = talus_motion_def_default(TALUS_MOTION_SINUSOID);
    motion.vector[0] = 0.002;
    motion.frequency = 5;
    MUST(talus_motion_add(world, body, &motion));
  }
}

static talus_world *world_make(talus_context *context, scene_kind scene) {
  talus_world_def def = talus_world_def_default();
  talus_material_def material = talus_material_def_default();
  talus_world *world;
  int32_t id;
  def.step = 1e-3;
  def.tolerance = 1e-2; /* few iterations: an emulated device is slow */
  def.solver.method = scene == CLUMPS ? TALUS_METHOD_APGDB : TALUS_METHOD_AUTO;
  def.softness = scene == CAPSULES ? TALUS_SOFTNESS_AUTO : TALUS_SOFTNESS_RIGID;
  MUST(talus_world_create(context, &def, &world));
  material.friction = 0.4;
  material.restitution = scene == CYLINDERS ? 0.3 : 0;
  MUST(talus_material_add(world, &material, &id));
  walls_add(world, scene);
  grains_add(world, scene);
  return world;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static talus_step_report step(talus_world *world) {
  talus_step_report report = talus_step_report_default();
  MUST(talus_world_step(world, &report));
  report.seconds = report.seconds_collide = report.seconds_build = 0;
  report.seconds_solve = report.seconds_project = 0;
  report.resident = 0;
  return report;
}

static char *file_read(const char *path, long *size) {
  FILE *const file = fopen(path, "rb");
  CHECK(file != NULL);
  fseek(file, 0, SEEK_END);
  *size = ftell(file);
  rewind(file);
  char *const bytes = malloc((size_t)*size + 1);
  CHECK(bytes != NULL && fread(bytes, 1, (size_t)*size, file) == (size_t)*size);
  fclose(file);
  return bytes;
}

/* The bytes of a checkpoint of the world; NULL: built without HDF5. resumed: begun anew from it. */
static char *checkpoint_of(talus_context *context, talus_world *world, talus_world *resumed,
                           long *size) {
  char directory[] = "/tmp/talus_shapes_XXXXXX", path[256];
  CHECK(mkdtemp(directory) != NULL);
  const talus_status written = talus_checkpoint_write(world, directory, 1);
  char *bytes = NULL;
  if (written != TALUS_UNSUPPORTED) {
    MUST(written);
    MUST(talus_checkpoint_newest(context, directory, path, sizeof path));
    if (resumed != NULL) {
      MUST(talus_checkpoint_read(resumed, path));
    }
    bytes = file_read(path, size);
    remove(path);
  }
  rmdir(directory);
  return bytes;
}

static void same_checkpoint(talus_context *host, talus_world *a, talus_context *device,
                            talus_world *b, const char *name) {
  long p = 0, q = 0;
  char *const of_a = checkpoint_of(host, a, NULL, &p), *const of_b =
                                                           checkpoint_of(device, b, NULL, &q);
  CHECK_CASE(p == q && (of_a == NULL || memcmp(of_a, of_b, (size_t)p) == 0),
             "%s: checkpoints differ", name);
  free(of_a);
  free(of_b);
}

/* Steps both worlds; returns whether their reports were the same. */
static bool run_both(talus_world *a, talus_world *b, int steps, const char *name) {
  bool same = true;
  for (int i = 0; i < steps && same; i++) {
    const talus_step_report p = step(a), q = step(b);
    same = memcmp(&p, &q, sizeof p) == 0;
    CHECK_CASE(same, "%s: step %d: %d and %d contacts, kinetic %.17g %.17g", name, i,
               p.contact_count, q.contact_count, p.kinetic, q.kinetic);
  }
  return same;
}

/* settle: steps on the CPU before the two begin. */
static void scene_check(scene_kind scene, int settle, int steps) {
  talus_context *const host = context_open(TALUS_BACKEND_CPU, 2);
  talus_context *const device = context_open(TALUS_BACKEND_CUDA, 1);
  talus_world *const a = world_make(host, scene), *const b = world_make(device, scene);
  long size = 0;
  for (int i = 0; i < settle; i++) {
    step(a);
  }
  char *const begin = checkpoint_of(device, a, b, &size);
  if (begin == NULL && settle > 0) {
    printf("%s: no checkpoints\n", names[scene]);
    exit(CHECK_SKIPPED);
  }
  free(begin);
  run_both(a, b, steps, names[scene]);
  same_checkpoint(host, a, device, b, names[scene]);
  const int64_t made = b->resident->step_count;
  const int32_t contacts = talus_world_contacts(a, NULL);
  printf("%s: %lld of %d steps on the device, %d contacts%s%s\n", names[scene], (long long)made,
         steps, contacts, b->resident->reason != NULL ? ", last reason: " : "",
         b->resident->reason != NULL ? b->resident->reason : "");
  CHECK_CASE(made > steps / 2 && contacts > 18, "%s", names[scene]);
  /* each goes on where the other was */
  talus_world *const c = world_make(host, scene), *const d = world_make(device, scene);
  char *const of_b = checkpoint_of(host, b, c, &size), *const of_a =
                                                           checkpoint_of(device, a, d, &size);
  if (of_b != NULL) {
    run_both(c, d, 4, names[scene]);
    run_both(a, b, 4, names[scene]);
    same_checkpoint(host, c, device, d, names[scene]);
    same_checkpoint(host, a, device, d, names[scene]);
  }
  free(of_a);
  free(of_b);
  talus_world *const world[] = {a, b, c, d};
  for (int i = 0; i < 4; i++) {
    talus_world_destroy(world[i]);
  }
  talus_context_destroy(device);
  talus_context_destroy(host);
}

int main(int count, char **arguments) {
  const bool quick = count > 1 && strcmp(arguments[1], "quick") == 0;
  for (int scene = quick ? HULLS : BOXES; scene < SCENES; scene++) { /* MESH has every kind */
    scene_check((scene_kind)scene, quick ? 150 : 0, quick ? 8 : 200);
  }
  return check_end();
}
