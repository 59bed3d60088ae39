/* test_problem_check.c: every defect of a problem of form RIGID or BLOCKS, and of what all forms
 * have in common, gets its own status and a message that names field and index. After each refusal
 * the good problem is still good. */
#include "tests/unit/refusals.h"

static void check_common(desk *d) {
  BREAK_FIELD(uint32_t, struct_size, 0, TALUS_STRUCT_SIZE, "problem.struct_size");
  BREAK_FIELD(uint32_t, struct_size, 12345, TALUS_STRUCT_SIZE, "problem.struct_size");
  BREAK_FIELD(talus_form, form, (talus_form)0, TALUS_INVALID_ARGUMENT, "problem.form");
  BREAK_FIELD(talus_form, form, (talus_form)9, TALUS_INVALID_ARGUMENT, "problem.form");
  BREAK_FIELD(int32_t, dimension, 0, TALUS_INVALID_ARGUMENT, "dimension");
  BREAK_FIELD(int32_t, dimension, 4, TALUS_INVALID_ARGUMENT, "dimension");
  BREAK_FIELD(int32_t, dimension, -1, TALUS_INVALID_ARGUMENT, "dimension");
  BREAK_FIELD(int32_t, contact_count, -1, TALUS_SIZE_OVERFLOW, "problem.contact_count");
  BREAK_FIELD(int32_t, contact_count, INT32_MAX, TALUS_SIZE_OVERFLOW, "problem.contact_count");
  BREAK_FIELD(int32_t, contact_count, INT32_MAX / 8, TALUS_SIZE_OVERFLOW, "contacts");
  BREAK_FIELD(int32_t, bilateral_count, -5, TALUS_SIZE_OVERFLOW, "problem.bilateral_count");
  BREAK_FIELD(int32_t, bilateral_count, INT32_MAX, TALUS_SIZE_OVERFLOW, "bilateral_count");
  BREAK(double, d->problem.friction, 2, -1e-9, TALUS_NEGATIVE_FRICTION, "problem.friction[2]");
  BREAK(double, d->problem.friction, 2, 1.1e6, TALUS_NEGATIVE_FRICTION, "problem.friction[2]");
  BREAK_FINITE(d->problem.friction, 3, "problem.friction[3]");
  accepted(d, __LINE__);
}

/* Bounds of the bilateral rows, whatever the form. */
static void check_bounds(desk *d) {
  double lower[4] = {-1, 0, -INFINITY, 2}, upper[4] = {1, INFINITY, -3, 2};
  d->problem.row_lower = lower;
  d->problem.row_upper = upper;
  accepted(d, __LINE__);
  BREAK(double, lower, 1, NAN, TALUS_BAD_BOUNDS, "problem.row_lower[1] is");
  BREAK(double, lower, 2, INFINITY, TALUS_BAD_BOUNDS, "problem.row_lower[2] is inf");
  BREAK(double, upper, 3, NAN, TALUS_BAD_BOUNDS, "problem.row_upper[3] is");
  BREAK(double, upper, 0, -INFINITY, TALUS_BAD_BOUNDS, "problem.row_upper[0] is -inf");
  BREAK(double, upper, 3, 1.5, TALUS_BAD_BOUNDS, "problem.row_lower[3] is 2, above");
  d->problem.row_upper = NULL;
  accepted(d, __LINE__);
  BREAK(double, lower, 0, NAN, TALUS_BAD_BOUNDS, "problem.row_lower[0] is");
  d->problem.row_lower = NULL;
  d->problem.row_upper = upper;
  accepted(d, __LINE__);
  BREAK(double, upper, 1, NAN, TALUS_BAD_BOUNDS, "problem.row_upper[1] is");
  d->problem.row_upper = NULL;
  accepted(d, __LINE__);
}

