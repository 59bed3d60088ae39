/* test_geometry.c: mass, sizes, boxes and rays of shapes against known numbers and against sums
 * over many random points. */
#include "tests/collide/shapes.h"

static const double pi = 3.14159265358979323846;
static talus_context *context;

static void check_mass(const tl_mass_properties *m, double volume, double xx, double yy,
                       double zz) {
  CHECK_CLOSE(m->volume, volume, 1e-12 * volume);
  CHECK_CLOSE(m->inertia[0], xx, 1e-12 * xx);
  CHECK_CLOSE(m->inertia[3], yy, 1e-12 * yy);
  CHECK_CLOSE(m->inertia[5], zz, 1e-12 * zz);
  CHECK_CLOSE(m->inertia[1], 0, 1e-12 * xx);
  CHECK_CLOSE(m->inertia[2], 0, 1e-12 * xx);
  CHECK_CLOSE(m->inertia[4], 0, 1e-12 * xx);
}

static void closed_forms(void) {
  tl_geometry *const ball = make_sphere(context, 2), *const box = make_box(context, 1, 2, 3);
  tl_geometry *const tin = make_round(context, TALUS_SHAPE_CYLINDER, 2, 3);
  tl_geometry *const wall = make_halfspace(context);
  tl_mass_properties m = tl_geometry_mass(ball, 0);
  check_mass(&m, 32 * pi / 3, 256 * pi / 15, 256 * pi / 15, 256 * pi / 15);
  m = tl_geometry_mass(box, 0); /* 48 / 3 (4 + 9) and so on */
  check_mass(&m, 48, 208, 160, 80);
  m = tl_geometry_mass(tin, 0); /* 24 pi, (1 + 3) 24 pi, 2 x 24 pi */
  check_mass(&m, 24 * pi, 96 * pi, 96 * pi, 48 * pi);
  CHECK(tl_geometry_mass(wall, 0).volume == 0 && tl_geometry_mass(wall, 1).volume == 0);
  m = tl_geometry_mass(ball, 1); /* a disk: pi r^2 and pi r^4 / 2 */
  check_mass(&m, 4 * pi, 4 * pi, 8 * pi, 4 * pi);
  m = tl_geometry_mass(box, 1); /* 2 x 6: 12, 12 / 3 (1 + 9) */
  check_mass(&m, 12, 36, 40, 4);
  CHECK(tl_geometry_size(ball) == 2 && tl_geometry_size(box) == 1 && tl_geometry_size(tin) == 2);
  CHECK(isinf(tl_geometry_size(wall)));
  tl_geometry_destroy(context, ball);
  tl_geometry_destroy(context, box);
  tl_geometry_destroy(context, tin);
  tl_geometry_destroy(context, wall);
}

/* A capsule from a sum over the midpoints of a fine grid in r and z. */
static void capsule(void) {
  const double r = 0.7, h = 0.9;
  tl_geometry *const rod = make_round(context, TALUS_SHAPE_CAPSULE, r, h);
  double volume = 0, along = 0, across = 0, area = 0, polar = 0;
  const int n = 4000;
  for (int k = 0; k < n; k++) {
    const double dz = 2 * (r + h) / n, z = -(r + h) + (k + 0.5) * dz, beyond = fmax(fabs(z) - h, 0);
    const double s = sqrt(r * r - beyond * beyond); /* a disk of this radius */
    volume += pi * s * s * dz;
    along += pi * s * s * s * s / 2 * dz;
    across += (pi * s * s * s * s / 4 + pi * s * s * z * z) * dz;
    area += 2 * s * dz;
    polar += (2 * s * s * s / 3 + 2 * s * z * z) * dz;
  }
  const tl_mass_properties m = tl_geometry_mass(rod, 0), p = tl_geometry_mass(rod, 1);
  CHECK_CLOSE(m.volume, volume, 1e-6);
  CHECK_CLOSE(m.inertia[0], across, 1e-6);
  CHECK_CLOSE(m.inertia[3], across, 1e-6);
  CHECK_CLOSE(m.inertia[5], along, 1e-6);
  CHECK_CLOSE(p.volume, area, 1e-4);
  CHECK_CLOSE(p.inertia[3], polar, 1e-4);
  CHECK_CLOSE(p.inertia[0] + p.inertia[5], p.inertia[3], 1e-12);
  tl_geometry_destroy(context, rod);
}

