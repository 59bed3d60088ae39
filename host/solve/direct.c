/* direct.c: W and q of small problems of forms (a), (b) and (c) from the caller's arrays, without a
 * system: in the caller's order, scaled as small.h says. Numbers far from 1 are refused. */
#include "host/solve/direct.h"

#include <math.h>
#include <string.h>

#include "host/problem/problem_check.h"

/* Squares of velocities in the certificate's measure that need no other units. */
static const double LEAST = 1e-100, MOST = 1e100;

/* ---- constraints ----------------------------------------------------------------------------- */

talus_status tl_direct_reserve(tl_direct *d, int64_t touches, int64_t reals) {
  const size_t heads = (size_t)touches * ((sizeof(tl_small_touch) + 7) / 8);
  TL_TRY(tl_buffer_reserve(d->small->context, &d->small->touches, (size_t)reals + heads,
                           sizeof(double), "a small problem's Jacobians"));
  d->touches.at = d->small->touches.memory;
  d->touches.list = (tl_small_touch *)(void *)(d->touches.at + reals);
  return TALUS_OK;
}

void tl_direct_kind(tl_direct *d, int32_t k) {
  const talus_problem *const p = d->problem;
  tl_small *const small = d->small;
  const int32_t row = k - p->contact_count;
  if (row < 0) {
    const double mu = p->friction != NULL && p->dimension > 1 ? p->friction[k] : 0;
    small->kind[k] = mu > 0 ? TL_SMALL_CONE : TL_SMALL_HALF;
    small->friction[k] = mu;
    small->lower[k] = -INFINITY;
    small->upper[k] = INFINITY;
    return;
  }
  const double lower = p->row_lower != NULL ? p->row_lower[row] : -INFINITY;
  const double upper = p->row_upper != NULL ? p->row_upper[row] : INFINITY;
  small->kind[k] = isfinite(lower) || isfinite(upper) ? TL_SMALL_BOUND : TL_SMALL_FREE;
  small->friction[k] = 0;
  small->lower[k] = lower;
  small->upper[k] = upper;
}

/* u and its sizes less C times the target, w_k with C, of a constraint whose frame stands. */
static double target_take(const tl_direct *d, int32_t k, double weight, double *u, double *sizes) {
  const double *const axis = d->small->frame + 9 * (int64_t)k;
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
  tl_small *const small = d->small;
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
  const double *const axis = small->frame + 9 * (int64_t)k;
  small->root[k] = root;
  for (int c = 0; c < 3; c++) {
    d->rounding += sizes[c] * inverse * (sizes[c] * inverse);
  }
  for (int32_t i = 0; i < rows; i++) {
    small->q[small->first[k] + i] =
        (axis[3 * i] * u[0] + axis[3 * i + 1] * u[1] + axis[3 * i + 2] * u[2]) * inverse;
  }
  small->first[k + 1] = small->first[k] + rows;
  return inverse;
}

/* ---- the problem ----------------------------------------------------------------------------- */

/* q of length one, bounds with it. Returns 0 if the velocities are nothing to work with. */
static int unit_take(tl_small *small) {
  double square = 0;
  for (int32_t i = 0; i < small->rows; i++) {
    square += small->q[i] * small->q[i];
  }
  small->unit = sqrt(square);
  const double inverse = 1 / small->unit;
  for (int32_t i = 0; i < small->stride; i++) {
    small->q[i] = i < small->rows ? small->q[i] * inverse : 0;
  }
  for (int32_t k = 0; k < small->count; k++) {
    small->lower[k] *= small->root[k] * inverse;
    small->upper[k] *= small->root[k] * inverse;
  }
  return square > LEAST && square < MOST;
}

/* The other half of W: it is symmetric. */
static void matrix_mirror(tl_small *small) {
  const int64_t stride = small->stride;
  for (int32_t k = 1; k < small->count; k++) {
    const int32_t above = small->first[k];
    for (int64_t j = above; j < small->first[k + 1]; j++) {
      for (int64_t i = 0; i < above; i++) {
        small->w[stride * j + i] = small->w[stride * i + j];
      }
    }
  }
}

/* C on the diagonal of W, scaled. */
static void compliance_add(const tl_direct *d) {
  tl_small *const small = d->small;
  for (int32_t k = 0; k < small->count; k++) {
    const tl_yielding c = tl_problem_yielding(d->problem, k);
    const double inverse = 1 / (small->root[k] * small->root[k]);
    for (int64_t i = small->first[k]; i < small->first[k + 1]; i++) {
      small->w[(small->stride + 1) * i] +=
          (i == small->first[k] ? c.normal : c.tangential) * inverse;
    }
  }
}

talus_status tl_direct_form(tl_small *small, const talus_problem *problem, bool *taken) {
  *taken = false;
  const int32_t count = problem->contact_count + problem->bilateral_count;
  const int rigid = problem->form == TALUS_FORM_RIGID,
            matrix = problem->form == TALUS_FORM_DELASSUS;
  tl_direct d = {.problem = problem, .small = small, .compliant = tl_problem_compliant(problem)};
  small->ready = false;
  small->pick = small->place = NULL;
  small->facet_count = 0;
  TL_TRY(tl_small_reserve(small, count));
  small->first[0] = 0;
  bool good;
  TL_TRY((rigid ? tl_direct_rigid : matrix ? tl_direct_matrix : tl_direct_blocks)(&d, &good));
  if (!good) {
    return TALUS_OK;
  }
  small->rows = small->first[count];
  small->stride = tl_padded(small->rows);
  if (!unit_take(small)) {
    return TALUS_OK;
  }
  memset(small->w, 0, (size_t)small->stride * (size_t)small->rows * sizeof *small->w);
  if (matrix) {
    tl_direct_matrix_fill(&d);
  } else {
    tl_touches_multiply(&d.touches, small->first, small->stride, small->w, rigid);
  }
  if (rigid) { /* M^-1 of form (b) need not be symmetric to the last digit */
    matrix_mirror(small);
  }
  if (d.compliant) {
    compliance_add(&d);
  }
  tl_small_paces(small);
  small->rounding = d.rounding;
  *taken = true;
  return TALUS_OK;
}
