/* test_outcomes.c: limits, warm starts, and what a solver remembers from one solve to the next:
 * nothing but memory. */
#include <string.h>

#include "talus/talus_world.h"
#include "tests/check.h"
#include "tests/solver/families.h"

enum { ROOM = 512 };

/* What one solve gave. */
typedef struct answer {
  double impulse[ROOM], bilateral[16];
  talus_info info;
  talus_status status;
} answer;

static void solver_run(talus_solver *solver, answer *a, int keep_start) {
  talus_solution solution = talus_solution_default();
  if (!keep_start) {
    memset(a, 0, sizeof *a);
  }
  solution.impulse = a->impulse;
  solution.bilateral_impulse = a->bilateral;
  a->info = talus_info_default();
  a->status = talus_solver_solve(solver, &solution, &a->info);
}

/* A fresh solver for one problem. */
static void once(talus_context *context, const talus_problem *problem,
                 const talus_settings *settings, answer *a, int keep_start) {
  talus_solver *solver = NULL;
  CHECK(talus_solver_create(context, settings, &solver) == TALUS_OK);
  const talus_status status = talus_solver_update(solver, problem);
  CHECK_CASE(status == TALUS_OK, "%s", talus_context_message(context));
  solver_run(solver, a, keep_start);
  talus_solver_destroy(solver);
}

static talus_settings settings_of(talus_law law, talus_method method, double tolerance) {
  talus_settings settings = talus_settings_default();
  settings.law = law;
  settings.method = method;
  settings.tolerance = tolerance;
  return settings;
}

/* ---- limits ---------------------------------------------------------------------------------- */

static void test_iteration_limit(talus_context *context, const talus_problem *problem) {
  const int64_t limits[] = {0, 1, 7, 50};
  for (int method = 0; method < TALUS_METHOD_NEWTON; method++) { /* others: tests/newton */
    double before = 2;
    for (int i = 0; i < 4; i++) {
      answer a;
      talus_settings settings = settings_of(TALUS_LAW_CCP, (talus_method)method, 1e-15);
      settings.max_iterations = limits[i];
      once(context, problem, &settings, &a, 0);
      CHECK(a.status == TALUS_OK);
      /* a direct method, which auto may take, can be there before the last limit */
      const int there = method == TALUS_METHOD_AUTO && a.info.measure <= settings.tolerance;
      const talus_outcome wanted = there ? TALUS_OUTCOME_CONVERGED : TALUS_OUTCOME_ITERATION_LIMIT;
      CHECK_CASE(a.info.outcome == wanted, "%s: %s", talus_method_name((talus_method)method),
                 talus_outcome_name(a.info.outcome));
      CHECK_CASE(there ? a.info.iterations < limits[i] : a.info.iterations == limits[i],
                 "%s: %lld of %lld iterations", talus_method_name((talus_method)method),
                 (long long)a.info.iterations, (long long)limits[i]);
      CHECK(a.info.passes >= a.info.iterations);
      CHECK_CASE(a.info.measure <= before && a.info.measure <= 1, "%s: %g after %g",
                 talus_method_name((talus_method)method), a.info.measure, before);
      CHECK(limits[i] > 0 || (a.info.measure == 1 && a.impulse[0] == 0)); /* nothing was done */
      before = a.info.measure;
    }
  }
}

typedef struct watcher {
  int64_t calls, iterations, stop_after;
  int backwards;
} watcher;

static int watch(void *user, int64_t iterations, int64_t passes, double measure, double seconds) {
  watcher *w = user;
  w->backwards +=
      iterations < w->iterations || passes < iterations || !(seconds >= 0) || !(measure >= 0);
  w->iterations = iterations;
  w->calls++;
  return w->stop_after > 0 && w->calls >= w->stop_after;
}

