/* test_accurate.c: second-order methods on problems whose solution is known: every form, both laws,
 * to 1e-9, judged by the oracle.
 *
 * And what they must say where there is no solution, where limits come first, and where memory runs
 * out: their own, and SuiteSparse's. */
#include <string.h>

#include "talus/talus_io.h"
#include "tests/check.h"
#include "tests/solver/families.h"

enum { SEEDS = 3 };

static const talus_method METHODS[] = {TALUS_METHOD_NEWTON, TALUS_METHOD_INTERIOR_POINT,
                                       TALUS_METHOD_PATH};

static talus_context *context_of(int threads) {
  talus_context_def def = talus_context_def_default();
  talus_context *context = NULL;
  def.threads = threads;
  def.backend = TALUS_BACKEND_CPU;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  return context;
}

static const family *hyperstatic(void) {
  for (int i = 0; i < FAMILY_COUNT; i++) {
    if (strcmp(family_at(i)->name, "rank-deficient") == 0) {
      return family_at(i);
    }
  }
  exit(EXIT_FAILURE);
}

static double *reals(int64_t count) {
  double *const array = calloc((size_t)count + 1, sizeof *array);
  if (array == NULL) {
    exit(EXIT_FAILURE);
  }
  return array;
}

/* ---- known solutions ------------------------------------------------------------------------- */

/* Without a plan to fall back on, an interior point may end short of the exact law. */
static int may_stall(const family *kind, talus_law law, talus_method method) {
  return method == TALUS_METHOD_INTERIOR_POINT && law == TALUS_LAW_COULOMB && kind->hard;
}

static void solve_check(talus_context *context, const family *kind, const oracle_made *made,
                        talus_law law, talus_method method, uint64_t seed) {
  const talus_problem *const problem = &made->problem;
  double *const impulse = reals((int64_t)problem->dimension * problem->contact_count);
  double *const bilateral = reals(problem->bilateral_count);
  talus_settings settings = talus_settings_default();
  talus_solution solution = talus_solution_default();
  talus_info info = talus_info_default();
  solution.impulse = impulse;
  solution.bilateral_impulse = bilateral;
  settings.law = law;
  settings.method = method;
  settings.tolerance = 1e-9;
  const talus_status status = talus_solve_once(context, problem, &settings, &solution, &info);
  CHECK_CASE(status == TALUS_OK, "%s: %s", kind->name, talus_context_message(context));
  const double epsilon = oracle_epsilon(problem, impulse, bilateral, law);
  const int converged = info.outcome == TALUS_OUTCOME_CONVERGED;
  CHECK_CASE(converged || may_stall(kind, law, method),
             "%s, %s, %s, seed %d: %s at %g, %lld iterations", kind->name, talus_law_name(law),
             talus_method_name(method), (int)seed, talus_outcome_name(info.outcome), epsilon,
             (long long)info.iterations);
  CHECK_CASE(converged == (epsilon <= 1.01e-9), "%s: %s, but %g", kind->name,
             talus_outcome_name(info.outcome), epsilon);
  if (law == TALUS_LAW_CCP && method == TALUS_METHOD_INTERIOR_POINT) {
    CHECK_CASE(info.iterations <= 40, "%s: %lld factorisations", kind->name,
               (long long)info.iterations);
  }
  free(impulse);
  free(bilateral);
}

static void test_families(void) {
  static const talus_method methods[] = {TALUS_METHOD_NEWTON, TALUS_METHOD_INTERIOR_POINT,
                                         TALUS_METHOD_AUTO};
  talus_context *const context = context_of(1);
  for (int i = 0; i < FAMILY_COUNT; i++) {
    for (int law = 0; law < TALUS_LAW_COUNT; law++) {
      for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        oracle_made made = family_make(family_at(i), (talus_law)law, seed);
        for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
          solve_check(context, family_at(i), &made, (talus_law)law, methods[m], seed);
        }
        oracle_made_free(&made);
      }
    }
  }
  talus_context_destroy(context);
}

