/* rigid_blocks.c: form RIGID as form BLOCKS: six velocities per body, Jacobian rows along
 * (n, t1, t2). For a direction d of contact k, with arm r of a body:
 *   u_d = d.(v_b + w_b x r_b) - d.(v_a + w_a x r_a),   d.(w x r) = (r x d).w */
#include <string.h>

#include "host/io/contact_frame.h"
#include "host/io/global_form.h"

enum { BODY = 6, BLOCK = 36 };

static void set_inverse_mass(const talus_rigid *rigid, double *block) {
  for (int64_t body = 0; body < rigid->body_count; body++, block += BLOCK) {
    const double *inertia = rigid->inverse_inertia + 6 * body;
    const double xx = inertia[0], xy = inertia[1], xz = inertia[2];
    const double yy = inertia[3], yz = inertia[4], zz = inertia[5];
    const double rows[9] = {xx, xy, xz, xy, yy, yz, xz, yz, zz};
    for (int i = 0; i < 3; i++) {
      block[BODY * i + i] = rigid->inverse_mass[body];
      memcpy(block + BODY * (3 + i) + 3, rows + 3 * i, 3 * sizeof(double));
    }
  }
}

static void find_arm(const talus_rigid *rigid, int64_t k, int is_b, double arm[3]) {
  const double *arms = is_b ? rigid->arm_b : rigid->arm_a;
  for (int i = 0; i < 3; i++) {
    if (arms != NULL) {
      arm[i] = arms[3 * k + i];
    } else {
      const double reach = is_b ? -rigid->reach_b[k] : rigid->reach_a[k];
      arm[i] = reach * rigid->normal[3 * k + i];
    }
  }
}

/* The 3 x 6 or 6 x 6 Jacobian of one side. */
static void set_side(const double frame[9], const double r[3], double sign, int32_t rows,
                     double *jacobian) {
  for (int i = 0; i < 3; i++) {
    const double *d = frame + 3 * i;
    const double turn[3] = {r[1] * d[2] - r[2] * d[1], r[2] * d[0] - r[0] * d[2],
                            r[0] * d[1] - r[1] * d[0]};
    for (int j = 0; j < 3; j++) {
      jacobian[BODY * i + j] = sign * d[j];
      jacobian[BODY * i + 3 + j] = sign * turn[j];
    }
  }
  for (int i = 3; i < rows; i++) { /* torques act on angular velocities alone */
    for (int j = 0; j < 3; j++) {
      jacobian[BODY * i + j] = 0;
      jacobian[BODY * i + 3 + j] = sign * frame[3 * (i - 3) + j];
    }
  }
}

static void set_contacts(const talus_problem *problem, int64_t *start, int32_t *block,
                         double *jacobian, double *bias) {
  const talus_rigid *rigid = &problem->rigid;
  const int32_t rows = problem->dimension;
  int64_t entry = 0;
  for (int64_t k = 0; k < problem->contact_count; k++) {
    double frame[9], arm[3];
    tl_problem_frame(problem, k, frame);
    start[k] = entry;
    for (int is_b = 0; is_b < 2; is_b++) {
      const int32_t body = is_b ? rigid->body_b[k] : rigid->body_a[k];
      if (body >= 0) {
        find_arm(rigid, k, is_b, arm);
        block[entry] = body;
        set_side(frame, arm, is_b ? 1 : -1, rows, jacobian + (int64_t)BODY * rows * entry++);
      }
    }
    const double *slide = rigid->surface_velocity != NULL ? rigid->surface_velocity + 3 * k : NULL;
    for (int i = 0; i < 3; i++) {
      const double *d = frame + 3 * i;
      bias[rows * k + i] = slide != NULL ? d[0] * slide[0] + d[1] * slide[1] + d[2] * slide[2] : 0;
    }
    bias[rows * k] += rigid->bias != NULL ? rigid->bias[k] : 0;
  }
  start[problem->contact_count] = entry;
}

