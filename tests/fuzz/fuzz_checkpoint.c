/* fuzz_checkpoint.c: a good checkpoint of which bytes change arrays, or bytes as the file itself.
 *
 * First byte: 0 the rest is the file, else edits follow: which array, how (left out, longer,
 * shorter, of another type, one element changed), where, what. The file is sealed with its right
 * hash, so that what reads the arrays is reached; then the world goes on for two steps. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

#if TL_HAVE_HDF5 && TL_HAVE_YAML
#include "host/io/checkpoint.h"
#include "host/scene/record.h"
#include "host/world/state.h"

const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
  return "leak:libhdf5\n";
}

static const char scene_text[] =
    "world: {step: 2 ms}\n"
    "walls:\n  - {name: floor, kind: plane}\n"
    "bodies:\n  - {name: arm, shape: box, size: 4 cm, position: [0, 0, 30 cm]}\n"
    "joints:\n  - {kind: hinge, a: world, b: arm, point: [0, 0, 33 cm], axis: [0, 1, 0]}\n"
    "grains:\n"
    "  - {kind: lattice, radius: 1 cm, count: 6, "
    "region: {lower: [-3 cm, -2 cm, 0], upper: [3 cm, 2 cm, 9 cm]}}\n"
    "inlets:\n"
    "  - {radius: 1 cm, rate: 200, limit: 4, "
    "region: {lower: [20 cm, 0, 10 cm], upper: [30 cm, 9 cm, 20 cm]}}\n"
    "outlets:\n  - {region: {lower: [-inf, -inf, -inf], upper: [inf, inf, -5 cm]}}\n"
    "run: {time: 1}\n";

enum { STEPS = 30, ARRAYS = 12, FIRST_ARRAYS = 8, EDITS = 4, ROOM = 600, EXTRA = 8 };
typedef enum element_type { F64, I64, I32, U8, TYPES } element_type;

typedef struct array {
  const char *name;
  element_type type;
  int64_t count;
  union {
    double f64[ROOM];
    int64_t i64[ROOM];
    int32_t i32[ROOM];
    uint8_t u8[8 * ROOM];
  } value;
} array;

static array good[ARRAYS];

static void scene_open(talus_scene **scene, talus_world **world) {
  const char *const path = fuzz_file(scene_text, sizeof scene_text - 1);
  if (talus_scene_read(fuzz_context(), path, NULL, 0, scene) != TALUS_OK ||
      talus_scene_build(*scene, world) != TALUS_OK) {
    fprintf(stderr, "%s\n", talus_context_message(fuzz_context()));
    abort();
  }
}

static void *keep(int slot, const char *name, element_type type, int64_t count) {
  FUZZ_PROMISE(count + EXTRA <= (type == U8 ? 8 * ROOM : ROOM));
  good[slot].name = name;
  good[slot].type = type;
  good[slot].count = count;
  return good[slot].value.u8;
}

/* The arrays that record_checkpoint.c writes, of a world that has gone some way. */
static void make_good(void) {
  talus_scene *scene;
  talus_world *world;
  tl_world_state state;
  scene_open(&scene, &world);
  for (int i = 0; i < STEPS; i++) {
    FUZZ_PROMISE(talus_scene_tick(scene, world) == TALUS_OK);
    FUZZ_PROMISE(talus_world_step(world, NULL) == TALUS_OK);
  }
  tl_world_state_measure(world, &state);
  FUZZ_PROMISE(state.contact_count > 0 && state.joint_count > 0 && talus_scene_added(scene) > 0);
  *(double *)keep(0, "world/time", F64, 1) = state.time;
  const int64_t counts[4] = {state.step_count, state.body_count, state.contact_count,
                             state.joint_count};
  memcpy(keep(1, "world/counts", I64, 4), counts, sizeof counts);
  state.body = keep(2, "world/body", F64, (int64_t)state.body_count * TL_STATE_BODY);
  state.contact_key = keep(3, "world/contact_key", I32, (int64_t)state.contact_count * 3);
  state.contact_value =
      keep(4, "world/contact_value", F64, (int64_t)state.contact_count * TL_STATE_CONTACT);
  state.joint = keep(5, "world/joint", F64, (int64_t)state.joint_count * TL_STATE_JOINT);
  state.carried = keep(8, "world/carried", F64, (int64_t)state.body_count * 3);
  state.id = keep(9, "world/id", I32, (int64_t)state.body_count + state.joint_count);
  const int64_t next[4] = {state.next.body, state.next.shape, state.next.joint,
                           state.next.size_count};
  memcpy(keep(10, "world/next", I64, 4), next, sizeof next);
  *(double *)keep(11, "world/size_sum", F64, 1) = state.next.size_sum;
  tl_world_state_save(world, &state);
  *(int64_t *)keep(6, "scene/hash", I64, 1) = (int64_t)tl_scene_hash(scene);
  tl_scene_state_get(scene, keep(7, "scene/state", U8, (int64_t)tl_scene_state_size(scene)));
  talus_world_destroy(world);
  talus_scene_destroy(scene);
}

