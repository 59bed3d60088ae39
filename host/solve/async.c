/* async.c: a solve on a thread of the solver's own.
 *
 * The thread is started by the first such solve and kept, so that later ones start nothing and take
 * no memory. A solve decides on the host after every few iterations, so that handing work to a
 * stream would not be enough to let the caller go on; a thread is, on every backend. */
#include <pthread.h>
#include <string.h>

#include "host/base/process.h"
#include "host/solve/solver.h"

enum { IDLE, ORDERED, DONE, QUIT };

typedef struct tl_async {
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int state; /* under the lock */
  int alone; /* no thread was to be had, or it stayed behind in a fork: solves run at once */
  uint32_t fork_count; /* when the thread was started */
  tl_request request;
  talus_status status;
} tl_async;

static void *async_run(void *argument) {
  talus_solver *const solver = argument;
  tl_async *const async = solver->async;
  pthread_mutex_lock(&async->lock);
  while (async->state != QUIT) {
    if (async->state == ORDERED) {
      pthread_mutex_unlock(&async->lock);
      tl_context_take(solver->context);
      async->status = tl_solver_solve(solver, &async->request);
      pthread_mutex_lock(&async->lock);
      async->state = DONE;
      pthread_cond_broadcast(&async->changed);
    } else {
      pthread_cond_wait(&async->changed, &async->lock);
    }
  }
  pthread_mutex_unlock(&async->lock);
  return NULL;
}

static void async_tell(tl_async *async, int state) {
  pthread_mutex_lock(&async->lock);
  async->state = state;
  pthread_cond_broadcast(&async->changed);
  pthread_mutex_unlock(&async->lock);
}

/* The thread is that of the process which was forked. */
static bool is_lost(const tl_async *async) {
  return async->fork_count != tl_fork_count();
}

static talus_status async_make(talus_solver *solver) {
  if (solver->async != NULL) {
    solver->async->alone = solver->async->alone || is_lost(solver->async);
    return TALUS_OK;
  }
  tl_async *async;
  TL_TRY(tl_alloc(solver->context, (void **)&async, 1, sizeof *async, "asynchronous solve"));
  memset(async, 0, sizeof *async);
  pthread_mutex_init(&async->lock, NULL);
  pthread_cond_init(&async->changed, NULL);
  solver->async = async;
  async->fork_count = tl_fork_count();
  async->alone = pthread_create(&async->thread, NULL, async_run, solver) != 0;
  if (async->alone) {
    tl_log(solver->context, TALUS_LOG_WARNING,
           "no thread for asynchronous solves: they run within talus_solver_solve_async");
  }
  return TALUS_OK;
}

static talus_status order(talus_solver *solver, talus_solution *solution, talus_info *info) {
  if (solver->on_ranks) {
    return tl_fail(solver->context, TALUS_UNSUPPORTED,
                   "ranks solve together: use talus_solver_solve on each of them");
  }
  TL_TRY(async_make(solver));
  tl_async *const async = solver->async;
  TL_TRY(tl_request_make(solver, solution, info, &async->request));
  if (!async->alone) {
    TL_TRY(tl_context_hand_over(solver->context));
  }
  if (async->alone) {
    async->status = tl_solver_solve(solver, &async->request);
  }
  __atomic_store_n(&solver->under_way, 1, __ATOMIC_RELEASE);
  if (!async->alone) {
    async_tell(async, ORDERED);
  }
  return TALUS_OK;
}

talus_status talus_solver_solve_async(talus_solver *solver, talus_solution *solution,
                                      talus_info *info) {
  TL_TRY(tl_solver_enter(solver));
  const talus_status status = order(solver, solution, info);
  if (status != TALUS_OK) { /* else the solver is the async's until wait */
    tl_solver_leave(solver);
  }
  return status;
}

static void async_wait(tl_async *async) {
  if (async->alone) {
    return;
  }
  pthread_mutex_lock(&async->lock);
  while (async->state == ORDERED) {
    pthread_cond_wait(&async->changed, &async->lock);
  }
  async->state = IDLE;
  pthread_mutex_unlock(&async->lock);
}

bool tl_async_inside(const talus_solver *solver) {
  const tl_async *const async = solver->async;
  return async != NULL && !async->alone && pthread_equal(pthread_self(), async->thread);
}

bool tl_async_stranded(const talus_solver *solver) {
  const tl_async *const async = solver->async;
  return async != NULL && !async->alone && is_lost(async) &&
         __atomic_load_n(&solver->under_way, __ATOMIC_ACQUIRE);
}

/* Of several threads that wait, one is the first. */
talus_status talus_solver_wait(talus_solver *solver) {
  int expected = 1;
  TL_TRY(tl_solver_check(solver));
  if (__atomic_load_n(&solver->under_way, __ATOMIC_ACQUIRE) && tl_async_inside(solver)) {
    return tl_refuse(solver->context, TALUS_CALL_ORDER,
                     "a callback cannot wait for the solve that called it");
  }
  if (tl_async_stranded(solver)) {
    return tl_refuse(solver->context, TALUS_BUSY,
                     "the solve goes on in the process that was forked");
  }
  if (!__atomic_compare_exchange_n(&solver->under_way, &expected, 0, 0, __ATOMIC_ACQ_REL,
                                   __ATOMIC_ACQUIRE)) {
    return tl_refuse(solver->context, TALUS_CALL_ORDER,
                     "no solve is under way: talus_solver_solve_async must come first");
  }
  async_wait(solver->async);
  tl_context_take(solver->context);
  const talus_status status = solver->async->status;
  tl_solver_leave(solver);
  return status;
}

void tl_async_release(talus_solver *solver) {
  tl_async *const async = solver->async;
  if (async == NULL) {
    return;
  }
  if (!is_lost(async)) { /* else nobody is there to be told, and the lock may be held for ever */
    if (!async->alone) {
      async_wait(async);
      async_tell(async, QUIT);
      pthread_join(async->thread, NULL);
    }
    pthread_cond_destroy(&async->changed);
    pthread_mutex_destroy(&async->lock);
  }
  if (__atomic_load_n(&solver->under_way, __ATOMIC_ACQUIRE)) { /* nobody will wait for it */
    tl_context_take(solver->context);
    tl_context_leave(solver->context);
  }
  tl_free(solver->context, async);
  solver->async = NULL;
}
