/* measure_space.c: the space over which is averaged: a region, or what contacts bound.
 *
 * The volume between planes is the sum over its faces of area times distance from a point inside,
 * over three; a face is a large square in its plane, cut by all other planes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/math/vector.h"
#include "host/scene/measure.h"
#include "host/world/world.h"

/* Directions round each axis, over half a turn; a cylinder becomes a prism of 32 sides, which is
 * larger by 0.3 %. */
enum { AROUND = 16, SAMPLE = 16384, CORNERS = TL_SPACE_PLANES + 8 };
/* Part of the contacts that is left out on either side of an axis. */
static const double LEFT_OUT = 0.01;

bool tl_space_contains(const tl_space *space, const double point[3], double clearance) {
  if (space->region != NULL) {
    return tl_region_contains(space->region, space->plane, point, clearance);
  }
  bool inside = space->volume > 0;
  for (int32_t i = 0; i < space->count && inside; i++) {
    inside = tl_dot3(space->normal[i], point) <= space->offset[i] - clearance;
  }
  return inside;
}

void tl_space_near(const tl_space *space, const double point[3], double radius, tl_space *near) {
  near->region = space->region;
  near->plane = space->plane;
  near->volume = space->volume;
  near->count = 0;
  for (int32_t i = 0; i < space->count; i++) {
    if (tl_dot3(space->normal[i], point) > space->offset[i] - radius) {
      tl_copy3(near->normal[near->count], space->normal[i]);
      near->offset[near->count++] = space->offset[i];
    }
  }
}

/* Whether a contact carries a force and one of its bodies is a grain: of a generator or inlet, or
 * any free body where there is none. */
static bool counts(const talus_world *world, int64_t k, int32_t first) {
  const tl_contact_shown *const shown = &world->contact[k].shown;
  const double *const f = world->impulse + 3 * k;
  const bool a = shown->body_a >= first && talus_body_kind(world, shown->body_a) == TALUS_BODY_FREE;
  const bool b = shown->body_b >= first && talus_body_kind(world, shown->body_b) == TALUS_BODY_FREE;
  return (a || b) && (f[0] != 0 || f[1] != 0 || f[2] != 0);
}

