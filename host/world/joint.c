/* joint.c: joints as bilateral rows: velocity rows for the step, errors for the projection.
 *
 *   ball      three rows: the points coincide            fixed   ball and three for the turn
 *   hinge     ball and two rows across the axis          slider  two across the axis and three
 *   distance  one row along the line of the points */
#include <math.h>
#include <string.h>

#include "host/world/world.h"

static const int32_t row_counts[] = {6, 3, 5, 5, 1};

int32_t tl_joint_rows(const talus_world *world) {
  int32_t rows = 0;
  for (int32_t i = 0; i < world->joint_count; i++) {
    rows += world->joint[i].exists ? row_counts[world->joint[i].def.kind] : 0;
  }
  return rows;
}

/* A joint's geometry at the bodies' present poses. */
typedef struct joint_now {
  double point_a[3], point_b[3], arm_a[3], arm_b[3];
  double axis_a[3], axis_b[3], across[2][3];
  double turn[3]; /* rotation by which b has left its place relative to a */
} joint_now;

/* A point or direction of a body's frame in the world; the world's own for TALUS_NONE. */
static void placed(const talus_world *world, int32_t body, const double *local, int direction,
                   double *out) {
  memcpy(out, local, 3 * sizeof *out);
  if (body >= 0) {
    double rotation[9];
    tl_quaternion_matrix(world->body[body].orientation, rotation);
    tl_turn3(rotation, local, out);
    for (int c = 0; c < 3 && !direction; c++) {
      out[c] += world->body[body].position[c];
    }
  }
}

static void orientation_of(const talus_world *world, int32_t body, double *q) {
  const double none[4] = {1, 0, 0, 0};
  memcpy(q, body >= 0 ? world->body[body].orientation : none, 4 * sizeof *q);
}

static void across_of(const double *axis, double across[2][3]) {
  double other[3] = {0, 0, 0};
  other[fabs(axis[0]) < 0.6 ? 0 : 1] = 1;
  tl_cross3(axis, other, across[0]);
  const double length = sqrt(tl_dot3(across[0], across[0]));
  for (int c = 0; c < 3; c++) {
    across[0][c] /= length;
  }
  tl_cross3(axis, across[0], across[1]);
}

static void joint_place(const talus_world *world, const tl_joint *joint, joint_now *now) {
  const int32_t a = joint->def.body_a, b = joint->def.body_b;
  placed(world, a, joint->arm_a, 0, now->point_a);
  placed(world, b, joint->arm_b, 0, now->point_b);
  placed(world, a, joint->axis_a, 1, now->axis_a);
  placed(world, b, joint->axis_b, 1, now->axis_b);
  across_of(now->axis_a, now->across);
  for (int c = 0; c < 3; c++) {
    now->arm_a[c] = now->point_a[c] - (a >= 0 ? world->body[a].position[c] : 0);
    now->arm_b[c] = now->point_b[c] - (b >= 0 ? world->body[b].position[c] : 0);
  }
  /* q_b = turn * q_a * relative: turn is the error, small */
  double qa[4], qb[4], wanted[4], turn[4];
  orientation_of(world, a, qa);
  orientation_of(world, b, qb);
  tl_quaternion_times(qa, joint->relative, wanted);
  const double back[4] = {wanted[0], -wanted[1], -wanted[2], -wanted[3]};
  tl_quaternion_times(qb, back, turn);
  const double sign = turn[0] < 0 ? -2 : 2;
  for (int c = 0; c < 3; c++) {
    now->turn[c] = sign * turn[1 + c];
  }
}

/* u along d of the point of b relative to that of a. */
static void row_point(const joint_now *now, const double *d, double error, tl_joint_row *row) {
  for (int c = 0; c < 3; c++) {
    row->jacobian[c] = -d[c];
    row->jacobian[6 + c] = d[c];
  }
  tl_cross3(now->arm_a, d, row->jacobian + 3);
  tl_cross3(now->arm_b, d, row->jacobian + 9);
  for (int c = 3; c < 6; c++) {
    row->jacobian[c] = -row->jacobian[c];
  }
  row->error = error;
}

