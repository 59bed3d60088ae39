/* islands.c: connected components by a forest of units, each tree rooted at its lowest unit. */
#include "host/problem/islands.h"

#include <string.h>

#include "host/base/structs.h"
#include "host/problem/layout.h"
#include "host/problem/matrix.h"
#include "host/problem/problem_check.h"
#include "kernels/item/rigid.h"

enum { UNTOUCHED = -1 };

talus_status tl_islands_begin(talus_context *context, tl_islands *islands, int32_t unit_count) {
  const size_t units = (size_t)unit_count;
  islands->unit_count = islands->count = 0; /* nothing stands if memory runs out */
  TL_TRY(tl_buffer_reserve(context, &islands->memory, 2 * units, sizeof(int32_t), "islands"));
  islands->unit_count = unit_count;
  islands->parent = islands->memory.memory;
  islands->of_unit = islands->parent + units;
  for (int32_t i = 0; i < unit_count; i++) {
    islands->parent[i] = UNTOUCHED;
  }
  return TALUS_OK;
}

static void unit_touch(tl_islands *islands, int32_t unit) {
  if (unit >= 0 && islands->parent[unit] == UNTOUCHED) {
    islands->parent[unit] = unit;
  }
}

void tl_islands_join(tl_islands *islands, int32_t a, int32_t b) {
  unit_touch(islands, a);
  unit_touch(islands, b);
  if (a < 0 || b < 0) {
    return;
  }
  const int32_t i = tl_forest_root(islands->parent, a), j = tl_forest_root(islands->parent, b);
  islands->parent[i < j ? j : i] = i < j ? i : j;
}

void tl_islands_number(tl_islands *islands) {
  int32_t *const parent = islands->parent, *const of_unit = islands->of_unit;
  islands->count = 0;
  for (int32_t i = 0; i < islands->unit_count; i++) {
    if (parent[i] == UNTOUCHED) {
      of_unit[i] = -1;
    } else {
      const int32_t root = tl_forest_root(parent, i);
      of_unit[i] = root == i ? islands->count++ : of_unit[root];
    }
  }
}

void tl_islands_release(talus_context *context, tl_islands *islands) {
  tl_buffer_release(context, &islands->memory);
}

/* ---- forms (a) and (b) ----------------------------------------------------------------------- */

static int32_t mover(const talus_rigid *rigid, int32_t body) {
  return tl_rigid_moves(rigid, body) ? body : -1;
}

static talus_status rigid_find(talus_context *context, const talus_problem *problem,
                               tl_islands *islands) {
  const talus_rigid *const r = &problem->rigid;
  TL_TRY(tl_islands_begin(context, islands, r->body_count));
  for (int32_t k = 0; k < problem->contact_count; k++) {
    tl_islands_join(islands, mover(r, r->body_a[k]), mover(r, r->body_b[k]));
  }
  for (int32_t k = 0; k < problem->bilateral_count; k++) {
    tl_islands_join(islands, mover(r, r->row_body_a[k]), mover(r, r->row_body_b[k]));
  }
  return TALUS_OK;
}

/* What cannot move is set apart in of_unit, which is free until the islands are numbered. */
static void movers_mark(const talus_blocks *blocks, int32_t *moves) {
  const double *entry = blocks->inverse_mass;
  for (int32_t i = 0; i < blocks->block_count; i++) {
    const int64_t area = (int64_t)blocks->block_size[i] * blocks->block_size[i];
    moves[i] = 0;
    for (int64_t e = 0; e < area; e++) {
      moves[i] |= entry[e] != 0;
    }
    entry += area;
  }
}

static void entries_join(tl_islands *islands, const int64_t *start, const int32_t *block,
                         int32_t count) {
  for (int32_t k = 0; k < count; k++) {
    int32_t first = -1;
    for (int64_t e = start[k]; e < start[k + 1]; e++) {
      const int32_t unit = islands->of_unit[block[e]] ? block[e] : -1;
      tl_islands_join(islands, first, unit);
      first = first < 0 ? unit : first;
    }
  }
}

