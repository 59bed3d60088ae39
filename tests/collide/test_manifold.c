/* test_manifold.c: boxes, tins and hulls resting on each other: how many points, where, and whether
 * their names stay while nothing but numbers change. */
#include "tests/collide/shapes.h"

static talus_context *context;

/* Points of f with the least and the largest x and y. */
static void extent(const found *f, double box[4]) {
  box[0] = box[2] = INFINITY;
  box[1] = box[3] = -INFINITY;
  for (int k = 0; k < f->count; k++) {
    box[0] = fmin(box[0], f->point[k].position[0]);
    box[1] = fmax(box[1], f->point[k].position[0]);
    box[2] = fmin(box[2], f->point[k].position[1]);
    box[3] = fmax(box[3], f->point[k].position[1]);
  }
}

static void check_extent(const found *f, double x0, double x1, double y0, double y1) {
  double box[4];
  extent(f, box);
  CHECK_CLOSE(box[0], x0, 1e-9);
  CHECK_CLOSE(box[1], x1, 1e-9);
  CHECK_CLOSE(box[2], y0, 1e-9);
  CHECK_CLOSE(box[3], y1, 1e-9);
}

static int same_names(const found *f, const found *g) {
  if (f->count != g->count) {
    return 0;
  }
  for (int k = 0; k < f->count; k++) {
    if (f->point[k].feature != g->point[k].feature) {
      return 0;
    }
  }
  return 1;
}

/* Gaps all equal, normals up. */
static void check_flat(const found *f, int count, double gap) {
  CHECK_CASE(f->count == count, "%d points", f->count);
  for (int k = 0; k < f->count; k++) {
    CHECK_CLOSE(f->point[k].gap, gap, 1e-12);
    CHECK_CLOSE(f->point[k].normal[2], 1, 1e-12);
  }
}

static void boxes(void) {
  tl_geometry *const brick = make_box(context, 1, 0.5, 0.25), *const cube =
                                                                  make_box(context, 1, 1, 1);
  tl_collider a = collider_at(cube, pose_at(0, 0, 0), 0.01),
              b = collider_at(cube, pose_at(0, 0, 2), 0.01);
  found f = meet(&a, &b); /* exactly on each other */
  check_flat(&f, 4, 0);
  check_extent(&f, -1, 1, -1, 1);
  b.pose.position[2] = 2.01; /* half the margin apart */
  f = meet(&a, &b);
  check_flat(&f, 4, 0.01);
  CHECK_CLOSE(f.point[0].position[2], 1.005, 1e-12);
  b.pose.position[2] = 2 - 1e-4;
  f = meet(&a, &b);
  check_flat(&f, 4, -1e-4);
  b.pose.position[2] = 2.03;
  CHECK(meet(&a, &b).count == 0);
  /* a brick laid across two others: half of it over this one */
  b = collider_at(brick, pose_at(1, 0.2, 1.25), 0.01);
  f = meet(&a, &b);
  check_flat(&f, 4, 0);
  check_extent(&f, 0, 1, -0.3, 0.7);
  /* turned by an eighth: an octagon */
  const double z[3] = {0, 0, 1};
  b = collider_at(cube, pose_at(0, 0, 2), 0.01);
  rotation_about(z, 0.78539816339744831, b.pose.rotation);
  f = meet(&a, &b);
  check_flat(&f, 8, 0);
  check_extent(&f, -1, 1, -1, 1);
  /* an edge on a face: two points; an edge across an edge: one */
  const double x[3] = {1, 0, 0};
  b = collider_at(cube, pose_at(0, 0, 1 + sqrt(2) - 0.001), 0.01);
  rotation_about(x, 0.78539816339744831, b.pose.rotation);
  f = meet(&a, &b);
  check_flat(&f, 2, -0.001);
  check_extent(&f, -1, 1, 0, 0);
  const double y[3] = {0, 1, 0};
  a = collider_at(cube, pose_at(0, 0, 0), 0.01);
  rotation_about(y, 0.78539816339744831, a.pose.rotation);
  b.pose.position[2] = 2 * sqrt(2) - 0.01;
  f = meet(&a, &b);
  check_flat(&f, 1, -0.01);
  check_extent(&f, 0, 0, 0, 0);
  tl_geometry_destroy(context, brick);
  tl_geometry_destroy(context, cube);
}

static void names(void) {
  tl_geometry *const cube = make_box(context, 1, 1, 1);
  double corner[24];
  for (int k = 0; k < 24; k++) {
    corner[k] = k / 3 >> k % 3 & 1 ? 1 : -1;
  }
  tl_geometry *const hull = make_hull(context, corner, 8);
  tl_collider a = collider_at(cube, pose_at(0, 0, 0), 0.01),
              b = collider_at(hull, pose_at(0.2, 0.1, 2), 0.01);
  const found f = meet(&a, &b);
  check_flat(&f, 4, 0);
  check_extent(&f, -0.8, 1, -0.9, 1);
  for (int k = 0; k < 200; k++) {
    double axis[3];
    random_direction(axis);
    b.pose =
        pose_at(0.2 + between(-1e-3, 1e-3), 0.1 + between(-1e-3, 1e-3), 2 + between(-1e-4, 1e-4));
    rotation_about(axis, between(-1e-4, 1e-4), b.pose.rotation);
    const found g = meet(&a, &b);
    CHECK_CASE(same_names(&f, &g), "shake %d: %d points", k, g.count);
  }
  /* cubes exactly in line: shaking by less than the tolerance does not make corners come and go */
  b = collider_at(cube, pose_at(0, 0, 2), 0.01);
  const found e = meet(&a, &b);
  for (int k = 0; k < 200; k++) {
    b.pose = pose_at(between(-2e-6, 2e-6), between(-2e-6, 2e-6), 2 + between(-1e-5, 1e-5));
    const found g = meet(&a, &b);
    CHECK_CASE(same_names(&e, &g), "in line, shake %d: %d points", k, g.count);
  }
  tl_geometry_destroy(context, cube);
  tl_geometry_destroy(context, hull);
}

