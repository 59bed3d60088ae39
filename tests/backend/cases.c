/* cases.c: random contact problems of every kind, made here so that the tests of the backends
 * depend on nothing but the seam and what builds its input. */
#include "tests/backend/cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *case_name(case_kind kind) {
  static const char *const names[CASE_COUNT] = {"spheres",
                                                "spheres and rows",
                                                "arms",
                                                "arms and rows",
                                                "blocks",
                                                "plane blocks",
                                                "matrix",
                                                "matrix of an LCP",
                                                "rows only",
                                                "empty",
                                                "spheres, rows with bounds",
                                                "arms, rows with bounds",
                                                "blocks, rows with bounds",
                                                "matrix, rows with bounds",
                                                "soft spheres",
                                                "soft arms",
                                                "soft blocks",
                                                "soft W",
                                                "spheres of six rows",
                                                "arms of six rows, elliptic",
                                                "blocks of six rows, elliptic",
                                                "spheres in bricks",
                                                "arms in bricks"};
  return names[kind];
}

double case_random(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return (double)(*state >> 8) / 16777216.0;
}

static double spread(uint32_t *state) {
  return 2 * case_random(state) - 1;
}

static int32_t pick(uint32_t *state, int32_t count) {
  return (int32_t)(case_random(state) * (double)count);
}

static void *room(test_case *test, int64_t count, size_t size) {
  void *const memory = calloc((size_t)count + 1, size);
  if (memory == NULL) {
    abort(); /* a test without memory proves nothing */
  }
  test->memory[test->memory_count++] = memory;
  return memory;
}

static double *reals(test_case *test, int64_t count, double scale, uint32_t *state) {
  double *const value = room(test, count, sizeof *value);
  for (int64_t i = 0; i < count; i++) {
    value[i] = scale * spread(state);
  }
  return value;
}

static double *frictions(test_case *test, int32_t count, uint32_t *state) {
  double *const value = room(test, count, sizeof *value);
  for (int32_t i = 0; i < count; i++) {
    value[i] = i % 11 == 3 ? 0 : case_random(state);
  }
  return value;
}

/* ---- rigid bodies ---------------------------------------------------------------------------- */

/* Some bodies are immovable, and about one in ten touches nothing. */
static void bodies_make(test_case *test, int32_t count, int round, uint32_t *state) {
  talus_rigid *const rigid = &test->problem.rigid;
  double *const mass = room(test, count, sizeof *mass);
  double *const inertia = room(test, 6 * (int64_t)count, sizeof *inertia);
  for (int32_t i = 0; i < count; i++) {
    const int fixed = i % 17 == 5;
    double *const m = inertia + 6 * (int64_t)i;
    mass[i] = fixed ? 0 : 0.5 + case_random(state);
    m[0] = m[3] = m[5] = fixed ? 0 : 1 + 3 * case_random(state);
    if (!round && !fixed) { /* still positive definite */
      m[3] *= 1.5;
      m[1] = 0.3 * spread(state);
      m[2] = 0.3 * spread(state);
      m[4] = 0.3 * spread(state);
    }
  }
  rigid->body_count = count;
  rigid->velocity = reals(test, 6 * (int64_t)count, 1, state);
  rigid->inverse_mass = mass;
  rigid->inverse_inertia = inertia;
}

static int is_fixed(const talus_rigid *rigid, int32_t body) {
  return body < 0 || !(rigid->inverse_mass[body] > 0);
}

/* Two bodies of which one moves; neighbours more often than not, -1 now and then. */
static void pair_make(const talus_rigid *rigid, int32_t *a, int32_t *b, uint32_t *state) {
  const int32_t count = rigid->body_count - rigid->body_count / 10;
  do {
    *a = pick(state, count);
    *b = case_random(state) < 0.6 ? (*a + 1 + pick(state, 4)) % count : pick(state, count);
    *b = case_random(state) < 0.05 ? -1 : *b;
  } while (*a == *b || (is_fixed(rigid, *a) && is_fixed(rigid, *b)));
}

