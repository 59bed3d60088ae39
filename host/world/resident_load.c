/* resident_load.c: a world on its way to the memory of a device and back. */
#include <math.h>
#include <string.h>

#include "host/world/problem_build.h"
#include "host/world/resident.h"

enum { MATERIALS = 256 }; /* pairs of them are written out */

/* ---- what a device takes --------------------------------------------------------------------- */

static bool shape_suits(const talus_world *world, const tl_shape_slot *shape) {
  const tl_body *const body = &world->body[shape->body];
  return shape->geometry->kind == TALUS_SHAPE_SPHERE
             ? body->round || body->type == TALUS_BODY_FIXED
             : shape->geometry->kind == TALUS_SHAPE_HALFSPACE && !(body->inverse_mass > 0);
}

static const char *shapes_reason(const talus_world *world) {
  for (int32_t i = 0; i < world->shape_count; i++) {
    if (!shape_suits(world, &world->shape[i])) {
      return "shapes that are neither balls nor half-spaces";
    }
  }
  for (int32_t i = 0; i < world->body_count; i++) {
    const tl_body *const body = &world->body[i];
    if (body->inverse_mass > 0 && !(body->round && body->shape_count == 1)) {
      return "bodies that are no balls";
    }
  }
  return world->material_count > MATERIALS ? "many materials" : NULL;
}

/* ---- memory of the host's copies ------------------------------------------------------------- */

/* Where arrays lie in one piece of memory; without memory it only counts. */
typedef struct pieces {
  char *memory;
  size_t used;
} pieces;

static void *piece(pieces *p, size_t count, size_t size) {
  void *const at = p->memory != NULL ? p->memory + p->used : NULL;
  p->used += (count * size + 15) / 16 * 16;
  return at;
}

/* The arrays that cross the border. */
typedef struct copies {
  tl_body_motion *motion;
  tl_body_fact *fact;
  tl_shape_fact *shape;
  double *inverse_mass, *inverse_inertia, *friction, *restitution;
  tl_spring_material *spring;
  tl_resident_contacts contacts;
} copies;

static void copies_take(const talus_world *world, pieces *p, size_t contacts, copies *c) {
  const size_t bodies = (size_t)world->body_count, materials = (size_t)world->material_count;
  c->motion = piece(p, bodies, sizeof *c->motion);
  c->fact = piece(p, bodies, sizeof *c->fact);
  c->shape = piece(p, (size_t)world->shape_count, sizeof *c->shape);
  c->inverse_mass = piece(p, bodies, sizeof(double));
  c->inverse_inertia = piece(p, 6 * bodies, sizeof(double));
  c->friction = piece(p, materials * materials, sizeof(double));
  c->restitution = piece(p, materials * materials, sizeof(double));
  c->spring = piece(p, materials, sizeof *c->spring);
  c->contacts.count = 0;
#define TL_FIELD(type, name, components) \
  c->contacts.name = piece(p, (components)*contacts, sizeof(type));
  TL_RESIDENT_LIST(TL_FIELD)
#undef TL_FIELD
}

static talus_status copies_reserve(tl_world_resident *resident, int32_t contacts, copies *c) {
  pieces count = {NULL, 0};
  copies_take(resident->world, &count, (size_t)contacts, c);
  TL_TRY(tl_buffer_reserve(resident->world->context, &resident->load_memory, count.used, 1,
                           "copy of the world"));
  pieces room = {resident->load_memory.memory, 0};
  copies_take(resident->world, &room, (size_t)contacts, c);
  return TALUS_OK;
}

/* ---- to the device --------------------------------------------------------------------------- */

static void bodies_copy(tl_world_resident *resident, const copies *c) {
  const talus_world *const world = resident->world;
  resident->kinematic_count = 0;
  resident->turning = false;
  for (int32_t i = 0; i < world->body_count; i++) {
    const tl_body *const body = &world->body[i];
    tl_body_motion *const motion = &c->motion[i];
    tl_body_fact *const fact = &c->fact[i];
    memcpy(motion->position, body->position, sizeof body->position);
    memcpy(motion->orientation, body->orientation, sizeof body->orientation);
    memcpy(motion->velocity, body->velocity, sizeof body->velocity);
    memcpy(motion->spin, body->spin, sizeof body->spin);
    fact->mass = body->mass;
    fact->inverse_mass = body->inverse_mass;
    memcpy(fact->inertia, body->inertia, sizeof body->inertia);
    memcpy(fact->inverse_inertia, body->inverse_inertia, sizeof body->inverse_inertia);
    memcpy(fact->force, body->force, sizeof body->force);
    memcpy(fact->torque, body->torque, sizeof body->torque);
    fact->free = body->type == TALUS_BODY_FREE;
    fact->moves = body->type != TALUS_BODY_FIXED;
    fact->round = body->round;
    fact->shape = fact->free && body->inverse_mass > 0 ? body->first_shape : -1;
    tl_body_fill(body, true, &c->inverse_mass[i], c->inverse_inertia + 6 * (int64_t)i);
    if (body->type == TALUS_BODY_KINEMATIC) {
      resident->kinematic[resident->kinematic_count++] = i;
    } else if (!body->round && tl_dot3(body->spin, body->spin) != 0) {
      resident->turning = true;
    }
  }
}

