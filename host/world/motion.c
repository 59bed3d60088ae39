/* motion.c: kinematic bodies: where their motions put them, and the velocity that leads there.
 *
 * Offsets and turns of all motions of a body add up; a turn about a point carries the body along.
 * The velocity of a step is chosen so that the body arrives exactly where its motions say, which
 * keeps long runs free of drift. */
#include <math.h>
#include <string.h>

#include "host/base/structs.h"
#include "host/math/trigonometry.h"
#include "host/world/servo.h"

/* Time spent between begin and end, up to t. */
static double active_time(const talus_motion_def *def, double t) {
  const double until = t < def->end ? t : def->end;
  return until > def->begin ? until - def->begin : 0;
}

static void table_offset(const talus_motion_def *def, double t, double *offset) {
  int32_t i = 0;
  while (i + 2 < def->count && t >= def->time[i + 1]) {
    i++;
  }
  const double span = def->count > 1 ? def->time[i + 1] - def->time[i] : 1;
  double s = def->count > 1 ? (t - def->time[i]) / span : 0;
  s = s < 0 ? 0 : (s > 1 ? 1 : s);
  const double *const from = def->offset + 3 * i;
  const double *const to = def->count > 1 ? from + 3 : from;
  for (int c = 0; c < 3; c++) {
    offset[c] += from[c] + s * (to[c] - from[c]);
  }
}

/* Adds what one motion has done by time t. */
static void motion_offset(const talus_motion_def *def, double t, double *offset) {
  const double spent = active_time(def, t);
  if (def->kind == TALUS_MOTION_TABLE) {
    table_offset(def, t, offset);
    return;
  }
  double factor = 0;
  if (def->kind == TALUS_MOTION_VELOCITY) {
    factor = spent;
  } else if (def->kind == TALUS_MOTION_SINUSOID) {
    const double turn = 2 * 3.14159265358979323846 * def->frequency;
    factor = tl_sine(turn * spent + def->phase) - tl_sine(def->phase);
  }
  for (int c = 0; c < 3; c++) {
    offset[c] += factor * def->vector[c];
  }
}

/* Position and orientation at a time: first the turns, about their centres, then the offsets. */
static void pose_at(const talus_world *world, int32_t index, double time, double *position,
                    double *orientation) {
  const tl_body_extra *const extra = tl_body_extra_of(world, &world->body[index]);
  const double t = time - extra->motion_begin;
  double offset[3];
  tl_copy3(offset, extra->carried_by_servo);
  memcpy(position, extra->anchor, 3 * sizeof *position);
  memcpy(orientation, extra->anchor_orientation, 4 * sizeof *orientation);
  for (int32_t i = 0; i < world->motion_count; i++) {
    const talus_motion_def *const def = &world->motion[i].def;
    if (world->motion[i].body != index) {
      continue;
    }
    if (def->kind != TALUS_MOTION_SPIN) {
      motion_offset(def, t, offset);
      continue;
    }
    double angle[3], turn[4] = {1, 0, 0, 0}, rotation[9], arm[3];
    for (int c = 0; c < 3; c++) {
      angle[c] = active_time(def, t) * def->vector[c];
      arm[c] = position[c] - def->centre[c];
    }
    tl_quaternion_turn(turn, angle);
    tl_quaternion_matrix(turn, rotation);
    tl_turn3(arm, rotation, arm);
    for (int c = 0; c < 3; c++) {
      position[c] = def->centre[c] + arm[c];
    }
    tl_quaternion_turn(orientation, angle);
  }
  for (int c = 0; c < 3; c++) {
    position[c] += offset[c];
  }
}

/* The angle vector that turns quaternion a into b. */
static void turn_between(const double *a, const double *b, double *angle) {
  const double back[4] = {a[0], -a[1], -a[2], -a[3]};
  double turn[4];
  tl_quaternion_times(b, back, turn);
  const double sign = turn[0] < 0 ? -1 : 1;
  const double size = sqrt(tl_dot3(turn + 1, turn + 1));
  const double whole = 2 * tl_angle(size, sign * turn[0]);
  for (int c = 0; c < 3; c++) {
    angle[c] = size > 0 ? sign * whole * turn[1 + c] / size : 0;
  }
}

void tl_motion_steer(talus_world *world, int32_t index, double dt) {
  tl_body *const body = &world->body[index];
  double position[3], orientation[4], angle[3];
  pose_at(world, index, world->time + dt, position, orientation);
  tl_servo_offset(world, index, dt, position);
  turn_between(body->orientation, orientation, angle);
  for (int c = 0; c < 3; c++) {
    body->velocity[c] = (position[c] - body->position[c]) / dt;
    body->spin[c] = angle[c] / dt;
  }
}

