/* test_calls.c: settings out of range, structs nobody filled, missing pointers, calls in the wrong
 * order, names of laws and methods. */
#include "tests/unit/refusals.h"

/* ---- settings and calls ---------------------------------------------------------------------- */

static void check_setting(desk *d, const talus_settings *settings, talus_status wanted,
                          const char *text, int line) {
  talus_solver *made = (talus_solver *)d;
  talus_info info = talus_info_default();
  const talus_status status = talus_solver_set(d->solver, settings);
  if (!CHECK(status == wanted) || !CHECK(strstr(talus_context_message(d->context), text))) {
    printf("  line %d: %s, %s\n", line, talus_status_name(status),
           talus_context_message(d->context));
  }
  CHECK(talus_solver_create(d->context, settings, &made) == wanted && made == NULL);
  CHECK(talus_solve_once(d->context, &d->problem, settings, NULL, &info) == wanted);
}

#define BAD_SETTING(field, value, text)                       \
  do {                                                        \
    talus_settings s_ = talus_settings_default();             \
    s_.field = (value);                                       \
    check_setting(d, &s_, TALUS_BAD_SETTING, text, __LINE__); \
  } while (0)

static void check_settings(desk *d) {
  talus_settings settings = talus_settings_default();
  settings.struct_size--;
  check_setting(d, &settings, TALUS_STRUCT_SIZE, "settings.struct_size", __LINE__);
  BAD_SETTING(law, (talus_law)7, "law");
  BAD_SETTING(law, (talus_law)-1, "law");
  BAD_SETTING(method, TALUS_METHOD_COUNT, "method");
  BAD_SETTING(cone, TALUS_CONE_COUNT, "cone");
  BAD_SETTING(facets, 2, "facets");
  BAD_SETTING(facets, 65, "facets");
  BAD_SETTING(facet_angle, NAN, "facet_angle");
  BAD_SETTING(precision, (talus_precision)3, "precision");
  BAD_SETTING(measure, (talus_measure)2, "measure");
  BAD_SETTING(tolerance, 0, "tolerance");
  BAD_SETTING(tolerance, -1e-4, "tolerance");
  BAD_SETTING(tolerance, NAN, "tolerance");
  BAD_SETTING(tolerance, INFINITY, "tolerance");
  BAD_SETTING(max_iterations, -1, "max_iterations");
  BAD_SETTING(max_seconds, -1, "max_seconds");
  BAD_SETTING(max_seconds, NAN, "max_seconds");
  BAD_SETTING(threads, -1, "threads");
  BAD_SETTING(threads, 100000, "threads");
  BAD_SETTING(momentum_cap, 1, "momentum_cap");
  BAD_SETTING(momentum_cap, NAN, "momentum_cap");
  BAD_SETTING(slip_filter, -0.1, "slip_filter");
  BAD_SETTING(slip_filter, 1.1, "slip_filter");
  BAD_SETTING(slip_filter, NAN, "slip_filter");
  BAD_SETTING(warm_start, 7, "warm_start is 7");
  BAD_SETTING(same_bits, 2, "same_bits");
  BAD_SETTING(unique, -1, "unique");
  BAD_SETTING(facet_align, INT32_MIN, "facet_align");
  BAD_SETTING(islands, -1, "islands is -1");
}

