/* test_oracle.c: is the judge right? Hand-computed cases of one contact, problems with a known
 * solution in every form, wrong solutions, other units. */
#include <string.h>

#include "tests/check.h"
#include "tests/oracle/oracle.h"

/* ---- a ball on the floor, worked out by hand
 * ------------------------------------------------------
 *
 * Mass 2 kg, radius 0.5 m, inertia 0.4 m r^2 = 0.2 kg m2; normal z, arm (0, 0, -0.5).
 * W_n = 1/m = 0.5; W_t = 1/m + r^2 / I = 0.5 + 0.25/0.2 = 1.75; W = diag(1.75, 1.75, 0.5).
 * w = (1.75 + 1.75 + 0.5) / 3 = 4/3. */
typedef struct ball {
  double velocity[6], inverse_mass[1], inverse_inertia[6], normal[3], reach_a[1], reach_b[1];
  double friction[1], bias[1];
  int32_t body_a[1], body_b[1];
  talus_problem problem;
} ball;

static void ball_make(ball *b, double vx, double vz, double friction) {
  const ball made = {.velocity = {vx, 0, vz, 0, 0, 0},
                     .inverse_mass = {0.5},
                     .inverse_inertia = {5, 0, 0, 5, 0, 5},
                     .normal = {0, 0, 1},
                     .reach_b = {0.5},
                     .friction = {friction},
                     .body_a = {-1}};
  *b = made;
  b->problem.struct_size = sizeof b->problem;
  b->problem.form = TALUS_FORM_RIGID;
  b->problem.dimension = 3;
  b->problem.contact_count = 1;
  b->problem.friction = b->friction;
  b->problem.rigid.body_count = 1;
  b->problem.rigid.velocity = b->velocity;
  b->problem.rigid.inverse_mass = b->inverse_mass;
  b->problem.rigid.inverse_inertia = b->inverse_inertia;
  b->problem.rigid.normal = b->normal;
  b->problem.rigid.reach_a = b->reach_a;
  b->problem.rigid.reach_b = b->reach_b;
  b->problem.rigid.bias = b->bias;
  b->problem.rigid.body_a = b->body_a;
  b->problem.rigid.body_b = b->body_b;
}

static void test_ball_system(void) {
  ball b;
  oracle_system system;
  ball_make(&b, 3.0, -1.0, 0.5);
  b.velocity[4] = 2.0; /* spin about y: w x r = (0,2,0) x (0,0,-0.5) = (-1, 0, 0) */
  b.bias[0] = 0.25;
  CHECK(oracle_build(&b.problem, &system));
  const double w[9] = {1.75, 0, 0, 0, 1.75, 0, 0, 0, 0.5}, q[3] = {2.0, 0.0, -0.75};
  for (int i = 0; i < 9; i++) {
    CHECK_CLOSE((double)system.w[i], w[i], 1e-15);
  }
  for (int i = 0; i < 3; i++) {
    CHECK_CLOSE((double)system.q[i], q[i], 1e-15);
  }
  CHECK_CLOSE((double)system.weight[0], 4.0, 1e-15); /* |3| + |2 * -0.5| */
  CHECK_CLOSE((double)system.weight[2], 1.25, 1e-15);
  oracle_free(&system);
}

/* Sticks: v = (0.3, 0, -1), friction 0.5. u = 0 needs x_n = 1/0.5 = 2, x_t = -0.3/1.75 = -0.1714,
 * inside the cone (0.1714 < 1): the solution under both laws. */
static void test_ball_sticks(void) {
  ball b;
  const double x[3] = {-0.3 / 1.75, 0.0, 2.0};
  ball_make(&b, 0.3, -1.0, 0.5);
  CHECK(oracle_epsilon(&b.problem, x, NULL, TALUS_LAW_COULOMB) < 1e-15);
  CHECK(oracle_epsilon(&b.problem, x, NULL, TALUS_LAW_CCP) < 1e-15);
  CHECK(oracle_siconos(&b.problem, x, NULL, TALUS_LAW_COULOMB) < 1e-15);
}

