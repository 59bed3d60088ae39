/* siconos_write.c: writes a problem in Siconos' text format, see siconos_text.h. All numbers have
 * 17 digits, so that reading gives back the same bits; Siconos itself keeps 6 in storage 2. */
#include "host/io/matrix.h"
#include "host/io/siconos_text.h"

static void write_numbers(FILE *file, const double *value, int64_t count) {
  for (int64_t k = 0; k < count; k++) {
    fprintf(file, "%.17g%c", value[k], k % 6 == 5 || k + 1 == count ? '\n' : ' ');
  }
}

static void write_zeros(FILE *file, int64_t count) {
  const double zero = 0;
  for (int64_t k = 0; k < count; k++) {
    write_numbers(file, &zero, 1);
  }
}

static void write_dense(FILE *file, const talus_matrix *matrix) {
  fprintf(file, "0\n%d\n%d\n%d %d\n", matrix->rows, matrix->columns, matrix->rows, matrix->columns);
  write_numbers(file, matrix->value, matrix->count);
}

/* 1-norm, which the size line of the format carries. */
static double norm_of(const talus_matrix *csc) {
  double norm = 0;
  for (int32_t c = 0; c < csc->columns; c++) {
    double sum = 0;
    for (int64_t e = csc->start[c]; e < csc->start[c + 1]; e++) {
      sum += csc->value[e] < 0 ? -csc->value[e] : csc->value[e];
    }
    norm = sum > norm ? sum : norm;
  }
  return norm;
}

static void write_csparse(FILE *file, const talus_matrix *csc) {
  fprintf(file, "2\n%d\n%d\n2\nCSparse text, written by Talus %s\n", csc->rows, csc->columns,
          talus_version());
  fprintf(file, "%d-by-%d, nzmax: %lld nnz: %lld, 1-norm: %g\n", csc->rows, csc->columns,
          (long long)csc->count, (long long)csc->count, norm_of(csc));
  for (int32_t c = 0; c < csc->columns; c++) {
    fprintf(file, "    col %d : locations %lld to %lld\n", c, (long long)csc->start[c],
            (long long)csc->start[c + 1] - 1);
    for (int64_t e = csc->start[c]; e < csc->start[c + 1]; e++) {
      fprintf(file, "      %d : %.17g\n", csc->index[e], csc->value[e]);
    }
  }
}

/* ---- W as square blocks of the problem's dimension ------------------------------------------- */

/* The transpose of W, compressed by columns, is W by rows: a block row is `size` neighbours in it.
 * Its block columns are found by merging them. */
typedef struct block_row {
  const talus_matrix *rows; /* CSR, columns rising */
  int32_t size;
  int64_t next[3]; /* in each of the rows */
} block_row;

static void start_block_row(block_row *row, int32_t r) {
  for (int32_t i = 0; i < row->size; i++) {
    row->next[i] = row->rows->start[r * row->size + i];
  }
}

/* The next block column of block row r, its entries column by column; -1 after the last. */
static int32_t next_block(block_row *row, int32_t r, double *block) {
  const int32_t size = row->size;
  int32_t column = -1;
  for (int32_t i = 0; i < size; i++) {
    if (row->next[i] < row->rows->start[r * size + i + 1]) {
      const int32_t here = row->rows->index[row->next[i]] / size;
      column = column < 0 || here < column ? here : column;
    }
  }
  for (int32_t k = 0; k < size * size; k++) {
    block[k] = 0;
  }
  for (int32_t i = 0; i < size && column >= 0; i++) {
    for (; row->next[i] < row->rows->start[r * size + i + 1] &&
           row->rows->index[row->next[i]] / size == column;
         row->next[i]++) {
      block[i + row->rows->index[row->next[i]] % size * size] = row->rows->value[row->next[i]];
    }
  }
  return column;
}

static int32_t count_blocks(block_row *row, int32_t r) {
  double block[9];
  int32_t count = 0;
  start_block_row(row, r);
  while (next_block(row, r, block) >= 0) {
    count++;
  }
  return count;
}

