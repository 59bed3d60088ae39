/* test_soak.c: inlets and outlets for long: what a run costs does not grow with the grains that are
 * gone, and it restarts to the bit, also from checkpoints of the first version, which had them all.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "host/io/checkpoint.h"
#include "host/scene/build.h"
#include "host/scene/record.h"
#include "host/scene/record_checkpoint.h"
#include "host/world/world.h"
#include "tests/check.h"
#include "tests/scene/scene_text.h"

/* Grains fall through; the shelf goes, and leaves a gap among the first bodies. */
static const char raining[] =
    "world: {step: 1 ms}\n"
    "walls:\n"
    "  - {kind: plane, name: floor, position: [0, 0, -1]}\n"
    "  - {kind: plane, name: shelf, position: [0, 0, -1], until: 5 ms}\n"
    "bodies:\n"
    "  - {name: bob, radius: 1 cm, position: [0.5, 0, 0.5]}\n"
    "joints:\n"
    "  - {kind: distance, a: world, b: bob, point: [0.5, 0, 1], point_b: [0.5, 0, 0.5]}\n"
    "inlets:\n"
    "  - {GRAIN, velocity: [0, 0, -5],\n"
    "     sizes: {kind: uniform, low: 0.8, high: 1.2},\n"
    "     region: {lower: [-0.05, -0.05, 0.04], upper: [0.05, 0.05, 0.06]}}\n"
    "outlets:\n"
    "  - {region: {lower: [-0.2, -inf, -inf], upper: [0.2, inf, 0.03]}}\n";

static const char balls[] = "radius: 1 mm, rate: 40000 Hz";
static const char clumps[] = "shape: clump, parts: [{radius: 1 mm}, {radius: 0.6 mm, position: "
                             "[1 mm, 0, 0]}], rate: 5000 Hz";

static void scene_make(talus_context *context, const char *grain, talus_scene **scene,
                       talus_world **world) {
  char text[sizeof raining + sizeof clumps];
  const char *const at = strstr(raining, "GRAIN");
  snprintf(text, sizeof text, "%.*s%s%s", (int)(at - raining), raining, grain, at + 5);
  if (!CHECK(world_of(context, text, scene, world) == TALUS_OK)) {
    printf("  %s\n", talus_context_message(context));
    exit(EXIT_FAILURE);
  }
}

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

static int same(talus_context *context, const talus_scene *scene_a, const talus_world *a,
                const talus_scene *scene_b, const talus_world *b) {
  tl_checkpoint_copy s, t;
  memset(&s, 0, sizeof s);
  memset(&t, 0, sizeof t);
  CHECK(tl_checkpoint_take(scene_a, a, &s) == TALUS_OK);
  CHECK(tl_checkpoint_take(scene_b, b, &t) == TALUS_OK);
  const tl_world_state *const p = &s.world.state, *const q = &t.world.state;
  const size_t bodies = (size_t)p->body_count;
  const int equal =
      p->body_count == q->body_count && p->joint_count == q->joint_count &&
      p->contact_count == q->contact_count && p->step_count == q->step_count &&
      p->next.body == q->next.body && p->next.shape == q->next.shape &&
      p->next.size_sum == q->next.size_sum && p->next.size_count == q->next.size_count &&
      memcmp(p->id, q->id, (bodies + (size_t)p->joint_count) * sizeof(int32_t)) == 0 &&
      memcmp(p->body, q->body, bodies * TL_STATE_BODY * sizeof(double)) == 0 &&
      memcmp(p->carried, q->carried, bodies * 3 * sizeof(double)) == 0 &&
      memcmp(p->contact_key, q->contact_key, (size_t)p->contact_count * 3 * sizeof(int32_t)) == 0 &&
      memcmp(p->contact_value, q->contact_value,
             (size_t)p->contact_count * TL_STATE_CONTACT * sizeof(double)) == 0;
  tl_checkpoint_release(context, &s);
  tl_checkpoint_release(context, &t);
  return equal;
}

