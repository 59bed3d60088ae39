/* qr.h: least squares with a damping term, by Householder reflections: plain sums in a fixed order,
 * the same bits on every machine. */
#ifndef TL_SMALL_QR_H
#define TL_SMALL_QR_H

#include <stdint.h>

/* x that makes |J x - b|^2 + damping |x|^2 least; J is n x n, row-major, damping > 0. work: 2 n n +
 * 2 n numbers. Returns 0 if x is not finite. */
int tl_qr_damped(const double *jacobian, int64_t n, double damping, const double *b, double *x,
                 double *work);

#endif