static void contacts_make(test_case *test, int32_t count, int reaches, uint32_t *state) {
  talus_rigid *const rigid = &test->problem.rigid;
  int32_t *const a = room(test, count, sizeof *a), *const b = room(test, count, sizeof *b);
  double *const normal = room(test, 3 * (int64_t)count, sizeof *normal);
  for (int32_t k = 0; k < count; k++) {
    pair_make(rigid, &a[k], &b[k], state);
    double *const n = normal + 3 * (int64_t)k, length;
    do {
      n[0] = spread(state);
      n[1] = spread(state);
      n[2] = spread(state);
      length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    } while (length < 0.1);
    for (int c = 0; c < 3; c++) {
      n[c] /= length;
    }
  }
  rigid->body_a = a;
  rigid->body_b = b;
  rigid->normal = normal;
  rigid->bias = reals(test, count, 0.1, state);
  if (reaches) {
    rigid->reach_a = reals(test, count, 0.5, state);
    rigid->reach_b = reals(test, count, 0.5, state);
  } else {
    rigid->arm_a = reals(test, 3 * (int64_t)count, 0.5, state);
    rigid->arm_b = reals(test, 3 * (int64_t)count, 0.5, state);
  }
  test->problem.contact_count = count;
  test->problem.friction = frictions(test, count, state);
}

static void rows_make(test_case *test, int32_t count, uint32_t *state) {
  talus_rigid *const rigid = &test->problem.rigid;
  int32_t *const a = room(test, count, sizeof *a), *const b = room(test, count, sizeof *b);
  for (int32_t k = 0; k < count; k++) {
    pair_make(rigid, &a[k], &b[k], state);
  }
  rigid->row_body_a = a;
  rigid->row_body_b = b;
  rigid->row_jacobian = reals(test, 12 * (int64_t)count, 1, state);
  rigid->row_bias = reals(test, count, 0.1, state);
  test->problem.bilateral_count = count;
}

static void rigid_make(test_case *test, case_kind kind, int32_t size, uint32_t *state) {
  const int round = kind == CASE_SPHERES || kind == CASE_SPHERES_ROWS ||
                    kind == CASE_SPHERES_BOUNDS || kind == CASE_SPHERES_SOFT ||
                    kind == CASE_SPHERES_TORQUE || kind == CASE_SPHERES_BRICKS;
  const int with_rows = kind == CASE_SPHERES_ROWS || kind == CASE_ARMS_ROWS ||
                        kind == CASE_ROWS_ONLY || kind >= CASE_SPHERES_BOUNDS;
  test->problem = talus_problem_default(TALUS_FORM_RIGID);
  bodies_make(test, size, round, state);
  contacts_make(test, kind == CASE_EMPTY || kind == CASE_ROWS_ONLY ? 0 : 2 * size + 3, round,
                state);
  if (with_rows) {
    rows_make(test, size / 3 + 1, state);
  }
}

/* ---- Jacobian blocks ------------------------------------------------------------------------- */

/* Entries of constraints: one to three different blocks each. */
static int64_t *entries_make(test_case *test, int32_t count, int32_t rows, const int32_t **block,
                             const double **jacobian, uint32_t *state) {
  const talus_blocks *const blocks = &test->problem.blocks;
  int64_t *const start = room(test, count + 1, sizeof *start);
  int32_t *const unit = room(test, 3 * (int64_t)count, sizeof *unit);
  int64_t values = 0;
  for (int32_t k = 0; k < count; k++) {
    const int32_t wanted = 1 + pick(state, 3), from = pick(state, blocks->block_count);
    start[k + 1] = start[k];
    for (int32_t e = 0; e < wanted; e++) {
      const int32_t i = (from + e * e) % blocks->block_count;
      unit[start[k + 1]++] = i;
      values += (int64_t)rows * blocks->block_size[i];
    }
  }
  *block = unit;
  *jacobian = reals(test, values, 1, state);
  return start;
}

