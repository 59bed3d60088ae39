/* conquer.h: the tree of pieces that divide and conquer works on.
 *
 * A piece is one link (or the base), or two pieces joined at a joint. Its handles are the joints
 * that lead out of it. Pieces stand in the order in which the mechanism was cut: a piece before its
 * parts, and all that belongs to a piece in one run of `span` pieces. */
#ifndef TL_CONQUER_H
#define TL_CONQUER_H

#include "host/mechanism/mechanism.h"

typedef struct tl_piece {
  int32_t joint;    /* the link whose joint joins the parts; -1: a single link */
  int32_t link;     /* of a single link, -1 = the base */
  int32_t part[2];  /* the parent's side, the child's side */
  int32_t place[2]; /* number of the joint among the handles of each part */
  int32_t span;
  int32_t handle_count, first_handle;
  int64_t first_compliance; /* 36 handle_count^2 numbers */
  int32_t singular;
} tl_piece;

struct tl_conquer {
  int32_t piece_count;
  int32_t handle_total;
  int64_t compliance_total;
  tl_piece *piece;
  int32_t *handle; /* [handle_total] links whose joint it is */
  int32_t *leaf;   /* [link_count + 1] piece of a single link; 0 is the base's */
  int32_t *chunk;  /* [chunk_count] pieces whose runs are worked on side by side */
  int32_t chunk_count;
  double *compliance;    /* [compliance_total] 6 x 6 blocks, row after row of blocks */
  double *hold;          /* [36 piece_count] W: what a joint passes on */
  double *drive;         /* [6 v_count] Y, columns of six */
  double *pivot;         /* [d_count] D^-1 */
  tl_buffer free, force; /* [6 handle_total columns] of each piece and handle */
};

/* Cuts the mechanism, once: depends on the tree alone. */
talus_status tl_conquer_plan(talus_mechanism *mechanism);

/* One evaluation. */
typedef struct tl_conquest {
  talus_mechanism *mechanism;
  tl_conquer *plan;
  int32_t columns; /* the first: velocities, gravity, forces; then unit wrenches */
  const tl_unit_wrench *unit;
  double *free, *force; /* [handle][column][6] */
  double *acceleration; /* [v_count], of the first column, or NULL */
} tl_conquest;

static inline double *tl_piece_column(double *array, const tl_conquest *c, const tl_piece *piece,
                                      int32_t handle, int32_t column) {
  return array + 6 * ((size_t)(piece->first_handle + handle) * (size_t)c->columns + (size_t)column);
}

static inline double *tl_piece_block(const tl_conquer *plan, const tl_piece *piece, int32_t h,
                                     int32_t k) {
  return plan->compliance + piece->first_compliance + 36 * ((int64_t)h * piece->handle_count + k);
}

/* conquer_link.c: the answer of a single link, and of the base, to forces at its handles. */
void tl_conquer_link(tl_conquest *c, tl_piece *piece);
void tl_conquer_base(tl_conquest *c, tl_piece *piece);

#endif
