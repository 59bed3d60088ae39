/* test_compliance.c: contacts and rows that give way.
 *
 * Compliance 0 changes no bit; C is the same as W + C and q - C target in form (c); the momentum
 * knows C, so that passes do not grow with the size of a heap; of 2000 random problems with
 * compliances from 1e-6 to 1e6 times W_kk none is called converged that the oracle finds is not. */
#include <string.h>

#include "talus/talus_io.h"
#include "tests/check.h"
#include "tests/solver/families.h"

enum { FUZZ = 2000, ROOM = 400 };

typedef struct answer {
  double impulse[ROOM], bilateral[ROOM];
  talus_info info;
} answer;

static talus_status solve(talus_context *context, const talus_problem *problem,
                          const talus_settings *settings, answer *a) {
  talus_solution solution = talus_solution_default();
  memset(a, 0, sizeof *a);
  solution.impulse = a->impulse;
  solution.bilateral_impulse = a->bilateral;
  a->info = talus_info_default();
  return talus_solve_once(context, problem, settings, &solution, &a->info);
}

/* ---- compliance 0 ---------------------------------------------------------------------------- */

static void test_zero(talus_context *context, const family *f) {
  static answer rigid, zero;
  const double none[2 * ROOM] = {0}, far[ROOM] = {1, -2, 3};
  oracle_made made = family_make(f, TALUS_LAW_COULOMB, 3);
  talus_problem problem = made.problem;
  talus_settings settings = talus_settings_default();
  settings.same_bits = 1;
  CHECK(solve(context, &problem, &settings, &rigid) == TALUS_OK);
  problem.compliance = none;
  problem.target_impulse = far;
  problem.row_compliance = none;
  CHECK(solve(context, &problem, &settings, &zero) == TALUS_OK);
  CHECK_CASE(memcmp(rigid.impulse, zero.impulse, sizeof rigid.impulse) == 0 &&
                 memcmp(rigid.bilateral, zero.bilateral, sizeof rigid.bilateral) == 0,
             "%s", f->name);
  CHECK(zero.info.certificate.epsilon_rigid_coulomb == zero.info.certificate.epsilon_coulomb);
  oracle_made_free(&made);
}

/* ---- W + C ----------------------------------------------------------------------------------- */

/* The same problem with C added to a dense W. */
static void test_added(talus_context *context, const family *f, talus_law law) {
  static answer soft, added;
  static double w[ROOM * ROOM], q[ROOM];
  oracle_made made = family_make(f, law, 2);
  oracle_system system;
  CHECK(oracle_build(&made.problem, &system) && system.rows <= ROOM);
  for (int64_t i = 0; i < (int64_t)system.rows * system.rows; i++) {
    w[i] = (double)system.w[i];
  }
  for (int r = 0; r < system.rows; r++) {
    q[r] = (double)system.q[r];
  }
  talus_problem plain = made.problem;
  plain.compliance = plain.row_compliance = plain.target_impulse = plain.row_target_impulse = NULL;
  plain.delassus.w = (talus_matrix){.storage = TALUS_STORAGE_DENSE,
                                    .rows = system.rows,
                                    .columns = system.rows,
                                    .count = (int64_t)system.rows * system.rows,
                                    .value = w};
  plain.delassus.q = q;
  talus_settings settings = talus_settings_default();
  settings.law = law;
  settings.tolerance = 1e-9;
  CHECK(solve(context, &made.problem, &settings, &soft) == TALUS_OK);
  CHECK(solve(context, &plain, &settings, &added) == TALUS_OK);
  CHECK(soft.info.outcome == TALUS_OUTCOME_CONVERGED);
  double worst = 0, size = 0;
  for (int i = 0; i < ROOM; i++) {
    worst = fmax(worst, fabs(soft.impulse[i] - added.impulse[i]));
    size = fmax(size, fabs(soft.impulse[i]));
  }
  CHECK_CASE(worst <= 1e-6 * size, "%s: impulses differ by %g of %g", f->name, worst, size);
  talus_certificate c = talus_certificate_default();
  CHECK(talus_certify(context, &plain, soft.impulse, soft.bilateral, &c) == TALUS_OK);
  CHECK_CLOSE(c.epsilon_coulomb, soft.info.certificate.epsilon_coulomb, 1e-12);
  CHECK_CLOSE(c.epsilon_ccp, soft.info.certificate.epsilon_ccp, 1e-12);
  oracle_free(&system);
  oracle_made_free(&made);
}

/* ---- passes ---------------------------------------------------------------------------------- */

