/* Islands that sleep are left out: those awake are solved as if the others were not there, and the
 * others keep velocity and warm start. Judged by the oracle. */
#include <string.h>

#include "tests/check.h"
#include "tests/solver/families.h"

enum { MOST = 512 };

typedef struct answer {
  double impulse[3 * MOST], rows[MOST], velocity[7 * MOST], contact_velocity[3 * MOST];
  talus_info info;
} answer;

static int32_t units_of(const talus_problem *p) {
  return p->form == TALUS_FORM_RIGID ? p->rigid.body_count : p->blocks.block_count;
}

static void solve(talus_context *context, const talus_problem *problem,
                  const talus_settings *settings, answer *a) {
  talus_solution solution = talus_solution_default();
  a->info = talus_info_default();
  solution.impulse = a->impulse;
  solution.bilateral_impulse = a->rows;
  solution.velocity = a->velocity;
  solution.contact_velocity = a->contact_velocity;
  CHECK_CASE(talus_solve_once(context, problem, settings, &solution, &a->info) == TALUS_OK, "%s",
             talus_context_message(context));
}

/* Part of the islands sleep: what is awake must still solve the whole problem's equations there. */
static void family_check(talus_context *context, const family *f, int warm) {
  family wide = *f;
  wide.body_count *= 3;
  oracle_made made = family_make(&wide, TALUS_LAW_CCP, 11);
  talus_problem p = made.problem;
  const int32_t units = units_of(&p), contacts = p.contact_count, rows = p.bilateral_count;
  const int d = p.dimension;
  int32_t asleep[MOST], of_body[MOST], of_contact[MOST], of_row[MOST];
  talus_islands islands = talus_islands_default();
  islands.body = of_body;
  islands.contact = of_contact;
  islands.row = of_row;
  CHECK(units <= MOST && contacts <= MOST && rows <= MOST);
  CHECK(talus_islands_find(context, &p, &islands) == TALUS_OK);
  CHECK_CASE(islands.count > 1, "%s", f->name);
  for (int32_t i = 0; i < units; i++) { /* every other island; and bodies of no island */
    asleep[i] = of_body[i] < 0 || of_body[i] % 2 == 1;
  }
  talus_settings settings = talus_settings_default();
  settings.law = TALUS_LAW_CCP;
  settings.tolerance = 1e-8;
  static answer all, some;
  solve(context, &p, &settings, &all);
  settings.warm_start = warm;
  for (int i = 0; i < d * contacts; i++) {
    some.impulse[i] = 0.25 + i;
  }
  for (int i = 0; i < rows; i++) {
    some.rows[i] = -0.5 - i;
  }
  p.asleep = asleep;
  solve(context, &p, &settings, &some);
  CHECK_CASE(some.info.islands == islands.count && some.info.islands_asleep == islands.count / 2,
             "%s: %d of %d", f->name, some.info.islands_asleep, some.info.islands);
  CHECK_CASE(some.info.outcome == TALUS_OUTCOME_CONVERGED, "%s", f->name);
  double *const whole = malloc((size_t)(d * contacts + rows + 1) * sizeof *whole);
  for (int k = 0; k < contacts; k++) {
    const int sleeps = of_contact[k] % 2 == 1;
    for (int c = d * k; c < d * (k + 1); c++) {
      CHECK(!sleeps || some.impulse[c] == (warm ? 0.25 + c : 0));
      CHECK(!sleeps || some.contact_velocity[c] == 0);
      whole[c] = sleeps ? all.impulse[c] : some.impulse[c];
    }
  }
  for (int k = 0; k < rows; k++) {
    CHECK(of_row[k] % 2 == 0 || some.rows[k] == (warm ? -0.5 - k : 0));
    whole[d * contacts + k] = of_row[k] % 2 == 1 ? all.rows[k] : some.rows[k];
  }
  /* those awake, beside the others' solution, solve the whole */
  CHECK_CASE(oracle_epsilon(&p, whole, whole + d * contacts, TALUS_LAW_CCP) <= 1e-7, "%s", f->name);
  free(whole);
  int64_t at = 0;
  const double *const before = p.form == TALUS_FORM_RIGID ? p.rigid.velocity : p.blocks.velocity;
  for (int32_t i = 0; i < units; i++) {
    const int size = p.form == TALUS_FORM_RIGID ? 6 : p.blocks.block_size[i];
    CHECK_CASE(!asleep[i] ||
                   memcmp(some.velocity + at, before + at, (size_t)size * sizeof(double)) == 0,
               "%s: body %d", f->name, (int)i);
    at += size;
  }
  oracle_made_free(&made);
}

