/* test_known.c: problems whose solution is known, in every form, by every method, under both laws
 * and in both precisions.
 *
 * The oracle judges: the outcome must be converged, its epsilon within the tolerance, the
 * certificate's numbers equal to its own, and the velocities returned those that follow from the
 * impulses returned. Iterates are nobody's business. */
#include <string.h>

#include "tests/check.h"
#include "tests/solver/families.h"

enum { SEEDS = 2 };

typedef struct judged {
  const family *kind;
  oracle_made made;
  oracle_system system;
  oracle_system rigid; /* without compliance: what contact velocities are */
  talus_law law;
} judged;

static talus_problem rigid_of(const talus_problem *problem) {
  talus_problem rigid = *problem;
  rigid.compliance = rigid.row_compliance = NULL;
  return rigid;
}

/* What one solve returned. */
typedef struct answer {
  talus_solution solution;
  talus_info info;
  double *memory;
} answer;

static answer answer_make(const talus_problem *problem) {
  answer a;
  const size_t rows = (size_t)problem->dimension * (size_t)problem->contact_count;
  const size_t bilateral = (size_t)problem->bilateral_count;
  const size_t velocities = (size_t)family_velocities(problem);
  a.memory = calloc(2 * rows + bilateral + velocities + 1, sizeof *a.memory);
  if (a.memory == NULL) {
    exit(EXIT_FAILURE);
  }
  a.solution = talus_solution_default();
  a.solution.impulse = a.memory;
  a.solution.contact_velocity = a.memory + rows;
  a.solution.bilateral_impulse = a.memory + 2 * rows;
  a.solution.velocity = a.memory + 2 * rows + bilateral;
  a.info = talus_info_default();
  return a;
}

/* ---- the checks ------------------------------------------------------------------------------ */

/* Where W is nearly singular impulses may be large, and their rounding then shows in small
 * residuals. */
static int same(const judged *j, double a, double b) {
  const double allowed = (j->kind->hard ? 1e-4 : 1e-6) * fabs(b) + 1e-13;
  return (fabs(a) <= 1e-12 && fabs(b) <= 1e-12) || fabs(a - b) <= allowed;
}

static void check_certificate(const judged *j, const answer *a, const char *what) {
  const talus_certificate *c = &a->info.certificate;
  const double *x = a->solution.impulse, *b = a->solution.bilateral_impulse;
  const oracle_report ccp = oracle_judge(&j->system, x, b, TALUS_LAW_CCP);
  const oracle_report exact = oracle_judge(&j->system, x, b, TALUS_LAW_COULOMB);
  CHECK_CASE(same(j, c->epsilon_ccp, ccp.epsilon), "%s: %g, oracle %g", what, c->epsilon_ccp,
             ccp.epsilon);
  CHECK_CASE(same(j, c->epsilon_coulomb, exact.epsilon), "%s: %g, oracle %g", what,
             c->epsilon_coulomb, exact.epsilon);
  const double rigid[2] = {oracle_judge(&j->rigid, x, b, TALUS_LAW_CCP).epsilon,
                           oracle_judge(&j->rigid, x, b, TALUS_LAW_COULOMB).epsilon};
  CHECK_CASE(same(j, c->epsilon_rigid_ccp, rigid[0]) && same(j, c->epsilon_rigid_coulomb, rigid[1]),
             "%s: rigid %g and %g, oracle %g and %g", what, c->epsilon_rigid_ccp,
             c->epsilon_rigid_coulomb, rigid[0], rigid[1]);
  CHECK_CASE(c->cone_violation <= 1e-6, "%s: %g outside the cone", what, c->cone_violation);
  CHECK_CASE(a->info.measure == (j->law == TALUS_LAW_CCP ? c->epsilon_ccp : c->epsilon_coulomb),
             "%s", what);
}

