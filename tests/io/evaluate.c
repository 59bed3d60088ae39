/* evaluate.c: u = W r + q of a problem of any form, densely and from the definitions alone. */
#include <math.h>
#include <string.h>

#include "problems.h"

static double entry_of(const talus_matrix *m, int32_t row, int32_t column) {
  if (m->storage == TALUS_STORAGE_DENSE) {
    return m->value[row + (int64_t)column * m->rows];
  }
  double sum = 0;
  int32_t line = 0;
  for (int64_t e = 0; e < m->count; e++) {
    int32_t r = m->index[e], c = m->index2 != NULL ? m->index2[e] : 0;
    while (m->start != NULL && m->start[line + 1] <= e) {
      line++;
    }
    if (m->storage == TALUS_STORAGE_CSC) {
      c = line;
    } else if (m->storage == TALUS_STORAGE_CSR) {
      c = r;
      r = line;
    }
    sum += r == row && c == column ? m->value[e] : 0;
  }
  return sum;
}

/* Gaussian elimination with pivoting. */
static void solve_dense(double *a, double *x, int32_t n) {
  for (int32_t k = 0; k < n; k++) {
    int32_t pivot = k;
    for (int32_t i = k; i < n; i++) {
      pivot = fabs(a[i * n + k]) > fabs(a[pivot * n + k]) ? i : pivot;
    }
    for (int32_t j = 0; j < n; j++) {
      const double swap = a[k * n + j];
      a[k * n + j] = a[pivot * n + j];
      a[pivot * n + j] = swap;
    }
    const double swap = x[k];
    x[k] = x[pivot];
    x[pivot] = swap;
    for (int32_t i = k + 1; i < n; i++) {
      const double factor = a[i * n + k] / a[k * n + k];
      for (int32_t j = k; j < n; j++) {
        a[i * n + j] -= factor * a[k * n + j];
      }
      x[i] -= factor * x[k];
    }
  }
  for (int32_t i = n - 1; i >= 0; i--) {
    for (int32_t j = i + 1; j < n; j++) {
      x[i] -= a[i * n + j] * x[j];
    }
    x[i] /= a[i * n + i];
  }
}

static void evaluate_delassus(const talus_problem *p, const double *all, double *u) {
  const int32_t n = p->delassus.w.rows;
  for (int32_t r = 0; r < n; r++) {
    u[r] = p->delassus.q[r];
    for (int32_t c = 0; c < n; c++) {
      u[r] += entry_of(&p->delassus.w, r, c) * all[c];
    }
  }
}

static void evaluate_global(const talus_problem *p, const double *all, double *u) {
  static double a[ENTRIES_MAX], v[ROWS_MAX];
  const talus_global *g = &p->global;
  const int32_t n = g->mass.rows, rows = p->dimension * p->contact_count;
  for (int32_t i = 0; i < n; i++) {
    v[i] = g->f[i];
    for (int32_t j = 0; j < n; j++) {
      a[i * n + j] = entry_of(&g->mass, i, j);
    }
    for (int32_t k = 0; k < rows + p->bilateral_count; k++) {
      v[i] += (k < rows ? entry_of(&g->h, i, k) : entry_of(&g->g, i, k - rows)) * all[k];
    }
  }
  solve_dense(a, v, n);
  for (int32_t k = 0; k < rows + p->bilateral_count; k++) {
    u[k] = k < rows ? g->w[k] : g->b != NULL ? g->b[k - rows] : 0;
    for (int32_t i = 0; i < n; i++) {
      u[k] += (k < rows ? entry_of(&g->h, i, k) : entry_of(&g->g, i, k - rows)) * v[i];
    }
  }
}

static void cross(const double *a, const double *b, double *c) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

/* v += M^-1 (force, torque) */
static void push(const talus_rigid *rigid, int32_t body, const double *load, double *v) {
  const double *i = rigid->inverse_inertia + 6 * body, *t = load + 3;
  double *to = v + 6 * body;
  for (int k = 0; k < 3; k++) {
    to[k] += rigid->inverse_mass[body] * load[k];
  }
  to[3] += i[0] * t[0] + i[1] * t[1] + i[2] * t[2];
  to[4] += i[1] * t[0] + i[3] * t[1] + i[4] * t[2];
  to[5] += i[2] * t[0] + i[4] * t[1] + i[5] * t[2];
}

static void arm_of(const talus_rigid *rigid, int32_t k, int is_b, double *arm) {
  for (int i = 0; i < 3; i++) {
    const double n = rigid->normal[3 * k + i];
    arm[i] = rigid->arm_a != NULL ? (is_b ? rigid->arm_b : rigid->arm_a)[3 * k + i]
                                  : (is_b ? -rigid->reach_b[k] : rigid->reach_a[k]) * n;
  }
}