static void blocks_make(test_case *test, int32_t dimension, int32_t size, uint32_t *state) {
  test->problem = talus_problem_default(TALUS_FORM_BLOCKS);
  talus_blocks *const blocks = &test->problem.blocks;
  int32_t *const sizes = room(test, size, sizeof *sizes);
  int64_t velocities = 0, masses = 0;
  for (int32_t i = 0; i < size; i++) {
    sizes[i] = 1 + i % 7;
    velocities += sizes[i];
    masses += (int64_t)sizes[i] * sizes[i];
  }
  double *mass = room(test, masses, sizeof *mass);
  blocks->block_count = size;
  blocks->block_size = sizes;
  blocks->inverse_mass = mass;
  for (int32_t i = 0; i < size; i++) { /* symmetric, its diagonal dominant */
    for (int32_t r = 0; r < sizes[i]; r++) {
      mass[r * sizes[i] + r] = 1 + case_random(state);
      for (int32_t c = 0; c < r; c++) {
        mass[r * sizes[i] + c] = mass[c * sizes[i] + r] = 0.1 * spread(state);
      }
    }
    mass += (int64_t)sizes[i] * sizes[i];
  }
  blocks->velocity = reals(test, velocities, 1, state);
  test->problem.dimension = dimension;
  test->problem.contact_count = 2 * size + 5;
  test->problem.bilateral_count = size / 4 + 1;
  const int32_t contacts = test->problem.contact_count, rows = test->problem.bilateral_count;
  blocks->contact_start = entries_make(test, contacts, dimension, &blocks->contact_block,
                                       &blocks->contact_jacobian, state);
  blocks->bias = reals(test, (int64_t)dimension * contacts, 0.1, state);
  blocks->bilateral_start =
      entries_make(test, rows, 1, &blocks->bilateral_block, &blocks->bilateral_jacobian, state);
  test->problem.friction = frictions(test, contacts, state);
}

/* ---- W --------------------------------------------------------------------------------------- */

/* A band, symmetric with a dominant diagonal, in triplets. */
static void matrix_make(test_case *test, int32_t dimension, int32_t size, uint32_t *state) {
  enum { BAND = 9 };
  test->problem = talus_problem_default(TALUS_FORM_DELASSUS);
  test->problem.dimension = dimension;
  test->problem.contact_count = size + 3;
  test->problem.bilateral_count = dimension == 3 ? size / 5 + 1 : 0;
  const int32_t rows = dimension * test->problem.contact_count + test->problem.bilateral_count;
  const int64_t most = (int64_t)rows * (BAND + 1);
  int32_t *const i = room(test, most, sizeof *i), *const j = room(test, most, sizeof *j);
  double *const value = room(test, most, sizeof *value);
  int64_t count = 0;
  for (int32_t r = 0; r < rows; r++) {
    for (int32_t c = r > BAND / 2 ? r - BAND / 2 : 0; c <= r; c++) {
      const double w = c == r ? 2 + case_random(state) : 0.4 * spread(state);
      i[count] = r, j[count] = c, value[count++] = w;
      if (c != r) {
        i[count] = c, j[count] = r, value[count++] = w;
      }
    }
  }
  talus_matrix *const w = &test->problem.delassus.w;
  w->storage = TALUS_STORAGE_TRIPLET;
  w->rows = w->columns = rows;
  w->count = count;
  w->index = i;
  w->index2 = j;
  w->value = value;
  test->problem.delassus.q = reals(test, rows, 1, state);
  test->problem.friction = frictions(test, test->problem.contact_count, state);
}

/* Bounds of every sort: both, one, equal ones, none. */
static void bounds_make(test_case *test, uint32_t *state) {
  const int32_t count = test->problem.bilateral_count;
  double *const lower = room(test, count, sizeof *lower);
  double *const upper = room(test, count, sizeof *upper);
  for (int32_t r = 0; r < count; r++) {
    const double size = 0.3 * case_random(state);
    lower[r] = r % 5 == 0 ? -size : r % 5 == 1 ? 0 : r % 5 == 2 ? -0.5 * size : -INFINITY;
    upper[r] = r % 5 == 0 ? 2 * size : r % 5 == 2 ? lower[r] : r % 5 == 3 ? size : INFINITY;
  }
  test->problem.row_lower = lower;
  test->problem.row_upper = upper;
}

