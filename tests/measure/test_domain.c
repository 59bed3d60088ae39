/* test_domain.c: volumes that balls and domains have in common, against slices, closed forms and
 * partitions; lines and shapes in domains. */
#include "host/measure/domain.h"
#include "tests/check.h"

static const double pi = 3.14159265358979323846;

static double random_number(void) {
  static uint64_t state = 7;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (double)(state >> 11) / 9007199254740992.0;
}

static double between(double low, double high) {
  return low + (high - low) * random_number();
}

static tl_domain make(tl_domain_kind kind, bool plane) {
  tl_domain d = {.kind = kind, .plane = plane, .pose = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}}};
  return d;
}

/* A turn about an oblique axis, to see that frames are used. */
static void turn_domain(tl_domain *d, double angle) {
  const double c = cos(angle), s = sin(angle);
  const double rotation[9] = {c, 0, s, 0, 1, 0, -s, 0, c};
  for (int i = 0; i < 9; i++) {
    d->pose.rotation[i] = rotation[i];
  }
  tl_set3(d->pose.position, 0.3, d->plane ? 0 : -0.2, 0.1);
}

/* The corner of a ball by slices of disks: a rule that knows nothing of Gauss and Bonnet. */
static double corner_by_slices(double a, double b, double c) {
  enum { COUNT = 20000 };
  double sum = 0;
  const double from = fmax(-1, c);
  for (int k = 0; k < COUNT && from < 1; k++) {
    /* t = 1 - (1 - from) s^2 evens out the root at the pole */
    const double s = (k + 0.5) / COUNT, t = 1 - (1 - from) * s * s;
    const double r = sqrt(fmax(0, 1 - t * t));
    sum += r > 0 ? r * r * tl_disk_corner(a / r, b / r) * 2 * s : 0;
  }
  return sum * fmax(0, 1 - from) / COUNT;
}

static void check_corners(void) {
  CHECK_CLOSE(tl_disk_corner(0, 0), pi / 4, 1e-15);
  CHECK_CLOSE(tl_disk_corner(-2, -2), pi, 1e-14);
  CHECK_CLOSE(tl_ball_corner(0, 0, 0), pi / 6, 1e-15);
  CHECK_CLOSE(tl_ball_corner(-2, -2, -2), 4 * pi / 3, 1e-14);
  CHECK_CLOSE(tl_ball_corner(-2, 0.25, -2), pi / 3 * 0.75 * 0.75 * 2.25, 1e-14);
  CHECK_CLOSE(tl_ball_corner(0.7, 0.7, 0.7), 0, 0);
  for (int i = 0; i < 40; i++) {
    const double a = between(-1, 0.9), b = between(-1, 0.9), c = between(-1, 0.9);
    CHECK_CLOSE(tl_ball_corner(a, b, c), corner_by_slices(a, b, c), 3e-7);
  }
}

/* 5 x 4 x 3 boxes that fill another one: what they hold of a ball is what that one holds. */
static void check_boxes(bool plane) {
  for (int i = 0; i < 200; i++) {
    const double centre[3] = {between(-1.2, 1.2), plane ? 0 : between(-1.2, 1.2),
                              between(-1.2, 1.2)};
    const double radius = between(0.05, 1.5);
    tl_domain all = make(TL_DOMAIN_BOX, plane);
    turn_domain(&all, 0.4);
    double sum = 0;
    for (int c = 0; c < 3; c++) {
      all.lower[c] = -1;
      all.upper[c] = 1;
    }
    const int count[3] = {5, plane ? 1 : 4, 3};
    for (int k = 0; k < count[0] * count[1] * count[2]; k++) {
      const int at[3] = {k % count[0], k / count[0] % count[1], k / (count[0] * count[1])};
      tl_domain part = all;
      for (int c = 0; c < 3; c++) {
        part.lower[c] = -1 + 2.0 * at[c] / count[c];
        part.upper[c] = -1 + 2.0 * (at[c] + 1) / count[c];
      }
      sum += tl_domain_ball_volume(&part, centre, radius);
    }
    CHECK_CLOSE(sum, tl_domain_ball_volume(&all, centre, radius), 1e-12);
  }
}

/* The ball cut into 120^3 little cubes: a rule for any domain. */
static double by_cubes(const tl_domain *d, const double centre[3], double radius) {
  enum { COUNT = 120 };
  int64_t inside = 0;
  const int rows = d->plane ? 1 : COUNT;
  for (int k = 0; k < COUNT * rows * COUNT; k++) {
    double p[3] = {(k % COUNT + 0.5) / COUNT, (k / COUNT % rows + 0.5) / rows,
                   (k / (COUNT * rows) + 0.5) / COUNT};
    double point[3], square = 0;
    for (int c = 0; c < 3; c++) {
      p[c] = 2 * p[c] - 1;
      square += p[c] * p[c];
      point[c] = centre[c] + radius * p[c];
    }
    inside += square <= 1 && tl_domain_contains(d, point);
  }
  return (double)inside * radius * radius * (d->plane ? 4 : 8 * radius) /
         ((double)COUNT * rows * COUNT);
}

