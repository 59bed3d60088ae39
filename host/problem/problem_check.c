/* problem_check.c: validation of a caller's problem; its form's arrays in check_*.c.
 *
 * Checks what would make a solver read outside an array, divide by zero or return nonsense. What
 * only a factorisation can tell (M positive definite, W_kk) is checked where it is computed. */
#include "host/problem/problem_check.h"

#include <math.h>

#include "host/problem/check_values.h"
#include "kernels/item/rigid.h"

/* Bounds of the bilateral rows' impulses: infinite ones are none. */
static talus_status bounds_check(talus_context *context, const talus_problem *problem) {
  for (int32_t r = 0; r < problem->bilateral_count; r++) {
    const double lower = problem->row_lower != NULL ? problem->row_lower[r] : -INFINITY;
    const double upper = problem->row_upper != NULL ? problem->row_upper[r] : INFINITY;
    if (isnan(lower) || lower == INFINITY) {
      return tl_fail(context, TALUS_BAD_BOUNDS,
                     "problem.row_lower[%d] is %g: a number or -INFINITY is needed", r, lower);
    }
    if (isnan(upper) || upper == -INFINITY) {
      return tl_fail(context, TALUS_BAD_BOUNDS,
                     "problem.row_upper[%d] is %g: a number or INFINITY is needed", r, upper);
    }
    if (lower > upper) {
      return tl_fail(context, TALUS_BAD_BOUNDS,
                     "problem.row_lower[%d] is %g, above problem.row_upper[%d], which is %g", r,
                     lower, r, upper);
    }
  }
  return TALUS_OK;
}

static talus_status compliance_check(talus_context *context, const double *array, int64_t count,
                                     const char *name) {
  TL_TRY(tl_check_finite(context, array, count, name));
  for (int64_t i = 0; array != NULL && i < count; i++) {
    if (array[i] < 0) {
      return tl_fail(context, TALUS_INVALID_ARGUMENT,
                     "%s[%lld] is %g: a compliance is 0 (rigid) or positive", name, (long long)i,
                     array[i]);
    }
  }
  return TALUS_OK;
}

static talus_status compliances_check(talus_context *context, const talus_problem *problem) {
  const int64_t contacts = problem->contact_count, rows = problem->bilateral_count;
  TL_TRY(compliance_check(context, problem->compliance, 2 * contacts, "problem.compliance"));
  TL_TRY(tl_check_finite(context, problem->target_impulse, problem->dimension * contacts,
                         "problem.target_impulse"));
  TL_TRY(compliance_check(context, problem->row_compliance, rows, "problem.row_compliance"));
  return tl_check_finite(context, problem->row_target_impulse, rows, "problem.row_target_impulse");
}

static talus_status friction_check(talus_context *context, const double *friction, int64_t count,
                                   const char *name, const char *instead) {
  TL_TRY(tl_check_finite(context, friction, count, name));
  for (int64_t k = 0; friction != NULL && k < count; k++) {
    if (friction[k] < 0) {
      return tl_fail(context, TALUS_NEGATIVE_FRICTION, "%s[%lld] is %g", name, (long long)k,
                     friction[k]);
    }
    if (friction[k] > TL_FRICTION_MOST) {
      return tl_fail(context, TALUS_NEGATIVE_FRICTION, "%s[%lld] is %g, above %g: %s", name,
                     (long long)k, friction[k], TL_FRICTION_MOST, instead);
    }
  }
  return TALUS_OK;
}

/* Six rows and elliptic cones. */
static talus_status wrenches_check(talus_context *context, const talus_problem *problem) {
  if (tl_problem_wrenches(problem) && problem->form == TALUS_FORM_DELASSUS) {
    return tl_fail(context, TALUS_UNSUPPORTED,
                   "contacts of six rows and elliptic cones (problem.%s) are for forms RIGID, "
                   "BLOCKS and GLOBAL: give the bodies, their Jacobian blocks, or M and H",
                   problem->dimension == 6 ? "dimension 6" : "cross_friction");
  }
  if ((problem->dimension == 6) != (problem->torque_friction != NULL) &&
      problem->contact_count > 0) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT,
                   "problem.torque_friction goes with dimension 6, which is %d",
                   problem->dimension);
  }
  return friction_check(context, problem->torque_friction, 2 * (int64_t)problem->contact_count,
                        "problem.torque_friction", "lengths, of the size of the bodies at most");
}

