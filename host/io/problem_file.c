/* problem_file.c: door of the problem files: finds out the kind, hands over to the formats.
 *
 * What is read is told by its content, what is written by its name. The one place that knows
 * whether this build has HDF5: hdf5_*.c and fclib_*.c are compiled only if it has. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "host/io/contact_frame.h"
#include "host/io/fclib.h"
#include "host/io/global_form.h"
#include "host/io/matrix.h"
#include "host/io/output_file.h"
#include "host/io/siconos_text.h"
#include "host/problem/layout.h"
#include "host/problem/problem_check.h"

#if TL_HAVE_HDF5
static talus_status read_hdf5(talus_stored *stored, const char *path) {
  return tl_fclib_read(stored, path);
}

static talus_status write_hdf5(talus_stored *scratch, tl_output *output,
                               const talus_problem *problem, const tl_fclib_solution *solution) {
  return tl_fclib_write(scratch, output, problem, solution);
}
#else
static talus_status read_hdf5(talus_stored *stored, const char *path) {
  return tl_fail(tl_stored_context(stored), TALUS_UNSUPPORTED,
                 "%s: an HDF5 file, but this Talus was built without HDF5", path);
}

static talus_status write_hdf5(talus_stored *scratch, tl_output *output,
                               const talus_problem *problem, const tl_fclib_solution *solution) {
  (void)problem;
  (void)solution;
  return tl_fail(tl_stored_context(scratch), TALUS_UNSUPPORTED,
                 "%s: this Talus was built without HDF5; *.dat files can be written", output->path);
}
#endif

/* ---- reading --------------------------------------------------------------------------------- */

typedef enum file_kind { KIND_HDF5, KIND_TEXT, KIND_UNKNOWN, KIND_EMPTY } file_kind;

enum { SIGNATURE_BYTES = 8 };

/* HDF5's signature stands at 0, or behind a user block at 512, 1024, 2048, ... */
static bool has_signature(FILE *file, int64_t size) {
  static const unsigned char signature[SIGNATURE_BYTES] = {0x89, 'H',  'D',  'F',
                                                           '\r', '\n', 0x1a, '\n'};
  unsigned char head[SIGNATURE_BYTES];
  for (int64_t place = 0; place + SIGNATURE_BYTES <= size; place = place > 0 ? 2 * place : 512) {
    if (fseeko(file, (off_t)place, SEEK_SET) != 0 ||
        fread(head, 1, sizeof head, file) != sizeof head) {
      return false;
    }
    if (memcmp(head, signature, sizeof head) == 0) {
      return true;
    }
  }
  return false;
}

/* A text begins with a digit, the dimension; only white space may come before it. */
static file_kind find_kind(FILE *file, int64_t size) {
  if (size == 0) {
    return KIND_EMPTY;
  }
  if (has_signature(file, size)) {
    return KIND_HDF5;
  }
  rewind(file);
  int c;
  do {
    c = getc(file);
  } while (c == ' ' || (c >= '\t' && c <= '\r'));
  return c >= '0' && c <= '9' ? KIND_TEXT : KIND_UNKNOWN;
}

static talus_status open_failed(talus_context *context, const char *path, const char *why) {
  return tl_fail(context, TALUS_FILE_OPEN, "%s: %s", path, why);
}

static talus_status look_at(talus_context *context, const char *path, file_kind *kind) {
  struct stat about;
  if (stat(path, &about) != 0) {
    return open_failed(context, path, strerror(errno));
  }
  if (!S_ISREG(about.st_mode)) {
    return open_failed(context, path,
                       S_ISDIR(about.st_mode) ? "is a directory" : "is not a regular file");
  }
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    return open_failed(context, path, strerror(errno));
  }
  *kind = find_kind(file, (int64_t)about.st_size);
  fclose(file);
  return TALUS_OK;
}

static talus_status read_kind(talus_stored *stored, const char *path, file_kind kind) {
  switch (kind) {
  case KIND_HDF5:
    return read_hdf5(stored, path);
  case KIND_TEXT:
    return tl_siconos_read(stored, path);
  default:
    return tl_fail(tl_stored_context(stored), TALUS_FILE_FORMAT, "%s: %s", path,
                   kind == KIND_EMPTY ? "is empty"
                                      : "is neither an HDF5 file nor a Siconos text, which begins "
                                        "with its dimension");
  }
}

talus_status talus_problem_read_sized(talus_context *context, const char *path, size_t problem_size,
                                      talus_stored **stored) {
  if (stored != NULL) {
    *stored = NULL;
  }
  if (context == NULL || path == NULL || stored == NULL) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT, "talus_problem_read: an argument is NULL");
  }
  file_kind kind = KIND_UNKNOWN;
  talus_stored *result;
  TL_TRY(look_at(context, path, &kind));
  TL_TRY(tl_stored_create(context, &result));
  talus_status status = read_kind(result, path, kind);
  if (status == TALUS_OK) {
    status = tl_stored_fit(result, problem_size);
  }
  if (status != TALUS_OK) {
    talus_stored_destroy(result);
    return status;
  }
  *stored = result;
  return TALUS_OK;
}

/* ---- writing --------------------------------------------------------------------------------- */

static bool is_text_name(const char *path) {
  const size_t length = strlen(path);
  return length >= 4 && strcmp(path + length - 4, ".dat") == 0;
}

