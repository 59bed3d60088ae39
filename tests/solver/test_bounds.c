/* test_bounds.c: bilateral rows whose impulses have bounds.
 *
 * Small cases worked out by hand, the bounds kept to the last bit whatever the method and
 * precision, and infinite bounds as good as none. Problems with a known solution in every form are
 * among the families of test_known.c. */
#include <string.h>

#include "tests/check.h"
#include "tests/solver/families.h"

static talus_context *context;

/* A body of 2 kg moves at 3 m/s along x, held there by one row: W = 1/2, q = 3. */
typedef struct guide {
  double velocity[6], inverse_mass[1], inverse_inertia[6], jacobian[12], lower[1], upper[1];
  int32_t a[1], b[1];
  talus_problem problem;
} guide;

static void guide_make(guide *g, double lower, double upper) {
  *g = (guide){.velocity = {3},
               .inverse_mass = {0.5},
               .inverse_inertia = {1, 0, 0, 1, 0, 1},
               .jacobian = {0, 0, 0, 0, 0, 0, 1},
               .lower = {lower},
               .upper = {upper},
               .a = {-1}};
  g->problem = talus_problem_default(TALUS_FORM_RIGID);
  g->problem.bilateral_count = 1;
  g->problem.rigid.body_count = 1;
  g->problem.rigid.velocity = g->velocity;
  g->problem.rigid.inverse_mass = g->inverse_mass;
  g->problem.rigid.inverse_inertia = g->inverse_inertia;
  g->problem.rigid.row_body_a = g->a;
  g->problem.rigid.row_body_b = g->b;
  g->problem.rigid.row_jacobian = g->jacobian;
  g->problem.row_lower = g->lower;
  g->problem.row_upper = g->upper;
}

/* The impulse wanted is -6: it is that, or the bound nearest to it. */
static void by_hand(talus_method method, talus_precision precision) {
  static const double bounds[][3] = {{-10, 10, -6},          {-4, 4, -4}, {0, INFINITY, 0},
                                     {-INFINITY, -8, -8},    {2, 2, 2},   {-INFINITY, 0, -6},
                                     {-0.1, INFINITY, -0.1}, {0, 0, 0}};
  for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
    guide g;
    double x = 0, v[6];
    talus_settings settings = talus_settings_default();
    talus_solution solution = talus_solution_default();
    talus_info info = talus_info_default();
    guide_make(&g, bounds[i][0], bounds[i][1]);
    settings.method = method;
    settings.precision = precision;
    settings.tolerance = precision == TALUS_F32 ? 1e-5 : 1e-9;
    solution.bilateral_impulse = &x;
    solution.velocity = v;
    CHECK(talus_solve_once(context, &g.problem, &settings, &solution, &info) == TALUS_OK);
    const double off = x - bounds[i][2], allowed = bounds[i][2] == -6 ? 1e-4 : 0;
    CHECK_CASE(fabs(off) <= allowed, "case %d by %s: %.17g", (int)i, talus_method_name(method), x);
    CHECK_CASE(fabs(v[0] - (3 + 0.5 * x)) < 1e-14, "case %d: v %g", (int)i, v[0]);
    CHECK_CASE(info.outcome == TALUS_OUTCOME_CONVERGED, "case %d by %s: %s", (int)i,
               talus_method_name(method), talus_outcome_name(info.outcome));
    CHECK_CASE(info.certificate.cone_violation == 0 && info.certificate.bilateral < 1e-3,
               "case %d: %g %g", (int)i, info.certificate.cone_violation,
               info.certificate.bilateral);
  }
}

