/* contacts.c: from placed shapes to the contacts of a step, matched to those of the step before. */
#include <math.h>
#include <string.h>

#include "host/collide/broad.h"
#include "host/collide/match.h"
#include "host/world/world.h"

/* How far a shape may move before pairs are searched anew, of the typical radius. */
static const double SKIN = 0.1;

double tl_shape_speed(const tl_body *body, const tl_geometry *geometry, const double *arm,
                      const double *velocity, const double *spin) {
  const double speed = sqrt(tl_dot3(velocity, velocity));
  if (body->round) {
    return speed;
  }
  const double reach = sqrt(tl_dot3(arm, arm)) + tl_geometry_reach(geometry);
  const double turning = sqrt(tl_dot3(spin, spin)) * reach;
  return speed + (isfinite(turning) ? turning : 0);
}

/* Where the shape is, and how far ahead it wants to see. */
static void collider_place(const talus_world *world, int32_t index, double dt,
                           tl_collider *collider) {
  const tl_shape_slot *const shape = &world->shape[index];
  const tl_body *const body = &world->body[shape->body];
  double arm[3], rotation[9];
  collider->geometry = shape->geometry;
  collider->body = shape->body;
  collider->shape = index;
  collider->movable = body->inverse_mass > 0;
  collider->group = body->group;
  collider->collides = body->collides;
  tl_quaternion_matrix(body->orientation, rotation);
  tl_turn3(arm, rotation, shape->position);
  for (int c = 0; c < 3; c++) {
    collider->pose.position[c] = body->position[c] + arm[c];
    for (int d = 0; d < 3; d++) {
      collider->pose.rotation[3 * c + d] = rotation[3 * c] * shape->rotation[d] +
                                           rotation[3 * c + 1] * shape->rotation[3 + d] +
                                           rotation[3 * c + 2] * shape->rotation[6 + d];
    }
  }
  /* the shape's fastest point, were it to fall freely through this step */
  const double fall = dt * sqrt(tl_dot3(world->def.gravity, world->def.gravity));
  const double speed =
      tl_shape_speed(body, shape->geometry, arm, body->velocity, body->spin) +
      (body->inverse_mass > 0 ? fall : 0);
  collider->margin = fmax(0.5 * world->def.margin * world->size + dt * speed, shape->ahead);
}

static talus_status colliders_place(talus_world *world, double dt) {
  TL_TRY(tl_buffer_reserve(world->context, &world->colliders, (size_t)world->shape_count,
                           sizeof(tl_collider), "colliders"));
  tl_collider *const collider = world->colliders.memory;
  int32_t n = 0;
  for (int32_t i = 0; i < world->shape_count; i++) {
    if (world->shape[i].exists) {
      collider[n++].shape = i;
    }
  }
#pragma omp parallel for num_threads(tl_threads_for(world->context, world->body_count))            \
    schedule(static)
  for (int32_t i = 0; i < n; i++) {
    collider_place(world, collider[i].shape, dt, &collider[i]);
  }
  world->collider_count = n;
  return TALUS_OK;
}

/* Velocity of the point at `arm` from the body's centre. */
static void point_velocity(const tl_body *body, const double *point, double *v) {
  const double arm[3] = {point[0] - body->position[0], point[1] - body->position[1],
                         point[2] - body->position[2]};
  tl_cross3(v, body->spin, arm);
  for (int c = 0; c < 3; c++) {
    v[c] += body->velocity[c];
  }
}

/* The bias: nothing within the slop; an open gap may close; an impact rebounds. */
static double bias_of(const talus_world *world, const tl_world_contact *contact, double dt) {
  const double gap = contact->shown.gap, slop = contact->slop;
  const int impact = contact->restitution > 0 &&
                     contact->approach < -world->def.restitution_speed &&
                     gap + dt * contact->approach <= slop;
  const int newton = world->def.restitution == TALUS_RESTITUTION_NEWTON;
  if (impact) { /* Poisson's compression is plastic */
    return newton ? contact->restitution * contact->approach : 0;
  }
  if (world->def.stabilisation == TALUS_STABILISE_BIAS) {
    return gap >= 0 ? gap / dt : fmax(gap / dt, -world->def.bias_cap);
  }
  return gap > slop ? (gap - slop) / dt : 0;
}

static void contact_make(const talus_world *world, const tl_collider *collider,
                         const tl_touch *touch, double dt, tl_world_contact *contact) {
  const tl_collider *const a = &collider[touch->a], *const b = &collider[touch->b];
  const tl_shape_slot *const shape_a = &world->shape[a->shape];
  const tl_shape_slot *const shape_b = &world->shape[b->shape];
  const tl_body *const body_a = &world->body[a->body], *const body_b = &world->body[b->body];
  memset(contact, 0, sizeof *contact);
  contact->shown.body_a = a->body;
  contact->shown.body_b = b->body;
  contact->shown.shape_a = a->shape;
  contact->shown.shape_b = b->shape;
  memcpy(contact->shown.point, touch->point, sizeof touch->point);
  memcpy(contact->shown.normal, touch->normal, sizeof touch->normal);
  contact->shown.gap = touch->gap;
  contact->feature = touch->feature;
  contact->spherical =
      touch->spherical && (body_a->round || !a->movable) && (body_b->round || !b->movable);
  tl_material_mix(world, shape_a->material, shape_b->material, &contact->friction,
                  &contact->restitution);
  contact->slop = world->def.slop * fmin(shape_a->size, shape_b->size);
  double va[3], vb[3];
  point_velocity(body_a, touch->point, va);
  point_velocity(body_b, touch->point, vb);
  for (int c = 0; c < 3; c++) {
    contact->approach += touch->normal[c] * (vb[c] - va[c]);
  }
  contact->bias = bias_of(world, contact, dt);
}

