/* state.c: the world's state out to arrays and back. */
#include "host/world/state.h"

#include <math.h>
#include <string.h>

#include "host/collide/match.h"
#include "host/world/world.h"

void tl_world_state_measure(const talus_world *world, tl_world_state *state) {
  memset(state, 0, sizeof *state);
  state->time = world->time;
  state->step_count = world->step_count;
  state->body_count = world->body_count;
  state->contact_count = world->contact_count;
  state->joint_count = world->joint_count;
  state->mechanism_count = tl_links_state_count(world);
}

void tl_world_state_save(const talus_world *world, tl_world_state *state) {
  for (int64_t i = 0; i < world->body_count; i++) {
    const tl_body *const body = &world->body[i];
    double *const to = state->body + TL_STATE_BODY * i;
    to[0] = body->exists;
    memcpy(to + 1, body->position, sizeof body->position);
    memcpy(to + 4, body->orientation, sizeof body->orientation);
    memcpy(to + 8, body->velocity, sizeof body->velocity);
    memcpy(to + 11, body->spin, sizeof body->spin);
    memcpy(to + 14, body->force, sizeof body->force);
    memcpy(to + 17, body->torque, sizeof body->torque);
    if (state->carried != NULL) {
      memcpy(state->carried + 3 * i, body->carried, sizeof body->carried);
    }
  }
  for (int64_t k = 0; k < world->contact_count; k++) {
    const tl_world_contact *const contact = &world->contact[k];
    state->contact_key[3 * k] = contact->shown.shape_a;
    state->contact_key[3 * k + 1] = contact->shown.shape_b;
    state->contact_key[3 * k + 2] = (int32_t)contact->feature;
    memcpy(state->contact_value + TL_STATE_CONTACT * k, contact->shown.impulse,
           sizeof contact->shown.impulse);
    state->contact_value[TL_STATE_CONTACT * k + 3] = contact->shown.gap;
  }
  for (int64_t j = 0; j < world->joint_count; j++) {
    const tl_joint *const joint = &world->joint[j];
    double *const to = state->joint + TL_STATE_JOINT * j;
    to[0] = joint->exists;
    memcpy(to + 1, joint->impulse, sizeof joint->impulse);
    to[11] = joint->turns;
    memcpy(to + 12, joint->push, sizeof joint->push);
    to[18] = joint->def.rate;
    to[19] = joint->def.target;
    to[20] = joint->def.effort;
  }
  tl_links_state_save(world, state->mechanism);
}

static talus_status body_load(talus_world *world, int32_t index, const double *from,
                              const double *carried) {
  tl_body *const body = &world->body[index];
  for (int c = 0; c < TL_STATE_BODY; c++) {
    if (!isfinite(from[c]) || !isfinite(carried[c % 3])) {
      return tl_fail(world->context, TALUS_NOT_FINITE, "state of body %d is not finite", index);
    }
  }
  if (from[0] == 0 && body->exists) {
    TL_TRY(talus_body_remove(world, index));
  }
  if ((from[0] != 0) != (body->exists != 0) || !tl_quaternion_good(from + 4)) {
    return tl_fail(world->context, TALUS_FILE_FORMAT,
                   "state of body %d: it exists in one of world and state only, or its "
                   "orientation is no unit quaternion", index);
  }
  memcpy(body->position, from + 1, sizeof body->position);
  memcpy(body->orientation, from + 4, sizeof body->orientation);
  memcpy(body->velocity, from + 8, sizeof body->velocity);
  memcpy(body->spin, from + 11, sizeof body->spin);
  memcpy(body->force, from + 14, sizeof body->force);
  memcpy(body->torque, from + 17, sizeof body->torque);
  memcpy(body->carried, carried, sizeof body->carried);
  return TALUS_OK;
}

static talus_status joint_load(talus_world *world, int32_t index, const double *from) {
  tl_joint *const joint = &world->joint[index];
  for (int c = 0; c < TL_STATE_JOINT; c++) {
    if (!isfinite(from[c]) && !(c == TL_STATE_JOINT - 1 && from[c] > 0)) {
      return tl_fail(world->context, TALUS_NOT_FINITE, "state of joint %d is not finite", index);
    }
  }
  if (from[0] != 0 && !joint->exists) {
    return tl_fail(world->context, TALUS_FILE_FORMAT, "state of joint %d: the world has removed it",
                   index);
  }
  joint->exists = from[0] != 0;
  memcpy(joint->impulse, from + 1, sizeof joint->impulse);
  joint->turns = from[11];
  memcpy(joint->push, from + 12, sizeof joint->push);
  joint->def.rate = from[18];
  joint->def.target = from[19];
  joint->def.effort = from[20];
  return TALUS_OK;
}

/* The contacts of the last step, as far as matching and warm start need them. */
static talus_status contacts_load(talus_world *world, const tl_world_state *state) {
  TL_TRY(tl_world_grow(world, (void **)&world->contact, &world->contact_capacity,
                       state->contact_count, sizeof *world->contact, "contacts"));
  for (int64_t k = 0; k < state->contact_count; k++) {
    tl_world_contact *const contact = &world->contact[k];
    const int32_t *const from = state->contact_key + 3 * k;
    const double *const value = state->contact_value + TL_STATE_CONTACT * k;
    for (int side = 0; side < 2; side++) {
      if (from[side] < 0 || from[side] >= world->shape_count) {
        return tl_fail(world->context, TALUS_FILE_FORMAT,
                       "state: contact %lld names shape %d, which does not exist", (long long)k,
                       from[side]);
      }
    }
    memset(contact, 0, sizeof *contact);
    contact->shown.shape_a = from[0];
    contact->shown.shape_b = from[1];
    contact->shown.body_a = world->shape[from[0]].body;
    contact->shown.body_b = world->shape[from[1]].body;
    contact->feature = (uint32_t)from[2];
    for (int c = 0; c < 3; c++) {
      contact->shown.impulse[c] = isfinite(value[c]) ? value[c] : 0;
    }
    contact->shown.gap = value[3];
  }
  world->contact_count = state->contact_count;
  return tl_contacts_remember(world);
}

talus_status tl_world_state_load(talus_world *world, const tl_world_state *state) {
  if (state->body_count != world->body_count || state->joint_count != world->joint_count) {
    return tl_fail(world->context, TALUS_FILE_FORMAT,
                   "the state has %d bodies and %d joints, the world %d and %d", state->body_count,
                   state->joint_count, world->body_count, world->joint_count);
  }
  for (int32_t j = 0; j < world->joint_count; j++) { /* first, since they hold bodies */
    TL_TRY(joint_load(world, j, state->joint + TL_STATE_JOINT * (int64_t)j));
  }
  static const double none[3] = {0, 0, 0};
  for (int32_t i = 0; i < world->body_count; i++) {
    TL_TRY(body_load(world, i, state->body + TL_STATE_BODY * (int64_t)i,
                     state->carried != NULL ? state->carried + 3 * (int64_t)i : none));
  }
  TL_TRY(tl_links_state_load(world, state->mechanism, state->mechanism_count));
  TL_TRY(contacts_load(world, state));
  world->time = state->time;
  world->step_count = state->step_count;
  return TALUS_OK;
}
