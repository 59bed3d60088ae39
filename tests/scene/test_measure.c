/* test_measure.c: packing fraction and stress: the space that contacts bound, by known volumes, and
 * means over stacks of balls, by closed forms. */
#include <string.h>

#include "host/scene/measure.h"
#include "host/world/world.h"
#include "tests/check.h"
#include "tests/scene/scene_text.h"

static const double pi = 3.14159265358979323846;

static int build(talus_context *context, const char *text, talus_scene **scene,
                 talus_world **world) {
  if (!CHECK(world_of(context, text, scene, world) == TALUS_OK)) {
    printf("  %s\n", talus_context_message(context));
    return 0;
  }
  return 1;
}

static int run(talus_scene *scene, talus_world *world, int steps) {
  talus_status status = TALUS_OK;
  for (int i = 0; i < steps && status == TALUS_OK; i++) {
    status = talus_scene_tick(scene, world);
    status = status == TALUS_OK ? talus_world_step(world, NULL) : status;
  }
  return status == TALUS_OK;
}

/* Gives the world contacts at these points, all of body 1 on body 0, with a force. */
static void touch_at(talus_world *world, double (*point)[3], int32_t count) {
  CHECK(tl_contacts_reserve(world, count) == TALUS_OK);
  memset(world->contact, 0, (size_t)count * sizeof *world->contact);
  memset(world->impulse, 0, 3 * (size_t)count * sizeof *world->impulse);
  for (int32_t k = 0; k < count; k++) {
    memcpy(world->contact[k].shown.point, point[k], sizeof point[k]);
    world->contact[k].shown.body_b = 1;
    world->impulse[3 * k + 2] = 1;
  }
  world->contact_count = count;
}

static double volume_of(const talus_scene *scene, talus_world *world, double (*point)[3],
                        int32_t count) {
  tl_space space;
  touch_at(world, point, count);
  CHECK(tl_space_find(scene, world, &space) == TALUS_OK);
  return space.volume;
}

/* A number in 0 .. 1 that depends on n. */
static double spread(int n, double step) {
  return n * step - floor(n * step);
}

static void check_spaces(talus_context *context) {
  enum { COUNT = 20000 };
  static double point[COUNT][3];
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  if (!build(context, "walls:\n  - kind: plane\nbodies:\n  - {radius: 1, position: [0, 0, 1]}\n",
             &scene, &world)) {
    return;
  }
  /* a brick of 2 x 3 x 4 whose faces have most of the points; 100 stray ones do not count */
  for (int n = 0; n < COUNT; n++) {
    const int face = (int)(6 * spread(n, 0.7390851332151607));
    for (int c = 0; c < 3; c++) {
      static const double step[3] = {0.8191725133961645, 0.6710436067037893, 0.5497004779019703};
      point[n][c] = 5 + (face / 2 == c ? face % 2 : spread(n, step[c])) * (2 + c);
    }
    if (n % 200 == 7) {
      point[n][2] = 90;
    }
  }
  CHECK_CLOSE(volume_of(scene, world, point, COUNT), 24, 0.05);
  /* few points: all count */
  for (int k = 0; k < 8; k++) {
    point[k][0] = k & 1;
    point[k][1] = k >> 1 & 1;
    point[k][2] = k >> 2;
  }
  CHECK_CLOSE(volume_of(scene, world, point, 8), 1, 1e-12);
  /* a silo of radius 2 and height 3 */
  for (int n = 0; n < COUNT; n++) {
    const double angle = 2 * pi * spread(n, 0.618034);
    point[n][0] = 2 * cos(angle);
    point[n][1] = 2 * sin(angle);
    point[n][2] = n % 3 == 0 ? 0 : n % 3 == 1 ? 3 : 3 * spread(n, 0.7548);
  }
  CHECK_CLOSE(volume_of(scene, world, point, COUNT) / (12 * pi), 1, 6e-3);
  /* a drum along y */
  for (int n = 0; n < COUNT; n++) {
    const double y = point[n][1];
    point[n][1] = point[n][2];
    point[n][2] = y;
  }
  CHECK_CLOSE(volume_of(scene, world, point, COUNT) / (12 * pi), 1, 6e-3);
  /* in one plane, or too few */
  for (int n = 0; n < COUNT; n++) {
    point[n][1] = 1;
  }
  CHECK(volume_of(scene, world, point, COUNT) == 0);
  CHECK(volume_of(scene, world, point, 2) == 0);
  talus_world_destroy(world);
  talus_scene_destroy(scene);
  /* in a plane world a disk of radius 2 is one metre thick */
  if (build(context,
            "world: {plane: true}\nwalls:\n  - kind: plane\n"
            "bodies:\n  - {shape: disk, radius: 1, position: [0, 1]}\n",
            &scene, &world)) {
    for (int n = 0; n < COUNT; n++) {
      const double angle = 2 * pi * spread(n, 0.618034);
      point[n][0] = 2 * cos(angle);
      point[n][1] = 0;
      point[n][2] = 2 * sin(angle);
    }
    CHECK_CLOSE(volume_of(scene, world, point, COUNT) / (4 * pi), 1, 6e-3);
  }
  talus_world_destroy(world);
  talus_scene_destroy(scene);
}