/* One sleeping body of several does not put the island to sleep; all do; and keys go with it. */
static void whole_check(talus_context *context) {
  oracle_made made = family_make(family_at(0), TALUS_LAW_COULOMB, 5);
  talus_problem p = made.problem;
  const int32_t units = units_of(&p);
  int32_t asleep[MOST] = {0};
  uint64_t key[MOST];
  static answer a;
  talus_settings settings = talus_settings_default();
  talus_solver *solver;
  talus_solution solution = talus_solution_default();
  talus_info info = talus_info_default();
  solution.impulse = a.impulse;
  settings.warm_start = 1;
  for (int i = 0; i < MOST; i++) {
    key[i] = (uint64_t)i;
  }
  p.contact_key = key;
  p.asleep = asleep;
  CHECK(talus_solver_create(context, &settings, &solver) == TALUS_OK);
  CHECK(talus_solver_update(solver, &p) == TALUS_OK);
  CHECK(talus_solver_solve(solver, &solution, &info) == TALUS_OK);
  CHECK(info.islands > 0 && info.islands_asleep == 0);
  static double awake[3 * MOST];
  memcpy(awake, a.impulse, sizeof awake);
  for (int32_t i = 0; i < units; i++) {
    asleep[i] = 1;
  }
  asleep[1] = 5; /* neither awake nor asleep */
  CHECK(talus_solver_update(solver, &p) == TALUS_INVALID_ARGUMENT);
  CHECK(strstr(talus_context_message(context), "asleep[1] is 5") != NULL);
  asleep[1] = -1;
  CHECK(talus_solver_update(solver, &p) == TALUS_INVALID_ARGUMENT);
  asleep[1] = 1;
  for (int round = 0; round < 3; round++) { /* asleep for good: the impulses wait */
    memset(a.impulse, 0, sizeof a.impulse);
    CHECK(talus_solver_update(solver, &p) == TALUS_OK);
    CHECK(talus_solver_solve(solver, &solution, &info) == TALUS_OK);
    CHECK(info.islands_asleep == info.islands && info.outcome == TALUS_OUTCOME_CONVERGED);
    CHECK(info.keys_matched == p.contact_count && info.iterations == 0);
    CHECK(memcmp(awake, a.impulse, 3 * (size_t)p.contact_count * sizeof(double)) == 0);
  }
  p.asleep = NULL; /* awake again, where it was */
  CHECK(talus_solver_update(solver, &p) == TALUS_OK);
  CHECK(talus_solver_solve(solver, &solution, &info) == TALUS_OK);
  CHECK(info.islands == 0 && info.iterations == 0 && info.outcome == TALUS_OUTCOME_CONVERGED);
  talus_solver_destroy(solver);
  oracle_made_free(&made);
}

static void refusal_check(talus_context *context) {
  oracle_made made = family_make(family_at(8), TALUS_LAW_CCP, 5);
  const int32_t asleep[MOST] = {0};
  talus_solver *solver;
  CHECK(talus_solver_create(context, NULL, &solver) == TALUS_OK);
  made.problem.asleep = asleep;
  CHECK(talus_solver_update(solver, &made.problem) == TALUS_UNSUPPORTED);
  CHECK(strstr(talus_context_message(context), "problem.asleep") != NULL);
  talus_solver_destroy(solver);
  oracle_made_free(&made);
}

int main(void) {
  talus_context *context;
  CHECK(talus_context_create(NULL, &context) == TALUS_OK);
  for (int i = 0; i < FAMILY_COUNT; i++) {
    const family *const f = family_at(i);
    if ((f->form == TALUS_FORM_RIGID || f->form == TALUS_FORM_BLOCKS) && !f->hard) {
      family_check(context, f, 0);
      family_check(context, f, 1);
    }
  }
  whole_check(context);
  refusal_check(context);
  talus_context_destroy(context);
  return check_end();
}
