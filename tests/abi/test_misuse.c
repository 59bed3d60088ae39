/* Calls that should not have been made get a status and a message: wrong struct sizes, contexts and
 * solvers that are none any more, calls out of order, two threads in one solver. And what is
 * allowed: asynchronous solves, several contexts at once. */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "talus/talus_world.h"
#include "tests/abi/counted.h"
#include "tests/check.h"
#include "tests/solver/families.h"

enum { MOST = 512, THREADS = 4 };

static int says(const talus_context *context, const char *word) {
  const char *const message = talus_context_message(context);
  if (strstr(message, word) == NULL) {
    printf("  message: %s\n", message);
    return 0;
  }
  return 1;
}

/* ---- sizes and NaN --------------------------------------------------------------------------- */

static void sizes_check(talus_context *context) {
  oracle_made made = family_make(family_at(0), TALUS_LAW_CCP, 1);
  talus_settings settings = talus_settings_default();
  talus_solution solution = talus_solution_default();
  talus_solution_layout out = talus_solution_layout_default();
  talus_layout layout = talus_layout_default();
  talus_info info = talus_info_default();
  talus_solver *solver;
  settings.struct_size--;
  CHECK(talus_solver_create(context, &settings, &solver) == TALUS_STRUCT_SIZE && !solver);
  CHECK(says(context, "settings.struct_size"));
  CHECK(talus_solver_create(context, NULL, &solver) == TALUS_OK);
  CHECK(talus_solver_set(solver, &settings) == TALUS_STRUCT_SIZE);
  CHECK(talus_solver_set(solver, NULL) == TALUS_INVALID_ARGUMENT && says(context, "settings"));
  made.problem.struct_size += 4;
  CHECK(talus_solver_update(solver, &made.problem) == TALUS_STRUCT_SIZE);
  CHECK(says(context, "problem.struct_size"));
  made.problem.struct_size -= 4;
  made.problem.layout = &layout;
  layout.struct_size = 1;
  CHECK(talus_solver_update(solver, &made.problem) == TALUS_STRUCT_SIZE && says(context, "layout"));
  made.problem.layout = NULL;
  CHECK(talus_solver_solve(solver, NULL, NULL) == TALUS_CALL_ORDER); /* after a failed update too */
  CHECK(says(context, "talus_solver_update"));
  CHECK(talus_solver_update(solver, &made.problem) == TALUS_OK);
  info.struct_size = 0;
  CHECK(talus_solver_solve(solver, NULL, &info) == TALUS_STRUCT_SIZE && says(context, "info"));
  CHECK(talus_solver_solve_async(solver, NULL, &info) == TALUS_STRUCT_SIZE);
  solution.struct_size = 7;
  CHECK(talus_solver_solve(solver, &solution, NULL) == TALUS_STRUCT_SIZE);
  solution = talus_solution_default();
  solution.layout = &out;
  out.struct_size = 0;
  CHECK(talus_solver_solve(solver, &solution, NULL) == TALUS_STRUCT_SIZE);
  CHECK(talus_solver_solve(solver, NULL, NULL) == TALUS_OK); /* still as good as before */
  double *const velocity = (double *)(uintptr_t)made.problem.rigid.velocity;
  velocity[3] = NAN;
  CHECK(talus_solver_update(solver, &made.problem) == TALUS_NOT_FINITE);
  CHECK(says(context, "rigid.velocity[3]"));
  talus_solver_destroy(solver);
  oracle_made_free(&made);
}

/* ---- what is no context or solver ------------------------------------------------------------ */

static void strangers_check(void) {
  static _Alignas(64) char nothing[8192];
  talus_context *const none = (talus_context *)(void *)nothing;
  oracle_made made = family_make(family_at(0), TALUS_LAW_CCP, 1);
  talus_solver *solver = (talus_solver *)(void *)nothing;
  talus_certificate certificate = talus_certificate_default();
  talus_islands islands = talus_islands_default();
  CHECK(talus_solver_update(solver, &made.problem) == TALUS_INVALID_ARGUMENT);
  CHECK(talus_solver_wait(solver) == TALUS_INVALID_ARGUMENT);
  talus_solver_destroy(solver);
  CHECK(talus_solver_create(none, NULL, &solver) == TALUS_INVALID_ARGUMENT && solver == NULL);
  CHECK(talus_solve_once(none, &made.problem, NULL, NULL, NULL) == TALUS_INVALID_ARGUMENT);
  CHECK(talus_certify(none, &made.problem, made.impulse, NULL, &certificate) ==
        TALUS_INVALID_ARGUMENT);
  CHECK(talus_islands_find(none, &made.problem, &islands) == TALUS_INVALID_ARGUMENT);
  CHECK(talus_solve_batch(none, NULL, 1, &made.problem, NULL, NULL, NULL) ==
        TALUS_INVALID_ARGUMENT);
  CHECK(strcmp(talus_context_message(none), "no context") == 0);
  talus_context_destroy(none);
  CHECK(talus_solver_create(NULL, NULL, &solver) == TALUS_INVALID_ARGUMENT);
  CHECK(talus_solver_update(NULL, &made.problem) == TALUS_INVALID_ARGUMENT);
  CHECK(talus_solver_set(NULL, NULL) == TALUS_INVALID_ARGUMENT);
  CHECK(talus_solver_solve(NULL, NULL, NULL) == TALUS_INVALID_ARGUMENT);
  CHECK(talus_solver_wait(NULL) == TALUS_INVALID_ARGUMENT);
  for (size_t i = 0; i < sizeof nothing; i++) {
    CHECK(nothing[i] == 0);
  }
  oracle_made_free(&made);
}

