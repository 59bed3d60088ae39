/* test_occupancy.c: grains of any shape find room between walls, bodies and each other, in regions
 * with holes; judged by distances that are written out here. Inlets and overlaps that leave no room
 * are told. */
#include <stdlib.h>
#include <string.h>

#include "host/world/world.h"
#include "tests/check.h"
#include "tests/scene/scene_text.h"

static int build(talus_context *context, const char *text, talus_scene **scene,
                 talus_world **world) {
  if (!CHECK(world_of(context, text, scene, world) == TALUS_OK)) {
    printf("  %s\n", talus_context_message(context));
    return 0;
  }
  return 1;
}

static int32_t free_count(const talus_world *world) {
  int32_t count = 0;
  for (int32_t i = 0; i < talus_body_capacity(world); i++) {
    count += talus_body_exists(world, i) && talus_body_kind(world, i) == TALUS_BODY_FREE;
  }
  return count;
}

/* Ends of a capsule's segment. */
static void ends_of(const talus_world *world, int32_t body, double half, double ends[2][3]) {
  talus_body_state s;
  talus_body_get(world, body, &s);
  const double *q = s.orientation;
  const double axis[3] = {2 * (q[1] * q[3] + q[0] * q[2]), 2 * (q[2] * q[3] - q[0] * q[1]),
                          1 - 2 * (q[1] * q[1] + q[2] * q[2])};
  for (int c = 0; c < 3; c++) {
    ends[0][c] = s.position[c] - half * axis[c];
    ends[1][c] = s.position[c] + half * axis[c];
  }
}

/* Distance of two segments, by points of both. */
static double segments_apart(double a[2][3], double b[2][3]) {
  enum { POINTS = 40 };
  double least = INFINITY;
  for (int i = 0; i <= POINTS; i++) {
    double p[3], along = 0, length = 0, square = 0;
    for (int c = 0; c < 3; c++) {
      p[c] = a[0][c] + (a[1][c] - a[0][c]) * i / POINTS;
      along += (p[c] - b[0][c]) * (b[1][c] - b[0][c]);
      length += (b[1][c] - b[0][c]) * (b[1][c] - b[0][c]);
    }
    const double t = fmin(1, fmax(0, along / length));
    for (int c = 0; c < 3; c++) {
      const double d = p[c] - b[0][c] - t * (b[1][c] - b[0][c]);
      square += d * d;
    }
    least = fmin(least, sqrt(square));
  }
  return least;
}

/* Long grains in a tall box without a lid: all find room, inside and apart. */
static void check_tall(talus_context *context, const char *shape, int count, double half,
                       double radius, double width) {
  char text[512];
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  snprintf(text, sizeof text,
           "walls:\n  - {kind: box, size: [%g, %g, 1]}\n"
           "grains:\n  - {kind: random, shape: %s, radius: %g, length: %g, turned: random,\n"
           "     count: %d}\n",
           width, width, shape, radius, 2 * half, count);
  if (build(context, text, &scene, &world)) {
    int apart = 1, inside = 1;
    CHECK(free_count(world) == count);
    for (int32_t i = 1; i <= count; i++) {
      double a[2][3], b[2][3];
      ends_of(world, i, half, a);
      for (int end = 0; end < 2; end++) {
        inside &= fabs(a[end][0]) <= width / 2 - radius + 1e-9 &&
                  fabs(a[end][1]) <= width / 2 - radius + 1e-9 && a[end][2] >= radius - 1e-9;
      }
      for (int32_t k = 1; k < i; k++) {
        ends_of(world, k, half, b);
        apart &= segments_apart(a, b) >= 2 * radius - 1e-9;
      }
    }
    CHECK(apart && inside);
  }
  talus_world_destroy(world);
  talus_scene_destroy(scene);
}

/* Distance of a point from a box with edges along the axes; negative inside. */
static double box_distance(const double p[3], const double lower[3], const double upper[3]) {
  double square = 0, inside = -INFINITY;
  for (int c = 0; c < 3; c++) {
    const double d = fmax(lower[c] - p[c], p[c] - upper[c]);
    square += d > 0 ? d * d : 0;
    inside = fmax(inside, d);
  }
  return square > 0 ? sqrt(square) : inside;
}

