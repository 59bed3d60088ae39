/* device_scenes.h: small worlds in which contacts of every kind come and go, for tests that hold
 * worlds on a device against those of the CPU.
 *
 * Some with the settings by default, some by gradients and a fixed number of them, two with
 * iterations in single precision. */
#ifndef TL_DEVICE_SCENES_H
#define TL_DEVICE_SCENES_H

#include <math.h>
#include <string.h>

#include "tests/backend/device_world.h"

/* name, what it is called: balls and half-spaces, then other shapes. */
#define DEVICE_SCENE_LIST(X)               \
  X(BED, "bed")                            \
  X(SHAKEN, "shaken box")                  \
  X(DRUM, "drum")                          \
  X(SOFT, "soft bed")                      \
  X(DISKS, "disks")                        \
  X(NUT, "large among small")              \
  X(NUT_DISKS, "large among small, disks") \
  X(BED_F32, "bed, f32")                   \
  X(NUT_F32, "large among small, f32")     \
  X(BOXES, "boxes")                        \
  X(CAPSULES, "capsules")                  \
  X(CLUMPS, "clumps")                      \
  X(CYLINDERS, "cylinders")                \
  X(HOPPER, "hopper")                      \
  X(HULLS, "hulls")                        \
  X(MESH, "all shapes on triangles")

#define DEVICE_SCENE_ENUM(name, text) name,
#define DEVICE_SCENE_NAME(name, text) text,
typedef enum scene_kind { DEVICE_SCENE_LIST(DEVICE_SCENE_ENUM) SCENES } scene_kind;
static const char *const scene_names[SCENES] = {DEVICE_SCENE_LIST(DEVICE_SCENE_NAME)};

/* Beads come in above, until there are enough, and are taken out below. */
static const char *const hopper_text =
    "world: {step: 1 ms, tolerance: 1e-2}\n"
    "walls:\n"
    "  - {kind: hopper, name: hopper, radius: 3 cm, height: 8 cm, opening: 2 cm, angle: 45 deg}\n"
    "grains:\n"
    "  - {kind: lattice, radius: 4 mm, counts: [4, 4, 2], gap: 0,\n"
    "     region: {lower: [-17 mm, -17 mm, 35 mm], upper: [17 mm, 17 mm, 52 mm]}}\n"
    "inlets:\n"
    "  - {region: {lower: [-15 mm, -15 mm, 6 cm], upper: [15 mm, 15 mm, 75 mm]}, radius: 4 mm,\n"
    "     rate: 200, limit: 30, sizes: {kind: uniform, low: 0.9, high: 1.1}}\n"
    "outlets:\n"
    "  - {name: below, region: {lower: [-inf, -inf, -inf], upper: [inf, inf, 1 cm]}}\n";

static inline bool scene_is_flat(scene_kind kind) {
  return kind == DISKS || kind == NUT_DISKS;
}

static inline bool scene_is_plain(scene_kind kind) {
  return kind < BOXES;
}

/* ---- balls and half-spaces ------------------------------------------------------------------- */

static uint32_t scatter;
static inline double uniform(void) {
  scatter = scatter * 1664525u + 1013904223u;
  return (double)(scatter >> 8) / (1 << 24);
}

static inline void sphere_add(talus_world *world, double radius, double x, double y, double z) {
  talus_body_def def = talus_body_def_default();
  talus_shape_def shape = talus_shape_def_default(TALUS_SHAPE_SPHERE);
  int32_t body;
  def.position[0] = x;
  def.position[1] = y;
  def.position[2] = z;
  shape.radius = radius;
  MUST(talus_body_add(world, &def, &body));
  MUST(talus_shape_add(world, body, &shape, NULL));
}

/* A floor and walls on one body, `planes` of: below, x low, x high, y low, y high. */
static inline int32_t planes_add(talus_world *world, talus_body_type type, double low, double high,
                                 int planes) {
  const double h = 0.70710678118654752;
  const double turn[5][4] = {
      {1, 0, 0, 0}, {h, 0, h, 0}, {h, 0, -h, 0}, {h, -h, 0, 0}, {h, h, 0, 0}};
  talus_body_def def = talus_body_def_default();
  int32_t body;
  def.type = type;
  MUST(talus_body_add(world, &def, &body));
  for (int i = 0; i < 5; i++) {
    talus_shape_def shape = talus_shape_def_default(TALUS_SHAPE_HALFSPACE);
    memcpy(shape.orientation, turn[i], sizeof turn[i]);
    if (i > 0) {
      shape.position[(i - 1) / 2] = i % 2 ? low : high;
    }
    if (planes >> i & 1) {
      MUST(talus_shape_add(world, body, &shape, NULL));
    }
  }
  return body;
}

static inline void motion_add(talus_world *world, int32_t body, scene_kind kind) {
  talus_motion_def motion =
      talus_motion_def_default(kind == DRUM ? TALUS_MOTION_SPIN : TALUS_MOTION_SINUSOID);
  motion.vector[kind == DRUM ? 1 : 2] = kind == DRUM ? 2 : 0.004;
  motion.frequency = 20;
  motion.centre[0] = motion.centre[2] = 0.12;
  MUST(talus_motion_add(world, body, &motion));
}

