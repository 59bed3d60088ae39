/* view.h: a contact problem and the state of its solution as the kernels see them.
 *
 * Plain pointers and counts, in the kernels' precision, passed by value to kernels and by
 * reference to loops. kernels/data/arrays.h says what the arrays are. An array of no elements is a
 * null pointer. */
#ifndef TL_ITEM_VIEW_H
#define TL_ITEM_VIEW_H

#include "kernels/data/arrays.h"
#include "kernels/item/real.h"

typedef struct tl_view {
  tl_shape shape;
#define TL_PLAIN(type, name, count) const type *name;
#define TL_REALS(name, count) const tl_real *name;
  TL_ARRAY_LIST(TL_PLAIN, TL_REALS)
#undef TL_PLAIN
#undef TL_REALS

  /* state; the owner swaps x and x_previous */
  tl_real *x, *x_previous; /* impulses, packed 3 */
  tl_real *best;           /* impulses put aside, packed 3 */
  tl_real *trial;          /* impulses, packed 3: APGD's candidate, y of MATRIX */
  tl_real *slip;           /* filtered tangential velocity, packed 3 */
  tl_real *velocity;       /* V(x) = M^-1 D^T x, or W x for MATRIX */
  tl_real *velocity_y;     /* V(y), y = x + beta (x - x_previous) */
  tl_real *velocity_trial; /* V(trial) */
} tl_view;

#endif
