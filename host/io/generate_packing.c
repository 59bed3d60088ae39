/* generate_packing.c: spheres in an open box, sorted into cells; one sphere dropped and rolled.
 *
 * The centre of the new sphere is a point above the other spheres inflated by its radius. It falls,
 * rolls on one of them along a meridian, on two of them (or one and a wall) along their circle of
 * intersection, always in the direction of steepest descent, until no descent is left (Visscher
 * and Bolsterli 1972). Which surfaces carry it follows from projecting gravity on the cone of free
 * directions; where a path ends is in generate_path.c. No angle is ever computed. */
#include "host/io/generate_path.h"

#include <math.h>
#include <string.h>

enum { STEPS_MAX = 200, RETRIES = 4 };

static int32_t cell_clamp(double coordinate, double cell, int32_t count) {
  const double index = coordinate / cell;
  if (!(index > 0.0)) {
    return 0;
  }
  return index < (double)count ? (int32_t)index : count - 1;
}

void tl_packing_cells(const tl_packing *packing, const double low[3], const double high[3],
                      int32_t first[3], int32_t last[3]) {
  for (int i = 0; i < 3; i++) {
    first[i] = cell_clamp(low[i], packing->cell, packing->size[i]);
    last[i] = cell_clamp(high[i], packing->cell, packing->size[i]);
  }
}

