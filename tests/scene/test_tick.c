/* test_tick.c: inlets add grains at their rate and without overlap, outlets remove them, gates
 * open, forces act in their time; and a scene that goes on from its bytes does the same to the bit.
 */
#include <stdlib.h>
#include <string.h>

#include "host/scene/record.h"
#include "host/scene/record_checkpoint.h"
#include "host/world/state.h"
#include "tests/check.h"
#include "tests/scene/scene_text.h"

static const char pouring[] =
    "world: {step: 1 ms}\n"
    "walls:\n"
    "  - {kind: box, name: box, size: [0.3, 0.3, 0.3]}\n"
    "  - {kind: plane, name: gate, position: [0, 0, 0.1], until: 20 ms}\n"
    "inlets:\n"
    "  - {radius: 1 cm, sizes: {kind: uniform, low: 0.5, high: 1.5}, rate: 1000 Hz, limit: 40,\n"
    "     velocity: [0, 0, -2], region: {lower: [-0.1, -0.1, 0.2], upper: [0.1, 0.1, 0.3]}}\n"
    "outlets:\n"
    "  - {region: {lower: [0, -inf, -inf], upper: [inf, inf, 0.14]}}\n";

static int run(talus_scene *scene, talus_world *world, int steps) {
  talus_status status = TALUS_OK;
  for (int i = 0; i < steps && status == TALUS_OK; i++) {
    status = talus_scene_tick(scene, world);
    if (status == TALUS_OK) {
      status = talus_world_step(world, NULL);
    }
  }
  return status == TALUS_OK;
}

static double deepest(const talus_scene *scene, const talus_world *world) {
  double worst = 0;
  for (int32_t i = 0; i < talus_body_capacity(world); i++) {
    for (int32_t k = 0; k < i; k++) {
      talus_body_state a, b;
      const double r = talus_scene_body_radius(scene, i), s = talus_scene_body_radius(scene, k);
      if (!talus_body_exists(world, i) || !talus_body_exists(world, k) || isinf(r) || isinf(s)) {
        continue;
      }
      talus_body_get(world, i, &a);
      talus_body_get(world, k, &b);
      double square = 0;
      for (int c = 0; c < 3; c++) {
        square += (a.position[c] - b.position[c]) * (a.position[c] - b.position[c]);
      }
      worst = fmax(worst, (r + s - sqrt(square)) / fmin(r, s));
    }
  }
  return worst;
}

static void check_pouring(talus_context *context) {
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  if (!CHECK(world_of(context, pouring, &scene, &world) == TALUS_OK)) {
    printf("  %s\n", talus_context_message(context));
    return;
  }
  CHECK(run(scene, world, 11));
  CHECK_CASE(talus_scene_added(scene) == 10, "%d",
             (int)talus_scene_added(scene)); /* at t = 10 ms */
  CHECK(deepest(scene, world) < 1e-2);
  CHECK(talus_body_exists(world, talus_scene_body_find(scene, "gate")));
  CHECK(run(scene, world, 10)); /* the tick at t = 20 ms */
  CHECK(!talus_body_exists(world, talus_scene_body_find(scene, "gate")));
  CHECK(run(scene, world, 79));
  CHECK(talus_scene_added(scene) == 40);
  CHECK(talus_scene_removed(scene) > 5 && talus_scene_removed(scene) < 40);
  int32_t there = 0;
  for (int32_t i = 0; i < talus_body_capacity(world); i++) {
    there += talus_body_exists(world, i) && talus_body_kind(world, i) == TALUS_BODY_FREE;
  }
  CHECK(there == 40 - talus_scene_removed(scene));
  talus_world_destroy(world);
  talus_scene_destroy(scene);
}

/* Bytes of everything that moves. */
static double *bodies_of(const talus_world *world, tl_world_state *state) {
  tl_world_state_measure(world, state);
  double *memory = calloc((size_t)state->body_count * TL_STATE_BODY +
                              (size_t)state->contact_count * (TL_STATE_CONTACT + 3) +
                              (size_t)state->joint_count * TL_STATE_JOINT + 1,
                          sizeof(double));
  state->body = memory;
  state->contact_value = memory + (size_t)state->body_count * TL_STATE_BODY;
  state->joint = state->contact_value + (size_t)state->contact_count * TL_STATE_CONTACT;
  state->contact_key = (int32_t *)(state->joint + (size_t)state->joint_count * TL_STATE_JOINT);
  tl_world_state_save(world, state);
  return memory;
}

static int same(const talus_world *a, const talus_world *b) {
  tl_world_state s, t;
  double *p = bodies_of(a, &s), *q = bodies_of(b, &t);
  const int equal =
      s.body_count == t.body_count && s.time == t.time && s.step_count == t.step_count &&
      s.contact_count == t.contact_count &&
      memcmp(s.body, t.body, (size_t)s.body_count * TL_STATE_BODY * sizeof(double)) == 0;
  free(p);
  free(q);
  return equal;
}

