/* test_reform.c: least squares under bounds in place of the law, judged by the oracle.
 *
 * The methods promise no solution, only a stationary point: what they call converged must be, and
 * most of the small problems must be solved. */
#include <string.h>

#include "tests/check.h"
#include "tests/solver/families.h"

enum { ROWS = 400 };
static talus_context *context;

static void test_families(talus_method method, int least) {
  int solved = 0, asked = 0;
  int64_t steps = 0;
  for (int i = 0; i < FAMILY_COUNT; i++) {
    family few = *family_at(i);
    const family *const f = &few;
    few.contact_count = few.contact_count > 4 ? 4 : few.contact_count;
    few.bilateral_count = few.bilateral_count > 2 ? 2 : few.bilateral_count;
    for (uint64_t seed = 1; seed <= 4 && !f->hard; seed++) {
      oracle_made made = family_make(f, TALUS_LAW_COULOMB, seed);
      double impulse[ROWS], bilateral[ROWS];
      talus_settings settings = talus_settings_default();
      talus_solution solution = talus_solution_default();
      talus_info info = talus_info_default();
      settings.method = method;
      settings.cone = method == TALUS_METHOD_LCPOPT ? TALUS_CONE_BOX : TALUS_CONE_CIRCULAR;
      settings.facet_angle = 0.3;
      settings.tolerance = 1e-8;
      solution.impulse = impulse;
      solution.bilateral_impulse = bilateral;
      CHECK_CASE(talus_solve_once(context, &made.problem, &settings, &solution, &info) == TALUS_OK,
                 "%s: %s", f->name, talus_context_message(context));
      const double epsilon =
          method == TALUS_METHOD_LCPOPT
              ? oracle_epsilon_faceted(&made.problem, &settings, impulse, bilateral)
              : oracle_epsilon(&made.problem, impulse, bilateral, TALUS_LAW_COULOMB);
      const int converged = info.outcome == TALUS_OUTCOME_CONVERGED;
      CHECK_CASE(!converged || epsilon <= 1.01e-8, "%s, seed %d: %g", f->name, (int)seed, epsilon);
      CHECK_CASE(converged || info.outcome == TALUS_OUTCOME_STALLED, "%s: %s", f->name,
                 talus_outcome_name(info.outcome));
      solved += converged;
      asked++;
      steps += info.iterations;
      oracle_made_free(&made);
    }
  }
  printf("%s: %d of %d, %.1f steps\n", talus_method_name(method), solved, asked,
         (double)steps / asked);
  CHECK_CASE(100 * solved >= least * asked && asked > 20, "%s: %d of %d", talus_method_name(method),
             solved, asked);
}

/* Limits hold, and what does not fit is refused. */
static void test_limits(void) {
  oracle_made made = family_make(family_at(0), TALUS_LAW_COULOMB, 1);
  talus_settings settings = talus_settings_default();
  talus_info info = talus_info_default();
  settings.method = TALUS_METHOD_LCPOPT;
  CHECK(talus_solve_once(context, &made.problem, &settings, NULL, &info) == TALUS_UNSUPPORTED);
  settings.cone = TALUS_CONE_PYRAMID;
  CHECK(talus_solve_once(context, &made.problem, &settings, NULL, &info) == TALUS_UNSUPPORTED);
  settings.cone = TALUS_CONE_BOX;
  settings.law = TALUS_LAW_CCP;
  CHECK(talus_solve_once(context, &made.problem, &settings, NULL, &info) == TALUS_UNSUPPORTED);
  settings.law = TALUS_LAW_COULOMB;
  settings.tolerance = 1e-300;
  settings.max_iterations = 3;
  CHECK(talus_solve_once(context, &made.problem, &settings, NULL, &info) == TALUS_OK);
  CHECK(info.outcome == TALUS_OUTCOME_ITERATION_LIMIT && info.iterations <= 3);
  oracle_made_free(&made);
}

int main(void) {
  if (talus_context_create(NULL, &context) != TALUS_OK) {
    return EXIT_FAILURE;
  }
  test_families(TALUS_METHOD_LCPOPT, 90);
  test_families(TALUS_METHOD_MNCPOPT, 80);
  test_limits();
  talus_context_destroy(context);
  return check_end();
}
