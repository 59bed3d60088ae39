/* fclib_read.c: reads FCLIB problems, see fclib.h. What the file says about itself is compared with
 * the extent of its datasets; values are left to the check of the problem. */
#include "host/io/fclib.h"

#include <stdio.h>
#include <string.h>

#include "host/io/fclib_matrix.h"
#include "host/io/matrix.h"

enum { NAME_ROOM = 96 };

typedef struct fclib_reader {
  tl_hdf5 hdf5;
  talus_stored *stored;
} fclib_reader;

static const char *join(char name[NAME_ROOM], const char *group, const char *item) {
  snprintf(name, NAME_ROOM, "%s/%s", group, item);
  return name;
}

static talus_status wrong(fclib_reader *reader, const char *name, const char *what, int64_t found,
                          int64_t wanted) {
  return tl_hdf5_fail(&reader->hdf5, TALUS_FILE_FORMAT, name, "%s is %lld, should be %lld", what,
                      (long long)found, (long long)wanted);
}

static talus_status expect_size(fclib_reader *reader, const char *group, const talus_matrix *matrix,
                                int64_t rows, int64_t columns) {
  if (matrix->rows == rows && matrix->columns == columns) {
    return TALUS_OK;
  }
  return tl_hdf5_fail(&reader->hdf5, TALUS_FILE_FORMAT, group, "is %d x %d, should be %lld x %lld",
                      matrix->rows, matrix->columns, (long long)rows, (long long)columns);
}

static talus_status read_vector(fclib_reader *reader, const char *name, int64_t count,
                                const double **vector) {
  int64_t extent;
  TL_TRY(tl_hdf5_doubles(&reader->hdf5, name, reader->stored, vector, &extent));
  return extent == count ? TALUS_OK : wrong(reader, name, "its length", extent, count);
}

/* ---- local ----------------------------------------------------------------------------------- */

/* Copies a block of the full W, at (row, column), also mirrored if wanted. */
static int64_t add_block(const talus_matrix *block, int32_t row, int32_t column, int mirror,
                         int64_t place, int32_t *index, int32_t *index2, double *value) {
  tl_matrix_entry entry;
  for (tl_matrix_walk walk = {block, 0, 0}; tl_matrix_next(&walk, &entry); place++) {
    index[place] = mirror ? column + entry.column : row + entry.row;
    index2[place] = mirror ? row + entry.row : column + entry.column;
    value[place] = entry.value;
  }
  return place;
}

/* [W V; V^T R] as one matrix. */
static talus_status join_blocks(fclib_reader *reader, const talus_matrix *w, const talus_matrix *v,
                                const talus_matrix *r, talus_matrix *full) {
  const int64_t count = w->count + 2 * v->count + r->count;
  void *index, *index2, *value;
  TL_TRY(tl_stored_alloc(reader->stored, &index, (size_t)count, sizeof(int32_t), "W"));
  TL_TRY(tl_stored_alloc(reader->stored, &index2, (size_t)count, sizeof(int32_t), "W"));
  TL_TRY(tl_stored_alloc(reader->stored, &value, (size_t)count, sizeof(double), "W"));
  int64_t place = add_block(w, 0, 0, 0, 0, index, index2, value);
  place = add_block(v, 0, w->columns, 0, place, index, index2, value);
  place = add_block(v, 0, w->columns, 1, place, index, index2, value);
  add_block(r, w->rows, w->columns, 0, place, index, index2, value);
  *full = (talus_matrix){TALUS_STORAGE_TRIPLET,
                         w->rows + r->rows,
                         w->columns + r->columns,
                         count,
                         NULL,
                         index,
                         index2,
                         value};
  return TALUS_OK;
}

