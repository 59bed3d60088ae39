/* test_generators.c: grains are where they should be, never overlap, and are the same every time.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/check.h"
#include "tests/scene/scene_text.h"

/* Free bodies: positions and radii of the balls around them. */
typedef struct balls {
  double *ball; /* x y z r */
  int32_t count;
} balls;

static balls balls_of(const talus_scene *scene, const talus_world *world) {
  balls b = {NULL, 0};
  const int32_t capacity = talus_body_capacity(world);
  b.ball = calloc((size_t)capacity + 1, 4 * sizeof(double));
  for (int32_t i = 0; i < capacity; i++) {
    talus_body_state state;
    if (talus_body_kind(world, i) == TALUS_BODY_FREE &&
        talus_body_get(world, i, &state) == TALUS_OK) {
      memcpy(b.ball + 4 * b.count, state.position, sizeof state.position);
      b.ball[4 * b.count++ + 3] = talus_scene_body_radius(scene, i);
    }
  }
  return b;
}

/* The deepest overlap of two balls, relative to the smaller. */
static double overlap_of(const balls *b) {
  double worst = -1;
  for (int32_t i = 0; i < b->count; i++) {
    for (int32_t k = 0; k < i; k++) {
      const double *p = b->ball + 4 * i, *q = b->ball + 4 * k;
      const double d = sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) +
                            (p[2] - q[2]) * (p[2] - q[2]));
      worst = fmax(worst, (p[3] + q[3] - d) / fmin(p[3], q[3]));
    }
  }
  return worst;
}

typedef struct generator {
  const char *text;
  int32_t count;             /* free bodies, -1: any number above 0 */
  double overlap;            /* of balls, at most */
  double lower[3], upper[3]; /* that hold all balls */
} generator;

