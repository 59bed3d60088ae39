/* test_rows.c: sweeps over rows of W (form (c)) compute W x where a residual is asked for, not
 * after every few of them: judged by the passes that a number of sweeps comes to. */
#include "tests/check.h"
#include "tests/oracle/oracle.h"

enum { SWEEPS = 500 };

int main(void) {
  talus_context_def def = talus_context_def_default();
  oracle_recipe recipe = oracle_recipe_default(TALUS_FORM_DELASSUS);
  talus_context *context;
  def.threads = 1;
  def.backend = TALUS_BACKEND_CPU;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  recipe.body_count = 120;
  recipe.contact_count = 90;
  oracle_made made = oracle_problem_make(&recipe);
  for (int law = 0; law < TALUS_LAW_COUNT; law++) {
    talus_settings settings = talus_settings_default();
    talus_solution solution = talus_solution_default();
    talus_info info = talus_info_default();
    settings.law = (talus_law)law;
    settings.method = TALUS_METHOD_GAUSS_SEIDEL_NESTEROV;
    settings.tolerance = 1e-300; /* never */
    settings.max_iterations = SWEEPS;
    CHECK(talus_solve_once(context, &made.problem, &settings, &solution, &info) == TALUS_OK);
    CHECK_CASE(info.iterations == SWEEPS && info.passes <= 1.08 * SWEEPS,
               "%s: %lld sweeps in %lld passes", talus_law_name(settings.law),
               (long long)info.iterations, (long long)info.passes);
  }
  oracle_made_free(&made);
  talus_context_destroy(context);
  return check_end();
}
