/* order_colour.c: which constraints may be treated at once.
 *
 * Greedy colours: the first that no unit of a constraint has had. Constraints that join two units
 * are taken in the order of tl_pair_hash, in which a device finds the same colours in few rounds;
 * those of lists of units, which no device colours, as they are sorted. */
#include <string.h>

#include "host/problem/assembly.h"
#include "kernels/item/colour.h"

enum { DIGIT = 11, BINS = 1 << DIGIT };

/* One stable counting pass by a digit of the keys, values along with them. */
static void digit_pass(const uint32_t *key, const int32_t *value, int32_t count, int shift,
                       uint32_t *key_out, int32_t *value_out) {
  uint32_t bin[BINS + 1];
  memset(bin, 0, sizeof bin);
  for (int32_t i = 0; i < count; i++) {
    bin[(key[i] >> shift & (BINS - 1)) + 1]++;
  }
  for (int b = 0; b < BINS; b++) {
    bin[b + 1] += bin[b];
  }
  for (int32_t i = 0; i < count; i++) {
    const uint32_t place = bin[key[i] >> shift & (BINS - 1)]++;
    key_out[place] = key[i];
    value_out[place] = value[i];
  }
}

static uint32_t pair_hash(const tl_links *links, int32_t low, int32_t high) {
  const uint64_t *const name = links->name;
  return name == NULL
             ? tl_pair_hash(low, high)
             : tl_pair_hash(tl_name_fold(name[low]), high >= 0 ? tl_name_fold(name[high]) : high);
}

/* The constraints `order` by hash, equal ones as they stand; the result lies where normals will be
 * written once the order stands. */
static talus_status hash_sort(talus_context *context, tl_assembly *assembly, const tl_links *links,
                              const int32_t *order, int32_t count, const int32_t **sorted) {
  const size_t size = (size_t)count;
  TL_TRY(tl_buffer_reserve(context, &assembly->normal_buffer, 4 * size, sizeof(int32_t),
                           "order of colouring"));
  uint32_t *const key = assembly->normal_buffer.memory, *const key_other = key + size;
  int32_t *const value = (int32_t *)(key_other + size), *const value_other = value + size;
  for (int32_t i = 0; i < count; i++) {
    key[i] = pair_hash(links, links->low[order[i]], links->high[order[i]]);
  }
  digit_pass(key, order, count, 0, key_other, value_other);
  digit_pass(key_other, value_other, count, DIGIT, key, value);
  digit_pass(key, value, count, 2 * DIGIT, key_other, value_other);
  *sorted = value_other;
  return TALUS_OK;
}

/* Constraints between one that is coloured and those whose units, then whose palettes, are asked
 * for: in the order of hashes each lies somewhere else. */
enum { UNITS_AHEAD = 32, PALETTES_AHEAD = 16 };

/* The first free colour of constraint k, which is then taken. */
static int32_t colour_take(const tl_links *links, int32_t k, tl_palette *palette) {
  int32_t pair[2];
  const int32_t *unit;
  const int32_t n = tl_links_of(links, k, pair, &unit);
  tl_palette taken = {0, 0};
  for (int32_t j = 0; j < n; j++) {
    taken = tl_palette_join(taken, palette[unit[j]]);
  }
  const int32_t colour = tl_palette_first(taken);
  for (int32_t j = 0; j < n; j++) {
    palette[unit[j]] = tl_palette_add(palette[unit[j]], colour);
  }
  return colour;
}

talus_status tl_palettes_take(talus_context *context, tl_assembly *assembly, const tl_links *links,
                              tl_palette **palette) {
  const size_t units = (size_t)links->unit_count;
  TL_TRY(tl_buffer_reserve(context, &assembly->scratch[0], units, sizeof(tl_palette),
                           "colouring contacts"));
  *palette = assembly->scratch[0].memory;
  memset(*palette, 0, units * sizeof **palette);
  return TALUS_OK;
}

void tl_palettes_clear(const tl_links *links, const int32_t *order, int32_t count,
                       tl_palette *palette) {
  int32_t pair[2];
  const int32_t *unit;
  for (int32_t i = 0; i < count; i++) {
    const int32_t n = tl_links_of(links, order[i], pair, &unit);
    for (int32_t j = 0; j < n; j++) {
      palette[unit[j]] = (tl_palette){0, 0};
    }
  }
}

talus_status tl_order_colour(talus_context *context, tl_assembly *assembly, const tl_links *links,
                             const int32_t *order, int32_t count, tl_palette *palette,
                             int32_t *colour, int32_t *colours) {
  if (links->first == NULL) {
    TL_TRY(hash_sort(context, assembly, links, order, count, &order));
  }
  *colours = 0;
  for (int32_t i = 0; i < count; i++) {
    if (links->first == NULL && i + UNITS_AHEAD < count) {
      const int32_t far = order[i + UNITS_AHEAD], near = order[i + PALETTES_AHEAD];
      TL_PREFETCH(&links->low[far]);
      TL_PREFETCH(&links->high[far]);
      TL_PREFETCH(&colour[far]);
      TL_PREFETCH(&palette[links->low[near]]);
      TL_PREFETCH(&palette[links->high[near] >= 0 ? links->high[near] : 0]);
    }
    const int32_t c = colour_take(links, order[i], palette);
    colour[order[i]] = c;
    *colours = c + 1 > *colours ? c + 1 : *colours;
  }
  return TALUS_OK;
}
