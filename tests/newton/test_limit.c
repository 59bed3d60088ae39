/* test_limit.c: time limits and callbacks within factorisations: LU by blocks asks after every
 * piece of work and ends when it is told to; one that cannot end in time is not begun. Nothing here
 * depends on the clock: a callback waits until so little is left that no machine could do it. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>
#include <time.h>

#include "host/method/newton/linear_blocks.h"
#include "talus/talus_io.h"
#include "tests/check.h"

/* ---- LU by blocks ---------------------------------------------------------------------------- */

enum { FIRST = 350, ORDER = 1500 }; /* columns of the first of two full blocks; of both */

typedef struct watch {
  int asked, stop_at; /* 0: never */
} watch;

static bool reached(void *user) {
  watch *const w = user;
  return ++w->asked == w->stop_at;
}

/* A full matrix, its diagonal larger than any other entry but less than their sum: rows change
 * places. */
static double entry(int64_t i, int64_t j) {
  const int64_t mixed = (i * 7919 + j * 104729 + i * j) % 1009;
  return (double)mixed / 1009 - 0.5 + (i == j ? 0.6 : 0);
}

typedef struct full {
  int64_t first[3], row_first[3], *row, *order_of, *start, *index;
  double *value, *x, *b;
} full;

static full full_make(void) {
  full f = {
      {0, FIRST, ORDER}, {0, ORDER, 2 * ORDER - FIRST}, NULL, NULL, NULL, NULL, NULL, NULL, NULL};
  f.row = calloc(2 * ORDER, sizeof *f.row);
  f.order_of = calloc(ORDER, sizeof *f.order_of);
  f.start = calloc(ORDER + 1, sizeof *f.start);
  f.index = calloc((size_t)ORDER * ORDER, sizeof *f.index);
  f.value = calloc((size_t)ORDER * ORDER, sizeof *f.value);
  f.x = calloc(ORDER, sizeof *f.x);
  f.b = calloc(ORDER, sizeof *f.b);
  for (int64_t j = 0; j < ORDER; j++) {
    f.order_of[j] = f.row[j] = j;
    f.row[ORDER + j] = FIRST + j;
    f.start[j + 1] = (j + 1) * ORDER;
    f.b[j] = entry(j, 3 * j + 1);
    for (int64_t i = 0; i < ORDER; i++) {
      f.index[j * ORDER + i] = i;
      f.value[j * ORDER + i] = entry(i, j);
    }
  }
  return f;
}

static void full_free(full *f) {
  free(f->row);
  free(f->order_of);
  free(f->start);
  free(f->index);
  free(f->value);
  free(f->x);
  free(f->b);
}

static double residual_of(const full *f) {
  double square = 0, size = 0;
  for (int64_t i = 0; i < ORDER; i++) {
    double sum = -f->b[i];
    for (int64_t j = 0; j < ORDER; j++) {
      sum += f->value[j * ORDER + i] * f->x[j];
    }
    square += sum * sum;
    size += f->b[i] * f->b[i];
  }
  return sqrt(square / size);
}

static void test_blocks(talus_context *context) {
  full f = full_make();
  tl_blocks blocks = {.order = ORDER,
                      .count = 2,
                      .first = f.first,
                      .row_first = f.row_first,
                      .row = f.row,
                      .order_of = f.order_of};
  watch w = {0, 0};
  tl_limit limit = {.user = &w, .reached = reached};
  CHECK(tl_blocks_make(context, &blocks, f.start, f.index) == TALUS_OK);
  CHECK(tl_blocks_factor(&blocks, f.value, f.start[ORDER], &limit) && !limit.interrupted);
  tl_blocks_solve(&blocks, f.b, f.x);
  CHECK_CASE(residual_of(&f) < 1e-9, "%g", residual_of(&f));
  const double operations = 2.0 / 3 * ORDER * (double)ORDER * ORDER;
  CHECK_CASE(w.asked >= (int)(operations / TL_LIMIT_PIECE) - 2, "asked %d times", w.asked);
  for (int stop_at = 1; stop_at <= w.asked; stop_at++) {
    watch again = {0, stop_at};
    limit = (tl_limit){.user = &again, .reached = reached};
    CHECK(!tl_blocks_factor(&blocks, f.value, f.start[ORDER], &limit));
    CHECK_CASE(limit.interrupted && again.asked == stop_at, "%d, not %d", again.asked, stop_at);
  }
  tl_blocks_release(context, &blocks);
  full_free(&f);
}