static void test_stops(talus_context *context, const talus_problem *problem) {
  for (int method = 0; method < ANY_SIZE_COUNT; method++) {
    answer a;
    talus_settings settings = settings_of(TALUS_LAW_CCP, (talus_method)method, 1e-15);
    settings.max_seconds = 1e-9;
    once(context, problem, &settings, &a, 0);
    CHECK(a.status == TALUS_OK && a.info.outcome == TALUS_OUTCOME_TIME_LIMIT);
    CHECK_CASE(a.info.iterations <= 50 && (a.info.notes & TALUS_NOTE_STOPPED) == 0, "%lld",
               (long long)a.info.iterations);
    watcher w = {.stop_after = 3};
    settings.max_seconds = 0;
    settings.progress = watch;
    settings.progress_user = &w;
    once(context, problem, &settings, &a, 0);
    CHECK(a.status == TALUS_OK && a.info.outcome == TALUS_OUTCOME_TIME_LIMIT);
    CHECK((a.info.notes & TALUS_NOTE_STOPPED) != 0);
    CHECK(w.calls == 3 && w.backwards == 0);
    CHECK(a.info.iterations == w.iterations);
    w = (watcher){0};
    settings.tolerance = 1e-2;
    once(context, problem, &settings, &a, 0);
    CHECK(a.info.outcome == TALUS_OUTCOME_CONVERGED && w.calls > 0 && w.backwards == 0);
  }
}

/* An accuracy that the numbers do not have: no endless run, and no lie. */
static void test_stalls(talus_context *context, const talus_problem *problem) {
  for (int method = 0; method < TALUS_METHOD_NEWTON; method++) { /* others have no f32 */
    answer a;
    talus_settings settings = settings_of(TALUS_LAW_COULOMB, (talus_method)method, 1e-12);
    settings.precision = TALUS_F32;
    once(context, problem, &settings, &a, 0);
    CHECK_CASE(a.status == TALUS_OK && a.info.outcome == TALUS_OUTCOME_STALLED, "%s: %s at %g",
               talus_method_name((talus_method)method), talus_outcome_name(a.info.outcome),
               a.info.measure);
    CHECK(a.info.measure > 1e-12 && a.info.measure < 1e-2);
  }
}

/* No impulse opens contacts that close by themselves against an immovable wall of rows. */
static void test_no_solution(talus_context *context) {
  const double w[4] = {1, 1, 1, 1},
               q[2] = {1, -1}; /* u1 = u2 + 2: both bilateral rows cannot be 0 */
  talus_problem problem = talus_problem_default(TALUS_FORM_DELASSUS);
  problem.bilateral_count = 2;
  problem.delassus.w = (talus_matrix){
      .storage = TALUS_STORAGE_DENSE, .rows = 2, .columns = 2, .count = 4, .value = w};
  problem.delassus.q = q;
  for (int method = 0; method < ANY_SIZE_COUNT; method++) {
    answer a;
    talus_settings settings = settings_of(TALUS_LAW_COULOMB, (talus_method)method, 1e-4);
    once(context, &problem, &settings, &a, 0);
    CHECK(a.status == TALUS_OK);
    CHECK_CASE(a.info.outcome == TALUS_OUTCOME_STALLED ||
                   a.info.outcome == TALUS_OUTCOME_INCONSISTENT,
               "%s: %s at %g", talus_method_name((talus_method)method),
               talus_outcome_name(a.info.outcome), a.info.measure);
  }
}

/* Numbers at the edge of what can be represented: any outcome, but the truth, and finite impulses.
 * Squares of 1e-300 are 0, and nothing else is asked of them. */
