/* servo.c: servos of a scene: what their tables cannot say, their calls, rings of plates. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "host/math/rotation.h"
#include "host/math/vector.h"
#include "host/scene/build.h"

/* ---- rings ----------------------------------------------------------------------------------- */

/* Plate i of a ring: a plane that faces the axis. */
static talus_status plate_fill(tl_arena *arena, const tl_scene_wall *ring, int32_t index, int32_t i,
                               tl_scene_wall *plate) {
  char name[128];
  double turn[9], out[3];
  const double angle = 2 * TL_PI * i / (double)ring->plates;
  const double local[3] = {cos(angle), sin(angle), 0};
  *plate = *ring;
  plate->kind = TL_WALL_PLANE;
  tl_quaternion_matrix(ring->orientation, turn);
  tl_turn3(out, turn, local);
  tl_along3(plate->position, ring->position, ring->radius, out);
  tl_scale3(plate->normal, -1, local);
  if (ring->name != NULL) {
    snprintf(name, sizeof name, "%.100s%d", ring->name, (int)i);
  } else {
    snprintf(name, sizeof name, "ring%d_%d", (int)index, (int)i);
  }
  return tl_arena_text(arena, name, strlen(name), &plate->name);
}

talus_status tl_rings_expand(tl_arena *arena, tl_scene_definition *def) {
  const tl_scene_wall *const wall = def->walls.item;
  int64_t count = 0;
  for (int32_t i = 0; i < def->walls.count; i++) {
    count += wall[i].kind == TL_WALL_RING ? wall[i].plates : 1;
  }
  if (count == def->walls.count) {
    return TALUS_OK;
  }
  void *memory = NULL;
  TL_TRY(tl_arena_take(arena, (size_t)count, sizeof *wall, &memory));
  tl_scene_wall *const all = memory;
  int32_t n = 0;
  for (int32_t i = 0; i < def->walls.count; i++) {
    for (int32_t k = 0; wall[i].kind == TL_WALL_RING && k < wall[i].plates; k++) {
      TL_TRY(plate_fill(arena, &wall[i], i, k, &all[n++]));
    }
    if (wall[i].kind != TL_WALL_RING) {
      all[n++] = wall[i];
    }
  }
  def->walls = (tl_list){all, n};
  return TALUS_OK;
}

/* ---- check ----------------------------------------------------------------------------------- */

static talus_status check_across(const talus_scene *scene, const tl_scene_servo *servo) {
  const tl_node *const node = tl_tree_find(servo->item.node, "across");
  const int32_t wanted = scene->def.world.plane ? 2 : 4;
  if (node == NULL) {
    return TALUS_OK;
  }
  if (servo->across.count != wanted) {
    return tl_node_fail(scene->context, node,
                        "servo.across wants %s of bodies or walls that face each other",
                        wanted == 2 ? "one pair" : "two pairs");
  }
  for (int32_t i = 0; i < wanted; i++) {
    TL_TRY(tl_name_check(scene, node, servo->across.text[i]));
  }
  return TALUS_OK;
}

/* moves: the body or wall may be kinematic. */
static talus_status check_servo(const talus_scene *scene, const tl_scene_servo *servo, bool moves,
                                bool is_plane) {
  const tl_node *const node = servo->item.node;
  const tl_node *const axis = tl_tree_find(node, "axis");
  if (node == NULL) {
    return TALUS_OK;
  }
  if (!moves) {
    return tl_node_fail(
        scene->context, node,
        "servo: it moves a wall, or a body of `type: kinematic`, and this one cannot follow it");
  }
  if ((tl_tree_find(node, "force") != NULL) == (tl_tree_find(node, "pressure") != NULL)) {
    return tl_node_fail(scene->context, node, "servo: it wants one of the keys force and pressure");
  }
  if (axis == NULL ? !is_plane : !(tl_norm3(servo->axis) > 0)) {
    return tl_node_fail(
        scene->context, axis != NULL ? axis : node,
        "servo.axis: a servo wants an axis of some length: the way in which it presses");
  }
  if (tl_tree_find(node, "across") != NULL && servo->area > 0) {
    return tl_node_fail(scene->context, node, "servo: area and across exclude each other");
  }
  return check_across(scene, servo);
}