/* Plates around a sample: their balls cover all of it, they themselves nothing. */
static void check_plates(talus_context *context) {
  static const char text[] =
      "bodies:\n"
      "  - {type: fixed, shape: box, size: [2 mm, 10 cm, 10 cm], position: [-5.1 cm, 0, 5 cm]}\n"
      "  - {type: kinematic, shape: box, size: [2 mm, 10 cm, 10 cm], position: [5.1 cm, 0, 5 cm]}\n"
      "  - {shape: box, size: [10 cm, 2 mm, 10 cm], position: [0, -5.1 cm, 5 cm]}\n"
      "  - {shape: box, size: [10 cm, 2 mm, 10 cm], position: [0, 5.1 cm, 5 cm]}\n"
      "  - {shape: box, size: [10 cm, 10 cm, 2 mm], position: [0, 0, -1 mm]}\n"
      "  - {shape: box, size: [10 cm, 10 cm, 2 mm], position: [0, 0, 10.1 cm]}\n"
      "grains:\n"
      "  - {kind: random, radius: 2.5 mm, count: 1500,\n"
      "     region: {lower: [-5 cm, -5 cm, 0], upper: [5 cm, 5 cm, 10 cm]}}\n";
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  if (build(context, text, &scene, &world)) {
    int inside = 1;
    for (int32_t i = 6; i < talus_body_capacity(world); i++) {
      talus_body_state s;
      talus_body_get(world, i, &s);
      inside &= fabs(s.position[0]) <= 0.0475 && fabs(s.position[1]) <= 0.0475 &&
                fabs(s.position[2] - 0.05) <= 0.0475;
    }
    CHECK(free_count(world) == 1504 && inside);
  }
  talus_world_destroy(world);
  talus_scene_destroy(scene);
}

/* Whatever is in the region is kept clear of: a plane, a kinematic box, a fixed ball, a link. */
static void check_within(talus_context *context, const char *kind) {
  static const double lower[3] = {0.3, 0.3, 0.5}, upper[3] = {0.7, 0.7, 0.9};
  static const double link[3][3] = {{0, 0.8, 0.4}, {0.2, 1, 0.6}, {0, 0, 0}};
  char text[1024];
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  snprintf(
      text, sizeof text,
      "walls:\n  - {kind: plane, position: [0, 0, 0.3]}\n"
      "bodies:\n"
      "  - {type: kinematic, shape: box, size: 0.4, position: [0.5, 0.5, 0.7]}\n"
      "  - {type: fixed, radius: 0.2, position: [1, 0, 0.5]}\n"
      "mechanisms:\n"
      "  - {name: m, links: [{name: a, position: [0.1, 0.9, 0.5], mass: 1, inertia: [1, 1, 1],\n"
      "     shapes: [{shape: box, size: 0.2}]}]}\n"
      "grains:\n  - {kind: %s, radius: 2 cm, region: {lower: [0, 0, 0], upper: [1, 1, 1]}}\n",
      kind);
  if (build(context, text, &scene, &world)) {
    double nearest[4] = {INFINITY, INFINITY, INFINITY, INFINITY};
    for (int32_t i = 4; i < talus_body_capacity(world); i++) {
      talus_body_state s;
      talus_body_get(world, i, &s);
      const double *p = s.position;
      const double ball = sqrt((p[0] - 1) * (p[0] - 1) + p[1] * p[1] + (p[2] - 0.5) * (p[2] - 0.5));
      nearest[0] = fmin(nearest[0], p[2] - 0.3);
      nearest[1] = fmin(nearest[1], box_distance(p, lower, upper));
      nearest[2] = fmin(nearest[2], ball - 0.2);
      nearest[3] = fmin(nearest[3], box_distance(p, link[0], link[1]));
    }
    CHECK_CASE(free_count(world) > 100, "%d grains", (int)free_count(world));
    for (int i = 0; i < 4; i++) { /* clear, but not by far */
      CHECK_CASE(nearest[i] >= 0.02 * (1 - 2e-3) && nearest[i] < 0.06, "%d: %g", i, nearest[i]);
    }
  }
  talus_world_destroy(world);
  talus_scene_destroy(scene);
}

/* Bodies that do not collide with the grains are not avoided. */
static void check_groups(talus_context *context) {
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  if (build(context,
            "bodies:\n  - {type: fixed, shape: box, size: 2, group: 3, collides: [0]}\n"
            "grains:\n  - {kind: random, radius: 1 cm, count: 50, group: 1, collides: [1],\n"
            "     region: {lower: [0, 0, 0], upper: [0.5, 0.5, 0.5]}}\n",
            &scene, &world)) {
    CHECK(free_count(world) == 50);
  }
  talus_world_destroy(world);
  talus_scene_destroy(scene);
}

