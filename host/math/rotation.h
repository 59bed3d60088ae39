/* rotation.h: quaternions (w x y z) and turned inertias, for worlds and mechanisms. */
#ifndef TL_MATH_ROTATION_H
#define TL_MATH_ROTATION_H

#include <stdbool.h>

#include "kernels/item/inertia.h"

bool tl_quaternion_good(const double *q);

#endif