/* The memory of what was destroyed is kept here, so that looking at it is allowed. */
static void destroyed_check(void) {
#if COUNTED
  oracle_made made = family_make(family_at(0), TALUS_LAW_CCP, 1);
  talus_context *context;
  talus_solver *solver, *left;
  CHECK(talus_context_create(NULL, &context) == TALUS_OK);
  CHECK(talus_solver_create(context, NULL, &solver) == TALUS_OK);
  CHECK(talus_solver_create(context, NULL, &left) == TALUS_OK);
  counted_keep = 1;
  talus_solver_destroy(solver);
  CHECK(talus_solver_update(solver, &made.problem) == TALUS_INVALID_ARGUMENT);
  CHECK(talus_solver_solve(solver, NULL, NULL) == TALUS_INVALID_ARGUMENT);
  talus_solver_destroy(solver);
  talus_context_destroy(context);
  CHECK(talus_solver_create(context, NULL, &solver) == TALUS_INVALID_ARGUMENT);
  CHECK(talus_solver_update(left, &made.problem) == TALUS_INVALID_ARGUMENT);
  CHECK(strcmp(talus_context_backend(context), "none") == 0 && talus_context_threads(context) == 0);
  talus_context_destroy(context);
  talus_solver_destroy(left);
  counted_keep = 0;
  oracle_made_free(&made);
#endif
}

/* A solver outlives its context, whose memory is kept for it by nobody but itself. */
static void outlived_check(void) {
  oracle_made made = family_make(family_at(0), TALUS_LAW_CCP, 1);
  talus_context *context;
  talus_solver *solver[2];
  CHECK(talus_context_create(NULL, &context) == TALUS_OK);
  for (int i = 0; i < 2; i++) {
    CHECK(talus_solver_create(context, NULL, &solver[i]) == TALUS_OK);
    CHECK(talus_solver_update(solver[i], &made.problem) == TALUS_OK);
    CHECK(talus_solver_solve_async(solver[i], NULL, NULL) == TALUS_OK);
    CHECK(talus_solver_wait(solver[i]) == TALUS_OK);
  }
  talus_context_destroy(context);
  for (int i = 0; i < 2; i++) {
    CHECK(talus_solver_solve(solver[i], NULL, NULL) == TALUS_INVALID_ARGUMENT);
    CHECK(talus_solver_wait(solver[i]) == TALUS_INVALID_ARGUMENT);
    talus_solver_destroy(solver[i]);
  }
  oracle_made_free(&made);
}

/* ---- threads --------------------------------------------------------------------------------- */

typedef struct meeting {
  talus_solver *solver;
  const talus_problem *problem;
  talus_status status;
  int inside, go; /* atomic */
} meeting;

/* Keeps a solve inside until it is told to go on. */
static int hold(void *user, int64_t iterations, int64_t passes, double measure, double seconds) {
  meeting *const m = user;
  (void)iterations, (void)passes, (void)measure, (void)seconds;
  __atomic_store_n(&m->inside, 1, __ATOMIC_RELEASE);
  while (!__atomic_load_n(&m->go, __ATOMIC_ACQUIRE)) {
    const struct timespec moment = {0, 1000000};
    nanosleep(&moment, NULL);
  }
  return 0;
}

static void hold_wait(const meeting *m) {
  while (!__atomic_load_n(&m->inside, __ATOMIC_ACQUIRE)) {
    const struct timespec moment = {0, 1000000};
    nanosleep(&moment, NULL);
  }
}