static void resume_and_compare(talus_context *context, const char *grain, const char *path,
                               const talus_scene *one, const talus_world *whole, int steps) {
  talus_scene *two = NULL;
  talus_world *pieces = NULL;
  scene_make(context, grain, &two, &pieces);
  if (CHECK(talus_scene_resume(two, pieces, path) == TALUS_OK)) {
    CHECK(run(two, pieces, steps));
    CHECK(same(context, one, whole, two, pieces));
    CHECK(talus_scene_added(one) == talus_scene_added(two));
    CHECK(talus_scene_removed(one) == talus_scene_removed(two));
  } else {
    printf("  %s\n", talus_context_message(context));
  }
  talus_world_destroy(pieces);
  talus_scene_destroy(two);
}

static int64_t file_size(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 ? (int64_t)about.st_size : -1;
}

/* A hundred thousand grains go by; a restart shortly before the end. */
static void soak(talus_context *context) {
  enum { STEPS = 2520, LAST = 200, PER_STEP = 40 };
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  scene_make(context, balls, &scene, &world);
  CHECK(run(scene, world, 40));
  const int saves = talus_scene_save(scene, world, ".", 0) == TALUS_OK;
  const int64_t early = file_size("checkpoint-000040.h5");
  CHECK(run(scene, world, STEPS - LAST - 40));
  if (saves) {
    CHECK(talus_scene_save(scene, world, ".", 0) == TALUS_OK);
    const int64_t late = file_size("checkpoint-002320.h5");
    CHECK_CASE(late < 1.2 * (double)early, "%lld and %lld bytes", (long long)early,
               (long long)late);
  }
  CHECK(run(scene, world, LAST));
  CHECK_CASE(talus_scene_removed(scene) > 100000, "%lld removed",
             (long long)talus_scene_removed(scene));
  CHECK(talus_scene_added(scene) - talus_scene_removed(scene) + 2 == talus_body_count(world));
  CHECK(talus_body_capacity(world) == talus_scene_added(scene) + 3);
  CHECK_CASE(talus_body_count(world) < 10 * PER_STEP && world->body_capacity < 20 * PER_STEP &&
                 world->shape_capacity < 40 * PER_STEP,
             "%d bodies, room for %d and %d shapes", talus_body_count(world), world->body_capacity,
             world->shape_capacity);
  CHECK_CASE(scene->added_capacity < 60 * PER_STEP && scene->radius_capacity < 60 * PER_STEP,
             "notes of %d grains and %d bodies", scene->added_capacity, scene->radius_capacity);
  if (saves) {
    resume_and_compare(context, balls, "checkpoint-002320.h5", scene, world, LAST);
  } else {
    printf("restart: skipped, built without HDF5\n");
  }
  talus_world_destroy(world);
  talus_scene_destroy(scene);
}

/* Grains of several shapes, whose ids go on from those of before. */
static void restart(talus_context *context) {
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  scene_make(context, clumps, &scene, &world);
  CHECK(run(scene, world, 301));
  CHECK(scene->added_count < talus_scene_added(scene) / 2);
  if (talus_scene_save(scene, world, ".", 0) == TALUS_OK) {
    CHECK(run(scene, world, 100));
    resume_and_compare(context, clumps, "checkpoint-000301.h5", scene, world, 100);
  }
  talus_world_destroy(world);
  talus_scene_destroy(scene);
}

/* ---- the first version's --------------------------------------------------------------------- */

static void put_word(uint8_t **to, uint64_t word) {
  for (int i = 0; i < 8; i++) {
    *(*to)++ = (uint8_t)(word >> (8 * i));
  }
}

/* The scene's bytes with all grains that ever came: here none has been forgotten yet. */
static size_t old_scene(const talus_scene *scene, uint8_t *bytes) {
  const size_t size = tl_scene_state_size(scene);
  uint8_t *const now = malloc(size), *to = bytes;
  const size_t stage = 8 * 6, head = 8 * (4 + 6 * 1 + 1) + stage;
  tl_scene_state_get(scene, now);
  put_word(&to, UINT64_C(0x31656E656373));
  memcpy(to, now + 8, 24);                   /* counts */
  memcpy(to + 24, now + 32 + stage, 32);     /* the inlet, without what came with stages */
  memcpy(to + 56, now + 32 + stage + 48, 8); /* the outlet */
  to += 64;
  for (size_t at = head; at < size; at += 32) {
    memcpy(to, now + at, 16);
    to += 16;
  }
  free(now);
  return (size_t)(to - bytes);
}

