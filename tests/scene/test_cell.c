/* test_cell.c: periodic cells of scenes: bodies never begin in each other's images, whatever the
 * cell has come to by then; judged by all pairs and all images. What does not fit is told. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "talus/talus_io.h"
#include "tests/check.h"
#include "tests/scene/scene_text.h"

static void end(talus_scene *scene, talus_world *world) {
  talus_world_destroy(world);
  talus_scene_destroy(scene);
}

static int build(talus_context *context, const char *text, talus_scene **scene,
                 talus_world **world) {
  if (!CHECK(world_of(context, text, scene, world) == TALUS_OK)) {
    printf("  %s\n", talus_context_message(context));
    return 0;
  }
  return 1;
}

/* The smallest distance of body b's images from body a. */
static double nearest_image(const talus_cell *cell, const double a[3], const double b[3]) {
  const double *const e = cell->edge;
  double least = INFINITY;
  for (int k = 0; k < 125; k++) {
    const double m[3] = {k % 5 - 2, k / 5 % 5 - 2, k / 25 - 2};
    const double x = b[0] - a[0] + e[0] * m[0] + e[3] * m[1] + e[4] * m[2];
    const double y = b[1] - a[1] + e[1] * m[1] + e[5] * m[2], z = b[2] - a[2] + e[2] * m[2];
    if ((m[0] == 0 || (cell->periodic & 1)) && (m[1] == 0 || (cell->periodic & 2)) &&
        (m[2] == 0 || (cell->periodic & 4))) {
      least = fmin(least, sqrt(x * x + y * y + z * z));
    }
  }
  return least;
}

/* How deep the balls from number `old` on are in others at most; all have one radius. */
static double deepest(const talus_world *world, double radius, int32_t old) {
  const int32_t count = talus_body_capacity(world);
  talus_cell cell = talus_cell_default();
  double depth = -INFINITY;
  CHECK(talus_world_cell(world, &cell) == TALUS_OK);
  for (int32_t i = old; i < count; i++) {
    talus_body_state a, b;
    for (int32_t k = 0; k < i && talus_body_kind(world, i) == TALUS_BODY_FREE; k++) {
      if (talus_body_kind(world, k) == TALUS_BODY_FREE) {
        talus_body_get(world, i, &a);
        talus_body_get(world, k, &b);
        depth = fmax(depth, 2 * radius - nearest_image(&cell, a.position, b.position));
      }
    }
  }
  return depth;
}

/* ---- inlets ---------------------------------------------------------------------------------- */

/* At a face of a cell that is sheared and stretched while grains keep appearing there. */
static const char poured[] =
    "world: {step: 1 ms, gravity: [0, 0, 0]}\n"
    "materials: {bead: {stiffness: 1 kN/m}}\n"
    "cell:\n"
    "  periodic: [x, y, z]\n"
    "  lower: [0, 0, 0]\n"
    "  upper: [10 cm, 10 cm, 10 cm]\n"
    "  rate: [-0.5 Hz, 0, 0.3 Hz]\n"
    "  shear: [2 Hz, 6 Hz, 1 Hz]\n"
    "grains:\n"
    "  - {kind: random, radius: 5 mm, count: 250, across: true}\n"
    "inlets:\n"
    "  - {radius: 5 mm, rate: 20 kHz, region: {lower: [0, 0, 0], upper: [10 cm, 10 cm, 15 mm]}}\n";

static void pour(talus_context *context, talus_scene *scene, talus_world *world, int steps) {
  for (int i = 0; i < steps; i++) {
    const int32_t old = talus_body_capacity(world);
    if (!CHECK(talus_scene_tick(scene, world) == TALUS_OK)) {
      printf("  %s\n", talus_context_message(context));
    }
    const double depth = deepest(world, 5e-3, old);
    CHECK_CASE(depth <= 1e-9, "step %d: %g m deep", i, depth);
    CHECK(talus_world_step(world, NULL) == TALUS_OK);
  }
}

static void check_inlet(talus_context *context) {
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  if (build(context, poured, &scene, &world)) {
    CHECK(deepest(world, 5e-3, 0) <= 1e-9);
    pour(context, scene, world, 120);
    CHECK(talus_scene_added(scene) > 20);
  }
  end(scene, world);
}

