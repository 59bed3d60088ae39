/* test_certificate.c: talus_certify against the oracle on impulses that solve nothing, in all
 * forms; impulses that are not numbers; the rounding floor; nothing to judge. */
#include <string.h>

#include "tests/check.h"
#include "tests/solver/families.h"

static int same(double a, double b) {
  return (isinf(a) && isinf(b)) || fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b)) + 1e-14;
}

#define CHECK_SAME(a, b, name) CHECK_CASE(same(a, b), "%s: %.12g, oracle %.12g", name, a, b)

/* s |1 / sqrt(w_k)| over the contacts and the rows that give way, w_k = tr(W_kk) / dimension. */
static double scale_reference(const talus_problem *problem, const oracle_system *system, double s) {
  long double sum = 0;
  for (int k = 0; k < system->contacts; k++) {
    long double trace = 0;
    for (int c = 0; c < system->dimension; c++) {
      const int row = system->dimension * k + c;
      trace += system->w[row * system->rows + row];
    }
    sum += system->dimension / trace;
  }
  for (int j = 0; j < system->bilateral && problem->row_compliance != NULL; j++) {
    const int row = system->dimension * system->contacts + j;
    sum += problem->row_compliance[j] > 0 ? 1 / system->w[row * system->rows + row] : 0;
  }
  return s * (double)sqrtl(sum);
}

/* With a velocity_scale below and above what R(0) says: epsilon stays, the error is relative to the
 * larger of the two. */
static void compare_scaled(talus_context *context, const talus_problem *given,
                           const oracle_system *system, const double *impulse,
                           const double *bilateral, const char *name) {
  const oracle_report ccp = oracle_judge(system, impulse, bilateral, TALUS_LAW_CCP);
  const oracle_report exact = oracle_judge(system, impulse, bilateral, TALUS_LAW_COULOMB);
  const double one = scale_reference(given, system, 1);
  for (int turn = 0; turn < 2 && one > 0 && ccp.reference > 0; turn++) {
    talus_problem problem = *given;
    talus_certificate c = talus_certificate_default();
    problem.velocity_scale = (turn ? 10 : 0.1) * exact.reference / one;
    CHECK(talus_certify(context, &problem, impulse, bilateral, &c) == TALUS_OK);
    const double scale = problem.velocity_scale * one;
    CHECK_SAME(c.reference_scale, scale, name);
    CHECK_SAME(c.epsilon_coulomb, exact.epsilon, name);
    CHECK_SAME(c.error_coulomb, exact.residual / fmax(exact.reference, scale), name);
    CHECK_SAME(c.error_ccp, ccp.residual / fmax(ccp.reference, scale), name);
  }
}

static void compare(talus_context *context, const talus_problem *problem, const double *impulse,
                    const double *bilateral, const char *name) {
  talus_certificate c = talus_certificate_default();
  oracle_system system;
  const talus_status status = talus_certify(context, problem, impulse, bilateral, &c);
  CHECK_CASE(status == TALUS_OK, "%s: %s", name, talus_context_message(context));
  CHECK(oracle_build(problem, &system));
  const oracle_report ccp = oracle_judge(&system, impulse, bilateral, TALUS_LAW_CCP);
  const oracle_report exact = oracle_judge(&system, impulse, bilateral, TALUS_LAW_COULOMB);
  CHECK_SAME(c.epsilon_ccp, ccp.epsilon, name);
  CHECK_SAME(c.epsilon_coulomb, exact.epsilon, name);
  CHECK_SAME(c.residual_ccp, ccp.residual, name);
  CHECK_SAME(c.residual_coulomb, exact.residual, name);
  CHECK_SAME(c.reference_ccp, ccp.reference, name);
  CHECK_SAME(c.reference_coulomb, exact.reference, name);
  CHECK_SAME(c.siconos_ccp, ccp.siconos, name);
  CHECK_SAME(c.siconos_coulomb, exact.siconos, name);
  CHECK_SAME(c.cone_violation, exact.cone_violation, name);
  int frictionless = 0; /* there the certificate counts the normal row only */
  for (int k = 0; k < problem->contact_count; k++) {
    frictionless += problem->friction[k] == 0;
  }
  CHECK_CASE(frictionless || fabs(c.complementarity - exact.complementarity) <= 1e-12,
             "%s: %g, oracle %g", name, c.complementarity, exact.complementarity);
  CHECK_CASE(frictionless || fabs(c.complementarity_ccp - ccp.complementarity) <= 1e-12,
             "%s: %g, oracle %g", name, c.complementarity_ccp, ccp.complementarity);
  CHECK_CASE(fabs(c.dissipation - exact.dissipation) <= 1e-9 * (1 + fabs(exact.dissipation)),
             "%s: %g, oracle %g", name, c.dissipation, exact.dissipation);
  CHECK_SAME(c.bilateral, exact.bilateral, name);
  CHECK_SAME(c.penetration_speed, exact.penetration, name);
  CHECK_CASE(c.momentum_balance <= 1e-9, "%s: momentum off by %g", name, c.momentum_balance);
  CHECK(c.reference_scale == 0 && c.error_ccp == c.epsilon_ccp &&
        c.error_coulomb == c.epsilon_coulomb);
  compare_scaled(context, problem, &system, impulse, bilateral, name);
  oracle_free(&system);
}

