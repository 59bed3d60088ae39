/* check.c: what the tables cannot say: names that must exist, lists that must fit together. */
#include <math.h>
#include <string.h>

#include "host/scene/build.h"
#include "host/scene/measure_define.h"

static talus_status check_material(const talus_scene *scene, const tl_item *item,
                                   const char *name) {
  int32_t material;
  return tl_material_find(scene, item, name, &material);
}

static talus_status check_motions(const talus_scene *scene, const tl_list *motions) {
  for (int32_t i = 0; i < motions->count; i++) {
    const tl_scene_motion *motion = (const tl_scene_motion *)motions->item + i;
    const tl_node *node = motion->item.node;
    if (!(motion->begin <= motion->end)) {
      return tl_node_fail(scene->context, node, "the motion ends before it begins");
    }
    if (motion->kind != TALUS_MOTION_TABLE) {
      continue;
    }
    if (motion->time.count < 2 || motion->time.count != motion->offset.count) {
      return tl_node_fail(scene->context, node,
                          "a table needs two or more times and as many offsets (%d and %d)",
                          (int)motion->time.count, (int)motion->offset.count);
    }
    for (int32_t k = 1; k < motion->time.count; k++) {
      if (!(motion->time.value[k] > motion->time.value[k - 1])) {
        return tl_node_fail(scene->context, tl_tree_find(node, "times"),
                            "times have to ascend (number %d does not)", (int)k + 1);
      }
    }
  }
  return TALUS_OK;
}

static talus_status check_bodies(const talus_scene *scene) {
  const tl_scene_definition *def = &scene->def;
  for (int32_t i = 0; i < def->bodies.count; i++) {
    const tl_scene_body *body = (const tl_scene_body *)def->bodies.item + i;
    TL_TRY(check_material(scene, &body->item, body->material));
    TL_TRY(tl_shape_check(scene->context, &body->shape, def->world.plane));
    TL_TRY(check_motions(scene, &body->motions));
    if (body->motions.count > 0 && body->type != TALUS_BODY_KINEMATIC) {
      return tl_node_fail(scene->context, tl_tree_find(body->item.node, "motions"),
                          "only a body of type kinematic has motions");
    }
    for (int32_t k = 0; k < body->shape.parts.count; k++) {
      const tl_scene_part *part = (const tl_scene_part *)body->shape.parts.item + k;
      TL_TRY(check_material(scene, &part->item, part->material));
    }
  }
  return TALUS_OK;
}

static talus_status check_wall(const talus_scene *scene, const tl_scene_wall *wall) {
  const tl_node *node = wall->item.node;
  const double *n = wall->normal;
  TL_TRY(check_material(scene, &wall->item, wall->material));
  TL_TRY(check_motions(scene, &wall->motions));
  if (wall->kind == TL_WALL_PLANE && !(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] > 0)) {
    return tl_node_fail(scene->context, tl_tree_find(node, "normal"), "the normal has length 0");
  }
  const double width = wall->kind == TL_WALL_WEDGE ? wall->size[0] : 2 * wall->radius;
  if ((wall->kind == TL_WALL_HOPPER || wall->kind == TL_WALL_WEDGE) && !(wall->opening < width)) {
    return tl_node_fail(scene->context, tl_tree_find(node, "opening"),
                        "the opening is as wide as the container");
  }
  const bool drawn = wall->kind == TL_WALL_REVOLVED || wall->kind == TL_WALL_EXTRUDED;
  if (drawn && wall->profile.count < 2) {
    return tl_node_fail(scene->context, tl_tree_find(node, "profile"),
                        "a profile needs two or more points");
  }
  for (int32_t i = 0; drawn && i < wall->profile.count; i++) {
    const double *p = wall->profile.value + 2 * i;
    if ((wall->kind == TL_WALL_REVOLVED && p[0] < 0) || (i > 0 && p[0] == p[-2] && p[1] == p[-1])) {
      return tl_node_fail(scene->context, tl_tree_find(node, "profile"),
                          "point %d of the profile has a radius below 0 or repeats the last",
                          (int)i + 1);
    }
  }
  if (wall->lifters > 0 && !(wall->lifter > 0 && wall->lifter < wall->radius)) {
    return tl_node_fail(scene->context, node, "lifters need the key 'lifter': their height");
  }
  return TALUS_OK;
}

static talus_status check_grain(const talus_scene *scene, const tl_scene_grain *grain) {
  TL_TRY(check_material(scene, &grain->item, grain->material));
  TL_TRY(tl_shape_check(scene->context, &grain->shape, scene->def.world.plane));
  return tl_sizes_check(scene->context, &grain->sizes);
}

