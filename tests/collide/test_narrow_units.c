/* test_narrow_units.c: the same pairs 1024 times smaller give the same points, names and normals to
 * the bit, and gaps 1024 times smaller: no length is built into the narrow-phase. */
#include "tests/collide/shapes.h"

enum { KINDS = 6 };

static talus_context *context;

static tl_geometry *make_kind(int kind, double scale) {
  double point[60];
  shapes_state = 99; /* the same hull at either scale */
  for (int k = 0; k < 20; k++) {
    random_direction(point + 3 * k);
    for (int i = 0; i < 3; i++) {
      point[3 * k + i] *= 0.7 * scale;
    }
  }
  switch (kind) {
  case 0:
    return make_sphere(context, 0.5 * scale);
  case 1:
    return make_box(context, 0.4 * scale, 0.5 * scale, 0.3 * scale);
  case 2:
    return make_round(context, TALUS_SHAPE_CAPSULE, 0.3 * scale, 0.4 * scale);
  case 3:
    return make_round(context, TALUS_SHAPE_CYLINDER, 0.4 * scale, 0.4 * scale);
  case 4:
    return make_hull(context, point, 20);
  default:
    return make_floor(context, 6, 0.5 * scale);
  }
}

int main(void) {
  const double scale = 1.0 / 1024;
  tl_geometry *large[KINDS], *small[KINDS];
  int met = 0;
  context = new_context();
  for (int k = 0; k < KINDS; k++) {
    large[k] = make_kind(k, 1);
    small[k] = make_kind(k, scale);
  }
  for (int trial = 0; trial < 3000; trial++) {
    const int i = trial % 5, j = i + trial / 5 % (KINDS - i);
    tl_collider a = collider_at(large[i], random_pose(0.4), 0.05);
    tl_collider b = collider_at(large[j], random_pose(0.4), 0.05);
    const found f = meet(&a, &b);
    a.geometry = small[i];
    b.geometry = small[j];
    a.margin *= scale;
    b.margin *= scale;
    for (int n = 0; n < 3; n++) {
      a.pose.position[n] *= scale;
      b.pose.position[n] *= scale;
    }
    const found g = meet(&a, &b);
    CHECK_CASE(f.count == g.count, "kinds %d %d: %d and %d points", i, j, f.count, g.count);
    for (int k = 0; k < f.count && k < g.count; k++) {
      CHECK_CASE(f.point[k].feature == g.point[k].feature &&
                     f.point[k].gap * scale == g.point[k].gap &&
                     memcmp(f.point[k].normal, g.point[k].normal, sizeof g.point[k].normal) == 0,
                 "kinds %d %d, point %d: gaps %.17g %.17g", i, j, k, f.point[k].gap,
                 g.point[k].gap / scale);
      met++;
    }
  }
  CHECK(met > 1000);
  for (int k = 0; k < KINDS; k++) {
    tl_geometry_destroy(context, large[k]);
    tl_geometry_destroy(context, small[k]);
  }
  CHECK(context->bytes == 0);
  talus_context_destroy(context);
  return check_end();
}