static void test_extremes(talus_context *context) {
  const double scale[] = {1e-300, 1e-150, 1e-30, 1, 1e30, 1e150, 1e300};
  for (int i = 0; i < 49; i++) {
    const double weight = scale[i / 7], speed = scale[i % 7];
    const double w[9] = {2 * weight, 0, 0, 0, weight, 0, 0, 0, 3 * weight};
    const double q[3] = {-speed, 0.5 * speed, 0}, friction[1] = {0.5};
    talus_problem problem = talus_problem_default(TALUS_FORM_DELASSUS);
    problem.contact_count = 1;
    problem.friction = friction;
    problem.delassus.w = (talus_matrix){
        .storage = TALUS_STORAGE_DENSE, .rows = 3, .columns = 3, .count = 9, .value = w};
    problem.delassus.q = q;
    for (int precision = 0; precision < 2; precision++) {
      answer a;
      talus_settings settings = settings_of(TALUS_LAW_CCP, TALUS_METHOD_AUTO, 1e-4);
      settings.precision = (talus_precision)precision;
      once(context, &problem, &settings, &a, 0);
      const double epsilon = oracle_epsilon(&problem, a.impulse, NULL, TALUS_LAW_CCP);
      const int converged = a.info.outcome == TALUS_OUTCOME_CONVERGED;
      CHECK(a.status == TALUS_OK);
      CHECK_CASE(isfinite(a.impulse[0] + a.impulse[1] + a.impulse[2]), "W %g, q %g: %g %g %g",
                 weight, speed, a.impulse[0], a.impulse[1], a.impulse[2]);
      CHECK_CASE(!converged || epsilon <= 1.001e-4 || speed / sqrt(weight) < 1e-140,
                 "W %g, q %g, %s: converged, but %g", weight, speed,
                 talus_precision_name(settings.precision), epsilon);
      const int moderate = weight > 1e-40 && weight < 1e40 && speed > 1e-40 && speed < 1e40;
      CHECK_CASE(converged || !moderate, "W %g, q %g: %s at %g", weight, speed,
                 talus_outcome_name(a.info.outcome), a.info.measure);
    }
  }
}

/* ---- warm start ------------------------------------------------------------------------------ */

static void test_warm(talus_context *context) {
  uint64_t state = 5;
  for (int i = 0; i < FAMILY_COUNT; i++) {
    const family *f = family_at(i);
    oracle_made made = family_make(f, TALUS_LAW_CCP, 6);
    const talus_problem *problem = &made.problem;
    const int rows = problem->dimension * problem->contact_count;
    answer cold, warm;
    talus_settings settings = settings_of(TALUS_LAW_CCP, TALUS_METHOD_AUTO, 1e-3);
    once(context, problem, &settings, &cold, 0);
    settings.warm_start = 1;
    memcpy(warm.impulse, made.impulse, (size_t)rows * sizeof(double));
    memset(warm.bilateral, 0, sizeof warm.bilateral);
    if (problem->bilateral_count > 0) {
      memcpy(warm.bilateral, made.bilateral_impulse,
             (size_t)problem->bilateral_count * sizeof(double));
    }
    once(context, problem, &settings, &warm, 1);
    CHECK_CASE(warm.info.outcome == TALUS_OUTCOME_CONVERGED && warm.info.iterations == 0,
               "%s: %s after %lld iterations", f->name, talus_outcome_name(warm.info.outcome),
               (long long)warm.info.iterations);
    CHECK(warm.info.measure < 1e-9);
    /* nonsense: as good as cold, bit for bit where it is refused */
    for (int r = 0; r < rows; r++) {
      warm.impulse[r] = 1e4 * oracle_random(&state, -1, 1) * made.impulse[r] + 1e3;
    }
    once(context, problem, &settings, &warm, 1);
    CHECK_CASE(warm.info.outcome == cold.info.outcome &&
                   memcmp(warm.impulse, cold.impulse, (size_t)rows * sizeof(double)) == 0,
               "%s: %s after %lld iterations, cold %lld", f->name,
               talus_outcome_name(warm.info.outcome), (long long)warm.info.iterations,
               (long long)cold.info.iterations);
    /* what is not a number is refused by name */
    warm.impulse[rows - 1] = NAN;
    once(context, problem, &settings, &warm, 1);
    char name[64];
    snprintf(name, sizeof name, "solution.impulse[%d]", rows - 1);
    CHECK(warm.status == TALUS_NOT_FINITE);
    CHECK_CASE(strstr(talus_context_message(context), name) != NULL, "%s",
               talus_context_message(context));
    if (problem->bilateral_count > 0) {
      warm.impulse[rows - 1] = 0;
      warm.bilateral[1] = INFINITY;
      once(context, problem, &settings, &warm, 1);
      CHECK(warm.status == TALUS_NOT_FINITE &&
            strstr(talus_context_message(context), "bilateral_impulse[1]") != NULL);
    }
    talus_info info = talus_info_default();
    CHECK(talus_solve_once(context, problem, &settings, NULL, &info) == TALUS_MISSING_ARRAY);
    oracle_made_free(&made);
  }
}

