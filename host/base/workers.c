/* workers.c: a context's threads and the loops that they share.
 *
 * A loop's pieces are cut into one range per thread, from which its thread takes block after block;
 * who is done goes on with the ranges of others. So a thread finds the same pieces in its cache
 * loop after loop, and the caller, which begins at once, does the ranges of threads that are still
 * asleep or have to wait for a processor. At the end it waits only for blocks that somebody has
 * begun.
 *
 * After a loop a thread looks out for the next one for a few dozen microseconds, which is longer
 * than most gaps between loops, and then sleeps; so does the caller that waits for a block.
 * Rejected: waiting without end on a flag, as OpenMP's threads do by default. With the other
 * processor taken a step cost fifteen times as much, since those who waited took the time of those
 * who worked. */
#define _POSIX_C_SOURCE 200809L
#include "host/base/workers.h"

#include <pthread.h>
#include <stdlib.h>

#include "host/base/each.h"
#include "host/base/process.h"
#include "host/base/scope.h"
#include "host/base/sleeper.h"

enum { LINE = TL_CACHE_LINE, BLOCKS = 16 /* per range, so that ends are even */ };

/* The state of a loop, in one word: its number, whether it may still be entered, how many ranges it
 * has (the thread of worker w has range w + 1), how many workers are in it. */
#define LOOP_NUMBER(state) ((uint32_t)((state) >> 32))
#define LOOP_OPEN ((uint64_t)1 << 31)
#define LOOP_RANGES(state) ((int32_t)((state) >> 16 & 0x7fff))
#define LOOP_ACTIVE(state) ((state)&0xffff)
#define LOOP_QUIT ((uint64_t)0) /* as a whole; no loop has the number 0 */

/* What is left of a range. */
typedef struct range {
  _Alignas(LINE) int64_t next; /* atomic; may pass end */
  int64_t end;
} range;

typedef struct worker {
  range range;
  tl_workers *workers;
  pthread_t thread;
  int32_t index;
  uint32_t seen; /* number of the loop that it was in last; its own */
  tl_sleeper sleeper;
} worker;

struct tl_workers {
  uint64_t state; /* atomic */
  tl_each_body *body;
  void *arguments;
  int64_t block;
  range range;         /* the caller's */
  tl_sleeper sleeper;  /* the caller's */
  int occupied;        /* atomic: a loop is under way */
  uint32_t fork_count; /* when it was made */
  worker **worker;     /* [count], changed by who occupies it */
  int32_t count;
  int refused;          /* no more threads were to be had */
  pthread_mutex_t lock; /* tl_each_lock */
};

/* ---- one loop -------------------------------------------------------------------------------- */

static void range_run(tl_workers *workers, range *r) {
  const int64_t end = r->end, block = workers->block;
  while (__atomic_load_n(&r->next, __ATOMIC_RELAXED) < end) {
    const int64_t first = __atomic_fetch_add(&r->next, block, __ATOMIC_RELAXED);
    if (first < end) {
      workers->body(workers->arguments, first, end - first < block ? end : first + block);
    }
  }
}

static range *range_at(tl_workers *workers, int32_t index) {
  return index == 0 ? &workers->range : &workers->worker[index - 1]->range;
}

/* The own range first, then the others'. */
static void ranges_run(tl_workers *workers, int32_t own, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    range_run(workers, range_at(workers, (own + i) % count));
  }
}

/* Wakes the threads of two more ranges, and they of two more each: nobody has to wake all. */
static void next_wake(tl_workers *workers, int32_t own, int32_t ranges) {
  for (int32_t i = 2 * own + 1; i <= 2 * own + 2 && i < ranges; i++) {
    tl_sleeper_wake(&workers->worker[i - 1]->sleeper);
  }
}

static void loop_open(tl_workers *workers, int32_t ranges, int64_t count, tl_each_body *body,
                      void *arguments) {
  const int64_t share = (count + ranges - 1) / ranges;
  workers->body = body;
  workers->arguments = arguments;
  workers->block = share > BLOCKS ? share / BLOCKS : 1;
  for (int32_t i = 0; i < ranges; i++) {
    range *const r = range_at(workers, i);
    r->next = count * i / ranges;
    r->end = count * (i + 1) / ranges;
  }
  uint32_t number = LOOP_NUMBER(__atomic_load_n(&workers->state, __ATOMIC_RELAXED)) + 1;
  number = number > 0 ? number : 1;
  __atomic_store_n(&workers->state, (uint64_t)number << 32 | LOOP_OPEN | (uint64_t)ranges << 16,
                   __ATOMIC_SEQ_CST);
  next_wake(workers, 0, ranges);
}

static bool loop_is_left(const void *argument) {
  const tl_workers *const workers = argument;
  return LOOP_ACTIVE(__atomic_load_n(&workers->state, __ATOMIC_SEQ_CST)) == 0;
}

static void loop_close(tl_workers *workers) {
  const uint64_t before = __atomic_fetch_and(&workers->state, ~LOOP_OPEN, __ATOMIC_SEQ_CST);
  if (LOOP_ACTIVE(before) > 0) {
    tl_sleeper_wait(&workers->sleeper, loop_is_left, workers);
  }
}

/* ---- a worker -------------------------------------------------------------------------------- */

static bool is_for(const worker *w, uint64_t state) {
  return (state & LOOP_OPEN) != 0 && w->index + 1 < LOOP_RANGES(state);
}

