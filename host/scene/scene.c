/* scene.c: reading a scene and giving it back. */
#include "host/scene/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/base/structs.h"
#include "host/io/frame_field.h"
#include "host/io/text_file.h"
#include "host/math/vector.h"
#include "host/ranks/agree.h"
#include "host/scene/build.h"
#include "host/scene/schema.h"
#include "host/scene/snapshot.h"
#include "host/scene/urdf.h"

static talus_status set_keys(talus_scene *scene, const char *const *overrides, int32_t count) {
  const tl_node *const materials = tl_tree_find(scene->root, "materials");
  const bool named = materials != NULL && materials->count > 0;
  void *memory = NULL;
  TL_TRY(tl_arena_take(&scene->arena, (size_t)count, sizeof(char *), &memory));
  const char **const kept = memory;
  for (int32_t i = 0; i < count; i++) {
    if (named) {
      TL_TRY(tl_materials_check_set(&scene->arena, scene->root, overrides[i]));
    }
    TL_TRY(tl_tree_set(&scene->arena, scene->root, overrides[i]));
    TL_TRY(tl_arena_text(&scene->arena, overrides[i], strlen(overrides[i]), &kept[i]));
  }
  scene->override = kept;
  scene->override_count = count;
  return TALUS_OK;
}

static talus_status read_tree(talus_scene *scene, const char *const *overrides,
                              int32_t override_count) {
  TL_TRY(tl_tree_read(&scene->arena, scene->path, &scene->root));
  if (tl_tree_empty(scene->root)) {
    return tl_node_fail(scene->context, scene->root,
                        "no scene: the file is empty, and would be a world with nothing in it");
  }
  if (scene->root->kind != TL_NODE_MAP) {
    return tl_node_fail(scene->context, scene->root, "a scene is a map of sections");
  }
  TL_TRY(set_keys(scene, overrides, override_count));
  tl_parse parse = {.context = scene->context, .arena = &scene->arena, .base = {1, 1, 1, 1}};
  TL_TRY(tl_parse_table(&parse, &tl_schema_root, scene->root, "", &scene->def));
  TL_TRY(tl_scene_find_folder(scene));
  TL_TRY(tl_rings_expand(&scene->arena, &scene->def));
  TL_TRY(tl_stages_read(scene));
  TL_TRY(tl_mechanisms_read(scene));
  TL_TRY(tl_scene_index(scene));
  TL_TRY(tl_scene_check(scene));
  TL_TRY(tl_stages_check(scene));
  return tl_snapshot_check(scene);
}

talus_status talus_scene_read(talus_context *context, const char *path,
                              const char *const *overrides, int32_t override_count,
                              talus_scene **result) {
  void *memory = NULL, *locale, *before;
  if (context == NULL || path == NULL || result == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  *result = NULL;
  if (override_count < 0 || (override_count > 0 && overrides == NULL)) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT,
                   "overrides is NULL, or override_count (%d) makes no sense", override_count);
  }
  for (int32_t i = 0; i < override_count; i++) {
    if (overrides[i] == NULL) {
      return tl_fail(context, TALUS_INVALID_ARGUMENT, "overrides[%d] is NULL", i);
    }
  }
  TL_TRY(tl_ranks_agree(context, tl_alloc(context, &memory, 1, sizeof(talus_scene), "the scene")));
  talus_scene *scene = memory;
  memset(scene, 0, sizeof *scene);
  scene->context = scene->arena.context = context;
  talus_status status = tl_arena_text(&scene->arena, path, strlen(path), &scene->path);
  if (status == TALUS_OK) {
    const char *slash = strrchr(path, '/');
    status = tl_arena_text(&scene->arena, path, slash != NULL ? (size_t)(slash - path) + 1 : 0,
                           &scene->folder);
  }
  if (status == TALUS_OK) {
    tl_locale_enter(&locale, &before);
    status = read_tree(scene, overrides, override_count);
    tl_locale_leave(locale, before);
  }
  status = tl_ranks_agree(context, status); /* a file that only some ranks can read */
  if (status != TALUS_OK) {
    talus_scene_destroy(scene);
    return status;
  }
  *result = scene;
  return TALUS_OK;
}

