/* test_dense.c: second-order methods whose matrices a device factors: the CPU's outcomes, with as
 * many factorisations but for a tenth, judged by the oracle; batches that are factored together;
 * where `auto` takes the device's factors; and what is said where the device has no library for it
 * (the emulated one, unless EMU_LIBRARIES gives it some) or no memory. With EMU_MEMORY: batches
 * that do not fit a device of so little, and nothing else.
 *
 * test_dense [libraries [COPIES [METHOD]]]: with cuBLAS and cuSOLVER; COPIES: nothing but a batch
 * of so many copies of a pile, by interior_point or METHOD. Ends with 77 where there is no device.
 */
#include <stdlib.h>
#include <string.h>

#include "host/method/method.h"
#include "host/method/newton/linear.h"
#include "host/solve/batch.h"
#include "talus/talus_solve.h"
#include "tests/check.h"
#include "tests/oracle/oracle.h"

/* What the log said of the solves since it was cleared: how often matrices were on the device, and
 * why not; the last group of problems whose factors were made together. */
typedef struct told {
  int on_device, on_host, groups, in_turn;
  int problems;
  long long factorisations, rounds, calls, calls_alone;
} told;

static void log_take(void *user, talus_log_level level, const char *message) {
  told *const t = user;
  (void)level;
  t->on_device += strstr(message, "dense factors on the device") != NULL;
  t->groups +=
      sscanf(message,
             "dense factors on the device, %d problems together: %lld factorisations of "
             "%*s operations in %lld rounds, %*s solves, %*s products with W; %*s kernels, "
             "%lld calls",
             &t->problems, &t->factorisations, &t->rounds, &t->calls) == 4;
  (void)sscanf(message,
               "dense factors on the device, order %*s %*s factorisations of %*s operations, %*s "
               "solves, %*s products with W; %*s kernels, %lld calls",
               &t->calls_alone);
  t->in_turn += strstr(message, "lack memory for that: they are solved one by one") != NULL;
  t->on_host += strstr(message, "factor on the host: dense factors on a device need cuBLAS and "
                                "cuSOLVER, and this build was made without them") != NULL;
}

static talus_context *context_of(talus_backend_kind backend, told *t) {
  talus_context_def def = talus_context_def_default();
  talus_context *context = NULL;
  def.backend = backend;
  def.threads = 1;
  def.log = log_take;
  def.log_user = t;
  return talus_context_create(&def, &context) == TALUS_OK ? context : NULL;
}

/* ---- one problem ----------------------------------------------------------------------------- */

typedef struct made_case {
  const char *name;
  talus_form form;
  oracle_bodies bodies;
  int dimension, body_count, contact_count, bilateral_count;
  double bounded, asymmetry, compliance, mass_decades;
  int newton;
} made_case;

/* More contacts than small methods take, which would come before. */
static const made_case CASES[] = {
    {"bodies", TALUS_FORM_RIGID, ORACLE_RIGID, 3, 30, 66, 6, 0.5, 0, 0, 0, 0},
    {"bodies that give way", TALUS_FORM_RIGID, ORACLE_SPHERES, 3, 30, 66, 0, 0, 0, 0.01, 0, 0},
    {"blocks", TALUS_FORM_BLOCKS, ORACLE_RAGGED, 1, 40, 70, 3, 0, 0, 0, 0, 0},
    {"W", TALUS_FORM_DELASSUS, ORACLE_RIGID, 3, 14, 66, 4, 0.5, 0, 0, 0, 1},
    {"W that is not symmetric", TALUS_FORM_DELASSUS, ORACLE_RIGID, 3, 70, 66, 0, 0, 1e-4, 0, 0, 0}};
enum { CASE_COUNT_MADE = sizeof CASES / sizeof *CASES };

static oracle_made case_draw(const made_case *c, talus_law law, uint64_t seed) {
  oracle_recipe recipe = oracle_recipe_default(c->form);
  recipe.bodies = c->bodies;
  recipe.law = law;
  recipe.dimension = c->dimension;
  recipe.body_count = c->body_count;
  recipe.contact_count = c->contact_count;
  recipe.bilateral_count = c->bilateral_count;
  recipe.bounded = c->bounded;
  recipe.asymmetry = c->asymmetry;
  recipe.compliance = c->compliance;
  recipe.mass_decades = c->mass_decades;
  recipe.friction_max = 0.8;
  recipe.seed = seed;
  return oracle_problem_make(&recipe);
}

