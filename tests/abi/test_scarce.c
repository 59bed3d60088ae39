/* Memory that runs out at every request of solves with names, sleepers, dumps and threads of their
 * own: the memory status each time, nothing lost, and the next attempt goes well. */
#include <string.h>

#include "tests/check.h"
#include "tests/scarce.h"
#include "tests/solver/families.h"

enum { MOST = 512 };

static double impulse[3 * MOST];

/* Two solves, so that names are matched; the second one on a thread if wanted. */
static talus_status use(talus_context *context, const talus_problem *problem,
                        const talus_settings *settings, int async) {
  talus_solution solution = talus_solution_default();
  talus_islands islands = talus_islands_default();
  talus_solver *solver;
  solution.impulse = impulse;
  talus_status status = talus_islands_find(context, problem, &islands);
  if (status == TALUS_OK) {
    status = talus_solver_create(context, settings, &solver);
  }
  if (status != TALUS_OK) {
    return status;
  }
  for (int i = 0; i < 2 && status == TALUS_OK; i++) {
    status = talus_solver_update(solver, problem);
    if (status == TALUS_OK && async && i == 1) {
      status = talus_solver_solve_async(solver, &solution, NULL);
      status = status == TALUS_OK ? talus_solver_wait(solver) : status;
    } else if (status == TALUS_OK) {
      status = talus_solver_solve(solver, &solution, NULL);
    }
  }
  talus_solver_destroy(solver);
  return status;
}

static void family_check(const family *f, int async) {
  oracle_made made = family_make(f, TALUS_LAW_CCP, 9);
  talus_settings settings = talus_settings_default();
  uint64_t key[MOST];
  int32_t asleep[MOST];
  for (int i = 0; i < MOST; i++) {
    key[i] = (uint64_t)i;
    asleep[i] = i % 2;
  }
  made.problem.contact_key = key;
  made.problem.row_key = key;
  if (f->form == TALUS_FORM_RIGID || f->form == TALUS_FORM_BLOCKS) {
    made.problem.asleep = asleep;
  }
  settings.warm_start = 1;
  settings.same_bits = 1;
  settings.max_iterations = 10;
  settings.dump = TALUS_DUMP_EVERY;
  settings.dump_path = "no/such/folder"; /* only its copy matters here */
  int64_t n = 0;
  for (int met = 1; met;) { /* until no request is left to fail */
    n++;
    scarce s = {.fail_at = n};
    talus_context *const context = scarce_context(&s);
    const talus_status status = use(context, &made.problem, &settings, async);
    /* a dump that finds no memory is logged, and fails nothing */
    CHECK_CASE(status == TALUS_OUT_OF_MEMORY || status == TALUS_OK, "%s, request %d: %s", f->name,
               (int)n, talus_context_message(context));
    met = s.requests >= n;
    CHECK_CASE(status == TALUS_OK || use(context, &made.problem, &settings, async) == TALUS_OK,
               "%s, after request %d", f->name, (int)n);
    talus_context_destroy(context);
    CHECK_CASE(s.held == 0, "%s, request %d: %d left", f->name, (int)n, (int)s.held);
  }
  CHECK_CASE(n > 20, "%s: %d requests", f->name, (int)n);
  oracle_made_free(&made);
}

int main(void) {
  const int which[] = {2, 6, 9, 14}; /* forms (a) to (d), each with rows */
  for (int i = 0; i < 4; i++) {
    family_check(family_at(which[i]), 0);
    family_check(family_at(which[i]), 1);
  }
  return check_end();
}
