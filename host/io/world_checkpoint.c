/* world_checkpoint.c: the state of a world to a checkpoint and back.
 *
 * The world is built again by the same calls first; the checkpoint then brings its bodies, joints,
 * mechanisms and warm start to where they were. */
#include "host/io/world_checkpoint.h"

#include <string.h>

#include "host/world/spread.h"
#include "talus/talus_io.h"

static const char mechanisms[] = "world/mechanism"; /* only where there are some */
static const char kinematic[] =
    "world/kinematic";                   /* only where motions began anew, or servos are */
static const char cell[] = "world/cell"; /* of a periodic world */
static const char bond_keys[] = "world/bond_key", bonds[] = "world/bond"; /* of one with bonds */
static const char bond_next[] = "world/bond_next";
/* Not in checkpoints of format 1 written before 0.2.0, which hold all bodies that ever were. */
static const char carried[] = "world/carried", ids[] = "world/id", next[] = "world/next";
static const char size_sum[] = "world/size_sum";
/* Only where contacts resist spinning and rolling. */
static const char torque[] = "world/torque";
/* Only where contacts give way. */
static const char hold[] = "world/hold", modulus[] = "world/modulus";

/* Room for the arrays of a state whose counts are known, in one piece. */
static talus_status state_reserve(talus_context *context, tl_world_state *state,
                                  tl_buffer *memory) {
  const size_t bodies = (size_t)state->body_count * TL_STATE_BODY;
  const size_t contacts = (size_t)state->contact_count * TL_STATE_CONTACT;
  const size_t joints = (size_t)state->joint_count * TL_STATE_JOINT;
  const size_t linked = (size_t)state->mechanism_count, spins = (size_t)state->body_count * 3;
  const size_t driven = (size_t)state->kinematic_count * TL_STATE_KINEMATIC;
  const size_t keys = (size_t)state->contact_count * 3, holds = state->soft ? keys : 0;
  const size_t torques = state->resists ? keys : 0;
  const size_t named = (size_t)state->body_count + (size_t)state->joint_count;
  const size_t held = (size_t)state->bond_count;
  TL_TRY(tl_buffer_reserve(context, memory,
                           (bodies + contacts + joints + linked + spins + holds + torques + driven +
                            held * TL_STATE_BOND) *
                                   sizeof(double) +
                               (keys + named + 3 * held) * sizeof(int32_t),
                           1, "the state of the world"));
  state->body = memory->memory;
  state->contact_value = state->body + bodies;
  state->joint = state->contact_value + contacts;
  state->mechanism = state->joint + joints;
  state->carried = state->mechanism + linked;
  state->hold = state->carried + spins;
  state->torque = state->hold + holds;
  state->kinematic = state->torque + torques;
  state->bond = state->kinematic + driven;
  state->contact_key = (int32_t *)(state->bond + held * TL_STATE_BOND);
  state->id = state->contact_key + keys;
  state->bond_key = state->id + named;
  return TALUS_OK;
}

talus_status tl_world_copy_take(const talus_world *world, tl_world_copy *copy) {
  TL_TRY(tl_contacts_read(world));
  tl_world_state_measure(world, &copy->state);
  TL_TRY(state_reserve(world->context, &copy->state, &copy->memory));
  tl_world_state_save(world, &copy->state);
  return TALUS_OK;
}

void tl_world_copy_release(talus_context *context, tl_world_copy *copy) {
  tl_buffer_release(context, &copy->memory);
  memset(copy, 0, sizeof *copy);
}

static talus_status put_numbering(tl_checkpoint_writer *writer, const tl_world_state *state) {
  const tl_world_numbering *const from = &state->next;
  const int64_t number[] = {from->body, from->shape, from->joint, from->size_count};
  TL_TRY(tl_checkpoint_put_int64s(writer, next, number, 4));
  TL_TRY(tl_checkpoint_put_doubles(writer, size_sum, &from->size_sum, 1));
  return tl_checkpoint_put_int32s(writer, ids, state->id,
                                  (int64_t)state->body_count + state->joint_count);
}