static void solve(talus_context *context, const talus_problem *problem,
                  const talus_settings *settings, const char *name, talus_info *info) {
  double impulse[3 * 200] = {0}, bilateral[16] = {0};
  talus_solution solution = talus_solution_default();
  solution.impulse = impulse;
  solution.bilateral_impulse = bilateral;
  *info = talus_info_default();
  CHECK_CASE(talus_solve_once(context, problem, settings, &solution, info) == TALUS_OK, "%s: %s",
             name, talus_context_message(context));
  const double epsilon = oracle_epsilon(problem, impulse, bilateral, settings->law);
  CHECK_CASE((info->outcome == TALUS_OUTCOME_CONVERGED) == (epsilon <= 1.01 * settings->tolerance),
             "%s: %s, but %g", name, talus_outcome_name(info->outcome), epsilon);
}

/* Within this share of the larger, or one. */
static int near(int64_t a, int64_t b, double share) {
  const int64_t off = a > b ? a - b : b - a;
  return off <= 1 || (double)off <= share * (double)(a > b ? a : b);
}

static void compare(talus_context *cpu, talus_context *cuda, const made_case *c, talus_law law,
                    talus_method method) {
  oracle_made made = case_draw(c, law, 1);
  talus_settings settings = talus_settings_default();
  talus_info there, here;
  settings.law = law;
  settings.method = method;
  settings.tolerance = 1e-9;
  solve(cpu, &made.problem, &settings, c->name, &here);
  solve(cuda, &made.problem, &settings, c->name, &there);
  CHECK_CASE(here.outcome == there.outcome && near(here.factorisations, there.factorisations, 0.1),
             "%s, %s, %s: %s after %d, on the device %s after %d", c->name, talus_law_name(law),
             talus_method_name(method), talus_outcome_name(here.outcome), (int)here.factorisations,
             talus_outcome_name(there.outcome), (int)there.factorisations);
  oracle_made_free(&made);
}

static void test_cases(talus_context *cpu, talus_context *cuda, const told *t, int has_library) {
  for (int i = 0; i < CASE_COUNT_MADE; i++) {
    const told before = *t;
    /* newton begins with sweeps, which take long on an emulator */
    compare(cpu, cuda, &CASES[i], TALUS_LAW_COULOMB,
            CASES[i].newton ? TALUS_METHOD_NEWTON : TALUS_METHOD_INTERIOR_POINT);
    compare(cpu, cuda, &CASES[i], TALUS_LAW_CCP, TALUS_METHOD_INTERIOR_POINT);
    CHECK_CASE((t->on_device > before.on_device) == has_library, "%s", CASES[i].name);
    CHECK_CASE(t->on_host == !has_library, "%s", CASES[i].name); /* once for the context */
    CHECK(has_library || talus_context_message(cuda)[0] == 0);
  }
}

/* What a build without the libraries says of itself. */
static void test_description(int has_library) {
  char text[4096];
  talus_build_text(text, sizeof text);
  CHECK_CASE((strstr(text, "built without cuBLAS and cuSOLVER") == NULL) == has_library, "%s",
             text);
}

/* ---- batches --------------------------------------------------------------------------------- */

enum { COPIES = 64, PILE = 200, GRAINS = 80 };

/* decades: of masses, either way. */
static oracle_made pile_draw(int contacts, int grains, double decades, talus_law law,
                             uint64_t seed) {
  const made_case pile = {.name = "pile",
                          .form = TALUS_FORM_RIGID,
                          .bodies = ORACLE_SPHERES,
                          .dimension = 3,
                          .body_count = grains,
                          .contact_count = contacts,
                          .mass_decades = decades};
  return case_draw(&pile, law, seed);
}

typedef struct batch {
  talus_problem problem[COPIES];
  talus_solution solution[COPIES];
  talus_info info[COPIES];
  talus_status status[COPIES];
  double impulse[COPIES][3 * PILE];
  talus_settings settings;
  int count;
} batch;

