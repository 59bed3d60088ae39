/* test_small_batch.c: a batch of small problems gives the same bits on the CPU and on a CUDA
 * device, for every kind of contact, both laws and all methods that a device takes; and what is
 * called converged is so by the oracle. Problems that are too large for a block, empty or bad take
 * the host's way. Ends with 77 where there is no device, after the CPU's part. With the argument
 * "quick" there are fewer of them. */
#include <string.h>

#include "tests/backend/cases.h"
#include "tests/check.h"
#include "tests/oracle/oracle.h"

/* contacts of six rows are not for small methods */
enum {
  KINDS = CASE_SPHERES_TORQUE,
  COPIES = 1,
  LARGE = 1,
  COUNT = KINDS * COPIES + LARGE + 1,
  ROOM = 400
};

typedef struct results {
  double impulse[COUNT][ROOM], bilateral[COUNT][ROOM];
  talus_info info[COUNT];
  talus_status status[COUNT];
} results;

static test_case cases[COUNT];
static talus_problem problems[COUNT];
static results on_cpu, on_cuda;

static void problems_make(void) {
  for (int i = 0; i < KINDS * COPIES; i++) {
    case_make(&cases[i], (case_kind)(i / COPIES), 5 + i % 2, (uint32_t)i + 1);
    problems[i] = cases[i].problem;
  }
  case_make(&cases[KINDS * COPIES], CASE_ARMS, 40, 9); /* 83 contacts */
  problems[KINDS * COPIES] = cases[KINDS * COPIES].problem;
  problems[COUNT - 1] = talus_problem_default(TALUS_FORM_RIGID);
  problems[COUNT - 1].contact_count = -1;
}

static void batch_run(talus_context *context, const talus_settings *settings, results *r) {
  static talus_solution solution[COUNT];
  memset(r, 0, sizeof *r);
  for (int i = 0; i < COUNT; i++) {
    solution[i] = talus_solution_default();
    solution[i].impulse = r->impulse[i];
    solution[i].bilateral_impulse = r->bilateral[i];
    r->info[i] = talus_info_default();
  }
  const talus_status status =
      talus_solve_batch(context, settings, COUNT, problems, solution, r->info, r->status);
  CHECK_CASE(status == TALUS_SIZE_OVERFLOW, "%s", talus_context_message(context));
}

/* How many are converged, and truly so. */
static void judge(const talus_settings *settings, const char *what) {
  int converged = 0;
  for (int i = 0; i < COUNT - 1; i++) {
    CHECK_CASE(on_cpu.status[i] == TALUS_OK, "%s: problem %d", what, i);
    if (on_cpu.info[i].outcome == TALUS_OUTCOME_CONVERGED) {
      const double epsilon =
          oracle_epsilon(&problems[i], on_cpu.impulse[i], on_cpu.bilateral[i], settings->law);
      converged++;
      CHECK_CASE(epsilon <= 1.01 * settings->tolerance, "%s: problem %d: %g", what, i, epsilon);
    }
  }
  CHECK_CASE(converged >= (COUNT - 1) * 3 / 4, "%s: %d of %d", what, converged, COUNT - 1);
}

static void compare(const char *what) {
  int sent = 0;
  for (int i = 0; i < COUNT; i++) {
    const talus_info *const a = &on_cpu.info[i], *const b = &on_cuda.info[i];
    CHECK_CASE(on_cpu.status[i] == on_cuda.status[i], "%s: problem %d", what, i);
    CHECK_CASE(memcmp(on_cpu.impulse[i], on_cuda.impulse[i], sizeof on_cpu.impulse[i]) == 0 &&
                   memcmp(on_cpu.bilateral[i], on_cuda.bilateral[i], sizeof on_cpu.bilateral[i]) ==
                       0,
               "%s: problem %d has other bits on the device", what, i);
    CHECK_CASE(a->outcome == b->outcome && a->iterations == b->iterations &&
                   a->passes == b->passes && a->method == b->method,
               "%s: problem %d: %lld and %lld iterations", what, i, (long long)a->iterations,
               (long long)b->iterations);
    sent += b->backend == TALUS_BACKEND_CUDA;
  }
  CHECK(on_cuda.info[KINDS * COPIES].backend == TALUS_BACKEND_CPU);
  CHECK_CASE(sent >= COUNT - LARGE - 1 - COPIES, "%s: %d went to the device", what, sent);
}

int main(int count, char **argument) {
  enum { METHODS = 6, QUICK = 2 };
  static const talus_method methods[METHODS] = {TALUS_METHOD_MNCP_PLM,  TALUS_METHOD_INTERIOR_POINT,
                                                TALUS_METHOD_MNCP_RLM,  TALUS_METHOD_MNCP_PROX,
                                                TALUS_METHOD_MNCP_PROX, TALUS_METHOD_AUTO};
  const int quick = count > 1 && strcmp(argument[1], "quick") == 0;
  talus_context_def def = talus_context_def_default();
  talus_context *cpu = NULL, *cuda = NULL;
  def.backend = TALUS_BACKEND_CPU;
  if (!CHECK(talus_context_create(&def, &cpu) == TALUS_OK)) {
    return check_end();
  }
  def.backend = TALUS_BACKEND_CUDA;
  const talus_status status = talus_context_create(&def, &cuda);
  const int absent = status == TALUS_BACKEND_ABSENT || status == TALUS_DEVICE_ABSENT;
  CHECK_CASE(status == TALUS_OK || absent, "%s", talus_status_name(status));
  problems_make();
  for (int m = 0; m < (quick ? QUICK : METHODS); m++) {
    talus_settings settings = talus_settings_default();
    char what[64];
    settings.method = methods[m];
    settings.law = m % 2 ? TALUS_LAW_CCP : TALUS_LAW_COULOMB;
    settings.tolerance = 1e-9;
    settings.max_iterations = 60;
    settings.threads = 1 + m % 3;
    snprintf(what, sizeof what, "%s, %s", talus_method_name(settings.method),
             talus_law_name(settings.law));
    batch_run(cpu, &settings, &on_cpu);
    judge(&settings, what);
    if (status == TALUS_OK) {
      batch_run(cuda, &settings, &on_cuda);
      compare(what);
    }
  }
  for (int i = 0; i < COUNT - 1; i++) {
    case_release(&cases[i]);
  }
  talus_context_destroy(cuda);
  talus_context_destroy(cpu);
  const int end = check_end();
  return end == EXIT_SUCCESS && absent ? CHECK_SKIPPED : end;
}
