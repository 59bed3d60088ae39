/* test_wrench.c: contacts of six rows, which resist spinning and rolling, and elliptic cones.
 *
 * Random problems with a known solution, forms RIGID and BLOCKS: all methods of first order reach
 * it, newton to 1e-10, certificate and oracle agree; of 2000 random ones none is called converged
 * that is not; friction of spinning and rolling 0 is three rows; a sphere that rolls is stopped
 * where it should; what cannot be done is refused by name. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "talus/talus_io.h"
#include "tests/check.h"
#include "tests/oracle/oracle_wrench.h"

enum { FUZZ = 2000, ROOM = 2000 };

typedef struct answer {
  double impulse[ROOM], bilateral[ROOM], velocity[ROOM];
  talus_info info;
} answer;

static talus_status solve(talus_context *context, const talus_problem *problem,
                          const talus_settings *settings, answer *a) {
  talus_solution solution = talus_solution_default();
  memset(a, 0, sizeof *a);
  solution.impulse = a->impulse;
  solution.bilateral_impulse = a->bilateral;
  solution.contact_velocity = a->velocity;
  a->info = talus_info_default();
  return talus_solve_once(context, problem, settings, &solution, &a->info);
}

/* ---- known solutions ------------------------------------------------------------------------- */

static const oracle_wrench_recipe recipes[] = {
    {.form = TALUS_FORM_RIGID, .bodies = ORACLE_SPHERES, .dimension = 6, .torque_max = 0.3},
    {.form = TALUS_FORM_RIGID, .bodies = ORACLE_RIGID, .dimension = 6, .torque_max = 0.3},
    {.form = TALUS_FORM_BLOCKS, .bodies = ORACLE_RIGID, .dimension = 6, .torque_max = 0.3},
    {.form = TALUS_FORM_RIGID, .bodies = ORACLE_RIGID, .dimension = 3, .elliptic = 1},
    {.form = TALUS_FORM_BLOCKS, .bodies = ORACLE_SPHERES, .dimension = 3, .elliptic = 1},
    {.form = TALUS_FORM_RIGID,
     .bodies = ORACLE_SPHERES,
     .dimension = 6,
     .elliptic = 1,
     .torque_max = 0.3,
     .bilateral_count = 3},
    {.form = TALUS_FORM_BLOCKS,
     .bodies = ORACLE_RIGID,
     .dimension = 6,
     .elliptic = 1,
     .torque_max = 0.3,
     .bilateral_count = 3,
     .compliance = 0.1},
    {.form = TALUS_FORM_RIGID,
     .bodies = ORACLE_RIGID,
     .dimension = 6,
     .torque_max = 0.1,
     .compliance = 0.1},
};
enum { RECIPES = sizeof recipes / sizeof *recipes };

static oracle_made make(int which, talus_law law, uint64_t seed, int bodies, int contacts) {
  oracle_wrench_recipe recipe = recipes[which];
  recipe.law = law;
  recipe.seed = seed;
  recipe.body_count = bodies;
  recipe.contact_count = contacts;
  return oracle_wrench_make(&recipe);
}

