/* test_fixed_points.c: Anitescu and Hart's examples ([C] = A fixed-point iteration approach for
 * multibody dynamics with contact and small friction, Math. Program. 101, 2004). */
#include <string.h>

#include "tests/check.h"
#include "tests/oracle/oracle.h"

static talus_context *context;

static talus_settings settings_of(talus_method method, double tolerance) {
  talus_settings settings = talus_settings_default();
  settings.method = method;
  settings.cone = TALUS_CONE_PYRAMID;
  settings.tolerance = tolerance;
  return settings;
}

/* ---- the hexagonal pyramid on a table, section 3 --------------------------------------------- */

/* Six corners, four facets along x and y; at rest, pulled down for one step. */
static void test_hexagon(void) {
  static const talus_method methods[] = {TALUS_METHOD_LEMKE,   TALUS_METHOD_PFB_RLM,
                                         TALUS_METHOD_PFB_PLM, TALUS_METHOD_LCP1,
                                         TALUS_METHOD_LCP2,    TALUS_METHOD_LCP3};
  const double mass = 2, pull = 9.81 * 0.05, velocity[6] = {0, 0, -pull, 0, 0, 0};
  const double inverse_mass[1] = {1 / mass},
               inverse_inertia[6] = {1 / 0.7, 0, 0, 1 / 0.7, 0, 1 / 0.9};
  const int32_t ground[6] = {-1, -1, -1, -1, -1, -1}, body[6] = {0};
  double normal[18] = {0}, arm_a[18] = {0}, arm_b[18], friction[6];
  for (int k = 0; k < 6; k++) {
    normal[3 * k + 2] = 1;
    arm_b[3 * k] = cos(k * 1.0471975511965976);
    arm_b[3 * k + 1] = sin(k * 1.0471975511965976);
    arm_b[3 * k + 2] = -0.4;
  }
  for (double mu = 0.01; mu < 2; mu *= 4) {
    talus_problem problem = talus_problem_default(TALUS_FORM_RIGID);
    for (int k = 0; k < 6; k++) {
      friction[k] = mu;
    }
    problem.contact_count = 6;
    problem.friction = friction;
    problem.rigid = (talus_rigid){.body_count = 1,
                                  .velocity = velocity,
                                  .inverse_mass = inverse_mass,
                                  .inverse_inertia = inverse_inertia,
                                  .body_a = ground,
                                  .body_b = body,
                                  .normal = normal,
                                  .arm_a = arm_a,
                                  .arm_b = arm_b};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
      const talus_settings settings = settings_of(methods[m], 1e-10);
      double impulse[18], after[6];
      talus_solution solution = talus_solution_default();
      talus_info info = talus_info_default();
      solution.impulse = impulse;
      solution.velocity = after;
      CHECK(talus_solve_once(context, &problem, &settings, &solution, &info) == TALUS_OK);
      CHECK_CASE(info.outcome == TALUS_OUTCOME_CONVERGED, "%s, mu %g: %g",
                 talus_method_name(methods[m]), mu, info.measure);
      for (int c = 0; c < 6; c++) { /* the velocity is unique, whatever the forces are */
        CHECK_CASE(fabs(after[c]) < 1e-9, "%s: %g", talus_method_name(methods[m]), after[c]);
      }
    }
    /* Both triangles of corners carry the body alone: solutions whose slips are 1 where there is no
     * force. Their mean has forces and slips at all corners, and is none. */
    double product = 0;
    for (int turn = 0; turn < 2; turn++) {
      double impulse[18] = {0};
      talus_certificate certificate = talus_certificate_default();
      const talus_settings settings = settings_of(TALUS_METHOD_LEMKE, 1e-10);
      for (int k = turn; k < 6; k += 2) {
        impulse[3 * k + 2] = mass * pull / 3;
      }
      CHECK(talus_certify_cone(context, &problem, &settings, impulse, NULL, &certificate) ==
            TALUS_OK);
      CHECK(certificate.epsilon_faceted_coulomb < 1e-12);
    }
    for (int k = 0; k < 6; k++) {
      product += mu * (mass * pull / 6) * 0.5;
    }
    CHECK(product > 0.01 * mu);
  }
}

/* ---- theorem 7 and convergence at small friction --------------------------------------------- */

static talus_info solve(const oracle_made *made, talus_method method, double tolerance,
                        int64_t most, double *impulse) {
  talus_settings settings = settings_of(method, tolerance);
  talus_solution solution = talus_solution_default();
  talus_info info = talus_info_default();
  settings.max_iterations = most;
  solution.impulse = impulse;
  CHECK(talus_solve_once(context, &made->problem, &settings, &solution, &info) == TALUS_OK);
  return info;
}