static void shapes_copy(const talus_world *world, const copies *c) {
  for (int32_t i = 0; i < world->shape_count; i++) {
    const tl_shape_slot *const shape = &world->shape[i];
    const tl_body *const body = &world->body[shape->body];
    tl_shape_fact *const fact = &c->shape[i];
    *fact = (tl_shape_fact){.body = shape->body,
                            .material = shape->material,
                            .halfspace = shape->geometry->kind == TALUS_SHAPE_HALFSPACE,
                            .movable = body->inverse_mass > 0,
                            .still = body->round && body->inverse_mass > 0,
                            .group = body->group,
                            .collides = body->collides,
                            .radius = shape->geometry->radius,
                            .size = shape->size};
    memcpy(fact->position, shape->position, sizeof shape->position);
    memcpy(fact->rotation, shape->rotation, sizeof shape->rotation);
  }
}

static void materials_copy(const talus_world *world, const copies *c) {
  const int32_t count = world->material_count;
  for (int32_t i = 0; i < count; i++) {
    const talus_material_def *const material = &world->material[i];
    c->spring[i] = (tl_spring_material){.stiffness = material->stiffness,
                                        .young = material->young,
                                        .poisson = material->poisson,
                                        .rigid = material->rigid};
    for (int32_t j = 0; j < count; j++) {
      const int64_t at = (int64_t)i * count + j;
      tl_material_mix(world, i, j, &c->friction[at], &c->restitution[at]);
    }
  }
}

/* As far as matching and showing need it. */
static void contact_copy(const tl_world_contact *from, int32_t shape_a, int32_t shape_b,
                         const talus_world *world, tl_resident_contacts *to) {
  const int64_t k = to->count++;
  to->shape_a[k] = shape_a;
  to->shape_b[k] = shape_b;
  to->body_a[k] = world->shape[shape_a].body;
  to->body_b[k] = world->shape[shape_b].body;
  to->gap[k] = from->shown.gap;
  tl_copy3(to->point + 3 * k, from->shown.point);
  tl_copy3(to->normal + 3 * k, from->shown.normal);
  tl_copy3(to->impulse + 3 * k, from->shown.impulse);
  to->friction[k] = from->friction;
  to->restitution[k] = from->restitution;
  to->slop[k] = from->slop;
  to->bias[k] = from->bias;
  to->approach[k] = from->approach;
  to->departure[k] = from->departure;
  to->stiffness[k] = from->stiffness;
  memcpy(to->compliance + 2 * k, from->compliance, sizeof from->compliance);
  tl_copy3(to->hold + 3 * k, from->hold);
}

/* Contacts of what was removed are left out; returns whether the others are sorted, and one for
 * each pair of shapes. */
static bool contacts_copy(const talus_world *world, copies *c) {
  int32_t last_a = -1, last_b = -1;
  bool sorted = true;
  for (int32_t k = 0; k < world->contact_count; k++) {
    const tl_world_contact *const contact = &world->contact[k];
    const int32_t a = tl_shape_slot_of(world, contact->shown.shape_a);
    const int32_t b = tl_shape_slot_of(world, contact->shown.shape_b);
    if (a >= 0 && b >= 0) {
      sorted = sorted && (a > last_a || (a == last_a && b > last_b));
      contact_copy(contact, a, b, world, &c->contacts);
      last_a = a;
      last_b = b;
    }
  }
  return sorted;
}

/* The width of cells in which nearly all balls fit. */
static double cell_width(const talus_world *world) {
  double sum = 0, most = 0;
  int32_t count = 0;
  for (int32_t i = 0; i < world->shape_count; i++) {
    const tl_geometry *const geometry = world->shape[i].geometry;
    if (geometry->kind == TALUS_SHAPE_SPHERE) {
      sum += geometry->radius;
      most = fmax(most, geometry->radius);
      count++;
    }
  }
  const double reach = count > 0 ? fmin(most, 2 * sum / count) : world->size;
  const double extra = 0.5 * world->def.margin * world->size + tl_contacts_skin(world);
  return 2.5 * (reach + extra) + (reach + extra > 0 ? 0 : 1);
}

