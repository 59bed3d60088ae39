/* matrix.h: a caller's matrix, in whichever storage, as lists by row or by column. */
#ifndef TL_MATRIX_H
#define TL_MATRIX_H

#include <stdbool.h>

#include "host/base/base.h"
#include "talus/talus_solve.h"

/* Where entry e stands; returns whether it is not 0. Entries are asked for in ascending order, with
 * *line 0 before the first. */
bool tl_matrix_place(const talus_matrix *m, int64_t e, int64_t *line, int32_t *row,
                     int32_t *column);

/* Whether the trace of a diagonal block is negative by more than rounding, beside the largest one's
 * size: no masses give such a W, and 1/w_k would be no step towards a solution. A trace of 0 has
 * its weight from the others. */
static inline bool tl_trace_negative(double trace, double largest) {
  return trace < -1e-12 * largest;
}

/* Line i holds the entries first[i] .. first[i+1]-1. Zeros are left out; repeated ones stay. */
typedef struct tl_lines {
  int32_t count;
  int64_t *first;
  int32_t *index;
  double *value;
  tl_buffer memory;
} tl_lines;

/* by_column: lines are columns and indices rows; else the other way round. Inside a line the
 * entries keep the order of the storage. */
talus_status tl_lines_make(talus_context *context, const talus_matrix *matrix, int by_column,
                           tl_lines *lines);
void tl_lines_release(talus_context *context, tl_lines *lines);

#endif
