/* tangent.h: the tangents of a contact: the one rule of Talus, for every form and every scene.
 *
 * Facets of a cone stand at angles from the first tangent, so a second rule would turn them. */
#ifndef TL_ITEM_TANGENT_H
#define TL_ITEM_TANGENT_H

#include "kernels/item/real.h"

/* Two tangents that complete the unit vector n to a right-handed frame, without a branch on the
 * direction but its sign in z. */
TL_ITEM void tl_tangents(tl_vec n, tl_vec *t1, tl_vec *t2) {
  const tl_real sign = n.z >= 0 ? (tl_real)1 : (tl_real)-1;
  const tl_real a = -1 / (sign + n.z);
  const tl_real b = n.x * n.y * a;
  *t1 = tl_vec_make(1 + sign * n.x * n.x * a, sign * b, -sign * n.x);
  *t2 = tl_vec_make(b, sign + n.y * n.y * a, -n.y);
}

#endif