static void *solve_held(void *argument) {
  meeting *const m = argument;
  m->status = talus_solver_solve(m->solver, NULL, NULL);
  return NULL;
}

static void busy_check(talus_context *context) {
  oracle_made made = family_make(family_at(0), TALUS_LAW_CCP, 1);
  meeting m = {.problem = &made.problem};
  talus_settings settings = talus_settings_default();
  talus_info info = talus_info_default();
  pthread_t thread;
  settings.progress = hold;
  settings.progress_user = &m;
  CHECK(talus_solver_create(context, &settings, &m.solver) == TALUS_OK);
  CHECK(talus_solver_update(m.solver, &made.problem) == TALUS_OK);
  CHECK(pthread_create(&thread, NULL, solve_held, &m) == 0);
  hold_wait(&m);
  CHECK(talus_solver_solve(m.solver, NULL, NULL) == TALUS_BUSY && says(context, "another thread"));
  CHECK(talus_solver_update(m.solver, &made.problem) == TALUS_BUSY);
  CHECK(talus_solver_set(m.solver, &settings) == TALUS_BUSY);
  CHECK(talus_solver_solve_async(m.solver, NULL, NULL) == TALUS_BUSY);
  CHECK(talus_solver_wait(m.solver) == TALUS_CALL_ORDER);
  __atomic_store_n(&m.go, 1, __ATOMIC_RELEASE);
  pthread_join(thread, NULL);
  CHECK(m.status == TALUS_OK);
  /* and between solve_async and wait */
  m.inside = m.go = 0;
  CHECK(talus_solver_wait(m.solver) == TALUS_CALL_ORDER && says(context, "solve_async"));
  CHECK(talus_solver_solve_async(m.solver, NULL, &info) == TALUS_OK);
  hold_wait(&m);
  CHECK(talus_solver_solve_async(m.solver, NULL, NULL) == TALUS_CALL_ORDER);
  CHECK(says(context, "talus_solver_wait"));
  CHECK(talus_solver_update(m.solver, &made.problem) == TALUS_CALL_ORDER);
  CHECK(talus_solver_solve(m.solver, NULL, NULL) == TALUS_CALL_ORDER);
  __atomic_store_n(&m.go, 1, __ATOMIC_RELEASE);
  CHECK(talus_solver_wait(m.solver) == TALUS_OK && info.outcome == TALUS_OUTCOME_CONVERGED);
  CHECK(talus_solver_wait(m.solver) == TALUS_CALL_ORDER);
  CHECK(talus_solver_solve_async(m.solver, NULL, NULL) == TALUS_OK);
  talus_solver_destroy(m.solver); /* waits */
  oracle_made_free(&made);
}

/* While another thread, or a solve under way, is in the context: nothing of it may be used. */
static void context_busy(talus_context *context, talus_solver *other, talus_world *world,
                         const talus_problem *problem) {
  static double impulse[3 * MOST], rows[MOST];
  talus_certificate certificate;
  talus_solver *made = NULL;
  talus_islands islands = talus_islands_default();
  CHECK(talus_solver_solve(other, NULL, NULL) == TALUS_BUSY && says(context, "this context"));
  CHECK(talus_solver_update(other, problem) == TALUS_BUSY);
  CHECK(talus_solver_solve_async(other, NULL, NULL) == TALUS_BUSY);
  CHECK(talus_solver_create(context, NULL, &made) == TALUS_BUSY && made == NULL);
  CHECK(talus_solve_once(context, problem, NULL, NULL, NULL) == TALUS_BUSY);
  CHECK(talus_solve_batch(context, NULL, 1, problem, NULL, NULL, NULL) == TALUS_BUSY);
  CHECK(talus_certify(context, problem, impulse, rows, &certificate) == TALUS_BUSY);
  CHECK(talus_islands_find(context, problem, &islands) == TALUS_BUSY);
  CHECK(talus_world_step(world, NULL) == TALUS_BUSY);
}

