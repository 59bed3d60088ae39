/* global_velocity.c: the velocities that belong to given impulses in a GLOBAL problem, since
 * FCLIB's readers want r, u and v in a solution. Where M has no usable factors, u and v are left
 * out. */
#include <string.h>

#include "host/io/global_form.h"
#include "host/io/matrix.h"
#include "host/problem/mass.h"

/* x = M^-1 x; *solved says whether it could be done. */
static talus_status solve_mass(talus_stored *scratch, const talus_matrix *matrix, double *x,
                               int *solved) {
  talus_context *context = tl_stored_context(scratch);
  tl_mass mass;
  memset(&mass, 0, sizeof mass);
  void *work;
  *solved = 0;
  TL_TRY(tl_stored_alloc(scratch, &work, (size_t)matrix->rows, sizeof(double), "v"));
  const talus_status status = tl_mass_make(context, matrix, 0, &mass);
  if (status == TALUS_OK) {
    tl_mass_solve(&mass, x, work);
    *solved = 1;
  }
  tl_mass_release(context, &mass);
  return status == TALUS_OUT_OF_MEMORY ? status : TALUS_OK;
}

talus_status tl_global_velocities(talus_stored *scratch, const talus_problem *problem,
                                  const double *impulse, const double **v, const double **u) {
  const talus_global *global = &problem->global;
  const size_t unknowns = (size_t)global->mass.rows, rows = (size_t)global->h.columns;
  void *velocity, *relative;
  int solved;
  *v = NULL;
  *u = NULL;
  TL_TRY(tl_stored_alloc(scratch, &velocity, unknowns, sizeof(double), "v"));
  TL_TRY(tl_stored_alloc(scratch, &relative, rows, sizeof(double), "u"));
  if (unknowns == 0 || rows == 0) { /* f and w may be NULL then */
    return TALUS_OK;
  }
  memcpy(velocity, global->f, unknowns * sizeof(double));
  memcpy(relative, global->w, rows * sizeof(double));
  tl_matrix_multiply_add(&global->h, impulse, velocity);
  TL_TRY(solve_mass(scratch, &global->mass, velocity, &solved));
  if (solved) {
    tl_matrix_transposed_multiply_add(&global->h, velocity, relative);
    *v = velocity;
    *u = relative;
  }
  return TALUS_OK;
}
