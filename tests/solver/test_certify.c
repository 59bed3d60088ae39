/* settings.certify: which solves the certificate judges and what is said of the others; their
 * impulses, velocities and the tolerance that they meet are those of solves that it judged. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "talus/talus_io.h"
#include "tests/check.h"
#include "tests/solver/families.h"

enum { SOLVES = 7, GRAINS = 60, MOST = 6 * GRAINS };

typedef struct result {
  talus_info info;
  double impulse[3 * MOST], velocity[3 * MOST];
} result;

static talus_settings settings_of(int64_t certify) {
  talus_settings s = talus_settings_default();
  s.method = TALUS_METHOD_GAUSS_SEIDEL_NESTEROV;
  s.tolerance = 1e-3;
  s.certify = certify;
  return s;
}

static talus_stored *heap_make(talus_context *context) {
  talus_generate_def def = talus_generate_def_default(TALUS_GENERATE_HEAP);
  talus_stored *stored = NULL;
  def.body_count = GRAINS;
  CHECK(talus_problem_generate(context, &def, &stored) == TALUS_OK);
  CHECK(stored->problem.contact_count <= MOST);
  return stored;
}

static void solve(talus_solver *solver, const talus_problem *problem, result *r) {
  talus_solution solution = talus_solution_default();
  r->info = talus_info_default();
  solution.impulse = r->impulse;
  solution.contact_velocity = r->velocity;
  CHECK(talus_solver_update(solver, problem) == TALUS_OK);
  CHECK(talus_solver_solve(solver, &solution, &r->info) == TALUS_OK);
}

static bool is_certified(const talus_info *info) {
  return (info->notes & TALUS_NOTE_UNCERTIFIED) == 0;
}

/* The same solve again and again: judged in every Nth call, otherwise the same. */
static void test_every(talus_context *context, const talus_problem *problem, int64_t every) {
  static result sure, r;
  const talus_settings always = settings_of(1), some = settings_of(every);
  talus_solver *solver;
  CHECK(talus_solver_create(context, &always, &solver) == TALUS_OK);
  solve(solver, problem, &sure);
  CHECK(is_certified(&sure.info) && sure.info.outcome == TALUS_OUTCOME_CONVERGED);
  CHECK(talus_solver_set(solver, &some) == TALUS_OK);
  for (int64_t n = 1; n < SOLVES; n++) {
    solve(solver, problem, &r);
    const bool judged = every > 0 && n % every == 0;
    CHECK_CASE(is_certified(&r.info) == judged, "solve %d of every %d", (int)n, (int)every);
    CHECK(r.info.outcome == TALUS_OUTCOME_CONVERGED && r.info.measure <= some.tolerance);
    CHECK(isnan(r.info.certificate.epsilon_coulomb) == !judged);
    CHECK(r.info.iterations == sure.info.iterations);
    const size_t bytes = 3 * (size_t)problem->contact_count * sizeof(double);
    CHECK(memcmp(r.impulse, sure.impulse, bytes) == 0);
    CHECK(memcmp(r.velocity, sure.velocity, bytes) == 0);
    CHECK(fabs(r.info.measure / sure.info.measure - 1) < 1e-6); /* two ways to one residual */
  }
  talus_solver_destroy(solver);
}

/* Solves that miss the tolerance are judged whatever is asked, as are small ones solved directly,
 * facets and Siconos' measure. */
static void test_always(talus_context *context, const talus_problem *problem) {
  static result r;
  talus_settings short_one = settings_of(0), siconos = settings_of(0);
  short_one.max_iterations = 5;
  siconos.measure = TALUS_MEASURE_SICONOS;
  const talus_settings *const all[] = {&short_one, &siconos};
  for (int i = 0; i < 2; i++) {
    talus_solver *solver;
    CHECK(talus_solver_create(context, all[i], &solver) == TALUS_OK);
    solve(solver, problem, &r);
    CHECK(is_certified(&r.info) && isfinite(r.info.certificate.epsilon_coulomb));
    talus_solver_destroy(solver);
  }
}

static void test_refused(talus_context *context) {
  const talus_settings bad = settings_of(-1);
  talus_solver *solver;
  CHECK(talus_solver_create(context, &bad, &solver) == TALUS_BAD_SETTING);
  CHECK(strstr(talus_context_message(context), "certify") != NULL);
}

int main(void) {
  talus_context *context;
  CHECK(talus_context_create(NULL, &context) == TALUS_OK);
  talus_stored *const heap = heap_make(context);
  test_every(context, &heap->problem, 0);
  test_every(context, &heap->problem, 3);
  test_always(context, &heap->problem);
  test_refused(context);
  talus_stored_destroy(heap);
  talus_context_destroy(context);
  return check_end();
}
