/* rotation.h: quaternions (w x y z) and turned inertias, for worlds and mechanisms. */
#ifndef TL_MATH_ROTATION_H
#define TL_MATH_ROTATION_H

void tl_quaternion_matrix(const double *q, double *rotation);
void tl_quaternion_times(const double *a, const double *b, double *product);
/* q turned by the vector `angle` (world frame, rad), normalised. */
void tl_quaternion_turn(double *q, const double *angle);
int tl_quaternion_good(const double *q);
/* rotation * m * rotation^T of a symmetric m. */
void tl_inertia_turn(const double *m, const double *rotation, double *turned);

#endif
