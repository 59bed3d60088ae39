/* test_fleet.c: a fleet does what its couplings would do one by one, to the bit; who fails stays
 * where it was and leaves the others alone; memory that runs out leaks nothing; a second call of a
 * size takes none. (The same bits on a device: tests/backend.) */
#include "tests/check.h"
#include "tests/mechanism/trees.h"
#include "tests/pendulums.h"
#include "tests/scarce.h"

enum { COUNT = 9, STEPS = 80, STATE = 2 * PENDULUM_LINKS, ROWS = 3 * PENDULUM_LINKS };

/* One coupling by hand. */
static void by_hand(pendulums *p, int32_t i, talus_scheme scheme, talus_solver *solver) {
  talus_coupling *const coupling = p->coupling[i];
  talus_touch touch[PENDULUM_LINKS];
  double impulse[ROWS], bilateral[ROWS];
  talus_solution solution = talus_solution_default();
  talus_info info = talus_info_default();
  talus_problem problem = talus_problem_default(TALUS_FORM_BLOCKS);
  solution.impulse = impulse;
  solution.bilateral_impulse = bilateral;
  for (int s = 0; s < STEPS; s++) {
    if (scheme == TALUS_SCHEME_MIDPOINT) {
      CHECK(talus_coupling_halfway(coupling) == TALUS_OK);
    }
    const int32_t count = pendulums_find(p, i, touch, PENDULUM_LINKS);
    CHECK(talus_coupling_build(coupling, touch, count, &problem) == TALUS_OK);
    for (int phase = 0; phase < 2; phase++) {
      if (problem.contact_count + problem.bilateral_count > 0) {
        CHECK(talus_solver_update(solver, &problem) == TALUS_OK);
        CHECK(talus_solver_solve(solver, &solution, &info) == TALUS_OK);
      }
      if (phase == 0) {
        CHECK(talus_coupling_rebound(coupling, impulse, bilateral, &problem) == TALUS_OK);
      }
    }
    CHECK(talus_coupling_advance(coupling, scheme, impulse, bilateral) == TALUS_OK);
  }
}

static void same_as_alone(talus_restitution restitution, talus_scheme scheme,
                          talus_dynamics dynamics) {
  talus_context *const context = tree_context(3);
  static double alone[COUNT * STATE], together[COUNT * STATE];
  pendulums p;
  talus_solver *solver = NULL;
  CHECK(pendulums_make(context, COUNT, dynamics, restitution, &p));
  talus_fleet_def def = pendulums_fleet(&p);
  def.scheme = scheme;
  talus_settings settings = def.settings;
  settings.threads = 1;
  CHECK(talus_solver_create(context, &settings, &solver) == TALUS_OK);
  for (int32_t i = 0; i < COUNT; i++) {
    by_hand(&p, i, scheme, solver);
  }
  pendulums_state(&p, alone);
  talus_solver_destroy(solver);
  pendulums_end(&p);
  CHECK(pendulums_make(context, COUNT, dynamics, restitution, &p));
  def = pendulums_fleet(&p);
  def.scheme = scheme;
  talus_fleet *fleet = NULL;
  talus_fleet_report report = talus_fleet_report_default();
  CHECK(talus_fleet_create(context, &def, &fleet) == TALUS_OK);
  CHECK(talus_fleet_step(fleet, STEPS / 2, NULL) == TALUS_OK);
  CHECK(talus_fleet_step(fleet, STEPS - STEPS / 2, &report) == TALUS_OK);
  pendulums_state(&p, together);
  CHECK(memcmp(alone, together, sizeof alone) == 0);
  CHECK_CASE(report.contacts > 50 && report.solves >= COUNT * (STEPS - STEPS / 2) &&
                 report.missed == 0 && report.measure <= 1e-9 && report.failed == 0 &&
                 report.first_failed == TALUS_NONE,
             "%lld contacts, %lld solves", (long long)report.contacts, (long long)report.solves);
  talus_fleet_destroy(fleet);
  pendulums_end(&p);
  talus_context_destroy(context);
}

