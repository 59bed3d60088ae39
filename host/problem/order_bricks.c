/* order_bricks.c: the order of constraints by bricks (item/brick.h): by phase, brick, colour within
 * the brick, bodies.
 *
 * A brick is a group of chunks, which are treated one after the other; the bricks of a phase, which
 * share no body, may be treated at once. Constraints that reach too far come last, colour by colour
 * like a problem without bricks. */
#include "host/math/radix.h"
#include "host/problem/assembly.h"

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

/* Colours each brick of a range by itself. */
static talus_status bricks_colour(talus_context *context, tl_assembly *assembly,
                                  const tl_links *links, const tl_range *range, const keys *k,
                                  int32_t *colour) {
  int32_t *const order = assembly->system.order + range->first;
  tl_palette *palette;
  TL_TRY(tl_palettes_take(context, assembly, links, &palette));
  for (int32_t i = 0; i < range->count;) {
    const int32_t end = brick_end(k->key, i, range->count);
    int32_t colours;
    TL_TRY(
        tl_order_colour(context, assembly, links, order + i, end - i, palette, colour, &colours));
    tl_palettes_clear(links, order + i, end - i, palette);
    tl_order_by_colour(order + i, end - i, colour, colours, (int32_t *)k->key_other,
                       k->value_other);
    i = end;
  }
  return TALUS_OK;
}

/* Chunks, groups and colours so far; arrays are NULL while they are counted. */
typedef struct cuts {
  int32_t chunks, groups, phases;
  int32_t *chunk_first, *group_chunk, *colour_group;
} cuts;

static void cut(int32_t *array, int32_t *count, int32_t at) {
  if (array != NULL) {
    array[*count] = at;
  }
  ++*count;
}

/* Whether place i begins another brick, or another colour of one that reaches too far. */
static void range_cut(const int32_t *order, const tl_range *range, const uint64_t *key,
                      const int32_t *colour, cuts *c) {
  int32_t length = 0;
  for (int32_t i = 0; i < range->count; i++) {
    const bool far = tl_brick_phase(key[i]) == TL_BRICK_PHASES;
    const bool brick = i == 0 || key[i] != key[i - 1];
    const bool shade = brick || colour[order[i]] != colour[order[i - 1]];
    const bool chunk = shade || length == TL_CHUNK;
    if (brick ? i == 0 || tl_brick_phase(key[i]) != tl_brick_phase(key[i - 1]) : far && shade) {
      cut(c->colour_group, &c->phases, c->groups);
    }
    if (far ? chunk : brick) {
      cut(c->group_chunk, &c->groups, c->chunks);
    }
    if (chunk) {
      cut(c->chunk_first, &c->chunks, range->first + i);
      length = 0;
    }
    length++;
  }
}

static void ranges_cut(tl_assembly *assembly, uint64_t *const *key, const int32_t *colour,
                       cuts *c) {
  tl_shape *const shape = &assembly->system.shape;
  for (int32_t r = 0; r < shape->range_count; r++) {
    tl_range *const range = &shape->range[r];
    range->chunk_first = c->chunks;
    range_cut(assembly->system.order + range->first, range, key[r], colour, c);
    range->chunk_count = c->chunks - range->chunk_first;
  }
}

static talus_status cuts_make(talus_context *context, tl_assembly *assembly, uint64_t *const *key,
                              const int32_t *colour, int coloured) {
  tl_system *const system = &assembly->system;
  cuts count = {0}, made = {0};
  ranges_cut(assembly, key, colour, &count);
  TL_TRY(tl_buffer_reserve(context, &assembly->chunk_first_buffer, (size_t)count.chunks + 1,
                           sizeof(int32_t), "chunks"));
  TL_TRY(tl_buffer_reserve(context, &assembly->group_chunk_buffer, (size_t)count.groups + 1,
                           sizeof(int32_t), "bricks"));
  TL_TRY(tl_buffer_reserve(context, &assembly->colour_group, (size_t)count.phases + 1,
                           sizeof(int32_t), "phases"));
  made.chunk_first = assembly->chunk_first_buffer.memory;
  made.group_chunk = assembly->group_chunk_buffer.memory;
  made.colour_group = assembly->colour_group.memory;
  ranges_cut(assembly, key, colour, &made);
  made.chunk_first[made.chunks] = system->shape.contact_count;
  made.group_chunk[made.groups] = made.chunks;
  made.colour_group[made.phases] = made.groups;
  system->shape.chunk_count = made.chunks;
  system->shape.group_count = coloured ? made.groups : 0;
  system->colour_count = coloured ? made.phases : 0;
  system->colour_group = coloured ? made.colour_group : NULL;
  system->chunk_first = made.chunk_first;
  return TALUS_OK;
}

talus_status tl_order_bricks(talus_context *context, tl_assembly *assembly, const tl_links *links,
                             const tl_brick *brick, int32_t *colour, int coloured) {
  const tl_shape *const shape = &assembly->system.shape;
  uint64_t *key[TL_RANGE_MAX] = {NULL};
  keys k;
  TL_TRY(keys_take(context, assembly, shape->contact_count, &k));
  for (int32_t r = 0; r < shape->range_count; r++) {
    const tl_range *const range = &shape->range[r];
    keys own = {k.key + range->first, k.key_other + range->first, k.value_other + range->first};
    key[r] = own.key;
    TL_TRY(tl_order_sort(context, assembly, links, range->first, range->count));
    keys_sort(links, brick, coloured, assembly->system.order + range->first, range->count, &own);
    if (coloured) {
      TL_TRY(bricks_colour(context, assembly, links, range, &own, colour));
    }
  }
  return cuts_make(context, assembly, key, colour, coloured);
}
