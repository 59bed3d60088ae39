/* engine.c: the engine that a solver runs on: which backend, which precision, with which problem.
 */
#include "host/solve/solver.h"
#include "kernels/registry.h"

/* Under `auto` a device is only worth its launches from so many contacts on. */
enum { DEVICE_CONTACTS = 4096 };

int32_t tl_solver_threads(const talus_solver *solver) {
  const talus_context *const context = solver->context;
  const int32_t asked = solver->settings.threads;
  return asked > 0 && !tl_context_forked(context)
             ? asked
             : tl_threads_for(context, solver->problem.contact_count);
}

const tl_backend *tl_engine_backend(const talus_context *context, talus_memory memory,
                                    int32_t constraints) {
  return context->def.backend == TALUS_BACKEND_AUTO && memory == TALUS_MEMORY_HOST &&
                 constraints < DEVICE_CONTACTS
             ? &tl_backend_cpu
             : context->backend;
}

talus_status tl_engine_make(talus_solver *solver) {
  talus_context *const context = solver->context;
  const tl_backend *const backend =
      tl_engine_backend(context, solver->memory, solver->assembly.system.shape.contact_count);
  const talus_precision precision = solver->settings.precision;
  if (solver->engine != NULL &&
      (solver->engine_precision != precision || solver->engine_backend != backend)) {
    solver->engine->ops->destroy(solver->engine);
    solver->engine = NULL;
    solver->uploaded = 0;
  }
  if (solver->engine == NULL) {
    TL_TRY(backend->create(context, precision, &solver->engine));
    solver->engine_precision = precision;
    solver->engine_backend = backend;
  }
  const int32_t threads = tl_solver_threads(solver);
  if (!solver->uploaded || (solver->threads != threads && !solver->resident)) {
    TL_TRY(solver->engine->ops->upload(solver->engine, &solver->assembly.system, threads));
    if (solver->resident && !solver->raw.taken) {
      return tl_fail(context, TALUS_CALL_ORDER,
                     "the problem's arrays in device memory have changed "
                     "since talus_solver_update, and are no problem now");
    }
    solver->uploaded = 1;
  }
  solver->threads = threads;
  return TALUS_OK;
}