talus_status tl_resident_load_world(tl_world_resident *resident, const char **reason) {
  talus_world *const world = resident->world;
  copies c;
  *reason = shapes_reason(world);
  if (*reason != NULL) {
    return TALUS_OK;
  }
  TL_TRY(copies_reserve(resident, world->contact_count, &c));
  TL_TRY(tl_buffer_reserve(world->context, &resident->kinematic_memory, (size_t)world->body_count,
                           sizeof(int32_t), "kinematic bodies"));
  resident->kinematic = resident->kinematic_memory.memory;
  bodies_copy(resident, &c);
  TL_TRY(tl_buffer_reserve(world->context, &resident->steering_memory,
                           6 * (size_t)resident->kinematic_count, sizeof(double),
                           "velocities of kinematic bodies"));
  resident->steering = resident->steering_memory.memory;
  TL_TRY(tl_buffer_reserve(world->context, &resident->kept_memory,
                           (size_t)resident->kinematic_count, sizeof *resident->kept,
                           "poses of kinematic bodies"));
  resident->kept = resident->kept_memory.memory;
  tl_resident_keep(resident);
  shapes_copy(world, &c);
  materials_copy(world, &c);
  if (!contacts_copy(world, &c)) {
    *reason = "contacts in another order";
    return TALUS_OK;
  }
  const tl_resident_load load = {.body_count = world->body_count,
                                 .shape_count = world->shape_count,
                                 .material_count = world->material_count,
                                 .motion = c.motion,
                                 .fact = c.fact,
                                 .shape = c.shape,
                                 .inverse_mass = c.inverse_mass,
                                 .inverse_inertia = c.inverse_inertia,
                                 .friction = c.friction,
                                 .restitution = c.restitution,
                                 .spring = c.spring,
                                 .contacts = &c.contacts,
                                 .cell = cell_width(world)};
  return resident->backend->load(resident->memory, &load);
}

/* ---- and back -------------------------------------------------------------------------------- */

static void contact_show(const talus_world *world, const tl_resident_contacts *from, int64_t k,
                         tl_world_contact *to) {
  memset(to, 0, sizeof *to);
  to->shape_a = from->shape_a[k];
  to->shape_b = from->shape_b[k];
  to->body_a = from->body_a[k];
  to->body_b = from->body_b[k];
  to->spherical = true;
  to->shown.shape_a = world->shape[to->shape_a].id;
  to->shown.shape_b = world->shape[to->shape_b].id;
  to->shown.body_a = world->body[to->body_a].id;
  to->shown.body_b = world->body[to->body_b].id;
  to->shown.gap = from->gap[k];
  tl_copy3(to->shown.point, from->point + 3 * k);
  tl_copy3(to->shown.normal, from->normal + 3 * k);
  tl_copy3(to->shown.impulse, from->impulse + 3 * k);
  to->friction = from->friction[k];
  to->restitution = from->restitution[k];
  to->slop = from->slop[k];
  to->bias = from->bias[k];
  to->approach = from->approach[k];
  to->departure = from->departure[k];
  to->stiffness = from->stiffness[k];
  memcpy(to->compliance, from->compliance + 2 * k, sizeof to->compliance);
  tl_copy3(to->hold, from->hold + 3 * k);
}

static void bodies_back(talus_world *world, const tl_body_motion *motion) {
  for (int32_t i = 0; i < world->body_count; i++) {
    tl_body *const body = &world->body[i];
    memcpy(body->position, motion[i].position, sizeof body->position);
    memcpy(body->orientation, motion[i].orientation, sizeof body->orientation);
    memcpy(body->velocity, motion[i].velocity, sizeof body->velocity);
    memcpy(body->spin, motion[i].spin, sizeof body->spin);
  }
}

talus_status tl_resident_fetch_world(tl_world_resident *resident) {
  talus_world *const world = resident->world;
  const int32_t count = resident->backend->contact_count(resident->memory);
  copies c;
  TL_TRY(copies_reserve(resident, count, &c));
  TL_TRY(tl_world_grow(world, (void **)&world->contact, &world->contact_capacity, count,
                       sizeof *world->contact, "contacts"));
  TL_TRY(resident->backend->fetch(resident->memory, c.motion, &c.contacts));
  bodies_back(world, c.motion);
  for (int32_t k = 0; k < count; k++) {
    contact_show(world, &c.contacts, k, &world->contact[k]);
  }
  world->contact_count = count;
  world->contacts_spherical = true;
  return tl_contacts_store_keys(world);
}
