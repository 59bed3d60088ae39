/* broad_cell.c: the items of each level sorted by cell, and the runs of equal cells and rows. */
#include "host/collide/broad_grid.h"

enum { SAMPLE = 255 };

static double middle(const tl_broad *broad, const tl_level *level, int axis) {
  double sorted[SAMPLE];
  const int count = level->count < SAMPLE ? level->count : SAMPLE;
  for (int i = 0; i < count; i++) {
    const int64_t at = level->first + (int64_t)level->count * i / count;
    const double value = broad->place[(uint32_t)broad->word[0][at]].centre[axis];
    int k = i;
    for (; k > 0 && sorted[k - 1] > value; k--) {
      sorted[k] = sorted[k - 1];
    }
    sorted[k] = value;
  }
  return sorted[count / 2];
}

/* Cells are counted from the lowest item. Where that takes more than 31 bits, from far below the
 * middle of the crowd: what lies beyond the ends shares the outermost cells. */
static void set_origin(const tl_broad *broad, tl_level *level) {
  for (int axis = 0; axis < 3; axis++) {
    const int64_t lowest = tl_cell_number(level->inverse, level->lower[axis]);
    const int64_t highest = tl_cell_number(level->inverse, level->upper[axis]);
    level->origin[axis] =
        highest - lowest < INT32_MAX - 1
            ? lowest
            : tl_cell_number(level->inverse, middle(broad, level, axis)) - (1 << 30);
  }
}

typedef struct key_task {
  const tl_broad *broad;
  const tl_level *level;
  uint64_t *word;
  int axis, shift, fresh;
} key_task;

static void keys_part(void *arguments, int64_t first, int64_t end) {
  const key_task t = *(const key_task *)arguments;
  for (int64_t k = first; k < end; k++) {
    const uint64_t index = (uint32_t)t.word[k];
    const uint64_t cell =
        (uint32_t)tl_level_cell(t.level, t.axis, t.broad->place[index].centre[t.axis]);
    t.word[k] = (t.fresh ? index : t.word[k]) | cell << t.shift;
  }
}

/* Puts the cells along `axis` of all items of the level above `shift` - 32 bits of the key. */
static void add_keys(tl_broad *broad, const tl_level *level, uint64_t *word, int axis, int shift,
                     int fresh) {
  key_task task = {broad, level, word, axis, shift, fresh};
  tl_each(broad->context, tl_level_lanes(broad, level), level->count, keys_part, &task);
}

static int bit_count(uint32_t value) {
  int bits = 0;
  for (; value > 0; value >>= 1) {
    bits++;
  }
  return bits;
}

/* One sort where the three cell numbers fit in 32 bits, else one per axis. */
static const uint64_t *sort_level(tl_broad *broad, const tl_level *level) {
  uint64_t *word = broad->word[0] + level->first, *other = broad->word[1] + level->first;
  tl_lane *const lanes = tl_broad_lane(broad, 0);
  int bits[3];
  for (int axis = 0; axis < 3; axis++) {
    bits[axis] = bit_count((uint32_t)tl_level_cell(level, axis, level->upper[axis]));
  }
  const int sum = bits[0] + bits[1] + bits[2];
  for (int axis = 0, shift = 32; axis < 3; axis++) {
    add_keys(broad, level, word, axis, shift, axis == 0 || sum > 32);
    if (sum > 32) {
      uint64_t *const sorted = tl_sort_words(broad->context, word, other, level->count, bits[axis],
                                             lanes, broad->lane_count);
      other = sorted == word ? other : word;
      word = sorted;
    } else {
      shift += bits[axis];
    }
  }
  return sum > 32 ? word
                  : tl_sort_words(broad->context, word, other, level->count, sum, lanes,
                                  broad->lane_count);
}

typedef struct gather_task {
  const tl_broad *broad;
  const uint64_t *word;
  tl_bounding_ball *place;
  tl_trait *trait;
} gather_task;

static void gather_part(void *arguments, int64_t first, int64_t end) {
  const gather_task t = *(const gather_task *)arguments;
  for (int64_t k = first; k < end; k++) {
    t.place[k] = t.broad->place[(uint32_t)t.word[k]];
    t.trait[k] = t.broad->trait[(uint32_t)t.word[k]];
  }
}

static void gather(tl_broad *broad, const tl_level *level, const uint64_t *word) {
  gather_task task = {broad, word, broad->item_place + level->first,
                      broad->item_trait + level->first};
  tl_each(broad->context, tl_level_lanes(broad, level), level->count, gather_part, &task);
}

/* Walks a lane's items and counts rows and cells from where the lane's counters stand; writes them
 * too when asked. */
