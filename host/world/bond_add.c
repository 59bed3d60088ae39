/* bond_add.c: the caller's side of bonds: adding, one or all that touch, removing, reading back. */
#include <math.h>
#include <string.h>

#include "host/base/structs.h"
#include "host/world/bond.h"
#include "host/world/cell.h"

static const double PI = 3.14159265358979323846;

void talus_bond_def_init(talus_bond_def *def, size_t size) {
  static const talus_bond_def defaults = {.body_a = TALUS_NONE,
                                          .body_b = TALUS_NONE,
                                          .radius_ratio = 1,
                                          .poisson = 0.25,
                                          .tensile_strength = INFINITY,
                                          .shear_strength = INFINITY,
                                          .tensile_limit = INFINITY,
                                          .shear_limit = INFINITY,
                                          .bending_limit = INFINITY,
                                          .twisting_limit = INFINITY};
  tl_struct_init(&tl_struct_bond_def, &defaults, def, size);
}

/* Numbers that can be judged without the bodies. */
static talus_status numbers_check(talus_context *context, const talus_bond_def *def) {
  const struct {
    const char *name;
    double value, most;
  } numbers[] = {{"gap", def->gap, INFINITY},
                 {"radius", def->radius, 1e300},
                 {"radius_ratio", def->radius_ratio, 1e300},
                 {"length", def->length, 1e300},
                 {"young", def->young, 1e300},
                 {"poisson", def->poisson, 0.5},
                 {"normal_stiffness", def->normal_stiffness, 1e300},
                 {"shear_stiffness", def->shear_stiffness, 1e300},
                 {"bending_stiffness", def->bending_stiffness, 1e300},
                 {"twisting_stiffness", def->twisting_stiffness, 1e300},
                 {"damping", def->damping, 1e300},
                 {"tensile_strength", def->tensile_strength, INFINITY},
                 {"shear_strength", def->shear_strength, INFINITY},
                 {"tensile_limit", def->tensile_limit, INFINITY},
                 {"shear_limit", def->shear_limit, INFINITY},
                 {"bending_limit", def->bending_limit, INFINITY},
                 {"twisting_limit", def->twisting_limit, INFINITY}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    if (!(numbers[i].value >= 0 && numbers[i].value <= numbers[i].most)) {
      return tl_fail(context, TALUS_BAD_SETTING, "bond def: %s is %g, and must be in 0 .. %g",
                     numbers[i].name, numbers[i].value, numbers[i].most);
    }
  }
  if (!(def->young > 0 || def->normal_stiffness > 0 || def->shear_stiffness > 0)) {
    return tl_fail(context, TALUS_BAD_SETTING,
                   "bond def: young, normal_stiffness or shear_stiffness has to be given: without "
                   "stiffness nothing is held (what does not give way is a fixed joint)");
  }
  return TALUS_OK;
}

/* ---- one bond -------------------------------------------------------------------------------- */

/* Whether a bond reaches to the body's centre: what is free, or a ball; not walls. */
static bool has_centre(const tl_body *body) {
  return body->inverse_mass > 0 || body->round;
}

static double length_of(const talus_world *world, const talus_bond_def *def) {
  const int32_t slot[2] = {def->body_a, def->body_b};
  double length = 0;
  for (int side = 0; side < 2; side++) {
    if (slot[side] >= 0 && has_centre(&world->body[slot[side]])) {
      double arm[3];
      tl_sub3(arm, def->point, world->body[slot[side]].position);
      tl_cell_nearest(&world->cell, arm);
      length += tl_norm3(arm);
    }
  }
  return def->length > 0 ? def->length : length;
}

static void stiffness_set(const talus_bond_def *def, tl_bond_numbers *of) {
  const double r = of->radius, area = PI * r * r, bend = 0.25 * area * r * r, l = of->length;
  const double e = def->young, nu = def->poisson, shear = e / (2 * (1 + nu));
  if (e > 0) {
    const double kappa = 6 * (1 + nu) / (7 + 6 * nu); /* Cowper 1966 */
    of->normal = e * area / l;
    of->shear = 1 / (l * l * l / (12 * e * bend) + l / (kappa * shear * area));
    of->bending = e * bend / l;
    of->twisting = shear * 2 * bend / l;
  }
  of->normal = def->normal_stiffness > 0 ? def->normal_stiffness : of->normal;
  of->shear = def->shear_stiffness > 0 ? def->shear_stiffness : of->shear;
  of->bending = def->bending_stiffness > 0 ? def->bending_stiffness : of->bending;
  of->twisting = def->twisting_stiffness > 0 ? def->twisting_stiffness : of->twisting;
}

