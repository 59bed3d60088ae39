/* cell.c: see cell.h. */
#include "host/world/cell.h"

#include <math.h>
#include <string.h>

#include "host/base/structs.h"
#include "host/math/lattice.h"

/* Positions in cell->edge and cell->rate. */
enum { XX, YY, ZZ, XY, XZ, YZ };

void talus_cell_init(talus_cell *cell, size_t size) {
  static const talus_cell defaults = {.rate_limit = 10};
  tl_struct_init(&tl_struct_cell, &defaults, cell, size);
}

/* ---- lattice --------------------------------------------------------------------------------- */

static void image_steps(int32_t image, double m[3]) {
  const int32_t code = image + TL_IMAGE_COUNT;
  m[0] = code % 3 - 1;
  m[1] = code / 3 % 3 - 1;
  m[2] = code / 9 - 1;
}

void tl_cell_shift(const tl_cell *cell, int32_t image, double shift[3]) {
  double m[3];
  image_steps(image, m);
  tl_lattice_point(cell->def.edge, m, shift);
}

void tl_cell_drift(const tl_cell *cell, int32_t image, double drift[3]) {
  double shift[3];
  tl_cell_shift(cell, image, shift);
  tl_lattice_point(cell->def.rate, shift, drift);
}

void tl_cell_nearest(const tl_cell *cell, double way[3]) {
  tl_lattice_nearest(cell->def.edge, cell->def.periodic, way);
}

double tl_cell_volume(const tl_cell *cell) {
  return cell->def.edge[XX] * (cell->plane ? 1 : cell->def.edge[YY]) * cell->def.edge[ZZ];
}

/* Distances between opposite faces. */
static void heights(const double *e, double height[3]) {
  const double y[2] = {1 / e[YY], -e[YZ] / (e[YY] * e[ZZ])};
  const double x[3] = {1 / e[XX], -e[XY] / (e[XX] * e[YY]),
                       (e[XY] * e[YZ] - e[XZ] * e[YY]) / (e[XX] * e[YY] * e[ZZ])};
  height[0] = 1 / sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  height[1] = 1 / sqrt(y[0] * y[0] + y[1] * y[1]);
  height[2] = e[ZZ];
}

/* ---- images of colliders --------------------------------------------------------------------- */

/* What a collider needs around its position: its extent, its margin, and what others have. */
typedef struct reach {
  double own, others, height[3];
} reach;

/* Whether the image is near enough to the cell to meet a body in it. */
static bool is_near(const tl_cell *cell, const double *part, const reach *r, int32_t image) {
  double m[3];
  image_steps(image, m);
  for (int c = 0; c < 3; c++) {
    const double room = (r->own + r->others) / r->height[c], at = part[c] + m[c];
    if (m[c] != 0 && (!(cell->def.periodic >> c & 1) || at < -room || at > 1 + room)) {
      return false;
    }
  }
  return true;
}

/* Half-spaces have no images: they must be the same across each periodic face. */
static talus_status halfspace_check(const talus_world *world, const tl_collider *collider) {
  const double *const r = collider->pose.rotation;
  const double normal[3] = {r[2], r[5], r[8]};
  for (int c = 0; c < 3; c++) {
    if ((world->cell.def.periodic >> c & 1) && fabs(normal[c]) > 1e-9) {
      return tl_fail(world->context, TALUS_UNSUPPORTED,
                     "cell: the half-space of body %d is not the same across the periodic faces "
                     "along %c; its normal must be at right angles to them",
                     collider->body, "xyz"[c]);
    }
  }
  return TALUS_OK;
}

/* A free body must not meet another one through two faces at once. */
static talus_status extent_check(const talus_world *world, const tl_collider *collider, double own,
                                 const double height[3]) {
  for (int c = 0; c < 3; c++) {
    if ((world->cell.def.periodic >> c & 1) && collider->movable && !(4 * own <= height[c])) {
      return tl_fail(world->context, TALUS_UNSUPPORTED,
                     "cell: it is %g m wide along %c, less than two diameters and margins of body "
                     "%d, which reaches %g m; a larger cell is needed",
                     height[c], "xyz"[c], collider -> body, own);
    }
  }
  return TALUS_OK;
}