/* Larger ones, where factors are sparse and bodies decide. */
static void test_large(void) {
  static const struct {
    talus_form form;
    oracle_bodies bodies;
    int dimension, body_count, contact_count, bilateral_count;
    double bounded;
  } cases[] = {{TALUS_FORM_RIGID, ORACLE_SPHERES, 3, 120, 100, 0, 0},
               {TALUS_FORM_RIGID, ORACLE_RIGID, 3, 120, 90, 12, 0},
               {TALUS_FORM_RIGID, ORACLE_RIGID, 3, 120, 60, 40, 0.8},
               {TALUS_FORM_BLOCKS, ORACLE_RAGGED, 2, 160, 100, 5, 0},
               {TALUS_FORM_BLOCKS, ORACLE_RAGGED, 3, 160, 60, 60, 1},
               {TALUS_FORM_DELASSUS, ORACLE_RIGID, 3, 120, 90, 3, 1},
               {TALUS_FORM_GLOBAL, ORACLE_RIGID, 3, 100, 80, 4, 0}};
  talus_context *const context = context_of(1);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (int law = 0; law < TALUS_LAW_COUNT; law++) {
      oracle_recipe recipe = oracle_recipe_default(cases[i].form);
      recipe.bodies = cases[i].bodies;
      recipe.law = (talus_law)law;
      recipe.dimension = cases[i].dimension;
      recipe.body_count = cases[i].body_count;
      recipe.contact_count = cases[i].contact_count;
      recipe.bilateral_count = cases[i].bilateral_count;
      recipe.bounded = cases[i].bounded;
      recipe.friction_max = 0.8;
      oracle_made made = oracle_problem_make(&recipe);
      const family kind = {.name = "large"};
      solve_check(context, &kind, &made, (talus_law)law, TALUS_METHOD_NEWTON, 1);
      solve_check(context, &kind, &made, (talus_law)law, TALUS_METHOD_INTERIOR_POINT, 1);
      oracle_made_free(&made);
    }
  }
  talus_context_destroy(context);
}

/* A settled heap, hyperstatic: both laws, and the same bits twice. */
static void test_heap(void) {
  talus_context *const context = context_of(2);
  talus_generate_def def = talus_generate_def_default(TALUS_GENERATE_HEAP);
  def.body_count = 60;
  talus_stored *stored = NULL;
  CHECK(talus_problem_generate(context, &def, &stored) == TALUS_OK);
  const talus_problem *const problem = &stored->problem;
  const int64_t rows = 3 * (int64_t)problem->contact_count;
  double *const first = reals(rows), *const again = reals(rows);
  for (int law = 0; law < TALUS_LAW_COUNT; law++) {
    talus_settings settings = talus_settings_default();
    talus_solution solution = talus_solution_default();
    talus_info info = talus_info_default();
    settings.law = (talus_law)law;
    settings.method = law == TALUS_LAW_CCP ? TALUS_METHOD_INTERIOR_POINT : TALUS_METHOD_NEWTON;
    settings.tolerance = 1e-9;
    solution.impulse = first;
    CHECK(talus_solve_once(context, problem, &settings, &solution, &info) == TALUS_OK);
    CHECK_CASE(info.outcome == TALUS_OUTCOME_CONVERGED, "%s: %s at %g",
               talus_law_name(settings.law), talus_outcome_name(info.outcome), info.measure);
    solution.impulse = again;
    CHECK(talus_solve_once(context, problem, &settings, &solution, &info) == TALUS_OK);
    CHECK(memcmp(first, again, (size_t)rows * sizeof *first) == 0);
  }
  free(first);
  free(again);
  talus_stored_destroy(stored);
  talus_context_destroy(context);
}

/* ---- least norm ------------------------------------------------------------------------------ */

/* Impulses and contact velocities of one solve of a problem with more contacts than unknowns. */
typedef struct answer {
  double *impulse, *velocity;
  uint32_t notes;
} answer;

static answer least(talus_context *context, const oracle_made *made, talus_law law, int unique,
                    int warm) {
  const int64_t rows = 3 * (int64_t)made->problem.contact_count;
  answer a = {reals(rows), reals(rows), 0};
  talus_settings settings = talus_settings_default();
  talus_solution solution = talus_solution_default();
  talus_info info = talus_info_default();
  settings.law = law;
  settings.method = TALUS_METHOD_NEWTON;
  settings.tolerance = 1e-8;
  settings.unique = unique;
  settings.warm_start = warm; /* from the solution that the problem was made of */
  solution.impulse = a.impulse;
  solution.contact_velocity = a.velocity;
  memcpy(a.impulse, made->impulse, (size_t)rows * sizeof *a.impulse);
  CHECK(talus_solve_once(context, &made->problem, &settings, &solution, &info) == TALUS_OK);
  CHECK_CASE(info.outcome == TALUS_OUTCOME_CONVERGED, "%s", talus_outcome_name(info.outcome));
  CHECK(oracle_epsilon(&made->problem, a.impulse, NULL, law) <= 1.01e-8);
  a.notes = info.notes & TALUS_NOTE_UNIQUE;
  return a;
}

static double largest(const double *x, const double *y, int64_t count) {
  double most = 0;
  for (int64_t i = 0; i < count; i++) {
    most = fmax(most, fabs(x[i] - (y != NULL ? y[i] : 0)));
  }
  return most;
}

