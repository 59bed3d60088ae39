/* siconos_matrix.c: reads one matrix of Siconos' text format; the three storages are described in
 * siconos_text.h. Every count is held against the rest of the file before memory is asked for. */
#include <stdio.h>
#include <string.h>

#include "host/io/siconos_text.h"

enum { DENSE = 0, SPARSE_BLOCK = 1, CSPARSE = 2 };
enum { ORIGIN_TRIPLET = 1, ORIGIN_CSC = 2, ORIGIN_CSR = 3 };
enum { COLUMN_LINE_TOKENS = 7, COLUMN_ENTRY_TOKENS = 3, TRIPLET_ENTRY_TOKENS = 4 };

typedef struct matrix_reader {
  tl_text *text;
  talus_stored *stored;
  talus_stored *scratch;
  const char *name;
} matrix_reader;

static talus_status read_dense(matrix_reader *reader, talus_matrix *matrix) {
  int64_t rows, columns;
  TL_TRY(tl_text_integer(reader->text, "rows, again", matrix->rows, matrix->rows, &rows));
  TL_TRY(
      tl_text_integer(reader->text, "columns, again", matrix->columns, matrix->columns, &columns));
  matrix->storage = TALUS_STORAGE_DENSE;
  matrix->count = rows * columns;
  TL_TRY(tl_text_room(reader->text, matrix->count, reader->name));
  void *value;
  TL_TRY(
      tl_stored_alloc(reader->stored, &value, (size_t)matrix->count, sizeof(double), reader->name));
  matrix->value = value;
  return tl_text_numbers(reader->text, reader->name, matrix->count, value);
}

/* ---- sparse block ---------------------------------------------------------------------------- */

typedef struct block_layout {
  int64_t blocks, block_rows, block_columns;
  int64_t *row_end, *column_end; /* cumulated sizes */
  int64_t filled_rows;           /* block rows that index1 tells of */
  int64_t *first;                /* [filled_rows + 1] */
  int64_t *column;               /* [blocks] */
} block_layout;

static int64_t size_of(const int64_t *end, int64_t line) {
  return end[line] - (line > 0 ? end[line - 1] : 0);
}

/* count whole numbers into scratch memory. */
static talus_status read_integers(matrix_reader *reader, const char *what, int64_t count,
                                  int64_t high, int64_t **list) {
  TL_TRY(tl_text_room(reader->text, count, what));
  void *memory;
  TL_TRY(tl_stored_alloc(reader->scratch, &memory, (size_t)count, sizeof(int64_t), what));
  *list = memory;
  for (int64_t k = 0; k < count; k++) {
    TL_TRY(tl_text_integer(reader->text, what, 0, high, &(*list)[k]));
  }
  return TALUS_OK;
}

/* A list that must rise and end at `last`. */
static talus_status read_rising(matrix_reader *reader, const char *what, int64_t count,
                                int64_t last, int64_t **list) {
  TL_TRY(read_integers(reader, what, count, last, list));
  for (int64_t k = 1; k < count; k++) {
    if ((*list)[k] < (*list)[k - 1]) {
      return tl_text_fail(reader->text, "%s: entry %lld falls", what, (long long)k);
    }
  }
  if ((count > 0 ? (*list)[count - 1] : 0) != last) {
    return tl_text_fail(reader->text, "%s: does not end at %lld", what, (long long)last);
  }
  return TALUS_OK;
}

static talus_status read_layout(matrix_reader *reader, const talus_matrix *matrix,
                                block_layout *layout) {
  tl_text *text = reader->text;
  int64_t index1_count, index2_count;
  TL_TRY(tl_text_integer(text, "number of blocks", 0, INT32_MAX, &layout->blocks));
  TL_TRY(tl_text_room(text, layout->blocks, "blocks"));
  TL_TRY(tl_text_integer(text, "block rows", 0, INT32_MAX - 1, &layout->block_rows));
  TL_TRY(tl_text_integer(text, "block columns", 0, INT32_MAX - 1, &layout->block_columns));
  TL_TRY(read_rising(reader, "cumulated rows", layout->block_rows, matrix->rows, &layout->row_end));
  TL_TRY(read_rising(reader, "cumulated columns", layout->block_columns, matrix->columns,
                     &layout->column_end));
  TL_TRY(tl_text_integer(text, "length of index1", 0, layout->block_rows + 1, &index1_count));
  TL_TRY(tl_text_integer(text, "length of index2", layout->blocks, layout->blocks, &index2_count));
  TL_TRY(read_rising(reader, "index1", index1_count, layout->blocks, &layout->first));
  if (index1_count > 0 && layout->first[0] != 0) {
    return tl_text_fail(text, "index1: does not begin with 0");
  }
  layout->filled_rows = index1_count > 0 ? index1_count - 1 : 0;
  return read_integers(reader, "index2", layout->blocks, layout->block_columns - 1,
                       &layout->column);
}

