/* broad_order.c: the pairs sorted by (a, b), without gaps, whatever order the lanes left.
 *
 * First into buckets of neighbouring a, then each bucket, small enough for a cache, by a; the b of
 * one a are few and sorted by insertion, or, where a collider has many neighbours, by digits. The
 * blocks' room takes the result; a bucket's room in between serves the long rows. */
#include <string.h>

#include "host/collide/broad_grid.h"

enum { BUCKET_BITS = 11, BUCKET_LIMIT = 2048, LONG_ROW = 48 };

typedef struct order {
  tl_broad *broad;
  int shift; /* bucket = a >> shift */
  int32_t bucket_count, span;
  int64_t *bucket_first; /* [bucket_count + 1] */
  int64_t *lane_next;    /* [lanes * bucket_count] */
  int64_t *row_next;     /* [lanes * (span + 1)] */
  tl_pair *found, *bucketed;
} order;

static void count_lane(const order *o, int32_t lane, int64_t begin, int64_t end) {
  const int32_t *const fill = o->broad->fill_buffer.memory;
  int64_t *const next = o->lane_next + (int64_t)lane * o->bucket_count;
  memset(next, 0, (size_t)o->bucket_count * sizeof *next);
  for (int64_t block = begin; block < end; block++) {
    const tl_pair *const pair = o->found + block * TL_BLOCK;
    for (int32_t k = 0; k < fill[block]; k++) {
      next[pair[k].a >> o->shift]++;
    }
  }
}

static void scatter_lane(const order *o, int32_t lane, int64_t begin, int64_t end) {
  const int32_t *const fill = o->broad->fill_buffer.memory;
  int64_t *const next = o->lane_next + (int64_t)lane * o->bucket_count;
  for (int64_t block = begin; block < end; block++) {
    const tl_pair *const pair = o->found + block * TL_BLOCK;
    for (int32_t k = 0; k < fill[block]; k++) {
      o->bucketed[next[pair[k].a >> o->shift]++] = pair[k];
    }
  }
}

static void offsets(const order *o) {
  int64_t sum = 0;
  for (int32_t bucket = 0; bucket < o->bucket_count; bucket++) {
    o->bucket_first[bucket] = sum;
    for (int32_t lane = 0; lane < o->broad->lane_count; lane++) {
      int64_t *const next = &o->lane_next[(int64_t)lane * o->bucket_count + bucket];
      const int64_t own = *next;
      *next = sum;
      sum += own;
    }
  }
  o->bucket_first[o->bucket_count] = sum;
  o->broad->pair_count = sum;
}

static void sort_short_row(tl_pair *row, int64_t count) {
  for (int64_t i = 1; i < count; i++) {
    const tl_pair pair = row[i];
    int64_t k = i;
    for (; k > 0 && row[k - 1].b > pair.b; k--) {
      row[k] = row[k - 1];
    }
    row[k] = pair;
  }
}

static void sort_long_row(tl_pair *row, tl_pair *other, int64_t count, int32_t collider_count) {
  tl_pair *const home = row;
  for (int shift = 0; shift < 32 && (collider_count - 1) >> shift > 0; shift += 8) {
    int64_t next[256] = {0};
    for (int64_t i = 0; i < count; i++) {
      next[row[i].b >> shift & 255]++;
    }
    int64_t sum = 0;
    for (int digit = 0; digit < 256; digit++) {
      const int64_t own = next[digit];
      next[digit] = sum;
      sum += own;
    }
    for (int64_t i = 0; i < count; i++) {
      other[next[row[i].b >> shift & 255]++] = row[i];
    }
    tl_pair *const swap = row;
    row = other;
    other = swap;
  }
  if (row != home) {
    memcpy(home, row, (size_t)count * sizeof *row);
  }
}