/* One of them fails at once; the others go on. */
static void failure_is_alone(talus_scheme scheme) {
  talus_context *const context = tree_context(2);
  static double before[COUNT * STATE], after[COUNT * STATE];
  pendulums p;
  talus_fleet *fleet = NULL;
  talus_fleet_report report = talus_fleet_report_default();
  CHECK(pendulums_make(context, COUNT, TALUS_DYNAMICS_ARTICULATED, TALUS_RESTITUTION_NEWTON, &p));
  p.gives_up = 4;
  talus_fleet_def def = pendulums_fleet(&p);
  def.scheme = scheme;
  CHECK(talus_fleet_create(context, &def, &fleet) == TALUS_OK);
  pendulums_state(&p, before);
  CHECK(talus_fleet_step(fleet, 3, &report) == TALUS_STEP_FAILED);
  CHECK_CASE(strstr(talus_context_message(context), "coupling 4:") != NULL, "%s",
             talus_context_message(context));
  CHECK(report.failed == 1 && report.first_failed == 4);
  pendulums_state(&p, after);
  for (int32_t i = 0; i < COUNT; i++) {
    const int same = memcmp(before + i * STATE, after + i * STATE, STATE * sizeof *before) == 0;
    CHECK_CASE(same == (i == 4), "coupling %d", i);
  }
  p.gives_up = -1;
  CHECK(talus_fleet_step(fleet, 3, &report) == TALUS_OK);
  CHECK(report.failed == 0);
  talus_fleet_destroy(fleet);
  /* nothing is accepted that misses the tolerance, where that is wanted */
  def.settings.tolerance = 1e-300;
  def.settings.max_iterations = 1;
  def.accept = 0;
  CHECK(talus_fleet_create(context, &def, &fleet) == TALUS_OK);
  pendulums_state(&p, before);
  CHECK(talus_fleet_step(fleet, 100, &report) == TALUS_STEP_FAILED);
  CHECK(report.failed > 0 && report.missed == report.failed);
  talus_fleet_destroy(fleet);
  pendulums_end(&p);
  talus_context_destroy(context);
}

static void refusals(void) {
  talus_context *const context = tree_context(1), *const other = tree_context(1);
  pendulums p;
  talus_fleet *fleet;
  double *acceleration[1] = {NULL};
  CHECK(pendulums_make(context, 2, TALUS_DYNAMICS_CONQUER, TALUS_RESTITUTION_POISSON, &p));
  talus_fleet_def def = pendulums_fleet(&p);
  CHECK(talus_fleet_create(other, &def, &fleet) == TALUS_INVALID_ARGUMENT && fleet == NULL);
  CHECK(talus_fleet_create(context, NULL, &fleet) == TALUS_INVALID_ARGUMENT);
  CHECK(talus_fleet_create(NULL, &def, &fleet) == TALUS_INVALID_ARGUMENT);
  def.struct_size = 1;
  CHECK(talus_fleet_create(context, &def, &fleet) == TALUS_STRUCT_SIZE);
  def = pendulums_fleet(&p);
  def.count = 0;
  CHECK(talus_fleet_create(context, &def, &fleet) == TALUS_INVALID_ARGUMENT);
  def = pendulums_fleet(&p);
  def.scheme = TALUS_SCHEME_RUNGE_KUTTA; /* not with Poisson's restitution */
  CHECK(talus_fleet_create(context, &def, &fleet) == TALUS_BAD_SETTING);
  def.scheme = TALUS_SCHEME_EXPLICIT_EULER;
  CHECK(talus_fleet_create(context, &def, &fleet) == TALUS_BAD_SETTING);
  def = pendulums_fleet(&p);
  def.settings.warm_start = 1;
  CHECK(talus_fleet_create(context, &def, &fleet) == TALUS_BAD_SETTING);
  def = pendulums_fleet(&p);
  def.settings.tolerance = NAN;
  CHECK(talus_fleet_create(context, &def, &fleet) == TALUS_BAD_SETTING && fleet == NULL);
  def = pendulums_fleet(&p);
  CHECK(talus_fleet_create(context, &def, &fleet) == TALUS_OK);
  CHECK(talus_fleet_step(fleet, -1, NULL) == TALUS_BAD_SETTING);
  CHECK(talus_fleet_step(NULL, 1, NULL) == TALUS_INVALID_ARGUMENT);
  CHECK(talus_fleet_step(fleet, 0, NULL) == TALUS_OK);
  talus_fleet_destroy(fleet);
  CHECK(talus_mechanism_accelerate_batch(context, TALUS_DYNAMICS_CONQUER, 1, p.mechanism,
                                         acceleration) == TALUS_INVALID_ARGUMENT);
  CHECK(talus_mechanism_accelerate_batch(context, TALUS_DYNAMICS_CONQUER, 0, NULL, NULL) ==
        TALUS_OK);
  CHECK(talus_mechanism_accelerate_batch(context, TALUS_DYNAMICS_CONQUER, -1, NULL, NULL) ==
        TALUS_INVALID_ARGUMENT);
  const talus_link_point wrong = {99, {0, 0, 0}}, *const point[2] = {&wrong, &wrong};
  const int32_t points[2] = {0, 1};
  CHECK(talus_mechanism_response_batch(context, TALUS_DYNAMICS_CONQUER, 2, p.mechanism, point,
                                       points, NULL, NULL) == TALUS_INDEX_RANGE);
  CHECK(strstr(talus_context_message(context), "mechanism 1:") != NULL);
  pendulums_end(&p);
  talus_context_destroy(other);
  talus_context_destroy(context);
}