/* Every so many contacts (0: none) give way a hundred times less than the others. */
static int64_t heap_passes(talus_context *context, int32_t bodies, talus_law law, double share,
                           double tolerance, int32_t stiff) {
  talus_generate_def def = talus_generate_def_default(TALUS_GENERATE_HEAP);
  talus_stored *stored;
  def.body_count = bodies;
  CHECK(talus_problem_generate(context, &def, &stored) == TALUS_OK);
  talus_problem problem = stored->problem;
  double *const c = calloc(2 * (size_t)problem.contact_count, sizeof *c);
  CHECK(talus_problem_diagonal(context, &problem, c, NULL) == TALUS_OK);
  for (int32_t i = 0; i < 2 * problem.contact_count; i++) {
    c[i] *= stiff > 0 && i / 2 % stiff == 0 ? 0.01 * share : share;
  }
  problem.compliance = c;
  talus_settings settings = talus_settings_default();
  settings.law = law;
  settings.tolerance = tolerance;
  settings.method = TALUS_METHOD_GAUSS_SEIDEL_NESTEROV;
  talus_info info = talus_info_default();
  CHECK(talus_solve_once(context, &problem, &settings, NULL, &info) == TALUS_OK);
  CHECK(info.outcome == TALUS_OUTCOME_CONVERGED);
  free(c);
  talus_stored_destroy(stored);
  return info.passes;
}

static void test_heaps(talus_context *context) {
  for (int32_t bodies = 200; bodies <= 3200; bodies *= 4) {
    const int64_t convex = heap_passes(context, bodies, TALUS_LAW_CCP, 1e-2, 1e-4, 0);
    const int64_t exact = heap_passes(context, bodies, TALUS_LAW_COULOMB, 2e-2, 1e-3, 0);
    CHECK_CASE(convex <= 120, "%d spheres, convex: %lld passes", bodies, (long long)convex);
    CHECK_CASE(exact <= 150, "%d spheres, exact: %lld passes", bodies, (long long)exact);
  }
  /* a few that are stiffer do not decide the momentum of all */
  const int64_t mixed = heap_passes(context, 3200, TALUS_LAW_CCP, 1e-2, 1e-4, 10);
  CHECK_CASE(mixed <= 200, "every tenth contact stiff: %lld passes", (long long)mixed);
}

/* ---- no false success ------------------------------------------------------------------------ */

static void test_fuzz(talus_context *context) {
  static answer a;
  uint64_t state = 99;
  int converged = 0;
  for (int i = 0; i < FUZZ; i++) {
    family f = *family_at((int)oracle_random(&state, 0, FAMILY_COUNT - 0.001));
    f.body_count = 2 + (int)oracle_random(&state, 0, 7);
    f.contact_count = 1 + (int)oracle_random(&state, 0, 9);
    f.bilateral_count = f.bilateral_count > 0 ? 2 : 0;
    f.compliance = pow(10, oracle_random(&state, -6, 6));
    const talus_law law = (talus_law)(i % 2);
    oracle_made made = family_make(&f, law, (uint64_t)i + 1);
    talus_settings settings = talus_settings_default();
    settings.law = law;
    settings.method = (talus_method)oracle_random(&state, 0, ANY_SIZE_COUNT - 0.001);
    settings.precision =
        i % 7 == 0 && settings.method < TALUS_METHOD_NEWTON ? TALUS_F32 : TALUS_F64;
    settings.tolerance =
        pow(10, oracle_random(&state, settings.precision == TALUS_F32 ? -4 : -8, -1));
    settings.max_iterations = 3000;
    const talus_status status = solve(context, &made.problem, &settings, &a);
    CHECK_CASE(status == TALUS_OK, "%d, %s: %s", i, f.name, talus_context_message(context));
    const double epsilon = oracle_epsilon(&made.problem, a.impulse, a.bilateral, law);
    const int good = a.info.outcome == TALUS_OUTCOME_CONVERGED;
    converged += good;
    CHECK_CASE(!good || epsilon <= 1.001 * settings.tolerance + 1e-11, "%d, %s, %s: %g for %g", i,
               f.name, talus_method_name(settings.method), epsilon, settings.tolerance);
    oracle_made_free(&made);
  }
  CHECK_CASE(converged > 9 * FUZZ / 10, "only %d of %d converged", converged, (int)FUZZ);
}

int main(void) {
  talus_context_def def = talus_context_def_default();
  talus_context *context;
  def.threads = 1;
  def.backend = TALUS_BACKEND_CPU;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  for (int i = 0; i < FAMILY_COUNT; i++) {
    const family *const f = family_at(i);
    if (f->compliance > 0 && f->form == TALUS_FORM_DELASSUS) {
      test_added(context, f, TALUS_LAW_COULOMB);
      test_added(context, f, TALUS_LAW_CCP);
    } else if (f->compliance == 0 && !f->hard) {
      test_zero(context, f);
    }
  }
  test_heaps(context);
  test_fuzz(context);
  talus_context_destroy(context);
  return check_end();
}