static void check_restart(talus_context *context) {
  talus_scene *one = NULL, *two = NULL;
  talus_world *whole = NULL, *pieces = NULL;
  CHECK(world_of(context, pouring, &one, &whole) == TALUS_OK);
  CHECK(run(one, whole, 35));
  const talus_status saved = talus_scene_save(one, whole, ".", 3);
  if (saved == TALUS_UNSUPPORTED) {
    printf("restart: skipped, built without HDF5\n");
  } else if (CHECK(saved == TALUS_OK)) {
    CHECK(run(one, whole, 35));
    CHECK(world_of(context, pouring, &two, &pieces) == TALUS_OK);
    CHECK(talus_scene_resume(two, pieces, "checkpoint-000035.h5") == TALUS_OK);
    CHECK(talus_world_steps(pieces) == 35 && talus_scene_added(two) == 34);
    CHECK(run(two, pieces, 35));
    CHECK(same(whole, pieces));
    CHECK(talus_scene_added(one) == talus_scene_added(two));
    CHECK(talus_scene_removed(one) == talus_scene_removed(two) && talus_scene_removed(one) > 0);
    /* bytes of both are equal too */
    const size_t size = tl_scene_state_size(one);
    CHECK(size == tl_scene_state_size(two));
    uint8_t *a = calloc(size, 1), *b = calloc(size, 1);
    tl_scene_state_get(one, a);
    tl_scene_state_get(two, b);
    CHECK(memcmp(a, b, size) == 0);
    /* bytes that are cut or of another scene are refused */
    CHECK(tl_scene_state_set(two, pieces, a, size - 8) == TALUS_FILE_FORMAT);
    CHECK(tl_scene_state_set(two, pieces, a, 8) == TALUS_FILE_FORMAT);
    a[8]++;
    CHECK(tl_scene_state_set(two, pieces, a, size) == TALUS_FILE_FORMAT);
    free(a);
    free(b);
    talus_world_destroy(pieces);
    talus_scene_destroy(two);
    /* another scene does not take the checkpoint */
    CHECK(world_of(context, "bodies:\n  - {radius: 1}\n", &two, &pieces) == TALUS_OK);
    CHECK(talus_scene_resume(two, pieces, "checkpoint-000035.h5") == TALUS_FILE_FORMAT);
    CHECK(strstr(talus_context_message(context), "another scene") != NULL);
  }
  talus_world_destroy(whole);
  talus_world_destroy(pieces);
  talus_scene_destroy(one);
  talus_scene_destroy(two);
}

/* 2 N on 1 kg from 0.1 s to 0.3 s: 0.4 m/s. */
static void check_forces(talus_context *context) {
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  CHECK(world_of(context,
                 "world: {gravity: [0, 0, 0], step: 10 ms}\n"
                 "materials: {m: {density: 0.238732414637843}}\n"
                 "bodies:\n  - {name: a, radius: 1}\n"
                 "forces:\n  - {body: a, force: [1.5, 0, 0], begin: 0.1, end: 0.3}\n"
                 "  - {body: a, force: [0.5, 0, 0], begin: 0.1, end: 0.3}\n",
                 &scene, &world) == TALUS_OK);
  CHECK(run(scene, world, 50));
  talus_body_state state;
  CHECK(talus_body_get(world, talus_scene_body_find(scene, "a"), &state) == TALUS_OK);
  CHECK_CLOSE(state.velocity[0], 0.4, 1e-9);
  talus_world_destroy(world);
  talus_scene_destroy(scene);
}

/* Prepared, and let go again. */
static talus_status prepare(talus_context *context, const char *directory, int force) {
  tl_lock lock;
  const talus_status status = tl_record_prepare(context, directory, force, NULL, 0, &lock);
  if (status == TALUS_OK) {
    tl_lock_release(context, &lock);
  }
  return status;
}

static void check_directory(talus_context *context) {
  CHECK(prepare(context, "made/for/it", 0) == TALUS_OK);
  FILE *file = fopen("made/for/it/notes.txt", "w");
  CHECK(file != NULL);
  fclose(file);
  CHECK(prepare(context, "made/for/it", 0) == TALUS_OK); /* nothing of a run in it */
  file = fopen("made/for/it/scalars.csv", "w");
  CHECK(file != NULL);
  fclose(file);
  CHECK(prepare(context, "made/for/it", 0) == TALUS_FILE_WRITE);
  CHECK(strstr(talus_context_message(context), "holds a run already") != NULL);
  CHECK(prepare(context, "made/for/it", 1) == TALUS_OK);
  file = fopen("made/for/it/scalars.csv", "r");
  CHECK(file == NULL);
  file = fopen("made/for/it/notes.txt", "r"); /* other files stay */
  if (CHECK(file != NULL)) {
    fclose(file);
  }
  CHECK(prepare(context, "made/for/it/notes.txt", 0) == TALUS_FILE_WRITE);
  /* a second writer is refused, also by force, until the first is done */
  tl_lock lock, second;
  CHECK(tl_record_prepare(context, "made/for/it", 0, NULL, 0, &lock) == TALUS_OK);
  file = fopen("made/for/it/scalars.csv", "w");
  CHECK(file != NULL);
  fclose(file);
  CHECK(tl_record_prepare(context, "made/for/it", 1, NULL, 0, &second) == TALUS_BUSY);
  CHECK(strstr(talus_context_message(context), "is being written by process") != NULL);
  CHECK(tl_lock_take(context, "made/for/it", &second) == TALUS_BUSY);
  file = fopen("made/for/it/scalars.csv", "r");
  if (CHECK(file != NULL)) {
    fclose(file);
  }
  tl_lock_release(context, &lock);
  tl_lock_release(context, &second);
  file = fopen("made/for/it/.lock", "r");
  CHECK(file == NULL);
  CHECK(prepare(context, "made/for/it", 1) == TALUS_OK);
}

int main(void) {
  talus_context *context = NULL;
  talus_context_def def = talus_context_def_default();
  def.threads = 1;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  talus_scene *scene = NULL;
  if (scene_of(context, "title: any\n", &scene) != TALUS_OK) {
    talus_context_destroy(context);
    return CHECK_SKIPPED;
  }
  talus_scene_destroy(scene);
  check_pouring(context);
  check_restart(context);
  check_forces(context);
  check_directory(context);
  talus_context_destroy(context);
  return check_end();
}