/* Random impulses of the size of the solution: pushing, pulling, and inside the cone. */
static void test_random(talus_context *context) {
  uint64_t state = 77;
  for (int i = 0; i < FAMILY_COUNT; i++) {
    const family *f = family_at(i);
    oracle_made made = family_make(f, TALUS_LAW_COULOMB, 3);
    const int rows = made.problem.dimension * made.problem.contact_count;
    double *x = calloc((size_t)rows + 1, sizeof *x), b[8] = {0};
    compare(context, &made.problem, made.impulse, made.bilateral_impulse, f->name);
    compare(context, &made.problem, x, b, f->name);
    for (int turn = 0; turn < 4; turn++) {
      for (int r = 0; r < rows; r++) {
        const double other = made.impulse[r] + made.impulse[(r + 3) % rows];
        x[r] = turn == 3 ? 1e6 * other : other * oracle_random(&state, -1, 2);
      }
      for (int r = 0; r < made.problem.bilateral_count; r++) {
        b[r] = made.bilateral_impulse[r] * oracle_random(&state, -1, 2);
      }
      compare(context, &made.problem, x, b, f->name);
    }
    free(x);
    oracle_made_free(&made);
  }
}

/* Not a number in one place, among good ones, must show in every number that is about errors. */
static void test_not_finite(talus_context *context) {
  const double bad[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300};
  for (int i = 0; i < FAMILY_COUNT; i++) {
    const family *f = family_at(i);
    oracle_made made = family_make(f, TALUS_LAW_COULOMB, 4);
    const int rows = made.problem.dimension * made.problem.contact_count;
    for (int which = 0; which < 5; which++) {
      for (int place = 0; place < rows; place += 7) {
        const double kept = made.impulse[place];
        talus_certificate c = talus_certificate_default();
        made.impulse[place] = bad[which];
        CHECK(talus_certify(context, &made.problem, made.impulse, made.bilateral_impulse, &c) ==
              TALUS_OK);
        CHECK_CASE(c.epsilon_ccp > 1 && c.epsilon_coulomb > 1, "%s: %g in row %d gives %g and %g",
                   f->name, bad[which], place, c.epsilon_ccp, c.epsilon_coulomb);
        CHECK_CASE(which > 2 || (c.siconos_ccp > 1e-3 && c.siconos_coulomb > 1e-3),
                   "%s: %g gives %g", f->name, bad[which], c.siconos_coulomb);
        CHECK_CASE(which > 2 || isinf(c.cone_violation), "%s: %g in row %d: cone violation %g",
                   f->name, bad[which], place, c.cone_violation);
        CHECK_CASE(which > 0 || isinf(c.penetration_speed), "%s: %g in row %d: penetration %g",
                   f->name, bad[which], place, c.penetration_speed);
        made.impulse[place] = kept;
      }
    }
    if (made.problem.bilateral_count > 0) {
      talus_certificate c = talus_certificate_default();
      made.bilateral_impulse[0] = NAN;
      CHECK(talus_certify(context, &made.problem, made.impulse, made.bilateral_impulse, &c) ==
            TALUS_OK);
      CHECK_CASE(isinf(c.epsilon_ccp) && isinf(c.epsilon_coulomb) && isinf(c.bilateral), "%s",
                 f->name);
    }
    oracle_made_free(&made);
  }
}

/* Bodies that fly together at high speed: what the contacts feel is rounding, and nothing is to be
 * done about it. */