static void change(fuzz_input *in, array *a) {
  const int64_t at = (fuzz_byte(in) + 256 * fuzz_byte(in)) % (a->count > 0 ? a->count : 1);
  switch (a->type) {
  case F64:
    a->value.f64[at] = fuzz_number(in);
    break;
  case I64:
    a->value.i64[at] = fuzz_integer(in, -2, 40);
    break;
  case I32:
    a->value.i32[at] = (int32_t)fuzz_integer(in, -2, 40);
    break;
  default:
    a->value.u8[at] = fuzz_byte(in);
    break;
  }
}

static void edit(fuzz_input *in, array *arrays) {
  const int pick =
      fuzz_byte(in); /* inputs of before there were more than the first mean the same */
  array *const a =
      &arrays[pick < 192 ? pick % FIRST_ARRAYS : FIRST_ARRAYS + pick % (ARRAYS - FIRST_ARRAYS)];
  switch (fuzz_below(in, 8)) {
  case 0:
    a->name = NULL;
    break;
  case 1:
    a->count = fuzz_integer(in, 0, a->count) % (a->count + EXTRA);
    break;
  case 2:
    a->count += fuzz_below(in, EXTRA);
    break;
  case 3:
    a->type = (element_type)fuzz_below(in, a->type == U8 ? I32 : TYPES);
    break;
  default:
    change(in, a);
    break;
  }
  a->count = a->count < 0 ? 0 : a->count;
  if (a->type != U8 && a->count > ROOM) {
    a->count = ROOM;
  }
}

static talus_status put(tl_checkpoint_writer *writer, const array *a) {
  switch (a->type) {
  case F64:
    return tl_checkpoint_put_doubles(writer, a->name, a->value.f64, a->count);
  case I64:
    return tl_checkpoint_put_int64s(writer, a->name, a->value.i64, a->count);
  case I32:
    return tl_checkpoint_put_int32s(writer, a->name, a->value.i32, a->count);
  default:
    return tl_checkpoint_put_bytes(writer, a->name, a->value.u8, a->count);
  }
}

static void write_edited(fuzz_input *in, const char *folder) {
  static array arrays[ARRAYS];
  tl_checkpoint_writer *writer = NULL;
  memcpy(arrays, good, sizeof good);
  for (int i = 0; i < EDITS && in->place < in->size; i++) {
    edit(in, arrays);
  }
  FUZZ_PROMISE(tl_checkpoint_begin(fuzz_context(), folder, "world", 0, &writer) == TALUS_OK);
  for (int i = 0; i < ARRAYS; i++) {
    FUZZ_PROMISE(arrays[i].name == NULL || put(writer, &arrays[i]) == TALUS_OK);
  }
  FUZZ_PROMISE(tl_checkpoint_commit(writer, 1) == TALUS_OK);
}

static void resume(const char *path, talus_scene *scene, talus_world *world) {
  const talus_status status = talus_scene_resume(scene, world, path);
  FUZZ_PROMISE((unsigned)status < TALUS_STATUS_COUNT && status != TALUS_INTERNAL);
  for (int i = 0; i < 2 && status == TALUS_OK; i++) {
    if (talus_scene_tick(scene, world) != TALUS_OK || talus_world_step(world, NULL) != TALUS_OK) {
      break;
    }
  }
}

/* In a folder of its own, since fuzzers may run side by side. */
static void resume_edited(fuzz_input *in, talus_scene *scene, talus_world *world) {
  char folder[40], path[80];
  snprintf(folder, sizeof folder, "checkpoints-%ld", (long)getpid());
  snprintf(path, sizeof path, "%s/checkpoint-000000.h5", folder);
  mkdir(folder, 0777);
  write_edited(in, folder);
  resume(path, scene, world);
  unlink(path);
  rmdir(folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  fuzz_input in = {.bytes = bytes, .size = size};
  if (good[0].name == NULL) {
    make_good();
  }
  const int64_t before = fuzz_held();
  talus_scene *scene;
  talus_world *world;
  scene_open(&scene, &world);
  if (fuzz_byte(&in) == 0) {
    resume(fuzz_file(bytes + (size > 0), size > 0 ? size - 1 : 0), scene, world);
  } else {
    resume_edited(&in, scene, world);
  }
  talus_world_destroy(world);
  talus_scene_destroy(scene);
  FUZZ_PROMISE(fuzz_held() == before);
  return 0;
}

#else
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  (void)bytes, (void)size;
  return 0;
}
#endif