static void step(talus_scene *scene, talus_world *world, int steps) {
  for (int i = 0; i < steps; i++) {
    CHECK(talus_scene_tick(scene, world) == TALUS_OK && talus_world_step(world, NULL) == TALUS_OK);
  }
}

/* Another scene goes on in the sheared cell: its grains and its inlet keep clear of images. */
static void check_from(talus_context *context) {
  static const char next[] =
      "world: {step: 1 ms, gravity: [0, 0, 0]}\n"
      "materials: {bead: {stiffness: 1 kN/m}}\n"
      "cell: {periodic: [x, y, z], lower: [0, 0, 0], upper: [10 cm, 10 cm, 10 cm]}\n"
      "grains:\n"
      "  - {kind: random, radius: 5 mm, count: 150,\n"
      "     region: {lower: [-1 cm, 0, 0], upper: [10 cm, 11 cm, 10 cm]}}\n"
      "inlets:\n"
      "  - {radius: 5 mm, rate: 20 kHz, region: {lower: [0, 0, 0], upper: [10 cm, 10 cm, 2 cm]}}\n";
  talus_scene *scene = NULL, *other = NULL;
  talus_world *world = NULL, *copy = NULL;
  if (build(context, poured, &scene, &world)) {
    step(scene, world, 120);
    char path[256];
    mkdir("cell_first", 0777);
    CHECK(talus_scene_save(scene, world, "cell_first", 1) == TALUS_OK);
    CHECK(talus_checkpoint_newest(context, "cell_first", path, sizeof path) == TALUS_OK);
    const int32_t old = talus_body_count(world);
    if (CHECK(scene_of(context, next, &other) == TALUS_OK &&
              talus_scene_from(other, path) == TALUS_OK &&
              talus_scene_build(other, &copy) == TALUS_OK)) {
      talus_cell was = talus_cell_default(), is = talus_cell_default();
      CHECK(talus_world_cell(world, &was) == TALUS_OK && talus_world_cell(copy, &is) == TALUS_OK);
      CHECK(memcmp(was.edge, is.edge, sizeof is.edge) == 0 && fabs(is.edge[4]) > 1e-3);
      CHECK(talus_body_count(copy) == old + 150);
      const double depth = deepest(copy, 5e-3, old);
      CHECK_CASE(depth <= 1e-9, "%g m deep", depth);
      pour(context, other, copy, 3);
    } else {
      printf("  %s\n", talus_context_message(context));
    }
  }
  end(other, copy);
  end(scene, world);
}

/* A body of the scene's own is at rest among those of a cell that was in motion. */
static void check_own_body(talus_context *context, const char *path) {
  static const char text[] =
      "world: {step: 1 ms, gravity: [0, 0, 0], overlap: ignore}\nmaterials: {bead: {}}\n"
      "bodies: [{radius: 3 mm, position: [1 cm, 1 cm, 9 cm]}]\n"
      "cell: {periodic: [x, y, z], lower: [0, 0, 0], upper: [10 cm, 10 cm, 10 cm]}\n";
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  CHECK(scene_of(context, text, &scene) == TALUS_OK);
  CHECK(talus_scene_from(scene, path) == TALUS_OK);
  if (CHECK(talus_scene_build(scene, &world) == TALUS_OK)) {
    talus_body_state state;
    talus_body_get(world, 0, &state);
    for (int c = 0; c < 3; c++) {
      CHECK_CLOSE(state.velocity[c], 0, 1e-12);
    }
  } else {
    printf("  %s\n", talus_context_message(context));
  }
  end(scene, world);
}

/* In a cell that goes on with the same rates bodies have the velocities that they had, in one at
 * rest what was beyond the mean motion. */