static void test_known(talus_context *context, int which, talus_law law) {
  static answer a;
  oracle_made made = make(which, law, 1, 12, 20);
  const talus_problem *const p = &made.problem;
  const double known = oracle_wrench_epsilon(p, made.impulse, made.bilateral_impulse, law);
  CHECK_CASE(known < 1e-12, "recipe %d: the known solution has %g", which, known);
  CHECK(oracle_wrench_defect(p, made.impulse, made.bilateral_impulse, law) < 1e-12);
  const talus_method methods[] = {TALUS_METHOD_AUTO,         TALUS_METHOD_JACOBI,
                                  TALUS_METHOD_APGD,         TALUS_METHOD_APGDB,
                                  TALUS_METHOD_GAUSS_SEIDEL, TALUS_METHOD_GAUSS_SEIDEL_NESTEROV,
                                  TALUS_METHOD_SPECTRAL};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    talus_settings settings = talus_settings_default();
    settings.law = law;
    settings.method = methods[i];
    settings.tolerance = 1e-6;
    const talus_status status = solve(context, p, &settings, &a);
    CHECK_CASE(status == TALUS_OK, "%s", talus_context_message(context));
    const double epsilon = oracle_wrench_epsilon(p, a.impulse, a.bilateral, law);
    if (getenv("TELL") != NULL) {
      printf("recipe %d law %d %-22s %s %8lld passes %g oracle %g\n", which, law,
             talus_method_name(methods[i]), talus_outcome_name(a.info.outcome),
             (long long)a.info.passes, a.info.measure, epsilon);
    }
    CHECK_CASE(a.info.outcome == TALUS_OUTCOME_CONVERGED && epsilon <= 1.001e-6,
               "recipe %d, %s: %s at %g, oracle %g", which, talus_method_name(methods[i]),
               talus_outcome_name(a.info.outcome), a.info.measure, epsilon);
    CHECK(oracle_wrench_defect(p, a.impulse, a.bilateral, law) < 1e-4);
    const talus_certificate *const c = &a.info.certificate;
    CHECK_CLOSE(law == TALUS_LAW_CCP ? c->epsilon_ccp : c->epsilon_coulomb, epsilon,
                1e-9 + 1e-6 * epsilon);
  }
  oracle_made_free(&made);
}

/* Newton's method to 1e-10; the largest has 100 contacts. */
static void test_newton(talus_context *context, int which, talus_law law, int contacts) {
  static answer a;
  oracle_made made = make(which, law, 3, contacts * 3 / 5, contacts);
  talus_settings settings = talus_settings_default();
  settings.law = law;
  settings.method = TALUS_METHOD_NEWTON;
  settings.tolerance = 1e-10;
  const talus_status status = solve(context, &made.problem, &settings, &a);
  CHECK_CASE(status == TALUS_OK, "%s", talus_context_message(context));
  const double epsilon = oracle_wrench_epsilon(&made.problem, a.impulse, a.bilateral, law);
  if (getenv("TELL") != NULL) {
    printf("recipe %d law %d newton %d contacts: %s %lld passes %lld factorisations %g\n", which,
           law, contacts, talus_outcome_name(a.info.outcome), (long long)a.info.passes,
           (long long)a.info.factorisations, epsilon);
  }
  CHECK_CASE(a.info.outcome == TALUS_OUTCOME_CONVERGED && epsilon <= 1.001e-10,
             "recipe %d, %d contacts: %s at %g", which, contacts,
             talus_outcome_name(a.info.outcome), epsilon);
  oracle_made_free(&made);
}

/* ---- no false success ------------------------------------------------------------------------ */

static void test_fuzz(talus_context *context) {
  static answer a;
  uint64_t state = 77;
  int converged = 0;
  for (int i = 0; i < FUZZ; i++) {
    const talus_law law = (talus_law)(i % 2);
    oracle_made made = make(i % RECIPES, law, (uint64_t)i + 1, 2 + (int)oracle_random(&state, 0, 5),
                            1 + (int)oracle_random(&state, 0, 7));
    talus_settings settings = talus_settings_default();
    settings.law = law;
    settings.method = (talus_method)oracle_random(&state, 0, TALUS_METHOD_NEWTON + 0.999);
    settings.precision =
        i % 7 == 0 && settings.method != TALUS_METHOD_NEWTON ? TALUS_F32 : TALUS_F64;
    settings.tolerance =
        pow(10, oracle_random(&state, settings.precision == TALUS_F32 ? -4 : -8, -1));
    settings.max_iterations = 2000;
    const talus_status status = solve(context, &made.problem, &settings, &a);
    CHECK_CASE(status == TALUS_OK, "%d: %s", i, talus_context_message(context));
    const double epsilon = oracle_wrench_epsilon(&made.problem, a.impulse, a.bilateral, law);
    const int good = a.info.outcome == TALUS_OUTCOME_CONVERGED;
    converged += good;
    CHECK_CASE(!good || epsilon <= 1.001 * settings.tolerance + 1e-11, "%d, %s: %g for %g", i,
               talus_method_name(settings.method), epsilon, settings.tolerance);
    oracle_made_free(&made);
  }
  CHECK_CASE(converged > 9 * FUZZ / 10, "only %d of %d converged", converged, (int)FUZZ);
}

