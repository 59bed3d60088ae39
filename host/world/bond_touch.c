/* bond_touch.c: where bodies touch, one place for each pair: broad-phase, narrow-phase, and the
 * mean over the points of contact between two bodies. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/world/bond.h"
#include "host/world/cell.h"

/* Shapes touch below this gap, of the smaller size, unless the caller says another. */
static const double NEAR = 0.01;

/* Body i of the list, or of the world. */
static const tl_body *body_at(const talus_world *world, const int32_t *body, int32_t i) {
  return &world->body[body != NULL ? body[i] : i];
}

/* Memory for colliders and what is known of them. */
static talus_status colliders_reserve(talus_world *world, int32_t room) {
  TL_TRY(tl_buffer_reserve(world->context, &world->colliders, (size_t)room, sizeof(tl_collider),
                           "colliders"));
  return tl_buffer_reserve(world->context, &world->facts, (size_t)room, sizeof(tl_collider_fact),
                           "colliders");
}

/* Colliders of the bodies' shapes; world->facts has the slots of the shapes. */
static void colliders_place(talus_world *world, int32_t bodies, const int32_t *body, double gap) {
  tl_collider *const collider = world->colliders.memory;
  tl_collider_fact *const fact = world->facts.memory;
  world->collider_count = 0;
  for (int32_t i = 0; i < bodies; i++) {
    const tl_body *const of = body_at(world, body, i);
    for (int32_t s = of->exists ? of->first_shape : -1; s >= 0; s = world->shape[s].next) {
      double arm[3];
      const double size = world->shape[s].size;
      tl_collider *const placed = &collider[world->collider_count];
      tl_shape_collider(world, s, placed, arm);
      placed->margin = gap > 0 ? 0.5 * gap : NEAR * (isfinite(size) ? size : world->size);
      fact[world->collider_count++] = (tl_collider_fact){.shape = s, .image = 0};
    }
  }
}

/* The same, and in a periodic cell their images. */
static talus_status colliders_find(talus_world *world, int32_t bodies, const int32_t *body,
                                   double gap) {
  int64_t room = 0;
  for (int32_t i = 0; i < bodies; i++) {
    room += body_at(world, body, i)->shape_count;
  }
  if (room > (1 << 28)) {
    return tl_fail(world->context, TALUS_SIZE_OVERFLOW, "%lld shapes are too many",
                   (long long)room);
  }
  TL_TRY(colliders_reserve(world, (int32_t)room));
  colliders_place(world, bodies, body, gap);
  if (world->cell.def.periodic == 0) {
    return TALUS_OK;
  }
  const int32_t own = world->collider_count;
  TL_TRY(tl_cell_images(world, own, own)); /* how many */
  const int32_t all = world->collider_count;
  TL_TRY(colliders_reserve(world, all));
  colliders_place(world, bodies, body, gap);
  return tl_cell_images(world, own, all);
}

/* A point of contact as a touch, the body in the lower slot first. */
static bool touch_make(const talus_world *world, const tl_contact_point *point, double gap,
                       tl_touch *touch) {
  const tl_collider_fact *const fact = world->facts.memory;
  const tl_shape_slot *const a = &world->shape[fact[point->a].shape];
  const tl_shape_slot *const b = &world->shape[fact[point->b].shape];
  const bool swap = a->body > b->body;
  touch->body_a = swap ? b->body : a->body;
  touch->body_b = swap ? a->body : b->body;
  touch->image = (swap ? -1 : 1) * (fact[point->b].image - fact[point->a].image);
  touch->gap = point->gap;
  touch->size = fmin(a->size, b->size);
  memcpy(touch->point, point->position, sizeof touch->point);
  tl_scale3(touch->normal, swap ? -1 : 1, point->normal);
  return a->body != b->body && point->gap <= (gap > 0 ? gap : NEAR * touch->size);
}

static int compare(const void *left, const void *right) {
  const tl_touch *const a = left, *const b = right;
  return a->body_a != b->body_a   ? (a->body_a > b->body_a) - (a->body_a < b->body_a)
         : a->body_b != b->body_b ? (a->body_b > b->body_b) - (a->body_b < b->body_b)
         : a->image != b->image   ? (a->image > b->image) - (a->image < b->image)
                                  : (a->order > b->order) - (a->order < b->order);
}

static bool same_pair(const tl_touch *a, const tl_touch *b) {
  return a->body_a == b->body_a && a->body_b == b->body_b && a->image == b->image;
}

/* Touches of one pair become their mean; returns how many are left. */
static int32_t touches_merge(tl_touch *touch, int32_t count) {
  int32_t kept = 0;
  for (int32_t i = 0; i < count;) {
    tl_touch sum = touch[i];
    int32_t end = i + 1;
    for (; end < count && same_pair(&touch[end], &sum); end++) {
      tl_along3(sum.point, sum.point, 1, touch[end].point);
      tl_along3(sum.normal, sum.normal, 1, touch[end].normal);
      sum.gap = fmin(sum.gap, touch[end].gap);
      sum.size = fmin(sum.size, touch[end].size);
    }
    const double length = tl_norm3(sum.normal);
    tl_scale3(sum.point, 1.0 / (end - i), sum.point);
    tl_scale3(sum.normal, length > 0 ? 1 / length : 0, sum.normal);
    if (length > 0) {
      touch[kept++] = sum;
    }
    i = end;
  }
  return kept;
}

talus_status tl_touches_find(talus_world *world, int32_t count, const int32_t *body, double gap,
                             tl_touch **result, int32_t *touch_count) {
  const tl_pair *pairs;
  const tl_contact_point *points;
  int64_t pair_count, point_count;
  int32_t kept = 0;
  *result = NULL;
  *touch_count = 0;
  TL_TRY(colliders_find(world, body != NULL ? count : world->body_count, body, gap));
  const int32_t placed = world->collider_count;
  const int32_t threads = tl_threads_for(world->context, placed);
  const tl_collider *const collider = world->colliders.memory;
  TL_TRY(tl_broad_pairs(world->broad_fast, collider, placed, threads, &pairs, &pair_count));
  TL_TRY(
      tl_narrow_pairs(world->narrow, collider, pairs, pair_count, threads, &points, &point_count));
  if (point_count > (1 << 28)) {
    return tl_fail(world->context, TALUS_SIZE_OVERFLOW, "%lld points of contact are too many",
                   (long long)point_count);
  }
  tl_touch *touch;
  TL_TRY(tl_alloc(world->context, (void **)&touch, (size_t)point_count + 1, sizeof *touch,
                  "bodies that touch"));
  for (int64_t k = 0; k < point_count; k++) {
    touch[kept].order = kept;
    kept += touch_make(world, &points[k], gap, &touch[kept]);
  }
  qsort(touch, (size_t)kept, sizeof *touch, compare);
  *touch_count = touches_merge(touch, kept);
  *result = touch;
  return TALUS_OK;
}