static void tins(void) {
  tl_geometry *const cube = make_box(context, 2, 2, 1), *const small =
                                                            make_box(context, 0.3, 0.3, 0.3);
  tl_geometry *const tin = make_round(context, TALUS_SHAPE_CYLINDER, 1, 0.5);
  tl_collider a = collider_at(cube, pose_at(0, 0, 0), 0.01),
              b = collider_at(tin, pose_at(0, 0, 1.5), 0.01);
  found f = meet(&a, &b); /* standing: eight points of the rim */
  check_flat(&f, 8, 0);
  check_extent(&f, -1, 1, -1, 1);
  /* lying, and rolling: the side is round, whatever the turn */
  const double x[3] = {1, 0, 0}, z[3] = {0, 0, 1};
  double lie[9], turn[9];
  rotation_about(x, 1.5707963267948966, lie);
  for (int k = 0; k < 20; k++) {
    rotation_about(z, 0.1 * k, turn);
    b.pose = pose_at(0.02 * k, 0, 1.999);
    for (int i = 0; i < 9; i++) {
      b.pose.rotation[i] = 0;
      for (int j = 0; j < 3; j++) {
        b.pose.rotation[i] += lie[3 * (i / 3) + j] * turn[3 * j + i % 3];
      }
    }
    f = meet(&a, &b);
    check_flat(&f, 2, -0.001);
    check_extent(&f, 0.02 * k, 0.02 * k, -0.5, 0.5);
  }
  /* a small box on the tin's lid, half over its rim at x = 1 */
  a = collider_at(tin, pose_at(0, 0, 0), 0.01);
  b = collider_at(small, pose_at(1, 0, 0.8), 0.01);
  f = meet(&a, &b);
  CHECK(f.count >= 4 && f.count <= 8);
  double box[4];
  extent(&f, box);
  CHECK_CLOSE(box[0], 0.7, 1e-9);
  CHECK(box[1] > 0.98 && box[1] < 1.02);
  /* tin on tin, shifted; tins side by side, and crossed */
  b = collider_at(tin, pose_at(0.5, 0, 1), 0.01);
  f = meet(&a, &b);
  CHECK(f.count >= 3 && fabs(f.point[0].gap) < 1e-12 && f.point[0].normal[2] > 1 - 1e-12);
  b = collider_at(tin, pose_at(1.2, 1.6, 0.25), 0.01);
  f = meet(&a, &b);
  if (CHECK(f.count == 2)) {
    CHECK_CLOSE(f.point[0].gap, 0, 1e-9);
    CHECK_CLOSE(f.point[0].normal[0], 0.6, 1e-7);
    CHECK_CLOSE(fabs(f.point[0].position[2] - f.point[1].position[2]), 0.75, 1e-6);
  }
  b = collider_at(tin, pose_at(1.999, 0, 0), 0.01);
  rotation_about(x, 1.5707963267948966, b.pose.rotation);
  f = meet(&a, &b);
  if (CHECK(f.count == 1)) {
    CHECK_CLOSE(f.point[0].gap, -0.001, 1e-9);
    CHECK_CLOSE(f.point[0].normal[0], 1, 1e-9);
    CHECK_CLOSE(f.point[0].position[0], 0.9995, 1e-6);
  }
  tl_geometry_destroy(context, cube);
  tl_geometry_destroy(context, small);
  tl_geometry_destroy(context, tin);
}

static void rods(void) {
  tl_geometry *const cube = make_box(context, 1, 1, 1);
  tl_geometry *const rod = make_round(context, TALUS_SHAPE_CAPSULE, 0.2, 3);
  const double y[3] = {0, 1, 0};
  tl_collider a = collider_at(cube, pose_at(0, 0, 0), 0.01),
              b = collider_at(rod, pose_at(0, 0.3, 1.19), 0.01);
  rotation_about(y, 1.5707963267948966, b.pose.rotation);
  found f = meet(&a, &b); /* lying across the face */
  check_flat(&f, 2, -0.01);
  check_extent(&f, -1, 1, 0.3, 0.3);
  /* along an edge, from the corner's direction: two points as well */
  b.pose.position[1] = 1 + 0.12;
  b.pose.position[2] = 1 + 0.16;
  f = meet(&a, &b);
  if (CHECK(f.count == 2)) {
    CHECK_CLOSE(f.point[0].gap, 0, 1e-12);
    CHECK_CLOSE(f.point[0].normal[1], 0.6, 1e-12);
    CHECK_CLOSE(f.point[0].normal[2], 0.8, 1e-12);
    check_extent(&f, -1, 1, 1, 1);
  }
  tl_geometry_destroy(context, cube);
  tl_geometry_destroy(context, rod);
}

int main(void) {
  context = new_context();
  boxes();
  names();
  tins();
  rods();
  CHECK(context->bytes == 0);
  talus_context_destroy(context);
  return check_end();
}
