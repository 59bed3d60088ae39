/* conquer.h: how a mechanism was cut for divide and conquer, and the memory of its evaluations. */
#ifndef TL_CONQUER_H
#define TL_CONQUER_H

#include "host/mechanism/mechanism.h"
#include "kernels/item/conquest.h"

struct tl_conquer {
  tl_pieces pieces; /* what evaluations read: the arrays below */
  tl_piece *piece;
  int32_t *handle, *leaf, *rank, *level;
  tl_piece_joint *joint;
  int32_t *chunk; /* [chunk_count] pieces whose runs are worked on side by side */
  int32_t chunk_count;
  tl_buffer room;
};

/* Cuts the mechanism, once: depends on the tree alone. */
talus_status tl_conquer_plan(talus_mechanism *mechanism);
/* conquer.c: an evaluation of the present state, without scratch and results; it holds until the
 * state, forces or loads change. */
talus_status tl_conquest_make(talus_mechanism *mechanism, const tl_unit_wrench *unit, int32_t count,
                              tl_conquest *conquest);
/* Fails with NEGATIVE_MASS: an inertia cannot be inverted. */
talus_status tl_conquer_singular(const talus_mechanism *mechanism);

#endif