static talus_status check_grains(const talus_scene *scene) {
  const tl_scene_definition *def = &scene->def;
  for (int32_t i = 0; i < def->grains.count; i++) {
    const tl_scene_grains *grains = (const tl_scene_grains *)def->grains.item + i;
    if (grains->kind == TL_GRAINS_PACKING) {
      TL_TRY(check_material(scene, &grains->item, grains->grain.material));
      continue;
    }
    TL_TRY(check_grain(scene, &grains->grain));
    if (grains->region.item.node != NULL) {
      const bool endless = grains->kind != TL_GRAINS_LAYERS;
      TL_TRY(tl_region_check(scene->context, &grains->region, endless));
    }
    if (grains->inside != NULL) {
      TL_TRY(tl_name_check(scene, tl_tree_find(grains->item.node, "inside"), grains->inside));
    }
    for (int32_t k = 0; k < grains->layers.count; k++) {
      const tl_scene_layer *layer = (const tl_scene_layer *)grains->layers.item + k;
      TL_TRY(check_material(scene, &layer->item, layer->material));
      TL_TRY(tl_sizes_check(scene->context, &layer->sizes));
    }
  }
  for (int32_t i = 0; i < def->inlets.count; i++) {
    const tl_scene_inlet *inlet = (const tl_scene_inlet *)def->inlets.item + i;
    TL_TRY(check_grain(scene, &inlet->grain));
    TL_TRY(tl_region_check(scene->context, &inlet->region, 0));
  }
  for (int32_t i = 0; i < def->outlets.count; i++) {
    TL_TRY(tl_region_check(scene->context, &((const tl_scene_outlet *)def->outlets.item)[i].region,
                           1));
  }
  return TALUS_OK;
}

/* How to call a joint in a message. */
static const char *joint_name(const tl_scene_joint *joint) {
  return joint->name != NULL ? joint->name : "without a name";
}

/* Limits and motor of a joint. */
static talus_status check_drive(const talus_scene *scene, const tl_scene_joint *joint) {
  const tl_node *node = joint->item.node, *limits = tl_tree_find(node, "limits");
  const tl_node *effort = tl_tree_find(node, "effort"), *rate = tl_tree_find(node, "rate");
  const tl_node *response = tl_tree_find(node, "response");
  const tl_node *target = tl_tree_find(node, "target");
  const bool dry = joint->friction > 0;
  if (limits != NULL && !(joint->limits[0] <= joint->limits[1])) {
    return tl_node_fail(scene->context, limits,
                        "joint '%.60s': the lower limit is above the upper one", joint_name(joint));
  }
  if (effort != NULL && rate == NULL && target == NULL) {
    return tl_node_fail(scene->context, effort,
                        "joint '%.60s': an effort without a rate or target: a motor needs both",
                        joint_name(joint));
  }
  if (response != NULL && target == NULL) {
    return tl_node_fail(scene->context, response,
                        "joint '%.60s': a response without a target to respond to",
                        joint_name(joint));
  }
  if (target != NULL && joint->rate < 0) {
    return tl_node_fail(scene->context, rate,
                        "joint '%.60s': the rate towards a target is a limit, so not negative",
                        joint_name(joint));
  }
  if (joint->kind == TALUS_JOINT_DISTANCE && limits == NULL &&
      (rate != NULL || target != NULL || dry)) {
    return tl_node_fail(scene->context, node,
                        "joint '%.60s': a rod cannot be driven: give the distance limits",
                        joint_name(joint));
  }
  return TALUS_OK;
}

static talus_status check_joint(const talus_scene *scene, const tl_scene_joint *joint) {
  const tl_node *node = joint->item.node;
  const double *axis = joint->axis;
  const char *const names[] = {joint->a, joint->b};
  for (int side = 0; side < 2; side++) {
    if (strcmp(names[side], "world") != 0) {
      TL_TRY(tl_name_check(scene, tl_tree_find(node, side == 0 ? "a" : "b"), names[side]));
    }
  }
  if (strcmp(joint->a, joint->b) == 0) {
    return tl_node_fail(scene->context, node, "the joint ties '%.60s' to itself", joint->a);
  }
  if ((joint->kind == TALUS_JOINT_HINGE || joint->kind == TALUS_JOINT_SLIDER) &&
      !(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2] > 0)) {
    return tl_node_fail(scene->context, tl_tree_find(node, "axis"), "the axis has length 0");
  }
  return check_drive(scene, joint);
}

/* Friction of rolling and spinning, and by direction. */
static talus_status check_resistance(const talus_scene *scene, const tl_scene_material *m) {
  const struct {
    double length, fraction;
    const char *name, *words;
  } kinds[] = {{m->rolling_friction, m->rolling_fraction, "rolling_fraction",
                "rolling_friction (a length) and rolling_fraction (of the reduced radius) exclude "
                "each other"},
               {m->spinning_friction, m->spinning_fraction, "spinning_fraction",
                "spinning_friction (a length) and spinning_fraction (of the reduced radius) "
                "exclude each other"}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (kinds[i].length > 0 && kinds[i].fraction > 0) {
      return tl_node_fail(scene->context, tl_tree_find(m->item.node, kinds[i].name), "%s",
                          kinds[i].words);
    }
  }
  const double *const d = m->friction_direction;
  if (m->cross_friction > 0 && d[0] == 0 && d[1] == 0 && d[2] == 0) {
    return tl_node_fail(scene->context, tl_tree_find(m->item.node, "cross_friction"),
                        "cross_friction needs a friction_direction, three numbers in the frame of "
                        "the body, not all 0");
  }
  if (m->cross_friction > 0 && !(m->friction > 0)) {
    return tl_node_fail(scene->context, tl_tree_find(m->item.node, "cross_friction"),
                        "cross_friction needs friction above 0 along friction_direction");
  }
  return TALUS_OK;
}

