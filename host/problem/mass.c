/* mass.c: components by union-find, then dense Cholesky block by block. */
#include "host/problem/mass.h"

#include <string.h>

#include "host/math/dense.h"
#include "host/problem/islands.h"

enum { BLOCK_MAX = 4096 };

/* parent[i] = the smallest column of i's component. */
static void components_find(const tl_lines *lines, int32_t *parent) {
  for (int32_t i = 0; i < lines->count; i++) {
    parent[i] = i;
  }
  for (int32_t i = 0; i < lines->count; i++) {
    for (int64_t e = lines->first[i]; e < lines->first[i + 1]; e++) {
      const int32_t a = tl_forest_root(parent, i), b = tl_forest_root(parent, lines->index[e]);
      if (a != b) {
        parent[a > b ? a : b] = a > b ? b : a;
      }
    }
  }
  for (int32_t i = 0; i < lines->count; i++) {
    parent[i] = tl_forest_root(parent, i);
  }
}

/* Joins components into bodies of `group` columns if none crosses a border. */
static void components_group(int32_t *parent, int32_t size, int32_t group) {
  if (group <= 0 || size % group != 0) {
    return;
  }
  for (int32_t i = 0; i < size; i++) {
    if (parent[i] / group != i / group) {
      return;
    }
  }
  for (int32_t i = 0; i < size; i++) {
    parent[i] = i / group * group;
  }
}

/* Numbers blocks by their first column, lists their columns. */
static void blocks_list(tl_mass *mass, const int32_t *parent) {
  mass->block_count = 0;
  for (int32_t i = 0; i < mass->size; i++) {
    if (parent[i] == i) {
      mass->block_of[i] = mass->block_count;
      mass->block_size[mass->block_count++] = 0;
    } else {
      mass->block_of[i] = mass->block_of[parent[i]];
    }
    mass->place_of[i] = mass->block_size[mass->block_of[i]]++;
  }
  int32_t at = 0;
  for (int32_t b = 0; b < mass->block_count; b++) {
    mass->block_first[b] = at;
    at += mass->block_size[b];
  }
  for (int32_t i = 0; i < mass->size; i++) {
    mass->column[mass->block_first[mass->block_of[i]] + mass->place_of[i]] = i;
  }
}

static talus_status blocks_factor(talus_context *context, tl_mass *mass, const tl_lines *lines) {
  int64_t total = 0;
  for (int32_t b = 0; b < mass->block_count; b++) {
    const int64_t n = mass->block_size[b];
    if (n > BLOCK_MAX) {
      return tl_fail(context, TALUS_UNSUPPORTED,
                     "global.mass couples %lld columns (from column %d on); the limit is %d",
                     (long long)n, mass->column[mass->block_first[b]], BLOCK_MAX);
    }
    mass->factor_first[b] = total;
    total += n * n;
  }
  TL_TRY(tl_buffer_reserve(context, &mass->factors, (size_t)total, sizeof(double), "factors of M"));
  mass->factor = mass->factors.memory;
  memset(mass->factor, 0, (size_t)total * sizeof *mass->factor);
  for (int32_t i = 0; i < mass->size; i++) {
    const int32_t b = mass->block_of[i];
    double *const row =
        mass->factor + mass->factor_first[b] + (int64_t)mass->place_of[i] * mass->block_size[b];
    for (int64_t e = lines->first[i]; e < lines->first[i + 1]; e++) {
      row[mass->place_of[lines->index[e]]] += lines->value[e];
    }
  }
  for (int32_t b = 0; b < mass->block_count; b++) {
    if (!tl_dense_factor(mass->factor + mass->factor_first[b], mass->block_size[b])) {
      return tl_fail(context, TALUS_NEGATIVE_MASS,
                     "global.mass is not positive definite (block of column %d)",
                     mass->column[mass->block_first[b]]);
    }
  }
  return TALUS_OK;
}

talus_status tl_mass_make(talus_context *context, const talus_matrix *matrix, int32_t group,
                          tl_mass *mass) {
  const size_t size = (size_t)matrix->rows;
  TL_TRY(tl_lines_make(context, matrix, 0, &mass->rows));
  TL_TRY(tl_buffer_reserve(context, &mass->memory, 5 * size, sizeof(int64_t), "blocks of M"));
  mass->size = matrix->rows;
  mass->factor_first = mass->memory.memory;
  mass->block_size = (int32_t *)(mass->factor_first + size);
  mass->block_first = mass->block_size + size;
  mass->column = mass->block_first + size;
  mass->block_of = mass->column + size;
  mass->place_of = mass->block_of + size;
  int32_t *const parent = mass->place_of + size;
  components_find(&mass->rows, parent);
  components_group(parent, mass->size, group);
  blocks_list(mass, parent);
  return blocks_factor(context, mass, &mass->rows);
}

void tl_mass_release(talus_context *context, tl_mass *mass) {
  tl_lines_release(context, &mass->rows);
  tl_buffer_release(context, &mass->memory);
  tl_buffer_release(context, &mass->factors);
}

int64_t tl_mass_bytes(const tl_mass *mass) {
  return (int64_t)(mass->rows.memory.capacity + mass->memory.capacity + mass->factors.capacity);
}

void tl_mass_solve(const tl_mass *mass, double *v, double *scratch) {
  for (int32_t b = 0; b < mass->block_count; b++) {
    const int32_t *const column = mass->column + mass->block_first[b];
    for (int32_t i = 0; i < mass->block_size[b]; i++) {
      scratch[i] = v[column[i]];
    }
    tl_dense_solve(mass->factor + mass->factor_first[b], mass->block_size[b], scratch);
    for (int32_t i = 0; i < mass->block_size[b]; i++) {
      v[column[i]] = scratch[i];
    }
  }
}
