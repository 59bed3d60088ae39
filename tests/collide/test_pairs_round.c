/* test_pairs_round.c: pairs in closed form, with numbers worked out by hand. */
#include "tests/collide/shapes.h"

static talus_context *context;

static void check_touch(const tl_contact_point *t, double gap, double nx, double ny, double nz,
                        double x, double y, double z) {
  CHECK_CLOSE(t->gap, gap, 1e-14);
  CHECK_CLOSE(t->normal[0], nx, 1e-14);
  CHECK_CLOSE(t->normal[1], ny, 1e-14);
  CHECK_CLOSE(t->normal[2], nz, 1e-14);
  CHECK_CLOSE(t->position[0], x, 1e-14);
  CHECK_CLOSE(t->position[1], y, 1e-14);
  CHECK_CLOSE(t->position[2], z, 1e-14);
  CHECK(t->a == 3 && t->b == 8);
}

static void spheres(void) {
  tl_geometry *const big = make_sphere(context, 2), *const small = make_sphere(context, 1);
  tl_collider a = collider_at(big, pose_at(1, 1, 1), 0.01);
  tl_collider b = collider_at(small, pose_at(1, 1 - 3.02, 1), 0.02);
  found f = meet(&a, &b); /* a gap of 0.02 below the margin of 0.03 */
  if (CHECK(f.status == TALUS_OK && f.count == 1)) {
    check_touch(&f.point[0], 0.02, 0, -1, 0, 1, 1 - 2.01, 1);
    CHECK(f.point[0].spherical == 1);
  }
  b.pose.position[1] = 1 - 2.5; /* overlap of 0.5: midway at 2 - 0.25 */
  f = meet(&a, &b);
  if (CHECK(f.count == 1)) {
    check_touch(&f.point[0], -0.5, 0, -1, 0, 1, 1 - 1.75, 1);
  }
  b.pose.position[1] = 1 - 3.04;
  CHECK(meet(&a, &b).count == 0);
  b.pose = a.pose; /* no direction is better: any, but a unit one */
  f = meet(&a, &b);
  CHECK(f.count == 1 && f.point[0].gap == -3);
  CHECK_CLOSE(dot(f.point[0].normal, f.point[0].normal), 1, 1e-15);
  tl_geometry_destroy(context, big);
  tl_geometry_destroy(context, small);
}

static void sphere_walls(void) {
  tl_geometry *const ball = make_sphere(context, 1), *const wall = make_halfspace(context);
  tl_geometry *const box = make_box(context, 1, 2, 3);
  tl_collider a = collider_at(ball, pose_at(5, 6, 0.9), 0),
              b = collider_at(wall, pose_at(0, 0, 0), 0);
  found f = meet(&a, &b);
  if (CHECK(f.count == 1)) {
    check_touch(&f.point[0], -0.1, 0, 0, -1, 5, 6, -0.05);
    CHECK(f.point[0].spherical == 0); /* a movable half-space has an arm of its own */
  }
  b.movable = 0;
  CHECK(meet(&a, &b).point[0].spherical == 1);
  f = meet(&b, &a); /* the other way round */
  if (CHECK(f.count == 1)) {
    check_touch(&f.point[0], -0.1, 0, 0, 1, 5, 6, -0.05);
    CHECK(f.point[0].spherical == 1);
  }
  /* over a face, over an edge (3-4-5), inside */
  b = collider_at(box, pose_at(0, 0, 0), 0);
  a = collider_at(ball, pose_at(1.8, 0.3, -1), 0.05);
  f = meet(&a, &b);
  if (CHECK(f.count == 1)) {
    check_touch(&f.point[0], -0.2, -1, 0, 0, 0.9, 0.3, -1);
  }
  a.pose = pose_at(1 + 0.6, 2 + 0.8, 0);
  a.margin = 1e-3;
  f = meet(&a, &b);
  if (CHECK(f.count == 1)) {
    check_touch(&f.point[0], 0, -0.6, -0.8, 0, 1, 2, 0);
  }
  a.pose = pose_at(0, 1.9, 0); /* centre 0.1 below the face y = 2 */
  f = meet(&a, &b);
  if (CHECK(f.count == 1)) {
    check_touch(&f.point[0], -1.1, 0, -1, 0, 0, 1.9 - 1 + 0.55, 0);
  }
  tl_geometry_destroy(context, ball);
  tl_geometry_destroy(context, wall);
  tl_geometry_destroy(context, box);
}

