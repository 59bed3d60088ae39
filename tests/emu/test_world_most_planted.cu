/* test_world_most_planted.cu: more pairs or contacts than a device counts are refused by name, and
 * the world stays as it was. The limits are planted: as many as there really are take hours. */
#include <string.h>

#include "host/world/resident.h"
#include "kernels/cuda/world_limit_cuda.h"
#include "tests/emu/planted_world.h"

namespace {

enum { BODIES = 24, PAIRS = 62, POINTS = 4 * BODIES };

/* Bodies beside each other on the ground. */
talus_world *world_make(talus_context *context, talus_shape_kind kind) {
  talus_world *const world = planted_world(context, TALUS_METHOD_AUTO);
  for (int i = 0; i < BODIES; i++) {
    planted_body(world, kind, 0.0205 * (i % 6), 0.0205 * (i / 6), 0.01);
  }
  return world;
}

/* With lower limits of pairs or contacts a step is refused, `word` says why; with the real ones it
 * is made. */
void refusal_check(talus_shape_kind kind, int64_t pairs, int64_t contacts, const char *word) {
  talus_context *const context = planted_open(TALUS_BACKEND_CUDA);
  talus_body_state before, after;
  talus_world *const world = world_make(context, kind);
  tl_resident *const memory = world->resident->memory;
  CHECK(talus_body_get(world, BODIES, &before) == TALUS_OK);
  tl_world_limit(memory, pairs, contacts);
  CHECK(talus_world_step(world, NULL) == TALUS_SIZE_OVERFLOW);
  printf("%s\n", talus_context_message(context));
  CHECK(strstr(talus_context_message(context), word) != NULL);
  CHECK(talus_world_steps(world) == 0 && talus_body_get(world, BODIES, &after) == TALUS_OK);
  CHECK(memcmp(&before, &after, sizeof before) == 0);
  tl_world_limit(memory, TL_WORLD_MOST, TL_WORLD_MOST);
  CHECK(talus_world_step(world, NULL) == TALUS_OK);
  CHECK(talus_world_steps(world) == 1 && talus_world_device_steps(world, NULL) == 1);
  CHECK(talus_world_contacts(world, NULL) >= BODIES);
  talus_world_destroy(world);
  talus_context_destroy(context);
}

/* A device takes exactly as many pairs and contacts as there are. */
void limit_check(talus_shape_kind kind, int64_t most) {
  talus_context *const context = planted_open(TALUS_BACKEND_CUDA);
  talus_world *const world = world_make(context, kind);
  tl_world_limit(world->resident->memory, most, most);
  for (int i = 0; i < 3; i++) {
    CHECK_CASE(talus_world_step(world, NULL) == TALUS_OK, "%s", talus_context_message(context));
  }
  CHECK(talus_world_contacts(world, NULL) <= most);
  CHECK(talus_world_device_steps(world, NULL) == 3);
  talus_world_destroy(world);
  talus_context_destroy(context);
}

} // namespace

int main() {
  const char *const pairs = "pairs of shapes are near each other";
  refusal_check(TALUS_SHAPE_SPHERE, BODIES / 2, TL_WORLD_MOST, pairs);
  refusal_check(TALUS_SHAPE_SPHERE, TL_WORLD_MOST, BODIES / 2, pairs);
  refusal_check(TALUS_SHAPE_BOX, TL_WORLD_MOST, BODIES / 2, "contacts are too many");
  limit_check(TALUS_SHAPE_SPHERE, PAIRS);
  limit_check(TALUS_SHAPE_BOX, POINTS);
  return check_end();
}