static double extent_of(const tl_collider *collider) {
  return tl_geometry_reach(collider->geometry) + collider->margin;
}

static void image_place(const talus_world *world, int32_t from, int32_t image, int32_t to) {
  tl_collider *const collider = world->colliders.memory;
  tl_collider_fact *const fact = world->facts.memory;
  double shift[3];
  tl_cell_shift(&world->cell, image, shift);
  collider[to] = collider[from];
  collider[to].movable = 0; /* meets what stands in the cell itself */
  tl_along3(collider[to].pose.position, collider[from].pose.position, 1, shift);
  fact[to] = fact[from];
  fact[to].image = image;
}

/* The images of one collider, from place `count` on where there is room; returns how many. */
static int32_t images_of(const talus_world *world, int32_t i, const reach *r, int32_t count,
                         int32_t capacity) {
  const tl_collider *const collider = (const tl_collider *)world->colliders.memory + i;
  double away[3], part[3];
  int32_t found = 0;
  tl_sub3(away, collider->pose.position, world->cell.def.origin);
  tl_lattice_parts(world->cell.def.edge, away, part);
  for (int32_t image = collider->movable ? 1 : -TL_IMAGE_COUNT; image <= TL_IMAGE_COUNT; image++) {
    if (image != 0 && is_near(&world->cell, part, r, image)) {
      if (count + found < capacity) {
        image_place(world, i, image, count + found);
      }
      found++;
    }
  }
  return found;
}

talus_status tl_cell_images(talus_world *world, int32_t count, int32_t capacity) {
  const tl_collider *const collider = world->colliders.memory;
  reach r = {.others = 0};
  if (world->cell.def.servo != 0 && !world->soft) {
    return tl_fail(world->context, TALUS_UNSUPPORTED,
                   "cell: sides that follow a stress need contacts that give way: rigid ones carry "
                   "any. Give the world softness AUTO, or materials a stiffness or young");
  }
  heights(world->cell.def.edge, r.height);
  for (int32_t i = 0; i < count; i++) {
    r.others = collider[i].movable ? fmax(r.others, extent_of(&collider[i])) : r.others;
  }
  world->collider_count = count;
  for (int32_t i = 0; i < count; i++) {
    if (collider[i].geometry->kind == TALUS_SHAPE_HALFSPACE) {
      TL_TRY(halfspace_check(world, &collider[i]));
      continue;
    }
    r.own = extent_of(&collider[i]);
    TL_TRY(extent_check(world, &collider[i], r.own, r.height));
    world->collider_count += images_of(world, i, &r, world->collider_count, capacity);
  }
  return TALUS_OK;
}

/* ---- motion ---------------------------------------------------------------------------------- */

void tl_cell_move(talus_world *world, double dt) {
  double *const e = world->cell.def.edge;
  const double *const l = world->cell.def.rate;
  if (world->cell.def.periodic == 0) {
    return;
  }
  /* columns of H + dt L H */
  const double xz = l[XX] * e[XZ] + l[XY] * e[YZ] + l[XZ] * e[ZZ];
  const double yz = l[YY] * e[YZ] + l[YZ] * e[ZZ], xy = l[XX] * e[XY] + l[XY] * e[YY];
  e[XX] += dt * l[XX] * e[XX];
  e[XY] += dt * xy;
  e[XZ] += dt * xz;
  e[YZ] += dt * yz;
  e[YY] += dt * l[YY] * e[YY];
  e[ZZ] += dt * l[ZZ] * e[ZZ];
  for (int c = 0; c < 3; c++) {
    world->cell.strain[c] += dt * l[c];
    world->cell.strain[3 + c] += dt * l[3 + c];
  }
}

/* Edges that lean by more than half of the one below are replaced by others of the same lattice. */
static void lean_less(double *e) {
  const double yz = floor(e[YZ] / e[YY] + 0.5);
  e[YZ] -= yz * e[YY];
  e[XZ] -= yz * e[XY];
  e[XZ] -= floor(e[XZ] / e[XX] + 0.5) * e[XX];
  e[XY] -= floor(e[XY] / e[XX] + 0.5) * e[XX];
}

