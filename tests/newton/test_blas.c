/* test_blas.c: OpenBLAS's number of threads, which belongs to the whole process, is left alone by
 * contexts that do not ask for one thread, and set back after a solve by those that do. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "talus/talus_io.h"
#include "tests/check.h"

enum { THREADS = 2, BODIES = 60 };

typedef struct threads_seen {
  int (*get)(void);
  int least, most; /* threads of OpenBLAS during the solve */
} threads_seen;

static int watch(void *user, int64_t iterations, int64_t passes, double measure, double seconds) {
  threads_seen *const seen = user;
  (void)passes;
  (void)measure;
  (void)seconds;
  if (iterations > 0) {
    const int now = seen->get();
    seen->least = now < seen->least ? now : seen->least;
    seen->most = now > seen->most ? now : seen->most;
  }
  return 0;
}

static void test_solve(int32_t single, threads_seen *seen) {
  talus_context_def def = talus_context_def_default();
  talus_generate_def heap = talus_generate_def_default(TALUS_GENERATE_HEAP);
  talus_settings settings = talus_settings_default();
  talus_info info = talus_info_default();
  talus_context *context = NULL;
  talus_stored *stored = NULL;
  def.backend = TALUS_BACKEND_CPU;
  def.threads = 1;
  def.single_blas = single;
  heap.body_count = BODIES;
  settings.method = TALUS_METHOD_INTERIOR_POINT;
  settings.law = TALUS_LAW_CCP;
  settings.tolerance = 1e-9;
  settings.progress = watch;
  settings.progress_user = seen;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  CHECK(talus_problem_generate(context, &heap, &stored) == TALUS_OK);
  CHECK(talus_solve_once(context, &stored->problem, &settings, NULL, &info) == TALUS_OK);
  CHECK(info.outcome == TALUS_OUTCOME_CONVERGED && info.factorisations > 3);
  talus_stored_destroy(stored);
  talus_context_destroy(context);
}

int main(void) {
  void (*set)(int);
  threads_seen alone = {.least = 1000}, single = {.least = 1000};
  *(void **)&set = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
  *(void **)&alone.get = dlsym(RTLD_DEFAULT, "openblas_get_num_threads");
  single.get = alone.get;
  if (set == NULL || alone.get == NULL) {
    printf("skipped: the BLAS at hand is not OpenBLAS\n");
    return CHECK_SKIPPED;
  }
  set(THREADS);
  if (alone.get() != THREADS) {
    printf("skipped: OpenBLAS has one thread here\n");
    return CHECK_SKIPPED;
  }
  test_solve(0, &alone);
  CHECK_CASE(alone.least == THREADS && alone.most == THREADS, "%d to %d threads", alone.least,
             alone.most);
  test_solve(1, &single);
  CHECK_CASE(single.least == 1 && single.most == 1, "%d to %d threads", single.least, single.most);
  CHECK(alone.get() == THREADS);
  return check_end();
}
