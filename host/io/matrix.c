/* matrix.c: walking and rearranging sparse and dense matrices; see matrix.h. */
#include "host/io/matrix.h"

#include <assert.h>

bool tl_matrix_next(tl_matrix_walk *walk, tl_matrix_entry *entry) {
  const talus_matrix *m = walk->matrix;
  const int64_t e = walk->entry;
  if (e >= m->count) {
    return false;
  }
  walk->entry++;
  entry->value = m->value[e];
  if (m->storage == TALUS_STORAGE_DENSE) {
    entry->row = (int32_t)(e % m->rows);
    entry->column = (int32_t)(e / m->rows);
    return true;
  }
  entry->row = m->index[e];
  if (m->storage == TALUS_STORAGE_TRIPLET) {
    entry->column = m->index2[e];
    return true;
  }
  while (m->start[walk->line + 1] <= e) {
    walk->line++;
  }
  entry->column = walk->line;
  if (m->storage == TALUS_STORAGE_CSR) {
    entry->column = entry->row;
    entry->row = walk->line;
  }
  return true;
}

/* The next entry inside the window, counted from its corner. */
static bool next_inside(tl_matrix_walk *walk, tl_matrix_window window, tl_matrix_entry *entry) {
  while (tl_matrix_next(walk, entry)) {
    entry->row -= window.row;
    entry->column -= window.column;
    if (entry->row >= 0 && entry->row < window.rows && entry->column >= 0 &&
        entry->column < window.columns && entry->value != 0) {
      return true;
    }
  }
  return false;
}

/* Sorting by row, then (stably) by column, leaves the rows rising inside every column. `next` holds
 * where each line goes on; on return it holds where each line ends. */
static void count_to_starts(int64_t *next, int32_t lines) {
  int64_t sum = 0;
  for (int32_t line = 0; line < lines; line++) {
    const int64_t here = next[line];
    next[line] = sum;
    sum += here;
  }
}

static void sort_by_row(const talus_matrix *matrix, tl_matrix_window window, int64_t *next,
                        tl_matrix_entry *sorted) {
  tl_matrix_entry entry;
  for (tl_matrix_walk walk = {matrix, 0, 0}; next_inside(&walk, window, &entry);) {
    next[entry.row]++;
  }
  count_to_starts(next, window.rows);
  for (tl_matrix_walk walk = {matrix, 0, 0}; next_inside(&walk, window, &entry);) {
    sorted[next[entry.row]++] = entry;
  }
}

/* Deals the sorted entries out to their columns, adding up neighbours with the same row. */
static int64_t deal_to_columns(const tl_matrix_entry *sorted, int64_t count, int32_t columns,
                               int64_t *start, int32_t *index, double *value) {
  for (int64_t e = 0; e < count; e++) {
    start[sorted[e].column + 1]++;
  }
  count_to_starts(start + 1, columns);
  for (int64_t e = 0; e < count; e++) {
    const int64_t place = start[sorted[e].column + 1]++;
    index[place] = sorted[e].row;
    value[place] = sorted[e].value;
  }
  int64_t kept = 0, from = 0;
  for (int32_t c = 0; c < columns; c++) {
    const int64_t end = start[c + 1];
    const int64_t first = kept;
    for (; from < end; from++) {
      if (kept > first && index[kept - 1] == index[from]) {
        value[kept - 1] += value[from];
      } else {
        index[kept] = index[from];
        value[kept++] = value[from];
      }
    }
    start[c + 1] = kept;
  }
  return kept;
}

talus_status tl_matrix_compress(talus_stored *stored, const talus_matrix *matrix,
                                tl_matrix_window window, talus_matrix *compressed) {
  int64_t count = 0;
  tl_matrix_entry entry;
  for (tl_matrix_walk walk = {matrix, 0, 0}; next_inside(&walk, window, &entry);) {
    count++;
  }
  void *next, *sorted, *start, *index, *value;
  TL_TRY(tl_stored_alloc(stored, &start, (size_t)window.columns + 1, sizeof(int64_t), "start"));
  TL_TRY(tl_stored_alloc(stored, &index, (size_t)count, sizeof(int32_t), "index"));
  TL_TRY(tl_stored_alloc(stored, &value, (size_t)count, sizeof(double), "value"));
  talus_context *context = tl_stored_context(stored);
  TL_TRY(tl_alloc(context, &sorted, (size_t)count, sizeof(tl_matrix_entry), "sorted entries"));
  const talus_status status =
      tl_alloc(context, &next, (size_t)window.rows, sizeof(int64_t), "row starts");
  if (status != TALUS_OK) {
    tl_free(context, sorted);
    return status;
  }
  for (int32_t row = 0; row < window.rows; row++) {
    ((int64_t *)next)[row] = 0;
  }
  sort_by_row(matrix, window, next, sorted);
  count = deal_to_columns(sorted, count, window.columns, start, index, value);
  tl_free(context, next);
  tl_free(context, sorted);
  *compressed = (talus_matrix){
      TALUS_STORAGE_CSC, window.rows, window.columns, count, start, index, NULL, value};
  return TALUS_OK;
}

/* The same arrays read with rows and columns exchanged. */
static talus_matrix transposed(const talus_matrix *matrix) {
  talus_matrix result = *matrix;
  result.rows = matrix->columns;
  result.columns = matrix->rows;
  if (matrix->storage == TALUS_STORAGE_CSC) {
    result.storage = TALUS_STORAGE_CSR;
  } else if (matrix->storage == TALUS_STORAGE_CSR) {
    result.storage = TALUS_STORAGE_CSC;
  } else if (matrix->storage == TALUS_STORAGE_TRIPLET) {
    result.index = matrix->index2;
    result.index2 = matrix->index;
  }
  return result;
}

talus_status tl_matrix_compress_rows(talus_stored *stored, const talus_matrix *matrix,
                                     talus_matrix *compressed) {
  assert(matrix->storage != TALUS_STORAGE_DENSE);
  const talus_matrix mirror = transposed(matrix);
  const tl_matrix_window all = {0, mirror.rows, 0, mirror.columns};
  talus_matrix columns;
  TL_TRY(tl_matrix_compress(stored, &mirror, all, &columns));
  *compressed = transposed(&columns);
  return TALUS_OK;
}

void tl_matrix_multiply_add(const talus_matrix *matrix, const double *x, double *result) {
  tl_matrix_entry entry;
  for (tl_matrix_walk walk = {matrix, 0, 0}; tl_matrix_next(&walk, &entry);) {
    result[entry.row] += entry.value * x[entry.column];
  }
}

void tl_matrix_transposed_multiply_add(const talus_matrix *matrix, const double *x,
                                       double *result) {
  tl_matrix_entry entry;
  for (tl_matrix_walk walk = {matrix, 0, 0}; tl_matrix_next(&walk, &entry);) {
    result[entry.column] += entry.value * x[entry.row];
  }
}