static inline void balls_add(talus_world *world, scene_kind kind) {
  const bool flat = scene_is_flat(kind), nut = kind == NUT || kind == NUT_F32 || kind == NUT_DISKS;
  const int side = flat ? 8 : 4, layers = nut || kind == DRUM ? 2 : flat ? 5 : 3;
  for (int z = 0; z < layers; z++) {
    for (int y = 0; y < (flat ? 1 : side); y++) {
      for (int x = 0; x < side; x++) {
        const double radius = 0.0245 - 0.002 * uniform();
        const double place = 0.025 + 0.0475 * x + 0.001 * uniform();
        sphere_add(world, radius, place, flat ? 0 : 0.025 + 0.0475 * y + 0.001 * uniform(),
                   0.0245 + 0.0455 * z);
      }
    }
  }
  if (nut) {
    sphere_add(world, 0.08, flat ? 0.2 : 0.1, flat ? 0 : 0.1, 0.0455 * layers + 0.08);
  }
}

static inline talus_world *plain_make(talus_context *context, scene_kind kind) {
  talus_world_def def = talus_world_def_default();
  talus_material_def material_def = talus_material_def_default();
  talus_world *world;
  int32_t material;
  scatter = 7;
  def.plane = scene_is_flat(kind);
  def.tolerance = 1e-2; /* few iterations: an emulated device is slow */
  def.solver.precision = kind == BED_F32 || kind == NUT_F32 ? TALUS_F32 : TALUS_F64;
  if (kind == SHAKEN || kind == SOFT || kind == NUT || kind == NUT_F32) {
    def.solver.method = TALUS_METHOD_APGDB;
    def.tolerance = 1e-300;
    def.solver.max_iterations = 20;
  }
  def.softness = kind == SOFT ? TALUS_SOFTNESS_AUTO : TALUS_SOFTNESS_RIGID;
  MUST(talus_world_create(context, &def, &world));
  material_def.friction = 0.4;
  material_def.restitution = kind == SHAKEN || kind == SOFT ? 0.5 : 0;
  MUST(talus_material_add(world, &material_def, &material));
  const bool moves = kind == SHAKEN || kind == DRUM, flat = def.plane != 0;
  const int32_t box = planes_add(world, moves ? TALUS_BODY_KINEMATIC : TALUS_BODY_FIXED, 0,
                                 flat ? 0.39 : 0.2, flat ? 7 : 31);
  if (moves) {
    motion_add(world, box, kind);
  }
  balls_add(world, kind);
  return world;
}

/* ---- other shapes ---------------------------------------------------------------------------- */

static inline void shape_add(talus_world *world, int32_t body, talus_shape_kind kind, double x) {
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

static inline talus_shape_kind shape_kind_of(scene_kind scene, int n) {
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
static inline void shapes_add(talus_world *world, scene_kind scene) {
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
    shape_add(world, body, shape_kind_of(scene, n), scene == CLUMPS ? -0.008 : 0);
    if (scene == CLUMPS) {
      shape_add(world, body, TALUS_SHAPE_SPHERE, 0.012);
    }
  }
}

/* A sheet of triangles of so many points a side, z = curve (x^2 + y^2) - deep around a middle. */
static inline void triangles_add(talus_world *world, int32_t body, int side, double apart,
                                 double middle, double curve, double deep) {
  static double point[3 * 64 * 64];
  static int32_t triangle[6 * 63 * 63];
  int count = 0;
  for (int n = 0; n < side * side; n++) {
    const double x = n % side - side / 2, y = n / side - side / 2;
    point[3 * n] = middle + apart * x;
    point[3 * n + 1] = middle + apart * y;
    point[3 * n + 2] = curve * (x * x + y * y) - deep;
  }
  for (int32_t n = 0; n < (side - 1) * (side - 1); n++) {
    const int32_t at = n / (side - 1) * side + n % (side - 1);
    const int32_t corner[6] = {at, at + 1, at + side, at + 1, at + side + 1, at + side};
    memcpy(triangle + count, corner, sizeof corner);
    count += 6;
  }
  talus_shape_def shape = talus_shape_def_default(TALUS_SHAPE_MESH);
  shape.point = point;
  shape.point_count = side * side;
  shape.triangle = triangle;
  shape.triangle_count = count / 3;
  MUST(talus_shape_add(world, body, &shape, NULL));
}

/* Floor and two walls, or a hollow between them; boxes stand on a floor that is shaken. */
static inline void walls_add(talus_world *world, scene_kind scene) {
  const int32_t body = planes_add(world, scene == BOXES ? TALUS_BODY_KINEMATIC : TALUS_BODY_FIXED,
                                  -0.01, 0, scene == MESH ? 10 : 11);
  if (scene == MESH) {
    triangles_add(world, body, 5, 0.055, 0.105, 0.008, 0.012);
  }
  if (scene == BOXES) {
    talus_motion_def motion = talus_motion_def_default(TALUS_MOTION_SINUSOID);
    motion.vector[0] = 0.002;
    motion.frequency = 5;
    MUST(talus_motion_add(world, body, &motion));
  }
}

static inline talus_world *general_make(talus_context *context, scene_kind scene) {
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
  shapes_add(world, scene);
  return world;
}

/* All but the hopper, which is a scene's. */
static inline talus_world *world_make(talus_context *context, scene_kind kind) {
  return scene_is_plain(kind) ? plain_make(context, kind) : general_make(context, kind);
}

#endif