static void run_lane(tl_broad *broad, int32_t number, int write) {
  tl_lane *const lane = tl_broad_lane(broad, number);
  const int64_t begin = tl_lane_begin(broad->item_count, number, broad->lane_count);
  const int64_t end = tl_lane_begin(broad->item_count, number + 1, broad->lane_count);
  for (int32_t l = 0; l < broad->level_count; l++) {
    tl_level *const level = &broad->level[l];
    const int64_t last = (int64_t)level->first + level->count;
    int64_t k = begin > level->first ? begin : level->first;
    int32_t old[3] = {-1, -1, -1};
    for (int axis = 0; axis < 3 && k > level->first && k < last; axis++) {
      old[axis] = tl_level_cell(level, axis, broad->item_place[k - 1].centre[axis]);
    }
    for (; k < last && k < end; k++) {
      const double *const centre = broad->item_place[k].centre;
      const int32_t x = tl_level_cell(level, 0, centre[0]), y = tl_level_cell(level, 1, centre[1]),
                    z = tl_level_cell(level, 2, centre[2]);
      const bool new_row = z != old[2] || y != old[1];
      if (write && k == level->first) {
        level->row_first = (int32_t)lane->row_count;
      }
      if (new_row) {
        if (write) {
          broad->row[lane->row_count] = (tl_grid_row){z, y, (int32_t)lane->cell_count};
        }
        lane->row_count++;
      }
      if (new_row || x != old[0]) {
        if (write) {
          broad->cell[lane->cell_count] = (tl_cell){x, (int32_t)k};
        }
        lane->cell_count++;
      }
      old[0] = x, old[1] = y, old[2] = z;
    }
  }
}

static void runs_count(void *arguments, int64_t first, int64_t end) {
  for (int64_t number = first; number < end; number++) {
    run_lane(arguments, (int32_t)number, 0);
  }
}

static void runs_write(void *arguments, int64_t first, int64_t end) {
  for (int64_t number = first; number < end; number++) {
    run_lane(arguments, (int32_t)number, 1);
  }
}

static void find_runs(tl_broad *broad) {
  const int32_t lanes = broad->lane_count;
  for (int32_t number = 0; number < lanes; number++) {
    tl_broad_lane(broad, number)->row_count = tl_broad_lane(broad, number)->cell_count = 0;
  }
  if (lanes > 1) {
    tl_each(broad->context, lanes, lanes, runs_count, broad);
    int64_t rows = 0, cells = 0;
    for (int32_t number = 0; number < lanes; number++) {
      tl_lane *const lane = tl_broad_lane(broad, number);
      const int64_t own_rows = lane->row_count, own_cells = lane->cell_count;
      lane->row_count = rows;
      lane->cell_count = cells;
      rows += own_rows;
      cells += own_cells;
    }
  }
  tl_each(broad->context, lanes, lanes, runs_write, broad);
  const tl_lane *const last = tl_broad_lane(broad, lanes - 1);
  broad->row_count = (int32_t)last->row_count;
  broad->cell_count = (int32_t)last->cell_count;
  broad->row[broad->row_count] = (tl_grid_row){0, 0, broad->cell_count};
  broad->cell[broad->cell_count] = (tl_cell){0, broad->item_count};
  int32_t end = broad->row_count;
  for (int32_t l = broad->level_count - 1; l >= 0; l--) {
    broad->level[l].row_count = end - broad->level[l].row_first;
    end = broad->level[l].row_first;
  }
}

talus_status tl_broad_cells(tl_broad *broad) {
  const int64_t n = broad->item_count;
  TL_TRY(tl_broad_reserve(broad, &broad->item_place_buffer, n, sizeof(tl_bounding_ball),
                          "sorted places"));
  TL_TRY(tl_broad_reserve(broad, &broad->item_trait_buffer, n, sizeof(tl_trait), "sorted traits"));
  TL_TRY(tl_broad_reserve(broad, &broad->row_buffer, n + 1, sizeof(tl_grid_row), "rows"));
  TL_TRY(tl_broad_reserve(broad, &broad->cell_buffer, n + 1, sizeof(tl_cell), "cells"));
  broad->item_place = broad->item_place_buffer.memory;
  broad->item_trait = broad->item_trait_buffer.memory;
  broad->row = broad->row_buffer.memory;
  broad->cell = broad->cell_buffer.memory;
  for (int32_t l = 0; l < broad->level_count; l++) {
    set_origin(broad, &broad->level[l]);
    gather(broad, &broad->level[l], sort_level(broad, &broad->level[l]));
  }
  find_runs(broad);
  return TALUS_OK;
}
