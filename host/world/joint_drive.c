/* joint_drive.c: what acts along a joint's coordinate: stops, a motor, dry friction.
 *
 * All are the row whose u is the coordinate's rate, with a bias and bounds of its impulse:
 *   lower stop  rate + gap/dt >= 0, impulse >= 0, gap = coordinate - lower;  upper stop: mirrored
 *   motor       rate - wanted = 0, |impulse| <= effort dt;   friction  rate = 0, |impulse| <= F dt
 * Stops have no bias within the slop, as contacts do; the projection removes what lies beyond. */
#include <math.h>
#include <string.h>

#include "host/math/trigonometry.h"
#include "host/world/joint.h"

static const double PI = 3.14159265358979323846;

static bool turns(const tl_joint *joint) {
  return joint->def.kind == TALUS_JOINT_HINGE || joint->def.kind == TALUS_JOINT_BALL;
}

double tl_joint_slop(const talus_world *world, const tl_joint *joint) {
  return world->def.slop * (turns(joint) ? 1 : world->size);
}

double tl_joint_coordinate_of(const tl_joint *joint, const tl_joint_now *now) {
  double cross[3];
  switch (joint->def.kind) {
  case TALUS_JOINT_SLIDER:
    return tl_dot3(now->axis_a, now->apart);
  case TALUS_JOINT_BALL:
    tl_cross3(cross, now->axis_a, now->axis_b);
    return tl_angle(sqrt(tl_dot3(cross, cross)), tl_dot3(now->axis_a, now->axis_b));
  case TALUS_JOINT_HINGE: {
    tl_cross3(cross, now->across[0], now->side_b);
    const double angle =
        tl_angle(tl_dot3(now->axis_a, cross), tl_dot3(now->across[0], now->side_b));
    return angle + 2 * PI * nearbyint((joint->last_angle - angle) / (2 * PI));
  }
  default:
    return sqrt(tl_dot3(now->apart, now->apart));
  }
}

void tl_joint_rate_row(const tl_joint *joint, const tl_joint_now *now, tl_joint_row *row) {
  double along[3];
  memcpy(along, now->axis_a, sizeof along);
  if (joint->def.kind == TALUS_JOINT_DISTANCE) {
    memcpy(along, now->apart, sizeof along);
  } else if (joint->def.kind == TALUS_JOINT_BALL) { /* b's axis swings away from a's */
    tl_cross3(along, now->axis_a, now->axis_b);
  }
  const double length = sqrt(tl_dot3(along, along));
  for (int c = 0; c < 3; c++) { /* of length 0: any direction is as good */
    along[c] = length > 0 ? along[c] / length : now->across[0][c];
  }
  if (turns(joint)) {
    tl_joint_row_turn(along, row);
  } else {
    tl_joint_row_point(now, along, row);
  }
}

double tl_joint_row_speed(const talus_world *world, const tl_joint *joint,
                          const tl_joint_row *row) {
  const int32_t body[2] = {joint->def.body_a, joint->def.body_b};
  double u = row->drift;
  for (int side = 0; side < 2; side++) {
    if (body[side] >= 0) {
      u += tl_dot3(row->jacobian + 6 * side, world->body[body[side]].velocity) +
           tl_dot3(row->jacobian + 6 * side + 3, world->body[body[side]].spin);
    }
  }
  return u;
}

double tl_joint_lever(const talus_world *world, const tl_joint *joint, const tl_joint_now *now) {
  const int32_t body[2] = {joint->def.body_a, joint->def.body_b};
  double longest = world->size;
  for (int side = 0; side < 2; side++) {
    const double *const arm = side ? now->arm_b : now->arm_a;
    if (body[side] >= 0 && world->body[body[side]].inverse_mass > 0) {
      longest = fmax(longest, sqrt(tl_dot3(arm, arm)));
    }
  }
  return longest;
}

/* A motor that nothing stops must not fight the stops: there would be no solution. */
static bool endless(const talus_joint_def *def) {
  return def->motor && !isfinite(def->effort);
}