static const generator generators[] = {
    {"walls:\n  - {kind: box, size: [1, 1, 1]}\n"
     "grains:\n  - {kind: random, radius: 5 cm, count: 300}\n",
     300,
     0,
     {-0.5, -0.5, 0},
     {0.5, 0.5, 99}},
    {"bodies:\n  - {radius: 20 cm, position: [0.5, 0.5, 0.5]}\n"
     "grains:\n  - {kind: random, radius: 1 cm, count: 500, sizes: {kind: lognormal, deviation: "
     "0.5},\n"
     "     region: {lower: [0, 0, 0], upper: [1, 1, 1]}}\n",
     501,
     0,
     {0, 0, 0},
     {1, 1, 1}},
    {"grains:\n  - {kind: random, radius: 1 cm, count: 400, region: {kind: cylinder, centre: [0, "
     "0, 0],\n"
     "     radius: 0.2, height: 0.5, axis: [0, 1, 0]},\n"
     "     sizes: {kind: classes, classes: [[0.1, 0.9], [1, 0.1]], by: volume}}\n",
     400,
     0,
     {-0.2, 0, -0.2},
     {0.2, 0.5, 0.2}},
    {"grains:\n  - {kind: random, shape: box, size: [2 cm, 3 cm, 4 cm], turned: random, fraction: "
     "0.05,\n"
     "     region: {kind: ball, centre: [0, 0, 0], radius: 0.3}}\n",
     -1,
     9,
     {-0.3, -0.3, -0.3},
     {0.3, 0.3, 0.3}},
    {"world: {plane: true}\nwalls:\n  - {kind: box, size: [1, 1]}\n"
     "grains:\n  - {kind: random, shape: disk, radius: 3 cm, fill: 0.5}\n",
     145,
     0,
     {-0.5, -1, 0},
     {0.5, 1, 99}},
    {"grains:\n  - {kind: lattice, radius: 5 cm, region: {lower: [0, 0, 0], upper: [1.01, 1.01, "
     "1.01]}}\n",
     1000,
     0,
     {0, 0, 0},
     {1.01, 1.01, 1.01}},
    {"grains:\n  - {kind: lattice, arrangement: fcc, radius: 5 cm, jitter: 1, gap: 0.1, count: "
     "150,\n"
     "     region: {lower: [0, 0, 0], upper: [1, 1, inf]}}\n",
     150,
     1e-12,
     {0, 0, 0},
     {1, 1, 9}},
    {"grains:\n  - {kind: lattice, arrangement: hex, radius: 5 cm, count: 150, gap: 0,\n"
     "     region: {lower: [0, 0, 0], upper: [1, 1, inf]}}\n",
     150,
     1e-12,
     {-1e-9, -1e-9, -1e-9},
     {1.01, 1.01, 9}},
    {"world: {plane: true}\ngrains:\n"
     "  - {kind: lattice, arrangement: pyramid, shape: disk, radius: 3, counts: [6, 0, 0], gap: "
     "0}\n",
     21,
     1e-12,
     {-1e-9, -3, -1e-9},
     {36.01, 3, 40}},
    {"grains:\n  - {kind: lattice, arrangement: pyramid, radius: 1, counts: [4, 0, 0], gap: 0}\n",
     30,
     1e-12,
     {-1e-9, -1e-9, -1e-9},
     {8.01, 8.01, 9}},
    {"grains:\n  - {kind: lattice, arrangement: brick, shape: box, size: [2, 1, 1], gap: 0,\n"
     "     counts: [4, 1, 3]}\n",
     13,
     9,
     {-9, -9, -9},
     {99, 99, 99}},
    {"walls:\n  - {kind: box, size: [0.6, 0.6, 1]}\ngrains:\n"
     "  - {kind: settled, radius: 4 cm, count: 200, sizes: {kind: uniform, low: 0.8, high: 1.2}}\n",
     200,
     1e-6,
     {-0.3001, -0.3001, -1e-4},
     {0.3001, 0.3001, 9}},
    {"walls:\n  - {kind: silo, radius: 0.3, height: 2}\ngrains:\n  - kind: layers\n    radius: 2 "
     "cm\n"
     "    region: {kind: cylinder, centre: [0, 0, 0], radius: 0.29, height: 1}\n"
     "    layers:\n      - {height: 0.3, count: 50}\n      - {height: 0.3, fraction: 0.1}\n",
     -1,
     0,
     {-0.29, -0.29, 0},
     {0.29, 0.29, 0.6}},
    {"walls:\n  - {kind: drum, radius: 0.5, length: 0.3, lifters: 4, lifter: 5 cm}\n"
     "grains:\n  - {kind: random, radius: 2 cm, fraction: 0.1}\n",
     -1,
     0,
     {-0.5, -0.15, -0.5},
     {0.5, 0.15, 0.5}},
    {"grains:\n  - kind: random\n    shape: clump\n    parts:\n      - {radius: 1 cm, position: "
     "[-1 cm, 0, 0]}\n"
     "      - {radius: 2 cm, position: [2 cm, 0, 0]}\n    count: 40\n    turned: random\n"
     "    region: {lower: [0, 0, 0], upper: [1, 1, 1]}\n",
     40,
     9,
     {-0.1, -0.1, -0.1},
     {1.1, 1.1, 1.1}},
};

static void check_generator(talus_context *context, const generator *g, int number) {
  talus_scene *scene = NULL, *again = NULL;
  talus_world *world = NULL, *world_again = NULL;
  if (!CHECK(world_of(context, g->text, &scene, &world) == TALUS_OK)) {
    printf("  case %d: %s\n", number, talus_context_message(context));
    talus_scene_destroy(scene);
    return;
  }
  balls b = balls_of(scene, world);
  CHECK_CASE(g->count < 0 ? b.count > 0 : b.count == g->count, "%d: %d bodies", number, b.count);
  const double overlap = overlap_of(&b);
  CHECK_CASE(overlap <= g->overlap, "%d: overlap %g", number, overlap);
  int inside = 1;
  for (int32_t i = 0; i < b.count; i++) {
    const double *ball = b.ball + 4 * i;
    for (int c = 0; c < 3; c++) {
      inside &=
          ball[c] - ball[3] >= g->lower[c] - 1e-12 && ball[c] + ball[3] <= g->upper[c] + 1e-12;
    }
  }
  CHECK_CASE(inside || g->overlap > 1, "%d: outside the region", number);
  /* The same text gives the same bits. */
  CHECK(world_of(context, g->text, &again, &world_again) == TALUS_OK);
  balls b2 = balls_of(again, world_again);
  CHECK_CASE(b2.count == b.count &&
                 memcmp(b.ball, b2.ball, 4 * (size_t)b.count * sizeof(double)) == 0,
             "%d: not the same again", number);
  free(b.ball);
  free(b2.ball);
  talus_world_destroy(world);
  talus_world_destroy(world_again);
  talus_scene_destroy(scene);
  talus_scene_destroy(again);
}