/* The corners of a box, turned and shifted, with points inside and on it. */
static void box_as_hull(void) {
  const double half[3] = {0.5, 1, 1.5};
  double point[3 * 60];
  tl_pose pose = random_pose(3);
  for (int k = 0; k < 60; k++) {
    double local[3];
    for (int i = 0; i < 3; i++) {
      local[i] = k < 8 ? (k >> i & 1 ? half[i] : -half[i]) : between(-half[i], half[i]);
    }
    if (k >= 20) { /* on a face, or on an edge */
      local[k % 3] = half[k % 3];
    }
    if (k >= 40) {
      local[(k + 1) % 3] = -half[(k + 1) % 3];
    }
    if (k >= 55) { /* a corner once more */
      memcpy(local, half, sizeof local);
    }
    for (int i = 0; i < 3; i++) {
      point[3 * k + i] = dot(pose.rotation + 3 * i, local) + pose.position[i];
    }
  }
  tl_geometry *const g = make_hull(context, point, 60);
  const tl_hull *const h = g->hull;
  CHECK_CASE(h->point_count == 8 && h->face_count == 6 && h->edge_count == 12, "%d %d %d",
             h->point_count, h->face_count, h->edge_count);
  for (int f = 0; f < h->face_count; f++) {
    CHECK(h->face_first[f + 1] - h->face_first[f] == 4);
  }
  const tl_mass_properties m = tl_geometry_mass(g, 0);
  CHECK_CLOSE(m.volume, 6, 1e-10);
  for (int i = 0; i < 3; i++) {
    CHECK_CLOSE(m.centre[i], pose.position[i], 1e-10);
  }
  /* R diag R^T: 6 / 3 (1 + 2.25), (0.25 + 2.25), (0.25 + 1) */
  const double diagonal[3] = {6.5, 5, 2.5};
  static const int row[6] = {0, 0, 0, 1, 1, 2}, column[6] = {0, 1, 2, 1, 2, 2};
  for (int k = 0; k < 6; k++) {
    double expected = 0;
    for (int i = 0; i < 3; i++) {
      expected += pose.rotation[3 * row[k] + i] * diagonal[i] * pose.rotation[3 * column[k] + i];
    }
    CHECK_CLOSE(m.inertia[k], expected, 1e-10);
  }
  CHECK(tl_geometry_size(g) > 0.49 && tl_geometry_size(g) < 0.5 + 1e-9);
  tl_geometry_destroy(context, g);
}

/* Whatever the points: inside of all planes, edges between two faces, Euler. */
static void hulls(void) {
  for (int trial = 0; trial < 300; trial++) {
    double point[300];
    const int count = 5 + (int)between(0, 95), kind = trial % 5;
    for (int k = 0; k < count; k++) {
      double *const p = point + 3 * k;
      random_direction(p);
      for (int i = 0; i < 3; i++) {
        p[i] = kind == 0   ? p[i]
               : kind == 1 ? floor(between(0, 4)) /* a grid: many in planes, many equal */
               : kind == 2 ? p[i] * between(0, 1)
               : kind == 3 ? (float)(p[i] * (i == 2 ? 1e-3 : 1)) /* flat, rounded to float */
                           : (k % 2 ? 1e-9 * p[i] : 0) + (i == 0   ? k / 2 % 3
                                                          : i == 1 ? k / 6 % 3
                                                                   : k / 18);
      }
    }
    talus_shape_def def = shape_def(TALUS_SHAPE_HULL);
    tl_geometry *g = NULL;
    def.point = point;
    def.point_count = count;
    const talus_status status = tl_geometry_create(context, &def, &g, NULL);
    if (status != TALUS_OK) {
      CHECK_CASE(status == TALUS_BAD_SETTING && (kind == 1 || kind == 4) && count < 60,
                 "kind %d, %d points: %s", kind, count, talus_context_message(context));
      continue;
    }
    const tl_hull *const h = g->hull;
    CHECK(h->point_count - h->edge_count + h->face_count == 2);
    for (int f = 0; f < h->face_count; f++) {
      double highest = -INFINITY;
      const double *const plane = h->face_plane + 4 * f;
      for (int k = 0; k < count; k++) {
        highest = fmax(highest, dot(plane, point + 3 * k) - plane[3]);
      }
      CHECK_CASE(highest < 1e-7, "kind %d, face %d of %d: %g", kind, f, h->face_count, highest);
      CHECK_CLOSE(dot(plane, plane), 1, 1e-12);
      for (int k = h->face_first[f]; k < h->face_first[f + 1]; k++) {
        CHECK_CLOSE(dot(plane, h->point + 3 * h->face_point[k]), plane[3], 1e-5);
      }
    }
    CHECK(tl_geometry_mass(g, 0).volume > 0);
    tl_geometry_destroy(context, g);
  }
}