static talus_status put_bonds(tl_checkpoint_writer *writer, const tl_world_state *state) {
  const int64_t number[] = {state->bond_next, state->bond_broken};
  if (state->bond_next == 0) {
    return TALUS_OK;
  }
  TL_TRY(tl_checkpoint_put_int64s(writer, bond_next, number, 2));
  TL_TRY(
      tl_checkpoint_put_int32s(writer, bond_keys, state->bond_key, (int64_t)state->bond_count * 3));
  return tl_checkpoint_put_doubles(writer, bonds, state->bond,
                                   (int64_t)state->bond_count * TL_STATE_BOND);
}

talus_status tl_world_copy_put(tl_checkpoint_writer *writer, const tl_world_copy *copy) {
  const tl_world_state *const state = &copy->state;
  const int64_t count[] = {state->step_count, state->body_count, state->contact_count,
                           state->joint_count};
  TL_TRY(tl_checkpoint_put_doubles(writer, "world/time", &state->time, 1));
  TL_TRY(tl_checkpoint_put_int64s(writer, "world/counts", count, 4));
  TL_TRY(put_numbering(writer, state));
  if (state->periodic) {
    TL_TRY(tl_checkpoint_put_doubles(writer, cell, state->cell, TL_STATE_CELL));
  }
  TL_TRY(tl_checkpoint_put_doubles(writer, "world/body", state->body,
                                   (int64_t)state->body_count * TL_STATE_BODY));
  TL_TRY(
      tl_checkpoint_put_doubles(writer, carried, state->carried, (int64_t)state->body_count * 3));
  TL_TRY(tl_checkpoint_put_int32s(writer, "world/contact_key", state->contact_key,
                                  (int64_t)state->contact_count * 3));
  TL_TRY(tl_checkpoint_put_doubles(writer, "world/contact_value", state->contact_value,
                                   (int64_t)state->contact_count * TL_STATE_CONTACT));
  TL_TRY(tl_checkpoint_put_doubles(writer, "world/joint", state->joint,
                                   (int64_t)state->joint_count * TL_STATE_JOINT));
  TL_TRY(put_bonds(writer, state));
  if (state->resists) {
    TL_TRY(tl_checkpoint_put_doubles(writer, torque, state->torque,
                                     (int64_t)state->contact_count * 3));
  }
  if (state->soft) {
    TL_TRY(tl_checkpoint_put_doubles(writer, hold, state->hold, (int64_t)state->contact_count * 3));
    TL_TRY(tl_checkpoint_put_doubles(writer, modulus, &state->modulus, 1));
  }
  if (state->kinematic_count > 0) {
    TL_TRY(tl_checkpoint_put_doubles(writer, kinematic, state->kinematic,
                                     (int64_t)state->kinematic_count * TL_STATE_KINEMATIC));
  }
  return state->mechanism_count > 0
             ? tl_checkpoint_put_doubles(writer, mechanisms, state->mechanism,
                                         state->mechanism_count)
             : TALUS_OK;
}

static talus_status read_numbering(tl_checkpoint *checkpoint, tl_world_state *state) {
  int64_t number[4];
  if (!tl_checkpoint_has(checkpoint, ids)) {
    state->id = NULL;
    return TALUS_OK;
  }
  TL_TRY(tl_checkpoint_int64s(checkpoint, next, number, 4));
  TL_TRY(tl_checkpoint_doubles(checkpoint, size_sum, &state->next.size_sum, 1));
  for (int i = 0; i < 3; i++) { /* one that is out of range fits nothing */
    number[i] = number[i] < 0 || number[i] > INT32_MAX ? -1 : number[i];
  }
  state->next.body = (int32_t)number[0];
  state->next.shape = (int32_t)number[1];
  state->next.joint = (int32_t)number[2];
  state->next.size_count = number[3];
  return tl_checkpoint_int32s(checkpoint, ids, state->id,
                              (int64_t)state->body_count + state->joint_count);
}

