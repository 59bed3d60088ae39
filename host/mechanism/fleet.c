/* fleet.c: life of a fleet; its steps on the CPU.
 *
 * A thread takes the next coupling through all steps of a call: its memory stays in the cache, and
 * threads meet once per call. What a step does depends on the coupling alone, so that the bits do
 * not depend on who took it. */
#include <math.h>

#include "host/base/structs.h"
#include "host/mechanism/fleet.h"

void talus_fleet_def_init(talus_fleet_def *def, size_t size) {
  talus_fleet_def defaults = {.scheme = TALUS_SCHEME_EULER, .accept = 1e-6};
  defaults.settings = talus_settings_default();
  defaults.settings.tolerance = 1e-9;
  tl_struct_init(&tl_struct_fleet_def, &defaults, def, size);
}

void talus_fleet_report_init(talus_fleet_report *report, size_t size) {
  static const talus_fleet_report defaults = {.first_failed = TALUS_NONE};
  tl_struct_init(&tl_struct_fleet_report, &defaults, report, size);
}

static talus_status coupling_check(talus_context *context, const talus_fleet_def *def, int32_t i) {
  const talus_coupling *const coupling = def->coupling[i];
  if (coupling == NULL) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT, "fleet def: coupling[%d] is NULL", i);
  }
  bool foreign = coupling->context != context;
  for (int32_t m = 0; m < coupling->def.mechanism_count; m++) {
    foreign |= coupling->mechanism[m]->context != context;
  }
  if (foreign) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT,
                   "fleet def: coupling[%d], or a mechanism of it, has another context", i);
  }
  if (def->scheme == TALUS_SCHEME_RUNGE_KUTTA &&
      coupling->def.restitution == TALUS_RESTITUTION_POISSON) {
    return tl_fail(
        context, TALUS_BAD_SETTING,
        "fleet def: coupling[%d] has Poisson's restitution, which is not for RUNGE_KUTTA", i);
  }
  return TALUS_OK;
}

static talus_status def_check(talus_context *context, const talus_fleet_def *def) {
  if (def->count < 1 || def->coupling == NULL) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT,
                   "fleet def: coupling is NULL, or count (%d) makes no sense", def->count);
  }
  if (def->scheme != TALUS_SCHEME_EULER && def->scheme != TALUS_SCHEME_MIDPOINT &&
      def->scheme != TALUS_SCHEME_RUNGE_KUTTA) {
    return tl_fail(context, TALUS_BAD_SETTING, "fleet def: scheme %d is not for contact",
                   (int)def->scheme);
  }
  if (!(def->accept >= 0) || def->settings.warm_start) {
    return tl_fail(
        context, TALUS_BAD_SETTING,
        "fleet def: accept is %g, or settings.warm_start is set: threads change couplings",
        def->accept);
  }
  if (def->settings.fixed_iterations != 0) {
    return tl_fail(context, TALUS_UNSUPPORTED,
                   "fleet def: settings.fixed_iterations is %lld, but copies are judged by their "
                   "error: use max_iterations",
                   (long long)def->settings.fixed_iterations);
  }
  for (int32_t i = 0; i < def->count; i++) {
    TL_TRY(coupling_check(context, def, i));
  }
  return TALUS_OK;
}

static talus_status fleet_make(talus_fleet *fleet) {
  talus_context *const context = fleet->context;
  const size_t count = (size_t)fleet->def.count;
  const int32_t wanted =
      fleet->def.settings.threads > 0 ? fleet->def.settings.threads : tl_context_threads(context);
  TL_TRY(tl_alloc(context, (void **)&fleet->coupling, count, sizeof *fleet->coupling, "a fleet"));
  memcpy(fleet->coupling, fleet->def.coupling, count * sizeof *fleet->coupling);
  fleet->threads = wanted < fleet->def.count ? wanted : fleet->def.count;
  TL_TRY(tl_alloc(context, (void **)&fleet->worker, (size_t)fleet->threads, sizeof *fleet->worker,
                  "a fleet's threads"));
  fleet->device = tl_fleet_on_device(fleet);
  const int32_t copies = fleet->device ? fleet->def.count : fleet->threads;
  TL_TRY(tl_alloc(context, (void **)&fleet->copy, (size_t)copies, sizeof *fleet->copy, "a fleet"));
  memset(fleet->copy, 0, (size_t)copies * sizeof *fleet->copy);
  fleet->copy_count = copies;
  TL_TRY(tl_batch_workers_open(context, &fleet->def.settings, fleet->threads, &fleet->workers));
  return fleet->device ? tl_fleet_device_open(fleet) : TALUS_OK;
}