static batch *batch_make(talus_method method, int count) {
  batch *const b = calloc(1, sizeof *b);
  b->settings = talus_settings_default();
  b->settings.law = method == TALUS_METHOD_NEWTON ? TALUS_LAW_COULOMB : TALUS_LAW_CCP;
  b->settings.method = method;
  b->settings.tolerance = 1e-8;
  b->count = count;
  for (int i = 0; i < count; i++) {
    b->solution[i] = talus_solution_default();
    b->solution[i].impulse = b->impulse[i];
    b->info[i] = talus_info_default();
  }
  return b;
}

static talus_status batch_solve(talus_context *context, batch *b) {
  memset(b->impulse, 0, sizeof b->impulse);
  return talus_solve_batch(context, &b->settings, b->count, b->problem, b->solution, b->info,
                           b->status);
}

/* Problem i, judged; *alone: what it is to be like. */
static void batch_check(const batch *b, int i, const talus_info *alone, double share,
                        const char *where) {
  CHECK_CASE(b->status[i] == TALUS_OK && b->info[i].backend == TALUS_BACKEND_CUDA &&
                 b->info[i].outcome == alone->outcome &&
                 near(b->info[i].factorisations, alone->factorisations, share) &&
                 oracle_epsilon(&b->problem[i], b->impulse[i], NULL, b->settings.law) <= 1.01e-8,
             "problem %d: %s after %d, %s %s after %d", i, talus_outcome_name(b->info[i].outcome),
             (int)b->info[i].factorisations, where, talus_outcome_name(alone->outcome),
             (int)alone->factorisations);
}

/* Copies of a pile: the CPU's outcomes, its factorisations but for a fifth (as much as they vary
 * with the CPU's BLAS), and one call for all copies' factors. */
static void test_copies(talus_context *cpu, talus_context *cuda, const told *t, int copies,
                        talus_method method, int has_library) {
  batch *const b = batch_make(method, copies);
  talus_info here = talus_info_default();
  oracle_made made = pile_draw(PILE, GRAINS, 0, b->settings.law, 3);
  for (int i = 0; i < copies; i++) {
    b->problem[i] = made.problem;
  }
  CHECK(talus_solve_once(cpu, &made.problem, &b->settings, &b->solution[0], &here) == TALUS_OK);
  const told before = *t;
  CHECK_CASE(batch_solve(cuda, b) == TALUS_OK, "%s", talus_context_message(cuda));
  for (int i = 0; i < copies; i++) {
    batch_check(b, i, &here, 0.2, "on the CPU");
    CHECK(memcmp(b->impulse[i], b->impulse[0], sizeof b->impulse[0]) == 0);
  }
  const int each = (int)b->info[0].factorisations;
  CHECK_CASE(t->groups - before.groups == has_library, "%d groups", t->groups - before.groups);
  CHECK(t->on_host == !has_library); /* once for the context, whoever was first */
  if (has_library) {
    CHECK_CASE(t->problems == copies && t->factorisations == copies * t->rounds,
               "%lld factorisations of %d problems in %lld rounds", t->factorisations, t->problems,
               t->rounds);
  }
  printf(
      "%d copies of %d contacts, %s: %s after %d factorisations, on the CPU after %d; %.2f calls "
      "of libraries for each problem\n",
      copies, PILE, talus_method_name(method), talus_outcome_name(b->info[0].outcome), each,
      (int)here.factorisations, has_library ? (double)t->calls / copies : 0);
  oracle_made_free(&made);
  free(b);
}

/* Problems of several sizes, one of which is refused: as each by itself, bit by bit where a matrix
 * in company has the factor that it has alone. */