/* The bond in the frames of its bodies. */
static void bond_make(const talus_world *world, const talus_bond_def *def, tl_bond *bond) {
  tl_bond_numbers *const of = &bond->of;
  double across[2][3], qa[4], qb[4];
  tl_joint_across(def->axis, across);
  tl_joint_local(world, def->body_a, def->point, 0, of->arm_a);
  tl_joint_local(world, def->body_b, def->point, 0, of->arm_b);
  tl_joint_local(world, def->body_a, def->axis, 1, of->axis_a);
  tl_joint_local(world, def->body_b, def->axis, 1, of->axis_b);
  tl_joint_local(world, def->body_a, across[0], 1, of->side_a);
  tl_joint_orientation(world, def->body_a, qa);
  tl_joint_orientation(world, def->body_b, qb);
  const double back[4] = {qa[0], -qa[1], -qa[2], -qa[3]};
  tl_quaternion_times(back, qb, of->relative);
  of->damping = def->damping;
  of->strength[0] = def->tensile_strength;
  of->strength[1] = def->shear_strength;
  of->limit[TALUS_BOND_TENSION] = def->tensile_limit;
  of->limit[TALUS_BOND_BENDING] = def->bending_limit;
  of->limit[TALUS_BOND_SHEAR] = def->shear_limit;
  of->limit[TALUS_BOND_TWISTING] = def->twisting_limit;
}

/* Adds a bond whose point and axis are known; size: of the smaller of the shapes it holds. Bodies
 * are slots. */
static talus_status bond_put(talus_world *world, const talus_bond_def *def, double size,
                             int32_t *result) {
  TL_TRY(tl_ids_left(world, world->bond_next, "bonds"));
  TL_TRY(tl_world_grow(world, (void **)&world->bond, &world->bond_capacity, world->bond_count + 1,
                       sizeof *world->bond, "bonds"));
  tl_bond *const bond = &world->bond[world->bond_count];
  memset(bond, 0, sizeof *bond);
  bond->of.radius = def->radius > 0 ? def->radius : def->radius_ratio * size;
  bond->of.length = length_of(world, def);
  if (!(bond->of.radius > 0 && isfinite(bond->of.radius)) ||
      !(bond->of.length > 0 && isfinite(bond->of.length))) {
    return tl_fail(world->context, TALUS_BAD_SETTING,
                   "bond def: radius %g and length %g have to be above 0; they do not follow from "
                   "the bodies here: give both",
                   bond->of.radius, bond->of.length);
  }
  stiffness_set(def, &bond->of);
  bond_make(world, def, bond);
  bond->id = world->bond_next++;
  bond->body_a = def->body_a;
  bond->body_b = def->body_b;
  bond->exists = 1;
  world->bond_count++;
  world->bonds_changed = true;
  for (int side = 0; side < 2; side++) {
    const int32_t slot = side ? def->body_b : def->body_a;
    if (slot >= 0) {
      world->body[slot].bonded = 1;
    }
  }
  if (result != NULL) {
    *result = bond->id;
  }
  return TALUS_OK;
}

