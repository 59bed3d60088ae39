/* broad_sort.c: a stable radix sort of words, a key above an index, digit by digit from below.
 *
 * Each lane counts the digits of its part; offsets follow by digit, then lane, so that the order
 * is that of one lane however many there are. */
#include "host/collide/broad_grid.h"

static void count_lane(tl_lane *lane, const uint64_t *word, int64_t begin, int64_t end, int shift,
                       uint32_t mask) {
  for (uint32_t digit = 0; digit <= mask; digit++) {
    lane->digit_count[digit] = 0;
  }
  for (int64_t i = begin; i < end; i++) {
    lane->digit_count[(uint32_t)(word[i] >> shift) & mask]++;
  }
}

static void scatter_lane(tl_lane *lane, const uint64_t *word, uint64_t *sorted, int64_t begin,
                         int64_t end, int shift, uint32_t mask) {
  for (int64_t i = begin; i < end; i++) {
    sorted[lane->digit_count[(uint32_t)(word[i] >> shift) & mask]++] = word[i];
  }
}

/* Counts to places; 0 if one digit has them all and nothing would move. */
static bool offsets(tl_lane *lanes, int32_t lane_count, int64_t count, uint32_t mask) {
  uint32_t sum = 0;
  for (uint32_t digit = 0; digit <= mask; digit++) {
    const uint32_t before = sum;
    for (int32_t lane = 0; lane < lane_count; lane++) {
      const uint32_t own = lanes[lane].digit_count[digit];
      lanes[lane].digit_count[digit] = sum;
      sum += own;
    }
    if ((int64_t)(sum - before) == count) {
      return false;
    }
  }
  return true;
}

/* One digit's pass. */
typedef struct pass {
  tl_lane *lanes;
  int32_t lane_count;
  const uint64_t *word;
  uint64_t *sorted;
  int64_t count;
  int shift;
  uint32_t mask;
} pass;

static void lanes_count(void *arguments, int64_t first, int64_t end) {
  const pass *const p = arguments;
  for (int32_t lane = (int32_t)first; lane < end; lane++) {
    count_lane(&p->lanes[lane], p->word, tl_lane_begin(p->count, lane, p->lane_count),
               tl_lane_begin(p->count, lane + 1, p->lane_count), p->shift, p->mask);
  }
}

static void lanes_scatter(void *arguments, int64_t first, int64_t end) {
  const pass *const p = arguments;
  for (int32_t lane = (int32_t)first; lane < end; lane++) {
    scatter_lane(&p->lanes[lane], p->word, p->sorted, tl_lane_begin(p->count, lane, p->lane_count),
                 tl_lane_begin(p->count, lane + 1, p->lane_count), p->shift, p->mask);
  }
}

uint64_t *tl_sort_words(talus_context *context, uint64_t *word, uint64_t *other, int64_t count,
                        int bits, tl_lane *lanes, int32_t lane_count) {
  const int digits = (bits + 10) / 11;
  const int width = digits > 0 ? (bits + digits - 1) / digits : 0;
  const uint32_t mask = (1U << width) - 1;
  lane_count = count < 4096 ? 1 : lane_count;
  for (int digit = 0; digit < digits; digit++) {
    pass p = {lanes, lane_count, word, other, count, 32 + digit * width, mask};
    tl_each(context, lane_count, lane_count, lanes_count, &p);
    if (!offsets(lanes, lane_count, count, mask)) {
      continue;
    }
    tl_each(context, lane_count, lane_count, lanes_scatter, &p);
    uint64_t *const swap = word;
    word = other;
    other = swap;
  }
  return word;
}