static void check_round(tl_domain_kind kind, bool plane) {
  for (int i = 0; i < 12; i++) {
    tl_domain d = make(kind, plane);
    turn_domain(&d, 0.5 * i);
    d.radius = between(0.3, 1.2);
    d.inner = i % 2 == 0 ? 0 : d.radius * between(0.2, 0.8);
    d.height = between(0.2, 1.5);
    const double centre[3] = {between(-0.9, 0.9), plane ? 0 : between(-0.9, 0.9),
                              between(-0.9, 0.9)};
    const double radius = between(0.2, 0.9);
    const double whole = plane ? pi * radius * radius : 4 * pi / 3 * radius * radius * radius;
    CHECK_CLOSE(tl_domain_ball_volume(&d, centre, radius), by_cubes(&d, centre, radius),
                (plane ? 8e-3 : 2e-3) * whole);
    /* rings, or shells, add up */
    double sum = 0;
    for (int k = 0; k < 7; k++) {
      tl_domain ring = d;
      ring.inner = d.inner + (d.radius - d.inner) * k / 7;
      ring.radius = k == 6 ? d.radius : d.inner + (d.radius - d.inner) * (k + 1) / 7;
      sum += tl_domain_ball_volume(&ring, centre, radius);
    }
    CHECK_CLOSE(sum, tl_domain_ball_volume(&d, centre, radius), 1e-11 * whole);
  }
}

/* A hole along the middle of a ball, and slices of a cylinder. */
static void check_cylinder(void) {
  const double centre[3] = {0, 0, 1};
  tl_domain d = make(TL_DOMAIN_CYLINDER, false);
  d.radius = 0.6;
  d.height = 2;
  CHECK_CLOSE(tl_domain_ball_volume(&d, centre, 1), 4 * pi / 3 * (1 - pow(1 - 0.36, 1.5)), 1e-12);
  for (int i = 0; i < 100; i++) {
    const double at[3] = {between(-1, 1), between(-1, 1), between(0, 2)};
    const double radius = between(0.1, 1);
    double sum = 0;
    for (int k = 0; k < 9; k++) {
      tl_domain slice = d;
      slice.pose.position[2] = 2.0 * k / 9;
      slice.height = 2.0 / 9;
      sum += tl_domain_ball_volume(&slice, at, radius);
    }
    CHECK_CLOSE(sum, tl_domain_ball_volume(&d, at, radius), 1e-10);
  }
}

/* Against points along the line. */
static void check_lines(tl_domain_kind kind, bool plane) {
  enum { COUNT = 4000 };
  for (int i = 0; i < 50; i++) {
    tl_domain d = make(kind, plane);
    turn_domain(&d, 0.3 * i);
    for (int c = 0; c < 3; c++) {
      d.lower[c] = between(-0.8, -0.1);
      d.upper[c] = between(0.1, 0.8);
    }
    d.radius = between(0.3, 1);
    d.inner = i % 3 == 0 ? 0 : 0.5 * d.radius;
    d.height = 1;
    double from[3], to[3];
    int inside = 0;
    for (int c = 0; c < 3; c++) {
      from[c] = plane && c == 1 ? 0 : between(-1, 1);
      to[c] = plane && c == 1 ? 0 : between(-1, 1);
    }
    for (int k = 0; k < COUNT; k++) {
      double way[3], point[3];
      tl_sub3(way, to, from);
      tl_along3(point, from, (k + 0.5) / COUNT, way);
      inside += tl_domain_contains(&d, point);
    }
    CHECK_CLOSE(tl_domain_line_share(&d, from, to), (double)inside / COUNT, 3.0 / COUNT);
    CHECK_CLOSE(tl_domain_line_share(&d, from, from), tl_domain_contains(&d, from), 0);
  }
}

/* A box by points: near its true share; exactly one over a partition. */
static void check_shape(void) {
  const tl_geometry box = {.kind = TALUS_SHAPE_BOX, .half_edge = {0.3, 0.2, 0.1}};
  tl_pose pose = {{0.5, 0.1, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  double sum = 0;
  for (int k = 0; k < 4; k++) {
    tl_domain d = make(TL_DOMAIN_BOX, false);
    for (int c = 0; c < 3; c++) {
      d.lower[c] = -1;
      d.upper[c] = 1;
    }
    d.lower[0] = 0.25 * k;
    d.upper[0] = 0.25 * (k + 1);
    const double from = fmax(d.lower[0], 0.2), to = fmin(d.upper[0], 0.8);
    const double share = tl_domain_shape_share(&d, &box, &pose);
    CHECK_CLOSE(share, fmax(0, to - from) / 0.6, 4e-3);
    sum += share;
  }
  CHECK_CLOSE(sum, 1, 1e-15);
}

int main(void) {
  check_corners();
  check_boxes(false);
  check_boxes(true);
  check_round(TL_DOMAIN_CYLINDER, false);
  check_round(TL_DOMAIN_BALL, false);
  check_round(TL_DOMAIN_BALL, true);
  check_cylinder();
  check_lines(TL_DOMAIN_BOX, false);
  check_lines(TL_DOMAIN_BOX, true);
  check_lines(TL_DOMAIN_CYLINDER, false);
  check_lines(TL_DOMAIN_BALL, false);
  check_lines(TL_DOMAIN_BALL, true);
  check_shape();
  return check_end();
}
