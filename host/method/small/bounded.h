/* bounded.h: least squares under bounds x_i >= 0, by a trust region. */
#ifndef TL_SMALL_BOUNDED_H
#define TL_SMALL_BOUNDED_H

#include "host/method/small/small.h"

/* r(x), and its derivative as products. */
typedef struct tl_squares {
  int32_t size, parts;        /* of x and of r */
  const unsigned char *bound; /* [size] 1: x_i >= 0 */
  /* r at x; the products below are those of this x from now on */
  void (*evaluate)(void *self, const double *x, double *r);
  void (*along)(void *self, const double *step, double *change);  /* J step */
  void (*back)(void *self, const double *weight, double *result); /* J^T weight */
  bool (*look)(void *self,
               const double *x); /* offers impulses; returns whether the iteration may end */
  void *self;
  tl_small *small; /* limits and counts: products J^T J count as passes */
} tl_squares;

size_t tl_bounded_room(int32_t size, int32_t parts);
/* Lowers |r|^2 / 2 from x, at most so many steps. */
void tl_bounded_minimise(const tl_squares *squares, int32_t most, double *x, double *room);

#endif
