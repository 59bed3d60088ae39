/* broad_level.c: which items share a grid, and how wide its cells are.
 *
 * Widths are B 2^k with one B for all levels, chosen so that the commonest sizes fill their cells:
 * with a B of 1, grains just above a power of two would see eight times the candidates. Far from
 * the origin (2^40 cells) only a power of two divides without rounding, and is taken. */
#include <math.h>
#include <string.h>

#include "host/collide/broad_grid.h"

/* Coarse levels of so few items are held against everything instead, up to so many items. */
enum { SPARSE_LEVEL = 4, SPARSE_TOTAL = 8 };

typedef struct sizes {
  int64_t count[TL_SIZE_BINS];
  int32_t exponent_min, exponent_max;
  double centre_max;
} sizes;

static sizes sum_sizes(const tl_broad *broad) {
  sizes sum = {.exponent_min = INT32_MAX};
  for (int32_t number = 0; number < broad->lane_count; number++) {
    const tl_lane *const lane = tl_broad_lane(broad, number);
    for (int bin = 0; bin < TL_SIZE_BINS; bin++) {
      sum.count[bin] += lane->size_count[bin];
    }
    sum.exponent_min =
        lane->exponent_min < sum.exponent_min ? lane->exponent_min : sum.exponent_min;
    sum.exponent_max =
        lane->exponent_max > sum.exponent_max ? lane->exponent_max : sum.exponent_max;
    sum.centre_max = lane->centre_max > sum.centre_max ? lane->centre_max : sum.centre_max;
  }
  return sum;
}

/* B when the sizes of bins 0 .. bin fit in cells of their own exponent, the others not. */
static double bin_edge(int bin) {
  return 1 + (bin + 1) / (double)TL_SIZE_BINS;
}

/* Candidates per item grow as the volume of its cell over its own. */
static int choose_bin(const sizes *sum) {
  int best = TL_SIZE_BINS - 1;
  double best_cost = INFINITY;
  for (int bin = TL_SIZE_BINS - 1; bin >= 0; bin--) {
    double cost = 0;
    for (int other = 0; other < TL_SIZE_BINS; other++) {
      const double ratio = (other > bin ? 2 : 1) * bin_edge(bin) / bin_edge(other);
      cost += (double)sum->count[other] * ratio * ratio * ratio;
    }
    if (cost < best_cost) {
      best_cost = cost;
      best = bin;
    }
  }
  const int32_t finest = sum->exponent_max - (TL_LEVEL_LIMIT - 2);
  const int32_t exponent = finest > sum->exponent_min ? finest : sum->exponent_min;
  return sum->centre_max > ldexp(0x1p40, exponent - 1023) ? TL_SIZE_BINS - 1 : best;
}

static void level_lane(tl_broad *broad, int32_t number, int32_t top, int chosen) {
  tl_lane *const lane = tl_broad_lane(broad, number);
  const int64_t end = tl_lane_begin(broad->count, number + 1, broad->lane_count);
  for (int level = 0; level < TL_LEVEL_LIMIT; level++) {
    lane->level[level] = (tl_level_sum){.lower = {INFINITY, INFINITY, INFINITY},
                                        .upper = {-INFINITY, -INFINITY, -INFINITY}};
  }
  for (int64_t i = tl_lane_begin(broad->count, number, broad->lane_count); i < end; i++) {
    const tl_bounding_ball *const place = &broad->place[i];
    if (place->reach == INFINITY) {
      broad->level_of[i] = TL_LEVEL_LARGE;
      continue;
    }
    int32_t exponent, bin;
    tl_size_split(place->reach, &exponent, &bin);
    int32_t level = top - exponent - (bin > chosen);
    level = level < TL_LEVEL_LIMIT ? level : TL_LEVEL_LIMIT - 1;
    broad->level_of[i] = (uint8_t)level;
    tl_level_sum *const sum = &lane->level[level];
    sum->count++;
    sum->others += (broad->trait[i].tag & TL_TAG_BALL) == 0;
    sum->reach = place->reach > sum->reach ? place->reach : sum->reach;
    for (int axis = 0; axis < 3; axis++) {
      const double c = place->centre[axis];
      sum->lower[axis] = c < sum->lower[axis] ? c : sum->lower[axis];
      sum->upper[axis] = c > sum->upper[axis] ? c : sum->upper[axis];
    }
  }
}

static tl_level_sum sum_level(const tl_broad *broad, int level) {
  tl_level_sum sum = tl_broad_lane(broad, 0)->level[level];
  for (int32_t number = 1; number < broad->lane_count; number++) {
    const tl_level_sum *const part = &tl_broad_lane(broad, number)->level[level];
    sum.count += part->count;
    sum.others += part->others;
    sum.reach = part->reach > sum.reach ? part->reach : sum.reach;
    for (int axis = 0; axis < 3; axis++) {
      sum.lower[axis] = part->lower[axis] < sum.lower[axis] ? part->lower[axis] : sum.lower[axis];
      sum.upper[axis] = part->upper[axis] > sum.upper[axis] ? part->upper[axis] : sum.upper[axis];
    }
  }
  return sum;
}

