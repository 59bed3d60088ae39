/* body.c: bodies and their shapes; mass, centre and inertia from shape and density. */
#include <math.h>
#include <string.h>

#include "host/base/structs.h"
#include "host/math/dense.h"
#include "host/world/links.h"
#include "host/world/spread.h"

static bool finite3(const double *v) {
  return isfinite(v[0]) && isfinite(v[1]) && isfinite(v[2]);
}

static bool is_zero3(const double *v) {
  return v[0] == 0 && v[1] == 0 && v[2] == 0;
}

talus_status talus_body_add(talus_world *world, const talus_body_def *given, int32_t *result) {
  if (world == NULL || given == NULL || result == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  talus_body_def own = talus_body_def_default();
  const talus_body_def *const def = &own;
  TL_TRY(tl_struct_read(world->context, &tl_struct_body_def, "body def", given, &own));
  TL_TRY(tl_bodies_edit(world));
  if (!finite3(def->position) || !finite3(def->velocity) || !finite3(def->spin)) {
    return tl_fail(world->context, TALUS_NOT_FINITE,
                   "body def: position, velocity or spin is not finite");
  }
  if (!tl_quaternion_good(def->orientation)) {
    return tl_fail(world->context, TALUS_BAD_SETTING,
                   "body def: orientation is not a unit quaternion");
  }
  if (def->group < 0 || def->group > 31 || (unsigned)def->type > TALUS_BODY_KINEMATIC) {
    return tl_fail(world->context, TALUS_BAD_SETTING,
                   "body def: group %d must be in 0 .. 31, type %d known", def->group,
                   (int)def->type);
  }
  TL_TRY(tl_ids_left(world, world->body_next, "bodies"));
  TL_TRY(tl_world_grow(world, (void **)&world->body, &world->body_capacity, world->body_count + 1,
                       sizeof *world->body, "bodies"));
  tl_body *const body = &world->body[world->body_count];
  memset(body, 0, sizeof *body);
  body->id = world->body_next++;
  body->exists = 1;
  body->first_shape = body->extra = -1;
  body->type = def->type;
  body->group = def->group;
  body->collides = def->collides;
  memcpy(body->position, def->position, sizeof body->position);
  memcpy(body->orientation, def->orientation, sizeof body->orientation);
  if (def->type == TALUS_BODY_FREE) {
    memcpy(body->velocity, def->velocity, sizeof body->velocity);
    memcpy(body->spin, def->spin, sizeof body->spin);
  }
  if (def->type != TALUS_BODY_FREE) {
    const talus_status status = tl_body_extra_take(world, world->body_count);
    if (status != TALUS_OK) {
      world->body_next--;
      return status;
    }
    tl_body_extra *const extra = tl_body_extra_at(world, body);
    memcpy(extra->anchor, def->position, sizeof extra->anchor);
    memcpy(extra->anchor_orientation, def->orientation, sizeof extra->anchor_orientation);
  }
  world->body_count++;
  *result = body->id;
  return TALUS_OK;
}

/* What only the mechanism may do with its links. */
static talus_status link_refuse(const talus_world *world, int32_t slot, const char *what) {
  const tl_body *const body = &world->body[slot];
  if (body->type == TALUS_BODY_LINK) {
    return tl_fail(world->context, TALUS_CALL_ORDER,
                   "body %d is link %d of mechanism %d: it cannot be %s", body->id, body->link,
                   body->mechanism, what);
  }
  return TALUS_OK;
}

talus_status talus_body_remove(talus_world *world, int32_t id) {
  enum { GAPS = 256 }; /* they wait for the next step, unless there are many */
  int32_t body;
  if (world != NULL) {
    TL_TRY(tl_bodies_whole(world)); /* slots are closed up */
  }
  TL_TRY(tl_body_find(world, id, &body));
  TL_TRY(link_refuse(world, body, "removed"));
  TL_TRY(tl_bodies_edit(world));
  for (int32_t i = 0; i < world->joint_count; i++) {
    const talus_joint_def *const def = &world->joint[i].def;
    if (world->joint[i].exists && (def->body_a == body || def->body_b == body)) {
      return tl_fail(world->context, TALUS_CALL_ORDER,
                     "body %d is held by joint %d: remove that first", id, world->joint[i].id);
    }
  }
  tl_bonds_drop(world, body);
  for (int32_t i = world->body[body].first_shape; i >= 0; i = world->shape[i].next) {
    tl_geometry_release(world->context, &world->shape[i].geometry);
    world->shape[i].exists = 0;
  }
  world->body[body].exists = 0;
  tl_body_extra_drop(world, body);
  if (++world->body_gaps > GAPS && world->body_gaps > world->body_count / 2) {
    tl_gaps_close(world);
  }
  return TALUS_OK;
}

/* A shape's mass, and its centre in the frame in which the body was defined; per_density: what it
 * follows from. */
static double part_mass(const talus_world *world, const tl_shape_slot *shape,
                        const tl_mass_properties *per_density, double centre[3]) {
  tl_turn3(centre, tl_shape_rotation(world, shape), per_density->centre);
  for (int c = 0; c < 3; c++) {
    centre[c] += shape->defined[c];
  }
  return world->material[shape->material].density * per_density->volume;
}

/* Adds a shape's inertia about a point of the frame in which the body was defined. */
static void part_inertia(const talus_world *world, const tl_shape_slot *shape,
                         const double point[3], double about[6]) {
  const int row[6] = {0, 0, 0, 1, 1, 2}, column[6] = {0, 1, 2, 1, 2, 2};
  double arm[3], inertia[6], turned[6];
  const tl_mass_properties per_density = tl_geometry_mass(&shape->geometry, world->def.plane);
  const double mass = part_mass(world, shape, &per_density, arm);
  for (int c = 0; c < 3; c++) {
    arm[c] -= point[c];
  }
  for (int i = 0; i < 6; i++) {
    inertia[i] = world->material[shape->material].density * per_density.inertia[i];
  }
  tl_inertia_turn(inertia, tl_shape_rotation(world, shape), turned);
  const double square = tl_dot3(arm, arm);
  for (int i = 0; i < 6; i++) {
    about[i] +=
        turned[i] + mass * ((row[i] == column[i] ? square : 0) - arm[row[i]] * arm[column[i]]);
  }
}

/* Mass of all shapes and its centre in the frame in which the body was defined: the mean of their
 * centres, counted from one of them, so that a single shape's centre is met exactly. */
static double clump_mass(const talus_world *world, const tl_body *body, double centre[3]) {
  double total = 0, first[3] = {0}, moment[3] = {0};
  for (int32_t i = body->first_shape; i >= 0; i = world->shape[i].next) {
    const tl_shape_slot *const shape = &world->shape[i];
    const tl_mass_properties per_density = tl_geometry_mass(&shape->geometry, world->def.plane);
    double at[3];
    const double mass = part_mass(world, shape, &per_density, at);
    if (i == body->first_shape) {
      memcpy(first, at, sizeof first);
    }
    total += mass;
    for (int c = 0; c < 3; c++) {
      moment[c] += mass * (at[c] - first[c]);
    }
  }
  for (int c = 0; c < 3; c++) {
    centre[c] = total > 0 ? first[c] + moment[c] / total : 0;
  }
  return total;
}

/* Inverse of a symmetric inertia; a zero one (point mass, locked) stays zero. */
static void inertia_invert(const double *m, double *inverse) {
  double a[9] = {m[0], m[1], m[2], m[1], m[3], m[4], m[2], m[4], m[5]}, result[9], v[9];
  const int place[6] = {0, 1, 2, 4, 5, 8};
  tl_dense_pseudo_invert(a, 3, result, v);
  for (int i = 0; i < 6; i++) {
    inverse[i] = result[place[i]];
  }
}

/* Moves the origin of the body's frame to the centre of mass; shapes and joints' points stay where
 * they are in the world. */
static void centre_move(talus_world *world, int32_t index, const double centre[3]) {
  tl_body *const body = &world->body[index];
  tl_body_extra *const extra = tl_body_extra_at(world, body);
  double shift[3], rotation[9], moved[3];
  for (int c = 0; c < 3; c++) {
    shift[c] = centre[c] - (extra != NULL ? extra->centre[c] : 0);
    if (extra != NULL) {
      extra->centre[c] = centre[c];
    }
  }
  tl_quaternion_matrix(body->orientation, rotation);
  tl_turn3(moved, rotation, shift);
  for (int c = 0; c < 3; c++) {
    body->position[c] += moved[c];
  }
  for (int32_t i = body->first_shape; i >= 0; i = world->shape[i].next) {
    for (int c = 0; c < 3; c++) {
      world->shape[i].position[c] = world->shape[i].defined[c] - centre[c];
    }
  }
  for (int32_t i = 0; i < world->joint_count && body->jointed; i++) {
    tl_joint *const joint = &world->joint[i];
    for (int c = 0; c < 3; c++) {
      joint->arm_a[c] -= joint->def.body_a == index ? shift[c] : 0;
      joint->arm_b[c] -= joint->def.body_b == index ? shift[c] : 0;
    }
  }
  for (int32_t i = 0; i < world->bond_count && body->bonded; i++) {
    tl_bond *const bond = &world->bond[i];
    for (int c = 0; c < 3; c++) {
      bond->of.arm_a[c] -= bond->body_a == index ? shift[c] : 0;
      bond->of.arm_b[c] -= bond->body_b == index ? shift[c] : 0;
    }
  }
}

/* Mass, centre of mass and inertia from all shapes. */
static void mass_update(talus_world *world, int32_t index) {
  tl_body *const body = &world->body[index];
  const tl_shape_slot *const last = &world->shape[body->first_shape];
  double centre[3], about[6] = {0};
  body->round = body->shape_count == 1 && last->geometry.kind == TALUS_SHAPE_SPHERE;
  /* of what does not move freely no mass is asked for */
  const double total = body->type == TALUS_BODY_FREE ? clump_mass(world, body, centre) : 0;
  if (!(total > 0)) {
    body->mass = body->inverse_mass = 0;
    memset(body->inertia, 0, sizeof body->inertia);
    memset(body->inverse_inertia, 0, sizeof body->inverse_inertia);
    if (body->round) { /* its origin stays where it is, perhaps beside the sphere */
      const double *const at = last->position;
      body->round = at[0] == 0 && at[1] == 0 && at[2] == 0;
    }
    return;
  }
  centre_move(world, index, centre);
  for (int32_t i = body->first_shape; i >= 0; i = world->shape[i].next) {
    part_inertia(world, &world->shape[i], centre, about);
  }
  body->mass = total;
  body->inverse_mass = 1 / total;
  memcpy(body->inertia, about, sizeof body->inertia);
  if (world->def.plane) { /* only the turn about y is left */
    for (int c = 0; c < 6; c++) {
      body->inertia[c] = c == 3 ? about[3] : 0;
    }
  }
  inertia_invert(body->inertia, body->inverse_inertia);
}

/* Whether a number can be inverted, squared with others and summed without leaving the range. */
static bool is_moderate(double value) {
  return value > 1e-290 && value < 1e290;
}

/* A free body whose mass or inertia underflows would stand still for ever, as if it were fixed. */
static talus_status mass_check(const talus_world *world, int32_t index, const tl_shape_slot *shape,
                               const tl_mass_properties *per_density) {
  const double density = world->material[shape->material].density;
  const double mass = density * per_density->volume;
  const double away = mass * tl_dot3(shape->defined, shape->defined);
  double least = INFINITY, most = away;
  for (int i = 0; i < 6; i += i == 0 ? 3 : 2) { /* xx yy zz */
    const double inertia = density * per_density->inertia[i];
    if (!world->def.plane || i == 3) {
      least = fmin(least, inertia);
      most = fmax(most, inertia);
    }
  }
  if (is_moderate(mass) && is_moderate(least) && most < 1e290) {
    return TALUS_OK;
  }
  return tl_fail(world->context, TALUS_BAD_SETTING,
                 "body %d: a shape of mass %g kg and inertia %g kg m2 is too %s to be moved",
                 world->body[index].id, mass, least, mass < 1 ? "small" : "large");
}

/* A shape is placed in the link's frame, whose centre of mass is the body's position; the mass is
 * the mechanism's. */
static void link_shape(const talus_world *world, tl_shape_slot *shape) {
  const double *const centre =
      tl_mechanism_of(world, shape->body)->link[world->body[shape->body].link].centre;
  for (int c = 0; c < 3; c++) {
    shape->position[c] -= centre[c];
  }
}

/* The typical radius: of free bodies; of links where there are none. */
static void size_update(talus_world *world, const tl_shape_slot *shape) {
  const int32_t type = world->body[shape->body].type;
  if (!isfinite(shape->size)) {
    return;
  }
  if (type == TALUS_BODY_FREE) {
    world->size_sum += shape->size;
    world->size_count++;
  } else if (type == TALUS_BODY_LINK) {
    world->link_size_sum += shape->size;
    world->link_size_count++;
  }
  if (world->size_count > 0) {
    world->size = world->size_sum / (double)world->size_count;
  } else if (world->link_size_count > 0) {
    world->size = world->link_size_sum / (double)world->link_size_count;
  }
}

/* Whether the shape makes a ball about its own origin of a body without shapes. */
static bool is_lone_ball(const tl_body *body, const talus_shape_def *def) {
  return body->shape_count == 0 && def->kind == TALUS_SHAPE_SPHERE && is_zero3(def->position);
}

/* Writes the rotation of a new shape behind the others, for which there is room, and returns
 * whether it is one. */
static bool shape_turn(const talus_world *world, tl_shape_slot *shape,
                       const double orientation[4]) {
  double rotation[9];
  shape->turn = -1;
  tl_quaternion_matrix(orientation, rotation);
  if (memcmp(rotation, tl_shape_rotation(world, shape), sizeof rotation) == 0) {
    return false;
  }
  shape->turn = world->turn_count;
  memcpy(world->turn[shape->turn], rotation, sizeof rotation);
  return true;
}

talus_status talus_shape_add(talus_world *world, int32_t id, const talus_shape_def *given,
                             int32_t *result) {
  int32_t index;
  TL_TRY(tl_body_find(world, id, &index));
  talus_shape_def own = talus_shape_def_default(TALUS_SHAPE_SPHERE);
  const talus_shape_def *const def = &own;
  TL_TRY(tl_struct_read(world->context, &tl_struct_shape_def, "shape def", given, &own));
  TL_TRY(tl_bodies_edit(world));
  TL_TRY(tl_body_edit(world, index, TL_EDIT_MOTION | TL_EDIT_FACT));
  if (def->material < 0 || def->material >= world->material_count) {
    return tl_fail(world->context, TALUS_INDEX_RANGE, "shape def: material %d does not exist",
                   def->material);
  }
  if (!finite3(def->position) || !tl_quaternion_good(def->orientation)) {
    return tl_fail(world->context, TALUS_BAD_SETTING,
                   "shape def: position is not finite or orientation not a unit quaternion");
  }
  tl_body *const body = &world->body[index];
  if (body->type == TALUS_BODY_FREE && !is_lone_ball(body, def)) {
    TL_TRY(tl_body_extra_take(world, index));
  }
  const bool solid = def->kind != TALUS_SHAPE_HALFSPACE && def->kind != TALUS_SHAPE_MESH;
  if ((body->type == TALUS_BODY_FREE || body->type == TALUS_BODY_LINK) && !solid) {
    return tl_fail(
        world->context, TALUS_UNSUPPORTED,
        "body %d moves freely: half-spaces and meshes are for fixed and kinematic bodies", id);
  }
  TL_TRY(tl_ids_left(world, world->shape_next, "shapes"));
  TL_TRY(tl_world_grow(world, (void **)&world->shape, &world->shape_capacity,
                       world->shape_count + 1, sizeof *world->shape, "shapes"));
  TL_TRY(tl_world_grow(world, (void **)&world->turn, &world->turn_capacity, world->turn_count + 1,
                       sizeof *world->turn, "rotations of shapes"));
  tl_shape_slot *const shape = &world->shape[world->shape_count];
  memset(shape, 0, sizeof *shape);
  TL_TRY(tl_geometry_init(world->context, def, &shape->geometry, NULL));
  shape->exists = 1;
  shape->body = index;
  shape->material = def->material;
  const tl_mass_properties per_density = tl_geometry_mass(&shape->geometry, world->def.plane);
  shape->volume = per_density.volume;
  shape->size = tl_geometry_size(&shape->geometry);
  memcpy(shape->defined, def->position, sizeof shape->defined);
  memcpy(shape->position, def->position, sizeof shape->position);
  const bool turned = shape_turn(world, shape, def->orientation);
  if (body->type == TALUS_BODY_FREE) {
    const talus_status status = mass_check(world, index, shape, &per_density);
    if (status != TALUS_OK) {
      tl_geometry_release(world->context, &shape->geometry);
      return status;
    }
  }
  shape->next = body->first_shape;
  world->turn_count += turned;
  body->first_shape = world->shape_count++;
  body->shape_count++;
  shape->id = world->shape_next++;
  if (body->type == TALUS_BODY_LINK) {
    link_shape(world, shape);
  } else {
    mass_update(world, index);
  }
  size_update(world, shape);
  if (result != NULL) {
    *result = shape->id;
  }
  return TALUS_OK;
}

/* The body of an id, or NULL; where bodies are local, all ranks ask. */
static const tl_body *body_of(const talus_world *world, int32_t id) {
  return world != NULL && tl_body_ask(world, id) == TALUS_OK ? tl_body_at(world, id) : NULL;
}

int32_t talus_body_capacity(const talus_world *world) {
  return world != NULL ? world->body_next : 0;
}

int32_t talus_body_count(const talus_world *world) {
  return world != NULL ? tl_spread_body_count(world) - world->body_gaps : 0;
}

int talus_body_exists(const talus_world *world, int32_t id) {
  return body_of(world, id) != NULL;
}

int32_t talus_body_after(const talus_world *world, int32_t id) {
  if (world != NULL && tl_bodies_whole(world) != TALUS_OK) {
    return TALUS_NONE;
  }
  int32_t slot = world != NULL ? tl_body_after(world, id) : INT32_MAX;
  while (world != NULL && slot < world->body_count && !world->body[slot].exists) {
    slot++;
  }
  return world != NULL && slot < world->body_count ? world->body[slot].id : TALUS_NONE;
}

talus_status talus_body_get(const talus_world *world, int32_t id, talus_body_state *state) {
  int32_t body;
  TL_TRY(tl_body_find(world, id, &body));
  TL_TRY(tl_bodies_read(world));
  if (state == NULL) {
    return tl_fail(world->context, TALUS_INVALID_ARGUMENT, "body %d: state is NULL", id);
  }
  const tl_body *const b = &world->body[body];
  if (b->type == TALUS_BODY_LINK) { /* the mechanism may have been set since the last step */
    tl_link_sync(world, body);
  }
  memcpy(state->position, b->position, sizeof state->position);
  memcpy(state->orientation, b->orientation, sizeof state->orientation);
  memcpy(state->velocity, b->velocity, sizeof state->velocity);
  memcpy(state->spin, b->spin, sizeof state->spin);
  return TALUS_OK;
}

talus_status talus_body_set(talus_world *world, int32_t id, const talus_body_state *state) {
  int32_t body;
  TL_TRY(tl_body_find(world, id, &body));
  TL_TRY(tl_body_edit(world, body, TL_EDIT_MOTION));
  TL_TRY(link_refuse(world, body, "set by itself: use talus_mechanism_set"));
  if (state == NULL) {
    return tl_fail(world->context, TALUS_INVALID_ARGUMENT, "body %d: state is NULL", id);
  }
  if (!finite3(state->position) || !finite3(state->velocity) || !finite3(state->spin) ||
      !tl_quaternion_good(state->orientation)) {
    return tl_fail(world->context, TALUS_NOT_FINITE,
                   "body %d: a state that is not finite, or no unit quaternion", id);
  }
  tl_body *const b = &world->body[body];
  memcpy(b->position, state->position, sizeof state->position);
  memcpy(b->orientation, state->orientation, sizeof state->orientation);
  memcpy(b->velocity, state->velocity, sizeof state->velocity);
  memcpy(b->spin, state->spin, sizeof state->spin);
  tl_body_extra *const extra = tl_body_extra_at(world, b);
  if (extra != NULL) {
    memset(extra->carried, 0, sizeof extra->carried);
  }
  return TALUS_OK;
}

talus_body_type talus_body_kind(const talus_world *world, int32_t id) {
  const tl_body *const body = body_of(world, id);
  return body != NULL ? (talus_body_type)body->type : TALUS_BODY_FIXED;
}

double talus_body_mass(const talus_world *world, int32_t id) {
  const tl_body *const body = body_of(world, id);
  return body != NULL ? body->mass : 0;
}

void talus_body_inertia(const talus_world *world, int32_t id, double inertia[6]) {
  const tl_body *const body = body_of(world, id);
  if (inertia == NULL) {
    return;
  }
  memset(inertia, 0, 6 * sizeof *inertia);
  if (body != NULL) {
    memcpy(inertia, body->inertia, 6 * sizeof *inertia);
  }
}

talus_status talus_body_force(talus_world *world, int32_t id, const double force[3],
                              const double torque[3]) {
  static const double none[3] = {0, 0, 0};
  const double *const f = force != NULL ? force : none, *const t = torque != NULL ? torque : none;
  int32_t body;
  TL_TRY(tl_body_find(world, id, &body));
  if (!finite3(f) || !finite3(t)) {
    return tl_fail(world->context, TALUS_NOT_FINITE, "body %d: force or torque is not finite", id);
  }
  const tl_body_extra *const now = tl_body_extra_of(world, &world->body[body]);
  if (memcmp(f, now->force, sizeof now->force) == 0 &&
      memcmp(t, now->torque, sizeof now->torque) == 0) { /* as it is */
    return TALUS_OK;
  }
  TL_TRY(tl_body_edit(world, body, TL_EDIT_FACT));
  TL_TRY(tl_body_extra_take(world, body));
  tl_body_extra *const extra = tl_body_extra_at(world, &world->body[body]);
  memcpy(extra->force, f, sizeof extra->force);
  memcpy(extra->torque, t, sizeof extra->torque);
  return TALUS_OK;
}
