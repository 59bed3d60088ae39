/* hull_support.h: how far points reach in a direction, by a tree of boxes over them.
 *
 * The answer is that of a loop over all points, bit for bit: rounding keeps order, so that the
 * scalar product with a box's corner, summed in the same order, is never below that with a point
 * inside. */
#ifndef TL_HULL_SUPPORT_H
#define TL_HULL_SUPPORT_H

#include "host/collide/collide.h"

/* Points first .. end - 1 of the sorted ones. In the order of a walk: who is inside stands behind.
 */
typedef struct tl_support_node {
  tl_box box;
  int32_t first, end;
  int32_t skip; /* the node to go on with when the box is missed */
} tl_support_node;

typedef struct tl_support {
  const double *point; /* borrowed */
  int32_t count, node_count;
  double *sorted[3]; /* [count] the same points by axis, neighbours in space standing together */
  tl_support_node *node; /* NULL: the points are few */
} tl_support;

/* Status: OUT_OF_MEMORY. tl_support_release is due in every case. */
talus_status tl_support_begin(talus_context *context, tl_support *support, const double *point,
                              int32_t count);
void tl_support_release(talus_context *context, tl_support *support);

/* The largest of n . x over all points and `start`. */
double tl_support_reach(const tl_support *support, const double n[3], double start);

#endif
