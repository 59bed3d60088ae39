/* test_allocation.c: memory that runs out at the first, second, third, ... request.
 *
 * Every failure gives OUT_OF_MEMORY with a message, leaks nothing, and leaves objects that can be
 * used again once there is memory. And after the first solve of a size no more is asked for. */
#include <string.h>

#include "talus/talus_io.h"
#include "tests/check.h"
#include "tests/solver/families.h"

/* An allocator that counts, checks sizes, and fails at one request, or from one on. */
typedef struct counter {
  int64_t requests, held, bytes;
  int64_t fail_at; /* 0: never */
  int from_then_on, wrong;
} counter;

static void *allocate(void *user, size_t size) {
  counter *c = user;
  c->requests++;
  if (c->fail_at > 0 &&
      (c->requests == c->fail_at || (c->from_then_on && c->requests > c->fail_at))) {
    return NULL;
  }
  void *memory = aligned_alloc(64, (size + 63) / 64 * 64);
  if (memory != NULL) {
    memset(memory, 0xa5, size); /* nothing may rely on zeros */
    c->held++;
    c->bytes += (int64_t)size;
  }
  return memory;
}

static void release(void *user, void *memory, size_t size) {
  counter *c = user;
  c->wrong += memory == NULL;
  c->held--;
  c->bytes -= (int64_t)size;
  free(memory);
}

static talus_context *context_make(counter *c) {
  talus_context_def def = talus_context_def_default();
  talus_context *context = NULL;
  def.threads = 1;
  def.backend = TALUS_BACKEND_CPU;
  def.allocate = allocate;
  def.release = release;
  def.allocate_user = c;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  return context;
}

static void check_failure(talus_context *context, talus_status status, const char *what) {
  CHECK_CASE(status == TALUS_OUT_OF_MEMORY, "%s: %s", what, talus_status_name(status));
  CHECK_CASE(strlen(talus_context_message(context)) > 0, "%s", what);
}

/* One life of a solver: create, update, solve by two methods, and at last certify. */
static talus_status life(talus_context *context, const talus_problem *problem,
                         talus_precision precision, int law) {
  talus_settings settings = talus_settings_default();
  talus_solution solution = talus_solution_default();
  talus_info info = talus_info_default();
  talus_certificate certificate = talus_certificate_default();
  talus_solver *solver = NULL;
  static double impulse[400], bilateral[16];
  const talus_method methods[] = {TALUS_METHOD_APGD, TALUS_METHOD_AUTO, TALUS_METHOD_APGDB};
  settings.precision = precision;
  settings.law = (talus_law)law;
  settings.method = methods[0];
  settings.max_iterations = 30;
  solution.impulse = impulse;
  solution.bilateral_impulse = bilateral;
  talus_status status = talus_solver_create(context, &settings, &solver);
  CHECK(status == TALUS_OK || solver == NULL);
  for (int i = 0; i < 3 && status == TALUS_OK; i++) {
    settings.method = methods[i];
    status = talus_solver_set(solver, &settings);
    if (status == TALUS_OK && i != 1) {
      status = talus_solver_update(solver, problem);
    }
    if (status == TALUS_OK) {
      status = talus_solver_solve(solver, &solution, &info);
    }
  }
  talus_solver_destroy(solver);
  return status != TALUS_OK ? status
                            : talus_certify(context, problem, impulse, bilateral, &certificate);
}

static void test_solver(void) {
  for (int i = 0; i < FAMILY_COUNT; i++) {
    const family *f = family_at(i);
    for (int turn = 0; turn < 4; turn++) { /* both precisions; once, or from then on */
      oracle_made made = family_make(f, TALUS_LAW_COULOMB, 1);
      talus_status status = TALUS_OUT_OF_MEMORY;
      int64_t at = 0;
      while (status != TALUS_OK && at < 1000) {
        counter c = {.fail_at = ++at, .from_then_on = turn & 1};
        talus_context *context = context_make(&c);
        status = life(context, &made.problem, turn & 2 ? TALUS_F32 : TALUS_F64, turn & 1);
        if (status != TALUS_OK) {
          check_failure(context, status, f->name);
        }
        CHECK_CASE(c.held == 0 && c.bytes == 0 && c.wrong == 0, "%s: %lld pieces left at %lld",
                   f->name, (long long)c.held, (long long)at);
        talus_context_destroy(context);
      }
      CHECK_CASE(status == TALUS_OK && at > 5, "%s: no success", f->name);
      oracle_made_free(&made);
    }
  }
}

/* A solver that lacked memory once is as good as new when there is some. */
static void test_recovery(void) {
  for (int i = 0; i < FAMILY_COUNT; i++) {
    const family *f = family_at(i);
    oracle_made made = family_make(f, TALUS_LAW_CCP, 2);
    double wanted[400] = {0}, got[400] = {0};
    counter c = {0};
    talus_context *context = context_make(&c);
    talus_solution solution = talus_solution_default();
    talus_settings settings = talus_settings_default();
    talus_solver *solver;
    settings.law = TALUS_LAW_CCP;
    solution.impulse = wanted;
    CHECK(talus_solve_once(context, &made.problem, &settings, &solution, NULL) == TALUS_OK);
    solution.impulse = got;
    CHECK(talus_solver_create(context, &settings, &solver) == TALUS_OK);
    for (int64_t at = 1; at < 1000; at++) { /* what was granted is kept, so that this ends */
      c.requests = 0;
      c.fail_at = at % 3 + 1;
      talus_status status = talus_solver_update(solver, &made.problem);
      const int updated = status == TALUS_OK;
      if (updated) {
        status = talus_solver_solve(solver, &solution, NULL);
      }
      if (status == TALUS_OK) {
        break;
      }
      check_failure(context, status, f->name);
      c.fail_at = 0;
      if (!updated) {
        CHECK(talus_solver_solve(solver, &solution, NULL) == TALUS_CALL_ORDER);
      }
      if (at > 20) {
        CHECK(talus_solver_update(solver, &made.problem) == TALUS_OK);
        CHECK(talus_solver_solve(solver, &solution, NULL) == TALUS_OK);
        break;
      }
    }
    CHECK_CASE(memcmp(wanted, got, sizeof got) == 0, "%s: other bits", f->name);
    talus_solver_destroy(solver);
    CHECK(c.held == 0);
    talus_context_destroy(context);
    oracle_made_free(&made);
  }
}

