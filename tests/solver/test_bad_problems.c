/* test_bad_problems.c: problems that have no solution, many, or none that a method need find: every
 * method, both laws, circular and faceted cones, with limits and without.
 *
 * Whatever happens, the call comes back, the outcome has a name, impulses are finite and (but for
 * fixed points on facets) no worse than none, limits are kept, and "converged" is true by the
 * oracle's count. An alarm ends a loop that does not. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "talus/talus.h"
#include "tests/check.h"
#include "tests/oracle/oracle.h"

enum { MOST = 12 }; /* rows */

/* Form (c), W dense and column-major (they are symmetric here unless named otherwise). */
typedef struct bad {
  const char *name;
  int dimension, contacts, bilaterals;
  int solvable; /* by the exact law and the convex one; 0: nobody may claim it */
  double friction;
  double w[MOST * MOST], q[MOST];
} bad;

static bad table[16];
static int table_count;

static bad *bad_add(const char *name, int dimension, int contacts, int bilaterals, int solvable,
                    double friction) {
  bad *const b = &table[table_count++];
  *b = (bad){name, dimension, contacts, bilaterals, solvable, friction, {0}, {0}};
  return b;
}

static int rows_of(const bad *b) {
  return b->dimension * b->contacts + b->bilaterals;
}

/* W = sum of v v^T over rows of g (width numbers each): positive semidefinite. */
static void gram(bad *b, const double *g, int width) {
  const int n = rows_of(b);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      for (int c = 0; c < width; c++) {
        b->w[i + n * j] += g[i * width + c] * g[j * width + c];
      }
    }
  }
}

static void table_make(void) {
  static const double point[] = {1, 0, 0, 0, 1, 0, 0, 0, 1}; /* a contact with a point mass */
  double g[MOST * 6];

  /* the same contact four times: impulses are shared out at will */
  bad *b = bad_add("singular: one contact four times", 3, 4, 0, 1, 0.5);
  for (int k = 0; k < 4; k++) {
    memcpy(g + 9 * k, point, sizeof point);
    b->q[3 * k] = -1;
    b->q[3 * k + 1] = 0.2;
  }
  gram(b, g, 3);

  b = bad_add("singular: no friction, one contact four times", 3, 4, 0, 1, 0);
  memcpy(b->w, table[0].w, sizeof b->w);
  memcpy(b->q, table[0].q, sizeof b->q);

  /* between two walls that come nearer: pushing one way closes the other */
  b = bad_add("infeasible: squeezed without friction", 1, 2, 0, 0, 0);
  b->w[0] = b->w[3] = 1;
  b->w[1] = b->w[2] = -1;
  b->q[0] = b->q[1] = -1;

  b = bad_add("infeasible: squeezed with friction", 3, 2, 0, 0, 0.3);
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < 9; i++) {
      g[9 * k + i] = k == 1 && i == 0 ? -1 : point[i];
    }
    b->q[3 * k] = -1;
  }
  gram(b, g, 3);

  b = bad_add("contradictory rows", 1, 1, 2, 0, 0);
  memcpy(g, (double[]){1, 0, 0, 1, 0, 1}, 6 * sizeof *g);
  gram(b, g, 2);
  b->q[0] = -1;
  b->q[1] = 1;
  b->q[2] = -1;

  b = bad_add("a row twice, the same", 1, 1, 2, 1, 0);
  memcpy(b->w, table[table_count - 2].w, sizeof b->w);
  b->q[0] = -1;
  b->q[1] = b->q[2] = 0.5;

  b = bad_add("indefinite: normals", 1, 2, 0, 1, 0); /* x = (1, 0) and (0, 1) are solutions */
  b->w[0] = b->w[3] = 1;
  b->w[1] = b->w[2] = 2;
  b->q[0] = b->q[1] = -1;

  b = bad_add("indefinite: pulls in", 1, 2, 0, 0, 0); /* W x + q < 0 for every x >= 0 */
  b->w[0] = b->w[3] = 1;
  b->w[1] = b->w[2] = -3;
  b->q[0] = b->q[1] = -1;

  b = bad_add("indefinite: a contact with friction", 3, 2, 0, -1, 0.6);
  for (int i = 0; i < 6; i++) {
    b->w[i + 6 * i] = 1;
    b->w[i + 6 * ((i + 3) % 6)] = 1.5;
    b->q[i] = i % 3 == 0 ? -1 : 0.3 * i;
  }

  b = bad_add("not symmetric", 3, 2, 0, -1, 0.6);
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 6; j++) {
      b->w[i + 6 * j] = i == j ? 1 : 0.2 * sin(1.0 + 3 * i + 7 * j);
    }
    b->q[i] = i % 3 == 0 ? -1 : 0.1;
  }

  b = bad_add("friction 1000", 3, 1, 0, 1, 1000);
  gram(b, point, 3);
  b->q[0] = -1;
  b->q[1] = 0.1;
}

