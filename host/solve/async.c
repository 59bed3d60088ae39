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

typedef struct tl_courier {
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int state; /* under the lock */
  int alone; /* no thread was to be had, or it stayed behind in a fork: solves run at once */
  uint32_t fork_count; /* when the thread was started */
  tl_request request;
  talus_status status;
} tl_courier;

static void *courier_run(void *argument) {
  talus_solver *const solver = argument;
  tl_courier *const courier = solver->courier;
  pthread_mutex_lock(&courier->lock);
  while (courier->state != QUIT) {
    if (courier->state == ORDERED) {
      pthread_mutex_unlock(&courier->lock);
      tl_context_take(solver->context);
      courier->status = tl_solver_solve(solver, &courier->request);
      pthread_mutex_lock(&courier->lock);
      courier->state = DONE;
      pthread_cond_broadcast(&courier->changed);
    } else {
      pthread_cond_wait(&courier->changed, &courier->lock);
    }
  }
  pthread_mutex_unlock(&courier->lock);
  return NULL;
}

static void courier_tell(tl_courier *courier, int state) {
  pthread_mutex_lock(&courier->lock);
  courier->state = state;
  pthread_cond_broadcast(&courier->changed);
  pthread_mutex_unlock(&courier->lock);
}

/* The thread is that of the process which was forked. */
static int is_lost(const tl_courier *courier) {
  return courier->fork_count != tl_fork_count();
}

static talus_status courier_make(talus_solver *solver) {
  if (solver->courier != NULL) {
    solver->courier->alone = solver->courier->alone || is_lost(solver->courier);
    return TALUS_OK;
  }
  tl_courier *courier;
  TL_TRY(tl_alloc(solver->context, (void **)&courier, 1, sizeof *courier, "asynchronous solve"));
  memset(courier, 0, sizeof *courier);
  pthread_mutex_init(&courier->lock, NULL);
  pthread_cond_init(&courier->changed, NULL);
  solver->courier = courier;
  courier->fork_count = tl_fork_count();
  courier->alone = pthread_create(&courier->thread, NULL, courier_run, solver) != 0;
  if (courier->alone) {
    tl_log(solver->context, TALUS_LOG_WARNING,
           "no thread for asynchronous solves: they run within talus_solver_solve_async");
  }
  return TALUS_OK;
}

static talus_status order(talus_solver *solver, talus_solution *solution, talus_info *info) {
  TL_TRY(courier_make(solver));
  tl_courier *const courier = solver->courier;
  TL_TRY(tl_request_make(solver, solution, info, &courier->request));
  if (!courier->alone) {
    TL_TRY(tl_context_hand_over(solver->context));
  }
  if (courier->alone) {
    courier->status = tl_solver_solve(solver, &courier->request);
  }
  __atomic_store_n(&solver->under_way, 1, __ATOMIC_RELEASE);
  if (!courier->alone) {
    courier_tell(courier, ORDERED);
  }
  return TALUS_OK;
}

talus_status talus_solver_solve_async(talus_solver *solver, talus_solution *solution,
                                      talus_info *info) {
  TL_TRY(tl_solver_enter(solver));
  const talus_status status = order(solver, solution, info);
  if (status != TALUS_OK) { /* else the solver is the courier's until wait */
    tl_solver_leave(solver);
  }
  return status;
}

static void courier_wait(tl_courier *courier) {
  if (courier->alone) {
    return;
  }
  pthread_mutex_lock(&courier->lock);
  while (courier->state == ORDERED) {
    pthread_cond_wait(&courier->changed, &courier->lock);
  }
  courier->state = IDLE;
  pthread_mutex_unlock(&courier->lock);
}

int tl_async_inside(const talus_solver *solver) {
  const tl_courier *const courier = solver->courier;
  return courier != NULL && !courier->alone && pthread_equal(pthread_self(), courier->thread);
}

int tl_async_stranded(const talus_solver *solver) {
  const tl_courier *const courier = solver->courier;
  return courier != NULL && !courier->alone && is_lost(courier) &&
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
  courier_wait(solver->courier);
  tl_context_take(solver->context);
  const talus_status status = solver->courier->status;
  tl_solver_leave(solver);
  return status;
}

void tl_async_release(talus_solver *solver) {
  tl_courier *const courier = solver->courier;
  if (courier == NULL) {
    return;
  }
  if (!is_lost(courier)) { /* else nobody is there to be told, and the lock may be held for ever */
    if (!courier->alone) {
      courier_wait(courier);
      courier_tell(courier, QUIT);
      pthread_join(courier->thread, NULL);
    }
    pthread_cond_destroy(&courier->changed);
    pthread_mutex_destroy(&courier->lock);
  }
  if (__atomic_load_n(&solver->under_way, __ATOMIC_ACQUIRE)) { /* nobody will wait for it */
    tl_context_take(solver->context);
    tl_context_leave(solver->context);
  }
  tl_free(solver->context, courier);
  solver->courier = NULL;
}
