/* certificate_blocks.c: facts of form (b), Jacobian blocks against blocks of M^-1. */
#include <math.h>
#include <string.h>

#include "host/problem/problem_check.h"
#include "host/solve/certificate.h"

/* Contacts or bilateral rows, whichever constraint `first` is one of. */
typedef struct block_rows {
  const int64_t *start;
  const int32_t *block;
  const double *jacobian, *bias, *impulse;
  int32_t count, rows;
  const int64_t *run_first; /* where the Jacobians of each run of TL_FACTS begin */
} block_rows;

static block_rows rows_of(const tl_certification *j, int bilateral) {
  const talus_blocks *const blocks = &j->problem->blocks;
  if (bilateral) {
    return (block_rows){blocks->bilateral_start,
                        blocks->bilateral_block,
                        blocks->bilateral_jacobian,
                        blocks->bilateral_bias,
                        j->bilateral,
                        j->problem->bilateral_count,
                        1,
                        j->jacobian_first + tl_facts_runs(j->problem->contact_count)};
  }
  return (block_rows){blocks->contact_start,
                      blocks->contact_block,
                      blocks->contact_jacobian,
                      blocks->bias,
                      j->impulse,
                      j->problem->contact_count,
                      j->problem->dimension,
                      j->jacobian_first};
}

/* Momentum handed to each block, and where the runs begin. */
static void blocks_momentum(tl_certification *j, int bilateral) {
  const talus_blocks *const blocks = &j->problem->blocks;
  const block_rows rows = rows_of(j, bilateral);
  int64_t *const run_first = j->jacobian_first + (rows.run_first - j->jacobian_first);
  int64_t at = 0;
  for (int64_t k = 0; k < rows.count; k++) {
    if (k % TL_FACTS == 0) {
      run_first[k / TL_FACTS] = at;
    }
    for (int64_t e = rows.start[k]; e < rows.start[k + 1]; e++) {
      const int32_t size = blocks->block_size[rows.block[e]];
      double *const motion = j->motion + j->velocity_first[rows.block[e]];
      for (int32_t row = 0; row < rows.rows; row++, at += size) {
        for (int32_t c = 0; c < size && rows.impulse != NULL; c++) {
          motion[c] += rows.jacobian[at + c] * rows.impulse[rows.rows * k + row];
        }
      }
    }
  }
}

/* v + M^-1 momentum. */
static void blocks_move(const tl_certification *j, double *column) {
  const talus_blocks *const blocks = &j->problem->blocks;
  for (int32_t i = 0; i < blocks->block_count; i++) {
    const int32_t size = blocks->block_size[i];
    double *const motion = j->motion + j->velocity_first[i];
    const double *const m = blocks->inverse_mass + j->inverse_first[i];
    memcpy(column, motion, (size_t)size * sizeof *column);
    for (int32_t r = 0; r < size; r++) {
      motion[r] = blocks->velocity[j->velocity_first[i] + r];
      for (int32_t c = 0; c < size; c++) {
        motion[r] += m[(int64_t)r * size + c] * column[c];
      }
    }
  }
}

/* Where the facts of row `row` of fact i stand. */
typedef struct line_facts {
  double *velocity, *free, *rounding;
} line_facts;

static line_facts line_of(tl_facts *facts, int64_t i, int32_t row) {
  const int64_t at = 3 * i + row % 3;
  tl_spins *const spins = &facts->spins;
  return row < 3 ? (line_facts){facts->velocity + at, facts->free + at, facts->rounding + at}
                 : (line_facts){spins->velocity + at, spins->free + at, spins->rounding + at};
}

/* One row of a constraint against one block, added to its facts; returns its part of the trace. */
static double line_add(const double *line, const double *inverse, const double *motion,
                       const double *before, int32_t size, line_facts to) {
  double trace = 0;
  for (int32_t c = 0; c < size; c++) {
    *to.velocity += line[c] * motion[c];
    *to.free += line[c] * before[c];
    *to.rounding += fabs(line[c] * before[c]);
    for (int32_t d = 0; d < size; d++) {
      trace += line[c] * inverse[(int64_t)c * size + d] * line[d];
    }
  }
  return trace;
}

