/* test_auto.c: what `auto` chooses on problems of which it is known what pays: it stays with sweeps
 * that will be there before factorisations, and leaves them where these are cheap. Judged by
 * counts, which are the same on every machine. */
#include "talus/talus_io.h"
#include "tests/check.h"

static talus_info solve(talus_context *context, const talus_problem *problem, talus_law law,
                        talus_method method, double tolerance, int64_t iterations) {
  talus_settings settings = talus_settings_default();
  talus_solution solution = talus_solution_default();
  talus_info info = talus_info_default();
  settings.law = law;
  settings.method = method;
  settings.tolerance = tolerance;
  settings.max_iterations = iterations;
  const talus_status status = talus_solve_once(context, problem, &settings, &solution, &info);
  CHECK_CASE(status == TALUS_OK, "%s: %s", talus_method_name(method),
             talus_context_message(context));
  return info;
}

static talus_stored *generate(talus_context *context, talus_generate_kind kind, int32_t bodies,
                              double friction, uint64_t seed) {
  talus_generate_def def = talus_generate_def_default(kind);
  talus_stored *stored = NULL;
  def.body_count = bodies;
  def.friction = friction;
  def.seed = seed;
  CHECK(talus_problem_generate(context, &def, &stored) == TALUS_OK);
  return stored;
}

/* Heaps that sweeps bring to the tolerance in the time of one or two factorisations, though not
 * within the first few hundred passes, or the first thousands. */
static void test_stays(talus_context *context) {
  static const struct {
    int32_t bodies;
    double friction;
    uint64_t seed;
    talus_law law;
    double tolerance;
  } cases[] = {{300, 0.5, 1, TALUS_LAW_CCP, 1e-8},    {700, 0.3, 1, TALUS_LAW_CCP, 1e-8},
               {1000, 0.5, 1, TALUS_LAW_CCP, 1e-8},   {40, 0.8, 2, TALUS_LAW_COULOMB, 1e-6},
               {60, 0.3, 1, TALUS_LAW_COULOMB, 1e-6}, {160, 0.5, 1, TALUS_LAW_COULOMB, 1e-6},
               {250, 0.5, 2, TALUS_LAW_COULOMB, 1e-6}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    talus_stored *const stored =
        generate(context, TALUS_GENERATE_HEAP, cases[i].bodies, cases[i].friction, cases[i].seed);
    const talus_info swept = solve(context, &stored->problem, cases[i].law,
                                   TALUS_METHOD_GAUSS_SEIDEL_NESTEROV, cases[i].tolerance, 100000);
    const talus_info info = solve(context, &stored->problem, cases[i].law, TALUS_METHOD_AUTO,
                                  cases[i].tolerance, 100000);
    CHECK(swept.outcome == TALUS_OUTCOME_CONVERGED && info.outcome == TALUS_OUTCOME_CONVERGED);
    CHECK_CASE(info.factorisations == 0 && info.passes <= 1.1 * (double)swept.passes,
               "heap of %d, %s to %g: %lld passes and %lld factorisations, sweeps %lld passes",
               cases[i].bodies, talus_law_name(cases[i].law), cases[i].tolerance,
               (long long)info.passes, (long long)info.factorisations, (long long)swept.passes);
    talus_stored_destroy(stored);
  }
}

/* Stacks are chains, whose factors have hardly more entries than the matrix: an interior point
 * takes the time of some hundred passes, where sweeps want thousands. */
static void test_leaves(talus_context *context) {
  static const double tolerances[] = {1e-4, 1e-6, 1e-8};
  talus_stored *const stored = generate(context, TALUS_GENERATE_STACK, 300, 0.5, 1);
  for (int i = 0; i < 3; i++) {
    const talus_info swept = solve(context, &stored->problem, TALUS_LAW_CCP,
                                   TALUS_METHOD_GAUSS_SEIDEL_NESTEROV, tolerances[i], 100000);
    const talus_info info =
        solve(context, &stored->problem, TALUS_LAW_CCP, TALUS_METHOD_AUTO, tolerances[i], 100000);
    CHECK(info.outcome == TALUS_OUTCOME_CONVERGED);
    CHECK_CASE(info.method == TALUS_METHOD_INTERIOR_POINT && 3 * info.passes < swept.passes,
               "stack, to %g: %s, %lld passes, sweeps %lld", tolerances[i],
               talus_method_name(info.method), (long long)info.passes, (long long)swept.passes);
  }
  talus_stored_destroy(stored);
}

int main(void) {
  talus_context_def def = talus_context_def_default();
  talus_context *context;
  def.threads = 1;
  def.backend = TALUS_BACKEND_CPU;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  test_stays(context);
#if TL_HAVE_SUITESPARSE
  test_leaves(context);
#endif
  talus_context_destroy(context);
  return check_end();
}