/* Spin of b relative to a about d. */
static void row_turn(const double *d, double error, tl_joint_row *row) {
  memset(row->jacobian, 0, sizeof row->jacobian);
  for (int c = 0; c < 3; c++) {
    row->jacobian[3 + c] = -d[c];
    row->jacobian[9 + c] = d[c];
  }
  row->error = error;
}

static int32_t joint_fill(const tl_joint *joint, const joint_now *now, tl_joint_row *row) {
  static const double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  double apart[3], tilt[3];
  int32_t n = 0;
  for (int c = 0; c < 3; c++) {
    apart[c] = now->point_b[c] - now->point_a[c];
  }
  tl_cross3(now->axis_a, now->axis_b, tilt);
  switch (joint->def.kind) {
  case TALUS_JOINT_DISTANCE: {
    const double length = sqrt(tl_dot3(apart, apart));
    double along[3] = {1, 0, 0};
    for (int c = 0; c < 3 && length > 0; c++) {
      along[c] = apart[c] / length;
    }
    row_point(now, along, length - joint->length, &row[n++]);
    return n;
  }
  case TALUS_JOINT_SLIDER:
    for (int i = 0; i < 2; i++) {
      row_point(now, now->across[i], tl_dot3(now->across[i], apart), &row[n++]);
    }
    break;
  default:
    for (int i = 0; i < 3; i++) {
      row_point(now, unit[i], apart[i], &row[n++]);
    }
  }
  if (joint->def.kind == TALUS_JOINT_HINGE) {
    for (int i = 0; i < 2; i++) {
      row_turn(now->across[i], tl_dot3(now->across[i], tilt), &row[n++]);
    }
  } else if (joint->def.kind != TALUS_JOINT_BALL) {
    for (int i = 0; i < 3; i++) {
      row_turn(unit[i], now->turn[i], &row[n++]);
    }
  }
  return n;
}

int32_t tl_joint_fill(talus_world *world, double dt, tl_joint_row *rows) {
  int32_t count = 0;
  (void)dt;
  for (int32_t i = 0; i < world->joint_count; i++) {
    const tl_joint *const joint = &world->joint[i];
    if (!joint->exists) {
      continue;
    }
    joint_now now;
    joint_place(world, joint, &now);
    memset(rows + count, 0, (size_t)row_counts[joint->def.kind] * sizeof *rows);
    const int32_t n = joint_fill(joint, &now, rows + count);
    for (int32_t r = 0; r < n; r++) {
      rows[count + r].body_a = joint->def.body_a;
      rows[count + r].body_b = joint->def.body_b;
      rows[count + r].joint = i;
      rows[count + r].row = r;
    }
    count += n;
  }
  return count;
}

/* World point or direction into a body's frame. */
static void local_of(const talus_world *world, int32_t body, const double *given, int direction,
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
    tl_turn3(back, arm, arm);
  }
  memcpy(local, arm, sizeof arm);
}