/* In a plane, where the faceted cone is the cone: one step is exact if nothing slips, else not. */
static void test_no_slip(void) {
  for (uint64_t seed = 1; seed <= 10; seed++) {
    double impulse[100];
    oracle_recipe recipe = oracle_recipe_default(TALUS_FORM_DELASSUS);
    recipe.dimension = 2;
    recipe.bodies = ORACLE_RAGGED;
    recipe.contact_count = 12;
    recipe.body_count = 20;
    recipe.frictionless = 0;
    recipe.open = 0;
    recipe.stick = 1;
    recipe.seed = seed;
    oracle_made made = oracle_problem_make(&recipe);
    const talus_info exact = solve(&made, TALUS_METHOD_LCP3, 1e-10, 100, impulse);
    CHECK_CASE(exact.outcome == TALUS_OUTCOME_CONVERGED, "seed %d: %g", (int)seed, exact.measure);
    CHECK(oracle_epsilon(&made.problem, impulse, NULL, TALUS_LAW_COULOMB) < 1e-10);
    oracle_made_free(&made);
    recipe.stick = 0.3;
    made = oracle_problem_make(&recipe);
    const talus_info wrong = solve(&made, TALUS_METHOD_LCP3, 1e-10, 100, impulse);
    CHECK(wrong.outcome == TALUS_OUTCOME_STALLED && wrong.measure > 1e-3);
    oracle_made_free(&made);
  }
}

/* Small friction: both fixed points converge, the error of one step falls with the friction, and no
 * step of the second lets a contact close. */
static void test_small_friction(void) {
  double error[3] = {0, 0, 0};
  for (int level = 0; level < 3; level++) {
    for (uint64_t seed = 1; seed <= 6; seed++) {
      double impulse[200];
      oracle_recipe recipe = oracle_recipe_default(TALUS_FORM_RIGID);
      recipe.contact_count = 16;
      recipe.body_count = 24;
      recipe.friction_max = level == 0 ? 0.1 : level == 1 ? 0.01 : 0.001;
      recipe.seed = seed;
      oracle_made made = oracle_problem_make(&recipe);
      const talus_settings settings = settings_of(TALUS_METHOD_LCP1, 1e-10);
      for (int method = TALUS_METHOD_LCP1; method <= TALUS_METHOD_LCP2; method++) {
        const talus_info info = solve(&made, (talus_method)method, 1e-10, 5000, impulse);
        CHECK_CASE(info.outcome == TALUS_OUTCOME_CONVERGED &&
                       oracle_epsilon_faceted(&made.problem, &settings, impulse, NULL) < 1.01e-10,
                   "%s, friction %g, seed %d: %g", talus_method_name((talus_method)method),
                   recipe.friction_max, (int)seed, info.measure);
      }
      for (int64_t most = 2; most <= 6; most += 2) { /* two problems make a step */
        const talus_info info = solve(&made, TALUS_METHOD_LCP2, 1e-300, most, impulse);
        CHECK_CASE(info.certificate.penetration_speed < 1e-12, "%lld problems: %g", (long long)most,
                   info.certificate.penetration_speed);
      }
      error[level] =
          fmax(error[level], solve(&made, TALUS_METHOD_LCP3, 1e-10, 100, impulse).measure);
      oracle_made_free(&made);
    }
  }
  printf("largest epsilon of lcp3 at friction up to 0.1, 0.01, 0.001: %.2e %.2e %.2e\n", error[0],
         error[1], error[2]);
  CHECK(error[1] < 0.3 * error[0] && error[2] < 0.3 * error[1]);
}

/* ---- piles of disks, section 5.3 ------------------------------------------------------------- */

enum { DISKS_MOST = 21, CONTACTS_MOST = 51 };

typedef struct pile {
  int disks, contacts;
  int32_t size[DISKS_MOST], block[2 * CONTACTS_MOST];
  int64_t start[CONTACTS_MOST + 1];
  double inverse_mass[9 * DISKS_MOST], velocity[3 * DISKS_MOST];
  double jacobian[12 * CONTACTS_MOST], friction[CONTACTS_MOST];
  talus_problem problem;
} pile;

static pile it;
static const double RADIUS = 3;

/* Rows n, t against (vx, vy, w) of one disk: normal (nx, ny), the other disk is on `side`. */
static void entry_add(int32_t disk, double nx, double ny, double side) {
  const int at = (int)it.start[it.contacts + 1]++;
  double *const j = it.jacobian + 6 * at;
  const double sign = side; /* +1: this disk is b, the normal points towards it */
  it.block[at] = disk;
  j[0] = sign * nx;
  j[1] = sign * ny;
  j[2] = 0;
  j[3] = -sign * ny; /* tangent (-ny, nx); arm is -side n r */
  j[4] = sign * nx;
  j[5] = -RADIUS;
}

