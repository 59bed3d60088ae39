/* test_trouble.c: direct methods on what cannot be solved, is degenerate, or must be stopped.
 *
 * Always an outcome that is true, never an endless loop. */
#include <string.h>

#include "talus/talus_io.h"
#include "tests/check.h"
#include "tests/solver/families.h"

enum { ROWS = 400 };
static const talus_method methods[] = {TALUS_METHOD_LEMKE,    TALUS_METHOD_PFB_RLM,
                                       TALUS_METHOD_PFB_PLM,  TALUS_METHOD_MNCP_RLM,
                                       TALUS_METHOD_MNCP_PLM, TALUS_METHOD_MNCP_PROX};
enum { METHODS = sizeof methods / sizeof *methods };

static talus_context *context;
static double impulse[ROWS], bilateral[ROWS];

static talus_settings settings_of(talus_method method, talus_law law, double tolerance) {
  talus_settings settings = talus_settings_default();
  settings.method = method;
  settings.law = law;
  settings.tolerance = tolerance;
  settings.cone =
      talus_method_takes(method, TALUS_CONE_CIRCULAR) ? TALUS_CONE_CIRCULAR : TALUS_CONE_PYRAMID;
  return settings;
}

static talus_info solve(const talus_problem *problem, const talus_settings *settings) {
  talus_solution solution = talus_solution_default();
  talus_info info = talus_info_default();
  solution.impulse = impulse;
  solution.bilateral_impulse = bilateral;
  const talus_status status = talus_solve_once(context, problem, settings, &solution, &info);
  CHECK_CASE(status == TALUS_OK, "%s: %s", talus_method_name(settings->method),
             talus_context_message(context));
  return info;
}

static talus_problem dense(int dimension, int contacts, int rows, const double *w, const double *q,
                           const double *friction) {
  talus_problem problem = talus_problem_default(TALUS_FORM_DELASSUS);
  const int32_t size = dimension * contacts + rows;
  problem.dimension = dimension;
  problem.contact_count = contacts;
  problem.bilateral_count = rows;
  problem.friction = friction;
  problem.delassus.w = (talus_matrix){.storage = TALUS_STORAGE_DENSE,
                                      .rows = size,
                                      .columns = size,
                                      .count = (int64_t)size * size,
                                      .value = w};
  problem.delassus.q = q;
  return problem;
}

/* Two bilateral rows that are one and the same motion, asked to do two things. */
static void test_contradiction(void) {
  const double w[4] = {1, 1, 1, 1}, q[2] = {1, -1};
  const talus_problem problem = dense(3, 0, 2, w, q, NULL);
  for (int i = 0; i < METHODS; i++) {
    const talus_settings settings = settings_of(methods[i], TALUS_LAW_COULOMB, 1e-8);
    const talus_info info = solve(&problem, &settings);
    CHECK_CASE(methods[i] == TALUS_METHOD_LEMKE ? info.outcome == TALUS_OUTCOME_INCONSISTENT
                                                : info.outcome == TALUS_OUTCOME_STALLED,
               "%s: %s", talus_method_name(methods[i]), talus_outcome_name(info.outcome));
    CHECK(info.measure > 0.1 && info.measure <= 1);
  }
}

/* Four contacts, two of which never slide, and a row: after the first phases `auto` went round in
 * circles until its iterations were spent. */
