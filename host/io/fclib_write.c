/* fclib_write.c: writes FCLIB problems, see fclib.h. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/io/fclib.h"
#include "host/io/hdf5_file.h"
#include "host/io/matrix.h"
#include "host/problem/problem_check.h"

enum { NZ_CSC = -1, NZ_CSR = -2, NAME_ROOM = 96 };

typedef struct fclib_writer {
  tl_hdf5 hdf5;
  talus_stored *scratch;
  const talus_problem *problem;
} fclib_writer;

static const char *join(char name[NAME_ROOM], const char *group, const char *item) {
  snprintf(name, NAME_ROOM, "%s/%s", group, item);
  return name;
}

static talus_status put_scalar(fclib_writer *writer, const char *group, const char *item,
                               int64_t value) {
  char name[NAME_ROOM];
  return tl_hdf5_put_int64s(&writer->hdf5, join(name, group, item), &value, 1);
}

static talus_status put_index(fclib_writer *writer, const char *group, const talus_matrix *matrix) {
  char name[NAME_ROOM];
  tl_hdf5 *hdf5 = &writer->hdf5;
  TL_TRY(tl_hdf5_put_int32s(hdf5, join(name, group, "i"), matrix->index, matrix->count));
  join(name, group, "p");
  switch (matrix->storage) {
  case TALUS_STORAGE_TRIPLET:
    TL_TRY(tl_hdf5_put_int32s(hdf5, name, matrix->index2, matrix->count));
    return put_scalar(writer, group, "nz", matrix->count);
  case TALUS_STORAGE_CSR:
    TL_TRY(tl_hdf5_put_int64s(hdf5, name, matrix->start, (int64_t)matrix->rows + 1));
    return put_scalar(writer, group, "nz", NZ_CSR);
  default:
    TL_TRY(tl_hdf5_put_int64s(hdf5, name, matrix->start, (int64_t)matrix->columns + 1));
    return put_scalar(writer, group, "nz", NZ_CSC);
  }
}

static talus_status put_matrix(fclib_writer *writer, const char *group,
                               const talus_matrix *matrix) {
  char name[NAME_ROOM];
  talus_matrix sparse = *matrix;
  if (matrix->storage == TALUS_STORAGE_DENSE) {
    const tl_matrix_window all = {0, matrix->rows, 0, matrix->columns};
    TL_TRY(tl_matrix_compress(writer->scratch, matrix, all, &sparse));
  }
  if (sparse.count >= INT32_MAX || sparse.rows == INT32_MAX || sparse.columns == INT32_MAX) {
    return tl_hdf5_fail(&writer->hdf5, TALUS_UNSUPPORTED, group,
                        "%lld entries are more than FCLIB's 32 bits can count",
                        (long long)sparse.count);
  }
  TL_TRY(tl_hdf5_group(&writer->hdf5, group));
  TL_TRY(put_scalar(writer, group, "m", sparse.rows));
  TL_TRY(put_scalar(writer, group, "n", sparse.columns));
  TL_TRY(put_scalar(writer, group, "nzmax", sparse.count));
  TL_TRY(put_index(writer, group, &sparse));
  return tl_hdf5_put_doubles(&writer->hdf5, join(name, group, "x"), sparse.value, sparse.count);
}

/* mu is not optional in FCLIB: no friction is a list of zeros. */
static talus_status put_friction(fclib_writer *writer, const char *name) {
  const talus_problem *problem = writer->problem;
  const double *friction = problem->friction;
  if (friction == NULL) {
    void *zeros;
    TL_TRY(tl_stored_alloc(writer->scratch, &zeros, (size_t)problem->contact_count, sizeof(double),
                           "friction"));
    friction = zeros;
  }
  return tl_hdf5_put_doubles(&writer->hdf5, name, friction, problem->contact_count);
}

/* ---- local ----------------------------------------------------------------------------------- */

/* Are V and the transpose of the lower left block the same, but for rounding? Both are compressed,
 * so that equal matrices have equal arrays unless rounding left a zero in only one of them. */
static bool same(const talus_matrix *v, const talus_matrix *mirrored) {
  double size = 0;
  for (int64_t e = 0; e < v->count; e++) {
    size = fmax(size, fabs(v->value[e]));
  }
  if (v->count != mirrored->count) {
    return false;
  }
  for (int32_t c = 0; c < v->columns; c++) {
    if (v->start[c + 1] != mirrored->start[c + 1]) {
      return false;
    }
  }
  for (int64_t e = 0; e < v->count; e++) {
    if (v->index[e] != mirrored->index[e] ||
        !(fabs(v->value[e] - mirrored->value[e]) <= 1e-14 * size)) {
      return false;
    }
  }
  return true;
}