/* Compliances of every sort, C_n and C_t apart, with targets; one contact in nine is rigid. */
static void compliance_make(test_case *test, uint32_t *state) {
  const int32_t contacts = test->problem.contact_count, rows = test->problem.bilateral_count;
  double *const c = room(test, 2 * (int64_t)contacts, sizeof *c);
  double *const row = room(test, rows, sizeof *row);
  for (int32_t i = 0; i < 2 * contacts; i++) {
    c[i] = i / 2 % 9 == 4 ? 0 : 0.3 * case_random(state);
  }
  for (int32_t r = 0; r < rows; r++) {
    row[r] = r % 4 == 1 ? 0 : 0.2 * case_random(state);
  }
  test->problem.compliance = c;
  test->problem.target_impulse =
      reals(test, (int64_t)test->problem.dimension * contacts, 0.2, state);
  test->problem.row_compliance = row;
  test->problem.row_target_impulse = reals(test, rows, 0.2, state);
}

/* Friction of spinning and rolling; some contacts have only one of them, or none. */
static void torques_make(test_case *test, int elliptic, uint32_t *state) {
  talus_problem *const p = &test->problem;
  double *const torque = room(test, 2 * (int64_t)p->contact_count, sizeof *torque);
  double *const across = room(test, p->contact_count, sizeof *across);
  for (int32_t i = 0; i < 2 * p->contact_count; i++) {
    torque[i] = i % 7 == 2 ? 0 : 0.3 * case_random(state);
  }
  for (int32_t k = 0; k < p->contact_count; k++) {
    across[k] = p->friction[k] * (k % 5 == 1 ? 1 : 0.1 + 2 * case_random(state));
  }
  p->dimension = 6;
  p->torque_friction = torque;
  if (elliptic) {
    p->cross_friction = across;
    p->friction_direction =
        p->form == TALUS_FORM_RIGID ? reals(test, 3 * (int64_t)p->contact_count, 1, state) : NULL;
  }
}

/* Three bricks along each edge of a cube, so that some constraints reach too far. */
static void bricks_make(test_case *test, uint32_t *state) {
  test->problem.positions = reals(test, 3 * (int64_t)test->problem.rigid.body_count, 1, state);
  test->problem.brick_size = 0.7;
}

void case_make(test_case *test, case_kind kind, int32_t size, uint32_t seed) {
  uint32_t state = seed * 2654435761u + (uint32_t)kind;
  memset(test, 0, sizeof *test);
  switch (kind) {
  case CASE_BLOCKS:
  case CASE_BLOCKS_BOUNDS:
  case CASE_BLOCKS_SOFT:
    blocks_make(test, 3, size, &state);
    break;
  case CASE_BLOCKS_TORQUE:
    blocks_make(test, 6, size, &state);
    break;
  case CASE_BLOCKS_PLANE:
    blocks_make(test, 2, size, &state);
    break;
  case CASE_MATRIX:
  case CASE_MATRIX_BOUNDS:
  case CASE_MATRIX_SOFT:
    matrix_make(test, 3, size, &state);
    break;
  case CASE_MATRIX_LINE:
    matrix_make(test, 1, size, &state);
    break;
  default:
    rigid_make(test, kind, size, &state);
    break;
  }
  if (kind >= CASE_SPHERES_BRICKS) {
    bricks_make(test, &state);
  } else if (kind >= CASE_SPHERES_TORQUE) {
    torques_make(test, kind != CASE_SPHERES_TORQUE, &state);
  }
  if (kind >= CASE_SPHERES_BOUNDS) {
    bounds_make(test, &state);
  }
  if (kind >= CASE_SPHERES_SOFT) {
    compliance_make(test, &state);
  }
}

void case_release(test_case *test) {
  for (int i = 0; i < test->memory_count; i++) {
    free(test->memory[i]);
  }
  memset(test, 0, sizeof *test);
}