/* What gives way, whatever the form; the problem has four rows. */
static void check_compliance(desk *d) {
  const int32_t contacts = d->problem.contact_count, dimension = d->problem.dimension;
  double *c = calloc(2 * (size_t)contacts, sizeof *c);
  double *target = calloc((size_t)(contacts * dimension), sizeof *target);
  double row[4] = {0, 1, 2, 0}, row_target[4] = {0, -1, 1, 0};
  c[5] = 0.25;
  d->problem.compliance = c;
  d->problem.target_impulse = target;
  d->problem.row_compliance = row;
  d->problem.row_target_impulse = row_target;
  accepted(d, __LINE__);
  BREAK(double, c, 3, -1e-9, TALUS_INVALID_ARGUMENT, "problem.compliance[3] is -1e-09");
  BREAK_FINITE(c, 4, "problem.compliance[4]");
  BREAK_FINITE(target, contacts * dimension - 1, "problem.target_impulse[");
  BREAK(double, row, 2, -1, TALUS_INVALID_ARGUMENT, "problem.row_compliance[2] is -1");
  BREAK_FINITE(row, 1, "problem.row_compliance[1]");
  BREAK_FINITE(row_target, 3, "problem.row_target_impulse[3]");
  d->problem.compliance = d->problem.target_impulse = NULL;
  d->problem.row_compliance = d->problem.row_target_impulse = NULL;
  accepted(d, __LINE__);
  free(c);
  free(target);
}

/* ---- form (a) -------------------------------------------------------------------------------- */

static void check_rigid(desk *d) {
  talus_rigid *const r = &d->problem.rigid;
  const int32_t bodies = r->body_count;
  BREAK_FIELD(int32_t, dimension, 2, TALUS_INVALID_ARGUMENT, "dimension");
  BREAK_FIELD(int32_t, rigid.body_count, -1, TALUS_SIZE_OVERFLOW, "rigid.body_count");
  BREAK_FIELD(int32_t, rigid.body_count, INT32_MAX, TALUS_SIZE_OVERFLOW, "rigid.body_count");
  BREAK_FIELD(int32_t, rigid.body_count, 1 << 28, TALUS_SIZE_OVERFLOW, "rigid.body_count");
  BREAK_NULL(reals, rigid.velocity, "rigid.velocity");
  BREAK_NULL(reals, rigid.inverse_mass, "rigid.inverse_mass");
  BREAK_NULL(reals, rigid.inverse_inertia, "rigid.inverse_inertia");
  BREAK_NULL(indices, rigid.body_a, "rigid.body_a");
  BREAK_NULL(indices, rigid.body_b, "rigid.body_b");
  BREAK_NULL(reals, rigid.normal, "rigid.normal");
  BREAK_FINITE(r->velocity, 7, "rigid.velocity[7]");
  BREAK_FINITE(r->inverse_mass, 3, "rigid.inverse_mass[3]");
  BREAK_FINITE(r->inverse_inertia, 11, "rigid.inverse_inertia[11]");
  BREAK_FINITE(r->normal, 8, "rigid.normal[8]");
  BREAK(double, r->inverse_mass, 1, -1e-30, TALUS_NEGATIVE_MASS, "rigid.inverse_mass[1]");
  BREAK(double, r->inverse_inertia, 6 * 2, -1, TALUS_NEGATIVE_MASS, "body 2");
  BREAK(double, r->inverse_inertia, 6 * 2 + 1, 1e9, TALUS_NEGATIVE_MASS, "body 2");
  BREAK(double, r->inverse_inertia, 6 * 2 + 4, -1e9, TALUS_NEGATIVE_MASS, "body 2");
  BREAK(int32_t, r->body_a, 4, -2, TALUS_INDEX_RANGE, "rigid.body_a[4]");
  BREAK(int32_t, r->body_a, 4, bodies, TALUS_INDEX_RANGE, "rigid.body_a[4]");
  BREAK(int32_t, r->body_b, 5, INT32_MIN, TALUS_INDEX_RANGE, "rigid.body_b[5]");
  BREAK(int32_t, r->body_b, 5, INT32_MAX, TALUS_INDEX_RANGE, "rigid.body_b[5]");
  double *const n = (double *)r->normal + 9, kept[3] = {n[0], n[1], n[2]};
  for (int i = 0; i < 4; i++) {
    const double stretch[] = {0, 1.001, 0.5, 1e300};
    for (int c = 0; c < 3; c++) {
      n[c] = stretch[i] * kept[c];
    }
    refused(d, TALUS_NORMAL_LENGTH, "contact 3", __LINE__);
  }
  memcpy(n, kept, sizeof kept);
  const double bias[64] = {0}, surface[3 * 64] = {0};
  r->bias = bias;
  r->surface_velocity = surface;
  BREAK_FINITE(bias, 1, "rigid.bias[1]");
  BREAK_FINITE(surface, 4, "rigid.surface_velocity[4]");
  accepted(d, __LINE__);
}