/* sum w_k |x_k|^2, the norm that is least. */
static double norm_of(const oracle_system *system, const double *impulse) {
  double sum = 0;
  for (int r = 0; r < 3 * system->contacts; r++) {
    const int k = r / 3 * 3;
    long double trace = 0;
    for (int i = k; i < k + 3; i++) {
      trace += system->w[(size_t)i * (size_t)system->rows + (size_t)i];
    }
    sum += (double)trace / 3 * impulse[r] * impulse[r];
  }
  return sqrt(sum);
}

/* Under the convex law the velocity is unique, and so are then the impulses, whatever the start.
 * Under the exact law there may be several velocities: that of the solve stays. */
static void test_unique(talus_law law) {
  talus_context *const context = context_of(1);
  int found = 0;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    oracle_made made = family_make(hyperstatic(), law, seed); /* rank-deficient */
    const int64_t rows = 3 * (int64_t)made.problem.contact_count;
    oracle_system system;
    CHECK(oracle_build(&made.problem, &system));
    answer any = least(context, &made, law, 0, 0), one = least(context, &made, law, 1, 0);
    answer other = least(context, &made, law, 1, 1);
    const double speed = largest(any.velocity, NULL, rows), size = largest(one.impulse, NULL, rows);
    CHECK_CASE(largest(any.velocity, one.velocity, rows) <= 1e-4 * speed, "seed %d: %g of %g",
               (int)seed, largest(any.velocity, one.velocity, rows), speed);
    CHECK_CASE(norm_of(&system, one.impulse) <= norm_of(&system, any.impulse) * (1 + 1e-4),
               "%g is not less than %g", norm_of(&system, one.impulse),
               norm_of(&system, any.impulse));
    CHECK(any.notes == 0);
    found += one.notes != 0;
    if (law == TALUS_LAW_CCP) {
      CHECK(one.notes != 0 && other.notes != 0);
      CHECK_CASE(largest(one.impulse, other.impulse, rows) <= 1e-4 * size, "%g of %g",
                 largest(one.impulse, other.impulse, rows), size);
      CHECK(largest(one.impulse, made.impulse, rows) > 1e-2 * size);
    }
    free(any.impulse), free(any.velocity), free(one.impulse), free(one.velocity);
    free(other.impulse), free(other.velocity);
    oracle_free(&system);
    oracle_made_free(&made);
  }
  CHECK_CASE(found >= 2, "%s: found %d times", talus_law_name(law), found);
  talus_context_destroy(context);
}

/* ---- no solution ----------------------------------------------------------------------------- */

/* One body, two bilateral rows along x that want different speeds; a third row is innocent. */
static void test_contradictory_rows(talus_law law) {
  talus_context *const context = context_of(1);
  const double velocity[6] = {0}, mass = 1, inertia[6] = {1, 0, 0, 1, 0, 1};
  const int32_t ground[3] = {-1, -1, -1}, body[3] = {0, 0, 0};
  double jacobian[36] = {0};
  const double bias[3] = {1, 0.5, 0.2};
  jacobian[6] = jacobian[12 + 7] = jacobian[24 + 6] = 1; /* rows 0 and 2 */
  talus_problem problem = talus_problem_default(TALUS_FORM_RIGID);
  problem.bilateral_count = 3;
  problem.rigid.body_count = 1;
  problem.rigid.velocity = velocity;
  problem.rigid.inverse_mass = &mass;
  problem.rigid.inverse_inertia = inertia;
  problem.rigid.row_body_a = ground;
  problem.rigid.row_body_b = body;
  problem.rigid.row_jacobian = jacobian;
  problem.rigid.row_bias = bias;
  talus_settings settings = talus_settings_default();
  talus_info info = talus_info_default();
  settings.law = law;
  settings.tolerance = 1e-8;
  CHECK(talus_solve_once(context, &problem, &settings, NULL, &info) == TALUS_OK);
  CHECK_CASE(info.outcome == TALUS_OUTCOME_INCONSISTENT, "%s", talus_outcome_name(info.outcome));
  const char *const message = talus_context_message(context);
  CHECK_CASE(strstr(message, "row 0") != NULL && strstr(message, "row 2") != NULL &&
                 strstr(message, "row 1") == NULL,
             "%s", message);
  CHECK_CASE(info.incompatible > 0.1, "%g", info.incompatible);
  talus_context_destroy(context);
}

