/* oracle_system.c: a problem of any form written out as dense W and q.
 *
 * Forms (a), (b) and (d) become one dense Jacobian D (rows x unknowns), one dense M^-1 and one
 * velocity v; then W = D M^-1 D^T and q = D v + bias by the plain triple loop. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/oracle/oracle.h"
#include "tests/oracle/oracle_dense.h"

typedef long double real;

/* Everything dense. */
typedef struct dense {
  int rows, unknowns;
  real *jacobian;     /* [rows * unknowns] */
  real *inverse_mass; /* [unknowns * unknowns] */
  real *velocity;     /* [unknowns] */
  real *bias;         /* [rows] */
} dense;

static dense dense_make(int rows, int unknowns) {
  dense d = {rows, unknowns, NULL, NULL, NULL, NULL};
  d.jacobian = oracle_calloc((size_t)rows * (size_t)unknowns, sizeof(real));
  d.inverse_mass = oracle_calloc((size_t)unknowns * (size_t)unknowns, sizeof(real));
  d.velocity = oracle_calloc((size_t)unknowns, sizeof(real));
  d.bias = oracle_calloc((size_t)rows, sizeof(real));
  return d;
}

static void dense_free(dense *d) {
  free(d->jacobian);
  free(d->inverse_mass);
  free(d->velocity);
  free(d->bias);
}

static real *jacobian_at(const dense *d, int row, int unknown) {
  return &d->jacobian[(size_t)row * (size_t)d->unknowns + (size_t)unknown];
}

/* ---- form (a)
 * ------------------------------------------------------------------------------------ */

/* sign * (linear + angular x arm) in the three rows of a contact. */
static void rigid_side(dense *d, int row, int body, real sign, const real arm[3]) {
  if (body < 0) {
    return;
  }
  for (int i = 0; i < 3; i++) {
    *jacobian_at(d, row + i, 6 * body + i) += sign;
  }
  /* (w x r)_x = w_y r_z - w_z r_y, and cyclically */
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    *jacobian_at(d, row + i, 6 * body + 3 + j) += sign * arm[k];
    *jacobian_at(d, row + i, 6 * body + 3 + k) -= sign * arm[j];
  }
}

/* Three rows of a force, then, if there are six, three of a torque. */
static void rigid_contact(const talus_rigid *rigid, int k, int rows, dense *d) {
  real arm_a[3], arm_b[3];
  for (int i = 0; i < 3; i++) {
    const real n = rigid->normal[3 * k + i];
    arm_a[i] = rigid->arm_a != NULL ? (real)rigid->arm_a[3 * k + i] : rigid->reach_a[k] * n;
    arm_b[i] = rigid->arm_b != NULL ? (real)rigid->arm_b[3 * k + i] : -rigid->reach_b[k] * n;
    d->bias[rows * k + i] =
        (rigid->bias != NULL ? rigid->bias[k] * n : 0.0L) +
        (rigid->surface_velocity != NULL ? rigid->surface_velocity[3 * k + i] : 0);
  }
  rigid_side(d, rows * k, rigid->body_a[k], -1.0L, arm_a);
  rigid_side(d, rows * k, rigid->body_b[k], 1.0L, arm_b);
  const int body[2] = {rigid->body_a[k], rigid->body_b[k]};
  for (int i = 3; i < rows; i++) {
    for (int side = 0; side < 2; side++) {
      if (body[side] >= 0) {
        *jacobian_at(d, rows * k + i, 6 * body[side] + i) += side ? 1.0L : -1.0L;
      }
    }
  }
}

static dense dense_rigid(const talus_problem *problem) {
  static const int place[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}}; /* xx xy xz yy yz zz */
  const talus_rigid *rigid = &problem->rigid;
  const int first_row = problem->dimension * problem->contact_count;
  dense d = dense_make(first_row + problem->bilateral_count, 6 * rigid->body_count);
  for (int body = 0; body < rigid->body_count; body++) {
    for (int i = 0; i < 3; i++) {
      const size_t linear = (size_t)(6 * body + i), angular = linear + 3;
      d.inverse_mass[linear * (size_t)d.unknowns + linear] = rigid->inverse_mass[body];
      for (int j = 0; j < 3; j++) {
        d.inverse_mass[angular * (size_t)d.unknowns + (size_t)(6 * body + 3 + j)] =
            rigid->inverse_inertia[6 * body + place[i][j]];
      }
    }
  }
  for (int i = 0; i < d.unknowns; i++) {
    d.velocity[i] = rigid->velocity[i];
  }
  for (int k = 0; k < problem->contact_count; k++) {
    rigid_contact(rigid, k, problem->dimension, &d);
  }
  for (int r = 0; r < problem->bilateral_count; r++) {
    const int body[2] = {rigid->row_body_a[r], rigid->row_body_b[r]};
    for (int side = 0; side < 2; side++) {
      for (int i = 0; i < 6 && body[side] >= 0; i++) {
        *jacobian_at(&d, first_row + r, 6 * body[side] + i) +=
            rigid->row_jacobian[12 * r + 6 * side + i];
      }
    }
    d.bias[first_row + r] = rigid->row_bias != NULL ? rigid->row_bias[r] : 0.0;
  }
  return d;
}