/* ---- solves ---------------------------------------------------------------------------------- */

/* Counts calls, how many came at one and the same iteration, and stops or waits at one of them. */
typedef struct caller {
  int calls, within, stop_at, wait_at;
  double limit; /* seconds */
  int64_t iterations, after;
} caller;

static int watch_solve(void *user, int64_t iterations, int64_t passes, double measure,
                       double seconds) {
  caller *const c = user;
  (void)passes;
  (void)measure;
  c->calls++;
  c->within += iterations > 0 && iterations == c->iterations;
  c->iterations = iterations;
  c->after += c->stop_at > 0 && c->calls > c->stop_at;
  const double wait = c->limit - 1e-3 - seconds;
  if (c->calls == c->wait_at && wait > 0) {
    const struct timespec time = {(time_t)wait, (long)(1e9 * (wait - (double)(time_t)wait))};
    nanosleep(&time, NULL);
  }
  return c->calls == c->stop_at;
}

static talus_info solve(talus_context *context, const talus_problem *problem, talus_law law,
                        caller *c, int64_t most) {
  talus_settings settings = talus_settings_default();
  talus_info info = talus_info_default();
  settings.method = TALUS_METHOD_INTERIOR_POINT;
  settings.law = law;
  settings.tolerance = 1e-9;
  settings.max_iterations = most;
  settings.max_seconds = c->limit;
  settings.progress = watch_solve;
  settings.progress_user = c;
  CHECK(talus_solve_once(context, problem, &settings, NULL, &info) == TALUS_OK);
  return info;
}

/* The call that is the last one before the first factorisation. */
static int call_before(talus_context *context, const talus_problem *problem, talus_law law) {
  for (int n = 1; n < 100; n++) {
    caller c = {.stop_at = n};
    if (solve(context, problem, law, &c, 1000).factorisations > 0) {
      return n - 1;
    }
  }
  return 0;
}

/* A heap whose factors take more than 1e9 operations. Convex law: CHOLMOD; exact: LU by blocks. */
static void test_solves(talus_context *context) {
  talus_generate_def def = talus_generate_def_default(TALUS_GENERATE_HEAP);
  talus_stored *stored = NULL;
  def.body_count = 2000;
  CHECK(talus_problem_generate(context, &def, &stored) == TALUS_OK);
  const talus_problem *const problem = &stored->problem;
  for (int law = 0; law < TALUS_LAW_COUNT; law++) {
    const int before = call_before(context, problem, (talus_law)law);
    CHECK_CASE(before > 0, "law %d", law);
    caller late = {.wait_at = before, .limit = 1.5};
    talus_info info = solve(context, problem, (talus_law)law, &late, 1000);
    CHECK(info.outcome == TALUS_OUTCOME_TIME_LIMIT);
    CHECK_CASE(info.factorisations == 0,
               "law %d: %lld factorisations begun in the last millisecond", law,
               (long long)info.factorisations);
  }
  caller whole = {0};
  talus_info info = solve(context, problem, TALUS_LAW_COULOMB, &whole, 1);
  CHECK_CASE(info.factorisations == 1 && whole.within > 2, "asked %d times within %lld",
             whole.within, (long long)info.factorisations);
  caller stopped = {.stop_at = call_before(context, problem, TALUS_LAW_COULOMB) + 1};
  info = solve(context, problem, TALUS_LAW_COULOMB, &stopped, 1000);
  CHECK(info.outcome == TALUS_OUTCOME_TIME_LIMIT && (info.notes & TALUS_NOTE_STOPPED) != 0);
  CHECK_CASE(info.factorisations == 1 && stopped.after == 0, "asked %lld times after the stop",
             (long long)stopped.after);
  talus_stored_destroy(stored);
}

int main(void) {
  if (!tl_blocks_available()) {
    printf("skipped: this build has no SuiteSparse or BLAS\n");
    return CHECK_SKIPPED;
  }
  talus_context_def def = talus_context_def_default();
  talus_context *context = NULL;
  def.backend = TALUS_BACKEND_CPU;
  def.threads = 1;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  test_blocks(context);
  test_solves(context);
  talus_context_destroy(context);
  return check_end();
}