static void test_mixture(talus_context *cuda, const told *t, int emulated) {
  static const int CONTACTS[] = {120, 118, 70, 119, 80}, GRAINS_OF[] = {50, 50, 28, 50, 34};
  enum { COUNT = 5, REFUSED = 3 };
  batch *const b = batch_make(TALUS_METHOD_INTERIOR_POINT, COUNT);
  oracle_made made[COUNT];
  long long calls = 0;
  for (int i = 0; i < COUNT; i++) {
    made[i] = pile_draw(CONTACTS[i], GRAINS_OF[i], 0, TALUS_LAW_CCP, (uint64_t)i + 1);
    b->problem[i] = made[i].problem;
  }
  b->problem[REFUSED].struct_size = b->problem[0].struct_size;
  b->problem[REFUSED].dimension = 7;
  const int before = t->groups;
  CHECK(batch_solve(cuda, b) == TALUS_INVALID_ARGUMENT || b->status[REFUSED] != TALUS_OK);
  CHECK_CASE(strstr(talus_context_message(cuda), "problem 3: ") != NULL, "%s",
             talus_context_message(cuda));
  CHECK(t->groups - before == 1 && t->problems == COUNT);
  CHECK_CASE(t->rounds < t->factorisations, "%lld rounds of %lld", t->rounds, t->factorisations);
  const long long together = t->calls;
  for (int i = 0; i < COUNT; i++) {
    double impulse[3 * PILE] = {0};
    talus_solution solution = talus_solution_default();
    talus_info alone = talus_info_default();
    solution.impulse = impulse;
    if (i == REFUSED) {
      CHECK(b->status[i] != TALUS_OK);
      continue;
    }
    CHECK(b->status[i] == TALUS_OK);
    CHECK(talus_solve_once(cuda, &b->problem[i], &b->settings, &solution, &alone) == TALUS_OK);
    batch_check(b, i, &alone, 0.1, "alone");
    CHECK(!emulated || memcmp(impulse, b->impulse[i], sizeof impulse) == 0);
    calls += t->calls_alone;
  }
  CHECK_CASE(10 * together < 9 * calls, "%lld calls, %lld alone", together, calls);
  for (int i = 0; i < COUNT; i++) {
    oracle_made_free(&made[i]);
  }
  free(b);
}

/* ---- what `auto` takes ----------------------------------------------------------------------- */

/* Orders from which on a dense factor on the device is sooner than the host's of so many entries
 * and operations; 0: none up to 4000. */
static int least_order(double filled, const tl_dense_rates *rates) {
  for (int n = 66; n <= 4000; n += 6) {
    const double entries = filled * n * n / 2;
    const tl_cost_matrix m = {.constraints = n / 2.0,
                              .order = n,
                              .entries = entries,
                              .operations = 4 * entries * entries / n / 3,
                              .symmetric = true};
    if (tl_cost_on_device(&m, rates) < tl_cost_on_host(&m)) {
      return n;
    }
  }
  return 0;
}

/* The rule by itself: full matrices of some hundred rows are a device's, small ones the host's, and
 * so are those of a stack, whose factors are all but empty; a faster device takes smaller ones. */
static void test_rule(void) {
  const tl_dense_rates untold = {0, 0}, a100 = {9.7e12, 1.55e12};
  const int full_slow = least_order(1, &untold), full_fast = least_order(1, &a100);
  const int half_slow = least_order(0.3, &untold), half_fast = least_order(0.3, &a100);
  printf("a dense factor on the device from order %d on (full) and %d (3 of 10 entries), at the "
         "rates of an A100; %d and %d where the device tells none\n",
         full_fast, half_fast, full_slow, half_slow);
  CHECK(full_fast > 96 && full_fast <= full_slow && full_slow < 1000);
  CHECK(half_fast > full_fast && half_fast <= half_slow);
  CHECK(least_order(0.003, &a100) == 0 && least_order(0.003, &untold) == 0);
}

typedef struct auto_case {
  int contacts, grains;
  double decades;
  talus_law law;
  double tolerance;
  int same_bits, wanted; /* wanted: of a device with libraries */
} auto_case;

/* Whether a problem of this kind is solved by factors on the device, and by what else. */
static void auto_check(talus_context *cuda, const told *t, const auto_case *c, int has_library) {
  oracle_made made = pile_draw(c->contacts, c->grains, c->decades, c->law, 3);
  talus_settings settings = talus_settings_default();
  talus_info info;
  const int before = t->on_device, wanted = c->wanted && has_library;
  settings.law = c->law;
  settings.tolerance = c->tolerance;
  settings.same_bits = c->same_bits;
  solve(cuda, &made.problem, &settings, "auto", &info);
  CHECK_CASE((t->on_device > before) == wanted && (info.factorisations > 0) == wanted &&
                 info.outcome == TALUS_OUTCOME_CONVERGED && info.backend == TALUS_BACKEND_CUDA,
             "%d contacts to %g: %s by %s after %d factorisations and %d passes, on the device %d",
             c->contacts, c->tolerance, talus_outcome_name(info.outcome),
             talus_method_name(info.method), (int)info.factorisations, (int)info.passes,
             t->on_device - before);
  CHECK(!wanted || info.method == (c->law == TALUS_LAW_CCP ? TALUS_METHOD_INTERIOR_POINT
                                                           : TALUS_METHOD_NEWTON));
  CHECK(talus_context_message(cuda)[0] == 0);
  oracle_made_free(&made);
}