/* Slides: v = (3, 0, -1), friction 0.5.
 * coulomb: u_n = 0: x_n = 2, x_t = -0.5 * 2 = -1, u_t = 3 - 1.75 = 1.25 > 0, against x_t. Good.
 * ccp: x_t = -0.5 x_n, u_n = 0.5 |u_t|: -1 + 0.5 x_n = 0.5 (3 - 0.875 x_n), so 0.9375 x_n = 2.5,
 *   x_n = 8/3; u_n = 1/3, u_t = 3 - 7/3 = 2/3. Good.
 * R(0), coulomb: u^_n = -1 + 0.5 * 3 = 0.5, u_t = 3; y = -u^/w = (-2.25, 0, -0.375).
 *   P: along = (-0.375 + 0.5 * 2.25)/1.25 = 0.6; P = (-0.3, 0, 0.6), |P| = sqrt(0.45);
 *   R = sqrt(4/3 * 0.45) = sqrt(0.6).
 * R(0), ccp: y = (-2.25, 0, 0.75), along = (0.75 + 1.125)/1.25 = 1.5, P = (-0.75, 0, 1.5);
 *   R = sqrt(4/3 * 2.8125) = sqrt(3.75).
 * Siconos at 0, coulomb: P(-u^) = P(-3, 0, -0.5): along = (-0.5 + 1.5)/1.25 = 0.8, P = (-0.4, 0,
 * 0.8), over max(|q|, 0, |u|) = sqrt(10): sqrt(0.8/10) = sqrt(0.08). At x = (0, 0, 2), coulomb: u =
 * (3, 0, 0), u^ = (3, 0, 1.5); y = x - u^/w = (-2.25, 0, 0.875), along = (0.875 + 1.125)/1.25
 * = 1.6, P = (-0.8, 0, 1.6); x - P = (0.8, 0, 0.4), R = sqrt(4/3 * 0.8), epsilon = sqrt(4/3 * 0.8 /
 * 0.6) = 4/3: worse than nothing. */
static void test_ball_slides(void) {
  ball b;
  const double coulomb[3] = {-1.0, 0.0, 2.0}, ccp[3] = {-4.0 / 3.0, 0.0, 8.0 / 3.0};
  const double nothing[3] = {0.0, 0.0, 0.0}, smooth[3] = {0.0, 0.0, 2.0};
  oracle_system system;
  ball_make(&b, 3.0, -1.0, 0.5);
  CHECK(oracle_build(&b.problem, &system));
  oracle_report report = oracle_judge(&system, coulomb, NULL, TALUS_LAW_COULOMB);
  CHECK(report.epsilon < 1e-15 && report.cone_violation < 1e-15);
  CHECK(report.complementarity < 1e-15);
  CHECK_CLOSE(report.reference, sqrt(0.6), 1e-15);
  CHECK_CLOSE(report.dissipation, -1.25, 1e-15);
  CHECK(oracle_judge(&system, coulomb, NULL, TALUS_LAW_CCP).epsilon > 0.1);
  report = oracle_judge(&system, ccp, NULL, TALUS_LAW_CCP);
  CHECK(report.epsilon < 1e-15 && report.complementarity < 1e-15);
  CHECK_CLOSE(report.reference, sqrt(3.75), 1e-15);
  CHECK(oracle_judge(&system, ccp, NULL, TALUS_LAW_COULOMB).epsilon > 0.1);
  report = oracle_judge(&system, nothing, NULL, TALUS_LAW_COULOMB);
  CHECK_CLOSE(report.epsilon, 1.0, 1e-15);
  CHECK_CLOSE(report.siconos, sqrt(0.08), 1e-15);
  CHECK_CLOSE(report.penetration, 1.0, 1e-15);
  report = oracle_judge(&system, smooth, NULL, TALUS_LAW_COULOMB);
  CHECK_CLOSE(report.epsilon, 4.0 / 3.0, 1e-14);
  /* x . u^ = 2 * 1.5 = 3; |x||u^| = 2 sqrt(9 + 2.25) */
  CHECK_CLOSE(report.complementarity, 3.0 / (2.0 * sqrt(11.25)), 1e-15);
  /* x = (3, 4, 1): outside by 5 - 0.5, relative to |x| = sqrt(26) */
  const double outside[3] = {3.0, 4.0, 1.0};
  report = oracle_judge(&system, outside, NULL, TALUS_LAW_CCP);
  CHECK_CLOSE(report.cone_violation, 4.5 / sqrt(26.0), 1e-15);
  oracle_free(&system);
}

