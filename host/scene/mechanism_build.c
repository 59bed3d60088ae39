/* mechanism_build.c: a mechanism of the scene becomes one of the world, or, where bodies are only
 * pushed apart, fixed bodies at the places of its links. */
#include <math.h>
#include <string.h>

#include "host/math/rotation.h"
#include "host/math/vector.h"
#include "host/scene/build.h"

/* One mechanism on its way. */
typedef struct job {
  talus_scene *scene;
  const tl_scene_mechanism *from;
  tl_mechanism_made *made;
  tl_build_mode mode;
  talus_world *world, *scales; /* scales: a world in which shapes are weighed, or NULL */
  talus_link_def *link;
  int32_t index;
} job;

/* ---- links of the scene ---------------------------------------------------------------------- */

/* The shapes of a link as the parts of a clump. */
static tl_scene_shape clump_of(const tl_scene_link *link) {
  tl_scene_shape shape;
  memset(&shape, 0, sizeof shape);
  shape.item = link->item;
  shape.kind = TL_SHAPE_CLUMP;
  shape.parts = link->shapes;
  return shape;
}

static talus_status shapes_emit(const job *j, const tl_scene_link *link, talus_world *world,
                                int32_t body) {
  const tl_scene_shape shape = clump_of(link);
  int32_t material;
  TL_TRY(tl_material_find(j->scene, link->material != NULL ? &link->item : &j->from->item,
                          link->material != NULL ? link->material : j->from->material, &material));
  return tl_shape_emit(j->scene, world, body, &shape, (tl_variation){1, 1}, material);
}

/* Mass, centre and inertia as a free body of the same shapes would have. */
static talus_status shapes_weigh(job *j, const tl_scene_link *link, talus_link_def *def) {
  const talus_body_def body = talus_body_def_default();
  const tl_build_mode mode = {.relaxing = 1};
  talus_body_state state;
  int32_t id;
  if (j->scales == NULL) {
    TL_TRY(tl_build_world(j->scene, mode, &j->scales));
  }
  TL_TRY(talus_body_add(j->scales, &body, &id));
  TL_TRY(shapes_emit(j, link, j->scales, id));
  TL_TRY(talus_body_get(j->scales, id, &state));
  def->mass = talus_body_mass(j->scales, id);
  talus_body_inertia(j->scales, id, def->inertia);
  for (int i = 0; i < 6 && j->scene->def.world.plane; i++) { /* only the turn about y has one */
    def->inertia[i] = i == 0 || i == 3 || i == 5 ? def->inertia[3] : 0;
  }
  memcpy(def->centre, state.position, sizeof def->centre);
  return TALUS_OK;
}

/* Limits that are not a drive's: of a second angle, of swing and twist. */
static void stops_fill(const tl_scene_link *from, talus_link_def *def) {
  const tl_node *const node = from->item.node;
  if (tl_tree_find(node, "limits2") != NULL || tl_tree_find(node, "twist") != NULL) {
    const double *const pair = from->kind == TALUS_LINK_UNIVERSAL ? from->limits2 : from->twist;
    def->limited = 1;
    def->lower[1] = pair[0];
    def->upper[1] = pair[1];
  }
  if (tl_tree_find(node, "swing") != NULL) {
    def->limited = 1;
    def->upper[0] = from->swing;
  }
}

/* What a motor has beyond a drive: a second angle, three velocities. */
static void motor_fill(const tl_scene_link *from, talus_link_def *def) {
  def->rate[1] = from->rate2;
  def->target[1] = from->target2;
  if (tl_tree_find(from->item.node, "rates") != NULL) {
    def->motor = TALUS_MOTOR_RATE;
    memcpy(def->rate, from->rates, sizeof def->rate);
  }
}