static talus_status blocks_find(talus_context *context, const talus_problem *problem,
                                tl_islands *islands) {
  const talus_blocks *const b = &problem->blocks;
  TL_TRY(tl_islands_begin(context, islands, b->block_count));
  movers_mark(b, islands->of_unit);
  entries_join(islands, b->contact_start, b->contact_block, problem->contact_count);
  entries_join(islands, b->bilateral_start, b->bilateral_block, problem->bilateral_count);
  return TALUS_OK;
}

/* ---- forms (c) and (d): units are constraints, and behind them, in (d), the columns of M ----- */

static int32_t constraint_of(const talus_problem *problem, int64_t row) {
  const int64_t rows = (int64_t)problem->dimension * problem->contact_count;
  return row < rows ? (int32_t)(row / problem->dimension)
                    : (int32_t)(problem->contact_count + row - rows);
}

static talus_status delassus_find(talus_context *context, const talus_problem *problem,
                                  tl_islands *islands) {
  const int32_t constraints = problem->contact_count + problem->bilateral_count;
  const talus_matrix *const w = &problem->delassus.w;
  TL_TRY(tl_islands_begin(context, islands, constraints));
  for (int32_t k = 0; k < constraints; k++) {
    tl_islands_join(islands, k, k);
  }
  int64_t line = 0;
  int32_t row, column;
  for (int64_t e = 0; e < w->count; e++) {
    if (tl_matrix_place(w, e, &line, &row, &column)) {
      tl_islands_join(islands, constraint_of(problem, row), constraint_of(problem, column));
    }
  }
  return TALUS_OK;
}

/* Columns of M that no constraint reaches are no islands: the roots of all others are constraints.
 */
static void unconstrained_drop(tl_islands *islands, int32_t constraints) {
  for (int32_t i = 0; i < islands->unit_count; i++) {
    if (islands->parent[i] != UNTOUCHED) {
      islands->parent[i] = tl_forest_root(islands->parent, i);
    }
  }
  for (int32_t i = constraints; i < islands->unit_count; i++) {
    if (islands->parent[i] >= constraints) {
      islands->parent[i] = UNTOUCHED;
    }
  }
}

static talus_status global_find(talus_context *context, const talus_problem *problem,
                                tl_islands *islands) {
  const int32_t constraints = problem->contact_count + problem->bilateral_count;
  const talus_global *const g = &problem->global;
  int64_t line = 0;
  int32_t row, column;
  if (g->mass.rows > INT32_MAX - constraints) {
    return tl_fail(context, TALUS_SIZE_OVERFLOW, "global.mass has too many rows for islands");
  }
  TL_TRY(tl_islands_begin(context, islands, constraints + g->mass.rows));
  for (int32_t k = 0; k < constraints; k++) {
    tl_islands_join(islands, k, k);
  }
  for (int64_t e = 0; e < g->h.count; e++) {
    if (tl_matrix_place(&g->h, e, &line, &row, &column)) {
      tl_islands_join(islands, column / problem->dimension, constraints + row);
    }
  }
  line = 0;
  for (int64_t e = 0; problem->bilateral_count > 0 && e < g->g.count; e++) {
    if (tl_matrix_place(&g->g, e, &line, &row, &column)) {
      tl_islands_join(islands, problem->contact_count + column, constraints + row);
    }
  }
  line = 0;
  for (int64_t e = 0; e < g->mass.count; e++) {
    if (tl_matrix_place(&g->mass, e, &line, &row, &column)) {
      tl_islands_join(islands, constraints + row, constraints + column);
    }
  }
  unconstrained_drop(islands, constraints);
  return TALUS_OK;
}

talus_status tl_islands_find(talus_context *context, const talus_problem *problem,
                             tl_islands *islands) {
  talus_status status;
  switch (problem->form) {
  case TALUS_FORM_RIGID:
    status = rigid_find(context, problem, islands);
    break;
  case TALUS_FORM_BLOCKS:
    status = blocks_find(context, problem, islands);
    break;
  case TALUS_FORM_DELASSUS:
    status = delassus_find(context, problem, islands);
    break;
  default:
    status = global_find(context, problem, islands);
  }
  if (status == TALUS_OK) {
    tl_islands_number(islands);
  }
  return status;
}

