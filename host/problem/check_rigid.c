/* check_rigid.c: form (a): bodies, contacts with arms or reaches, rows between bodies. */
#include <math.h>

#include "host/problem/check_values.h"
#include "kernels/item/rigid.h"

/* A velocity array has eight numbers of each body, counted in 32 bits. */
enum { BODIES_MAX = (1 << 28) - 2 };

static talus_status bodies_check(talus_context *context, const talus_rigid *rigid) {
  const int64_t count = rigid->body_count;
  TL_TRY(tl_check_count_to(context, count, BODIES_MAX, "rigid.body_count"));
  TL_TRY(tl_check_numbers(context, rigid->velocity, 6 * count, "rigid.velocity"));
  TL_TRY(tl_check_numbers(context, rigid->inverse_mass, count, "rigid.inverse_mass"));
  TL_TRY(tl_check_numbers(context, rigid->inverse_inertia, 6 * count, "rigid.inverse_inertia"));
  for (int64_t i = 0; i < count; i++) {
    if (rigid->inverse_mass[i] < 0) {
      return tl_fail(context, TALUS_NEGATIVE_MASS, "rigid.inverse_mass[%lld] is %g: negative",
                     (long long)i, rigid->inverse_mass[i]);
    }
    if (!tl_rigid_inertia_good(rigid->inverse_inertia + 6 * i)) {
      return tl_fail(context, TALUS_NEGATIVE_MASS,
                     "rigid.inverse_inertia of body %lld is not positive semidefinite",
                     (long long)i);
    }
  }
  return TALUS_OK;
}

static talus_status pair_check(talus_context *context, const talus_rigid *rigid,
                               const int32_t *body_a, const int32_t *body_b, int32_t count,
                               const char *what) {
  for (int32_t k = 0; k < count; k++) {
    const int32_t a = body_a[k], b = body_b[k];
    if (a == b && a >= 0) {
      return tl_fail(context, TALUS_INVALID_ARGUMENT, "%s %d joins body %d with itself", what, k,
                     a);
    }
    if (!tl_rigid_moves(rigid, a) && !tl_rigid_moves(rigid, b)) {
      return tl_fail(context, TALUS_IMMOVABLE_PAIR,
                     "%s %d is between bodies %d and %d, neither of which can move", what, k, a, b);
    }
  }
  return TALUS_OK;
}

static talus_status arms_check(talus_context *context, const talus_rigid *rigid, int64_t count) {
  const bool reaches = rigid->reach_a != NULL || rigid->reach_b != NULL;
  const bool arms = rigid->arm_a != NULL || rigid->arm_b != NULL;
  if (count > 0 && reaches == arms) {
    return tl_fail(context, TALUS_MISSING_ARRAY,
                   "give both rigid.reach_a and reach_b, or both rigid.arm_a and arm_b (%s given)",
                   reaches ? "both kinds are" : "none is");
  }
  if (reaches) {
    TL_TRY(tl_check_numbers(context, rigid->reach_a, count, "rigid.reach_a"));
    return tl_check_numbers(context, rigid->reach_b, count, "rigid.reach_b");
  }
  TL_TRY(tl_check_numbers(context, rigid->arm_a, 3 * count, "rigid.arm_a"));
  return tl_check_numbers(context, rigid->arm_b, 3 * count, "rigid.arm_b");
}

talus_status tl_check_rigid(talus_context *context, const talus_problem *problem) {
  const talus_rigid *rigid = &problem->rigid;
  const int64_t count = problem->contact_count, rows = problem->bilateral_count;
  if (problem->dimension != 3 && problem->dimension != 6) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT, "form RIGID has dimension 3 or 6, not %d",
                   problem->dimension);
  }
  TL_TRY(bodies_check(context, rigid));
  TL_TRY(tl_check_indices(context, rigid->body_a, count, -1, rigid->body_count, "rigid.body_a"));
  TL_TRY(tl_check_indices(context, rigid->body_b, count, -1, rigid->body_count, "rigid.body_b"));
  TL_TRY(
      pair_check(context, rigid, rigid->body_a, rigid->body_b, problem->contact_count, "contact"));
  TL_TRY(tl_check_numbers(context, rigid->normal, 3 * count, "rigid.normal"));
  for (int64_t k = 0; k < count; k++) {
    const double *n = rigid->normal + 3 * k;
    const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (!tl_rigid_unit(length)) {
      return tl_fail(context, TALUS_NORMAL_LENGTH,
                     "rigid.normal of contact %lld has length %.9g, not 1", (long long)k, length);
    }
  }
  TL_TRY(arms_check(context, rigid, count));
  TL_TRY(tl_check_finite(context, rigid->bias, count, "rigid.bias"));
  TL_TRY(tl_check_finite(context, rigid->surface_velocity, 3 * count, "rigid.surface_velocity"));
  TL_TRY(tl_check_indices(context, rigid->row_body_a, rows, -1, rigid->body_count,
                          "rigid.row_body_a"));
  TL_TRY(tl_check_indices(context, rigid->row_body_b, rows, -1, rigid->body_count,
                          "rigid.row_body_b"));
  TL_TRY(pair_check(context, rigid, rigid->row_body_a, rigid->row_body_b, problem->bilateral_count,
                    "bilateral row"));
  TL_TRY(tl_check_numbers(context, rigid->row_jacobian, 12 * rows, "rigid.row_jacobian"));
  return tl_check_finite(context, rigid->row_bias, rows, "rigid.row_bias");
}
