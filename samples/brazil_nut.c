/* brazil_nut.c: the large disk rises to the top of a shaken box, in the plane.
 *
 * After Anitescu and Hart (Math. Program. 101, 2004, section 5): one disk of radius 5 and 269 of
 * radius 1.5, hard walls, a bottom bar that moves vertically, step 0.1 s, friction and restitution
 * 0.5; there the large disk reaches the top in about 50 shakes. Not in the paper, and chosen here
 * once for all seeds: gravity 9.81, density 1, width 42, amplitude 4.5, period 2.4 s (a peak
 * acceleration of 3.1 g). Lengths in the paper's unit.
 *
 *   brazil_nut [SEED [ccp|coulomb [SHAKES]]]
 *
 * The disk is at the top when fewer than a tenth of the small ones are above its centre. Exit code
 * 0 if that happens within 30 to 80 shakes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <talus/talus_world.h>

#include "sample.h"

enum { SMALL = 269, COLUMNS = 13 };
static const double WIDTH = 42, LARGE = 5, RADIUS = 1.5, AMPLITUDE = 4.5, PERIOD = 2.4;

/* Reproducible everywhere. */
static double random_unit(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) / 9007199254740992.0;
}

static void disk_add(talus_world *world, int32_t material, double x, double z, double radius,
                     int32_t *body) {
  talus_body_def def = talus_body_def_default();
  def.position[0] = x;
  def.position[2] = z;
  TRY(talus_body_add(world, &def, body));
  talus_shape_def shape = talus_shape_def_default(TALUS_SHAPE_SPHERE);
  shape.material = material;
  shape.radius = radius;
  TRY(talus_shape_add(world, *body, &shape, NULL));
}

/* A half-plane through (x, z) whose normal is turned by `angle` about y from straight up. */
static void wall_add(talus_world *world, int32_t material, double x, double angle, int shaken) {
  talus_body_def def = talus_body_def_default();
  def.type = shaken ? TALUS_BODY_KINEMATIC : TALUS_BODY_FIXED;
  def.position[0] = x;
  def.orientation[0] = cos(0.5 * angle);
  def.orientation[2] = sin(0.5 * angle);
  int32_t body;
  TRY(talus_body_add(world, &def, &body));
  talus_shape_def shape = talus_shape_def_default(TALUS_SHAPE_HALFSPACE);
  shape.material = material;
  TRY(talus_shape_add(world, body, &shape, NULL));
  if (shaken) {
    talus_motion_def motion = talus_motion_def_default(TALUS_MOTION_SINUSOID);
    motion.vector[2] = AMPLITUDE;
    motion.frequency = 1 / PERIOD;
    TRY(talus_motion_add(world, body, &motion));
  }
}

static talus_world *world_make(uint64_t seed, talus_law law, int32_t *large, int32_t *first) {
  talus_world_def def = talus_world_def_default();
  def.plane = 1;
  def.step = 0.1;
  def.solver.law = law;
  def.tolerance = 1e-2;
  def.accept = 1;
  talus_world *world;
  TRY(talus_world_create(sample_context(), &def, &world));
  talus_material_def material_def = talus_material_def_default();
  material_def.density = 1;
  material_def.restitution = 0.5;
  int32_t material;
  TRY(talus_material_add(world, &material_def, &material));
  const double quarter = 1.57079632679489661923;
  wall_add(world, material, 0, 0, 1);
  wall_add(world, material, -0.5 * WIDTH, quarter, 0);
  wall_add(world, material, 0.5 * WIDTH, -quarter, 0);
  disk_add(world, material, 0, LARGE + 0.01, LARGE, large);
  const double pitch = WIDTH / COLUMNS;
  int32_t made = 0;
  for (int row = 0; made < SMALL; row++) {
    for (int column = 0; column < COLUMNS && made < SMALL; column++) {
      const double x = (column + 0.5 - 0.5 * COLUMNS) * pitch + 0.1 * (random_unit(&seed) - 0.5);
      const double z = (row + 0.55) * 3.05;
      if (hypot(x, z - LARGE) < LARGE + RADIUS + 0.1) {
        continue;
      }
      int32_t body;
      disk_add(world, material, x, z, RADIUS, &body);
      *first = made++ == 0 ? body : *first;
    }
  }
  return world;
}

static int32_t above(const talus_world *world, int32_t large, int32_t first) {
  talus_body_state nut, small;
  int32_t count = 0;
  TRY(talus_body_get(world, large, &nut));
  for (int32_t i = first; i < first + SMALL; i++) {
    TRY(talus_body_get(world, i, &small));
    count += small.position[2] > nut.position[2];
  }
  return count;
}

int main(int argc, char **argv) {
  const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  const talus_law law = argc > 2 && strcmp(argv[2], "coulomb") == 0 ? TALUS_LAW_COULOMB
                                                                    : TALUS_LAW_CCP;
  const int shakes = argc > 3 ? atoi(argv[3]) : 80;
  int32_t large = 0, first = 0;
  talus_world *const world = world_make(seed, law, &large, &first);
  const int steps = (int)(PERIOD / 0.1 + 0.5);
  double worst = 0;
  int reached = -1;
  for (int shake = 1; shake <= shakes && reached < 0; shake++) {
    for (int i = 0; i < steps; i++) {
      talus_step_report report = talus_step_report_default();
      TRY(talus_world_step(world, &report));
      worst = fmax(worst, report.epsilon);
    }
    talus_body_state nut;
    TRY(talus_body_get(world, large, &nut));
    const int32_t count = above(world, large, first);
    if (shake % 10 == 0 || count < SMALL / 10) {
      printf("shake %3d: height %6.2f, %3d small disks above\n", shake, nut.position[2], count);
    }
    reached = count < SMALL / 10 ? shake : -1;
  }
  printf("%s, seed %llu: %s after %d shakes, worst epsilon %.2g\n", talus_law_name(law),
         (unsigned long long)seed, reached > 0 ? "at the top" : "not at the top",
         reached > 0 ? reached : shakes, worst);
  talus_world_destroy(world);
  sample_end();
  return reached >= 30 && reached <= 80 ? 0 : 1;
}
