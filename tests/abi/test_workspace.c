/* The workspace that is estimated is never exceeded, and not far from what is taken: every family
 * of forms (a) and (b), every method of first order, both precisions, by counted allocations. */
#include <string.h>

#include "talus/talus_io.h"
#include "tests/check.h"
#include "tests/solver/families.h"

enum { LINE = 64 };

typedef struct purse {
  int64_t held, most;
} purse;

static void *purse_take(void *user, size_t size) {
  purse *const p = user;
  p->held += (int64_t)size;
  p->most = p->held > p->most ? p->held : p->most;
  return aligned_alloc(LINE, (size + LINE - 1) / LINE * LINE);
}

static void purse_give(void *user, void *memory, size_t size) {
  ((purse *)user)->held -= (int64_t)size;
  free(memory);
}

static void method_check(talus_context *context, purse *p, const talus_problem *problem,
                         talus_method method, talus_precision precision, const char *name,
                         double slack) {
  talus_settings settings = talus_settings_default();
  int64_t bytes = -1;
  settings.method = method;
  settings.precision = precision;
  settings.max_iterations = 30;
  CHECK_CASE(talus_solver_workspace(context, &settings, problem, &bytes) == TALUS_OK, "%s: %s",
             name, talus_context_message(context));
  CHECK(p->held == 0);
  p->most = 0;
  CHECK(talus_solve_once(context, problem, &settings, NULL, NULL) == TALUS_OK);
  CHECK_CASE(p->most > 0 && p->most <= bytes, "%s, %s: %lld taken, %lld estimated", name,
             talus_method_name(method), (long long)p->most, (long long)bytes);
  CHECK_CASE((double)bytes <= slack * (double)p->most, "%s, %s: %lld taken, %lld estimated", name,
             talus_method_name(method), (long long)p->most, (long long)bytes);
}

static void families_check(talus_context *context, purse *p) {
  for (int i = 0; i < FAMILY_COUNT; i++) {
    const family *const f = family_at(i);
    if (f->form != TALUS_FORM_RIGID && f->form != TALUS_FORM_BLOCKS) {
      continue;
    }
    oracle_made made = family_make(f, TALUS_LAW_CCP, 8);
    for (int m = TALUS_METHOD_JACOBI; m <= TALUS_METHOD_SPECTRAL; m++) {
      method_check(context, p, &made.problem, (talus_method)m, TALUS_F64, f->name, 3);
      method_check(context, p, &made.problem, (talus_method)m, TALUS_F32, f->name, 3);
    }
    oracle_made_free(&made);
  }
}

/* Where the arrays are long the bound is close. */
static void heap_check(talus_context *context, purse *p) {
  talus_generate_def def = talus_generate_def_default(TALUS_GENERATE_HEAP);
  talus_context *other;
  talus_stored *stored;
  def.body_count = 2000;
  CHECK(talus_context_create(NULL, &other) == TALUS_OK);
  CHECK(talus_problem_generate(other, &def, &stored) == TALUS_OK);
  method_check(context, p, &stored->problem, TALUS_METHOD_GAUSS_SEIDEL_NESTEROV, TALUS_F64, "heap",
               2);
  method_check(context, p, &stored->problem, TALUS_METHOD_APGD, TALUS_F32, "heap", 2);
  talus_stored_destroy(stored);
  talus_context_destroy(other);
}

static void refusal_check(talus_context *context) {
  oracle_made made = family_make(family_at(8), TALUS_LAW_CCP, 8);
  talus_problem rigid = talus_problem_default(TALUS_FORM_RIGID);
  talus_settings settings = talus_settings_default();
  int64_t bytes;
  CHECK(talus_solver_workspace(context, NULL, &rigid, &bytes) == TALUS_UNSUPPORTED); /* auto */
  settings.method = TALUS_METHOD_APGDB;
  CHECK(talus_solver_workspace(context, &settings, &made.problem, &bytes) == TALUS_UNSUPPORTED);
  CHECK(talus_solver_workspace(context, &settings, NULL, &bytes) == TALUS_INVALID_ARGUMENT);
  CHECK(talus_solver_workspace(context, &settings, &rigid, NULL) == TALUS_INVALID_ARGUMENT);
  rigid.contact_count = -1;
  CHECK(talus_solver_workspace(context, &settings, &rigid, &bytes) == TALUS_SIZE_OVERFLOW);
  rigid.contact_count = 1000000; /* no arrays are needed */
  rigid.rigid.body_count = 300000;
  CHECK(talus_solver_workspace(context, &settings, &rigid, &bytes) == TALUS_OK &&
        bytes > 100000000);
  CHECK(talus_solver_workspace_device(context, &settings, &rigid, &bytes) == TALUS_OK &&
        bytes == 0);
  CHECK(talus_solver_workspace_device(context, &settings, &rigid, NULL) == TALUS_INVALID_ARGUMENT);
  settings.method = TALUS_METHOD_NEWTON;
  CHECK(talus_solver_workspace(context, &settings, &rigid, &bytes) == TALUS_UNSUPPORTED);
  oracle_made_free(&made);
}

int main(void) {
  purse p = {0};
  talus_context_def def = talus_context_def_default();
  talus_context *context;
  def.threads = 1;
  def.backend = TALUS_BACKEND_CPU;
  def.allocate = purse_take;
  def.release = purse_give;
  def.allocate_user = &p;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  families_check(context, &p);
  heap_check(context, &p);
  refusal_check(context);
  talus_context_destroy(context);
  return check_end();
}
