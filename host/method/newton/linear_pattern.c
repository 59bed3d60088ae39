/* linear_pattern.c: patterns: I + J^T K J over the bodies, and W over the contacts of small ones.
 */
#include <stdlib.h>
#include <string.h>

#include "host/method/newton/linear.h"

/* Constraints of each unit: list[first[u]] .. list[first[u + 1] - 1], ascending. */
static void units_list(const tl_sheet *sheet, int32_t *first, int32_t *list) {
  memset(first, 0, ((size_t)sheet->unit_count + 2) * sizeof *first);
  const int32_t touches = sheet->touch_first[sheet->count];
  for (int32_t e = 0; e < touches; e++) {
    first[sheet->touch[e].unit + 2]++;
  }
  for (int32_t u = 0; u < sheet->unit_count; u++) {
    first[u + 2] += first[u + 1];
  }
  for (int32_t k = 0; k < sheet->count; k++) {
    for (int32_t e = sheet->touch_first[k]; e < sheet->touch_first[k + 1]; e++) {
      list[first[sheet->touch[e].unit + 1]++] = k;
    }
  }
}

static int ascending(const void *a, const void *b) {
  const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

static int32_t size_of(const tl_sheet *sheet, int32_t unit) {
  return sheet->unit_first[unit + 1] - sheet->unit_first[unit];
}

/* Neighbours of unit u (itself among them), ascending; returns how many. */
static int32_t neighbours_find(const tl_sheet *sheet, const int32_t *first, const int32_t *list,
                               int32_t u, int32_t *mark, int32_t *found) {
  int32_t count = 0;
  found[count++] = u;
  mark[u] = u;
  for (int32_t i = first[u]; i < first[u + 1]; i++) {
    const int32_t k = list[i];
    for (int32_t e = sheet->touch_first[k]; e < sheet->touch_first[k + 1]; e++) {
      const int32_t other = sheet->touch[e].unit;
      if (mark[other] != u) {
        mark[other] = u;
        found[count++] = other;
      }
    }
  }
  qsort(found, (size_t)count, sizeof *found, ascending);
  return count;
}

typedef struct unit_lists {
  int32_t *first, *list, *mark, *found;
} unit_lists;

static talus_status lists_make(tl_linear *linear, unit_lists *lists) {
  const tl_sheet *const sheet = linear->sheet;
  const size_t units = (size_t)sheet->unit_count,
               touches = (size_t)sheet->touch_first[sheet->count];
  TL_TRY(tl_buffer_reserve(linear->context, &linear->blocks, 3 * units + 3 + touches,
                           sizeof(int32_t), "neighbours of bodies"));
  lists->first = linear->blocks.memory;
  lists->list = lists->first + units + 2;
  lists->mark = lists->list + touches;
  lists->found = lists->mark + units;
  units_list(sheet, lists->first, lists->list);
  memset(lists->mark, 0xff, units * sizeof *lists->mark);
  return TALUS_OK;
}

/* Columns of the matrix; whether they are those of before. */
static int columns_fill(tl_linear *linear, const unit_lists *lists, int kept, int64_t *height) {
  const tl_sheet *const sheet = linear->sheet;
  int same = kept;
  int64_t at = 0;
  for (int32_t u = 0; u < sheet->unit_count; u++) {
    const int32_t count =
        neighbours_find(sheet, lists->first, lists->list, u, lists->mark, lists->found);
    const int64_t base = at;
    for (int32_t c = 0; c < size_of(sheet, u); c++) {
      int64_t *const start = linear->start + sheet->unit_first[u] + c;
      same = same && *start == at;
      *start = at;
      for (int32_t i = 0; i < count; i++) {
        const int32_t other = lists->found[i];
        for (int32_t r = 0; r < size_of(sheet, other); r++, at++) {
          same = same && linear->index[at] == sheet->unit_first[other] + r;
          linear->index[at] = sheet->unit_first[other] + r;
        }
      }
    }
    height[u] = size_of(sheet, u) > 0 ? (at - base) / size_of(sheet, u) : 0;
  }
  same = same && linear->start[linear->order] == at;
  linear->start[linear->order] = at;
  return same;
}

/* Where block (row unit, column unit) begins: its first column's entry of its first row. */
static int64_t block_place(const tl_linear *linear, int32_t row, int32_t column) {
  const int64_t c = linear->sheet->unit_first[column], wanted = linear->sheet->unit_first[row];
  int64_t low = linear->start[c], high = linear->start[c + 1];
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    if (linear->index[middle] <= wanted) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

static int64_t entries_count(const tl_linear *linear, const unit_lists *lists) {
  const tl_sheet *const sheet = linear->sheet;
  int64_t total = 0;
  for (int32_t u = 0; u < sheet->unit_count; u++) {
    const int32_t count =
        neighbours_find(sheet, lists->first, lists->list, u, lists->mark, lists->found);
    int64_t rows = 0;
    for (int32_t i = 0; i < count; i++) {
      rows += size_of(sheet, lists->found[i]);
    }
    total += rows * size_of(sheet, u);
  }
  memset(lists->mark, 0xff, (size_t)sheet->unit_count * sizeof *lists->mark);
  return total;
}

talus_status tl_pattern_bodies(tl_linear *linear) {
  const tl_sheet *const sheet = linear->sheet;
  if (!linear->is_sparse) {
    return TALUS_OK;
  }
  unit_lists lists;
  TL_TRY(lists_make(linear, &lists));
  const int64_t entries = entries_count(linear, &lists);
  int64_t pairs = 0;
  for (int32_t k = 0; k < sheet->count; k++) {
    const int64_t touches = sheet->touch_first[k + 1] - sheet->touch_first[k];
    pairs += touches * touches;
  }
  const size_t count = (size_t)sheet->count, units = (size_t)sheet->unit_count;
  const size_t wanted = (size_t)(linear->order + 1 + entries);
  const int kept = linear->pattern.capacity >= wanted * sizeof(int64_t) && linear->start != NULL &&
                   linear->index == linear->start + linear->order + 1 &&
                   linear->start[linear->order] == entries;
  TL_TRY(tl_buffer_reserve(linear->context, &linear->pattern, wanted, sizeof(int64_t),
                           "sparse pattern"));
  TL_TRY(tl_buffer_reserve(linear->context, &linear->pairs, (size_t)pairs + count + 1 + units,
                           sizeof(int64_t), "sparse pattern"));
  TL_TRY(tl_buffer_reserve(linear->context, &linear->matrix, (size_t)entries, sizeof(double),
                           "sparse matrix"));
  linear->start = linear->pattern.memory;
  linear->index = linear->start + linear->order + 1;
  linear->value = linear->matrix.memory;
  linear->pair = linear->pairs.memory;
  linear->pair_first = linear->pair + pairs;
  linear->fresh = !columns_fill(linear, &lists, kept, linear->pair_first + count + 1);
  int64_t at = 0;
  for (int32_t k = 0; k < sheet->count; k++) {
    linear->pair_first[k] = at;
    for (int32_t p = sheet->touch_first[k]; p < sheet->touch_first[k + 1]; p++) {
      for (int32_t q = sheet->touch_first[k]; q < sheet->touch_first[k + 1]; q++) {
        linear->pair[at++] = block_place(linear, sheet->touch[p].unit, sheet->touch[q].unit);
      }
    }
  }
  linear->pair_first[count] = at;
  return TALUS_OK;
}

/* value(block) += J_p^T (K J_q); columns `stride` apart. */
static void product_add(const double *jp, int32_t np, const double *jq, int32_t nq,
                        const double *gain, int32_t rows, double *value, int64_t stride) {
  for (int32_t c = 0; c < nq; c++) {
    double kj[3];
    for (int32_t i = 0; i < rows; i++) {
      kj[i] = 0;
      for (int32_t j = 0; j < rows; j++) {
        kj[i] += gain[3 * i + j] * jq[(int64_t)j * nq + c];
      }
    }
    for (int32_t i = 0; i < rows; i++) {
      const double *const row = jp + (int64_t)i * np;
      for (int32_t r = 0; r < np; r++) {
        value[c * stride + r] += row[r] * kj[i];
      }
    }
  }
}

void tl_fill_bodies(const tl_linear *linear, double *value, int dense) {
  const tl_sheet *const sheet = linear->sheet;
  const int64_t order = linear->order;
  const int64_t entries = dense ? order * order : linear->start[order];
  const int64_t *const height = dense ? NULL : linear->pair_first + sheet->count + 1;
  memset(value, 0, (size_t)entries * sizeof *value);
  for (int32_t k = 0; k < sheet->count; k++) {
    const int32_t first = sheet->touch_first[k], end = sheet->touch_first[k + 1];
    const double *const gain = linear->gain + 9 * (int64_t)k;
    const int32_t rows = sheet->first[k + 1] - sheet->first[k];
    int64_t pair = dense ? 0 : linear->pair_first[k];
    double size = 0;
    for (int i = 0; i < 9; i++) {
      size += gain[i] * gain[i];
    }
    for (int32_t p = first; p < end && size != 0; p++) {
      for (int32_t q = first; q < end; q++, pair++) {
        const int32_t up = sheet->touch[p].unit, uq = sheet->touch[q].unit;
        const int64_t to =
            dense ? sheet->unit_first[up] + order * sheet->unit_first[uq] : linear->pair[pair];
        product_add(sheet->jacobian + sheet->touch[p].jacobian, size_of(sheet, up),
                    sheet->jacobian + sheet->touch[q].jacobian, size_of(sheet, uq), gain, rows,
                    value + to, dense ? order : height[uq]);
      }
    }
  }
  for (int32_t u = 0; u < sheet->unit_count; u++) {
    const int64_t at = dense ? sheet->unit_first[u] * (order + 1) : block_place(linear, u, u);
    for (int32_t c = 0; c < size_of(sheet, u); c++) {
      value[at + c * ((dense ? order : height[u]) + 1)] += 1;
    }
  }
}

/* W of few contacts: every pair that shares a unit. */
static int shares_unit(const tl_sheet *sheet, int32_t k, int32_t l) {
  for (int32_t p = sheet->touch_first[k]; p < sheet->touch_first[k + 1]; p++) {
    for (int32_t q = sheet->touch_first[l]; q < sheet->touch_first[l + 1]; q++) {
      if (sheet->touch[p].unit == sheet->touch[q].unit) {
        return 1;
      }
    }
  }
  return 0;
}

static void pair_block(const tl_sheet *sheet, int32_t k, int32_t l, double *block) {
  const int32_t rows = sheet->first[k + 1] - sheet->first[k];
  const int32_t columns = sheet->first[l + 1] - sheet->first[l];
  memset(block, 0, 9 * sizeof *block);
  for (int32_t p = sheet->touch_first[k]; p < sheet->touch_first[k + 1]; p++) {
    for (int32_t q = sheet->touch_first[l]; q < sheet->touch_first[l + 1]; q++) {
      if (sheet->touch[p].unit != sheet->touch[q].unit) {
        continue;
      }
      const int32_t size = size_of(sheet, sheet->touch[p].unit);
      for (int32_t i = 0; i < rows; i++) {
        for (int32_t j = 0; j < columns; j++) {
          const double *const x = sheet->jacobian + sheet->touch[p].jacobian + (int64_t)i * size;
          const double *const y = sheet->jacobian + sheet->touch[q].jacobian + (int64_t)j * size;
          for (int32_t c = 0; c < size; c++) {
            block[3 * i + j] += x[c] * y[c];
          }
        }
      }
    }
  }
}

talus_status tl_pattern_blocks(tl_linear *linear) {
  const tl_sheet *const sheet = linear->sheet;
  const size_t count = (size_t)sheet->count;
  TL_TRY(tl_buffer_reserve(linear->context, &linear->pairs,
                           count + 1 + (count * count + 1) / 2 + 9 * count * count, sizeof(int64_t),
                           "blocks of W"));
  linear->block_first = linear->pairs.memory;
  linear->block = (double *)(linear->block_first + count + 1);
  linear->block_column = (int32_t *)(linear->block + 9 * count * count);
  int64_t at = 0;
  for (int32_t k = 0; k < sheet->count; k++) {
    linear->block_first[k] = at;
    for (int32_t l = 0; l < sheet->count; l++) {
      if (k == l || shares_unit(sheet, k, l)) {
        linear->block_column[at] = l;
        pair_block(sheet, k, l, linear->block + 9 * at++);
      }
    }
  }
  linear->block_first[count] = at;
  return TALUS_OK;
}