/* V, and a check that the lower left block is its transpose, since FCLIB stores it once. */
static talus_status cut_v(fclib_writer *writer, int32_t rows, int32_t bilateral, talus_matrix *v) {
  const talus_matrix *w = &writer->problem->delassus.w;
  const tl_matrix_window upper = {0, rows, rows, bilateral}, lower = {rows, bilateral, 0, rows};
  talus_matrix below, below_rows;
  TL_TRY(tl_matrix_compress(writer->scratch, w, upper, v));
  TL_TRY(tl_matrix_compress(writer->scratch, w, lower, &below));
  /* by rows, the lower block has the arrays that its transpose has by columns */
  TL_TRY(tl_matrix_compress_rows(writer->scratch, &below, &below_rows));
  return same(v, &below_rows)
             ? TALUS_OK
             : tl_hdf5_fail(&writer->hdf5, TALUS_UNSUPPORTED, "fclib_local/V",
                            "the blocks of W between contacts and bilateral rows are not each "
                            "other's transpose");
}

static talus_status put_local_matrices(fclib_writer *writer) {
  const talus_problem *problem = writer->problem;
  const int32_t rows = problem->dimension * problem->contact_count;
  const int32_t bilateral = problem->bilateral_count;
  if (bilateral == 0) {
    return put_matrix(writer, "fclib_local/W", &problem->delassus.w);
  }
  talus_matrix w, v, r;
  const tl_matrix_window contacts = {0, rows, 0, rows}, rest = {rows, bilateral, rows, bilateral};
  TL_TRY(tl_matrix_compress(writer->scratch, &problem->delassus.w, contacts, &w));
  TL_TRY(tl_matrix_compress(writer->scratch, &problem->delassus.w, rest, &r));
  TL_TRY(cut_v(writer, rows, bilateral, &v));
  TL_TRY(put_matrix(writer, "fclib_local/W", &w));
  TL_TRY(put_matrix(writer, "fclib_local/V", &v));
  return put_matrix(writer, "fclib_local/R", &r);
}

static talus_status put_local(fclib_writer *writer) {
  const talus_problem *problem = writer->problem;
  const double *q = problem->delassus.q;
  const int64_t rows = (int64_t)problem->dimension * problem->contact_count;
  TL_TRY(tl_hdf5_group(&writer->hdf5, "fclib_local"));
  TL_TRY(put_scalar(writer, "fclib_local", "spacedim", problem->dimension));
  TL_TRY(put_local_matrices(writer));
  TL_TRY(tl_hdf5_group(&writer->hdf5, "fclib_local/vectors"));
  TL_TRY(tl_hdf5_put_doubles(&writer->hdf5, "fclib_local/vectors/q", q, rows));
  TL_TRY(put_friction(writer, "fclib_local/vectors/mu"));
  return problem->bilateral_count > 0 ? tl_hdf5_put_doubles(&writer->hdf5, "fclib_local/vectors/s",
                                                            q + rows, problem->bilateral_count)
                                      : TALUS_OK;
}

/* ---- global ---------------------------------------------------------------------------------- */

static talus_status put_bilateral(fclib_writer *writer) {
  const talus_problem *problem = writer->problem;
  const double *b = problem->global.b;
  if (b == NULL) {
    void *zeros;
    TL_TRY(tl_stored_alloc(writer->scratch, &zeros, (size_t)problem->bilateral_count,
                           sizeof(double), "b"));
    b = zeros;
  }
  TL_TRY(put_matrix(writer, "fclib_global/G", &problem->global.g));
  return tl_hdf5_put_doubles(&writer->hdf5, "fclib_global/vectors/b", b, problem->bilateral_count);
}

static talus_status put_global(fclib_writer *writer) {
  const talus_problem *problem = writer->problem;
  const talus_global *global = &problem->global;
  TL_TRY(tl_hdf5_group(&writer->hdf5, "fclib_global"));
  TL_TRY(put_scalar(writer, "fclib_global", "spacedim", problem->dimension));
  TL_TRY(put_matrix(writer, "fclib_global/M", &global->mass));
  TL_TRY(put_matrix(writer, "fclib_global/H", &global->h));
  TL_TRY(tl_hdf5_group(&writer->hdf5, "fclib_global/vectors"));
  TL_TRY(
      tl_hdf5_put_doubles(&writer->hdf5, "fclib_global/vectors/f", global->f, global->mass.rows));
  TL_TRY(
      tl_hdf5_put_doubles(&writer->hdf5, "fclib_global/vectors/w", global->w, global->h.columns));
  TL_TRY(put_friction(writer, "fclib_global/vectors/mu"));
  return problem->bilateral_count > 0 ? put_bilateral(writer) : TALUS_OK;
}