/* ---- one solver for many problems ------------------------------------------------------------ */

static void check_same(const answer *a, const answer *b, const char *what) {
  CHECK_CASE(a->status == TALUS_OK && b->status == TALUS_OK, "%s", what);
  CHECK_CASE(memcmp(a->impulse, b->impulse, sizeof a->impulse) == 0 &&
                 memcmp(a->bilateral, b->bilateral, sizeof a->bilateral) == 0,
             "%s: other bits", what);
  CHECK_CASE(a->info.iterations == b->info.iterations && a->info.passes == b->info.passes &&
                 a->info.outcome == b->info.outcome && a->info.method == b->info.method &&
                 a->info.notes == b->info.notes && a->info.colours == b->info.colours &&
                 a->info.measure == b->info.measure,
             "%s: %lld and %lld iterations, %d and %d colours", what, (long long)a->info.iterations,
             (long long)b->info.iterations, a->info.colours, b->info.colours);
}

static talus_settings settings_draw(uint64_t *state) {
  talus_settings settings = talus_settings_default();
  settings.law = oracle_random(state, 0, 1) < 0.5 ? TALUS_LAW_CCP : TALUS_LAW_COULOMB;
  settings.method = (talus_method)oracle_random(state, 0, ANY_SIZE_COUNT - 0.001);
  const int single = oracle_random(state, 0, 1) >= 0.5 && settings.method < TALUS_METHOD_NEWTON;
  settings.precision = single ? TALUS_F32 : TALUS_F64;
  settings.tolerance = 1e-3;
  settings.max_iterations = 300;
  return settings;
}

static void test_reuse(talus_context *context) {
  uint64_t state = 99;
  talus_solver *solver = NULL;
  CHECK(talus_solver_create(context, NULL, &solver) == TALUS_OK);
  for (int turn = 0; turn < 150; turn++) {
    const int i = (int)oracle_random(&state, 0, FAMILY_COUNT - 0.001);
    family f = *family_at(i);
    f.contact_count = 1 + (int)oracle_random(&state, 0, (double)f.contact_count);
    char what[160];
    oracle_made made = family_make(&f, TALUS_LAW_COULOMB, 100 + (uint64_t)turn);
    talus_settings settings = settings_draw(&state);
    const int set_first = oracle_random(&state, 0, 1) < 0.5;
    answer used, fresh;
    snprintf(what, sizeof what, "turn %d: %s, %s, %s, %s", turn, f.name,
             talus_law_name(settings.law), talus_method_name(settings.method),
             talus_precision_name(settings.precision));
    CHECK(!set_first || talus_solver_set(solver, &settings) == TALUS_OK);
    CHECK_CASE(talus_solver_update(solver, &made.problem) == TALUS_OK, "%s", what);
    CHECK(set_first || talus_solver_set(solver, &settings) == TALUS_OK);
    solver_run(solver, &used, 0);
    once(context, &made.problem, &settings, &fresh, 0);
    check_same(&used, &fresh, what);
    settings = settings_draw(&state); /* the same problem once more, otherwise */
    CHECK(talus_solver_set(solver, &settings) == TALUS_OK);
    solver_run(solver, &used, 0);
    once(context, &made.problem, &settings, &fresh, 0);
    snprintf(what, sizeof what, "turn %d again: %s, %s, %s, %s", turn, f.name,
             talus_law_name(settings.law), talus_method_name(settings.method),
             talus_precision_name(settings.precision));
    check_same(&used, &fresh, what);
    if (turn % 10 == 3) { /* a refused problem in between leaves nothing behind */
      talus_problem broken = made.problem;
      broken.dimension = 7;
      CHECK(talus_solver_update(solver, &broken) == TALUS_INVALID_ARGUMENT);
      solver_run(solver, &used, 0);
      CHECK(used.status == TALUS_CALL_ORDER);
    }
    oracle_made_free(&made); /* the solver must not look at it when it gets new settings */
  }
  talus_solver_destroy(solver);
}