void talus_scene_destroy(talus_scene *scene) {
  if (scene == NULL) {
    return;
  }
  talus_context *context = scene->context;
  tl_buffer_release(context, &scene->points);
  tl_buffer_release(context, &scene->scalars);
  tl_packing_release(&scene->from);
  tl_mechanisms_release(scene);
  tl_free(context, scene->radius);
  tl_free(context, scene->added);
  tl_free(context, scene->emitted);
  tl_arena_release(&scene->arena);
  tl_free(context, scene);
}

talus_context *tl_scene_context(const talus_scene *scene) {
  return scene->context;
}

const char *tl_scene_path(const talus_scene *scene) {
  return scene->path;
}

const tl_scene_definition *tl_scene_def(const talus_scene *scene) {
  return &scene->def;
}

/* Whether a section is part of the simulation: a restart may change the others. */
static bool counts(const tl_node *section) {
  static const char *const passed_over[] = {"title", "folder", "output", "run"};
  bool found = true;
  for (int i = 0; i < 4; i++) {
    found = found && strcmp(section->key->text, passed_over[i]) != 0;
  }
  return found;
}

uint64_t tl_scene_hash(const talus_scene *scene) {
  uint64_t sum = 0;
  for (const tl_node *child = scene->root->first; child != NULL; child = child->next) {
    if (counts(child)) { /* a sum: the order of sections means nothing */
      const tl_node key = *child->key;
      sum += tl_tree_hash(child, tl_tree_hash(&key, TL_HASH_START));
    }
  }
  for (int32_t m = 0; scene->mechanism != NULL && m < scene->def.mechanisms.count; m++) {
    if (scene->mechanism[m].urdf != NULL) {
      sum += tl_urdf_hash(scene->mechanism[m].urdf, TL_HASH_START + (uint64_t)m);
    }
  }
  return sum;
}

/* A copy of a scene's root with the sections that count. */
static talus_status root_counted(talus_scene *scene, const tl_node *root, tl_node **counted) {
  TL_TRY(tl_tree_copy(&scene->arena, root, counted));
  for (tl_node **at = &(*counted)->first; *at != NULL;) {
    if (counts(*at)) {
      at = &(*at)->next;
    } else {
      *at = (*at)->next;
    }
  }
  return TALUS_OK;
}

bool tl_scene_differs(talus_scene *scene, const char *path, tl_tree_difference *found) {
  tl_node *there = NULL, *here = NULL;
  memset(found, 0, sizeof *found);
  return tl_tree_read(&scene->arena, path, &there) == TALUS_OK && there->kind == TL_NODE_MAP &&
         root_counted(scene, there, &there) == TALUS_OK &&
         root_counted(scene, scene->root, &here) == TALUS_OK && tl_tree_differs(there, here, found);
}

bool tl_scene_write(const talus_scene *scene, FILE *stream) {
  if (scene->override_count == 0 && !scene->settled) {
    return false;
  }
  tl_tree_comment(stream, "# ", scene->path, " with these keys set:\n");
  for (int32_t i = 0; i < scene->override_count; i++) {
    tl_tree_comment(stream, "#   ", scene->override[i], "\n");
  }
  fputs(scene->settled ? "#   folder\n" : "", stream);
  tl_tree_write(stream, scene->root);
  return true;
}

int32_t tl_scene_meshes(const talus_scene *scene, int64_t *hash) {
  const int32_t walls = scene->def.walls.count, mechanisms = scene->def.mechanisms.count;
  for (int32_t i = 0; i < walls && hash != NULL; i++) {
    hash[i] = scene->wall_mesh != NULL ? (int64_t)scene->wall_mesh[i] : 0;
  }
  for (int32_t i = 0; i < mechanisms && hash != NULL; i++) {
    const talus_urdf *const urdf = scene->mechanism[i].urdf;
    hash[walls + i] = urdf != NULL ? (int64_t)tl_urdf_mesh_hash(urdf) : 0;
  }
  return walls + mechanisms;
}

talus_status tl_scene_mesh_fail(const talus_scene *scene, int32_t index) {
  const tl_scene_definition *const def = &scene->def;
  const int32_t robot = index - def->walls.count;
  const tl_node *const node =
      robot < 0 ? tl_tree_find(((const tl_scene_wall *)def->walls.item)[index].item.node, "file")
                : tl_tree_find(((const tl_scene_mechanism *)def->mechanisms.item)[robot].item.node,
                               "urdf");
  return tl_node_fail(scene->context, node,
                      "%s%.200s has changed since the checkpoint was written: a restart needs the "
                      "same surfaces",
                      robot < 0 ? "the mesh " : "a mesh of ", node != NULL ? node->text : "");
}

