/* check_matrix.c: forms (c) and (d): matrices in any storage, and the vectors beside them. */
#include "host/problem/check_values.h"

/* A matrix and its arrays, as messages call them. */
typedef struct matrix_name {
  const char *whole, *start, *index, *index2, *value;
} matrix_name;
#define MATRIX_NAME(text) \
  { text, text ".start", text ".index", text ".index2", text ".value" }
static const matrix_name name_w = MATRIX_NAME("delassus.w"), name_mass = MATRIX_NAME("global.mass"),
                         name_h = MATRIX_NAME("global.h"), name_g = MATRIX_NAME("global.g");

static talus_status lines_check(talus_context *context, const talus_matrix *matrix,
                                const matrix_name *name) {
  const bool by_row = matrix->storage == TALUS_STORAGE_CSR;
  const int32_t lines = by_row ? matrix->rows : matrix->columns;
  TL_TRY(tl_check_offsets(context, matrix->start, lines, name->start));
  if (matrix->start[lines] != matrix->count) {
    return tl_fail(context, TALUS_MATRIX_FORMAT, "%s ends at %lld, but count is %lld", name->start,
                   (long long)matrix->start[lines], (long long)matrix->count);
  }
  return tl_check_indices(context, matrix->index, matrix->count, 0,
                          by_row ? matrix->columns : matrix->rows, name->index);
}

static talus_status matrix_check(talus_context *context, const talus_matrix *matrix, int64_t rows,
                                 int64_t columns, const matrix_name *name) {
  if (matrix->rows != rows || matrix->columns != columns) {
    return tl_fail(context, TALUS_MATRIX_FORMAT, "%s is %d x %d, but must be %lld x %lld",
                   name->whole, matrix->rows, matrix->columns, (long long)rows, (long long)columns);
  }
  if (matrix->count == 0 && (rows == 0 || columns == 0)) {
    return TALUS_OK; /* nothing is read from it, however it is stored */
  }
  if (matrix->count < 0 || matrix->count > ((int64_t)1 << 40)) {
    return tl_fail(context, TALUS_SIZE_OVERFLOW, "%s.count is %lld", name->whole,
                   (long long)matrix->count);
  }
  TL_TRY(tl_check_given(context, matrix->value, matrix->count, name->value));
  if (matrix->storage == TALUS_STORAGE_DENSE) {
    if (matrix->count != rows * columns) {
      return tl_fail(context, TALUS_MATRIX_FORMAT, "%s is dense, %lld x %lld, but count is %lld",
                     name->whole, (long long)rows, (long long)columns, (long long)matrix->count);
    }
  } else if (matrix->storage == TALUS_STORAGE_TRIPLET) {
    TL_TRY(tl_check_indices(context, matrix->index, matrix->count, 0, matrix->rows, name->index));
    TL_TRY(
        tl_check_indices(context, matrix->index2, matrix->count, 0, matrix->columns, name->index2));
  } else if (matrix->storage == TALUS_STORAGE_CSC || matrix->storage == TALUS_STORAGE_CSR) {
    TL_TRY(lines_check(context, matrix, name));
  } else {
    return tl_fail(context, TALUS_MATRIX_FORMAT, "%s has the unknown storage %d", name->whole,
                   (int)matrix->storage);
  }
  return tl_check_finite(context, matrix->value, matrix->count, name->value);
}

talus_status tl_check_delassus(talus_context *context, const talus_problem *problem) {
  const int64_t rows =
      (int64_t)problem->dimension * problem->contact_count + problem->bilateral_count;
  TL_TRY(matrix_check(context, &problem->delassus.w, rows, rows, &name_w));
  return tl_check_numbers(context, problem->delassus.q, rows, "delassus.q");
}

talus_status tl_check_global(talus_context *context, const talus_problem *problem) {
  const talus_global *global = &problem->global;
  const int64_t size = global->mass.rows;
  const int64_t contact_rows = (int64_t)problem->dimension * problem->contact_count;
  TL_TRY(tl_check_count(context, size, "global.mass.rows"));
  TL_TRY(matrix_check(context, &global->mass, size, size, &name_mass));
  TL_TRY(matrix_check(context, &global->h, size, contact_rows, &name_h));
  if (problem->bilateral_count > 0) {
    TL_TRY(matrix_check(context, &global->g, size, problem->bilateral_count, &name_g));
  }
  TL_TRY(tl_check_numbers(context, global->f, size, "global.f"));
  TL_TRY(tl_check_numbers(context, global->w, contact_rows, "global.w"));
  return tl_check_finite(context, global->b, problem->bilateral_count, "global.b");
}
