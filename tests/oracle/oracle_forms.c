/* oracle_forms.c: one model of bodies and Jacobians, handed out in any of the four forms. */
#include <math.h>
#include <string.h>

#include "tests/oracle/oracle_dense.h"
#include "tests/oracle/oracle_make.h"

typedef long double real;

/* A dense array in the storage wanted. Every fifth entry of a sparse one is stored as two halves.
 */
static talus_matrix matrix_store(oracle_made *made, talus_storage storage, int rows, int columns,
                                 const real *dense) {
  const size_t room = 2 * (size_t)rows * (size_t)columns;
  const int by_row = storage == TALUS_STORAGE_CSR;
  const int lines = by_row ? rows : columns, across = by_row ? columns : rows;
  int64_t *start = oracle_keep(made, (size_t)lines + 1, sizeof *start);
  int32_t *index = oracle_keep(made, room, sizeof *index);
  int32_t *index2 = oracle_keep(made, room, sizeof *index2);
  double *value = oracle_keep(made, room, sizeof *value);
  int64_t count = 0;
  for (int line = 0; line < lines; line++) {
    for (int other = 0; other < across; other++) {
      const int row = by_row ? line : other, column = by_row ? other : line;
      const double entry = (double)dense[(size_t)row * (size_t)columns + (size_t)column];
      const int is_dense = storage == TALUS_STORAGE_DENSE;
      const int copies = !is_dense && (row + 2 * column) % 5 == 0 ? 2 : 1;
      for (int copy = 0; copy < copies && (entry != 0.0 || is_dense); copy++) {
        index[count] = storage == TALUS_STORAGE_TRIPLET ? row : other;
        index2[count] = column;
        value[count++] = entry / copies;
      }
    }
    start[line + 1] = count;
  }
  talus_matrix matrix = {storage, rows, columns, count, NULL, NULL, NULL, value};
  if (storage == TALUS_STORAGE_CSC || storage == TALUS_STORAGE_CSR) {
    matrix.start = start;
  }
  if (storage != TALUS_STORAGE_DENSE) {
    matrix.index = index;
  }
  if (storage == TALUS_STORAGE_TRIPLET) {
    matrix.index2 = index2;
  }
  return matrix;
}

static void rigid_set(talus_rigid *rigid, const oracle_recipe *recipe, const oracle_model *model) {
  const int spheres = recipe->bodies == ORACLE_SPHERES;
  rigid->body_count = model->block_count;
  rigid->velocity = model->velocity;
  rigid->inverse_mass = model->body_inverse_mass;
  rigid->inverse_inertia = model->body_inverse_inertia;
  rigid->body_a = model->body_a;
  rigid->body_b = model->body_b;
  rigid->normal = model->normal;
  rigid->reach_a = spheres ? model->reach_a : NULL;
  rigid->reach_b = spheres ? model->reach_b : NULL;
  rigid->arm_a = spheres ? NULL : model->arm_a;
  rigid->arm_b = spheres ? NULL : model->arm_b;
  rigid->row_body_a = model->row_body_a;
  rigid->row_body_b = model->row_body_b;
  rigid->row_jacobian = model->row_jacobian;
}

static void blocks_set(talus_blocks *blocks, const oracle_model *model) {
  blocks->block_count = model->block_count;
  blocks->block_size = model->block_size;
  blocks->inverse_mass = model->inverse_mass;
  blocks->velocity = model->velocity;
  blocks->contact_start = model->contact_start;
  blocks->contact_block = model->contact_block;
  blocks->contact_jacobian = model->contact_jacobian;
  blocks->bilateral_start = model->bilateral_start;
  blocks->bilateral_block = model->bilateral_block;
  blocks->bilateral_jacobian = model->bilateral_jacobian;
}

/* The transposed Jacobian, unknowns x rows, dense. */
static real *transposed(oracle_made *made, const oracle_model *model, int count, int height,
                        const int64_t *start, const int32_t *block, const double *jacobian) {
  const size_t columns = (size_t)count * (size_t)height;
  real *h = oracle_keep(made, (size_t)model->unknowns * columns, sizeof *h);
  for (int k = 0; k < count; k++) {
    for (int64_t e = start[k]; e < start[k + 1]; e++) {
      for (int i = 0; i < height; i++) {
        for (int j = 0; j < model->block_size[block[e]]; j++) {
          const size_t unknown = (size_t)(model->offset[block[e]] + j);
          h[unknown * columns + (size_t)(height * k + i)] += *jacobian++;
        }
      }
    }
  }
  return h;
}

/* M: the inverses of the blocks of M^-1, symmetric to the last bit, rows and columns in order. */
static real *mass_matrix(oracle_made *made, const oracle_model *model, const int *order) {
  const size_t n = (size_t)model->unknowns;
  real *mass = oracle_keep(made, n * n, sizeof *mass);
  const double *entry = model->inverse_mass;
  for (int b = 0; b < model->block_count; b++) {
    const int size = model->block_size[b];
    const size_t offset = (size_t)model->offset[b];
    real factor[64], column[8];
    for (int i = 0; i < size * size; i++) {
      factor[i] = *entry++;
    }
    oracle_cholesky(factor, size);
    for (int j = 0; j < size; j++) {
      memset(column, 0, sizeof column);
      column[j] = 1.0L;
      oracle_cholesky_solve(factor, size, column);
      for (int i = j; i < size; i++) {
        mass[(offset + (size_t)i) * n + offset + (size_t)j] = column[i];
        mass[(offset + (size_t)j) * n + offset + (size_t)i] = column[i];
      }
    }
  }
  real *ordered = oracle_keep(made, n * n, sizeof *ordered);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      ordered[i * n + j] = mass[(size_t)order[i] * n + (size_t)order[j]];
    }
  }
  return ordered;
}