static void test_steep(void) {
  enum { FREEDOMS = 11, SIZE = 13 };
  static const double jacobian[SIZE][FREEDOMS] = {
      {-1.13, 1.09, 1.03, 0.31, -0.34, -0.39, 0.37, 0.36, -0.56, -0.31, -0.01},
      {0.85, 0.27, -0.31, 0.44, -0.02, -0.34, -0.24, 0.68, -0.83, -0.3, -0.53},
      {1.76, -0.16, -2.21, -1.74, 0.7, -0.63, -0.39, 0.03, -1.13, 0.86, -0.35},
      {-1.55, -0.52, -0.65, 1.63, -0.07, 0.33, -0.11, 0.21, 0.36, 0.31, 0.13},
      {1.57, -1.22, 1.07, 1.13, -0.13, -1.07, 0.41, -1.35, -0.37, -0.4, -0.51},
      {0.08, -0.02, -0.77, -1.82, 0.46, 0.15, -0.43, 1.06, -0.41, 0.29, 0.41},
      {1.19, -0.78, 1.2, -0.25, -0.15, -0.24, -1.13, 1.12, 0.39, 0.53, -0.89},
      {-0.14, -0.13, 0.18, -2.23, 1.05, 0.29, -0.58, -0.62, -0.06, -0.18, 0.55},
      {0.91, -0.75, 1.35, -1.01, 0.65, 0.01, -0.46, -0.25, -0.55, 0.42, 0.31},
      {1.66, -2.34, 0.53, -1.75, 2.52, 1.02, -0.86, -0.23, 0.29, 0.59, 0.49},
      {0.31, -0.01, 0.02, 1.51, 0.66, -0.76, -0.53, 1.35, -0.37, 0.33, -0.43},
      {-1.21, -0.64, -1.39, 0.95, 0.0, 0.63, 0.34, -0.84, -0.61, 0.67, 0.63},
      {1.11, -0.15, -0.05, 0.2, -1.01, -0.67, -0.27, 0.43, -0.48, -0.08, -0.5}};
  static const double q[SIZE] = {-0.69, 0.05,  2.7,   0.27,  -1.39, -2.22, -1.47,
                                 -1.37, -0.54, -2.19, -1.48, 3.87,  -0.68};
  static const double friction[4] = {0.1, 5, 1000, 1000};
  double w[SIZE * SIZE];
  for (int i = 0; i < SIZE * SIZE; i++) {
    w[i] = 0;
    for (int f = 0; f < FREEDOMS; f++) {
      w[i] += jacobian[i / SIZE][f] * jacobian[i % SIZE][f];
    }
  }
  const talus_problem problem = dense(3, 4, 1, w, q, friction);
  const talus_settings settings = settings_of(TALUS_METHOD_AUTO, TALUS_LAW_COULOMB, 1e-4);
  const talus_info info = solve(&problem, &settings);
  CHECK_CASE(info.outcome == TALUS_OUTCOME_CONVERGED, "%s at %g", talus_outcome_name(info.outcome),
             info.measure);
  CHECK(oracle_epsilon(&problem, impulse, bilateral, TALUS_LAW_COULOMB) <= 1.001e-4);
}

/* Bilateral rows whose W has nothing on its diagonal are solved all the same. */
static void test_crossed(void) {
  static const double w[3][4] = {{0, 1, 1, 0}, {0, 1, -1, 0}, {0, 1, -1, 1}};
  const double q[2] = {1, 2};
  for (int i = 0; i < 3; i++) {
    const talus_problem problem = dense(3, 0, 2, w[i], q, NULL);
    const talus_settings settings = settings_of(TALUS_METHOD_LEMKE, TALUS_LAW_COULOMB, 1e-8);
    const talus_info info = solve(&problem, &settings);
    CHECK_CASE(info.outcome == TALUS_OUTCOME_CONVERGED, "%d: %s", i,
               talus_outcome_name(info.outcome));
    for (int row = 0; row < 2; row++) { /* columns first */
      CHECK_CLOSE(w[i][row] * bilateral[0] + w[i][row + 2] * bilateral[1], -q[row], 1e-7);
    }
  }
}

/* A row that only a contact moves is no contradiction, though pivots on rows cannot take it. */
static void test_hanging(void) {
  const double w[4] = {1, 1, -1, 0}, q[2] = {-1, 0.5}, friction[1] = {0};
  const talus_problem problem = dense(1, 1, 1, w, q, friction);
  const talus_settings settings = settings_of(TALUS_METHOD_LEMKE, TALUS_LAW_COULOMB, 1e-8);
  const talus_info info = solve(&problem, &settings);
  CHECK_CASE(info.outcome == TALUS_OUTCOME_STALLED || info.outcome == TALUS_OUTCOME_CONVERGED, "%s",
             talus_outcome_name(info.outcome));
}

