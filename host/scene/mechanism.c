/* mechanism.c: mechanisms of a scene: robot files, names, checks of what the tables cannot say, and
 * motors that follow a table. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/scene/build.h"

static const tl_scene_mechanism *mechanism_at(const talus_scene *scene, int32_t i) {
  return (const tl_scene_mechanism *)scene->def.mechanisms.item + i;
}

static const tl_scene_link *link_at(const tl_scene_mechanism *mechanism, int32_t i) {
  return (const tl_scene_link *)mechanism->links.item + i;
}

/* ---- robot files ----------------------------------------------------------------------------- */

static talus_status robot_read(talus_scene *scene, const tl_scene_mechanism *from,
                               tl_mechanism_made *made) {
  talus_urdf_def def = talus_urdf_def_default();
  char path[1024];
  const int used =
      snprintf(path, sizeof path, "%s%s", from->urdf[0] == '/' ? "" : scene->folder, from->urdf);
  if (used < 0 || (size_t)used >= sizeof path) {
    return tl_node_fail(scene->context, tl_tree_find(from->item.node, "urdf"),
                        "the name is too long");
  }
  memcpy(def.position, from->position, sizeof def.position);
  memcpy(def.orientation, from->orientation, sizeof def.orientation);
  def.floating = from->floating;
  TL_TRY(tl_build_explain(scene, tl_tree_find(from->item.node, "urdf"),
                          talus_urdf_read(scene->context, path, &def, &made->urdf)));
  made->link_count = talus_urdf_mechanism(made->urdf)->link_count;
  return TALUS_OK;
}

talus_status tl_mechanisms_read(talus_scene *scene) {
  const int32_t count = scene->def.mechanisms.count;
  void *memory;
  TL_TRY(tl_arena_take(&scene->arena, (size_t)count, sizeof *scene->mechanism, &memory));
  scene->mechanism = memory;
  for (int32_t i = 0; i < count; i++) {
    const tl_scene_mechanism *const from = mechanism_at(scene, i);
    scene->mechanism[i].id = TALUS_NONE;
    scene->mechanism[i].link_count = from->links.count;
    if (from->urdf != NULL) {
      TL_TRY(robot_read(scene, from, &scene->mechanism[i]));
    }
  }
  return TALUS_OK;
}

void tl_mechanisms_release(talus_scene *scene) {
  for (int32_t i = 0; scene->mechanism != NULL && i < scene->def.mechanisms.count; i++) {
    talus_urdf_destroy(scene->mechanism[i].urdf);
  }
}

/* ---- checks ---------------------------------------------------------------------------------- */

static talus_status pair_check(const talus_scene *scene, const tl_node *node, const char *key,
                               const double *pair, const char *name) {
  const tl_node *const limits = tl_tree_find(node, key);
  return limits != NULL && !(pair[0] <= pair[1])
             ? tl_node_fail(scene->context, limits,
                            "joint '%.60s': the lower limit is above the upper one", name)
             : TALUS_OK;
}

/* A key of the second angle needs that of the first. */
static talus_status beside_check(const talus_scene *scene, const tl_node *node, const char *second,
                                 const char *first, const char *name) {
  const tl_node *const found = tl_tree_find(node, second);
  return found != NULL && tl_tree_find(node, first) == NULL
             ? tl_node_fail(scene->context, found, "joint '%.60s': `%s` needs `%s` beside it", name,
                            second, first)
             : TALUS_OK;
}

static talus_status drive_check(const talus_scene *scene, const tl_scene_drive *drive,
                                const tl_node *node, const char *name) {
  const tl_node *const times = tl_tree_find(node, "times");
  const tl_node *const target = tl_tree_find(node, "target"), *rate = tl_tree_find(node, "rate");
  const bool rates = tl_tree_find(node, "rates") != NULL;
  const tl_node *const effort = tl_tree_find(node, "effort");
  const tl_node *const targets = tl_tree_find(node, "targets");
  talus_context *const context = scene->context;
  TL_TRY(pair_check(scene, node, "limits", drive->limits, name));
  if ((times != NULL) != (targets != NULL) || drive->times.count != drive->targets.count) {
    return tl_node_fail(context, times != NULL ? times : node,
                        "joint '%.60s': `times` and `targets` go together, as many of each (%d and "
                        "%d)",
                        name, (int)drive->times.count, (int)drive->targets.count);
  }
  for (int32_t k = 1; k < drive->times.count; k++) {
    if (!(drive->times.value[k] > drive->times.value[k - 1])) {
      return tl_node_fail(context, times,
                          "joint '%.60s': times have to ascend (number %d does not)", name,
                          (int)k + 1);
    }
  }
  if (target != NULL && times != NULL) {
    return tl_node_fail(context, target, "joint '%.60s': one `target` or a table, not both", name);
  }
  if (effort != NULL && rate == NULL && !rates && target == NULL && times == NULL) {
    return tl_node_fail(context, effort,
                        "joint '%.60s': an effort without a rate or target: a motor needs both",
                        name);
  }
  if ((target != NULL || times != NULL) && drive->rate < 0) {
    return tl_node_fail(context, rate,
                        "joint '%.60s': the rate towards a target is a limit, so not negative",
                        name);
  }
  return TALUS_OK;
}