static void set_rows(const talus_problem *problem, int64_t *start, int32_t *block,
                     double *jacobian) {
  const talus_rigid *rigid = &problem->rigid;
  int64_t entry = 0;
  for (int64_t row = 0; row < problem->bilateral_count; row++) {
    start[row] = entry;
    for (int is_b = 0; is_b < 2; is_b++) {
      const int32_t body = is_b ? rigid->row_body_b[row] : rigid->row_body_a[row];
      if (body >= 0) {
        block[entry] = body;
        memcpy(jacobian + BODY * entry++, rigid->row_jacobian + 12 * row + BODY * is_b,
               BODY * sizeof(double));
      }
    }
  }
  start[problem->bilateral_count] = entry;
}

static talus_status add_bodies(talus_stored *scratch, const talus_rigid *rigid,
                               talus_blocks *blocks) {
  const size_t bodies = (size_t)rigid->body_count;
  void *size, *inverse;
  TL_TRY(tl_stored_alloc(scratch, &size, bodies, sizeof(int32_t), "block sizes"));
  TL_TRY(tl_stored_alloc(scratch, &inverse, bodies, BLOCK * sizeof(double), "mass blocks"));
  for (size_t body = 0; body < bodies; body++) {
    ((int32_t *)size)[body] = BODY;
  }
  set_inverse_mass(rigid, inverse);
  blocks->block_count = rigid->body_count;
  blocks->block_size = size;
  blocks->inverse_mass = inverse;
  blocks->velocity = rigid->velocity;
  return TALUS_OK;
}

static talus_status add_contacts(talus_stored *scratch, const talus_problem *problem,
                                 talus_blocks *blocks) {
  const size_t contacts = (size_t)problem->contact_count, rows = (size_t)problem->dimension;
  const size_t side = BODY * rows;
  void *start, *block, *jacobian, *bias;
  TL_TRY(tl_stored_alloc(scratch, &start, contacts + 1, sizeof(int64_t), "contact starts"));
  TL_TRY(tl_stored_alloc(scratch, &block, contacts, 2 * sizeof(int32_t), "contact blocks"));
  TL_TRY(tl_stored_alloc(scratch, &jacobian, contacts, 2 * side * sizeof(double), "Jacobians"));
  TL_TRY(tl_stored_alloc(scratch, &bias, contacts, rows * sizeof(double), "bias"));
  set_contacts(problem, start, block, jacobian, bias);
  blocks->contact_start = start;
  blocks->contact_block = block;
  blocks->contact_jacobian = jacobian;
  blocks->bias = bias;
  return TALUS_OK;
}

static talus_status add_rows(talus_stored *scratch, const talus_problem *problem,
                             talus_blocks *blocks) {
  const size_t rows = (size_t)problem->bilateral_count;
  void *start, *block, *jacobian;
  TL_TRY(tl_stored_alloc(scratch, &start, rows + 1, sizeof(int64_t), "row starts"));
  TL_TRY(tl_stored_alloc(scratch, &block, rows, 2 * sizeof(int32_t), "row blocks"));
  TL_TRY(tl_stored_alloc(scratch, &jacobian, rows, 12 * sizeof(double), "row Jacobians"));
  set_rows(problem, start, block, jacobian);
  blocks->bilateral_start = start;
  blocks->bilateral_block = block;
  blocks->bilateral_jacobian = jacobian;
  blocks->bilateral_bias = problem->rigid.row_bias;
  return TALUS_OK;
}

talus_status tl_blocks_from_rigid(talus_stored *scratch, const talus_problem *problem,
                                  talus_problem *result) {
  *result = talus_problem_default(TALUS_FORM_BLOCKS);
  result->dimension = problem->dimension;
  result->torque_friction = problem->torque_friction;
  result->cross_friction = problem->cross_friction;
  result->contact_count = problem->contact_count;
  result->bilateral_count = problem->bilateral_count;
  result->friction = problem->friction;
  TL_TRY(add_bodies(scratch, &problem->rigid, &result->blocks));
  TL_TRY(add_contacts(scratch, problem, &result->blocks));
  return add_rows(scratch, problem, &result->blocks);
}
