/* test_dense.c: second-order methods whose matrices a device factors: the CPU's outcomes, with as
 * many factorisations but for a tenth, judged by the oracle; and what is said where the device has
 * no library for it (the emulated one) or no memory.
 *
 * test_dense [libraries [COPIES [METHOD]]]: with cuBLAS and cuSOLVER; COPIES: nothing but a batch
 * of so many copies of a pile, by interior_point or METHOD. Ends with 77 where there is no device.
 */
#include <stdlib.h>
#include <string.h>

#include "host/method/newton/linear.h"
#include "talus/talus_solve.h"
#include "tests/check.h"
#include "tests/oracle/oracle.h"

/* What the log said of the solves since it was cleared. */
typedef struct told {
  int on_device, on_host;
} told;

static void log_take(void *user, talus_log_level level, const char *message) {
  told *const t = user;
  (void)level;
  t->on_device += strstr(message, "dense factors on the device") != NULL;
  t->on_host += strstr(message, "factor on the host: dense factors on a device need cuBLAS and "
                                "cuSOLVER") != NULL;
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
  double bounded, asymmetry, compliance;
  int newton;
} made_case;

/* More contacts than small methods take, which would come before. */
static const made_case CASES[] = {
    {"bodies", TALUS_FORM_RIGID, ORACLE_RIGID, 3, 30, 66, 6, 0.5, 0, 0, 0},
    {"bodies that give way", TALUS_FORM_RIGID, ORACLE_SPHERES, 3, 30, 66, 0, 0, 0, 0.01, 0},
    {"blocks", TALUS_FORM_BLOCKS, ORACLE_RAGGED, 1, 40, 70, 3, 0, 0, 0, 0},
    {"W", TALUS_FORM_DELASSUS, ORACLE_RIGID, 3, 14, 66, 4, 0.5, 0, 0, 1},
    {"W that is not symmetric", TALUS_FORM_DELASSUS, ORACLE_RIGID, 3, 70, 66, 0, 0, 1e-4, 0, 0}};
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
  recipe.friction_max = 0.8;
  recipe.seed = seed;
  return oracle_problem_make(&recipe);
}

static void solve(talus_context *context, const talus_problem *problem,
                  const talus_settings *settings, const char *name, talus_info *info) {
  double impulse[3 * 70] = {0}, bilateral[16] = {0};
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

/* Within a tenth, or one. */
static int near(int64_t a, int64_t b) {
  const int64_t off = a > b ? a - b : b - a;
  return off <= 1 || 10 * off <= (a > b ? a : b);
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
  CHECK_CASE(here.outcome == there.outcome && near(here.factorisations, there.factorisations),
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

/* ---- a batch of equal problems --------------------------------------------------------------- */

enum { COPIES = 64, PILE = 200, GRAINS = 80 };

/* Copies of a pile: the CPU's outcomes and, but for a fifth, factorisations. */
static void test_batch(talus_context *cpu, talus_context *cuda, int copies, talus_method method) {
  static double impulse[COPIES][3 * PILE];
  talus_problem problem[COPIES];
  talus_solution solution[COPIES];
  talus_info info[COPIES], here = talus_info_default();
  talus_status status[COPIES];
  const made_case pile = {"pile", TALUS_FORM_RIGID, ORACLE_SPHERES, 3, GRAINS, PILE, 0, 0, 0, 0, 0};
  talus_settings settings = talus_settings_default();
  settings.law = method == TALUS_METHOD_NEWTON ? TALUS_LAW_COULOMB : TALUS_LAW_CCP;
  oracle_made made = case_draw(&pile, settings.law, 3);
  settings.method = method;
  settings.tolerance = 1e-8;
  memset(impulse, 0, sizeof impulse);
  for (int i = 0; i < copies; i++) {
    problem[i] = made.problem;
    solution[i] = talus_solution_default();
    solution[i].impulse = impulse[i];
    info[i] = talus_info_default();
  }
  CHECK(talus_solve_once(cpu, &made.problem, &settings, &solution[0], &here) == TALUS_OK);
  memset(impulse, 0, sizeof impulse);
  CHECK_CASE(talus_solve_batch(cuda, &settings, copies, problem, solution, info, status) ==
                 TALUS_OK,
             "%s", talus_context_message(cuda));
  for (int i = 0; i < copies; i++) {
    CHECK_CASE(status[i] == TALUS_OK && info[i].backend == TALUS_BACKEND_CUDA &&
                   info[i].outcome == here.outcome &&
                   5 * llabs((long long)(info[i].factorisations - here.factorisations)) <=
                       here.factorisations &&
                   oracle_epsilon(&made.problem, impulse[i], NULL, settings.law) <= 1.01e-8 &&
                   memcmp(impulse[i], impulse[0], sizeof impulse[0]) == 0,
               "copy %d: %s after %d, on the CPU %s after %d", i,
               talus_outcome_name(info[i].outcome), (int)info[i].factorisations,
               talus_outcome_name(here.outcome), (int)here.factorisations);
  }
  printf("%d copies of %d contacts, %s: %s after %d factorisations, on the CPU after %d\n", copies,
         PILE, talus_method_name(method), talus_outcome_name(info[0].outcome),
         (int)info[0].factorisations, (int)here.factorisations);
  oracle_made_free(&made);
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
  /* the emulation has none, a toolkit has */
  const int has_library = argc > 1 && strcmp(argv[1], "libraries") == 0;
  if (cuda == NULL) {
    talus_context_destroy(cpu);
    printf("skipped: no device\n");
    return CHECK_SKIPPED;
  }
  if (argc > 2) { /* 64 copies take hours on an emulator of CUDA */
    const int copies = atoi(argv[2]) < COPIES ? atoi(argv[2]) : COPIES;
    test_batch(cpu, cuda, copies, argc > 3 ? method_of(argv[3]) : TALUS_METHOD_INTERIOR_POINT);
  } else {
    test_cases(cpu, cuda, &there, has_library);
    test_memory(cpu);
  }
  if (!has_library) {
    test_batch(cpu, cuda, 2, TALUS_METHOD_INTERIOR_POINT);
  } else if (argc == 2) {
    test_list(cuda, false);
    test_list(cuda, true);
  }
  talus_context_destroy(cuda);
  talus_context_destroy(cpu);
  return check_end();
}