static talus_status link_fill(job *j, int32_t i, talus_link_def *def) {
  const tl_scene_link *const from = (const tl_scene_link *)j->from->links.item + i;
  *def = talus_link_def_default((talus_link_kind)from->kind);
  def->name = from->name;
  def->parent = tl_link_named(j->scene, j->index, from->parent);
  memcpy(def->position, from->position, sizeof def->position);
  memcpy(def->orientation, from->orientation, sizeof def->orientation);
  if (def->parent < 0) { /* as seen from where the mechanism stands */
    double rotation[9];
    tl_quaternion_matrix(j->from->orientation, rotation);
    tl_turn3(def->position, rotation, from->position);
    tl_along3(def->position, def->position, 1, j->from->position);
    tl_quaternion_times(j->from->orientation, from->orientation, def->orientation);
  }
  memcpy(def->axis, from->axis, sizeof def->axis);
  memcpy(def->axis2, from->axis2, sizeof def->axis2);
  def->damping = from->damping;
  def->friction = from->friction;
  def->group = (int32_t)from->group;
  def->collides = from->collides;
  tl_scene_drive drive = from->drive;
  drive.item = from->item; /* its keys stand among the link's */
  tl_drive_fill(&drive, def);
  stops_fill(from, def);
  motor_fill(from, def);
  if (tl_tree_find(from->item.node, "mass") == NULL) {
    return shapes_weigh(j, from, def);
  }
  def->mass = from->mass;
  memcpy(def->centre, from->centre, sizeof def->centre);
  memset(def->inertia, 0, sizeof def->inertia);
  def->inertia[0] = from->inertia[0];
  def->inertia[3] = from->inertia[1];
  def->inertia[5] = from->inertia[2];
  return TALUS_OK;
}

/* ---- both kinds ------------------------------------------------------------------------------ */

static talus_status links_fill(job *j) {
  void *memory;
  TL_TRY(tl_alloc(j->scene->context, &memory, (size_t)j->made->link_count, sizeof *j->link,
                  "links of a mechanism"));
  j->link = memory;
  if (j->made->urdf == NULL) {
    for (int32_t i = 0; i < j->made->link_count; i++) {
      const tl_scene_link *const from = (const tl_scene_link *)j->from->links.item + i;
      TL_TRY(tl_build_explain(j->scene, from->item.node, link_fill(j, i, &j->link[i])));
    }
    return TALUS_OK;
  }
  const talus_mechanism_def *const robot = talus_urdf_mechanism(j->made->urdf);
  if (robot->link_count > 0) {
    memcpy(j->link, robot->link, (size_t)robot->link_count * sizeof *j->link);
  }
  for (int32_t i = 0; i < j->from->drives.count; i++) {
    const tl_scene_drive *const drive = (const tl_scene_drive *)j->from->drives.item + i;
    tl_drive_fill(drive, &j->link[talus_urdf_find_joint(j->made->urdf, drive->joint)]);
  }
  return TALUS_OK;
}

static void loop_fill(const job *j, const tl_scene_loop *from, talus_loop_def *def) {
  *def = talus_loop_def_default();
  def->link_a = tl_link_named(j->scene, j->index, from->a);
  def->link_b = tl_link_named(j->scene, j->index, from->b);
  memcpy(def->point_a, from->point_a, sizeof def->point_a);
  memcpy(def->point_b, from->point_b, sizeof def->point_b);
  if (tl_tree_find(from->item.node, "directions") != NULL) {
    def->direction_count = from->directions.count;
  }
  if (from->directions.count > 0) {
    memcpy(def->direction, from->directions.value,
           3 * (size_t)from->directions.count * sizeof(double));
  }
  def->turn_count = from->turns.count;
  if (from->turns.count > 0) {
    memcpy(def->turn, from->turns.value, 3 * (size_t)from->turns.count * sizeof(double));
  }
  memcpy(def->orientation, from->orientation, sizeof def->orientation);
}