static void check_calls(desk *d) {
  talus_context *const context = d->context;
  const talus_settings settings = talus_settings_default();
  talus_solution solution = talus_solution_default();
  talus_info info = talus_info_default();
  talus_solver *made = d->solver;
  CHECK(talus_solver_create(NULL, NULL, &made) == TALUS_INVALID_ARGUMENT && made == NULL);
  CHECK(talus_solver_create(context, NULL, NULL) == TALUS_INVALID_ARGUMENT);
  CHECK(talus_solver_set(NULL, &settings) == TALUS_INVALID_ARGUMENT);
  CHECK(talus_solver_set(d->solver, NULL) == TALUS_INVALID_ARGUMENT);
  CHECK(talus_solver_update(NULL, &d->problem) == TALUS_INVALID_ARGUMENT);
  CHECK(talus_solver_update(d->solver, NULL) == TALUS_INVALID_ARGUMENT);
  CHECK(talus_solver_solve(NULL, &solution, &info) == TALUS_INVALID_ARGUMENT);
  CHECK(talus_solver_solve(d->solver, &solution, &info) == TALUS_CALL_ORDER);
  CHECK(strstr(talus_context_message(context), "talus_solver_update") != NULL);
  CHECK(talus_solve_once(NULL, &d->problem, NULL, NULL, NULL) == TALUS_INVALID_ARGUMENT);
  CHECK(talus_solve_once(context, NULL, NULL, NULL, NULL) == TALUS_INVALID_ARGUMENT);
  accepted(d, __LINE__);
  solution.struct_size = 1;
  CHECK(talus_solver_solve(d->solver, &solution, &info) == TALUS_STRUCT_SIZE);
  CHECK(strstr(talus_context_message(context), "solution.struct_size") != NULL);
  solution = talus_solution_default();
  info.struct_size = 0;
  CHECK(talus_solver_solve(d->solver, &solution, &info) == TALUS_STRUCT_SIZE);
  CHECK(strstr(talus_context_message(context), "info.struct_size") != NULL);
  CHECK(talus_solver_solve(d->solver, &solution, NULL) == TALUS_OK); /* nothing is wanted */
  CHECK(talus_solver_solve(d->solver, NULL, NULL) == TALUS_OK);
  talus_solver_destroy(NULL);
  talus_context_destroy(NULL);
}

static void check_context(void) {
  talus_context_def def = talus_context_def_default();
  talus_context *context = NULL;
  CHECK(talus_context_create(&def, NULL) == TALUS_INVALID_ARGUMENT);
  def.struct_size = 3;
  CHECK(talus_context_create(&def, &context) == TALUS_STRUCT_SIZE && context == NULL);
  def = talus_context_def_default();
  def.threads = -1;
  CHECK(talus_context_create(&def, &context) == TALUS_INVALID_ARGUMENT);
  CHECK(context != NULL && strstr(talus_context_message(context), "threads") != NULL);
  talus_solver *solver = NULL; /* such a context solves nothing, and does not crash */
  CHECK(talus_solver_create(context, NULL, &solver) == TALUS_INVALID_ARGUMENT && solver == NULL);
  talus_context_destroy(context);
  def = talus_context_def_default();
  def.backend = (talus_backend_kind)9;
  CHECK(talus_context_create(&def, &context) == TALUS_INVALID_ARGUMENT);
  talus_context_destroy(context);
  CHECK(talus_context_message(NULL) != NULL && talus_context_threads(NULL) == 0);
}

static void check_names(void) {
  talus_law law;
  talus_method method;
  talus_precision precision;
  for (int i = 0; i < TALUS_LAW_COUNT; i++) {
    CHECK(talus_law_parse(talus_law_name((talus_law)i), &law) && (int)law == i);
  }
  for (int i = 0; i < TALUS_METHOD_COUNT; i++) {
    CHECK(talus_method_parse(talus_method_name((talus_method)i), &method) && (int)method == i);
    CHECK(strlen(talus_method_text((talus_method)i)) > 0);
  }
  for (int i = 0; i < TALUS_CONE_COUNT; i++) {
    talus_cone cone;
    CHECK(talus_cone_parse(talus_cone_name((talus_cone)i), &cone) && (int)cone == i);
    CHECK(talus_method_takes(TALUS_METHOD_AUTO, (talus_cone)i));
  }
  CHECK(talus_precision_parse("f32", &precision) && precision == TALUS_F32);
  CHECK(talus_precision_parse("f64", &precision) && precision == TALUS_F64);
  CHECK(!talus_law_parse("newton", &law) && !talus_law_parse(NULL, &law));
  CHECK(!talus_method_parse("", &method) && !talus_precision_parse("f16", &precision));
  CHECK(strcmp(talus_law_name((talus_law)99), "unknown") == 0);
  CHECK(strcmp(talus_method_name((talus_method)-1), "unknown") == 0);
  CHECK(strcmp(talus_outcome_name(TALUS_OUTCOME_STALLED), "stalled") == 0);
  CHECK(talus_outcome_text((talus_outcome)99) != NULL);
}

int main(void) {
  desk desk_ = desk_open(), *const d = &desk_;
  oracle_made made = family_make(family_at(0), TALUS_LAW_COULOMB, 1);
  d->problem = made.problem;
  check_settings(d);
  check_calls(d);
  check_context();
  check_names();
  oracle_made_free(&made);
  desk_close(d);
  return check_end();
}
