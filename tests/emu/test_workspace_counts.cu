/* test_workspace_counts.cu: the memory that talus_solver_workspace and its twin for the device
 * estimate on a CUDA context is never exceeded and not far from what is taken, as the emulated run
 * time and a counting allocator have it: forms (a) and (b), methods of first order, both
 * precisions. */
#include <cuda_runtime.h>

#include <stdlib.h>

#include "tests/check.h"
extern "C" {
#include "tests/backend/cases.h"
}

namespace {

enum { LINE = 64, SIZE = 60 };

struct purse {
  int64_t held, most;
};

void *purse_take(void *user, size_t size) {
  purse *const p = (purse *)user;
  p->held += (int64_t)size;
  p->most = p->held > p->most ? p->held : p->most;
  return aligned_alloc(LINE, (size + LINE - 1) / LINE * LINE);
}

void purse_give(void *user, void *memory, size_t size) {
  ((purse *)user)->held -= (int64_t)size;
  free(memory);
}

int64_t device_free() {
  size_t left = 0, all = 0;
  CHECK(cudaMemGetInfo(&left, &all) == cudaSuccess);
  return (int64_t)left;
}

void method_check(talus_context *context, purse *p, const talus_problem *problem, const char *name,
                  const talus_settings *settings) {
  int64_t host = -1, device = -1;
  CHECK_CASE(talus_solver_workspace(context, settings, problem, &host) == TALUS_OK &&
                 talus_solver_workspace_device(context, settings, problem, &device) == TALUS_OK,
             "%s: %s", name, talus_context_message(context));
  talus_solver *solver;
  const int64_t before = device_free(), held = p->held;
  p->most = held;
  CHECK(talus_solver_create(context, settings, &solver) == TALUS_OK);
  CHECK(talus_solver_update(solver, problem) == TALUS_OK);
  CHECK_CASE(talus_solver_solve(solver, NULL, NULL) == TALUS_OK, "%s",
             talus_context_message(context));
  const int64_t taken = before - device_free(), host_taken = p->most - held;
  talus_solver_destroy(solver);
  CHECK_CASE(taken > 0 && taken <= device && device <= 2 * taken,
             "%s, %s: %lld of the device taken, %lld estimated", name,
             talus_method_name(settings->method), (long long)taken, (long long)device);
  CHECK_CASE(host_taken > 0 && host_taken <= host && host <= 3 * host_taken,
             "%s, %s: %lld of the host taken, %lld estimated", name,
             talus_method_name(settings->method), (long long)host_taken, (long long)host);
}

void kind_check(talus_context *context, purse *p, case_kind kind) {
  test_case test;
  case_make(&test, kind, SIZE, 1);
  for (int m = TALUS_METHOD_JACOBI; m <= TALUS_METHOD_SPECTRAL; m++) {
    for (int single = 0; single < 2; single++) {
      talus_settings settings = talus_settings_default();
      settings.method = (talus_method)m;
      settings.precision = single ? TALUS_F32 : TALUS_F64;
      settings.max_iterations = 4;
      method_check(context, p, &test.problem, case_name(kind), &settings);
    }
  }
  case_release(&test);
}

/* Where the CPU would solve a device gives nothing; problems in device memory are not estimated. */
void others_check(talus_context *context) {
  test_case test;
  talus_settings settings = talus_settings_default();
  talus_context_def def = talus_context_def_default();
  talus_context *automatic;
  int64_t device = -1;
  case_make(&test, CASE_ARMS, 3, 1);
  settings.method = TALUS_METHOD_APGDB;
  CHECK(talus_context_create(&def, &automatic) == TALUS_OK);
  CHECK(talus_solver_workspace_device(automatic, &settings, &test.problem, &device) == TALUS_OK &&
        device == 0);
  CHECK(talus_solver_workspace_device(context, &settings, &test.problem, NULL) ==
        TALUS_INVALID_ARGUMENT);
  test.problem.memory = TALUS_MEMORY_DEVICE;
  CHECK(talus_solver_workspace_device(context, &settings, &test.problem, &device) ==
        TALUS_UNSUPPORTED);
  talus_context_destroy(automatic);
  case_release(&test);
}

} // namespace

int main() {
  static const case_kind kinds[] = {CASE_SPHERES,      CASE_SPHERES_ROWS, CASE_ARMS,
                                    CASE_ARMS_BOUNDS,  CASE_BLOCKS,       CASE_BLOCKS_PLANE,
                                    CASE_SPHERES_SOFT, CASE_BLOCKS_SOFT,  CASE_SPHERES_TORQUE,
                                    CASE_BLOCKS_TORQUE};
  purse p = {0, 0};
  talus_context_def def = talus_context_def_default();
  talus_context *context;
  def.backend = TALUS_BACKEND_CUDA;
  def.threads = 1;
  def.allocate = purse_take;
  def.release = purse_give;
  def.allocate_user = &p;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  for (case_kind kind : kinds) {
    kind_check(context, &p, kind);
  }
  others_check(context);
  talus_context_destroy(context);
  CHECK(p.held == 0);
  return check_end();
}