/* ---- friction 0 ------------------------------------------------------------------------------ */

/* Six rows that resist neither spinning nor rolling are three, and an ellipse of equal axes is a
 * circle. */
static void test_three(talus_context *context, talus_law law) {
  static answer six, three;
  static double none[ROOM];
  oracle_made made = make(1, law, 4, 10, 15);
  talus_problem p = made.problem;
  talus_settings settings = talus_settings_default();
  settings.law = law;
  settings.tolerance = 1e-9;
  settings.method = TALUS_METHOD_GAUSS_SEIDEL_NESTEROV;
  p.torque_friction = none;
  p.cross_friction = p.friction;
  p.friction_direction = p.rigid.arm_a;
  CHECK(solve(context, &p, &settings, &six) == TALUS_OK);
  p.dimension = 3;
  p.torque_friction = p.cross_friction = p.friction_direction = NULL;
  CHECK(solve(context, &p, &settings, &three) == TALUS_OK);
  CHECK(six.info.outcome == TALUS_OUTCOME_CONVERGED);
  double worst = 0, size = 0;
  for (int k = 0; k < p.contact_count; k++) {
    for (int i = 0; i < 3; i++) {
      worst = fmax(worst, fabs(six.velocity[6 * k + i] - three.velocity[3 * k + i]));
      size = fmax(size, fabs(three.velocity[3 * k + i]));
      CHECK(six.impulse[6 * k + 3 + i] == 0);
    }
  }
  CHECK_CASE(worst <= 1e-6 * size, "velocities differ by %g of %g", worst, size);
  oracle_made_free(&made);
}

/* ---- one sphere ------------------------------------------------------------------------------ */

typedef struct sphere {
  double velocity[6], mass, inertia[6], normal[3], reach, friction, torque[2], bias, zero;
  int32_t ground, body;
  talus_problem problem;
} sphere;

/* Radius r, mass 1, on the ground; weight g over dt is in the velocity. */
static void sphere_make(sphere *s, double r, double spin, double roll) {
  memset(s, 0, sizeof *s);
  s->mass = 1;
  s->inertia[0] = s->inertia[3] = s->inertia[5] = 1 / (0.4 * r * r);
  s->normal[2] = 1;
  s->reach = r;
  s->friction = 0.5;
  s->torque[0] = spin;
  s->torque[1] = roll;
  s->ground = -1;
  s->problem = talus_problem_default(TALUS_FORM_RIGID);
  s->problem.dimension = 6;
  s->problem.contact_count = 1;
  s->problem.friction = &s->friction;
  s->problem.torque_friction = s->torque;
  s->problem.rigid = (talus_rigid){.body_count = 1,
                                   .velocity = s->velocity,
                                   .inverse_mass = &s->mass,
                                   .inverse_inertia = s->inertia,
                                   .body_a = &s->ground,
                                   .body_b = &s->body,
                                   .normal = s->normal,
                                   .reach_a = &s->zero,
                                   .reach_b = &s->reach};
}

/* A sphere that rolls at v loses g dt mu_r / r / (1 + 2/5) of it in a step, one that spins at w
 * g dt mu_s / (2/5 r^2): exactly, while it moves on. */
