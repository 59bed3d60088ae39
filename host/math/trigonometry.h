/* trigonometry.h: sine, cosine (item/sine.h) and the angle of a vector, of + - * / sqrt alone.
 *
 * Every machine rounds these alike, so that what moves by angles has the same bits everywhere;
 * functions of C libraries differ in the last one. */
#ifndef TL_MATH_TRIGONOMETRY_H
#define TL_MATH_TRIGONOMETRY_H

#include "kernels/item/sine.h"

double tl_sine(double x);
/* Angle from (1, 0) to (x, y), -pi .. pi, with an error below three units in the last place; 0 of
 * the null vector with x = +0. As atan2 of finite arguments. */
double tl_angle(double y, double x);

#endif
