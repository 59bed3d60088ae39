/* build.c: a definition becomes a world: settings, materials, walls, bodies, mechanisms,
 * grains, joints, bonds. */
#include <math.h>
#include <string.h>

#include "host/scene/occupancy.h"
#include "host/world/spread.h"
#include "host/world/world.h"

/* Sections that draw random numbers. */
enum { RANDOM_GRAINS = 1, RANDOM_INLET = 2 };

talus_world_def tl_world_def_of(const talus_scene *scene, tl_build_mode mode) {
  const tl_scene_world *from = &scene->def.world;
  talus_world_def def = talus_world_def_default();
  memcpy(def.gravity, from->gravity, sizeof def.gravity);
  if (mode.relaxing) {
    memset(def.gravity, 0, sizeof def.gravity);
  }
  def.step = from->step;
  def.substeps = (int32_t)from->substeps;
  def.integrator = (talus_integrator)from->integrator;
  def.stabilisation =
      mode.relaxing ? TALUS_STABILISE_PROJECTION : (talus_stabilisation)from->stabilisation;
  def.restitution = (talus_restitution)from->restitution;
  def.plane = from->plane;
  def.slop = from->slop;
  def.margin = from->margin;
  def.bias_cap = from->bias_cap;
  def.restitution_speed = from->restitution_speed;
  def.tolerance = from->tolerance;
  def.accept = from->accept;
  def.on_miss = (talus_miss)from->on_miss;
  def.penetration_limit = mode.relaxing ? INFINITY : from->penetration_limit;
  def.velocity_scale = from->velocity_scale;
  def.softness = (talus_softness)from->softness;
  def.brick_size = from->brick_size;
  def.solver.law = (talus_law)from->law;
  def.solver.cone = (talus_cone)from->cone;
  def.solver.facets = (int32_t)from->facets;
  def.solver.facet_angle = from->facet_angle;
  def.solver.facet_align = from->facet_align;
  def.solver.method = (talus_method)from->method;
  def.solver.precision = (talus_precision)from->precision;
  def.solver.islands = from->islands;
  def.solver.max_iterations = from->max_iterations;
  def.solver.certify = from->certify;
  def.seed = (uint64_t)from->seed;
  return def;
}

talus_material_def tl_material_def_of(const tl_scene_material *from) {
  talus_material_def def = talus_material_def_default();
  def.density = from->density;
  def.friction = from->friction;
  def.restitution = from->restitution;
  def.pull_off = from->pull_off;
  def.surface_energy = from->surface_energy;
  def.surface_tension = from->surface_tension;
  def.contact_angle = from->contact_angle;
  def.bridge_volume = from->bridge_volume;
  def.adhesion = (talus_adhesion)from->adhesion;
  def.stiffness = from->stiffness;
  def.young = from->young;
  def.poisson = from->poisson;
  def.rigid = from->rigid;
  def.rolling_friction = from->rolling_friction;
  def.spinning_friction = from->spinning_friction;
  def.rolling_fraction = from->rolling_fraction;
  def.spinning_fraction = from->spinning_fraction;
  def.cross_friction = from->cross_friction;
  memcpy(def.friction_direction, from->friction_direction, sizeof def.friction_direction);
  return def;
}

talus_status tl_pairs_add(talus_scene *scene, talus_world *world) {
  for (int32_t i = 0; i < scene->def.pairs.count; i++) {
    const tl_scene_pair *pair = (const tl_scene_pair *)scene->def.pairs.item + i;
    int32_t material[2];
    for (int side = 0; side < 2; side++) {
      TL_TRY(tl_material_find(scene, &pair->item, pair->between.text[side], &material[side]));
    }
    TL_TRY(tl_build_explain(
        scene, pair->item.node,
        talus_material_pair(world, material[0], material[1], pair->friction, pair->restitution)));
  }
  return TALUS_OK;
}

