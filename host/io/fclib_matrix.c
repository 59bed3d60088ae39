/* fclib_matrix.c: reads one matrix of an FCLIB file, a group {m, n, nzmax, nz, p, i, x}; see
 * fclib.h. What it says about itself is compared with the extent of its datasets. */
#include <stdio.h>
#include <string.h>

#include "host/io/fclib_matrix.h"

enum { NZ_CSC = -1, NZ_CSR = -2, NAME_ROOM = 96 };

typedef struct matrix_reader {
  tl_hdf5 *hdf5;
  talus_stored *stored;
} matrix_reader;

typedef struct matrix_sizes {
  int64_t rows, columns, room, nz;
} matrix_sizes;

static const char *join(char name[NAME_ROOM], const char *group, const char *item) {
  snprintf(name, NAME_ROOM, "%s/%s", group, item);
  return name;
}

static talus_status wrong(matrix_reader *reader, const char *name, const char *what, int64_t found,
                          int64_t wanted) {
  return tl_hdf5_fail(reader->hdf5, TALUS_FILE_FORMAT, name, "%s is %lld, should be %lld", what,
                      (long long)found, (long long)wanted);
}

static talus_status read_sizes(matrix_reader *reader, const char *group, matrix_sizes *sizes) {
  char name[NAME_ROOM];
  tl_hdf5 *hdf5 = reader->hdf5;
  const int64_t most = INT32_MAX - 1;
  TL_TRY(tl_hdf5_scalar(hdf5, join(name, group, "m"), 0, most, &sizes->rows));
  TL_TRY(tl_hdf5_scalar(hdf5, join(name, group, "n"), 0, most, &sizes->columns));
  TL_TRY(tl_hdf5_scalar(hdf5, join(name, group, "nzmax"), 0, most, &sizes->room));
  return tl_hdf5_scalar(hdf5, join(name, group, "nz"), NZ_CSR, most, &sizes->nz);
}

/* An array of a matrix has as many values as there are entries, or as nzmax says. */
static talus_status check_extent(matrix_reader *reader, const char *group, const char *item,
                                 int64_t extent, int64_t count, int64_t room) {
  char name[NAME_ROOM];
  if (extent == count || (extent == room && extent > count)) {
    return TALUS_OK;
  }
  return wrong(reader, join(name, group, item), "its length", extent, count);
}

/* Does index[e] < rows and index2[e] < columns hold for all? */
static bool fits(const int32_t *index, int64_t rows, const int32_t *index2, int64_t columns,
                 int64_t count, int64_t *bad) {
  for (int64_t e = 0; e < count; e++) {
    if (index[e] < 0 || index[e] >= rows || index2[e] < 0 || index2[e] >= columns) {
      *bad = e;
      return false;
    }
  }
  return true;
}

static talus_status read_triplet_index(matrix_reader *reader, const char *group,
                                       const matrix_sizes *sizes, talus_matrix *matrix) {
  char name[NAME_ROOM];
  int64_t extent, bad = 0;
  const int32_t *i, *p;
  if (sizes->nz > sizes->room) {
    return wrong(reader, join(name, group, "nz"), "with nzmax it", sizes->nz, sizes->room);
  }
  TL_TRY(tl_hdf5_int32s(reader->hdf5, join(name, group, "i"), reader->stored, &i, &extent));
  TL_TRY(check_extent(reader, group, "i", extent, sizes->nz, sizes->room));
  TL_TRY(tl_hdf5_int32s(reader->hdf5, join(name, group, "p"), reader->stored, &p, &extent));
  TL_TRY(check_extent(reader, group, "p", extent, sizes->nz, sizes->room));
  const bool swapped = !fits(i, sizes->rows, p, sizes->columns, sizes->nz, &bad);
  if (swapped && !fits(p, sizes->rows, i, sizes->columns, sizes->nz, &bad)) {
    return tl_hdf5_fail(reader->hdf5, TALUS_FILE_FORMAT, group,
                        "entry %lld with i = %d, p = %d lies outside %lld x %lld", (long long)bad,
                        i[bad], p[bad], (long long)sizes->rows, (long long)sizes->columns);
  }
  matrix->storage = TALUS_STORAGE_TRIPLET;
  matrix->count = sizes->nz;
  matrix->index = swapped ? p : i;
  matrix->index2 = swapped ? i : p;
  return TALUS_OK;
}

static talus_status read_starts(matrix_reader *reader, const char *group, int64_t lines,
                                int64_t room, const int64_t **start) {
  char name[NAME_ROOM];
  int64_t extent;
  join(name, group, "p");
  TL_TRY(tl_hdf5_int64s(reader->hdf5, name, reader->stored, start, &extent));
  if (extent != lines + 1) {
    return wrong(reader, name, "its length", extent, lines + 1);
  }
  if ((*start)[0] != 0) {
    return wrong(reader, name, "the first value", (*start)[0], 0);
  }
  for (int64_t line = 0; line < lines; line++) {
    if ((*start)[line + 1] < (*start)[line] || (*start)[line + 1] > room) {
      return tl_hdf5_fail(reader->hdf5, TALUS_FILE_FORMAT, name,
                          "[%lld] = %lld falls or exceeds nzmax = %lld", (long long)line + 1,
                          (long long)(*start)[line + 1], (long long)room);
    }
  }
  return TALUS_OK;
}

static talus_status read_compressed_index(matrix_reader *reader, const char *group,
                                          const matrix_sizes *sizes, talus_matrix *matrix) {
  char name[NAME_ROOM];
  const bool by_columns = sizes->nz == NZ_CSC;
  const int64_t lines = by_columns ? sizes->columns : sizes->rows;
  const int64_t limit = by_columns ? sizes->rows : sizes->columns;
  TL_TRY(read_starts(reader, group, lines, sizes->room, &matrix->start));
  matrix->storage = by_columns ? TALUS_STORAGE_CSC : TALUS_STORAGE_CSR;
  matrix->count = matrix->start[lines];
  int64_t extent;
  join(name, group, "i");
  TL_TRY(tl_hdf5_int32s(reader->hdf5, name, reader->stored, &matrix->index, &extent));
  TL_TRY(check_extent(reader, group, "i", extent, matrix->count, sizes->room));
  for (int64_t e = 0; e < matrix->count; e++) {
    if (matrix->index[e] < 0 || matrix->index[e] >= limit) {
      return tl_hdf5_fail(reader->hdf5, TALUS_FILE_FORMAT, name,
                          "[%lld] = %d is not between 0 and %lld", (long long)e, matrix->index[e],
                          (long long)limit - 1);
    }
  }
  return TALUS_OK;
}

talus_status tl_fclib_read_matrix(tl_hdf5 *hdf5, talus_stored *stored, const char *group,
                                  talus_matrix *matrix) {
  matrix_reader state = {hdf5, stored}, *reader = &state;
  char name[NAME_ROOM];
  matrix_sizes sizes;
  memset(matrix, 0, sizeof *matrix);
  TL_TRY(read_sizes(reader, group, &sizes));
  matrix->rows = (int32_t)sizes.rows;
  matrix->columns = (int32_t)sizes.columns;
  if (sizes.nz >= 0) {
    TL_TRY(read_triplet_index(reader, group, &sizes, matrix));
  } else {
    TL_TRY(read_compressed_index(reader, group, &sizes, matrix));
  }
  int64_t extent;
  TL_TRY(tl_hdf5_doubles(reader->hdf5, join(name, group, "x"), reader->stored, &matrix->value,
                         &extent));
  return check_extent(reader, group, "x", extent, matrix->count, sizes.room);
}
