/* batch.c: many independent problems in one call, one problem per thread at a time.
 *
 * Every thread has a context and a solver of its own, which keep their memory from problem to
 * problem. A solve does not depend on what its solver did before, so that the results have the same
 * bits on any number of threads. On a device small problems go in waves (batch_device.c). Who has
 * batches again and again keeps the threads' solvers in a tl_crew. */
#include <string.h>

#include "host/solve/batch.h"

enum { HANDFUL = 4 };

static talus_status worker_open(talus_context *context, const talus_settings *settings,
                                tl_worker *w) {
  talus_context_def def = context->def;
  def.threads = 1;
  def.backend = TALUS_BACKEND_CPU;
  def.log = NULL; /* the caller's need not be safe among threads */
  talus_status status = talus_context_create(&def, &w->context);
  if (status == TALUS_OK) {
    status = talus_solver_create(w->context, settings, &w->solver);
  }
  return status == TALUS_OK
             ? TALUS_OK
             : tl_fail(context, status, "%s",
                       w->context != NULL ? talus_context_message(w->context) : "out of memory");
}

static void worker_close(tl_worker *w) {
  talus_solver_destroy(w->solver);
  talus_context_destroy(w->context);
}

void tl_worker_tell(tl_worker *w, const tl_batch *b, int32_t i, talus_status status) {
  if (b->statuses != NULL) {
    b->statuses[i] = status;
  }
  if (status != TALUS_OK && (w->failed < 0 || i < w->failed)) {
    w->failed = i;
    w->status = status;
    strncpy(w->message, talus_context_message(w->context), sizeof w->message - 1);
  }
}

static void problem_solve(tl_worker *w, const tl_batch *b, int32_t i) {
  talus_status status = talus_solver_update(w->solver, &b->problems[i]);
  if (status == TALUS_OK) {
    status = talus_solver_solve(w->solver, b->solutions != NULL ? &b->solutions[i] : NULL,
                                b->infos != NULL ? &b->infos[i] : NULL);
  }
  tl_worker_tell(w, b, i, status);
}

/* Each thread takes a few problems at a time: those of one batch may be of very different sizes. */
static void workers_run(tl_worker *workers, int32_t threads, const tl_batch *b) {
  int32_t next = 0;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int32_t t = 0; t < threads; t++) {
    for (;;) {
      int32_t first;
#pragma omp atomic capture
      {
        first = next;
        next += HANDFUL;
      }
      if (first < 0 || first >= b->count) {
        break;
      }
      for (int32_t i = first; i < first + HANDFUL && i < b->count; i++) {
        problem_solve(&workers[t], b, i);
      }
    }
  }
}

/* The first problem that failed, whoever had it. */
static talus_status verdict(talus_context *context, const tl_worker *workers, int32_t threads) {
  const tl_worker *first = NULL;
  for (int32_t t = 0; t < threads; t++) {
    if (workers[t].failed >= 0 && (first == NULL || workers[t].failed < first->failed)) {
      first = &workers[t];
    }
  }
  return first == NULL
             ? TALUS_OK
             : tl_fail(context, first->status, "problem %d: %.480s", first->failed, first->message);
}

talus_status tl_crew_open(talus_context *context, const talus_settings *settings, int32_t threads,
                          tl_crew *crew) {
  memset(crew, 0, sizeof *crew);
  crew->settings = *settings;
  crew->settings.threads = 1;
  crew->settings.progress = NULL;
  crew->settings.dump = TALUS_DUMP_NONE; /* threads would take each other's names */
  TL_TRY(tl_alloc(context, (void **)&crew->worker, (size_t)threads, sizeof *crew->worker,
                  "a batch"));
  memset(crew->worker, 0, (size_t)threads * sizeof *crew->worker);
  crew->threads = threads;
  for (int32_t t = 0; t < threads; t++) {
    TL_TRY(worker_open(context, &crew->settings, &crew->worker[t]));
  }
  return TALUS_OK;
}

void tl_crew_close(talus_context *context, tl_crew *crew) {
  tl_wave_close(context, crew);
  for (int32_t t = 0; t < crew->threads; t++) {
    worker_close(&crew->worker[t]);
  }
  tl_free(context, crew->worker);
}

talus_status tl_crew_solve(talus_context *context, tl_crew *crew, int32_t count,
                           const talus_problem *problems, talus_solution *solutions,
                           talus_info *infos, talus_status *statuses) {
  const tl_batch b = {&crew->settings, count, problems, solutions, infos, statuses};
  for (int32_t t = 0; t < crew->threads; t++) {
    crew->worker[t].failed = -1;
  }
  if (tl_batch_on_device(context, &crew->settings, count)) {
    TL_TRY(tl_batch_device(context, crew, &b));
  } else {
    workers_run(crew->worker, crew->threads, &b);
  }
  return verdict(context, crew->worker, crew->threads);
}

talus_status talus_solve_batch(talus_context *context, const talus_settings *settings,
                               int32_t count, const talus_problem *problems,
                               talus_solution *solutions, talus_info *infos,
                               talus_status *statuses) {
  TL_TRY(tl_context_check(context));
  if (count < 0 || count > INT32_MAX / 2 || (problems == NULL && count > 0)) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT,
                   "problems is NULL, or count (%d) makes no sense", count);
  }
  const talus_settings used = settings != NULL ? *settings : talus_settings_default();
  const int32_t wanted = used.threads > 0 ? used.threads : context->threads;
  tl_crew crew;
  talus_status status =
      tl_crew_open(context, &used, wanted < count ? wanted : count > 0 ? count : 1, &crew);
  if (status == TALUS_OK) {
    status = tl_crew_solve(context, &crew, count, problems, solutions, infos, statuses);
  }
  tl_crew_close(context, &crew);
  return status;
}
