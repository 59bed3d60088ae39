/* assembly_matrix.c: form (c), W given. Rows become blocks of 3 x 3, bilateral rows blocks of one.
 *
 * W may be unsymmetric; the methods then solve the variational inequality, since they only ever
 * apply W. A diagonal block of trace 0 is replaced by the mean, and said so; one of negative trace
 * is refused. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/problem/assembly.h"
#include "host/problem/matrix.h"
#include "kernels/item/rigid.h"

typedef struct matrix_build {
  const talus_problem *problem;
  tl_assembly *assembly;
  int64_t *first;  /* [constraints + 1] pattern of blocks, ascending, the caller's numbering */
  int32_t *column; /* [blocks] */
  int32_t *colour, *place, *mark;
} matrix_build;

static int32_t constraint_of(const talus_problem *problem, int32_t row, int32_t *part) {
  const int64_t contact_rows = (int64_t)problem->dimension * problem->contact_count;
  *part = row < contact_rows ? row % problem->dimension : 0;
  return row < contact_rows ? row / problem->dimension
                            : problem->contact_count + (int32_t)(row - contact_rows);
}

/* The rows of constraint k. */
static void rows_of(const talus_problem *problem, int32_t k, int32_t *first, int32_t *count) {
  const int32_t contacts = problem->contact_count;
  *first = k < contacts ? problem->dimension * k : problem->dimension * contacts + (k - contacts);
  *count = k < contacts ? problem->dimension : 1;
}

static int ascending(const void *a, const void *b) {
  const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

/* Which blocks each row of blocks has; the diagonal one always. */
static void pattern_find(matrix_build *build) {
  const int32_t constraints = build->assembly->system.shape.contact_count;
  int64_t blocks = 0;
  memset(build->mark, 0xff, (size_t)constraints * sizeof *build->mark);
  for (int32_t k = 0; k < constraints; k++) {
    int32_t first, count, part;
    rows_of(build->problem, k, &first, &count);
    build->first[k] = blocks;
    build->column[blocks++] = k;
    build->mark[k] = k;
    for (int64_t e = build->assembly->rows.first[first];
         e < build->assembly->rows.first[first + count]; e++) {
      const int32_t other = constraint_of(build->problem, build->assembly->rows.index[e], &part);
      if (build->mark[other] != k) {
        build->mark[other] = k;
        build->column[blocks++] = other;
      }
    }
    qsort(build->column + build->first[k], (size_t)(blocks - build->first[k]), sizeof(int32_t),
          ascending);
  }
  build->first[constraints] = blocks;
}

/* Greedy colouring of the graph of W, whose pattern may be unsymmetric: a colour is refused if a
 * neighbour in either direction has it. reached[l] collects, as a linked list, the constraints
 * already coloured that have l in their row. */
static talus_status colour_find(talus_context *context, matrix_build *build, const tl_range *range,
                                int32_t *colours) {
  tl_assembly *const assembly = build->assembly;
  const int32_t constraints = assembly->system.shape.contact_count;
  const int64_t blocks = build->first[constraints];
  TL_TRY(tl_buffer_reserve(context, &assembly->scratch[0],
                           2 * (size_t)constraints + 1 + 2 * (size_t)blocks, sizeof(int32_t),
                           "colouring rows"));
  int32_t *const head = assembly->scratch[0].memory, *const taken = head + constraints;
  int32_t *const next = taken + constraints + 1, *const who = next + blocks;
  memset(head, 0xff, (size_t)constraints * sizeof *head);
  memset(taken, 0xff, ((size_t)constraints + 1) * sizeof *taken);
  int32_t links = 0;
  *colours = 0;
  for (int32_t k = range->first; k < range->first + range->count; k++) {
    for (int64_t e = build->first[k]; e < build->first[k + 1]; e++) {
      const int32_t other = build->column[e];
      if (other < k && other >= range->first) {
        taken[build->colour[other]] = k;
      }
    }
    for (int32_t l = head[k]; l >= 0; l = next[l]) {
      taken[build->colour[who[l]]] = k;
    }
    int32_t c = 0;
    while (taken[c] == k) {
      c++;
    }
    build->colour[k] = c;
    *colours = c + 1 > *colours ? c + 1 : *colours;
    for (int64_t e = build->first[k]; e < build->first[k + 1]; e++) {
      const int32_t other = build->column[e];
      who[links] = k;
      next[links] = head[other];
      head[other] = links++;
    }
  }
  return TALUS_OK;
}

static talus_status order_make(talus_context *context, matrix_build *build, int coloured) {
  tl_system *const system = &build->assembly->system;
  int32_t colours[TL_RANGE_MAX] = {1, 1};
  for (int32_t i = 0; i < system->shape.contact_count; i++) {
    system->order[i] = i;
  }
  for (int32_t r = 0; coloured && r < system->shape.range_count; r++) {
    TL_TRY(colour_find(context, build, &system->shape.range[r], &colours[r]));
  }
  TL_TRY(tl_order_finish(context, build->assembly, build->colour, colours, coloured));
  for (int32_t i = 0; i < system->shape.contact_count; i++) {
    build->place[system->order[i]] = i;
  }
  return TALUS_OK;
}

/* Block row `place`: columns in internal numbering, ascending, and values. */
static void row_fill(const matrix_build *build, int32_t place) {
  tl_system *const system = &build->assembly->system;
  const int32_t k = system->order[place];
  const int64_t at = system->row_first[place], size = build->first[k + 1] - build->first[k];
  int32_t *const column = system->column + at;
  double *const value = system->value + 9 * at;
  for (int64_t e = 0; e < size; e++) {
    column[e] = build->place[build->column[build->first[k] + e]];
  }
  qsort(column, (size_t)size, sizeof *column, ascending);
  memset(value, 0, 9 * (size_t)size * sizeof *value);
  for (int64_t e = 0; e < size; e++) {
    build->mark[column[e]] = (int32_t)e;
  }
  int32_t first, count, part;
  rows_of(build->problem, k, &first, &count);
  for (int32_t row = 0; row < count; row++) {
    for (int64_t e = build->assembly->rows.first[first + row];
         e < build->assembly->rows.first[first + row + 1]; e++) {
      const int32_t other = constraint_of(build->problem, build->assembly->rows.index[e], &part);
      value[9 * build->mark[build->place[other]] + 3 * row + part] +=
          build->assembly->rows.value[e];
    }
  }
}

static void free_fill(const matrix_build *build, int32_t place) {
  int32_t first, count;
  rows_of(build->problem, build->assembly->system.order[place], &first, &count);
  double q[3] = {0, 0, 0}, sizes[3];
  for (int32_t row = 0; row < count; row++) {
    q[row] = build->problem->delassus.q[first + row];
  }
  for (int32_t row = 0; row < 3; row++) {
    sizes[row] = fabs(q[row]);
  }
  build->assembly->rounding += tl_system_free(&build->assembly->system, place, q, sizes);
}

/* Scaling from the diagonal blocks. */
static talus_status scale_fill(talus_context *context, matrix_build *build) {
  tl_system *const system = &build->assembly->system;
  const int32_t constraints = system->shape.contact_count, contacts = build->problem->contact_count;
  double total = 0, largest = 0;
  int32_t good = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int32_t place = 0; place < constraints; place++) {
      const int32_t k = system->order[place], row = k >= contacts;
      const int32_t rows = row ? 1 : build->problem->dimension;
      const double *w = NULL;
      for (int64_t e = system->row_first[place]; w == NULL; e++) {
        w = system->column[e] == place ? system->value + 9 * e : NULL;
      }
      const double trace = w[0] + w[4] + w[8];
      if (pass == 0) {
        total += trace > 0 ? trace / rows : 0;
        good += trace > 0;
        largest = fmax(largest, fabs(trace));
        continue;
      }
      if (tl_trace_negative(trace, largest)) {
        return tl_assembly_refuse(context, build->assembly, place, trace);
      }
      const double mean = good > 0 ? total / good : 1;
      const double flat[9] = {mean, 0, 0, 0, rows > 1 ? mean : 0, 0, 0, 0, rows > 2 ? mean : 0};
      if (!(trace > 0)) {
        build->assembly->notes |= TALUS_NOTE_DIAGONAL_REPLACED;
        w = flat;
      }
      const double friction =
          row || build->problem->friction == NULL ? 0 : build->problem->friction[k];
      TL_TRY(tl_assembly_scale(context, build->assembly, place, w, rows, row, friction));
      free_fill(build, place);
    }
  }
  return TALUS_OK;
}