static void check_pairs(desk *d) {
  talus_rigid *const r = &d->problem.rigid;
  int32_t *const a = (int32_t *)r->body_a, *const b = (int32_t *)r->body_b;
  double *const mass = (double *)r->inverse_mass, *const inertia = (double *)r->inverse_inertia;
  const int32_t kept_a = a[2], kept_b = b[2];
  a[2] = b[2] = -1;
  refused(d, TALUS_IMMOVABLE_PAIR, "contact 2", __LINE__);
  a[2] = b[2] = 4;
  refused(d, TALUS_INVALID_ARGUMENT, "contact 2", __LINE__);
  a[2] = kept_a;
  b[2] = kept_b;
  /* a body without mass or inertia stands still: alone against the ground that is an error */
  double kept_mass = mass[0], kept_inertia[6];
  memcpy(kept_inertia, inertia, sizeof kept_inertia);
  memset(inertia, 0, sizeof kept_inertia);
  mass[0] = 0;
  a[2] = -1;
  b[2] = 0;
  refused(d, TALUS_IMMOVABLE_PAIR, "contact 2", __LINE__);
  mass[0] = kept_mass;
  memcpy(inertia, kept_inertia, sizeof kept_inertia);
  a[2] = kept_a;
  b[2] = kept_b;
  accepted(d, __LINE__);
}

static void check_arms(desk *d) {
  talus_rigid *const r = &d->problem.rigid;
  const talus_rigid kept = *r;
  static const double other[3 * 64] = {0};
  if (r->reach_a != NULL) {
    BREAK_FINITE(r->reach_a, 6, "rigid.reach_a[6]");
    BREAK_FINITE(r->reach_b, 6, "rigid.reach_b[6]");
    BREAK_NULL(reals, rigid.reach_a, "rigid.reach_a");
    BREAK_NULL(reals, rigid.reach_b, "rigid.reach_b");
    BREAK_FIELD(reals, rigid.arm_a, other, TALUS_MISSING_ARRAY, "both kinds");
  } else {
    BREAK_FINITE(r->arm_a, 17, "rigid.arm_a[17]");
    BREAK_FINITE(r->arm_b, 17, "rigid.arm_b[17]");
    BREAK_NULL(reals, rigid.arm_a, "rigid.arm_a");
    BREAK_NULL(reals, rigid.arm_b, "rigid.arm_b");
    BREAK_FIELD(reals, rigid.reach_b, other, TALUS_MISSING_ARRAY, "both kinds");
  }
  r->reach_a = r->reach_b = r->arm_a = r->arm_b = NULL;
  refused(d, TALUS_MISSING_ARRAY, "rigid.reach_a", __LINE__);
  *r = kept;
  accepted(d, __LINE__);
}