/* A prism of a right triangle: its section has known numbers wherever the plane cuts it. */
static void section(void) {
  double point[18];
  for (int k = 0; k < 6; k++) {
    const double x[3] = {0, 3, 0}, z[3] = {0, 0, 6};
    point[3 * k] = x[k % 3] + 1;
    point[3 * k + 1] = k < 3 ? -0.7 : 2;
    point[3 * k + 2] = z[k % 3] - 2;
  }
  tl_geometry *const g = make_hull(context, point, 6);
  const tl_mass_properties m = tl_geometry_mass(g, 1);
  /* area b h / 2 = 9; b^3 h / 36 = 4.5, h^3 b / 36 = 18; product -b^2 h^2 / 72 = -4.5 */
  CHECK_CLOSE(m.volume, 9, 1e-12);
  CHECK_CLOSE(m.centre[0], 2, 1e-12);
  CHECK_CLOSE(m.centre[2], 0, 1e-12);
  CHECK_CLOSE(m.inertia[3], 22.5, 1e-12);
  CHECK_CLOSE(m.inertia[0], 18, 1e-12);
  CHECK_CLOSE(m.inertia[5], 4.5, 1e-12);
  CHECK_CLOSE(m.inertia[2], 4.5, 1e-12);
  tl_geometry_destroy(context, g);
}

/* Boxes contain the shape and touch it on every side. */
static void boxes(void) {
  tl_geometry *const kind[5] = {make_sphere(context, 0.8), make_box(context, 0.6, 0.9, 0.7),
                                make_round(context, TALUS_SHAPE_CAPSULE, 0.3, 0.8),
                                make_round(context, TALUS_SHAPE_CYLINDER, 0.6, 0.8),
                                make_random_hull(context, 20, 1, 0.8, 0.9)};
  for (int k = 0; k < 100; k++) {
    const tl_collider c = collider_at(kind[k % 5], random_pose(2), 0.1);
    const tl_box box = tl_collider_box(&c);
    for (int i = 0; i < 3; i++) {
      double d[3] = {0, 0, 0};
      d[i] = 1;
      CHECK_CLOSE(box.upper[i], reach(&c, d), 1e-12);
      d[i] = -1;
      CHECK_CLOSE(-box.lower[i], reach(&c, d), 1e-12);
    }
  }
  for (int k = 0; k < 5; k++) {
    tl_geometry_destroy(context, kind[k]);
  }
  tl_geometry *const wall = make_halfspace(context), *const floor = make_floor(context, 4, 1);
  tl_collider c = collider_at(wall, pose_at(1, 2, 3), 0);
  tl_box box = tl_collider_box(&c);
  CHECK(box.upper[2] == 3 && box.lower[2] == -INFINITY && box.upper[0] == INFINITY);
  c.geometry = floor;
  box = tl_collider_box(&c);
  CHECK(box.lower[0] == -1 && box.upper[0] == 3 && box.lower[2] == 3 && box.upper[2] == 3);
  tl_geometry_destroy(context, wall);
  tl_geometry_destroy(context, floor);
}

