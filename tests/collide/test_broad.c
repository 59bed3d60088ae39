/* test_broad.c: the broad-phase against the plain search over all pairs, on 1, 2 and 7 threads. */
#include "tests/collide/test_broad_scene.h"

static talus_context *context;

static void cube(double lower[3], double upper[3], double from, double to) {
  for (int axis = 0; axis < 3; axis++) {
    lower[axis] = from;
    upper[axis] = to;
  }
}

/* Radii over `ratio`, evenly in their logarithm, at the given share of the volume. */
static scene spheres(int32_t count, double ratio, double fill, uint64_t seed) {
  scene made = scene_make(count);
  uint64_t state = seed;
  double volume = 0, lower[3], upper[3];
  for (int32_t i = 0; i < count; i++) {
    made.geometry[i].radius = 0.01 * pow(ratio, scene_uniform(&state, 0, 1));
    volume += 4.18879 * pow(made.geometry[i].radius, 3);
  }
  const double edge = cbrt(volume / fill);
  cube(lower, upper, -0.7 * edge, 0.3 * edge);
  for (int32_t i = 0; i < count; i++) {
    scene_sphere(&made, i, made.geometry[i].radius, lower, upper, &state);
  }
  return made;
}

static void test_spheres(void) {
  for (uint64_t seed = 1; seed <= 3; seed++) {
    scene equal = spheres(3000, 1, 0.6, seed), wide = spheres(5000, 100, 0.5, seed);
    scene_check(context, &equal, 1e-11, "equal spheres");
    scene_check(context, &wide, 1e-11, "spheres 1 : 100");
    scene_free(&equal);
    scene_free(&wide);
  }
  scene extreme = spheres(3000, 1e12, 0.5, 7);
  scene_check(context, &extreme, 1e-4, "spheres 1 : 1e12");
  scene_free(&extreme);
}

/* Every kind without points, turned at random; groups, bodies of two shapes, immovable ones. */
static scene mixture(int32_t count, uint64_t seed) {
  scene made = scene_make(count);
  uint64_t state = seed;
  double lower[3], upper[3];
  cube(lower, upper, -3, 5);
  for (int32_t i = 0; i < count; i++) {
    tl_collider *const c = &made.collider[i];
    tl_geometry *const g = &made.geometry[i];
    const double size = 0.03 * pow(100, pow(scene_uniform(&state, 0, 1), 3));
    scene_sphere(&made, i, size, lower, upper, &state);
    const double choice = scene_uniform(&state, 0, 1);
    g->kind = choice < 0.5    ? TALUS_SHAPE_SPHERE
              : choice < 0.7  ? TALUS_SHAPE_BOX
              : choice < 0.8  ? TALUS_SHAPE_CAPSULE
              : choice < 0.99 ? TALUS_SHAPE_CYLINDER
                              : TALUS_SHAPE_HALFSPACE;
    g->half_length = size * scene_uniform(&state, 0, 3);
    for (int axis = 0; axis < 3; axis++) {
      g->half_edge[axis] = size * scene_uniform(&state, 0.1, 2);
    }
    scene_turn(c, &state);
    c->body = scene_bits(&state) % 2 ? i : i / 2;
    c->movable = scene_bits(&state) % 4 != 0;
    c->group = (int32_t)(scene_bits(&state) % 32);
    c->collides = (uint32_t)(scene_bits(&state) | scene_bits(&state));
    c->margin *= scene_uniform(&state, 0, 3);
  }
  return made;
}

static void test_mixtures(void) {
  for (uint64_t seed = 1; seed <= 6; seed++) {
    scene made = mixture(seed % 2 ? 2500 : 5000, seed);
    scene_check(context, &made, 1e-11, "mixture");
    scene_free(&made);
  }
  scene made = mixture(300, 11);
  for (int32_t i = 0; i < 300; i += 50) { /* boxes without end */
    made.geometry[i].kind = TALUS_SHAPE_BOX;
    made.geometry[i].half_edge[0] = made.geometry[i].half_edge[1] = made.geometry[i].half_edge[2] =
        INFINITY;
  }
  scene_check(context, &made, 1e-11, "endless boxes");
  scene_free(&made);
}

