/* matrix.c: one counting pass and one filling pass over any storage. */
#include "host/solve/matrix.h"

#include <string.h>

/* Entry e of the matrix; `line` is the running column (CSC, DENSE) or row (CSR). */
static void entry_at(const talus_matrix *m, int64_t e, int64_t line, int32_t *row,
                     int32_t *column) {
  switch (m->storage) {
  case TALUS_STORAGE_DENSE:
    *row = (int32_t)(e % m->rows);
    *column = (int32_t)(e / m->rows);
    break;
  case TALUS_STORAGE_CSC:
    *row = m->index[e];
    *column = (int32_t)line;
    break;
  case TALUS_STORAGE_CSR:
    *row = (int32_t)line;
    *column = m->index[e];
    break;
  default:
    *row = m->index[e];
    *column = m->index2[e];
  }
}

talus_status tl_lines_make(talus_context *context, const talus_matrix *matrix, int by_column,
                           tl_lines *lines) {
  const int32_t count = by_column ? matrix->columns : matrix->rows;
  const size_t entries = (size_t)matrix->count, longs = (size_t)count + 1;
  TL_TRY(tl_buffer_reserve(context, &lines->memory, longs + entries + entries / 2 + 1,
                           sizeof(int64_t), "rows of a matrix"));
  lines->count = count;
  lines->first = lines->memory.memory;
  lines->value = (double *)(lines->first + longs);
  lines->index = (int32_t *)(lines->value + entries);
  memset(lines->first, 0, longs * sizeof *lines->first);
  const int compressed =
      matrix->storage == TALUS_STORAGE_CSC || matrix->storage == TALUS_STORAGE_CSR;
  for (int pass = 0; pass < 2; pass++) {
    int64_t line = 0;
    for (int64_t e = 0; e < matrix->count; e++) {
      while (compressed && e >= matrix->start[line + 1]) {
        line++;
      }
      if (matrix->value[e] == 0) {
        continue;
      }
      int32_t row, column;
      entry_at(matrix, e, line, &row, &column);
      const int32_t to = by_column ? column : row, index = by_column ? row : column;
      if (pass == 0) {
        lines->first[to + 1]++;
      } else {
        const int64_t at = lines->first[to]++;
        lines->index[at] = index;
        lines->value[at] = matrix->value[e];
      }
    }
    for (int32_t i = 0; pass == 0 && i < count; i++) {
      lines->first[i + 1] += lines->first[i];
    }
  }
  memmove(lines->first + 1, lines->first, (size_t)count * sizeof *lines->first);
  lines->first[0] = 0;
  return TALUS_OK;
}

void tl_lines_release(talus_context *context, tl_lines *lines) {
  tl_buffer_release(context, &lines->memory);
}
