/* test_world_room_planted.cu: worlds larger than the memory of a device: refused before a step is
 * begun, with what is missing; `auto` leaves them to the CPU; a step that finds too little memory
 * leaves the world as it was. And whether the estimate is near what is taken. */
#include <cuda_runtime.h>

#include <stdlib.h>
#include <string.h>

#include "host/world/resident.h"
#include "tests/emu/planted_world.h"

namespace {

enum { STEPS = 3 };

/* Balls of one size in cubic order, which touch, on the ground; or cubes, laid like bricks. */
talus_world *world_make(talus_context *context, int side,
                        talus_shape_kind kind = TALUS_SHAPE_SPHERE) {
  talus_world *const world = planted_world(context, TALUS_METHOD_AUTO);
  for (int i = 0; i < side * side * side; i++) {
    const int layer = i / side / side;
    const double shift = kind == TALUS_SHAPE_BOX ? 0.006 * (layer % 2) : 0;
    const double apart = kind == TALUS_SHAPE_BOX ? 0.0205 : 0.02;
    planted_body(world, kind, apart * (i % side) + shift, apart * (i / side % side),
                 0.01 + 0.02 * layer);
  }
  return world;
}

size_t left(void) {
  size_t free_bytes = 0, all;
  CHECK(cudaMemGetInfo(&free_bytes, &all) == cudaSuccess);
  return free_bytes;
}

/* Leaves so many bytes of the device's memory. */
void *memory_take(size_t leave) {
  void *taken = NULL;
  CHECK(cudaMalloc(&taken, left() - leave) == cudaSuccess);
  return taken;
}

void heights(const talus_world *world, int count, double *height) {
  for (int i = 0; i < count; i++) {
    talus_body_state state;
    CHECK(talus_body_get(world, i + 1, &state) == TALUS_OK);
    height[i] = state.position[2];
  }
}

/* The estimate is neither below what is taken nor far above. Stacks come on top, which an emulated
 * device does not take. */
void estimate_check(talus_shape_kind kind, int64_t stacks) {
  talus_context *const context = planted_open(TALUS_BACKEND_CUDA);
  talus_world *const world = world_make(context, 8, kind);
  const size_t before = left();
  const tl_resident_size size = tl_resident_size_of(world);
  int64_t needed = 0, free = 0;
  CHECK(world->resident->backend->room(world->resident->memory, &size, &needed, &free) == TALUS_OK);
  CHECK(free == (int64_t)before);
  for (int i = 0; i < STEPS; i++) {
    CHECK(talus_world_step(world, NULL) == TALUS_OK);
  }
  const double taken = (double)(before - left());
  printf("512 %s: estimated %.0f kB, taken %.0f kB, %d contacts\n",
         kind == TALUS_SHAPE_BOX ? "cubes" : "balls", 1e-3 * (double)needed, 1e-3 * taken,
         talus_world_contacts(world, NULL));
  CHECK(world->resident->step_count == STEPS);
  needed -= stacks;
  CHECK((double)needed > 0.95 * taken && (double)needed < 1.6 * taken);
  const int64_t had = free;
  CHECK(world->resident->backend->room(world->resident->memory, &size, &needed, &free) == TALUS_OK);
  CHECK(free < had && (double)free > (double)had - 0.7 * taken); /* of it, what the solver has */
  talus_world_destroy(world);
  talus_context_destroy(context);
}

void refusal_check(void) {
  talus_context *const context = planted_open(TALUS_BACKEND_CUDA);
  talus_world *const world = world_make(context, 8);
  void *const taken = memory_take(200000);
  double height[512], after[512];
  heights(world, 512, height);
  CHECK(talus_world_step(world, NULL) == TALUS_OUT_OF_MEMORY);
  printf("%s\n", talus_context_message(context));
  CHECK(strstr(talus_context_message(context), "MB are missing") != NULL);
  heights(world, 512, after);
  CHECK(talus_world_steps(world) == 0 && memcmp(height, after, sizeof height) == 0);
  CHECK(left() == 200000); /* nothing was begun */
  CHECK(cudaFree(taken) == cudaSuccess);
  CHECK(talus_world_step(world, NULL) == TALUS_OK && talus_world_device_steps(world, NULL) == 1);
  talus_world_destroy(world);
  talus_context_destroy(context);
}

/* By `auto` the CPU makes the steps, solves included, with the bits of the backend cpu. */
void auto_check(void) {
  talus_context *const context = planted_open(TALUS_BACKEND_AUTO), *const host = planted_open(
                                                                       TALUS_BACKEND_CPU);
  talus_world *const a = world_make(context, 8), *const b = world_make(host, 8);
  void *const taken = memory_take(200000);
  const char *reason = NULL;
  double height[512], other[512];
  for (int i = 0; i < STEPS; i++) {
    CHECK(talus_world_step(a, NULL) == TALUS_OK && talus_world_step(b, NULL) == TALUS_OK);
  }
  CHECK(talus_world_device_steps(a, &reason) == 0 && reason != NULL &&
        strcmp(reason, "too little memory on the device") == 0);
  CHECK(left() == 200000);
  heights(a, 512, height);
  heights(b, 512, other);
  CHECK(memcmp(height, other, sizeof height) == 0);
  CHECK(cudaFree(taken) == cudaSuccess);
  talus_world_destroy(a);
  talus_world_destroy(b);
  talus_context_destroy(context);
  talus_context_destroy(host);
}

/* There is room by the estimate, but not for what loading or a step wants then. */
void late_check(size_t leave) {
  talus_context *const context = planted_open(TALUS_BACKEND_CUDA), *const host = planted_open(
                                                                       TALUS_BACKEND_AUTO);
  talus_world *const a = world_make(context, 4), *const b = world_make(host, 4);
  a->resident->fitting = b->resident->fitting = 65; /* as if it had been asked */
  void *const taken = memory_take(leave);
  double height[64], after[64];
  heights(a, 64, height);
  CHECK(talus_world_step(a, NULL) == TALUS_OUT_OF_MEMORY);
  printf("%s\n", talus_context_message(context));
  CHECK(strstr(talus_context_message(context), "are missing") != NULL);
  heights(a, 64, after);
  CHECK(talus_world_steps(a) == 0 && memcmp(height, after, sizeof height) == 0);
  CHECK(talus_world_step(b, NULL) == TALUS_OK && talus_world_device_steps(b, NULL) == 0);
  CHECK(cudaFree(taken) == cudaSuccess);
  CHECK(talus_world_step(a, NULL) == TALUS_OK && talus_world_device_steps(a, NULL) == 1);
  heights(a, 64, height);
  heights(b, 64, after);
  CHECK(memcmp(height, after, sizeof height) == 0);
  talus_world_destroy(a);
  talus_world_destroy(b);
  talus_context_destroy(context);
  talus_context_destroy(host);
}

} // namespace

int main() {
  setenv("EMU_STACK", "3K", 1);    /* read at the first call */
  setenv("EMU_MEMORY", "128M", 1); /* nearly all of it is taken, and filled, time and again */
  estimate_check(TALUS_SHAPE_SPHERE, 0);
  estimate_check(TALUS_SHAPE_BOX, 3072 * 4 * 2048); /* of all threads that fit on the device */
  refusal_check();
  auto_check();
  for (int leave = 60000; leave <= 250000; leave += 38000) {
    late_check((size_t)leave);
  }
  return check_end();
}