static void context_check(void) {
  oracle_made made = family_make(family_at(0), TALUS_LAW_CCP, 1);
  meeting m = {.problem = &made.problem};
  talus_settings settings = talus_settings_default();
  talus_context *context;
  talus_solver *other;
  talus_world *world;
  talus_world_def def = talus_world_def_default();
  pthread_t thread;
  CHECK(talus_context_create(NULL, &context) == TALUS_OK);
  CHECK(talus_solver_create(context, NULL, &other) == TALUS_OK);
  CHECK(talus_solver_update(other, &made.problem) == TALUS_OK);
  CHECK(talus_world_create(context, &def, &world) == TALUS_OK);
  settings.progress = hold;
  settings.progress_user = &m;
  CHECK(talus_solver_create(context, &settings, &m.solver) == TALUS_OK);
  CHECK(talus_solver_update(m.solver, &made.problem) == TALUS_OK);
  CHECK(pthread_create(&thread, NULL, solve_held, &m) == 0);
  hold_wait(&m);
  context_busy(context, other, world, &made.problem);
  __atomic_store_n(&m.go, 1, __ATOMIC_RELEASE);
  pthread_join(thread, NULL);
  CHECK(m.status == TALUS_OK && talus_solver_solve(other, NULL, NULL) == TALUS_OK);
  CHECK(talus_world_step(world, NULL) == TALUS_OK);
  m.inside = m.go = 0;
  CHECK(talus_solver_solve_async(m.solver, NULL, NULL) == TALUS_OK);
  hold_wait(&m);
  context_busy(context, other, world, &made.problem);
  __atomic_store_n(&m.go, 1, __ATOMIC_RELEASE);
  CHECK(talus_solver_wait(m.solver) == TALUS_OK);
  CHECK(talus_solver_solve(other, NULL, NULL) == TALUS_OK);
  /* a solve that is destroyed instead of waited for leaves the context too */
  CHECK(talus_solver_solve_async(m.solver, NULL, NULL) == TALUS_OK);
  talus_solver_destroy(m.solver);
  CHECK(talus_solver_solve(other, NULL, NULL) == TALUS_OK);
  talus_world_destroy(world);
  talus_solver_destroy(other);
  talus_context_destroy(context);
  oracle_made_free(&made);
}

/* A callback may use another solver of the context, but not begin a solve beside its own. */
static int use_other(void *user, int64_t iterations, int64_t passes, double measure,
                     double seconds) {
  meeting *const m = user;
  (void)iterations, (void)passes, (void)measure, (void)seconds;
  m->status = talus_solver_solve(m->solver, NULL, NULL);
  m->inside = talus_solver_solve_async(m->solver, NULL, NULL) == TALUS_BUSY;
  return 0;
}

static void nested_check(talus_context *context) {
  oracle_made made = family_make(family_at(0), TALUS_LAW_CCP, 1);
  meeting m = {.problem = &made.problem, .status = TALUS_INTERNAL};
  talus_settings settings = talus_settings_default();
  talus_solver *outer;
  CHECK(talus_solver_create(context, NULL, &m.solver) == TALUS_OK);
  CHECK(talus_solver_update(m.solver, &made.problem) == TALUS_OK);
  settings.progress = use_other;
  settings.progress_user = &m;
  settings.method = TALUS_METHOD_JACOBI;
  CHECK(talus_solver_create(context, &settings, &outer) == TALUS_OK);
  CHECK(talus_solver_update(outer, &made.problem) == TALUS_OK);
  CHECK(talus_solver_solve(outer, NULL, NULL) == TALUS_OK);
  CHECK(m.status == TALUS_OK && m.inside);
  CHECK(talus_solver_solve_async(m.solver, NULL, NULL) == TALUS_OK);
  CHECK(talus_solver_wait(m.solver) == TALUS_OK);
  talus_solver_destroy(outer);
  talus_solver_destroy(m.solver);
  oracle_made_free(&made);
}

/* Calls back into the solver that is calling. */
static int meddle(void *user, int64_t iterations, int64_t passes, double measure, double seconds) {
  meeting *const m = user;
  (void)iterations, (void)passes, (void)measure, (void)seconds;
  m->status = talus_solver_wait(m->solver);
  talus_solver_destroy(m->solver);
  __atomic_store_n(&m->inside, 1, __ATOMIC_RELEASE);
  return 1;
}

static void meddling_check(talus_context *context) {
  oracle_made made = family_make(family_at(0), TALUS_LAW_CCP, 1);
  meeting m = {.problem = &made.problem};
  talus_settings settings = talus_settings_default();
  talus_info info = talus_info_default();
  settings.progress = meddle;
  settings.progress_user = &m;
  settings.method = TALUS_METHOD_JACOBI;
  settings.tolerance = 1e-12;
  CHECK(talus_solver_create(context, &settings, &m.solver) == TALUS_OK);
  CHECK(talus_solver_update(m.solver, &made.problem) == TALUS_OK);
  CHECK(talus_solver_solve(m.solver, NULL, &info) == TALUS_OK && m.inside);
  CHECK(m.status == TALUS_CALL_ORDER && (info.notes & TALUS_NOTE_STOPPED) != 0);
  CHECK(says(context, "was not destroyed"));
  m.inside = 0;
  CHECK(talus_solver_solve_async(m.solver, NULL, &info) == TALUS_OK);
  hold_wait(&m); /* the callback met a solve that nobody waits for yet */
  CHECK(m.status == TALUS_CALL_ORDER && says(context, "was not destroyed"));
  CHECK(talus_solver_wait(m.solver) == TALUS_OK && (info.notes & TALUS_NOTE_STOPPED) != 0);
  talus_solver_destroy(m.solver);
  oracle_made_free(&made);
}

