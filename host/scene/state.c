/* state.c: the state of inlets and outlets, as bytes: little-endian words of eight bytes.
 *
 * Words: how many inlets, outlets and grains that are not known to be gone; the stage: index, over,
 * stopped, begin, held, looked; per inlet random state, count, waiting, factor, count and time
 * before its rate changed; per outlet its count; per grain inlet, factor, ids of body and first
 * shape. The second version had no stages, the first one all grains that ever came, without ids. */
#include <string.h>

#include "host/scene/build.h"
#include "host/world/state.h"

enum { WORD = 8, HEAD = 4, STAGE = 6, PER_INLET = 6, PER_INLET_2 = 4 };
enum { PER_ADDED = 4, PER_ADDED_1 = 2 };
static const uint64_t mark_3 = UINT64_C(0x33656E656373); /* "scene3" */
static const uint64_t mark_2 = UINT64_C(0x32656E656373); /* "scene2" */
static const uint64_t mark_1 = UINT64_C(0x31656E656373); /* "scene1" */

static void put(uint8_t **bytes, uint64_t word) {
  for (int i = 0; i < WORD; i++) {
    *(*bytes)++ = (uint8_t)(word >> (8 * i));
  }
}

static uint64_t get(const uint8_t **bytes) {
  uint64_t word = 0;
  for (int i = 0; i < WORD; i++) {
    word |= (uint64_t) * (*bytes)++ << (8 * i);
  }
  return word;
}

static uint64_t bits_of(double number) {
  uint64_t word;
  memcpy(&word, &number, sizeof word);
  return word;
}

static double number_of(uint64_t word) {
  double number;
  memcpy(&number, &word, sizeof number);
  return number;
}

size_t tl_scene_state_size(const talus_scene *scene) {
  return WORD * (HEAD + STAGE + PER_INLET * (size_t)scene->def.inlets.count +
                 (size_t)scene->def.outlets.count + PER_ADDED * (size_t)scene->added_count);
}

void tl_scene_state_get(const talus_scene *scene, uint8_t *bytes) {
  put(&bytes, mark_3);
  put(&bytes, (uint64_t)scene->def.inlets.count);
  put(&bytes, (uint64_t)scene->def.outlets.count);
  put(&bytes, (uint64_t)scene->added_count);
  const tl_stage_state *const at = &scene->at;
  const int64_t stage[STAGE] = {at->index, at->over, at->stopped, at->begin, at->held, at->looked};
  for (int i = 0; i < STAGE; i++) {
    put(&bytes, (uint64_t)stage[i]);
  }
  for (int32_t i = 0; i < scene->def.inlets.count; i++) {
    const tl_inlet_state *inlet = &scene->inlet[i];
    put(&bytes, inlet->random);
    put(&bytes, (uint64_t)inlet->placed);
    put(&bytes, (uint64_t)inlet->waiting);
    put(&bytes, bits_of(inlet->factor));
    put(&bytes, (uint64_t)inlet->before);
    put(&bytes, bits_of(inlet->since));
  }
  for (int32_t i = 0; i < scene->def.outlets.count; i++) {
    put(&bytes, (uint64_t)scene->removed[i]);
  }
  for (int32_t i = 0; i < scene->added_count; i++) {
    put(&bytes, (uint64_t)scene->added[i].inlet);
    put(&bytes, bits_of(scene->added[i].factor));
    put(&bytes, (uint64_t)scene->added[i].body);
    put(&bytes, (uint64_t)scene->added[i].shape);
  }
}

/* The grain is put far from everything; its place comes with the world's state. numbered: under the
 * ids that it had. */
static talus_status add_again(talus_scene *scene, talus_world *world, int numbered,
                              tl_added *grain) {
  static const double origin[3] = {0, 0, 0}, unturned[4] = {1, 0, 0, 0};
  if (grain->inlet < 0 || grain->inlet >= scene->def.inlets.count || !(grain->factor > 0)) {
    return tl_fail(scene->context, TALUS_FILE_FORMAT,
                   "the scene's state names inlet %d of %d, or a grain of no size",
                   (int)grain->inlet, (int)scene->def.inlets.count);
  }
  if (numbered) {
    TL_TRY(tl_world_number(world, grain->body, grain->shape));
  }
  tl_world_numbers(world, &grain->body, &grain->shape);
  const tl_scene_inlet *from = (const tl_scene_inlet *)scene->def.inlets.item + grain->inlet;
  return tl_grain_emit(scene, world, &from->grain, from->grain.material,
                       (tl_variation){grain->factor, 1}, origin, unturned, &grain->body);
}

