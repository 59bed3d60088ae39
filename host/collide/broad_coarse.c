/* broad_coarse.c: each row against the coarser levels.
 *
 * Where the cells of a level are not many more than its items, a table tells for each the first
 * item at or behind it, and the cells around a place are looked up. Else rows and cells are
 * sought by strides. */
#include <math.h>

#include "host/collide/broad_grid.h"

static inline bool row_before(const tl_grid_row *row, int32_t z, int32_t y) {
  return row->z < z || (row->z == z && row->y < y);
}

/* First row of [begin, end) at or behind (z, y), sought in growing strides from a guess. */
int32_t tl_row_find(const tl_grid_row *row, int32_t begin, int32_t end, int32_t guess, int32_t z,
                    int32_t y) {
  guess = guess < begin ? begin : guess > end ? end : guess;
  int64_t stride = 1;
  if (guess < end && row_before(&row[guess], z, y)) {
    begin = guess + 1;
    for (; guess + stride < end && row_before(&row[guess + stride], z, y); stride *= 2) {
      begin = (int32_t)(guess + stride + 1);
    }
    end = guess + stride < end ? (int32_t)(guess + stride) : end;
  } else {
    end = guess;
    for (; guess - stride >= begin && !row_before(&row[guess - stride], z, y); stride *= 2) {
      end = (int32_t)(guess - stride);
    }
    begin = guess - stride >= begin ? (int32_t)(guess - stride + 1) : begin;
  }
  while (begin < end) {
    const int32_t half = begin + (end - begin) / 2;
    if (row_before(&row[half], z, y)) {
      begin = half + 1;
    } else {
      end = half;
    }
  }
  return begin;
}

/* First cell of [begin, end) at or behind x. A sparse row of a fine level would pay for the whole
 * length of a coarse one, if it went cell by cell. */
static int32_t find_cell(const tl_cell *cell, int32_t begin, int32_t end, int32_t x) {
  int64_t stride = 1;
  if (begin >= end || cell[begin].x >= x) {
    return begin;
  }
  for (; begin + stride < end && cell[begin + stride].x < x; stride *= 2) {
    begin = (int32_t)(begin + stride);
  }
  end = begin + stride < end ? (int32_t)(begin + stride) : end;
  begin++;
  while (begin < end) {
    const int32_t half = begin + (end - begin) / 2;
    if (cell[half].x < x) {
      begin = half + 1;
    } else {
      end = half;
    }
  }
  return begin;
}

/* Of the centres in cells [begin, end). */
static void bounds(const tl_broad *broad, int32_t begin, int32_t end, double lower[3],
                   double upper[3]) {
  const int64_t first = broad->cell[begin].item, last = broad->cell[end].item;
  for (int axis = 0; axis < 3; axis++) {
    lower[axis] = upper[axis] = broad->item_place[first].centre[axis];
  }
  for (int64_t i = first + 1; i < last; i++) {
    for (int axis = 0; axis < 3; axis++) {
      const double c = broad->item_place[i].centre[axis];
      lower[axis] = c < lower[axis] ? c : lower[axis];
      upper[axis] = c > upper[axis] ? c : upper[axis];
    }
  }
}

/* A row of a fine level against one of a coarse level. */
static void scan_coarse_row(tl_broad *broad, tl_lane *lane, const tl_level *coarse, int32_t r,
                            int32_t other, double reach, int balls) {
  const tl_cell *const cell = broad->cell;
  const int32_t stop = broad->row[other + 1].cell;
  int32_t p = broad->row[other].cell, q = p;
  for (int32_t c = broad->row[r].cell; c < broad->row[r + 1].cell && p < stop; c++) {
    double lower[3], upper[3];
    bounds(broad, c, c + 1, lower, upper);
    const int32_t first = tl_level_cell(coarse, 0, lower[0] - reach),
                  last = tl_level_cell(coarse, 0, upper[0] + reach);
    p = find_cell(cell, p, stop, first);
    for (q = q > p ? q : p; q < stop && cell[q].x <= last; q++) {
    }
    for (int64_t i = cell[c].item; p < q && i < cell[c + 1].item; i++) {
      tl_broad_meet(broad, lane, i, cell[p].item, cell[q].item, balls);
    }
  }
}

/* A row against all rows of the coarse level that come near it. */
static void scan_coarse(tl_broad *broad, tl_lane *lane, const tl_level *level,
                        const tl_level *coarse, int32_t r, const double lower[3],
                        const double upper[3]) {
  const double reach = (level->reach + coarse->reach) * (1 + TL_REACH_SLACK);
  int32_t first[3], last[3];
  for (int axis = 1; axis < 3; axis++) {
    const double from = lower[axis] - reach, to = upper[axis] + reach;
    if (from > coarse->upper[axis] || to < coarse->lower[axis]) {
      return;
    }
    first[axis] = tl_level_cell(coarse, axis, from);
    last[axis] = tl_level_cell(coarse, axis, to);
  }
  const tl_grid_row *const row = broad->row;
  const int32_t stop = coarse->row_first + coarse->row_count;
  int32_t *const guess = lane->row_guess[coarse - broad->level];
  int32_t k = tl_row_find(row, coarse->row_first, stop, guess[0], first[2], first[1]);
  guess[0] = k;
  for (int slab = 1; k < stop && row[k].z <= last[2];) {
    if (row[k].y < first[1]) {
      k = tl_row_find(row, k, stop, k, row[k].z, first[1]);
    } else if (row[k].y > last[1]) {
      k = tl_row_find(row, k, stop, guess[slab], row[k].z + 1, first[1]);
      guess[slab] = k;
      slab += slab < TL_GUESSES - 1;
    } else {
      scan_coarse_row(broad, lane, coarse, r, k, reach, level->balls && coarse->balls);
      k++;
    }
  }
}