/* ---- form (b)
 * ------------------------------------------------------------------------------------ */

/* One list of rows (contacts or bilateral) of `height` Jacobian rows each. */
static void blocks_rows(dense *d, int first_row, int count, int height, const int *offset,
                        const int32_t *size, const int64_t *start, const int32_t *block,
                        const double *jacobian, const double *bias) {
  const double *entry = jacobian;
  for (int k = 0; k < count; k++) {
    for (int64_t e = start[k]; e < start[k + 1]; e++) {
      const int columns = size[block[e]];
      for (int i = 0; i < height; i++) {
        for (int j = 0; j < columns; j++) {
          *jacobian_at(d, first_row + height * k + i, offset[block[e]] + j) += *entry++;
        }
      }
    }
    for (int i = 0; i < height; i++) {
      d->bias[first_row + height * k + i] = bias != NULL ? bias[height * k + i] : 0.0;
    }
  }
}

static dense dense_blocks(const talus_problem *problem) {
  const talus_blocks *blocks = &problem->blocks;
  const int contact_rows = problem->dimension * problem->contact_count;
  int *offset = oracle_calloc((size_t)blocks->block_count + 1, sizeof *offset);
  for (int b = 0; b < blocks->block_count; b++) {
    offset[b + 1] = offset[b] + blocks->block_size[b];
  }
  dense d = dense_make(contact_rows + problem->bilateral_count, offset[blocks->block_count]);
  const double *entry = blocks->inverse_mass;
  for (int b = 0; b < blocks->block_count; b++) {
    for (int i = offset[b]; i < offset[b + 1]; i++) {
      for (int j = offset[b]; j < offset[b + 1]; j++) {
        d.inverse_mass[(size_t)i * (size_t)d.unknowns + (size_t)j] = *entry++;
      }
    }
  }
  for (int i = 0; i < d.unknowns; i++) {
    d.velocity[i] = blocks->velocity[i];
  }
  blocks_rows(&d, 0, problem->contact_count, problem->dimension, offset, blocks->block_size,
              blocks->contact_start, blocks->contact_block, blocks->contact_jacobian, blocks->bias);
  blocks_rows(&d, contact_rows, problem->bilateral_count, 1, offset, blocks->block_size,
              blocks->bilateral_start, blocks->bilateral_block, blocks->bilateral_jacobian,
              blocks->bilateral_bias);
  free(offset);
  return d;
}

/* ---- matrices of forms (c) and (d)
 * --------------------------------------------------------------- */

/* Rows of the Jacobian are columns of H (or G). */
static void global_rows(dense *d, int first_row, int count, const talus_matrix *matrix,
                        const double *bias) {
  real *h = oracle_calloc((size_t)d->unknowns * (size_t)count, sizeof *h);
  if (count > 0) {
    oracle_matrix_add(matrix, h);
  }
  for (int r = 0; r < count; r++) {
    for (int i = 0; i < d->unknowns; i++) {
      *jacobian_at(d, first_row + r, i) = h[(size_t)i * (size_t)count + (size_t)r];
    }
    d->bias[first_row + r] = bias != NULL ? bias[r] : 0.0;
  }
  free(h);
}

static int dense_global(const talus_problem *problem, dense *d) {
  const talus_global *global = &problem->global;
  const int contact_rows = problem->dimension * problem->contact_count, n = global->mass.rows;
  *d = dense_make(contact_rows + problem->bilateral_count, n);
  global_rows(d, 0, contact_rows, &global->h, global->w);
  global_rows(d, contact_rows, problem->bilateral_count, &global->g, global->b);
  real *mass = oracle_calloc((size_t)n * (size_t)n, sizeof *mass);
  oracle_matrix_add(&global->mass, mass);
  const int good = oracle_cholesky(mass, n);
  for (int i = 0; i < n && good; i++) {
    real *column = d->inverse_mass + (size_t)i * (size_t)n; /* symmetric: a row as well */
    column[i] = 1.0L;
    oracle_cholesky_solve(mass, n, column);
    d->velocity[i] = global->f[i];
  }
  if (good) {
    oracle_cholesky_solve(mass, n, d->velocity); /* the velocity before the impulses: M v = f */
  }
  free(mass);
  return good;
}

/* ---- W and q
 * ------------------------------------------------------------------------------------- */

/* Most of a row is zero; zeros are skipped, or some hundred contacts would take minutes. */
static void condense(const dense *d, oracle_system *system) {
  const size_t rows = (size_t)d->rows, n = (size_t)d->unknowns;
  real *half = oracle_calloc(n, sizeof *half); /* M^-1 times a row */
  for (size_t r = 0; r < rows; r++) {
    const real *row = d->jacobian + r * n;
    memset(half, 0, n * sizeof *half);
    for (size_t j = 0; j < n; j++) {
      for (size_t i = 0; i < n && row[j] != 0.0L; i++) {
        half[i] += d->inverse_mass[i * n + j] * row[j];
      }
      system->q[r] += row[j] * d->velocity[j];
      system->weight[r] += fabsl(row[j] * d->velocity[j]);
    }
    system->q[r] += d->bias[r];
    system->weight[r] += fabsl(d->bias[r]);
    for (size_t i = 0; i < n; i++) {
      for (size_t s = 0; s < rows && half[i] != 0.0L; s++) {
        system->w[s * rows + r] += d->jacobian[s * n + i] * half[i];
      }
    }
  }
  free(half);
}