/* Separates: v = (0.2, 0, 1). Nothing to do: R(0) = 0 is at the floor, x = 0 reads 0, any other
 * impulse reads huge. The same for a wide gap: v_z = -1, bias 5. And frictionless: x_n = 2 only. */
static void test_ball_leaves(void) {
  ball b;
  const double nothing[3] = {0.0, 0.0, 0.0}, push[3] = {0.0, 0.0, 1.0};
  ball_make(&b, 0.2, 1.0, 0.5);
  for (int law = 0; law < TALUS_LAW_COUNT; law++) {
    CHECK(oracle_epsilon(&b.problem, nothing, NULL, (talus_law)law) == 0.0);
    CHECK(oracle_epsilon(&b.problem, push, NULL, (talus_law)law) > 1e3);
  }
  ball_make(&b, 0.2, -1.0, 0.5);
  b.bias[0] = 5.0;
  CHECK(oracle_epsilon(&b.problem, nothing, NULL, TALUS_LAW_COULOMB) == 0.0);
  CHECK(oracle_epsilon(&b.problem, push, NULL, TALUS_LAW_COULOMB) > 1e3);
  ball_make(&b, 3.0, -1.0, 0.0);
  const double stop[3] = {0.0, 0.0, 2.0}, rub[3] = {-0.1, 0.0, 2.0};
  CHECK(oracle_epsilon(&b.problem, stop, NULL, TALUS_LAW_COULOMB) < 1e-15);
  CHECK(oracle_epsilon(&b.problem, nothing, NULL, TALUS_LAW_COULOMB) == 1.0);
  CHECK(oracle_epsilon(&b.problem, rub, NULL, TALUS_LAW_COULOMB) > 0.05);
  const double bad[3] = {0.0, 0.0, NAN}, huge[3] = {0.0, 0.0, 1e300};
  CHECK(oracle_epsilon(&b.problem, bad, NULL, TALUS_LAW_CCP) == HUGE_VAL);
  CHECK(oracle_siconos(&b.problem, bad, NULL, TALUS_LAW_CCP) == HUGE_VAL);
  CHECK(oracle_epsilon(&b.problem, huge, NULL, TALUS_LAW_CCP) > 1e299);
}

/* A bilateral row that stops the ball's x: J = (1 0 0 0 0 0), u = 3, W_jj = 0.5, so x = -6; and at
 * x = 0 without contacts R(0) = 3 / sqrt(0.5). */
static void test_ball_guided(void) {
  ball b;
  const int32_t row_a[1] = {0}, row_b[1] = {-1};
  const double jacobian[12] = {1}, stop[1] = {-6.0}, half[1] = {-3.0};
  oracle_system system;
  ball_make(&b, 3.0, -1.0, 0.5);
  b.problem.contact_count = 0;
  b.problem.bilateral_count = 1;
  b.problem.rigid.row_body_a = row_a;
  b.problem.rigid.row_body_b = row_b;
  b.problem.rigid.row_jacobian = jacobian;
  CHECK(oracle_build(&b.problem, &system));
  oracle_report report = oracle_judge(&system, NULL, stop, TALUS_LAW_COULOMB);
  CHECK(report.epsilon < 1e-15 && report.bilateral < 1e-15);
  CHECK_CLOSE(report.reference, 3.0 / sqrt(0.5), 1e-14);
  report = oracle_judge(&system, NULL, half, TALUS_LAW_COULOMB);
  CHECK_CLOSE(report.epsilon, 0.5, 1e-15);
  CHECK_CLOSE(report.bilateral, 1.5, 1e-15);
  oracle_free(&system);
}

