/* joint.c: joints as bilateral rows: velocity rows for the step, errors for the projection.
 *
 * A step moves bodies along straight lines, a joint on curves C(x) = 0. With J v' = 0 at the
 * beginning of the step each step would cut the velocity by the cosine of the angle it turns by,
 * and a pendulum of 3 rad/s would lose 1 % of its energy a second at steps of 1 ms. So v' has to
 * lead to a point of the curve, J v' + (C(x + dt v) - C(x))/dt - J v = 0 with the bend seen by the
 * velocity v before: to second order SHAKE, which is symplectic. With MIDPOINT the same makes v'
 * tangent at the end of the step. Only the bend is in the bias: errors are the projection's, or
 * with STABILISE_BIAS drawn back by a fifth in each step. Rejected: the bias limited by the speed
 * at which the row opens (in every component, it turns the impulse of a ball joint, and a top gains
 * energy).
 *
 *   ball      three rows: the points coincide            fixed   ball and three for the turn
 *   hinge     ball and two rows across the axis          slider  two across the axis and three
 *   distance  one row along the line of the points, unless the length has limits
 * and what joint_drive.c adds along the coordinate that is left. */
#include "host/world/joint.h"

#include <math.h>
#include <string.h>

#include "host/math/lattice.h"
#include "host/world/cell.h"

/* TALUS_STABILISE_BIAS: the share of its error that a joint is drawn back by in a step. */
static const double DRAW = 0.2;

static const int32_t row_counts[] = {6, 3, 5, 5, 1};

int32_t tl_joint_rows(const talus_world *world) {
  int32_t rows = 0;
  for (int32_t i = 0; i < world->joint_count; i++) {
    const talus_joint_def *const def = &world->joint[i].def;
    rows += world->joint[i].exists ? row_counts[def->kind] + 2 * (def->limited != 0) +
                                         (def->motor != 0) + (def->friction > 0)
                                   : 0;
  }
  return rows;
}

void tl_joint_local(const talus_world *world, int32_t body, const double *given, int direction,
                    double *local) {
  double arm[3], rotation[9], back[9];
  memcpy(arm, given, sizeof arm);
  if (body >= 0) {
    tl_quaternion_matrix(world->body[body].orientation, rotation);
    if (!direction) {
      tl_sub3(arm, arm, world->body[body].position);
      tl_cell_nearest(&world->cell, arm);
    }
    for (int r = 0; r < 3; r++) {
      for (int c = 0; c < 3; c++) {
        back[3 * r + c] = rotation[3 * c + r];
      }
    }
    tl_turn3(arm, back, arm);
  }
  memcpy(local, arm, sizeof arm);
}

void tl_joint_orientation(const talus_world *world, int32_t body, double *q) {
  const double none[4] = {1, 0, 0, 0};
  memcpy(q, body >= 0 ? world->body[body].orientation : none, 4 * sizeof *q);
}

void tl_joint_across(const double *axis, double across[2][3]) {
  double other[3] = {0, 0, 0};
  other[fabs(axis[0]) < 0.6 ? 0 : 1] = 1;
  tl_cross3(across[0], axis, other);
  const double length = sqrt(tl_dot3(across[0], across[0]));
  for (int c = 0; c < 3; c++) {
    across[0][c] /= length;
  }
  tl_cross3(across[1], axis, across[0]);
}

/* Where a body is, or where its present velocity takes it; links go round their joints. */
static void pose_ahead(const talus_world *world, int32_t body, double ahead, double *position,
                       double *orientation) {
  tl_joint_orientation(world, body, orientation);
  memset(position, 0, 3 * sizeof *position);
  if (body < 0) {
    return;
  }
  const tl_body *const of = &world->body[body];
  memcpy(position, of->position, 3 * sizeof *position);
  if (ahead != 0) {
    double angle[3], swing[6] = {0};
    if (of->type == TALUS_BODY_LINK) {
      tl_link_bias_acceleration(world, body, swing);
    }
    for (int c = 0; c < 3; c++) {
      position[c] += ahead * (of->velocity[c] + 0.5 * ahead * swing[c]);
      angle[c] = ahead * (of->spin[c] + 0.5 * ahead * swing[3 + c]);
    }
    tl_quaternion_turn(orientation, angle);
  }
}

void tl_joint_turn(const double *qa, const double *relative, const double *qb, double turn[3]) {
  double wanted[4], left[4];
  tl_quaternion_times(qa, relative, wanted);
  const double back[4] = {wanted[0], -wanted[1], -wanted[2], -wanted[3]};
  tl_quaternion_times(qb, back, left);
  tl_scale3(turn, left[0] < 0 ? -2 : 2, left + 1);
}

