/* matrix.h: walking and rearranging a talus_matrix of any storage, for the file formats.
 * The matrix has passed tl_problem_check, or comes from a reader that checked as much. */
#ifndef TL_IO_MATRIX_H
#define TL_IO_MATRIX_H

#include "host/io/stored.h"

/* All entries in the order in which they are stored. Start with {matrix, 0, 0}. */
typedef struct tl_matrix_walk {
  const talus_matrix *matrix;
  int64_t entry; /* the next one */
  int32_t line;  /* the row or column that it is in, CSR and CSC */
} tl_matrix_walk;

typedef struct tl_matrix_entry {
  int32_t row, column;
  double value;
} tl_matrix_entry;

/* 0 when there are no more. */
bool tl_matrix_next(tl_matrix_walk *walk, tl_matrix_entry *entry);

/* A part of a matrix, as rows and columns [first, first + count). */
typedef struct tl_matrix_window {
  int32_t row, rows;
  int32_t column, columns;
} tl_matrix_window;

/* The window as CSC in memory of `stored`: rows rising, repeated entries added, zeros left out. */
talus_status tl_matrix_compress(talus_stored *stored, const talus_matrix *matrix,
                                tl_matrix_window window, talus_matrix *compressed);
/* A whole sparse matrix as CSR in the same way. */
talus_status tl_matrix_compress_rows(talus_stored *stored, const talus_matrix *matrix,
                                     talus_matrix *compressed);

/* result += matrix x, result of `rows`. */
void tl_matrix_multiply_add(const talus_matrix *matrix, const double *x, double *result);
/* result += transpose of matrix times x, result of `columns`. */
void tl_matrix_transposed_multiply_add(const talus_matrix *matrix, const double *x, double *result);

#endif
