/* blas.h: BLAS as Fortran has it: columns, everything by address. */
#ifndef TL_BLAS_H
#define TL_BLAS_H

void dgemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
            const double *beta, double *c, const int *ldc);
void dtrsm_(const char *side, const char *part, const char *ta, const char *unit, const int *m,
            const int *n, const double *alpha, const double *a, const int *lda, double *b,
            const int *ldb);
void dgemv_(const char *ta, const int *m, const int *n, const double *alpha, const double *a,
            const int *lda, const double *x, const int *incx, const double *beta, double *y,
            const int *incy);
void dtrsv_(const char *part, const char *ta, const char *unit, const int *n, const double *a,
            const int *lda, double *x, const int *incx);

#endif