/* The same guide, of at most 4 N s: x = -4, u = 3 - 0.5 * 4 = 1 > 0 at the lower bound is the
 * solution. R(0) = sqrt(0.5) * 4. At x = -3: x - u/w = -6, held at -4: R = sqrt(0.5), epsilon 1/4;
 * at x = -5, outside: the same, and a violation of 1/5. Only pulling, [0, inf): x = 0 is right. */
static void test_ball_held(void) {
  ball b;
  const int32_t row_a[1] = {0}, row_b[1] = {-1};
  const double jacobian[12] = {1}, lower[1] = {-4.0}, upper[1] = {4.0}, pull[1] = {0.0};
  const double x[4] = {-4.0, -3.0, -5.0, 0.0};
  oracle_system system;
  ball_make(&b, 3.0, -1.0, 0.5);
  b.problem.contact_count = 0;
  b.problem.bilateral_count = 1;
  b.problem.rigid.row_body_a = row_a;
  b.problem.rigid.row_body_b = row_b;
  b.problem.rigid.row_jacobian = jacobian;
  b.problem.row_lower = lower;
  b.problem.row_upper = upper;
  CHECK(oracle_build(&b.problem, &system));
  oracle_report report = oracle_judge(&system, NULL, x, TALUS_LAW_COULOMB);
  CHECK(report.epsilon < 1e-15 && report.bilateral == 0.0 && report.cone_violation == 0.0);
  CHECK_CLOSE(report.reference, 4.0 * sqrt(0.5), 1e-14);
  report = oracle_judge(&system, NULL, x + 1, TALUS_LAW_COULOMB);
  CHECK_CLOSE(report.epsilon, 0.25, 1e-15);
  CHECK_CLOSE(report.bilateral, 1.5, 1e-15);
  report = oracle_judge(&system, NULL, x + 2, TALUS_LAW_COULOMB);
  CHECK_CLOSE(report.epsilon, 0.25, 1e-15);
  CHECK_CLOSE(report.cone_violation, 0.2, 1e-15);
  oracle_free(&system);
  b.problem.row_lower = pull;
  b.problem.row_upper = NULL;
  CHECK(oracle_epsilon(&b.problem, NULL, x + 3, TALUS_LAW_CCP) == 0.0);
  CHECK(oracle_epsilon(&b.problem, NULL, x, TALUS_LAW_CCP) > 1.0);
}

/* ---- problems with a known solution
 * -------------------------------------------------------------- */