/* A level without table: by rows. */
static void scan_sparse(tl_broad *broad, tl_lane *lane, const tl_level *level,
                        const tl_level *coarse, int32_t r) {
  double lower[3], upper[3];
  bounds(broad, broad->row[r].cell, broad->row[r + 1].cell, lower, upper);
  scan_coarse(broad, lane, level, coarse, r, lower, upper);
}

/* A level with table: the cells around each cell of the row, row by row of the table. */
static void scan_table(tl_broad *broad, tl_lane *lane, const tl_level *level,
                       const tl_level *coarse, int32_t c) {
  const int32_t *const table = (int32_t *)broad->table_buffer.memory + coarse->table;
  const bool balls = level->balls && coarse->balls;
  const double reach = (level->reach + coarse->reach) * (1 + TL_REACH_SLACK);
  double lower[3], upper[3];
  int32_t first[3], last[3];
  bounds(broad, c, c + 1, lower, upper);
  for (int axis = 0; axis < 3; axis++) {
    const double from = lower[axis] - reach, to = upper[axis] + reach;
    if (from > coarse->upper[axis] || to < coarse->lower[axis]) {
      return;
    }
    first[axis] = tl_level_cell(coarse, axis, from);
    last[axis] = tl_level_cell(coarse, axis, to);
    last[axis] = last[axis] < coarse->size[axis] ? last[axis] : coarse->size[axis] - 1;
  }
  for (int64_t z = first[2]; z <= last[2]; z++) {
    for (int64_t y = first[1]; y <= last[1]; y++) {
      const int64_t at = (z * coarse->size[1] + y) * coarse->size[0];
      const int64_t begin = table[at + first[0]], end = table[at + last[0] + 1];
      for (int64_t i = broad->cell[c].item; begin < end && i < broad->cell[c + 1].item; i++) {
        tl_broad_meet(broad, lane, i, begin, end, balls);
      }
    }
  }
}

void tl_broad_scan_coarser(tl_broad *broad, tl_lane *lane, const tl_level *level, int32_t r) {
  for (const tl_level *coarse = broad->level; coarse < level; coarse++) {
    if (coarse->table < 0) {
      scan_sparse(broad, lane, level, coarse, r);
      continue;
    }
    for (int32_t c = broad->row[r].cell; c < broad->row[r + 1].cell; c++) {
      scan_table(broad, lane, level, coarse, c);
    }
  }
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void fill_table(const tl_broad *broad, const tl_level *level) {
  int32_t *const table = (int32_t *)broad->table_buffer.memory + level->table;
  const int64_t volume = (int64_t)level->size[0] * level->size[1] * level->size[2];
  int64_t at = 0;
  for (int32_t r = level->row_first; r < level->row_first + level->row_count; r++) {
    const int64_t row =
        ((int64_t)broad->row[r].z * level->size[1] + broad->row[r].y) * level->size[0];
    for (int32_t c = broad->row[r].cell; c < broad->row[r + 1].cell; c++) {
      for (; at <= row + broad->cell[c].x; at++) {
        table[at] = broad->cell[c].item;
      }
    }
  }
  for (; at <= volume; at++) {
    table[at] = level->first + level->count;
  }
}

static void tables_fill(void *arguments, int64_t first, int64_t end) {
  const tl_broad *const broad = arguments;
  for (int64_t l = first; l < end; l++) {
    if (broad->level[l].table >= 0) {
      fill_table(broad, &broad->level[l]);
    }
  }
}

talus_status tl_broad_tables(tl_broad *broad) {
  int64_t room = 0;
  for (int32_t l = 0; l < broad->level_count; l++) {
    tl_level *const level = &broad->level[l];
    double volume = 1;
    for (int axis = 0; axis < 3; axis++) {
      level->size[axis] = tl_level_cell(level, axis, level->upper[axis]) + 1;
      volume *= level->size[axis];
    }
    level->table = -1;
    if (l < broad->level_count - 1 &&
        volume <= 4.0 * level->count + broad->item_count / 16 + 1024) {
      level->table = room;
      room += (int64_t)volume + 1;
    }
  }
  TL_TRY(tl_broad_reserve(broad, &broad->table_buffer, room, sizeof(int32_t), "cell tables"));
  tl_each(broad->context, room > 0 ? broad->lane_count : 1, broad->level_count, tables_fill, broad);
  return TALUS_OK;
}
