/* test_emu_counts.cu: how often a solve on a device waits for it, and what memory it takes, counted
 * by the emulated run time.
 *
 * After warm-up nothing is taken, by any method of first order on any form. A wait is due where the
 * host decides: one per look at the step, one per residual; one per array that it fetches; and one
 * at the end if the results go to device memory over a stream of the context's own. Beside that:
 * with two devices, whose stream is whose. */
#include <cuda_runtime.h>

#include <stdlib.h>
#include <string.h>

#include "tests/check.h"
extern "C" {
#include "tests/backend/cases.h"
}

namespace {

enum { LOOK = 20, MOST = 4096 }; /* iterations at a time */

struct counts {
  long waits, allocations, graphs;
};

struct bench {
  talus_context *context;
  talus_solver *solver;
  talus_problem problem;
  talus_solution solution;
  talus_info info;
};

counts now() {
  return counts{emu_waits, emu_allocations, emu_graphs};
}

void once(bench *b) {
  CHECK_CASE(talus_solver_update(b->solver, &b->problem) == TALUS_OK, "%s",
             talus_context_message(b->context));
  CHECK_CASE(talus_solver_solve(b->solver, &b->solution, &b->info) == TALUS_OK, "%s",
             talus_context_message(b->context));
}

counts warm_once(bench *b) {
  once(b);
  once(b);
  const counts before = now();
  once(b);
  const counts after = now();
  return counts{after.waits - before.waits, after.allocations - before.allocations,
                after.graphs - before.graphs};
}

/* Impossible to reach, so that the number of iterations is what is asked for. */
talus_settings settings_for(talus_method method, talus_precision precision, int64_t iterations) {
  talus_settings s = talus_settings_default();
  s.method = method;
  s.precision = precision;
  s.tolerance = 1e-300;
  s.max_iterations = iterations;
  return s;
}

talus_context *open(void *stream) {
  talus_context_def def = talus_context_def_default();
  talus_context *context = NULL;
  def.backend = TALUS_BACKEND_CUDA;
  def.stream = stream;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  return context;
}

/* ---- arrays on the host: every form and method ----------------------------------------------- */

void host_check(talus_context *context, case_kind kind, talus_method method,
                talus_precision precision) {
  static double impulse[6 * MOST];
  test_case test;
  case_make(&test, kind, 12, 1);
  bench b = {};
  b.context = context;
  b.problem = test.problem;
  b.solution = talus_solution_default();
  b.solution.impulse = impulse;
  b.info = talus_info_default();
  CHECK(b.problem.contact_count <= MOST);
  long waits[2];
  for (int i = 0; i < 2; i++) {
    const talus_settings s = settings_for(method, precision, (1 + 2 * i) * LOOK);
    CHECK(talus_solver_create(context, &s, &b.solver) == TALUS_OK);
    const counts c = warm_once(&b);
    CHECK_CASE(c.allocations == 0, "%s, %s: %ld", case_name(kind), talus_method_name(method),
               c.allocations);
    waits[i] = c.waits;
    talus_solver_destroy(b.solver);
  }
  /* where nothing moves any more, every five iterations a wait for the step and one for the
   * residual; elsewhere one for each graph of ten */
  const long more = waits[1] - waits[0];
  CHECK_CASE(more >= 0 && more <= 2 * (2 * LOOK / 5), "%s, %s: %ld waits for %d iterations",
             case_name(kind), talus_method_name(method), more, 2 * LOOK);
  case_release(&test);
}

/* ---- arrays on the device: spheres, which stay there ----------------------------------------- */

template <class T> void send(const T **member, int64_t count, void **kept, int *used) {
  void *memory = NULL;
  if (*member == NULL) {
    return;
  }
  CHECK(cudaMalloc(&memory, (size_t)count * sizeof(T)) == cudaSuccess);
  CHECK(cudaMemcpy(memory, *member, (size_t)count * sizeof(T), cudaMemcpyHostToDevice) ==
        cudaSuccess);
  *member = (const T *)memory;
  kept[(*used)++] = memory;
}

int problem_send(talus_problem *p, void **kept) {
  int used = 0;
  const int64_t bodies = p->rigid.body_count, contacts = p->contact_count;
  send(&p->friction, contacts, kept, &used);
  send(&p->rigid.velocity, 6 * bodies, kept, &used);
  send(&p->rigid.inverse_mass, bodies, kept, &used);
  send(&p->rigid.inverse_inertia, 6 * bodies, kept, &used);
  send(&p->rigid.body_a, contacts, kept, &used);
  send(&p->rigid.body_b, contacts, kept, &used);
  send(&p->rigid.normal, 3 * contacts, kept, &used);
  send(&p->rigid.reach_a, contacts, kept, &used);
  send(&p->rigid.reach_b, contacts, kept, &used);
  send(&p->rigid.bias, contacts, kept, &used);
  send(&p->rigid.surface_velocity, 3 * contacts, kept, &used);
  p->memory = TALUS_MEMORY_DEVICE;
  return used;
}

void device_check(bool own) {
  cudaStream_t stream = NULL;
  CHECK(own || cudaStreamCreate(&stream) == cudaSuccess);
  talus_context *const context = open(stream);
  test_case test;
  case_make(&test, CASE_SPHERES, 12, 1);
  bench b = {};
  void *kept[16], *out[3];
  b.context = context;
  b.problem = test.problem;
  b.solution = talus_solution_default();
  b.info = talus_info_default();
  const int arrays = problem_send(&b.problem, kept);
  const size_t contacts = (size_t)b.problem.contact_count;
  CHECK(cudaMalloc(&out[0], 3 * contacts * sizeof(double)) == cudaSuccess);
  CHECK(cudaMalloc(&out[1], 6 * (size_t)b.problem.rigid.body_count * sizeof(double)) ==
        cudaSuccess);
  CHECK(cudaMalloc(&out[2], 3 * contacts * sizeof(double)) == cudaSuccess);
  b.solution.memory = TALUS_MEMORY_DEVICE;
  b.solution.impulse = (double *)out[0];
  b.solution.velocity = (double *)out[1];
  b.solution.contact_velocity = (double *)out[2];
  const int looks = 3;
  const talus_settings s = settings_for(TALUS_METHOD_APGDB, TALUS_F64, looks * LOOK);
  CHECK(talus_solver_create(context, &s, &b.solver) == TALUS_OK);
  const counts c = warm_once(&b);
  CHECK_CASE(c.allocations == 0, "%ld", c.allocations);
  /* assembly: how many bodies move, then its sums; the first residual; 50 iterations with three
   * flags read behind, their state and residual; ten, their state and residual; the sums of the
   * certificate; the end */
  const long due = 2 + 1 + 5 + 2 + 1 + (own ? 1 : 0);
  CHECK_CASE(c.waits <= due, "%ld waits, %ld are due", c.waits, due);
  talus_solver_destroy(b.solver);
  talus_context_destroy(context);
  for (int i = 0; i < arrays; i++) {
    cudaFree(kept[i]);
  }
  for (int i = 0; i < 3; i++) {
    cudaFree(out[i]);
  }
  if (!own) {
    cudaStreamDestroy(stream);
  }
  case_release(&test);
}

/* A stream of another device is refused; its own is taken. */
void stream_check() {
  talus_context_def def = talus_context_def_default();
  talus_context *context = NULL;
  cudaStream_t stream;
  CHECK(cudaSetDevice(1) == cudaSuccess && cudaStreamCreate(&stream) == cudaSuccess);
  CHECK(cudaSetDevice(0) == cudaSuccess);
  def.backend = TALUS_BACKEND_CUDA;
  def.stream = stream;
  CHECK(talus_context_create(&def, &context) == TALUS_INVALID_ARGUMENT);
  CHECK_CASE(strstr(talus_context_message(context), "context_def.stream") != NULL, "%s",
             talus_context_message(context));
  talus_context_destroy(context);
  def.device = 1;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  talus_context_destroy(context);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}

/* The counts count. */
void counter_check() {
  const counts before = now();
  void *memory = NULL;
  CHECK(cudaMalloc(&memory, 8) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess);
  cudaFree(memory);
  CHECK(emu_allocations == before.allocations + 1 && emu_waits == before.waits + 1);
}

} // namespace

int main() {
  setenv("EMU_DEVICES", "2", 1); /* read at the first call */
  counter_check();
  stream_check();
  talus_context *const context = open(NULL);
  for (int kind = 0; kind < CASE_COUNT; kind++) {
    if (kind == CASE_EMPTY) {
      continue; /* nothing to wait for */
    }
    for (int m = TALUS_METHOD_JACOBI; m <= TALUS_METHOD_SPECTRAL; m++) {
      const int every = kind == CASE_SPHERES_ROWS || kind == CASE_MATRIX;
      if (every || m == TALUS_METHOD_APGDB || m == TALUS_METHOD_GAUSS_SEIDEL_NESTEROV) {
        host_check(context, (case_kind)kind, (talus_method)m, kind % 2 ? TALUS_F32 : TALUS_F64);
      }
    }
  }
  talus_context_destroy(context);
  device_check(true);
  device_check(false);
  return check_end();
}