static void check_velocities(talus_context *context) {
  static const char at_rest[] =
      "world: {step: 1 ms, gravity: [0, 0, 0]}\nmaterials: {bead: {}}\n"
      "cell: {periodic: [x, y, z], lower: [0, 0, 0], upper: [10 cm, 10 cm, 10 cm]}\n";
  char moving[512];
  snprintf(moving, sizeof moving, "%s", at_rest);
  strcpy(strrchr(moving, '}'), ", rate: [-0.5 Hz, 0, 0.3 Hz], shear: [2 Hz, 6 Hz, 1 Hz]}\n");
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  if (!build(context, poured, &scene, &world)) {
    return;
  }
  char path[256];
  step(scene, world, 3); /* nothing has met anything yet */
  mkdir("cell_moving", 0777);
  CHECK(talus_scene_save(scene, world, "cell_moving", 1) == TALUS_OK);
  CHECK(talus_checkpoint_newest(context, "cell_moving", path, sizeof path) == TALUS_OK);
  check_own_body(context, path);
  for (int k = 0; k < 2; k++) {
    talus_scene *other = NULL;
    talus_world *copy = NULL;
    CHECK(scene_of(context, k == 0 ? moving : at_rest, &other) == TALUS_OK);
    CHECK(talus_scene_from(other, path) == TALUS_OK);
    if (CHECK(talus_scene_build(other, &copy) == TALUS_OK)) {
      double change = 0, most = 0;
      for (int32_t i = 0; i < 250; i++) { /* those of the inlet appeared at rest */
        talus_body_state a, b;
        talus_body_get(world, i, &a);
        talus_body_get(copy, i, &b);
        for (int c = 0; c < 3; c++) {
          change = fmax(change, fabs(a.velocity[c] - b.velocity[c]));
          most = fmax(most, fabs(b.velocity[c]));
        }
      }
      CHECK_CASE(k == 0 ? change < 1e-12 : change > 0.2 && most < 0.05, "%g, %g", change, most);
    } else {
      printf("  %s\n", talus_context_message(context));
    }
    end(other, copy);
  }
  end(scene, world);
}

/* A slab beyond the right face has an image behind the left one. */
static void check_wall(talus_context *context) {
  static const char text[] =
      "cell: {periodic: [x], lower: [0, 0, 0], upper: [10 cm, 10 cm, 10 cm]}\n"
      "walls:\n"
      "  - {kind: box, faces: [right], size: [4 cm, 10 cm, 10 cm], position: [8 cm, 5 cm, 0],\n"
      "     thickness: 3 cm}\n"
      "grains:\n  - {kind: random, radius: 3 mm, count: 200, across: true}\n";
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  if (build(context, text, &scene, &world)) {
    double least = INFINITY, most = 0;
    for (int32_t i = 1; i < talus_body_capacity(world); i++) {
      talus_body_state s;
      talus_body_get(world, i, &s);
      least = fmin(least, s.position[0]);
      most = fmax(most, s.position[0]);
    }
    CHECK_CASE(least >= 0.033 - 1e-9 && most <= 0.097 + 1e-9, "from %g to %g", least, most);
    CHECK(least < 0.036 && most > 0.094);
  }
  end(scene, world);
}

/* ---- overlaps at the start ------------------------------------------------------------------- */

static void check_refused(talus_context *context, const char *text, const char *words) {
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  CHECK_CASE(world_of(context, text, &scene, &world) == TALUS_FILE_FORMAT, "%s", words);
  CHECK_CASE(strstr(talus_context_message(context), words) != NULL, "'%s' is not in '%s'", words,
             talus_context_message(context));
  end(scene, world);
}

/* Two bodies, and another with a slab, meet through the faces of a cell alone. */
static void check_overlaps(talus_context *context, const char *shape, const char *depth) {
  static const char form[] =
      "world: {overlap: %s, gravity: [0, 0, 0]}\n"
      "cell: {periodic: [x, z], lower: [0, 0, 0], upper: [10 cm, 10 cm, 10 cm]}\n"
      "walls:\n"
      "  - {kind: box, name: slab, faces: [right], size: [4 cm, 1 cm, 10 cm], thickness: 3 cm,\n"
      "     position: [8 cm, 1 cm, 0]}\n"
      "bodies:\n"
      "  - {name: a, %s, position: [2 mm, 5 cm, 2 mm]}\n"
      "  - {name: b, %s, position: [96 mm, 5 cm, 98 mm]}\n"
      "  - {name: c, %s, position: [34 mm, 1 cm, 5 cm]}\n";
  char text[1024], words[160];
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  snprintf(text, sizeof text, form, "refuse", shape, shape, shape);
  snprintf(words, sizeof words,
           "bodies[0] a and bodies[1] b overlap by %s radius), and so do 1 other pairs: walls[0] "
           "slab and bodies[2] c by 0.001 m;",
           depth);
  check_refused(context, text, words);
  snprintf(text, sizeof text, form, "resolve", shape, shape, shape);
  if (build(context, text, &scene, &world)) {
    talus_body_state a, b, c;
    talus_body_get(world, talus_scene_body_find(scene, "a"), &a);
    talus_body_get(world, talus_scene_body_find(scene, "b"), &b);
    talus_body_get(world, talus_scene_body_find(scene, "c"), &c);
    const double x = b.position[0] - 0.1 - a.position[0], y = b.position[1] - a.position[1],
                 z = b.position[2] - 0.1 - a.position[2];
    CHECK_CASE(sqrt(x * x + y * y + z * z) >= 0.01 - 1e-5, "%g %g %g", x, y, z);
    CHECK(c.position[0] >= 0.035 - 1e-5);
  }
  end(scene, world);
}

