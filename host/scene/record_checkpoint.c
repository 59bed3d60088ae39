/* record_checkpoint.c: a world and its scene to a checkpoint and back.
 *
 * The world is built again from the scene first; hashes tell whether it is the same scene (title,
 * output and run may differ) and whether its mesh files hold the same surfaces. */
#include "host/scene/record_checkpoint.h"

#include <stdio.h>
#include <string.h>

#include "host/ranks/agree.h"
#include "host/world/world.h"

static const char meshes[] = "scene/meshes";

/* Shapes and materials by name. */
static talus_status take_packing(const talus_scene *scene, const talus_world *world,
                                 tl_body_list *packing) {
  char *names = NULL;
  tl_packing_release(packing);
  TL_TRY(tl_scene_material_names(scene, &names));
  const talus_status status = tl_packing_take(world, names, packing);
  tl_free(tl_scene_context(scene), names);
  return status;
}

talus_status tl_checkpoint_take(const talus_scene *scene, const talus_world *world,
                                tl_checkpoint_copy *copy) {
  talus_context *context = tl_scene_context(scene);
  TL_TRY(tl_world_copy_take(world, &copy->world));
  copy->last_line = -1;
  copy->scene_size = tl_scene_state_size(scene);
  TL_TRY(tl_buffer_reserve(context, &copy->scene, copy->scene_size, 1, "the state of the scene"));
  tl_scene_state_get(scene, copy->scene.memory);
  return take_packing(scene, world, &copy->packing);
}

void tl_checkpoint_release(talus_context *context, tl_checkpoint_copy *copy) {
  tl_world_copy_release(context, &copy->world);
  tl_buffer_release(context, &copy->scene);
  tl_packing_release(&copy->packing);
  memset(copy, 0, sizeof *copy);
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
  TL_TRY(tl_checkpoint_begin(tl_scene_context(scene), directory, TL_CHECKPOINT_WORLD,
                             copy->world.state.step_count, &writer));
  talus_status status = tl_world_copy_put(writer, &copy->world);
  if (status == TALUS_OK) {
    status = put_scene(writer, scene, copy);
  }
  if (status == TALUS_OK) {
    status = tl_packing_put(writer, &copy->packing);
  }
  if (status == TALUS_OK) {
    status = tl_checkpoint_put_int64s(writer, TL_CHECKPOINT_LAST_LINE, &copy->last_line, 1);
  }
  if (status != TALUS_OK) {
    tl_checkpoint_abandon(writer);
    return status;
  }
  return tl_checkpoint_commit(writer, keep);
}

static talus_status save(const talus_scene *scene, const talus_world *world, const char *directory,
                         int32_t keep) {
  tl_checkpoint_copy copy;
  memset(&copy, 0, sizeof copy);
  talus_status status = tl_checkpoint_take(scene, world, &copy);
  if (status == TALUS_OK) {
    status = tl_checkpoint_write(scene, &copy, directory, keep);
  }
  tl_checkpoint_release(tl_scene_context(scene), &copy);
  return status;
}

talus_status talus_scene_save(const talus_scene *scene, const talus_world *world,
                              const char *directory, int32_t keep) {
  if (scene == NULL || world == NULL || directory == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  talus_context *const context = tl_scene_context(scene);
  TL_TRY(tl_first_read(world, true));
  const talus_status status = tl_ranks_agree(
      context, tl_ranks_first(context) ? save(scene, world, directory, keep) : TALUS_OK);
  tl_first_done(world);
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

/* The scene is not the checkpoint's: in what, if the scene beside the checkpoint tells. */
static talus_status other_scene(talus_scene *scene, const char *path) {
  static const char may_change[] =
      "only title, output and run may change before a restart, and what --set changed is set again "
      "or taken with the scene.yaml of that run";
  const char *const slash = strrchr(path, '/');
  char beside[1200];
  tl_tree_difference found;
  snprintf(beside, sizeof beside, "%.*sscene.yaml", slash != NULL ? (int)(slash - path) + 1 : 0,
           path);
  if (tl_scene_differs(scene, beside, &found)) {
    return tl_fail(tl_scene_context(scene), TALUS_FILE_FORMAT,
                   "%s: the checkpoint was written by another scene: %s is %s there and %s here "
                   "(%s)",
                   path, found.path, found.a, found.b, may_change);
  }
  return tl_fail(tl_scene_context(scene), TALUS_FILE_FORMAT,
                 "%s: the checkpoint was written by another scene (%s)", path, may_change);
}

static talus_status load_scene(talus_scene *scene, talus_world *world, tl_checkpoint *checkpoint,
                               const char *path) {
  talus_context *context = tl_scene_context(scene);
  int64_t hash = 0, size = 0;
  TL_TRY(tl_checkpoint_int64s(checkpoint, "scene/hash", &hash, 1));
  if ((uint64_t)hash != tl_scene_hash(scene)) {
    return other_scene(scene, path);
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

static talus_status resume(talus_scene *scene, talus_world *world, const char *path) {
  talus_context *context = tl_scene_context(scene);
  tl_checkpoint *checkpoint = NULL;
  TL_TRY(tl_checkpoint_open(context, path, TL_CHECKPOINT_WORLD, &checkpoint));
  talus_status status = load_scene(scene, world, checkpoint, path);
  if (status == TALUS_OK) {
    status = tl_world_checkpoint_load(world, checkpoint);
  }
  tl_checkpoint_close(checkpoint);
  return status;
}

talus_status talus_scene_resume(talus_scene *scene, talus_world *world, const char *path) {
  if (scene == NULL || world == NULL || path == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  TL_TRY(tl_bodies_whole(world)); /* files are read by one after the other */
  return tl_ranks_agree(tl_scene_context(scene), resume(scene, world, path));
}