/* Coordinates and velocities at the start. */
static talus_status state_set(const job *j, talus_mechanism *mechanism) {
  const size_t q = (size_t)talus_mechanism_coordinate_count(mechanism);
  const size_t v = (size_t)talus_mechanism_velocity_count(mechanism);
  void *memory;
  TL_TRY(tl_alloc(j->scene->context, &memory, q + v, sizeof(double), "a mechanism's start"));
  double *const coordinate = memory, *const velocity = coordinate + q;
  talus_status status = talus_mechanism_get(mechanism, coordinate, velocity);
  for (int32_t i = 0; status == TALUS_OK && i < j->from->links.count; i++) {
    const tl_scene_link *const from = (const tl_scene_link *)j->from->links.item + i;
    int32_t at_q, at_v;
    status = talus_mechanism_find(mechanism, i, &at_q, &at_v);
    if (from->kind == TALUS_LINK_REVOLUTE || from->kind == TALUS_LINK_PRISMATIC) {
      coordinate[at_q] = from->drive.start;
    } else if (from->kind == TALUS_LINK_UNIVERSAL) {
      coordinate[at_q] = from->drive.start;
      coordinate[at_q + 1] = from->start2;
    } else if (from->kind == TALUS_LINK_FREE) {
      memcpy(velocity + at_v, from->velocity, sizeof from->velocity);
      memcpy(velocity + at_v + 3, from->spin, sizeof from->spin);
    }
  }
  for (int32_t i = 0; status == TALUS_OK && i < j->from->drives.count; i++) {
    const tl_scene_drive *const drive = (const tl_scene_drive *)j->from->drives.item + i;
    int32_t at;
    status = talus_mechanism_find(mechanism, talus_urdf_find_joint(j->made->urdf, drive->joint),
                                  &at, NULL);
    coordinate[at] = drive->start;
  }
  if (status == TALUS_OK) {
    status = talus_mechanism_set(mechanism, coordinate, velocity);
  }
  tl_free(j->scene->context, memory);
  return status;
}

/* Links as fixed bodies where the mechanism would have them. */
static talus_status bodies_place(const job *j, const talus_mechanism_def *def) {
  talus_mechanism *mechanism;
  TL_TRY(talus_mechanism_create(j->scene->context, def, &mechanism));
  talus_status status = state_set(j, mechanism);
  for (int32_t i = 0; status == TALUS_OK && i < def->link_count; i++) {
    talus_body_def body = talus_body_def_default();
    int32_t id;
    body.type = TALUS_BODY_FIXED;
    body.group = def->link[i].group;
    body.collides = def->link[i].collides;
    status = talus_mechanism_pose(mechanism, i, body.position, body.orientation, NULL);
    if (status == TALUS_OK) {
      status = talus_body_add(j->world, &body, &id);
    }
  }
  talus_mechanism_destroy(mechanism);
  return status;
}

static talus_status mechanism_add(job *j) {
  talus_mechanism_def def = talus_mechanism_def_default();
  const int32_t loops = j->from->loops.count;
  void *memory;
  def.link_count = j->made->link_count;
  def.link = j->link;
  def.self_collide = j->from->self_collide;
  j->made->first_body = talus_body_capacity(j->world);
  if (def.link_count == 0) {
    return TALUS_OK; /* a robot of which nothing moves */
  }
  if (j->mode.relaxing) {
    return bodies_place(j, &def);
  }
  TL_TRY(tl_alloc(j->scene->context, &memory, (size_t)loops, sizeof(talus_loop_def), "loops"));
  talus_loop_def *const loop = memory;
  for (int32_t i = 0; i < loops; i++) {
    loop_fill(j, (const tl_scene_loop *)j->from->loops.item + i, &loop[i]);
  }
  talus_status status = talus_world_add_mechanism(j->world, &def, loop, loops, &j->made->id);
  tl_free(j->scene->context, loop);
  TL_TRY(status);
  if (j->from->base != NULL) {
    TL_TRY(talus_world_set_base(j->world, j->made->id,
                                talus_scene_body_find(j->scene, j->from->base)));
  }
  return state_set(j, talus_world_mechanism(j->world, j->made->id));
}

