/* rotation.c: checked quaternions and turned inertias. */
#include "host/math/rotation.h"

#include <math.h>

#include "host/math/vector.h"

bool tl_quaternion_good(const double *q) {
  const double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  return isfinite(square) && fabs(square - 1) < 1e-6;
}

void tl_inertia_turn(const double *m, const double *rotation, double *turned) {
  double half[9]; /* rotation * m */
  for (int i = 0; i < 3; i++) {
    tl_sym3(half + 3 * i, m, rotation + 3 * i);
  }
  const int row[6] = {0, 0, 0, 1, 1, 2}, column[6] = {0, 1, 2, 1, 2, 2};
  for (int i = 0; i < 6; i++) {
    turned[i] = tl_dot3(half + 3 * row[i], rotation + 3 * column[i]);
  }
}
