/* folder.c: where a scene's files with relative names are: beside it, or where its `folder` says,
 * which a copy of the scene elsewhere has to have. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* From the run's directory up to the folder, by its real path: "..", "../..", if the run is within
 * it; else, and where that would be the root, the path itself. Both may then be moved together. */
static void folder_word(const char *folder, const char *directory, char *word, size_t capacity) {
  const size_t length = strlen(folder);
  const char *rest = directory + length;
  if (length == 1 || strncmp(folder, directory, length) != 0 || (*rest != '/' && *rest != '\0')) {
    snprintf(word, capacity, "%s", folder);
    return;
  }
  snprintf(word, capacity, "%s", *rest == '\0' ? "." : "..");
  for (rest += *rest != '\0'; (rest = strchr(rest, '/')) != NULL; rest++) {
    const size_t used = strlen(word);
    snprintf(word + used, capacity - used, "/..");
  }
}

/* *found = false: a name that cannot be told. */
static void folder_name(const talus_scene *scene, const char *directory, char *word,
                        size_t capacity, bool *found) {
  char *const folder = realpath(scene->folder[0] != '\0' ? scene->folder : ".", NULL);
  char *const there = realpath(directory, NULL);
  *found = folder != NULL && there != NULL;
  if (*found) {
    folder_word(folder, there, word, capacity);
  }
  free(folder);
  free(there);
  if (*found && !tl_tree_text_fits(word)) {
    tl_log(scene->context, TALUS_LOG_WARNING,
           "the scene's folder has a name that is not UTF-8, which no YAML file can hold: the copy "
           "of the scene in the run's directory does not say where its files are");
    *found = false;
  }
}

talus_status tl_scene_settle(talus_scene *scene, const char *directory) {
  char folder[4200];
  bool found;
  if (!has_relative_files(&scene->def) ||
      (scene->def.folder != NULL && scene->def.folder[0] == '/')) {
    return TALUS_OK;
  }
  folder_name(scene, directory, folder, sizeof folder, &found);
  if (!found) {
    return TALUS_OK;
  }
  tl_node value = {.kind = TL_NODE_SCALAR, .source = scene->path};
  TL_TRY(tl_arena_text(&scene->arena, folder, strlen(folder), &value.text));
  TL_TRY(tl_tree_merge(&scene->arena, scene->root, scene->path, "folder", &value));
  scene->settled = true;
  return TALUS_OK;
}
