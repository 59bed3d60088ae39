/* record_checkpoint.c: a world and its scene to a checkpoint and back.
 *
 * The world is built again from the scene first; hashes tell whether it is the same scene (title,
 * output and run may differ) and whether its mesh files hold the same surfaces. */
#include "host/scene/record_checkpoint.h"

#include <stdio.h>
#include <string.h>

#include "host/io/checkpoint.h"
#include "host/io/csv.h"
#include "host/scene/record.h"

static const char kind[] = "world";
static const char last_line[] = "output/last_line";
static const char meshes[] = "scene/meshes";
static const char mechanisms[] = "world/mechanism"; /* only where there are some */
/* Not in the first version's, which have all bodies that ever were. */
static const char carried[] = "world/carried", ids[] = "world/id", next[] = "world/next";
static const char size_sum[] = "world/size_sum";

/* Room for the arrays of a state whose counts are known, in one piece. */
static talus_status state_reserve(talus_context *context, tl_world_state *state,
                                  tl_buffer *memory) {
  const size_t bodies = (size_t)state->body_count * TL_STATE_BODY;
  const size_t contacts = (size_t)state->contact_count * TL_STATE_CONTACT;
  const size_t joints = (size_t)state->joint_count * TL_STATE_JOINT;
  const size_t linked = (size_t)state->mechanism_count, spins = (size_t)state->body_count * 3;
  const size_t keys = (size_t)state->contact_count * 3;
  const size_t named = (size_t)state->body_count + (size_t)state->joint_count;
  TL_TRY(tl_buffer_reserve(context, memory,
                           (bodies + contacts + joints + linked + spins) * sizeof(double) +
                               (keys + named) * sizeof(int32_t),
                           1, "the state of the world"));
  state->body = memory->memory;
  state->contact_value = state->body + bodies;
  state->joint = state->contact_value + contacts;
  state->mechanism = state->joint + joints;
  state->carried = state->mechanism + linked;
  state->contact_key = (int32_t *)(state->carried + spins);
  state->id = state->contact_key + keys;
  return TALUS_OK;
}

talus_status tl_checkpoint_take(const talus_scene *scene, const talus_world *world,
                                tl_checkpoint_copy *copy) {
  talus_context *context = tl_scene_context(scene);
  tl_world_state_measure(world, &copy->world);
  TL_TRY(state_reserve(context, &copy->world, &copy->memory));
  copy->last_line = -1;
  copy->scene_size = tl_scene_state_size(scene);
  TL_TRY(tl_buffer_reserve(context, &copy->scene, copy->scene_size, 1, "the state of the scene"));
  tl_world_state_save(world, &copy->world);
  tl_scene_state_get(scene, copy->scene.memory);
  return TALUS_OK;
}

