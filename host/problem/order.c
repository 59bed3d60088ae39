/* order.c: in which order the constraints stand, and which may be treated at once.
 *
 * Sorted by the bodies they touch (counting sort: linear, stable), coloured (order_colour.c), then
 * sorted by colour and cut into chunks. Problems with bricks: order_bricks.c. Everything depends on
 * the problem alone. */
#include <string.h>

#include "host/problem/assembly.h"

/* Smallest and second smallest unit of a constraint; unit_count stands for "none". */
static void keys_of(const tl_links *links, int32_t k, int32_t key[2]) {
  int32_t pair[2];
  const int32_t *units;
  const int32_t count = tl_links_of(links, k, pair, &units);
  key[0] = key[1] = links->unit_count;
  for (int32_t i = 0; i < count; i++) {
    if (units[i] < key[0]) {
      key[1] = key[0];
      key[0] = units[i];
    } else if (units[i] < key[1]) {
      key[1] = units[i];
    }
  }
}

/* One stable counting pass by key `which`, from `from` to `to`. */
static void count_pass(const tl_links *links, int which, const int32_t *from, int32_t *to,
                       int32_t count, int32_t *bin) {
  memset(bin, 0, ((size_t)links->unit_count + 2) * sizeof *bin);
  int32_t key[2];
  for (int32_t i = 0; i < count; i++) {
    keys_of(links, from[i], key);
    bin[key[which] + 1]++;
  }
  for (int32_t u = 0; u <= links->unit_count; u++) {
    bin[u + 1] += bin[u];
  }
  for (int32_t i = 0; i < count; i++) {
    keys_of(links, from[i], key);
    to[bin[key[which]]++] = from[i];
  }
}

talus_status tl_order_sort(talus_context *context, tl_assembly *assembly, const tl_links *links,
                           int32_t first, int32_t count) {
  int32_t *const order = assembly->system.order + first;
  const size_t bins = (size_t)links->unit_count + 2;
  TL_TRY(tl_buffer_reserve(context, &assembly->scratch[0], bins + (size_t)count, sizeof(int32_t),
                           "sorting contacts"));
  int32_t *const bin = assembly->scratch[0].memory, *const other = bin + bins;
  for (int32_t i = 0; i < count; i++) {
    order[i] = first + i;
  }
  count_pass(links, 1, order, other, count, bin);
  count_pass(links, 0, other, order, count, bin);
  return TALUS_OK;
}

void tl_order_by_colour(int32_t *order, int32_t count, const int32_t *colour, int32_t colours,
                        int32_t *size, int32_t *other) {
  memset(size, 0, ((size_t)colours + 1) * sizeof *size);
  for (int32_t i = 0; i < count; i++) {
    size[colour[order[i]] + 1]++;
  }
  for (int32_t c = 0; c < colours; c++) {
    size[c + 1] += size[c];
  }
  memcpy(other, order, (size_t)count * sizeof *other);
  for (int32_t i = 0; i < count; i++) {
    order[size[colour[other[i]]]++] = other[i];
  }
  for (int32_t c = colours; c > 0; c--) {
    size[c] = size[c - 1];
  }
  size[0] = 0;
}

talus_status tl_order_finish(talus_context *context, tl_assembly *assembly, const int32_t *colour,
                             const int32_t *colours, int coloured) {
  tl_system *const system = &assembly->system;
  tl_shape *const shape = &system->shape;
  int32_t total = 0, most = 0;
  for (int32_t r = 0; r < shape->range_count; r++) {
    const int32_t in_range = shape->range[r].count > 0 ? colours[r] : 0;
    total += in_range;
    most = in_range > most ? in_range : most;
  }
  TL_TRY(tl_buffer_reserve(context, &assembly->colour_group, (size_t)total + 1, sizeof(int32_t),
                           "colours"));
  const size_t chunks = (size_t)(shape->contact_count / TL_CHUNK + total + 1);
  TL_TRY(tl_buffer_reserve(context, &assembly->chunk_first_buffer, chunks + 1, sizeof(int32_t),
                           "chunks"));
  TL_TRY(tl_buffer_reserve(context, &assembly->scratch[0],
                           (size_t)shape->contact_count + (size_t)most + 1, sizeof(int32_t),
                           "sorting colours"));
  int32_t *const size = assembly->scratch[0].memory, *const other = size + most + 1;
  int32_t *const colour_group = assembly->colour_group.memory;
  int32_t *const chunk_first = assembly->chunk_first_buffer.memory;
  int32_t chunk = 0, c_all = 0;
  for (int32_t r = 0; r < shape->range_count; r++) {
    tl_range *const range = &shape->range[r];
    range->chunk_first = chunk;
    range->chunk_count = 0;
    if (range->count == 0) {
      continue;
    }
    tl_order_by_colour(system->order + range->first, range->count, colour, colours[r], size, other);
    for (int32_t c = 0; c < colours[r]; c++) {
      colour_group[c_all++] = chunk;
      for (int32_t i = size[c]; i < size[c + 1]; i += TL_CHUNK) {
        chunk_first[chunk++] = range->first + i;
      }
    }
    range->chunk_count = chunk - range->chunk_first;
  }
  chunk_first[chunk] = shape->contact_count;
  colour_group[c_all] = chunk;
  shape->chunk_count = chunk;
  system->colour_count = coloured ? total : 0;
  system->colour_group = coloured ? colour_group : NULL;
  system->chunk_first = chunk_first;
  return TALUS_OK;
}

talus_status tl_order_make(talus_context *context, tl_assembly *assembly, const tl_links *links,
                           int32_t *colour, int coloured) {
  const tl_shape *const shape = &assembly->system.shape;
  int32_t colours[TL_RANGE_MAX] = {1, 1};
  for (int32_t r = 0; r < shape->range_count; r++) {
    const tl_range range = shape->range[r];
    TL_TRY(tl_order_sort(context, assembly, links, range.first, range.count));
    if (coloured) {
      tl_palette *palette;
      TL_TRY(tl_palettes_take(context, assembly, links, &palette));
      TL_TRY(tl_order_colour(context, assembly, links, assembly->system.order + range.first,
                             range.count, palette, colour, &colours[r]));
    }
  }
  return tl_order_finish(context, assembly, colour, colours, coloured);
}