static void check_known(const oracle_recipe *recipe, const char *what) {
  oracle_made made = oracle_problem_make(recipe);
  oracle_system system;
  const int size = recipe->dimension * recipe->contact_count;
  if (!CHECK(oracle_build(&made.problem, &system))) {
    return;
  }
  const oracle_report known =
      oracle_judge(&system, made.impulse, made.bilateral_impulse, recipe->law);
  CHECK_CASE(known.epsilon <= 1e-12, "%s: epsilon %g", what, known.epsilon);
  CHECK_CASE(known.cone_violation <= 1e-14, "%s: cone %g", what, known.cone_violation);
  /* relative to |x||u|, which is rounding alone unless something loaded slips, and nearly so with
   * masses far apart */
  int slips = 0;
  for (int k = 0; k < recipe->contact_count && recipe->mass_decades == 0.0; k++) {
    slips += !made.open[k] && !made.stick[k] && recipe->dimension > 1;
  }
  CHECK_CASE(slips == 0 || known.complementarity <= 1e-12, "%s: complementarity %g", what,
             known.complementarity);
  CHECK_CASE(known.reference > 0.0, "%s", what);
  CHECK_CASE(known.dissipation <= 1e-12, "%s: %g", what, known.dissipation);
  /* the velocities promised are those of the raw arrays */
  long double *u = calloc((size_t)system.rows + 1, sizeof *u);
  double worst = 0.0;
  oracle_velocity(&system, made.impulse, made.bilateral_impulse, u);
  for (int r = 0; r < system.rows; r++) {
    const double wanted = r < size ? made.contact_velocity[r] : made.row_velocity[r - size];
    worst = fmax(worst, fabs((double)u[r] - wanted) / (1.0 + (double)system.weight[r]));
  }
  CHECK_CASE(worst < 1e-14, "%s: velocity off by %g", what, worst);
  /* wrong: nothing at all, and the solution with one loaded contact let go */
  double *wrong = calloc((size_t)size + 1, sizeof *wrong);
  double *zero = calloc((size_t)recipe->bilateral_count + 1, sizeof *zero);
  CHECK_CLOSE(oracle_judge(&system, wrong, zero, recipe->law).epsilon, 1.0, 1e-15);
  memcpy(wrong, made.impulse, (size_t)size * sizeof *wrong);
  for (int k = 0; k < recipe->contact_count; k++) {
    if (!made.open[k]) {
      memset(wrong + recipe->dimension * k, 0, (size_t)recipe->dimension * sizeof *wrong);
      break;
    }
  }
  const double epsilon = oracle_judge(&system, wrong, made.bilateral_impulse, recipe->law).epsilon;
  CHECK_CASE(epsilon > (recipe->mass_decades > 0.0 ? 1e-9 : 1e-3), "%s: wrong reads %g", what,
             epsilon);
  free(u);
  free(wrong);
  free(zero);
  oracle_free(&system);
  oracle_made_free(&made);
}

/* Every form, body kind, storage, dimension, with and without bilateral rows, for one law. */
static void test_known(talus_law law, uint64_t seed) {
  for (int form = TALUS_FORM_RIGID; form <= TALUS_FORM_GLOBAL; form++) {
    for (int variant = 0; variant < 24; variant++) {
      oracle_recipe recipe = oracle_recipe_default((talus_form)form);
      char what[80];
      recipe.law = law;
      recipe.seed = seed + (uint64_t)variant;
      recipe.bodies = (oracle_bodies)(variant % (form == TALUS_FORM_RIGID ? 2 : 3));
      recipe.dimension = form == TALUS_FORM_RIGID ? 3 : 3 - variant / 3 % 3;
      recipe.storage = (talus_storage)(TALUS_STORAGE_DENSE + variant % 4);
      recipe.bilateral_count = variant / 2 % 2 == 0 ? 0 : variant % 2 == 0 ? 3 : 6;
      recipe.bounded = variant % 2 == 0 ? 0.0 : 0.8;
      recipe.contact_count = variant % 5 == 0 ? 60 : 15; /* 60 on 10 bodies: rank-deficient */
      recipe.mass_decades = variant % 4 == 3 ? 6.0 : 0.0;
      recipe.asymmetry = form == TALUS_FORM_DELASSUS && variant % 2 == 1 ? 1e-2 : 0.0;
      recipe.immovable = variant % 3 == 1 ? 0.3 : 0.0;
      recipe.shuffle = variant % 2;
      snprintf(what, sizeof what, "law %d, form %d, variant %d", (int)law, form, variant);
      check_known(&recipe, what);
    }
  }
}

