/* test_pairs_mesh.c: shapes on triangles. A floor of triangles must feel like a plane: no bumps at
 * its inner edges; a block of triangles must feel like a box: its outer edges count. */
#include "tests/collide/shapes.h"

static talus_context *context;

static double smallest(const found *f) {
  double least = INFINITY;
  for (int k = 0; k < f->count; k++) {
    least = fmin(least, f->point[k].gap);
  }
  return least;
}

/* Every normal points from the shape (a) straight down. */
static int all_down(const found *f) {
  for (int k = 0; k < f->count; k++) {
    if (!(f->point[k].normal[2] < -1 + 1e-12)) {
      return 0;
    }
  }
  return f->count > 0;
}

static void rolling(void) {
  tl_geometry *const floor = make_floor(context, 20, 0.3), *const ball = make_sphere(context, 0.5);
  tl_collider b = collider_at(floor, pose_at(0, 0, 0), 0);
  b.movable = 0;
  for (int k = 0; k <= 4000; k++) {
    /* along a line that crosses edges at a slant, runs along some, and meets corners */
    const double s = -2.4 + 4.8 * k / 4000;
    const double y = k % 3 == 0 ? 0 : k % 3 == 1 ? s : 0.37 * s + 0.01;
    const double height = 0.5 + 0.004 * sin(0.1 * k);
    tl_collider a = collider_at(ball, pose_at(s, y, height), 0.01);
    const found f = meet(&a, &b);
    CHECK_CASE(f.count == 1 && all_down(&f), "step %d: %d points", k, f.count);
    if (f.count > 0) {
      CHECK_CLOSE(f.point[0].gap, height - 0.5, 1e-14);
      CHECK_CLOSE(f.point[0].position[0], s, 1e-14);
      CHECK(f.point[0].spherical == 1);
    }
  }
  /* beyond the rim at x = 3 the edge counts: 3-4-5 */
  tl_collider a = collider_at(ball, pose_at(3.3, 0.1, 0.4), 0.01);
  const found f = meet(&a, &b);
  if (CHECK(f.count == 1)) {
    CHECK_CLOSE(f.point[0].gap, 0, 1e-12);
    CHECK_CLOSE(f.point[0].normal[0], -0.6, 1e-12);
    CHECK_CLOSE(f.point[0].normal[2], -0.8, 1e-12);
  }
  /* from below: both sides are walls */
  a.pose = pose_at(0.1, 0.2, -0.45);
  const found g = meet(&a, &b);
  CHECK(g.count == 1 && g.point[0].normal[2] > 1 - 1e-12);
  tl_geometry_destroy(context, floor);
  tl_geometry_destroy(context, ball);
}

/* A box, tin or rod slides over the floor, a little below it, turning as it goes. */
static void sliding(void) {
  tl_geometry *const floor = make_floor(context, 20, 0.3);
  tl_geometry *const kind[4] = {make_box(context, 0.4, 0.25, 0.3),
                                make_round(context, TALUS_SHAPE_CYLINDER, 0.35, 0.3),
                                make_round(context, TALUS_SHAPE_CAPSULE, 0.3, 0.4),
                                make_random_hull(context, 14, 0.4, 0.4, 0.4)};
  const tl_collider b = collider_at(floor, pose_at(0, 0, 0), 0);
  const double z[3] = {0, 0, 1}, y[3] = {0, 1, 0}, down[3] = {0, 0, -1};
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 300; k++) {
      const double s = -1.8 + 3.6 * k / 300;
      tl_collider a = collider_at(kind[i], pose_at(s, 0.4 * s + 0.011, 0), 0.01);
      if (i == 2) {
        rotation_about(y, 1.5707963267948966, a.pose.rotation);
      } else {
        rotation_about(z, 0.02 * k, a.pose.rotation);
      }
      const double gap = k % 2 == 0 ? -0.001 : 0.004;
      a.pose.position[2] = reach(&a, down) + gap;
      const found f = meet(&a, &b);
      CHECK_CASE(all_down(&f), "kind %d, step %d: %d points", i, k, f.count);
      CHECK_CASE(fabs(smallest(&f) - gap) < 1e-9, "kind %d, step %d: gap %g, not %g", i, k,
                 smallest(&f), gap);
      CHECK(f.count <= 8);
      if (i == 0) {
        /* the points span the box's base, however the triangles lie */
        double far = 0;
        for (int p = 0; p < f.count; p++) {
          for (int q = 0; q < p; q++) {
            const double d[3] = {f.point[p].position[0] - f.point[q].position[0],
                                 f.point[p].position[1] - f.point[q].position[1],
                                 f.point[p].position[2] - f.point[q].position[2]};
            far = fmax(far, sqrt(dot(d, d)));
          }
        }
        CHECK_CLOSE(far, 2 * sqrt(0.4 * 0.4 + 0.25 * 0.25), 1e-3);
      }
    }
  }
  for (int i = 0; i < 4; i++) {
    tl_geometry_destroy(context, kind[i]);
  }
  tl_geometry_destroy(context, floor);
}