static double square3(const double *v) {
  return v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
}

static talus_status shapes_check(const talus_scene *scene, const tl_scene_link *link) {
  int32_t material;
  TL_TRY(tl_material_find(scene, &link->item, link->material, &material));
  for (int32_t i = 0; i < link->shapes.count; i++) {
    const tl_scene_part *const part = (const tl_scene_part *)link->shapes.item + i;
    TL_TRY(tl_material_find(scene, &part->item, part->material, &material));
    if (part->shape.kind == TL_SHAPE_CLUMP) {
      return tl_node_fail(scene->context, part->item.node, "a shape of a link cannot be a clump");
    }
    TL_TRY(tl_shape_check(scene->context, &part->shape, scene->def.world.plane));
  }
  return TALUS_OK;
}

static talus_status mass_check(const talus_scene *scene, const tl_scene_link *link) {
  const tl_node *const node = link->item.node, *const mass = tl_tree_find(node, "mass");
  const tl_node *const inertia = tl_tree_find(node, "inertia");
  const tl_node *const centre = tl_tree_find(node, "centre");
  if (mass == NULL && (inertia != NULL || centre != NULL)) {
    return tl_node_fail(scene->context, inertia != NULL ? inertia : centre,
                        "joint '%.60s': `mass`, `centre` and `inertia` go together", link->name);
  }
  if (mass != NULL && inertia == NULL) {
    return tl_node_fail(scene->context, mass, "joint '%.60s': a mass needs its `inertia` beside it",
                        link->name);
  }
  if (mass == NULL && link->shapes.count == 0) {
    return tl_node_fail(scene->context, node,
                        "joint '%.60s': its link has no mass: give it shapes, or `mass` and "
                        "`inertia`",
                        link->name);
  }
  return TALUS_OK;
}

static talus_status link_check(const talus_scene *scene, int32_t m, int32_t i) {
  const tl_scene_mechanism *const of = mechanism_at(scene, m);
  const tl_scene_link *const link = link_at(of, i);
  const tl_node *const node = link->item.node;
  talus_context *const context = scene->context;
  const bool has_axis = link->kind != TALUS_LINK_FREE;
  if (has_axis && !(square3(link->axis) > 0)) {
    return tl_node_fail(context, tl_tree_find(node, "axis"), "joint '%.60s': its axis has length 0",
                        link->name);
  }
  TL_TRY(mass_check(scene, link));
  TL_TRY(shapes_check(scene, link));
  TL_TRY(pair_check(scene, node, "limits2", link->limits2, link->name));
  TL_TRY(pair_check(scene, node, "twist", link->twist, link->name));
  TL_TRY(beside_check(scene, node, "rate2", "rate", link->name));
  TL_TRY(beside_check(scene, node, "target2", "target", link->name));
  return drive_check(scene, &link->drive, node, link->name);
}

/* Follows the parents of each link up to the base, or to one that is known to hang on it. */
static talus_status parents_check(talus_scene *scene, int32_t m) {
  enum { UNKNOWN, ON_THE_WAY, GOOD };
  const tl_scene_mechanism *const of = mechanism_at(scene, m);
  const int32_t count = of->links.count;
  void *memory = NULL;
  TL_TRY(tl_arena_take(&scene->arena, 2 * (size_t)count, sizeof(int32_t), &memory));
  int32_t *const parent = memory, *const mark = parent + count;
  for (int32_t i = 0; i < count; i++) {
    parent[i] = tl_link_named(scene, m, link_at(of, i)->parent);
    if (parent[i] < -1) {
      return tl_node_fail(scene->context, tl_tree_find(link_at(of, i)->item.node, "parent"),
                          "joint '%.60s': its parent, link '%.60s', is not there",
                          link_at(of, i)->name, link_at(of, i)->parent);
    }
  }
  for (int32_t i = 0; i < count; i++) {
    int32_t at = i;
    for (; at >= 0 && mark[at] == UNKNOWN; at = parent[at]) {
      mark[at] = ON_THE_WAY;
    }
    if (at >= 0 && mark[at] == ON_THE_WAY) {
      return tl_node_fail(scene->context, tl_tree_find(link_at(of, i)->item.node, "parent"),
                          "joint '%.60s': its parents form a loop; a tree is needed, close it by "
                          "`loops`",
                          link_at(of, i)->name);
    }
    for (at = i; at >= 0 && mark[at] == ON_THE_WAY; at = parent[at]) {
      mark[at] = GOOD;
    }
  }
  return TALUS_OK;
}

