/* materials.c: materials that are there by mistake: named by an override alone, or used by nothing.
 */
#include <stdio.h>
#include <string.h>

#include "host/scene/build.h"
#include "host/world/world.h"

talus_status tl_materials_check_set(tl_arena *arena, const tl_node *root, const char *assignment) {
  static const char section[] = "materials";
  const tl_node *const there = tl_tree_find(root, section);
  const size_t prefix = sizeof section - 1;
  const bool inside = strncmp(assignment, section, prefix) == 0 &&
                      (assignment[prefix] == '.' || assignment[prefix] == '[');
  tl_names names;
  if (!inside || there == NULL || there->kind != TL_NODE_MAP || there->count == 0) {
    return TALUS_OK;
  }
  const char *const name = assignment + prefix + 1;
  TL_TRY(tl_names_begin(arena, there->count, &names));
  for (const tl_node *child = there->first; child != NULL; child = child->next) {
    tl_names_add(&names, child->key->text, names.count);
  }
  tl_names_sort(&names);
  const size_t length = strcspn(name, ".[]=");
  if (tl_names_find_part(&names, name, length) >= 0) {
    return TALUS_OK;
  }
  char word[64], near[96];
  snprintf(word, sizeof word, "%.*s", (int)(length < 60 ? length : 60), name);
  return tl_fail(arena->context, TALUS_FILE_FORMAT,
                 "--set %.100s: the scene has no material '%s'%s: a new one is written into the "
                 "file, or set with all others (materials={...})",
                 assignment, word, tl_names_suggest(&names, word, near, sizeof near));
}

/* ---- used by nothing ------------------------------------------------------------------------- */

static void mark(const talus_scene *scene, const char *name, bool *used) {
  const int32_t found = name != NULL ? tl_names_find(&scene->materials, name) : 0;
  if (found >= 0) {
    used[found] = true;
  }
}

/* Of grains that are still to come. */
static void mark_inlets(const talus_scene *scene, bool *used) {
  for (int32_t i = 0; i < scene->def.inlets.count; i++) {
    const tl_scene_grain *const grain = &((const tl_scene_inlet *)scene->def.inlets.item)[i].grain;
    const tl_scene_part *const part = grain->shape.parts.item;
    mark(scene, grain->material, used);
    for (int32_t k = 0; k < grain->shape.parts.count; k++) {
      mark(scene, part[k].material != NULL ? part[k].material : grain->material, used);
    }
  }
}

talus_status tl_materials_tell_unused(const talus_scene *scene, const talus_world *world) {
  const int32_t count = scene->def.materials.count;
  const tl_scene_material *const material = scene->def.materials.item;
  void *memory = NULL;
  if (count < 2) { /* the only one is everybody's */
    return TALUS_OK;
  }
  TL_TRY(tl_alloc(scene->context, &memory, (size_t)count, sizeof(bool), "materials"));
  bool *const used = memory;
  memset(used, 0, (size_t)count * sizeof *used);
  for (int32_t i = 0; i < world->shape_count; i++) {
    if (world->shape[i].exists && world->shape[i].material < count) {
      used[world->shape[i].material] = true;
    }
  }
  mark_inlets(scene, used);
  for (int32_t i = 0; i < count; i++) {
    if (!used[i]) {
      char place[256];
      tl_log(scene->context, TALUS_LOG_WARNING, "%s: material '%.60s' is used by nothing",
             tl_node_place(material[i].item.node, place, sizeof place), material[i].item.name);
    }
  }
  tl_free(scene->context, memory);
  return TALUS_OK;
}
