/* test_direct.c: few contacts of forms (a), (b) and (c) by `auto`, which writes W out straight from
 * the caller's arrays (host/problem/direct.c): judged by the oracle, from nothing and from their
 * own solution, in not too many passes; and what that way leaves to the usual one: numbers far from
 * 1, nothing to solve, singular masses; problems without a solution that a limit ends; and memory
 * that runs out. info.colours tells which way was gone: the direct one has none. */
#include <math.h>
#include <string.h>

#include "talus/talus_io.h"
#include "tests/check.h"
#include "tests/scarce.h"
#include "tests/solver/families.h"

enum { ROWS = 256 };

typedef struct answer {
  talus_status status;
  talus_info info;
  double impulse[ROWS], bilateral[ROWS];
} answer;

static int is_for_it(const family *f) {
  return f->form != TALUS_FORM_GLOBAL && f->contact_count + f->bilateral_count <= 32;
}

static void once(talus_context *context, const talus_problem *problem, int warm, answer *a) {
  talus_settings settings = talus_settings_default();
  talus_solution solution = talus_solution_default();
  settings.tolerance = 1e-6;
  settings.warm_start = warm;
  solution.impulse = a->impulse;
  solution.bilateral_impulse = a->bilateral;
  a->info = talus_info_default();
  a->status = talus_solve_once(context, problem, &settings, &solution, &a->info);
}

/* ---- by the oracle --------------------------------------------------------------------------- */

static void test_families(talus_context *context) {
  int direct = 0, all = 0;
  for (int i = 0; i < FAMILY_COUNT; i++) {
    for (uint64_t seed = 1; is_for_it(family_at(i)) && seed <= 8; seed++) {
      const family *const f = family_at(i);
      oracle_made made = family_make(f, TALUS_LAW_COULOMB, seed);
      answer a;
      once(context, &made.problem, 0, &a);
      const double epsilon =
          oracle_epsilon(&made.problem, a.impulse, a.bilateral, TALUS_LAW_COULOMB);
      CHECK_CASE(a.status == TALUS_OK && a.info.outcome == TALUS_OUTCOME_CONVERGED &&
                     epsilon <= 1.001e-6,
                 "%s, %d: %s at %g by the oracle", f->name, (int)seed,
                 talus_outcome_name(a.info.outcome), epsilon);
      all++;
      direct += a.info.colours == 0;
      once(context, &made.problem, 1, &a);
      CHECK_CASE(a.info.outcome == TALUS_OUTCOME_CONVERGED && a.info.iterations == 0 &&
                     (a.info.colours > 0 || a.info.passes == 0),
                 "%s, %d, from its solution: %lld passes", f->name, (int)seed,
                 (long long)a.info.passes);
      oracle_made_free(&made);
    }
  }
  CHECK_CASE(all > 80 && 10 * direct > 8 * all, "%d of %d directly", direct, all);
}

/* A few contacts are factored in the time of as many sweeps: 20 of these come first for 20
 * contacts, five for five. */
static void test_passes(talus_context *context) {
  int64_t passes = 0, solved = 0;
  for (int kind = TALUS_GENERATE_HEAP; kind <= TALUS_GENERATE_RANDOM; kind++) {
    for (uint64_t seed = 1; seed <= 20; seed++) {
      talus_generate_def def = talus_generate_def_default((talus_generate_kind)kind);
      talus_stored *stored = NULL;
      answer a;
      def.body_count = 1 + (int32_t)seed % 2;
      def.seed = seed;
      CHECK(talus_problem_generate(context, &def, &stored) == TALUS_OK);
      if (stored->problem.contact_count > 0) {
        once(context, &stored->problem, 0, &a);
        solved += a.info.outcome == TALUS_OUTCOME_CONVERGED;
        passes += a.info.passes;
        CHECK(a.info.outcome == TALUS_OUTCOME_CONVERGED);
      }
      talus_stored_destroy(stored);
    }
  }
  CHECK_CASE(solved > 40 && passes <= 11 * solved, "%lld passes for %lld problems",
             (long long)passes, (long long)solved);
}

/* ---- what is left to the usual way ----------------------------------------------------------- */

/* Two spheres side by side on the ground. */
typedef struct two {
  double velocity[12], inverse_mass[2], inertia[12], normal[6], reach[2], zero[2], friction[2];
  int32_t ground[2], body[2];
  talus_problem problem;
} two;