static talus_status loop_check(const talus_scene *scene, int32_t m, const tl_scene_loop *loop) {
  const char *const name[2] = {loop->a, loop->b};
  int32_t link[2];
  for (int side = 0; side < 2; side++) {
    link[side] = tl_link_named(scene, m, name[side]);
    if (link[side] < -1) {
      return tl_node_fail(scene->context, tl_tree_find(loop->item.node, side ? "b" : "a"),
                          "the loop's link '%.60s' is not there", name[side]);
    }
  }
  if (link[0] == link[1]) {
    return tl_node_fail(scene->context, loop->item.node, "the loop ties '%.60s' to itself",
                        loop->a);
  }
  if (loop->directions.count > 3 || loop->turns.count > 3) {
    const char *const key = loop->directions.count > 3 ? "directions" : "turns";
    return tl_node_fail(scene->context, tl_tree_find(loop->item.node, key),
                        "a loop has at most three %s", key);
  }
  return TALUS_OK;
}

/* Drives name joints of the robot file, of the kind that they say. */
static talus_status robot_drive_check(const talus_scene *scene, int32_t m,
                                      const tl_scene_drive *drive) {
  const talus_urdf *const urdf = scene->mechanism[m].urdf;
  const int32_t link = talus_urdf_find_joint(urdf, drive->joint);
  const tl_node *const node = drive->item.node;
  if (link < 0) {
    return tl_node_fail(scene->context, tl_tree_find(node, "joint"),
                        "the robot has no moving joint '%.60s'", drive->joint);
  }
  const talus_link_kind kind = talus_urdf_mechanism(urdf)->link[link].kind;
  if (kind != (drive->kind ? TALUS_LINK_PRISMATIC : TALUS_LINK_REVOLUTE)) {
    return tl_node_fail(scene->context, node, "joint '%.60s' is not %s in the robot file",
                        drive->joint, drive->kind ? "prismatic" : "revolute");
  }
  return drive_check(scene, drive, node, drive->joint);
}

static talus_status mechanism_check(talus_scene *scene, int32_t m) {
  const tl_scene_mechanism *const of = mechanism_at(scene, m);
  const tl_node *const node = of->item.node;
  int32_t material;
  if ((of->urdf != NULL) == (of->links.count > 0)) {
    return tl_node_fail(scene->context, node, "a mechanism has either `links` or a `urdf` file");
  }
  if (of->urdf == NULL && (of->drives.count > 0 || of->floating)) {
    return tl_node_fail(scene->context, tl_tree_find(node, of->floating ? "floating" : "drives"),
                        "this key goes with `urdf`");
  }
  if (of->urdf != NULL && of->base != NULL) {
    return tl_node_fail(scene->context, tl_tree_find(node, "base"), "this key goes with `links`");
  }
  TL_TRY(tl_material_find(scene, &of->item, of->material, &material));
  TL_TRY(parents_check(scene, m));
  for (int32_t i = 0; i < of->links.count; i++) {
    TL_TRY(link_check(scene, m, i));
  }
  for (int32_t i = 0; i < of->drives.count; i++) {
    TL_TRY(robot_drive_check(scene, m, (const tl_scene_drive *)of->drives.item + i));
  }
  for (int32_t i = 0; i < of->loops.count; i++) {
    TL_TRY(loop_check(scene, m, (const tl_scene_loop *)of->loops.item + i));
  }
  return TALUS_OK;
}

talus_status tl_mechanisms_check(talus_scene *scene) {
  for (int32_t m = 0; m < scene->def.mechanisms.count; m++) {
    TL_TRY(mechanism_check(scene, m));
  }
  return TALUS_OK;
}
