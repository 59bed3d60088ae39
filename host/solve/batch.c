/* batch.c: many independent problems in one call, a handful per thread at a time.
 *
 * Every thread has a context and solvers of its own, which keep their memory from problem to
 * problem. Problems are taken by size: those of a handful are mostly alike, and small ones are
 * worked on side by side (batch_wave.c). A solve does not depend on what its solver did before, nor
 * on what lies beside it, so that the results have the same bits on any number of threads, and as
 * many calls. On a device small problems go in larger waves (batch_device.c), those of second-order
 * methods in groups whose matrices it factors together (batch_step.c). Who has batches again and
 * again keeps the threads' solvers in a tl_batch_workers. */
#include <stdlib.h>
#include <string.h>

#include "host/base/each.h"
#include "host/base/structs.h"
#include "host/solve/batch.h"
#include "host/solve/solver.h"
#include "kernels/registry.h"

/* SMALL: constraints of a problem that may be one of a handful. Memory for more than one of the
 * large ones is not kept. */
enum { HANDFUL = 8, SMALL = 32 };

static talus_status solvers_make(const tl_batch_workers *workers, tl_worker *w) {
  const int32_t count = workers->together ? HANDFUL : 1;
  TL_TRY(tl_wave_open(w->context, count, &w->wave));
  for (int32_t j = 0; j < count; j++) {
    TL_TRY(talus_solver_create(w->context, &workers->settings, &w->wave->slot[j].solver));
  }
  return TALUS_OK;
}

static talus_status worker_open(talus_context *context, const tl_batch_workers *workers,
                                tl_worker *w) {
  talus_context_def def = context->def;
  def.threads = 1;
  def.backend = workers->in_turn ? context->def.backend : TALUS_BACKEND_CPU;
  def.log = NULL; /* the caller's need not be safe among threads */
  talus_status status = talus_context_create(&def, &w->context);
  if (status == TALUS_OK) {
    w->context->undense = context->undense;
    status = solvers_make(workers, w);
  }
  return status == TALUS_OK
             ? TALUS_OK
             : tl_fail(context, status, "%s",
                       w->context != NULL ? talus_context_message(w->context) : "out of memory");
}

static void worker_close(tl_worker *w) {
  tl_wave_close(w->wave);
  talus_context_destroy(w->context);
}

const talus_problem *tl_batch_problem(const tl_batch *b, int32_t i) {
  return tl_struct_at(&b->problems, i);
}

talus_solution *tl_batch_solution(const tl_batch *b, int32_t i) {
  return (talus_solution *)(uintptr_t)tl_struct_at(&b->solutions, i);
}

talus_info *tl_batch_info(const tl_batch *b, int32_t i) {
  return (talus_info *)(uintptr_t)tl_struct_at(&b->infos, i);
}

talus_status tl_batch_check(talus_context *context, const tl_batch *b, int32_t i) {
  TL_TRY(tl_struct_check_at(context, &tl_struct_problem, "problems", &b->problems, i));
  if (b->solutions.first != NULL) {
    TL_TRY(tl_struct_check_at(context, &tl_struct_solution, "solutions", &b->solutions, i));
  }
  return b->infos.first != NULL
             ? tl_struct_check_at(context, &tl_struct_info, "infos", &b->infos, i)
             : TALUS_OK;
}

void tl_worker_tell(tl_worker *w, const tl_batch *b, int32_t i, talus_status status) {
  if (b->statuses != NULL) {
    b->statuses[i] = status;
  }
  tl_worker_warn(w, i, status);
}

void tl_worker_warn(tl_worker *w, int32_t i, talus_status status) {
  if (status != TALUS_OK && (w->failed < 0 || i < w->failed)) {
    w->failed = i;
    w->status = status;
    strncpy(w->message, talus_context_message(w->context), sizeof w->message - 1);
  }
}

/* ---- the order ------------------------------------------------------------------------------- */

/* One problem's size as far as its head tells; hostile numbers are as good as any. */
typedef struct place {
  int64_t size;
  int32_t index;
} place;

static int place_compare(const void *left, const void *right) {
  const place *const a = left, *const b = right;
  return a->size != b->size ? (a->size > b->size) - (a->size < b->size)
                            : (a->index > b->index) - (a->index < b->index);
}

int64_t tl_batch_constraints(const talus_problem *problem) {
  return (int64_t)problem->contact_count + problem->bilateral_count;
}