talus_status talus_fleet_create(talus_context *context, const talus_fleet_def *given,
                                talus_fleet **fleet) {
  TL_TRY(tl_context_check(context));
  if (given == NULL || fleet == NULL) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT, "fleet: def or fleet is NULL");
  }
  *fleet = NULL;
  talus_fleet_def def = talus_fleet_def_default();
  TL_TRY(tl_struct_read(context, &tl_struct_fleet_def, "fleet def", given, &def));
  TL_TRY(def_check(context, &def));
  talus_fleet *made;
  TL_TRY(tl_alloc(context, (void **)&made, 1, sizeof *made, "a fleet"));
  memset(made, 0, sizeof *made);
  made->context = context;
  made->def = def;
  const talus_status status = fleet_make(made);
  if (status != TALUS_OK) {
    talus_fleet_destroy(made);
    return status;
  }
  *fleet = made;
  return TALUS_OK;
}

void talus_fleet_destroy(talus_fleet *fleet) {
  if (fleet == NULL) {
    return;
  }
  talus_context *const context = fleet->context;
  tl_fleet_device_close(fleet);
  for (int32_t k = 0; k < fleet->copy_count; k++) {
    tl_copy_release(context, &fleet->copy[k]);
  }
  tl_batch_workers_close(context, &fleet->workers);
  tl_free(context, fleet->copy);
  tl_free(context, fleet->worker);
  tl_free(context, fleet->coupling);
  tl_free(context, fleet);
}

/* ---- on the CPU ------------------------------------------------------------------------------ */

static talus_status copy_solve(const talus_fleet *fleet, int32_t i, const tl_worker *worker,
                               tl_copy *copy) {
  if (!tl_copy_has_problem(copy)) {
    return TALUS_OK;
  }
  talus_solver *const solver = worker->wave->slot[0].solver;
  talus_status status = talus_solver_update(solver, &copy->problem);
  if (status == TALUS_OK) {
    status = talus_solver_solve(solver, &copy->solution, &copy->info);
  }
  if (status != TALUS_OK) {
    return tl_fail(fleet->coupling[i]->context, status, "%s",
                   talus_context_message(worker->context));
  }
  return tl_copy_check(fleet, i, copy);
}

static talus_status copy_step(const talus_fleet *fleet, int32_t i, const tl_worker *worker,
                              tl_copy *copy) {
  TL_TRY(tl_copy_begin(fleet, i, copy));
  TL_TRY(tl_coupling_accelerate(fleet->coupling[i]));
  TL_TRY(tl_copy_build(fleet, i, copy));
  TL_TRY(copy_solve(fleet, i, worker, copy));
  TL_TRY(tl_copy_rebound(fleet, i, copy));
  TL_TRY(copy_solve(fleet, i, worker, copy));
  return tl_copy_end(fleet, i, copy);
}

static talus_status coupling_steps(void *self, int32_t thread, int32_t i) {
  const talus_fleet *const fleet = self;
  tl_copy *const copy = &fleet->copy[thread];
  talus_status status = TALUS_OK;
  for (int32_t s = 0; s < fleet->steps && status == TALUS_OK; s++) {
    status = copy_step(fleet, i, &fleet->workers.worker[thread], copy);
  }
  if (status != TALUS_OK) {
    tl_copy_undo(fleet, i, copy);
  }
  return status;
}

static talus_status fleet_step(talus_fleet *fleet, int32_t steps, talus_fleet_report *report) {
  if (report != NULL) {
    TL_TRY(tl_struct_check(fleet->context, &tl_struct_fleet_report, "fleet report", report));
  }
  if (steps < 0) {
    return tl_fail(fleet->context, TALUS_BAD_SETTING, "fleet: %d steps", steps);
  }
  fleet->steps = steps;
  for (int32_t k = 0; k < fleet->copy_count; k++) {
    fleet->copy[k].report = talus_fleet_report_default();
    fleet->copy[k].failed = 0;
  }
  const talus_status status =
      fleet->device ? tl_fleet_device_step(fleet)
                    : tl_mechanism_workers_run(fleet->context, fleet->worker, fleet->threads,
                                               fleet->def.count, coupling_steps, fleet, "coupling");
  if (report != NULL) {
    talus_fleet_report sum = talus_fleet_report_default();
    for (int32_t k = 0; k < fleet->copy_count; k++) {
      tl_copy_report_add(&sum, &fleet->copy[k].report);
    }
    tl_struct_write(&tl_struct_fleet_report, &sum, report);
  }
  return status;
}

talus_status talus_fleet_step(talus_fleet *fleet, int32_t steps, talus_fleet_report *report) {
  if (fleet == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  TL_TRY(tl_context_enter(fleet->context));
  const talus_status status = fleet_step(fleet, steps, report);
  tl_context_leave(fleet->context);
  return status;
}