void tl_checkpoint_release(talus_context *context, tl_checkpoint_copy *copy) {
  tl_buffer_release(context, &copy->memory);
  tl_buffer_release(context, &copy->scene);
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

static talus_status put_world(tl_checkpoint_writer *writer, const tl_world_state *state) {
  const int64_t count[] = {state->step_count, state->body_count, state->contact_count,
                           state->joint_count};
  TL_TRY(tl_checkpoint_put_doubles(writer, "world/time", &state->time, 1));
  TL_TRY(tl_checkpoint_put_int64s(writer, "world/counts", count, 4));
  TL_TRY(put_numbering(writer, state));
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
  return state->mechanism_count > 0
             ? tl_checkpoint_put_doubles(writer, mechanisms, state->mechanism,
                                         state->mechanism_count)
             : TALUS_OK;
}

static talus_status put_meshes(tl_checkpoint_writer *writer, const talus_scene *scene) {
  talus_context *const context = tl_scene_context(scene);
  const int32_t count = tl_scene_meshes(scene, NULL);
  void *hash = NULL;
  TL_TRY(tl_alloc(context, &hash, (size_t)count, sizeof(int64_t), "meshes"));
  tl_scene_meshes(scene, hash);
  const talus_status status = tl_checkpoint_put_int64s(writer, meshes, hash, count);
  tl_free(context, hash);
  return status;
}

static talus_status put_scene(tl_checkpoint_writer *writer, const talus_scene *scene,
                              const tl_checkpoint_copy *copy) {
  const int64_t hash = (int64_t)tl_scene_hash(scene);
  TL_TRY(tl_checkpoint_put_int64s(writer, "scene/hash", &hash, 1));
  TL_TRY(put_meshes(writer, scene));
  return tl_checkpoint_put_bytes(writer, "scene/state", copy->scene.memory,
                                 (int64_t)copy->scene_size);
}

talus_status tl_checkpoint_write(const talus_scene *scene, const tl_checkpoint_copy *copy,
                                 const char *directory, int32_t keep) {
  tl_checkpoint_writer *writer = NULL;
  TL_TRY(tl_checkpoint_begin(tl_scene_context(scene), directory, kind, copy->world.step_count,
                             &writer));
  talus_status status = put_world(writer, &copy->world);
  if (status == TALUS_OK) {
    status = put_scene(writer, scene, copy);
  }
  if (status == TALUS_OK) {
    status = tl_checkpoint_put_int64s(writer, last_line, &copy->last_line, 1);
  }
  if (status != TALUS_OK) {
    tl_checkpoint_abandon(writer);
    return status;
  }
  return tl_checkpoint_commit(writer, keep);
}

talus_status tl_checkpoint_save(const talus_scene *scene, const talus_world *world,
                                const char *directory, int32_t keep) {
  tl_checkpoint_copy copy;
  memset(&copy, 0, sizeof copy);
  talus_status status = tl_checkpoint_take(scene, world, &copy);
  if (status == TALUS_OK) {
    status = tl_checkpoint_write(scene, &copy, directory, keep);
  }
  tl_checkpoint_release(tl_scene_context(scene), &copy);
  return status;
}

/* Refuses a scene whose mesh files have changed. */
static talus_status check_meshes(const talus_scene *scene, tl_checkpoint *checkpoint) {
  talus_context *const context = tl_scene_context(scene);
  const int32_t count = tl_scene_meshes(scene, NULL);
  void *memory = NULL;
  if (!tl_checkpoint_has(checkpoint, meshes)) {
    tl_log(context, TALUS_LOG_INFO,
           "the checkpoint is of an older Talus and says nothing of meshes");
    return TALUS_OK;
  }
  TL_TRY(tl_alloc(context, &memory, 2 * (size_t)count, sizeof(int64_t), "meshes"));
  int64_t *const then = memory, *const now = then + count;
  tl_scene_meshes(scene, now);
  talus_status status = tl_checkpoint_int64s(checkpoint, meshes, then, count);
  for (int32_t i = 0; status == TALUS_OK && i < count; i++) {
    status = now[i] == then[i] ? TALUS_OK : tl_scene_mesh_fail(scene, i);
  }
  tl_free(context, memory);
  return status;
}

static talus_status load_scene(talus_scene *scene, talus_world *world, tl_checkpoint *checkpoint) {
  talus_context *context = tl_scene_context(scene);
  int64_t hash = 0, size = 0;
  TL_TRY(tl_checkpoint_int64s(checkpoint, "scene/hash", &hash, 1));
  if ((uint64_t)hash != tl_scene_hash(scene)) {
    return tl_fail(context, TALUS_FILE_FORMAT,
                   "the checkpoint was written by another scene (only title, output and run may "
                   "change before a restart)");
  }
  TL_TRY(check_meshes(scene, checkpoint));
  void *memory = NULL;
  TL_TRY(tl_checkpoint_count(checkpoint, "scene/state", &size));
  TL_TRY(tl_alloc(context, &memory, (size_t)size, 1, "the state of the scene"));
  talus_status status = tl_checkpoint_bytes(checkpoint, "scene/state", memory, size);
  if (status == TALUS_OK) {
    status = tl_scene_state_set(scene, world, memory, (size_t)size);
  }
  tl_free(context, memory);
  return status;
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

static talus_status read_world(tl_checkpoint *checkpoint, tl_world_state *state) {
  TL_TRY(read_numbering(checkpoint, state));
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
  return state->mechanism_count > 0
             ? tl_checkpoint_doubles(checkpoint, mechanisms, state->mechanism,
                                     state->mechanism_count)
             : TALUS_OK;
}

static talus_status load_world(talus_context *context, talus_world *world,
                               tl_checkpoint *checkpoint) {
  tl_world_state state;
  int64_t count[4];
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
  TL_TRY(state_reserve(context, &state, &memory));
  talus_status status = read_world(checkpoint, &state);
  if (status == TALUS_OK) {
    status = tl_world_state_load(world, &state);
  }
  tl_buffer_release(context, &memory);
  return status;
}

talus_status tl_record_resume(talus_scene *scene, talus_world *world, const char *path) {
  talus_context *context = tl_scene_context(scene);
  tl_checkpoint *checkpoint = NULL;
  TL_TRY(tl_checkpoint_open(context, path, kind, &checkpoint));
  talus_status status = load_scene(scene, world, checkpoint);
  if (status == TALUS_OK) {
    status = load_world(context, world, checkpoint);
  }
  tl_checkpoint_close(checkpoint);
  return status;
}

/* ---- which checkpoint goes with the table beside it ------------------------------------------ */

/* *wanted: the last line when the checkpoint was written, -1 if there was none, *found: the last
 * one up to its step now. They are equal if lines were neither lost nor cut off since. */
static talus_status compare_lines(talus_context *context, const char *path, int64_t *step,
                                  int64_t *wanted, int64_t *found) {
  tl_checkpoint *checkpoint = NULL;
  const char *slash = strrchr(path, '/');
  char table[1200];
  TL_TRY(tl_checkpoint_open(context, path, kind, &checkpoint));
  *step = tl_checkpoint_step(checkpoint);
  const int says = tl_checkpoint_has(checkpoint, last_line); /* those of earlier versions do not */
  talus_status status = says ? tl_checkpoint_int64s(checkpoint, last_line, wanted, 1) : TALUS_OK;
  tl_checkpoint_close(checkpoint);
  TL_TRY(status);
  if (snprintf(table, sizeof table, "%.*sscalars.csv", slash != NULL ? (int)(slash + 1 - path) : 0,
               path) >= (int)sizeof table) {
    return tl_fail(context, TALUS_FILE_OPEN, "%s: the name is too long", path);
  }
  TL_TRY(tl_csv_find(context, table, *step, found));
  *wanted = says ? *wanted : *found;
  return TALUS_OK;
}

static const char *step_words(int64_t step, char text[32]) {
  snprintf(text, 32, step >= 0 ? "of step %lld" : "none", (long long)step);
  return text;
}

static talus_status refuse(talus_context *context, const char *path, int64_t wanted,
                           int64_t found) {
  char was[32], is[32];
  return tl_fail(context, TALUS_FILE_FORMAT,
                 "%s does not go with the scalars.csv beside it: the last line before it was %s, "
                 "and is %s now, as after a restart from an older checkpoint",
                 path, step_words(wanted, was), step_words(found, is));
}

talus_status tl_record_check(talus_context *context, const char *path) {
  int64_t step, wanted = -1, found = -1;
  TL_TRY(compare_lines(context, path, &step, &wanted, &found));
  return wanted == found ? TALUS_OK : refuse(context, path, wanted, found);
}

talus_status tl_record_newest(talus_context *context, const char *directory, char **path) {
  int64_t before = INT64_MAX;
  for (;;) {
    int64_t wanted = -1, found = -1;
    talus_status status = tl_checkpoint_newest(context, directory, before, path);
    if (status == TALUS_FILE_OPEN && before < INT64_MAX) {
      return tl_fail(context, status,
                     "%s: holds no checkpoint that goes with its scalars.csv: resume from a file, "
                     "with --out to another directory",
                     directory);
    }
    TL_TRY(status);
    status = compare_lines(context, *path, &before, &wanted, &found);
    if (status == TALUS_OK && wanted == found) {
      return TALUS_OK;
    }
    if (status == TALUS_OK) {
      refuse(context, *path, wanted, found);
      tl_log(context, TALUS_LOG_WARNING, "passed over: %s", talus_context_message(context));
    }
    tl_free(context, *path);
    *path = NULL;
    TL_TRY(status);
  }
}
