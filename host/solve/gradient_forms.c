/* gradient_forms.c: from g = dL/dq to what a form is made of:
 *   dL/dD = g v+^T + x V^T,   dL/dv = D^T g + dL/dv+,   dL/dM^-1 = (D^T g + dL/dv+) (D^T x)^T. */
#include <string.h>

#include "host/solve/gradient.h"

/* ---- form (a) -------------------------------------------------------------------------------- */

static void inertia_fill(const double *p, const double *q, double *to) {
  to[0] = p[0] * q[0];
  to[1] = p[0] * q[1] + p[1] * q[0];
  to[2] = p[0] * q[2] + p[2] * q[0];
  to[3] = p[1] * q[1];
  to[4] = p[1] * q[2] + p[2] * q[1];
  to[5] = p[2] * q[2];
}

static void bodies_fill(const tl_adjoint *a, const talus_gradient *to) {
  for (int64_t i = 0; i < a->problem->rigid.body_count; i++) {
    const double *const p = a->pushed + 6 * i, *const q = a->handed + 6 * i;
    if (to->velocity != NULL) {
      memcpy(to->velocity + 6 * i, p, 6 * sizeof *p);
    }
    if (to->inverse_mass != NULL) {
      to->inverse_mass[i] = p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
    }
    if (to->inverse_inertia != NULL) {
      inertia_fill(p + 3, q + 3, to->inverse_inertia + 6 * i);
    }
  }
}

static void cross_add(const double *a, const double *b, double sign, double *c) {
  c[0] += sign * (a[1] * b[2] - a[2] * b[1]);
  c[1] += sign * (a[2] * b[0] - a[0] * b[2]);
  c[2] += sign * (a[0] * b[1] - a[1] * b[0]);
}

/* u gains w x arm: g . (w+ x d arm) + x . (V_w x d arm). */
static void arm_fill(const tl_adjoint *a, int64_t k, int32_t body, double sign, double *to) {
  if (to == NULL) {
    return;
  }
  memset(to + 3 * k, 0, 3 * sizeof *to);
  if (body >= 0) {
    cross_add(a->free + 3 * k, a->after + 6 * (int64_t)body + 3, sign, to + 3 * k);
    cross_add(a->impulse + 3 * k, a->motion + 6 * (int64_t)body + 3, sign, to + 3 * k);
  }
}

/* g v+^T + x V^T of one row against one body or block. */
static void line_fill(double g, double x, const double *after, const double *motion, int64_t size,
                      double *to) {
  for (int64_t c = 0; c < size; c++) {
    to[c] = g * after[c] + x * motion[c];
  }
}

void tl_gradient_rigid(const tl_adjoint *a, const talus_gradient *to) {
  const talus_rigid *const rigid = &a->problem->rigid;
  bodies_fill(a, to);
  for (int64_t k = 0; k < a->problem->contact_count; k++) {
    arm_fill(a, k, rigid->body_a[k], -1, to->arm_a);
    arm_fill(a, k, rigid->body_b[k], 1, to->arm_b);
  }
  for (int64_t row = 0; to->row_jacobian != NULL && row < a->problem->bilateral_count; row++) {
    const int64_t at = a->contact_rows + row;
    memset(to->row_jacobian + 12 * row, 0, 12 * sizeof *to->row_jacobian);
    for (int side = 0; side < 2; side++) {
      const int64_t body = side ? rigid->row_body_b[row] : rigid->row_body_a[row];
      if (body >= 0) {
        line_fill(a->free[at], a->impulse[at], a->after + 6 * body, a->motion + 6 * body, 6,
                  to->row_jacobian + 12 * row + 6 * side);
      }
    }
  }
}

/* ---- form (b) -------------------------------------------------------------------------------- */

/* Jacobians of contacts (rows each) or bilateral rows. */
static void jacobians_fill(const tl_adjoint *a, const int64_t *start, const int32_t *block,
                           int32_t count, int32_t rows, int64_t first, double *to) {
  const talus_blocks *const blocks = &a->problem->blocks;
  for (int64_t k = 0; to != NULL && k < count; k++) {
    for (int64_t e = start[k]; e < start[k + 1]; e++) {
      const int64_t at = a->block_first[block[e]], size = blocks->block_size[block[e]];
      for (int32_t row = 0; row < rows; row++, to += size) {
        const int64_t i = first + rows * k + row;
        line_fill(a->free[i], a->impulse[i], a->after + at, a->motion + at, size, to);
      }
    }
  }
}

void tl_gradient_blocks(const tl_adjoint *a, const talus_gradient *to) {
  const talus_problem *const problem = a->problem;
  const talus_blocks *const blocks = &problem->blocks;
  const double *p = a->pushed, *q = a->handed;
  double *mass = to->inverse_mass;
  for (int32_t b = 0; mass != NULL && b < blocks->block_count; b++) {
    const int64_t size = blocks->block_size[b];
    for (int64_t r = 0; r < size; r++) {
      for (int64_t c = 0; c < size; c++) {
        mass[size * r + c] = 0.5 * (p[r] * q[c] + p[c] * q[r]);
      }
    }
    mass += size * size;
    p += size;
    q += size;
  }
  if (to->velocity != NULL) {
    memcpy(to->velocity, a->pushed, (size_t)a->motion_count * sizeof *a->pushed);
  }
  jacobians_fill(a, blocks->contact_start, blocks->contact_block, problem->contact_count,
                 problem->dimension, 0, to->jacobian);
  jacobians_fill(a, blocks->bilateral_start, blocks->bilateral_block, problem->bilateral_count, 1,
                 a->contact_rows, to->row_jacobian);
}

/* ---- forms (c) and (d) ----------------------------------------------------------------------- */

void tl_gradient_delassus(const tl_adjoint *a, const talus_gradient *to) {
  const talus_matrix *const w = &a->problem->delassus.w;
  int64_t line = 0;
  for (int64_t e = 0; to->delassus != NULL && e < w->count; e++) {
    int32_t row, column;
    tl_matrix_place(w, e, &line, &row, &column);
    to->delassus[e] = a->free[row] * a->impulse[column];
  }
}

/* H or G, whose columns are rows of D from `first` on. */
static void columns_fill(const tl_adjoint *a, const talus_matrix *h, int64_t first, double *to) {
  int64_t line = 0;
  for (int64_t e = 0; to != NULL && e < h->count; e++) {
    int32_t row, column;
    tl_matrix_place(h, e, &line, &row, &column);
    to[e] = a->after[row] * a->free[first + column] + a->motion[row] * a->impulse[first + column];
  }
}

void tl_gradient_global(const tl_adjoint *a, const talus_gradient *to) {
  const talus_global *const global = &a->problem->global;
  int64_t line = 0;
  if (to->velocity != NULL) {
    memcpy(to->velocity, a->motion, (size_t)a->motion_count * sizeof *a->motion);
  }
  for (int64_t e = 0; to->mass != NULL && e < global->mass.count; e++) {
    int32_t i, j;
    tl_matrix_place(&global->mass, e, &line, &i, &j);
    to->mass[e] = -0.5 * (a->motion[i] * a->after[j] + a->motion[j] * a->after[i]);
  }
  columns_fill(a, &global->h, 0, to->h);
  if (a->problem->bilateral_count > 0) {
    columns_fill(a, &global->g, a->contact_rows, to->g);
  }
}
