/* qr.c: least squares on the host: the item with a team of one. */
#include "host/method/small/qr.h"

#include "kernels/item/reflection.h"

int64_t tl_qr_room(int32_t n) {
  return tl_reflection_room(n);
}

int tl_qr_damped(const double *jacobian, int32_t n, double damping, const double *b, double *x,
                 double *work, const tl_small_phase *phase) {
  return tl_reflection_solve(jacobian, n, damping, b, x, work, phase, NULL);
}
