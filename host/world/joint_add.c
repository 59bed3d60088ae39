/* joint_add.c: the caller's side of joints: adding, removing, driving, reading back. */
#include <math.h>
#include <string.h>

#include "host/base/structs.h"
#include "host/world/cell.h"
#include "host/world/joint.h"

static bool finite3(const double *v) {
  return isfinite(v[0]) && isfinite(v[1]) && isfinite(v[2]);
}

static talus_status drive_check(talus_context *context, int32_t motor, double rate, double target,
                                double effort) {
  if ((unsigned)motor > TALUS_MOTOR_SERVO || !isfinite(rate) || !isfinite(target) ||
      !(effort >= 0) || (motor == TALUS_MOTOR_SERVO && rate < 0)) {
    return tl_fail(context, TALUS_BAD_SETTING,
                   "joint motor %d: rate %g and target %g must be finite, effort %g not negative, "
                   "nor the rate of a servo",
                   motor, rate, target, effort);
  }
  return TALUS_OK;
}

/* What acts along the coordinate, as far as it can be judged without the bodies. */
static talus_status coordinate_check(talus_context *context, const talus_joint_def *def) {
  const bool drivable = def->kind == TALUS_JOINT_HINGE || def->kind == TALUS_JOINT_SLIDER ||
                        (def->kind == TALUS_JOINT_DISTANCE && def->limited);
  if ((def->motor || def->friction > 0) && !drivable) {
    return tl_fail(context, TALUS_UNSUPPORTED,
                   "joint def: motors and friction are for hinges, sliders and distances with "
                   "limits");
  }
  if (def->limited && def->kind == TALUS_JOINT_FIXED) {
    return tl_fail(context, TALUS_UNSUPPORTED, "joint def: a fixed joint has nothing to limit");
  }
  if ((uint32_t)def->collide > TALUS_JOINT_COLLIDE_NO) {
    return tl_fail(context, TALUS_BAD_SETTING, "joint def: collide %d is unknown", def->collide);
  }
  if ((uint32_t)def->limited > 1) {
    return tl_fail(context, TALUS_BAD_SETTING, "joint def: limited is %d: it must be 0 or 1",
                   def->limited);
  }
  if (def->limited && !(def->lower <= def->upper)) {
    return tl_fail(context, TALUS_BAD_SETTING,
                   "joint def: the lower limit %g is not below the upper limit %g", def->lower,
                   def->upper);
  }
  if (!(def->friction >= 0) || !isfinite(def->friction) ||
      !(def->restitution >= 0 && def->restitution <= 1) || !(def->response >= 0)) {
    return tl_fail(context, TALUS_BAD_SETTING,
                   "joint def: friction %g, restitution %g or response %g is out of range",
                   def->friction, def->restitution, def->response);
  }
  return drive_check(context, def->motor, def->rate, def->target, def->effort);
}

/* *def gets the slots of its bodies. */
static talus_status joint_check(const talus_world *world, talus_joint_def *def) {
  talus_context *const context = world->context;
  const int32_t id[2] = {def->body_a, def->body_b};
  if ((unsigned)def->kind > TALUS_JOINT_DISTANCE) {
    return tl_fail(context, TALUS_BAD_SETTING, "joint def: kind %d is unknown", (int)def->kind);
  }
  for (int side = 0; side < 2; side++) {
    if (id[side] != TALUS_NONE) {
      TL_TRY(tl_body_find(world, id[side], side ? &def->body_b : &def->body_a));
    }
  }
  const bool a = def->body_a >= 0 && world->body[def->body_a].inverse_mass > 0;
  const bool b = def->body_b >= 0 && world->body[def->body_b].inverse_mass > 0;
  if ((!a && !b) || def->body_a == def->body_b) {
    return tl_fail(
        context, TALUS_IMMOVABLE_PAIR,
        "joint between bodies %d and %d: at least one must be free, and they must differ", id[0],
        id[1]);
  }
  if (!finite3(def->point) || !finite3(def->point_b)) {
    return tl_fail(context, TALUS_NOT_FINITE, "joint def: point or point_b is not finite");
  }
  if (!(fabs(tl_dot3(def->axis, def->axis) - 1) <= 1e-6)) {
    return tl_fail(context, TALUS_NORMAL_LENGTH, "joint def: axis has length %g, not 1",
                   sqrt(tl_dot3(def->axis, def->axis)));
  }
  return coordinate_check(context, def);
}

/* In a cell the nearest image is held: a stop beyond half the cell would never be met. */
static talus_status reach_check(const talus_world *world, const talus_joint_def *def) {
  const bool slides = def->kind == TALUS_JOINT_SLIDER || def->kind == TALUS_JOINT_DISTANCE;
  const double width = tl_cell_width(&world->cell);
  const double reach = fmax(fabs(def->lower), fabs(def->upper));
  return !(slides && def->limited && isfinite(reach) && reach > 0.5 * width)
             ? TALUS_OK
             : tl_fail(world->context, TALUS_BAD_SETTING,
                       "joint def: its limits %g and %g reach farther than half the periodic cell, "
                       "which is %g m wide",
                       def->lower, def->upper, width);
}