/* What every addition begins with. *def gets the caller's values. */
static talus_status add_begin(talus_world *world, const talus_bond_def *given,
                              talus_bond_def *def) {
  if (world == NULL || given == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  *def = talus_bond_def_default();
  TL_TRY(tl_struct_read(world->context, &tl_struct_bond_def, "bond def", given, def));
  TL_TRY(numbers_check(world->context, def));
  TL_TRY(tl_world_edit(world));
  tl_links_sync(world); /* seen from where the bodies are */
  return TALUS_OK;
}

static bool movable(const talus_world *world, int32_t slot) {
  return slot >= 0 && world->body[slot].inverse_mass > 0;
}

/* *def gets the slots of its bodies. */
static talus_status bodies_find(const talus_world *world, talus_bond_def *def) {
  const int32_t id[2] = {def->body_a, def->body_b};
  for (int side = 0; side < 2; side++) {
    if (id[side] != TALUS_NONE) {
      TL_TRY(tl_body_find(world, id[side], side ? &def->body_b : &def->body_a));
    }
  }
  if ((!movable(world, def->body_a) && !movable(world, def->body_b)) ||
      def->body_a == def->body_b) {
    return tl_fail(world->context, TALUS_IMMOVABLE_PAIR,
                   "bond between bodies %d and %d: at least one must be free, and they must differ",
                   id[0], id[1]);
  }
  return TALUS_OK;
}

static talus_status axis_check(talus_context *context, const talus_bond_def *def) {
  if (!isfinite(def->point[0] + def->point[1] + def->point[2])) {
    return tl_fail(context, TALUS_NOT_FINITE, "bond def: point is not finite");
  }
  const double length = tl_norm3(def->axis);
  return fabs(length - 1) <= 1e-6
             ? TALUS_OK
             : tl_fail(context, TALUS_NORMAL_LENGTH, "bond def: axis has length %g, not 1", length);
}

static double body_size(const talus_world *world, int32_t slot) {
  double size = slot >= 0 && world->body[slot].first_shape >= 0 ? 0 : INFINITY;
  for (int32_t s = slot >= 0 ? world->body[slot].first_shape : -1; s >= 0;
       s = world->shape[s].next) {
    size = fmax(size, world->shape[s].size);
  }
  return size;
}

/* Where the two touch; BAD_SETTING if they do not. *size: of the smaller of the shapes. */
static talus_status touch_find(talus_world *world, talus_bond_def *def, double *size) {
  const int32_t body[2] = {def->body_a, def->body_b};
  const bool placed = tl_dot3(def->axis, def->axis) > 0, far = !(def->gap < INFINITY);
  *size = fmin(body_size(world, body[0]), body_size(world, body[1]));
  if (placed && (far || body[0] < 0 || body[1] < 0)) {
    return TALUS_OK;
  }
  if (body[0] < 0 || body[1] < 0 || far) {
    return tl_fail(world->context, TALUS_BAD_SETTING,
                   "bond def: between a body and the world, or over any distance, it needs an "
                   "axis and a point");
  }
  tl_touch *touch;
  int32_t count;
  TL_TRY(tl_touches_find(world, 2, body, def->gap, &touch, &count));
  if (count > 0) {
    *size = touch->size;
    for (int c = 0; c < 3 && !placed; c++) {
      def->point[c] = touch->point[c];
      def->axis[c] = (def->body_a == touch->body_a ? 1 : -1) * touch->normal[c];
    }
  }
  tl_free(world->context, touch);
  double apart[3];
  tl_sub3(apart, world->body[body[1]].position, world->body[body[0]].position);
  tl_cell_nearest(&world->cell, apart);
  return count > 0
             ? TALUS_OK
             : tl_fail(world->context, TALUS_BAD_SETTING,
                       "bond between bodies %d and %d: they do not touch (centres %g m apart; gap "
                       "%g m is allowed): bodies that do not touch are bonded by a larger gap, or "
                       "by INFINITY with axis and point",
                       world->body[body[0]].id, world->body[body[1]].id, tl_norm3(apart),
                       def->gap > 0 ? def->gap : 0.01 * *size);
}

talus_status talus_bond_add(talus_world *world, const talus_bond_def *given, int32_t *bond) {
  talus_bond_def def;
  double size;
  TL_TRY(add_begin(world, given, &def));
  TL_TRY(bodies_find(world, &def));
  if (tl_dot3(def.axis, def.axis) != 0) {
    TL_TRY(axis_check(world->context, &def));
  }
  TL_TRY(touch_find(world, &def, &size));
  TL_TRY(bond_put(world, &def, size, bond));
  return tl_solver_prepare_rows(world);
}

/* ---- all that touch -------------------------------------------------------------------------- */

static talus_status touches_bond(talus_world *world, talus_bond_def *def, const tl_touch *touch,
                                 int32_t count, int32_t *added) {
  TL_TRY(tl_bond_pairs_find(world)); /* those that are bonded before */
  for (int32_t i = 0; i < count; i++) {
    if (tl_bonded(world, touch[i].body_a, touch[i].body_b)) {
      continue;
    }
    def->body_a = touch[i].body_a;
    def->body_b = touch[i].body_b;
    memcpy(def->point, touch[i].point, sizeof def->point);
    memcpy(def->axis, touch[i].normal, sizeof def->axis);
    TL_TRY(bond_put(world, def, touch[i].size, NULL));
    ++*added;
  }
  return TALUS_OK;
}

/* Slots of the caller's bodies, to be freed. */
static talus_status slots_find(const talus_world *world, int32_t count, const int32_t *body,
                               int32_t **slots) {
  TL_TRY(tl_alloc(world->context, (void **)slots, (size_t)count + 1, sizeof **slots,
                  "bodies to be bonded"));
  for (int32_t i = 0; i < count; i++) {
    const talus_status status = tl_body_find(world, body[i], *slots + i);
    if (status != TALUS_OK) {
      tl_free(world->context, *slots);
      *slots = NULL;
      return status;
    }
  }
  return TALUS_OK;
}

talus_status talus_bonds_add(talus_world *world, const talus_bond_def *given, int32_t count,
                             const int32_t *body, int32_t *added) {
  talus_bond_def def;
  int32_t *slots = NULL, made = 0, touch_count = 0;
  tl_touch *touch = NULL;
  TL_TRY(add_begin(world, given, &def));
  if ((body != NULL && count < 0) || !(def.gap < INFINITY)) {
    return tl_fail(world->context, TALUS_BAD_SETTING,
                   "bonds: %d bodies within %g m: both have to be finite and not negative", count,
                   def.gap);
  }
  if (body != NULL) {
    TL_TRY(slots_find(world, count, body, &slots));
  }
  talus_status status = tl_touches_find(world, count, slots, def.gap, &touch, &touch_count);
  if (status == TALUS_OK) {
    status = touches_bond(world, &def, touch, touch_count, &made);
  }
  tl_free(world->context, touch);
  tl_free(world->context, slots);
  if (status == TALUS_OK && made > 0) {
    status = tl_solver_prepare_rows(world);
  }
  if (status == TALUS_OK && added != NULL) {
    *added = made;
  }
  return status;
}

/* ---- removing, reading back ------------------------------------------------------------------ */

static void bond_drop(talus_world *world, tl_bond *bond) {
  bond->exists = 0;
  world->bond_gaps++;
  world->bonds_changed = true;
}

talus_status talus_bond_remove(talus_world *world, int32_t id) {
  const int32_t slot = world != NULL ? tl_bond_slot(world, id) : -1;
  if (slot < 0) {
    return tl_fail(world != NULL ? world->context : NULL, TALUS_INDEX_RANGE,
                   "bond %d does not exist", id);
  }
  bond_drop(world, &world->bond[slot]);
  return TALUS_OK;
}

void tl_bonds_drop(talus_world *world, int32_t body) {
  for (int32_t i = 0; i < world->bond_count && world->body[body].bonded; i++) {
    tl_bond *const bond = &world->bond[i];
    if (bond->exists && (bond->body_a == body || bond->body_b == body)) {
      bond_drop(world, bond);
    }
  }
}

int32_t talus_world_bonds(const talus_world *world, const talus_bond **bonds) {
  const int32_t count = world != NULL ? world->bond_count - world->bond_gaps : 0;
  if (bonds == NULL || world == NULL) {
    return count;
  }
  *bonds = NULL;
  if (tl_buffer_reserve(world->context, world->shown_bonds, (size_t)count, sizeof **bonds,
                        "bonds that are shown") != TALUS_OK) {
    return TALUS_NONE;
  }
  talus_bond *shown = world->shown_bonds->memory;
  *bonds = shown;
  for (int32_t i = 0; i < world->bond_count; i++) {
    if (world->bond[i].exists) {
      *shown++ = tl_bond_shown(world, &world->bond[i], tl_part_seconds(world));
    }
  }
  return count;
}

int32_t talus_world_broken(const talus_world *world, const talus_broken_bond **broken) {
  if (broken != NULL) {
    *broken = world != NULL ? world->broken : NULL;
  }
  return world != NULL ? world->broken_count : 0;
}