/* A body between two walls that close on it: no normal impulse opens both. */
static void test_squeezed(int friction_too) {
  const double w[4] = {1, -1, -1, 1}, q[2] = {-1, -1}, none[2] = {0, 0}, some[2] = {0.5, 0.5};
  double w2[16] = {0}, q2[4] = {-1, 0.2, -1, 0.1};
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 2; j++) {
      w2[(2 * i) + 4 * (2 * j)] = w[i + 2 * j];
      w2[(2 * i + 1) + 4 * (2 * j + 1)] = 1 + (i == j);
    }
  }
  const talus_problem problem =
      friction_too ? dense(2, 2, 0, w2, q2, some) : dense(1, 2, 0, w, q, none);
  for (int i = 0; i < METHODS; i++) {
    for (int law = 0; law < 2; law++) {
      const talus_settings settings = settings_of(methods[i], (talus_law)law, 1e-8);
      const talus_info info = solve(&problem, &settings);
      CHECK_CASE(info.outcome == TALUS_OUTCOME_INCONSISTENT ||
                     (methods[i] != TALUS_METHOD_LEMKE && info.outcome == TALUS_OUTCOME_STALLED),
                 "%s, law %d, friction %d: %s", talus_method_name(methods[i]), law, friction_too,
                 talus_outcome_name(info.outcome));
      CHECK(info.measure > 1e-8);
    }
  }
}

/* Indefinite W: whatever is found, the certificate says what it is worth. */
static void test_indefinite(void) {
  uint64_t state = 3;
  for (int turn = 0; turn < 40; turn++) {
    double w[81], q[9], friction[3] = {0.4, 0, 1.5};
    for (int i = 0; i < 81; i++) {
      w[i] = oracle_random(&state, -1, 1);
    }
    for (int i = 0; i < 9; i++) {
      w[10 * i] = oracle_random(&state, 0.1, 1);
      q[i] = oracle_random(&state, -1, 1);
    }
    const talus_problem problem = dense(3, 3, 0, w, q, friction);
    for (int i = 0; i < METHODS; i++) {
      const talus_settings settings = settings_of(methods[i], (talus_law)(turn % 2), 1e-8);
      const talus_info info = solve(&problem, &settings);
      const double epsilon = settings.cone == TALUS_CONE_CIRCULAR
                                 ? oracle_epsilon(&problem, impulse, NULL, settings.law)
                                 : oracle_epsilon_faceted(&problem, &settings, impulse, NULL);
      CHECK_CASE((info.outcome == TALUS_OUTCOME_CONVERGED) == (info.measure <= 1e-8),
                 "%s: %s at %g", talus_method_name(methods[i]), talus_outcome_name(info.outcome),
                 info.measure);
      CHECK_CASE(fabs(epsilon - info.measure) <= 1e-6 * epsilon + 1e-13, "%s: %g, not %g",
                 talus_method_name(methods[i]), info.measure, epsilon);
    }
  }
}

/* No friction at all, in three dimensions: tangential impulses are none. */
static void test_frictionless(void) {
  for (int i = 0; i < METHODS; i++) {
    oracle_recipe recipe = oracle_recipe_default(TALUS_FORM_RIGID);
    recipe.frictionless = 1;
    oracle_made made = oracle_problem_make(&recipe);
    const talus_settings settings = settings_of(methods[i], TALUS_LAW_COULOMB, 1e-10);
    const talus_info info = solve(&made.problem, &settings);
    CHECK_CASE(info.outcome == TALUS_OUTCOME_CONVERGED, "%s", talus_method_name(methods[i]));
    CHECK(oracle_epsilon(&made.problem, impulse, NULL, TALUS_LAW_COULOMB) <= 1.01e-10);
    oracle_made_free(&made);
  }
}

static int stop_at_third(void *user, int64_t iterations, int64_t passes, double measure,
                         double seconds) {
  int *const calls = user;
  CHECK(iterations >= 0 && passes >= 0 && measure <= 1 && seconds >= 0);
  return ++*calls >= 3;
}

