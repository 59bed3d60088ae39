/* frame.h: a frame about a unit vector, in double whatever the kernels' precision: for code that is
 * compiled in double alone. */
#ifndef TL_ITEM_FRAME_H
#define TL_ITEM_FRAME_H

#include "kernels/item/tangent.h"
#include "kernels/item/vector.h"

/* Two unit vectors that make a right-handed frame with the unit vector n: the item's tangents. */
TL_ITEM void tl_frame3(const double n[3], double t1[3], double t2[3]) {
  tl_vec a, b;
  tl_tangents(tl_vec_make(n[0], n[1], n[2]), &a, &b);
  tl_set3(t1, a.x, a.y, a.z);
  tl_set3(t2, b.x, b.y, b.z);
}

#endif
