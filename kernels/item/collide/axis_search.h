/* axis_search.h: the search for the direction along which two solids are farthest apart. */
#ifndef TL_ITEM_AXIS_SEARCH_H
#define TL_ITEM_AXIS_SEARCH_H

#include "kernels/item/collide/gjk.h"
#include "kernels/item/collide/room.h"

/* A direction in which two solids may be apart, in the frame of the first. */
typedef enum tl_separating_axis_kind {
  TL_AXIS_NONE = 0,
  TL_AXIS_FACE_A, /* index_a: face, or a cylinder's cap: 0 low, 1 high */
  TL_AXIS_FACE_B,
  TL_AXIS_EDGES, /* index_a, index_b: edges */
  TL_AXIS_OTHER
} tl_separating_axis_kind;

typedef struct tl_separating_axis {
  tl_separating_axis_kind kind;
  int32_t index_a, index_b;
  double normal[3];  /* unit, from a to b */
  double separation; /* of the solids along it, without roundings */
} tl_separating_axis;

/* With a mesh, a is one of its triangles and `allowed` is the best of the directions in which the
 * triangle is a peak of the mesh. */
typedef struct tl_axis_search {
  const tl_solid *a, *b;
  tl_pose place; /* of b in a's frame */
  const tl_mesh *mesh;
  int32_t triangle;
  double enough;    /* a separation above this ends the search: too far apart */
  double tolerance; /* a face is preferred to another solid's face or to edges by so much */
  tl_separating_axis any, allowed;
  int32_t closest_known; /* the distance has been looked at: 1 apart, -1 not */
  tl_closest closest;
  tl_clip_room *room;
} tl_axis_search;

TL_ITEM tl_separating_axis tl_separating_axis_make(tl_separating_axis_kind kind, int32_t index_a,
                                                   int32_t index_b) {
  tl_separating_axis axis;
  axis.kind = kind;
  axis.index_a = index_a;
  axis.index_b = index_b;
  tl_set3(axis.normal, 0, 0, 0);
  axis.separation = 0;
  return axis;
}

#endif
