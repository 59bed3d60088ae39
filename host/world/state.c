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
  state->body_count = world->body_count - world->body_gaps;
  state->contact_count = world->contact_count;
  state->joint_count = world->joint_count - world->joint_gaps;
  state->mechanism_count = tl_links_state_count(world);
  state->kinematic_count = tl_motions_state_count(world);
  state->bond_count = world->bond_count - world->bond_gaps;
  state->bond_next = world->bond_next;
  state->bond_broken = world->broken_before + world->broken_count;
  state->soft = world->soft;
  state->resists = world->resists;
  state->modulus = world->modulus;
  state->next = (tl_world_numbering){world->body_next, world->shape_next, world->joint_next,
                                     world->size_count, world->size_sum};
}

void tl_world_numbers(const talus_world *world, int32_t *body, int32_t *shape) {
  *body = world->body_next;
  *shape = world->shape_next;
}

talus_status tl_world_number(talus_world *world, int32_t body, int32_t shape) {
  if (body < world->body_next || shape < world->shape_next) {
    return tl_fail(world->context, TALUS_FILE_FORMAT,
                   "the state names body %d and shape %d, which the world has already", body,
                   shape);
  }
  world->body_next = body;
  world->shape_next = shape;
  return TALUS_OK;
}

static void body_save(const talus_world *world, const tl_body *body, double *to) {
  const tl_body_extra *const extra = tl_body_extra_of(world, body);
  to[0] = 1;
  memcpy(to + 1, body->position, sizeof body->position);
  memcpy(to + 4, body->orientation, sizeof body->orientation);
  memcpy(to + 8, body->velocity, sizeof body->velocity);
  memcpy(to + 11, body->spin, sizeof body->spin);
  memcpy(to + 14, extra->force, sizeof extra->force);
  memcpy(to + 17, extra->torque, sizeof extra->torque);
}

static void joint_save(const tl_joint *joint, double *to) {
  to[0] = 1;
  memcpy(to + 1, joint->impulse, sizeof joint->impulse);
  to[11] = joint->last_angle;
  memcpy(to + 12, joint->push, sizeof joint->push);
  to[18] = joint->def.rate;
  to[19] = joint->def.target;
  to[20] = joint->def.effort;
}

void tl_world_state_save(const talus_world *world, tl_world_state *state) {
  static const double none[3] = {0, 0, 0};
  int64_t n = 0;
  for (int32_t i = 0; i < world->body_count; i++) {
    const tl_body *const body = &world->body[i];
    if (!body->exists) {
      continue;
    }
    body_save(world, body, state->body + TL_STATE_BODY * n);
    if (state->carried != NULL) {
      tl_copy3(state->carried + 3 * n, tl_body_extra_of(world, body)->carried);
    }
    if (state->id != NULL) {
      state->id[n] = body->id;
    }
    n++;
  }
  for (int64_t k = 0; k < world->contact_count; k++) {
    const tl_world_contact *const contact = &world->contact[k];
    state->contact_key[3 * k] = contact->shown.shape_a;
    state->contact_key[3 * k + 1] = contact->shown.shape_b;
    state->contact_key[3 * k + 2] = (int32_t)contact->feature;
    memcpy(state->contact_value + TL_STATE_CONTACT * k, world->impulse + 3 * k, 3 * sizeof(double));
    state->contact_value[TL_STATE_CONTACT * k + 3] = contact->shown.gap;
    if (state->resists) {
      tl_copy3(state->torque + 3 * k, world->extra != NULL ? world->extra[k].torque : none);
    }
    if (state->soft) {
      tl_copy3(state->hold + 3 * k, world->extra != NULL ? world->extra[k].hold : none);
    }
  }
  n = 0;
  for (int32_t j = 0; j < world->joint_count; j++) {
    if (world->joint[j].exists) {
      joint_save(&world->joint[j], state->joint + TL_STATE_JOINT * n);
      if (state->id != NULL) {
        state->id[state->body_count + n] = world->joint[j].id;
      }
      n++;
    }
  }
  tl_links_state_save(world, state->mechanism);
  tl_motions_state_save(world, state->kinematic);
  tl_bonds_state_save(world, state);
  const tl_cell *const cell = &world->cell;
  state->periodic = cell->def.periodic != 0;
  memcpy(state->cell, cell->def.edge, sizeof cell->def.edge);
  memcpy(state->cell + 6, cell->def.rate, sizeof cell->def.rate);
  memcpy(state->cell + 12, cell->strain, sizeof cell->strain);
  memcpy(state->cell + 18, cell->mean_rate, sizeof cell->mean_rate);
}