static int32_t id_of(uint64_t word) {
  return word <= INT32_MAX ? (int32_t)word : -1;
}

static talus_status grains_set(talus_scene *scene, talus_world *world, int numbered,
                               const uint8_t *bytes, uint64_t count) {
  void *memory = NULL;
  TL_TRY(
      tl_alloc(scene->context, &memory, (size_t)count + 1, sizeof(tl_added), "grains of inlets"));
  tl_free(scene->context, scene->added);
  scene->added = memory;
  scene->added_capacity = (int32_t)count + 1;
  scene->added_count = 0;
  for (uint64_t i = 0; i < count; i++) {
    tl_added *const grain = &scene->added[i];
    memset(grain, 0, sizeof *grain);
    grain->inlet = id_of(get(&bytes));
    grain->factor = number_of(get(&bytes));
    if (numbered) {
      grain->body = id_of(get(&bytes));
      grain->shape = id_of(get(&bytes));
    }
    TL_TRY(add_again(scene, world, numbered, grain));
    scene->added_count++;
  }
  return TALUS_OK;
}

/* Where the stages stand; the world is given their settings. */
static talus_status stage_set(talus_scene *scene, talus_world *world, const uint8_t **bytes) {
  const int64_t index = (int64_t)get(bytes), over = (int64_t)get(bytes);
  const int64_t stopped = (int64_t)get(bytes), begin = (int64_t)get(bytes);
  const int64_t held = (int64_t)get(bytes), looked = (int64_t)get(bytes);
  const int32_t count = scene->stage != NULL ? scene->def.stages.count : 1;
  if (index < 0 || index >= count) {
    return tl_fail(scene->context, TALUS_FILE_FORMAT, "the scene's state names stage %lld of %d",
                   (long long)index, (int)count);
  }
  if (scene->stage != NULL) {
    TL_TRY(tl_stages_enter(scene, world, (int32_t)index));
  }
  scene->at = (tl_stage_state){(int32_t)index, over != 0, stopped != 0, begin, held, looked};
  return TALUS_OK;
}

static void inlets_set(talus_scene *scene, int version, const uint8_t **bytes) {
  for (int32_t i = 0; i < scene->def.inlets.count; i++) {
    tl_inlet_state *inlet = &scene->inlet[i];
    inlet->random = get(bytes);
    inlet->placed = (int64_t)get(bytes);
    inlet->waiting = get(bytes) != 0;
    inlet->factor = number_of(get(bytes));
    if (version >= 3) {
      inlet->before = (int64_t)get(bytes);
      inlet->since = number_of(get(bytes));
    }
  }
}

talus_status tl_scene_state_set(talus_scene *scene, talus_world *world, const uint8_t *bytes,
                                size_t size) {
  const size_t inlets = (size_t)scene->def.inlets.count, outlets = (size_t)scene->def.outlets.count;
  const uint64_t found = size >= WORD * HEAD ? get(&bytes) : 0;
  const int version = found == mark_3 ? 3 : found == mark_2 ? 2 : found == mark_1 ? 1 : 0;
  const size_t least = version == 3 ? WORD * (HEAD + STAGE + PER_INLET * inlets + outlets)
                                    : WORD * (HEAD + PER_INLET_2 * inlets + outlets);
  if (version == 0 || size < least || get(&bytes) != inlets || get(&bytes) != outlets) {
    return tl_fail(scene->context, TALUS_FILE_FORMAT,
                   "the state of inlets and outlets belongs to another scene");
  }
  const uint64_t added = get(&bytes);
  const size_t per = WORD * (version > 1 ? PER_ADDED : PER_ADDED_1);
  if (added >= INT32_MAX || size != least + per * (size_t)added) {
    return tl_fail(scene->context, TALUS_FILE_FORMAT,
                   "the state of inlets and outlets has %zu bytes, which do not fit its counts",
                   size);
  }
  if (version >= 3) {
    TL_TRY(stage_set(scene, world, &bytes));
  }
  inlets_set(scene, version, &bytes);
  for (size_t i = 0; i < outlets; i++) {
    scene->removed[i] = (int64_t)get(&bytes);
  }
  return grains_set(scene, world, version > 1, bytes, added);
}
