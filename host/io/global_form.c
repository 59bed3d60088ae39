/* global_form.c: form BLOCKS as form GLOBAL, see global_form.h. */
#include "host/io/global_form.h"

#include <string.h>

#include "host/math/dense.h"

/* Where each block's numbers are, and which unknown each of its velocities became. */
typedef struct block_map {
  const talus_blocks *blocks;
  int64_t *offset;  /* [block_count + 1] into velocity */
  int32_t *unknown; /* [velocities] -1 = immovable */
  int32_t count;    /* of unknowns */
} block_map;

static talus_status map_blocks(talus_stored *scratch, const talus_blocks *blocks, block_map *map) {
  const size_t count = (size_t)blocks->block_count;
  void *offset, *unknown;
  TL_TRY(tl_stored_alloc(scratch, &offset, count + 1, sizeof(int64_t), "block offsets"));
  map->blocks = blocks;
  map->offset = offset;
  for (size_t b = 0; b < count; b++) {
    map->offset[b + 1] = map->offset[b] + blocks->block_size[b];
  }
  if (map->offset[count] >= INT32_MAX) {
    return tl_fail(tl_stored_context(scratch), TALUS_SIZE_OVERFLOW, "%lld velocities are too many",
                   (long long)map->offset[count]);
  }
  TL_TRY(
      tl_stored_alloc(scratch, &unknown, (size_t)map->offset[count], sizeof(int32_t), "unknowns"));
  map->unknown = unknown;
  const double *inverse = blocks->inverse_mass;
  for (size_t b = 0; b < count; b++) {
    const int32_t size = blocks->block_size[b];
    for (int32_t i = 0; i < size; i++, inverse += size) {
      int moves = 0;
      for (int32_t j = 0; j < size; j++) {
        moves |= inverse[j] != 0;
      }
      map->unknown[map->offset[b] + i] = moves ? map->count++ : -1;
    }
  }
  return TALUS_OK;
}

/* ---- mass ------------------------------------------------------------------------------------ */

typedef struct mass_builder {
  const block_map *map;
  double *lower;  /* factor of one block's movable part */
  double *column; /* one column of its inverse */
  int32_t *place; /* the movable velocities of the block */
  int64_t entry;
  int64_t *start;
  int32_t *index;
  double *value;
  double *f;
} mass_builder;

static int32_t gather_block(mass_builder *builder, int32_t b, const double *inverse) {
  const int32_t size = builder->map->blocks->block_size[b];
  const int32_t *unknown = builder->map->unknown + builder->map->offset[b];
  int32_t count = 0;
  for (int32_t i = 0; i < size; i++) {
    if (unknown[i] >= 0) {
      builder->place[count++] = i;
    }
  }
  for (int32_t i = 0; i < count; i++) {
    for (int32_t j = 0; j < count; j++) {
      builder->lower[(int64_t)i * count + j] =
          inverse[(int64_t)builder->place[i] * size + builder->place[j]];
    }
  }
  return count;
}

/* A pivot of rounding size is a singular block, though the factorisation may have gone through. */
static bool factor_block(double *a, int64_t count) {
  if (!tl_dense_factor(a, count)) {
    return false;
  }
  for (int64_t i = 0; i < count; i++) {
    double diagonal = 0;
    for (int64_t k = 0; k <= i; k++) {
      diagonal += a[i * count + k] * a[i * count + k];
    }
    if (a[i * count + i] * a[i * count + i] < 1e-14 * diagonal) {
      return false;
    }
  }
  return true;
}

/* One column of the inverse after the other. */
static bool invert_block(mass_builder *builder, int32_t b, const double *inverse) {
  const block_map *map = builder->map;
  const int32_t *unknown = map->unknown + map->offset[b];
  const double *velocity = map->blocks->velocity + map->offset[b];
  const int32_t count = gather_block(builder, b, inverse);
  if (!factor_block(builder->lower, count)) {
    return false;
  }
  for (int32_t c = 0; c < count; c++) {
    memset(builder->column, 0, (size_t)count * sizeof(double));
    builder->column[c] = 1;
    tl_dense_solve(builder->lower, count, builder->column);
    for (int32_t i = 0; i < count; i++) {
      if (builder->column[i] != 0) {
        const int32_t row = unknown[builder->place[i]];
        builder->index[builder->entry] = row;
        builder->value[builder->entry++] = builder->column[i];
        builder->f[row] += builder->column[i] * velocity[builder->place[c]];
      }
    }
    builder->start[unknown[builder->place[c]] + 1] = builder->entry;
  }
  return true;
}

static talus_status allocate_mass(talus_stored *scratch, const block_map *map,
                                  mass_builder *builder) {
  size_t largest = 0, entries = 0;
  for (int32_t b = 0; b < map->blocks->block_count; b++) {
    const size_t size = (size_t)map->blocks->block_size[b];
    largest = size > largest ? size : largest;
    entries += size * size;
  }
  void *lower, *column, *place, *start, *index, *value, *f;
  const size_t unknowns = (size_t)map->count;
  TL_TRY(tl_stored_alloc(scratch, &lower, largest * largest, sizeof(double), "mass block"));
  TL_TRY(tl_stored_alloc(scratch, &column, largest, sizeof(double), "mass block"));
  TL_TRY(tl_stored_alloc(scratch, &place, largest, sizeof(int32_t), "mass block"));
  TL_TRY(tl_stored_alloc(scratch, &start, unknowns + 1, sizeof(int64_t), "M"));
  TL_TRY(tl_stored_alloc(scratch, &index, entries, sizeof(int32_t), "M"));
  TL_TRY(tl_stored_alloc(scratch, &value, entries, sizeof(double), "M"));
  TL_TRY(tl_stored_alloc(scratch, &f, unknowns, sizeof(double), "f"));
  *builder = (mass_builder){map, lower, column, place, 0, start, index, value, f};
  return TALUS_OK;
}