static void check_rows(desk *d) {
  talus_rigid *const r = &d->problem.rigid;
  int32_t *const a = (int32_t *)r->row_body_a, *const b = (int32_t *)r->row_body_b;
  double *const jacobian = (double *)r->row_jacobian, kept_jacobian[12];
  const int32_t kept_a = a[1], kept_b = b[1];
  BREAK_NULL(indices, rigid.row_body_a, "rigid.row_body_a");
  BREAK_NULL(indices, rigid.row_body_b, "rigid.row_body_b");
  BREAK_NULL(reals, rigid.row_jacobian, "rigid.row_jacobian");
  BREAK(int32_t, a, 1, r->body_count, TALUS_INDEX_RANGE, "rigid.row_body_a[1]");
  BREAK(int32_t, b, 1, -2, TALUS_INDEX_RANGE, "rigid.row_body_b[1]");
  BREAK_FINITE(jacobian, 13, "rigid.row_jacobian[13]");
  if (r->row_bias != NULL) {
    BREAK_FINITE(r->row_bias, 2, "rigid.row_bias[2]");
  }
  a[1] = b[1] = -1;
  refused(d, TALUS_IMMOVABLE_PAIR, "bilateral row 1", __LINE__);
  a[1] = b[1] = 3;
  refused(d, TALUS_INVALID_ARGUMENT, "bilateral row 1", __LINE__);
  a[1] = kept_a;
  b[1] = kept_b;
  memcpy(kept_jacobian, jacobian + 12, sizeof kept_jacobian);
  memset(jacobian + 12, 0, sizeof kept_jacobian);
  refused(d, TALUS_BAD_DIAGONAL, "bilateral row 1", __LINE__);
  memcpy(jacobian + 12, kept_jacobian, sizeof kept_jacobian);
  accepted(d, __LINE__);
}

/* ---- form (b) -------------------------------------------------------------------------------- */

static void check_blocks(desk *d) {
  talus_blocks *const b = &d->problem.blocks;
  BREAK_FIELD(int32_t, blocks.block_count, -1, TALUS_SIZE_OVERFLOW, "blocks.block_count");
  BREAK_FIELD(int32_t, blocks.block_count, INT32_MAX, TALUS_SIZE_OVERFLOW, "blocks.block_count");
  BREAK_NULL(indices, blocks.block_size, "blocks.block_size");
  BREAK_NULL(reals, blocks.inverse_mass, "blocks.inverse_mass");
  BREAK_NULL(reals, blocks.velocity, "blocks.velocity");
  BREAK_NULL(offsets, blocks.contact_start, "blocks.contact_start");
  BREAK_NULL(indices, blocks.contact_block, "blocks.contact_block");
  BREAK_NULL(reals, blocks.contact_jacobian, "blocks.contact_jacobian");
  BREAK_NULL(offsets, blocks.bilateral_start, "blocks.bilateral_start");
  BREAK_NULL(indices, blocks.bilateral_block, "blocks.bilateral_block");
  BREAK_NULL(reals, blocks.bilateral_jacobian, "blocks.bilateral_jacobian");
  BREAK(int32_t, b->block_size, 2, 0, TALUS_SIZE_OVERFLOW, "blocks.block_size[2]");
  BREAK(int32_t, b->block_size, 2, -3, TALUS_SIZE_OVERFLOW, "blocks.block_size[2]");
  BREAK(int32_t, b->block_size, 2, INT32_MAX, TALUS_SIZE_OVERFLOW, "blocks.block_size[2]");
  BREAK_FINITE(b->inverse_mass, 5, "blocks.inverse_mass[5]");
  BREAK_FINITE(b->velocity, 4, "blocks.velocity[4]");
  BREAK_FINITE(b->contact_jacobian, 9, "blocks.contact_jacobian[9]");
  BREAK_FINITE(b->bilateral_jacobian, 1, "blocks.bilateral_jacobian[1]");
  BREAK(double, b->inverse_mass, 0, -1, TALUS_NEGATIVE_MASS, "block 0");
  BREAK(int64_t, b->contact_start, 0, 1, TALUS_INDEX_RANGE, "blocks.contact_start[0]");
  BREAK(int64_t, b->contact_start, 3, -1, TALUS_INDEX_RANGE, "blocks.contact_start[3]");
  BREAK(int64_t, b->contact_start, 3, INT64_MAX, TALUS_INDEX_RANGE, "blocks.contact_start[4]");
  BREAK(int64_t, b->contact_start, d->problem.contact_count, INT64_MAX, TALUS_SIZE_OVERFLOW,
        "blocks.contact_start");
  BREAK(int64_t, b->contact_start, 1, 0, TALUS_IMMOVABLE_PAIR, "0 has no block");
  BREAK(int32_t, b->contact_block, 2, -1, TALUS_INDEX_RANGE, "blocks.contact_block[2]");
  BREAK(int32_t, b->contact_block, 2, b->block_count, TALUS_INDEX_RANGE, "blocks.contact_block[2]");
  BREAK(int32_t, b->bilateral_block, 0, -1, TALUS_INDEX_RANGE, "blocks.bilateral_block[0]");
  BREAK(int64_t, b->bilateral_start, 1, 0, TALUS_IMMOVABLE_PAIR, "blocks.bilateral_start");
  if (b->bias != NULL) {
    BREAK_FINITE(b->bias, 3, "blocks.bias[3]");
  }
  if (b->bilateral_bias != NULL) {
    BREAK_FINITE(b->bilateral_bias, 2, "blocks.bilateral_bias[2]");
  }
  accepted(d, __LINE__);
}