static int32_t first_grain(const talus_scene *scene, const talus_world *world) {
  return talus_body_after(world, scene->grain_first - 1) != TALUS_NONE ? scene->grain_first : 0;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static void add_plane(tl_space *space, const double normal[3], double offset) {
  tl_copy3(space->normal[space->count], normal);
  space->offset[space->count++] = offset;
}

/* Both sides along an axis, without the outermost contacts. */
static void add_axis(tl_space *space, int axis, double *value, int32_t count) {
  double normal[3] = {0, 0, 0};
  const int32_t out = (int32_t)(LEFT_OUT * count);
  qsort(value, (size_t)count, sizeof *value, ascending);
  normal[axis] = 1;
  add_plane(space, normal, value[count - 1 - out]);
  normal[axis] = -1;
  add_plane(space, normal, -value[out]);
}

/* Both sides along a direction between the axes. */
static void add_direction(tl_space *space, const double normal[3], const double *point,
                          int32_t count) {
  const double back[3] = {-normal[0], -normal[1], -normal[2]};
  double low = INFINITY, high = -INFINITY;
  for (int32_t i = 0; i < count; i++) {
    const double along = tl_dot3(normal, point + 3 * (size_t)i);
    low = fmin(low, along);
    high = fmax(high, along);
  }
  add_plane(space, normal, high);
  add_plane(space, back, -low);
}

/* All planes about the points; value: room for one number of each. */
static void bound(tl_space *space, const double *point, int32_t count, double *value) {
  for (int axis = 0; axis < 3; axis++) {
    if (space->plane && axis == 1) {
      continue;
    }
    for (int32_t i = 0; i < count; i++) {
      value[i] = point[3 * (size_t)i + (size_t)axis];
    }
    add_axis(space, axis, value, count);
  }
  for (int axis = 0; axis < 3; axis++) {
    for (int k = 1; k < AROUND && (axis == 1 || !space->plane); k++) {
      double normal[3] = {0, 0, 0};
      normal[(axis + 1) % 3] = cos(TL_PI * k / AROUND);
      normal[(axis + 2) % 3] = sin(TL_PI * k / AROUND);
      if (2 * k != AROUND) {
        add_direction(space, normal, point, count);
      }
    }
  }
}

/* Cuts a polygon by a plane; returns how many corners are left. */
static int cut(double (*corner)[3], int count, const double normal[3], double offset) {
  double kept[CORNERS][3];
  int n = 0;
  for (int i = 0; i < count; i++) {
    const double *const p = corner[i], *const q = corner[(i + 1) % count];
    const double a = tl_dot3(normal, p) - offset, b = tl_dot3(normal, q) - offset;
    if (a <= 0) {
      tl_copy3(kept[n++], p);
    }
    if ((a < 0 && b > 0) || (a > 0 && b < 0)) {
      double way[3];
      tl_sub3(way, q, p);
      tl_along3(kept[n++], p, a / (a - b), way);
    }
  }
  memcpy(corner, kept, (size_t)n * sizeof kept[0]);
  return n;
}

static double polygon_area(double (*corner)[3], int count) {
  double sum[3] = {0, 0, 0};
  for (int i = 1; i + 1 < count; i++) {
    double a[3], b[3], product[3];
    tl_sub3(a, corner[i], corner[0]);
    tl_sub3(b, corner[i + 1], corner[0]);
    tl_cross3(product, a, b);
    tl_along3(sum, sum, 0.5, product);
  }
  return tl_norm3(sum);
}

/* size: larger than the space. */
static double volume_of(const tl_space *space, const double middle[3], double size) {
  double volume = 0;
  for (int32_t i = 0; i < space->count; i++) {
    const double *const normal = space->normal[i];
    const double height = space->offset[i] - tl_dot3(normal, middle);
    double u[3], v[3], corner[CORNERS][3];
    int count = 4;
    tl_frame3(normal, u, v);
    for (int k = 0; k < 4; k++) {
      tl_along3(corner[k], middle, height, normal);
      tl_along3(corner[k], corner[k], k == 0 || k == 3 ? size : -size, u);
      tl_along3(corner[k], corner[k], k < 2 ? size : -size, v);
    }
    for (int32_t j = 0; j < space->count && count > 0; j++) {
      count = j != i ? cut(corner, count, space->normal[j], space->offset[j]) : count;
    }
    volume += height * polygon_area(corner, count) / 3;
  }
  return volume;
}

/* From points that contacts have; memory: 4 numbers for each. */
static void bound_by(tl_space *space, double *memory, int32_t count) {
  const double *const point = memory;
  static const double across[3] = {0, 1, 0}, back[3] = {0, -1, 0};
  double middle[3] = {0, 0, 0}, size = 1;
  bound(space, point, count, memory + 3 * (size_t)count);
  for (int c = 0; c < 3; c++) { /* of the two planes across an axis, where there are such */
    const int32_t i = space->plane ? (c == 2 ? 2 : 0) : 2 * c;
    if (!(space->plane && c == 1)) {
      middle[c] = 0.5 * (space->offset[i] - space->offset[i + 1]);
      size = fmax(c == 0 ? 0 : size, space->offset[i] + space->offset[i + 1]);
    }
  }
  if (space->plane) {
    add_plane(space, across, 0.5);
    add_plane(space, back, 0.5);
  }
  const double volume = size > 0 ? volume_of(space, middle, 2 * fmax(size, space->plane)) : 0;
  space->volume = volume > 1e-12 * size * size * (space->plane ? 1 : size) ? volume : 0;
  space->count -= space->plane ? 2 : 0; /* bodies are in the middle of its thickness */
}

/* A whole box is bounded by planes. */
static void take_region(tl_space *space, const tl_scene_region *region) {
  const bool box = region->kind == TL_REGION_BOX && region->without.count == 0;
  space->volume = tl_region_volume(region, space->plane);
  space->region = box ? NULL : region;
  for (int c = 0; c < 3 && box; c++) {
    double normal[3] = {0, 0, 0};
    if (!(space->plane && c == 1)) {
      normal[c] = 1;
      add_plane(space, normal, region->upper[c]);
      normal[c] = -1;
      add_plane(space, normal, -region->lower[c]);
    }
  }
}

talus_status tl_space_find(const talus_scene *scene, const talus_world *world, tl_space *space) {
  memset(space, 0, sizeof *space);
  space->plane = world->def.plane;
  if (scene->def.output.region.item.node != NULL) {
    take_region(space, &scene->def.output.region);
    return TALUS_OK;
  }
  const int32_t first = first_grain(scene, world);
  int32_t touching = 0, taken = 0, seen = 0;
  for (int32_t k = 0; k < world->contact_count; k++) {
    touching += counts(world, k, first);
  }
  if (touching < 3) {
    return TALUS_OK;
  }
  const int32_t stride = 1 + (touching - 1) / SAMPLE; /* every so many-th of a large number */
  void *memory = NULL;
  TL_TRY(tl_alloc(scene->context, &memory, 4 * (size_t)(touching / stride + 1), sizeof(double),
                  "points of contacts"));
  double *const point = memory;
  for (int32_t k = 0; k < world->contact_count; k++) {
    if (counts(world, k, first) && seen++ % stride == 0) {
      tl_copy3(point + 3 * (size_t)taken++, world->contact[k].shown.point);
    }
  }
  bound_by(space, point, taken);
  tl_free(scene->context, memory);
  return TALUS_OK;
}