static talus_status put_optional(fclib_writer *writer, const char *name, const double *vector,
                                 int64_t count) {
  return vector != NULL && count > 0 ? tl_hdf5_put_doubles(&writer->hdf5, name, vector, count)
                                     : TALUS_OK;
}

static talus_status put_compliance(fclib_writer *writer) {
  const talus_problem *const p = writer->problem;
  const int64_t contacts = p->contact_count, rows = p->bilateral_count;
  TL_TRY(put_optional(writer, "talus/compliance", p->compliance, 2 * contacts));
  TL_TRY(put_optional(writer, "talus/target_impulse", p->target_impulse, p->dimension * contacts));
  TL_TRY(put_optional(writer, "talus/row_compliance", p->row_compliance, rows));
  return put_optional(writer, "talus/row_target_impulse", p->row_target_impulse, rows);
}

/* What the format has no place for: the group `talus`, which other programs pass over. */
static talus_status put_own(fclib_writer *writer) {
  const talus_problem *const p = writer->problem;
  void *memory;
  const int64_t rows = p->bilateral_count;
  const int bounded = tl_problem_bounded(p), scaled = p->velocity_scale > 0;
  const bool compliant = tl_problem_compliant(p);
  const bool wrenches = tl_problem_wrenches(p);
  if (bounded || scaled || compliant || wrenches) {
    TL_TRY(tl_hdf5_group(&writer->hdf5, "talus"));
  }
  if (compliant) {
    TL_TRY(put_compliance(writer));
  }
  TL_TRY(put_optional(writer, "talus/torque_friction", p->torque_friction,
                      2 * (int64_t)p->contact_count));
  TL_TRY(put_optional(writer, "talus/cross_friction", p->cross_friction, p->contact_count));
  if (scaled) {
    TL_TRY(tl_hdf5_put_doubles(&writer->hdf5, "talus/velocity_scale", &p->velocity_scale, 1));
  }
  if (!bounded) {
    return TALUS_OK;
  }
  TL_TRY(tl_stored_alloc(writer->scratch, &memory, 2 * (size_t)rows, sizeof(double), "bounds"));
  double *const lower = memory, *const upper = lower + rows;
  for (int64_t i = 0; i < rows; i++) {
    lower[i] = p->row_lower != NULL ? p->row_lower[i] : -INFINITY;
    upper[i] = p->row_upper != NULL ? p->row_upper[i] : INFINITY;
  }
  TL_TRY(tl_hdf5_put_doubles(&writer->hdf5, "talus/row_lower", lower, rows));
  return tl_hdf5_put_doubles(&writer->hdf5, "talus/row_upper", upper, rows);
}

static talus_status put_solution(fclib_writer *writer, const tl_fclib_solution *solution) {
  tl_hdf5 *hdf5 = &writer->hdf5;
  const talus_problem *problem = writer->problem;
  const int64_t rows = (int64_t)problem->dimension * problem->contact_count;
  if (solution->r == NULL) {
    return TALUS_OK;
  }
  TL_TRY(tl_hdf5_group(hdf5, "solution"));
  TL_TRY(tl_hdf5_put_doubles(hdf5, "solution/r", solution->r, rows));
  if (solution->u != NULL) {
    TL_TRY(tl_hdf5_put_doubles(hdf5, "solution/u", solution->u, rows));
  }
  return solution->v == NULL
             ? TALUS_OK
             : tl_hdf5_put_doubles(hdf5, "solution/v", solution->v, problem->global.mass.rows);
}

static talus_status put_problem(fclib_writer *writer, const tl_fclib_solution *solution) {
  TL_TRY(writer->problem->form == TALUS_FORM_DELASSUS ? put_local(writer) : put_global(writer));
  TL_TRY(put_own(writer));
  return put_solution(writer, solution);
}

talus_status tl_fclib_write(talus_stored *scratch, tl_output *output, const talus_problem *problem,
                            const tl_fclib_solution *solution) {
  fclib_writer writer = {.scratch = scratch, .problem = problem};
  talus_context *const context = tl_stored_context(scratch);
  void *image = NULL;
  size_t size = 0;
  talus_status status = tl_hdf5_create_image(context, output->path, &writer.hdf5);
  if (status == TALUS_OK) {
    status = put_problem(&writer, solution);
  }
  if (status == TALUS_OK) {
    status = tl_hdf5_image(&writer.hdf5, &image, &size);
  }
  const talus_status closed = tl_hdf5_close(&writer.hdf5);
  status = status != TALUS_OK ? status : closed;
  if (status == TALUS_OK && fwrite(image, 1, size, output->stream) != size) {
    status = tl_fail(context, TALUS_FILE_WRITE, "%s: %s", output->path, strerror(errno));
  }
  tl_free(context, image);
  return status;
}
