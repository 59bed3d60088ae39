/* test_batch.c: 4096 perturbed copies of a problem of twelve contacts, and batches of odd things.
 *
 * The mechanism is a bench of three boxes on the ground, four contacts each, the boxes joined by
 * ball joints; masses, pushes and friction differ from copy to copy. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>
#include <time.h>

#include "tests/check.h"
#include "tests/solver/families.h"

enum { COPIES = 4096, CONTACTS = 12, BODIES = 3, ROWS = 6 };

/* Arrays of one copy. */
typedef struct copy {
  double velocity[6 * BODIES], inverse_mass[BODIES], inverse_inertia[6 * BODIES];
  double friction[CONTACTS], arm_b[3 * CONTACTS], row_bias[ROWS];
  double impulse[3 * CONTACTS], bilateral[ROWS];
} copy;

static int32_t body_a[CONTACTS], body_b[CONTACTS], row_a[ROWS], row_b[ROWS];
static double normal[3 * CONTACTS], arm_a[3 * CONTACTS], row_jacobian[12 * ROWS];
static copy copies[COPIES];
static talus_problem problems[COPIES];
static talus_solution solutions[COPIES];
static talus_info infos[COPIES];
static talus_status statuses[COPIES];

/* Joint j holds the point between boxes j and j + 1. */
static void joints_make(void) {
  for (int j = 0; j < 2; j++) {
    for (int c = 0; c < 3; c++) {
      double *const row = row_jacobian + 12 * (3 * j + c);
      const double arm[2] = {0.6, -0.6}; /* along x */
      row_a[3 * j + c] = j;
      row_b[3 * j + c] = j + 1;
      for (int side = 0; side < 2; side++) {
        const double sign = side == 0 ? -1 : 1;
        row[6 * side + c] = sign; /* v + w x arm, arm along x */
        if (c == 1) {
          row[6 * side + 5] = sign * arm[side];
        } else if (c == 2) {
          row[6 * side + 4] = -sign * arm[side];
        }
      }
    }
  }
}

static void copy_make(int i, uint64_t *state) {
  copy *const one = &copies[i];
  for (int b = 0; b < BODIES; b++) {
    const double mass = oracle_random(state, 0.8, 1.25), inertia = mass * 0.15;
    one->inverse_mass[b] = 1 / mass;
    for (int c = 0; c < 3; c++) {
      one->inverse_inertia[6 * b + (c == 0   ? 0
                                    : c == 1 ? 3
                                             : 5)] = 1 / (inertia * oracle_random(state, 0.9, 1.1));
      one->velocity[6 * b + c] = oracle_random(state, -0.5, 0.5) - (c == 2 ? 1 : 0);
      one->velocity[6 * b + 3 + c] = oracle_random(state, -0.3, 0.3);
    }
  }
  for (int k = 0; k < CONTACTS; k++) {
    body_a[k] = -1;
    body_b[k] = k / 4;
    normal[3 * k + 2] = 1;
    one->friction[k] = oracle_random(state, 0.2, 0.8);
    one->arm_b[3 * k] = (k % 2 ? 0.5 : -0.5) + oracle_random(state, -0.02, 0.02);
    one->arm_b[3 * k + 1] = (k % 4 < 2 ? 0.5 : -0.5) + oracle_random(state, -0.02, 0.02);
    one->arm_b[3 * k + 2] = -0.5;
  }
  talus_problem problem = talus_problem_default(TALUS_FORM_RIGID);
  problem.contact_count = CONTACTS;
  problem.bilateral_count = ROWS;
  problem.friction = one->friction;
  problem.rigid = (talus_rigid){.body_count = BODIES,
                                .velocity = one->velocity,
                                .inverse_mass = one->inverse_mass,
                                .inverse_inertia = one->inverse_inertia,
                                .body_a = body_a,
                                .body_b = body_b,
                                .normal = normal,
                                .arm_a = arm_a,
                                .arm_b = one->arm_b,
                                .row_body_a = row_a,
                                .row_body_b = row_b,
                                .row_jacobian = row_jacobian};
  problems[i] = problem;
  solutions[i] = talus_solution_default();
  solutions[i].impulse = one->impulse;
  solutions[i].bilateral_impulse = one->bilateral;
  infos[i] = talus_info_default();
}

