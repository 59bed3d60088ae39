/* Warm start by key: the impulses of the solver's last solution find their contacts again, whatever
 * the order; equal keys in order; new ones begin at 0; rows by keys of their own. */
#include <string.h>

#include "tests/check.h"
#include "tests/solver/families.h"

enum { MOST = 256 };

/* Contacts on separate spheres, each with a bias of its own: any order is a problem. */
typedef struct pile {
  int count;
  double velocity[6 * MOST], mass[MOST], inertia[6 * MOST], normal[3 * MOST], reach[MOST],
      friction[MOST], bias[MOST];
  int32_t a[MOST], b[MOST];
  uint64_t key[MOST];
  talus_problem problem;
} pile;

static void pile_make(pile *p, int count) {
  memset(p, 0, sizeof *p);
  p->count = count;
  for (int i = 0; i < count; i++) {
    p->velocity[6 * i] = 0.02 * i;
    p->velocity[6 * i + 2] = -1 - 0.1 * i;
    p->mass[i] = 1;
    p->inertia[6 * i] = p->inertia[6 * i + 3] = p->inertia[6 * i + 5] = 2.5;
    p->normal[3 * i + 2] = 1;
    p->reach[i] = 1;
    p->friction[i] = 0.5;
    p->a[i] = -1;
    p->b[i] = i;
    p->key[i] = 1000u + (uint64_t)i;
  }
  talus_problem *const q = &p->problem;
  *q = talus_problem_default(TALUS_FORM_RIGID);
  q->contact_count = q->rigid.body_count = count;
  q->friction = p->friction;
  q->rigid.velocity = p->velocity;
  q->rigid.inverse_mass = p->mass;
  q->rigid.inverse_inertia = p->inertia;
  q->rigid.body_a = p->a;
  q->rigid.body_b = p->b;
  q->rigid.normal = p->normal;
  q->rigid.reach_a = q->rigid.reach_b = p->reach;
  q->rigid.bias = p->bias;
  q->contact_key = p->key;
}

static talus_info solve(talus_solver *solver, const talus_problem *problem, double *impulse) {
  talus_solution solution = talus_solution_default();
  talus_info info = talus_info_default();
  solution.impulse = impulse;
  CHECK(talus_solver_update(solver, problem) == TALUS_OK);
  CHECK(talus_solver_solve(solver, &solution, &info) == TALUS_OK);
  CHECK(info.outcome == TALUS_OUTCOME_CONVERGED);
  CHECK(oracle_epsilon(problem, impulse, NULL, TALUS_LAW_COULOMB) <= 2e-9);
  return info;
}

static void order_check(talus_context *context) {
  static pile p;
  double impulse[3 * MOST] = {0};
  talus_settings settings = talus_settings_default();
  talus_solver *solver;
  settings.warm_start = 1;
  settings.tolerance = 1e-9;
  settings.method = TALUS_METHOD_GAUSS_SEIDEL;
  CHECK(talus_solver_create(context, &settings, &solver) == TALUS_OK);
  pile_make(&p, 40);
  const talus_info cold = solve(solver, &p.problem, impulse);
  CHECK(cold.keys_matched == 0 && cold.iterations > 0);
  memset(impulse, 0, sizeof impulse); /* not read: the solver remembers */
  const talus_info warm = solve(solver, &p.problem, impulse);
  CHECK_CASE(warm.keys_matched == 40 && warm.iterations == 0, "%d of 40, %d iterations",
             (int)warm.keys_matched, (int)warm.iterations);
  for (int i = 0; i < 20; i++) { /* the other way round */
    const int32_t body = p.b[i];
    const uint64_t key = p.key[i];
    p.b[i] = p.b[39 - i];
    p.key[i] = p.key[39 - i];
    p.b[39 - i] = body;
    p.key[39 - i] = key;
  }
  const talus_info turned = solve(solver, &p.problem, impulse);
  CHECK_CASE(turned.keys_matched == 40 && turned.iterations == 0, "%d iterations",
             (int)turned.iterations);
  p.key[7] = 5; /* a new name: that contact begins at 0 */
  CHECK(solve(solver, &p.problem, impulse).keys_matched == 39);
  for (int i = 0; i < 40; i++) { /* one name for all: matched in order */
    p.key[i] = 1;
  }
  CHECK(solve(solver, &p.problem, impulse).keys_matched == 0);
  const talus_info same = solve(solver, &p.problem, impulse);
  CHECK_CASE(same.keys_matched == 40 && same.iterations == 0, "%d iterations",
             (int)same.iterations);
  talus_solver_destroy(solver);
}

/* Keys among the caller's structs; NULL solution.impulse is fine with keys. */
static void layout_check(talus_context *context) {
  static pile p;
  struct {
    uint64_t key;
    int other;
  } mine[8];
  talus_settings settings = talus_settings_default();
  talus_layout layout = talus_layout_default();
  talus_info info = talus_info_default();
  talus_solver *solver;
  settings.warm_start = 1;
  CHECK(talus_solver_create(context, &settings, &solver) == TALUS_OK);
  pile_make(&p, 8);
  for (int i = 0; i < 8; i++) {
    mine[i].key = 77u * (uint64_t)i;
  }
  p.problem.contact_key = NULL;
  p.problem.layout = &layout;
  layout.contact_key = (talus_strided){mine, sizeof mine[0], TALUS_SCALAR_OWN};
  for (int round = 0; round < 2; round++) {
    CHECK(talus_solver_update(solver, &p.problem) == TALUS_OK);
    CHECK(talus_solver_solve(solver, NULL, &info) == TALUS_OK);
    CHECK(info.keys_matched == 8 * round);
  }
  talus_solver_destroy(solver);
}

/* Every family, rows included: the second solve begins where the first ended. */
static void families_check(talus_context *context) {
  uint64_t key[MOST];
  for (int i = 0; i < MOST; i++) {
    key[i] = (uint64_t)(MOST - i) << 40;
  }
  for (int i = 0; i < FAMILY_COUNT; i++) {
    const family *const f = family_at(i);
    oracle_made made = family_make(f, TALUS_LAW_CCP, 3);
    talus_settings settings = talus_settings_default();
    talus_info first = talus_info_default(), second = talus_info_default();
    talus_solver *solver;
    settings.law = TALUS_LAW_CCP;
    settings.warm_start = 1;
    settings.tolerance = f->hard ? 1e-2 : 1e-6;
    CHECK(talus_solver_create(context, &settings, &solver) == TALUS_OK);
    made.problem.contact_key = key;
    made.problem.row_key = key;
    CHECK(talus_solver_update(solver, &made.problem) == TALUS_OK);
    CHECK(talus_solver_solve(solver, NULL, &first) == TALUS_OK);
    CHECK(talus_solver_update(solver, &made.problem) == TALUS_OK);
    CHECK(talus_solver_solve(solver, NULL, &second) == TALUS_OK);
    CHECK_CASE(first.keys_matched == 0 &&
                   second.keys_matched == made.problem.contact_count + made.problem.bilateral_count,
               "%s", f->name);
    CHECK_CASE(first.outcome == TALUS_OUTCOME_CONVERGED && second.iterations == 0, "%s: %d",
               f->name, (int)second.iterations);
    talus_solver_destroy(solver);
    oracle_made_free(&made);
  }
}

int main(void) {
  talus_context *context;
  CHECK(talus_context_create(NULL, &context) == TALUS_OK);
  order_check(context);
  layout_check(context);
  families_check(context);
  talus_context_destroy(context);
  return check_end();
}
