/* test_limits.c: one step of a small method may take seconds on hundreds of contacts; it is ended
 * within, when the caller or the clock says so.
 *
 * Counted, not timed: how often the caller is asked during a single step, or a few, and that
 * nothing is asked or done any more once it has said no. */
#include "tests/check.h"
#include "tests/oracle/oracle.h"

enum { CONTACTS = 120, ROWS = 3 * CONTACTS };

typedef struct asked {
  int64_t calls, stop_at; /* 0: never */
} asked;

static int progress(void *user, int64_t iterations, int64_t passes, double measure,
                    double seconds) {
  asked *const a = user;
  CHECK(iterations >= 0 && passes >= 0 && measure >= 0 && seconds >= 0);
  CHECK_CASE(a->stop_at == 0 || a->calls < a->stop_at, "asked again after call %lld",
             (long long)a->stop_at);
  return ++a->calls == a->stop_at;
}

typedef struct candidate {
  talus_method method;
  talus_cone cone;
  int iterations;
  int least; /* questions asked in them */
} candidate;

static talus_info solve(talus_context *context, const talus_problem *problem, const candidate *c,
                        asked *a) {
  talus_settings settings = talus_settings_default();
  talus_info info = talus_info_default();
  settings.method = c->method;
  settings.cone = c->cone;
  settings.tolerance = 1e-300;
  settings.max_iterations = c->iterations;
  settings.progress = progress;
  settings.progress_user = a;
  const talus_status status = talus_solve_once(context, problem, &settings, NULL, &info);
  CHECK_CASE(status == TALUS_OK, "%s: %s", talus_method_name(c->method),
             talus_context_message(context));
  return info;
}

static void test_method(talus_context *context, const talus_problem *problem, const candidate *c) {
  const char *const name = talus_method_name(c->method);
  asked a = {0};
  talus_info info = solve(context, problem, c, &a);
  CHECK_CASE(info.iterations == c->iterations && info.outcome == TALUS_OUTCOME_ITERATION_LIMIT,
             "%s: %s after %lld", name, talus_outcome_name(info.outcome),
             (long long)info.iterations);
  CHECK_CASE(a.calls >= c->least, "%s: %lld questions", name, (long long)a.calls);
  for (int64_t stop_at = 1; stop_at <= c->least; stop_at += 7) {
    asked stopping = {.stop_at = stop_at};
    info = solve(context, problem, c, &stopping);
    CHECK_CASE(stopping.calls == stop_at && info.outcome == TALUS_OUTCOME_TIME_LIMIT &&
                   (info.notes & TALUS_NOTE_STOPPED) != 0 && info.iterations <= c->iterations,
               "%s, stopped at question %lld: %s, %lld asked, %lld iterations", name,
               (long long)stop_at, talus_outcome_name(info.outcome), (long long)stopping.calls,
               (long long)info.iterations);
    CHECK_CASE(info.measure <= 1, "%s: %g", name, info.measure);
  }
}

int main(void) {
  static const candidate candidates[] = {
      {TALUS_METHOD_MNCP_RLM, TALUS_CONE_CIRCULAR, 1, ROWS / 8},
      {TALUS_METHOD_MNCP_PLM, TALUS_CONE_CIRCULAR, 1, ROWS / 8},
      {TALUS_METHOD_MNCP_PROX, TALUS_CONE_CIRCULAR, 1, ROWS / 16}, /* open contacts are left out */
      {TALUS_METHOD_MNCPOPT, TALUS_CONE_CIRCULAR, 5, 20},
      {TALUS_METHOD_PFB_RLM, TALUS_CONE_PYRAMID, 1, 2 * ROWS / 8},
      {TALUS_METHOD_PFB_PLM, TALUS_CONE_PYRAMID, 1, 2 * ROWS / 8},
      {TALUS_METHOD_LEMKE, TALUS_CONE_PYRAMID, 1, ROWS / 32},
      {TALUS_METHOD_LCP1, TALUS_CONE_PYRAMID, 1, ROWS / 32},
      {TALUS_METHOD_LCP2, TALUS_CONE_PYRAMID, 1, ROWS / 32},
      {TALUS_METHOD_LCPOPT, TALUS_CONE_BOX, 5, 20}};
  talus_context_def def = talus_context_def_default();
  talus_context *context;
  def.threads = 1;
  def.backend = TALUS_BACKEND_CPU;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  oracle_recipe recipe = oracle_recipe_default(TALUS_FORM_RIGID);
  recipe.body_count = CONTACTS / 3;
  recipe.contact_count = CONTACTS;
  recipe.frictionless = 0;
  recipe.friction_max = 0.8;
  oracle_made made = oracle_problem_make(&recipe);
  for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
    test_method(context, &made.problem, &candidates[i]);
  }
  oracle_made_free(&made);
  talus_context_destroy(context);
  return check_end();
}