/* Another seed gives another packing; the size classes come in the wanted shares. */
static void check_seed(talus_context *context) {
  static const char text[] = "grains:\n  - {kind: random, radius: 1 mm, count: 2000, region: "
                             "{lower: [0, 0, 0], upper: [1, 1, "
                             "1]},\n     sizes: {kind: classes, classes: [[1, 3], [2, 1]]}}\n";
  static const char *const seed = "world.seed=2";
  talus_scene *a = NULL, *b = NULL;
  talus_world *one = NULL, *two = NULL;
  CHECK(world_of(context, text, &a, &one) == TALUS_OK);
  CHECK(talus_scene_read(context, "scene.yaml", &seed, 1, &b) == TALUS_OK);
  CHECK(b != NULL && talus_scene_build(b, &two) == TALUS_OK);
  CHECK(a != NULL && b != NULL && tl_scene_hash(a) != tl_scene_hash(b));
  balls p = balls_of(a, one), q = balls_of(b, two);
  CHECK(memcmp(p.ball, q.ball, 100 * sizeof(double)) != 0);
  int32_t large = 0;
  for (int32_t i = 0; i < p.count; i++) {
    large += p.ball[4 * i + 3] > 1.5e-3;
  }
  CHECK_CASE(large > 420 && large < 580, "%d of 2000 are large, 500 expected", large);
  free(p.ball);
  free(q.ball);
  talus_world_destroy(one);
  talus_world_destroy(two);
  talus_scene_destroy(a);
  talus_scene_destroy(b);
}

/* Overlaps are resolved when asked, and left alone when asked. */
static void check_overlap(talus_context *context) {
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  CHECK(world_of(context,
                 "world: {overlap: resolve}\nwalls:\n  - kind: plane\nbodies:\n"
                 "  - {radius: 1, position: [0, 0, 0.9]}\n  - {radius: 1, position: [1.7, 0, 1]}\n",
                 &scene, &world) == TALUS_OK);
  if (world != NULL) {
    balls b = balls_of(scene, world);
    CHECK(b.count == 2 && overlap_of(&b) <= 1e-3 && b.ball[2] >= 1 - 1e-3);
    free(b.ball);
  } else {
    printf("  %s\n", talus_context_message(context));
  }
  talus_world_destroy(world);
  talus_scene_destroy(scene);
  CHECK(world_of(context,
                 "world: {overlap: ignore}\nbodies:\n  - {radius: 1}\n"
                 "  - {radius: 1, position: [1.7, 0, 0]}\n",
                 &scene, &world) == TALUS_OK);
  if (world != NULL) {
    balls b = balls_of(scene, world);
    CHECK_CLOSE(overlap_of(&b), 0.3, 1e-12);
    free(b.ball);
  }
  talus_world_destroy(world);
  talus_scene_destroy(scene);
}

/* Across the faces of a cell: some are cut by them, none overlaps an image of another one. Grains
 * of a second generator keep clear of the first one's images. */
