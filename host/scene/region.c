/* region.c: parts of space: drawing points in them, and the insides of containers. */
#include <math.h>
#include <string.h>

#include "host/math/vector.h"

#include "host/scene/build.h"

static bool has_axis(const tl_scene_region *region) {
  return region->kind == TL_REGION_CYLINDER || region->kind == TL_REGION_ANNULUS;
}

static talus_status check_without(talus_context *context, const tl_scene_region *region) {
  for (int32_t i = 0; i < region->without.count; i++) {
    const tl_scene_region *hole = (const tl_scene_region *)region->without.item + i;
    if (hole->kind == TL_REGION_ANNULUS || hole->without.count > 0) {
      return tl_node_fail(context, hole->item.node,
                          "what a region is without is a box, a cylinder or a ball, and whole");
    }
    TL_TRY(tl_region_check(context, hole, 1));
  }
  return TALUS_OK;
}

talus_status tl_region_check(talus_context *context, const tl_scene_region *region, int endless) {
  const tl_node *node = region->item.node;
  if (region->kind == TL_REGION_CELL) {
    return tl_node_fail(context, node,
                        "a region of kind cell can be measured (output.measure) alone");
  }
  TL_TRY(check_without(context, region));
  if (region->kind == TL_REGION_BOX) {
    for (int c = 0; c < 3; c++) {
      /* In a plane world y is not written and both are 0. */
      const bool flat = c == 1 && region->lower[c] == region->upper[c];
      if (!flat && !(region->lower[c] < region->upper[c])) {
        return tl_node_fail(context, node, "the region's lower corner is not below the upper one");
      }
      if (!endless && !(isfinite(region->lower[c]) && isfinite(region->upper[c]))) {
        return tl_node_fail(context, node, "this region has to be finite");
      }
    }
    return TALUS_OK;
  }
  const double *a = region->axis;
  if (region->kind == TL_REGION_ANNULUS && !(region->inner < region->radius)) {
    return tl_node_fail(context, tl_tree_find(node, "inner"),
                        "the annulus has no room between its radii: inner %g m, outer %g m",
                        region->inner, region->radius);
  }
  if (has_axis(region) && (!(region->height > 0) || (!endless && !isfinite(region->height)) ||
                           !(a[0] * a[0] + a[1] * a[1] + a[2] * a[2] > 0))) {
    return tl_node_fail(context, node, "%s needs a%s height above 0 and an axis",
                        region->kind == TL_REGION_ANNULUS ? "an annulus" : "a cylinder",
                        endless ? "" : " finite");
  }
  return TALUS_OK;
}

/* Unit axis and two directions across it. */
static void frame_of(const double axis[3], double frame[9]) {
  const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  double *w = frame + 6, *u = frame, *v = frame + 3;
  for (int c = 0; c < 3; c++) {
    w[c] = axis[c] / length;
  }
  const int least = fabs(w[0]) <= fabs(w[1]) ? (fabs(w[0]) <= fabs(w[2]) ? 0 : 2)
                                             : (fabs(w[1]) <= fabs(w[2]) ? 1 : 2);
  double e[3] = {0, 0, 0};
  e[least] = 1;
  const double cross[3] = {e[1] * w[2] - e[2] * w[1], e[2] * w[0] - e[0] * w[2],
                           e[0] * w[1] - e[1] * w[0]};
  const double size = sqrt(cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2]);
  for (int c = 0; c < 3; c++) {
    u[c] = cross[c] / size;
  }
  v[0] = w[1] * u[2] - w[2] * u[1];
  v[1] = w[2] * u[0] - w[0] * u[2];
  v[2] = w[0] * u[1] - w[1] * u[0];
}

/* In a plane world a cylinder along y is a disk, another one a strip. */
static bool lies_across(const tl_scene_region *region) {
  return fabs(region->axis[1]) > fabs(region->axis[0]) + fabs(region->axis[2]);
}

/* Whether it holds a ball, as if nothing were taken out of it. A clearance below 0: whether it
 * meets a ball; at edges and corners it is taken for a little larger then. */
static bool whole_contains(const tl_scene_region *region, int plane, const double point[3],
                           double clearance) {
  const double *c = region->centre;
  const double d[3] = {point[0] - c[0], plane ? 0 : point[1] - c[1], point[2] - c[2]};
  if (region->kind == TL_REGION_BOX) {
    for (int i = 0; i < 3; i++) {
      if (!(plane && i == 1) &&
          (point[i] < region->lower[i] + clearance || point[i] > region->upper[i] - clearance)) {
        return false;
      }
    }
    return true;
  }
  const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
  const double inner = region->radius - clearance;
  const double core = region->kind == TL_REGION_ANNULUS ? fmax(0, region->inner + clearance) : 0;
  if (region->kind == TL_REGION_BALL || (plane && lies_across(region))) {
    return inner >= 0 && square <= inner * inner && square >= core * core;
  }
  double frame[9];
  frame_of(region->axis, frame);
  const double along = d[0] * frame[6] + d[1] * frame[7] + d[2] * frame[8];
  const double across = square - along * along;
  return inner >= 0 && along >= clearance && along <= region->height - clearance &&
         across <= inner * inner && across >= core * core;
}