/* A cube of twelve triangles, corners +-1. */
static tl_geometry *make_block(void) {
  double point[24];
  static const int32_t triangle[36] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                       2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};
  for (int k = 0; k < 24; k++) {
    point[k] = k / 3 >> k % 3 & 1 ? 1 : -1;
  }
  talus_shape_def def = shape_def(TALUS_SHAPE_MESH);
  def.point = point;
  def.point_count = 8;
  def.triangle = triangle;
  def.triangle_count = 12;
  tl_geometry *geometry = NULL;
  int closed = 0;
  CHECK(tl_geometry_create(context, &def, &geometry, &closed) == TALUS_OK && closed == 1);
  return geometry;
}

/* Spheres, boxes, rods around the block: the same gap as against a box. */
static void block(void) {
  tl_geometry *const mesh = make_block(), *const box = make_box(context, 1, 1, 1);
  tl_geometry *const kind[4] = {make_sphere(context, 0.5), make_box(context, 0.4, 0.25, 0.3),
                                make_round(context, TALUS_SHAPE_CAPSULE, 0.3, 0.4),
                                make_random_hull(context, 14, 0.4, 0.4, 0.4)};
  int met = 0;
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 200; k++) {
      tl_collider a = collider_at(kind[i], random_pose(0.3), 0.1);
      tl_collider b = collider_at(box, random_pose(1), 0.1);
      double d[3];
      random_direction(d);
      const double shift = between(-0.2, 0.08) - apart(&a, &b, d);
      for (int n = 0; n < 3; n++) {
        b.pose.position[n] += shift * d[n];
      }
      const found f = meet(&a, &b);
      b.geometry = mesh;
      const found g = meet(&a, &b);
      const double expected = f.count > 0 ? smallest(&f) : INFINITY;
      const double got = g.count > 0 ? smallest(&g) : INFINITY;
      if (fabs(expected - 0.2) < 0.01 || expected < -0.2) {
        continue; /* at the margin's end either may miss it; far inside a mesh has no inside */
      }
      CHECK_CASE((f.count > 0) == (g.count > 0), "kind %d, %d: box %d, mesh %d points", i, k,
                 f.count, g.count);
      if (f.count > 0 && g.count > 0) {
        met++;
        /* next to an edge either face has its own normal: of the two overlaps the larger shows */
        CHECK_CASE(got < expected + 0.01 && got > expected - (expected < 0 ? 0.04 : 0.01),
                   "kind %d, %d: box %.9g, mesh %.9g", i, k, expected, got);
      }
    }
  }
  CHECK_CASE(met > 200, "%d", met);
  for (int i = 0; i < 4; i++) {
    tl_geometry_destroy(context, kind[i]);
  }
  tl_geometry_destroy(context, mesh);
  tl_geometry_destroy(context, box);
}

/* A gutter of two faces that meet at a right angle at the bottom: two contacts, none at the edge.
 */
static void gutter(void) {
  const double point[18] = {-2, -3, 2, 0, -3, 0, 2, -3, 2, -2, 3, 2, 0, 3, 0, 2, 3, 2};
  const int32_t triangle[12] = {0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4};
  talus_shape_def def = shape_def(TALUS_SHAPE_MESH);
  def.point = point;
  def.point_count = 6;
  def.triangle = triangle;
  def.triangle_count = 4;
  tl_geometry *geometry = NULL, *const ball = make_sphere(context, 0.5);
  int closed = 1;
  CHECK(tl_geometry_create(context, &def, &geometry, &closed) == TALUS_OK && closed == 0);
  const tl_collider a = collider_at(ball, pose_at(0, 0.3, 0.5 * sqrt(2)), 0.01);
  const tl_collider b = collider_at(geometry, pose_at(0, 0, 0), 0);
  const found f = meet(&a, &b);
  if (CHECK(f.count == 2)) {
    for (int k = 0; k < 2; k++) {
      CHECK_CLOSE(f.point[k].gap, 0, 1e-14);
      CHECK_CLOSE(fabs(f.point[k].normal[0]), sqrt(0.5), 1e-14);
      CHECK_CLOSE(f.point[k].normal[2], -sqrt(0.5), 1e-14);
    }
  }
  tl_geometry_destroy(context, geometry);
  tl_geometry_destroy(context, ball);
}

int main(void) {
  context = new_context();
  rolling();
  sliding();
  block();
  gutter();
  CHECK(context->bytes == 0);
  talus_context_destroy(context);
  return check_end();
}