static void test_floor(talus_context *context) {
  for (int i = 0; i < 5; i++) { /* the rigid families */
    const family *f = family_at(i);
    oracle_made made = family_make(f, TALUS_LAW_COULOMB, 5);
    talus_problem problem = made.problem;
    const int bodies = problem.rigid.body_count, contacts = problem.contact_count;
    double *v = calloc(6 * (size_t)bodies, sizeof *v);
    double *surface = calloc(3 * (size_t)contacts, sizeof *surface);
    const double speed[3] = {1.1e5 / 3, -2.3e5 / 7, 3.7e5 / 11};
    for (int k = 0; k < bodies; k++) {
      memcpy(v + 6 * k, speed, sizeof speed);
    }
    for (int k = 0; k < contacts; k++) { /* the ground flies along, but for a rounding error */
      const int side = problem.rigid.body_a[k] < 0 ? 1 : problem.rigid.body_b[k] < 0 ? -1 : 0;
      for (int c = 0; c < 3; c++) {
        surface[3 * k + c] = -side * nextafter(speed[c], 0);
      }
    }
    problem.bilateral_count = 0;
    problem.rigid.velocity = v;
    problem.rigid.bias = NULL;
    problem.rigid.surface_velocity = surface;
    for (int law = 0; law < TALUS_LAW_COUNT; law++) {
      double impulse[3 * 64];
      talus_settings settings = talus_settings_default();
      talus_solution solution = talus_solution_default();
      talus_info info = talus_info_default();
      settings.law = (talus_law)law;
      settings.tolerance = 1e-10;
      solution.impulse = impulse;
      memset(impulse, 0x7f, sizeof impulse);
      CHECK(talus_solve_once(context, &problem, &settings, &solution, &info) == TALUS_OK);
      CHECK_CASE(info.outcome == TALUS_OUTCOME_CONVERGED, "%s: %s at %g", f->name,
                 talus_outcome_name(info.outcome), info.measure);
      CHECK(info.measure == 0 && info.iterations == 0);
      int moved = 0;
      for (int r = 0; r < 3 * contacts; r++) {
        moved += impulse[r] != 0;
      }
      CHECK_CASE(moved == 0, "%s: %d impulses are not 0", f->name, moved);
      CHECK(oracle_epsilon(&problem, impulse, NULL, settings.law) == 0);
      impulse[0] = 1; /* something where nothing is to be done is an error */
      talus_certificate c = talus_certificate_default();
      CHECK(talus_certify(context, &problem, impulse, NULL, &c) == TALUS_OK);
      CHECK_CASE(c.epsilon_ccp > 1 && c.epsilon_coulomb > 1, "%s: %g", f->name, c.epsilon_coulomb);
    }
    free(v);
    free(surface);
    oracle_made_free(&made);
  }
}

/* No contacts, with and without bodies: as the defaults leave the problem, and as somebody with
 * bodies and empty lists would give it. */
static void test_empty(talus_context *context) {
  for (int form = TALUS_FORM_RIGID; form <= TALUS_FORM_GLOBAL; form++) {
    talus_problem problem = talus_problem_default((talus_form)form);
    for (int turn = 0; turn < 2; turn++) {
      for (int method = 0; method < TALUS_METHOD_COUNT; method++) {
        if (!talus_method_takes((talus_method)method, TALUS_CONE_CIRCULAR)) {
          continue;
        }
        double velocity[6] = {0}, impulse[1];
        talus_settings settings = talus_settings_default();
        talus_solution solution = talus_solution_default();
        talus_info info = talus_info_default();
        talus_certificate c = talus_certificate_default();
        solution.velocity = velocity;
        solution.impulse = impulse;
        settings.method = (talus_method)method;
        const talus_status status =
            talus_solve_once(context, &problem, &settings, &solution, &info);
        CHECK_CASE(status == TALUS_OK, "form %d, %s: %s", form, turn ? "bodies" : "default",
                   talus_context_message(context));
        CHECK_CASE(info.outcome == TALUS_OUTCOME_CONVERGED && info.measure == 0, "form %d", form);
        CHECK(talus_certify(context, &problem, NULL, NULL, &c) == TALUS_OK);
        CHECK(c.epsilon_ccp == 0 && c.epsilon_coulomb == 0 && c.siconos_coulomb == 0);
        if (turn == 1 && form != TALUS_FORM_DELASSUS) {
          CHECK_CASE(velocity[0] == 1 && velocity[5] == 6, "form %d: %g", form, velocity[0]);
        }
      }
      static const double v[6] = {1, 2, 3, 4, 5, 6}, one[1] = {1}, m[6] = {1, 0, 0, 1, 0, 1};
      static const double unit[36] = {1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,
                                      0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1};
      static const int32_t six[1] = {6};
      static const int64_t none[1] = {0};
      problem.rigid.body_count = problem.blocks.block_count = 1;
      problem.rigid.velocity = problem.blocks.velocity = problem.global.f = v;
      problem.rigid.inverse_mass = one;
      problem.rigid.inverse_inertia = m;
      problem.blocks.inverse_mass = unit;
      problem.blocks.block_size = six;
      problem.blocks.contact_start = none;
      problem.delassus.w.storage = TALUS_STORAGE_CSC;
      problem.delassus.w.start = none;
      problem.global.mass = (talus_matrix){
          .storage = TALUS_STORAGE_DENSE, .rows = 6, .columns = 6, .count = 36, .value = unit};
      problem.global.h = (talus_matrix){.storage = TALUS_STORAGE_CSC, .rows = 6, .start = none};
    }
  }
}

