/* linear_pattern.c: patterns: I + J^T K J over the bodies, and W over the contacts of small ones.
 */
#include <stdlib.h>
#include <string.h>

#include "host/method/newton/linear.h"

/* Constraints of each unit: list[first[u]] .. list[first[u + 1] - 1], ascending. */
static void units_list(const tl_scaled *scaled, int32_t *first, int32_t *list) {
  memset(first, 0, ((size_t)scaled->unit_count + 2) * sizeof *first);
  const int32_t entries = scaled->entry_first[scaled->count];
  for (int32_t e = 0; e < entries; e++) {
    first[scaled->entry[e].unit + 2]++;
  }
  for (int32_t u = 0; u < scaled->unit_count; u++) {
    first[u + 2] += first[u + 1];
  }
  for (int32_t k = 0; k < scaled->count; k++) {
    for (int32_t e = scaled->entry_first[k]; e < scaled->entry_first[k + 1]; e++) {
      list[first[scaled->entry[e].unit + 1]++] = k;
    }
  }
}

static int ascending(const void *a, const void *b) {
  const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

static int32_t size_of(const tl_scaled *scaled, int32_t unit) {
  return scaled->unit_first[unit + 1] - scaled->unit_first[unit];
}

/* Neighbours of unit u (itself among them), ascending; returns how many. */
static int32_t neighbours_find(const tl_scaled *scaled, const int32_t *first, const int32_t *list,
                               int32_t u, int32_t *mark, int32_t *found) {
  int32_t count = 0;
  found[count++] = u;
  mark[u] = u;
  for (int32_t i = first[u]; i < first[u + 1]; i++) {
    const int32_t k = list[i];
    for (int32_t e = scaled->entry_first[k]; e < scaled->entry_first[k + 1]; e++) {
      const int32_t other = scaled->entry[e].unit;
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
  const tl_scaled *const scaled = linear->scaled;
  const size_t units = (size_t)scaled->unit_count,
               entries = (size_t)scaled->entry_first[scaled->count];
  TL_TRY(tl_buffer_reserve(linear->context, &linear->blocks, 3 * units + 3 + entries,
                           sizeof(int32_t), "neighbours of bodies"));
  lists->first = linear->blocks.memory;
  lists->list = lists->first + units + 2;
  lists->mark = lists->list + entries;
  lists->found = lists->mark + units;
  units_list(scaled, lists->first, lists->list);
  memset(lists->mark, 0xff, units * sizeof *lists->mark);
  return TALUS_OK;
}

/* Columns of the matrix; whether they are those of before. */
static int columns_fill(tl_linear *linear, const unit_lists *lists, int kept, int64_t *height) {
  const tl_scaled *const scaled = linear->scaled;
  int same = kept;
  int64_t at = 0;
  for (int32_t u = 0; u < scaled->unit_count; u++) {
    const int32_t count =
        neighbours_find(scaled, lists->first, lists->list, u, lists->mark, lists->found);
    const int64_t base = at;
    for (int32_t c = 0; c < size_of(scaled, u); c++) {
      int64_t *const start = linear->start + scaled->unit_first[u] + c;
      same = same && *start == at;
      *start = at;
      for (int32_t i = 0; i < count; i++) {
        const int32_t other = lists->found[i];
        for (int32_t r = 0; r < size_of(scaled, other); r++, at++) {
          same = same && linear->index[at] == scaled->unit_first[other] + r;
          linear->index[at] = scaled->unit_first[other] + r;
        }
      }
    }
    height[u] = size_of(scaled, u) > 0 ? (at - base) / size_of(scaled, u) : 0;
  }
  same = same && linear->start[linear->order] == at;
  linear->start[linear->order] = at;
  return same;
}

/* Where block (row unit, column unit) begins: its first column's entry of its first row. */
static int64_t block_place(const tl_linear *linear, int32_t row, int32_t column) {
  const int64_t c = linear->scaled->unit_first[column], wanted = linear->scaled->unit_first[row];
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
  const tl_scaled *const scaled = linear->scaled;
  int64_t total = 0;
  for (int32_t u = 0; u < scaled->unit_count; u++) {
    const int32_t count =
        neighbours_find(scaled, lists->first, lists->list, u, lists->mark, lists->found);
    int64_t rows = 0;
    for (int32_t i = 0; i < count; i++) {
      rows += size_of(scaled, lists->found[i]);
    }
    total += rows * size_of(scaled, u);
  }
  memset(lists->mark, 0xff, (size_t)scaled->unit_count * sizeof *lists->mark);
  return total;
}

talus_status tl_pattern_bodies(tl_linear *linear) {
  const tl_scaled *const scaled = linear->scaled;
  if (!linear->is_sparse) {
    return TALUS_OK;
  }
  unit_lists lists;
  TL_TRY(lists_make(linear, &lists));
  const int64_t entries = entries_count(linear, &lists);
  int64_t pairs = 0;
  for (int32_t k = 0; k < scaled->count; k++) {
    const int64_t own = scaled->entry_first[k + 1] - scaled->entry_first[k];
    pairs += own * own;
  }
  const size_t count = (size_t)scaled->count, units = (size_t)scaled->unit_count;
  const size_t wanted = (size_t)(linear->order + 1 + entries);
  const bool kept = linear->pattern.capacity >= wanted * sizeof(int64_t) && linear->start != NULL &&
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
  for (int32_t k = 0; k < scaled->count; k++) {
    linear->pair_first[k] = at;
    for (int32_t p = scaled->entry_first[k]; p < scaled->entry_first[k + 1]; p++) {
      for (int32_t q = scaled->entry_first[k]; q < scaled->entry_first[k + 1]; q++) {
        linear->pair[at++] = block_place(linear, scaled->entry[p].unit, scaled->entry[q].unit);
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
  const tl_scaled *const scaled = linear->scaled;
  const int64_t order = linear->order;
  const int64_t entries = dense ? order * order : linear->start[order];
  const int64_t *const height = dense ? NULL : linear->pair_first + scaled->count + 1;
  memset(value, 0, (size_t)entries * sizeof *value);
  for (int32_t k = 0; k < scaled->count; k++) {
    const int32_t first = scaled->entry_first[k], end = scaled->entry_first[k + 1];
    const double *const gain = linear->gain + 9 * (int64_t)k;
    const int32_t rows = scaled->first[k + 1] - scaled->first[k];
    int64_t pair = dense ? 0 : linear->pair_first[k];
    double size = 0;
    for (int i = 0; i < 9; i++) {
      size += gain[i] * gain[i];
    }
    for (int32_t p = first; p < end && size != 0; p++) {
      for (int32_t q = first; q < end; q++, pair++) {
        const int32_t up = scaled->entry[p].unit, uq = scaled->entry[q].unit;
        const int64_t to =
            dense ? scaled->unit_first[up] + order * scaled->unit_first[uq] : linear->pair[pair];
        product_add(scaled->jacobian + scaled->entry[p].jacobian, size_of(scaled, up),
                    scaled->jacobian + scaled->entry[q].jacobian, size_of(scaled, uq), gain, rows,
                    value + to, dense ? order : height[uq]);
      }
    }
  }
  for (int32_t u = 0; u < scaled->unit_count; u++) {
    const int64_t at = dense ? scaled->unit_first[u] * (order + 1) : block_place(linear, u, u);
    for (int32_t c = 0; c < size_of(scaled, u); c++) {
      value[at + c * ((dense ? order : height[u]) + 1)] += 1;
    }
  }
}

/* W of few contacts: every pair that shares a unit. */
static bool shares_unit(const tl_scaled *scaled, int32_t k, int32_t l) {
  for (int32_t p = scaled->entry_first[k]; p < scaled->entry_first[k + 1]; p++) {
    for (int32_t q = scaled->entry_first[l]; q < scaled->entry_first[l + 1]; q++) {
      if (scaled->entry[p].unit == scaled->entry[q].unit) {
        return true;
      }
    }
  }
  return false;
}

static void pair_block(const tl_scaled *scaled, int32_t k, int32_t l, double *block) {
  const int32_t rows = scaled->first[k + 1] - scaled->first[k];
  const int32_t columns = scaled->first[l + 1] - scaled->first[l];
  memset(block, 0, 9 * sizeof *block);
  for (int32_t p = scaled->entry_first[k]; p < scaled->entry_first[k + 1]; p++) {
    for (int32_t q = scaled->entry_first[l]; q < scaled->entry_first[l + 1]; q++) {
      if (scaled->entry[p].unit != scaled->entry[q].unit) {
        continue;
      }
      const int32_t size = size_of(scaled, scaled->entry[p].unit);
      for (int32_t i = 0; i < rows; i++) {
        for (int32_t j = 0; j < columns; j++) {
          const double *const x = scaled->jacobian + scaled->entry[p].jacobian + (int64_t)i * size;
          const double *const y = scaled->jacobian + scaled->entry[q].jacobian + (int64_t)j * size;
          for (int32_t c = 0; c < size; c++) {
            block[3 * i + j] += x[c] * y[c];
          }
        }
      }
    }
  }
}

talus_status tl_pattern_blocks(tl_linear *linear) {
  const tl_scaled *const scaled = linear->scaled;
  const size_t count = (size_t)scaled->count;
  TL_TRY(tl_buffer_reserve(linear->context, &linear->pairs,
                           count + 1 + (count * count + 1) / 2 + 9 * count * count, sizeof(int64_t),
                           "blocks of W"));
  linear->block_first = linear->pairs.memory;
  linear->block = (double *)(linear->block_first + count + 1);
  linear->block_column = (int32_t *)(linear->block + 9 * count * count);
  int64_t at = 0;
  for (int32_t k = 0; k < scaled->count; k++) {
    linear->block_first[k] = at;
    for (int32_t l = 0; l < scaled->count; l++) {
      if (k == l || shares_unit(scaled, k, l)) {
        linear->block_column[at] = l;
        pair_block(scaled, k, l, linear->block + 9 * at++);
      }
    }
  }
  linear->block_first[count] = at;
  return TALUS_OK;
}