static talus_status read_local_bilateral(fclib_reader *reader) {
  talus_problem *problem = &reader->stored->problem;
  const talus_matrix w = problem->delassus.w;
  talus_matrix v, r;
  const double *s;
  TL_TRY(tl_fclib_read_matrix(&reader->hdf5, reader->stored, "fclib_local/V", &v));
  TL_TRY(tl_fclib_read_matrix(&reader->hdf5, reader->stored, "fclib_local/R", &r));
  TL_TRY(expect_size(reader, "fclib_local/R", &r, v.columns, v.columns));
  TL_TRY(expect_size(reader, "fclib_local/V", &v, w.rows, v.columns));
  TL_TRY(read_vector(reader, "fclib_local/vectors/s", r.rows, &s));
  const int64_t rows = (int64_t)w.rows + r.rows;
  if (rows > INT32_MAX) {
    return tl_hdf5_fail(&reader->hdf5, TALUS_FILE_FORMAT, "fclib_local/R", "%lld rows are too many",
                        (long long)rows);
  }
  void *q;
  TL_TRY(tl_stored_alloc(reader->stored, &q, (size_t)rows, sizeof(double), "q"));
  memcpy(q, problem->delassus.q, (size_t)w.rows * sizeof(double));
  memcpy((double *)q + w.rows, s, (size_t)r.rows * sizeof(double));
  problem->delassus.q = q;
  problem->bilateral_count = r.rows;
  return join_blocks(reader, &w, &v, &r, &problem->delassus.w);
}

/* spacedim, and the number of contacts that follows from the rows. */
static talus_status set_contacts(fclib_reader *reader, const char *name, int64_t rows) {
  talus_problem *problem = &reader->stored->problem;
  int64_t dimension;
  TL_TRY(tl_hdf5_scalar(&reader->hdf5, name, 1, 6, &dimension));
  if (dimension > 3 && dimension < 6) {
    return tl_hdf5_fail(&reader->hdf5, TALUS_FILE_FORMAT, name, "%lld: 1, 2, 3, or 6 with torques",
                        (long long)dimension);
  }
  if (rows % dimension != 0) {
    return tl_hdf5_fail(&reader->hdf5, TALUS_FILE_FORMAT, name, "%lld does not divide %lld rows",
                        (long long)dimension, (long long)rows);
  }
  problem->dimension = (int32_t)dimension;
  problem->contact_count = (int32_t)(rows / dimension);
  problem->bilateral_count = 0;
  return TALUS_OK;
}

static talus_status read_local(fclib_reader *reader) {
  talus_problem *problem = &reader->stored->problem;
  talus_matrix *w = &problem->delassus.w;
  problem->form = TALUS_FORM_DELASSUS;
  TL_TRY(tl_fclib_read_matrix(&reader->hdf5, reader->stored, "fclib_local/W", w));
  TL_TRY(expect_size(reader, "fclib_local/W", w, w->rows, w->rows));
  TL_TRY(set_contacts(reader, "fclib_local/spacedim", w->rows));
  TL_TRY(read_vector(reader, "fclib_local/vectors/q", w->rows, &problem->delassus.q));
  TL_TRY(read_vector(reader, "fclib_local/vectors/mu", problem->contact_count, &problem->friction));
  return tl_hdf5_exists(&reader->hdf5, "fclib_local/V") ? read_local_bilateral(reader) : TALUS_OK;
}

/* ---- global ---------------------------------------------------------------------------------- */

static talus_status read_global(fclib_reader *reader) {
  talus_problem *problem = &reader->stored->problem;
  talus_global *global = &problem->global;
  problem->form = TALUS_FORM_GLOBAL;
  TL_TRY(tl_fclib_read_matrix(&reader->hdf5, reader->stored, "fclib_global/M", &global->mass));
  const int32_t n = global->mass.rows;
  TL_TRY(expect_size(reader, "fclib_global/M", &global->mass, n, n));
  TL_TRY(tl_fclib_read_matrix(&reader->hdf5, reader->stored, "fclib_global/H", &global->h));
  TL_TRY(expect_size(reader, "fclib_global/H", &global->h, n, global->h.columns));
  TL_TRY(set_contacts(reader, "fclib_global/spacedim", global->h.columns));
  TL_TRY(read_vector(reader, "fclib_global/vectors/f", n, &global->f));
  TL_TRY(read_vector(reader, "fclib_global/vectors/w", global->h.columns, &global->w));
  TL_TRY(
      read_vector(reader, "fclib_global/vectors/mu", problem->contact_count, &problem->friction));
  if (tl_hdf5_exists(&reader->hdf5, "fclib_global/G")) {
    TL_TRY(tl_fclib_read_matrix(&reader->hdf5, reader->stored, "fclib_global/G", &global->g));
    TL_TRY(expect_size(reader, "fclib_global/G", &global->g, n, global->g.columns));
    problem->bilateral_count = global->g.columns;
    TL_TRY(read_vector(reader, "fclib_global/vectors/b", global->g.columns, &global->b));
  }
  return TALUS_OK;
}

