/* test_materials.c: many materials, and pairs of them with values of their own against a plain
 * table. */
#include <string.h>
#include <time.h>

#include "host/world/world.h"
#include "tests/world/place.h"

enum { FEW = 60 };

static uint64_t random_state = 1;

static int32_t draw(int32_t below) {
  random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (int32_t)((random_state >> 33) % (uint64_t)below);
}

/* Pairs set at random, some more than once, materials added in between. */
static void check_pairs(void) {
  static double wanted[FEW][FEW][2];
  talus_world *world = NULL;
  talus_world_def def = talus_world_def_default();
  int32_t count = 0;
  MUST(talus_world_create(place_context, &def, &world));
  memset(wanted, 0, sizeof wanted);
  for (int k = 0; k < 4000; k++) {
    if (count < FEW && k % 20 == 0) {
      place_material(world, 1000, 0.3 + 0.01 * count, 0.1 + 0.001 * count);
      for (int32_t i = 0; i <= count; i++) { /* the smaller friction, the larger restitution */
        wanted[i][count][0] = wanted[count][i][0] = 0.3 + 0.01 * i;
        wanted[i][count][1] = wanted[count][i][1] = 0.1 + 0.001 * count;
      }
      count++;
    }
    const int32_t a = draw(count), b = draw(count);
    const double friction = 1e-3 * draw(1000), restitution = 1e-3 * draw(1000);
    MUST(talus_material_pair(world, a, b, friction, restitution));
    wanted[a][b][0] = wanted[b][a][0] = friction;
    wanted[a][b][1] = wanted[b][a][1] = restitution;
    for (int i = 0; i < 10; i++) {
      const int32_t p = draw(count), q = draw(count);
      double got[2];
      tl_material_mix(world, p, q, &got[0], &got[1]);
      CHECK(got[0] == wanted[p][q][0] && got[1] == wanted[p][q][1]);
    }
  }
  CHECK(talus_material_pair(world, 0, count, 1, 0) == TALUS_INDEX_RANGE);
  CHECK(talus_material_pair(world, 0, 0, -1, 0) == TALUS_BAD_SETTING);
  talus_world_destroy(world);
}

/* What contact problems do not take is refused where it is given. */
static void check_limits(void) {
  talus_world *world = NULL;
  const talus_world_def def = talus_world_def_default();
  talus_material_def material = talus_material_def_default();
  int32_t id;
  const struct {
    double *member, good, bad;
  } limits[] = {{&material.friction, 1e6, 1.01e6},         {&material.cross_friction, 0, 1.01e6},
                {&material.rolling_friction, 1e6, 1.01e6}, {&material.pull_off, 1e100, 1e101},
                {&material.surface_energy, 1e100, 1e101},  {&material.stiffness, 1e-100, 1e-101},
                {&material.stiffness, 0, 1e101},           {&material.young, 1e100, 1e-101}};
  MUST(talus_world_create(place_context, &def, &world));
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    material = talus_material_def_default();
    *limits[i].member = limits[i].good;
    MUST(talus_material_add(world, &material, &id));
    *limits[i].member = limits[i].bad;
    CHECK(talus_material_add(world, &material, &id) == TALUS_BAD_SETTING);
    CHECK(talus_material_set(world, 0, &material) == TALUS_BAD_SETTING);
  }
  CHECK(talus_material_pair(world, 0, 0, 1e6, 0) == TALUS_OK);
  CHECK(talus_material_pair(world, 0, 0, 1.01e6, 0) == TALUS_BAD_SETTING);
  talus_world_destroy(world);
}

/* CPU seconds for so many materials, each with a pair of its own. */
static double seconds_of(int32_t count) {
  talus_world *world = NULL;
  talus_world_def def = talus_world_def_default();
  double friction, restitution;
  const clock_t begin = clock();
  MUST(talus_world_create(place_context, &def, &world));
  for (int32_t i = 0; i < count; i++) {
    place_material(world, 1000 + i, 0.5, 0);
    MUST(talus_material_pair(world, i / 2, i, 1e-6 * i, 0.25));
  }
  const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
  for (int32_t i = 1; i < count; i += 97) {
    tl_material_mix(world, i, i / 2, &friction, &restitution);
    CHECK(friction == 1e-6 * i && restitution == 0.25);
    tl_material_mix(world, i, i, &friction, &restitution);
    CHECK(friction == 0.5 && restitution == 0);
  }
  talus_world_destroy(world);
  return seconds;
}

int main(void) {
  place_begin(1);
  check_pairs();
  check_limits();
  const double once = seconds_of(300), many = seconds_of(20000);
  printf("300 materials: %.3g s, 20 000: %.3g s\n", once, many);
  CHECK_CASE(many <= 400 * once + 0.5, "%g and %g s", once, many);
  place_end();
  return check_end();
}
