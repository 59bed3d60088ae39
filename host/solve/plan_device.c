/* plan_device.c: problems of form (a) that stay in device memory: which ones can, and what the host
 * fetches of them.
 *
 * Contacts without bilateral rows. They are coloured there if the method sweeps: `auto` does only
 * with same_bits, since the scaled gradient, which it tries first elsewhere, needs no colours.
 * Whatever is unusual is left to the path through the host, which has the words for every
 * defect. */
#include <string.h>

#include "host/problem/problem_check.h"
#include "host/solve/solver.h"

/* One array; 0 if it is laid out wrongly. */
static bool raw_field(const void *own, const talus_strided *strided, tl_scalar scalar,
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
static bool raw_suits(const talus_problem *p) {
  return p->form == TALUS_FORM_RIGID && p->dimension == 3 && p->memory == TALUS_MEMORY_DEVICE &&
         p->bilateral_count == 0 && p->contact_count > 0 && p->asleep == NULL &&
         p->cross_friction == NULL && p->brick_size == 0 &&
         (p->layout == NULL ||
          (p->layout->asleep.array == NULL && p->layout->cross_friction.array == NULL)) &&
         3 * (int64_t)p->contact_count <= 1 << 29 && p->rigid.body_count > 0 &&
         p->rigid.body_count < (1 << 28) - 1; /* as problem_check.c has it */
}

#define SCALAR_double TL_SCALAR_F64
#define SCALAR_int32_t TL_SCALAR_I32

static bool raw_make(const talus_problem *p, tl_raw *raw) {
  if (!raw_suits(p)) {
    return 0;
  }
  talus_layout layout = p->layout != NULL ? *p->layout : talus_layout_default();
  const talus_strided linear = layout.rigid.velocity;
  const bool split = layout.rigid.angular_velocity.array != NULL;
  layout.rigid.velocity.array = split ? NULL : linear.array;
  const int64_t body = p->rigid.body_count, contact = p->contact_count;
  memset(raw, 0, sizeof *raw);
  raw->body_count = p->rigid.body_count;
  raw->contact_count = p->contact_count;
  bool good =
      raw_field(p->friction, &layout.friction, TL_SCALAR_F64, 1, contact, &raw->friction) &&
      raw_field(p->compliance, &layout.compliance, TL_SCALAR_F64, 2, contact, &raw->compliance) &&
      raw_field(p->target_impulse, &layout.target_impulse, TL_SCALAR_F64, 3, contact,
                &raw->target_impulse);
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
  const bool reaches = raw->reach_a.array != NULL && raw->reach_b.array != NULL;
  const bool arms = raw->arm_a.array != NULL && raw->arm_b.array != NULL;
  const bool some_reach = raw->reach_a.array != NULL || raw->reach_b.array != NULL;
  const bool some_arm = raw->arm_a.array != NULL || raw->arm_b.array != NULL;
  return good && raw->velocity.array != NULL && raw->inverse_mass.array != NULL &&
         raw->inverse_inertia.array != NULL && raw->body_a.array != NULL &&
         raw->body_b.array != NULL && raw->normal.array != NULL &&
         ((reaches && !some_arm) || (arms && !some_reach));
}

/* Builds the system on the device, unless the engine holds it; what the host needs to know of it
 * goes to the assembly. */
static talus_status device_upload(talus_solver *solver) {
  tl_assembly *const assembly = &solver->assembly;
  tl_raw *const raw = &solver->device.raw;
  const bool coloured = tl_solver_wants_colours(solver);
  if (raw->coloured != coloured) {
    raw->coloured = coloured;
    solver->slot.revision = 0;
  }
  TL_TRY(tl_plan_engine_make(solver, raw));
  assembly->ordering = coloured ? TL_ORDERING_COLOURS : TL_ORDERING_BODIES;
  assembly->system.colour_count = raw->colour_count;
  assembly->stiffest = raw->stiffest;
  assembly->softest = raw->softest;
  assembly->most_compliance = raw->most_compliance;
  assembly->impulse_unit = raw->impulse_unit;
  assembly->velocity_unit = raw->velocity_unit;
  assembly->rounding = raw->rounding;
  solver->slot.revision = raw->taken ? solver->slot.revision : 0;
  return TALUS_OK;
}

talus_status tl_plan_device_take(talus_solver *solver, const talus_problem *problem, bool *taken) {
  tl_device_problem *const device = &solver->device;
  *taken = false;
  if (!raw_make(problem, &device->raw) || solver->context->backend->kind == TALUS_BACKEND_CPU) {
    return TALUS_OK;
  }
  const double begin = tl_clock();
  device->given = *problem;
  if (problem->layout != NULL) {
    device->layout = *problem->layout;
    device->given.layout = &device->layout;
  }
  device->fetched = false;
  solver->problem = *problem;
  tl_system_blank(problem, &solver->assembly);
  TL_TRY(device_upload(solver));
  *taken = device->raw.taken;
  tl_log(solver->context, TALUS_LOG_DEBUG, "%d contacts in device memory: %s",
         problem->contact_count,
         *taken ? "checked, ordered and assembled there" : "refused there, checked on the host");
  solver->seconds_check = 0; /* it is part of building */
  solver->seconds_build = tl_clock() - begin;
  solver->plan = *taken ? &tl_plan_device : NULL;
  return TALUS_OK;
}

/* What the host needs once impulses are to be handed out or certified: the problem, packed, and the
 * order. */
static talus_status device_fetch(talus_solver *solver) {
  tl_device_problem *const device = &solver->device;
  if (device->fetched) {
    return TALUS_OK;
  }
  talus_context *const context = solver->context;
  const talus_problem *packed;
  TL_TRY(tl_problem_gather(context, &device->given, &solver->gathered, &packed));
  TL_TRY(tl_problem_check(context, packed)); /* they may have changed: nothing is trusted */
  solver->problem = *packed;
  tl_assembly *const assembly = &solver->assembly;
  TL_TRY(tl_buffer_reserve(context, &assembly->order, (size_t)device->raw.contact_count,
                           sizeof(int32_t), "order of contacts"));
  assembly->system.order = assembly->order.memory;
  TL_TRY(context->backend->copy_array(context, &device->raw.order, assembly->system.order,
                                      TL_COPY_IN));
  device->fetched = true;
  return TALUS_OK;
}

/* A problem leaves device memory if the settings ask for what is not done there, or for another
 * precision or order after a solve, when the caller's arrays may be gone but copies are at hand. */
static talus_status device_prepare(talus_solver *solver) {
  const tl_device_problem *const device = &solver->device;
  const bool again = device->fetched && (solver->slot.precision != solver->settings.precision ||
                                         device->raw.coloured != tl_solver_wants_colours(solver));
  return again || tl_solver_wants_host(solver)
             ? tl_solver_take(solver, device->fetched ? &solver->problem : &device->given)
             : TALUS_OK;
}

/* Whether nothing of the solve is wanted on the host: results go to the memory of the device, no
 * impulses are known by name, nothing is written to files. */
static bool device_stays(const talus_solver *solver, const tl_outlet *outlet) {
  const talus_problem *const given = &solver->device.given;
  const bool keys = given->contact_key != NULL ||
                    (given->layout != NULL && given->layout->contact_key.array != NULL);
  return outlet->backend != NULL && outlet->backend->kind != TALUS_BACKEND_CPU && !keys &&
         solver->settings.dump == TALUS_DUMP_NONE && solver->settings.fixed_iterations == 0;
}

/* Impulses of the caller's to begin with, where they are. */
static talus_status device_start(tl_solve *solve, const tl_outlet *outlet) {
  talus_solver *const solver = solve->solver;
  tl_engine *const engine = solver->slot.engine;
  solve->start_kept = solver->settings.warm_start;
  return solve->start_kept ? engine->ops->take(engine, &outlet->impulse) : TALUS_OK;
}

/* Impulses to begin with that are no numbers: the run has begun without them, and the host, which
 * has the words, refuses them. */
static talus_status start_refuse(tl_solve *solve, const tl_outlet *outlet) {
  const double *start;
  solve->resident = false;
  TL_TRY(device_fetch(solve->solver));
  return tl_solution_start(solve, outlet, &start);
}

talus_status tl_plan_device_judge(tl_solve *solve, tl_judge_sums *sums) {
  talus_solver *const solver = solve->solver;
  tl_certification *const j = &solver->certification;
  tl_judge_balance balance;
  TL_TRY(solve->run.ops->judge(solve->run.engine, sums, &balance));
  j->problem = &solver->problem;
  j->unit = 1;
  j->compliant = solver->assembly.softest > 0;
  j->asymmetry = 0;
  j->momentum_balance = tl_certificate_balance(balance);
  return TALUS_OK;
}

talus_status tl_plan_device_give(tl_solve *solve, const tl_outlet *outlet) {
  const tl_caller_array *const array[] = {&outlet->impulse, &outlet->velocity, &outlet->angular,
                                          &outlet->contact_velocity};
  const tl_result result[] = {TL_RESULT_IMPULSE, TL_RESULT_VELOCITY, TL_RESULT_ANGULAR,
                              TL_RESULT_CONTACT_VELOCITY};
  for (int i = 0; i < 4; i++) {
    if (array[i]->array != NULL) {
      TL_TRY(solve->run.ops->give(solve->run.engine, result[i], array[i]));
    }
  }
  return solve->queued ? TALUS_OK : tl_outlet_end(solve->solver->context, outlet);
}

static talus_status device_solve(tl_solve *solve, const tl_outlet *outlet, bool *done) {
  talus_solver *const solver = solve->solver;
  const tl_raw *const raw = &solver->device.raw;
  const double *start;
  *done = true;
  TL_TRY(device_upload(solver));
  if (!raw->taken) {
    return tl_fail(solver->context, TALUS_CALL_ORDER,
                   "the problem's arrays in device memory have changed "
                   "since talus_solver_update, and are no problem now");
  }
  solve->resident = device_stays(solver, outlet) &&
                    (!solver->settings.warm_start || outlet->impulse.array != NULL);
  if (solve->resident) {
    TL_TRY(device_start(solve, outlet));
  }
  if (solver->settings.warm_start && !solve->resident) {
    TL_TRY(device_fetch(solver));
  }
  start = NULL;
  if (!solve->resident) {
    TL_TRY(tl_solution_start(solve, outlet, &start));
  }
  TL_TRY(
      tl_plan_engine_run(solve, start, raw->reference[solver->settings.law], raw->inverse_weight));
  return solve->resident && solver->slot.engine->strange ? start_refuse(solve, outlet) : TALUS_OK;
}

/* Whether a solve by these settings may be queued: it begins with the caller's impulses, ends with
 * the residual or the certificate, and nobody is asked on the way. */
static bool settings_queue(const talus_settings *s) {
  return s->warm_start && s->fixed_iterations == 0 && s->max_seconds <= 0 && s->progress == NULL &&
         s->measure == TALUS_MEASURE_EPSILON && s->cone == TALUS_CONE_CIRCULAR;
}

talus_status tl_plan_device_queue(talus_solver *solver, const talus_problem *problem,
                                  const tl_solution_copy *solution, const tl_queued_facts *facts,
                                  bool *queued) {
  tl_engine *const engine = solver->slot.engine;
  const talus_settings *const settings = &solver->settings;
  tl_raw raw;
  tl_outlet outlet;
  *queued = false;
  if (solver->plan != &tl_plan_device || engine == NULL || engine->ops->queue == NULL ||
      solver->slot.precision != settings->precision || !settings_queue(settings) ||
      tl_solver_wants_host(solver) || !raw_make(problem, &raw)) {
    return TALUS_OK;
  }
  raw.coloured = tl_solver_wants_colours(solver);
  raw.count = facts->contact_count;
  TL_TRY(tl_outlet_make(solver->context, problem, &solution->solution, &outlet));
  if (!device_stays(solver, &outlet) || outlet.impulse.array == NULL) {
    return TALUS_OK;
  }
  const tl_queue_request request = {
      .impulse = outlet.impulse,
      .result = {[TL_RESULT_IMPULSE] = outlet.impulse,
                 [TL_RESULT_VELOCITY] = outlet.velocity,
                 [TL_RESULT_ANGULAR] = outlet.angular,
                 [TL_RESULT_CONTACT_VELOCITY] = outlet.contact_velocity},
      .law = settings->law,
      .tolerance = settings->tolerance,
      .velocity_scale = problem->velocity_scale,
      .velocity_scale_at = facts->velocity_scale,
      .max_iterations =
          settings->max_iterations < INT32_MAX ? (int32_t)settings->max_iterations : INT32_MAX};
  return engine->ops->queue(engine, &raw, &request, queued);
}

static talus_status device_export(tl_solve *solve) {
  TL_TRY(device_fetch(solve->solver));
  return tl_plan_engine_export(solve);
}

const tl_plan tl_plan_device = {.name = "device",
                                .prepare = device_prepare,
                                .solve = device_solve,
                                .export = device_export,
                                .rest = tl_plan_engine_rest};
