/* shapes.h: shapes, poses and random numbers for the tests of the narrow-phase. */
#ifndef TL_TEST_SHAPES_H
#define TL_TEST_SHAPES_H

#include <math.h>
#include <string.h>

#include "host/collide/collide.h"
#include "tests/check.h"

static uint64_t shapes_state = 88172645463325252u;

/* Uniform in 0 .. 1. */
static inline double uniform(void) {
  shapes_state ^= shapes_state << 13;
  shapes_state ^= shapes_state >> 7;
  shapes_state ^= shapes_state << 17;
  return (double)(shapes_state >> 11) / 9007199254740992.0;
}

static inline double between(double low, double high) {
  return low + (high - low) * uniform();
}

static inline double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void random_direction(double d[3]) {
  double length;
  do {
    for (int i = 0; i < 3; i++) {
      d[i] = between(-1, 1);
    }
    length = sqrt(dot(d, d));
  } while (length > 1 || length < 0.1);
  for (int i = 0; i < 3; i++) {
    d[i] /= length;
  }
}

/* The rotation by an angle about a unit axis. */
static inline void rotation_about(const double axis[3], double angle, double r[9]) {
  const double c = cos(angle), s = sin(angle), x = axis[0], y = axis[1], z = axis[2];
  const double m[9] = {c + x * x * (1 - c),     x * y * (1 - c) - z * s, x * z * (1 - c) + y * s,
                       y * x * (1 - c) + z * s, c + y * y * (1 - c),     y * z * (1 - c) - x * s,
                       z * x * (1 - c) - y * s, z * y * (1 - c) + x * s, c + z * z * (1 - c)};
  memcpy(r, m, sizeof m);
}