/* Is a point of the shape's frame inside it? Told by distances, not by rays. */
static int holds(const tl_geometry *g, const double p[3]) {
  const double across = sqrt(p[0] * p[0] + p[1] * p[1]),
               beyond = fmax(fabs(p[2]) - g->half_length, 0);
  switch (g->kind) {
  case TALUS_SHAPE_SPHERE:
    return dot(p, p) <= g->radius * g->radius;
  case TALUS_SHAPE_BOX:
    return fabs(p[0]) <= g->half_edge[0] && fabs(p[1]) <= g->half_edge[1] &&
           fabs(p[2]) <= g->half_edge[2];
  case TALUS_SHAPE_CAPSULE:
    return across * across + beyond * beyond <= g->radius * g->radius;
  case TALUS_SHAPE_CYLINDER:
    return across <= g->radius && beyond == 0;
  case TALUS_SHAPE_HALFSPACE:
    return p[2] <= 0;
  default:
    for (int f = 0; f < g->hull->face_count; f++) {
      if (dot(p, g->hull->face_plane + 4 * f) > g->hull->face_plane[4 * f + 3]) {
        return 0;
      }
    }
    return 1;
  }
}

static void rays(void) {
  tl_geometry *const kind[6] = {make_sphere(context, 0.8),
                                make_box(context, 0.6, 0.9, 0.7),
                                make_round(context, TALUS_SHAPE_CAPSULE, 0.3, 0.8),
                                make_round(context, TALUS_SHAPE_CYLINDER, 0.6, 0.8),
                                make_random_hull(context, 20, 1, 0.8, 0.9),
                                make_halfspace(context)};
  int hits = 0;
  for (int k = 0; k < 3000; k++) {
    const tl_geometry *const g = kind[k % 6];
    double origin[3], direction[3], normal[3], p[3];
    random_direction(origin);
    for (int i = 0; i < 3; i++) {
      origin[i] *= 2;
      direction[i] = between(-0.8, 0.8) - origin[i]; /* towards somewhere near */
    }
    const double length = sqrt(dot(direction, direction));
    for (int i = 0; i < 3; i++) {
      direction[i] /= length;
    }
    if (holds(g, origin)) {
      CHECK(tl_geometry_ray(g, origin, direction, normal) == 0);
      continue;
    }
    const double t = tl_geometry_ray(g, origin, direction, normal);
    /* just before the hit it is outside, just behind it inside */
    for (double s = 0; s < fmin(t, 6) - 1e-6; s += 0.05) {
      for (int i = 0; i < 3; i++) {
        p[i] = origin[i] + s * direction[i];
      }
      CHECK_CASE(!holds(g, p), "kind %d: inside at %g before %g", g->kind, s, t);
    }
    if (t < INFINITY) {
      hits++;
      for (int i = 0; i < 3; i++) {
        p[i] = origin[i] + t * direction[i] - 1e-7 * normal[i];
      }
      CHECK_CASE(holds(g, p), "kind %d: not inside behind %g", g->kind, t);
      CHECK(dot(normal, direction) <= 1e-12);
      CHECK_CLOSE(dot(normal, normal), 1, 1e-12);
    }
  }
  CHECK(hits > 300);
  for (int k = 0; k < 6; k++) {
    tl_geometry_destroy(context, kind[k]);
  }
  tl_geometry *const floor = make_floor(context, 8, 1);
  for (int k = 0; k < 200; k++) {
    const double origin[3] = {between(-5, 5), between(-5, 5), 2};
    double direction[3] = {between(-1, 1), between(-1, 1), -1}, normal[3];
    const double length = sqrt(dot(direction, direction));
    for (int i = 0; i < 3; i++) {
      direction[i] /= length;
    }
    const double t = 2 * length, x = origin[0] + t * direction[0], y = origin[1] + t * direction[1];
    const double got = tl_geometry_ray(floor, origin, direction, normal);
    if (fabs(x) < 4 && fabs(y) < 4) {
      CHECK_CLOSE(got, t, 1e-12);
      CHECK(normal[2] == 1);
    } else {
      CHECK(isinf(got));
    }
  }
  tl_geometry_destroy(context, floor);
}