static talus_problem problem_of(const bad *b, const double *friction) {
  const int n = rows_of(b);
  talus_problem p = talus_problem_default(TALUS_FORM_DELASSUS);
  p.dimension = b->dimension;
  p.contact_count = b->contacts;
  p.bilateral_count = b->bilaterals;
  p.friction = friction;
  p.delassus.w = (talus_matrix){.storage = TALUS_STORAGE_DENSE,
                                .rows = n,
                                .columns = n,
                                .count = (int64_t)n * n,
                                .value = b->w};
  p.delassus.q = b->q;
  return p;
}

/* The outcome has to be true: of what is not solvable nobody says converged; what is said to be
 * converged is, by the oracle; and no solution is said to be missing where there is one. */
static void judge(const bad *b, const talus_problem *problem, const talus_settings *settings,
                  const talus_solution *solution, const talus_info *info) {
  const int n = b->dimension * b->contacts;
  const char *const method = talus_method_name(settings->method);
  const char *const outcome = talus_outcome_name(info->outcome);
  int finite = 1;
  for (int i = 0; i < n; i++) {
    finite = finite && isfinite(solution->impulse[i]);
  }
  CHECK_CASE(finite, "%s, %s: impulses are not finite", b->name, method);
  CHECK_CASE(outcome != NULL && outcome[0] != '\0', "%s, %s", b->name, method);
  const int circular = settings->cone == TALUS_CONE_CIRCULAR;
  const double *const x = solution->impulse, *const rows = solution->bilateral_impulse;
  const double epsilon = circular ? oracle_epsilon(problem, x, rows, settings->law)
                                  : oracle_epsilon_faceted(problem, settings, x, rows);
  /* the certificate knows what rounding hides from the oracle: velocities lost among huge
   * impulses */
  const double certified = settings->law == TALUS_LAW_CCP ? info->certificate.epsilon_ccp
                                                          : info->certificate.epsilon_coulomb;
  CHECK_CASE(!circular || (epsilon <= 1 + 1e-9 && certified <= 1 + 1e-9),
             "%s, %s, law %d: worse than nothing, %g, %g", b->name, method, (int)settings->law,
             epsilon, certified);
  if (info->outcome == TALUS_OUTCOME_CONVERGED) {
    CHECK_CASE(b->solvable != 0, "%s, %s: %s", b->name, method, outcome);
    CHECK_CASE(settings->measure == TALUS_MEASURE_SICONOS || epsilon <= 1.01 * settings->tolerance,
               "%s, %s, law %d: oracle says %g", b->name, method, (int)settings->law, epsilon);
  }
  CHECK_CASE(info->outcome != TALUS_OUTCOME_INCONSISTENT || b->solvable != 1, "%s, %s: %s", b->name,
             method, outcome);
}

static void attempt(talus_context *context, const bad *b, talus_law law, talus_method method,
                    talus_cone cone, talus_measure measure, double tolerance, int64_t iterations,
                    double seconds) {
  double friction[MOST], impulse[MOST] = {0}, bilateral[MOST] = {0};
  for (int k = 0; k < b->contacts; k++) {
    friction[k] = b->friction;
  }
  const talus_problem problem = problem_of(b, friction);
  talus_settings settings = talus_settings_default();
  talus_solution solution = talus_solution_default();
  talus_info info = talus_info_default();
  settings.law = law;
  settings.method = method;
  settings.cone = cone;
  settings.measure = measure;
  settings.tolerance = tolerance;
  settings.max_iterations = iterations;
  settings.max_seconds = seconds;
  solution.impulse = impulse;
  solution.bilateral_impulse = bilateral;
  alarm(60);
  const talus_status status = talus_solve_once(context, &problem, &settings, &solution, &info);
  alarm(0);
  if (status != TALUS_OK) { /* a refusal has a name and says what it is about */
    CHECK_CASE(status == TALUS_UNSUPPORTED, "%s, %s: %s", b->name, talus_method_name(method),
               talus_status_text(status));
    CHECK(talus_context_message(context)[0] != '\0');
    return;
  }
  CHECK_CASE(info.iterations <= iterations, "%s, %s: %lld iterations of %lld", b->name,
             talus_method_name(method), (long long)info.iterations, (long long)iterations);
  judge(b, &problem, &settings, &solution, &info);
}

/* ---- contradictions among many --------------------------------------------------------------- */

/* Impulses in the cone that move nothing and against which q works: nothing satisfies all. */
static int is_proof(const double *jacobian, const double *q, const double *x, int rows,
                    int freedoms) {
  double most = 0, moved = 0, work = 0;
  for (int i = 0; i < rows; i++) {
    most = fmax(most, fabs(x[i]));
  }
  for (int f = 0; f < freedoms; f++) {
    double sum = 0;
    for (int i = 0; i < rows; i++) {
      sum += jacobian[freedoms * i + f] * x[i] / most;
    }
    moved += sum * sum;
  }
  for (int i = 0; i < rows; i++) {
    work += q[i] * x[i] / most;
  }
  return most > 0 && moved < 1e-14 && work < -1e-3;
}