static void capsules(void) {
  tl_geometry *const ball = make_sphere(context, 0.5), *const wall = make_halfspace(context);
  tl_geometry *const rod = make_round(context, TALUS_SHAPE_CAPSULE, 0.5, 2);
  const double y[3] = {0, 1, 0};
  tl_collider a = collider_at(ball, pose_at(0.9, 0, 1.5), 0),
              b = collider_at(rod, pose_at(0, 0, 0), 0);
  found f = meet(&a, &b);
  if (CHECK(f.count == 1)) {
    check_touch(&f.point[0], -0.1, -1, 0, 0, 0.45, 0, 1.5);
  }
  /* side by side, overlapping from z = 0 to 2: the two ends of that line */
  a = collider_at(rod, pose_at(0, 0, 0), 0.1);
  b = collider_at(rod, pose_at(1.1, 0, 2), 0.1);
  f = meet(&a, &b);
  if (CHECK(f.count == 2)) {
    check_touch(&f.point[0], 0.1, 1, 0, 0, 0.55, 0, 0);
    check_touch(&f.point[1], 0.1, 1, 0, 0, 0.55, 0, 2);
    CHECK(f.point[0].feature != f.point[1].feature);
  }
  /* crossed at a right angle */
  rotation_about(y, 1.5707963267948966, b.pose.rotation);
  b.pose.position[0] = 0;
  b.pose.position[1] = 0.8;
  b.pose.position[2] = 1;
  f = meet(&a, &b);
  if (CHECK(f.count == 1)) {
    check_touch(&f.point[0], -0.2, 0, 1, 0, 0, 0.4, 1);
  }
  /* lying on a half-space */
  b.pose.position[2] = 0.45;
  a = collider_at(wall, pose_at(0, 0, 0), 0);
  f = meet(&b, &a);
  if (CHECK(f.count == 2)) {
    CHECK_CLOSE(f.point[0].gap, -0.05, 1e-14);
    CHECK_CLOSE(f.point[1].gap, -0.05, 1e-14);
    CHECK_CLOSE(fabs(f.point[0].position[0] - f.point[1].position[0]), 4, 1e-14);
    CHECK_CLOSE(f.point[0].position[2], -0.025, 1e-14);
  }
  tl_geometry_destroy(context, ball);
  tl_geometry_destroy(context, wall);
  tl_geometry_destroy(context, rod);
}

static void on_halfspace(void) {
  tl_geometry *const wall = make_halfspace(context), *const box = make_box(context, 1, 2, 3);
  tl_geometry *const tin = make_round(context, TALUS_SHAPE_CYLINDER, 1, 2);
  const double corners[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  tl_geometry *const hull = make_hull(context, corners, 4);
  const double x[3] = {1, 0, 0};
  const tl_collider floor = collider_at(wall, pose_at(0, 0, 0), 0);
  tl_collider a = collider_at(box, pose_at(0, 0, 2.99), 0.02);
  found f = meet(&a, &floor);
  CHECK(f.count == 4);
  for (int k = 0; k < f.count; k++) {
    CHECK_CLOSE(f.point[k].gap, -0.01, 1e-14);
    CHECK_CLOSE(fabs(f.point[k].position[0]), 1, 1e-14);
    CHECK_CLOSE(fabs(f.point[k].position[1]), 2, 1e-14);
    CHECK(f.point[k].normal[2] == -1);
  }
  a = collider_at(hull, pose_at(0, 0, 0.01), 0.02);
  f = meet(&a, &floor);
  CHECK(f.count == 3);
  /* a tin standing, lying, and leaning by 0.3 */
  a = collider_at(tin, pose_at(0, 0, 2), 0.01);
  f = meet(&a, &floor);
  CHECK(f.count == 8);
  rotation_about(x, 1.5707963267948966, a.pose.rotation);
  a.pose.position[2] = 0.999;
  f = meet(&a, &floor);
  if (CHECK(f.count == 2)) {
    CHECK_CLOSE(f.point[0].gap, -0.001, 1e-14);
    CHECK_CLOSE(fabs(f.point[0].position[1] - f.point[1].position[1]), 4, 1e-14);
  }
  rotation_about(x, 0.3, a.pose.rotation);
  a.pose.position[2] = sin(0.3) + 2 * cos(0.3);
  f = meet(&a, &floor);
  double least = INFINITY;
  for (int k = 0; k < f.count; k++) {
    least = fmin(least, f.point[k].gap);
  }
  CHECK_CLOSE(least, 0, 1e-14);
  tl_geometry_destroy(context, wall);
  tl_geometry_destroy(context, box);
  tl_geometry_destroy(context, tin);
  tl_geometry_destroy(context, hull);
}

static void walls_and_meshes(void) {
  tl_geometry *const wall = make_halfspace(context), *const floor = make_floor(context, 2, 1);
  const tl_collider a = collider_at(wall, pose_at(0, 0, 0), 1),
                    b = collider_at(wall, pose_at(0, 0, 0), 1);
  const tl_collider c = collider_at(floor, pose_at(0, 0, 0), 1),
                    d = collider_at(floor, pose_at(0, 0, 0), 1);
  CHECK(meet(&a, &b).status == TALUS_OK && meet(&a, &b).count == 0);
  CHECK(meet(&a, &c).status == TALUS_OK && meet(&a, &c).count == 0);
  CHECK(meet(&c, &d).status == TALUS_UNSUPPORTED);
  tl_geometry_destroy(context, wall);
  tl_geometry_destroy(context, floor);
}

static void fixed_room(void) {
  tl_geometry *const ball = make_sphere(context, 1);
  const tl_collider a = collider_at(ball, pose_at(0, 0, 0), 1),
                    b = collider_at(ball, pose_at(1, 0, 0), 1);
  tl_contact_point one[1];
  tl_contact_point_list list = {NULL, one, 0, 1};
  CHECK(tl_narrow_pair(&a, &b, 0, 1, &list) == TALUS_OK);
  CHECK(tl_narrow_pair(&a, &b, 0, 1, &list) == TALUS_OUT_OF_MEMORY);
  CHECK(list.count == 1);
  tl_contact_points_release(&list);
  tl_geometry_destroy(context, ball);
}

int main(void) {
  context = new_context();
  spheres();
  sphere_walls();
  capsules();
  on_halfspace();
  walls_and_meshes();
  fixed_room();
  CHECK(context->bytes == 0);
  talus_context_destroy(context);
  return check_end();
}
