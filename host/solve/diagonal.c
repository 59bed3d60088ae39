/* diagonal.c: talus_problem_diagonal: the scaling of a problem, without a solver. */
#include <string.h>

#include "host/problem/assembly.h"
#include "host/problem/layout.h"
#include "host/problem/problem_check.h"

/* From the engine's order and units to the caller's. */
static void diagonal_export(const tl_assembly *assembly, double *contact, double *row) {
  const tl_system *const system = &assembly->system;
  const double unit = 1 / (assembly->impulse_unit * assembly->velocity_unit);
  for (int32_t i = 0; i < system->shape.contact_count; i++) {
    const int64_t k = system->order[i];
    if (k < assembly->contact_count) {
      contact[2 * k] = unit * system->scale_n[i];
      contact[2 * k + 1] = unit * system->scale_t[i];
    } else if (row != NULL) {
      row[k - assembly->contact_count] = unit * system->scale_n[i];
    }
  }
}

static talus_status diagonal_find(talus_context *context, const talus_problem *problem,
                                  tl_gathered *gathered, tl_assembly *assembly, double *contact,
                                  double *row) {
  const talus_problem *packed;
  TL_TRY(tl_problem_gather(context, problem, gathered, &packed));
  TL_TRY(tl_problem_check(context, packed));
  talus_problem rigid = *packed;
  rigid.compliance = rigid.row_compliance = NULL;
  TL_TRY(tl_system_build(context, &rigid, 0, assembly));
  diagonal_export(assembly, contact, row);
  return TALUS_OK;
}

static talus_status diagonal(talus_context *context, const talus_problem *given, double *contact,
                             double *row) {
  tl_problem_copy copy;
  TL_TRY(tl_problem_copy_make(context, given, &copy));
  if (contact == NULL && copy.problem.contact_count > 0) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT, "talus_problem_diagonal: contact is NULL");
  }
  tl_gathered gathered;
  tl_assembly assembly;
  memset(&gathered, 0, sizeof gathered);
  memset(&assembly, 0, sizeof assembly);
  assembly.threads = 1;
  const talus_status status =
      diagonal_find(context, &copy.problem, &gathered, &assembly, contact, row);
  tl_assembly_release(context, &assembly);
  tl_gathered_release(context, &gathered);
  return status;
}

talus_status talus_problem_diagonal(talus_context *context, const talus_problem *problem,
                                    double *contact, double *row) {
  TL_TRY(tl_context_enter(context));
  const talus_status status = diagonal(context, problem, contact, row);
  tl_context_leave(context);
  return status;
}
