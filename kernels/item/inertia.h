/* inertia.h: inertias of bodies as they stand; six entries xx xy xz yy yz zz. */
#ifndef TL_ITEM_INERTIA_H
#define TL_ITEM_INERTIA_H

#include "kernels/item/rotation.h"

/* rotation * m * rotation^T of a symmetric m. */
TL_ITEM void tl_inertia_turn(const double *m, const double *rotation, double *turned) {
  double half[9]; /* rotation * m */
  for (int i = 0; i < 3; i++) {
    tl_sym3(half + 3 * i, m, rotation + 3 * i);
  }
  const int row[6] = {0, 0, 0, 1, 1, 2}, column[6] = {0, 1, 2, 1, 2, 2};
  for (int i = 0; i < 6; i++) {
    turned[i] = tl_dot3(half + 3 * row[i], rotation + 3 * column[i]);
  }
}

/* m: in the body's frame. Round bodies turn about any axis, or about the one they were made for,
 * alike. */
TL_ITEM void tl_inertia_stand(int round, const double m[6], const double orientation[4],
                              double standing[6]) {
  double rotation[9];
  if (round) {
    for (int c = 0; c < 6; c++) {
      standing[c] = m[c];
    }
    return;
  }
  tl_quaternion_matrix(orientation, rotation);
  tl_inertia_turn(m, rotation, standing);
}

/* The inverse inertia of a body in a contact problem. spheres: a problem with reaches, in which
 * nothing turns disks in the plane about x and z, so it may be free. */
TL_ITEM void tl_inertia_inverse(int free, int round, int spheres, const double inverse[6],
                                const double orientation[4], double standing[6]) {
  if (!free) {
    for (int c = 0; c < 6; c++) {
      standing[c] = 0;
    }
    return;
  }
  tl_inertia_stand(round, inverse, orientation, standing);
  if (round && spheres) {
    standing[0] = standing[5] = standing[3];
  }
}

#endif