static void check_across(talus_context *context) {
  static const char text[] =
      "cell: {lower: [0, 0, 0], upper: [4 cm, 4 cm, 4 cm]}\ngrains:\n  - {kind: random, radius: "
      "4 mm, count: 50, across: true}\n  - {kind: random, radius: 3 mm, count: 30}\n";
  static const double edge = 0.04;
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  CHECK(world_of(context, text, &scene, &world) == TALUS_OK);
  balls b = balls_of(scene, world);
  int32_t cut = 0;
  double gap = edge;
  for (int32_t i = 0; i < b.count; i++) {
    const double *const p = b.ball + 4 * i;
    int outside = 0;
    for (int c = 0; c < 3; c++) {
      CHECK(p[c] >= 0 && p[c] <= edge);
      outside |= p[c] < p[3] || p[c] > edge - p[3];
    }
    cut += outside;
    for (int32_t k = 0; k < i; k++) {
      const double *const q = b.ball + 4 * k;
      double square = 0;
      for (int c = 0; c < 3; c++) {
        const double d = p[c] - q[c], nearest = d - edge * round(d / edge);
        square += nearest * nearest;
      }
      gap = fmin(gap, sqrt(square) - p[3] - q[3]);
    }
  }
  CHECK_CASE(b.count == 80 && cut > 20, "%d of %d are cut by a face", cut, b.count);
  CHECK_CASE(gap > -1e-12, "they overlap by %g m", -gap);
  free(b.ball);
  talus_world_destroy(world);
  talus_scene_destroy(scene);
  scene = NULL;
  world = NULL;
  CHECK(world_of(context,
                 "walls: [{kind: box, size: [9 cm, 9 cm, 9 cm]}]\ngrains:\n  - {kind: random, "
                 "radius: 4 mm, count: 5, across: true}\n",
                 &scene, &world) == TALUS_FILE_FORMAT);
  CHECK(strstr(talus_context_message(context), "scene.yaml:3:") != NULL &&
        strstr(talus_context_message(context), "across: only grains that fill") != NULL);
  talus_scene_destroy(scene);
}

/* Layers have no key `across`: random grains alone are told of it. */
static void check_layers(talus_context *context) {
  static const char *const kinds[2] = {"random, fraction: 0.6",
                                       "layers, layers: [{height: 4 cm, fraction: 0.6}]"};
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  char text[256];
  for (int i = 0; i < 2; i++) {
    snprintf(text, sizeof text,
             "cell: {lower: [0, 0, 0], upper: [4 cm, 4 cm, 4 cm]}\n"
             "grains:\n  - {kind: %s, radius: 4 mm}\n",
             kinds[i]);
    CHECK(world_of(context, text, &scene, &world) == TALUS_FILE_FORMAT);
    CHECK_CASE(strstr(talus_context_message(context), "grains found room") != NULL &&
                   (strstr(talus_context_message(context), "across: true") != NULL) == (i == 0),
               "%s", talus_context_message(context));
    talus_scene_destroy(scene);
    scene = NULL;
  }
}

/* What a step would refuse is told with its line. */
static void check_narrow(talus_context *context) {
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  CHECK(world_of(context,
                 "cell: {lower: [0, 0, 0], upper: [1 cm, 2 cm, 2 cm]}\nbodies: [{shape: sphere, "
                 "name: nut, radius: 4 mm}]\n",
                 &scene, &world) == TALUS_FILE_FORMAT);
  CHECK(strstr(talus_context_message(context), "scene.yaml:1:") != NULL &&
        strstr(talus_context_message(context), "two diameters of bodies[0] nut") != NULL);
  talus_scene_destroy(scene);
}

int main(void) {
  talus_context *context = NULL;
  talus_context_def def = talus_context_def_default();
  def.threads = 1;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  talus_scene *scene = NULL;
  if (scene_of(context, "title: any\n", &scene) != TALUS_OK) {
    talus_context_destroy(context);
    return CHECK_SKIPPED;
  }
  talus_scene_destroy(scene);
  for (int i = 0; i < (int)(sizeof generators / sizeof generators[0]); i++) {
    check_generator(context, &generators[i], i);
  }
  check_seed(context);
  check_overlap(context);
  check_across(context);
  check_layers(context);
  check_narrow(context);
  talus_context_destroy(context);
  return check_end();
}
