/* rotation.c: quaternions (w x y z) and turned inertias. */
#include "host/math/rotation.h"

#include <math.h>

#include "host/math/trigonometry.h"
#include "host/math/vector.h"

void tl_quaternion_matrix(const double *q, double *r) {
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  r[0] = 1 - 2 * (y * y + z * z);
  r[1] = 2 * (x * y - w * z);
  r[2] = 2 * (x * z + w * y);
  r[3] = 2 * (x * y + w * z);
  r[4] = 1 - 2 * (x * x + z * z);
  r[5] = 2 * (y * z - w * x);
  r[6] = 2 * (x * z - w * y);
  r[7] = 2 * (y * z + w * x);
  r[8] = 1 - 2 * (x * x + y * y);
}

void tl_quaternion_times(const double *a, const double *b, double *product) {
  const double w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  const double x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  const double y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
  product[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
  product[0] = w;
  product[1] = x;
  product[2] = y;
}

void tl_quaternion_turn(double *q, const double *angle) {
  const double size = sqrt(tl_dot3(angle, angle));
  if (!(size > 0)) {
    return;
  }
  double sine, cosine;
  tl_sine_cosine(0.5 * size, &sine, &cosine);
  const double s = sine / size;
  const double turn[4] = {cosine, s * angle[0], s * angle[1], s * angle[2]};
  double next[4];
  tl_quaternion_times(turn, q, next);
  const double length =
      sqrt(next[0] * next[0] + next[1] * next[1] + next[2] * next[2] + next[3] * next[3]);
  for (int i = 0; i < 4; i++) {
    q[i] = next[i] / length;
  }
}

int tl_quaternion_good(const double *q) {
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