static void test_limits(void) {
  oracle_made made = family_make(family_at(17), TALUS_LAW_COULOMB, 3); /* rank-deficient */
  for (int i = 0; i < METHODS; i++) {
    talus_settings settings = settings_of(methods[i], TALUS_LAW_COULOMB, 1e-300);
    double before = 1;
    for (int64_t limit = 0; limit < 6; limit++) {
      settings.max_iterations = limit;
      const talus_info info = solve(&made.problem, &settings);
      CHECK_CASE(info.outcome == TALUS_OUTCOME_ITERATION_LIMIT && info.iterations == limit,
                 "%s: %s after %lld of %lld", talus_method_name(methods[i]),
                 talus_outcome_name(info.outcome), (long long)info.iterations, (long long)limit);
      CHECK(info.measure <= before && (limit > 0 || info.measure == 1));
      before = methods[i] == TALUS_METHOD_LEMKE ? 1 : info.measure; /* pivots pass through worse */
    }
    settings.max_iterations = 1000000;
    settings.max_seconds = 1e-9;
    CHECK(solve(&made.problem, &settings).outcome == TALUS_OUTCOME_TIME_LIMIT);
    int calls = 0;
    settings.max_seconds = 0;
    settings.progress = stop_at_third;
    settings.progress_user = &calls;
    const talus_info info = solve(&made.problem, &settings);
    CHECK(info.outcome == TALUS_OUTCOME_TIME_LIMIT && (info.notes & TALUS_NOTE_STOPPED) != 0);
    CHECK(calls == 3);
  }
  oracle_made_free(&made);
}

/* Too many contacts, the wrong cone, the wrong precision: said so. */
static void test_refusals(void) {
  talus_generate_def def = talus_generate_def_default(TALUS_GENERATE_HEAP);
  talus_stored *stored;
  def.body_count = 600;
  CHECK(talus_problem_generate(context, &def, &stored) == TALUS_OK);
  talus_settings settings = settings_of(TALUS_METHOD_MNCP_PLM, TALUS_LAW_COULOMB, 1e-4);
  CHECK(talus_solve_once(context, &stored->problem, &settings, NULL, NULL) == TALUS_UNSUPPORTED);
  CHECK(strstr(talus_context_message(context), "at most 1024") != NULL);
  settings.precision = TALUS_F32;
  talus_solver *solver;
  CHECK(talus_solver_create(context, &settings, &solver) == TALUS_UNSUPPORTED);
  CHECK(strstr(talus_context_message(context), "F64") != NULL);
  settings = settings_of(TALUS_METHOD_JACOBI, TALUS_LAW_COULOMB, 1e-4);
  settings.cone = TALUS_CONE_BOX;
  CHECK(talus_solver_create(context, &settings, &solver) == TALUS_UNSUPPORTED);
  CHECK(strstr(talus_context_message(context), "these do: lemke, pfb_rlm") != NULL);
  settings = settings_of(TALUS_METHOD_LEMKE, TALUS_LAW_COULOMB, 1e-4);
  settings.measure = TALUS_MEASURE_SICONOS;
  CHECK(talus_solver_create(context, &settings, &solver) == TALUS_UNSUPPORTED);
  settings = settings_of(TALUS_METHOD_PFB_PLM, TALUS_LAW_COULOMB, 1e-4);
  settings.cone = TALUS_CONE_CIRCULAR;
  CHECK(talus_solver_create(context, &settings, &solver) == TALUS_UNSUPPORTED);
  CHECK(strstr(talus_context_message(context), "mncp_plm") != NULL);
  CHECK(strstr(talus_context_message(context), "pyramid, box, not circular") != NULL);
  for (int i = 0; i < 2; i++) { /* they would do nothing */
    settings = settings_of(TALUS_METHOD_AUTO, TALUS_LAW_COULOMB, 1e-4);
    settings.precision = TALUS_F32;
    settings.unique = i;
    settings.islands = !i;
    CHECK(talus_solver_create(context, &settings, &solver) == TALUS_UNSUPPORTED);
    CHECK(strstr(talus_context_message(context), i ? "unique" : "islands") != NULL);
  }
  talus_stored_destroy(stored);
}

int main(void) {
  if (talus_context_create(NULL, &context) != TALUS_OK) {
    return EXIT_FAILURE;
  }
  test_contradiction();
  test_steep();
  test_crossed();
  test_hanging();
  test_squeezed(0);
  test_squeezed(1);
  test_indefinite();
  test_frictionless();
  test_limits();
  test_refusals();
  talus_context_destroy(context);
  return check_end();
}