static talus_status count_bonds(talus_context *context, tl_checkpoint *checkpoint,
                                tl_world_state *state) {
  int64_t number[2], count;
  if (!tl_checkpoint_has(checkpoint, bond_next)) {
    return TALUS_OK;
  }
  TL_TRY(tl_checkpoint_int64s(checkpoint, bond_next, number, 2));
  TL_TRY(tl_checkpoint_count(checkpoint, bond_keys, &count));
  if (number[0] < 0 || number[0] > INT32_MAX || number[1] < 0 || count % 3 != 0 ||
      count / 3 > number[0]) {
    return tl_fail(context, TALUS_FILE_FORMAT, "the checkpoint's bonds make no sense");
  }
  state->bond_next = (int32_t)number[0];
  state->bond_broken = number[1];
  state->bond_count = (int32_t)(count / 3);
  return TALUS_OK;
}

static talus_status read_bonds(tl_checkpoint *checkpoint, tl_world_state *state) {
  if (state->bond_count == 0) {
    return TALUS_OK;
  }
  TL_TRY(
      tl_checkpoint_int32s(checkpoint, bond_keys, state->bond_key, (int64_t)state->bond_count * 3));
  return tl_checkpoint_doubles(checkpoint, bonds, state->bond,
                               (int64_t)state->bond_count * TL_STATE_BOND);
}

static talus_status read_world(tl_checkpoint *checkpoint, tl_world_state *state) {
  TL_TRY(read_numbering(checkpoint, state));
  state->periodic = tl_checkpoint_has(checkpoint, cell);
  if (state->periodic) {
    int64_t count;
    TL_TRY(tl_checkpoint_count(checkpoint, cell, &count));
    /* before shears could have a servo they had no mean rate */
    TL_TRY(tl_checkpoint_doubles(checkpoint, cell, state->cell,
                                 count == TL_STATE_CELL - 3 ? count : TL_STATE_CELL));
  }
  TL_TRY(tl_checkpoint_doubles(checkpoint, "world/time", &state->time, 1));
  TL_TRY(tl_checkpoint_doubles(checkpoint, "world/body", state->body,
                               (int64_t)state->body_count * TL_STATE_BODY));
  if (tl_checkpoint_has(checkpoint, carried)) {
    TL_TRY(
        tl_checkpoint_doubles(checkpoint, carried, state->carried, (int64_t)state->body_count * 3));
  } else {
    state->carried = NULL;
  }
  TL_TRY(tl_checkpoint_int32s(checkpoint, "world/contact_key", state->contact_key,
                              (int64_t)state->contact_count * 3));
  TL_TRY(tl_checkpoint_doubles(checkpoint, "world/contact_value", state->contact_value,
                               (int64_t)state->contact_count * TL_STATE_CONTACT));
  TL_TRY(tl_checkpoint_doubles(checkpoint, "world/joint", state->joint,
                               (int64_t)state->joint_count * TL_STATE_JOINT));
  TL_TRY(read_bonds(checkpoint, state));
  if (state->resists) {
    TL_TRY(tl_checkpoint_doubles(checkpoint, torque, state->torque,
                                 (int64_t)state->contact_count * 3));
  }
  if (state->soft) {
    TL_TRY(tl_checkpoint_doubles(checkpoint, hold, state->hold, (int64_t)state->contact_count * 3));
    TL_TRY(tl_checkpoint_doubles(checkpoint, modulus, &state->modulus, 1));
  }
  if (state->kinematic_count > 0) {
    TL_TRY(tl_checkpoint_doubles(checkpoint, kinematic, state->kinematic,
                                 (int64_t)state->kinematic_count * TL_STATE_KINEMATIC));
  }
  return state->mechanism_count > 0
             ? tl_checkpoint_doubles(checkpoint, mechanisms, state->mechanism,
                                     state->mechanism_count)
             : TALUS_OK;
}