/* A floor and walls, with a thin plate and one ball a hundred times larger. */
static void test_walls(void) {
  scene made = spheres(5000, 1, 0.5, 21);
  uint64_t state = 21;
  for (int32_t i = 0; i < 6; i++) {
    made.geometry[700 * i].kind = TALUS_SHAPE_HALFSPACE;
    made.collider[700 * i].movable = 0;
    scene_turn(&made.collider[700 * i], &state);
  }
  made.geometry[11].radius = 1;
  made.geometry[4999].kind = TALUS_SHAPE_BOX;
  made.geometry[4999].half_edge[0] = made.geometry[4999].half_edge[1] = 3;
  made.geometry[4999].half_edge[2] = 1e-3;
  scene_check(context, &made, 1e-11, "walls");
  scene_free(&made);
}

static void test_places(void) {
  static const double offset[][3] = {
      {1e6, -1e6, 1e6}, {-3e13, 0, 1}, {1e300, -1e300, 1e300}, {0, 0, 1e200}};
  for (size_t k = 0; k < sizeof offset / sizeof *offset; k++) { /* far from the origin */
    scene made = spheres(2000, 4, 0.5, 31 + k);
    double far = 0;
    for (int32_t i = 0; i < made.count; i++) {
      for (int axis = 0; axis < 3; axis++) {
        made.collider[i].pose.position[axis] += offset[k][axis];
        far = fmax(far, fabs(made.collider[i].pose.position[axis]));
      }
    }
    scene_check(context, &made, far > 1e20 ? 0 : 1e-11, "far from the origin");
    scene_free(&made);
  }
  scene made = spheres(4000, 1, 0.5, 41); /* a crowd, and some far apart on all sides */
  for (int32_t i = 0; i < 40; i++) {
    made.collider[100 * i].pose.position[i % 3] *= pow(10, i % 20);
    made.collider[100 * i + 1].pose = made.collider[100 * i].pose;
  }
  scene_check(context, &made, 1e-11, "far apart");
  scene_free(&made);
  made = spheres(3000, 1, 0.5, 42); /* 1e9 cells apart along each axis */
  for (int32_t i = 0; i < made.count; i++) {
    made.collider[i].pose.position[i % 3] += (i & 64 ? 1 : -1) * 1e7;
  }
  scene_check(context, &made, 1e-11, "1e9 cells apart");
  scene_free(&made);
}

/* Two close balls on both sides of 2^48 cells, where the quotient by a width that is no power of
 * two is rounded to whole fractions of a cell: they would land two cells apart. */
static void test_quotient(void) {
  const double width = 1 + 45 / 64.0, unit = 0.0625;
  scene made = spheres(40, 1, 0.5, 43);
  for (int32_t i = 0; i < made.count; i++) {
    made.geometry[i].radius = 0.5 * width / (1 + 0x1p-10) * (1 - 1e-11);
    made.collider[i].margin = 0;
    made.collider[i].pose.position[0] = 0x1p48 * width + (i % 2 ? 26 : -1) * unit;
    made.collider[i].pose.position[1] = (int32_t)(i / 2) * 10;
    made.collider[i].pose.position[2] = 0;
  }
  scene_check(context, &made, 1e-11, "quotient");
  scene_free(&made);
}