static talus_status cell_load(talus_world *world, const tl_world_state *state) {
  tl_cell *const cell = &world->cell;
  bool good = true;
  for (int c = 0; c < TL_STATE_CELL; c++) {
    good = good && isfinite(state->cell[c]) && (c > 2 || state->cell[c] > 0);
  }
  if (state->periodic != (cell->def.periodic != 0) || (state->periodic && !good)) {
    return tl_fail(world->context, TALUS_FILE_FORMAT,
                   "the periodic cell is in one of world and state only, or its edges make no "
                   "sense");
  }
  if (state->periodic) {
    memcpy(cell->def.edge, state->cell, sizeof cell->def.edge);
    memcpy(cell->def.rate, state->cell + 6, sizeof cell->def.rate);
    memcpy(cell->strain, state->cell + 12, sizeof cell->strain);
    memcpy(cell->mean_rate, state->cell + 18, sizeof cell->mean_rate);
  }
  return TALUS_OK;
}

/* Forces and what is carried over, if there are any or were any. */
static talus_status body_extra_load(talus_world *world, int32_t slot, const double *from,
                                    const double *carried) {
  bool any = false;
  for (int c = 0; c < 3; c++) {
    any = any || from[14 + c] != 0 || from[17 + c] != 0 || carried[c] != 0;
  }
  if (any) {
    TL_TRY(tl_body_extra_take(world, slot));
  }
  tl_body_extra *const extra = tl_body_extra_at(world, &world->body[slot]);
  if (extra != NULL) {
    memcpy(extra->force, from + 14, sizeof extra->force);
    memcpy(extra->torque, from + 17, sizeof extra->torque);
    memcpy(extra->carried, carried, sizeof extra->carried);
  }
  return TALUS_OK;
}

static talus_status body_load(talus_world *world, int32_t id, const double *from,
                              const double *carried) {
  tl_body *const body = tl_body_at(world, id);
  for (int c = 0; c < TL_STATE_BODY; c++) {
    if (!isfinite(from[c]) || !isfinite(carried[c % 3])) {
      return tl_fail(world->context, TALUS_NOT_FINITE, "state of body %d is not finite", id);
    }
  }
  if (from[0] == 0 && body != NULL) { /* states of the first version have what was removed */
    return talus_body_remove(world, id);
  }
  if (from[0] == 0 || body == NULL || !tl_quaternion_good(from + 4)) {
    return tl_fail(world->context, TALUS_FILE_FORMAT,
                   "state of body %d: it exists in one of world and state only, or its "
                   "orientation is no unit quaternion",
                   id);
  }
  memcpy(body->position, from + 1, sizeof body->position);
  memcpy(body->orientation, from + 4, sizeof body->orientation);
  memcpy(body->velocity, from + 8, sizeof body->velocity);
  memcpy(body->spin, from + 11, sizeof body->spin);
  return body_extra_load(world, tl_body_slot(world, id), from, carried);
}

