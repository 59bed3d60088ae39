/* problem_traits.c: what a problem has beyond contacts with round cones: bounds of rows,
 * compliance, six rows, elliptic cones. */
#include <math.h>

#include "host/problem/problem_check.h"

bool tl_problem_bounded(const talus_problem *problem) {
  for (int32_t r = 0; r < problem->bilateral_count; r++) {
    if ((problem->row_lower != NULL && isfinite(problem->row_lower[r])) ||
        (problem->row_upper != NULL && isfinite(problem->row_upper[r]))) {
      return true;
    }
  }
  return false;
}

static bool any_positive(const double *array, int64_t count) {
  for (int64_t i = 0; array != NULL && i < count; i++) {
    if (array[i] > 0) {
      return true;
    }
  }
  return false;
}

bool tl_problem_compliant(const talus_problem *problem) {
  return any_positive(problem->compliance, 2 * (int64_t)problem->contact_count) ||
         any_positive(problem->row_compliance, problem->bilateral_count);
}

tl_yielding tl_problem_yielding(const talus_problem *problem, int32_t constraint) {
  const int64_t contacts = problem->contact_count, k = constraint, row = k - contacts;
  const int32_t dimension = problem->dimension;
  tl_yielding c = {0, 0, {0, 0, 0}};
  if (k >= contacts) {
    c.normal = problem->row_compliance != NULL ? problem->row_compliance[row] : 0;
    c.target[0] = problem->row_target_impulse != NULL ? problem->row_target_impulse[row] : 0;
    return c;
  }
  c.normal = problem->compliance != NULL ? problem->compliance[2 * k] : 0;
  c.tangential = problem->compliance != NULL && dimension > 1 ? problem->compliance[2 * k + 1] : 0;
  for (int32_t i = 0; problem->target_impulse != NULL && i < dimension && i < 3; i++) {
    c.target[i] = problem->target_impulse[dimension * k + i];
  }
  return c;
}

bool tl_problem_wrenches(const talus_problem *problem) {
  return problem->dimension == 6 || problem->cross_friction != NULL;
}

bool tl_problem_directions(const talus_problem *problem, int32_t k, double *along, double *across) {
  if (problem->form != TALUS_FORM_RIGID) {
    along[0] = along[2] = across[0] = across[1] = 0;
    along[1] = across[2] = 1;
    return true;
  }
  const double *const n = problem->rigid.normal + 3 * (int64_t)k;
  const double *const d = problem->friction_direction + 3 * (int64_t)k;
  const double part = n[0] * d[0] + n[1] * d[1] + n[2] * d[2];
  double square = 0, size = 0;
  for (int i = 0; i < 3; i++) {
    along[i] = d[i] - part * n[i];
    square += along[i] * along[i];
    size += d[i] * d[i];
  }
  for (int i = 0; i < 3; i++) {
    along[i] /= sqrt(square);
  }
  across[0] = n[1] * along[2] - n[2] * along[1];
  across[1] = n[2] * along[0] - n[0] * along[2];
  across[2] = n[0] * along[1] - n[1] * along[0];
  return square > 1e-12 * size;
}

tl_ellipse tl_problem_ellipse(const talus_problem *problem, int32_t k) {
  const double first = problem->friction != NULL ? problem->friction[k] : 0;
  tl_ellipse e = {first, {0, 0, 0}};
  const double second = problem->cross_friction != NULL ? problem->cross_friction[k] : first;
  double along[3], across[3];
  if (second == first || !tl_problem_directions(problem, k, along, across)) {
    return e;
  }
  e.friction = fmax(first, second);
  const double g = sqrt(1 - fmin(first, second) / e.friction);
  for (int i = 0; i < 3; i++) {
    e.squeeze[i] = g * (first > second ? across[i] : along[i]);
  }
  return e;
}