typedef struct answer {
  double impulse[3 * MOST], rows[MOST], velocity[7 * MOST];
} answer;

static talus_solution solution_of(answer *a) {
  talus_solution solution = talus_solution_default();
  solution.impulse = a->impulse;
  solution.bilateral_impulse = a->rows;
  solution.velocity = a->velocity;
  return solution;
}

static void async_check(talus_context *context) {
  static answer at_once, later;
  talus_settings settings = talus_settings_default();
  talus_solver *solver;
  settings.same_bits = 1;
  settings.max_iterations = 500;
  CHECK(talus_solver_create(context, &settings, &solver) == TALUS_OK);
  for (int i = 0; i < FAMILY_COUNT; i++) {
    oracle_made made = family_make(family_at(i), TALUS_LAW_COULOMB, 6);
    talus_solution first = solution_of(&at_once), second = solution_of(&later);
    memset(&at_once, 0, sizeof at_once);
    memset(&later, 0, sizeof later);
    CHECK(talus_solver_update(solver, &made.problem) == TALUS_OK);
    CHECK(talus_solver_solve(solver, &first, NULL) == TALUS_OK);
    CHECK(talus_solver_update(solver, &made.problem) == TALUS_OK);
    CHECK(talus_solver_solve_async(solver, &second, NULL) == TALUS_OK);
    CHECK(talus_solver_wait(solver) == TALUS_OK);
    CHECK_CASE(memcmp(&at_once, &later, sizeof later) == 0, "%s", family_at(i)->name);
    oracle_made_free(&made);
  }
  /* what fails is told by wait */
  oracle_made made = family_make(family_at(0), TALUS_LAW_COULOMB, 6);
  talus_solution start = solution_of(&later);
  settings.warm_start = 1;
  later.impulse[4] = NAN;
  CHECK(talus_solver_set(solver, &settings) == TALUS_OK);
  CHECK(talus_solver_update(solver, &made.problem) == TALUS_OK);
  CHECK(talus_solver_solve_async(solver, &start, NULL) == TALUS_OK);
  CHECK(talus_solver_wait(solver) == TALUS_NOT_FINITE && says(context, "solution.impulse[4]"));
  talus_solver_destroy(solver);
  oracle_made_free(&made);
}

/* A context of its own for each thread: all at once, the same bits as one after the other. */
static void *solve_all(void *argument) {
  answer *const a = argument;
  talus_context *context;
  talus_settings settings = talus_settings_default();
  talus_status status = talus_context_create(NULL, &context);
  settings.same_bits = 1;
  settings.max_iterations = 500;
  for (int i = 0; i < FAMILY_COUNT && status == TALUS_OK; i++) {
    oracle_made made = family_make(family_at(i), TALUS_LAW_COULOMB, 6);
    talus_solution solution = solution_of(&a[i]);
    memset(&a[i], 0, sizeof a[i]);
    status = talus_solve_once(context, &made.problem, &settings, &solution, NULL);
    oracle_made_free(&made);
  }
  talus_context_destroy(context);
  return status == TALUS_OK ? a : NULL;
}

static void contexts_check(void) {
  answer *const all = malloc((THREADS + 1) * FAMILY_COUNT * sizeof *all);
  pthread_t thread[THREADS];
  CHECK(all != NULL && solve_all(all) != NULL);
  for (int t = 0; t < THREADS; t++) {
    CHECK(pthread_create(&thread[t], NULL, solve_all, all + (t + 1) * FAMILY_COUNT) == 0);
  }
  for (int t = 0; t < THREADS; t++) {
    void *result = NULL;
    pthread_join(thread[t], &result);
    CHECK(result != NULL);
    CHECK(memcmp(all, all + (t + 1) * FAMILY_COUNT, FAMILY_COUNT * sizeof *all) == 0);
  }
  free(all);
}

int main(void) {
  talus_context *context;
  CHECK(talus_context_create(NULL, &context) == TALUS_OK);
  sizes_check(context);
  strangers_check();
  destroyed_check();
  outlived_check();
  busy_check(context);
  context_check();
  nested_check(context);
  meddling_check(context);
  async_check(context);
  contexts_check();
  talus_context_destroy(context);
  return check_end();
}