static talus_status add_materials(talus_scene *scene, talus_world *world) {
  const tl_list *list = &scene->def.materials;
  talus_material_def def = talus_material_def_default();
  int32_t id;
  if (list->count == 0) {
    TL_TRY(talus_material_add(world, &def, &id));
  }
  for (int32_t i = 0; i < list->count; i++) {
    const tl_scene_material *const from = (const tl_scene_material *)list->item + i;
    def = tl_material_def_of(from);
    TL_TRY(tl_build_explain(scene, from->item.node, talus_material_add(world, &def, &id)));
  }
  return tl_pairs_add(scene, world);
}

talus_status tl_build_explain(const talus_scene *scene, const tl_node *node, talus_status status) {
  if (status != TALUS_OK && status != TALUS_OUT_OF_MEMORY && status != TALUS_FILE_FORMAT) {
    char place[256], reason[sizeof scene->context->message];
    const bool told = scene->context->told;
    memcpy(reason, scene->context->message, sizeof reason);
    tl_fail(scene->context, status, "%s: %s", tl_node_place(node, place, sizeof place), reason);
    scene->context->told = told;
  }
  return status;
}

talus_status tl_build_world(talus_scene *scene, tl_build_mode mode, talus_world **world) {
  const talus_world_def def = tl_world_def_of(scene, mode);
  const tl_node *node = scene->def.world.item.node;
  TL_TRY(tl_build_explain(scene, node != NULL ? node : scene->root,
                          talus_world_create(scene->context, &def, world)));
  TL_TRY(tl_build_cell(scene, *world, 0));
  return add_materials(scene, *world);
}

talus_status tl_motions_add(talus_world *world, int32_t body, const tl_list *motions,
                            const double position[3]) {
  for (int32_t i = 0; i < motions->count; i++) {
    const tl_scene_motion *from = (const tl_scene_motion *)motions->item + i;
    talus_motion_def def = talus_motion_def_default((talus_motion_kind)from->kind);
    const bool centred = tl_tree_find(from->item.node, "centre") != NULL;
    memcpy(def.vector, from->vector, sizeof def.vector);
    memcpy(def.centre, centred ? from->centre : position, sizeof def.centre);
    def.frequency = from->frequency;
    def.phase = from->phase;
    def.begin = from->begin;
    def.end = from->end;
    def.time = from->time.value;
    def.offset = from->offset.value;
    def.count = from->time.count;
    TL_TRY(talus_motion_add(world, body, &def));
  }
  return TALUS_OK;
}

static talus_status add_wall(talus_scene *scene, tl_build_mode mode, talus_world *world,
                             const tl_scene_wall *from, int32_t *body) {
  talus_body_def def = talus_body_def_default();
  const int32_t index = (int32_t)(from - (const tl_scene_wall *)scene->def.walls.item);
  const bool moves = tl_wall_moves(scene, index);
  def.type = moves && !mode.relaxing ? TALUS_BODY_KINEMATIC : TALUS_BODY_FIXED;
  memcpy(def.position, from->position, sizeof def.position);
  memcpy(def.orientation, from->orientation, sizeof def.orientation);
  def.group = (int32_t)from->group;
  def.collides = from->collides;
  int32_t material;
  TL_TRY(tl_material_find(scene, &from->item, from->material, &material));
  TL_TRY(talus_body_add(world, &def, body));
  TL_TRY(tl_wall_emit(scene, world, from, *body, material));
  TL_TRY(tl_scene_note_radius(scene, *body, INFINITY));
  return mode.relaxing ? TALUS_OK : tl_motions_add(world, *body, &from->motions, from->position);
}