static talus_status joint_load(talus_world *world, int32_t id, const double *from) {
  const int32_t slot = tl_joint_slot(world, id);
  for (int c = 0; c < TL_STATE_JOINT; c++) {
    if (!isfinite(from[c]) && !(c == TL_STATE_JOINT - 1 && from[c] > 0)) {
      return tl_fail(world->context, TALUS_NOT_FINITE, "state of joint %d is not finite", id);
    }
  }
  if (slot < 0) {
    return from[0] == 0 ? TALUS_OK
                        : tl_fail(world->context, TALUS_FILE_FORMAT,
                                  "state of joint %d: the world does not have it", id);
  }
  if (from[0] == 0) {
    return talus_joint_remove(world, id);
  }
  tl_joint *const joint = &world->joint[slot];
  memcpy(joint->impulse, from + 1, sizeof joint->impulse);
  joint->last_angle = from[11];
  memcpy(joint->push, from + 12, sizeof joint->push);
  joint->def.rate = from[18];
  joint->def.target = from[19];
  joint->def.effort = from[20];
  return TALUS_OK;
}

/* What the state does not have goes. Ids ascend in both. */
static talus_status others_remove(talus_world *world, const tl_world_state *state) {
  const int32_t *const joint = state->id + state->body_count;
  int32_t n = 0;
  for (int32_t j = 0; j < world->joint_count; j++) { /* first, since they hold bodies */
    const int32_t id = world->joint[j].id;
    n += n < state->joint_count && joint[n] < id;
    if (world->joint[j].exists && !(n < state->joint_count && joint[n] == id)) {
      world->joint[j].exists = 0;
      world->joint_gaps++;
    }
  }
  n = 0;
  for (int32_t id = talus_body_after(world, TALUS_NONE); id != TALUS_NONE;
       id = talus_body_after(world, id)) {
    n += n < state->body_count && state->id[n] < id;
    if (!(n < state->body_count && state->id[n] == id)) {
      TL_TRY(talus_body_remove(world, id));
    }
  }
  return TALUS_OK;
}

static talus_status ids_check(const talus_world *world, const tl_world_state *state) {
  const int64_t total = (int64_t)state->body_count + state->joint_count;
  for (int64_t i = 0; i < total; i++) {
    const bool first = i == 0 || i == state->body_count;
    const int32_t below = i < state->body_count ? state->next.body : state->next.joint;
    if (state->id[i] < 0 || state->id[i] >= below || (!first && state->id[i] <= state->id[i - 1])) {
      return tl_fail(world->context, TALUS_FILE_FORMAT,
                     "the state's ids do not ascend below those that come next");
    }
  }
  if (state->next.body < world->body_next || state->next.shape < world->shape_next ||
      state->next.joint < world->joint_next || state->next.size_count < 0 ||
      !(state->next.size_sum >= 0) || !isfinite(state->next.size_sum)) {
    return tl_fail(world->context, TALUS_FILE_FORMAT,
                   "the state has had %d bodies and %d joints, the world %d and %d",
                   state->next.body, state->next.joint, world->body_next, world->joint_next);
  }
  return TALUS_OK;
}

/* One of the contacts' two sides. */
static talus_status side_load(const talus_world *world, int32_t shape, int64_t k, int32_t *shape_to,
                              int32_t *body_to) {
  if (shape < 0 || shape >= world->shape_next) {
    return tl_fail(world->context, TALUS_FILE_FORMAT,
                   "state: contact %lld names shape %d, which does not exist", (long long)k, shape);
  }
  const int32_t slot = tl_shape_slot_of(world, shape);
  *shape_to = shape;
  *body_to = slot >= 0 ? world->body[world->shape[slot].body].id : TALUS_NONE;
  return TALUS_OK;
}

static void extra_load(const tl_world_state *state, int64_t k, tl_contact_extra *extra) {
  memset(extra, 0, sizeof *extra);
  for (int c = 0; c < 3 && state->resists; c++) {
    extra->torque[c] = isfinite(state->torque[3 * k + c]) ? state->torque[3 * k + c] : 0;
  }
  for (int c = 0; c < 3 && state->soft; c++) {
    extra->hold[c] = isfinite(state->hold[3 * k + c]) ? state->hold[3 * k + c] : 0;
  }
}

