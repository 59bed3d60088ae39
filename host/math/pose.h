/* pose.h: poses of shapes and bodies, by the items' functions. */
#ifndef TL_MATH_POSE_H
#define TL_MATH_POSE_H

#include "host/math/vector.h"
#include "kernels/item/pose.h"

#endif