static talus_status build_mass(talus_stored *scratch, const block_map *map, talus_global *global) {
  mass_builder builder;
  TL_TRY(allocate_mass(scratch, map, &builder));
  const double *inverse = map->blocks->inverse_mass;
  for (int32_t b = 0; b < map->blocks->block_count; b++) {
    const int64_t size = map->blocks->block_size[b];
    if (!invert_block(&builder, b, inverse)) {
      return tl_fail(tl_stored_context(scratch), TALUS_NEGATIVE_MASS,
                     "inverse mass of block %d: not positive definite, so that it has no mass "
                     "matrix to be written",
                     b);
    }
    inverse += size * size;
  }
  global->mass = (talus_matrix){TALUS_STORAGE_CSC, map->count,    map->count, builder.entry,
                                builder.start,     builder.index, NULL,       builder.value};
  global->f = builder.f;
  return TALUS_OK;
}

/* ---- contacts and rows: the same but for the number of rows each has ------------------------- */

typedef struct row_family {
  int32_t count, dimension;
  const int64_t *start;
  const int32_t *block;
  const double *jacobian;
  const double *bias;
} row_family;

static talus_status allocate_rows(talus_stored *scratch, const block_map *map,
                                  const row_family *family, void **start, void **index,
                                  void **value, void **bias) {
  size_t entries = 0;
  const int64_t last = family->count > 0 ? family->start[family->count] : 0;
  for (int64_t e = 0; e < last; e++) {
    entries += (size_t)map->blocks->block_size[family->block[e]] * (size_t)family->dimension;
  }
  const size_t rows = (size_t)family->count * (size_t)family->dimension;
  TL_TRY(tl_stored_alloc(scratch, start, rows + 1, sizeof(int64_t), "H or G"));
  TL_TRY(tl_stored_alloc(scratch, index, entries, sizeof(int32_t), "H or G"));
  TL_TRY(tl_stored_alloc(scratch, value, entries, sizeof(double), "H or G"));
  return tl_stored_alloc(scratch, bias, rows, sizeof(double), "w or b");
}

/* One Jacobian row of one entry: movable parts into the matrix, the others into the bias. */
static int64_t add_row(const block_map *map, int32_t b, const double *row, int64_t entry,
                       int32_t *index, double *value, double *bias) {
  for (int64_t i = 0; i < map->blocks->block_size[b]; i++) {
    const int64_t velocity = map->offset[b] + i;
    if (map->unknown[velocity] < 0) {
      *bias += row[i] * map->blocks->velocity[velocity];
    } else if (row[i] != 0) {
      index[entry] = map->unknown[velocity];
      value[entry++] = row[i];
    }
  }
  return entry;
}

static talus_status build_rows(talus_stored *scratch, const block_map *map,
                               const row_family *family, talus_matrix *matrix,
                               const double **bias) {
  void *start, *index, *value, *sum;
  TL_TRY(allocate_rows(scratch, map, family, &start, &index, &value, &sum));
  const double *jacobian = family->jacobian;
  const int64_t dimension = family->dimension;
  int64_t entry = 0;
  for (int64_t k = 0; k < family->count; k++) {
    const double *first = jacobian;
    for (int64_t i = 0; i < dimension; i++) {
      double *row_bias = (double *)sum + k * dimension + i;
      *row_bias = family->bias != NULL ? family->bias[k * dimension + i] : 0;
      jacobian = first;
      for (int64_t e = family->start[k]; e < family->start[k + 1]; e++) {
        const int64_t size = map->blocks->block_size[family->block[e]];
        entry = add_row(map, family->block[e], jacobian + i * size, entry, index, value, row_bias);
        jacobian += dimension * size;
      }
      ((int64_t *)start)[k * dimension + i + 1] = entry;
    }
  }
  *matrix = (talus_matrix){TALUS_STORAGE_CSC,
                           map->count,
                           (int32_t)(family->count * dimension),
                           entry,
                           start,
                           index,
                           NULL,
                           value};
  *bias = sum;
  return TALUS_OK;
}

talus_status tl_global_from_blocks(talus_stored *scratch, const talus_problem *problem,
                                   talus_problem *result) {
  const talus_blocks *blocks = &problem->blocks;
  block_map map = {0};
  *result = talus_problem_default(TALUS_FORM_GLOBAL);
  result->dimension = problem->dimension;
  result->contact_count = problem->contact_count;
  result->bilateral_count = problem->bilateral_count;
  result->friction = problem->friction;
  TL_TRY(map_blocks(scratch, blocks, &map));
  TL_TRY(build_mass(scratch, &map, &result->global));
  const row_family contacts = {problem->contact_count,   problem->dimension,
                               blocks->contact_start,    blocks->contact_block,
                               blocks->contact_jacobian, blocks->bias};
  TL_TRY(build_rows(scratch, &map, &contacts, &result->global.h, &result->global.w));
  if (problem->bilateral_count == 0) {
    return TALUS_OK;
  }
  const row_family rows = {problem->bilateral_count,   1,
                           blocks->bilateral_start,    blocks->bilateral_block,
                           blocks->bilateral_jacobian, blocks->bilateral_bias};
  return build_rows(scratch, &map, &rows, &result->global.g, &result->global.b);
}