/* Fills broad->level with what is not empty, coarse to fine; number[] tells which is which. */
static void make_levels(tl_broad *broad, int32_t top, double edge, int number[TL_LEVEL_LIMIT]) {
  int64_t items = 0, sparse = 0, first = 0;
  for (int32_t lane = 0; lane < broad->lane_count; lane++) {
    items += tl_broad_lane(broad, lane)->item_count;
  }
  broad->level_count = 0;
  for (int at = 0; at < TL_LEVEL_LIMIT; at++) {
    const tl_level_sum sum = sum_level(broad, at);
    number[at] = -1;
    items -= sum.count;
    if (sum.count <= SPARSE_LEVEL && sparse + sum.count <= SPARSE_TOTAL && items > 0) {
      sparse += sum.count;
      continue;
    }
    if (sum.count == 0) {
      continue;
    }
    number[at] = broad->level_count;
    tl_level *const level = &broad->level[broad->level_count++];
    *level = (tl_level){.first = (int32_t)first,
                        .count = (int32_t)sum.count,
                        .inverse = 1 / ldexp(edge, top - at - 1023),
                        .reach = sum.reach,
                        .balls = sum.others == 0};
    memcpy(level->lower, sum.lower, sizeof level->lower);
    memcpy(level->upper, sum.upper, sizeof level->upper);
    first += sum.count;
  }
  broad->item_count = (int32_t)first;
}

static talus_status make_large(tl_broad *broad, const tl_collider *collider,
                               const int number[TL_LEVEL_LIMIT]) {
  const int32_t count = broad->count - broad->item_count;
  broad->large_count = 0;
  TL_TRY(tl_broad_reserve(broad, &broad->large_buffer, count, sizeof(tl_large), "short list"));
  broad->large = broad->large_buffer.memory;
  for (int32_t i = 0; i < broad->count && broad->large_count < count; i++) {
    const uint8_t level = broad->level_of[i];
    if (level == TL_LEVEL_LARGE || number[level] < 0) {
      broad->level_of[i] = TL_LEVEL_LARGE;
      tl_large_fill(&collider[i], i, broad->skin, &broad->large[broad->large_count++]);
    }
  }
  return TALUS_OK;
}

/* Indices of the items by level, in order of the colliders within each. */
static void split_lane(tl_broad *broad, int32_t number, const int level_number[TL_LEVEL_LIMIT]) {
  int64_t next[TL_LEVEL_LIMIT] = {0};
  for (int at = 0; at < TL_LEVEL_LIMIT; at++) {
    next[at] = level_number[at] < 0 ? 0 : broad->level[level_number[at]].first;
    for (int32_t lane = 0; lane < number; lane++) {
      next[at] += tl_broad_lane(broad, lane)->level[at].count;
    }
  }
  const int64_t end = tl_lane_begin(broad->count, number + 1, broad->lane_count);
  for (int64_t i = tl_lane_begin(broad->count, number, broad->lane_count); i < end; i++) {
    if (broad->level_of[i] != TL_LEVEL_LARGE) {
      broad->word[0][next[broad->level_of[i]]++] = (uint64_t)i;
    }
  }
}

typedef struct level_task {
  tl_broad *broad;
  int32_t top;
  int chosen;
  const int *number; /* [TL_LEVEL_LIMIT] */
} level_task;

static void lanes_level(void *arguments, int64_t first, int64_t end) {
  const level_task *const t = arguments;
  for (int32_t lane = (int32_t)first; lane < end; lane++) {
    level_lane(t->broad, lane, t->top, t->chosen);
  }
}

static void lanes_split(void *arguments, int64_t first, int64_t end) {
  const level_task *const t = arguments;
  for (int32_t lane = (int32_t)first; lane < end; lane++) {
    split_lane(t->broad, lane, t->number);
  }
}

talus_status tl_broad_levels(tl_broad *broad, const tl_collider *collider) {
  const int32_t lanes = broad->lane_count;
  const sizes sum = sum_sizes(broad);
  const int chosen = choose_bin(&sum);
  const int32_t top = sum.exponent_max + 1;
  int number[TL_LEVEL_LIMIT];
  TL_TRY(tl_broad_reserve(broad, &broad->level_buffer, broad->count, 1, "levels"));
  broad->level_of = broad->level_buffer.memory;
  level_task task = {broad, top, chosen, number};
  tl_each(broad->context, lanes, lanes, lanes_level, &task);
  make_levels(broad, top, bin_edge(chosen), number);
  TL_TRY(make_large(broad, collider, number));
  for (int i = 0; i < 2; i++) {
    TL_TRY(tl_broad_reserve(broad, &broad->word_buffer[i], broad->item_count, sizeof(uint64_t),
                            "sort keys"));
    broad->word[i] = broad->word_buffer[i].memory;
  }
  tl_each(broad->context, lanes, lanes, lanes_split, &task);
  return TALUS_OK;
}
