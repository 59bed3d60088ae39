/* interior_row.h: rows with bounds in an interior point (item/sides.h has the arithmetic).
 *
 * v_0 stands at the row's place in vectors of slacks, v_1 at tl_row_slot, behind all rows. */
#ifndef TL_INTERIOR_ROW_H
#define TL_INTERIOR_ROW_H

#include "host/method/newton/newton.h"

/* How many sides row k has: 0, 1 or 2. */
int tl_row_sides(const tl_scaled *scaled, const tl_interior *p, int32_t k);
/* y of no hurry, and slacks so that every x_i v_i = product and v_0 - v_1 is near q. */
void tl_row_start(const tl_scaled *scaled, int32_t k, double product, double size, tl_interior *p);
/* y, or the bound that y - u lies at or beyond. */
double tl_row_pressed(const tl_scaled *scaled, const tl_interior *p, int32_t k);
/* Sum of v_i / x_i; infinite if y is held. */
double tl_row_stiffness(const tl_scaled *scaled, const tl_interior *p, int32_t k);
/* v_0 - v_1. */
double tl_row_slack(const tl_scaled *scaled, const double *v, int32_t k);
/* Sum of x_i v_i along a step. */
double tl_row_gap(const tl_scaled *scaled, const tl_interior *p, int32_t k, const double *dy,
                  const double *dv, double step);
/* The smallest x_i v_i. */
double tl_row_least(const tl_scaled *scaled, const tl_interior *p, int32_t k);
/* The way along a step to the first bound. */
double tl_row_reach(const tl_scaled *scaled, const tl_interior *p, int32_t k, const double *dy,
                    const double *dv);
/* What the affine step dy, dv and the target add to the right-hand side, times `scale`; what the
 * smaller slack needs of it goes to the row's slot. */
void tl_row_correct(const tl_scaled *scaled, const tl_interior *p, int32_t k, const double *dy,
                    const double *dv, double target, double scale, double *rc);
/* Steps of both slacks; those of the net slack come in at dv's place of the row. rc NULL: affine.
 */
void tl_row_slack_step(const tl_scaled *scaled, const tl_interior *p, int32_t k, const double *dy,
                       const double *rc, double *dv);

#endif
