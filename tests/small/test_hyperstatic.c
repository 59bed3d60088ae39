/* test_hyperstatic.c: Lemke's pivots where there are more contacts than motions.
 *
 * W is singular, so that tableaux are full of ties and of entries that are nothing but rounding. On
 * each of these problems pivots with tolerances close to rounding ended in a ray that is none, or
 * in a basis that is no solution. */
#include "talus/talus_io.h"
#include "tests/check.h"
#include "tests/oracle/oracle.h"

enum { ROWS = 400 };

typedef struct heap {
  talus_generate_kind kind;
  int32_t body_count;
  uint64_t seed;
  talus_law law;
  talus_cone cone;
} heap;

static void test_heap(talus_context *context, const heap *h) {
  static double impulse[ROWS];
  talus_generate_def def = talus_generate_def_default(h->kind);
  talus_settings settings = talus_settings_default();
  talus_solution solution = talus_solution_default();
  talus_info info = talus_info_default();
  talus_stored *stored;
  def.body_count = h->body_count;
  def.seed = h->seed;
  settings.method = TALUS_METHOD_LEMKE;
  settings.law = h->law;
  settings.cone = h->cone;
  settings.tolerance = 1e-10;
  solution.impulse = impulse;
  if (!CHECK(talus_problem_generate(context, &def, &stored) == TALUS_OK)) {
    return;
  }
  if (CHECK(3 * stored->problem.contact_count <= ROWS)) {
    CHECK(talus_solve_once(context, &stored->problem, &settings, &solution, &info) == TALUS_OK);
    const double epsilon = oracle_epsilon_faceted(&stored->problem, &settings, impulse, NULL);
    CHECK_CASE(info.outcome == TALUS_OUTCOME_CONVERGED && epsilon <= 1.01e-10,
               "%d bodies, seed %d, %d contacts: %s after %lld pivots at %g", (int)h->body_count,
               (int)h->seed, (int)stored->problem.contact_count, talus_outcome_name(info.outcome),
               (long long)info.iterations, epsilon);
  }
  talus_stored_destroy(stored);
}

int main(void) {
  static const heap heaps[] = {
      {TALUS_GENERATE_STACK, 8, 2, TALUS_LAW_CCP, TALUS_CONE_BOX},
      {TALUS_GENERATE_STACK, 10, 2, TALUS_LAW_CCP, TALUS_CONE_BOX},
      {TALUS_GENERATE_STACK, 12, 2, TALUS_LAW_CCP, TALUS_CONE_BOX},
      {TALUS_GENERATE_HEAP, 30, 4, TALUS_LAW_COULOMB, TALUS_CONE_PYRAMID},
  };
  talus_context *context;
  if (talus_context_create(NULL, &context) != TALUS_OK) {
    return EXIT_FAILURE;
  }
  for (size_t i = 0; i < sizeof heaps / sizeof *heaps; i++) {
    test_heap(context, heaps + i);
  }
  talus_context_destroy(context);
  return check_end();
}
