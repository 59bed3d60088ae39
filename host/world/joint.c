/* joint.c: joints as bilateral rows: velocity rows for the step, errors for the projection.
 *
 *   ball      three rows: the points coincide            fixed   ball and three for the turn
 *   hinge     ball and two rows across the axis          slider  two across the axis and three
 *   distance  one row along the line of the points, unless the length has limits
 * and what joint_drive.c adds along the coordinate that is left. */
#include "host/world/joint.h"

#include <math.h>
#include <string.h>

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

void tl_joint_placed(const talus_world *world, int32_t body, const double *local, int direction,
                     double *out) {
  memcpy(out, local, 3 * sizeof *out);
  if (body >= 0) {
    double rotation[9];
    tl_quaternion_matrix(world->body[body].orientation, rotation);
    tl_turn3(out, rotation, local);
    for (int c = 0; c < 3 && !direction; c++) {
      out[c] += world->body[body].position[c];
    }
  }
}

void tl_joint_local(const talus_world *world, int32_t body, const double *given, int direction,
                    double *local) {
  double arm[3], rotation[9], back[9];
  memcpy(arm, given, sizeof arm);
  if (body >= 0) {
    tl_quaternion_matrix(world->body[body].orientation, rotation);
    for (int r = 0; r < 3; r++) {
      arm[r] -= direction ? 0 : world->body[body].position[r];
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

void tl_joint_place(const talus_world *world, const tl_joint *joint, tl_joint_now *now) {
  const int32_t a = joint->def.body_a, b = joint->def.body_b;
  tl_joint_placed(world, a, joint->arm_a, 0, now->point_a);
  tl_joint_placed(world, b, joint->arm_b, 0, now->point_b);
  tl_joint_placed(world, a, joint->axis_a, 1, now->axis_a);
  tl_joint_placed(world, b, joint->axis_b, 1, now->axis_b);
  tl_joint_across(now->axis_a, now->across);
  for (int c = 0; c < 3; c++) {
    now->arm_a[c] = now->point_a[c] - (a >= 0 ? world->body[a].position[c] : 0);
    now->arm_b[c] = now->point_b[c] - (b >= 0 ? world->body[b].position[c] : 0);
    now->apart[c] = now->point_b[c] - now->point_a[c];
  }
  /* q_b = turn * q_a * relative: turn is the error, small */
  double qa[4], qb[4], wanted[4], turn[4];
  tl_joint_orientation(world, a, qa);
  tl_joint_orientation(world, b, qb);
  tl_quaternion_times(qa, joint->relative, wanted);
  const double back[4] = {wanted[0], -wanted[1], -wanted[2], -wanted[3]};
  tl_quaternion_times(qb, back, turn);
  const double sign = turn[0] < 0 ? -2 : 2;
  for (int c = 0; c < 3; c++) {
    now->turn[c] = sign * turn[1 + c];
  }
}

/* A row that holds until told otherwise. */
static void row_begin(tl_joint_row *row) {
  memset(row, 0, sizeof *row);
  row->lower = -INFINITY;
  row->upper = INFINITY;
}

void tl_joint_row_point(const tl_joint_now *now, const double *d, tl_joint_row *row) {
  row_begin(row);
  for (int c = 0; c < 3; c++) {
    row->jacobian[c] = -d[c];
    row->jacobian[6 + c] = d[c];
  }
  tl_cross3(row->jacobian + 3, now->arm_a, d);
  tl_cross3(row->jacobian + 9, now->arm_b, d);
  for (int c = 3; c < 6; c++) {
    row->jacobian[c] = -row->jacobian[c];
  }
}

void tl_joint_row_turn(const double *d, tl_joint_row *row) {
  row_begin(row);
  row->turns = 1;
  for (int c = 0; c < 3; c++) {
    row->jacobian[3 + c] = -d[c];
    row->jacobian[9 + c] = d[c];
  }
}

/* The rows that hold, with their errors. */
static int32_t held_rows(const tl_joint *joint, const tl_joint_now *now, tl_joint_row *row) {
  static const double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const talus_joint_kind kind = joint->def.kind;
  double tilt[3];
  int32_t n = 0;
  if (kind == TALUS_JOINT_DISTANCE) {
    if (!joint->def.limited) {
      tl_joint_rate_row(joint, now, &row[n]);
      row[n++].error = sqrt(tl_dot3(now->apart, now->apart)) - joint->length;
    }
    return n;
  }
  for (int i = 0; i < (kind == TALUS_JOINT_SLIDER ? 2 : 3); i++) {
    const double *const d = kind == TALUS_JOINT_SLIDER ? now->across[i] : unit[i];
    tl_joint_row_point(now, d, &row[n]);
    row[n++].error = tl_dot3(d, now->apart);
  }
  tl_cross3(tilt, now->axis_a, now->axis_b);
  for (int i = 0; i < 3 && kind != TALUS_JOINT_BALL; i++) {
    if (kind != TALUS_JOINT_HINGE) {
      tl_joint_row_turn(unit[i], &row[n]);
      row[n++].error = now->turn[i];
    } else if (i < 2) {
      tl_joint_row_turn(now->across[i], &row[n]);
      row[n++].error = tl_dot3(now->across[i], tilt);
    }
  }
  return n;
}

/* In the plane nothing moves along y or turns about x and z: such a row has no say. */
static int row_lives(const talus_world *world, const tl_joint_row *row) {
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
    tl_joint_now now;
    tl_joint_row row[TL_JOINT_ROWS];
    tl_joint_place(world, joint, &now);
    const int32_t held = held_rows(joint, &now, row);
    for (int32_t r = 0; r < held; r++) {
      row[r].row = r;
      row[r].wrong = fabs(row[r].error) > 1e-6 * world->size;
    }
    const int32_t n = held + tl_joint_drive_rows(world, joint, &now, dt, row + held);
    for (int32_t r = 0; r < n; r++) {
      if (row_lives(world, &row[r])) {
        row[r].body_a = joint->def.body_a;
        row[r].body_b = joint->def.body_b;
        row[r].joint = i;
        rows[count++] = row[r];
      }
    }
  }
  return count;
}