bool tl_region_contains(const tl_scene_region *region, int plane, const double point[3],
                        double clearance) {
  bool inside = whole_contains(region, plane, point, clearance);
  for (int32_t i = 0; i < region->without.count && inside; i++) {
    const tl_scene_region *hole = (const tl_scene_region *)region->without.item + i;
    inside = !whole_contains(hole, plane, point, -clearance);
  }
  return inside;
}

void tl_region_box(const tl_scene_region *region, double lower[3], double upper[3]) {
  double frame[9];
  if (has_axis(region)) {
    frame_of(region->axis, frame);
  }
  for (int c = 0; c < 3; c++) {
    if (region->kind == TL_REGION_BOX) {
      lower[c] = region->lower[c];
      upper[c] = region->upper[c];
    } else if (region->kind == TL_REGION_BALL) {
      lower[c] = region->centre[c] - region->radius;
      upper[c] = region->centre[c] + region->radius;
    } else {
      const double w = frame[6 + c];
      const double reach = region->radius * sqrt(fmax(0, 1 - w * w));
      const double rise = w != 0 ? w * region->height : 0; /* an endless height times 0 is 0 */
      lower[c] = region->centre[c] - reach + fmin(0, rise);
      upper[c] = region->centre[c] + reach + fmax(0, rise);
    }
  }
}

/* Uniform between the radii, which would be rare in the box around a thin annulus; 0: no room. */
static bool draw_annulus(const tl_scene_region *region, int plane, double clearance,
                         tl_random *random, double point[3]) {
  const double outer = region->radius - clearance, core = region->inner + clearance;
  const double room = region->height - clearance;
  const bool ring = plane && lies_across(region);
  if (!(core <= outer) || (!ring && !(clearance <= room))) {
    return false;
  }
  double frame[9];
  frame_of(region->axis, frame);
  const double angle = tl_random_uniform(random, 0, 2 * TL_PI);
  if (ring) {
    const double r = sqrt(tl_random_uniform(random, core * core, outer * outer));
    point[0] = region->centre[0] + r * cos(angle);
    point[1] = 0;
    point[2] = region->centre[2] + r * sin(angle);
    return true;
  }
  const double along = tl_random_uniform(random, clearance, room);
  /* in the plane it is two strips */
  const double r = plane ? tl_random_uniform(random, core, outer)
                         : sqrt(tl_random_uniform(random, core * core, outer * outer));
  const double x = plane ? (angle < TL_PI ? r : -r) : r * cos(angle),
               y = plane ? 0 : r * sin(angle);
  const double side[3] = {plane ? frame[8] : frame[0], plane ? 0 : frame[1],
                          plane ? -frame[6] : frame[2]};
  for (int c = 0; c < 3; c++) {
    point[c] = region->centre[c] + along * frame[6 + c] + x * side[c] + y * frame[3 + c];
  }
  point[1] = plane ? 0 : point[1];
  return true;
}

/* Uniform in the box around the region; 0: no room. */
static bool draw_box(const tl_scene_region *region, int plane, double clearance, tl_random *random,
                     double point[3]) {
  double lower[3], upper[3];
  const double room = region->kind == TL_REGION_BOX ? clearance : 0;
  tl_region_box(region, lower, upper);
  for (int c = 0; c < 3; c++) {
    lower[c] += room;
    upper[c] -= room;
    if (!(plane && c == 1) && !(lower[c] <= upper[c])) {
      return false;
    }
  }
  for (int c = 0; c < 3; c++) {
    point[c] = plane && c == 1 ? 0 : tl_random_uniform(random, lower[c], upper[c]);
  }
  return true;
}

bool tl_region_draw(const tl_scene_region *region, int plane, double clearance, tl_random *random,
                    double point[3]) {
  const int tries = region->without.count > 0 ? 20000 : 200;
  const bool whole_box = region->kind == TL_REGION_BOX && region->without.count == 0;
  for (int i = 0; i < tries; i++) {
    if (!(region->kind == TL_REGION_ANNULUS ? draw_annulus(region, plane, clearance, random, point)
                                            : draw_box(region, plane, clearance, random, point))) {
      return false;
    }
    if (whole_box || tl_region_contains(region, plane, point, clearance)) {
      return true;
    }
  }
  return false;
}

