/* test_scale.c: problems that say which contact velocities are small (velocity_scale): every method
 * may end there, the certificate's error is what it is judged by, and nothing is solved where all
 * velocities are small. */
#include <string.h>

#include "tests/check.h"
#include "tests/solver/families.h"

static const talus_method methods[] = {TALUS_METHOD_AUTO,   TALUS_METHOD_GAUSS_SEIDEL_NESTEROV,
                                       TALUS_METHOD_APGDB,  TALUS_METHOD_SPECTRAL,
                                       TALUS_METHOD_NEWTON, TALUS_METHOD_MNCP_PROX};
enum { METHODS = sizeof methods / sizeof *methods };

static double tangled[3000]; /* impulses */

static talus_info solve(talus_context *context, const talus_problem *problem, talus_method method,
                        double tolerance) {
  talus_settings settings = talus_settings_default();
  talus_solution solution = talus_solution_default();
  talus_info info = talus_info_default();
  settings.method = method;
  settings.tolerance = tolerance;
  settings.max_iterations = 20000;
  solution.impulse = tangled;
  const talus_status status = talus_solve_once(context, problem, &settings, &solution, &info);
  CHECK_CASE(status == TALUS_OK || status == TALUS_UNSUPPORTED, "%s: %s", talus_method_name(method),
             talus_context_message(context));
  return info;
}

static void test_family(talus_context *context, const family *f) {
  oracle_made made = family_make(f, TALUS_LAW_COULOMB, 5);
  for (int m = 0; m < METHODS; m++) {
    made.problem.velocity_scale = 0;
    const talus_info plain = solve(context, &made.problem, methods[m], 1e-6);
    const talus_certificate *const c = &plain.certificate;
    if (plain.outcome != TALUS_OUTCOME_CONVERGED || !(c->reference_coulomb > 0)) {
      continue;
    }
    CHECK(plain.measure == c->epsilon_coulomb && c->error_coulomb == c->epsilon_coulomb);
    /* so that R_s is 1000 times R(0): found by asking what a scale of 1 gives */
    made.problem.velocity_scale = 1;
    const double one = solve(context, &made.problem, methods[m], 1).certificate.reference_scale;
    made.problem.velocity_scale = 1e3 * c->reference_coulomb / one;
    const talus_info eased = solve(context, &made.problem, methods[m], 1e-6);
    const talus_certificate *const e = &eased.certificate;
    CHECK_CASE(eased.outcome == TALUS_OUTCOME_CONVERGED && eased.measure <= 1e-6 &&
                   eased.measure == e->error_coulomb,
               "%s by %s: %s, error %g", f->name, talus_method_name(methods[m]),
               talus_outcome_name(eased.outcome), eased.measure);
    CHECK_CASE(fabs(e->epsilon_coulomb - 1e3 * e->error_coulomb) <= 1e-9 * e->epsilon_coulomb,
               "%s by %s: epsilon %g, error %g", f->name, talus_method_name(methods[m]),
               e->epsilon_coulomb, e->error_coulomb);
    CHECK_CASE(eased.passes <= plain.passes, "%s by %s: %lld passes, %lld without a scale", f->name,
               talus_method_name(methods[m]), (long long)eased.passes, (long long)plain.passes);
    /* a scale against which all velocities are small: no impulses are right enough */
    made.problem.velocity_scale *= 1e6;
    const talus_info rest = solve(context, &made.problem, methods[m], 1e-6);
    CHECK_CASE(rest.outcome == TALUS_OUTCOME_CONVERGED && rest.iterations == 0,
               "%s by %s: %s, %lld", f->name, talus_method_name(methods[m]),
               talus_outcome_name(rest.outcome), (long long)rest.iterations);
  }
  oracle_made_free(&made);
}

int main(void) {
  talus_context *context;
  CHECK(talus_context_create(NULL, &context) == TALUS_OK);
  for (int i = 0; i < FAMILY_COUNT; i++) {
    test_family(context, family_at(i));
  }
  oracle_made made = family_make(family_at(0), TALUS_LAW_COULOMB, 5);
  const double bad[] = {-1, NAN, INFINITY};
  for (int i = 0; i < 3; i++) {
    made.problem.velocity_scale = bad[i];
    CHECK(talus_solve_once(context, &made.problem, NULL, NULL, NULL) == TALUS_NOT_FINITE);
    CHECK(strstr(talus_context_message(context), "velocity_scale") != NULL);
  }
  oracle_made_free(&made);
  talus_context_destroy(context);
  return check_end();
}