static void evaluate_rigid(const talus_problem *p, const double *all, double *u) {
  const talus_rigid *g = &p->rigid;
  const int32_t rows = 3 * p->contact_count;
  double v[ROWS_MAX], arm[3], load[6];
  memcpy(v, g->velocity, (size_t)g->body_count * 6 * sizeof(double));
  for (int32_t side = 0; side < 2; side++) {
    for (int32_t k = 0; k < p->contact_count; k++) {
      const int32_t body = (side ? g->body_b : g->body_a)[k];
      arm_of(g, k, side, arm);
      for (int i = 0; i < 3; i++) {
        load[i] = (side ? 1 : -1) * all[3 * k + i];
      }
      cross(arm, load, load + 3);
      if (body >= 0) {
        push(g, body, load, v);
      }
    }
    for (int32_t k = 0; k < p->bilateral_count; k++) {
      const int32_t body = (side ? g->row_body_b : g->row_body_a)[k];
      for (int i = 0; i < 6; i++) {
        load[i] = g->row_jacobian[12 * k + 6 * side + i] * all[rows + k];
      }
      if (body >= 0) {
        push(g, body, load, v);
      }
    }
  }
  for (int32_t k = 0; k < p->contact_count; k++) {
    for (int i = 0; i < 3; i++) {
      u[3 * k + i] = g->bias[k] * g->normal[3 * k + i] +
                     (g->surface_velocity != NULL ? g->surface_velocity[3 * k + i] : 0);
    }
    for (int side = 0; side < 2; side++) {
      const int32_t body = (side ? g->body_b : g->body_a)[k];
      double turn[3];
      arm_of(g, k, side, arm);
      if (body >= 0) {
        cross(v + 6 * body + 3, arm, turn);
        for (int i = 0; i < 3; i++) {
          u[3 * k + i] += (side ? 1 : -1) * (v[6 * body + i] + turn[i]);
        }
      }
    }
  }
  for (int32_t k = 0; k < p->bilateral_count; k++) {
    u[rows + k] = g->row_bias[k];
    for (int i = 0; i < 12; i++) {
      const int32_t body = (i < 6 ? g->row_body_a : g->row_body_b)[k];
      u[rows + k] += body >= 0 ? g->row_jacobian[12 * k + i] * v[6 * body + i % 6] : 0;
    }
  }
}

/* Where block b begins in velocity, or (square) in inverse_mass. */
static int64_t block_offset(const talus_blocks *b, int32_t block, int square) {
  int64_t offset = 0;
  for (int32_t i = 0; i < block; i++) {
    offset += square ? b->block_size[i] * b->block_size[i] : b->block_size[i];
  }
  return offset;
}

/* The Jacobian entry of one row at one velocity of a block. */
static double block_entry(const talus_problem *p, int32_t row, int32_t block, int32_t i) {
  const talus_blocks *b = &p->blocks;
  const int32_t rows = p->dimension * p->contact_count;
  const int bilateral = row >= rows;
  const int32_t dimension = bilateral ? 1 : p->dimension;
  const int32_t k = bilateral ? row - rows : row / dimension;
  const int32_t line = bilateral ? 0 : row % dimension;
  const int64_t *start = bilateral ? b->bilateral_start : b->contact_start;
  const int32_t *list = bilateral ? b->bilateral_block : b->contact_block;
  const double *jacobian = bilateral ? b->bilateral_jacobian : b->contact_jacobian;
  for (int64_t e = 0; e < start[k + 1]; e++) {
    const int32_t size = b->block_size[list[e]];
    if (e >= start[k] && list[e] == block) {
      return jacobian[line * size + i];
    }
    jacobian += dimension * size;
  }
  return 0;
}

static void evaluate_blocks(const talus_problem *p, const double *all, double *u) {
  const talus_blocks *b = &p->blocks;
  const int32_t contact_rows = p->dimension * p->contact_count;
  const int32_t rows = contact_rows + p->bilateral_count;
  for (int32_t r = 0; r < rows; r++) {
    u[r] = r < contact_rows ? b->bias[r] : 0;
    for (int32_t block = 0; block < b->block_count; block++) {
      const int32_t size = b->block_size[block];
      const double *inverse = b->inverse_mass + block_offset(b, block, 1);
      for (int32_t i = 0; i < size; i++) {
        double v = b->velocity[block_offset(b, block, 0) + i];
        for (int32_t j = 0; j < size; j++) {
          for (int32_t c = 0; c < rows; c++) {
            v += inverse[i * size + j] * block_entry(p, c, block, j) * all[c];
          }
        }
        u[r] += block_entry(p, r, block, i) * v;
      }
    }
  }
}

void sample_evaluate(const talus_problem *problem, const double *impulse,
                     const double *bilateral_impulse, double *u, double *u_bilateral) {
  double all[ROWS_MAX], result[ROWS_MAX];
  const int32_t rows = problem->dimension * problem->contact_count;
  const int32_t bilateral = problem->bilateral_count;
  memcpy(all, impulse, (size_t)rows * sizeof(double));
  memcpy(all + rows, bilateral_impulse, (size_t)bilateral * sizeof(double));
  switch (problem->form) {
  case TALUS_FORM_DELASSUS:
    evaluate_delassus(problem, all, result);
    break;
  case TALUS_FORM_GLOBAL:
    evaluate_global(problem, all, result);
    break;
  case TALUS_FORM_RIGID:
    evaluate_rigid(problem, all, result);
    break;
  case TALUS_FORM_BLOCKS:
    evaluate_blocks(problem, all, result);
    break;
  }
  memcpy(u, result, (size_t)rows * sizeof(double));
  memcpy(u_bilateral, result + rows, (size_t)bilateral * sizeof(double));
}