/* `apart` is told of the bodies themselves, not of images. */
static void place(const talus_world *world, const tl_joint *joint, double ahead,
                  tl_joint_now *now) {
  double xa[3], xb[3], qa[4], qb[4], ra[9], rb[9];
  pose_ahead(world, joint->def.body_a, ahead, xa, qa);
  pose_ahead(world, joint->def.body_b, ahead, xb, qb);
  tl_quaternion_matrix(qa, ra);
  tl_quaternion_matrix(qb, rb);
  tl_turn3(now->arm_a, ra, joint->arm_a);
  tl_turn3(now->arm_b, rb, joint->arm_b);
  tl_turn3(now->axis_a, ra, joint->axis_a);
  tl_turn3(now->axis_b, rb, joint->axis_b);
  tl_turn3(now->across[0], ra, joint->side_a);
  tl_cross3(now->across[1], now->axis_a, now->across[0]);
  tl_turn3(now->side_b, rb, joint->side_b);
  for (int c = 0; c < 3; c++) {
    now->apart[c] = xb[c] + now->arm_b[c] - xa[c] - now->arm_a[c];
  }
  tl_joint_turn(qa, joint->relative, qb, now->turn);
}

void tl_joint_image(const tl_cell *cell, tl_joint_now *now) {
  tl_set3(now->shift, 0, 0, 0);
  tl_set3(now->drift, 0, 0, 0);
  if (cell->def.periodic != 0) {
    double nearest[3];
    tl_copy3(nearest, now->apart);
    tl_cell_nearest(cell, nearest);
    tl_sub3(now->shift, nearest, now->apart);
    tl_lattice_point(cell->def.rate, now->shift, now->drift);
    tl_copy3(now->apart, nearest);
  }
}

void tl_joint_place(const talus_world *world, const tl_joint *joint, tl_joint_now *now) {
  place(world, joint, 0, now);
  tl_joint_image(&world->cell, now);
}

void tl_joint_place_ahead(const talus_world *world, const tl_joint *joint, const tl_joint_now *now,
                          double ahead, tl_joint_now *next) {
  place(world, joint, ahead, next);
  tl_along3(next->shift, now->shift, ahead, now->drift); /* the same image, with the moving cell */
  tl_copy3(next->drift, now->drift);
  tl_along3(next->apart, next->apart, 1, next->shift);
}

void tl_joint_branch(const talus_world *world, int32_t body_a, int32_t body_b,
                     const tl_joint_now *now, double branch[3]) {
  tl_set3(branch, 0, 0, 0);
  if (body_a >= 0 && world->body[body_a].inverse_mass > 0) {
    tl_along3(branch, now->arm_a, 1, now->apart);
  }
  if (body_b >= 0 && world->body[body_b].inverse_mass > 0) {
    tl_sub3(branch, branch, now->arm_b);
  }
}

/* A row without bounds: it holds in both directions. */
static void row_begin(tl_joint_row *row) {
  memset(row, 0, sizeof *row);
  row->lower = -INFINITY;
  row->upper = INFINITY;
}

void tl_joint_row_point(const tl_joint_now *now, const double *d, tl_joint_row *row) {
  double arm_a[3]; /* to the point of b: both are pushed along one line */
  row_begin(row);
  for (int c = 0; c < 3; c++) {
    row->jacobian[c] = -d[c];
    row->jacobian[6 + c] = d[c];
    arm_a[c] = now->arm_a[c] + now->apart[c];
  }
  tl_cross3(row->jacobian + 3, arm_a, d);
  tl_cross3(row->jacobian + 9, now->arm_b, d);
  row->drift = tl_dot3(d, now->drift);
  for (int c = 3; c < 6; c++) {
    row->jacobian[c] = -row->jacobian[c];
  }
}

void tl_joint_row_turn(const double *d, tl_joint_row *row) {
  row_begin(row);
  row->is_moment = 1;
  for (int c = 0; c < 3; c++) {
    row->jacobian[3 + c] = -d[c];
    row->jacobian[9 + c] = d[c];
  }
}

/* Errors of the rows that hold, in their order; directions across the axis go with a. */
static void held_errors(const tl_joint *joint, const tl_joint_now *now, double error[6]) {
  const talus_joint_kind kind = joint->def.kind;
  int32_t n = 0;
  if (kind == TALUS_JOINT_DISTANCE) {
    error[0] = sqrt(tl_dot3(now->apart, now->apart)) - joint->length;
    return;
  }
  for (int i = 0; i < (kind == TALUS_JOINT_SLIDER ? 2 : 3); i++) {
    error[n++] = kind == TALUS_JOINT_SLIDER ? tl_dot3(now->across[i], now->apart) : now->apart[i];
  }
  double tilt[3];
  tl_cross3(tilt, now->axis_a, now->axis_b);
  for (int i = 0; i < 3 && kind != TALUS_JOINT_BALL; i++) {
    if (kind != TALUS_JOINT_HINGE) {
      error[n++] = now->turn[i];
    } else if (i < 2) {
      error[n++] = tl_dot3(now->across[i], tilt);
    }
  }
}

