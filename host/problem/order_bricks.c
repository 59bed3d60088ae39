/* order_bricks.c: the order of constraints by bricks (item/brick.h): by phase, brick, colour within
 * the brick, bodies.
 *
 * A brick is a group of chunks, which are treated one after the other; the bricks of a phase, which
 * share no body, may be treated at once. Constraints that reach too far come last, colour by colour
 * like a problem without bricks. */
#include "host/math/radix.h"
#include "host/problem/assembly.h"
#include "kernels/halo.h"

/* Keys of the constraints of a range, sorted as they are. */
typedef struct keys {
  uint64_t *key, *key_other;
  int32_t *value_other;
} keys;

static talus_status keys_take(talus_context *context, tl_assembly *assembly, int32_t count,
                              keys *k) {
  const size_t size = (size_t)count;
  TL_TRY(tl_buffer_reserve(context, &assembly->scratch[2], 5 * size, sizeof(int32_t),
                           "bricks of contacts"));
  k->key = assembly->scratch[2].memory;
  k->key_other = k->key + size;
  k->value_other = (int32_t *)(k->key_other + size);
  return TALUS_OK;
}

static keys keys_of(const keys *all, const tl_range *range) {
  return (keys){all->key + range->first, all->key_other + range->first,
                all->value_other + range->first};
}

/* Without phases along the curve, on which bodies are numbered too. */
static uint64_t key_of(const tl_links *links, const tl_brick *brick, int32_t k, int coloured) {
  const tl_brick low = brick[links->low[k]];
  const tl_brick own = links->high[k] >= 0 ? tl_brick_join(low, brick[links->high[k]]) : low;
  return coloured || own == TL_BRICK_FAR ? tl_brick_key(own) : tl_brick_curve(own);
}

/* Sorts a range's constraints, which are sorted by bodies, by brick. */
static void keys_sort(const tl_links *links, const tl_brick *brick, int coloured, int32_t *order,
                      int32_t count, const keys *k) {
  for (int32_t i = 0; i < count; i++) {
    k->key[i] = key_of(links, brick, order[i], coloured);
  }
  tl_radix_sort(k->key, order, k->key_other, k->value_other, count);
}

/* The end of the brick that begins at place i of a range. */
static int32_t brick_end(const uint64_t *key, int32_t i, int32_t count) {
  int32_t end = i + 1;
  while (end < count && key[end] == key[i]) {
    end++;
  }
  return end;
}

/* Colours each brick of a range by itself, but those of other ranks. */
static talus_status bricks_colour(talus_context *context, tl_assembly *assembly,
                                  const tl_links *links, const tl_range *range, const keys *k,
                                  int32_t *colour) {
  int32_t *const order = assembly->system.order + range->first;
  tl_palette *palette;
  TL_TRY(tl_palettes_take(context, assembly, links, &palette));
  for (int32_t i = 0; i < range->count;) {
    const int32_t end = brick_end(k->key, i, range->count);
    int32_t colours;
    if (tl_assembly_owns(assembly, range->first + i)) {
      TL_TRY(
          tl_order_colour(context, assembly, links, order + i, end - i, palette, colour, &colours));
      tl_palettes_clear(links, order + i, end - i, palette);
    }
    i = end;
  }
  return TALUS_OK;
}

/* Sorts each brick by colour. */
static talus_status bricks_sort(talus_context *context, tl_assembly *assembly,
                                const tl_range *range, const keys *k, const int32_t *colour) {
  int32_t *const order = assembly->system.order + range->first;
  for (int32_t i = 0; i < range->count;) {
    const int32_t end = brick_end(k->key, i, range->count);
    int32_t colours = 0;
    for (int32_t at = i; at < end; at++) {
      colours = colour[order[at]] + 1 > colours ? colour[order[at]] + 1 : colours;
    }
    TL_TRY(tl_buffer_reserve(context, &assembly->scratch[3], (size_t)colours + 1, sizeof(int32_t),
                             "sorting colours"));
    tl_order_by_colour(order + i, end - i, colour, colours, assembly->scratch[3].memory,
                       k->value_other);
    i = end;
  }
  return TALUS_OK;
}

/* Sorts all constraints by brick, and colours those of this rank's own bricks. */
static talus_status ranges_sort(talus_context *context, tl_assembly *assembly,
                                const tl_links *links, const tl_brick *brick, keys *all,
                                int32_t *colour, int coloured) {
  const tl_shape *const shape = &assembly->system.shape;
  TL_TRY(keys_take(context, assembly, shape->contact_count, all));
  for (int32_t r = 0; r < shape->range_count; r++) {
    const tl_range *const range = &shape->range[r];
    const keys own = keys_of(all, range);
    TL_TRY(tl_order_sort(context, assembly, links, range->first, range->count));
    keys_sort(links, brick, coloured, assembly->system.order + range->first, range->count, &own);
    if (coloured) {
      TL_TRY(bricks_colour(context, assembly, links, range, &own, colour));
    }
  }
  return TALUS_OK;
}

talus_status tl_order_bricks(talus_context *context, tl_assembly *assembly, const tl_links *links,
                             const tl_brick *brick, int32_t *colour, int coloured) {
  const tl_shape *const shape = &assembly->system.shape;
  tl_halo *const halo = assembly->halo;
  keys all = {.key = NULL};
  const talus_status status = ranges_sort(context, assembly, links, brick, &all, colour, coloured);
  int64_t none[TL_HALO_NUMBERS] = {0};
  TL_TRY(halo != NULL ? halo->meet(halo, status, none) : status);
  if (coloured && halo != NULL) { /* of copies their owners know the colours */
    halo->exchange(halo, &halo->constraint, colour, sizeof *colour);
  }
  for (int32_t r = 0; r < shape->range_count && coloured; r++) {
    const keys own = keys_of(&all, &shape->range[r]);
    TL_TRY(bricks_sort(context, assembly, &shape->range[r], &own, colour));
  }
  return tl_order_phases(context, assembly, all.key, colour, coloured);
}