/* Blocks come row by row, so that the row starts follow from the block widths alone. */
static talus_status find_row_starts(matrix_reader *reader, const block_layout *layout,
                                    int64_t *start, int64_t *count) {
  int64_t row = 0;
  *count = 0;
  for (int64_t r = 0; r < layout->block_rows; r++) {
    int64_t width = 0;
    for (int64_t k = r < layout->filled_rows ? layout->first[r] : 0;
         r < layout->filled_rows && k < layout->first[r + 1]; k++) {
      width += size_of(layout->column_end, layout->column[k]);
    }
    TL_TRY(tl_text_room(reader->text, width, reader->name));
    for (; row < layout->row_end[r]; row++) {
      start[row] = *count;
      *count += width;
    }
    TL_TRY(tl_text_room(reader->text, *count, reader->name));
  }
  start[row] = *count;
  return TALUS_OK;
}

static talus_status read_block(matrix_reader *reader, const block_layout *layout, int64_t r,
                               int64_t k, const int64_t *start, int64_t offset, int32_t *index,
                               double *value) {
  int64_t number;
  TL_TRY(tl_text_integer(reader->text, "block number", k, k, &number));
  const int64_t width = size_of(layout->column_end, layout->column[k]);
  const int64_t first_column = layout->column_end[layout->column[k]] - width;
  const int64_t end_row = layout->row_end[r];
  for (int64_t c = 0; c < width; c++) {
    for (int64_t row = end_row - size_of(layout->row_end, r); row < end_row; row++) {
      const int64_t place = start[row] + offset + c;
      index[place] = (int32_t)(first_column + c);
      TL_TRY(tl_text_number(reader->text, reader->name, &value[place]));
    }
  }
  return TALUS_OK;
}

static talus_status read_blocks(matrix_reader *reader, talus_matrix *matrix) {
  block_layout layout = {0};
  TL_TRY(read_layout(reader, matrix, &layout));
  void *start, *index, *value;
  TL_TRY(tl_stored_alloc(reader->stored, &start, (size_t)matrix->rows + 1, sizeof(int64_t),
                         reader->name));
  TL_TRY(find_row_starts(reader, &layout, start, &matrix->count));
  const size_t count = (size_t)matrix->count;
  TL_TRY(tl_stored_alloc(reader->stored, &index, count, sizeof(int32_t), reader->name));
  TL_TRY(tl_stored_alloc(reader->stored, &value, count, sizeof(double), reader->name));
  for (int64_t r = 0; r < layout.filled_rows; r++) {
    int64_t offset = 0;
    for (int64_t k = layout.first[r]; k < layout.first[r + 1]; k++) {
      TL_TRY(read_block(reader, &layout, r, k, start, offset, index, value));
      offset += size_of(layout.column_end, layout.column[k]);
    }
  }
  matrix->storage = TALUS_STORAGE_CSR;
  matrix->start = start;
  matrix->index = index;
  matrix->value = value;
  return TALUS_OK;
}

/* ---- CSparse text ---------------------------------------------------------------------------- */

/* "R-by-C, nzmax: A nnz: N, ..." or the same after "triplet: ". */
static talus_status read_size_line(matrix_reader *reader, talus_matrix *matrix, int *triplet) {
  const char *begin;
  size_t length;
  tl_text_line(reader->text, &begin, &length);
  char line[256];
  snprintf(line, sizeof line, "%.*s", length < sizeof line ? (int)length : (int)sizeof line - 1,
           begin);
  long long rows, columns, room, count;
  *triplet = strstr(line, "triplet:") != NULL;
  const char *sizes = *triplet ? strstr(line, "triplet:") + strlen("triplet:") : line;
  if (sscanf(sizes, "%lld-by-%lld, nzmax: %lld nnz: %lld", &rows, &columns, &room, &count) != 4) {
    return tl_text_fail(reader->text, "the line before is not 'R-by-C, nzmax: A nnz: N'");
  }
  if (rows != matrix->rows || columns != matrix->columns || count < 0) {
    return tl_text_fail(reader->text,
                        "the line before says %lld-by-%lld with %lld entries, %d x %d "
                        "was announced",
                        rows, columns, count, matrix->rows, matrix->columns);
  }
  matrix->count = count;
  return TALUS_OK;
}

static talus_status read_triplets(matrix_reader *reader, talus_matrix *matrix, int32_t *index,
                                  double *value) {
  void *index2;
  TL_TRY(tl_stored_alloc(reader->stored, &index2, (size_t)matrix->count, sizeof(int32_t),
                         reader->name));
  for (int64_t e = 0; e < matrix->count; e++) {
    int64_t row, column;
    TL_TRY(tl_text_integer(reader->text, "row", 0, matrix->rows - 1, &row));
    TL_TRY(tl_text_integer(reader->text, "column", 0, matrix->columns - 1, &column));
    TL_TRY(tl_text_word(reader->text, ":"));
    TL_TRY(tl_text_number(reader->text, reader->name, &value[e]));
    index[e] = (int32_t)row;
    ((int32_t *)index2)[e] = (int32_t)column;
  }
  matrix->storage = TALUS_STORAGE_TRIPLET;
  matrix->index2 = index2;
  return TALUS_OK;
}