/* Balls of radius 1 straight above each other, 8 x 8 x 8, in a box without friction. */
static const char stack[] = "world: {step: 1 ms, tolerance: 1e-9, law: ccp}\n"
                            "materials: {m: {density: 1000, friction: 0}}\n"
                            "walls:\n  - {kind: box, size: [16, 16, 99], position: [8, 8, 0]}\n"
                            "%s"
                            "grains:\n  - {kind: lattice, radius: 1, counts: [8, 8, 8], gap: 0,\n"
                            "     region: {lower: [0, 0, 0], upper: [16, 16, 16]}}\n"
                            "%s";

static void check_stack(talus_context *context) {
  const double weight = 1000 * 4.0 / 3.0 * pi * 9.81, cubic = pi / 6;
  char text[2048];
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  tl_measured m;
  /* Bounded by contacts: from the floor to the highest contact, at 14, and from centre to centre.
   */
  snprintf(text, sizeof text, stack, "", "");
  if (build(context, text, &scene, &world)) {
    CHECK(tl_measure(scene, world, &m) == TALUS_OK);
    CHECK(m.packing_fraction == 0 && m.stress[2] == 0); /* nothing has touched yet */
    CHECK(run(scene, world, 3));
    CHECK(tl_measure(scene, world, &m) == TALUS_OK);
    CHECK_CLOSE(m.packing_fraction, cubic, 5e-3);
  }
  talus_world_destroy(world);
  talus_scene_destroy(scene);
  /* Over a region from the floor to 14: eight balls press on the floor, seven on the first layer
   * ...; a branch is 2 long, the lowest 1, and of the highest contact half is inside. */
  snprintf(text, sizeof text, stack, "",
           "output: {region: {lower: [0, 0, 0], upper: [16, 16, 14]}}\n");
  if (build(context, text, &scene, &world)) {
    double sum = 8 * weight * 1 + 1 * weight * 1;
    for (int k = 2; k <= 7; k++) {
      sum += k * weight * 2;
    }
    CHECK(run(scene, world, 3));
    CHECK(tl_measure(scene, world, &m) == TALUS_OK);
    CHECK_CLOSE(m.packing_fraction, cubic, 5e-3);
    CHECK_CLOSE(m.stress[2] / (64 * sum / (16 * 16 * 14)), 1, 1e-4);
    CHECK(fabs(m.stress[0]) < 1e-6 * m.stress[2] && fabs(m.stress[4]) < 1e-6 * m.stress[2]);
  }
  talus_world_destroy(world);
  talus_scene_destroy(scene);
  /* A wide free plate on top bounds the balls but is no part of them; its load goes through all. */
  snprintf(text, sizeof text, stack,
           "  - {kind: plane, name: low, position: [0, 0, -9]}\n"
           "bodies:\n  - {name: plate, shape: box, size: [15.9, 15.9, 20], position: [8, 8, 26]}\n",
           "");
  if (build(context, text, &scene, &world)) {
    const double load = 1000 * 15.9 * 15.9 * 20 * 9.81;
    double sum = 8 * weight + 8 * 2 * load / 64;
    for (int k = 1; k <= 7; k++) {
      sum += k * weight * 2;
    }
    CHECK(run(scene, world, 3));
    CHECK(tl_measure(scene, world, &m) == TALUS_OK);
    CHECK_CLOSE(m.packing_fraction, cubic, 0.01);
    /* over the box that they fill; where contacts bound it, the outer columns stand on the edge */
    tl_scene_region *const region = &scene->def.output.region;
    *region = (tl_scene_region){.item = {.node = scene->root}, .upper = {16, 16, 16}};
    CHECK(tl_measure(scene, world, &m) == TALUS_OK);
    CHECK_CLOSE(m.packing_fraction, cubic, 1e-3);
    CHECK_CLOSE(m.stress[2] / (64 * sum / (16 * 16 * 16)), 1, 1e-4);
  }
  talus_world_destroy(world);
  talus_scene_destroy(scene);
}

