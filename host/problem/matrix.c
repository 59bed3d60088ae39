/* matrix.c: one counting pass and one filling pass over any storage. */
#include "host/problem/matrix.h"

#include <string.h>

bool tl_matrix_place(const talus_matrix *m, int64_t e, int64_t *line, int32_t *row,
                     int32_t *column) {
  if (m->storage == TALUS_STORAGE_DENSE) {
    *row = (int32_t)(e % m->rows);
    *column = (int32_t)(e / m->rows);
  } else if (m->storage == TALUS_STORAGE_TRIPLET) {
    *row = m->index[e];
    *column = m->index2[e];
  } else {
    while (e >= m->start[*line + 1]) {
      ++*line;
    }
    const bool by_row = m->storage == TALUS_STORAGE_CSR;
    *row = by_row ? (int32_t)*line : m->index[e];
    *column = by_row ? m->index[e] : (int32_t)*line;
  }
  return m->value[e] != 0;
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
  for (int pass = 0; pass < 2; pass++) {
    int64_t line = 0;
    for (int64_t e = 0; e < matrix->count; e++) {
      int32_t row, column;
      if (!tl_matrix_place(matrix, e, &line, &row, &column)) {
        continue;
      }
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