/* Rigid contacts carry any force, so that no motion of a wall or a side goes with one. */
static talus_status check_soft(const talus_scene *scene) {
  const tl_scene_definition *const def = &scene->def;
  const tl_scene_material *const material = def->materials.item;
  const tl_node *node = def->cell.servo != 0 ? tl_tree_find(def->cell.item.node, "servo") : NULL;
  bool soft = def->world.softness != TALUS_SOFTNESS_RIGID;
  for (int32_t i = 0; i < def->materials.count; i++) {
    soft = soft || material[i].stiffness > 0 || material[i].young > 0;
  }
  for (int32_t i = 0; i < def->walls.count && node == NULL; i++) {
    node = ((const tl_scene_wall *)def->walls.item)[i].servo.item.node;
  }
  for (int32_t i = 0; i < def->bodies.count && node == NULL; i++) {
    node = ((const tl_scene_body *)def->bodies.item)[i].servo.item.node;
  }
  return soft || node == NULL
             ? TALUS_OK
             : tl_node_fail(scene->context, node,
                            "servo: it needs contacts that give way, and all are rigid, which "
                            "carry any force: give `world.softness: auto`, or a material a "
                            "`stiffness` or `young`");
}

talus_status tl_servos_check(const talus_scene *scene) {
  const tl_scene_wall *const wall = scene->def.walls.item;
  const tl_scene_body *const body = scene->def.bodies.item;
  for (int32_t i = 0; i < scene->def.walls.count; i++) {
    const bool fixed = wall[i].type == 0 && tl_tree_find(wall[i].item.node, "type") != NULL;
    TL_TRY(check_servo(scene, &wall[i].servo, !fixed, wall[i].kind == TL_WALL_PLANE));
  }
  for (int32_t i = 0; i < scene->def.bodies.count; i++) {
    TL_TRY(check_servo(scene, &body[i].servo, body[i].type == TALUS_BODY_KINEMATIC, false));
  }
  return check_soft(scene);
}

/* ---- build ----------------------------------------------------------------------------------- */

/* The servo's def; plane_normal: of a plane wall as it stands, or NULL. */
static talus_servo_def servo_def(const talus_scene *scene, const tl_scene_servo *from,
                                 const double *plane_normal) {
  talus_servo_def def = talus_servo_def_default();
  const double *const axis =
      tl_tree_find(from->item.node, "axis") != NULL ? from->axis : plane_normal;
  tl_scale3(def.axis, 1 / tl_norm3(axis), axis);
  def.force = from->force;
  def.pressure = from->pressure;
  def.area = from->area;
  def.gain = from->gain;
  def.speed = from->speed;
  for (int32_t i = 0; i < from->across.count && i < 4; i++) {
    def.across[i] = talus_scene_body_find(scene, from->across.text[i]);
  }
  return def;
}

static talus_status apply(const talus_scene *scene, talus_world *world, int32_t body,
                          const tl_scene_servo *from, const double *plane_normal) {
  if (from->item.node == NULL || !talus_body_exists(world, body)) {
    return TALUS_OK;
  }
  const talus_servo_def def = servo_def(scene, from, plane_normal);
  return tl_build_explain(scene, from->item.node, talus_servo_set(world, body, &def));
}

talus_status tl_servo_apply_wall(const talus_scene *scene, talus_world *world, int32_t i) {
  const tl_scene_wall *const wall = (const tl_scene_wall *)scene->def.walls.item + i;
  double turn[9], normal[3];
  tl_quaternion_matrix(wall->orientation, turn);
  tl_turn3(normal, turn, wall->normal);
  return apply(scene, world, scene->wall_id[i], &wall->servo, normal);
}

talus_status tl_servo_apply_body(const talus_scene *scene, talus_world *world, int32_t i) {
  const tl_scene_body *const body = (const tl_scene_body *)scene->def.bodies.item + i;
  return apply(scene, world, scene->body_id[i], &body->servo, NULL);
}

talus_status tl_servos_build(const talus_scene *scene, talus_world *world) {
  for (int32_t i = 0; i < scene->def.walls.count; i++) {
    TL_TRY(tl_servo_apply_wall(scene, world, i));
  }
  for (int32_t i = 0; i < scene->def.bodies.count; i++) {
    TL_TRY(tl_servo_apply_body(scene, world, i));
  }
  return TALUS_OK;
}