static double whole_volume(const tl_scene_region *region, int plane) {
  const double *a = region->lower, *b = region->upper, r = region->radius, i = region->inner;
  switch (region->kind) {
  case TL_REGION_ANNULUS:
    return plane ? (lies_across(region) ? TL_PI * (r * r - i * i) : 2 * (r - i) * region->height)
                 : TL_PI * (r * r - i * i) * region->height;
  case TL_REGION_BOX:
    return (b[0] - a[0]) * (b[2] - a[2]) * (plane ? 1 : b[1] - a[1]);
  case TL_REGION_CYLINDER:
    return plane ? (lies_across(region) ? TL_PI * r * r : 2 * r * region->height)
                 : TL_PI * r * r * region->height;
  default:
    return plane ? TL_PI * r * r : 4.0 / 3.0 * TL_PI * r * r * r;
  }
}

/* Without what is taken out: the share of evenly spread points (multiples of powers of the plastic
 * number, modulo 1) of the box around it, which is off by about 1e-4. */
double tl_region_volume(const tl_scene_region *region, int plane) {
  enum { POINTS = 1 << 18 };
  static const double step[3] = {0.8191725133961645, 0.6710436067037893, 0.5497004779019703};
  double lower[3], upper[3];
  if (region->without.count == 0) {
    return whole_volume(region, plane);
  }
  tl_region_box(region, lower, upper);
  int32_t inside = 0;
  for (int32_t k = 0; k < POINTS; k++) {
    double point[3];
    for (int c = 0; c < 3; c++) {
      const double x = 0.5 + k * step[c], part = x - floor(x);
      point[c] = plane && c == 1 ? 0 : lower[c] + part * (upper[c] - lower[c]);
    }
    inside += tl_region_contains(region, plane, point, 0);
  }
  return (double)inside / POINTS * (upper[0] - lower[0]) * (upper[2] - lower[2]) *
         (plane ? 1 : upper[1] - lower[1]);
}

double tl_region_floor(const tl_scene_region *region, int plane) {
  const double r = region->radius;
  if (region->kind == TL_REGION_BOX) {
    return (region->upper[0] - region->lower[0]) *
           (plane ? 1 : region->upper[1] - region->lower[1]);
  }
  const double i = region->kind == TL_REGION_ANNULUS ? region->inner : 0;
  return plane ? 2 * (r - i) : TL_PI * (r * r - i * i);
}

double tl_region_height(const tl_scene_region *region) {
  return region->kind == TL_REGION_BOX ? region->upper[2] - region->lower[2] : region->height;
}

void tl_region_raise(tl_scene_region *region, double height) {
  if (region->kind == TL_REGION_BOX) {
    region->upper[2] = region->lower[2] + height;
  } else {
    region->height = height;
  }
}

bool tl_region_of_wall(const tl_scene_wall *wall, tl_scene_region *region) {
  const double *p = wall->position;
  memset(region, 0, sizeof *region);
  region->item.node = wall->item.node;
  region->axis[2] = 1;
  memcpy(region->centre, p, sizeof region->centre);
  region->radius = wall->radius;
  const double slope = tan(wall->angle);
  switch (wall->kind) {
  case TL_WALL_BOX:
  case TL_WALL_WEDGE: {
    const double rise =
        wall->kind == TL_WALL_WEDGE ? 0.5 * (wall->size[0] - wall->opening) * slope : 0;
    const bool lid = wall->kind == TL_WALL_BOX && (wall->faces >> TL_FACE_TOP & 1u);
    region->kind = TL_REGION_BOX;
    for (int c = 0; c < 2; c++) {
      region->lower[c] = p[c] - 0.5 * wall->size[c];
      region->upper[c] = p[c] + 0.5 * wall->size[c];
    }
    region->lower[2] = p[2] + rise;
    /* Without a lid grains may start above the rim. */
    region->upper[2] = lid ? p[2] + wall->size[2] : INFINITY;
    return true;
  }
  case TL_WALL_SILO:
  case TL_WALL_HOPPER:
    region->kind = TL_REGION_CYLINDER;
    region->height = INFINITY;
    region->centre[2] +=
        wall->kind == TL_WALL_HOPPER ? (wall->radius - 0.5 * wall->opening) * slope : 0;
    /* The wall is made of flat pieces: the ball inside is smaller. */
    region->radius *= cos(TL_PI / (double)wall->segments);
    return true;
  case TL_WALL_DRUM:
    region->kind = TL_REGION_CYLINDER;
    region->axis[1] = 1;
    region->axis[2] = 0;
    region->centre[1] -= 0.5 * wall->length;
    region->height = wall->length;
    region->radius *= cos(TL_PI / (double)wall->segments);
    region->radius -= wall->lifters > 0 ? wall->lifter : 0;
    return true;
  default:
    return false;
  }
}