/* ---- what a step would refuse ---------------------------------------------------------------- */

/* A free ball or clump in a scene without a cell. */
static void save_first(talus_context *context, const char *shape) {
  char text[256];
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  snprintf(text, sizeof text, "world: {gravity: [0, 0, 0]}\nbodies:\n  - {name: a, %s}\n", shape);
  if (build(context, text, &scene, &world)) {
    mkdir("cell_none", 0777);
    CHECK(talus_scene_save(scene, world, "cell_none", 1) == TALUS_OK);
  }
  end(scene, world);
}

/* A second scene, with a cell so wide, that begins from it; words: of a refusal, or NULL. */
static void check_second(talus_context *context, double width, const char *words) {
  char text[256], path[256];
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  snprintf(text, sizeof text,
           "world: {gravity: [0, 0, 0]}\nmaterials: {default: {}}\n"
           "cell:\n  lower: [0, 0, 0]\n  upper: [%g, %g, %g]\n",
           width, 2 * width, 2 * width);
  CHECK(talus_checkpoint_newest(context, "cell_none", path, sizeof path) == TALUS_OK);
  CHECK(scene_of(context, text, &scene) == TALUS_OK);
  CHECK(talus_scene_from(scene, path) == TALUS_OK);
  const talus_status status = talus_scene_build(scene, &world);
  CHECK_CASE(status == (words != NULL ? TALUS_FILE_FORMAT : TALUS_OK), "%s",
             talus_context_message(context));
  if (words != NULL) {
    CHECK_CASE(strstr(talus_context_message(context), "scene.yaml:5:") != NULL &&
                   strstr(talus_context_message(context), words) != NULL,
               "%s", talus_context_message(context));
  } else {
    CHECK(talus_world_step(world, NULL) == TALUS_OK);
  }
  end(scene, world);
}

/* A ball of 5 mm with a margin of 0.25 mm wants 21 mm. */
static void check_narrow(talus_context *context) {
  static const char form[] = "world: {gravity: [0, 0, 0], margin: 0.1}\n"
                             "cell:\n  lower: [0, 0, 0]\n  upper: [%g, 1, 1]\n"
                             "bodies:\n  - {name: nut, %s}\n";
  static const char clump[] = "shape: clump, parts: [{radius: 5 mm}, {radius: 1 mm, position: "
                              "[5 mm, 0, 0]}]";
  char text[512];
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  for (int k = 0; k < 2; k++) {
    const char *const shape = k == 0 ? "radius: 5 mm" : clump;
    snprintf(text, sizeof text, form, 0.0203, shape);
    check_refused(context, text, "scene.yaml:4:10: cell.upper: the cell is 0.0203 m wide along x");
    snprintf(text, sizeof text, form, 0.0212, shape);
    if (build(context, text, &scene, &world)) {
      CHECK(talus_world_step(world, NULL) == TALUS_OK);
    }
    end(scene, world);
    scene = NULL;
    world = NULL;
  }
  save_first(context, "radius: 5 mm");
  check_second(context, 0.019, "two diameters of grain 0");
  check_second(context, 0.022, NULL);
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
  check_inlet(context);
  check_from(context);
  check_velocities(context);
  check_wall(context);
  check_overlaps(context, "radius: 5 mm", "0.00279 m (0.56 of the");
  check_overlaps(context, "shape: box, size: 1 cm", "0.004 m (0.46 of the");
  check_narrow(context);
  talus_context_destroy(context);
  return check_end();
}
