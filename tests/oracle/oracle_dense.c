/* oracle_dense.c: memory, sparse storages read into dense arrays, Cholesky's factorisation. */
#include "tests/oracle/oracle_dense.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void *oracle_calloc(size_t count, size_t size) {
  void *memory = calloc(count > 0 ? count : 1, size);
  if (memory == NULL) {
    fprintf(stderr, "oracle: out of memory\n");
    exit(1);
  }
  return memory;
}

void oracle_matrix_add(const talus_matrix *matrix, long double *target) {
  const size_t columns = (size_t)matrix->columns;
  const int by_column = matrix->storage == TALUS_STORAGE_CSC;
  switch (matrix->storage) {
  case TALUS_STORAGE_DENSE:
    for (size_t c = 0; c < columns; c++) {
      for (size_t r = 0; r < (size_t)matrix->rows; r++) {
        target[r * columns + c] += matrix->value[r + c * (size_t)matrix->rows];
      }
    }
    break;
  case TALUS_STORAGE_TRIPLET:
    for (int64_t e = 0; e < matrix->count; e++) {
      target[(size_t)matrix->index[e] * columns + (size_t)matrix->index2[e]] += matrix->value[e];
    }
    break;
  default:
    for (int32_t line = 0; line < (by_column ? matrix->columns : matrix->rows); line++) {
      for (int64_t e = matrix->start[line]; e < matrix->start[line + 1]; e++) {
        const size_t row = (size_t)(by_column ? matrix->index[e] : line);
        const size_t column = (size_t)(by_column ? line : matrix->index[e]);
        target[row * columns + column] += matrix->value[e];
      }
    }
    break;
  }
}

int oracle_cholesky(long double *m, int n) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      long double sum = m[(size_t)i * (size_t)n + (size_t)j];
      for (int k = 0; k < j; k++) {
        sum -= m[(size_t)i * (size_t)n + (size_t)k] * m[(size_t)j * (size_t)n + (size_t)k];
      }
      if (i == j && !(sum > 0.0L)) {
        return 0;
      }
      m[(size_t)i * (size_t)n + (size_t)j] =
          i == j ? sqrtl(sum) : sum / m[(size_t)j * (size_t)n + (size_t)j];
    }
  }
  return 1;
}

void oracle_cholesky_solve(const long double *l, int n, long double *x) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) {
      x[i] -= l[(size_t)i * (size_t)n + (size_t)k] * x[k];
    }
    x[i] /= l[(size_t)i * (size_t)n + (size_t)i];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) {
      x[i] -= l[(size_t)k * (size_t)n + (size_t)i] * x[k];
    }
    x[i] /= l[(size_t)i * (size_t)n + (size_t)i];
  }
}