static void sort_bucket(const order *o, int32_t bucket, int64_t *next) {
  const int64_t begin = o->bucket_first[bucket], end = o->bucket_first[bucket + 1];
  const int32_t first = (int32_t)((int64_t)bucket << o->shift);
  tl_pair *const sorted = o->found;
  memset(next, 0, (size_t)(o->span + 1) * sizeof *next);
  for (int64_t i = begin; i < end; i++) {
    next[o->bucketed[i].a - first + 1]++;
  }
  next[0] = begin;
  for (int32_t k = 0; k < o->span; k++) {
    next[k + 1] += next[k];
  }
  for (int64_t i = begin; i < end; i++) {
    sorted[next[o->bucketed[i].a - first]++] = o->bucketed[i];
  }
  /* next[k] is now where row k ends */
  int64_t row = begin;
  for (int32_t k = 0; k < o->span; k++) {
    const int64_t count = next[k] - row;
    if (count > LONG_ROW) {
      sort_long_row(sorted + row, o->bucketed + row, count, o->broad->count);
    } else {
      sort_short_row(sorted + row, count);
    }
    row = next[k];
  }
}

static talus_status prepare(tl_broad *broad, order *o) {
  const int64_t lanes = broad->lane_count;
  o->broad = broad;
  o->shift = BUCKET_BITS;
  while (broad->count >> o->shift >= BUCKET_LIMIT) {
    o->shift++;
  }
  o->bucket_count = (broad->count >> o->shift) + 1;
  o->span = 1 << o->shift;
  const int64_t room = o->bucket_count + 1 + lanes * o->bucket_count + lanes * (o->span + 1);
  TL_TRY(tl_broad_reserve(broad, &broad->order_buffer, room, sizeof(int64_t), "pair offsets"));
  TL_TRY(tl_broad_reserve(broad, &broad->bucket_buffer, broad->block_capacity * TL_BLOCK,
                          sizeof(tl_pair), "pair buckets"));
  o->bucket_first = broad->order_buffer.memory;
  o->lane_next = o->bucket_first + o->bucket_count + 1;
  o->row_next = o->lane_next + lanes * o->bucket_count;
  o->found = broad->pair_buffer.memory;
  o->bucketed = broad->bucket_buffer.memory;
  return TALUS_OK;
}

static void lanes_count(void *arguments, int64_t first, int64_t end) {
  const order *const o = arguments;
  const int64_t blocks = o->broad->block_count;
  const int32_t lanes = o->broad->lane_count;
  for (int32_t lane = (int32_t)first; lane < end; lane++) {
    count_lane(o, lane, tl_lane_begin(blocks, lane, lanes), tl_lane_begin(blocks, lane + 1, lanes));
  }
}

static void lanes_scatter(void *arguments, int64_t first, int64_t end) {
  const order *const o = arguments;
  const int64_t blocks = o->broad->block_count;
  const int32_t lanes = o->broad->lane_count;
  for (int32_t lane = (int32_t)first; lane < end; lane++) {
    scatter_lane(o, lane, tl_lane_begin(blocks, lane, lanes),
                 tl_lane_begin(blocks, lane + 1, lanes));
  }
}

static void lanes_sort(void *arguments, int64_t first, int64_t end) {
  const order *const o = arguments;
  for (int32_t lane = (int32_t)first; lane < end; lane++) {
    int64_t *const next = o->row_next + (int64_t)lane * (o->span + 1);
    for (int32_t bucket = lane; bucket < o->bucket_count; bucket += o->broad->lane_count) {
      sort_bucket(o, bucket, next);
    }
  }
}

talus_status tl_broad_order(tl_broad *broad) {
  order o;
  TL_TRY(prepare(broad, &o));
  const int32_t lanes = broad->lane_count;
  tl_each(broad->context, lanes, lanes, lanes_count, &o);
  offsets(&o);
  tl_each(broad->context, lanes, lanes, lanes_scatter, &o);
  tl_each(broad->context, lanes, lanes, lanes_sort, &o);
  return TALUS_OK;
}
