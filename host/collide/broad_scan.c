/* broad_scan.c: the search split into tasks, the short list against everything, room for pairs.
 *
 * Lanes draw tasks and blocks of room from shared counters; who found a pair, and when, is wiped
 * out by the sort that follows. Without room pairs are only counted, and the search repeated. */
#include <math.h>

#include "host/collide/broad_grid.h"

enum { STRIP = 128, SHORT_TASK = 16384 };

/* ---- room for pairs -------------------------------------------------------------------------- */

static void close_block(const tl_broad *broad, const tl_lane *lane) {
  if (lane->block_index >= 0 && lane->block_index < broad->block_capacity) {
    ((int32_t *)broad->fill_buffer.memory)[lane->block_index] = lane->block_fill;
  }
}

void tl_broad_open_block(tl_broad *broad, tl_lane *lane) {
  close_block(broad, lane);
  lane->block_index = tl_each_next(&broad->block_count);
  lane->block = lane->block_index < broad->block_capacity
                    ? (tl_pair *)broad->pair_buffer.memory + lane->block_index * TL_BLOCK
                    : lane->dump;
  lane->block_fill = 0;
}

/* ---- the short list -------------------------------------------------------------------------- */

/* Items that may reach down to a half-space, taken as cubes: most are far above it. */
static int near_halfspace(const tl_broad *broad, const tl_large *large, int64_t begin, int64_t end,
                          int32_t *hit) {
  const double *const n = large->normal, *const p = large->point;
  const double width = (fabs(n[0]) + fabs(n[1]) + fabs(n[2])) * (1 + TL_REACH_SLACK);
  int count = 0;
  for (int64_t i = begin; i < end; i++) {
    const tl_bounding_ball *const place = &broad->item_place[i];
    const double x = (place->centre[0] - p[0]) * n[0], y = (place->centre[1] - p[1]) * n[1],
                 z = (place->centre[2] - p[2]) * n[2];
    hit[count] = (int32_t)i;
    count += x + y + z <=
             width * place->reach + large->margin + TL_REACH_SLACK * (fabs(x) + fabs(y) + fabs(z));
  }
  return count;
}

static int all_items(int64_t begin, int64_t end, int32_t *hit) {
  for (int64_t i = begin; i < end; i++) {
    hit[i - begin] = (int32_t)i;
  }
  return (int)(end - begin);
}

static void scan_short(tl_broad *broad, tl_lane *lane, int64_t begin, int64_t end) {
  int32_t hit[STRIP];
  for (int32_t l = 0; l < broad->large_count; l++) {
    const tl_large *const large = &broad->large[l];
    const tl_trait *const own = &broad->trait[large->index];
    for (int64_t strip = begin; strip < end; strip += STRIP) {
      const int64_t stop = strip + STRIP < end ? strip + STRIP : end;
      const int count = (own->tag & TL_TAG_HALFSPACE) != 0
                            ? near_halfspace(broad, large, strip, stop, hit)
                            : all_items(strip, stop, hit);
      for (int k = 0; k < count; k++) {
        const tl_trait *const trait = &broad->item_trait[hit[k]];
        if (tl_overlap_large(broad, large, &broad->item_place[hit[k]], trait) &&
            tl_trait_meet(own, trait)) {
          tl_broad_emit(broad, lane, large->index, trait->index);
        }
      }
    }
  }
}

static void scan_larges(tl_broad *broad, tl_lane *lane) {
  for (int32_t a = 0; a < broad->large_count; a++) {
    for (int32_t b = a + 1; b < broad->large_count; b++) {
      const tl_large *const one = &broad->large[a], *const two = &broad->large[b];
      if (tl_trait_meet(&broad->trait[one->index], &broad->trait[two->index]) &&
          tl_overlap_larges(broad, one, two)) {
        tl_broad_emit(broad, lane, one->index, two->index);
      }
    }
  }
}

/* ---- tasks ----------------------------------------------------------------------------------- */

static void scan_lane(tl_broad *broad, tl_lane *lane, int64_t row_tasks, int64_t short_tasks) {
  lane->block_index = -1;
  lane->block = lane->dump;
  lane->block_fill = TL_BLOCK;
  memset(lane->row_guess, 0, sizeof lane->row_guess);
  for (;;) {
    const int64_t task = tl_each_next(&broad->next_task);
    if (task > row_tasks + short_tasks) {
      break;
    }
    if (task < row_tasks) {
      const int32_t begin = (int32_t)(broad->row_count * task / row_tasks),
                    end = (int32_t)(broad->row_count * (task + 1) / row_tasks);
      tl_broad_scan_rows(broad, lane, begin, end);
    } else if (task < row_tasks + short_tasks) {
      const int64_t begin = (task - row_tasks) * SHORT_TASK, end = begin + SHORT_TASK;
      scan_short(broad, lane, begin, end < broad->item_count ? end : broad->item_count);
    } else {
      scan_larges(broad, lane);
    }
  }
  close_block(broad, lane);
}

static talus_status reserve_pairs(tl_broad *broad, int64_t blocks) {
  broad->block_capacity = 0;
  TL_TRY(tl_broad_reserve(broad, &broad->pair_buffer, blocks * TL_BLOCK, sizeof(tl_pair), "pairs"));
  TL_TRY(tl_broad_reserve(broad, &broad->fill_buffer, blocks, sizeof(int32_t), "pair blocks"));
  broad->block_capacity = blocks;
  return TALUS_OK;
}

typedef struct scan_task {
  tl_broad *broad;
  int64_t row_tasks, short_tasks;
} scan_task;

static void lanes_scan(void *arguments, int64_t first, int64_t end) {
  const scan_task *const t = arguments;
  for (int32_t lane = (int32_t)first; lane < end; lane++) {
    scan_lane(t->broad, tl_broad_lane(t->broad, lane), t->row_tasks, t->short_tasks);
  }
}

talus_status tl_broad_scan(tl_broad *broad) {
  const int32_t lanes = broad->lane_count;
  const int64_t row_tasks = lanes > 1 ? 16 * (int64_t)lanes : 1;
  const int64_t short_tasks =
      broad->large_count > 0 ? (broad->item_count + SHORT_TASK - 1) / SHORT_TASK : 0;
  if (broad->block_capacity == 0) { /* a first guess: four pairs per collider */
    TL_TRY(reserve_pairs(broad, broad->count / (TL_BLOCK / 4) + lanes + 1));
  }
  scan_task task = {broad, row_tasks, short_tasks};
  for (;;) {
    broad->block_count = broad->next_task = 0;
    tl_each(broad->context, lanes, lanes, lanes_scan, &task);
    if (broad->block_count <= broad->block_capacity) {
      return TALUS_OK;
    }
    TL_TRY(reserve_pairs(broad, broad->block_count + broad->block_count / 4 + lanes));
  }
}