static talus_status build_run(talus_context *context, matrix_build *build, int coloured) {
  tl_assembly *const assembly = build->assembly;
  tl_shape *const shape = &assembly->system.shape;
  const size_t constraints = (size_t)shape->contact_count;
  TL_TRY(tl_lines_make(context, &build->problem->delassus.w, 0, &build->assembly->rows));
  const size_t most =
      constraints + (size_t)build->assembly->rows.first[build->assembly->rows.count];
  TL_TRY(tl_buffer_reserve(context, &assembly->scratch[1],
                           constraints + 1 + (most + 3 * constraints) / 2 + 1, sizeof(int64_t),
                           "pattern of W"));
  build->first = assembly->scratch[1].memory;
  build->column = (int32_t *)(build->first + constraints + 1);
  build->colour = build->column + most;
  build->place = build->colour + constraints;
  build->mark = build->place + constraints;
  memset(build->colour, 0, constraints * sizeof *build->colour);
  pattern_find(build);
  shape->value_count = build->first[shape->contact_count];
  TL_TRY(order_make(context, build, coloured));
  TL_TRY(tl_assembly_reserve(context, assembly));
  int64_t at = 0;
  for (int32_t place = 0; place < shape->contact_count; place++) {
    const int32_t k = assembly->system.order[place];
    assembly->system.row_first[place] = at;
    at += build->first[k + 1] - build->first[k];
    row_fill(build, place);
  }
  assembly->system.row_first[shape->contact_count] = at;
  if (assembly->system.end_first != NULL) {
    assembly->system.end_first[0] = 0;
  }
  return scale_fill(context, build);
}

talus_status tl_assemble_matrix(talus_context *context, const talus_problem *problem, int coloured,
                                tl_assembly *assembly) {
  matrix_build build = {.problem = problem, .assembly = assembly};
  tl_shape *const shape = &assembly->system.shape;
  shape->body_kind = TL_SPHERES;
  shape->velocity_size = 3 * shape->contact_count;
  shape->range[0] =
      (tl_range){.kind = TL_MATRIX, .rows = problem->dimension, .count = problem->contact_count};
  shape->range[1] = (tl_range){.kind = TL_MATRIX,
                               .rows = 1,
                               .bilateral = 1,
                               .first = problem->contact_count,
                               .count = problem->bilateral_count};
  shape->range_count = problem->bilateral_count > 0 ? 2 : 1;
  return build_run(context, &build, coloured);
}
