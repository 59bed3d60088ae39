/* test_rows.c: rows with bounds under second-order methods: bounds out of reach, narrow and closed
 * ones, stops that contradict each other, least-norm sharing, a motor among grains.
 *
 * Families with bounds and a known solution are in test_accurate.c, cases by hand in
 * tests/solver/test_bounds.c. */
#include <math.h>
#include <string.h>

#include "tests/check.h"
#include "tests/oracle/oracle.h"
#include "tests/world/place.h"

enum { ROWS = 24, CONTACTS = 40 };

static const talus_method METHODS[] = {TALUS_METHOD_NEWTON, TALUS_METHOD_INTERIOR_POINT,
                                       TALUS_METHOD_PATH};

/* Bounds that have nothing to do with the solution: `width` apart, the middle anywhere; far apart
 * they are none. */
static void test_widths(talus_law law, double width, int body_count) {
  oracle_recipe recipe = oracle_recipe_default(TALUS_FORM_RIGID);
  recipe.law = law;
  recipe.body_count = body_count;
  recipe.contact_count = CONTACTS;
  recipe.bilateral_count = ROWS;
  recipe.friction_max = 0.8;
  recipe.seed = 7;
  oracle_made made = oracle_problem_make(&recipe);
  double lower[ROWS], upper[ROWS];
  uint64_t state = 5;
  for (int r = 0; r < ROWS; r++) {
    const double middle = width > 1e9 ? 0 : oracle_random(&state, -2, 2);
    lower[r] = r % 5 == 3 ? -INFINITY : middle - width / 2;
    upper[r] = r % 5 == 4 ? INFINITY : middle + width / 2;
  }
  made.problem.row_lower = lower;
  made.problem.row_upper = upper;
  for (int m = 0; m < 2; m++) {
    double impulse[3 * CONTACTS], bilateral[ROWS];
    talus_settings settings = talus_settings_default();
    talus_solution solution = talus_solution_default();
    talus_info info = talus_info_default();
    solution.impulse = impulse;
    solution.bilateral_impulse = bilateral;
    settings.law = law;
    settings.method = METHODS[m];
    settings.tolerance = 1e-9;
    settings.max_iterations = 100000;
    CHECK(talus_solve_once(place_context, &made.problem, &settings, &solution, &info) == TALUS_OK);
    const double epsilon = oracle_epsilon(&made.problem, impulse, bilateral, law);
    CHECK_CASE(info.outcome == TALUS_OUTCOME_CONVERGED && epsilon < 1.01e-9,
               "%s, %s, width %g, %d bodies: %s at %g, %lld iterations", talus_law_name(law),
               talus_method_name(METHODS[m]), width, body_count, talus_outcome_name(info.outcome),
               epsilon, (long long)info.iterations);
    CHECK_CASE(law == TALUS_LAW_COULOMB || m == 0 || info.factorisations <= 40,
               "width %g: %lld factorisations", width, (long long)info.factorisations);
    for (int r = 0; r < ROWS; r++) {
      CHECK(bilateral[r] >= lower[r] && bilateral[r] <= upper[r]);
    }
  }
  oracle_made_free(&made);
}

/* A body of 1 kg at rest and rows along x. */
typedef struct slider {
  double velocity[6], mass, inertia[6], jacobian[36], bias[3], lower[3], upper[3];
  int32_t ground[3], body[3];
  talus_problem problem;
} slider;

static void slider_make(slider *s, int rows) {
  *s = (slider){.mass = 1, .inertia = {1, 0, 0, 1, 0, 1}, .ground = {-1, -1, -1}};
  for (int r = 0; r < rows; r++) {
    s->jacobian[12 * r + 6] = 1;
  }
  s->problem = talus_problem_default(TALUS_FORM_RIGID);
  s->problem.bilateral_count = rows;
  s->problem.rigid.body_count = 1;
  s->problem.rigid.velocity = s->velocity;
  s->problem.rigid.inverse_mass = &s->mass;
  s->problem.rigid.inverse_inertia = s->inertia;
  s->problem.rigid.row_body_a = s->ground;
  s->problem.rigid.row_body_b = s->body;
  s->problem.rigid.row_jacobian = s->jacobian;
  s->problem.rigid.row_bias = s->bias;
  s->problem.row_lower = s->lower;
  s->problem.row_upper = s->upper;
}

/* One stop wants v >= 1, the other v <= -1: with no end to their impulses there is no solution, and
 * with one the weaker gives way. A third row, of little effort, is innocent. */
