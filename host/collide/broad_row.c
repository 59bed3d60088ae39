/* broad_row.c: each row against itself and the rows beside and above it.
 *
 * Rows and cells are sorted, so every neighbour is found by a pointer that only moves forward. */
#include <math.h>

#include "host/collide/broad_grid.h"

enum { STRIP = 128 };

/* ---- one item against a run of items --------------------------------------------------------- */

static void emit_hits(tl_broad *broad, tl_lane *lane, int64_t i, const int32_t *hit, int count,
                      int balls) {
  const tl_trait *const trait = broad->item_trait;
  for (int k = 0; k < count; k++) {
    const int64_t j = hit[k];
    if (tl_trait_meet(&trait[i], &trait[j]) &&
        (balls || tl_overlap_items(broad, &broad->item_place[i], &trait[i], &broad->item_place[j],
                                   &trait[j]))) {
      tl_broad_emit(broad, lane, trait[i].index, trait[j].index);
    }
  }
}

/* Hits are gathered without a branch; about one candidate in four is one, in no order that a
 * processor could guess. */
static void meet_balls(tl_broad *broad, tl_lane *lane, int64_t i, int64_t begin, int64_t end) {
  const tl_bounding_ball *const place = broad->item_place;
  const tl_bounding_ball own = place[i];
  int32_t hit[STRIP];
  while (begin < end) {
    const int64_t stop = end - begin < STRIP ? end : begin + STRIP;
    int count = 0;
    for (; begin < stop; begin++) {
      const tl_bounding_ball *const other = &place[begin];
      const double x = other->centre[0] - own.centre[0], y = other->centre[1] - own.centre[1],
                   z = other->centre[2] - own.centre[2], reach = other->reach + own.reach;
      hit[count] = (int32_t)begin;
      count += x * x + y * y + z * z <= reach * reach;
    }
    emit_hits(broad, lane, i, hit, count, 1);
  }
}

static void meet_any(tl_broad *broad, tl_lane *lane, int64_t i, int64_t begin, int64_t end) {
  const tl_bounding_ball *const place = broad->item_place;
  const tl_bounding_ball own = place[i];
  int32_t hit[STRIP];
  while (begin < end) {
    const int64_t stop = end - begin < STRIP ? end : begin + STRIP;
    int count = 0;
    for (; begin < stop; begin++) {
      const tl_bounding_ball *const other = &place[begin];
      const double x = fabs(other->centre[0] - own.centre[0]),
                   y = fabs(other->centre[1] - own.centre[1]),
                   z = fabs(other->centre[2] - own.centre[2]), reach = other->reach + own.reach;
      hit[count] = (int32_t)begin;
      count += (x <= reach) & (y <= reach) & (z <= reach);
    }
    emit_hits(broad, lane, i, hit, count, 0);
  }
}

void tl_broad_meet(tl_broad *broad, tl_lane *lane, int64_t i, int64_t begin, int64_t end,
                   int balls) {
  if (balls) {
    meet_balls(broad, lane, i, begin, end);
  } else {
    meet_any(broad, lane, i, begin, end);
  }
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void scan_row(tl_broad *broad, tl_lane *lane, const tl_level *level, int32_t r) {
  const tl_cell *const cell = broad->cell;
  for (int32_t c = broad->row[r].cell; c < broad->row[r + 1].cell; c++) {
    const bool adjacent = c + 1 < broad->row[r + 1].cell && cell[c + 1].x == cell[c].x + 1;
    const int64_t end = cell[c + 1 + adjacent].item;
    for (int64_t i = cell[c].item; i < cell[c + 1].item; i++) {
      tl_broad_meet(broad, lane, i, i + 1, end, level->balls);
    }
  }
}

static void scan_rows(tl_broad *broad, tl_lane *lane, const tl_level *level, int32_t r,
                      int32_t other) {
  const tl_cell *const cell = broad->cell;
  const int32_t stop = broad->row[other + 1].cell;
  int32_t p = broad->row[other].cell, q = p;
  for (int32_t c = broad->row[r].cell; c < broad->row[r + 1].cell; c++) {
    for (; p < stop && cell[p].x < cell[c].x - 1; p++) {
    }
    for (q = q > p ? q : p; q < stop && cell[q].x <= cell[c].x + 1; q++) {
    }
    for (int64_t i = cell[c].item; p < q && i < cell[c + 1].item; i++) {
      tl_broad_meet(broad, lane, i, cell[p].item, cell[q].item, level->balls);
    }
  }
}

/* Rows [begin, end) of one level. Each pair of rows is met once: from the lower of the two. */
static void scan_level(tl_broad *broad, tl_lane *lane, const tl_level *level, int32_t begin,
                       int32_t end) {
  const tl_grid_row *const row = broad->row;
  const int32_t stop = level->row_first + level->row_count;
  int32_t above =
      begin < end ? tl_row_find(row, begin, stop, begin, row[begin].z + 1, row[begin].y - 1) : 0;
  for (int32_t r = begin; r < end; r++) {
    const int32_t z = row[r].z, y = row[r].y;
    scan_row(broad, lane, level, r);
    if (r + 1 < stop && row[r + 1].z == z && row[r + 1].y == y + 1) {
      scan_rows(broad, lane, level, r, r + 1);
    }
    for (;
         above < stop && (row[above].z < z + 1 || (row[above].z == z + 1 && row[above].y < y - 1));
         above++) {
    }
    for (int32_t k = above; k < stop && row[k].z == z + 1 && row[k].y <= y + 1; k++) {
      scan_rows(broad, lane, level, r, k);
    }
    if (level > broad->level) {
      tl_broad_scan_coarser(broad, lane, level, r);
    }
  }
}

void tl_broad_scan_rows(tl_broad *broad, tl_lane *lane, int32_t begin, int32_t end) {
  for (int32_t l = 0; l < broad->level_count; l++) {
    const tl_level *const level = &broad->level[l];
    const int32_t last = level->row_first + level->row_count;
    scan_level(broad, lane, level, begin > level->row_first ? begin : level->row_first,
               end < last ? end : last);
  }
}
