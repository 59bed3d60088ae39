/* rotation.h: quaternions (w x y z) and turned inertias, for worlds and mechanisms. */
#ifndef TL_MATH_ROTATION_H
#define TL_MATH_ROTATION_H

#include <stdbool.h>

#include "kernels/item/rotation.h"

bool tl_quaternion_good(const double *q);
/* rotation * m * rotation^T of a symmetric m. */
void tl_inertia_turn(const double *m, const double *rotation, double *turned);

#endif