double talus_scene_end(const talus_scene *scene) {
  if (scene == NULL) {
    return 0;
  }
  const tl_scene_run *run = &scene->def.run;
  if (scene->stage != NULL && run->steps == 0 && tl_tree_find(run->item.node, "time") == NULL) {
    double sum = 0;
    for (int32_t i = 0; i < scene->def.stages.count; i++) {
      sum += ((const tl_scene_stage *)scene->def.stages.item)[i].time;
    }
    return sum;
  }
  return run->steps > 0 ? (double)run->steps * scene->def.world.step : run->time;
}

void talus_scene_info_init(talus_scene_info *info, size_t size) {
  static const talus_scene_info defaults = {.step_count = 0};
  tl_struct_init(&tl_struct_scene_info, &defaults, info, size);
}

/* An angle of the section output in degrees; NaN if the file does not say. */
static double camera_angle(const tl_scene_output *output, const char *key, double angle) {
  return tl_tree_find(output->item.node, key) != NULL ? angle * 180 / TL_PI : NAN;
}

/* Motions and servos of walls, bodies and the cell. */
static void count_drives(const tl_scene_definition *def, talus_scene_info *made) {
  const tl_scene_wall *const wall = def->walls.item;
  const tl_scene_body *const body = def->bodies.item;
  for (int32_t i = 0; i < def->walls.count; i++) {
    made->motion_count += wall[i].motions.count;
    made->servo_count += wall[i].servo.item.node != NULL;
  }
  for (int32_t i = 0; i < def->bodies.count; i++) {
    made->motion_count += body[i].motions.count;
    made->servo_count += body[i].servo.item.node != NULL;
  }
  made->servo_count += def->cell.item.node != NULL && def->cell.servo != 0;
}

talus_status talus_scene_describe(const talus_scene *scene, talus_scene_info *info) {
#define TL_FIELD_WORD(name, word, label, unit) word,
  static const char *const words[] = {TL_FIELD_LIST(TL_FIELD_WORD)};
#undef TL_FIELD_WORD
  if (scene == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  TL_TRY(tl_struct_check(scene->context, &tl_struct_scene_info, "scene info", info));
  const tl_scene_definition *const def = &scene->def;
  const tl_scene_output *const output = &def->output;
  talus_scene_info made = {.material_count = def->materials.count > 0 ? def->materials.count : 1,
                           .joint_count = def->joints.count,
                           .force_count = def->forces.count,
                           .inlet_count = def->inlets.count,
                           .outlet_count = def->outlets.count,
                           .mechanism_count = def->mechanisms.count,
                           .frames = output->frames,
                           .step = def->world.step,
                           .end = def->run.steps > 0 ? def->run.time : talus_scene_end(scene),
                           .step_count = def->run.steps,
                           .title = def->title,
                           .pictures = output->pictures,
                           .movie = output->movie,
                           .width = (int32_t)output->width,
                           .height = (int32_t)output->height,
                           .azimuth = camera_angle(output, "azimuth", output->azimuth),
                           .elevation = camera_angle(output, "elevation", output->elevation),
                           .colour = words[output->colour],
                           .stage_count = def->stages.count,
                           .bond_count = def->bonds.count,
                           .periodic = def->cell.item.node != NULL ? def->cell.periodic : 0};
  count_drives(def, &made);
  tl_struct_write(&tl_struct_scene_info, &made, info);
  return TALUS_OK;
}

int64_t talus_scene_added(const talus_scene *scene) {
  int64_t sum = 0;
  if (scene == NULL) {
    return 0;
  }
  for (int32_t i = 0; i < scene->def.inlets.count && scene->inlet != NULL; i++) {
    sum += scene->inlet[i].placed;
  }
  return sum;
}

int64_t talus_scene_removed(const talus_scene *scene) {
  int64_t sum = 0;
  if (scene == NULL) {
    return 0;
  }
  for (int32_t i = 0; i < scene->def.outlets.count && scene->removed != NULL; i++) {
    sum += scene->removed[i];
  }
  return sum;
}