/* The same law everywhere, one status only. */
static void test_single_status(talus_law law) {
  for (int status = 0; status < 2; status++) {
    oracle_recipe recipe = oracle_recipe_default(TALUS_FORM_RIGID);
    recipe.law = law;
    recipe.open = 0.0;
    recipe.stick = status; /* 0: all slip, 1: all stick */
    check_known(&recipe, status == 0 ? "all slip" : "all stick");
  }
}

/* The mixture is as ordered, and the asymmetry is there. */
static void test_mixture(void) {
  oracle_recipe recipe = oracle_recipe_default(TALUS_FORM_DELASSUS);
  int open = 0, stick = 0, smooth = 0;
  double skew = 0.0, all = 0.0;
  oracle_system system;
  recipe.contact_count = 100;
  recipe.asymmetry = 1e-2;
  oracle_made made = oracle_problem_make(&recipe);
  for (int k = 0; k < 100; k++) {
    open += made.open[k];
    stick += made.stick[k];
    smooth += made.problem.friction[k] == 0.0;
  }
  CHECK(open > 15 && open < 45 && stick > 25 && stick < 55 && smooth > 2 && smooth < 20);
  CHECK(oracle_build(&made.problem, &system));
  for (int i = 0; i < system.rows; i++) {
    for (int j = 0; j < system.rows; j++) {
      const double a = (double)system.w[i * system.rows + j];
      const double b = (double)system.w[j * system.rows + i];
      skew += (a - b) * (a - b);
      all += a * a;
    }
  }
  CHECK_CASE(sqrt(skew / all) > 1e-3 && sqrt(skew / all) < 3e-2, "%g", sqrt(skew / all));
  oracle_free(&system);
  oracle_made_free(&made);
}

/* The same bodies as RIGID (arms and world frame), BLOCKS and GLOBAL give the same W in n t1 t2:
 * the trace of each block does not depend on the frame. */
static void test_forms_agree(void) {
  oracle_system system[3];
  for (int bodies = ORACLE_SPHERES; bodies <= ORACLE_RIGID; bodies++) {
    static const talus_form forms[3] = {TALUS_FORM_RIGID, TALUS_FORM_BLOCKS, TALUS_FORM_GLOBAL};
    oracle_made made[3];
    for (int f = 0; f < 3; f++) {
      oracle_recipe recipe = oracle_recipe_default(forms[f]);
      recipe.bodies = (oracle_bodies)bodies;
      recipe.bilateral_count = 2;
      made[f] = oracle_problem_make(&recipe);
      CHECK(oracle_build(&made[f].problem, &system[f]));
    }
    const int rows = system[0].rows;
    double worst = 0.0;
    for (int k = 0; k < 20; k++) {
      for (int l = 0; l < 20; l++) {
        double square[3] = {0.0, 0.0, 0.0}; /* of the 3 x 3 block: the same in any frames */
        for (int f = 0; f < 3; f++) {
          for (int i = 0; i < 9; i++) {
            const double entry = (double)system[f].w[(3 * k + i / 3) * rows + 3 * l + i % 3];
            square[f] += entry * entry;
          }
        }
        worst = fmax(worst, fabs(square[0] - square[1]) / (1.0 + square[0]));
        worst = fmax(worst, fabs(square[0] - square[2]) / (1.0 + square[0]));
      }
    }
    for (int r = 60; r < rows; r++) {
      worst = fmax(worst, fabs((double)(system[0].w[r * rows + 61] - system[1].w[r * rows + 61])));
      worst = fmax(worst, fabs((double)(system[0].w[r * rows + 61] - system[2].w[r * rows + 61])));
    }
    CHECK_CASE(worst < 1e-12, "bodies %d: %g", bodies, worst);
    for (int f = 0; f < 3; f++) {
      oracle_free(&system[f]);
      oracle_made_free(&made[f]);
    }
  }
}

static double *scaled(const double *array, int count, double factor) {
  double *copy = calloc((size_t)count + 1, sizeof *copy);
  for (int i = 0; i < count; i++) {
    copy[i] = factor * array[i];
  }
  return copy;
}