/* Two blocks, one contact on both: what needs a problem made for it. */
static void check_small_blocks(desk *d) {
  double inverse[8] = {1, 0.5, 0.5, 1, 1, 0, 0, 1}, velocity[4] = {0};
  double jacobian[4] = {1, 0, 0, 1};
  int32_t size[2] = {2, 2}, block[2] = {0, 1};
  int64_t start[2] = {0, 2};
  d->problem = talus_problem_default(TALUS_FORM_BLOCKS);
  d->problem.dimension = 1;
  d->problem.contact_count = 1;
  d->problem.blocks = (talus_blocks){.block_count = 2,
                                     .block_size = size,
                                     .inverse_mass = inverse,
                                     .velocity = velocity,
                                     .contact_start = start,
                                     .contact_block = block,
                                     .contact_jacobian = jacobian};
  accepted(d, __LINE__);
  BREAK(int32_t, block, 1, 0, TALUS_INVALID_ARGUMENT, "block 0 occurs twice");
  BREAK(double, inverse, 1, 0.4, TALUS_INVALID_ARGUMENT, "block 0 is not symmetric");
  inverse[1] = inverse[2] = 2; /* indefinite */
  refused(d, TALUS_NEGATIVE_MASS, "block 0", __LINE__);
  inverse[1] = inverse[2] = 0;
  jacobian[0] = jacobian[3] = 0;
  refused(d, TALUS_BAD_DIAGONAL, "contact 0", __LINE__);
  jacobian[0] = 1;
  inverse[0] = inverse[3] = 0; /* block 0 stands still, and block 1 does not feel the contact */
  refused(d, TALUS_BAD_DIAGONAL, "contact 0", __LINE__);
  inverse[4] = inverse[7] = 0;
  refused(d, TALUS_IMMOVABLE_PAIR, "contact 0", __LINE__);
  d->problem = talus_problem_default(TALUS_FORM_RIGID); /* the arrays above end here */
}

int main(void) {
  desk desk_ = desk_open(), *const d = &desk_;
  for (int i = 0; i < FAMILY_COUNT; i++) {
    oracle_made made;
    if (!desk_take(d, i, &made)) {
      continue;
    }
    check_common(d);
    if (d->problem.bilateral_count == 4) {
      check_bounds(d);
      d->problem = made.problem;
      check_compliance(d);
      d->problem = made.problem;
    }
    if (d->problem.form == TALUS_FORM_RIGID) {
      check_rigid(d);
      d->problem = made.problem;
      check_pairs(d);
      check_arms(d);
      check_rows(d);
    } else if (d->problem.form == TALUS_FORM_BLOCKS) {
      check_blocks(d);
    }
    oracle_made_free(&made);
  }
  check_small_blocks(d);
  desk_close(d);
  return check_end();
}
