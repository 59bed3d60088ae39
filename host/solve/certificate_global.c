/* certificate_global.c: facts of form (d), M and H sparse.
 *
 * Nothing here is shared with the solvers but the block factorisation of M, whose result the
 * momentum balance checks. */
#include <math.h>
#include <string.h>

#include "host/math/dense.h"
#include "host/problem/problem_check.h"
#include "host/solve/certificate.h"

/* The columns of a matrix: taken as they are where they are stored so. */
static talus_status columns_take(talus_context *context, const talus_matrix *matrix,
                                 tl_lines *lines) {
  if (matrix->storage != TALUS_STORAGE_CSC || matrix->count == 0) {
    return tl_lines_make(context, matrix, 1, lines);
  }
  tl_lines_release(context, lines);
  lines->count = matrix->columns;
  lines->first = (int64_t *)matrix->start; /* read only */
  lines->index = (int32_t *)matrix->index;
  lines->value = (double *)matrix->value;
  return TALUS_OK;
}

/* sum over the columns of a constraint of h^T M^-1 h, block by block. column is 0, of M's size, and
 * left so; block is room for two blocks. */
static double global_trace(const tl_mass *mass, const tl_lines *columns, int64_t first,
                           int64_t count, double *column, double *block) {
  double trace = 0;
  for (int64_t c = first; c < first + count; c++) {
    for (int64_t e = columns->first[c]; e < columns->first[c + 1]; e++) {
      column[columns->index[e]] += columns->value[e];
    }
    for (int64_t e = columns->first[c]; e < columns->first[c + 1]; e++) {
      if (column[columns->index[e]] == 0) {
        continue; /* 0, or its block has had its turn */
      }
      const int32_t b = mass->block_of[columns->index[e]], size = mass->block_size[b];
      double *const solved = block + size;
      for (int32_t i = 0; i < size; i++) {
        double *const place = column + mass->column[mass->block_first[b] + i];
        block[i] = solved[i] = *place;
        *place = 0;
      }
      tl_dense_solve(mass->factor + mass->factor_first[b], size, solved);
      for (int32_t i = 0; i < size; i++) {
        trace += block[i] * solved[i];
      }
    }
  }
  return trace;
}

/* g' W_kk g of an elliptic cone, whose g is along t1 or t2: that row's part of the trace. */
static double global_squeezed(const tl_certification *j, int32_t k, double *column, double *block) {
  const tl_ellipse ellipse = tl_problem_ellipse(j->problem, k);
  const int64_t first = (int64_t)j->problem->dimension * k;
  double sum = 0;
  for (int c = 1; c < 3; c++) {
    const double g = ellipse.squeeze[c];
    sum += g != 0 ? g * g * global_trace(&j->mass, &j->h, first + c, 1, column, block) : 0;
  }
  return sum;
}

static void global_weights(const tl_certification *j, double *column, double *block) {
  const int64_t contacts = j->problem->contact_count, d = j->problem->dimension;
  memset(column, 0, (size_t)j->mass.size * sizeof *column);
  const int64_t force = d < 3 ? d : 3;
  for (int64_t k = 0; k < contacts; k++) {
    j->weight[k] = global_trace(&j->mass, &j->h, d * k, force, column, block) / (double)force;
    if (d == 6) {
      j->turn_weight[k] = global_trace(&j->mass, &j->h, d * k + 3, 3, column, block) / 3;
    }
    if (j->problem->cross_friction != NULL) {
      j->squeezed[k] = global_squeezed(j, (int32_t)k, column, block);
    }
  }
  for (int64_t row = 0; row < j->problem->bilateral_count; row++) {
    j->weight[contacts + row] = global_trace(&j->mass, &j->g, row, 1, column, block);
  }
}

/* H^T v + w of one column, or G^T v + b, and the same with absolute values. */
static double line_velocity(const tl_lines *lines, int64_t line, const double *bias,
                            const double *v, double *size) {
  double sum = bias != NULL ? bias[line] : 0;
  *size = fabs(sum);
  for (int64_t e = lines->first[line]; e < lines->first[line + 1]; e++) {
    const double part = lines->value[e] * v[lines->index[e]];
    sum += part;
    *size += fabs(part);
  }
  return sum;
}