/* Compliance is the same in every frame; targets go to the contact's. */
static talus_status compliance_convert(talus_stored *scratch, const talus_problem *problem,
                                       talus_problem *result) {
  result->compliance = problem->compliance;
  result->target_impulse = problem->target_impulse;
  result->row_compliance = problem->row_compliance;
  result->row_target_impulse = problem->row_target_impulse;
  if (problem->form != TALUS_FORM_RIGID || problem->target_impulse == NULL) {
    return TALUS_OK;
  }
  void *target;
  TL_TRY(tl_stored_alloc(scratch, &target, (size_t)problem->contact_count,
                         (size_t)problem->dimension * sizeof(double), "target impulses"));
  tl_impulses_to_contact(problem, problem->target_impulse, target);
  result->target_impulse = target;
  return TALUS_OK;
}

/* A problem of a form that files know. */
static talus_status to_file_form(talus_stored *scratch, const talus_problem *problem,
                                 talus_problem *result) {
  talus_problem blocks = *problem;
  switch (problem->form) {
  case TALUS_FORM_RIGID:
    TL_TRY(tl_blocks_from_rigid(scratch, problem, &blocks));
    TL_TRY(tl_global_from_blocks(scratch, &blocks, result));
    break;
  case TALUS_FORM_BLOCKS:
    TL_TRY(tl_global_from_blocks(scratch, problem, result));
    break;
  default:
    *result = *problem;
  }
  result->torque_friction = problem->torque_friction;
  result->cross_friction = problem->cross_friction;
  result->row_lower = problem->row_lower; /* the rows keep their order */
  result->row_upper = problem->row_upper;
  result->velocity_scale = problem->velocity_scale;
  return compliance_convert(scratch, problem, result);
}

/* u and v as well, since FCLIB's own reader asks for them. With bilateral rows they would need the
 * bilateral impulses: then r stands alone. */
static talus_status complete_solution(talus_stored *scratch, const talus_problem *problem,
                                      const double *impulse, tl_fclib_solution *solution) {
  solution->r = impulse;
  if (impulse == NULL || problem->bilateral_count > 0) {
    return TALUS_OK;
  }
  if (problem->form == TALUS_FORM_GLOBAL) {
    return tl_global_velocities(scratch, problem, impulse, &solution->v, &solution->u);
  }
  const size_t rows = (size_t)problem->delassus.w.rows;
  void *u;
  TL_TRY(tl_stored_alloc(scratch, &u, rows, sizeof(double), "u"));
  if (rows > 0) {
    memcpy(u, problem->delassus.q, rows * sizeof(double));
  }
  tl_matrix_multiply_add(&problem->delassus.w, impulse, u);
  solution->u = u;
  return TALUS_OK;
}

static talus_status write_fclib(talus_stored *scratch, tl_output *output,
                                const talus_problem *problem, const talus_problem *converted,
                                const double *impulse) {
  if (output->temporary == NULL) {
    return tl_fail(tl_stored_context(scratch), TALUS_FILE_WRITE,
                   "%s: HDF5 can be written to regular files only", output->path);
  }
  if (problem->form == TALUS_FORM_RIGID && impulse != NULL) {
    void *rotated;
    TL_TRY(tl_stored_alloc(scratch, &rotated, (size_t)problem->contact_count,
                           (size_t)problem->dimension * sizeof(double), "impulses"));
    tl_impulses_to_contact(problem, impulse, rotated);
    impulse = rotated;
  }
  tl_fclib_solution solution = {0};
  TL_TRY(complete_solution(scratch, converted, impulse, &solution));
  return write_hdf5(scratch, output, converted, &solution);
}

static talus_status write_text(talus_stored *scratch, tl_output *output,
                               const talus_problem *converted, const double *impulse) {
  const bool wrenches = tl_problem_wrenches(converted);
  if (converted->bilateral_count > 0 || impulse != NULL || wrenches) {
    return tl_fail(tl_stored_context(scratch), TALUS_UNSUPPORTED,
                   "%s: the Siconos text format has no place for %s", output->path,
                   impulse != NULL ? "impulses"
                   : wrenches      ? "torques and elliptic cones: write an .hdf5 file"
                                   : "bilateral rows");
  }
  return tl_siconos_write(scratch, output, converted);
}

static talus_status write_output(talus_stored *scratch, tl_output *output,
                                 const talus_problem *problem, const double *impulse) {
  talus_problem converted;
  TL_TRY(to_file_form(scratch, problem, &converted));
  return is_text_name(output->path) ? write_text(scratch, output, &converted, impulse)
                                    : write_fclib(scratch, output, problem, &converted, impulse);
}

talus_status talus_problem_write(talus_context *context, const char *path,
                                 const talus_problem *given, const double *impulse) {
  if (context == NULL || path == NULL) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT, "talus_problem_write: an argument is NULL");
  }
  tl_problem_copy copy;
  const talus_problem *const problem = &copy.problem;
  TL_TRY(tl_problem_copy_make(context, given, &copy));
  TL_TRY(tl_problem_check(context, problem));
  talus_stored *scratch;
  tl_output output;
  TL_TRY(tl_stored_create(context, &scratch));
  talus_status status = tl_output_begin(context, path, &output);
  if (status == TALUS_OK) {
    status = write_output(scratch, &output, problem, impulse);
    if (status == TALUS_OK) {
      status = tl_output_commit(&output);
    } else {
      tl_output_abandon(&output);
    }
  }
  talus_stored_destroy(scratch);
  return status;
}