static void two_make(two *t, double inverse_mass, double speed) {
  memset(t, 0, sizeof *t);
  t->problem = talus_problem_default(TALUS_FORM_RIGID);
  for (int i = 0; i < 2; i++) {
    t->velocity[6 * i] = speed;
    t->velocity[6 * i + 2] = -speed * (i + 1);
    t->inverse_mass[i] = inverse_mass;
    t->inertia[6 * i] = t->inertia[6 * i + 3] = t->inertia[6 * i + 5] = 2.5 * inverse_mass;
    t->normal[3 * i + 2] = t->reach[i] = 1;
    t->friction[i] = 0.5;
    t->ground[i] = -1;
    t->body[i] = i;
  }
  t->problem.contact_count = 2;
  t->problem.friction = t->friction;
  t->problem.rigid = (talus_rigid){.body_count = 2,
                                   .velocity = t->velocity,
                                   .inverse_mass = t->inverse_mass,
                                   .inverse_inertia = t->inertia,
                                   .body_a = t->ground,
                                   .body_b = t->body,
                                   .normal = t->normal,
                                   .reach_a = t->zero,
                                   .reach_b = t->reach};
}

static void test_scales(talus_context *context) {
  static const struct {
    double inverse_mass, speed;
    int direct;
  } cases[] = {{1, 1, 1},     {1e6, 1e-9, 1}, {1e-12, 1e8, 1}, {1e-120, 1, 0},
               {1e120, 1, 0}, {1, 1e-80, 0},  {1, 1e80, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    two t;
    answer a;
    two_make(&t, cases[i].inverse_mass, cases[i].speed);
    once(context, &t.problem, 0, &a);
    CHECK_CASE(a.status == TALUS_OK && a.info.outcome == TALUS_OUTCOME_CONVERGED,
               "1/m %g, speed %g: %s", cases[i].inverse_mass, cases[i].speed,
               talus_outcome_name(a.info.outcome));
    CHECK_CASE((a.info.colours == 0) == cases[i].direct, "1/m %g, speed %g: %d colours",
               cases[i].inverse_mass, cases[i].speed, a.info.colours);
    const double stop = cases[i].speed / cases[i].inverse_mass; /* m v; the second at twice that */
    CHECK_CASE(fabs(a.impulse[2] / stop - 1) < 1e-5 && fabs(a.impulse[5] / stop - 2) < 1e-5,
               "%g %g, not %g and twice that", a.impulse[2], a.impulse[5], stop);
  }
}

static void test_nothing(talus_context *context) {
  static const double speeds[] = {0, -1}; /* at rest, and parting */
  for (int i = 0; i < 2; i++) {
    two t;
    answer a;
    two_make(&t, 1, speeds[i]);
    memset(a.impulse, 0xff, sizeof a.impulse);
    once(context, &t.problem, 0, &a);
    CHECK(a.status == TALUS_OK && a.info.outcome == TALUS_OUTCOME_CONVERGED);
    for (int c = 0; c < 6; c++) {
      CHECK(a.impulse[c] == 0);
    }
  }
}

/* One contact on a block of two velocities, of which M^-1 lets the first move, or makes no
 * sense. */
static void test_masses(talus_context *context) {
  static const struct {
    double inverse[4];
    talus_status status;
    int direct;
  } cases[] = {{{1, 0, 0, 2}, TALUS_OK, 1},
               {{1, 0, 0, 0}, TALUS_OK, 0},
               {{1, 0, 0, -1}, TALUS_NEGATIVE_MASS, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const double jacobian[4] = {1, 0.5, 0, 1}, velocity[2] = {-1, 0}, friction[1] = {0.3};
    const int32_t size[1] = {2}, block[1] = {0};
    const int64_t start[2] = {0, 1};
    talus_problem problem = talus_problem_default(TALUS_FORM_BLOCKS);
    answer a;
    problem.contact_count = 1;
    problem.dimension = 2;
    problem.friction = friction;
    problem.blocks = (talus_blocks){.block_count = 1,
                                    .block_size = size,
                                    .inverse_mass = cases[i].inverse,
                                    .velocity = velocity,
                                    .contact_start = start,
                                    .contact_block = block,
                                    .contact_jacobian = jacobian};
    once(context, &problem, 0, &a);
    CHECK_CASE(a.status == cases[i].status, "%d: %s", (int)i, talus_status_name(a.status));
    if (a.status == TALUS_OK) {
      CHECK(a.info.outcome == TALUS_OUTCOME_CONVERGED && (a.info.colours == 0) == cases[i].direct);
      CHECK(oracle_epsilon(&problem, a.impulse, NULL, TALUS_LAW_COULOMB) <= 1.001e-6);
    }
  }
}

/* ---- limits ---------------------------------------------------------------------------------- */

static int calls_left;

static int stop_soon(void *user, int64_t iterations, int64_t passes, double measure,
                     double seconds) {
  (void)user, (void)iterations, (void)passes, (void)measure, (void)seconds;
  return calls_left-- <= 0;
}

/* Some contacts that squeeze one or two velocities from all sides. */
typedef struct squeezed {
  double jacobian[36], bias[18], friction[6], inverse[4], velocity[2];
  int64_t start[7];
  int32_t block[6], size;
  talus_problem problem;
} squeezed;

static void squeezed_make(squeezed *s, uint64_t *state) {
  const int32_t count = 2 + (int32_t)oracle_random(state, 0, 4.99);
  memset(s, 0, sizeof *s);
  s->size = 1 + (oracle_random(state, 0, 1) > 0.5);
  s->inverse[0] = s->inverse[s->size * s->size - 1] = 1;
  for (int32_t k = 0; k < count; k++) {
    s->start[k + 1] = k + 1;
    s->friction[k] = oracle_random(state, 0, 2);
    for (int32_t i = 0; i < 3 * s->size; i++) {
      s->jacobian[3 * s->size * k + i] =
          oracle_random(state, -1, 1) * (oracle_random(state, 0, 1) < 0.25 ? 1e-5 : 1);
    }
    for (int i = 0; i < 3; i++) {
      s->bias[3 * k + i] = oracle_random(state, -1.2, 0.8);
    }
  }
  s->problem = talus_problem_default(TALUS_FORM_BLOCKS);
  s->problem.contact_count = count;
  s->problem.friction = s->friction;
  s->problem.blocks = (talus_blocks){.block_count = 1,
                                     .block_size = &s->size,
                                     .inverse_mass = s->inverse,
                                     .velocity = s->velocity,
                                     .contact_start = s->start,
                                     .contact_block = s->block,
                                     .contact_jacobian = s->jacobian,
                                     .bias = s->bias};
}

/* Whatever ends it, wherever: nothing worse than no impulses comes out. */
static void test_limits(talus_context *context) {
  uint64_t state = 1;
  int ended = 0;
  for (int trial = 0; trial < 600; trial++) {
    squeezed s;
    squeezed_make(&s, &state);
    for (int most = trial % 7; most < 60; most += 7) {
      talus_settings settings = talus_settings_default();
      talus_solution solution = talus_solution_default();
      talus_info info = talus_info_default();
      double impulse[18];
      calls_left = most;
      settings.tolerance = 1e-12;
      settings.law = trial % 2 ? TALUS_LAW_COULOMB : TALUS_LAW_CCP;
      settings.progress = trial % 3 ? NULL : stop_soon;
      settings.max_iterations = trial % 3 ? most : 100000;
      solution.impulse = impulse;
      CHECK(talus_solve_once(context, &s.problem, &settings, &solution, &info) == TALUS_OK);
      const double epsilon = oracle_epsilon(&s.problem, impulse, NULL, settings.law);
      CHECK_CASE(epsilon <= 1.0001, "trial %d, limit %d: %g by the oracle", trial, most, epsilon);
      ended +=
          info.outcome == TALUS_OUTCOME_ITERATION_LIMIT || info.outcome == TALUS_OUTCOME_TIME_LIMIT;
    }
  }
  CHECK_CASE(ended > 100, "only %d were ended by a limit", ended);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void test_memory(const family *f) {
  oracle_made made = family_make(f, TALUS_LAW_COULOMB, 2);
  talus_status status = TALUS_OUT_OF_MEMORY;
  int64_t at = 0;
  while (status == TALUS_OUT_OF_MEMORY && at < 200) {
    scarce s = {0};
    talus_context *const context = scarce_context(&s);
    const int64_t held = s.held;
    answer a;
    s.fail_at = s.requests + ++at;
    once(context, &made.problem, 0, &a);
    status = a.status;
    CHECK_CASE(status == TALUS_OK || strlen(talus_context_message(context)) > 0, "%s",
               talus_status_name(status));
    CHECK(s.held == held);
    talus_context_destroy(context);
  }
  CHECK_CASE(status == TALUS_OK && at > 5, "%s after %lld", talus_status_name(status),
             (long long)at);
  oracle_made_free(&made);
}

int main(void) {
  talus_context_def def = talus_context_def_default();
  talus_context *context;
  def.threads = 1;
  def.backend = TALUS_BACKEND_CPU;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  test_families(context);
  test_passes(context);
  test_scales(context);
  test_nothing(context);
  test_masses(context);
  test_limits(context);
  for (int i = 0; i < FAMILY_COUNT; i++) {
    if (is_for_it(family_at(i))) {
      test_memory(family_at(i));
    }
  }
  talus_context_destroy(context);
  return check_end();
}
