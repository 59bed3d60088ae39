/* After warm-up a solve takes no memory: neither from the caller's allocator nor, by any library of
 * the process, from the C library. Every family of problems, every method, with names, sleepers and
 * an asynchronous solve. */
#include <string.h>

#include "tests/abi/counted.h"
#include "tests/check.h"
#include "tests/scarce.h"
#include "tests/solver/families.h"

#if COUNTED
enum { MOST = 512, WARM_UP = 2 };

typedef struct bench {
  talus_solver *solver;
  talus_problem problem;
  talus_solution solution;
  talus_info info;
  int async;
} bench;

static double impulse[3 * MOST], rows[MOST], velocity[7 * MOST], contact_velocity[3 * MOST];

static talus_status once(bench *b) {
  memset(impulse, 0, sizeof impulse);
  memset(rows, 0, sizeof rows);
  const talus_status status = talus_solver_update(b->solver, &b->problem);
  if (status != TALUS_OK) {
    return status;
  }
  if (!b->async) {
    return talus_solver_solve(b->solver, &b->solution, &b->info);
  }
  const talus_status ordered = talus_solver_solve_async(b->solver, &b->solution, &b->info);
  return ordered != TALUS_OK ? ordered : talus_solver_wait(b->solver);
}

/* How many requests one more solve makes: the caller's allocator, the C library. */
static void requests(bench *b, const scarce *s, long count[2]) {
  for (int i = 0; i < WARM_UP; i++) {
    CHECK(once(b) == TALUS_OK);
  }
  const int64_t before = s->requests;
  const long all = counted_now();
  const talus_status status = once(b);
  count[1] = counted_now() - all;
  count[0] = (long)(s->requests - before);
  CHECK(status == TALUS_OK);
}

static bench bench_make(talus_context *context, const oracle_made *made,
                        const talus_settings *settings) {
  bench b = {
      .problem = made->problem, .solution = talus_solution_default(), .info = talus_info_default()};
  b.solution.impulse = impulse;
  b.solution.bilateral_impulse = rows;
  b.solution.velocity = velocity;
  b.solution.contact_velocity = contact_velocity;
  CHECK(talus_solver_create(context, settings, &b.solver) == TALUS_OK);
  return b;
}

static void method_check(talus_context *context, const scarce *s, const family *f,
                         talus_method method, talus_precision precision) {
  oracle_made made = family_make(f, TALUS_LAW_COULOMB, 2);
  talus_settings settings = talus_settings_default();
  settings.method = method;
  settings.precision = precision;
  settings.tolerance = 1e-3;
  settings.max_iterations = method >= TALUS_METHOD_MNCPOPT ? 2 : 40; /* these take long steps */
  settings.same_bits = 1; /* else auto may end with a second-order method */
  while (!talus_method_takes(method, settings.cone)) {
    settings.cone = (talus_cone)(settings.cone + 1);
  }
  bench b = bench_make(context, &made, &settings);
  if (talus_solver_update(b.solver, &b.problem) == TALUS_OK &&
      talus_solver_solve(b.solver, &b.solution, &b.info) != TALUS_UNSUPPORTED) {
    long count[2];
    requests(&b, s, count);
    CHECK_CASE(count[0] == 0, "%s, %s: %ld of the caller's", f->name, talus_method_name(method),
               count[0]);
    CHECK_CASE(count[1] == 0, "%s, %s: %ld of the C library", f->name, talus_method_name(method),
               count[1]);
  }
  talus_solver_destroy(b.solver);
  oracle_made_free(&made);
}

/* Names, sleepers, warm start, another thread. */
static void extras_check(talus_context *context, const scarce *s) {
  oracle_made made = family_make(family_at(2), TALUS_LAW_COULOMB, 2);
  talus_settings settings = talus_settings_default();
  int32_t asleep[MOST];
  uint64_t key[MOST];
  for (int i = 0; i < MOST; i++) {
    key[i] = (uint64_t)i;
    asleep[i] = i % 3 > 0;
  }
  settings.warm_start = 1;
  settings.same_bits = 1;
  bench b = bench_make(context, &made, &settings);
  b.problem.contact_key = key;
  b.problem.row_key = key;
  b.problem.asleep = asleep;
  for (b.async = 0; b.async < 2; b.async++) {
    long count[2];
    requests(&b, s, count);
    CHECK_CASE(count[0] == 0 && count[1] == 0, "%ld, %ld", count[0], count[1]);
  }
  talus_solver_destroy(b.solver);
  oracle_made_free(&made);
}

/* The count itself counts. */
static void counter_check(void) {
  const long before = counted_now();
  void *volatile memory = malloc(10);
  free(memory);
  CHECK(counted_now() == before + 1);
}

int main(void) {
  scarce s = {0};
  counter_check();
  talus_context *const context = scarce_context(&s);
  for (int i = 0; i < FAMILY_COUNT; i++) {
    /* what factors and pivots takes its time: one family of each form, and of rows with bounds */
    const int direct = i == 2 || i == 6 || i == 9 || i == 14 || i == 20;
    const int methods = direct ? TALUS_METHOD_COUNT : TALUS_METHOD_NEWTON;
    for (int m = 0; m < methods; m++) {
      method_check(context, &s, family_at(i), (talus_method)m, TALUS_F64);
    }
    method_check(context, &s, family_at(i), TALUS_METHOD_APGDB, TALUS_F32);
    method_check(context, &s, family_at(i), TALUS_METHOD_GAUSS_SEIDEL, TALUS_F32);
  }
  extras_check(context, &s);
  talus_context_destroy(context);
  CHECK(s.held == 0);
  return check_end();
}
#else
int main(void) {
  printf("skipped: allocations cannot be counted under a sanitizer or without the GNU C library\n");
  return CHECK_SKIPPED;
}
#endif
