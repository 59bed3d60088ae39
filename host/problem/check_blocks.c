/* check_blocks.c: form (b): blocks of coordinates, their inverse masses, Jacobian blocks. */
#include <math.h>

#include "host/problem/check_values.h"

/* Entries of contacts or rows of form (b): offsets, block numbers, Jacobians. */
static talus_status entries_check(talus_context *context, const talus_blocks *blocks,
                                  const int64_t *start, const int32_t *block,
                                  const double *jacobian, int64_t count, int32_t rows,
                                  const char *names[3]) {
  TL_TRY(tl_check_offsets(context, start, count, names[0]));
  TL_TRY(tl_check_indices(context, block, start[count], 0, blocks->block_count, names[1]));
  int64_t reals = 0;
  for (int64_t e = 0; e < start[count]; e++) {
    reals += (int64_t)rows * blocks->block_size[block[e]];
  }
  for (int64_t k = 0; k < count; k++) {
    if (start[k] == start[k + 1]) {
      return tl_fail(context, TALUS_IMMOVABLE_PAIR, "%s: contact or row %lld has no block",
                     names[0], (long long)k);
    }
    for (int64_t e = start[k]; e < start[k + 1]; e++) {
      for (int64_t f = start[k]; f < e; f++) {
        if (block[e] == block[f]) {
          return tl_fail(context, TALUS_INVALID_ARGUMENT,
                         "%s[%lld]: block %d occurs twice in one "
                         "contact or row",
                         names[1], (long long)e, block[e]);
        }
      }
    }
  }
  return tl_check_numbers(context, jacobian, reals, names[2]);
}

/* M^-1 of each block is symmetric, up to rounding. */
static talus_status symmetry_check(talus_context *context, const talus_blocks *blocks) {
  const double *m = blocks->inverse_mass;
  for (int32_t i = 0; i < blocks->block_count; i++) {
    const int64_t size = blocks->block_size[i];
    for (int64_t r = 0; r < size; r++) {
      for (int64_t c = 0; c < r; c++) {
        const double a = m[r * size + c], b = m[c * size + r];
        const double scale = fmax(fabs(m[r * size + r]), fabs(m[c * size + c]));
        if (fabs(a - b) > 1e-6 * scale) {
          return tl_fail(context, TALUS_INVALID_ARGUMENT,
                         "blocks.inverse_mass of block %d is not symmetric: row %lld column %lld "
                         "is %g, the other way round %g",
                         i, (long long)r, (long long)c, a, b);
        }
      }
    }
    m += size * size;
  }
  return TALUS_OK;
}

talus_status tl_check_blocks(talus_context *context, const talus_problem *problem) {
  const talus_blocks *blocks = &problem->blocks;
  TL_TRY(tl_check_count(context, blocks->block_count, "blocks.block_count"));
  TL_TRY(tl_check_given(context, blocks->block_size, blocks->block_count, "blocks.block_size"));
  int64_t columns = 0, reals = 0;
  for (int32_t i = 0; i < blocks->block_count; i++) {
    const int64_t size = blocks->block_size[i];
    if (size < 1 || size > 100000) {
      return tl_fail(context, TALUS_SIZE_OVERFLOW,
                     "blocks.block_size[%d] is %lld, outside 1 .. "
                     "100000",
                     i, (long long)size);
    }
    columns += size;
    reals += size * size;
  }
  TL_TRY(tl_check_count(context, columns, "the sum of blocks.block_size"));
  TL_TRY(tl_check_numbers(context, blocks->inverse_mass, reals, "blocks.inverse_mass"));
  TL_TRY(symmetry_check(context, blocks));
  TL_TRY(tl_check_numbers(context, blocks->velocity, columns, "blocks.velocity"));
  const char *contact[3] = {"blocks.contact_start", "blocks.contact_block",
                            "blocks.contact_jacobian"};
  if (problem->contact_count > 0) {
    TL_TRY(entries_check(context, blocks, blocks->contact_start, blocks->contact_block,
                         blocks->contact_jacobian, problem->contact_count, problem->dimension,
                         contact));
  }
  TL_TRY(tl_check_finite(context, blocks->bias,
                         (int64_t)problem->dimension * problem->contact_count, "blocks.bias"));
  if (problem->bilateral_count > 0) {
    const char *row[3] = {"blocks.bilateral_start", "blocks.bilateral_block",
                          "blocks.bilateral_jacobian"};
    TL_TRY(entries_check(context, blocks, blocks->bilateral_start, blocks->bilateral_block,
                         blocks->bilateral_jacobian, problem->bilateral_count, 1, row));
  }
  return tl_check_finite(context, blocks->bilateral_bias, problem->bilateral_count,
                         "blocks.bilateral_bias");
}
