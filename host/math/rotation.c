/* rotation.c: checked quaternions. */
#include "host/math/rotation.h"

#include <math.h>

bool tl_quaternion_good(const double *q) {
  const double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  return isfinite(square) && fabs(square - 1) < 1e-6;
}