static void test_sphere(talus_context *context) {
  const double r = 0.05, fall = 9.81e-3, mu_s = 2e-3, mu_r = 1e-3;
  sphere s;
  sphere_make(&s, r, mu_s, mu_r);
  s.velocity[0] = 1;
  s.velocity[2] = -fall;
  s.velocity[4] = 1 / r; /* rolls */
  s.velocity[5] = 30;    /* and spins */
  double after[6], impulse[6], u[6];
  talus_solution solution = talus_solution_default();
  solution.velocity = after;
  solution.impulse = impulse;
  solution.contact_velocity = u;
  talus_settings settings = talus_settings_default();
  settings.tolerance = 1e-10;
  talus_info info = talus_info_default();
  CHECK(talus_solve_once(context, &s.problem, &settings, &solution, &info) == TALUS_OK);
  CHECK_CLOSE(after[0], 1 - fall * mu_r / r / 1.4, 1e-8);
  CHECK_CLOSE(after[5], 30 - fall * mu_s / (0.4 * r * r), 1e-7);
  CHECK_CLOSE(impulse[2], fall, 1e-10);
  CHECK_CLOSE(impulse[4], -mu_r * fall, 1e-10);
  CHECK_CLOSE(u[4], after[4], 1e-9);
  /* torque is all that the certificate knows of work: nothing slides */
  CHECK_CLOSE(info.certificate.dissipation, impulse[4] * after[4] + impulse[5] * after[5], 1e-6);
}

/* On a slope a sphere stays for tan(slope) < mu_r / r. */
static void test_slope(talus_context *context) {
  const double r = 0.05, mu_r = 5e-3, fall = 9.81e-3;
  for (int over = 0; over < 2; over++) {
    const double angle = atan(mu_r / r) * (over ? 1.01 : 0.99);
    double after[6];
    sphere s;
    sphere_make(&s, r, 0, mu_r);
    s.velocity[0] = fall * sin(angle);
    s.velocity[2] = -fall * cos(angle);
    talus_solution solution = talus_solution_default();
    solution.velocity = after;
    talus_settings settings = talus_settings_default();
    settings.tolerance = 1e-8;
    CHECK(talus_solve_once(context, &s.problem, &settings, &solution, NULL) == TALUS_OK);
    CHECK_CASE((after[0] > 1e-4 * fall) == over, "at %g of the angle: %g", over ? 1.01 : 0.99,
               after[0]);
  }
}

/* ---- files: form GLOBAL ---------------------------------------------------------------------- */

/* A problem written and read again has the same solution, and R(0). */
static void test_file(talus_context *context, int which) {
  static answer before, after;
  const char *const path = "wrench-problem.hdf5";
  oracle_made made = make(which, TALUS_LAW_CCP, 6, 10, 12);
  const talus_status status = talus_problem_write(context, path, &made.problem, made.impulse);
  if (status == TALUS_UNSUPPORTED) { /* built without HDF5 */
    oracle_made_free(&made);
    return;
  }
  CHECK_CASE(status == TALUS_OK, "%s", talus_context_message(context));
  talus_stored *stored;
  CHECK_CASE(talus_problem_read(context, path, &stored) == TALUS_OK, "%s",
             talus_context_message(context));
  const talus_problem *const p = &stored->problem;
  CHECK(p->form == TALUS_FORM_GLOBAL && p->dimension == made.problem.dimension);
  const double guess =
      oracle_wrench_epsilon(p, stored->guess, made.bilateral_impulse, TALUS_LAW_CCP);
  CHECK_CASE(guess < 1e-9, "recipe %d: the solution in the file has %g", which, guess);
  talus_settings settings = talus_settings_default();
  settings.law = TALUS_LAW_CCP;
  settings.tolerance = 1e-8;
  CHECK(solve(context, &made.problem, &settings, &before) == TALUS_OK);
  CHECK_CASE(solve(context, p, &settings, &after) == TALUS_OK, "%s",
             talus_context_message(context));
  CHECK(after.info.outcome == TALUS_OUTCOME_CONVERGED);
  CHECK_CLOSE(after.info.certificate.reference_ccp / before.info.certificate.reference_ccp, 1,
              1e-9);
  CHECK(oracle_wrench_epsilon(p, after.impulse, after.bilateral, TALUS_LAW_CCP) <= 1.001e-8);
  CHECK(talus_problem_write(context, "wrench-problem.dat", &made.problem, NULL) ==
        TALUS_UNSUPPORTED);
  CHECK(remove(path) == 0);
  talus_stored_destroy(stored);
  oracle_made_free(&made);
}

/* ---- refused --------------------------------------------------------------------------------- */

