/* query.h: one pair of placed shapes, and the list that its contact points go to.
 *
 * The kind of a is not greater than that of b; `flipped` says that the caller had them the other
 * way round. Each function of the narrow-phase adds the points of one combination of kinds; normals
 * go from a to b as the query has them. A list has the room that its owner gave it: what does not
 * fit sets `full`, and the owner asks once more with a larger one. */
#ifndef TL_ITEM_QUERY_H
#define TL_ITEM_QUERY_H

#include "kernels/item/collide/geometry.h"

/* One contact point of a pair. */
typedef struct tl_contact_point {
  int32_t a, b;       /* colliders, as in the pair */
  uint32_t feature;   /* names the point within the pair, the same from step to step while the same
                        corners, edges or triangles meet */
  int32_t spherical;  /* 1: both arms lie along the normal (sphere against sphere or wall) */
  double position[3]; /* midway in the gap */
  double normal[3];   /* unit, from a to b */
  double gap;         /* < 0: penetration */
} tl_contact_point;

typedef struct tl_point_list {
  tl_contact_point *point;
  int64_t count, capacity;
  bool full; /* a point did not fit */
} tl_point_list;

typedef union tl_narrow_room tl_narrow_room; /* room.h */

typedef struct tl_placed {
  const tl_geometry *geometry;
  const tl_pose *pose; /* in the world */
} tl_placed;

typedef struct tl_pair_query {
  tl_placed a, b;
  int32_t index_a, index_b; /* as the caller had them */
  bool flipped;
  bool spherical; /* both arms along the normal, or the only one that counts */
  double margin;
  tl_narrow_room *room;
  tl_point_list *list;
} tl_pair_query;

/* movable: of the two shapes' bodies. room: to work in. */
TL_ITEM tl_pair_query tl_pair_query_make(tl_placed a, tl_placed b, int32_t index_a, int32_t index_b,
                                         bool movable_a, bool movable_b, double margin,
                                         tl_narrow_room *room, tl_point_list *list) {
  tl_pair_query query;
  query.flipped = a.geometry->kind > b.geometry->kind;
  query.a = query.flipped ? b : a;
  query.b = query.flipped ? a : b;
  query.index_a = index_a;
  query.index_b = index_b;
  query.spherical =
      query.a.geometry->kind == TALUS_SHAPE_SPHERE &&
      (query.b.geometry->kind == TALUS_SHAPE_SPHERE || !(query.flipped ? movable_a : movable_b));
  query.margin = margin;
  query.room = room;
  query.list = list;
  return query;
}

/* Adds a point if its gap is below the margin. position: midway in the gap. */
TL_ITEM void tl_pair_query_add(const tl_pair_query *query, const double position[3],
                               const double normal[3], double gap, uint32_t feature) {
  tl_point_list *const list = query->list;
  if (!(gap < query->margin)) {
    return;
  }
  if (list->count == list->capacity) {
    list->full = true;
    return;
  }
  tl_contact_point *const point = &list->point[list->count++];
  point->a = query->index_a;
  point->b = query->index_b;
  point->feature = feature;
  point->spherical = query->spherical;
  tl_copy3(point->position, position);
  tl_scale3(point->normal, query->flipped ? -1 : 1, normal);
  point->gap = gap;
}

/* The same from what most pairs know: a point on a's surface. */
TL_ITEM void tl_pair_query_add_from(const tl_pair_query *query, const double on_a[3],
                                    const double normal[3], double gap, uint32_t feature) {
  double point[3];
  tl_along3(point, on_a, 0.5 * gap, normal);
  tl_pair_query_add(query, point, normal, gap, feature);
}

/* A number that names a combination of features; the same input gives the same name. */
TL_ITEM uint32_t tl_feature(uint32_t kind, uint32_t x, uint32_t y) {
  uint64_t h = ((uint64_t)x << 32 | y) * 0x9E3779B97F4A7C15u;
  h ^= (h >> 29) + (uint64_t)kind * 0xD1B54A32D192ED03u;
  h *= 0xBF58476D1CE4E5B9u;
  return (uint32_t)(h >> 32);
}

#endif
