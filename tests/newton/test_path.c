/* test_path.c: the path of proximal solutions, alone: every form of problem with a known solution,
 * and jammed heaps, where it must go round corners; judged by the oracle. */
#include "talus/talus_io.h"
#include "tests/check.h"
#include "tests/solver/families.h"

enum { SEEDS = 2 };

/* From no impulses. */
static talus_info solve(talus_context *context, const talus_problem *problem, const char *name) {
  double *const impulse =
      calloc((size_t)problem->dimension * (size_t)problem->contact_count + 1, sizeof *impulse);
  double *const bilateral = calloc((size_t)problem->bilateral_count + 1, sizeof *bilateral);
  CHECK(impulse != NULL && bilateral != NULL);
  talus_settings settings = talus_settings_default();
  talus_solution solution = talus_solution_default();
  talus_info info = talus_info_default();
  settings.law = TALUS_LAW_COULOMB;
  settings.method = TALUS_METHOD_PATH;
  settings.tolerance = 1e-9;
  solution.impulse = impulse;
  solution.bilateral_impulse = bilateral;
  const talus_status status = talus_solve_once(context, problem, &settings, &solution, &info);
  CHECK_CASE(status == TALUS_OK, "%s: %s", name, talus_context_message(context));
  const double epsilon = oracle_epsilon(problem, impulse, bilateral, TALUS_LAW_COULOMB);
  CHECK_CASE(info.outcome == TALUS_OUTCOME_CONVERGED && epsilon <= 1.01e-9,
             "%s: %s at %g after %lld iterations", name, talus_outcome_name(info.outcome), epsilon,
             (long long)info.iterations);
  free(impulse);
  free(bilateral);
  return info;
}

static void test_families(talus_context *context) {
  int by_path = 0;
  for (int i = 0; i < FAMILY_COUNT; i++) {
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
      oracle_made made = family_make(family_at(i), TALUS_LAW_COULOMB, seed);
      by_path += solve(context, &made.problem, family_at(i)->name).factorisations > 0;
      oracle_made_free(&made);
    }
  }
  CHECK_CASE(by_path == SEEDS * FAMILY_COUNT, "%d", by_path);
}

/* Hyperstatic: Newton's method does not jump all the way. */
static void test_heaps(talus_context *context) {
  int64_t most = 0;
  for (uint64_t seed = 1; seed <= 6; seed++) {
    talus_generate_def def = talus_generate_def_default(TALUS_GENERATE_HEAP);
    talus_stored *stored = NULL;
    def.body_count = 25;
    def.seed = seed;
    CHECK(talus_problem_generate(context, &def, &stored) == TALUS_OK);
    const int64_t made = solve(context, &stored->problem, "heap").factorisations;
    most = made > most ? made : most;
    talus_stored_destroy(stored);
  }
  CHECK_CASE(most > 100, "%lld factorisations at most: no heap was hard", (long long)most);
}

int main(void) {
  talus_context_def def = talus_context_def_default();
  talus_context *context = NULL;
  def.threads = 1;
  def.backend = TALUS_BACKEND_CPU;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  test_families(context);
  test_heaps(context);
  talus_context_destroy(context);
  return check_end();
}