/* Velocities whose squares are below the range of numbers: W = 1, one contact that sticks and one
 * bilateral row. Doing nothing has epsilon 1 and the solution 0, as in any other unit, and no
 * solver may call anything else converged. */
static void test_smallest(talus_context *context) {
  static const double sizes[] = {1, 1e-80, 1e-140, 1e-170, 1e-250, 1e-310};
  double w[16] = {0}, q[4], x[4], friction[1] = {0.5};
  talus_problem problem = talus_problem_default(TALUS_FORM_DELASSUS);
  problem.contact_count = problem.bilateral_count = 1;
  problem.friction = friction;
  problem.delassus.w = (talus_matrix){
      .storage = TALUS_STORAGE_DENSE, .rows = 4, .columns = 4, .count = 16, .value = w};
  problem.delassus.q = q;
  for (int i = 0; i < 6; i++) {
    const double s = sizes[i], free[4] = {-s, 0.25 * s, 0, 0.5 * s}, none[4] = {0};
    talus_certificate c = talus_certificate_default();
    for (int r = 0; r < 4; r++) {
      w[5 * r] = 1;
      q[r] = free[r];
    }
    CHECK(talus_certify(context, &problem, none, none, &c) == TALUS_OK);
    CHECK_CASE(c.epsilon_ccp == 1 && c.epsilon_coulomb == 1, "%g: %g %g", s, c.epsilon_ccp,
               c.epsilon_coulomb);
    CHECK_CASE(fabs(c.penetration_speed - s) <= 1e-12 * s, "%g: %g", s, c.penetration_speed);
    const double solved[3] = {s, -0.25 * s, 0}, row[1] = {-0.5 * s};
    CHECK(talus_certify(context, &problem, solved, row, &c) == TALUS_OK);
    CHECK_CASE(c.epsilon_ccp < 1e-12 && c.epsilon_coulomb < 1e-12, "%g: %g", s, c.epsilon_coulomb);
    static const talus_method methods[] = {TALUS_METHOD_AUTO, TALUS_METHOD_GAUSS_SEIDEL,
                                           TALUS_METHOD_NEWTON, TALUS_METHOD_MNCP_PROX};
    for (int m = 0; m < 4; m++) {
      talus_settings settings = talus_settings_default();
      talus_solution solution = talus_solution_default();
      talus_info info = talus_info_default();
      settings.method = methods[m];
      solution.impulse = x;
      solution.bilateral_impulse = x + 3;
      CHECK(talus_solve_once(context, &problem, &settings, &solution, &info) == TALUS_OK);
      const double off = fabs(x[0] - s) + fabs(x[1] + 0.25 * s) + fabs(x[3] + 0.5 * s);
      CHECK_CASE(info.outcome != TALUS_OUTCOME_CONVERGED || off <= 1e-3 * s,
                 "%g, method %d: converged with %g", s, methods[m], x[0]);
      CHECK_CASE(info.outcome == TALUS_OUTCOME_CONVERGED || s < 1e-280, "%g, method %d: %d", s,
                 methods[m], info.outcome);
    }
  }
}

static void test_arguments(talus_context *context) {
  oracle_made made = family_make(family_at(2), TALUS_LAW_COULOMB, 1); /* has rows */
  talus_certificate c = talus_certificate_default();
  CHECK(talus_certify(NULL, &made.problem, made.impulse, made.bilateral_impulse, &c) ==
        TALUS_INVALID_ARGUMENT);
  CHECK(talus_certify(context, NULL, made.impulse, NULL, &c) == TALUS_INVALID_ARGUMENT);
  CHECK(talus_certify(context, &made.problem, made.impulse, made.bilateral_impulse, NULL) ==
        TALUS_INVALID_ARGUMENT);
  CHECK(talus_certify(context, &made.problem, NULL, made.bilateral_impulse, &c) ==
        TALUS_MISSING_ARRAY);
  CHECK(talus_certify(context, &made.problem, made.impulse, NULL, &c) == TALUS_MISSING_ARRAY);
  oracle_made_free(&made);
}

int main(void) {
  talus_context *context;
  CHECK(talus_context_create(NULL, &context) == TALUS_OK);
  test_random(context);
  test_not_finite(context);
  test_floor(context);
  test_smallest(context);
  test_arguments(context);
  test_empty(context);
  talus_context_destroy(context);
  return check_end();
}
