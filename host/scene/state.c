/* state.c: what inlets and outlets remember, as bytes: little-endian words of eight bytes.
 *
 * Words: how many inlets, outlets and added grains; per inlet random state, count, waiting, factor;
 * per outlet its count; per grain inlet and factor. */
#include <string.h>

#include "host/scene/build.h"

enum { WORD = 8, HEAD = 4, PER_INLET = 4, PER_ADDED = 2 };
static const uint64_t mark = UINT64_C(0x31656E656373); /* "scene1" */

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
  return WORD * (HEAD + PER_INLET * (size_t)scene->def.inlets.count +
                 (size_t)scene->def.outlets.count + PER_ADDED * (size_t)scene->added_count);
}

void tl_scene_state_get(const talus_scene *scene, uint8_t *bytes) {
  put(&bytes, mark);
  put(&bytes, (uint64_t)scene->def.inlets.count);
  put(&bytes, (uint64_t)scene->def.outlets.count);
  put(&bytes, (uint64_t)scene->added_count);
  for (int32_t i = 0; i < scene->def.inlets.count; i++) {
    const tl_inlet_state *inlet = &scene->inlet[i];
    put(&bytes, inlet->random);
    put(&bytes, (uint64_t)inlet->placed);
    put(&bytes, (uint64_t)inlet->waiting);
    put(&bytes, bits_of(inlet->factor));
  }
  for (int32_t i = 0; i < scene->def.outlets.count; i++) {
    put(&bytes, (uint64_t)scene->removed[i]);
  }
  for (int32_t i = 0; i < scene->added_count; i++) {
    put(&bytes, (uint64_t)scene->added[i].inlet);
    put(&bytes, bits_of(scene->added[i].factor));
  }
}

/* The grain is put far from everything; its place comes with the world's state. */
static talus_status add_again(talus_scene *scene, talus_world *world, uint64_t inlet,
                              double factor) {
  static const double origin[3] = {0, 0, 0}, unturned[4] = {1, 0, 0, 0};
  if (inlet >= (uint64_t)scene->def.inlets.count || !(factor > 0)) {
    return tl_fail(scene->context, TALUS_FILE_FORMAT, "the scene's state names inlet %llu of %d",
                   (unsigned long long)inlet, (int)scene->def.inlets.count);
  }
  const tl_scene_inlet *from = (const tl_scene_inlet *)scene->def.inlets.item + inlet;
  int32_t body;
  return tl_grain_emit(scene, world, &from->grain, from->grain.material, (tl_variation){factor, 1},
                       origin, unturned, &body);
}

talus_status tl_scene_state_set(talus_scene *scene, talus_world *world, const uint8_t *bytes,
                                size_t size) {
  const size_t inlets = (size_t)scene->def.inlets.count, outlets = (size_t)scene->def.outlets.count;
  const size_t least = WORD * (HEAD + PER_INLET * inlets + outlets);
  if (size < least || get(&bytes) != mark || get(&bytes) != inlets || get(&bytes) != outlets) {
    return tl_fail(scene->context, TALUS_FILE_FORMAT,
                   "the state of inlets and outlets belongs to another scene");
  }
  const uint64_t added = get(&bytes);
  if (added > INT32_MAX || size != least + WORD * PER_ADDED * (size_t)added) {
    return tl_fail(scene->context, TALUS_FILE_FORMAT,
                   "the state of inlets and outlets has %zu bytes, which do not fit its counts",
                   size);
  }
  for (size_t i = 0; i < inlets; i++) {
    tl_inlet_state *inlet = &scene->inlet[i];
    inlet->random = get(&bytes);
    inlet->placed = (int64_t)get(&bytes);
    inlet->waiting = get(&bytes) != 0;
    inlet->factor = number_of(get(&bytes));
  }
  for (size_t i = 0; i < outlets; i++) {
    scene->removed[i] = (int64_t)get(&bytes);
  }
  void *memory = NULL;
  TL_TRY(
      tl_alloc(scene->context, &memory, (size_t)added + 1, sizeof(tl_added), "grains of inlets"));
  tl_free(scene->context, scene->added);
  scene->added = memory;
  memset(scene->added, 0, ((size_t)added + 1) * sizeof(tl_added));
  scene->added_capacity = (int32_t)added + 1;
  scene->added_count = 0;
  for (uint64_t i = 0; i < added; i++) {
    const uint64_t inlet = get(&bytes);
    const double factor = number_of(get(&bytes));
    TL_TRY(add_again(scene, world, inlet, factor));
    scene->added[scene->added_count].inlet = (int32_t)inlet;
    scene->added[scene->added_count++].factor = factor;
  }
  return TALUS_OK;
}