/* Without libraries the device's factors are never taken; nor for a few digits, nor where the bits
 * are to be the CPU's. */
static void test_auto(talus_context *cuda, const told *t, int has_library) {
  static const auto_case CASES_OF_AUTO[] = {
      {PILE, 40, 2, TALUS_LAW_CCP, 1e-8, 0, 1}, {PILE, 40, 1, TALUS_LAW_COULOMB, 1e-8, 0, 1},
      {PILE, 40, 2, TALUS_LAW_CCP, 1e-2, 0, 0}, {PILE, 40, 0, TALUS_LAW_CCP, 1e-6, 1, 0},
      {PILE, 80, 2, TALUS_LAW_CCP, 1e-8, 0, 0}, {70, 28, 2, TALUS_LAW_CCP, 1e-8, 0, 0}};
  for (size_t i = 0; i < sizeof CASES_OF_AUTO / sizeof *CASES_OF_AUTO; i++) {
    if (!has_library && CASES_OF_AUTO[i].law == TALUS_LAW_COULOMB) {
      continue; /* stalls, for a minute */
    }
    auto_check(cuda, t, &CASES_OF_AUTO[i], has_library);
  }
}

/* ---- too little memory ----------------------------------------------------------------------- */

static talus_status none_create(talus_context *context, int32_t slots, int32_t order,
                                tl_dense **dense) {
  (void)slots;
  *dense = NULL;
  return tl_fail(context, TALUS_OUT_OF_MEMORY, "no memory for order %d", (int)order);
}

/* A device without memory leaves the matrix to the host, and is asked again. */
static void test_memory(talus_context *context) {
  enum { COUNT = 24 };
  const tl_dense_ops none = {.create = none_create};
  double block[9 * COUNT] = {0}, a[9 * COUNT] = {0};
  int64_t block_first[COUNT + 1] = {0};
  int32_t block_column[COUNT] = {0}, first[COUNT + 1] = {0};
  for (int k = 0; k < COUNT; k++) {
    block[9 * k] = block[9 * k + 4] = block[9 * k + 8] = 2;
    a[9 * k] = a[9 * k + 4] = a[9 * k + 8] = 1;
    block_column[k] = k;
    block_first[k + 1] = k + 1;
    first[k + 1] = 3 * (k + 1);
  }
  const tl_scaled scaled = {.count = COUNT,
                            .rows = 3 * COUNT,
                            .first = first,
                            .block_first = block_first,
                            .block_column = block_column,
                            .block = block};
  tl_linear linear = {.on_device = false};
  for (int turn = 0; turn < 2; turn++) {
    bool good = false;
    CHECK(tl_linear_make(context, &scaled, &none, &linear) == TALUS_OK && !linear.on_device);
    CHECK(!context->undense && context->message[0] == 0);
    CHECK(tl_linear_factor(&linear, a, a, NULL, true, &good) == TALUS_OK && good);
  }
  tl_linear_release(context, &linear);
}

static talus_status open_fails(talus_context *context) {
  return tl_fail(context, TALUS_OUT_OF_MEMORY, "cublasCreate_v2: no device memory");
}

static talus_status open_breaks(talus_context *context) {
  return tl_fail(context, TALUS_DEVICE_ERROR, "cusolverDnCreate: status 7");
}

/* Where handles of the libraries cannot be had just now, `auto` sweeps, and asks again. */
static void test_auto_without_handles(talus_context *cuda) {
  static talus_status (*const opens[])(talus_context *) = {open_fails, open_breaks};
  oracle_made made = pile_draw(PILE, 40, 2, TALUS_LAW_CCP, 3);
  talus_settings settings = talus_settings_default();
  settings.law = TALUS_LAW_CCP;
  settings.tolerance = 1e-8;
  for (int i = 0; i < 2; i++) {
    tl_dense_ops ops = *tl_dense_backend_find(cuda);
    talus_info info;
    ops.open = opens[i];
    cuda->dense = &ops;
    solve(cuda, &made.problem, &settings, "no handles", &info);
    cuda->dense = NULL;
    CHECK_CASE(info.factorisations == 0 && info.outcome == TALUS_OUTCOME_CONVERGED, "%s after %d",
               talus_outcome_name(info.outcome), (int)info.factorisations);
    CHECK(!cuda->undense && talus_context_message(cuda)[0] == 0);
  }
  oracle_made_free(&made);
}

