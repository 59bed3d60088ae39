/* oracle_dense.h: what the files of the oracle share; tests include oracle.h only. */
#ifndef TALUS_ORACLE_DENSE_H
#define TALUS_ORACLE_DENSE_H

#include "talus/talus_solve.h"

/* Zeroed memory, or the end of the program. */
void *oracle_calloc(size_t count, size_t size);

/* target[row * columns + column] += entry, for every entry of any storage. */
void oracle_matrix_add(const talus_matrix *matrix, long double *target);

/* M = L L^T in place of M's lower half. 0 if a pivot is not positive. */
int oracle_cholesky(long double *m, int n);
/* x := (L L^T)^-1 x. */
void oracle_cholesky_solve(const long double *l, int n, long double *x);

#endif