/* Of a method that does not sweep no colours are told. */
static void test_colours(talus_context *context, const talus_problem *problem) {
  talus_solver *solver = NULL;
  answer a;
  talus_settings settings = settings_of(TALUS_LAW_CCP, TALUS_METHOD_GAUSS_SEIDEL, 1e-3);
  CHECK(talus_solver_create(context, &settings, &solver) == TALUS_OK);
  CHECK(talus_solver_update(solver, problem) == TALUS_OK);
  solver_run(solver, &a, 0);
  CHECK(a.info.colours > 0 && a.info.method == TALUS_METHOD_GAUSS_SEIDEL);
  settings.method = TALUS_METHOD_APGDB;
  CHECK(talus_solver_set(solver, &settings) == TALUS_OK);
  solver_run(solver, &a, 0);
  CHECK(a.info.colours == 0 && a.info.method == TALUS_METHOD_APGDB);
  talus_solver_destroy(solver);
}

static void test_measure(talus_context *context, const oracle_made *made) {
  answer a;
  talus_settings settings = settings_of(TALUS_LAW_CCP, TALUS_METHOD_AUTO, 1e-7);
  settings.measure = TALUS_MEASURE_SICONOS;
  once(context, &made->problem, &settings, &a, 0);
  CHECK(a.info.outcome == TALUS_OUTCOME_CONVERGED);
  CHECK(a.info.measure == a.info.certificate.siconos_ccp);
  CHECK(oracle_siconos(&made->problem, a.impulse, a.bilateral, TALUS_LAW_CCP) <= 1.000001e-7);
}

/* So many iterations and no word on what they are worth, by every method that does it. */
static void test_fixed(talus_context *context, const talus_problem *problem) {
  for (int method = 0; method < TALUS_METHOD_NEWTON; method++) {
    talus_settings settings = settings_of(TALUS_LAW_COULOMB, (talus_method)method, 1e-4);
    talus_solver *solver = NULL;
    answer a;
    settings.fixed_iterations = 450; /* beyond what a longer memory waits for */
    settings.max_iterations = 3;
    const talus_status status = talus_solver_create(context, &settings, &solver);
    talus_solver_destroy(solver);
    CHECK(status == (method == TALUS_METHOD_APGD ? TALUS_UNSUPPORTED : TALUS_OK));
    if (status == TALUS_OK) {
      once(context, problem, &settings, &a, 0);
      CHECK(a.status == TALUS_OK && a.info.outcome == TALUS_OUTCOME_UNCHECKED);
      CHECK(a.info.iterations == 450 && a.info.measure != a.info.measure);
      CHECK(a.info.certificate.epsilon_ccp != a.info.certificate.epsilon_ccp);
      CHECK_CASE(oracle_epsilon(problem, a.impulse, a.bilateral, TALUS_LAW_COULOMB) < 1e-2, "%s",
                 talus_method_name((talus_method)method));
    }
  }
  talus_world_def def = talus_world_def_default();
  talus_world *world = NULL;
  def.solver.fixed_iterations = 5;
  CHECK(talus_world_create(context, &def, &world) == TALUS_BAD_SETTING &&
        strstr(talus_context_message(context), "fixed_iterations") != NULL);
}

int main(void) {
  talus_context_def def = talus_context_def_default();
  talus_context *context;
  def.threads = 1;
  def.backend = TALUS_BACKEND_CPU;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  oracle_made made = family_make(family_at(3), TALUS_LAW_CCP, 1);
  test_iteration_limit(context, &made.problem);
  test_stops(context, &made.problem);
  test_stalls(context, &made.problem);
  test_colours(context, &made.problem);
  test_measure(context, &made);
  test_fixed(context, &made.problem);
  test_no_solution(context);
  test_extremes(context);
  test_warm(context);
  test_reuse(context);
  oracle_made_free(&made);
  talus_context_destroy(context);
  return check_end();
}
