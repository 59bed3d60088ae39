/* resident_load.c: a world on its way to the memory of a device and back. */
#include <math.h>
#include <string.h>

#include "host/world/problem_build.h"
#include "host/world/resident.h"

/* ---- memory of the host's copies ------------------------------------------------------------- */

/* The arrays that cross the border. */
typedef struct copies {
  tl_body_motion *motion;
  tl_body_fact *fact;
  tl_shape_fact *shape;
  double *inverse_mass, *inverse_inertia, *friction, *restitution;
  tl_spring_material *spring;
  const tl_geometry **geometry;
  tl_resident_contacts contacts;
} copies;

static void copies_take(const talus_world *world, tl_resident_pieces *p, size_t contacts,
                        copies *c) {
  const size_t bodies = (size_t)world->body_count, materials = (size_t)world->material_count;
  c->motion = tl_resident_piece(p, bodies, sizeof *c->motion);
  c->fact = tl_resident_piece(p, bodies, sizeof *c->fact);
  c->shape = tl_resident_piece(p, (size_t)world->shape_count, sizeof *c->shape);
  c->inverse_mass = tl_resident_piece(p, bodies, sizeof(double));
  c->inverse_inertia = tl_resident_piece(p, 6 * bodies, sizeof(double));
  c->friction = tl_resident_piece(p, materials * materials, sizeof(double));
  c->restitution = tl_resident_piece(p, materials * materials, sizeof(double));
  c->spring = tl_resident_piece(p, materials, sizeof *c->spring);
  c->geometry = tl_resident_piece(p, (size_t)world->shape_count, sizeof *c->geometry);
  c->contacts.count = 0;
#define TL_FIELD(type, name, components) \
  c->contacts.name = tl_resident_piece(p, (components)*contacts, sizeof(type));
  TL_RESIDENT_LIST(TL_FIELD)
#undef TL_FIELD
}

static talus_status copies_reserve(tl_world_resident *resident, int32_t contacts, copies *c) {
  tl_resident_pieces count = {NULL, 0};
  copies_take(resident->world, &count, (size_t)contacts, c);
  TL_TRY(tl_buffer_reserve(resident->world->context, &resident->load_memory, count.used, 1,
                           "copy of the world"));
  tl_resident_pieces room = {resident->load_memory.memory, 0};
  copies_take(resident->world, &room, (size_t)contacts, c);
  return TALUS_OK;
}

/* ---- to the device --------------------------------------------------------------------------- */

void tl_resident_motion_copy(const talus_world *world, const tl_body *body,
                             tl_body_motion *motion) {
  const tl_body_extra *const extra = tl_body_extra_of(world, body);
  memcpy(motion->position, body->position, sizeof body->position);
  memcpy(motion->orientation, body->orientation, sizeof body->orientation);
  memcpy(motion->velocity, body->velocity, sizeof body->velocity);
  memcpy(motion->spin, body->spin, sizeof body->spin);
  memcpy(motion->carried, extra->carried, sizeof extra->carried);
}

static void bodies_copy(const talus_world *world, const copies *c) {
  for (int32_t i = 0; i < world->body_count; i++) {
    const tl_body *const body = &world->body[i];
    tl_resident_motion_copy(world, body, &c->motion[i]);
    tl_resident_body_fact(world, body, &c->fact[i]);
    tl_body_fill(body, true, &c->inverse_mass[i], c->inverse_inertia + 6 * (int64_t)i);
  }
}

talus_status tl_resident_note_kinematic(tl_world_resident *resident) {
  const talus_world *const world = resident->world;
  talus_context *const context = world->context;
  int32_t count = 0;
  resident->kinematic_count = 0;
  for (int32_t i = 0; i < world->body_count; i++) {
    count += world->body[i].type == TALUS_BODY_KINEMATIC;
  }
  TL_TRY(tl_buffer_reserve(context, &resident->kinematic_memory, (size_t)count + 1, sizeof(int32_t),
                           "kinematic bodies"));
  TL_TRY(tl_buffer_reserve(context, &resident->steering_memory, 6 * (size_t)count + 1,
                           sizeof(double), "velocities of kinematic bodies"));
  TL_TRY(tl_buffer_reserve(context, &resident->kept_memory, (size_t)count + 1,
                           sizeof *resident->kept, "poses of kinematic bodies"));
  resident->kinematic = resident->kinematic_memory.memory;
  resident->steering = resident->steering_memory.memory;
  resident->kept = resident->kept_memory.memory;
  resident->turning = false;
  for (int32_t i = 0; i < world->body_count; i++) {
    const tl_body *const body = &world->body[i];
    if (body->type == TALUS_BODY_KINEMATIC) {
      resident->kinematic[resident->kinematic_count++] = i;
    } else if (!body->round && tl_dot3(body->spin, body->spin) != 0) {
      resident->turning = true;
    }
  }
  tl_resident_keep(resident);
  return TALUS_OK;
}

