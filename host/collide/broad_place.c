/* broad_place.c: colliders to items: centre, reach, half edges; and the infinite ones to the short
 * list. The leading bits of the sizes are counted on the way, for the choice of cell widths. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "host/collide/broad_grid.h"

/* Beyond it twice the reach or a square could overflow: treated as infinite. */
static const double reach_limit = 1e150;

static bool finite3(const double v[3]) {
  return isfinite(v[0]) && isfinite(v[1]) && isfinite(v[2]);
}

/* Centre and half edges of a box; 0 if it is not one. */
static bool place_box(const tl_box *box, double grow, tl_bounding_ball *place, double half[3]) {
  place->reach = 0;
  for (int axis = 0; axis < 3; axis++) {
    const double lower = box->lower[axis], upper = box->upper[axis];
    if (!(lower <= upper)) {
      return false;
    }
    const double centre = 0.5 * lower + 0.5 * upper;
    const double above = upper - centre, below = centre - lower;
    half[axis] = ((above > below ? above : below) + grow) * (1 + TL_REACH_SLACK);
    place->centre[axis] = centre;
    place->reach = half[axis] > place->reach ? half[axis] : place->reach;
    if (!(half[axis] <= reach_limit)) {
      place->reach = INFINITY;
      break;
    }
  }
  return true;
}

bool tl_place_collider(const tl_collider *collider, int32_t index, double skin,
                       tl_bounding_ball *place, tl_trait *trait, double half[3]) {
  const double *const position = collider->pose.position;
  const int kind = collider->geometry->kind;
  trait->index = index;
  trait->body = collider->body;
  trait->collides = collider->collides;
  trait->tag = ((uint32_t)collider->group & TL_TAG_GROUP) |
               (collider->movable != 0 ? (uint32_t)TL_TAG_MOVABLE : 0U);
  const double grow = collider->margin + skin;
  if (!finite3(position) || isnan(grow)) {
    return false;
  }
  if (kind == TALUS_SHAPE_SPHERE) {
    trait->tag |= TL_TAG_BALL;
    const double reach = (collider->geometry->radius + grow) * (1 + TL_REACH_SLACK);
    memcpy(place->centre, position, sizeof place->centre);
    place->reach = reach <= reach_limit ? reach : INFINITY;
    half[0] = half[1] = half[2] = reach;
    return !isnan(reach);
  }
  if (kind == TALUS_SHAPE_HALFSPACE) {
    const double *const r = collider->pose.rotation;
    trait->tag |= TL_TAG_HALFSPACE;
    memcpy(place->centre, position, sizeof place->centre);
    place->reach = INFINITY;
    return isfinite(r[2]) && isfinite(r[5]) && isfinite(r[8]);
  }
  const tl_box box = tl_collider_box(collider);
  return place_box(&box, grow, place, half);
}

void tl_large_fill(const tl_collider *collider, int32_t index, double skin, tl_large *large) {
  memset(large, 0, sizeof *large);
  large->index = index;
  large->margin = collider->margin + skin;
  if (collider->geometry->kind == TALUS_SHAPE_HALFSPACE) {
    for (int axis = 0; axis < 3; axis++) {
      large->point[axis] = collider->pose.position[axis];
      large->normal[axis] = collider->pose.rotation[3 * axis + 2];
    }
  } else {
    large->box = tl_collider_box(collider);
  }
}

/* Exponent and leading bits of a size a little above twice the reach, as tl_broad_levels wants. */
static void count_size(tl_lane *lane, const tl_bounding_ball *place) {
  int32_t exponent, bin;
  tl_size_split(place->reach, &exponent, &bin);
  lane->size_count[bin]++;
  lane->exponent_max = exponent > lane->exponent_max ? exponent : lane->exponent_max;
  lane->exponent_min = exponent < lane->exponent_min ? exponent : lane->exponent_min;
  for (int axis = 0; axis < 3; axis++) {
    const double size = fabs(place->centre[axis]);
    lane->centre_max = size > lane->centre_max ? size : lane->centre_max;
  }
  lane->item_count++;
}

static void place_lane(tl_broad *broad, const tl_collider *collider, int32_t number) {
  tl_lane *const lane = tl_broad_lane(broad, number);
  const int64_t begin = tl_lane_begin(broad->count, number, broad->lane_count);
  const int64_t end = tl_lane_begin(broad->count, number + 1, broad->lane_count);
  memset(lane->size_count, 0, sizeof lane->size_count);
  lane->exponent_min = INT32_MAX;
  lane->exponent_max = 0;
  lane->centre_max = 0;
  lane->item_count = lane->large_count = 0;
  lane->bad = broad->count;
  for (int64_t i = begin; i < end; i++) {
    tl_bounding_ball *const place = &broad->place[i];
    if (!tl_place_collider(&collider[i], (int32_t)i, broad->skin, place, &broad->trait[i],
                           &broad->half[3 * i])) {
      lane->bad = i;
      return;
    }
    if (place->reach == INFINITY) {
      lane->large_count++;
    } else {
      count_size(lane, place);
    }
  }
}

static talus_status refuse(tl_broad *broad, const tl_collider *collider) {
  const double *const p = collider->pose.position;
  return tl_fail(broad->context, TALUS_NOT_FINITE,
                 "body %d, shape %d: position, size or margin is not finite (position %g %g %g, "
                 "margin %g)",
                 (int)collider->body, (int)collider->shape, p[0], p[1], p[2], collider->margin);
}

typedef struct place_task {
  tl_broad *broad;
  const tl_collider *collider;
} place_task;

static void lanes_place(void *arguments, int64_t first, int64_t end) {
  const place_task *const t = arguments;
  for (int32_t lane = (int32_t)first; lane < end; lane++) {
    place_lane(t->broad, t->collider, lane);
  }
}

talus_status tl_broad_place(tl_broad *broad, const tl_collider *collider) {
  const int64_t n = broad->count;
  TL_TRY(tl_broad_reserve(broad, &broad->place_buffer, n, sizeof(tl_bounding_ball), "places"));
  TL_TRY(tl_broad_reserve(broad, &broad->trait_buffer, n, sizeof(tl_trait), "traits"));
  TL_TRY(tl_broad_reserve(broad, &broad->half_buffer, n, 3 * sizeof(double), "half edges"));
  broad->place = broad->place_buffer.memory;
  broad->trait = broad->trait_buffer.memory;
  broad->half = broad->half_buffer.memory;
  const int32_t lanes = broad->lane_count;
  place_task task = {broad, collider};
  tl_each(broad->context, lanes, lanes, lanes_place, &task);
  int64_t bad = n;
  for (int32_t lane = 0; lane < lanes; lane++) {
    const int64_t own = tl_broad_lane(broad, lane)->bad;
    bad = own < bad ? own : bad;
  }
  return bad < n ? refuse(broad, &collider[bad]) : TALUS_OK;
}