/* ---- what the format has no place for, guess and title --------------------------------------- */

/* A vector that may be missing: *vector stays as it is. */
static talus_status read_optional(fclib_reader *reader, const char *name, int64_t count,
                                  const double **vector) {
  return count > 0 && tl_hdf5_exists(&reader->hdf5, name) ? read_vector(reader, name, count, vector)
                                                          : TALUS_OK;
}

static talus_status read_own(fclib_reader *reader) {
  talus_problem *const problem = &reader->stored->problem;
  const int64_t rows = problem->bilateral_count;
  if (tl_hdf5_exists(&reader->hdf5, "talus/velocity_scale")) {
    const double *scale;
    TL_TRY(read_vector(reader, "talus/velocity_scale", 1, &scale));
    problem->velocity_scale = *scale;
  }
  TL_TRY(read_optional(reader, "talus/row_lower", rows, &problem->row_lower));
  TL_TRY(read_optional(reader, "talus/row_upper", rows, &problem->row_upper));
  const int64_t contacts = problem->contact_count;
  TL_TRY(read_optional(reader, "talus/compliance", 2 * contacts, &problem->compliance));
  TL_TRY(read_optional(reader, "talus/target_impulse", problem->dimension * contacts,
                       &problem->target_impulse));
  TL_TRY(read_optional(reader, "talus/torque_friction", 2 * contacts, &problem->torque_friction));
  TL_TRY(read_optional(reader, "talus/cross_friction", contacts, &problem->cross_friction));
  TL_TRY(read_optional(reader, "talus/row_compliance", rows, &problem->row_compliance));
  return read_optional(reader, "talus/row_target_impulse", rows, &problem->row_target_impulse);
}

static talus_status read_guess(fclib_reader *reader, const char *group) {
  talus_stored *stored = reader->stored;
  const talus_problem *problem = &stored->problem;
  char name[NAME_ROOM];
  const double *vector;
  if (tl_hdf5_is_written(&reader->hdf5, join(name, group, "r"))) {
    const int64_t rows = (int64_t)problem->dimension * problem->contact_count;
    TL_TRY(read_vector(reader, name, rows, &vector));
    stored->guess = (double *)vector;
  }
  if (problem->bilateral_count > 0 && tl_hdf5_is_written(&reader->hdf5, join(name, group, "l"))) {
    TL_TRY(read_vector(reader, name, problem->bilateral_count, &vector));
    stored->guess_bilateral = (double *)vector;
  }
  return TALUS_OK;
}

/* A file may hold both kinds; the global one is the original then. */
static talus_status read_problem(fclib_reader *reader) {
  tl_hdf5 *hdf5 = &reader->hdf5;
  if (tl_hdf5_exists(hdf5, "fclib_global")) {
    TL_TRY(read_global(reader));
    TL_TRY(tl_hdf5_title(hdf5, "fclib_global/info/title", reader->stored));
  } else if (tl_hdf5_exists(hdf5, "fclib_local")) {
    TL_TRY(read_local(reader));
    TL_TRY(tl_hdf5_title(hdf5, "fclib_local/info/title", reader->stored));
  } else {
    return tl_hdf5_fail(hdf5, TALUS_FILE_FORMAT, "",
                        "an HDF5 file, but it has neither a group fclib_global nor fclib_local");
  }
  TL_TRY(read_own(reader));
  return read_guess(reader, tl_hdf5_is_written(hdf5, "solution/r") ? "solution" : "guesses/1");
}

talus_status tl_fclib_read(talus_stored *stored, const char *path) {
  fclib_reader reader = {.stored = stored};
  talus_status status = tl_hdf5_open(tl_stored_context(stored), path, &reader.hdf5);
  if (status == TALUS_OK) {
    status = read_problem(&reader);
  }
  const talus_status closed = tl_hdf5_close(&reader.hdf5);
  return status != TALUS_OK ? status : closed;
}
