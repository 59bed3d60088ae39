/* direct_rigid.c: the constraints of form (a) as direct.c wants them. */
#include <math.h>
#include <string.h>

#include "host/problem/direct.h"
#include "kernels/item/rigid.h"

/* J and J M^-1 of a contact against one body. */
static void end_add(tl_direct *d, int32_t k, int32_t rows, int32_t body, double sign,
                    const tl_vec *axis, const tl_vec *lever, const tl_vec *turn) {
  const double inverse_mass = sign * d->problem->rigid.inverse_mass[body];
  tl_jacobian_block *const new = tl_jacobian_add(&d->blocks, k, body, rows, 6);
  for (int32_t i = 0; i < rows; i++) {
    tl_save(new->jacobian + 6 * i, 0, tl_times(sign, axis[i]));
    tl_save(new->jacobian + 6 * i, 1, tl_times(sign, lever[i]));
    tl_jacobian_response(new, i, 0, tl_times(inverse_mass, axis[i]));
    tl_jacobian_response(new, i, 3, tl_times(sign, turn[i]));
  }
}

static bool contact_take(tl_direct *d, int32_t k) {
  const talus_rigid *const rigid = &d->problem->rigid;
  tl_scaled *const scaled = d->scaled;
  tl_direct_kind(d, k);
  const int32_t rows = scaled->kind[k] == TL_CONSTRAINT_FRICTION ? 3 : 1,
                body[2] = {rigid->body_a[k], rigid->body_b[k]};
  const int moves[2] = {tl_rigid_moves(rigid, body[0]), tl_rigid_moves(rigid, body[1])};
  const bool reaches = rigid->reach_a != NULL;
  tl_vec axis[3], arm[2], lever[2][3], turn[2][3];
  axis[0] = tl_load(rigid->normal, k);
  tl_tangents(axis[0], &axis[1], &axis[2]);
  arm[0] = reaches ? tl_times(rigid->reach_a[k], axis[0]) : tl_load(rigid->arm_a, k);
  arm[1] = reaches ? tl_times(-rigid->reach_b[k], axis[0]) : tl_load(rigid->arm_b, k);
  double u[3] = {0}, sizes[3] = {0}, trace = 0;
  for (int side = 0; side < 2; side++) {
    if (!moves[side]) {
      continue;
    }
    trace += 3 * rigid->inverse_mass[body[side]];
    for (int i = 0; i < 3; i++) {
      lever[side][i] = tl_cross(arm[side], axis[i]);
      turn[side][i] =
          tl_sym_times(rigid->inverse_inertia + 6 * (int64_t)body[side], lever[side][i]);
      trace += tl_dot(lever[side][i], turn[side][i]);
    }
  }
  if (rigid->bias != NULL) {
    tl_rigid_velocity_add(tl_times(rigid->bias[k], axis[0]), u, sizes);
  }
  if (rigid->surface_velocity != NULL) {
    tl_rigid_velocity_add(tl_load(rigid->surface_velocity, k), u, sizes);
  }
  tl_rigid_point_add(rigid, body[1], arm[1], 1, u, sizes);
  tl_rigid_point_add(rigid, body[0], arm[0], -1, u, sizes);
  for (int i = 0; i < 3; i++) {
    tl_save(scaled->frame + 9 * (int64_t)k, i, axis[i]);
  }
  const double inverse = tl_direct_scale(d, k, trace / 3, u, sizes, rows);
  for (int side = 0; side < 2 && inverse > 0; side++) {
    if (moves[side]) {
      end_add(d, k, rows, body[side], side == 0 ? -inverse : inverse, axis, lever[side],
              turn[side]);
    }
  }
  return inverse > 0;
}

static bool row_take(tl_direct *d, int32_t k) {
  const talus_problem *const p = d->problem;
  const talus_rigid *const rigid = &p->rigid;
  tl_scaled *const scaled = d->scaled;
  const int64_t row = k - p->contact_count;
  const int32_t body[2] = {rigid->row_body_a[row], rigid->row_body_b[row]};
  double u[3] = {rigid->row_bias != NULL ? rigid->row_bias[row] : 0, 0, 0}, weight = 0;
  double sizes[3] = {fabs(u[0]), 0, 0};
  tl_vec turn[2];
  for (int side = 0; side < 2; side++) {
    const double *const j = rigid->row_jacobian + 12 * row + 6 * side;
    for (int c = 0; c < 6 && body[side] >= 0; c++) {
      const double part = j[c] * rigid->velocity[6 * (int64_t)body[side] + c];
      u[0] += part;
      sizes[0] += fabs(part);
    }
    if (tl_rigid_moves(rigid, body[side])) {
      turn[side] = tl_sym_times(rigid->inverse_inertia + 6 * (int64_t)body[side],
                                tl_vec_make(j[3], j[4], j[5]));
      weight += rigid->inverse_mass[body[side]] * (j[0] * j[0] + j[1] * j[1] + j[2] * j[2]) +
                tl_dot(turn[side], tl_vec_make(j[3], j[4], j[5]));
    }
  }
  memset(scaled->frame + 9 * (int64_t)k, 0, 9 * sizeof *scaled->frame);
  scaled->frame[9 * (int64_t)k] = 1;
  tl_direct_kind(d, k);
  const double inverse = tl_direct_scale(d, k, weight, u, sizes, 1);
  for (int side = 0; side < 2 && inverse > 0; side++) {
    if (tl_rigid_moves(rigid, body[side])) {
      const double *const j = rigid->row_jacobian + 12 * row + 6 * side;
      const tl_vec axis = tl_vec_make(j[0], j[1], j[2]), lever = tl_vec_make(j[3], j[4], j[5]);
      end_add(d, k, 1, body[side], inverse, &axis, &lever, &turn[side]);
    }
  }
  return inverse > 0;
}

talus_status tl_direct_rigid(tl_direct *d, bool *taken) {
  const int32_t contacts = d->problem->contact_count, count = d->scaled->count;
  *taken = true;
  TL_TRY(tl_direct_reserve(d, 2 * (int64_t)count, 12 * (int64_t)count * (3 + TL_JACOBIAN_ROWS)));
  for (int32_t k = 0; k < count && *taken; k++) {
    *taken = k < contacts ? contact_take(d, k) : row_take(d, k);
  }
  return TALUS_OK;
}