/* What an entry of contact k adds to g' W_kk g. */
static double entry_squeezed(const double *g, const double *jacobian, const double *inverse,
                             int32_t size) {
  double sum = 0;
  for (int32_t c = 0; c < size; c++) {
    for (int32_t d = 0; d < size; d++) {
      double left = 0, right = 0;
      for (int row = 0; row < 3; row++) {
        left += g[row] * jacobian[(int64_t)row * size + c];
        right += g[row] * jacobian[(int64_t)row * size + d];
      }
      sum += left * inverse[(int64_t)c * size + d] * right;
    }
  }
  return sum;
}

static void blocks_facts(const tl_certification *j, int32_t first, int32_t count, tl_facts *facts) {
  const talus_blocks *const blocks = &j->problem->blocks;
  const bool bilateral = first >= j->problem->contact_count;
  const block_rows rows = rows_of(j, bilateral);
  const int64_t begin = bilateral ? first - j->problem->contact_count : first;
  int64_t at = rows.run_first[begin / TL_FACTS];
  for (int64_t i = 0; i < count; i++) {
    const int64_t k = begin + i;
    const bool elliptic = !bilateral && j->problem->cross_friction != NULL;
    double trace = 0, turn = 0;
    tl_ellipse ellipse = {0, {0, 0, 0}};
    if (elliptic) {
      ellipse = tl_problem_ellipse(j->problem, (int32_t)k);
    }
    for (int32_t row = 0; row < rows.rows; row++) {
      const double given = rows.bias != NULL ? rows.bias[rows.rows * k + row] : 0;
      const line_facts to = line_of(facts, i, row);
      *to.velocity = *to.free = given;
      *to.rounding = fabs(given);
    }
    for (int64_t e = rows.start[k]; e < rows.start[k + 1]; e++) {
      const int32_t b = rows.block[e], size = blocks->block_size[b];
      const double *const inverse = blocks->inverse_mass + j->inverse_first[b];
      if (elliptic) {
        facts->squeezed[i] += entry_squeezed(ellipse.squeeze, rows.jacobian + at, inverse, size);
      }
      for (int32_t row = 0; row < rows.rows; row++, at += size) {
        *(row < 3 ? &trace : &turn) +=
            line_add(rows.jacobian + at, inverse, j->motion + j->velocity_first[b],
                     blocks->velocity + j->velocity_first[b], size, line_of(facts, i, row));
      }
    }
    facts->weight[i] = trace / (rows.rows < 3 ? rows.rows : 3);
    if (rows.rows == 6) {
      facts->spins.weight[i] = turn / 3;
    }
  }
}

/* Memory, and where the matrices and velocities of each block begin. */
static talus_status blocks_index(talus_context *context, tl_certification *j, double **column) {
  const talus_blocks *const blocks = &j->problem->blocks;
  const size_t count = (size_t)blocks->block_count;
  const size_t runs = (size_t)(tl_facts_runs(j->problem->contact_count) +
                               tl_facts_runs(j->problem->bilateral_count));
  int64_t inverse = 0, velocity = 0, largest = 1;
  for (size_t i = 0; i < count; i++) {
    largest = blocks->block_size[i] > largest ? blocks->block_size[i] : largest;
    velocity += blocks->block_size[i];
  }
  j->motion_count = velocity;
  TL_TRY(tl_buffer_reserve(context, &j->memory, (size_t)velocity + 2 * count + runs, sizeof(double),
                           "certificate"));
  TL_TRY(tl_buffer_reserve(context, &j->scratch, (size_t)largest, sizeof(double), "certificate"));
  j->motion = j->memory.memory;
  j->inverse_first = (int64_t *)(j->motion + velocity);
  j->velocity_first = j->inverse_first + count;
  j->jacobian_first = j->velocity_first + count;
  *column = j->scratch.memory;
  velocity = 0;
  for (size_t i = 0; i < count; i++) {
    j->inverse_first[i] = inverse;
    j->velocity_first[i] = velocity;
    inverse += (int64_t)blocks->block_size[i] * blocks->block_size[i];
    velocity += blocks->block_size[i];
  }
  return TALUS_OK;
}

talus_status tl_certify_blocks(talus_context *context, tl_certification *j) {
  double *column;
  TL_TRY(blocks_index(context, j, &column));
  memset(j->motion, 0, (size_t)j->motion_count * sizeof *j->motion);
  blocks_momentum(j, 0);
  if (j->problem->bilateral_count > 0) {
    blocks_momentum(j, 1);
  }
  blocks_move(j, column);
  j->facts = blocks_facts;
  return TALUS_OK;
}