static void write_cumulated(FILE *file, int32_t blocks, int32_t size) {
  for (int32_t r = 0; r < blocks; r++) {
    fprintf(file, "%d\n", (r + 1) * size);
  }
}

static void write_block_index(FILE *file, block_row *row, int32_t blocks, int64_t total) {
  double block[9];
  fprintf(file, "%d\n%lld\n0\n", blocks + 1, (long long)total);
  int64_t sum = 0;
  for (int32_t r = 0; r < blocks; r++) {
    fprintf(file, "%lld\n", (long long)(sum += count_blocks(row, r)));
  }
  for (int32_t r = 0; r < blocks; r++) {
    start_block_row(row, r);
    for (int32_t c = next_block(row, r, block); c >= 0; c = next_block(row, r, block)) {
      fprintf(file, "%d\n", c);
    }
  }
}

static void write_blocks(FILE *file, const talus_matrix *rows, int32_t size) {
  const int32_t blocks = rows->rows / size;
  block_row row = {rows, size, {0}};
  int64_t total = 0;
  for (int32_t r = 0; r < blocks; r++) {
    total += count_blocks(&row, r);
  }
  fprintf(file, "1\n%d\n%d\n%lld\n%d\n%d\n", rows->rows, rows->columns, (long long)total, blocks,
          blocks);
  write_cumulated(file, blocks, size);
  write_cumulated(file, blocks, size);
  write_block_index(file, &row, blocks, total);
  int64_t number = 0;
  for (int32_t r = 0; r < blocks; r++) {
    double block[9];
    start_block_row(&row, r);
    while (next_block(&row, r, block) >= 0) {
      fprintf(file, "%lld\n", (long long)number++);
      write_numbers(file, block, size * size);
    }
  }
}

/* ---- problems -------------------------------------------------------------------------------- */

static talus_status write_sparse_or_dense(talus_stored *scratch, FILE *file,
                                          const talus_matrix *matrix) {
  if (matrix->storage == TALUS_STORAGE_DENSE) {
    write_dense(file, matrix);
    return TALUS_OK;
  }
  talus_matrix csc;
  const tl_matrix_window all = {0, matrix->rows, 0, matrix->columns};
  TL_TRY(tl_matrix_compress(scratch, matrix, all, &csc));
  write_csparse(file, &csc);
  return TALUS_OK;
}

static talus_status write_w(talus_stored *scratch, FILE *file, const talus_problem *problem) {
  const talus_matrix *w = &problem->delassus.w;
  if (w->storage == TALUS_STORAGE_DENSE) {
    write_dense(file, w);
    return TALUS_OK;
  }
  talus_matrix rows;
  TL_TRY(tl_matrix_compress_rows(scratch, w, &rows));
  write_blocks(file, &rows, problem->dimension);
  return TALUS_OK;
}

talus_status tl_siconos_write(talus_stored *scratch, tl_output *output,
                              const talus_problem *problem) {
  FILE *file = output->stream;
  const int64_t rows = (int64_t)problem->dimension * problem->contact_count;
  fprintf(file, "%d\n%d\n", problem->dimension, problem->contact_count);
  if (problem->form == TALUS_FORM_DELASSUS) {
    TL_TRY(write_w(scratch, file, problem));
    write_numbers(file, problem->delassus.q, rows);
  } else {
    const talus_global *global = &problem->global;
    TL_TRY(write_sparse_or_dense(scratch, file, &global->mass));
    TL_TRY(write_sparse_or_dense(scratch, file, &global->h));
    write_numbers(file, global->f, global->mass.rows);
    write_numbers(file, global->w, rows);
  }
  if (problem->friction != NULL) {
    write_numbers(file, problem->friction, problem->contact_count);
  } else {
    write_zeros(file, problem->contact_count);
  }
  if (problem->compliance != NULL) {
    fprintf(file, "talus-compliance\n");
    write_numbers(file, problem->compliance, 2 * (int64_t)problem->contact_count);
  }
  if (problem->compliance != NULL && problem->target_impulse != NULL) {
    fprintf(file, "talus-target\n");
    write_numbers(file, problem->target_impulse, rows);
  }
  return TALUS_OK;
}
