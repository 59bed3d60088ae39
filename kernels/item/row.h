/* row.h: one bilateral row whose impulse may have bounds.
 *
 *   lower <= x <= upper;   u = 0 inside,  u >= 0 at lower,  u <= 0 at upper
 * and its natural map x - clamp(x - u / w). A row without bounds is left as it is, bit for bit. */
#ifndef TL_ITEM_ROW_H
#define TL_ITEM_ROW_H

#include "kernels/item/view.h"

/* What is not a number stays so. */
TL_ITEM tl_real tl_row_clamp(tl_real x, tl_real lower, tl_real upper) {
  return x < lower ? lower : (x > upper ? upper : x);
}

/* The nearest impulse of row k, which stands in the first component. */
TL_ITEM tl_vec tl_row_project(const tl_view *view, const tl_range range, int32_t k, tl_vec x) {
  if (range.bounded) {
    x.x = tl_row_clamp(x.x, view->lower[k - range.first], view->upper[k - range.first]);
  }
  return x;
}

/* w |x - clamp(x - u/w)|^2, as the clamp of u/w between x - upper and x - lower: x and u may be of
 * very different size. */
TL_ITEM tl_real tl_row_share(tl_real x, tl_real u, tl_real w, tl_real lower, tl_real upper) {
  const tl_real d = tl_row_clamp(u / w, x - upper, x - lower);
  return w * d * d;
}

#endif
