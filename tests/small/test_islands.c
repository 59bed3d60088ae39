/* test_islands.c: groups of contacts that share no moving body are found and solved each for
 * itself.
 *
 * Many small piles of spheres, and a heap that is too large to be an island of few: judged by the
 * oracle, the same bits on any number of threads, and the impulses of a pile are those it has when
 * it is alone; limits are those of the whole. */
#include <string.h>

#include "tests/check.h"
#include "tests/oracle/oracle.h"

enum { PILES = 40, PILE = 5, HEAP = 60, BODIES = PILES * PILE + HEAP, MOST = 3 * BODIES };

typedef struct scene {
  double velocity[6 * BODIES], inverse_mass[BODIES], inverse_inertia[6 * BODIES];
  double friction[MOST], normal[3 * MOST], reach_a[MOST], reach_b[MOST], impulse[3 * MOST];
  int32_t body_a[MOST], body_b[MOST], contacts, bodies;
} scene;

static talus_context *context;
static scene whole, alone;

static void contact_add(scene *s, int32_t a, int32_t b, uint64_t *state) {
  double *const n = s->normal + 3 * s->contacts;
  const double x = oracle_random(state, -0.6, 0.6), y = oracle_random(state, -0.6, 0.6);
  const double size = sqrt(x * x + y * y + 1);
  n[0] = x / size;
  n[1] = y / size;
  n[2] = 1 / size;
  s->body_a[s->contacts] = a;
  s->body_b[s->contacts] = b;
  s->reach_a[s->contacts] = a < 0 ? 0 : 0.5;
  s->reach_b[s->contacts] = 0.5;
  s->friction[s->contacts++] = oracle_random(state, 0.2, 0.7);
}

/* Each sphere of a group rests on the ground or on the two before it. */
static void group_add(scene *s, int32_t count, uint64_t *state) {
  const int32_t first = s->bodies;
  for (int32_t i = 0; i < count; i++) {
    const int32_t body = s->bodies++;
    const double mass = oracle_random(state, 0.8, 1.2);
    s->inverse_mass[body] = 1 / mass;
    for (int c = 0; c < 3; c++) {
      s->inverse_inertia[6 * body + (c == 0 ? 0 : c == 1 ? 3 : 5)] = 10 / mass;
      s->velocity[6 * body + c] = oracle_random(state, -0.3, 0.3) - (c == 2);
      s->velocity[6 * body + 3 + c] = oracle_random(state, -1, 1);
    }
    contact_add(s, -1, body, state);
    if (body - first > 0) {
      contact_add(s, body - 1, body, state);
    }
    if (body - first > 1 && i % 2 == 0) {
      contact_add(s, body - 2, body, state);
    }
  }
}

static talus_problem problem_of(scene *s) {
  talus_problem problem = talus_problem_default(TALUS_FORM_RIGID);
  problem.contact_count = s->contacts;
  problem.friction = s->friction;
  problem.rigid = (talus_rigid){.body_count = s->bodies,
                                .velocity = s->velocity,
                                .inverse_mass = s->inverse_mass,
                                .inverse_inertia = s->inverse_inertia,
                                .body_a = s->body_a,
                                .body_b = s->body_b,
                                .normal = s->normal,
                                .reach_a = s->reach_a,
                                .reach_b = s->reach_b};
  return problem;
}

static talus_info solve(scene *s, double tolerance, int32_t threads, int32_t islands) {
  talus_settings settings = talus_settings_default();
  talus_solution solution = talus_solution_default();
  talus_info info = talus_info_default();
  const talus_problem problem = problem_of(s);
  settings.tolerance = tolerance;
  settings.islands = islands;
  settings.threads = threads;
  settings.same_bits = 1;
  settings.max_iterations = 2000;
  solution.impulse = s->impulse;
  const talus_status status = talus_solve_once(context, &problem, &settings, &solution, &info);
  CHECK_CASE(status == TALUS_OK, "%s", talus_context_message(context));
  const double epsilon = oracle_epsilon(&problem, s->impulse, NULL, TALUS_LAW_COULOMB);
  if (islands) {
    CHECK_CASE(info.outcome == TALUS_OUTCOME_CONVERGED && epsilon <= 1.01 * tolerance,
               "%d contacts: %s, %g", s->contacts, talus_outcome_name(info.outcome), epsilon);
  }
  return info;
}

static void scene_make(scene *s, int32_t piles, int32_t heap, uint64_t seed) {
  uint64_t state = seed;
  memset(s, 0, sizeof *s);
  for (int32_t i = 0; i < piles; i++) {
    group_add(s, PILE, &state);
  }
  if (heap > 0) {
    group_add(s, heap, &state);
  }
}