static void mesh_mass(void) {
  const double point[12] = {1, 1, 1, 4, 1, 1, 1, 4, 1, 1, 1, 4};
  const int32_t triangle[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  talus_shape_def def = shape_def(TALUS_SHAPE_MESH);
  tl_geometry *mesh = NULL;
  int closed = 0;
  def.point = point;
  def.point_count = 4;
  def.triangle = triangle;
  def.triangle_count = 4;
  CHECK(tl_geometry_create(context, &def, &mesh, &closed) == TALUS_OK && closed == 1);
  tl_geometry *const hull = make_hull(context, point, 4);
  const tl_mass_properties m = tl_geometry_mass(mesh, 0), h = tl_geometry_mass(hull, 0);
  CHECK_CLOSE(m.volume, 4.5, 1e-12);
  CHECK_CLOSE(m.centre[0], 1.75, 1e-12);
  for (int k = 0; k < 6; k++) {
    CHECK_CLOSE(m.inertia[k], h.inertia[k], 1e-12);
  }
  /* about the centre: integral of x^2 is 3 V a^2 / 80, of x y is -V a^2 / 80 with a = 3 */
  CHECK_CLOSE(m.inertia[0], 2 * 3 * 4.5 * 9 / 80, 1e-12);
  CHECK_CLOSE(m.inertia[1], 4.5 * 9 / 80, 1e-12);
  tl_geometry_destroy(context, mesh);
  tl_geometry_destroy(context, hull);
  def.triangle_count = 3; /* a hole */
  CHECK(tl_geometry_create(context, &def, &mesh, &closed) == TALUS_OK && closed == 0);
  CHECK(tl_geometry_mass(mesh, 0).volume == 0);
  tl_geometry_destroy(context, mesh);
}

static void refuse(const talus_shape_def *def, talus_status status, const char *word) {
  tl_geometry *g = NULL;
  const talus_status got = tl_geometry_create(context, def, &g, NULL);
  CHECK_CASE(got == status, "%s instead of %s for %s", talus_status_name(got),
             talus_status_name(status), word);
  CHECK_CASE(strstr(talus_context_message(context), word) != NULL, "'%s' lacks '%s'",
             talus_context_message(context), word);
  CHECK(g == NULL);
}

static void bad_input(void) {
  talus_shape_def def = shape_def(TALUS_SHAPE_SPHERE);
  refuse(&def, TALUS_BAD_SETTING, "radius");
  def.radius = NAN;
  refuse(&def, TALUS_NOT_FINITE, "radius");
  def = shape_def(TALUS_SHAPE_BOX);
  def.half_edge[0] = def.half_edge[1] = 1;
  def.half_edge[2] = -1;
  refuse(&def, TALUS_BAD_SETTING, "half_edge[2]");
  def = shape_def(TALUS_SHAPE_CYLINDER);
  def.radius = 1;
  refuse(&def, TALUS_BAD_SETTING, "half_length");
  def = shape_def((talus_shape_kind)99);
  refuse(&def, TALUS_BAD_SETTING, "99");
  double point[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 2, 3, 0};
  def = shape_def(TALUS_SHAPE_HULL);
  refuse(&def, TALUS_BAD_SETTING, "four");
  def.point = point;
  def.point_count = 5;
  refuse(&def, TALUS_BAD_SETTING, "plane");
  point[7] = INFINITY;
  refuse(&def, TALUS_NOT_FINITE, "point[2]");
  point[7] = 1;
  int32_t triangle[6] = {0, 1, 2, 1, 3, 2};
  def = shape_def(TALUS_SHAPE_MESH);
  refuse(&def, TALUS_BAD_SETTING, "mesh");
  def.point = point;
  def.point_count = 5;
  def.triangle = triangle;
  def.triangle_count = 2;
  triangle[4] = 5;
  refuse(&def, TALUS_INDEX_RANGE, "triangle 1");
  triangle[4] = 1;
  refuse(&def, TALUS_BAD_SETTING, "triangle 1");
}

int main(void) {
  context = new_context();
  closed_forms();
  capsule();
  box_as_hull();
  hulls();
  section();
  boxes();
  rays();
  mesh_mass();
  bad_input();
  CHECK(context->bytes == 0);
  talus_context_destroy(context);
  return check_end();
}