static void shapes_copy(const talus_world *world, const copies *c) {
  for (int32_t i = 0; i < world->shape_count; i++) {
    tl_resident_shape_fact(world, &world->shape[i], &c->shape[i]);
    c->geometry[i] = &world->shape[i].geometry;
  }
}

void tl_resident_materials_copy(const talus_world *world, double *friction, double *restitution,
                                tl_spring_material *spring) {
  const int32_t count = world->material_count;
  for (int32_t i = 0; i < count; i++) {
    const talus_material_def *const material = &world->material[i];
    spring[i] = (tl_spring_material){.stiffness = material->stiffness,
                                     .young = material->young,
                                     .poisson = material->poisson,
                                     .rigid = material->rigid};
    for (int32_t j = 0; j < count; j++) {
      const int64_t at = (int64_t)i * count + j;
      tl_material_mix(world, i, j, &friction[at], &restitution[at]);
    }
  }
}

/* As far as matching and showing need it. */
static void contact_copy(const talus_world *world, int64_t contact, int32_t shape_a,
                         int32_t shape_b, tl_resident_contacts *to) {
  static const tl_contact_extra none = {.attraction = 0};
  const tl_world_contact *const from = &world->contact[contact];
  const tl_contact_terms *const terms = &world->terms[contact];
  const tl_contact_extra *const extra = world->extra != NULL ? &world->extra[contact] : &none;
  const int64_t k = to->count++;
  to->shape_a[k] = shape_a;
  to->shape_b[k] = shape_b;
  to->body_a[k] = world->shape[shape_a].body;
  to->body_b[k] = world->shape[shape_b].body;
  to->feature[k] = from->feature;
  to->spherical[k] = from->spherical;
  to->gap[k] = from->shown.gap;
  tl_copy3(to->point + 3 * k, from->shown.point);
  tl_copy3(to->normal + 3 * k, world->normal + 3 * contact);
  tl_copy3(to->impulse + 3 * k, world->impulse + 3 * contact);
  to->friction[k] = terms->friction;
  to->restitution[k] = terms->restitution;
  to->slop[k] = tl_contact_slop(world, contact);
  to->bias[k] = terms->bias;
  to->approach[k] = terms->approach;
  to->departure[k] = terms->departure;
  to->stiffness[k] = extra->stiffness;
  memcpy(to->compliance + 2 * k, extra->compliance, sizeof extra->compliance);
  tl_copy3(to->hold + 3 * k, extra->hold);
}

/* Contacts of what was removed are left out; returns whether the others are sorted and, in plain
 * worlds, one for each pair of shapes. */
static bool contacts_copy(const talus_world *world, bool general, copies *c) {
  int32_t last_a = -1, last_b = -1;
  bool sorted = true;
  for (int32_t k = 0; k < world->contact_count; k++) {
    const tl_world_contact *const contact = &world->contact[k];
    const int32_t a = tl_shape_slot_of(world, contact->shown.shape_a);
    const int32_t b = tl_shape_slot_of(world, contact->shown.shape_b);
    if (a >= 0 && b >= 0) {
      sorted = sorted && (a > last_a || (a == last_a && (b > last_b || (general && b == last_b))));
      contact_copy(world, k, a, b, &c->contacts);
      last_a = a;
      last_b = b;
    }
  }
  return sorted;
}

talus_status tl_resident_load_world(tl_world_resident *resident, const char **reason) {
  talus_world *const world = resident->world;
  copies c;
  const bool general = !tl_resident_is_plain(world);
  *reason = tl_resident_shapes_reason(world);
  if (*reason != NULL) {
    return TALUS_OK;
  }
  TL_TRY(copies_reserve(resident, world->contact_count, &c));
  TL_TRY(tl_resident_note_kinematic(resident));
  TL_TRY(tl_resident_names_reserve(resident));
  tl_resident_note_names(resident);
  bodies_copy(world, &c);
  shapes_copy(world, &c);
  tl_resident_materials_copy(world, c.friction, c.restitution, c.spring);
  if (!contacts_copy(world, general, &c)) {
    *reason = "contacts in another order";
    return TALUS_OK;
  }
  resident->general = general;
  resident->contacts_kept = true;
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
                                 .general = general,
                                 .uneven = tl_resident_is_uneven(world),
                                 .geometry = c.geometry,
                                 .cell = tl_resident_cell_width(world)};
  return resident->backend->load(resident->memory, &load);
}