/* *later: requests while the same steps are taken a second time. */
static talus_status all_of_it(scarce *s, int64_t *later) {
  talus_context *const context = scarce_context(s);
  pendulums p;
  talus_fleet *fleet = NULL;
  talus_status status = TALUS_OUT_OF_MEMORY;
  if (pendulums_make(context, 2, TALUS_DYNAMICS_CONQUER, TALUS_RESTITUTION_POISSON, &p)) {
    talus_fleet_def def = pendulums_fleet(&p);
    double begin[2 * STATE];
    pendulums_state(&p, begin);
    double first[PENDULUM_LINKS], second[PENDULUM_LINKS], *const both[2] = {first, second};
    status =
        talus_mechanism_accelerate_batch(context, TALUS_DYNAMICS_CONQUER, 2, p.mechanism, both);
    status = status == TALUS_OK ? talus_fleet_create(context, &def, &fleet) : status;
    status = status == TALUS_OK ? talus_fleet_step(fleet, STEPS, NULL) : status;
    const int64_t before = s->requests;
    for (int i = 0; i < 2; i++) { /* the same way again */
      talus_mechanism_set(p.mechanism[i], begin + i * STATE, begin + i * STATE + PENDULUM_LINKS);
    }
    status = status == TALUS_OK ? talus_fleet_step(fleet, STEPS, NULL) : status;
    *later = s->requests - before;
    talus_fleet_destroy(fleet);
  }
  pendulums_end(&p);
  talus_context_destroy(context);
  return status;
}

static void memory_runs_out(void) {
  int64_t later = 0;
  scarce all = {0};
  CHECK(all_of_it(&all, &later) == TALUS_OK && all.held == 0);
  CHECK_CASE(later == 0, "%lld requests", (long long)later);
  for (int64_t n = 1; n <= all.requests; n += n < 60 ? 1 : 3) {
    scarce s = {.fail_at = n};
    const talus_status status = all_of_it(&s, &later);
    CHECK_CASE(status == TALUS_OUT_OF_MEMORY && s.held == 0, "request %lld: %s, %lld held",
               (long long)n, talus_status_name(status), (long long)s.held);
  }
}

int main(void) {
  same_as_alone(TALUS_RESTITUTION_POISSON, TALUS_SCHEME_EULER, TALUS_DYNAMICS_CONQUER);
  same_as_alone(TALUS_RESTITUTION_NEWTON, TALUS_SCHEME_MIDPOINT, TALUS_DYNAMICS_ARTICULATED);
  failure_is_alone(TALUS_SCHEME_EULER);
  failure_is_alone(TALUS_SCHEME_MIDPOINT);
  refusals();
  memory_runs_out();
  return check_end();
}
