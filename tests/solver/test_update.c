/* test_update.c: a solver that has seen other problems gives the bits of a fresh one: what it keeps
 * from problem to problem (memory, the order of the contacts) must not show. And which methods have
 * the contacts ordered by colours. */
#include <string.h>

#include "talus/talus_io.h"
#include "tests/check.h"

enum { BODIES = 80, MOST = 1024 };

typedef struct answer {
  talus_status status;
  double impulse[3 * MOST], velocity[6 * BODIES];
} answer;

static void solve(talus_solver *solver, const talus_problem *problem, talus_method method,
                  answer *a) {
  talus_settings settings = talus_settings_default();
  talus_solution solution = talus_solution_default();
  memset(a, 0, sizeof *a);
  settings.method = method;
  settings.tolerance = 1e-4;
  settings.max_iterations = 60;
  solution.impulse = a->impulse;
  solution.velocity = problem->form == TALUS_FORM_RIGID ? a->velocity : NULL;
  CHECK(talus_solver_set(solver, &settings) == TALUS_OK);
  a->status = talus_solver_update(solver, problem);
  a->status = a->status == TALUS_OK ? talus_solver_solve(solver, &solution, NULL) : a->status;
}

/* By the solver that has seen all, and by one that has seen nothing. */
static void compare(talus_context *context, talus_solver *old, const talus_problem *problem,
                    talus_method method, const char *what) {
  static answer seen, fresh;
  talus_solver *solver = NULL;
  CHECK(talus_solver_create(context, NULL, &solver) == TALUS_OK);
  solve(old, problem, method, &seen);
  solve(solver, problem, method, &fresh);
  CHECK_CASE(memcmp(&seen, &fresh, sizeof seen) == 0, "%s, %s", what, talus_method_name(method));
  talus_solver_destroy(solver);
}

static talus_problem two_contacts(void) {
  static const double w[36] = {2,  0, 0, .1, 0, 0, 0, 2,  0, 0, .1, 0, 0, 0, 2,  0, 0, .1,
                               .1, 0, 0, 2,  0, 0, 0, .1, 0, 0, 2,  0, 0, 0, .1, 0, 0, 2};
  static const double q[6] = {-1, .2, 0, -2, 0, .3}, friction[2] = {.5, .5};
  talus_problem problem = talus_problem_default(TALUS_FORM_DELASSUS);
  problem.contact_count = 2;
  problem.friction = friction;
  problem.delassus.w = (talus_matrix){
      .storage = TALUS_STORAGE_DENSE, .rows = 6, .columns = 6, .count = 36, .value = w};
  problem.delassus.q = q;
  return problem;
}

static void run(talus_context *context, const talus_problem *given, talus_method method) {
  talus_solver *old = NULL;
  talus_problem p = *given, other = two_contacts();
  static double velocity[6 * BODIES], mass[BODIES], inertia[6 * BODIES];
  static int32_t body_a[MOST];
  const int32_t k = p.contact_count / 2;
  memcpy(velocity, p.rigid.velocity, sizeof velocity);
  memcpy(mass, p.rigid.inverse_mass, sizeof mass);
  memcpy(inertia, p.rigid.inverse_inertia, sizeof inertia);
  memcpy(body_a, p.rigid.body_a, (size_t)p.contact_count * sizeof *body_a);
  CHECK(talus_solver_create(context, NULL, &old) == TALUS_OK);
  compare(context, old, &p, method, "the first");
  p.rigid.velocity = velocity;
  velocity[7] += 0.1;
  compare(context, old, &p, method, "another velocity");
  p.rigid.body_a = body_a;
  body_a[k] = (body_a[k] + 1) % BODIES == p.rigid.body_b[k] ? (body_a[k] + 2) % BODIES
                                                            : (body_a[k] + 1) % BODIES;
  compare(context, old, &p, method, "one contact with another body");
  compare(context, old, &other, method, "another form");
  compare(context, old, &p, method, "back from another form");
  p.rigid.inverse_mass = mass;
  p.rigid.inverse_inertia = inertia;
  mass[0] = 0;
  memset(inertia, 0, 6 * sizeof *inertia);
  compare(context, old, &p, method, "a body that no longer moves");
  const double bad = velocity[7];
  velocity[7] = NAN;
  compare(context, old, &p, method, "a problem that is refused");
  velocity[7] = bad;
  compare(context, old, &p, method, "after a refusal");
  p.contact_count -= 5;
  compare(context, old, &p, method, "fewer contacts");
  compare(context, old, &p,
          method == TALUS_METHOD_APGDB ? TALUS_METHOD_GAUSS_SEIDEL : TALUS_METHOD_APGDB,
          "with colours or without");
  compare(context, old, given, method, "the first again");
  talus_solver_destroy(old);
}

/* Contacts are ordered by colours for those methods that sweep, and for no others. */
static void test_colours(talus_context *context, const talus_problem *problem) {
  for (int m = 0; m < TALUS_METHOD_COUNT; m++) {
    const talus_method method = (talus_method)m;
    const int sweeps = method == TALUS_METHOD_AUTO || method == TALUS_METHOD_GAUSS_SEIDEL ||
                       method == TALUS_METHOD_GAUSS_SEIDEL_NESTEROV ||
                       method == TALUS_METHOD_NEWTON;
    if (method >= ANY_SIZE_COUNT && method != TALUS_METHOD_PATH) {
      continue;
    }
    talus_settings settings = talus_settings_default();
    talus_solution solution = talus_solution_default();
    talus_info info = talus_info_default();
    settings.method = method;
    settings.max_iterations = 5;
    CHECK(talus_solve_once(context, problem, &settings, &solution, &info) == TALUS_OK);
    CHECK_CASE((info.colours > 0) == sweeps, "%s: %d colours", talus_method_name(method),
               info.colours);
  }
}

int main(void) {
  talus_context *context = NULL;
  talus_stored *stored = NULL;
  talus_generate_def def = talus_generate_def_default(TALUS_GENERATE_HEAP);
  def.body_count = BODIES;
  CHECK(talus_context_create(NULL, &context) == TALUS_OK);
  CHECK(talus_problem_generate(context, &def, &stored) == TALUS_OK);
  CHECK(stored->problem.rigid.body_count == BODIES && stored->problem.contact_count <= MOST);
  run(context, &stored->problem, TALUS_METHOD_GAUSS_SEIDEL);
  run(context, &stored->problem, TALUS_METHOD_APGDB);
  test_colours(context, &stored->problem);
  talus_stored_destroy(stored);
  talus_context_destroy(context);
  return check_end();
}