static void test_stops(talus_law law, double strongest) {
  for (int m = 0; m < 2; m++) {
    slider s;
    double x[3], v[6];
    slider_make(&s, 3);
    s.bias[0] = -1;
    s.bias[1] = 1;
    s.upper[0] = INFINITY;
    s.lower[1] = -strongest;
    s.lower[2] = -0.25;
    s.upper[2] = 0.25;
    talus_settings settings = talus_settings_default();
    talus_solution solution = talus_solution_default();
    talus_info info = talus_info_default();
    settings.law = law;
    settings.method = METHODS[m];
    settings.tolerance = 1e-9;
    solution.bilateral_impulse = x;
    solution.velocity = v;
    CHECK(talus_solve_once(place_context, &s.problem, &settings, &solution, &info) == TALUS_OK);
    if (isfinite(strongest)) {
      CHECK(info.outcome == TALUS_OUTCOME_CONVERGED);
      CHECK_CLOSE(v[0], 1, 1e-8);
      CHECK_CLOSE(x[1], -strongest, 1e-8);
      CHECK_CLOSE(x[2], -0.25, 1e-8);
      continue;
    }
    const char *const message = talus_context_message(place_context);
    CHECK_CASE(info.outcome == TALUS_OUTCOME_INCONSISTENT && strstr(message, "row 0") != NULL &&
                   strstr(message, "row 1") != NULL && strstr(message, "row 2") == NULL,
               "%s: %s", talus_outcome_name(info.outcome), message);
  }
}

/* Three equal brakes stop a body of 6 N s: those of least norm are 2 N s each, and if one can do no
 * more than 1, the others share the rest. */
static void test_shared(double weakest, double its, double others) {
  slider s;
  double x[3];
  slider_make(&s, 3);
  s.velocity[0] = -6;
  for (int r = 0; r < 3; r++) {
    s.upper[r] = r == 1 ? weakest : 5;
    s.lower[r] = -s.upper[r];
  }
  talus_settings settings = talus_settings_default();
  talus_solution solution = talus_solution_default();
  talus_info info = talus_info_default();
  settings.tolerance = 1e-9;
  settings.unique = 1;
  solution.bilateral_impulse = x;
  CHECK(talus_solve_once(place_context, &s.problem, &settings, &solution, &info) == TALUS_OK);
  CHECK((info.notes & TALUS_NOTE_UNIQUE) != 0);
  CHECK_CLOSE(x[0], others, 1e-8);
  CHECK_CLOSE(x[1], its, 1e-8);
  CHECK_CLOSE(x[2], others, 1e-8);
}

/* A rotor of limited effort and with dry friction stirs balls in a corner: every step to 1e-8. */
static void test_world(void) {
  talus_world_def def = talus_world_def_default();
  talus_world *world;
  def.tolerance = 1e-8;
  def.accept = 1e-8;
  def.solver.method = TALUS_METHOD_NEWTON;
  def.solver.max_iterations = 100000;
  MUST(talus_world_create(place_context, &def, &world));
  const int32_t material = place_material(world, 1000, 0.4, 0);
  place_floor(world, material);
  for (int i = 0; i < 12; i++) {
    place_sphere(world, material, 0.05 + 0.002 * (i % 4), 0.11 * (i % 3), 0.11 * (i / 3 % 2),
                 0.06 + 0.11 * (i / 6));
  }
  talus_joint_def rotor = talus_joint_def_default(TALUS_JOINT_HINGE);
  rotor.body_b = place_sphere(world, material, 0.08, -0.16, 0.05, 0.1);
  rotor.point[0] = -0.5;
  rotor.axis[2] = 1;
  rotor.motor = TALUS_MOTOR_RATE;
  rotor.rate = 2;
  rotor.effort = 30;
  rotor.friction = 0.5;
  rotor.limited = 1;
  rotor.lower = -0.1;
  rotor.upper = 0.1;
  int32_t joint;
  MUST(talus_joint_add(world, &rotor, &joint));
  int full = 0, contacts = 0;
  for (int i = 0; i < 60; i++) {
    const talus_step_report report = place_run(world, 1);
    talus_joint_state state = talus_joint_state_default();
    MUST(talus_joint_get(world, joint, &state));
    CHECK_CASE(report.error <= 1e-8, "step %d: %g", i, report.error);
    full += fabs(state.motor) == 30 * def.step;
    contacts = report.contact_count > contacts ? report.contact_count : contacts;
  }
  CHECK_CASE(full > 3 && full < 60, "%d steps at full effort", full);
  CHECK_CASE(contacts > 12, "%d contacts", contacts);
  talus_world_destroy(world);
}

int main(void) {
  place_begin(1);
  for (int law = 0; law < TALUS_LAW_COUNT; law++) {
    static const double widths[] = {0, 1e-12, 1e-3, 0.5, 10, 1e30};
    for (int i = 0; i < 6; i++) {
      test_widths((talus_law)law, widths[i], 15);
      test_widths((talus_law)law, widths[i], 60);
    }
    test_stops((talus_law)law, INFINITY);
    test_stops((talus_law)law, 2);
  }
  test_shared(5, 2, 2);
  test_shared(1, 1, 2.5);
  test_world();
  place_end();
  return check_end();
}