/* The largest first, so that no thread is left alone with one at the end. */
static void order_find(const tl_batch *b, place *order) {
  for (int32_t i = 0; i < b->count; i++) {
    const talus_problem *const p = tl_batch_problem(b, i);
    order[i] = (place){-tl_batch_constraints(p), i};
  }
  qsort(order, (size_t)b->count, sizeof *order, place_compare);
}

static bool is_small(const talus_problem *problem) {
  return tl_batch_constraints(problem) <= SMALL;
}

/* ---- solving --------------------------------------------------------------------------------- */

static void problem_finish(tl_worker *w, const tl_batch *b, int32_t slot, int32_t i) {
  tl_worker_tell(w, b, i,
                 tl_wave_finish(w->wave, slot, tl_batch_solution(b, i), tl_batch_info(b, i)));
}

void tl_worker_solve(tl_worker *w, const tl_batch *b, int32_t i) {
  tl_wave_update(w->wave, 0, b, i);
  problem_finish(w, b, 0, i);
}

static void handful_solve(tl_worker *w, const tl_batch *b, const place *order, int32_t count) {
  for (int32_t j = 0; j < count; j++) {
    const int32_t i = order[j].index;
    tl_wave_prepare(w->wave, j, b, i);
    tl_worker_warn(w, i, w->wave->slot[j].status);
  }
  const talus_status status = tl_wave_run(w->wave, &tl_backend_cpu, b->settings, count);
  for (int32_t j = 0; j < count; j++) {
    if (status != TALUS_OK && w->wave->slot[j].sent) {
      tl_worker_tell(w, b, order[j].index, status);
    } else {
      problem_finish(w, b, j, order[j].index);
    }
  }
}

/* The threads take turns: one for each of the large problems, which come first, then one for each
 * handful of the others. */
typedef struct turns {
  const place *order;
  int32_t large, handful, count;
} turns;

static turns turns_plan(const tl_batch *b, const place *order, int32_t threads) {
  turns t = {.order = order, .handful = 1};
  while (t.large < b->count &&
         !(b->together && is_small(tl_batch_problem(b, order[t.large].index)))) {
    t.large++;
  }
  const int32_t rest = b->count - t.large, share = (rest + threads - 1) / threads;
  t.handful = share < 1 ? 1 : share < HANDFUL ? share : HANDFUL;
  t.count = t.large + (rest + t.handful - 1) / t.handful;
  return t;
}

static void turn_take(tl_worker *w, const tl_batch *b, const turns *t, int32_t turn) {
  if (turn < t->large) {
    tl_worker_solve(w, b, t->order[turn].index);
    return;
  }
  const int32_t first = t->large + t->handful * (turn - t->large), left = b->count - first;
  handful_solve(w, b, t->order + first, left < t->handful ? left : t->handful);
}

typedef struct batch_task {
  tl_worker *workers;
  const tl_batch *batch;
  const turns *turns;
  int64_t next; /* atomic: the turn that is to be taken next */
} batch_task;

static void workers_run(void *arguments, int64_t first, int64_t end) {
  batch_task *const task = arguments;
  for (int64_t i = first; i < end; i++) {
    for (int64_t turn; (turn = tl_each_next(&task->next)) < task->turns->count;) {
      turn_take(&task->workers[i], task->batch, task->turns, (int32_t)turn);
    }
  }
}

static talus_status on_host(talus_context *context, tl_worker *workers, int32_t threads,
                            const tl_batch *b) {
  place *order;
  TL_TRY(tl_alloc(context, (void **)&order, (size_t)b->count + 1, sizeof *order, "a batch"));
  order_find(b, order);
  const turns t = turns_plan(b, order, threads);
  batch_task task = {workers, b, &t, 0};
  tl_each(context, threads, threads, workers_run, &task);
  tl_free(context, order);
  return TALUS_OK;
}

/* The first problem that failed, on any thread. */
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

static talus_status workers_open(talus_context *context, const talus_settings *settings,
                                 int32_t threads, tl_batch_workers *workers) {
  workers->settings = *settings;
  workers->settings.threads = 1;
  workers->settings.progress = NULL;
  workers->settings.dump = TALUS_DUMP_NONE; /* threads would take each other's names */
  TL_TRY(tl_alloc(context, (void **)&workers->worker, (size_t)threads, sizeof *workers->worker,
                  "a batch"));
  memset(workers->worker, 0, (size_t)threads * sizeof *workers->worker);
  workers->threads = threads;
  workers->together = tl_wave_serves(settings);
  for (int32_t t = 0; t < threads; t++) {
    TL_TRY(worker_open(context, workers, &workers->worker[t]));
  }
  return TALUS_OK;
}