static talus_status add_body(talus_scene *scene, tl_build_mode mode, talus_world *world,
                             const tl_scene_body *from, int32_t *body) {
  talus_body_def def = talus_body_def_default();
  const bool moves = from->type == TALUS_BODY_KINEMATIC;
  def.type = moves && mode.relaxing ? TALUS_BODY_FIXED : (talus_body_type)from->type;
  memcpy(def.position, from->position, sizeof def.position);
  memcpy(def.orientation, from->orientation, sizeof def.orientation);
  memcpy(def.velocity, from->velocity, sizeof def.velocity);
  memcpy(def.spin, from->spin, sizeof def.spin);
  def.group = (int32_t)from->group;
  def.collides = from->collides;
  int32_t material;
  TL_TRY(tl_material_find(scene, &from->item, from->material, &material));
  TL_TRY(talus_body_add(world, &def, body));
  TL_TRY(tl_shape_emit(scene, world, *body, &from->shape, (tl_variation){1, 1}, material));
  const double radius = tl_shape_radius(&from->shape);
  talus_body_state state;
  TL_TRY(talus_body_get(world, *body, &state));
  double square = 0;
  for (int c = 0; c < 3; c++) {
    const double d = state.position[c] - from->position[c];
    square += d * d;
  }
  TL_TRY(tl_scene_note_radius(scene, *body, radius + sqrt(square)));
  return mode.relaxing ? TALUS_OK : tl_motions_add(world, *body, &from->motions, from->position);
}

/* What is there before the grains. */
static talus_status add_others(talus_scene *scene, tl_build_mode mode, talus_world *world) {
  const tl_scene_definition *def = &scene->def;
  for (int32_t i = 0; i < def->walls.count; i++) {
    const tl_scene_wall *wall = (const tl_scene_wall *)def->walls.item + i;
    TL_TRY(tl_build_explain(scene, wall->item.node,
                            add_wall(scene, mode, world, wall, &scene->wall_id[i])));
  }
  for (int32_t i = 0; i < def->bodies.count; i++) {
    const tl_scene_body *body = (const tl_scene_body *)def->bodies.item + i;
    TL_TRY(tl_build_explain(scene, body->item.node,
                            add_body(scene, mode, world, body, &scene->body_id[i])));
  }
  TL_TRY(tl_build_mechanisms(scene, mode, world));
  if (!mode.relaxing) {
    TL_TRY(tl_servos_build(scene, world));
  }
  scene->grain_first = talus_body_capacity(world);
  return TALUS_OK;
}

static talus_status add_grains(talus_scene *scene, talus_world *world, tl_occupancy *occupancy) {
  const tl_scene_definition *def = &scene->def;
  TL_TRY(tl_occupancy_add_all(occupancy));
  for (int32_t i = 0; i < def->grains.count; i++) {
    tl_grains_job job = {.scene = scene,
                         .world = world,
                         .grains = (const tl_scene_grains *)def->grains.item + i,
                         .occupancy = occupancy,
                         .plane = def->world.plane};
    job.random = tl_scene_random(scene, RANDOM_GRAINS, (uint64_t)i);
    scene->grains_first[i] = talus_body_capacity(world);
    TL_TRY(tl_build_explain(scene, job.grains->item.node, tl_grains_emit(&job)));
  }
  scene->grains_first[def->grains.count] = talus_body_capacity(world);
  return TALUS_OK;
}

/* The grains of the world that is being relaxed, where generators have put them. */
static talus_status add_copies(talus_scene *scene, talus_world *world) {
  for (int32_t i = 0; i < scene->emitted_count; i++) {
    const tl_emitted *from = &scene->emitted[i];
    int32_t body;
    if (from->packing != NULL) {
      TL_TRY(tl_packing_emit(scene, world, from->packing, NULL));
      continue;
    }
    TL_TRY(tl_grain_emit(scene, world, from->grain, from->material, from->variation, from->position,
                         from->orientation, &body));
  }
  return TALUS_OK;
}

talus_status tl_build_bodies(talus_scene *scene, tl_build_mode mode, talus_world *world) {
  TL_TRY(add_others(scene, mode, world));
  if (mode.relaxing) {
    return add_copies(scene, world);
  }
  TL_TRY(tl_build_from(scene, world));
  if (scene->def.grains.count == 0) {
    return TALUS_OK;
  }
  tl_occupancy occupancy;
  tl_occupancy_begin(scene, world, &occupancy);
  scene->emitting = scene->def.world.overlap == TL_OVERLAP_RESOLVE;
  const talus_status status = add_grains(scene, world, &occupancy);
  scene->emitting = false;
  tl_occupancy_end(&occupancy);
  return status;
}

