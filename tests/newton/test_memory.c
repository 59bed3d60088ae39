/* test_memory.c: second-order methods whose memory runs out at the first, second, ... request: the
 * context's, and that which SuiteSparse takes from the C library.
 *
 * Every failure gives OUT_OF_MEMORY with a message, leaks nothing, and the solver can be used
 * again. A second solve of the same problem asks for nothing new. */
#include <string.h>

#include "tests/scarce.h"
#include "tests/solver/families.h"

#if TL_HAVE_SUITESPARSE
#include <SuiteSparse_config.h>
#endif

/* Two solves by each method; the requests of the second round go to *again. */
static talus_status life(talus_context *context, scarce *c, const talus_problem *problem,
                         talus_law law, int64_t *again) {
  static const talus_method methods[] = {TALUS_METHOD_NEWTON, TALUS_METHOD_INTERIOR_POINT,
                                         TALUS_METHOD_PATH};
  talus_settings settings = talus_settings_default();
  talus_solver *solver = NULL;
  settings.law = law;
  settings.tolerance = 1e-9;
  *again = 0;
  talus_status status = talus_solver_create(context, &settings, &solver);
  for (int i = 0; i < 6 && status == TALUS_OK; i++) {
    const int64_t before = c->requests;
    settings.method = methods[i % 3];
    status = talus_solver_set(solver, &settings);
    if (status == TALUS_OK) {
      status = talus_solver_update(solver, problem);
    }
    if (status == TALUS_OK) {
      status = talus_solver_solve(solver, NULL, NULL);
    }
    *again += i >= 3 ? c->requests - before : 0;
  }
  talus_solver_destroy(solver);
  return status;
}

static oracle_made problem_of(talus_form form, talus_law law) {
  oracle_recipe recipe = oracle_recipe_default(form);
  recipe.law = law;
  recipe.body_count = 90;
  recipe.contact_count = 70;
  recipe.bilateral_count = 4;
  recipe.bounded = 0.5;
  recipe.friction_max = 0.8;
  return oracle_problem_make(&recipe);
}

static void test_context(talus_form form, talus_law law) {
  oracle_made made = problem_of(form, law);
  talus_status status = TALUS_OUT_OF_MEMORY;
  int64_t again = 0;
  for (int64_t at = 1; status != TALUS_OK && at < 400; at++) {
    scarce c = {.fail_at = at};
    talus_context *const context = scarce_context(&c);
    status = life(context, &c, &made.problem, law, &again);
    CHECK_CASE(status == TALUS_OK || status == TALUS_OUT_OF_MEMORY, "%s",
               talus_status_name(status));
    CHECK(status == TALUS_OK || strlen(talus_context_message(context)) > 0);
    CHECK_CASE(c.held == 0, "%lld pieces left, request %lld", (long long)c.held, (long long)at);
    talus_context_destroy(context);
  }
  CHECK(status == TALUS_OK);
  /* reading W takes memory for as long as that lasts */
  CHECK_CASE(again == 0 || form == TALUS_FORM_DELASSUS, "%lld new requests", (long long)again);
  oracle_made_free(&made);
}

#if TL_HAVE_SUITESPARSE
static int64_t taken, fail_from;

static int refused(void) {
  return ++taken >= fail_from && fail_from > 0;
}
static void *take(size_t size) {
  return refused() ? NULL : malloc(size);
}
static void *take_zeros(size_t count, size_t size) {
  return refused() ? NULL : calloc(count, size);
}
static void *take_more(void *memory, size_t size) {
  return refused() ? NULL : realloc(memory, size);
}

/* From some request on SuiteSparse gets nothing. */
static void test_suitesparse(talus_form form, talus_law law) {
  oracle_made made = problem_of(form, law);
  int failures = 0;
  int64_t again;
  SuiteSparse_config.malloc_func = take;
  SuiteSparse_config.calloc_func = take_zeros;
  SuiteSparse_config.realloc_func = take_more;
  for (int64_t from = 1; from < 4000; from += 1 + from / 8) {
    scarce c = {0};
    talus_context *const context = scarce_context(&c);
    taken = 0;
    fail_from = from;
    const talus_status status = life(context, &c, &made.problem, law, &again);
    CHECK_CASE(status == TALUS_OK || status == TALUS_OUT_OF_MEMORY, "%s: %s",
               talus_status_name(status), talus_context_message(context));
    CHECK(c.held == 0);
    failures += status == TALUS_OUT_OF_MEMORY;
    talus_context_destroy(context);
    if (status == TALUS_OK) {
      break;
    }
  }
  fail_from = 0;
  SuiteSparse_config.malloc_func = malloc;
  SuiteSparse_config.calloc_func = calloc;
  SuiteSparse_config.realloc_func = realloc;
  CHECK_CASE(failures > 3, "only %d failures", failures);
  oracle_made_free(&made);
}
#endif

int main(void) {
  for (int law = 0; law < TALUS_LAW_COUNT; law++) {
    test_context(TALUS_FORM_RIGID, (talus_law)law);
    test_context(TALUS_FORM_DELASSUS, (talus_law)law);
#if TL_HAVE_SUITESPARSE
    test_suitesparse(TALUS_FORM_RIGID, (talus_law)law);
    test_suitesparse(TALUS_FORM_DELASSUS, (talus_law)law);
#endif
  }
  return check_end();
}