/* Whether a ring holds a ball, or, without a radius, a point. */
static int in_ring(const double p[3], double inner, double outer, double height, double r) {
  const double across = sqrt(p[0] * p[0] + p[1] * p[1]);
  return across >= inner + r - 1e-9 && across <= outer - r + 1e-9 && p[2] >= r - 1e-9 &&
         p[2] <= height - r + 1e-9;
}

/* An annulus without a box: balls by their centres, boxes by points on their faces. */
static void check_regions(talus_context *context) {
  static const double lower[3] = {0, -1, 0.1}, upper[3] = {1, 1, 0.2};
  static const char region[] =
      "region: {kind: annulus, centre: [0, 0, 0], inner: 0.1, radius: 0.2, "
      "height: 0.3,\n       without: [{lower: [0, -1, 0.1], upper: [1, 1, "
      "0.2]}]}}\n";
  char text[1024];
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  snprintf(text, sizeof text, "grains:\n  - {kind: random, radius: 8 mm, fraction: 0.2, %s",
           region);
  if (build(context, text, &scene, &world)) {
    int inside = 1;
    /* 0.2 of pi (0.2^2 - 0.1^2) (0.3 - 0.1 / 2), over a ball's volume */
    CHECK_CASE(abs(free_count(world) - 2197) <= 2, "%d", (int)free_count(world));
    for (int32_t i = 0; i < talus_body_capacity(world); i++) {
      talus_body_state s;
      talus_body_get(world, i, &s);
      inside &= in_ring(s.position, 0.1, 0.2, 0.3, 0.008) &&
                box_distance(s.position, lower, upper) >= 0.008 - 1e-9;
    }
    CHECK(inside);
  }
  talus_world_destroy(world);
  talus_scene_destroy(scene);
  snprintf(
      text, sizeof text,
      "grains:\n  - {kind: random, shape: box, size: [1 cm, 2 cm, 3 cm], turned: random, count: "
      "400,\n     %s",
      region);
  if (build(context, text, &scene, &world)) {
    int inside = 1;
    for (int32_t i = 0; i < talus_body_capacity(world); i++) {
      double rotation[9];
      talus_body_state s;
      talus_body_get(world, i, &s);
      tl_quaternion_matrix(s.orientation, rotation);
      for (int k = 0; k < 11 * 11 * 11; k++) {
        const double u[3] = {(k % 11 / 5.0 - 1) * 5e-3, (k / 11 % 11 / 5.0 - 1) * 10e-3,
                             (k / 121 / 5.0 - 1) * 15e-3};
        double p[3];
        for (int c = 0; c < 3; c++) {
          p[c] = s.position[c] + rotation[3 * c] * u[0] + rotation[3 * c + 1] * u[1] +
                 rotation[3 * c + 2] * u[2];
        }
        inside &= in_ring(p, 0.1, 0.2, 0.3, 0) && box_distance(p, lower, upper) >= -1e-9;
      }
    }
    CHECK(inside && free_count(world) == 400);
  }
  talus_world_destroy(world);
  talus_scene_destroy(scene);
}

/* A ring of disks around a hole, polygons beside a box. */
static void check_plane(talus_context *context) {
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  if (build(
          context,
          "world: {plane: true}\nwalls:\n  - {kind: plane, position: [0, -0.5]}\n"
          "grains:\n"
          "  - {kind: random, shape: disk, radius: 1 cm, fraction: 0.3, region: {kind: annulus,\n"
          "     centre: [0, 0], axis: [0, 1, 0], inner: 0.2, radius: 0.4, height: 1}}\n"
          "  - {kind: random, shape: polygon, sides: 3, radius: 2 cm, turned: random, count: 60,\n"
          "     region: {lower: [0.5, -1], upper: [1, 0], without: [{kind: ball, centre: [0.75, "
          "-0.2],\n     radius: 0.15}]}}\n",
          &scene, &world)) {
    int inside = 1, disks = 0, polygons = 0;
    for (int32_t i = 1; i < talus_body_capacity(world); i++) {
      talus_body_state s;
      talus_body_get(world, i, &s);
      const double *p = s.position, r = sqrt(p[0] * p[0] + p[2] * p[2]);
      if (p[0] < 0.5) {
        disks++;
        inside &= r >= 0.21 && r <= 0.39;
      } else { /* the ball inside of a triangle is half as large as that around it */
        polygons++;
        const double x = p[0] - 0.75, z = p[2] + 0.2;
        inside &= p[2] >= -0.49 && sqrt(x * x + z * z) >= 0.16;
      }
    }
    /* 0.3 (0.4^2 - 0.2^2) / 0.01^2 */
    CHECK_CASE(disks == 360 && polygons == 60 && inside, "%d disks, %d polygons", disks, polygons);
  }
  talus_world_destroy(world);
  talus_scene_destroy(scene);
}