talus_status tl_world_checkpoint_load(talus_world *world, tl_checkpoint *checkpoint) {
  talus_context *const context = world->context;
  tl_world_state state;
  int64_t count[4], driven = 0;
  tl_buffer memory = {NULL, 0};
  memset(&state, 0, sizeof state);
  TL_TRY(tl_checkpoint_int64s(checkpoint, "world/counts", count, 4));
  for (int i = 1; i < 4; i++) {
    if (count[i] < 0 || count[i] > INT32_MAX) {
      return tl_fail(context, TALUS_FILE_FORMAT, "the checkpoint's counts make no sense");
    }
  }
  state.step_count = count[0];
  state.body_count = (int32_t)count[1];
  state.contact_count = (int32_t)count[2];
  state.joint_count = (int32_t)count[3];
  if (tl_checkpoint_has(checkpoint, mechanisms)) {
    TL_TRY(tl_checkpoint_count(checkpoint, mechanisms, &state.mechanism_count));
  }
  if (tl_checkpoint_has(checkpoint, kinematic)) {
    TL_TRY(tl_checkpoint_count(checkpoint, kinematic, &driven));
    if (driven % TL_STATE_KINEMATIC != 0 || driven > INT32_MAX) {
      return tl_fail(context, TALUS_FILE_FORMAT, "the checkpoint's motions have %lld numbers",
                     (long long)driven);
    }
    state.kinematic_count = (int32_t)(driven / TL_STATE_KINEMATIC);
  }
  state.soft = tl_checkpoint_has(checkpoint, hold);
  state.resists = tl_checkpoint_has(checkpoint, torque);
  TL_TRY(count_bonds(context, checkpoint, &state));
  TL_TRY(state_reserve(context, &state, &memory));
  talus_status status = read_world(checkpoint, &state);
  if (status == TALUS_OK) {
    status = tl_world_state_load(world, &state);
  }
  tl_buffer_release(context, &memory);
  return status;
}

/* ---- the public functions ---- */

static talus_status copy_write(talus_context *context, const tl_world_copy *copy,
                               const char *directory, int32_t keep) {
  tl_checkpoint_writer *writer = NULL;
  TL_TRY(tl_checkpoint_begin(context, directory, TL_CHECKPOINT_WORLD, copy->state.step_count,
                             &writer));
  const talus_status status = tl_world_copy_put(writer, copy);
  if (status != TALUS_OK) {
    tl_checkpoint_abandon(writer);
    return status;
  }
  return tl_checkpoint_commit(writer, keep);
}

static talus_status state_write(const talus_world *world, const char *directory, int32_t keep) {
  tl_world_copy copy;
  memset(&copy, 0, sizeof copy);
  talus_status status = tl_world_copy_take(world, &copy);
  if (status == TALUS_OK) {
    status = copy_write(world->context, &copy, directory, keep);
  }
  tl_world_copy_release(world->context, &copy);
  return status;
}

talus_status talus_checkpoint_write(const talus_world *world, const char *directory, int32_t keep) {
  if (world == NULL || directory == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  TL_TRY(tl_first_read(world, true));
  const talus_status status = tl_ranks_agree(
      world->context,
      tl_ranks_first(world->context) ? state_write(world, directory, keep) : TALUS_OK);
  tl_first_done(world);
  return status;
}

talus_status tl_checkpoint_path_copy(talus_context *context, const char *found, char *path,
                                     size_t capacity) {
  const size_t length = strlen(found);
  if (length >= capacity) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT,
                   "the path of the checkpoint has %zu characters, and there is room for %zu",
                   length, capacity);
  }
  memcpy(path, found, length + 1);
  return TALUS_OK;
}

talus_status talus_checkpoint_newest(talus_context *context, const char *directory, char *path,
                                     size_t capacity) {
  char *found = NULL;
  if (context == NULL || directory == NULL || path == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  TL_TRY(tl_checkpoint_newest(context, directory, INT64_MAX, &found));
  const talus_status status = tl_checkpoint_path_copy(context, found, path, capacity);
  tl_free(context, found);
  return status;
}

static talus_status state_read(talus_world *world, const char *path) {
  tl_checkpoint *checkpoint = NULL;
  TL_TRY(tl_checkpoint_open(world->context, path, TL_CHECKPOINT_WORLD, &checkpoint));
  const talus_status status = tl_world_checkpoint_load(world, checkpoint);
  tl_checkpoint_close(checkpoint);
  return status;
}

talus_status talus_checkpoint_read(talus_world *world, const char *path) {
  if (world == NULL || path == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  TL_TRY(tl_bodies_whole(world)); /* files are read by one after the other */
  return tl_ranks_agree(world->context, state_read(world, path));
}
