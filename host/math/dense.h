/* dense.h: small dense symmetric matrices, row-major: factor, solve, invert. */
#ifndef TL_MATH_DENSE_H
#define TL_MATH_DENSE_H

#include <stdint.h>

/* Cholesky's L over the lower triangle of a; the upper one is left. 0 if a is not positive
 * definite. */
int tl_dense_factor(double *a, int64_t n);
/* b := a^-1 b, a factored. */
void tl_dense_solve(const double *factor, int64_t n, double *b);
/* inverse := a^-1 from its factor; column (n values) is scratch. */
void tl_dense_invert(const double *factor, int64_t n, double *inverse, double *column);
/* Pseudo-inverse of a symmetric positive semidefinite a by Jacobi rotations. Destroys a; v (n x n)
 * is scratch. Returns 0 if a has a clearly negative eigenvalue. */
int tl_dense_pseudo_invert(double *a, int64_t n, double *inverse, double *v);

#endif