/* ---- what is told ---------------------------------------------------------------------------- */

static char heard[2048];

static void listen(void *user, talus_log_level level, const char *text) {
  (void)user;
  if (level <= TALUS_LOG_WARNING) {
    snprintf(heard + strlen(heard), sizeof heard - strlen(heard), "%s\n", text);
  }
}

static void check_refused(talus_context *context, const char *text, const char *words) {
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  CHECK(world_of(context, text, &scene, &world) == TALUS_FILE_FORMAT);
  CHECK_CASE(strstr(talus_context_message(context), words) != NULL, "'%s' is not in '%s'", words,
             talus_context_message(context));
  talus_world_destroy(world);
  talus_scene_destroy(scene);
}

/* An inlet in a wall is refused, half in a wall is told, behind a gate that opens is told. */
static void check_inlets(talus_context *context) {
  static const char *const told[][3] = {
      {"until: 1 s", "-0.01", "100 % is taken by walls[0] floor: grains appear in the rest, once"},
      {"motions: [{kind: velocity, velocity: [0, 0, -1]}]", "-0.01", "100 % is taken by walls[0]"},
      {"group: 0", "0.1", "is taken by walls[0] floor"},
      {"collides: []", "-0.01", ""},
      {"position: [0, 0, -1]", "-0.01", ""},
  };
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  char text[1024];
  for (int i = 0; i < (int)(sizeof told / sizeof told[0]); i++) {
    snprintf(text, sizeof text,
             "walls:\n  - {kind: plane, name: floor, %s}\n"
             "inlets:\n  - {radius: 1 mm, rate: 10 Hz, begin: 0.1,\n"
             "     region: {lower: [0, 0, -0.1], upper: [0.1, 0.1, %s]}}\n",
             told[i][0], told[i][1]);
    heard[0] = 0;
    if (build(context, text, &scene, &world)) {
      const int quiet = told[i][2][0] == 0;
      CHECK_CASE(quiet ? heard[0] == 0 : strstr(heard, told[i][2]) != NULL, "%d: %s", i, heard);
      CHECK_CASE(quiet || strstr(heard, "scene.yaml:5:") != NULL, "%d: %s", i, heard);
    }
    talus_world_destroy(world);
    talus_scene_destroy(scene);
  }
  check_refused(context,
                "walls:\n  - {kind: plane, name: floor}\n"
                "inlets:\n  - {radius: 1 mm, rate: 10 Hz,\n"
                "     region: {lower: [0, 0, -0.1], upper: [0.1, 0.1, -0.01]}}\n",
                "scene.yaml:5:14: the inlet's region lies inside of walls[0] floor");
  check_refused(context,
                "inlets:\n  - {shape: capsule, radius: 1 cm, length: 0.2, rate: 10 Hz,\n"
                "     region: {lower: [0, 0, 0], upper: [0.1, 0.1, 0.1]}}\n",
                "the region is too small for the inlet's grains");
}

