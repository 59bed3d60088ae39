/* room.h: the memory in which the points of one pair are made. The caller has it: it would be too
 * much for the stack of a device's thread, of which the driver sets aside as much for each thread
 * that the device could ever run at once. */
#ifndef TL_ITEM_ROOM_H
#define TL_ITEM_ROOM_H

#include "kernels/item/collide/query.h"

enum {
  TL_CLIP_FACE_ROOM = 64,
  TL_CLIP_SIDE_ROOM = 128,
  TL_CLIP_ROOM = TL_CLIP_FACE_ROOM + TL_CLIP_SIDE_ROOM + 8,
  TL_HALFSPACE_ROOM = 64
};

typedef struct tl_clip_corner {
  double at[3];
  uint32_t name; /* of the corner */
  uint32_t edge; /* of the edge to the next one */
} tl_clip_corner;

typedef struct tl_clip_polygon {
  int count;
  tl_clip_corner at[TL_CLIP_ROOM];
} tl_clip_polygon;

/* The corners that are left of a polygon: to choose from. */
typedef struct tl_clip_choice {
  double point[TL_CLIP_ROOM][3];
  unsigned char keep[TL_CLIP_ROOM];
} tl_clip_choice;

typedef struct tl_clip_room {
  tl_clip_polygon polygon;
  double gap[TL_CLIP_ROOM]; /* of its corners, when it is cut */
  union {
    tl_clip_polygon rest; /* while it is cut; then ... */
    tl_clip_choice choice;
  } next;
} tl_clip_room;

/* Points of a in a half-space's frame, before the best are chosen. */
typedef struct tl_halfspace_candidates {
  const tl_pair_query *query;
  tl_pose place; /* of a, seen from the half-space */
  double radius; /* of the rounding around the points */
  int count;
  double point[TL_HALFSPACE_ROOM][3], gap[TL_HALFSPACE_ROOM];
  uint32_t feature[TL_HALFSPACE_ROOM];
} tl_halfspace_candidates;

/* A pair is one or the other. */
union tl_narrow_room {
  tl_clip_room clip;
  tl_halfspace_candidates halfspace;
};

#endif