static talus_status joint_check(const talus_world *world, const talus_joint_def *def) {
  talus_context *const context = world->context;
  if (def->struct_size != sizeof *def) {
    return tl_fail(context, TALUS_STRUCT_SIZE, "joint def: fill it by talus_joint_def_default");
  }
  if ((unsigned)def->kind > TALUS_JOINT_DISTANCE) {
    return tl_fail(context, TALUS_BAD_SETTING, "joint def: kind %d is unknown", (int)def->kind);
  }
  for (int side = 0; side < 2; side++) {
    const int32_t body = side ? def->body_b : def->body_a;
    if (body != TALUS_NONE) {
      TL_TRY(tl_body_check(world, body));
    }
  }
  const int a = def->body_a >= 0 && world->body[def->body_a].inverse_mass > 0;
  const int b = def->body_b >= 0 && world->body[def->body_b].inverse_mass > 0;
  if ((!a && !b) || def->body_a == def->body_b) {
    return tl_fail(context, TALUS_IMMOVABLE_PAIR,
                   "joint between bodies %d and %d: at least one must be free, and they must differ",
                   def->body_a, def->body_b);
  }
  if (fabs(tl_dot3(def->axis, def->axis) - 1) > 1e-6) {
    return tl_fail(context, TALUS_NORMAL_LENGTH, "joint def: axis has length %g, not 1",
                   sqrt(tl_dot3(def->axis, def->axis)));
  }
  if (def->limited || def->motor) {
    return tl_fail(context, TALUS_UNSUPPORTED, "joint limits and motors are not there yet");
  }
  return TALUS_OK;
}

talus_status talus_joint_add(talus_world *world, const talus_joint_def *def, int32_t *result) {
  if (world == NULL || def == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  TL_TRY(joint_check(world, def));
  TL_TRY(tl_world_grow(world, (void **)&world->joint, &world->joint_capacity,
                       world->joint_count + 1, sizeof *world->joint, "joints"));
  tl_joint *const joint = &world->joint[world->joint_count];
  memset(joint, 0, sizeof *joint);
  joint->def = *def;
  joint->exists = 1;
  const double *const point_b = def->kind == TALUS_JOINT_DISTANCE ? def->point_b : def->point;
  local_of(world, def->body_a, def->point, 0, joint->arm_a);
  local_of(world, def->body_b, point_b, 0, joint->arm_b);
  local_of(world, def->body_a, def->axis, 1, joint->axis_a);
  local_of(world, def->body_b, def->axis, 1, joint->axis_b);
  double apart[3], qa[4], qb[4], across[2][3];
  for (int c = 0; c < 3; c++) {
    apart[c] = point_b[c] - def->point[c];
  }
  joint->length = sqrt(tl_dot3(apart, apart));
  across_of(def->axis, across);
  local_of(world, def->body_a, across[0], 1, joint->side_a);
  local_of(world, def->body_b, across[0], 1, joint->side_b);
  orientation_of(world, def->body_a, qa);
  orientation_of(world, def->body_b, qb);
  const double back[4] = {qa[0], -qa[1], -qa[2], -qa[3]};
  tl_quaternion_times(back, qb, joint->relative);
  if (result != NULL) {
    *result = world->joint_count;
  }
  world->joint_count++;
  return TALUS_OK;
}

talus_status talus_joint_remove(talus_world *world, int32_t joint) {
  if (world == NULL || joint < 0 || joint >= world->joint_count || !world->joint[joint].exists) {
    return tl_fail(world != NULL ? world->context : NULL, TALUS_INDEX_RANGE,
                   "joint %d does not exist", joint);
  }
  world->joint[joint].exists = 0;
  return TALUS_OK;
}

double talus_joint_coordinate(const talus_world *world, int32_t index) {
  if (world == NULL || index < 0 || index >= world->joint_count || !world->joint[index].exists) {
    return NAN;
  }
  const tl_joint *const joint = &world->joint[index];
  joint_now now;
  joint_place(world, joint, &now);
  double apart[3], a[3], b[3], cross[3];
  for (int c = 0; c < 3; c++) {
    apart[c] = now.point_b[c] - now.point_a[c];
  }
  if (joint->def.kind == TALUS_JOINT_SLIDER) {
    return tl_dot3(now.axis_a, apart);
  }
  if (joint->def.kind != TALUS_JOINT_HINGE) {
    return sqrt(tl_dot3(apart, apart));
  }
  placed(world, joint->def.body_a, joint->side_a, 1, a);
  placed(world, joint->def.body_b, joint->side_b, 1, b);
  tl_cross3(a, b, cross);
  return atan2(tl_dot3(now.axis_a, cross), tl_dot3(a, b));
}