/* The first unit that moves; there is one, or the problem would have been refused. */
static int32_t list_island(const tl_islands *islands, const int64_t *start, const int32_t *block,
                           int32_t k) {
  int32_t island = -1;
  for (int64_t e = start[k]; e < start[k + 1] && island < 0; e++) {
    island = islands->of_unit[block[e]];
  }
  return island;
}

static int32_t pair_island(const tl_islands *islands, int32_t a, int32_t b) {
  const int32_t island = a >= 0 ? islands->of_unit[a] : -1;
  return island >= 0 || b < 0 ? island : islands->of_unit[b];
}

int32_t tl_islands_of(const tl_islands *islands, const talus_problem *problem, int32_t constraint) {
  const talus_rigid *const r = &problem->rigid;
  const talus_blocks *const b = &problem->blocks;
  const int32_t row = constraint - problem->contact_count;
  if (problem->form == TALUS_FORM_RIGID) {
    return row < 0 ? pair_island(islands, r->body_a[constraint], r->body_b[constraint])
                   : pair_island(islands, r->row_body_a[row], r->row_body_b[row]);
  }
  if (problem->form == TALUS_FORM_BLOCKS) {
    return row < 0 ? list_island(islands, b->contact_start, b->contact_block, constraint)
                   : list_island(islands, b->bilateral_start, b->bilateral_block, row);
  }
  return islands->of_unit[constraint];
}

/* ---- the public door ------------------------------------------------------------------------- */

void talus_islands_init(talus_islands *islands, size_t size) {
  static const talus_islands defaults;
  tl_struct_init(&tl_struct_islands, &defaults, islands, size);
}

static void islands_fill(const tl_islands *found, const talus_problem *problem,
                         const talus_islands *islands) {
  for (int32_t k = 0; islands->contact != NULL && k < problem->contact_count; k++) {
    islands->contact[k] = tl_islands_of(found, problem, k);
  }
  for (int32_t k = 0; islands->row != NULL && k < problem->bilateral_count; k++) {
    islands->row[k] = tl_islands_of(found, problem, problem->contact_count + k);
  }
  if (islands->body != NULL) {
    memcpy(islands->body, found->of_unit, (size_t)found->unit_count * sizeof *islands->body);
  }
}

static talus_status islands_find(talus_context *context, const talus_problem *given,
                                 talus_islands *islands) {
  talus_islands wanted = talus_islands_default();
  tl_problem_copy copy;
  TL_TRY(tl_struct_read(context, &tl_struct_islands, "islands", islands, &wanted));
  TL_TRY(tl_problem_copy_make(context, given, &copy));
  const talus_problem *problem;
  tl_gathered gathered;
  tl_islands found;
  memset(&gathered, 0, sizeof gathered);
  memset(&found, 0, sizeof found);
  talus_status status = tl_problem_gather(context, &copy.problem, &gathered, &problem);
  if (status == TALUS_OK) {
    status = tl_problem_check(context, problem);
  }
  if (status == TALUS_OK && wanted.body != NULL && problem->form != TALUS_FORM_RIGID &&
      problem->form != TALUS_FORM_BLOCKS) {
    status = tl_fail(context, TALUS_UNSUPPORTED,
                     "islands.body is for forms RIGID and BLOCKS: this one has no bodies");
  }
  if (status == TALUS_OK) {
    status = tl_islands_find(context, problem, &found);
  }
  if (status == TALUS_OK) {
    islands->count = found.count;
    islands_fill(&found, problem, &wanted);
  }
  tl_islands_release(context, &found);
  tl_gathered_release(context, &gathered);
  return status;
}

talus_status talus_islands_find(talus_context *context, const talus_problem *problem,
                                talus_islands *islands) {
  TL_TRY(tl_context_enter(context));
  const talus_status status = islands_find(context, problem, islands);
  tl_context_leave(context);
  return status;
}
