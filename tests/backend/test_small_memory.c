/* test_small_memory.c: a batch of small problems on a CUDA device when the host's memory runs out
 * at the first, second, ... request: a status with words, nothing left behind, and the device as
 * good as before. Ends with 77 where there is no device. */
#include <string.h>

#include "tests/backend/cases.h"
#include "tests/scarce.h"

enum { COUNT = 2 };

/* A batch with that much memory; the status of the context or of the batch. */
static talus_status life(scarce *c, const talus_problem *problems, talus_method method) {
  talus_context_def def = talus_context_def_default();
  talus_settings settings = talus_settings_default();
  talus_context *context = NULL;
  talus_info info[COUNT];
  def.backend = TALUS_BACKEND_CUDA;
  def.threads = 1;
  def.allocate = scarce_allocate;
  def.release = scarce_release;
  def.allocate_user = c;
  talus_status status = talus_context_create(&def, &context);
  if (status != TALUS_OK) {
    talus_context_destroy(context); /* one that failed has kept its message */
    return status;
  }
  settings.method = method;
  settings.law = TALUS_LAW_CCP;
  settings.max_iterations = 1; /* memory is asked for at the start */
  for (int i = 0; i < COUNT; i++) {
    info[i] = talus_info_default();
  }
  status = talus_solve_batch(context, &settings, COUNT, problems, NULL, info, NULL);
  CHECK(status == TALUS_OK || strlen(talus_context_message(context)) > 0);
  for (int i = 0; i < COUNT && status == TALUS_OK; i++) {
    CHECK(info[i].backend == TALUS_BACKEND_CUDA);
  }
  talus_context_destroy(context);
  return status;
}

int main(void) {
  static const talus_method methods[] = {TALUS_METHOD_MNCP_PROX, TALUS_METHOD_INTERIOR_POINT};
  static const case_kind kinds[COUNT] = {CASE_SPHERES, CASE_ARMS};
  test_case cases[COUNT];
  talus_problem problems[COUNT];
  for (int i = 0; i < COUNT; i++) {
    case_make(&cases[i], kinds[i], 3, (uint32_t)i + 1);
    problems[i] = cases[i].problem;
  }
  int absent = 0;
  for (int m = 0; m < 2 && !absent; m++) {
    talus_status status = TALUS_OUT_OF_MEMORY;
    int64_t at = 0;
    while (status == TALUS_OUT_OF_MEMORY && at < 2000) {
      scarce c = {.fail_at = ++at};
      status = life(&c, problems, methods[m]);
      absent = status == TALUS_BACKEND_ABSENT || status == TALUS_DEVICE_ABSENT;
      CHECK_CASE(status == TALUS_OK || status == TALUS_OUT_OF_MEMORY || absent, "%s",
                 talus_status_name(status));
      CHECK_CASE(c.held == 0, "%lld pieces left at %lld", (long long)c.held, (long long)at);
    }
    CHECK_CASE(absent || (status == TALUS_OK && at > 20), "%s: %s at request %lld",
               talus_method_name(methods[m]), talus_status_name(status), (long long)at);
  }
  for (int i = 0; i < COUNT; i++) {
    case_release(&cases[i]);
  }
  const int end = check_end();
  return end == EXIT_SUCCESS && absent ? CHECK_SKIPPED : end;
}