static bool has_motions(const talus_world *world, int32_t slot) {
  for (int32_t i = 0; i < world->motion_count; i++) {
    if (world->motion[i].body == slot) {
      return true;
    }
  }
  return false;
}

/* Lets the times of a body's motions count from now, and their offsets from where it is. */
static void motions_restart(talus_world *world, int32_t slot) {
  const tl_body *const body = &world->body[slot];
  tl_body_extra *const extra = &world->body_extra[body->extra];
  tl_copy3(extra->anchor, body->position);
  memcpy(extra->anchor_orientation, body->orientation, sizeof extra->anchor_orientation);
  tl_set3(extra->carried_by_servo, 0, 0, 0);
  extra->motion_begin = world->time;
  const tl_servo *const servo = tl_servo_of(world, slot);
  if (servo != NULL) { /* its travel goes on, and the anchor has it already */
    tl_scale3(extra->carried_by_servo, -servo->now.travel, servo->def.axis);
  }
}

talus_status talus_motion_add(talus_world *world, int32_t id, const talus_motion_def *given) {
  int32_t body;
  TL_TRY(tl_body_find(world, id, &body));
  TL_TRY(tl_bodies_read(world)); /* a device is told velocities */
  talus_motion_def own = talus_motion_def_default(TALUS_MOTION_VELOCITY);
  const talus_motion_def *const def = &own;
  TL_TRY(tl_struct_read(world->context, &tl_struct_motion_def, "motion def", given, &own));
  if (world->body[body].type != TALUS_BODY_KINEMATIC) {
    return tl_fail(world->context, TALUS_CALL_ORDER, "body %d is not kinematic: it has no motions",
                   id);
  }
  const bool table = def->kind == TALUS_MOTION_TABLE;
  if ((unsigned)def->kind > TALUS_MOTION_TABLE || !isfinite(def->begin) || isnan(def->end) ||
      !isfinite(tl_dot3(def->vector, def->vector)) || !isfinite(def->frequency) ||
      (table && (def->count < 1 || def->time == NULL || def->offset == NULL))) {
    return tl_fail(world->context, TALUS_BAD_SETTING,
                   "motion of body %d: kind, vector, frequency, times or table is wrong", id);
  }
  for (int32_t i = 1; table && i < def->count; i++) {
    if (!(def->time[i] > def->time[i - 1])) {
      return tl_fail(world->context, TALUS_BAD_SETTING,
                     "motion of body %d: time[%d] is not after time[%d]", id, i, i - 1);
    }
  }
  TL_TRY(tl_world_grow(world, (void **)&world->motion, &world->motion_capacity,
                       world->motion_count + 1, sizeof *world->motion, "motions"));
  tl_motion *const motion = &world->motion[world->motion_count];
  memset(motion, 0, sizeof *motion);
  motion->def = *def;
  motion->body = body;
  if (table) {
    const size_t count = (size_t)def->count;
    TL_TRY(tl_alloc(world->context, (void **)&motion->memory, 4 * count, sizeof(double),
                    "table of a motion"));
    memcpy(motion->memory, def->time, count * sizeof(double));
    memcpy(motion->memory + count, def->offset, 3 * count * sizeof(double));
    motion->def.time = motion->memory;
    motion->def.offset = motion->memory + count;
  }
  if (def->begin == 0 && world->time > tl_body_extra_of(world, &world->body[body])->motion_begin &&
      !has_motions(world, body)) {
    motions_restart(world, body); /* or its first step would make up for all the time before */
  }
  world->motion_count++;
  return TALUS_OK;
}

talus_status talus_motions_clear(talus_world *world, int32_t id) {
  int32_t slot, kept = 0;
  TL_TRY(tl_body_find(world, id, &slot));
  TL_TRY(tl_bodies_read(world)); /* a device is told velocities */
  if (world->body[slot].type != TALUS_BODY_KINEMATIC) {
    return tl_fail(world->context, TALUS_CALL_ORDER, "body %d is not kinematic: it has no motions",
                   id);
  }
  for (int32_t i = 0; i < world->motion_count; i++) {
    if (world->motion[i].body != slot) {
      world->motion[kept++] = world->motion[i];
    } else {
      tl_free(world->context, world->motion[i].memory);
    }
  }
  world->motion_count = kept;
  motions_restart(world, slot);
  return TALUS_OK;
}