static void check_contact_velocity(const judged *j, const answer *a, const char *what) {
  const int rows = j->system.dimension * j->system.contacts;
  long double *u = calloc((size_t)j->system.rows + 1, sizeof *u);
  double worst = 0, size = 0;
  oracle_velocity(&j->rigid, a->solution.impulse, a->solution.bilateral_impulse, u);
  for (int r = 0; r < rows; r++) {
    worst = fmax(worst, fabs(a->solution.contact_velocity[r] - (double)u[r]));
    size = fmax(size, (double)(fabsl(u[r]) + fabsl(j->rigid.q[r]) + j->rigid.weight[r]));
  }
  CHECK_CASE(worst <= 1e-10 * size, "%s: u is off by %g of %g", what, worst, size);
  free(u);
}

/* y += A x from any storage, for form GLOBAL. */
static void add_product(const talus_matrix *m, const double *x, double *y) {
  int64_t line = 0;
  for (int64_t e = 0; e < m->count; e++) {
    const int compressed = m->storage == TALUS_STORAGE_CSC || m->storage == TALUS_STORAGE_CSR;
    while (compressed && e >= m->start[line + 1]) {
      line++;
    }
    int64_t row = e % m->rows, column = e / m->rows;
    if (m->storage == TALUS_STORAGE_TRIPLET) {
      row = m->index[e];
      column = m->index2[e];
    } else if (compressed) {
      row = m->storage == TALUS_STORAGE_CSR ? line : m->index[e];
      column = m->storage == TALUS_STORAGE_CSR ? m->index[e] : line;
    }
    y[row] += m->value[e] * x[column];
  }
}

/* The bodies' velocities: with them as the velocities before, no impulse must be needed to reach
 * the contacts' velocities. */
static void check_body_velocity(const judged *j, const answer *a, const char *what) {
  talus_problem after = rigid_of(&j->made.problem);
  double *f = NULL;
  if (after.form == TALUS_FORM_DELASSUS) {
    return;
  }
  if (after.form == TALUS_FORM_RIGID) {
    after.rigid.velocity = a->solution.velocity;
  } else if (after.form == TALUS_FORM_BLOCKS) {
    after.blocks.velocity = a->solution.velocity;
  } else { /* M v+ = f + H r + G s, and f' = M v+ */
    const int64_t n = after.global.mass.rows;
    double *balance = calloc((size_t)n, sizeof *balance), worst = 0, size = 0;
    f = calloc((size_t)n, sizeof *f);
    add_product(&after.global.mass, a->solution.velocity, f);
    memcpy(balance, after.global.f, (size_t)n * sizeof *balance);
    add_product(&after.global.h, a->solution.impulse, balance);
    if (after.bilateral_count > 0) {
      add_product(&after.global.g, a->solution.bilateral_impulse, balance);
    }
    for (int64_t i = 0; i < n; i++) {
      worst = fmax(worst, fabs(balance[i] - f[i]));
      size = fmax(size, fabs(f[i]) + fabs(after.global.f[i]));
    }
    CHECK_CASE(worst <= 1e-9 * size, "%s: momentum is off by %g of %g", what, worst, size);
    after.global.f = f;
    free(balance);
  }
  oracle_system moved;
  CHECK(oracle_build(&after, &moved));
  double worst = 0, size = 0;
  for (int r = 0; r < moved.dimension * moved.contacts; r++) {
    worst = fmax(worst, fabs(a->solution.contact_velocity[r] - (double)moved.q[r]));
    size = fmax(size, (double)(moved.weight[r] + j->rigid.weight[r]));
  }
  CHECK_CASE(worst <= 1e-10 * size, "%s: v is off by %g of %g", what, worst, size);
  oracle_free(&moved);
  free(f);
}

/* ---- the solves ------------------------------------------------------------------------------ */

/* The unscaled gradient cannot do what scaling is for. It must still tell the truth. */
static int may_stall(const judged *j, talus_method method) {
  return method == TALUS_METHOD_APGD &&
         (j->kind->mass_decades > 0 || j->kind->dimension == 1 || j->kind->hard);
}