static void test_crowds(void) {
  scene few = spheres(200, 1, 500, 50); /* all meet all, almost */
  scene_check(context, &few, 1e-11, "few, crowded");
  scene_free(&few);
  scene made = spheres(1500, 1, 0.5, 51);
  for (int32_t i = 0; i < made.count; i++) {
    memset(made.collider[i].pose.position, 0, sizeof made.collider[i].pose.position);
  }
  scene_check(context, &made, 1e-11, "coincident");
  for (int32_t i = 0; i < made.count; i++) {
    made.geometry[i].radius = 0;
    made.collider[i].margin = 0;
  }
  scene_check(context, &made, 1e-11, "points");
  for (int32_t i = 0; i < made.count; i++) { /* a lattice, exactly touching */
    made.geometry[i].radius = 0.5;
    for (int axis = 0; axis < 3; axis++) {
      const int32_t place[3] = {i % 12, i / 12 % 12, i / 144};
      made.collider[i].pose.position[axis] = place[axis] - 6;
    }
  }
  scene_check(context, &made, 1e-11, "lattice");
  const tl_pair *pair;
  int64_t count;
  tl_broad *broad = NULL;
  CHECK(tl_broad_create(context, &broad) == TALUS_OK);
  CHECK(tl_broad_pairs(broad, made.collider, 144, 1, &pair, &count) == TALUS_OK);
  CHECK(count == 2 * 12 * 11); /* touching counts */
  tl_broad_destroy(broad);
  scene_free(&made);
  for (int32_t n = 0; n < 4; n++) {
    made = spheres(n, 1, 0.5, 52);
    scene_check(context, &made, 1e-11, "hardly any");
    scene_free(&made);
  }
}

static void test_refusals(void) {
  scene made = spheres(5000, 1, 0.5, 61);
  const tl_pair *pair;
  int64_t count;
  tl_broad *broad = NULL;
  CHECK(tl_broad_create(context, &broad) == TALUS_OK);
  CHECK(tl_broad_pairs(broad, made.collider, -1, 1, &pair, &count) == TALUS_SIZE_OVERFLOW);
  CHECK(tl_broad_pairs(broad, NULL, 3, 1, &pair, &count) == TALUS_INVALID_ARGUMENT);
  made.collider[4001].pose.position[2] = INFINITY;
  made.collider[1234].pose.position[1] = NAN;
  made.collider[1234].body = 4711;
  for (int32_t threads = 1; threads < 8; threads++) {
    CHECK(tl_broad_pairs(broad, made.collider, 5000, threads, &pair, &count) == TALUS_NOT_FINITE);
    CHECK(strstr(talus_context_message(context), "body 4711, shape 1234") != NULL);
    CHECK(pair == NULL && count == 0);
  }
  made.collider[1234].pose.position[1] = 0;
  CHECK(tl_broad_pairs(broad, made.collider, 5000, 2, &pair, &count) == TALUS_NOT_FINITE);
  CHECK(strstr(talus_context_message(context), "body 4001") != NULL);
  made.collider[4001].pose.position[2] = 0;
  CHECK(tl_broad_pairs(broad, made.collider, 5000, 2, &pair, &count) == TALUS_OK && count > 0);
  made.geometry[9].radius = NAN;
  CHECK(tl_broad_pairs(broad, made.collider, 5000, 2, &pair, &count) == TALUS_NOT_FINITE);
  made.geometry[9].kind = TALUS_SHAPE_BOX;
  made.collider[9].pose.rotation[3] = NAN;
  CHECK(tl_broad_pairs(broad, made.collider, 5000, 2, &pair, &count) == TALUS_NOT_FINITE);
  made.geometry[9].kind = TALUS_SHAPE_HALFSPACE;
  made.collider[9].margin = NAN;
  CHECK(tl_broad_pairs(broad, made.collider, 5000, 2, &pair, &count) == TALUS_NOT_FINITE);
  made.collider[9].margin = 0;
  CHECK(tl_broad_pairs(broad, made.collider, 5000, 2, &pair, &count) == TALUS_OK);
  tl_broad_destroy(broad);
  tl_broad_destroy(NULL);
  scene_free(&made);
}

int main(void) {
  CHECK(talus_context_create(NULL, &context) == TALUS_OK);
  test_spheres();
  test_mixtures();
  test_walls();
  test_places();
  test_quotient();
  test_crowds();
  test_refusals();
  CHECK(context->bytes == 0);
  talus_context_destroy(context);
  return check_end();
}
