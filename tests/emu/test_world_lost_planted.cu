/* test_world_lost_planted.cu: a device that is lost in the middle of a world's steps: a status, and
 * the world is what the host last had of it, whole, to be read and to go on from on the CPU.
 *
 * The kernel that fails is chosen by the environment, which is read once: children fail at each of
 * the kernels of some steps that are queued as a whole. */
#include <cuda_runtime.h>

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/world/resident.h"
#include "talus/talus_io.h"
#include "tests/emu/planted_world.h"

namespace {

enum { READ = 6, MOST = 400, BALLS = 12, LOST = 1503, CHILDREN = 16 };

/* Balls on a plate that swings. */
talus_world *world_make(talus_context *context) {
  talus_world_def def = talus_world_def_default();
  talus_material_def material_def = talus_material_def_default();
  talus_body_def plate = talus_body_def_default();
  talus_shape_def plane = talus_shape_def_default(TALUS_SHAPE_HALFSPACE);
  talus_motion_def motion = talus_motion_def_default(TALUS_MOTION_SINUSOID);
  talus_world *world;
  int32_t material, body;
  CHECK(talus_world_create(context, &def, &world) == TALUS_OK);
  CHECK(talus_material_add(world, &material_def, &material) == TALUS_OK);
  plate.type = TALUS_BODY_KINEMATIC;
  plane.material = material;
  motion.vector[0] = 0.002;
  motion.frequency = 10;
  CHECK(talus_body_add(world, &plate, &body) == TALUS_OK);
  CHECK(talus_shape_add(world, body, &plane, NULL) == TALUS_OK);
  CHECK(talus_motion_add(world, body, &motion) == TALUS_OK);
  for (int i = 0; i < BALLS; i++) {
    planted_body(world, TALUS_SHAPE_SPHERE, 0.021 * (i % 4), 0.021 * (i / 4), 0.01);
  }
  return world;
}

bool same_bodies(const talus_world *world, const talus_body_state *state) {
  talus_body_state now[BALLS + 1];
  CHECK(talus_bodies_get(world, BALLS + 1, now) == TALUS_OK);
  return memcmp(now, state, sizeof now) == 0;
}

void run_fail(int number) {
  char text[16];
  snprintf(text, sizeof text, "%d", number);
  setenv("EMU_FAIL_RUN", text, 1);
}

/* Every call says that the device is lost, steps that the host makes with solves on it too. */
int child(int number, bool lazy) {
  run_fail(number);
  if (lazy) {
    setenv("EMU_LAZY", "1", 1);
  }
  talus_context *const device = planted_open(TALUS_BACKEND_CUDA);
  talus_world *const world = world_make(device);
  talus_status status = TALUS_OK;
  for (int made = 0; made < MOST && status == TALUS_OK; made++) {
    status = talus_world_step(world, NULL);
  }
  CHECK_CASE(status == TALUS_DEVICE_ERROR, "run %d: %s", number, talus_status_name(status));
  CHECK(world->resident->queued_count > 0);
  talus_joint_def joint = talus_joint_def_default(TALUS_JOINT_BALL);
  joint.body_a = 1;
  joint.body_b = 2;
  CHECK(talus_joint_add(world, &joint, NULL) == TALUS_OK);
  for (int i = 0; i < 2; i++) {
    status = talus_world_step(world, NULL);
    CHECK_CASE(status == TALUS_DEVICE_ERROR, "run %d: %s", number, talus_status_name(status));
  }
  talus_world_destroy(world);
  talus_context_destroy(device);
  return check_failed > 0;
}

/* Lazy: the loss shows behind the step that was queued, when it is waited for. */
void children_check(bool lazy) {
  for (int i = 0; i < CHILDREN; i++) {
    const pid_t id = fork();
    if (id == 0) {
      _exit(child(LOST + i, lazy));
    }
    int status = -1;
    CHECK(id > 0 && waitpid(id, &status, 0) == id && status == 0);
  }
}

} // namespace

int main() {
  children_check(false);
  children_check(true);
  run_fail(LOST);
  talus_context *const device = planted_open(TALUS_BACKEND_CUDA), *const host = planted_open(
                                                                      TALUS_BACKEND_CPU);
  talus_world *const a = world_make(device), *const b = world_make(host);
  talus_body_state state[BALLS + 1];
  talus_status status = TALUS_OK;
  int64_t made = 0;
  for (; made < MOST && status == TALUS_OK; made++) {
    status = talus_world_step(a, NULL);
    if (made + 1 == READ) {
      CHECK(talus_bodies_get(a, BALLS + 1, state) == TALUS_OK);
      CHECK(talus_world_contacts(a, NULL) >= BALLS);
    }
  }
  printf("after %lld steps: %s\n", (long long)made, talus_context_message(device));
  CHECK(status == TALUS_DEVICE_ERROR && made > READ + 2 && made < MOST);
  CHECK(strstr(talus_context_message(device), "as it was after step 6") != NULL);
  CHECK(talus_world_steps(a) == READ && same_bodies(a, state));
  for (int i = 0; i < READ; i++) {
    CHECK(talus_world_step(b, NULL) == TALUS_OK);
  }
  CHECK(talus_world_time(a) == talus_world_time(b) && same_bodies(b, state));
  const talus_contact *c, *d;
  const int32_t contacts = talus_world_contacts(a, &c);
  CHECK(contacts >= BALLS && talus_world_contacts(b, &d) == contacts &&
        memcmp(c, d, (size_t)contacts * sizeof *c) == 0);
  CHECK(talus_world_step(a, NULL) == TALUS_DEVICE_ERROR);
  CHECK(talus_world_steps(a) == READ && same_bodies(a, state));
  talus_world_destroy(a);
  talus_world_destroy(b);
  talus_context_destroy(device);
  talus_context_destroy(host);
  return check_end();
}