void tl_cell_wrap(talus_world *world) {
  tl_cell *const cell = &world->cell;
  if (cell->def.periodic == 0) {
    return;
  }
  lean_less(cell->def.edge);
  for (int32_t i = 0; i < world->body_count; i++) {
    tl_body *const body = &world->body[i];
    double away[3], m[3], shift[3], drift[3];
    if (!body->exists || body->type != TALUS_BODY_FREE) {
      continue;
    }
    tl_sub3(away, body->position, cell->def.origin);
    tl_lattice_steps(cell->def.edge, cell->def.periodic, away, 0, m);
    if (m[0] != 0 || m[1] != 0 || m[2] != 0) {
      tl_lattice_point(cell->def.edge, m, shift);
      tl_lattice_point(cell->def.rate, shift, drift);
      tl_sub3(body->position, body->position, shift);
      tl_sub3(body->velocity, body->velocity, drift);
    }
  }
}

/* Mass and centre of mass of all that moves, as it stands in the cell. */
static double centre_of(const talus_world *world, double centre[3]) {
  double mass = 0;
  tl_set3(centre, 0, 0, 0);
  for (int32_t i = 0; i < world->body_count; i++) {
    const tl_body *const body = &world->body[i];
    if (body->exists && body->type == TALUS_BODY_FREE) {
      mass += body->mass;
      tl_along3(centre, centre, body->mass, body->position);
    }
  }
  tl_scale3(centre, mass > 0 ? 1 / mass : 0, centre);
  return mass;
}

/* Gives the bodies the change of the mean motion about their centre of mass, which keeps their
 * momentum, and the cell its new rate. */
static void rate_set(talus_world *world, const double *rate) {
  double change[6], gain[3], away[3], centre[3];
  bool same = true;
  centre_of(world, centre);
  for (int c = 0; c < 6; c++) {
    change[c] = rate[c] - world->cell.def.rate[c];
    same = same && change[c] == 0;
    world->cell.def.rate[c] = rate[c];
  }
  for (int32_t i = 0; i < world->body_count && !same; i++) {
    tl_body *const body = &world->body[i];
    if (body->exists && body->type == TALUS_BODY_FREE) {
      tl_sub3(away, body->position, centre);
      tl_lattice_point(change, away, gain);
      tl_along3(body->velocity, body->velocity, 1, gain);
    }
  }
}

/* ---- stress ---------------------------------------------------------------------------------- */

/* The velocity of a free body beyond the mean motion about the centre. */
static bool own_velocity(const talus_world *world, int32_t i, const double *centre,
                         const double *velocity, double own[3]) {
  const tl_body *const body = &world->body[i];
  double away[3], mean[3];
  tl_sub3(away, body->position, centre);
  tl_lattice_point(world->cell.def.rate, away, mean);
  tl_sub3(own, velocity + 6 * (int64_t)i, mean);
  return body->exists && body->type == TALUS_BODY_FREE;
}

/* The branch of a contact: from centre to centre, of walls from where they touch. */
static void branch_of(const talus_world *world, const tl_world_contact *contact, double branch[3]) {
  const tl_body *const a = &world->body[contact->body_a];
  const tl_body *const b = &world->body[contact->body_b];
  double from[3], to[3], shift[3];
  tl_cell_shift(&world->cell, contact->image, shift);
  tl_along3(to, b->position, 1, shift);
  tl_copy3(from, a->inverse_mass > 0 ? a->position : contact->shown.point);
  tl_sub3(branch, b->inverse_mass > 0 ? to : contact->shown.point, from);
}

/* Adds what contacts carry, times volume: impulses of the last step times branches over time. */
static void contact_stress_add(const talus_world *world, double dt, double stress[9]) {
  for (int32_t k = 0; k < world->contact_count; k++) {
    const tl_world_contact *const contact = &world->contact[k];
    double branch[3];
    branch_of(world, contact, branch);
    for (int i = 0; i < 9; i++) {
      stress[i] += contact->shown.impulse[i / 3] * branch[i % 3] / dt;
    }
  }
}