/* Grains from an inlet half in a wall are all outside of it. */
static void check_pouring(talus_context *context) {
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  if (build(context,
            "walls:\n  - {kind: plane}\n"
            "bodies:\n  - {type: kinematic, shape: box, size: 0.04, position: [0.05, 0.05, 0.05]}\n"
            "inlets:\n  - {shape: capsule, radius: 1 mm, length: 6 mm, rate: 20 kHz, turned: "
            "random,\n"
            "     region: {lower: [0, 0, -0.1], upper: [0.1, 0.1, 0.1]}}\n",
            &scene, &world)) {
    static const double lower[3] = {0.03, 0.03, 0.03}, upper[3] = {0.07, 0.07, 0.07};
    int outside = 1;
    CHECK(talus_world_step(world, NULL) == TALUS_OK);
    for (int i = 0; i < 5; i++) { /* no step between: they stay where they appear */
      world->time = 0.01 * (i + 1);
      CHECK(talus_scene_tick(scene, world) == TALUS_OK);
    }
    for (int32_t i = 2; i < talus_body_capacity(world); i++) {
      double ends[2][3];
      ends_of(world, i, 3e-3, ends);
      for (int k = 0; k <= 20; k++) {
        double p[3];
        for (int c = 0; c < 3; c++) {
          p[c] = ends[0][c] + (ends[1][c] - ends[0][c]) * k / 20;
        }
        outside &= p[2] >= 1e-3 - 1e-9 && box_distance(p, lower, upper) >= 1e-3 - 1e-9;
      }
    }
    CHECK_CASE(talus_scene_added(scene) == 1000 && outside, "%d", (int)talus_scene_added(scene));
  }
  talus_world_destroy(world);
  talus_scene_destroy(scene);
}

static void check_messages(talus_context *context) {
  check_refused(context,
                "walls:\n  - {kind: plane, name: floor}\n"
                "grains:\n  - {kind: random, radius: 1 cm, count: 9, region: {lower: [0, 0, -1], "
                "upper: [1, 1, 0]}}\n",
                "scene.yaml:4:5: only 0 of 9 grains found room in 5000 tries each (most places are "
                "taken by walls[0] floor)");
  check_refused(
      context,
      "walls:\n  - {kind: plane, name: floor}\n"
      "grains:\n  - {kind: lattice, radius: 1 cm, region: {lower: [0, 0, -1], upper: [0.1, "
      "0.1, 0]}}\n",
      "taken, the last one by walls[0] floor");
  check_refused(context,
                "grains:\n  - {kind: random, shape: box, size: 1, count: 9, turned: random,\n"
                "     region: {lower: [0, 0, 0], upper: [0.9, 9, inf]}}\n",
                "only 0 of 9 grains found room: the region is too small for one that reaches 0.866 "
                "m");
  check_refused(
      context,
      "grains:\n  - {kind: random, radius: 1, count: 9, region: {kind: annulus, inner: 2,\n"
      "     radius: 1, height: 1, centre: [0, 0, 0]}}\n",
      "scene.yaml:2:72: the annulus has no room between its radii");
  check_refused(
      context,
      "grains:\n  - {kind: random, radius: 1, count: 9, region: {lower: [0, 0, 0], upper: "
      "[9, 9, 9],\n     without: [{kind: annulus, inner: 1, radius: 2, height: 1, centre: "
      "[0, 0, 0]}]}}\n",
      "what a region is without is a box, a cylinder or a ball");
}

/* ---- overlaps at the start ------------------------------------------------------------------- */

typedef struct meter {
  size_t now, most;
} meter;

static void *allocate(void *user, size_t size) {
  meter *const m = user;
  m->now += size;
  m->most = m->now > m->most ? m->now : m->most;
  return aligned_alloc(64, (size + 63) / 64 * 64);
}

static void release(void *user, void *memory, size_t size) {
  ((meter *)user)->now -= memory != NULL ? size : 0;
  free(memory);
}

/* Bodies in one place: all pairs are counted, in memory that grows with the bodies. */
static size_t memory_of(int32_t count, const char *shape) {
  meter m = {0, 0};
  talus_context_def def = talus_context_def_default();
  def.threads = 1;
  def.allocate = allocate;
  def.release = release;
  def.allocate_user = &m;
  talus_context *context = NULL;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  char *text = malloc((size_t)count * 80 + 200), words[96];
  size_t used = (size_t)sprintf(text, "bodies:\n");
  for (int32_t i = 0; i < count; i++) {
    used +=
        (size_t)sprintf(text + used, "  - {%s, position: [0, 0, %g]}\n", shape, i == 7 ? 1e-4 : 0);
  }
  snprintf(words, sizeof words, "and so do %lld other pairs",
           (long long)count * (count - 1) / 2 - 1);
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  CHECK(scene_of(context, text, &scene) == TALUS_OK);
  const size_t before = m.most = m.now;
  CHECK(talus_scene_build(scene, &world) == TALUS_FILE_FORMAT);
  CHECK_CASE(strstr(talus_context_message(context), words) != NULL, "'%s' is not in '%s'", words,
             talus_context_message(context));
  CHECK(strstr(talus_context_message(context), "bodies[7]") == NULL); /* less deep than others */
  const size_t most = m.most - before;
  talus_scene_destroy(scene);
  talus_context_destroy(context);
  free(text);
  return most;
}

