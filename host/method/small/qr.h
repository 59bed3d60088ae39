/* qr.h: least squares with a damping term, by Householder reflections: plain sums in a fixed order,
 * the same bits on every machine. */
#ifndef TL_SMALL_QR_H
#define TL_SMALL_QR_H

#include "kernels/item/dense_problem.h"

/* x that makes |J x - b|^2 + damping |x|^2 least; J is n x n, row-major, damping > 0. work:
 * tl_qr_room numbers. Returns 0 if x is not finite or phase->stop ended it, which is called now and
 * then where n is large (NULL: never). */
int tl_qr_damped(const double *jacobian, int32_t n, double damping, const double *b, double *x,
                 double *work, const tl_small_phase *phase);
int64_t tl_qr_room(int32_t n);

#endif