/* Neighbours in a mechanism, and the caller's say; returns whether the contact stays. */
static int contact_keep(const talus_world *world, tl_world_contact *contact, double dt) {
  int keep = tl_links_collide(world, contact->shown.body_a, contact->shown.body_b);
  if (!keep || world->contact_function == NULL) {
    return keep;
  }
  world->contact_function(world->contact_user, &contact->shown, &contact->friction,
                          &contact->restitution, &keep);
  contact->bias = bias_of(world, contact, dt);
  return keep;
}

/* What the contacts of now are known by. */
static talus_status keys_fill(talus_world *world) {
  const int32_t count = world->contact_count;
  TL_TRY(tl_buffer_reserve(world->context, &world->keys, (size_t)count, sizeof(tl_match_key),
                           "contact keys"));
  tl_match_key *const key = world->keys.memory;
  for (int32_t k = 0; k < count; k++) {
    key[k] = (tl_match_key){world->contact[k].shown.shape_a, world->contact[k].shown.shape_b,
                            world->contact[k].feature};
  }
  return TALUS_OK;
}

talus_status tl_contacts_remember(talus_world *world) {
  TL_TRY(keys_fill(world));
  return tl_match_store(world->match, world->keys.memory, world->contact_count);
}

/* Impulses of the last step for those contacts that are the same ones. */
static talus_status contacts_match(talus_world *world, int32_t old_count) {
  const int32_t count = world->contact_count;
  TL_TRY(keys_fill(world));
  TL_TRY(tl_buffer_reserve(world->context, &world->found, (size_t)count, sizeof(int32_t),
                           "contact keys"));
  const tl_match_key *const key = world->keys.memory;
  int32_t *const found = world->found.memory;
  TL_TRY(tl_match_find(world->match, key, count, found));
  const double *const impulse = world->old.memory;
  for (int32_t k = 0; k < count; k++) {
    if (found[k] >= 0 && found[k] < old_count) {
      memcpy(world->contact[k].shown.impulse, impulse + 3 * (int64_t)found[k], 3 * sizeof *impulse);
    }
  }
  return tl_match_store(world->match, key, count);
}

talus_status tl_contacts_find(talus_world *world, double dt) {
  const tl_pair *pairs;
  const tl_touch *touches;
  int64_t pair_count, touch_count;
  const int32_t threads = tl_threads_for(world->context, world->shape_count);
  const int32_t old_count = world->contact_count;
  TL_TRY(tl_buffer_reserve(world->context, &world->old, 3 * (size_t)old_count, sizeof(double),
                           "old impulses"));
  double *const old = world->old.memory;
  for (int32_t k = 0; k < old_count; k++) {
    memcpy(old + 3 * (int64_t)k, world->contact[k].shown.impulse, 3 * sizeof *old);
  }
  TL_TRY(colliders_place(world, dt));
  const tl_collider *const collider = world->colliders.memory;
  TL_TRY(tl_broad_refresh(world->broad, collider, world->collider_count, SKIN * world->size,
                          threads, &pairs, &pair_count, NULL));
  TL_TRY(
      tl_narrow_pairs(world->narrow, collider, pairs, pair_count, threads, &touches, &touch_count));
  if (touch_count > (1 << 28)) {
    return tl_fail(world->context, TALUS_SIZE_OVERFLOW, "%lld contacts are too many",
                   (long long)touch_count);
  }
  TL_TRY(tl_world_grow(world, (void **)&world->contact, &world->contact_capacity,
                       (int32_t)touch_count, sizeof *world->contact, "contacts"));
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int64_t k = 0; k < touch_count; k++) {
    contact_make(world, collider, &touches[k], dt, &world->contact[k]);
  }
  world->contact_count = (int32_t)touch_count;
  if (world->contact_function != NULL || world->mechanism_count > 0) {
    int32_t kept = 0;
    for (int32_t k = 0; k < world->contact_count; k++) {
      tl_world_contact contact = world->contact[k];
      if (contact_keep(world, &contact, dt)) {
        world->contact[kept++] = contact;
      }
    }
    world->contact_count = kept;
  }
  return contacts_match(world, old_count);
}

int32_t talus_world_contacts(const talus_world *const_world, const talus_contact **contacts) {
  talus_world *const world = (talus_world *)const_world; /* fills its own copy */
  *contacts = NULL;
  if (world == NULL ||
      tl_world_grow(world, (void **)&world->shown, &world->shown_capacity, world->contact_count,
                    sizeof *world->shown, "contacts") != TALUS_OK) {
    return 0;
  }
  for (int32_t k = 0; k < world->contact_count; k++) {
    world->shown[k] = world->contact[k].shown;
  }
  *contacts = world->shown;
  return world->contact_count;
}
