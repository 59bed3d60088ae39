/* test_memory.c: direct methods, batches and islands when memory runs out at the first, second, ...
 * request. */
#include <string.h>

#include "tests/scarce.h"
#include "tests/solver/families.h"

/* Two problems in one batch of one thread, which is a life of a solver. */
static talus_status life(talus_context *context, const talus_problem *problem,
                         const talus_settings *settings) {
  const talus_problem both[2] = {*problem, *problem};
  return talus_solve_batch(context, settings, 2, both, NULL, NULL, NULL);
}

static void test_failures(const family *f, talus_method method) {
  oracle_made made = family_make(f, TALUS_LAW_COULOMB, 1);
  talus_settings settings = talus_settings_default();
  talus_status status = TALUS_OUT_OF_MEMORY;
  int64_t at = 0;
  settings.method = method;
  settings.law = method == TALUS_METHOD_INTERIOR_POINT ? TALUS_LAW_CCP : TALUS_LAW_COULOMB;
  settings.max_iterations = 1; /* memory is asked for at the start */
  settings.cone =
      talus_method_takes(method, TALUS_CONE_CIRCULAR) ? TALUS_CONE_CIRCULAR : TALUS_CONE_BOX;
  while (status != TALUS_OK && at < 1000) {
    scarce c = {.fail_at = ++at};
    talus_context *context = scarce_context(&c);
    status = life(context, &made.problem, &settings);
    CHECK_CASE(status == TALUS_OK || status == TALUS_OUT_OF_MEMORY, "%s: %s", f->name,
               talus_status_name(status));
    CHECK(status == TALUS_OK || strlen(talus_context_message(context)) > 0);
    CHECK_CASE(c.held == 0, "%s by %s: %lld pieces left at %lld", f->name,
               talus_method_name(method), (long long)c.held, (long long)at);
    talus_context_destroy(context);
  }
  CHECK_CASE(status == TALUS_OK && at > 10, "%s: no success", f->name);
  oracle_made_free(&made);
}

/* Balls in pairs on the ground: islands of three contacts each, more in all than `auto` would take
 * at once. */
static void test_islands(void) {
  enum { PAIRS = 15, BALLS = 2 * PAIRS, CONTACTS = 3 * PAIRS };
  static double velocity[6 * BALLS], mass[BALLS], inertia[6 * BALLS], normal[3 * CONTACTS];
  static double friction[CONTACTS], reach_a[CONTACTS], reach_b[CONTACTS];
  static int32_t a[CONTACTS], b[CONTACTS];
  for (int i = 0; i < BALLS; i++) {
    mass[i] = 1 + 0.1 * (i % 3);
    inertia[6 * i] = inertia[6 * i + 3] = inertia[6 * i + 5] = 10;
    velocity[6 * i + 2] = -1;
    velocity[6 * i] = i % 2 ? -0.5 : 0.5;
  }
  for (int k = 0; k < CONTACTS; k++) {
    const int side = k % 3 == 2; /* between the two balls of a pair */
    a[k] = side ? 2 * (k / 3) : -1;
    b[k] = 2 * (k / 3) + (k % 3 > 0);
    normal[3 * k + (side ? 0 : 2)] = 1;
    reach_a[k] = side ? 0.5 : 0;
    reach_b[k] = 0.5;
    friction[k] = 0.4;
  }
  talus_problem problem = talus_problem_default(TALUS_FORM_RIGID);
  problem.contact_count = CONTACTS;
  problem.friction = friction;
  problem.rigid = (talus_rigid){.body_count = BALLS,
                                .velocity = velocity,
                                .inverse_mass = mass,
                                .inverse_inertia = inertia,
                                .body_a = a,
                                .body_b = b,
                                .normal = normal,
                                .reach_a = reach_a,
                                .reach_b = reach_b};
  talus_settings settings = talus_settings_default();
  talus_status status = TALUS_OUT_OF_MEMORY;
  talus_info info = talus_info_default();
  int64_t at = 0;
  settings.islands = 1;
  settings.tolerance = 1e-8;
  while (status != TALUS_OK && at < 1000) {
    scarce c = {.fail_at = ++at};
    talus_context *context = scarce_context(&c);
    status = talus_solve_once(context, &problem, &settings, NULL, &info);
    CHECK_CASE(status == TALUS_OK ||
                   (status == TALUS_OUT_OF_MEMORY && strlen(talus_context_message(context)) > 0),
               "%s", talus_status_name(status));
    CHECK_CASE(c.held == 0, "islands: %lld pieces left at %lld", (long long)c.held, (long long)at);
    talus_context_destroy(context);
  }
  CHECK_CASE(status == TALUS_OK && at > 10, "%s at %lld", talus_status_name(status), (long long)at);
  CHECK_CASE(info.outcome == TALUS_OUTCOME_CONVERGED && info.method == TALUS_METHOD_MNCP_PROX,
             "%s by %s", talus_outcome_name(info.outcome), talus_method_name(info.method));
}

/* The second solve of a size asks for nothing, and the bytes told are those held. */
static void test_steady(talus_method method) {
  scarce c = {0};
  talus_context *context = scarce_context(&c);
  oracle_made made = family_make(family_at(4), TALUS_LAW_COULOMB, 1);
  talus_settings settings = talus_settings_default();
  talus_info info = talus_info_default();
  talus_solver *solver;
  settings.method = method;
  settings.max_iterations = 1; /* memory is asked for at the start */
  settings.cone =
      talus_method_takes(method, TALUS_CONE_CIRCULAR) ? TALUS_CONE_CIRCULAR : TALUS_CONE_BOX;
  CHECK(talus_solver_create(context, &settings, &solver) == TALUS_OK);
  int64_t before = 0;
  for (int step = 0; step < 3; step++) {
    before = c.requests;
    CHECK(talus_solver_update(solver, &made.problem) == TALUS_OK);
    CHECK(talus_solver_solve(solver, NULL, &info) == TALUS_OK);
    CHECK_CASE(step == 0 || c.requests == before, "%s asks %lld times", talus_method_name(method),
               (long long)(c.requests - before));
  }
  CHECK(info.bytes > 0);
  talus_solver_destroy(solver);
  CHECK(c.held == 0);
  talus_context_destroy(context);
  oracle_made_free(&made);
}

int main(void) {
  static const int kinds[] = {2, 4, 6, 9, 14, 21};
  static const talus_method methods[] = {TALUS_METHOD_LEMKE,     TALUS_METHOD_PFB_PLM,
                                         TALUS_METHOD_MNCP_RLM,  TALUS_METHOD_MNCP_PLM,
                                         TALUS_METHOD_MNCPOPT,   TALUS_METHOD_LCPOPT,
                                         TALUS_METHOD_MNCP_PROX, TALUS_METHOD_INTERIOR_POINT};
  for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
      test_failures(family_at(kinds[i]), methods[m]);
    }
    test_steady(methods[m]);
  }
  test_islands();
  return check_end();
}