/* The joint in the frames of its bodies. */
static void joint_make(const talus_world *world, const talus_joint_def *def, tl_joint *joint) {
  memset(joint, 0, sizeof *joint);
  joint->def = *def;
  joint->exists = 1;
  const double *const point_b = def->kind == TALUS_JOINT_DISTANCE ? def->point_b : def->point;
  tl_joint_local(world, def->body_a, def->point, 0, joint->arm_a);
  tl_joint_local(world, def->body_b, point_b, 0, joint->arm_b);
  tl_joint_local(world, def->body_a, def->axis, 1, joint->axis_a);
  tl_joint_local(world, def->body_b, def->axis, 1, joint->axis_b);
  double apart[3], qa[4], qb[4], across[2][3];
  tl_sub3(apart, point_b, def->point);
  tl_cell_nearest(&world->cell, apart);
  joint->length = sqrt(tl_dot3(apart, apart));
  tl_joint_across(def->axis, across);
  tl_joint_local(world, def->body_a, across[0], 1, joint->side_a);
  tl_joint_local(world, def->body_b, across[0], 1, joint->side_b);
  tl_joint_orientation(world, def->body_a, qa);
  tl_joint_orientation(world, def->body_b, qb);
  const double back[4] = {qa[0], -qa[1], -qa[2], -qa[3]};
  tl_quaternion_times(back, qb, joint->relative);
}

talus_status talus_joint_add(talus_world *world, const talus_joint_def *given, int32_t *result) {
  if (world == NULL || given == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  talus_joint_def own = talus_joint_def_default(TALUS_JOINT_FIXED), *const def = &own;
  TL_TRY(tl_struct_read(world->context, &tl_struct_joint_def, "joint def", given, &own));
  TL_TRY(joint_check(world, def));
  TL_TRY(reach_check(world, def));
  TL_TRY(tl_ids_left(world, world->joint_next, "joints"));
  TL_TRY(tl_world_edit(world));
  tl_links_sync(world); /* the joint is seen from where the bodies are */
  TL_TRY(tl_world_grow(world, (void **)&world->joint, &world->joint_capacity,
                       world->joint_count + 1, sizeof *world->joint, "joints"));
  tl_joint *const joint = &world->joint[world->joint_count];
  joint_make(world, def, joint);
  /* a joint that begins beyond its stops would be thrown back by the first step */
  const double begin = def->kind == TALUS_JOINT_DISTANCE ? joint->length : 0;
  const double slop = tl_joint_slop(world, joint);
  if (def->limited && (begin < def->lower - slop || begin > def->upper + slop)) {
    return tl_fail(world->context, TALUS_BAD_SETTING,
                   "joint def: it begins at %g, outside its limits %g and %g", begin, def->lower,
                   def->upper);
  }
  for (int side = 0; side < 2; side++) {
    const int32_t body = side ? def->body_b : def->body_a;
    if (body >= 0) {
      world->body[body].jointed = 1;
    }
  }
  TL_TRY(tl_solver_prepare_rows(world));
  joint->id = world->joint_next++;
  world->joint_count++;
  if (result != NULL) {
    *result = joint->id;
  }
  return TALUS_OK;
}

static talus_status joint_find(const talus_world *world, int32_t id, int32_t *slot) {
  *slot = world != NULL ? tl_joint_slot(world, id) : -1;
  return *slot >= 0 ? TALUS_OK
                    : tl_fail(world != NULL ? world->context : NULL, TALUS_INDEX_RANGE,
                              "joint %d does not exist", id);
}

talus_status talus_joint_remove(talus_world *world, int32_t id) {
  enum { GAPS = 256 }; /* they wait for the next step, unless there are many */
  int32_t joint;
  TL_TRY(joint_find(world, id, &joint));
  world->joint[joint].exists = 0;
  if (++world->joint_gaps > GAPS && world->joint_gaps > world->joint_count / 2) {
    tl_gaps_close(world);
  }
  return TALUS_OK;
}

talus_status talus_joint_drive(talus_world *world, int32_t id, double rate, double target,
                               double effort) {
  int32_t index;
  TL_TRY(joint_find(world, id, &index));
  talus_joint_def *const def = &world->joint[index].def;
  if (!def->motor) {
    return tl_fail(world->context, TALUS_CALL_ORDER,
                   "joint %d has no motor: set motor in the def it is added with", id);
  }
  TL_TRY(drive_check(world->context, def->motor, rate, target, effort));
  def->rate = rate;
  def->target = target;
  def->effort = effort;
  return TALUS_OK;
}

talus_status talus_joint_get(const talus_world *world, int32_t id, talus_joint_state *state) {
  int32_t index;
  TL_TRY(joint_find(world, id, &index));
  TL_TRY(tl_struct_check(world->context, &tl_struct_joint_state, "joint state", state));
  const tl_joint *const joint = &world->joint[index];
  tl_joint_now now;
  tl_joint_row rate;
  tl_joint_place(world, joint, &now);
  tl_joint_rate_row(joint, &now, &rate);
  talus_joint_state found = talus_joint_state_default();
  found.coordinate = tl_joint_coordinate_of(joint, &now);
  found.rate = tl_joint_row_speed(world, joint, &rate);
  memcpy(found.impulse, joint->push, sizeof found.impulse);
  memcpy(found.moment, joint->push + 3, sizeof found.moment);
  found.stop = joint->impulse[TL_ROW_LOWER] + joint->impulse[TL_ROW_UPPER];
  found.motor = joint->impulse[TL_ROW_MOTOR];
  found.friction = joint->impulse[TL_ROW_FRICTION];
  tl_struct_write(&tl_struct_joint_state, &found, state);
  return TALUS_OK;
}

double talus_joint_coordinate(const talus_world *world, int32_t index) {
  talus_joint_state state = talus_joint_state_default();
  return talus_joint_get(world, index, &state) == TALUS_OK ? state.coordinate : NAN;
}