static double seconds(clockid_t id) {
  struct timespec t;
  clock_gettime(id, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t hash_of(void) {
  uint64_t hash = UINT64_C(14695981039346656037);
  for (int i = 0; i < COPIES; i++) {
    const unsigned char *const bytes = (const unsigned char *)copies[i].impulse;
    for (size_t b = 0; b < sizeof copies[i].impulse + sizeof copies[i].bilateral; b++) {
      hash = (hash ^ bytes[b]) * UINT64_C(1099511628211);
    }
  }
  return hash;
}

static void test_copies(talus_context *context, talus_method method) {
  talus_settings settings = talus_settings_default();
  uint64_t hash[2];
  double wall[2], work[2];
  settings.method = method;
  settings.tolerance = 1e-10;
  for (int threads = 1; threads <= 2; threads++) {
    const double begin = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    settings.threads = threads;
    const talus_status status =
        talus_solve_batch(context, &settings, COPIES, problems, solutions, infos, statuses);
    wall[threads - 1] = seconds(CLOCK_MONOTONIC) - begin;
    work[threads - 1] = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    CHECK_CASE(status == TALUS_OK, "%s", talus_context_message(context));
    hash[threads - 1] = hash_of();
  }
  CHECK(hash[0] == hash[1]);
  int solved = 0;
  double worst = 0;
  int64_t iterations = 0, most = 0;
  for (int i = 0; i < COPIES; i++) {
    const double epsilon =
        oracle_epsilon(&problems[i], copies[i].impulse, copies[i].bilateral, TALUS_LAW_COULOMB);
    solved += infos[i].outcome == TALUS_OUTCOME_CONVERGED && epsilon <= 1.01e-10 &&
              statuses[i] == TALUS_OK;
    worst = fmax(worst, epsilon);
    iterations += infos[i].iterations;
    most = infos[i].iterations > most ? infos[i].iterations : most;
  }
  CHECK_CASE(solved == COPIES, "%s: %d of %d, worst %g", talus_method_name(method), solved, COPIES,
             worst);
  printf("%s: %d of %d to 1e-10, worst %.1e, %.2f steps each, at most %lld\n",
         talus_method_name(method), solved, COPIES, worst, (double)iterations / COPIES,
         (long long)most);
  printf("  %.3f s on 1 thread, %.3f s on 2: efficiency %.2f by the clock, %.2f by CPU time\n",
         wall[0], wall[1], wall[0] / (2 * wall[1]), work[0] / work[1]);
}

/* One batch, and as many calls. */
static void test_overhead(talus_context *context) {
  enum { SOME = 1000 };
  talus_settings settings = talus_settings_default();
  settings.method = TALUS_METHOD_MNCP_PLM;
  settings.threads = 1;
  const double begin = seconds(CLOCK_MONOTONIC);
  CHECK(talus_solve_batch(context, &settings, SOME, problems, solutions, infos, NULL) == TALUS_OK);
  const double middle = seconds(CLOCK_MONOTONIC);
  for (int i = 0; i < SOME; i++) {
    CHECK(talus_solve_once(context, &problems[i], &settings, &solutions[i], &infos[i]) == TALUS_OK);
  }
  const double end = seconds(CLOCK_MONOTONIC);
  printf("1000 problems, one thread: %.4f s in one batch, %.4f s in as many calls\n",
         middle - begin, end - middle);
}

/* Problems of all forms and sizes, some of them bad: each has its own status. */
static void test_ragged(talus_context *context) {
  enum { COUNT = FAMILY_COUNT + 2 };
  static double memory[COUNT][400], rows[COUNT][100], single[400], single_rows[100];
  char message[512];
  oracle_made made[FAMILY_COUNT];
  talus_problem all[COUNT];
  talus_solution out[COUNT];
  talus_info info[COUNT];
  talus_status status[COUNT];
  talus_settings settings = talus_settings_default();
  settings.tolerance = 1e-3;
  settings.threads = 3;
  for (int i = 0; i < COUNT; i++) {
    if (i < FAMILY_COUNT) {
      made[i] = family_make(family_at(i), TALUS_LAW_COULOMB, 4);
      all[i] = made[i].problem;
    } else {
      all[i] = talus_problem_default(TALUS_FORM_RIGID);
      all[i].contact_count = i == FAMILY_COUNT ? -1 : 1; /* bad, in two ways */
    }
    out[i] = talus_solution_default();
    out[i].impulse = memory[i];
    out[i].bilateral_impulse = rows[i];
    info[i] = talus_info_default();
  }
  CHECK(talus_solve_batch(context, &settings, COUNT, all, out, info, status) ==
        TALUS_SIZE_OVERFLOW);
  snprintf(message, sizeof message, "%s", talus_context_message(context));
  CHECK(talus_solve_once(context, &all[FAMILY_COUNT], &settings, NULL, NULL) ==
        TALUS_SIZE_OVERFLOW);
  CHECK_CASE(strncmp(message, "problem 34: ", 12) == 0 &&
                 strcmp(message + 12, talus_context_message(context)) == 0,
             "'%s' in a batch, '%s' alone", message, talus_context_message(context));
  for (int i = 0; i < FAMILY_COUNT; i++) {
    talus_solution alone = talus_solution_default();
    talus_info info_alone = talus_info_default();
    alone.impulse = single;
    alone.bilateral_impulse = single_rows;
    memset(single, 0, sizeof single);
    CHECK(status[i] == TALUS_OK);
    CHECK(talus_solve_once(context, &all[i], &settings, &alone, &info_alone) == TALUS_OK);
    CHECK_CASE(memcmp(single, memory[i], sizeof single) == 0 &&
                   info[i].iterations == info_alone.iterations,
               "%s: other bits in a batch", family_at(i)->name);
    oracle_made_free(&made[i]);
  }
  CHECK(status[FAMILY_COUNT] == TALUS_SIZE_OVERFLOW && status[FAMILY_COUNT + 1] != TALUS_OK);
  CHECK(info[FAMILY_COUNT].outcome == TALUS_OUTCOME_NONE); /* nothing that reads as success */
  CHECK(talus_solve_batch(context, NULL, 0, NULL, NULL, NULL, NULL) == TALUS_OK);
  CHECK(talus_solve_batch(context, NULL, -1, all, NULL, NULL, NULL) == TALUS_INVALID_ARGUMENT);
  settings.tolerance = -1;
  CHECK(talus_solve_batch(context, &settings, 3, all, NULL, NULL, NULL) == TALUS_BAD_SETTING);
  settings.tolerance = 1e-3;
  settings.threads = -1;
  CHECK(talus_solve_batch(context, &settings, 3, all, NULL, NULL, NULL) == TALUS_BAD_SETTING);
}

/* Bad problems of one size go to a thread together: the first one's message is its own. */
static void test_messages(talus_context *context) {
  enum { COUNT = 6 };
  talus_problem bad[COUNT];
  static double friction[CONTACTS], longer[3 * CONTACTS];
  friction[0] = -1;
  for (int i = 0; i < 3 * CONTACTS; i++) {
    longer[i] = 2 * normal[i];
  }
  for (int i = 0; i < COUNT; i++) {
    bad[i] = problems[i];
    if (i == 2) {
      bad[i].friction = friction;
    } else if (i > 2) {
      bad[i].rigid.normal = longer;
    }
  }
  for (int32_t threads = 1; threads <= 2; threads++) {
    talus_settings settings = talus_settings_default();
    settings.threads = threads;
    CHECK(talus_solve_batch(context, &settings, COUNT, bad, solutions, infos, statuses) ==
          TALUS_NEGATIVE_FRICTION);
    CHECK_CASE(strstr(talus_context_message(context), "problem 2: problem.friction[0]") != NULL,
               "%s", talus_context_message(context));
    CHECK(statuses[1] == TALUS_OK && statuses[3] != TALUS_OK);
  }
}

/* Problems of a batch know nothing of each other, whatever the names of their contacts: they begin
 * where the caller says. */
static void test_names(talus_context *context) {
  enum { COUNT = 9 };
  static uint64_t names[CONTACTS], row_names[ROWS];
  static double first[COUNT][3 * CONTACTS];
  talus_problem named[COUNT];
  for (int k = 0; k < CONTACTS; k++) {
    names[k] = (uint64_t)k;
  }
  for (int32_t threads = 1; threads <= 3; threads++) {
    talus_settings settings = talus_settings_default();
    settings.warm_start = 1;
    settings.threads = threads;
    for (int i = 0; i < COUNT; i++) {
      named[i] = problems[i];
      named[i].contact_key = names;
      named[i].row_key = row_names;
      memset(copies[i].impulse, 0, sizeof copies[i].impulse);
      memset(copies[i].bilateral, 0, sizeof copies[i].bilateral);
    }
    CHECK(talus_solve_batch(context, &settings, COUNT, named, solutions, infos, NULL) == TALUS_OK);
    for (int i = 0; i < COUNT; i++) {
      CHECK(infos[i].keys_matched == 0 && infos[i].outcome == TALUS_OUTCOME_CONVERGED);
      CHECK(threads == 1 || memcmp(first[i], copies[i].impulse, sizeof first[i]) == 0);
      memcpy(first[i], copies[i].impulse, sizeof first[i]);
    }
    CHECK(talus_solve_batch(context, &settings, COUNT, named, solutions, infos, NULL) == TALUS_OK);
    for (int i = 0; i < COUNT; i++) {
      CHECK(infos[i].iterations == 0); /* from their own solutions */
    }
  }
}

/* Small problems of every family, so many of each that they lie side by side, in any order: each
 * has the bits that it has alone, whatever the method, law and number of threads. */
static void test_side_by_side(talus_context *context, talus_method method, talus_law law) {
  enum { EACH = 11, COUNT = 6 * EACH };
  static const int chosen[6] = {0,  4, 6, 9,
                                21, 22}; /* spheres, rows, the plane, W, bounds,
                                                        blocks */
  static double memory[COUNT][100], rows[COUNT][20], alone[100], alone_rows[20];
  static oracle_made made[COUNT];
  static talus_problem all[COUNT];
  static talus_solution out[COUNT];
  static talus_info info[COUNT];
  talus_settings settings = talus_settings_default();
  settings.method = method;
  settings.law = law;
  settings.tolerance = method == TALUS_METHOD_AUTO ? 1e-4 : 1e-7;
  settings.max_iterations = 300;
  for (int i = 0; i < COUNT; i++) {
    family f = *family_at(chosen[i * 7 % 6]);
    f.contact_count -= i % 13 == 0 ? 3 : 0;
    made[i] = family_make(&f, law, (uint64_t)i + 1);
    all[i] = made[i].problem;
    out[i] = talus_solution_default();
    out[i].impulse = memory[i];
    out[i].bilateral_impulse = rows[i];
    info[i] = talus_info_default();
  }
  for (int threads = 1; threads <= 3; threads += 2) {
    settings.threads = threads;
    memset(memory, 0, sizeof memory);
    CHECK(talus_solve_batch(context, &settings, COUNT, all, out, info, NULL) == TALUS_OK);
    for (int i = 0; i < COUNT; i++) {
      talus_solution one = talus_solution_default();
      talus_info one_info = talus_info_default();
      one.impulse = alone;
      one.bilateral_impulse = alone_rows;
      memset(alone, 0, sizeof alone);
      memset(alone_rows, 0, sizeof alone_rows);
      CHECK(talus_solve_once(context, &all[i], &settings, &one, &one_info) == TALUS_OK);
      const size_t bytes = (size_t)all[i].bilateral_count * sizeof *alone_rows;
      CHECK_CASE(memcmp(alone, memory[i], sizeof alone) == 0 &&
                     memcmp(alone_rows, rows[i], bytes) == 0 &&
                     info[i].iterations == one_info.iterations &&
                     info[i].passes == one_info.passes && info[i].outcome == one_info.outcome,
                 "%s, problem %d: other bits in a batch", talus_method_name(method), i);
      if (info[i].outcome == TALUS_OUTCOME_CONVERGED) {
        CHECK(oracle_epsilon(&all[i], memory[i], rows[i], law) <= 1.01 * settings.tolerance);
      }
    }
  }
  for (int i = 0; i < COUNT; i++) {
    oracle_made_free(&made[i]);
  }
}

int main(void) {
  talus_context *context;
  uint64_t state = 11;
  if (talus_context_create(NULL, &context) != TALUS_OK) {
    return EXIT_FAILURE;
  }
  joints_make();
  for (int i = 0; i < COPIES; i++) {
    copy_make(i, &state);
  }
  test_copies(context, TALUS_METHOD_MNCP_PLM);
  test_copies(context, TALUS_METHOD_MNCP_RLM);
  test_overhead(context);
  test_ragged(context);
  test_messages(context);
  test_names(context);
  test_side_by_side(context, TALUS_METHOD_AUTO, TALUS_LAW_COULOMB);
  test_side_by_side(context, TALUS_METHOD_AUTO, TALUS_LAW_CCP);
  test_side_by_side(context, TALUS_METHOD_MNCP_PLM, TALUS_LAW_COULOMB);
  talus_context_destroy(context);
  return check_end();
}
