/* test_memory.c: reading and building a scene with an allocator that fails at call 1, 2, 3 ...:
 * each failure is told as such and leaks nothing. */
#include <stdlib.h>
#include <string.h>

#include "tests/check.h"
#include "tests/scene/scene_text.h"

/* Everything that a scene can have. */
static const char everything[] =
    "title: everything\n"
    "world: {overlap: ignore}\n"
    "materials: {a: {density: 1000}, b: {}}\n"
    "pairs:\n  - {between: [a, b], friction: 0.1}\n"
    "walls:\n"
    "  - {kind: box, size: 2, name: box}\n"
    "  - {kind: hopper, radius: 1, height: 1, opening: 0.5, position: [0, 0, 9]}\n"
    "  - {kind: drum, radius: 1, length: 1, lifters: 2, lifter: 0.1, position: [9, 0, 0],\n"
    "     motions: [{kind: spin, spin: [0, 1, 0]}, {kind: table, times: [0, 1], offsets: [[0, 0, "
    "0], "
    "[0, 0, 1]]}]}\n"
    "bodies:\n"
    "  - {name: h, shape: hull, points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}\n"
    "  - {name: c, shape: clump, parts: [{radius: 0.1}, {shape: box, size: 0.2, position: [1, 0, "
    "0]}]}\n"
    "mechanisms:\n"
    "  - name: m\n"
    "    position: [0, 0, 20]\n"
    "    links:\n"
    "      - {name: a, shapes: [{shape: box, size: 0.1}], times: [0, 1], targets: [0, 1]}\n"
    "      - {name: b, parent: a, position: [1, 0, 0], mass: 1, inertia: [1, 1, 1]}\n"
    "    loops: [{a: b, b: base, point_b: [1, 0, 20]}]\n"
    "joints:\n  - {kind: hinge, a: h, b: c, point: [0, 0, 0], axis: [0, 0, 1]}\n"
    "grains:\n"
    "  - {kind: random, inside: box, radius: 5 cm, count: 20, sizes: {kind: normal, deviation: "
    "0.1}}\n"
    "  - {kind: settled, inside: box, radius: 5 cm, count: 20}\n"
    "  - {kind: lattice, radius: 5 cm, counts: [2, 2, 2], region: {lower: [0, 0, 4], upper: [1, 1, "
    "5]}}\n"
    "inlets:\n  - {radius: 1 cm, rate: 10, region: {lower: [0, 0, 4], upper: [1, 1, 5]}}\n";

/* Grains that are no balls in a region with holes, and a push apart. */
static const char pushed[] =
    "world: {overlap: resolve}\n"
    "walls:\n  - {kind: plane}\n"
    "bodies:\n"
    "  - {radius: 0.1, position: [3, 0, 0.09]}\n"
    "  - {shape: box, size: 0.2, type: kinematic, position: [0.5, 0, 0.5]}\n"
    "grains:\n"
    "  - {kind: random, shape: hull, points: [[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]],\n"
    "     turned: random, count: 4, region: {kind: annulus, inner: 0.3, radius: 0.7, height: 1,\n"
    "       centre: [0, 0, 0], without: [{lower: [-1, 0, 0], upper: [1, 1, 1]}]}}\n"
    "  - {kind: lattice, shape: box, size: 0.1, region: {kind: cylinder, centre: [0, 0, 2], "
    "radius: 0.2,\n"
    "     height: 0.3, without: [{kind: ball, centre: [0, 0, 2], radius: 0.1}]}}\n";

typedef struct budget {
  long left, outstanding;
} budget;

static void *allocate(void *user, size_t size) {
  budget *b = user;
  if (b->left-- <= 0) {
    return NULL;
  }
  b->outstanding++;
  return aligned_alloc(64, size);
}

static void release(void *user, void *memory, size_t size) {
  (void)size;
  ((budget *)user)->outstanding--;
  free(memory);
}

/* Returns 0 where scenes cannot be read. */
static int check_scene(talus_context *context, budget *b, const char *text) {
  const long before = b->outstanding;
  int done = 0;
  long failures = 0;
  for (long n = 0; !done && n < 5000; n++) {
    talus_scene *scene = NULL;
    talus_world *world = NULL;
    b->left = n;
    const talus_status status = world_of(context, text, &scene, &world);
    b->left = 1000000;
    if (strstr(talus_context_message(context), "libyaml") != NULL) {
      return 0;
    }
    done = status == TALUS_OK;
    failures += !done;
    CHECK_CASE(done || status == TALUS_OUT_OF_MEMORY, "call %ld: %s", n,
               talus_context_message(context));
    talus_world_destroy(world);
    talus_scene_destroy(scene);
    CHECK_CASE(b->outstanding == before, "call %ld: %ld blocks are lost", n,
               b->outstanding - before);
    done |= !done && status != TALUS_OUT_OF_MEMORY;
  }
  CHECK(done);
  CHECK_CASE(failures > 20, "%ld", failures);
  return 1;
}

int main(void) {
  budget b = {1000000, 0};
  talus_context_def def = talus_context_def_default();
  def.threads = 1;
  def.allocate = allocate;
  def.release = release;
  def.allocate_user = &b;
  talus_context *context = NULL;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  const int can = check_scene(context, &b, everything) && check_scene(context, &b, pushed);
  talus_context_destroy(context);
  return can ? check_end() : CHECK_SKIPPED;
}