enum { CROWD = 8, BODIES = 40 };

/* A batch of copies of a pile, and what one of them has alone. */
static batch *crowd_make(talus_context *cuda, oracle_made *made, talus_info *alone,
                         double *impulse) {
  batch *const b = batch_make(TALUS_METHOD_INTERIOR_POINT, CROWD);
  talus_solution solution = talus_solution_default();
  *made = pile_draw(PILE, BODIES, 0, b->settings.law, 3);
  for (int i = 0; i < CROWD; i++) {
    b->problem[i] = made->problem;
  }
  solution.impulse = impulse;
  *alone = talus_info_default();
  CHECK_CASE(talus_solve_once(cuda, &made->problem, &b->settings, &solution, alone) == TALUS_OK,
             "%s", talus_context_message(cuda));
  return b;
}

/* A group that is too large for the device: who is refused memory tells nothing, has no other bits
 * by the host's factors, and leaves the others theirs. */
static void test_group_without_memory(talus_context *cuda, const told *t) {
  oracle_made made;
  talus_info alone;
  double impulse[3 * PILE] = {0};
  int32_t index[CROWD];
  bool again[CROWD];
  tl_worker worker = {.context = cuda, .failed = -1};
  batch *const b = crowd_make(cuda, &made, &alone, impulse);
  const tl_batch group = {.settings = &b->settings,
                          .count = CROWD,
                          .problems = tl_struct_array_of(b->problem, CROWD),
                          .solutions = tl_struct_array_of(b->solution, CROWD),
                          .infos = tl_struct_array_of(b->info, CROWD),
                          .statuses = b->status};
  int refused = 0;
  for (int i = 0; i < CROWD; i++) {
    index[i] = i;
    b->status[i] = TALUS_STATUS_COUNT;
  }
  tl_batch_together(cuda, &worker, &group, index, CROWD, again);
  for (int i = 0; i < CROWD; i++) {
    refused += again[i];
    CHECK_CASE(b->status[i] == (again[i] ? TALUS_STATUS_COUNT : TALUS_OK), "%d: %d", i,
               (int)b->status[i]);
    CHECK(again[i] || memcmp(impulse, b->impulse[i], sizeof impulse) == 0);
  }
  CHECK_CASE(refused > 0 && t->in_turn == 1, "%d of %d refused", refused, (int)CROWD);
  CHECK(worker.failed < 0 && talus_context_message(cuda)[0] == 0);
  oracle_made_free(&made);
  free(b);
}

/* A batch that does not fit at once: all are solved, with the bits that each has alone. */
static void test_batch_without_memory(talus_context *cuda) {
  oracle_made made;
  talus_info alone;
  double impulse[3 * PILE] = {0};
  batch *const b = crowd_make(cuda, &made, &alone, impulse);
  CHECK_CASE(batch_solve(cuda, b) == TALUS_OK, "%s", talus_context_message(cuda));
  for (int i = 0; i < CROWD; i++) {
    batch_check(b, i, &alone, 0, "alone");
    CHECK_CASE(memcmp(impulse, b->impulse[i], sizeof impulse) == 0, "%d", i);
  }
  oracle_made_free(&made);
  free(b);
}

/* ---- no host memory -------------------------------------------------------------------------- */

static long allocations_left = -1; /* -1: any number */

static void *allocate_some(void *user, size_t bytes) {
  (void)user;
  if (allocations_left >= 0 && allocations_left-- == 0) {
    return NULL;
  }
  return malloc(bytes);
}

static void release_any(void *user, void *memory, size_t bytes) {
  (void)user;
  (void)bytes;
  free(memory);
}

/* One allocation fails, whichever it is: the batch is solved, all of it and with the same bits, one
 * by one if need be, or says what was missing. */