static inline tl_pose pose_at(double x, double y, double z) {
  tl_pose pose = {{x, y, z}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  return pose;
}

static inline tl_pose random_pose(double spread) {
  double axis[3];
  random_direction(axis);
  tl_pose pose =
      pose_at(between(-spread, spread), between(-spread, spread), between(-spread, spread));
  rotation_about(axis, between(0, 6.28), pose.rotation);
  return pose;
}

static inline talus_shape_def shape_def(talus_shape_kind kind) {
  talus_shape_def def;
  memset(&def, 0, sizeof def);
  def.struct_size = sizeof def;
  def.kind = kind;
  def.orientation[0] = 1;
  return def;
}

static inline talus_context *new_context(void) {
  talus_context_def def = talus_context_def_default();
  talus_context *context = NULL;
  def.backend = TALUS_BACKEND_CPU;
  if (talus_context_create(&def, &context) != TALUS_OK) {
    exit(EXIT_FAILURE);
  }
  return context;
}

static inline tl_geometry *make(talus_context *context, const talus_shape_def *def) {
  tl_geometry *geometry = NULL;
  if (!CHECK(tl_geometry_create(context, def, &geometry, NULL) == TALUS_OK)) {
    printf("  %s\n", talus_context_message(context));
    exit(EXIT_FAILURE);
  }
  return geometry;
}

static inline tl_geometry *make_sphere(talus_context *context, double radius) {
  talus_shape_def def = shape_def(TALUS_SHAPE_SPHERE);
  def.radius = radius;
  return make(context, &def);
}

static inline tl_geometry *make_box(talus_context *context, double x, double y, double z) {
  talus_shape_def def = shape_def(TALUS_SHAPE_BOX);
  def.half_edge[0] = x;
  def.half_edge[1] = y;
  def.half_edge[2] = z;
  return make(context, &def);
}

static inline tl_geometry *make_round(talus_context *context, talus_shape_kind kind, double radius,
                                      double half_length) {
  talus_shape_def def = shape_def(kind);
  def.radius = radius;
  def.half_length = half_length;
  return make(context, &def);
}

static inline tl_geometry *make_hull(talus_context *context, const double *point, int32_t count) {
  talus_shape_def def = shape_def(TALUS_SHAPE_HULL);
  def.point = point;
  def.point_count = count;
  return make(context, &def);
}

static inline tl_geometry *make_halfspace(talus_context *context) {
  const talus_shape_def def = shape_def(TALUS_SHAPE_HALFSPACE);
  return make(context, &def);
}

/* count points on a ball of radius 1, stretched. */
static inline tl_geometry *make_random_hull(talus_context *context, int32_t count, double x,
                                            double y, double z) {
  double point[300];
  for (int32_t k = 0; k < count; k++) {
    random_direction(point + 3 * k);
    point[3 * k] *= x;
    point[3 * k + 1] *= y;
    point[3 * k + 2] *= z;
  }
  return make_hull(context, point, count);
}

/* A floor at z = 0 of n x n squares of the given edge around the origin, two triangles each. */
static inline tl_geometry *make_floor(talus_context *context, int32_t n, double edge) {
  const int32_t row = n + 1;
  double *const point = malloc(3 * (size_t)(row * row) * sizeof *point);
  int32_t *const triangle = malloc(6 * (size_t)(n * n) * sizeof *triangle);
  for (int32_t i = 0; i < row * row; i++) {
    point[3 * i] = (i % row - 0.5 * n) * edge;
    point[3 * i + 1] = (i / row - 0.5 * n) * edge;
    point[3 * i + 2] = 0;
  }
  for (int32_t i = 0; i < n * n; i++) {
    const int32_t p = i / n * row + i % n;
    const int32_t corners[6] = {p, p + 1, p + row + 1, p, p + row + 1, p + row};
    memcpy(triangle + 6 * i, corners, sizeof corners);
  }
  talus_shape_def def = shape_def(TALUS_SHAPE_MESH);
  def.point = point;
  def.point_count = row * row;
  def.triangle = triangle;
  def.triangle_count = 2 * n * n;
  tl_geometry *const geometry = make(context, &def);
  free(point);
  free(triangle);
  return geometry;
}

static inline tl_collider collider_at(const tl_geometry *geometry, tl_pose pose, double margin) {
  tl_collider c;
  memset(&c, 0, sizeof c);
  c.geometry = geometry;
  c.pose = pose;
  c.movable = 1;
  c.collides = 0xffffffffu;
  c.margin = margin;
  return c;
}

typedef struct found {
  tl_contact_point point[512];
  int count;
  talus_status status;
} found;

static inline found meet(const tl_collider *a, const tl_collider *b) {
  static found result; /* large; copied out */
  tl_contact_point_list list = {NULL, result.point, 0, 512};
  result.status = tl_narrow_pair(a, b, 3, 8, &list);
  result.count = (int)list.count;
  return result;
}

/* The largest of d . x over a placed shape, from its definition; no code of the library. */
static inline double reach(const tl_collider *c, const double d[3]) {
  const tl_geometry *const g = c->geometry;
  double local[3], best = -INFINITY;
  for (int i = 0; i < 3; i++) {
    local[i] = c->pose.rotation[i] * d[0] + c->pose.rotation[3 + i] * d[1] +
               c->pose.rotation[6 + i] * d[2];
  }
  switch (g->kind) {
  case TALUS_SHAPE_SPHERE:
    best = g->radius;
    break;
  case TALUS_SHAPE_BOX:
    best = fabs(local[0]) * g->half_edge[0] + fabs(local[1]) * g->half_edge[1] +
           fabs(local[2]) * g->half_edge[2];
    break;
  case TALUS_SHAPE_CAPSULE:
    best = g->radius + fabs(local[2]) * g->half_length;
    break;
  case TALUS_SHAPE_CYLINDER:
    best = g->radius * sqrt(local[0] * local[0] + local[1] * local[1]) +
           fabs(local[2]) * g->half_length;
    break;
  default:
    for (int32_t k = 0; k < g->hull->point_count; k++) {
      best = fmax(best, dot(local, g->hull->point + 3 * k));
    }
  }
  return best + dot(d, c->pose.position);
}

/* How far two placed convex shapes are apart along a direction from a to b. */
static inline double apart(const tl_collider *a, const tl_collider *b, const double d[3]) {
  const double back[3] = {-d[0], -d[1], -d[2]};
  return -reach(b, back) - reach(a, d);
}

#endif