static void delassus_copy(const talus_delassus *delassus, oracle_system *system) {
  oracle_matrix_add(&delassus->w, system->w);
  for (int r = 0; r < system->rows; r++) {
    system->q[r] = delassus->q[r];
    system->weight[r] = fabsl(system->q[r]);
  }
}

static void system_make(const talus_problem *problem, oracle_system *system) {
  system->contacts = problem->contact_count;
  system->dimension = problem->dimension;
  system->bilateral = problem->bilateral_count;
  system->rows = problem->dimension * problem->contact_count + problem->bilateral_count;
  const size_t rows = (size_t)system->rows;
  system->w = oracle_calloc(rows * rows, sizeof(real));
  system->q = oracle_calloc(rows, sizeof(real));
  system->weight = oracle_calloc(rows, sizeof(real));
  system->normal = oracle_calloc(rows, sizeof(real));
  system->friction = oracle_calloc((size_t)problem->contact_count, sizeof(real));
  system->lower = oracle_calloc((size_t)problem->bilateral_count, sizeof(real));
  system->upper = oracle_calloc((size_t)problem->bilateral_count, sizeof(real));
  for (int r = 0; r < problem->bilateral_count; r++) {
    system->lower[r] = problem->row_lower != NULL ? (real)problem->row_lower[r] : -INFINITY;
    system->upper[r] = problem->row_upper != NULL ? (real)problem->row_upper[r] : INFINITY;
  }
  for (int k = 0; k < problem->contact_count; k++) {
    const int has_friction = problem->friction != NULL && problem->dimension > 1;
    system->friction[k] = has_friction ? problem->friction[k] : 0.0;
    if (problem->form == TALUS_FORM_RIGID) {
      for (int i = 0; i < 3; i++) {
        system->normal[problem->dimension * k + i] = problem->rigid.normal[3 * k + i];
      }
    } else {
      system->normal[problem->dimension * k] = 1.0L;
    }
  }
}

/* ---- compliance: W + C, q - C target
 * --------------------------------------------------------------- */

static void comply(oracle_system *system, int row, int column, real c, real target) {
  system->w[(size_t)row * (size_t)system->rows + (size_t)column] += c;
  system->q[row] -= c * target;
  system->weight[row] += fabsl(c * target);
}

static void compliance_add(const talus_problem *problem, oracle_system *system) {
  const int d = problem->dimension, contact_rows = d * problem->contact_count;
  for (int k = 0; problem->compliance != NULL && k < problem->contact_count; k++) {
    const real cn = problem->compliance[2 * k], ct = problem->compliance[2 * k + 1];
    for (int i = 0; i < d && i < 3; i++) {
      for (int j = 0; j < d && j < 3; j++) {
        const real along = system->normal[d * k + i] * system->normal[d * k + j];
        const real c = cn * along + ct * ((i == j ? 1.0L : 0.0L) - along);
        const double *target = problem->target_impulse;
        comply(system, d * k + i, d * k + j, c, target != NULL ? target[d * k + j] : 0.0);
      }
    }
  }
  for (int r = 0; problem->row_compliance != NULL && r < problem->bilateral_count; r++) {
    const double *target = problem->row_target_impulse;
    comply(system, contact_rows + r, contact_rows + r, problem->row_compliance[r],
           target != NULL ? target[r] : 0.0);
  }
}

int oracle_build(const talus_problem *problem, oracle_system *system) {
  dense d = {0, 0, NULL, NULL, NULL, NULL};
  int good = 1;
  memset(system, 0, sizeof *system);
  system_make(problem, system);
  switch (problem->form) {
  case TALUS_FORM_RIGID:
    d = dense_rigid(problem);
    break;
  case TALUS_FORM_BLOCKS:
    d = dense_blocks(problem);
    break;
  case TALUS_FORM_GLOBAL:
    good = dense_global(problem, &d);
    break;
  case TALUS_FORM_DELASSUS:
    delassus_copy(&problem->delassus, system);
    break;
  default:
    good = 0;
  }
  if (good && problem->form != TALUS_FORM_DELASSUS) {
    condense(&d, system);
  }
  dense_free(&d);
  if (good) {
    compliance_add(problem, system);
  } else {
    oracle_free(system);
  }
  return good;
}

void oracle_free(oracle_system *system) {
  free(system->w);
  free(system->q);
  free(system->weight);
  free(system->normal);
  free(system->friction);
  free(system->lower);
  free(system->upper);
  memset(system, 0, sizeof *system);
}