/* Rows of all ids, those that are gone with zeros. */
static talus_status old_write(const talus_scene *scene, const talus_world *world) {
  tl_checkpoint_copy copy;
  tl_checkpoint_writer *writer = NULL;
  memset(&copy, 0, sizeof copy);
  TL_TRY(tl_checkpoint_take(scene, world, &copy));
  const tl_world_state *const s = &copy.world.state;
  TL_TRY(tl_checkpoint_begin(scene->context, ".", "world", 777, &writer));
  const int64_t count[4] = {s->step_count, s->next.body, s->contact_count, s->next.joint};
  const int64_t hash = (int64_t)tl_scene_hash(scene);
  double *const body = calloc((size_t)s->next.body * TL_STATE_BODY, sizeof *body);
  uint8_t *const bytes = malloc(tl_scene_state_size(scene));
  for (int32_t i = 0; i < s->next.body; i++) {
    body[TL_STATE_BODY * i + 4] = 1; /* a unit quaternion */
  }
  for (int32_t i = 0; i < s->body_count; i++) {
    memcpy(body + TL_STATE_BODY * s->id[i], s->body + TL_STATE_BODY * i,
           TL_STATE_BODY * sizeof *body);
  }
  talus_status status = tl_checkpoint_put_doubles(writer, "world/time", &s->time, 1);
  status |= tl_checkpoint_put_int64s(writer, "world/counts", count, 4);
  status |=
      tl_checkpoint_put_doubles(writer, "world/body", body, (int64_t)s->next.body * TL_STATE_BODY);
  status |= tl_checkpoint_put_int32s(writer, "world/contact_key", s->contact_key,
                                     (int64_t)s->contact_count * 3);
  status |= tl_checkpoint_put_doubles(writer, "world/contact_value", s->contact_value,
                                      (int64_t)s->contact_count * TL_STATE_CONTACT);
  status |= tl_checkpoint_put_doubles(writer, "world/joint", s->joint,
                                      (int64_t)s->joint_count * TL_STATE_JOINT);
  status |= tl_checkpoint_put_int64s(writer, "scene/hash", &hash, 1);
  status |= tl_checkpoint_put_bytes(writer, "scene/state", bytes, (int64_t)old_scene(scene, bytes));
  CHECK(status == TALUS_OK);
  free(body);
  free(bytes);
  tl_checkpoint_release(scene->context, &copy);
  return tl_checkpoint_commit(writer, 0);
}

/* Bodies are round here, so that the first version knew all of their state. */
static void old(talus_context *context) {
  talus_scene *scene = NULL, *two = NULL;
  talus_world *world = NULL, *pieces = NULL;
  static const char text[] =
      "world: {step: 1 ms}\n"
      "walls:\n  - {kind: plane, name: floor}\n  - {kind: plane, until: 5 ms}\n"
      "inlets:\n"
      "  - {radius: 1 cm, sizes: {kind: uniform, low: 0.5, high: 1.5}, rate: 1000 Hz, velocity:\n"
      "     [0, 0, -2], region: {lower: [-0.1, -0.1, 0.1], upper: [0.1, 0.1, 0.2]}}\n"
      "outlets:\n  - {region: {lower: [0, -inf, -inf], upper: [inf, inf, 0.05]}}\n";
  CHECK(world_of(context, text, &scene, &world) == TALUS_OK && run(scene, world, 100));
  CHECK(scene->added_count == talus_scene_added(scene) && talus_scene_removed(scene) > 20);
  const talus_status status = old_write(scene, world);
  if (status == TALUS_UNSUPPORTED) {
    printf("checkpoints of the first version: skipped, built without HDF5\n");
  } else if (CHECK(status == TALUS_OK && run(scene, world, 50))) {
    CHECK(world_of(context, text, &two, &pieces) == TALUS_OK);
    CHECK(talus_scene_resume(two, pieces, "checkpoint-000777.h5") == TALUS_OK);
    CHECK(run(two, pieces, 50));
    CHECK(same(context, scene, world, two, pieces));
  }
  talus_world_destroy(world);
  talus_world_destroy(pieces);
  talus_scene_destroy(scene);
  talus_scene_destroy(two);
}

int main(void) {
  talus_context *context;
  talus_context_def def = talus_context_def_default();
  def.threads = 1;
  if (talus_context_create(&def, &context) != TALUS_OK) {
    return EXIT_FAILURE;
  }
  soak(context);
  restart(context);
  old(context);
  talus_context_destroy(context);
  return check_end();
}
