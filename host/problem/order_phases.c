/* order_phases.c: an order by bricks (order_bricks.c) cut into phases, groups and chunks.
 *
 * A phase is one of the eight, or a colour of the constraints that reach too far, of contacts or of
 * rows. All ranks go through the phases that any of them has. */
#include <string.h>

#include "host/problem/assembly.h"
#include "kernels/halo.h"

/* Chunks and groups so far; arrays are NULL while they are counted. group_phase: by the number that
 * a phase has among all that there could be. */
typedef struct cuts {
  int32_t chunks, groups, far; /* far: the most colours of a range that reach too far */
  int32_t *chunk_first, *group_chunk, *group_phase;
} cuts;

/* Phases that a range may have. */
static int32_t phases_of(int32_t far) {
  return TL_BRICK_PHASES + far;
}

static void group_cut(cuts *c, int32_t phase) {
  if (c->group_chunk != NULL) {
    c->group_chunk[c->groups] = c->chunks;
    c->group_phase[c->groups] = phase;
  }
  c->groups++;
}

static void chunk_cut(cuts *c, int32_t at) {
  if (c->chunk_first != NULL) {
    c->chunk_first[c->chunks] = at;
  }
  c->chunks++;
}

/* base: the number of the range's first phase. */
static void range_cut(const int32_t *order, const tl_range *range, int32_t base,
                      const uint64_t *key, const int32_t *colour, cuts *c) {
  int32_t length = 0;
  for (int32_t i = 0; i < range->count; i++) {
    const int32_t phase = tl_brick_phase(key[i]), own = colour[order[i]];
    const bool far = phase == TL_BRICK_PHASES;
    const bool brick = i == 0 || key[i] != key[i - 1];
    const bool chunk = brick || own != colour[order[i - 1]] || length == TL_CHUNK;
    if (far && own >= c->far) {
      c->far = own + 1;
    }
    if (far ? chunk : brick) {
      group_cut(c, base + (far ? phase + own : phase));
    }
    if (chunk) {
      chunk_cut(c, range->first + i);
      length = 0;
    }
    length++;
  }
}

static void ranges_cut(tl_assembly *assembly, const uint64_t *key, const int32_t *colour,
                       int32_t far, cuts *c) {
  tl_shape *const shape = &assembly->system.shape;
  for (int32_t r = 0; r < shape->range_count; r++) {
    tl_range *const range = &shape->range[r];
    range->chunk_first = c->chunks;
    range_cut(assembly->system.order + range->first, range, r * phases_of(far), key + range->first,
              colour, c);
    range->chunk_count = c->chunks - range->chunk_first;
  }
}

/* OK if all ranks are. */
static talus_status agree(const tl_assembly *assembly, talus_status status, int64_t *number) {
  tl_halo *const halo = assembly->halo;
  return halo != NULL ? halo->meet(halo, status, number) : status;
}

static talus_status phases_reserve(talus_context *context, tl_assembly *assembly, int32_t most) {
  TL_TRY(
      tl_buffer_reserve(context, &assembly->scratch[3], (size_t)most, sizeof(int64_t), "phases"));
  return tl_buffer_reserve(context, &assembly->colour_group, (size_t)most + 1, sizeof(int32_t),
                           "phases");
}

/* The first group of every phase that any rank has. */
static talus_status phases_find(talus_context *context, tl_assembly *assembly, const cuts *c,
                                int32_t most) {
  tl_system *const system = &assembly->system;
  int64_t none[TL_HALO_NUMBERS] = {0};
  TL_TRY(agree(assembly, phases_reserve(context, assembly, most), none));
  int64_t *const there = assembly->scratch[3].memory;
  int32_t *const first = assembly->colour_group.memory;
  memset(there, 0, (size_t)most * sizeof *there);
  for (int32_t g = 0; g < c->groups; g++) {
    there[c->group_phase[g]] = 1;
  }
  if (assembly->halo != NULL) {
    assembly->halo->largest(assembly->halo, there, most);
  }
  int32_t group = 0, phases = 0;
  for (int32_t p = 0; p < most; p++) {
    if (there[p]) {
      first[phases++] = group;
    }
    while (group < c->groups && c->group_phase[group] == p) {
      group++;
    }
  }
  first[phases] = group;
  system->colour_count = phases;
  system->colour_group = first;
  return TALUS_OK;
}

static talus_status cuts_reserve(talus_context *context, tl_assembly *assembly, const cuts *count,
                                 cuts *made) {
  TL_TRY(tl_buffer_reserve(context, &assembly->chunk_first_buffer, (size_t)count->chunks + 1,
                           sizeof(int32_t), "chunks"));
  TL_TRY(tl_buffer_reserve(context, &assembly->group_chunk_buffer, (size_t)count->groups + 1,
                           sizeof(int32_t), "bricks"));
  TL_TRY(tl_buffer_reserve(context, &assembly->scratch[0], (size_t)count->groups + 1,
                           sizeof(int32_t), "bricks"));
  *made = (cuts){.chunk_first = assembly->chunk_first_buffer.memory,
                 .group_chunk = assembly->group_chunk_buffer.memory,
                 .group_phase = assembly->scratch[0].memory};
  return TALUS_OK;
}

talus_status tl_order_phases(talus_context *context, tl_assembly *assembly, const uint64_t *key,
                             const int32_t *colour, int coloured) {
  tl_system *const system = &assembly->system;
  cuts count = {0}, made;
  ranges_cut(assembly, key, colour, 0, &count);
  int64_t far[TL_HALO_NUMBERS] = {count.far};
  TL_TRY(agree(assembly, cuts_reserve(context, assembly, &count, &made), far));
  ranges_cut(assembly, key, colour, (int32_t)far[0], &made);
  made.chunk_first[made.chunks] = system->shape.contact_count;
  made.group_chunk[made.groups] = made.chunks;
  system->shape.chunk_count = made.chunks;
  system->shape.group_count = coloured ? made.groups : 0;
  system->chunk_first = made.chunk_first;
  system->colour_count = 0;
  system->colour_group = NULL;
  return coloured ? phases_find(context, assembly, &made, TL_RANGE_MAX * phases_of((int32_t)far[0]))
                  : TALUS_OK;
}
