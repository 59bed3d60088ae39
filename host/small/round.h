/* round.h: the exact cone as equations in an unconstrained variable. */
#ifndef TL_SMALL_ROUND_H
#define TL_SMALL_ROUND_H

#include "host/small/small.h"

typedef struct tl_round {
  tl_small *small;
  double *impulse; /* [rows] F(z) */
  double *slope;   /* [9 count] dF/dz of each constraint, row-major */
  double tolerance;
} tl_round;

/* z of impulses y: u(y) - y. */
void tl_round_start(const tl_round *round, const double *y, double *z);
/* The equations of `round`, which must stay. */
tl_equations tl_round_equations(tl_round *round);

#endif
