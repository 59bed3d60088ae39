/* conquest.h: what divide and conquer works on: the tree of pieces of a mechanism, and the numbers
 * of one evaluation.
 *
 * A piece is one link (or the base), or two pieces joined at a joint. Its handles are the joints
 * that lead out of it. Pieces stand in the order in which the mechanism was cut: a piece before its
 * parts, and all that belongs to a piece in one run of `span` pieces. */
#ifndef TL_ITEM_CONQUEST_H
#define TL_ITEM_CONQUEST_H

#include <stddef.h>

#include "kernels/item/link.h"

typedef struct tl_piece {
  int32_t joint;    /* the link whose joint joins the parts; -1: a single link */
  int32_t link;     /* of a single link, -1 = the base */
  int32_t part[2];  /* the parent's side, the child's side */
  int32_t place[2]; /* number of the joint among the handles of each part */
  int32_t span;
  int32_t height; /* 0: a single link; else one more than the higher part */
  int32_t handle_count, first_handle;
  int64_t first_compliance; /* 36 handle_count^2 numbers */
} tl_piece;

/* Where the numbers of a link's joint are. */
typedef struct tl_piece_joint {
  int32_t first_v, v_count, first_d;
} tl_piece_joint;

/* What depends on the tree alone; mechanisms of one tree share it. */
typedef struct tl_pieces {
  int32_t link_count, v_count, d_count;
  int32_t piece_count, handle_total, level_count;
  int64_t compliance_total;
  const tl_piece *piece;
  const int32_t *handle;       /* [handle_total] links whose joint it is */
  const int32_t *leaf;         /* [link_count + 1] piece of a single link; 0 is the base's */
  const int32_t *rank;         /* [piece_count] pieces by height, lowest first */
  const int32_t *level;        /* [level_count + 1] where a height begins among them */
  const tl_piece_joint *joint; /* [link_count] */
} tl_pieces;

/* One evaluation: the first column of what it finds is for velocities, gravity and forces, the
 * others are for unit wrenches. */
typedef struct tl_conquest {
  tl_pieces pieces;
  const tl_link_state *state; /* [link_count] */
  const double *axis;         /* [6 v_count] columns of S */
  const double *applied;      /* [v_count] forces along the velocities */
  const double *outer;        /* [6 link_count] wrenches about the links' origins */
  double gravity[3];
  int32_t columns;            /* 1 + unit wrenches */
  const tl_unit_wrench *unit; /* [columns - 1] */
  /* results */
  double *acceleration; /* [v_count] or NULL */
  double *motion;       /* [6 (columns - 1) columns] of the link of wrench i for column k:
                           6 (columns i + k) */
  /* scratch, see tl_conquest_room */
  double *compliance;   /* [compliance_total] 6 x 6 blocks, row after row of blocks */
  double *hold;         /* [36 piece_count] W: what a joint passes on */
  double *drive;        /* [6 v_count] Y, columns of six */
  double *pivot;        /* [d_count] D^-1 */
  double *free, *force; /* [handle_total][columns][6] */
  double *singular;     /* [piece_count] 1: an inertia in it cannot be inverted */
} tl_conquest;

/* Doubles of scratch that an evaluation needs. */
TL_ITEM size_t tl_conquest_reals(const tl_pieces *pieces, int32_t columns) {
  return (size_t)pieces->compliance_total + 37 * (size_t)pieces->piece_count +
         6 * (size_t)pieces->v_count + (size_t)pieces->d_count +
         12 * (size_t)pieces->handle_total * (size_t)columns;
}

TL_ITEM void tl_conquest_room(tl_conquest *c, double *room) {
  const tl_pieces *const pieces = &c->pieces;
  const size_t columns = 6 * (size_t)pieces->handle_total * (size_t)c->columns;
  c->compliance = room;
  c->hold = c->compliance + pieces->compliance_total;
  c->drive = c->hold + 36 * (size_t)pieces->piece_count;
  c->pivot = c->drive + 6 * (size_t)pieces->v_count;
  c->free = c->pivot + pieces->d_count;
  c->force = c->free + columns;
  c->singular = c->force + columns;
}

#endif
