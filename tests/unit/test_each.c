/* test_each.c: loops by threads: every piece once, whoever asks; loops within loops; two callers in
 * one context; nobody spins for long. */
#define _GNU_SOURCE
#include "host/base/each.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#include "host/base/process.h"
#include "tests/check.h"

enum { MOST = 3000 };

static talus_context *context_make(int32_t threads) {
  talus_context_def def = talus_context_def_default();
  talus_context *context = NULL;
  def.backend = TALUS_BACKEND_CPU;
  def.threads = threads;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  return context;
}

typedef struct counts {
  talus_context *context;
  int done[MOST];
  int64_t calls;
} counts;

static void count(void *arguments, int64_t first, int64_t end) {
  counts *const c = arguments;
  (void)tl_each_next(&c->calls);
  for (int64_t i = first; i < end; i++) {
    __atomic_add_fetch(&c->done[i], 1, __ATOMIC_RELAXED);
  }
}

static int all_are(const counts *c, int64_t n, int times) {
  for (int64_t i = 0; i < MOST; i++) {
    if (c->done[i] != (i < n ? times : 0)) {
      return 0;
    }
  }
  return 1;
}

static void pieces_check(void) {
  static const int64_t sizes[] = {0, 1, 2, 3, 7, 16, 17, 100, 1023, MOST};
  static const int32_t threads[] = {-1, 0, 1, 2, 3, 7, 40};
  talus_context *const context = context_make(2);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
      counts c = {.calls = 0};
      for (int round = 0; round < 50; round++) {
        tl_each(context, threads[t], sizes[i], count, &c);
      }
      CHECK_CASE(all_are(&c, sizes[i], 50), "%lld pieces, %d threads", (long long)sizes[i],
                 threads[t]);
    }
  }
  talus_context_destroy(context);
}

static void nested(void *arguments, int64_t first, int64_t end) {
  counts *const c = arguments;
  for (int64_t i = first; i < end; i++) {
    tl_each(c->context, 4, MOST, count, c);
  }
}

static void nested_check(void) {
  talus_context *const context = context_make(4);
  counts c = {.context = context};
  tl_each(context, 4, 20, nested, &c);
  CHECK(all_are(&c, MOST, 20));
  CHECK(c.calls == 20); /* each in one piece */
  talus_context_destroy(context);
}

static void *loops_run(void *argument) {
  counts *const c = argument;
  for (int round = 0; round < 500; round++) {
    tl_each(c->context, 3, MOST, count, c);
  }
  return NULL;
}

static void callers_check(void) {
  talus_context *const context = context_make(3);
  counts c[3];
  pthread_t thread[3];
  memset(c, 0, sizeof c);
  for (int i = 0; i < 3; i++) {
    c[i].context = context;
    CHECK(pthread_create(&thread[i], NULL, loops_run, &c[i]) == 0);
  }
  for (int i = 0; i < 3; i++) {
    pthread_join(thread[i], NULL);
    CHECK(all_are(&c[i], MOST, 500));
  }
  talus_context_destroy(context);
}

/* Many contexts that come and go, with and without loops. */
static void lives_check(void) {
  for (int i = 0; i < 60; i++) {
    talus_context *const context = context_make(1 + i % 5);
    counts c = {.calls = 0};
    for (int round = 0; round < i % 4; round++) {
      tl_each(context, 1 + i % 5, MOST, count, &c);
    }
    CHECK(all_are(&c, MOST, i % 4));
    talus_context_destroy(context);
  }
}

static double cpu_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void work(void *arguments, int64_t first, int64_t end) {
  volatile double *const sum = arguments;
  for (int64_t i = first; i < end; i++) {
    double x = (double)i;
    for (int k = 0; k < 2000; k++) {
      x = x * 0.999 + 1;
    }
    sum[i] = x;
  }
}

static double loops_cost(talus_context *context, int32_t threads) {
  static double sum[64];
  const double begin = cpu_seconds();
  for (int round = 0; round < 300; round++) {
    tl_each(context, threads, 64, work, sum);
  }
  return cpu_seconds() - begin;
}

/* All threads on one processor, as where others have taken the rest: what waits must not take the
 * time of what works. */
static void crowded_check(void) {
  talus_context *const context = context_make(2);
  cpu_set_t before, one;
  (void)loops_cost(context, 2); /* the threads are there */
  CPU_ZERO(&one);
  CHECK(sched_getaffinity(0, sizeof before, &before) == 0);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; cpu++) {
    if (CPU_ISSET(cpu, &before)) {
      CPU_SET(cpu, &one);
    }
  }
  CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
  const double alone = loops_cost(context, 1), both = loops_cost(context, 2);
  CHECK_CASE(both < 2 * alone + 0.02, "%.3f s on two threads, %.3f s on one", both, alone);
  CHECK(sched_setaffinity(0, sizeof before, &before) == 0);
  talus_context_destroy(context);
}

/* Between loops nobody works. */
static void idle_check(void) {
  talus_context *const context = context_make(4);
  (void)loops_cost(context, 4);
  const double begin = cpu_seconds();
  nanosleep(&(struct timespec){0, 300000000}, NULL);
  const double taken = cpu_seconds() - begin;
  CHECK_CASE(taken < 0.03, "%.3f s of CPU time in 0.3 s", taken);
  talus_context_destroy(context);
}

static void processors_check(void) {
  CHECK(setenv("OMP_NUM_THREADS", "5", 1) == 0 && tl_processor_count() == 5);
  CHECK(setenv("OMP_NUM_THREADS", "5,2", 1) == 0 && tl_processor_count() == 5);
  CHECK(unsetenv("OMP_NUM_THREADS") == 0);
  cpu_set_t set;
  CHECK(sched_getaffinity(0, sizeof set, &set) == 0 && tl_processor_count() == CPU_COUNT(&set));
  CHECK(setenv("OMP_NUM_THREADS", "many", 1) == 0 && tl_processor_count() == CPU_COUNT(&set));
  CHECK(unsetenv("OMP_NUM_THREADS") == 0);
}

int main(void) {
  pieces_check();
  nested_check();
  callers_check();
  lives_check();
  crowded_check();
  idle_check();
  processors_check();
  return check_end();
}
