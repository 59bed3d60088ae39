/* test_fork.c: a process that was forked off after solves on several threads. Its contexts go on
 * with one thread and the same bits, new ones have threads again, and what was under way in the
 * parent is told, not waited for. */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "talus/talus_io.h"
#include "talus/talus_solve.h"
#include "tests/check.h"

/* A child that hangs is ended by its alarm and counts as failed. */
enum { BODIES = 1500, SECONDS = 60 };

typedef struct scene {
  talus_context *context;
  talus_stored *heap;
  talus_solver *solver;
  double *impulse, *again; /* [3 contacts] */
} scene;

static talus_settings settings_of(talus_method method) {
  talus_settings settings = talus_settings_default();
  settings.method = method;
  settings.law = TALUS_LAW_CCP;
  settings.tolerance = 1e-3;
  settings.max_iterations = 400;
  settings.same_bits = 1;
  return settings;
}

static talus_context *context_make(void) {
  talus_context_def def = talus_context_def_default();
  talus_context *context = NULL;
  def.backend = TALUS_BACKEND_CPU;
  def.threads = 3;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  return context;
}

static talus_status solve(talus_solver *solver, const talus_problem *problem, double *impulse,
                          int32_t *threads) {
  talus_solution solution = talus_solution_default();
  talus_info info = talus_info_default();
  solution.impulse = impulse;
  memset(impulse, 0, 3 * (size_t)problem->contact_count * sizeof *impulse);
  talus_status status = talus_solver_update(solver, problem);
  if (status == TALUS_OK) {
    status = talus_solver_solve(solver, &solution, &info);
  }
  *threads = info.threads;
  return status;
}

static int same(const scene *s) {
  return memcmp(s->impulse, s->again,
                3 * (size_t)s->heap->problem.contact_count * sizeof *s->again) == 0;
}

static scene scene_make(talus_method method) {
  scene s = {context_make(), NULL, NULL, NULL, NULL};
  talus_generate_def def = talus_generate_def_default(TALUS_GENERATE_HEAP);
  const talus_settings settings = settings_of(method);
  int32_t threads;
  def.body_count = BODIES;
  CHECK(talus_problem_generate(s.context, &def, &s.heap) == TALUS_OK);
  s.impulse = malloc(3 * (size_t)s.heap->problem.contact_count * sizeof *s.impulse);
  s.again = malloc(3 * (size_t)s.heap->problem.contact_count * sizeof *s.again);
  CHECK(talus_solver_create(s.context, &settings, &s.solver) == TALUS_OK);
  CHECK(solve(s.solver, &s.heap->problem, s.impulse, &threads) == TALUS_OK && threads == 3);
  return s;
}

static void scene_free(scene *s) {
  talus_solver_destroy(s->solver);
  talus_stored_destroy(s->heap);
  talus_context_destroy(s->context);
  free(s->impulse);
  free(s->again);
}

/* The child's checks become its exit code. */
static void in_child(void (*work)(scene *s), scene *s) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    alarm(SECONDS);
    check_failed = 0;
    work(s);
    fflush(stdout);
    _exit(check_failed == 0 ? 0 : 1);
  }
  int end = -1;
  CHECK(child > 0 && waitpid(child, &end, 0) == child);
  CHECK_CASE(WIFEXITED(end) && WEXITSTATUS(end) == 0, "%s %d",
             WIFSIGNALED(end) ? "signal" : "exit code",
             WIFSIGNALED(end) ? WTERMSIG(end) : WEXITSTATUS(end));
}

static void inherited(scene *s) {
  int32_t threads = 0;
  CHECK(talus_context_threads(s->context) == 1);
  CHECK(solve(s->solver, &s->heap->problem, s->again, &threads) == TALUS_OK && threads == 1);
  CHECK(same(s));
  talus_solution solution = talus_solution_default();
  solution.impulse = s->again;
  memset(s->again, 0, 3 * (size_t)s->heap->problem.contact_count * sizeof *s->again);
  CHECK(talus_solver_solve_async(s->solver, &solution, NULL) == TALUS_OK);
  CHECK(talus_solver_wait(s->solver) == TALUS_OK && same(s));
  /* threads that the settings ask for are not there either */
  talus_settings settings = settings_of(TALUS_METHOD_GAUSS_SEIDEL);
  settings.threads = 2;
  CHECK(talus_solver_set(s->solver, &settings) == TALUS_OK);
  CHECK(solve(s->solver, &s->heap->problem, s->again, &threads) == TALUS_OK && threads == 1);
  scene_free(s);
}