/* "col J : locations A to B": entries A .. B, which may be none. */
static talus_status read_line_head(matrix_reader *reader, int32_t line, int64_t from, int64_t count,
                                   int64_t *end) {
  int64_t number, first, last;
  TL_TRY(tl_text_word(reader->text, "col"));
  TL_TRY(tl_text_integer(reader->text, "column number", line, line, &number));
  TL_TRY(tl_text_word(reader->text, ":"));
  TL_TRY(tl_text_word(reader->text, "locations"));
  TL_TRY(tl_text_integer(reader->text, "first location", from, from, &first));
  TL_TRY(tl_text_word(reader->text, "to"));
  TL_TRY(tl_text_integer(reader->text, "last location", from - 1, count - 1, &last));
  *end = last + 1;
  return TALUS_OK;
}

static talus_status read_compressed(matrix_reader *reader, talus_matrix *matrix, int64_t origin,
                                    int32_t *index, double *value) {
  const bool by_rows = origin == ORIGIN_CSR;
  const int32_t lines = by_rows ? matrix->rows : matrix->columns;
  const int32_t limit = by_rows ? matrix->columns : matrix->rows;
  TL_TRY(tl_text_room(reader->text, COLUMN_LINE_TOKENS * (int64_t)lines, reader->name));
  void *memory;
  TL_TRY(
      tl_stored_alloc(reader->stored, &memory, (size_t)lines + 1, sizeof(int64_t), reader->name));
  int64_t *start = memory;
  for (int32_t line = 0; line < lines; line++) {
    TL_TRY(read_line_head(reader, line, start[line], matrix->count, &start[line + 1]));
    for (int64_t e = start[line]; e < start[line + 1]; e++) {
      int64_t place;
      TL_TRY(tl_text_integer(reader->text, "index", 0, limit - 1, &place));
      TL_TRY(tl_text_word(reader->text, ":"));
      TL_TRY(tl_text_number(reader->text, reader->name, &value[e]));
      index[e] = (int32_t)place;
    }
  }
  if (start[lines] != matrix->count) {
    return tl_text_fail(reader->text, "%s: %lld entries, %lld announced", reader->name,
                        (long long)start[lines], (long long)matrix->count);
  }
  matrix->storage = by_rows ? TALUS_STORAGE_CSR : TALUS_STORAGE_CSC;
  matrix->start = start;
  return TALUS_OK;
}

static talus_status read_csparse(matrix_reader *reader, talus_matrix *matrix) {
  int64_t origin;
  const char *begin;
  size_t length;
  int triplet;
  TL_TRY(tl_text_integer(reader->text, "origin", ORIGIN_TRIPLET, ORIGIN_CSR, &origin));
  tl_text_line(reader->text, &begin, &length); /* what follows the origin, then the banner */
  tl_text_line(reader->text, &begin, &length);
  TL_TRY(read_size_line(reader, matrix, &triplet));
  /* by rows the library loops over columns when it prints: only square ones come out whole */
  if (origin == ORIGIN_CSR && matrix->rows != matrix->columns) {
    return tl_text_fail(reader->text, "%s: stored by rows and not square", reader->name);
  }
  const int64_t tokens = triplet ? TRIPLET_ENTRY_TOKENS : COLUMN_ENTRY_TOKENS;
  TL_TRY(tl_text_room(reader->text, matrix->count, reader->name));
  TL_TRY(tl_text_room(reader->text, tokens * matrix->count, reader->name));
  void *index, *value;
  const size_t count = (size_t)matrix->count;
  TL_TRY(tl_stored_alloc(reader->stored, &index, count, sizeof(int32_t), reader->name));
  TL_TRY(tl_stored_alloc(reader->stored, &value, count, sizeof(double), reader->name));
  matrix->index = index;
  matrix->value = value;
  return triplet ? read_triplets(reader, matrix, index, value)
                 : read_compressed(reader, matrix, origin, index, value);
}

talus_status tl_siconos_read_matrix(tl_text *text, talus_stored *stored, talus_stored *scratch,
                                    const char *name, talus_matrix *matrix) {
  matrix_reader reader = {text, stored, scratch, name};
  memset(matrix, 0, sizeof *matrix);
  int64_t storage, rows, columns;
  TL_TRY(tl_text_integer(text, "matrix storage", DENSE, CSPARSE, &storage));
  /* vectors of both lengths follow in every kind of file */
  TL_TRY(tl_text_integer(text, "rows", 0, INT32_MAX - 1, &rows));
  TL_TRY(tl_text_room(text, rows, "rows"));
  TL_TRY(tl_text_integer(text, "columns", 0, INT32_MAX - 1, &columns));
  TL_TRY(tl_text_room(text, columns, "columns"));
  matrix->rows = (int32_t)rows;
  matrix->columns = (int32_t)columns;
  switch (storage) {
  case DENSE:
    return read_dense(&reader, matrix);
  case SPARSE_BLOCK:
    return read_blocks(&reader, matrix);
  default:
    return read_csparse(&reader, matrix);
  }
}