void tl_packing_wall(const tl_packing *packing, int32_t wall, double normal[3], double *offset) {
  static const double normals[TL_WALL_COUNT][3] = {
      {0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
  const double offsets[TL_WALL_COUNT] = {0.0, 0.0, -packing->width, 0.0, -packing->depth};
  memcpy(normal, normals[TL_FLOOR - wall], 3 * sizeof(double));
  *offset = offsets[TL_FLOOR - wall];
}

void tl_packing_clear(tl_packing *packing) {
  const size_t cells =
      (size_t)packing->size[0] * (size_t)packing->size[1] * (size_t)packing->size[2];
  packing->count = 0;
  memset(packing->head, 0xFF, cells * sizeof(int32_t)); /* -1: empty */
}

talus_status tl_packing_create(talus_context *context, int32_t capacity, double width, double depth,
                               double radius_mean, double radius_max, double margin,
                               tl_packing *packing) {
  memset(packing, 0, sizeof *packing);
  packing->context = context;
  packing->width = width;
  packing->depth = depth;
  packing->radius_mean = radius_mean;
  packing->radius_max = radius_max;
  packing->cell = 2.0 * radius_max + margin;
  /* Rooms for twice the height at which the spheres would fill 60 % of the box. */
  const double volume = 4.2 * radius_max * radius_max * radius_max * (double)capacity;
  const double extent[3] = {width, depth, 2.0 * volume / (0.6 * width * depth) + packing->cell};
  size_t cells = 1;
  for (int i = 0; i < 3; i++) {
    packing->size[i] = (int32_t)(extent[i] / packing->cell) + 1;
    cells = tl_size_product(cells, (size_t)packing->size[i]);
  }
  talus_status status = TALUS_OK;
  void *memory = NULL;
  TL_TRY_GOTO(tl_alloc(context, &memory, (size_t)capacity, sizeof(tl_sphere), "spheres"), fail);
  packing->sphere = memory;
  TL_TRY_GOTO(tl_alloc(context, &memory, (size_t)capacity, sizeof(int32_t), "sphere lists"), fail);
  packing->next = memory;
  TL_TRY_GOTO(tl_alloc(context, &memory, cells, sizeof(int32_t), "cells"), fail);
  packing->head = memory;
  tl_packing_clear(packing);
  return TALUS_OK;
fail:
  tl_packing_destroy(packing);
  return status;
}

void tl_packing_destroy(tl_packing *packing) {
  tl_free(packing->context, packing->sphere);
  tl_free(packing->context, packing->next);
  tl_free(packing->context, packing->head);
  packing->sphere = NULL;
  packing->next = packing->head = NULL;
}

void tl_packing_keep(tl_packing *packing, tl_sphere sphere) {
  const int32_t index = packing->count++;
  const double p[3] = {sphere.x, sphere.y, sphere.z};
  int32_t at[3], same[3];
  tl_packing_cells(packing, p, p, at, same);
  const size_t cell =
      ((size_t)at[2] * (size_t)packing->size[1] + (size_t)at[1]) * (size_t)packing->size[0] +
      (size_t)at[0];
  packing->sphere[index] = sphere;
  packing->next[index] = packing->head[cell];
  packing->head[cell] = index;
  if (at[2] > packing->layer_top) {
    packing->layer_top = at[2];
  }
}

/* The surfaces that the sphere touches at p, with the directions in which they push it. */
static int touching(const tl_packing *packing, const double p[3], double radius,
                    tl_support support[TL_SUPPORT_MAX]) {
  const double touch = TL_TOUCH * packing->radius_mean;
  const double range = radius + packing->radius_max + touch;
  int count = 0;
  for (int32_t wall = TL_FLOOR; wall >= -TL_WALL_COUNT; wall--) {
    double offset;
    tl_packing_wall(packing, wall, support[count].normal, &offset);
    const double *n = support[count].normal;
    if (n[0] * p[0] + n[1] * p[1] + n[2] * p[2] - offset - radius <= touch) {
      support[count++].id = wall;
    }
  }
  const double low[3] = {p[0] - range, p[1] - range, p[2] - range};
  const double high[3] = {p[0] + range, p[1] + range, p[2] + range};
  TL_EACH_SPHERE(packing, low, high, j) {
    const tl_sphere s = packing->sphere[j];
    const double d[3] = {p[0] - s.x, p[1] - s.y, p[2] - s.z};
    const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    const double reach = s.r + radius + touch;
    if (square <= reach * reach && count < TL_SUPPORT_MAX) {
      const double length = sqrt(square);
      support[count].id = j;
      for (int i = 0; i < 3; i++) {
        support[count].normal[i] = d[i] / length;
      }
      count++;
    }
  }
  return count;
}

static bool is_free(const double direction[3], const tl_support *support, int count) {
  for (int i = 0; i < count; i++) {
    const double *n = support[i].normal;
    if (n[0] * direction[0] + n[1] * direction[1] + n[2] * direction[2] < -TL_SLOPE_TOLERANCE) {
      return false;
    }
  }
  return true;
}

static bool is_descent(const double direction[3]) {
  return direction[2] < -1e-14;
}

/* Gravity (0, 0, -1) made tangent to two supports: + x n_i + y n_j. 0 unless both push. */
static bool project_pair(const double *n, const double *m, double direction[3]) {
  const double c = n[0] * m[0] + n[1] * m[1] + n[2] * m[2];
  const double determinant = 1.0 - c * c;
  if (determinant < 1e-12) {
    return false;
  }
  const double x = (n[2] - c * m[2]) / determinant;
  const double y = (m[2] - c * n[2]) / determinant;
  for (int i = 0; i < 3; i++) {
    direction[i] = x * n[i] + y * m[i];
  }
  direction[2] -= 1.0;
  return x >= 0.0 && y >= 0.0;
}

/* Steepest free descent. Returns how many supports carry the sphere on its way (their indices in
 * `carrier`), or -1 if it is at rest. Few supports: all choices are tried, the smallest first. */
static int descent(const tl_support *support, int count, double direction[3], int carrier[2]) {
  direction[0] = direction[1] = 0.0;
  direction[2] = -1.0;
  if (is_free(direction, support, count)) {
    return 0;
  }
  for (int i = 0; i < count; i++) {
    const double *n = support[i].normal;
    for (int c = 0; c < 3; c++) {
      direction[c] = n[2] * n[c] - (c == 2);
    }
    if (n[2] > 0.0 && is_descent(direction) && is_free(direction, support, count)) {
      carrier[0] = i;
      return 1;
    }
  }
  for (int i = 0; i < count; i++) {
    for (int j = i + 1; j < count; j++) {
      if (project_pair(support[i].normal, support[j].normal, direction) && is_descent(direction) &&
          is_free(direction, support, count)) {
        carrier[0] = i;
        carrier[1] = j;
        return 2;
      }
    }
  }
  return -1;
}

/* From p to a place of rest. 0 if it does not come to rest, which only happens in degenerate
 * places; p is then free of overlap all the same. */
static bool roll(const tl_packing *packing, double p[3], double radius) {
  for (int step = 0; step < STEPS_MAX; step++) {
    tl_support support[TL_SUPPORT_MAX];
    double direction[3];
    int carrier[2];
    const int count = touching(packing, p, radius, support);
    const int carriers = count < TL_SUPPORT_MAX ? descent(support, count, direction, carrier) : -1;
    if (carriers < 0) {
      return true;
    }
    if (carriers == 0) {
      tl_path_fall(packing, radius, p);
    } else {
      const int32_t second = carriers == 2 ? support[carrier[1]].id : TL_NOBODY;
      if (!tl_path_roll(packing, radius, support[carrier[0]].id, second, direction, p)) {
        return true;
      }
    }
  }
  return false;
}

void tl_packing_drop(tl_packing *packing, double x, double y, double radius) {
  double p[3] = {x, y, HUGE_VAL};
  for (int retry = 0; retry < RETRIES; retry++) {
    /* A second try starts beside the first. */
    const double shift = 0.37 * radius * (double)retry;
    p[0] = x + shift <= packing->width - radius ? x + shift : x - shift;
    p[0] = p[0] >= radius ? p[0] : radius;
    p[1] = y;
    p[2] = HUGE_VAL;
    tl_path_fall(packing, radius, p);
    if (roll(packing, p, radius)) {
      break;
    }
  }
  tl_packing_keep(packing, (tl_sphere){p[0], p[1], p[2], radius});
}