talus_status tl_scene_check(talus_scene *scene) {
  const tl_scene_definition *def = &scene->def;
  TL_TRY(check_bodies(scene));
  for (int32_t i = 0; i < def->walls.count; i++) {
    TL_TRY(check_wall(scene, (const tl_scene_wall *)def->walls.item + i));
  }
  TL_TRY(tl_servos_check(scene));
  TL_TRY(check_grains(scene));
  TL_TRY(tl_mechanisms_check(scene));
  for (int32_t i = 0; i < def->mechanisms.count; i++) {
    const tl_scene_mechanism *from = (const tl_scene_mechanism *)def->mechanisms.item + i;
    if (from->base != NULL) {
      TL_TRY(tl_name_check(scene, tl_tree_find(from->item.node, "base"), from->base));
    }
  }
  for (int32_t i = 0; i < def->joints.count; i++) {
    TL_TRY(check_joint(scene, (const tl_scene_joint *)def->joints.item + i));
  }
  TL_TRY(tl_bonds_check(scene));
  for (int32_t i = 0; i < def->forces.count; i++) {
    const tl_scene_force *force = (const tl_scene_force *)def->forces.item + i;
    TL_TRY(tl_name_check(scene, tl_tree_find(force->item.node, "body"), force->body));
  }
  for (int32_t i = 0; i < def->materials.count; i++) {
    const tl_scene_material *m = (const tl_scene_material *)def->materials.item + i;
    if (m->rigid && (m->stiffness > 0 || m->young > 0)) {
      return tl_node_fail(
          scene->context, tl_tree_find(m->item.node, "rigid"),
          "materials.%.60s.rigid: a rigid material has no %s: leave one of them out", m->item.name,
          m->young > 0 ? "young" : "stiffness");
    }
    if (m->stiffness > 0 && m->young > 0) {
      return tl_node_fail(scene->context, m->item.node,
                          "stiffness and young exclude each other: a linear spring, or Hertz");
    }
    TL_TRY(check_resistance(scene, m));
    if ((m->bridge_volume > 0) != (m->surface_tension > 0)) {
      return tl_node_fail(scene->context, m->item.node,
                          "liquid bridges need both bridge_volume and surface_tension");
    }
  }
  for (int32_t i = 0; i < def->pairs.count; i++) {
    const tl_scene_pair *pair = (const tl_scene_pair *)def->pairs.item + i;
    const tl_node *node = tl_tree_find(pair->item.node, "between");
    if (pair->between.count != 2) {
      return tl_node_fail(scene->context, node, "a pair is between two materials");
    }
    const tl_item item = {.node = node};
    TL_TRY(check_material(scene, &item, pair->between.text[0]));
    TL_TRY(check_material(scene, &item, pair->between.text[1]));
  }
  if (def->output.region.item.node != NULL) {
    TL_TRY(tl_region_check(scene->context, &def->output.region, 0));
  }
  for (int32_t i = 0; i < def->output.track.count; i++) {
    TL_TRY(tl_name_check(scene, tl_tree_find(def->output.item.node, "track"),
                         def->output.track.text[i]));
  }
  for (int32_t i = 0; i < def->output.forces.count; i++) {
    TL_TRY(tl_name_check(scene, tl_tree_find(def->output.item.node, "forces"),
                         def->output.forces.text[i]));
    for (int32_t k = 0; k < i; k++) {
      if (strcmp(def->output.forces.text[k], def->output.forces.text[i]) == 0) {
        return tl_node_fail(scene->context, tl_tree_find(def->output.item.node, "forces"),
                            "output.forces: '%.60s' stands there twice",
                            def->output.forces.text[i]);
      }
    }
  }
  for (int32_t i = 0; i < def->output.measure.count; i++) {
    const tl_scene_measure *const measure = (const tl_scene_measure *)def->output.measure.item + i;
    if (measure->with != NULL) {
      TL_TRY(tl_name_check(scene, tl_tree_find(measure->item.node, "with"), measure->with));
    }
  }
  TL_TRY(tl_measure_check(scene->context, def));
  if (def->run.steps == 0 && !(def->run.time > 0)) {
    return tl_node_fail(scene->context, def->run.item.node, "run.time has to be above 0 s");
  }
  if (def->run.steps == 0 && !(def->run.time / def->world.step <= TL_SCENE_STEPS)) {
    const tl_node *const node = def->run.item.node;
    return tl_node_fail(scene->context, node != NULL ? node : def->world.item.node,
                        "run.time, %g s, is more than %g steps of %g s", def->run.time,
                        TL_SCENE_STEPS, def->world.step);
  }
  return TALUS_OK;
}