/* Twelve contacts on twelve freedoms, half of them without a solution of the convex law: who holds
 * the proof in his hands must say so. */
static void test_proofs(talus_context *context, talus_method method) {
  enum { CONTACTS = 12, ROWS = 3 * CONTACTS, FREEDOMS = 12, TRIALS = 40 };
  static double jacobian[ROWS * FREEDOMS], w[ROWS * ROWS], q[ROWS], friction[CONTACTS], x[ROWS];
  int named = 0, solved = 0;
  uint64_t state = 3;
  for (int trial = 0; trial < TRIALS; trial++) {
    double velocity[FREEDOMS];
    for (int i = 0; i < ROWS * FREEDOMS; i++) {
      jacobian[i] = oracle_random(&state, -1, 1);
    }
    for (int f = 0; f < FREEDOMS; f++) {
      velocity[f] = oracle_random(&state, -1, 1);
    }
    for (int i = 0; i < ROWS; i++) {
      q[i] = i % 3 == 0 ? oracle_random(&state, -1, 1) : 0;
      friction[i / 3] = 0.5;
      for (int f = 0; f < FREEDOMS; f++) {
        q[i] += jacobian[FREEDOMS * i + f] * velocity[f];
      }
      for (int j = 0; j < ROWS; j++) {
        w[ROWS * i + j] = 0;
        for (int f = 0; f < FREEDOMS; f++) {
          w[ROWS * i + j] += jacobian[FREEDOMS * i + f] * jacobian[FREEDOMS * j + f];
        }
      }
    }
    talus_problem problem = talus_problem_default(TALUS_FORM_DELASSUS);
    problem.contact_count = CONTACTS;
    problem.friction = friction;
    problem.delassus.w = (talus_matrix){.storage = TALUS_STORAGE_DENSE,
                                        .rows = ROWS,
                                        .columns = ROWS,
                                        .count = ROWS * ROWS,
                                        .value = w};
    problem.delassus.q = q;
    talus_settings settings = talus_settings_default();
    talus_solution solution = talus_solution_default();
    talus_info info = talus_info_default();
    settings.method = method;
    settings.law = TALUS_LAW_CCP;
    settings.tolerance = 1e-8;
    solution.impulse = x;
    CHECK(talus_solve_once(context, &problem, &settings, &solution, &info) == TALUS_OK);
    solved += info.outcome == TALUS_OUTCOME_CONVERGED;
    named += info.outcome == TALUS_OUTCOME_INCONSISTENT;
    CHECK_CASE(info.outcome == TALUS_OUTCOME_INCONSISTENT ||
                   info.outcome == TALUS_OUTCOME_CONVERGED ||
                   !is_proof(jacobian, q, x, ROWS, FREEDOMS),
               "%s, trial %d: %s at %g with the proof in its hands", talus_method_name(method),
               trial, talus_outcome_name(info.outcome), info.measure);
  }
  CHECK_CASE(named >= TRIALS / 8 && solved >= TRIALS / 8, "%d without a solution, %d solved", named,
             solved);
}

int main(void) {
  static const talus_cone cones[] = {TALUS_CONE_CIRCULAR, TALUS_CONE_PYRAMID, TALUS_CONE_BOX};
  talus_context_def def = talus_context_def_default();
  talus_context *context = NULL;
  def.threads = 1;
  def.backend = TALUS_BACKEND_CPU;
  if (!CHECK(talus_context_create(&def, &context) == TALUS_OK)) {
    return check_end();
  }
  table_make();
  for (int i = 0; i < table_count; i++) {
    for (int law = 0; law < TALUS_LAW_COUNT; law++) {
      for (int method = 0; method < TALUS_METHOD_COUNT; method++) {
        for (size_t c = 0; c < sizeof cones / sizeof *cones; c++) {
          if (!talus_method_takes((talus_method)method, cones[c])) {
            continue;
          }
          const talus_law l = (talus_law)law;
          const talus_method m = (talus_method)method;
          attempt(context, &table[i], l, m, cones[c], TALUS_MEASURE_EPSILON, 1e-9, 3000, 2);
          attempt(context, &table[i], l, m, cones[c], TALUS_MEASURE_EPSILON, 1e-4, 100000, 2);
          attempt(context, &table[i], l, m, cones[c], TALUS_MEASURE_EPSILON, 1e-9, 3, 0);
          if (cones[c] == TALUS_CONE_CIRCULAR) {
            attempt(context, &table[i], l, m, cones[c], TALUS_MEASURE_SICONOS, 1e-8, 10000, 2);
          }
        }
      }
    }
  }
  test_proofs(context, TALUS_METHOD_INTERIOR_POINT);
  test_proofs(context, TALUS_METHOD_NEWTON);
  test_proofs(context, TALUS_METHOD_AUTO);
  talus_context_destroy(context);
  return check_end();
}
