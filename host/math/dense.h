/* dense.h: the dense factors of the host: Cholesky of symmetric matrices, row-major, and LU with
 * pivots, column-major. Least squares by reflections are an item (kernels/item/reflection.h);
 * LAPACK takes large matrices where it is at hand (host/method/newton/linear_dense.c). */
#ifndef TL_MATH_DENSE_H
#define TL_MATH_DENSE_H

#include <stdbool.h>
#include <stdint.h>

/* Cholesky's L over the lower triangle of a; the upper one is left. False if a is not positive
 * definite. */
bool tl_dense_factor(double *a, int64_t n);
/* The same of a positive semidefinite a: what has no pivot left of its diagonal gets a column of
 * zeros, and the upper triangle stays. */
void tl_dense_root(double *a, int64_t n);
/* b := a^-1 b, a factored. */
void tl_dense_solve(const double *factor, int64_t n, double *b);
/* inverse := a^-1 from its factor; column (n values) is scratch. */
void tl_dense_invert(const double *factor, int64_t n, double *inverse, double *column);
/* Pseudo-inverse of a symmetric positive semidefinite a by Jacobi rotations. Destroys a; v (n x n)
 * is scratch. Returns false if a has a clearly negative eigenvalue. */
bool tl_dense_pseudo_invert(double *a, int64_t n, double *inverse, double *v);

/* LU with row exchanges, over a; pivot[c] is the row, from 1 on, that changes places with row c.
 * False if a is singular or not finite. */
bool tl_dense_lu_plain(double *a, int64_t n, int32_t *pivot);
/* The sign of the determinant of a factored matrix. */
int tl_dense_lu_sign(const double *a, int64_t n, const int32_t *pivot);
/* b := a^-1 b, a factored. */
void tl_dense_lu_plain_solve(const double *a, int64_t n, const int32_t *pivot, double *b);

#endif
