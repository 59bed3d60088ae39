/* test_queue_planted.cu: a step that is queued for contacts between the same bodies as before, but
 * has fewer: nothing is read by the order of those before. What stands behind the contacts that
 * there are is made what nobody may read. */
#include <cuda_runtime.h>

#include <string.h>

#include "host/world/resident.h"
#include "tests/emu/planted_world.h"

namespace {

enum { BALLS = 16, STEPS = 60, JUMPS = 6 };

/* Balls that touch each other, on the ground: contacts stand in another order than they come. */
talus_world *world_make(talus_context *context, talus_method method) {
  talus_world *const world = planted_world(context, method);
  for (int i = 0; i < BALLS; i++) {
    planted_body(world, TALUS_SHAPE_SPHERE, 0.01999 * (i % 4), 0.01999 * (i / 4), 0.01);
  }
  return world;
}

/* ---- planted --------------------------------------------------------------------------------- */

const tl_world_backend *genuine;
int32_t contacts_before, fewer;

void spoil(const int32_t *array, int32_t from, int32_t to) {
  CHECK(cudaMemset((void *)(array + from), 0x7f, (size_t)(to - from) * sizeof *array) ==
        cudaSuccess);
}

talus_status form(tl_resident *resident, const tl_resident_rule *rule, tl_resident_problem which,
                  talus_problem *problem, talus_solution *solution, tl_queued_facts *facts) {
  int32_t count = 0;
  TL_TRY(genuine->form(resident, rule, which, problem, solution, facts));
  CHECK(cudaDeviceSynchronize() == cudaSuccess &&
        cudaMemcpy(&count, facts->contact_count, sizeof count, cudaMemcpyDeviceToHost) ==
            cudaSuccess);
  if (which == TL_PROBLEM_VELOCITY && count < problem->contact_count) { /* it is queued */
    spoil(problem->rigid.body_a, count, problem->contact_count);
    spoil(problem->rigid.body_b, count, problem->contact_count);
    fewer += count < contacts_before;
  }
  contacts_before = count;
  return TALUS_OK;
}

void method_check(talus_method method) {
  talus_context *const device = planted_open(TALUS_BACKEND_CUDA), *const host = planted_open(
                                                                      TALUS_BACKEND_CPU);
  talus_world *const a = world_make(device, method), *const b = world_make(host, method);
  tl_world_backend planted = *a->resident->backend;
  talus_body_state p[BALLS + 1], q[BALLS + 1];
  genuine = a->resident->backend;
  planted.form = form;
  a->resident->backend = &planted;
  fewer = contacts_before = 0;
  for (int i = 0; i < STEPS; i++) {
    if (i % 10 == 5 && i / 10 < JUMPS) { /* one jumps off */
      for (talus_world *world : {a, b}) {
        CHECK(talus_body_get(world, 1 + i / 10, p) == TALUS_OK);
        p->velocity[2] = 2;
        CHECK(talus_body_set(world, 1 + i / 10, p) == TALUS_OK);
      }
    }
    const talus_status status = talus_world_step(a, NULL);
    CHECK_CASE(status == TALUS_OK, "step %d: %s", i, talus_context_message(device));
    CHECK(talus_world_step(b, NULL) == TALUS_OK);
  }
  CHECK(talus_bodies_get(a, BALLS + 1, p) == TALUS_OK &&
        talus_bodies_get(b, BALLS + 1, q) == TALUS_OK && memcmp(p, q, sizeof p) == 0);
  printf("%d of %d steps queued, %d of them with fewer contacts\n", (int)a->resident->queued_count,
         STEPS, fewer);
  CHECK(fewer > 0);
  talus_world_destroy(a);
  talus_world_destroy(b);
  talus_context_destroy(device);
  talus_context_destroy(host);
}

} // namespace

int main() {
  method_check(TALUS_METHOD_AUTO);
  method_check(TALUS_METHOD_GAUSS_SEIDEL_NESTEROV);
  return check_end();
}