static void refuse(talus_context *context, const talus_problem *problem,
                   const talus_settings *settings, talus_status status, const char *words) {
  const talus_status found = talus_solve_once(context, problem, settings, NULL, NULL);
  CHECK_CASE(found == status, "%d instead of %d: %s", found, status,
             talus_context_message(context));
  CHECK_CASE(strstr(talus_context_message(context), words) != NULL, "%s",
             talus_context_message(context));
}

static void test_refused(talus_context *context) {
  sphere s;
  talus_settings settings = talus_settings_default();
  sphere_make(&s, 1, 0.1, 0.1);
  const talus_problem good = s.problem;
  const talus_method methods[] = {TALUS_METHOD_INTERIOR_POINT, TALUS_METHOD_PATH,
                                  TALUS_METHOD_MNCP_PROX};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    settings.method = methods[i];
    refuse(context, &good, &settings, TALUS_UNSUPPORTED, "gauss_seidel_nesterov");
  }
  settings = talus_settings_default();
  settings.cone = TALUS_CONE_BOX;
  refuse(context, &good, &settings, TALUS_UNSUPPORTED, "circular cone");
  s.torque[1] = -0.1;
  refuse(context, &good, NULL, TALUS_NEGATIVE_FRICTION, "problem.torque_friction[1] is -0.1");
  s.torque[1] = NAN;
  refuse(context, &good, NULL, TALUS_NOT_FINITE, "problem.torque_friction[1]");
  s.torque[1] = 0.1;
  s.problem.torque_friction = NULL;
  refuse(context, &s.problem, NULL, TALUS_INVALID_ARGUMENT,
         "torque_friction goes with dimension 6");
  s.problem = good;
  s.problem.dimension = 3;
  refuse(context, &s.problem, NULL, TALUS_INVALID_ARGUMENT,
         "torque_friction goes with dimension 6");
  s.problem = good;
  s.problem.dimension = 4;
  refuse(context, &s.problem, NULL, TALUS_INVALID_ARGUMENT, "or 6 with torques");
  s.problem = good;
  double across = 0.2, direction[3] = {0, 0, 1};
  s.problem.cross_friction = &across;
  refuse(context, &s.problem, NULL, TALUS_MISSING_ARRAY, "problem.friction_direction");
  s.problem.friction_direction = direction;
  refuse(context, &s.problem, NULL, TALUS_INVALID_ARGUMENT, "no part across the normal");
  direction[0] = 1;
  across = 0;
  refuse(context, &s.problem, NULL, TALUS_NEGATIVE_FRICTION, "two positive axes");
  double w = 1, q = -1;
  talus_problem matrix = talus_problem_default(TALUS_FORM_DELASSUS);
  matrix.dimension = 6;
  matrix.contact_count = 1;
  matrix.torque_friction = s.torque;
  matrix.delassus.w = (talus_matrix){
      .storage = TALUS_STORAGE_DENSE, .rows = 1, .columns = 1, .count = 1, .value = &w};
  matrix.delassus.q = &q;
  refuse(context, &matrix, NULL, TALUS_UNSUPPORTED, "forms RIGID, BLOCKS and GLOBAL");
}

int main(void) {
  talus_context_def def = talus_context_def_default();
  talus_context *context;
  def.threads = 1;
  def.backend = TALUS_BACKEND_CPU;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  for (int which = 0; which < RECIPES; which++) {
    test_known(context, which, TALUS_LAW_COULOMB);
    test_known(context, which, TALUS_LAW_CCP);
  }
  for (int which = 0; which < RECIPES; which++) {
    test_newton(context, which, (talus_law)(which % 2), 30);
  }
  test_newton(context, 0, TALUS_LAW_COULOMB, 100);
  test_newton(context, 1, TALUS_LAW_CCP, 100);
  test_three(context, TALUS_LAW_COULOMB);
  test_three(context, TALUS_LAW_CCP);
  test_sphere(context);
  test_slope(context);
  for (int which = 0; which < RECIPES; which++) {
    test_file(context, which);
  }
  test_refused(context);
  test_fuzz(context);
  talus_context_destroy(context);
  return check_end();
}