static void check_heap(void) {
  const size_t few = memory_of(500, "radius: 1 mm"), many = memory_of(2000, "radius: 1 mm");
  CHECK_CASE(many <= 5 * few && many < 4000000, "%zu and %zu bytes", few, many);
  const size_t boxes = memory_of(300, "shape: box, size: 1 mm");
  CHECK_CASE(boxes < 2000000, "%zu bytes", boxes);
}

/* The worst pairs by name, the deepest first; a resolve that cannot be is told. */
static void check_worst(talus_context *context) {
  check_refused(
      context,
      "walls:\n  - {kind: plane, name: floor}\nbodies:\n"
      "  - {name: a, radius: 1, position: [0, 0, 1]}\n"
      "  - {name: b, radius: 1, position: [1.5, 0, 1]}\n"
      "  - {name: c, radius: 1, position: [0, 5, 0.9]}\n"
      "  - {name: d, shape: box, size: 2, position: [1.75, 5, 1]}\n",
      "bodies[0] a and bodies[1] b overlap by 0.5 m (0.5 of the radius), and so do 2 other "
      "pairs: bodies[2] c and bodies[3] d by 0.25 m, walls[0] floor and bodies[2] c by 0.1 "
      "m; world.overlap:");
  char *text = malloc(20000);
  size_t used = (size_t)sprintf(text, "world: {overlap: resolve}\nbodies:\n");
  for (int i = 0; i < 200; i++) {
    used += (size_t)sprintf(text + used, "  - {radius: 1}\n");
  }
  check_refused(context, text, "too many lie in one place to push them apart");
  free(text);
}

static double apart(const talus_world *world, int32_t a, int32_t b) {
  talus_body_state s, t;
  double way[3];
  talus_body_get(world, a, &s);
  talus_body_get(world, b, &t);
  tl_sub3(way, t.position, s.position);
  return tl_norm3(way);
}

/* Bodies that overlap where a joint holds them stay as they are when others are pushed apart; a
 * motor and a third body do not move them against each other, and the joint goes with them. */
static void check_joined(talus_context *context) {
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  if (build(context,
            "world: {overlap: resolve, gravity: [0, 0, 0]}\n"
            "bodies:\n"
            "  - {name: a, radius: 1, position: [0, 0, 0]}\n"
            "  - {name: b, radius: 1, position: [1, 0, 0]}\n"
            "  - {name: c, radius: 1, position: [2.5, 0, 0]}\n"
            "joints:\n"
            "  - {kind: hinge, a: a, b: b, point: [0.5, 0, 0], axis: [0, 0, 1], rate: 5 rad/s,\n"
            "     effort: 1e6 N m}\n",
            &scene, &world)) {
    CHECK_CASE(fabs(apart(world, 0, 1) - 1) < 1e-4, "%g", apart(world, 0, 1));
    CHECK_CASE(apart(world, 1, 2) > 1.998, "%g", apart(world, 1, 2));
    CHECK(talus_world_step(world, NULL) == TALUS_OK); /* the joint has no error to mend */
    CHECK_CASE(fabs(apart(world, 0, 1) - 1) < 1e-3, "%g", apart(world, 0, 1));
  }
  talus_world_destroy(world);
  talus_scene_destroy(scene);
}

int main(void) {
  talus_context *context = NULL;
  talus_context_def def = talus_context_def_default();
  def.threads = 1;
  def.log = listen;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  talus_scene *scene = NULL;
  if (scene_of(context, "", &scene) == TALUS_UNSUPPORTED) {
    talus_context_destroy(context);
    return CHECK_SKIPPED;
  }
  talus_scene_destroy(scene);
  check_tall(context, "capsule", 150, 8e-3, 2e-3, 0.04);
  check_tall(context, "capsule", 400, 20e-3, 1e-3, 0.05);
  check_plates(context);
  check_within(context, "random, count: 300");
  check_within(context, "lattice, gap: 0.01");
  check_within(context, "settled, count: 3000");
  check_groups(context);
  check_regions(context);
  check_plane(context);
  check_inlets(context);
  check_pouring(context);
  check_messages(context);
  check_heap();
  check_worst(context);
  check_joined(context);
  talus_context_destroy(context);
  return check_end();
}