static void test_host_memory(void) {
  enum { COUNT = 3, STRIDE = 3 };
  batch *const b = batch_make(TALUS_METHOD_INTERIOR_POINT, COUNT);
  oracle_made made = pile_draw(70, 28, 0, b->settings.law, 3);
  talus_context_def def = talus_context_def_default();
  bool failed = true;
  def.backend = TALUS_BACKEND_CUDA;
  def.threads = 1;
  def.allocate = allocate_some;
  def.release = release_any;
  double whole[COUNT][3 * PILE];
  b->settings.max_iterations = 2;
  for (int i = 0; i < COUNT; i++) {
    b->problem[i] = made.problem;
  }
  for (long n = 0; failed; n += STRIDE) {
    talus_context *context = NULL;
    allocations_left = -1;
    CHECK(talus_context_create(&def, &context) == TALUS_OK);
    if (n == 0) {
      CHECK(batch_solve(context, b) == TALUS_OK);
      memcpy(whole, b->impulse, sizeof whole);
    }
    for (int i = 0; i < COUNT; i++) {
      b->status[i] = TALUS_STATUS_COUNT;
    }
    allocations_left = n;
    const talus_status status = batch_solve(context, b);
    failed = allocations_left < 0;
    allocations_left = -1;
    CHECK_CASE(status == TALUS_OK ||
                   (status == TALUS_OUT_OF_MEMORY && talus_context_message(context)[0] != 0),
               "allocation %ld: %s '%s'", n, talus_status_name(status),
               talus_context_message(context));
    for (int i = 0; i < COUNT && status == TALUS_OK; i++) {
      CHECK_CASE(b->status[i] == TALUS_OK && memcmp(whole[i], b->impulse[i], sizeof whole[i]) == 0,
                 "allocation %ld, problem %d", n, i);
    }
    talus_context_destroy(context);
  }
  oracle_made_free(&made);
  free(b);
}

/* ---- lists of requests ----------------------------------------------------------------------- */

enum { LIST = 3, BLOCKS = 4, ROWS = 3 * BLOCKS };

/* I + W, W full or nearly diagonal, of which problem i leaves out its last i blocks. */
typedef struct listed {
  double block[9 * BLOCKS * BLOCKS], b[9 * BLOCKS], right[ROWS], x[ROWS], product[ROWS];
  int64_t block_first[BLOCKS + 1];
  int32_t block_column[BLOCKS * BLOCKS], first[BLOCKS + 1], place[BLOCKS];
} listed;

static double entry_of(const listed *p, int i, int j) {
  const int e = i / 3 * BLOCKS + j / 3;
  return p->block[9 * e + 3 * (i % 3) + j % 3];
}

static void listed_make(listed *p, int left_out, uint64_t *state) {
  memset(p, 0, sizeof *p);
  for (int k = 0; k < BLOCKS; k++) {
    p->first[k + 1] = 3 * (k + 1);
    p->block_first[k + 1] = (int64_t)BLOCKS * (k + 1);
    p->place[k] = k < BLOCKS - left_out ? 3 * k : -1;
    p->b[9 * k] = p->b[9 * k + 4] = p->b[9 * k + 8] = 1;
    for (int l = 0; l <= k; l++) {
      p->block_column[BLOCKS * k + l] = l;
      p->block_column[BLOCKS * l + k] = k;
      for (int c = 0; c < 9; c++) {
        const double w = l == k ? (c % 4 == 0 ? 8 : 0.25) : oracle_random(state, -1, 1);
        p->block[9 * (BLOCKS * k + l) + c] = w;
        p->block[9 * (BLOCKS * l + k) + 3 * (c % 3) + c / 3] = w;
      }
    }
  }
  for (int i = 0; i < ROWS; i++) {
    p->right[i] = oracle_random(state, -1, 1);
  }
}

/* Solutions and products of problem i against its own rows. */
static void listed_check(const listed *p, int left_out) {
  const int active = ROWS - 3 * left_out;
  for (int i = 0; i < ROWS; i++) {
    double solved = i < active ? p->x[i] - p->right[i] : 0, product = -p->product[i];
    for (int j = 0; j < ROWS; j++) {
      solved += i < active && j < active ? entry_of(p, i, j) * p->x[j] : 0;
      product += entry_of(p, i, j) * p->right[j];
    }
    CHECK_CLOSE(solved, 0, 1e-12);
    CHECK_CLOSE(product, 0, 1e-12);
  }
}