/* After the form's own arrays. */
static talus_status ellipses_check(talus_context *context, const talus_problem *problem) {
  const double *const cross = problem->cross_friction;
  const int64_t count = problem->contact_count;
  if (cross == NULL || count == 0) {
    return TALUS_OK;
  }
  TL_TRY(friction_check(context, cross, count, "problem.cross_friction", "no cone is as wide"));
  if (problem->dimension < 3 || problem->friction == NULL) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT,
                   "problem.cross_friction goes with friction and dimension 3 or 6");
  }
  const bool rigid = problem->form == TALUS_FORM_RIGID;
  if (rigid) {
    TL_TRY(tl_check_numbers(context, problem->friction_direction, 3 * count,
                            "problem.friction_direction"));
  }
  for (int32_t k = 0; k < count; k++) {
    double along[3], across[3];
    if ((cross[k] > 0) != (problem->friction[k] > 0)) {
      return tl_fail(context, TALUS_NEGATIVE_FRICTION,
                     "problem.cross_friction[%d] is %g and friction[%d] %g: an ellipse has two "
                     "positive axes, a contact without friction none",
                     k, cross[k], k, problem->friction[k]);
    }
    if (cross[k] != problem->friction[k] && !tl_problem_directions(problem, k, along, across)) {
      return tl_fail(context, TALUS_INVALID_ARGUMENT,
                     "problem.friction_direction of contact %d has no part across the normal", k);
    }
  }
  return TALUS_OK;
}

static talus_status asleep_check(talus_context *context, const talus_problem *problem,
                                 int32_t count) {
  for (int32_t i = 0; problem->asleep != NULL && i < count; i++) {
    if ((uint32_t)problem->asleep[i] > 1) {
      return tl_fail(context, TALUS_INVALID_ARGUMENT,
                     "problem.asleep[%d] is %d: 0 is awake, 1 asleep", i, problem->asleep[i]);
    }
  }
  return TALUS_OK;
}

static talus_status bricks_check(talus_context *context, const talus_problem *problem) {
  if (!(problem->brick_size >= 0) || !isfinite(problem->brick_size)) {
    return tl_fail(context, TALUS_NOT_FINITE,
                   "problem.brick_size is %g: it must be a length, or 0 for no bricks",
                   problem->brick_size);
  }
  if (problem->brick_size > 0 && problem->form != TALUS_FORM_RIGID) {
    return tl_fail(context, TALUS_UNSUPPORTED,
                   "problem.brick_size is for form RIGID: bodies of others have no positions");
  }
  if (problem->brick_size > 0 && problem->positions == NULL && problem->rigid.body_count > 0) {
    return tl_fail(context, TALUS_MISSING_ARRAY,
                   "problem.brick_size is %g and problem.positions NULL: bricks need them",
                   problem->brick_size);
  }
  return TALUS_OK;
}

talus_status tl_problem_check(talus_context *context, const talus_problem *problem) {
  if ((problem->dimension < 1 || problem->dimension > 3) && problem->dimension != 6) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT,
                   "problem.dimension is %d: 1, 2, 3, or 6 with torques", problem->dimension);
  }
  TL_TRY(tl_check_count(context, problem->contact_count, "problem.contact_count"));
  TL_TRY(tl_check_count(context, problem->bilateral_count, "problem.bilateral_count"));
  TL_TRY(tl_check_count(context,
                        (int64_t)(problem->dimension == 6 ? 6 : 3) * problem->contact_count +
                            3 * (int64_t)problem->bilateral_count,
                        "three times contacts and bilateral rows, contacts of six rows twice"));
  TL_TRY(friction_check(
      context, problem->friction, problem->contact_count, "problem.friction",
      "a contact that never slides has no more than 10, or is three bilateral rows"));
  TL_TRY(wrenches_check(context, problem));
  TL_TRY(bounds_check(context, problem));
  TL_TRY(compliances_check(context, problem));
  if (!(problem->velocity_scale >= 0) || !isfinite(problem->velocity_scale)) {
    return tl_fail(context, TALUS_NOT_FINITE,
                   "problem.velocity_scale is %g: it must be a speed, or 0 for none",
                   problem->velocity_scale);
  }
  TL_TRY(bricks_check(context, problem));
  if (problem->asleep != NULL && problem->form != TALUS_FORM_RIGID &&
      problem->form != TALUS_FORM_BLOCKS) {
    return tl_fail(context, TALUS_UNSUPPORTED,
                   "problem.asleep is for forms RIGID and BLOCKS: this one has no bodies");
  }
  switch (problem->form) {
  case TALUS_FORM_RIGID:
    TL_TRY(tl_check_rigid(context, problem));
    TL_TRY(ellipses_check(context, problem));
    if (problem->brick_size > 0) {
      TL_TRY(tl_check_finite(context, problem->positions, 3 * (int64_t)problem->rigid.body_count,
                             "problem.positions"));
    }
    return asleep_check(context, problem, problem->rigid.body_count);
  case TALUS_FORM_BLOCKS:
    TL_TRY(tl_check_blocks(context, problem));
    TL_TRY(ellipses_check(context, problem));
    return asleep_check(context, problem, problem->blocks.block_count);
  case TALUS_FORM_DELASSUS:
    return tl_check_delassus(context, problem);
  case TALUS_FORM_GLOBAL:
    TL_TRY(tl_check_global(context, problem));
    return ellipses_check(context, problem);
  }
  return tl_fail(context, TALUS_INVALID_ARGUMENT, "problem.form %d is unknown", (int)problem->form);
}
