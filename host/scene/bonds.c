/* bonds.c: which bodies a section of `bonds` means, and their bonds. */
#include <math.h>
#include <string.h>

#include "host/scene/build.h"
#include "host/world/world.h"

static const tl_scene_bonds *bonds_at(const talus_scene *scene, int32_t i) {
  return (const tl_scene_bonds *)scene->def.bonds.item + i;
}

/* The section of `grains` of that name, or -1. */
static int32_t grains_find(const talus_scene *scene, const char *name) {
  const tl_scene_grains *const grains = scene->def.grains.item;
  for (int32_t i = 0; i < scene->def.grains.count; i++) {
    if (grains[i].name != NULL && strcmp(grains[i].name, name) == 0) {
      return i;
    }
  }
  return -1;
}

/* A bond of two bodies alone, which have to touch. */
static bool is_pair(const tl_scene_bonds *from) {
  return from->bodies.count == 2 && from->grains.count == 0 && from->materials.count == 0;
}

static talus_status check_section(const talus_scene *scene, const tl_scene_bonds *from) {
  const tl_node *const node = from->item.node;
  const tl_node *const axis = tl_tree_find(node, "axis");
  for (int32_t i = 0; i < from->bodies.count; i++) {
    TL_TRY(tl_name_check(scene, tl_tree_find(node, "bodies"), from->bodies.text[i]));
  }
  for (int32_t i = 0; i < from->grains.count; i++) {
    if (grains_find(scene, from->grains.text[i]) < 0) {
      return tl_node_fail(scene->context, tl_tree_find(node, "grains"),
                          "no section of grains is called '%.60s'", from->grains.text[i]);
    }
  }
  const tl_item item = {.node = tl_tree_find(node, "materials")};
  for (int32_t i = 0; i < from->materials.count; i++) {
    int32_t material;
    TL_TRY(tl_material_find(scene, &item, from->materials.text[i], &material));
  }
  if (!(from->young > 0 || from->stiffness[0] > 0 || from->stiffness[1] > 0)) {
    return tl_node_fail(scene->context, node,
                        "bonds need a stiffness: young of a beam, or normal_stiffness, "
                        "shear_stiffness (what does not give way is a fixed joint)");
  }
  if (axis != NULL && !is_pair(from)) {
    return tl_node_fail(scene->context, axis, "axis and point are for bonds of two `bodies` alone");
  }
  if ((axis != NULL) != (tl_tree_find(node, "point") != NULL)) {
    return tl_node_fail(scene->context, node, "axis and point are given together, or neither");
  }
  const double *const a = from->axis;
  return axis == NULL || a[0] * a[0] + a[1] * a[1] + a[2] * a[2] > 0
             ? TALUS_OK
             : tl_node_fail(scene->context, axis, "the axis has length 0");
}

talus_status tl_bonds_check(const talus_scene *scene) {
  for (int32_t i = 0; i < scene->def.bonds.count; i++) {
    TL_TRY(check_section(scene, bonds_at(scene, i)));
  }
  return TALUS_OK;
}

static bool has_material(const talus_scene *scene, const tl_scene_bonds *from,
                         const talus_world *world, const tl_body *body) {
  for (int32_t s = body->first_shape; s >= 0; s = world->shape[s].next) {
    for (int32_t i = 0; i < from->materials.count; i++) {
      int32_t material;
      if (tl_material_find(scene, &from->item, from->materials.text[i], &material) == TALUS_OK &&
          material == world->shape[s].material) {
        return true;
      }
    }
  }
  return false;
}

/* Whether a section means a body. */
static bool is_meant(const talus_scene *scene, const tl_scene_bonds *from, const talus_world *world,
                     const tl_body *body) {
  if (from->bodies.count + from->grains.count + from->materials.count == 0) {
    return body->id >= scene->grain_first;
  }
  bool meant = has_material(scene, from, world, body);
  for (int32_t i = 0; i < from->grains.count && !meant; i++) {
    const int32_t *const first = &scene->grains_first[grains_find(scene, from->grains.text[i])];
    meant = body->id >= first[0] && body->id < first[1];
  }
  for (int32_t i = 0; i < from->bodies.count && !meant; i++) {
    meant = talus_scene_body_find(scene, from->bodies.text[i]) == body->id;
  }
  return meant;
}

