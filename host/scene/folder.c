/* folder.c: where a scene's files with relative names are: beside it, or where its `folder` says,
 * which a copy of the scene elsewhere has to have. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host/scene/build.h"

talus_status tl_scene_find_folder(talus_scene *scene) {
  const char *const given = scene->def.folder;
  char folder[1024];
  if (given == NULL || given[0] == '\0') {
    return TALUS_OK;
  }
  const int length =
      snprintf(folder, sizeof folder, "%s%s/", given[0] == '/' ? "" : scene->folder, given);
  return length < (int)sizeof folder
             ? tl_arena_text(&scene->arena, folder, (size_t)length, &scene->folder)
             : tl_node_fail(scene->context, tl_tree_find(scene->root, "folder"),
                            "the name is too long");
}

static bool is_relative(const char *file) {
  return file != NULL && file[0] != '\0' && file[0] != '/';
}

static bool has_relative_files(const tl_scene_definition *def) {
  const tl_scene_wall *const wall = def->walls.item;
  const tl_scene_grains *const grains = def->grains.item;
  const tl_scene_mechanism *const mechanism = def->mechanisms.item;
  bool has = false;
  for (int32_t i = 0; i < def->walls.count; i++) {
    has = has || is_relative(wall[i].file);
  }
  for (int32_t i = 0; i < def->grains.count; i++) {
    has = has || is_relative(grains[i].file);
  }
  for (int32_t i = 0; i < def->mechanisms.count; i++) {
    has = has || is_relative(mechanism[i].urdf);
  }
  return has;
}

talus_status tl_scene_settle(talus_scene *scene) {
  char here[1024], folder[2100];
  if (!has_relative_files(&scene->def) ||
      (scene->def.folder != NULL && scene->def.folder[0] == '/') ||
      getcwd(here, sizeof here) == NULL) {
    return TALUS_OK;
  }
  const bool relative = scene->folder[0] != '/';
  snprintf(folder, sizeof folder, "%s%s%s", relative ? here : "", relative ? "/" : "",
           scene->folder);
  const size_t length = strlen(folder);
  tl_node value = {.kind = TL_NODE_SCALAR, .source = scene->path};
  TL_TRY(tl_arena_text(&scene->arena, folder, folder[length - 1] == '/' ? length - 1 : length,
                       &value.text));
  TL_TRY(tl_tree_merge(&scene->arena, scene->root, scene->path, "folder", &value));
  scene->settled = true;
  return TALUS_OK;
}