/* Several problems at once, of different active orders, by Cholesky and by LU. */
static void test_list(talus_context *cuda, bool full) {
  static listed p[LIST];
  const tl_dense_ops *const ops = tl_dense_backend_find(cuda);
  uint64_t state = 7;
  tl_dense *dense = NULL;
  CHECK(ops->create(cuda, LIST, ROWS, &dense) == TALUS_OK);
  for (int i = 0; dense != NULL && i < LIST; i++) {
    listed_make(&p[i], i, &state);
    const tl_dense_problem problem = {.count = BLOCKS,
                                      .rows = ROWS,
                                      .first = p[i].first,
                                      .block_first = p[i].block_first,
                                      .block_column = p[i].block_column,
                                      .block = p[i].block,
                                      .full = full};
    CHECK(ops->load(dense, i, &problem) == TALUS_OK);
  }
  for (int lu = 0; dense != NULL && lu < 3; lu++) { /* all by Cholesky, by LU, one by Cholesky */
    tl_dense_matrix matrix[LIST];
    tl_dense_vector solve_list[LIST], apply_list[LIST];
    for (int i = 0; i < LIST; i++) {
      matrix[i] = (tl_dense_matrix){.slot = i,
                                    .active = ROWS - 3 * i,
                                    .b = p[i].b,
                                    .place = p[i].place,
                                    .cholesky = lu == 0 || (lu == 2 && i == 1)};
      solve_list[i] = (tl_dense_vector){i, p[i].right, p[i].x};
      apply_list[i] = (tl_dense_vector){i, p[i].right, p[i].product};
    }
    CHECK(ops->factor(dense, LIST, matrix) == TALUS_OK);
    CHECK(ops->solve(dense, LIST, solve_list) == TALUS_OK);
    CHECK(ops->apply(dense, LIST, apply_list) == TALUS_OK);
    for (int i = 0; i < LIST; i++) {
      CHECK(matrix[i].good && matrix[i].sign == 1);
      listed_check(&p[i], i);
    }
  }
  ops->destroy(dense);
}

static talus_method method_of(const char *name) {
  talus_method method = TALUS_METHOD_INTERIOR_POINT;
  CHECK_CASE(talus_method_parse(name, &method), "%s", name);
  return method;
}

int main(int argc, char **argv) {
  told here = {0}, there = {0};
  talus_context *const cpu = context_of(TALUS_BACKEND_CPU, &here);
  talus_context *const cuda = context_of(TALUS_BACKEND_CUDA, &there);
  /* the emulation has none unless it is told to, a toolkit has */
  const int has_library = argc > 1 && strcmp(argv[1], "libraries") == 0;
  const int emulated = getenv("EMU_LIBRARIES") != NULL;
  if (cuda == NULL) {
    talus_context_destroy(cpu);
    printf("skipped: no device\n");
    return CHECK_SKIPPED;
  }
  if (has_library && getenv("EMU_MEMORY") != NULL) {
    test_group_without_memory(cuda, &there);
    test_batch_without_memory(cuda);
    talus_context_destroy(cuda);
    talus_context_destroy(cpu);
    return check_end();
  }
  if (argc > 2) { /* 64 copies take minutes on an emulator of CUDA */
    const int copies = atoi(argv[2]) < COPIES ? atoi(argv[2]) : COPIES;
    test_copies(cpu, cuda, &there, copies,
                argc > 3 ? method_of(argv[3]) : TALUS_METHOD_INTERIOR_POINT, has_library);
  } else {
    test_cases(cpu, cuda, &there, has_library);
    test_memory(cpu);
    test_description(has_library);
    test_rule();
    test_auto(cuda, &there, has_library);
  }
  if (argc < 3) {
    test_copies(cpu, cuda, &there, emulated ? 8 : 2, TALUS_METHOD_INTERIOR_POINT, has_library);
  }
  if (has_library && argc == 2) {
    test_list(cuda, false);
    test_list(cuda, true);
    test_mixture(cuda, &there, emulated);
    test_auto_without_handles(cuda);
    if (emulated) { /* an emulator of CUDA keeps memory of each thread that there ever was */
      test_host_memory();
    }
  }
  talus_context_destroy(cuda);
  talus_context_destroy(cpu);
  return check_end();
}