double tl_joint_bend_share(const talus_world *world, const tl_joint *joint, const tl_joint_now *now,
                           const tl_joint_now *next, double dt) {
  const int32_t body[2] = {joint->def.body_a, joint->def.body_b};
  double square = 0; /* of the angles */
  for (int side = 0; side < 2; side++) {
    const double *const arm = side ? now->arm_b : now->arm_a;
    if (body[side] >= 0) {
      double swing[3];
      const double *const spin = world->body[body[side]].spin;
      const double turn = 4 * dt * dt * tl_dot3(spin, spin), length = tl_dot3(arm, arm);
      tl_cross3(swing, spin, arm);
      square += turn * turn + (length > 0 ? dt * dt * tl_dot3(swing, swing) / length : 0);
    }
  }
  if (joint->def.kind == TALUS_JOINT_DISTANCE) {
    double moved[3];
    tl_sub3(moved, next->apart, now->apart);
    square += tl_dot3(moved, moved) / tl_dot3(now->apart, now->apart);
  }
  return square < INFINITY ? 1 / (1 + square) : 0;
}

static int32_t held_jacobian(const tl_joint *joint, const tl_joint_now *now, tl_joint_row *row) {
  static const double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const talus_joint_kind kind = joint->def.kind;
  int32_t n = 0;
  if (kind == TALUS_JOINT_DISTANCE) {
    if (!joint->def.limited) {
      tl_joint_rate_row(joint, now, &row[n++]);
    }
    return n;
  }
  for (int i = 0; i < (kind == TALUS_JOINT_SLIDER ? 2 : 3); i++) {
    tl_joint_row_point(now, kind == TALUS_JOINT_SLIDER ? now->across[i] : unit[i], &row[n++]);
  }
  for (int i = 0; i < 3 && kind != TALUS_JOINT_BALL; i++) {
    if (kind != TALUS_JOINT_HINGE) {
      tl_joint_row_turn(unit[i], &row[n++]);
    } else if (i < 2) {
      tl_joint_row_turn(now->across[i], &row[n++]);
    }
  }
  return n;
}

/* The rows that hold: Jacobian, error, bias. */
static int32_t held_rows(const talus_world *world, const tl_joint *joint, const tl_joint_now *now,
                         const tl_joint_now *next, double dt, tl_joint_row *row) {
  const int32_t n = held_jacobian(joint, now, row);
  const double share = tl_joint_bend_share(world, joint, now, next, dt);
  double error[6], error_next[6];
  held_errors(joint, now, error);
  held_errors(joint, next, error_next);
  for (int32_t r = 0; r < n; r++) {
    const double speed = tl_joint_row_speed(world, joint, &row[r]);
    row[r].error = error[r];
    row[r].needs_projection = fabs(error[r]) > 1e-6 * world->size;
    row[r].bias = share * ((error_next[r] - error[r]) / dt - speed);
    if (world->def.stabilisation == TALUS_STABILISE_BIAS) {
      const double cap =
          world->def.bias_cap / (row[r].is_moment ? tl_joint_lever(world, joint, now) : 1);
      row[r].bias += tl_clamp(DRAW * error[r] / dt, -cap, cap);
    }
    row[r].row = r;
  }
  return n;
}

bool tl_joint_row_acts(const talus_world *world, const tl_joint_row *row) {
  const double *const j = row->jacobian;
  return !world->def.plane || j[0] != 0 || j[2] != 0 || j[4] != 0 || j[6] != 0 || j[8] != 0 ||
         j[10] != 0;
}

int32_t tl_joint_fill(talus_world *world, double dt, tl_joint_row *rows) {
  int32_t count = 0;
  for (int32_t i = 0; i < world->joint_count; i++) {
    const tl_joint *const joint = &world->joint[i];
    if (!joint->exists) {
      continue;
    }
    tl_joint_now now, next;
    tl_joint_row row[TL_JOINT_ROWS];
    tl_joint_place(world, joint, &now);
    tl_joint_place_ahead(world, joint, &now, dt, &next);
    const int32_t held = held_rows(world, joint, &now, &next, dt, row);
    const int32_t n = held + tl_joint_drive_rows(world, joint, &now, &next, dt, row + held);
    for (int32_t r = 0; r < n; r++) {
      if (tl_joint_row_acts(world, &row[r])) {
        row[r].bias += row[r].drift;
        row[r].body_a = joint->def.body_a;
        row[r].body_b = joint->def.body_b;
        row[r].joint = i;
        row[r].bond = TALUS_NONE;
        rows[count++] = row[r];
      }
    }
  }
  return count;
}