/* A random order of the unknowns (or their own), and the rows of a dense array put into it. */
static int *order_draw(oracle_made *made, const oracle_recipe *recipe, int n, uint64_t *state) {
  int *order = oracle_keep(made, (size_t)n, sizeof *order);
  for (int i = 0; i < n; i++) {
    const int other = recipe->shuffle ? (int)oracle_random(state, 0.0, i + 1) : i;
    order[i] = order[other];
    order[other] = i;
  }
  return order;
}

static real *rows_order(oracle_made *made, const int *order, int rows, int columns,
                        const real *dense) {
  real *ordered = oracle_keep(made, (size_t)rows * (size_t)columns, sizeof *ordered);
  for (int i = 0; i < rows; i++) {
    memcpy(ordered + (size_t)i * (size_t)columns, dense + (size_t)order[i] * (size_t)columns,
           (size_t)columns * sizeof *ordered);
  }
  return ordered;
}

static void global_set(oracle_made *made, const oracle_recipe *recipe, const oracle_model *model,
                       uint64_t *state) {
  talus_global *global = &made->problem.global;
  const int n = model->unknowns, rows = recipe->dimension * recipe->contact_count;
  const int *order = order_draw(made, recipe, n, state);
  double *f = oracle_keep(made, (size_t)n, sizeof *f);
  real *mass = mass_matrix(made, model, order);
  real *h = transposed(made, model, recipe->contact_count, recipe->dimension, model->contact_start,
                       model->contact_block, model->contact_jacobian);
  h = rows_order(made, order, n, rows, h);
  global->mass = matrix_store(made, recipe->storage, n, n, mass);
  global->h = matrix_store(made, recipe->storage, n, rows, h);
  if (recipe->bilateral_count > 0) {
    real *g = transposed(made, model, recipe->bilateral_count, 1, model->bilateral_start,
                         model->bilateral_block, model->bilateral_jacobian);
    g = rows_order(made, order, n, recipe->bilateral_count, g);
    global->g = matrix_store(made, recipe->storage, n, recipe->bilateral_count, g);
  }
  for (int i = 0; i < n; i++) { /* f = M v */
    real sum = 0.0L;
    for (int j = 0; j < n; j++) {
      sum += mass[(size_t)i * (size_t)n + (size_t)j] * model->velocity[order[j]];
    }
    f[i] = (double)sum;
  }
  global->f = f;
  global->w = oracle_keep(made, (size_t)rows, sizeof(double));
}

/* W of the blocks; an antisymmetric part on the same pattern if asked for. */
static void delassus_set(oracle_made *made, const oracle_recipe *recipe, const oracle_model *model,
                         uint64_t *state) {
  talus_problem blocks = made->problem;
  oracle_system system;
  blocks.form = TALUS_FORM_BLOCKS;
  blocks_set(&blocks.blocks, model);
  oracle_build(&blocks, &system);
  const size_t rows = (size_t)system.rows;
  for (size_t i = 0; i < rows; i++) {
    for (size_t j = 0; j < i; j++) {
      const real scale = sqrtl(system.w[i * rows + i] * system.w[j * rows + j]);
      const real skew = 0.5 * recipe->asymmetry * oracle_random(state, -1.0, 1.0) * scale;
      const real mean = 0.5L * (system.w[i * rows + j] + system.w[j * rows + i]);
      system.w[i * rows + j] = mean != 0.0L ? mean + skew : 0.0L;
      system.w[j * rows + i] = mean != 0.0L ? mean - skew : 0.0L;
    }
  }
  made->problem.delassus.w =
      matrix_store(made, recipe->storage, system.rows, system.rows, system.w);
  made->problem.delassus.q = oracle_keep(made, rows, sizeof(double));
  oracle_free(&system);
}

/* Writes the bias where the form keeps it; RIGID: a random part along n, the rest as a vector. */
void oracle_bias_set(oracle_made *made, const oracle_recipe *recipe, const oracle_model *model,
                     const double *bias, uint64_t *state) {
  talus_problem *problem = &made->problem;
  const double *bilateral = bias + recipe->dimension * recipe->contact_count;
  if (recipe->form == TALUS_FORM_DELASSUS) {
    problem->delassus.q = bias;
  } else if (recipe->form == TALUS_FORM_BLOCKS) {
    problem->blocks.bias = bias;
    problem->blocks.bilateral_bias = bilateral;
  } else if (recipe->form == TALUS_FORM_GLOBAL) {
    problem->global.w = bias;
    problem->global.b = bilateral;
  } else {
    double *along = oracle_keep(made, (size_t)recipe->contact_count, sizeof *along);
    double *surface = oracle_keep(made, 3 * (size_t)recipe->contact_count, sizeof *surface);
    for (int i = 0; i < 3 * recipe->contact_count; i++) {
      along[i / 3] = i % 3 == 0 ? oracle_random(state, -1.0, 1.0) : along[i / 3];
      surface[i] = (double)(bias[i] - (real)along[i / 3] * model->normal[i]);
    }
    problem->rigid.bias = along;
    problem->rigid.surface_velocity = surface;
    problem->rigid.row_bias = bilateral;
  }
}

void oracle_form_set(oracle_made *made, const oracle_recipe *recipe, const oracle_model *model,
                     uint64_t *state) {
  switch (recipe->form) {
  case TALUS_FORM_RIGID:
    rigid_set(&made->problem.rigid, recipe, model);
    break;
  case TALUS_FORM_BLOCKS:
    blocks_set(&made->problem.blocks, model);
    break;
  case TALUS_FORM_DELASSUS:
    delassus_set(made, recipe, model, state);
    break;
  default:
    global_set(made, recipe, model, state);
    break;
  }
}