/* One stop: gap and rate are seen from it, positive away from it. side: +1 lower, -1 upper. */
static void stop_fill(const talus_world *world, const tl_joint *joint, const tl_joint_now *now,
                      double dt, double gap, int side, double approach, double bend,
                      tl_joint_row *row) {
  const double slop = tl_joint_slop(world, joint), e = joint->def.restitution;
  const double unit = turns(joint) ? tl_joint_lever(world, joint, now) : 1;
  double bias = gap > slop ? (gap - slop) / dt : 0;
  if (world->def.stabilisation == TALUS_STABILISE_BIAS) {
    bias = gap >= 0 ? gap / dt : fmax(gap / dt, -world->def.bias_cap / unit);
  }
  bias += bend;
  if (e > 0 && unit * approach < -world->def.restitution_speed && gap + dt * approach <= slop) {
    bias = e * approach;
  }
  bias = endless(&joint->def) ? fmax(bias, 0) : bias;
  row->bias = side * bias;
  row->error = side * (gap + 0.5 * slop);
  row->needs_projection = gap < -1.5 * slop;
  row->lower = side > 0 ? 0 : -INFINITY;
  row->upper = side > 0 ? INFINITY : 0;
  row->row = side > 0 ? TL_ROW_LOWER : TL_ROW_UPPER;
}

/* The rate that a motor aims at; one of any strength stops where the stops begin to act. */
static double rate_wanted(const talus_joint_def *def, double dt, double coordinate, double slop) {
  double rate = def->rate;
  if (def->motor == TALUS_MOTOR_SERVO) {
    const double most = def->rate > 0 ? def->rate : INFINITY;
    rate = (def->target - coordinate) / fmax(def->response, dt);
    rate = fmax(-most, fmin(most, rate));
  }
  if (def->limited && endless(def)) {
    rate = fmin(rate, fmax(0, (def->upper - slop - coordinate) / dt));
    rate = fmax(rate, fmin(0, (def->lower + slop - coordinate) / dt));
  }
  return rate;
}

int32_t tl_joint_drive_rows(const talus_world *world, const tl_joint *joint,
                            const tl_joint_now *now, const tl_joint_now *next, double dt,
                            tl_joint_row *row) {
  const talus_joint_def *const def = &joint->def;
  int32_t n = 0;
  if (!def->limited && !def->motor && !(def->friction > 0)) {
    return 0;
  }
  tl_joint_row rate;
  tl_joint_rate_row(joint, now, &rate);
  const double coordinate = tl_joint_coordinate_of(joint, now);
  const double speed = tl_joint_row_speed(world, joint, &rate);
  const double bend = tl_joint_bend_share(world, joint, now, next, dt) *
                      ((tl_joint_coordinate_of(joint, next) - coordinate) / dt - speed);
  const bool positive = def->kind == TALUS_JOINT_BALL || def->kind == TALUS_JOINT_DISTANCE;
  if (def->limited && isfinite(def->lower) && !(positive && def->lower <= 0)) {
    row[n] = rate;
    stop_fill(world, joint, now, dt, coordinate - def->lower, 1, speed, bend, &row[n++]);
  }
  if (def->limited && isfinite(def->upper)) {
    row[n] = rate;
    stop_fill(world, joint, now, dt, def->upper - coordinate, -1, -speed, -bend, &row[n++]);
  }
  const double most[2] = {def->motor ? def->effort : -1, def->friction > 0 ? def->friction : -1};
  for (int i = 0; i < 2; i++) {
    if (most[i] >= 0) {
      row[n] = rate;
      row[n].bias = i == 0 ? -rate_wanted(def, dt, coordinate, tl_joint_slop(world, joint)) : 0;
      row[n].lower = -dt * most[i];
      row[n].upper = dt * most[i];
      row[n].is_drive = 1;
      row[n++].row = i == 0 ? TL_ROW_MOTOR : TL_ROW_FRICTION;
    }
  }
  return n;
}

void tl_joint_track(talus_world *world) {
  for (int32_t i = 0; i < world->joint_count; i++) {
    tl_joint *const joint = &world->joint[i];
    if (joint->exists && joint->def.kind == TALUS_JOINT_HINGE) {
      tl_joint_now now;
      tl_joint_place(world, joint, &now);
      joint->last_angle = tl_joint_coordinate_of(joint, &now);
    }
  }
}