talus_status tl_batch_workers_open(talus_context *context, const talus_settings *settings,
                                   int32_t threads, tl_batch_workers *workers) {
  memset(workers, 0, sizeof *workers);
  return workers_open(context, settings, threads, workers);
}

void tl_batch_workers_close(talus_context *context, tl_batch_workers *workers) {
  tl_wave_close(workers->wave);
  for (int32_t t = 0; t < workers->threads; t++) {
    worker_close(&workers->worker[t]);
  }
  tl_free(context, workers->worker);
}

talus_status tl_batch_workers_solve(talus_context *context, tl_batch_workers *workers,
                                    int32_t count, const talus_problem *problems,
                                    talus_solution *solutions, talus_info *infos,
                                    talus_status *statuses) {
  const tl_batch b = {.settings = &workers->settings,
                      .count = count,
                      .problems = tl_struct_array_of(problems, count),
                      .solutions = tl_struct_array_of(solutions, count),
                      .infos = tl_struct_array_of(infos, count),
                      .statuses = statuses,
                      .together = workers->together};
  for (int32_t t = 0; t < workers->threads; t++) {
    workers->worker[t].failed = -1;
  }
  if (workers->in_step) {
    TL_TRY(tl_batch_step(context, workers->worker, &b));
  } else if (tl_batch_on_device(context, &workers->settings, count)) {
    TL_TRY(tl_batch_device(context, workers, &b));
  } else {
    TL_TRY(on_host(context, workers->worker, workers->threads, &b));
  }
  return verdict(context, workers->worker, workers->threads);
}

/* Whether problems are solved by the calling thread and a device that was asked for and factors
 * their matrices: those of second-order methods that are not small. Threads would give them the
 * CPU's factors, which are not those of a call of its own. They keep step, unless some go in waves,
 * or have a time limit, which is each one's own, or the device has no library for it. */
static void device_serves(const talus_context *context, const talus_settings *settings,
                          const tl_batch *b, tl_batch_workers *workers) {
  const bool second =
      settings->method == TALUS_METHOD_INTERIOR_POINT || settings->method == TALUS_METHOD_NEWTON;
  if (!second || settings->same_bits || context->def.backend != TALUS_BACKEND_CUDA) {
    return;
  }
  int64_t least = INT64_MAX;
  for (int32_t i = 0; i < b->count; i++) {
    const int64_t constraints = tl_batch_constraints(tl_batch_problem(b, i));
    least = constraints < least ? constraints : least;
  }
  workers->in_turn = least > SMALL;
  workers->in_step =
      least > TL_WAVE_MOST && b->count > 1 && !(settings->max_seconds > 0) && !context->undense;
}

static talus_status batch_solve(talus_context *context, const talus_settings *settings,
                                int32_t count, const talus_problem *problems,
                                talus_solution *solutions, talus_info *infos,
                                talus_status *statuses) {
  if (count < 0 || count > INT32_MAX / 2 || (problems == NULL && count > 0)) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT,
                   "problems is NULL, or count (%d) makes no sense", count);
  }
  talus_settings used;
  TL_TRY(tl_settings_read(context, settings, &used));
  tl_batch_workers workers;
  memset(&workers, 0, sizeof workers);
  if (count > 0) { /* elements lie as far apart as the first one is long */
    const tl_batch b = {.count = count,
                        .problems = tl_struct_array_of(problems, count),
                        .solutions = tl_struct_array_of(solutions, count),
                        .infos = tl_struct_array_of(infos, count)};
    TL_TRY(tl_batch_check(context, &b, 0));
    device_serves(context, &used, &b, &workers);
  }
  const int32_t wanted = workers.in_turn    ? 1
                         : used.threads > 0 ? used.threads
                                            : tl_context_threads(context);
  const int32_t threads = wanted < count ? wanted : count > 0 ? count : 1;
  talus_status status = workers_open(context, &used, threads, &workers);
  if (status == TALUS_OK) {
    status = tl_batch_workers_solve(context, &workers, count, problems, solutions, infos, statuses);
  }
  tl_batch_workers_close(context, &workers);
  return status;
}

talus_status talus_solve_batch(talus_context *context, const talus_settings *settings,
                               int32_t count, const talus_problem *problems,
                               talus_solution *solutions, talus_info *infos,
                               talus_status *statuses) {
  TL_TRY(tl_context_enter(context));
  const talus_status status =
      batch_solve(context, settings, count, problems, solutions, infos, statuses);
  tl_context_leave(context);
  return status;
}