/* Piles alone: nothing is left for other methods. */
static void test_piles(void) {
  static double before[3 * MOST];
  scene_make(&whole, PILES, 0, 3);
  for (int32_t threads = 1; threads <= 3; threads++) {
    const talus_info info = solve(&whole, 1e-10, threads, 1);
    CHECK_CASE(info.method == TALUS_METHOD_MNCP_PROX, "%s", talus_method_name(info.method));
    CHECK(threads == 1 || memcmp(before, whole.impulse, sizeof before) == 0);
    memcpy(before, whole.impulse, sizeof before);
  }
  /* the first pile, alone in the world: the same impulses but for what others do to scales */
  scene_make(&alone, 1, 0, 3);
  solve(&alone, 1e-10, 1, 1);
  for (int32_t i = 0; i < 3 * alone.contacts; i++) {
    CHECK_CASE(fabs(alone.impulse[i] - whole.impulse[i]) < 1e-7, "impulse %d: %g and %g", i,
               alone.impulse[i], whole.impulse[i]);
  }
}

/* With a heap the usual methods have the rest to do. */
static void test_heap(void) {
  static double before[3 * MOST];
  scene_make(&whole, PILES, HEAP, 5);
  for (int32_t threads = 1; threads <= 2; threads++) {
    solve(&whole, 1e-3, threads, 1);
    CHECK(threads == 1 || memcmp(before, whole.impulse, sizeof before) == 0);
    memcpy(before, whole.impulse, sizeof before);
  }
}

/* ---- limits ---------------------------------------------------------------------------------- */

/* Boxes on the ground by many points: large islands, which take several waves. */
enum { BOXES = 300, POINTS = 60, TOUCHES = BOXES * POINTS };

static struct {
  double velocity[6 * BOXES], inverse_mass[BOXES], inverse_inertia[6 * BOXES];
  double friction[TOUCHES], normal[3 * TOUCHES], arm_a[3 * TOUCHES], arm_b[3 * TOUCHES];
  double impulse[3 * TOUCHES];
  int32_t body_a[TOUCHES], body_b[TOUCHES];
} boxes;

static talus_problem boxes_make(void) {
  uint64_t state = 2;
  for (int32_t i = 0; i < BOXES; i++) {
    const double velocity[6] = {0.3, 0, -1, 0.2, 0.5, 0.7};
    memcpy(boxes.velocity + 6 * i, velocity, sizeof velocity);
    boxes.inverse_mass[i] = 1;
    boxes.inverse_inertia[6 * i] = boxes.inverse_inertia[6 * i + 3] =
        boxes.inverse_inertia[6 * i + 5] = 3;
  }
  for (int32_t k = 0; k < TOUCHES; k++) {
    boxes.body_a[k] = -1;
    boxes.body_b[k] = k / POINTS;
    boxes.normal[3 * k + 2] = 1;
    boxes.friction[k] = 0.4;
    boxes.arm_b[3 * k] = oracle_random(&state, -1, 1);
    boxes.arm_b[3 * k + 1] = oracle_random(&state, -1, 1);
    boxes.arm_b[3 * k + 2] = -1;
  }
  talus_problem problem = talus_problem_default(TALUS_FORM_RIGID);
  problem.contact_count = TOUCHES;
  problem.friction = boxes.friction;
  problem.rigid = (talus_rigid){.body_count = BOXES,
                                .velocity = boxes.velocity,
                                .inverse_mass = boxes.inverse_mass,
                                .inverse_inertia = boxes.inverse_inertia,
                                .body_a = boxes.body_a,
                                .body_b = boxes.body_b,
                                .normal = boxes.normal,
                                .arm_a = boxes.arm_a,
                                .arm_b = boxes.arm_b};
  return problem;
}

static int calls;

static int stop_once(void *user, int64_t iterations, int64_t passes, double measure,
                     double seconds) {
  (void)user, (void)iterations, (void)passes, (void)measure, (void)seconds;
  return ++calls == 1;
}

/* Who says stop once has said it; the waves together keep to the iterations. */
static void test_limits(void) {
  const talus_problem problem = boxes_make();
  talus_settings settings = talus_settings_default();
  talus_solution solution = talus_solution_default();
  talus_info info = talus_info_default();
  settings.islands = settings.same_bits = 1;
  settings.progress = stop_once;
  solution.impulse = boxes.impulse;
  CHECK(talus_solve_once(context, &problem, &settings, &solution, &info) == TALUS_OK);
  CHECK_CASE(calls == 1 && info.outcome == TALUS_OUTCOME_TIME_LIMIT &&
                 (info.notes & TALUS_NOTE_STOPPED) != 0,
             "%d calls, %s", calls, talus_outcome_name(info.outcome));
  CHECK(info.measure > settings.tolerance && info.measure < 1);
  settings.progress = NULL;
  settings.tolerance = 1e-9;
  settings.max_iterations = 5;
  CHECK(talus_solve_once(context, &problem, &settings, &solution, &info) == TALUS_OK);
  CHECK_CASE(info.iterations <= 5 && info.outcome == TALUS_OUTCOME_ITERATION_LIMIT,
             "%lld iterations, %s", (long long)info.iterations, talus_outcome_name(info.outcome));
}

int main(void) {
  if (talus_context_create(NULL, &context) != TALUS_OK) {
    return EXIT_FAILURE;
  }
  test_piles();
  test_heap();
  test_limits();
  talus_context_destroy(context);
  return check_end();
}