static int32_t joint_side(const talus_scene *scene, const char *name) {
  return strcmp(name, "world") == 0 ? TALUS_NONE : talus_scene_body_find(scene, name);
}

bool tl_joints_part(const talus_scene *scene, int32_t body_a, int32_t body_b) {
  for (int32_t i = 0; i < scene->def.joints.count; i++) {
    const tl_scene_joint *const joint = (const tl_scene_joint *)scene->def.joints.item + i;
    const int32_t a = joint_side(scene, joint->a), b = joint_side(scene, joint->b);
    const bool meet =
        joint->collide == TALUS_JOINT_COLLIDE_YES ||
        (joint->collide == TALUS_JOINT_COLLIDE_AUTO && joint->kind == TALUS_JOINT_DISTANCE);
    if (!meet && ((a == body_a && b == body_b) || (a == body_b && b == body_a))) {
      return true;
    }
  }
  return false;
}

talus_status tl_build_joints(talus_scene *scene, tl_build_mode mode, talus_world *world) {
  for (int32_t i = 0; i < scene->def.joints.count; i++) {
    const tl_scene_joint *from = (const tl_scene_joint *)scene->def.joints.item + i;
    const tl_node *node = from->item.node;
    talus_joint_def def = talus_joint_def_default((talus_joint_kind)from->kind);
    const double *a = from->axis, length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    def.body_a = joint_side(scene, from->a);
    def.body_b = joint_side(scene, from->b);
    for (int c = 0; c < 3; c++) {
      def.point[c] = from->point[c];
      def.point_b[c] = from->point_b[c];
      def.axis[c] = length > 0 ? a[c] / length : def.axis[c];
    }
    def.limited = tl_tree_find(node, "limits") != NULL || tl_tree_find(node, "swing") != NULL;
    def.lower = from->limits[0];
    def.upper = from->limits[1];
    def.motor = tl_tree_find(node, "target") != NULL ? TALUS_MOTOR_SERVO
                : tl_tree_find(node, "rate") != NULL ? TALUS_MOTOR_RATE
                                                     : TALUS_MOTOR_NONE;
    def.motor = mode.relaxing ? TALUS_MOTOR_NONE : def.motor;
    def.rate = from->rate;
    def.effort = from->effort;
    def.target = from->target;
    def.response = from->response;
    def.friction = from->friction;
    def.restitution = from->restitution;
    def.collide = from->collide;
    int32_t id;
    TL_TRY(tl_build_explain(scene, node, talus_joint_add(world, &def, &id)));
  }
  return TALUS_OK;
}

/* The state that tick keeps, at its beginning. */
static talus_status reset(talus_scene *scene) {
  const tl_scene_definition *def = &scene->def;
  void *memory = NULL;
  if (scene->stage != NULL) {
    scene->def = scene->stage[0].def;
  }
  scene->at = (tl_stage_state){.held = -1};
  if (scene->body_id == NULL) {
    TL_TRY(tl_arena_take(&scene->arena, (size_t)def->bodies.count, sizeof(int32_t), &memory));
    scene->body_id = memory;
    TL_TRY(tl_arena_take(&scene->arena, (size_t)def->walls.count, sizeof(int32_t), &memory));
    scene->wall_id = memory;
    TL_TRY(tl_arena_take(&scene->arena, (size_t)def->walls.count, sizeof(uint64_t), &memory));
    scene->wall_mesh = memory;
    TL_TRY(tl_arena_take(&scene->arena, (size_t)def->grains.count + 1, sizeof(int32_t), &memory));
    scene->grains_first = memory;
    TL_TRY(
        tl_arena_take(&scene->arena, (size_t)def->inlets.count, sizeof(tl_inlet_state), &memory));
    scene->inlet = memory;
    TL_TRY(tl_arena_take(&scene->arena, (size_t)def->outlets.count, sizeof(int64_t), &memory));
    scene->removed = memory;
  }
  for (int32_t i = 0; i < def->inlets.count; i++) {
    memset(&scene->inlet[i], 0, sizeof scene->inlet[i]);
    scene->inlet[i].random = tl_scene_random(scene, RANDOM_INLET, (uint64_t)i).state;
  }
  for (int32_t i = 0; i < def->outlets.count; i++) {
    scene->removed[i] = 0;
  }
  scene->added_count = scene->radius_count = 0;
  return TALUS_OK;
}

