/* resident.c: problems of form (a) that stay in device memory: which ones can, and what the host
 * fetches of them.
 *
 * Contacts without bilateral rows and methods without colours (`auto` goes without them there):
 * colours are found by a sequential search on the host. Whatever is unusual is left to the path
 * through the host, which has the words for every defect. */
#include <string.h>

#include "host/problem/problem_check.h"
#include "host/solve/run.h"

/* One array; 0 if it is laid out wrongly. */
static int raw_field(const void *own, const talus_strided *strided, tl_scalar scalar,
                     int32_t components, int64_t count, tl_caller_array *field) {
  const tl_given given = {.own = own,
                          .strided = *strided,
                          .scalar = scalar,
                          .components = components,
                          .count = count,
                          .name = "array"};
  return tl_caller_array_make(NULL, &given, field) == TALUS_OK;
}

/* Sizes and settings that the device takes. */
static int raw_suits(const talus_problem *p) {
  return p->form == TALUS_FORM_RIGID && p->dimension == 3 && p->memory == TALUS_MEMORY_DEVICE &&
         p->bilateral_count == 0 && p->contact_count > 0 && p->asleep == NULL &&
         p->compliance == NULL &&
         (p->layout == NULL ||
          (p->layout->asleep.array == NULL && p->layout->compliance.array == NULL)) &&
         3 * (int64_t)p->contact_count <= 1 << 29 && p->rigid.body_count > 0 &&
         p->rigid.body_count <= 1 << 29;
}

#define SCALAR_double TL_SCALAR_F64
#define SCALAR_int32_t TL_SCALAR_I32

static int raw_make(const talus_problem *p, tl_raw *raw) {
  if (!raw_suits(p)) {
    return 0;
  }
  talus_layout layout = p->layout != NULL ? *p->layout : talus_layout_default();
  const talus_strided linear = layout.rigid.velocity;
  const int split = layout.rigid.angular_velocity.array != NULL;
  layout.rigid.velocity.array = split ? NULL : linear.array;
  const int64_t body = p->rigid.body_count, contact = p->contact_count;
  memset(raw, 0, sizeof *raw);
  raw->body_count = p->rigid.body_count;
  raw->contact_count = p->contact_count;
  int good = raw_field(p->friction, &layout.friction, TL_SCALAR_F64, 1, contact, &raw->friction);
#define TL_FIELD(type, name, components, of) \
  good = good &&                             \
         raw_field(p->rigid.name, &layout.rigid.name, SCALAR_##type, components, of, &raw->name);
  TL_RAW_LIST(TL_FIELD)
#undef TL_FIELD
  if (split) {
    good = good && p->rigid.velocity == NULL &&
           raw_field(NULL, &linear, TL_SCALAR_F64, 3, body, &raw->velocity) &&
           raw_field(NULL, &layout.rigid.angular_velocity, TL_SCALAR_F64, 3, body,
                     &raw->angular_velocity);
    raw->velocity.pitch = raw->angular_velocity.pitch = 6;
  }
  const int reaches = raw->reach_a.array != NULL && raw->reach_b.array != NULL;
  const int arms = raw->arm_a.array != NULL && raw->arm_b.array != NULL;
  const int some_reach = raw->reach_a.array != NULL || raw->reach_b.array != NULL;
  const int some_arm = raw->arm_a.array != NULL || raw->arm_b.array != NULL;
  return good && raw->velocity.array != NULL && raw->inverse_mass.array != NULL &&
         raw->inverse_inertia.array != NULL && raw->body_a.array != NULL &&
         raw->body_b.array != NULL && raw->normal.array != NULL &&
         ((reaches && !some_arm) || (arms && !some_reach));
}

/* The system as far as the host knows it; the engine holds the rest. */
static void assembly_blank(tl_assembly *assembly, const talus_problem *problem, tl_raw *raw) {
  tl_system *const system = &assembly->system;
  memset(system, 0, sizeof *system);
  assembly->kept.valid = 0; /* the device has its own order */
  system->raw = raw;
  system->shape.contact_count = problem->contact_count;
  assembly->dimension = problem->dimension;
  assembly->contact_count = problem->contact_count;
  assembly->bilateral_count = 0;
  assembly->notes = 0;
  assembly->softest = assembly->stiffest = assembly->most_compliance = 0;
  assembly->frame = NULL;
}

talus_status tl_resident_take(talus_solver *solver, const talus_problem *problem, int *taken) {
  *taken = 0;
  if (!raw_make(problem, &solver->raw) || solver->context->backend->kind == TALUS_BACKEND_CPU) {
    return TALUS_OK;
  }
  const double begin = tl_clock();
  solver->given = *problem;
  if (problem->layout != NULL) {
    solver->layout = *problem->layout;
    solver->given.layout = &solver->layout;
  }
  solver->problem = *problem;
  solver->uploaded = 0;
  solver->fetched = 0;
  assembly_blank(&solver->assembly, problem, &solver->raw);
  TL_TRY(tl_engine_make(solver));
  *taken = solver->raw.taken;
  solver->resident = *taken;
  tl_log(solver->context, TALUS_LOG_DEBUG, "%d contacts in device memory: %s",
         problem->contact_count,
         *taken ? "checked, ordered and assembled there" : "refused there, checked on the host");
  solver->seconds_check = 0; /* it is part of building */
  solver->seconds_build = tl_clock() - begin;
  if (!*taken) {
    solver->assembly.system.raw = NULL;
    solver->uploaded = 0;
  }
  return TALUS_OK;
}

talus_status tl_resident_fetch(talus_solver *solver) {
  if (!solver->resident || solver->fetched) {
    return TALUS_OK;
  }
  talus_context *const context = solver->context;
  const talus_problem *packed;
  TL_TRY(tl_problem_gather(context, &solver->given, &solver->gathered, &packed));
  TL_TRY(tl_problem_check(context, packed)); /* they may have changed: nothing is trusted */
  solver->problem = *packed;
  tl_assembly *const assembly = &solver->assembly;
  TL_TRY(tl_buffer_reserve(context, &assembly->order, (size_t)solver->raw.contact_count,
                           sizeof(int32_t), "order of contacts"));
  assembly->system.order = assembly->order.memory;
  TL_TRY(context->backend->copy_array(context, &solver->raw.order, assembly->system.order,
                                      TL_COPY_IN));
  assembly->impulse_unit = solver->raw.impulse_unit;
  assembly->velocity_unit = solver->raw.velocity_unit;
  assembly->rounding = solver->raw.rounding;
  solver->fetched = 1;
  return TALUS_OK;
}