/* The certificate of impulses of the caller's own: test_oracle.c has these by hand. */
static void judged(void) {
  guide g;
  talus_certificate c = talus_certificate_default();
  guide_make(&g, -4, 4);
  const double x[] = {-4, -3, -5}, epsilon[] = {0, 0.25, 0.25}, outside[] = {0, 0, 0.2};
  const double speed[] = {0, 1.5, 0};
  for (int i = 0; i < 3; i++) {
    CHECK(talus_certify(context, &g.problem, NULL, &x[i], &c) == TALUS_OK);
    CHECK_CLOSE(c.epsilon_ccp, epsilon[i], 1e-15);
    CHECK_CLOSE(c.epsilon_coulomb, epsilon[i], 1e-15);
    CHECK_CLOSE(c.cone_violation, outside[i], 1e-15);
    CHECK_CLOSE(c.bilateral, speed[i], 1e-15);
  }
}

/* Some sweeps of a family's problem; the hash of what came out. */
static uint64_t hash_of(const talus_problem *problem, talus_precision precision, double *memory,
                        talus_info *info) {
  const size_t rows = (size_t)problem->dimension * (size_t)problem->contact_count;
  const size_t count = rows + (size_t)problem->bilateral_count;
  talus_settings settings = talus_settings_default();
  talus_solution solution = talus_solution_default();
  uint64_t hash = UINT64_C(0xCBF29CE484222325);
  settings.precision = precision;
  settings.max_iterations = 60;
  settings.tolerance = 1e-300;
  solution.impulse = memory;
  solution.bilateral_impulse = memory + rows;
  CHECK(talus_solve_once(context, problem, &settings, &solution, info) == TALUS_OK);
  for (size_t i = 0; i < count * sizeof *memory; i++) {
    hash = (hash ^ ((const unsigned char *)memory)[i]) * UINT64_C(0x100000001B3);
  }
  return hash;
}

/* Bounds that are all infinite change no bit and cost no byte; bounds are never left. */
static void in_every_form(int index, talus_precision precision) {
  oracle_made made = family_make(family_at(index), TALUS_LAW_COULOMB, 3);
  talus_problem problem = made.problem;
  enum { ROOM = 1024 };
  static double memory[ROOM];
  double lower[64], upper[64];
  talus_info none = talus_info_default(), infinite = none, info = none;
  for (int r = 0; r < 64; r++) {
    lower[r] = -INFINITY;
    upper[r] = INFINITY;
  }
  problem.row_lower = problem.row_upper = NULL;
  const uint64_t hash = hash_of(&problem, precision, memory, &none);
  problem.row_lower = lower;
  problem.row_upper = upper;
  CHECK_CASE(hash_of(&problem, precision, memory, &infinite) == hash, "%s", family_at(index)->name);
  CHECK(infinite.bytes == none.bytes);
  for (int r = 0; r < problem.bilateral_count; r++) {
    lower[r] = 0.25 * made.bilateral_impulse[r] - 1.0 / 3;
    upper[r] = lower[r] + (r % 3) / 7.0;
  }
  CHECK_CASE(hash_of(&problem, precision, memory, &info) != hash || problem.bilateral_count == 0,
             "%s: the bounds do nothing", family_at(index)->name);
  const double *const x = memory + (size_t)problem.dimension * (size_t)problem.contact_count;
  for (int r = 0; r < problem.bilateral_count; r++) {
    CHECK_CASE(x[r] >= lower[r] && x[r] <= upper[r], "%s, row %d: %.17g", family_at(index)->name, r,
               x[r]);
  }
  oracle_made_free(&made);
}

int main(void) {
  talus_context_def def = talus_context_def_default();
  def.threads = 1;
  def.backend = TALUS_BACKEND_CPU;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  for (int method = 0; method <= TALUS_METHOD_INTERIOR_POINT; method++) {
    by_hand((talus_method)method, TALUS_F64);
    if (method < TALUS_METHOD_NEWTON) {
      by_hand((talus_method)method, TALUS_F32);
    }
  }
  judged();
  for (int i = 0; i < FAMILY_COUNT; i++) {
    in_every_form(i, TALUS_F64);
    in_every_form(i, TALUS_F32);
  }
  talus_context_destroy(context);
  return check_end();
}