static void forget_emitted(talus_scene *scene) {
  tl_free(scene->context, scene->emitted);
  scene->emitted = NULL;
  scene->emitted_count = scene->emitted_capacity = 0;
}

static talus_status build(talus_scene *scene, talus_world **world) {
  const tl_build_mode mode = {0};
  talus_status status = TALUS_OK;
  TL_TRY(reset(scene));
  TL_TRY_GOTO(tl_build_world(scene, mode, world), fail);
  TL_TRY_GOTO(tl_build_bodies(scene, mode, *world), fail);
  TL_TRY_GOTO(tl_build_cell_check(scene, *world), fail);
  TL_TRY_GOTO(tl_build_joints(scene, mode, *world), fail); /* they hold where bodies stand now */
  TL_TRY_GOTO(tl_build_overlaps(scene, *world), fail);
  TL_TRY_GOTO(tl_inlets_check(scene, *world), fail);
  TL_TRY_GOTO(tl_bonds_make(scene, *world), fail);
  TL_TRY_GOTO(tl_build_cell(scene, *world, 1), fail); /* bodies are given its motion */
  TL_TRY_GOTO(tl_materials_tell_unused(scene, *world), fail);
  forget_emitted(scene);
  return TALUS_OK;
fail:
  forget_emitted(scene);
  talus_world_destroy(*world);
  *world = NULL;
  return status;
}

/* Whether all ranks read the same scene. */
static talus_status check_same(const talus_scene *scene) {
  const uint64_t hash = tl_scene_hash(scene);
  return tl_ranks_of(scene->context) == NULL
             ? TALUS_OK
             : tl_ranks_same(scene->context, &hash, sizeof hash, "scene");
}

/* Says that ranks cannot share the work of a world without bricks, or on devices. */
static void sharing_tell(const talus_scene *scene, const talus_world *world) {
  enum { FEW = 256 };
  const talus_transport *const t = tl_ranks_of(scene->context);
  if (t == NULL || t->size == 1 || t->rank != 0 || world->body_count < FEW) {
    return;
  }
  if (strcmp(talus_context_backend(scene->context), "cpu") != 0) {
    tl_log(scene->context, TALUS_LOG_WARNING,
           "%s: on devices each of the %d processes makes every step whole; --backend cpu shares "
           "the work",
           scene->path, (int)t->size);
  } else if (!(world->def.brick_size > 0)) {
    tl_log(scene->context, TALUS_LOG_WARNING,
           "%s has no world.brick_size: each of the %d processes makes every step whole; to share "
           "the work set one of some eight grain diameters, as by --set world.brick_size=%.2gm",
           scene->path, (int)t->size, 16 * world->size);
  } else if (tl_spread_hindrance(world) != NULL) {
    tl_log(scene->context, TALUS_LOG_WARNING, "%s has %s; prefer threads to processes", scene->path,
           tl_spread_hindrance(world));
  }
}

talus_status talus_scene_build(talus_scene *scene, talus_world **world) {
  if (scene == NULL || world == NULL) {
    return scene == NULL ? TALUS_INVALID_ARGUMENT
                         : tl_fail(scene->context, TALUS_INVALID_ARGUMENT, "world is NULL");
  }
  *world = NULL;
  TL_TRY(check_same(scene));
  talus_status status = tl_ranks_settle(scene->context, build(scene, world));
  status = status == TALUS_OK ? tl_spread_same_bodies(*world) : status;
  if (status != TALUS_OK) {
    talus_world_destroy(*world);
    *world = NULL;
    return status;
  }
  sharing_tell(scene, *world);
  return TALUS_OK;
}