/* Lengths, masses and times in other units: epsilon of any impulses stays, Siconos' need not. */
static void test_units(talus_law law) {
  const double length = 1e3, mass = 2.5e-3, time = 60.0, speed = length / time;
  oracle_recipe recipe = oracle_recipe_default(TALUS_FORM_RIGID);
  recipe.law = law;
  oracle_made made = oracle_problem_make(&recipe);
  const talus_rigid *old = &made.problem.rigid;
  talus_problem problem = made.problem;
  const int bodies = old->body_count, contacts = problem.contact_count;
  double *velocity = scaled(old->velocity, 6 * bodies, speed);
  double *inverse_mass = scaled(old->inverse_mass, bodies, 1.0 / mass);
  double *inverse_inertia =
      scaled(old->inverse_inertia, 6 * bodies, 1.0 / (mass * length * length));
  double *arm_a = scaled(old->arm_a, 3 * contacts, length);
  double *arm_b = scaled(old->arm_b, 3 * contacts, length);
  double *bias = scaled(old->bias, contacts, speed);
  double *surface = scaled(old->surface_velocity, 3 * contacts, speed);
  double *guess = scaled(made.impulse, 3 * contacts, 0.9);
  double *other = scaled(guess, 3 * contacts, mass * speed);
  double *known = scaled(made.impulse, 3 * contacts, mass * speed);
  for (int i = 0; i < bodies; i++) {
    for (int c = 3; c < 6; c++) {
      velocity[6 * i + c] /= length; /* rad/s */
    }
  }
  problem.rigid.velocity = velocity;
  problem.rigid.inverse_mass = inverse_mass;
  problem.rigid.inverse_inertia = inverse_inertia;
  problem.rigid.arm_a = arm_a;
  problem.rigid.arm_b = arm_b;
  problem.rigid.bias = bias;
  problem.rigid.surface_velocity = surface;
  const double before = oracle_epsilon(&made.problem, guess, NULL, law);
  const double after = oracle_epsilon(&problem, other, NULL, law);
  CHECK(before > 0.01 && before < 10.0);
  CHECK_CLOSE(after / before, 1.0, 1e-10);
  CHECK(oracle_epsilon(&problem, known, NULL, law) < 1e-12);
  double *const copies[] = {velocity, inverse_mass, inverse_inertia, arm_a, arm_b,
                            bias,     surface,      guess,           other, known};
  for (size_t i = 0; i < sizeof copies / sizeof copies[0]; i++) {
    free(copies[i]);
  }
  oracle_made_free(&made);
}

/* M that is not positive definite is refused, not factored. */
static void test_refused(void) {
  oracle_recipe recipe = oracle_recipe_default(TALUS_FORM_GLOBAL);
  oracle_system system;
  recipe.storage = TALUS_STORAGE_DENSE;
  oracle_made made = oracle_problem_make(&recipe);
  double *negative =
      scaled(made.problem.global.mass.value, (int)made.problem.global.mass.count, -1.0);
  talus_problem problem = made.problem;
  problem.global.mass.value = negative;
  CHECK(!oracle_build(&problem, &system));
  CHECK(oracle_epsilon(&problem, made.impulse, NULL, TALUS_LAW_CCP) == HUGE_VAL);
  free(negative);
  oracle_made_free(&made);
}

int main(void) {
  test_ball_system();
  test_ball_sticks();
  test_ball_slides();
  test_ball_leaves();
  test_ball_guided();
  test_ball_held();
  for (int law = 0; law < TALUS_LAW_COUNT; law++) {
    test_known((talus_law)law, 1);
    test_known((talus_law)law, 1000);
    test_single_status((talus_law)law);
    test_units((talus_law)law);
  }
  test_mixture();
  test_forms_agree();
  test_refused();
  return check_end();
}