/* How far a link reaches from its centre of mass, at most. */
static double link_reach(const tl_scene_link *link, const talus_link_def *def) {
  const tl_scene_shape shape = clump_of(link);
  return link->shapes.count > 0 ? tl_shape_radius(&shape) + tl_norm3(def->centre) : 0;
}

static talus_status links_dress(const job *j) {
  for (int32_t i = 0; i < j->from->links.count; i++) {
    const tl_scene_link *const from = (const tl_scene_link *)j->from->links.item + i;
    const int32_t body = j->made->first_body + i;
    TL_TRY(tl_build_explain(j->scene, from->item.node, shapes_emit(j, from, j->world, body)));
    TL_TRY(tl_scene_note_radius(j->scene, body, link_reach(from, &j->link[i])));
  }
  return TALUS_OK;
}

static double shape_reach(const talus_shape_def *shape, const double *from) {
  double arm[3], reach = shape->radius + shape->half_length + tl_norm3(shape->half_edge);
  for (int32_t k = 0; k < shape->point_count; k++) {
    reach = fmax(reach, tl_norm3(shape->point + 3 * (size_t)k));
  }
  tl_sub3(arm, shape->position, from);
  return tl_norm3(arm) + reach;
}

/* A robot's shapes; those of its base make a fixed body behind the links. */
static talus_status robot_dress(const job *j) {
  const talus_urdf *const urdf = j->made->urdf;
  int32_t material, base = TALUS_NONE;
  TL_TRY(tl_material_find(j->scene, &j->from->item, j->from->material, &material));
  for (int32_t i = 0; i < j->made->link_count; i++) {
    TL_TRY(tl_scene_note_radius(j->scene, j->made->first_body + i, 0));
  }
  for (int32_t i = 0; i < talus_urdf_shape_count(urdf); i++) {
    talus_shape_def shape = talus_shape_def_default(TALUS_SHAPE_SPHERE);
    int32_t link;
    TL_TRY(talus_urdf_shape(urdf, i, &link, &shape));
    shape.material = material;
    if (link < 0 && base < 0) {
      talus_body_def body = talus_body_def_default();
      body.type = TALUS_BODY_FIXED;
      TL_TRY(talus_body_add(j->world, &body, &base));
      TL_TRY(tl_scene_note_radius(j->scene, base, INFINITY));
      if (j->made->id >= 0 && !j->mode.relaxing) {
        TL_TRY(talus_world_set_base(j->world, j->made->id, base));
      }
    }
    const int32_t body = link < 0 ? base : j->made->first_body + link;
    TL_TRY(talus_shape_add(j->world, body, &shape, NULL));
    if (link >= 0) {
      const double reach = shape_reach(&shape, j->link[link].centre);
      TL_TRY(tl_scene_note_radius(j->scene, body,
                                  fmax(reach, talus_scene_body_radius(j->scene, body))));
    }
  }
  return TALUS_OK;
}

static talus_status mechanism_build(job *j) {
  TL_TRY(links_fill(j));
  TL_TRY(mechanism_add(j));
  return j->made->urdf != NULL ? robot_dress(j) : links_dress(j);
}

talus_status tl_build_mechanisms(talus_scene *scene, tl_build_mode mode, talus_world *world) {
  for (int32_t m = 0; m < scene->def.mechanisms.count; m++) {
    job j = {.scene = scene, .mode = mode, .world = world, .index = m};
    j.from = (const tl_scene_mechanism *)scene->def.mechanisms.item + m;
    j.made = &scene->mechanism[m];
    const talus_status status = tl_build_explain(scene, j.from->item.node, mechanism_build(&j));
    tl_free(scene->context, j.link);
    talus_world_destroy(j.scales);
    TL_TRY(status);
  }
  return TALUS_OK;
}
