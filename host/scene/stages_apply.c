/* stages_apply.c: what a stage changes in a world: the differences of two definitions. */
#include <string.h>

#include "host/math/vector.h"
#include "host/scene/build.h"

static uint64_t hash_of(const tl_node *node, const char *key) {
  const tl_node *const child = tl_tree_find(node, key);
  return tl_tree_blank(child) ? 0 : tl_tree_hash(child, TL_HASH_START);
}

static bool is_changed(const tl_node *from, const tl_node *to, const char *key) {
  return hash_of(from, key) != hash_of(to, key);
}

static talus_status apply_world(const talus_scene *scene, talus_world *world,
                                const tl_scene_definition *from) {
  const tl_build_mode mode = {0};
  const tl_node *const node = scene->def.world.item.node;
  if (node == NULL ||
      (from->world.item.node != NULL &&
       tl_tree_hash(from->world.item.node, TL_HASH_START) == tl_tree_hash(node, TL_HASH_START))) {
    return TALUS_OK;
  }
  const talus_world_def def = tl_world_def_of(scene, mode);
  return tl_build_explain(scene, node, talus_world_set(world, &def));
}

static talus_status apply_materials(talus_scene *scene, talus_world *world) {
  const tl_scene_material *const material = scene->def.materials.item;
  for (int32_t i = 0; i < scene->def.materials.count; i++) {
    const talus_material_def def = tl_material_def_of(&material[i]);
    TL_TRY(tl_build_explain(scene, material[i].item.node, talus_material_set(world, i, &def)));
  }
  return tl_pairs_add(scene, world);
}

static talus_status apply_cell(const talus_scene *scene, talus_world *world,
                               const tl_scene_definition *from) {
  const tl_scene_cell *const to = &scene->def.cell, *const old = &from->cell;
  talus_cell cell = talus_cell_default();
  if (to->item.node == NULL ||
      tl_tree_hash(old->item.node, TL_HASH_START) == tl_tree_hash(to->item.node, TL_HASH_START)) {
    return TALUS_OK;
  }
  TL_TRY(talus_world_cell(world, &cell));
  cell.servo = to->servo;
  cell.rate_limit = to->rate_limit;
  for (int c = 0; c < 3; c++) {
    cell.rate[c] = to->servo >> c & 1 ? cell.rate[c] : to->rate[c];
    cell.rate[3 + c] = to->servo >> (3 + c) & 1 ? cell.rate[3 + c] : to->shear[c];
    cell.stress[c] = to->stress[c];
    cell.shear_stress[c] = to->shear_stress[c];
  }
  return tl_build_explain(scene, to->item.node, talus_world_set_cell(world, &cell));
}

/* Motions and servo of a body or wall; `servo`: gives it the new one. */
static talus_status apply_motions(const talus_scene *scene, talus_world *world, int32_t body,
                                  const tl_node *from, const tl_node *to, const tl_list *motions) {
  talus_body_state state;
  if (!is_changed(from, to, "motions") || !talus_body_exists(world, body)) {
    return TALUS_OK;
  }
  TL_TRY(talus_body_get(world, body, &state));
  TL_TRY(tl_build_explain(scene, to, talus_motions_clear(world, body)));
  return tl_build_explain(scene, to, tl_motions_add(world, body, motions, state.position));
}

static talus_status end_servo(talus_world *world, int32_t body, const tl_node *to) {
  return tl_tree_blank(tl_tree_find(to, "servo")) && talus_body_exists(world, body)
             ? talus_servo_set(world, body, NULL)
             : TALUS_OK;
}

static talus_status apply_walls(const talus_scene *scene, talus_world *world,
                                const tl_scene_definition *from) {
  const tl_scene_wall *const old = from->walls.item, *const new = scene->def.walls.item;
  for (int32_t i = 0; i < scene->def.walls.count; i++) {
    const tl_node *const node = new[i].item.node, *const before = old[i].item.node;
    TL_TRY(apply_motions(scene, world, scene->wall_id[i], before, node, &new[i].motions));
    if (is_changed(before, node, "servo")) {
      TL_TRY(end_servo(world, scene->wall_id[i], node));
      TL_TRY(tl_servo_apply_wall(scene, world, i));
    }
  }
  return TALUS_OK;
}

static talus_status apply_bodies(const talus_scene *scene, talus_world *world,
                                 const tl_scene_definition *from) {
  const tl_scene_body *const old = from->bodies.item, *const new = scene->def.bodies.item;
  for (int32_t i = 0; i < scene->def.bodies.count; i++) {
    const tl_node *const node = new[i].item.node, *const before = old[i].item.node;
    TL_TRY(apply_motions(scene, world, scene->body_id[i], before, node, &new[i].motions));
    if (is_changed(before, node, "servo")) {
      TL_TRY(end_servo(world, scene->body_id[i], node));
      TL_TRY(tl_servo_apply_body(scene, world, i));
    }
  }
  return TALUS_OK;
}

/* An inlet of another rate counts from now. */
static void apply_inlets(talus_scene *scene, const talus_world *world,
                         const tl_scene_definition *from) {
  const tl_scene_inlet *const old = from->inlets.item, *const new = scene->def.inlets.item;
  for (int32_t i = 0; i < scene->def.inlets.count; i++) {
    if (old[i].rate != new[i].rate || old[i].begin != new[i].begin || old[i].end != new[i].end) {
      scene->inlet[i].since = talus_world_time(world);
      scene->inlet[i].before = scene->inlet[i].placed;
    }
  }
}

talus_status tl_stage_apply(talus_scene *scene, talus_world *world,
                            const tl_scene_definition *from) {
  TL_TRY(apply_world(scene, world, from));
  TL_TRY(apply_materials(scene, world));
  TL_TRY(apply_cell(scene, world, from));
  TL_TRY(apply_walls(scene, world, from));
  TL_TRY(apply_bodies(scene, world, from));
  apply_inlets(scene, world, from);
  return TALUS_OK;
}