static void solve_check(talus_context *context, const judged *j, talus_method method,
                        talus_precision precision) {
  answer a = answer_make(&j->made.problem);
  talus_settings settings = talus_settings_default();
  char what[160];
  snprintf(what, sizeof what, "%s, %s, %s, %s", j->kind->name, talus_law_name(j->law),
           talus_method_name(method), talus_precision_name(precision));
  settings.law = j->law;
  settings.method = method;
  settings.precision = precision;
  settings.max_iterations = 20000;
  settings.tolerance = j->kind->hard ? 1e-3 : precision == TALUS_F32 ? 1e-4 : 1e-6;
  const talus_status status =
      talus_solve_once(context, &j->made.problem, &settings, &a.solution, &a.info);
  if (precision == TALUS_F32 &&
      (method == TALUS_METHOD_NEWTON || method == TALUS_METHOD_INTERIOR_POINT)) {
    CHECK_CASE(status == TALUS_UNSUPPORTED, "%s: %s", what, talus_status_name(status));
    free(a.memory);
    return;
  }
  CHECK_CASE(status == TALUS_OK, "%s: %s", what, talus_context_message(context));
  if (status == TALUS_OK) {
    const double epsilon =
        oracle_judge(&j->system, a.solution.impulse, a.solution.bilateral_impulse, j->law).epsilon;
    const int converged = a.info.outcome == TALUS_OUTCOME_CONVERGED;
    CHECK_CASE(converged || may_stall(j, method), "%s: %s at %g after %lld iterations", what,
               talus_outcome_name(a.info.outcome), epsilon, (long long)a.info.iterations);
    CHECK_CASE(converged == (epsilon <= settings.tolerance * (1 + 1e-6)), "%s: %s, but %g", what,
               talus_outcome_name(a.info.outcome), epsilon);
    CHECK_CASE(method == TALUS_METHOD_AUTO || a.info.method == method, "%s", what);
    CHECK_CASE(a.info.precision == precision && a.info.passes >= a.info.iterations, "%s", what);
    check_certificate(j, &a, what);
    check_contact_velocity(j, &a, what);
    check_body_velocity(j, &a, what);
  }
  free(a.memory);
}

/* Notes that follow from the problem alone. */
static void check_notes(talus_context *context, const judged *j) {
  talus_settings settings = talus_settings_default();
  talus_info info = talus_info_default();
  settings.law = j->law;
  CHECK(talus_solve_once(context, &j->made.problem, &settings, NULL, &info) == TALUS_OK);
  const int asymmetric = (info.notes & TALUS_NOTE_ASYMMETRIC) != 0;
  CHECK_CASE(asymmetric == (j->kind->asymmetry > 0), "%s: asymmetry %g", j->kind->name,
             info.certificate.asymmetry);
  const int global = j->kind->form == TALUS_FORM_GLOBAL;
  const uint32_t found = info.notes & (TALUS_NOTE_SPHERES_FOUND | TALUS_NOTE_BLOCKS_FOUND);
  const int round = j->kind->bodies == ORACLE_SPHERES;
  CHECK_CASE(found == (global ? (round ? TALUS_NOTE_SPHERES_FOUND : TALUS_NOTE_BLOCKS_FOUND) : 0u),
             "%s: notes %x", j->kind->name, info.notes);
  CHECK(info.backend == TALUS_BACKEND_CPU);
}

int main(void) {
  talus_context_def def = talus_context_def_default();
  talus_context *context;
  def.threads = 1;
  def.backend = TALUS_BACKEND_CPU;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  for (int i = 0; i < FAMILY_COUNT; i++) {
    for (int law = 0; law < TALUS_LAW_COUNT; law++) {
      for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        judged j = {.kind = family_at(i), .law = (talus_law)law};
        j.made = family_make(j.kind, j.law, seed);
        const talus_problem rigid = rigid_of(&j.made.problem);
        CHECK(oracle_build(&j.made.problem, &j.system) && oracle_build(&rigid, &j.rigid));
        for (int method = 0; method < ANY_SIZE_COUNT; method++) {
          solve_check(context, &j, (talus_method)method, TALUS_F64);
          solve_check(context, &j, (talus_method)method, TALUS_F32);
        }
        check_notes(context, &j);
        oracle_free(&j.system);
        oracle_free(&j.rigid);
        oracle_made_free(&j.made);
      }
    }
  }
  talus_context_destroy(context);
  return check_end();
}
