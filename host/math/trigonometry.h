/* trigonometry.h: sine, cosine and the angle of a vector, made of + - * / sqrt alone.
 *
 * Every machine rounds these alike, so that what moves by angles has the same bits everywhere;
 * functions of C libraries differ in the last one. */
#ifndef TL_MATH_TRIGONOMETRY_H
#define TL_MATH_TRIGONOMETRY_H

/* Sine and cosine of x, in rad, each with an error below one unit in the last place (of results
 * below 2^-40: below 1e-28). Beyond 1.6e6, those of an angle that differs from x by less than x's
 * own rounding. NaN if x is not finite. */
void tl_sine_cosine(double x, double *sine, double *cosine);
double tl_sine(double x);
/* Angle from (1, 0) to (x, y), -pi .. pi, with an error below three units in the last place; 0 of
 * the null vector with x = +0. As atan2 of finite arguments. */
double tl_angle(double y, double x);

#endif