/* There is a loop that this worker has not been in, or it is the end. */
static bool loop_is_due(const void *argument) {
  const worker *const w = argument;
  const uint64_t state = __atomic_load_n(&w->workers->state, __ATOMIC_SEQ_CST);
  return state == LOOP_QUIT || (LOOP_NUMBER(state) != w->seen && is_for(w, state));
}

static void loop_enter(worker *w) {
  tl_workers *const workers = w->workers;
  uint64_t state = __atomic_load_n(&workers->state, __ATOMIC_RELAXED);
  while (is_for(w, state)) {
    if (__atomic_compare_exchange_n(&workers->state, &state, state + 1, 0, __ATOMIC_ACQUIRE,
                                    __ATOMIC_RELAXED)) {
      w->seen = LOOP_NUMBER(state);
      next_wake(workers, w->index + 1, LOOP_RANGES(state));
      ranges_run(workers, w->index + 1, LOOP_RANGES(state));
      const uint64_t left = __atomic_sub_fetch(&workers->state, 1, __ATOMIC_SEQ_CST);
      if (LOOP_ACTIVE(left) == 0 && (left & LOOP_OPEN) == 0) {
        tl_sleeper_wake(&workers->sleeper);
      }
      return;
    }
  }
}

static void *worker_run(void *argument) {
  worker *const w = argument;
  while (__atomic_load_n(&w->workers->state, __ATOMIC_ACQUIRE) != LOOP_QUIT) {
    tl_sleeper_wait(&w->sleeper, loop_is_due, w);
    loop_enter(w);
  }
  return NULL;
}

static bool worker_add(tl_workers *workers) {
  worker **const grown =
      realloc(workers->worker, ((size_t)workers->count + 1) * sizeof *workers->worker);
  worker *const w = grown != NULL ? tl_memory_take(sizeof *w) : NULL;
  workers->worker = grown != NULL ? grown : workers->worker;
  if (w == NULL) {
    return false;
  }
  w->workers = workers;
  w->index = workers->count;
  w->seen = 0;
  tl_sleeper_open(&w->sleeper);
  if (!tl_thread_start(&w->thread, worker_run, w)) {
    tl_sleeper_close(&w->sleeper);
    tl_memory_release(w);
    return false;
  }
  workers->worker[workers->count++] = w;
  return true;
}

/* ---- all of them ----------------------------------------------------------------------------- */

tl_workers *tl_workers_create(void) {
  tl_workers *const workers = tl_memory_take(sizeof *workers);
  if (workers == NULL) {
    return NULL;
  }
  *workers = (tl_workers){.state = (uint64_t)1 << 32, .fork_count = tl_fork_count()};
  tl_sleeper_open(&workers->sleeper);
  pthread_mutex_init(&workers->lock, NULL);
  return workers;
}

void tl_workers_destroy(tl_workers *workers) {
  if (workers == NULL) {
    return;
  }
  const bool lost = tl_workers_lost(workers);
  __atomic_store_n(&workers->state, LOOP_QUIT, __ATOMIC_SEQ_CST);
  for (int32_t i = 0; i < workers->count; i++) {
    worker *const w = workers->worker[i];
    if (!lost) { /* destroying a condition would wait for the threads that wait on it */
      tl_sleeper_wake(&w->sleeper);
      pthread_join(w->thread, NULL);
      tl_sleeper_close(&w->sleeper);
    }
    tl_memory_release(w);
  }
  if (!lost) {
    tl_sleeper_close(&workers->sleeper);
    pthread_mutex_destroy(&workers->lock);
  }
  free(workers->worker);
  tl_memory_release(workers);
}

bool tl_workers_lost(const tl_workers *workers) {
  return workers->fork_count != tl_fork_count();
}

/* How many ranges there can be: the caller's and one for each worker. */
static int32_t ranges_find(tl_workers *workers, int32_t threads, int64_t count) {
  const int32_t wanted = count < threads ? (int32_t)count : threads;
  while (workers->count < wanted - 1 && !workers->refused) {
    workers->refused = !worker_add(workers);
  }
  return wanted - 1 < workers->count ? wanted : workers->count + 1;
}

void tl_each(talus_context *context, int32_t threads, int64_t count, tl_each_body *body,
             void *arguments) {
  if (count <= 0) {
    return;
  }
  tl_workers *const workers = context->workers;
  if (threads < 2 || count < 2 || workers == NULL || tl_workers_lost(workers) ||
      tl_scope_of(context) != NULL ||
      __atomic_exchange_n(&workers->occupied, 1, __ATOMIC_ACQUIRE) != 0) {
    body(arguments, 0, count);
    return;
  }
  const int32_t ranges = ranges_find(workers, threads, count);
  if (ranges < 2) {
    body(arguments, 0, count);
  } else {
    loop_open(workers, ranges, count, body, arguments);
    ranges_run(workers, 0, ranges);
    loop_close(workers);
  }
  __atomic_store_n(&workers->occupied, 0, __ATOMIC_RELEASE);
}

/* Without workers there is one thread. */
void tl_each_lock(talus_context *context) {
  if (context->workers != NULL && !tl_workers_lost(context->workers)) {
    pthread_mutex_lock(&context->workers->lock);
  }
}

void tl_each_unlock(talus_context *context) {
  if (context->workers != NULL && !tl_workers_lost(context->workers)) {
    pthread_mutex_unlock(&context->workers->lock);
  }
}