static talus_bond_def bond_def(const tl_scene_bonds *from) {
  talus_bond_def def = talus_bond_def_default();
  const double *const a = from->axis, length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  for (int c = 0; c < 3 && tl_tree_find(from->item.node, "axis") != NULL; c++) {
    def.axis[c] = a[c] / length;
    def.point[c] = from->point[c];
  }
  def.gap = from->gap;
  def.radius = from->radius;
  def.radius_ratio = from->radius_ratio;
  def.length = from->length;
  def.young = from->young;
  def.poisson = from->poisson;
  def.normal_stiffness = from->stiffness[0];
  def.shear_stiffness = from->stiffness[1];
  def.bending_stiffness = from->stiffness[2];
  def.twisting_stiffness = from->stiffness[3];
  def.damping = from->damping;
  def.tensile_strength = from->strength[0];
  def.shear_strength = from->strength[1];
  def.tensile_limit = from->limit[0];
  def.shear_limit = from->limit[1];
  def.bending_limit = from->limit[2];
  def.twisting_limit = from->limit[3];
  return def;
}

/* Bodies that are named one by one have to be bonded to something. */
static talus_status named_check(const talus_scene *scene, const tl_scene_bonds *from,
                                const talus_world *world) {
  for (int32_t i = 0; i < from->bodies.count; i++) {
    const tl_body *const body =
        tl_body_at(world, talus_scene_body_find(scene, from->bodies.text[i]));
    if (body == NULL || !body->bonded) {
      return tl_node_fail(scene->context, tl_tree_find(from->item.node, "bodies"),
                          "'%.60s' touches none of the bodies that it is to be bonded to (a larger "
                          "`gap`?)",
                          from->bodies.text[i]);
    }
  }
  return TALUS_OK;
}

/* Bonds all that touch among the bodies that are meant; there have to be some. */
static talus_status bond_all(const talus_scene *scene, const tl_scene_bonds *from,
                             talus_world *world) {
  const talus_bond_def def = bond_def(from);
  void *memory = NULL;
  int32_t count = 0, added = 0;
  TL_TRY(tl_bodies_whole(world));
  TL_TRY(tl_alloc(scene->context, &memory, (size_t)world->body_count + 1, sizeof(int32_t),
                  "bodies to be bonded"));
  int32_t *const body = memory;
  for (int32_t i = 0; i < world->body_count; i++) {
    if (world->body[i].exists && is_meant(scene, from, world, &world->body[i])) {
      body[count++] = world->body[i].id;
    }
  }
  talus_status status = talus_bonds_add(world, &def, count, body, &added);
  tl_free(scene->context, memory);
  if (status == TALUS_OK && added == 0) {
    status = tl_node_fail(scene->context, from->item.node,
                          "no two of these %d bodies touch: nothing is bonded (a larger `gap`?)",
                          (int)count);
  }
  return status == TALUS_OK ? named_check(scene, from, world) : status;
}

static talus_status bond_pair(const talus_scene *scene, const tl_scene_bonds *from,
                              talus_world *world) {
  talus_bond_def def = bond_def(from);
  def.body_a = talus_scene_body_find(scene, from->bodies.text[0]);
  def.body_b = talus_scene_body_find(scene, from->bodies.text[1]);
  return talus_bond_add(world, &def, NULL);
}

talus_status tl_bonds_make(const talus_scene *scene, talus_world *world) {
  for (int32_t i = 0; i < scene->def.bonds.count; i++) {
    const tl_scene_bonds *const from = bonds_at(scene, i);
    /* in the step before which its time has come */
    const int64_t due = (int64_t)ceil(fmin(from->time / scene->def.world.step, 9e15) - 1e-6);
    if (due == talus_world_steps(world)) {
      TL_TRY(tl_build_explain(scene, from->item.node,
                              is_pair(from) ? bond_pair(scene, from, world)
                                            : bond_all(scene, from, world)));
    }
  }
  return TALUS_OK;
}