static void global_facts(const tl_certification *j, int32_t first, int32_t count, tl_facts *facts) {
  const int32_t contacts = j->problem->contact_count;
  const bool bilateral = first >= contacts;
  const tl_lines *const lines = bilateral ? &j->g : &j->h;
  const double *const bias = bilateral ? j->problem->global.b : j->problem->global.w;
  const int32_t rows = bilateral ? 1 : j->problem->dimension;
  for (int64_t i = 0; i < count; i++) {
    for (int64_t c = 0; c < rows; c++) {
      const int64_t line = (int64_t)rows * (first - (bilateral ? contacts : 0) + i) + c;
      const int64_t at = 3 * i + c % 3;
      const bool force = c < 3;
      double size;
      (force ? facts->velocity : facts->spins.velocity)[at] =
          line_velocity(lines, line, bias, j->motion, &size);
      (force ? facts->free : facts->spins.free)[at] = line_velocity(
          lines, line, bias, j->before, (force ? facts->rounding : facts->spins.rounding) + at);
    }
    facts->weight[i] = j->weight[first + i];
    if (j->wrenches && !bilateral) {
      facts->spins.weight[i] = j->turn_weight[first + i];
      facts->squeezed[i] = j->squeezed[first + i];
    }
  }
}

/* M v = f + H r + G s; the balance says how well. */
static void global_move(tl_certification *j, double *balance, double *block) {
  const talus_global *const global = &j->problem->global;
  const int64_t size = global->mass.rows;
  double handed = 0, missing = 0;
  memset(j->motion, 0, (size_t)size * sizeof *j->motion);
  if (j->impulse != NULL) {
    tl_judge_apply(&global->h, 0, j->impulse, j->motion);
  }
  if (j->problem->bilateral_count > 0 && j->bilateral != NULL) {
    tl_judge_apply(&global->g, 0, j->bilateral, j->motion);
  }
  for (int64_t i = 0; i < size; i++) {
    j->motion[i] = global->f[i] + j->motion[i];
    j->before[i] = global->f[i];
    balance[i] = -j->motion[i];
    handed += j->motion[i] * j->motion[i];
  }
  tl_mass_solve(&j->mass, j->motion, block);
  tl_mass_solve(&j->mass, j->before, block);
  tl_judge_apply(&global->mass, 0, j->motion, balance);
  for (int64_t i = 0; i < size; i++) {
    missing += balance[i] * balance[i];
  }
  j->momentum_balance = handed > 0 ? sqrt(missing / handed) : 0;
}

talus_status tl_certify_global(talus_context *context, tl_certification *j) {
  const talus_global *const global = &j->problem->global;
  const size_t size = (size_t)global->mass.rows;
  const size_t constraints =
      (size_t)j->problem->contact_count + (size_t)j->problem->bilateral_count;
  TL_TRY(tl_mass_make(context, &global->mass, 0, &j->mass));
  TL_TRY(columns_take(context, &global->h, &j->h));
  if (j->problem->bilateral_count > 0) {
    TL_TRY(columns_take(context, &global->g, &j->g));
  }
  const size_t wrenches = j->wrenches ? (size_t)j->problem->contact_count : 0;
  TL_TRY(tl_buffer_reserve(context, &j->memory, 2 * size + constraints + 2 * wrenches,
                           sizeof(double), "certificate"));
  TL_TRY(tl_buffer_reserve(context, &j->scratch, 3 * size, sizeof(double), "certificate"));
  j->motion = j->memory.memory;
  j->motion_count = (int64_t)size;
  j->before = j->motion + size;
  j->weight = j->before + size;
  j->turn_weight = j->weight + constraints;
  j->squeezed = j->turn_weight + wrenches;
  memset(j->turn_weight, 0, 2 * wrenches * sizeof *j->turn_weight);
  double *const column = j->scratch.memory, *const block = column + size;
  global_move(j, column, block);
  global_weights(j, column, block);
  j->facts = global_facts;
  return TALUS_OK;
}