/* ---- and back -------------------------------------------------------------------------------- */

static double size_of(const talus_world *world, int32_t shape) {
  return shape >= 0 ? world->shape[shape].size : INFINITY;
}

static void contact_show(const tl_world_resident *resident, const tl_resident_contacts *from,
                         int64_t k) {
  const talus_world *const world = resident->world;
  const tl_resident_side a = tl_resident_side_of(resident, from->shape_a[k]);
  const tl_resident_side b = tl_resident_side_of(resident, from->shape_b[k]);
  tl_world_contact *const to = &world->contact[k];
  memset(to, 0, sizeof *to);
  to->shape_a = a.shape;
  to->shape_b = b.shape;
  to->body_a = a.body;
  to->body_b = b.body;
  to->feature = from->feature[k];
  to->spherical = from->spherical[k] != 0;
  to->shown.shape_a = a.name.shape;
  to->shown.shape_b = b.name.shape;
  to->shown.body_a = a.name.body;
  to->shown.body_b = b.name.body;
  to->shown.gap = from->gap[k];
  tl_copy3(to->shown.point, from->point + 3 * k);
  tl_copy3(world->normal + 3 * k, from->normal + 3 * k);
  tl_copy3(world->impulse + 3 * k, from->impulse + 3 * k);
  world->terms[k] =
      (tl_contact_terms){.friction = from->friction[k],
                         .restitution = from->restitution[k],
                         .size = fmin(size_of(world, a.shape), size_of(world, b.shape)),
                         .bias = from->bias[k],
                         .approach = from->approach[k],
                         .departure = from->departure[k]};
  if (world->extra != NULL) {
    tl_contact_extra *const extra = &world->extra[k];
    *extra = (tl_contact_extra){.stiffness = from->stiffness[k]};
    memcpy(extra->compliance, from->compliance + 2 * k, sizeof extra->compliance);
    tl_copy3(extra->hold, from->hold + 3 * k);
  }
}

static void bodies_back(talus_world *world, const tl_body_motion *motion) {
  for (int32_t i = 0; i < world->body_count; i++) {
    tl_body *const body = &world->body[i];
    memcpy(body->position, motion[i].position, sizeof body->position);
    memcpy(body->orientation, motion[i].orientation, sizeof body->orientation);
    memcpy(body->velocity, motion[i].velocity, sizeof body->velocity);
    memcpy(body->spin, motion[i].spin, sizeof body->spin);
    tl_body_extra *const extra = tl_body_extra_at(world, body);
    if (extra != NULL) {
      memcpy(extra->carried, motion[i].carried, sizeof extra->carried);
    }
  }
}

talus_status tl_resident_fetch_bodies(tl_world_resident *resident) {
  copies c;
  TL_TRY(copies_reserve(resident, 0, &c));
  TL_TRY(resident->backend->fetch(resident->memory, c.motion, NULL));
  bodies_back(resident->world, c.motion);
  return TALUS_OK;
}

talus_status tl_resident_fetch_contacts(tl_world_resident *resident) {
  talus_world *const world = resident->world;
  const int32_t count = resident->backend->contact_count(resident->memory);
  copies c;
  TL_TRY(copies_reserve(resident, count, &c));
  /* contacts are emptied when all is here: a device that is lost leaves those that the host has */
  TL_TRY(resident->backend->fetch(resident->memory, NULL, &c.contacts));
  TL_TRY(tl_contacts_reserve(world, count));
  world->contacts_spherical = true;
  for (int32_t k = 0; k < count; k++) {
    contact_show(resident, &c.contacts, k);
    world->contacts_spherical = world->contacts_spherical && c.contacts.spherical[k] != 0 &&
                                !(world->def.plane && c.contacts.normal[3 * (int64_t)k + 1] != 0);
  }
  world->contact_count = count;
  return tl_contacts_store_keys(world);
}