static void contact_add(int a, int b, double nx, double ny) {
  it.start[it.contacts + 1] = it.start[it.contacts];
  if (a >= 0) {
    entry_add(a, nx, ny, -1);
  }
  entry_add(b, nx, ny, 1);
  it.contacts++;
}

/* `bottom` disks in a row, touching, one less above, and so on; at rest, gravity for one step. */
static void pile_make(int bottom, double mu) {
  int first = 0;
  memset(&it, 0, sizeof it);
  for (int row = 0; bottom - row > 0; row++) {
    const int count = bottom - row;
    for (int i = 0; i < count; i++) {
      const int disk = first + i;
      if (row == 0) {
        contact_add(-1, disk, 0, 1);
      } else {
        contact_add(first - (count + 1) + i, disk, 0.5, sqrt(0.75));
        contact_add(first - (count + 1) + i + 1, disk, -0.5, sqrt(0.75));
      }
      if (i > 0) {
        contact_add(disk - 1, disk, 1, 0);
      }
    }
    first += count;
  }
  it.disks = first;
  for (int i = 0; i < it.disks; i++) {
    it.size[i] = 3;
    it.inverse_mass[9 * i] = it.inverse_mass[9 * i + 4] = 1;
    it.inverse_mass[9 * i + 8] = 2 / (RADIUS * RADIUS);
    it.velocity[3 * i + 1] = -9.81 * 0.05;
  }
  for (int k = 0; k < it.contacts; k++) {
    it.friction[k] = mu;
  }
  it.problem = talus_problem_default(TALUS_FORM_BLOCKS);
  it.problem.dimension = 2;
  it.problem.contact_count = it.contacts;
  it.problem.friction = it.friction;
  it.problem.blocks = (talus_blocks){.block_count = it.disks,
                                     .block_size = it.size,
                                     .inverse_mass = it.inverse_mass,
                                     .velocity = it.velocity,
                                     .contact_start = it.start,
                                     .contact_block = it.block,
                                     .contact_jacobian = it.jacobian};
}

/* The largest opening speed of a contact that carries an impulse: by how much the linearised gap of
 * eqs 2.7-2.8 is missed. */
static double gap_missed(const double *impulse, const double *velocity) {
  double most = 0;
  for (int k = 0; k < it.contacts; k++) {
    if (impulse[2 * k] > 1e-9) {
      most = fmax(most, fabs(velocity[2 * k]));
    }
  }
  return most;
}

static talus_info pile_solve(talus_method method, double tolerance, double seconds, double *gap) {
  static double impulse[2 * CONTACTS_MOST], velocity[2 * CONTACTS_MOST];
  talus_settings settings = settings_of(method, tolerance);
  talus_solution solution = talus_solution_default();
  talus_info info = talus_info_default();
  settings.max_seconds = seconds;
  solution.impulse = impulse;
  solution.contact_velocity = velocity;
  CHECK(talus_solve_once(context, &it.problem, &settings, &solution, &info) == TALUS_OK);
  *gap = gap_missed(impulse, velocity);
  return info;
}

/* 21 disks, friction 0.05: all methods find the same, one step of lcp1 nearly. */
static void test_pile(void) {
  static const talus_method methods[] = {TALUS_METHOD_LEMKE, TALUS_METHOD_LCP1, TALUS_METHOD_LCP2};
  double gap;
  pile_make(6, 0.05);
  CHECK(it.disks == 21 && it.contacts == 51);
  for (int i = 0; i < 3; i++) {
    const talus_info info = pile_solve(methods[i], 1e-9, 20, &gap);
    CHECK_CASE(info.outcome == TALUS_OUTCOME_CONVERGED && gap < 1e-8, "%s: %s at %g, gap %g",
               talus_method_name(methods[i]), talus_outcome_name(info.outcome), info.measure, gap);
    printf("21 disks, %-6s %4lld iterations, %6lld passes, %.3f s\n", talus_method_name(methods[i]),
           (long long)info.iterations, (long long)info.passes, info.seconds);
  }
  const talus_info info = pile_solve(TALUS_METHOD_LCP3, 1e-9, 20, &gap);
  printf("21 disks, lcp3: epsilon %.2e, gap missed by %.2e\n", info.measure, gap);
  CHECK(info.measure < 1);
}

int main(void) {
  if (talus_context_create(NULL, &context) != TALUS_OK) {
    return EXIT_FAILURE;
  }
  test_hexagon();
  test_no_slip();
  test_small_friction();
  test_pile();
  talus_context_destroy(context);
  return check_end();
}