/* The second update and solve of the same size asks for nothing, in form RIGID. */
static void test_steady(void) {
  for (int kind = TALUS_GENERATE_HEAP; kind <= TALUS_GENERATE_RANDOM; kind++) {
    counter c = {0};
    talus_context *context = context_make(&c);
    talus_generate_def def = talus_generate_def_default((talus_generate_kind)kind);
    talus_stored *stored;
    def.body_count = 40;
    CHECK(talus_problem_generate(context, &def, &stored) == TALUS_OK);
    for (int method = 0; method < TALUS_METHOD_NEWTON; method++) { /* others: tests/newton */
      for (int precision = 0; precision < 2; precision++) {
        talus_settings settings = talus_settings_default();
        talus_info info = talus_info_default();
        talus_solver *solver;
        settings.method = (talus_method)method;
        settings.precision = (talus_precision)precision;
        settings.max_iterations = 60;
        CHECK(talus_solver_create(context, &settings, &solver) == TALUS_OK);
        int64_t before = 0;
        for (int step = 0; step < 3; step++) {
          before = c.requests;
          CHECK(talus_solver_update(solver, &stored->problem) == TALUS_OK);
          CHECK(talus_solver_solve(solver, NULL, &info) == TALUS_OK);
          CHECK_CASE(step == 0 || c.requests == before, "%s, %s: step %d asks %lld times",
                     talus_method_name(settings.method), talus_precision_name(settings.precision),
                     step, (long long)(c.requests - before));
        }
        CHECK_CASE(info.bytes > 0 && info.bytes <= c.bytes, "%lld of %lld bytes told",
                   (long long)info.bytes, (long long)c.bytes);
        talus_solver_destroy(solver);
      }
    }
    talus_stored_destroy(stored);
    CHECK(c.held == 0 && c.bytes == 0);
    talus_context_destroy(context);
  }
}

static void test_generate(void) {
  for (int kind = TALUS_GENERATE_HEAP; kind <= TALUS_GENERATE_RANDOM; kind++) {
    talus_status status = TALUS_OUT_OF_MEMORY;
    for (int64_t at = 1; status != TALUS_OK && at < 1000; at++) {
      counter c = {.fail_at = at};
      talus_context *context = context_make(&c);
      talus_generate_def def = talus_generate_def_default((talus_generate_kind)kind);
      talus_stored *stored = NULL;
      def.body_count = 20;
      status = talus_problem_generate(context, &def, &stored);
      if (status != TALUS_OK) {
        check_failure(context, status, "generate");
      }
      CHECK((stored != NULL) == (status == TALUS_OK));
      talus_stored_destroy(stored);
      CHECK_CASE(c.held == 0 && c.bytes == 0, "generate %d: %lld pieces left at %lld", kind,
                 (long long)c.held, (long long)at);
      talus_context_destroy(context);
    }
    CHECK(status == TALUS_OK);
  }
}

/* Files: written by a healthy context, read by one that runs out. */
static void test_files(void) {
  counter healthy = {0};
  talus_context *context = context_make(&healthy);
  talus_generate_def def = talus_generate_def_default(TALUS_GENERATE_RANDOM);
  talus_stored *stored;
  def.body_count = 10;
  CHECK(talus_problem_generate(context, &def, &stored) == TALUS_OK);
  const char *names[] = {"allocation.hdf5", "allocation.dat"};
  for (int i = 0; i < 2; i++) {
    const talus_status written = talus_problem_write(context, names[i], &stored->problem, NULL);
    if (written == TALUS_UNSUPPORTED) { /* built without HDF5, or no such form in text */
      continue;
    }
    CHECK_CASE(written == TALUS_OK, "%s", talus_context_message(context));
    talus_status status = TALUS_OUT_OF_MEMORY;
    for (int64_t at = 1; status != TALUS_OK && at < 1000; at++) {
      counter c = {.fail_at = at};
      talus_context *poor = context_make(&c);
      talus_stored *back = NULL;
      status = talus_problem_read(poor, names[i], &back);
      if (status != TALUS_OK) {
        check_failure(poor, status, names[i]);
      }
      CHECK((back != NULL) == (status == TALUS_OK));
      talus_stored_destroy(back);
      CHECK_CASE(c.held == 0 && c.bytes == 0, "%s: %lld pieces left at %lld", names[i],
                 (long long)c.held, (long long)at);
      talus_context_destroy(poor);
    }
    CHECK(status == TALUS_OK);
    remove(names[i]);
  }
  talus_stored_destroy(stored);
  CHECK(healthy.held == 0);
  talus_context_destroy(context);
}

int main(void) {
  test_solver();
  test_recovery();
  test_steady();
  test_generate();
  test_files();
  return check_end();
}
