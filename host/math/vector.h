/* vector.h: arithmetic on three numbers, by the items' functions. */
#ifndef TL_MATH_VECTOR_H
#define TL_MATH_VECTOR_H

#include "kernels/item/frame.h"
#include "kernels/item/vector.h"

#endif
