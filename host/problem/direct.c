/* direct.c: scaled problems of forms (a), (b) and (c) from the caller's arrays, without a system:
 * in the caller's order, W dense. Numbers far from 1 are refused. */
#include "host/problem/direct.h"

#include <math.h>
#include <string.h>

#include "host/problem/problem_check.h"
#include "kernels/item/team.h"

/* Squares of velocities in the certificate's measure that need no other units. */
static const double LEAST = 1e-100, MOST = 1e100;

/* ---- constraints ----------------------------------------------------------------------------- */

talus_status tl_direct_reserve(tl_direct *d, int64_t blocks, int64_t reals) {
  TL_TRY(tl_buffer_reserve(d->context, &d->scaled->jacobians,
                           tl_jacobians_room((size_t)blocks, (size_t)reals), sizeof(double),
                           "Jacobians of a small problem"));
  d->blocks = tl_jacobians_in(d->scaled->jacobians.memory, (size_t)reals);
  return TALUS_OK;
}

void tl_direct_kind(tl_direct *d, int32_t k) {
  const talus_problem *const p = d->problem;
  tl_scaled *const scaled = d->scaled;
  const int32_t row = k - p->contact_count;
  if (row < 0) {
    const double mu = p->friction != NULL && p->dimension > 1 ? p->friction[k] : 0;
    scaled->kind[k] = mu > 0 ? TL_CONSTRAINT_FRICTION : TL_CONSTRAINT_UNILATERAL;
    scaled->friction[k] = mu;
    scaled->lower[k] = -INFINITY;
    scaled->upper[k] = INFINITY;
    return;
  }
  const double lower = p->row_lower != NULL ? p->row_lower[row] : -INFINITY;
  const double upper = p->row_upper != NULL ? p->row_upper[row] : INFINITY;
  scaled->kind[k] = isfinite(lower) || isfinite(upper) ? TL_CONSTRAINT_BOUNDED : TL_CONSTRAINT_FREE;
  scaled->friction[k] = 0;
  scaled->lower[k] = lower;
  scaled->upper[k] = upper;
}

/* u and its sizes less C times the target, w_k with C, of a constraint whose frame stands. */
static double target_take(const tl_direct *d, int32_t k, double weight, double *u, double *sizes) {
  const double *const axis = d->scaled->frame + 9 * (int64_t)k;
  const tl_yielding c = tl_problem_yielding(d->problem, k);
  const int32_t rows = k < d->problem->contact_count ? d->problem->dimension : 1;
  const double *const x = c.target;
  const double along =
      (c.normal - c.tangential) * (axis[0] * x[0] + axis[1] * x[1] + axis[2] * x[2]);
  for (int i = 0; i < 3; i++) {
    const double part = c.tangential * x[i] + along * axis[i];
    u[i] -= part;
    sizes[i] += fabs(part);
  }
  return weight + (c.normal + (rows - 1) * c.tangential) / rows;
}

double tl_direct_scale(tl_direct *d, int32_t k, double weight, double *u, double *sizes,
                       int32_t rows) {
  tl_scaled *const scaled = d->scaled;
  if (!(weight > LEAST && weight < MOST)) {
    return 0;
  }
  if (d->compliant) {
    weight = target_take(d, k, weight, u, sizes);
  }
  if (!(weight < MOST)) {
    return 0;
  }
  const double root = sqrt(weight), inverse = 1 / root;
  const double *const axis = scaled->frame + 9 * (int64_t)k;
  scaled->root[k] = root;
  for (int c = 0; c < 3; c++) {
    d->rounding += sizes[c] * inverse * (sizes[c] * inverse);
  }
  for (int32_t i = 0; i < rows; i++) {
    scaled->q[scaled->first[k] + i] =
        (axis[3 * i] * u[0] + axis[3 * i + 1] * u[1] + axis[3 * i + 2] * u[2]) * inverse;
  }
  scaled->first[k + 1] = scaled->first[k] + rows;
  return inverse;
}

/* ---- the problem ----------------------------------------------------------------------------- */

/* Scales q to length one, bounds with it. Returns whether the velocities are of a usual size. */
static bool unit_take(tl_scaled *scaled) {
  double square = 0;
  for (int32_t i = 0; i < scaled->rows; i++) {
    square += scaled->q[i] * scaled->q[i];
  }
  scaled->unit = sqrt(square);
  const double inverse = 1 / scaled->unit;
  for (int32_t i = 0; i < scaled->stride; i++) {
    scaled->q[i] = i < scaled->rows ? scaled->q[i] * inverse : 0;
  }
  for (int32_t k = 0; k < scaled->count; k++) {
    scaled->lower[k] *= scaled->root[k] * inverse;
    scaled->upper[k] *= scaled->root[k] * inverse;
  }
  return square > LEAST && square < MOST;
}

/* The other half of W: it is symmetric. */
static void matrix_mirror(tl_scaled *scaled) {
  const int64_t stride = scaled->stride;
  for (int32_t k = 1; k < scaled->count; k++) {
    const int32_t above = scaled->first[k];
    for (int64_t j = above; j < scaled->first[k + 1]; j++) {
      for (int64_t i = 0; i < above; i++) {
        scaled->w[stride * j + i] = scaled->w[stride * i + j];
      }
    }
  }
}

/* C on the diagonal of W, scaled. */
static void compliance_add(const tl_direct *d) {
  tl_scaled *const scaled = d->scaled;
  for (int32_t k = 0; k < scaled->count; k++) {
    const tl_yielding c = tl_problem_yielding(d->problem, k);
    const double inverse = 1 / (scaled->root[k] * scaled->root[k]);
    for (int64_t i = scaled->first[k]; i < scaled->first[k + 1]; i++) {
      scaled->w[(scaled->stride + 1) * i] +=
          (i == scaled->first[k] ? c.normal : c.tangential) * inverse;
    }
  }
}

talus_status tl_direct_import(talus_context *context, const talus_problem *problem,
                              tl_scaled *scaled, double *rounding, bool *taken) {
  *taken = false;
  const int32_t count = problem->contact_count + problem->bilateral_count;
  const bool rigid = problem->form == TALUS_FORM_RIGID,
             matrix = problem->form == TALUS_FORM_DELASSUS;
  tl_direct d = {.context = context,
                 .problem = problem,
                 .scaled = scaled,
                 .compliant = tl_problem_compliant(problem)};
  TL_TRY(tl_scaled_reserve(context, count, true, scaled));
  scaled->facet_count = scaled->bound_count = 0;
  scaled->first[0] = 0;
  bool good;
  TL_TRY((rigid ? tl_direct_rigid : matrix ? tl_direct_matrix : tl_direct_blocks)(&d, &good));
  if (!good) {
    return TALUS_OK;
  }
  scaled->rows = scaled->first[count];
  scaled->stride = tl_padded(scaled->rows);
  if (!unit_take(scaled)) {
    return TALUS_OK;
  }
  memset(scaled->w, 0, (size_t)scaled->stride * (size_t)scaled->rows * sizeof *scaled->w);
  if (matrix) {
    tl_direct_matrix_fill(&d);
  } else {
    tl_jacobians_multiply(&d.blocks, scaled->first, scaled->stride, scaled->w, rigid);
  }
  if (rigid) { /* M^-1 of form (b) need not be symmetric to the last digit */
    matrix_mirror(scaled);
  }
  if (d.compliant) {
    compliance_add(&d);
  }
  *rounding = d.rounding;
  *taken = true;
  return TALUS_OK;
}
