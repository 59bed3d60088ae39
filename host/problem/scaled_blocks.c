/* scaled_blocks.c: W of a scaled problem by 3 x 3 blocks, from a system that has it as a matrix. */
#include <string.h>

#include "host/problem/scaled.h"

/* Blocks of W in scaled units, without the rows that frictionless contacts do not have. */
static void blocks_fill(const tl_system *system, tl_scaled *p) {
  for (int32_t k = 0; k < p->count; k++) {
    const int32_t rows = p->first[k + 1] - p->first[k];
    for (int64_t e = system->row_first[k]; e < system->row_first[k + 1]; e++) {
      const int32_t l = system->column[e], columns = p->first[l + 1] - p->first[l];
      const double scale = 1 / (p->root[k] * p->root[l]);
      for (int32_t i = 0; i < 3; i++) {
        for (int32_t j = 0; j < 3; j++) {
          p->block[9 * e + 3 * i + j] =
              i < rows && j < columns ? scale * system->value[9 * e + 3 * i + j] : 0;
        }
      }
    }
  }
}

talus_status tl_scaled_blocks(talus_context *context, const tl_system *system, tl_scaled *p) {
  TL_TRY(tl_buffer_reserve(context, &p->jacobians, 9 * (size_t)system->shape.value_count,
                           sizeof(double), "blocks of a scaled problem"));
  p->block = p->jacobians.memory;
  p->block_first = system->row_first;
  p->block_column = system->column;
  blocks_fill(system, p);
  return TALUS_OK;
}

/* Row block k of W times y. */
static void block_row(const tl_scaled *p, int32_t k, const double *y, double *u) {
  const int32_t rows = p->first[k + 1] - p->first[k];
  double sum[3] = {0, 0, 0};
  for (int64_t e = p->block_first[k]; e < p->block_first[k + 1]; e++) {
    const int32_t l = p->block_column[e], columns = p->first[l + 1] - p->first[l];
    const double *const w = p->block + 9 * e, *const x = y + p->first[l];
    if (columns == 3) {
      sum[0] += w[0] * x[0] + w[1] * x[1] + w[2] * x[2];
      sum[1] += w[3] * x[0] + w[4] * x[1] + w[5] * x[2];
      sum[2] += w[6] * x[0] + w[7] * x[1] + w[8] * x[2];
      continue;
    }
    for (int32_t i = 0; i < rows; i++) {
      for (int32_t j = 0; j < columns; j++) {
        sum[i] += w[3 * i + j] * x[j];
      }
    }
  }
  memcpy(u + p->first[k], sum, (size_t)rows * sizeof *sum);
}

void tl_scaled_blocks_apply(const tl_scaled *p, const double *y, double *u) {
  for (int32_t k = 0; k < p->count; k++) {
    block_row(p, k, y, u);
  }
}