/* Adds what bodies carry by their motion, times volume, the mean motion and their common drift left
 * out. */
static void motion_stress_add(const talus_world *world, const double *after, double stress[9]) {
  double centre[3], drift[3] = {0, 0, 0}, own[3];
  const double mass = centre_of(world, centre);
  for (int32_t i = 0; i < world->body_count; i++) {
    if (own_velocity(world, i, centre, after, own)) {
      tl_along3(drift, drift, world->body[i].mass / mass, own);
    }
  }
  for (int32_t i = 0; i < world->body_count; i++) {
    if (own_velocity(world, i, centre, after, own)) {
      tl_sub3(own, own, drift);
      for (int c = 0; c < 9; c++) {
        stress[c] += world->body[i].mass * own[c / 3] * own[c % 3];
      }
    }
  }
}

talus_status talus_world_stress(const talus_world *world, double stress[9]) {
  if (world == NULL || stress == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  if (world->cell.def.periodic == 0) {
    return tl_fail(world->context, TALUS_CALL_ORDER, "the world has no periodic cell");
  }
  memcpy(stress, world->cell.stress, 9 * sizeof *stress);
  return TALUS_OK;
}

void tl_cell_measure(talus_world *world, double dt, const double *after) {
  double *const stress = world->cell.stress;
  if (world->cell.def.periodic == 0) {
    return;
  }
  memset(stress, 0, 9 * sizeof *stress);
  contact_stress_add(world, dt, stress);
  motion_stress_add(world, after, stress);
  for (int i = 0; i < 9; i++) {
    stress[i] /= tl_cell_volume(&world->cell);
  }
}

void tl_cell_follow(talus_world *world, double dt) {
  /* the walls' weight keeps their oscillation against the grains' springs slower than a step; the
   * damping ends it, and leaves alone what lasts: a sample that steadily gives way is followed
   * without an error that stays */
  static const double WEIGHT = 4, DAMPING = 0.98, LASTING = 0.01;
  tl_cell *const cell = &world->cell;
  double centre[3];
  const double mass = cell->def.servo != 0 ? WEIGHT * centre_of(world, centre) : 0;
  if (!(mass > 0)) {
    return;
  }
  double rate[6];
  memcpy(rate, cell->def.rate, sizeof rate);
  for (int c = 0; c < 3; c++) {
    if (cell->def.servo >> c & 1) {
      const double e = cell->def.edge[c], limit = cell->def.rate_limit;
      const double push = (cell->stress[4 * c] - cell->def.stress[c]) * tl_cell_volume(cell);
      const double mean = cell->mean_rate[c];
      const double next = mean + DAMPING * (rate[c] + dt * push / (mass * e * e) - mean);
      rate[c] = fmin(limit, fmax(-limit, next));
      cell->mean_rate[c] += LASTING * (rate[c] - mean);
    }
  }
  rate_set(world, rate);
}

/* ---- public ---------------------------------------------------------------------------------- */

static talus_status cell_check(const talus_world *world, const talus_cell *cell) {
  for (int c = 0; c < 3; c++) {
    if (!(cell->edge[c] > 0 && isfinite(cell->edge[c])) || !isfinite(cell->origin[c])) {
      return tl_fail(world->context, TALUS_BAD_SETTING,
                     "cell: edge[%d] is %g and origin[%d] %g; edges must be above 0", c,
                     cell->edge[c], c, cell->origin[c]);
    }
    if ((cell->servo >> c & 1) && !(cell->periodic >> c & 1)) {
      return tl_fail(world->context, TALUS_BAD_SETTING,
                     "cell: servo along %c, which is not periodic", "xyz"[c]);
    }
    if ((cell->servo >> c & 1) && !(cell->stress[c] >= 0 && isfinite(cell->stress[c]))) {
      return tl_fail(world->context, TALUS_BAD_SETTING, "cell: stress[%d] is %g, and must be >= 0",
                     c, cell->stress[c]);
    }
    if ((cell->periodic >> c & 1) == 0 && cell->rate[c] != 0) {
      return tl_fail(world->context, TALUS_BAD_SETTING,
                     "cell: rate[%d] is %g along %c, which is not periodic", c, cell->rate[c],
                     "xyz"[c]);
    }
  }
  static const int across[3][2] = {{0, 1}, {0, 2}, {1, 2}};
  for (int c = 0; c < 3; c++) {
    const bool both = (cell->periodic >> across[c][0] & 1) && (cell->periodic >> across[c][1] & 1);
    if (!isfinite(cell->edge[3 + c]) || !isfinite(cell->rate[3 + c]) || !isfinite(cell->rate[c]) ||
        (!both && (cell->edge[3 + c] != 0 || cell->rate[3 + c] != 0))) {
      return tl_fail(world->context, TALUS_BAD_SETTING,
                     "cell: shear of %c%c, edge[%d] %g and rate[%d] %g, needs both sides periodic",
                     "xyz"[across[c][0]], "xyz"[across[c][1]], 3 + c, cell->edge[3 + c], 3 + c,
                     cell->rate[3 + c]);
    }
  }
  return TALUS_OK;
}

talus_status tl_cell_refuse(const talus_world *world, const char *what) {
  return world->cell.def.periodic == 0
             ? TALUS_OK
             : tl_fail(world->context, TALUS_UNSUPPORTED,
                       "%s in a periodic cell is not possible: a world has one or the other", what);
}

static talus_status servo_check(const talus_world *world, const talus_cell *cell) {
  if (cell->servo >> 3 != 0) {
    return tl_fail(world->context, TALUS_BAD_SETTING,
                   "cell: servo %u has bits beyond those of x, y and z", cell->servo);
  }
  if (!(cell->rate_limit > 0)) {
    return tl_fail(world->context, TALUS_BAD_SETTING, "cell: rate_limit is %g, and must be above 0",
                   cell->rate_limit);
  }
  return TALUS_OK;
}

static talus_status world_check(const talus_world *world, const talus_cell *cell) {
  if (world->def.plane && (cell->periodic & 2)) {
    return tl_fail(world->context, TALUS_BAD_SETTING, "cell: a plane world has no y to repeat");
  }
  if (world->joint_count > world->joint_gaps || world->bond_count > world->bond_gaps ||
      world->mechanism_count > 0) {
    return tl_fail(world->context, TALUS_UNSUPPORTED,
                   "cell: joints, bonds and mechanisms are not possible in a periodic cell");
  }
  return TALUS_OK;
}

talus_status talus_world_set_cell(talus_world *world, const talus_cell *given) {
  talus_cell own;
  if (world == NULL || given == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  talus_cell_init(&own, sizeof own);
  TL_TRY(tl_struct_read(world->context, &tl_struct_cell, "cell", given, &own));
  TL_TRY(tl_world_edit(world));
  if (own.periodic >> 3 != 0) {
    return tl_fail(world->context, TALUS_BAD_SETTING,
                   "cell: periodic %u has bits beyond those of x, y and z", own.periodic);
  }
  if (own.periodic != 0) {
    TL_TRY(servo_check(world, &own));
    TL_TRY(cell_check(world, &own));
    TL_TRY(world_check(world, &own));
  }
  double rate[6];
  memcpy(rate, own.rate, sizeof rate);
  memcpy(own.rate, world->cell.def.periodic != 0 ? world->cell.def.rate : own.rate,
         sizeof own.rate);
  if (world->cell.def.periodic == 0) {
    memset(own.rate, 0, sizeof own.rate); /* bodies are given the whole of it */
  }
  for (int c = 0; c < 3; c++) { /* a servo that begins has seen no rate yet */
    world->cell.mean_rate[c] *= own.servo >> c & world->cell.def.servo >> c & 1;
  }
  world->cell.def = own;
  world->cell.plane = world->def.plane;
  if (own.periodic != 0) {
    rate_set(world, rate);
    tl_cell_wrap(world);
  }
  return TALUS_OK;
}

talus_status talus_world_cell(const talus_world *world, talus_cell *cell) {
  if (world == NULL || cell == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  TL_TRY(tl_struct_check(world->context, &tl_struct_cell, "cell", cell));
  tl_struct_write(&tl_struct_cell, &world->cell.def, cell);
  return TALUS_OK;
}
