/* test_world_memory_planted.cu: each allocation of a world's steps on a device fails in turn, once
 * or from then on, and each of the host's in the step after a change: the step says so, and the
 * world is what it was before it, as on the CPU, after bodies went and came as well. Where only one
 * fails, all steps that follow are those of the CPU.
 *
 * The allocation is chosen by the environment, which is read once: by children. */
#include <cuda_runtime.h>

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/world/resident.h"
#include "tests/emu/planted_world.h"
#include "tests/scarce.h"

namespace {

enum { BODIES = 18, ROUNDS = 3, STEPS = 4, MOST = 200, NO_FAILURE = 3, CHILDREN = 300 };

talus_context *open(talus_backend_kind backend) {
  talus_context_def def = talus_context_def_default();
  talus_context *context = NULL;
  def.backend = backend;
  def.threads = 1;
  return talus_context_create(&def, &context) == TALUS_OK ? context : NULL;
}

/* Balls, boxes and hulls in turns, or balls alone, in a square lattice. */
void body_add(talus_world *world, talus_shape_kind kind, int number, double height) {
  static const double corner[18] = {0.01, 0,     0, -0.01, 0, 0,    0, 0.01, 0,
                                    0,    -0.01, 0, 0,     0, 0.01, 0, 0,    -0.01};
  const talus_shape_kind kinds[] = {TALUS_SHAPE_SPHERE, kind,
                                    kind == TALUS_SHAPE_BOX ? TALUS_SHAPE_HULL : kind};
  talus_body_def body = talus_body_def_default();
  talus_shape_def shape = talus_shape_def_default(kinds[number % 3]);
  if (kinds[number % 3] == TALUS_SHAPE_HULL) {
    shape.point = corner;
    shape.point_count = 6;
  }
  int32_t id;
  body.position[0] = 0.0203 * (number % 3);
  body.position[1] = 0.0203 * (number / 3 % 3);
  body.position[2] = height;
  shape.material = 0;
  shape.radius = shape.half_edge[0] = shape.half_edge[1] = shape.half_edge[2] = 0.01;
  CHECK(talus_body_add(world, &body, &id) == TALUS_OK);
  CHECK(talus_shape_add(world, id, &shape, NULL) == TALUS_OK);
}

talus_world *world_make(talus_context *context, talus_shape_kind kind) {
  talus_world *const world = planted_world(context, TALUS_METHOD_AUTO);
  for (int i = 0; i < BODIES; i++) {
    body_add(world, kind, i, 0.0101 + 0.0202 * (i / 9));
  }
  return world;
}

/* Whether bodies and contacts are those of the CPU. fewer: contacts of bodies that are gone may be
 * gone, too. */
bool same_world(const talus_world *a, const talus_world *b, bool fewer) {
  static talus_body_state p[MOST], q[MOST];
  const talus_contact *c, *d;
  const int32_t count = talus_body_capacity(a);
  CHECK(count == talus_body_capacity(b) && count <= MOST);
  CHECK(talus_bodies_get(a, count, p) == TALUS_OK && talus_bodies_get(b, count, q) == TALUS_OK);
  const int32_t contacts = talus_world_contacts(a, &c), all = talus_world_contacts(b, &d);
  int32_t at = 0;
  for (int32_t k = 0; k < contacts; k++, at++) { /* both are sorted */
    while (at < all && memcmp(&c[k], &d[at], sizeof *c) != 0) {
      at++;
    }
  }
  return memcmp(p, q, (size_t)count * sizeof *p) == 0 && at <= all && (fewer || contacts == all);
}

/* Bodies go; others, and materials, come. */
void change_make(talus_world *world, talus_shape_kind kind, int round) {
  talus_material_def material_def = talus_material_def_default();
  int32_t material;
  if (round == 0) {
    return;
  }
  CHECK(talus_body_remove(world, 3 * round) == TALUS_OK);
  CHECK(talus_body_remove(world, 3 * round + 1) == TALUS_OK);
  for (int i = 0; i < 12 && round == 1; i++) {
    body_add(world, kind, i, 0.1 + 0.022 * (i / 9));
  }
  for (int i = 0; i < 4 && round == 1; i++) {
    CHECK(talus_material_add(world, &material_def, &material) == TALUS_OK);
  }
}

/* lasting: there is no memory from then on. */
int child(talus_shape_kind kind, int number, bool lasting) {
  char text[16];
  snprintf(text, sizeof text, "%d%s", number, lasting ? "+" : "");
  setenv("EMU_FAIL_ALLOC", text, 1);
  check_failed = 0;
  talus_context *const device = open(TALUS_BACKEND_CUDA), *const host = open(TALUS_BACKEND_CPU);
  if (device == NULL) {
    return 0;
  }
  talus_world *const a = world_make(device, kind), *const b = world_make(host, kind);
  int failures = 0;
  for (int round = 0; round < ROUNDS && failures < 2; round++) {
    change_make(a, kind, round);
    change_make(b, kind, round);
    for (int made = 0; made < STEPS && failures < 2;) {
      const talus_status status = talus_world_step(a, NULL);
      const bool failed = status == TALUS_OUT_OF_MEMORY;
      CHECK_CASE(failed || status == TALUS_OK, "allocation %s: %s", text,
                 talus_status_name(status));
      if (failed) {
        failures++;
        CHECK_CASE(same_world(a, b, made == 0), "allocation %s, round %d, step %d: %s", text, round,
                   made, talus_context_message(device));
      } else {
        CHECK(talus_world_step(b, NULL) == TALUS_OK);
        made++;
      }
      if (failed && lasting && failures == 1) { /* another failure, after the world was fetched */
        CHECK(talus_body_remove(a, 2) == TALUS_OK && talus_body_remove(b, 2) == TALUS_OK);
        made = 0;
      }
    }
  }
  CHECK_CASE(lasting || same_world(a, b, false), "allocation %s, at the end", text);
  CHECK(a->resident->step_count > 0 || lasting);
  talus_world_destroy(a);
  talus_world_destroy(b);
  talus_context_destroy(device);
  talus_context_destroy(host);
  return check_failed > 0 ? 1 : failures == 0 ? NO_FAILURE : 0;
}

/* The same for memory of the host, in the step after a change. */
void host_check(talus_shape_kind kind) {
  bool failed = true;
  int failures = 0;
  for (int n = 1; n < 100 && failed; n++) {
    scarce memory = {};
    talus_context_def def = talus_context_def_default();
    talus_context *device = NULL, *const host = open(TALUS_BACKEND_CPU);
    def.backend = TALUS_BACKEND_CUDA;
    def.allocate = scarce_allocate;
    def.release = scarce_release;
    def.allocate_user = &memory;
    CHECK(talus_context_create(&def, &device) == TALUS_OK);
    talus_world *const a = world_make(device, kind), *const b = world_make(host, kind);
    for (int i = 0; i < STEPS; i++) {
      CHECK(talus_world_step(a, NULL) == TALUS_OK && talus_world_step(b, NULL) == TALUS_OK);
    }
    change_make(a, kind, 1);
    change_make(b, kind, 1);
    CHECK(a->resident->loaded);
    memory.fail_at = memory.requests + n;
    const talus_status status = talus_world_step(a, NULL);
    memory.fail_at = 0;
    failed = status == TALUS_OUT_OF_MEMORY;
    failures += failed;
    CHECK_CASE(failed || (status == TALUS_OK && talus_world_step(b, NULL) == TALUS_OK),
               "request %d: %s", n, talus_status_name(status));
    CHECK_CASE(same_world(a, b, failed), "request %d: %s", n, talus_context_message(device));
    CHECK(talus_world_step(a, NULL) == TALUS_OK && talus_world_step(b, NULL) == TALUS_OK);
    CHECK_CASE(same_world(a, b, false), "request %d, later", n);
    talus_world_destroy(a);
    talus_world_destroy(b);
    talus_context_destroy(device);
    talus_context_destroy(host);
  }
  printf("%d requests of the host failed\n", failures);
  CHECK(failures > 1 && !failed);
}

/* A single failure may be made up for: a buffer grows by less. */
void children_check(talus_shape_kind kind, bool lasting) {
  int failures = 0, quiet = 0, number = 1;
  for (; number < CHILDREN && quiet < 8; number++) {
    fflush(stdout);
    const pid_t id = fork();
    if (id == 0) {
      const int code = child(kind, number, lasting);
      fflush(stdout);
      _exit(code);
    }
    int status = -1;
    CHECK(id > 0 && waitpid(id, &status, 0) == id && WIFEXITED(status));
    const int code = WEXITSTATUS(status);
    CHECK_CASE(code == 0 || code == NO_FAILURE, "allocation %d%s of %s: the child ended with %d",
               number, lasting ? "+" : "", kind == TALUS_SHAPE_BOX ? "boxes" : "balls", code);
    failures += code == 0;
    quiet = code == NO_FAILURE ? quiet + 1 : 0;
  }
  printf("%s: %d allocations failed%s\n", kind == TALUS_SHAPE_BOX ? "boxes" : "balls", failures,
         lasting ? " with all that followed" : "");
  CHECK(failures > 20 && number < CHILDREN);
}

} // namespace

int main() {
  for (const talus_shape_kind kind : {TALUS_SHAPE_SPHERE, TALUS_SHAPE_BOX}) {
    children_check(kind, true);
    children_check(kind, false);
  }
  host_check(TALUS_SHAPE_SPHERE); /* the environment is read here */
  host_check(TALUS_SHAPE_BOX);
  return check_end();
}