/* The contacts of the last step, as far as matching and warm start need them: those of bodies that
 * were removed since are matched no more. */
static talus_status contacts_load(talus_world *world, const tl_world_state *state) {
  TL_TRY(tl_contacts_reserve(world, state->contact_count));
  int32_t kept = 0;
  for (int64_t k = 0; k < state->contact_count; k++) {
    tl_world_contact *const contact = &world->contact[kept];
    const int32_t *const from = state->contact_key + 3 * k;
    const double *const value = state->contact_value + TL_STATE_CONTACT * k;
    tl_contact_shown *const shown = &contact->shown;
    memset(contact, 0, sizeof *contact);
    TL_TRY(side_load(world, from[0], k, &shown->shape_a, &shown->body_a));
    TL_TRY(side_load(world, from[1], k, &shown->shape_b, &shown->body_b));
    contact->feature = (uint32_t)from[2];
    for (int c = 0; c < 3; c++) {
      world->impulse[3 * (int64_t)kept + c] = isfinite(value[c]) ? value[c] : 0;
      world->normal[3 * (int64_t)kept + c] = 0;
    }
    shown->gap = value[3];
    if (world->extra != NULL) {
      extra_load(state, k, &world->extra[kept]);
    }
    kept += shown->body_a != TALUS_NONE && shown->body_b != TALUS_NONE;
  }
  world->contact_count = kept;
  return tl_contacts_store_keys(world);
}

/* The numbering of a state; a state without has what the world has. */
static talus_status numbering_load(talus_world *world, const tl_world_state *state) {
  if (state->id == NULL) {
    if (state->body_count != world->body_next || state->joint_count != world->joint_next) {
      return tl_fail(world->context, TALUS_FILE_FORMAT,
                     "the state has %d bodies and %d joints, the world %d and %d",
                     state->body_count, state->joint_count, world->body_next, world->joint_next);
    }
    return TALUS_OK;
  }
  TL_TRY(ids_check(world, state));
  TL_TRY(others_remove(world, state));
  world->body_next = state->next.body;
  world->shape_next = state->next.shape;
  world->joint_next = state->next.joint;
  world->size_count = state->next.size_count;
  world->size_sum = state->next.size_sum;
  if (world->size_count > 0) {
    world->size = world->size_sum / (double)world->size_count;
  }
  return TALUS_OK;
}

talus_status tl_world_state_load(talus_world *world, const tl_world_state *state) {
  static const double none[3] = {0, 0, 0};
  TL_TRY(tl_world_edit(world));
  TL_TRY(cell_load(world, state));
  TL_TRY(numbering_load(world, state));
  for (int32_t j = 0; j < state->joint_count; j++) { /* first, since they hold bodies */
    const int32_t id = state->id != NULL ? state->id[state->body_count + j] : j;
    TL_TRY(joint_load(world, id, state->joint + TL_STATE_JOINT * (int64_t)j));
  }
  for (int32_t i = 0; i < state->body_count; i++) {
    const double *const carried = state->carried != NULL ? state->carried + 3 * (int64_t)i : none;
    TL_TRY(body_load(world, state->id != NULL ? state->id[i] : i,
                     state->body + TL_STATE_BODY * (int64_t)i, carried));
  }
  TL_TRY(tl_links_state_load(world, state->mechanism, state->mechanism_count));
  TL_TRY(tl_motions_state_load(world, state->kinematic, state->kinematic_count));
  TL_TRY(tl_bonds_state_load(world, state));
  TL_TRY(contacts_load(world, state));
  world->modulus = state->soft && isfinite(state->modulus) ? state->modulus : world->modulus;
  world->time = state->time;
  world->step_count = state->step_count;
  return TALUS_OK;
}
