/* touch.h: constraints of a small problem as the bodies and blocks (units) that they touch see
 * them, and W = J M^-1 J^T from that. Memory of a small problem, which both of its makers fill:
 * form.c from the engine's system, direct.c from the caller's arrays. */
#ifndef TL_TOUCH_H
#define TL_TOUCH_H

#include "host/method/small/small.h"
#include "kernels/item/cone.h"

/* J and J M^-1 of one constraint against one unit: J by rows of `size` numbers, J M^-1 by columns
 * of TL_TOUCH_ROWS, 0 beyond those it has. */
enum { TL_TOUCH_ROWS = 4 };
typedef struct tl_small_touch {
  int32_t constraint, unit, size;
  int32_t next; /* the next of this unit, behind the last one the first; tl_touches_multiply */
  double *jacobian, *response;
} tl_small_touch;

typedef struct tl_touching {
  tl_small_touch *list;
  int32_t count;
  double *at; /* where the next J goes */
} tl_touching;

/* Another one, its response 0. */
tl_small_touch *tl_touch_add(tl_touching *t, int32_t constraint, int32_t unit, int32_t rows,
                             int32_t size);
/* Three numbers of row i of J M^-1, from column c on. */
static inline void tl_touch_response(const tl_small_touch *touch, int32_t i, int32_t c, tl_vec v) {
  double *const column = touch->response + TL_TOUCH_ROWS * c + i;
  column[0] = v.x;
  column[TL_TOUCH_ROWS] = v.y;
  column[2 * TL_TOUCH_ROWS] = v.z;
}
/* Adds to W, by columns, what touches of one unit share; the constraints of the list ascend.
 * lower: only where the row's constraint is not before the column's. */
void tl_touches_multiply(tl_touching *t, const int32_t *first, int64_t stride, double *w,
                         int32_t lower);

/* Arrays for so many constraints; first to be called. */
talus_status tl_small_reserve(tl_small *small, int32_t count);
/* Paces from W, when it stands. */
void tl_small_paces(tl_small *small);

#endif