static void fresh(scene *s) {
  const talus_settings settings = settings_of(TALUS_METHOD_AUTO);
  talus_context *const context = context_make();
  talus_solver *solver;
  int32_t threads = 0;
  CHECK(talus_solver_create(context, &settings, &solver) == TALUS_OK);
  CHECK(solve(solver, &s->heap->problem, s->again, &threads) == TALUS_OK && threads == 3);
  CHECK(same(s));
  talus_solver_destroy(solver);
  talus_context_destroy(context);
}

/* A child of the child. */
static void further(scene *s) {
  inherited(&(scene){s->context, s->heap, s->solver, s->impulse, s->again});
}

static void twice(scene *s) {
  int32_t threads = 0;
  CHECK(solve(s->solver, &s->heap->problem, s->again, &threads) == TALUS_OK && same(s));
  in_child(further, s);
}

static void methods_check(void) {
  static const talus_method methods[] = {TALUS_METHOD_AUTO, TALUS_METHOD_APGD, TALUS_METHOD_NEWTON,
                                         TALUS_METHOD_INTERIOR_POINT};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    scene s = scene_make(methods[i]);
    in_child(inherited, &s);
    if (methods[i] == TALUS_METHOD_AUTO) {
      in_child(fresh, &s);
      in_child(twice, &s);
    }
    /* the parent has its threads as before */
    int32_t threads;
    CHECK(solve(s.solver, &s.heap->problem, s.again, &threads) == TALUS_OK && threads == 3);
    CHECK(same(&s));
    scene_free(&s);
  }
}

/* ---- forks in the middle of a solve ---------------------------------------------------------- */

static int entered, released; /* atomic */

static int hold(void *user, int64_t iterations, int64_t passes, double measure, double seconds) {
  (void)user, (void)iterations, (void)passes, (void)measure, (void)seconds;
  __atomic_store_n(&entered, 1, __ATOMIC_RELEASE);
  while (!__atomic_load_n(&released, __ATOMIC_ACQUIRE)) {
    nanosleep(&(struct timespec){0, 1000000}, NULL);
  }
  return 0;
}

static void stranded(scene *s) {
  CHECK(talus_solver_wait(s->solver) == TALUS_BUSY);
  CHECK(strstr(talus_context_message(s->context), "forked") != NULL);
  CHECK(talus_solver_solve(s->solver, NULL, NULL) != TALUS_OK);
  talus_solver_destroy(s->solver); /* stays, and says so */
  CHECK(strstr(talus_context_message(s->context), "not destroyed") != NULL);
  fresh(s);
}

static void under_way_check(void) {
  scene s = scene_make(TALUS_METHOD_AUTO);
  talus_settings settings = settings_of(TALUS_METHOD_AUTO);
  settings.progress = hold;
  CHECK(talus_solver_set(s.solver, &settings) == TALUS_OK);
  CHECK(talus_solver_solve_async(s.solver, NULL, NULL) == TALUS_OK);
  while (!__atomic_load_n(&entered, __ATOMIC_ACQUIRE)) {
    nanosleep(&(struct timespec){0, 1000000}, NULL);
  }
  in_child(stranded, &s);
  __atomic_store_n(&released, 1, __ATOMIC_RELEASE);
  CHECK(talus_solver_wait(s.solver) == TALUS_OK);
  scene_free(&s);
}

/* Forks while another thread's loops are running: whatever they hold, the child does not need. */
static int stop; /* atomic */

static void *solve_on(void *argument) {
  scene *const s = argument;
  while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
    talus_solver_solve(s->solver, NULL, NULL);
  }
  return NULL;
}

static void beside_check(void) {
  scene mine = scene_make(TALUS_METHOD_AUTO), theirs = scene_make(TALUS_METHOD_NEWTON);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, solve_on, &theirs) == 0);
  for (int i = 0; i < 5; i++) {
    in_child(fresh, &mine);
  }
  in_child(inherited, &mine);
  __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
  pthread_join(thread, NULL);
  scene_free(&mine);
  scene_free(&theirs);
}

int main(void) {
  methods_check();
  under_way_check();
  beside_check();
  return check_end();
}