/* A ball between two walls that close in, with and without friction; W = [1 -1; -1 1] in n. */
static void test_squeezed(talus_law law, double mu) {
  talus_context *const context = context_of(1);
  const double w[36] = {1,  0, 0, -1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1,
                        -1, 0, 0, 1,  0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1};
  const double q[6] = {-1, 0.1, 0, -0.5, 0.1, 0}, friction[2] = {mu, mu};
  talus_problem problem = talus_problem_default(TALUS_FORM_DELASSUS);
  problem.contact_count = 2;
  problem.friction = friction;
  problem.delassus.w = (talus_matrix){
      .storage = TALUS_STORAGE_DENSE, .rows = 6, .columns = 6, .count = 36, .value = w};
  problem.delassus.q = q;
  talus_settings settings = talus_settings_default();
  talus_info info = talus_info_default();
  settings.law = law;
  settings.tolerance = 1e-8;
  CHECK(talus_solve_once(context, &problem, &settings, NULL, &info) == TALUS_OK);
  CHECK_CASE(info.outcome == TALUS_OUTCOME_INCONSISTENT, "%s, friction %g: %s", talus_law_name(law),
             mu, talus_outcome_name(info.outcome));
  talus_context_destroy(context);
}

/* An indefinite W: any outcome but success, and an end. */
static void test_indefinite(void) {
  talus_context *const context = context_of(1);
  const double w[9] = {1, 3, 0, 3, 1, 0, 0, 0, 1}, q[3] = {-1, -1, -1};
  talus_problem problem = talus_problem_default(TALUS_FORM_DELASSUS);
  problem.dimension = 1;
  problem.contact_count = 3;
  problem.delassus.w = (talus_matrix){
      .storage = TALUS_STORAGE_DENSE, .rows = 3, .columns = 3, .count = 9, .value = w};
  problem.delassus.q = q;
  for (size_t m = 0; m < sizeof METHODS / sizeof *METHODS; m++) {
    double impulse[3] = {0};
    talus_settings settings = talus_settings_default();
    talus_solution solution = talus_solution_default();
    talus_info info = talus_info_default();
    solution.impulse = impulse;
    settings.method = METHODS[m];
    settings.tolerance = 1e-8;
    CHECK(talus_solve_once(context, &problem, &settings, &solution, &info) == TALUS_OK);
    const double epsilon = oracle_epsilon(&problem, impulse, NULL, TALUS_LAW_COULOMB);
    CHECK((info.outcome == TALUS_OUTCOME_CONVERGED) == (epsilon <= 1e-8));
  }
  talus_context_destroy(context);
}

/* ---- limits ---------------------------------------------------------------------------------- */

static int stop_at_once(void *user, int64_t iterations, int64_t passes, double measure,
                        double seconds) {
  (void)passes;
  (void)measure;
  (void)seconds;
  *(int64_t *)user = iterations;
  return iterations >= 7;
}

static void test_limits(void) {
  talus_context *const context = context_of(1);
  for (size_t m = 0; m < sizeof METHODS / sizeof *METHODS; m++) {
    for (int law = 0; law < TALUS_LAW_COUNT; law++) {
      oracle_made made = family_make(hyperstatic(), (talus_law)law, 1); /* rank-deficient */
      talus_settings settings = talus_settings_default();
      talus_info info = talus_info_default();
      settings.method = METHODS[m];
      settings.law = (talus_law)law;
      settings.tolerance = 1e-300;
      settings.max_iterations = 6;
      CHECK(talus_solve_once(context, &made.problem, &settings, NULL, &info) == TALUS_OK);
      CHECK_CASE(info.outcome == TALUS_OUTCOME_ITERATION_LIMIT && info.iterations == 6,
                 "%s after %lld", talus_outcome_name(info.outcome), (long long)info.iterations);
      int64_t seen = 0;
      settings.max_iterations = 100000;
      settings.progress = stop_at_once;
      settings.progress_user = &seen;
      CHECK(talus_solve_once(context, &made.problem, &settings, NULL, &info) == TALUS_OK);
      CHECK(info.outcome == TALUS_OUTCOME_TIME_LIMIT && (info.notes & TALUS_NOTE_STOPPED) != 0);
      CHECK_CASE(seen >= 7 && info.iterations <= 12, "%lld", (long long)info.iterations);
      settings.progress = NULL;
      settings.max_seconds = 1e-9;
      CHECK(talus_solve_once(context, &made.problem, &settings, NULL, &info) == TALUS_OK);
      CHECK(info.outcome == TALUS_OUTCOME_TIME_LIMIT);
      oracle_made_free(&made);
    }
  }
  talus_context_destroy(context);
}

int main(void) {
  test_families();
  test_large();
  test_heap();
  for (int law = 0; law < TALUS_LAW_COUNT; law++) {
    test_unique((talus_law)law);
    test_contradictory_rows((talus_law)law);
    test_squeezed((talus_law)law, 0);
    test_squeezed((talus_law)law, 0.4);
  }
  test_indefinite();
  test_limits();
  return check_end();
}