/* A bed with some balls thrown on top: what contacts bound is as dense as the middle of the bed. */
static void check_bed(talus_context *context) {
  static const char text[] =
      "walls:\n  - {kind: box, size: [0.12, 0.12, 1]}\n"
      "grains:\n  - {kind: settled, radius: 5 mm, sizes: {kind: uniform, low: 0.8, high: 1.2}, "
      "count: "
      "1500,\n     region: {lower: [-6 cm, -6 cm, 0], upper: [6 cm, 6 cm, 1]}}\n"
      "  - {kind: random, radius: 5 mm, count: 6, region: {lower: [-6 cm, -6 cm, 30 cm], upper: [6 "
      "cm, "
      "6 cm, 60 cm]}}\n"
      "output: {region: {lower: [-6 cm, -6 cm, 0], upper: [6 cm, 6 cm, 8 cm]}}\n";
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  if (build(context, text, &scene, &world)) {
    tl_measured inside, all;
    CHECK(run(scene, world, 10));
    CHECK(tl_measure(scene, world, &inside) == TALUS_OK);
    scene->def.output.region.item.node = NULL;
    CHECK(tl_measure(scene, world, &all) == TALUS_OK);
    CHECK_CASE(all.packing_fraction > 0.5 && all.packing_fraction < 0.62, "%g",
               all.packing_fraction);
    CHECK_CASE(fabs(all.packing_fraction / inside.packing_fraction - 1) < 0.05, "%g and %g",
               all.packing_fraction, inside.packing_fraction);
  }
  talus_world_destroy(world);
  talus_scene_destroy(scene);
}

/* Shapes that the boundary cuts in half count by half. */
static void check_halves(talus_context *context) {
  static const char *const shapes[] = {
      "radius: 1",
      "shape: box, size: [1, 2, 3]",
      "shape: capsule, radius: 0.5, length: 2",
      "shape: cylinder, radius: 1, length: 2",
      "shape: hull, points: [[1, 1, 0], [-1, 1, 0], [1, -1, 0], [-1, -1, 0], [0, 0, 1], [0, 0, "
      "-1]]",
  };
  const double volume[] = {4.0 / 3.0 * pi, 6, pi / 6 + pi / 2, 2 * pi, 8.0 / 3.0};
  for (int k = 0; k < 10; k++) { /* by planes, and by a region with something taken out of it */
    const int i = k / 2;
    char text[512];
    talus_scene *scene = NULL;
    talus_world *world = NULL;
    tl_measured m;
    snprintf(text, sizeof text,
             "bodies:\n  - {%s, orientation: {axis: [1, 2, 3], angle: 40 deg}}\n"
             "output: {region: {lower: [0, -5, -5], upper: [5, 5, 5]%s}}\n",
             shapes[i], k % 2 ? ", without: [{kind: ball, centre: [5, 5, 5], radius: 1}]" : "");
    if (build(context, text, &scene, &world)) {
      CHECK(tl_measure(scene, world, &m) == TALUS_OK);
      const double space = 500 - k % 2 * pi / 6;
      const int exact = i == 0 && k % 2 == 0;
      CHECK_CLOSE(m.packing_fraction * space / volume[i], 0.5, exact ? 1e-12 : 0.03);
    }
    talus_world_destroy(world);
    talus_scene_destroy(scene);
  }
}

int main(void) {
  talus_context *context = NULL;
  talus_context_def def = talus_context_def_default();
  def.threads = 1;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  talus_scene *scene = NULL;
  if (scene_of(context, "", &scene) == TALUS_UNSUPPORTED) {
    talus_context_destroy(context);
    return CHECK_SKIPPED;
  }
  talus_scene_destroy(scene);
  check_spaces(context);
  check_stack(context);
  check_bed(context);
  check_halves(context);
  talus_context_destroy(context);
  return check_end();
}
