/* contacts.c: from placed shapes to the contacts of a step, matched to those of the step before. */
#include <math.h>
#include <string.h>

#include "host/base/each.h"
#include "host/collide/broad.h"
#include "host/collide/match.h"
#include "host/world/cell.h"
#include "host/world/problem_build.h"
#include "host/world/spread.h"
#include "kernels/item/motion.h"

double tl_contacts_skin(const talus_world *world) {
  return 0.1 * world->size;
}

double tl_body_shape_speed(const tl_body *body, const tl_geometry *geometry, const double *arm,
                           const double *velocity, const double *spin) {
  return tl_shape_speed(body->round, body->round ? 0 : tl_geometry_reach(geometry), arm, velocity,
                        spin);
}

void tl_shape_collider(const talus_world *world, int32_t index, tl_collider *collider,
                       double arm[3]) {
  const tl_shape_slot *const shape = &world->shape[index];
  const tl_body *const body = &world->body[shape->body];
  collider->geometry = &shape->geometry;
  collider->body = body->id;
  collider->shape = shape->id;
  collider->movable = body->inverse_mass > 0;
  collider->group = body->group;
  collider->collides = body->collides;
  collider->margin = 0;
  tl_shape_place_find(body->position, body->orientation, shape->position,
                      tl_shape_rotation(world, shape), body->round && body->inverse_mass > 0, arm,
                      collider->pose.position, collider->pose.rotation);
}

/* Places the collider of a shape; its margin is the distance that it may move in dt. */
static void collider_place(const talus_world *world, int32_t index, double dt, double least_margin,
                           tl_collider *collider, tl_collider_fact *fact) {
  const tl_shape_slot *const shape = &world->shape[index];
  const tl_body *const body = &world->body[shape->body];
  double arm[3];
  tl_shape_collider(world, index, collider, arm);
  /* the shape's fastest point, were it to fall freely through this step */
  const double fall = dt * sqrt(tl_dot3(world->def.gravity, world->def.gravity));
  const double speed =
      tl_body_shape_speed(body, &shape->geometry, arm, body->velocity, body->spin) +
      (body->inverse_mass > 0 ? fall : 0);
  collider->margin = fmax(0.5 * world->def.margin * world->size + dt * speed, least_margin) +
                     tl_cohesion_reach(world, shape->size);
  *fact = (tl_collider_fact){.body = shape->body,
                             .body_id = body->id,
                             .shape_id = shape->id,
                             .material = shape->material,
                             .round = body->round || !collider->movable,
                             .shape = index,
                             .image = 0,
                             .size = shape->size};
}

typedef struct place_task {
  const talus_world *world;
  double dt;
  const double *least_margin;
  const int32_t *shapes; /* NULL: all */
} place_task;

static void colliders_part(void *arguments, int64_t first, int64_t end) {
  const place_task *const t = arguments;
  tl_collider *const collider = t->world->colliders.memory;
  tl_collider_fact *const fact = t->world->facts.memory;
  for (int64_t i = first; i < end; i++) {
    const int32_t shape = t->shapes != NULL ? t->shapes[i] : (int32_t)i;
    collider_place(t->world, shape, t->dt, t->least_margin != NULL ? t->least_margin[shape] : 0,
                   &collider[i], &fact[i]);
  }
}

/* Places the colliders and their images; where there is room for fewer than there are, only their
 * number is right. */
static talus_status colliders_try(talus_world *world, double dt, const double *least_margin,
                                  int32_t room) {
  int32_t count; /* in a step there are no gaps */
  const int32_t *const shapes = tl_spread_shapes(world, &count);
  place_task task = {world, dt, least_margin, shapes};
  TL_TRY(tl_buffer_reserve(world->context, &world->colliders, (size_t)room, sizeof(tl_collider),
                           "colliders"));
  TL_TRY(tl_buffer_reserve(world->context, &world->facts, (size_t)room, sizeof(tl_collider_fact),
                           "colliders"));
  tl_each(world->context, tl_threads_for(world->context, count), count, colliders_part, &task);
  world->collider_count = count;
  return world->cell.def.periodic != 0 ? tl_cell_images(world, count, room) : TALUS_OK;
}

talus_status tl_colliders_place(talus_world *world, double dt, const double *least_margin) {
  const int32_t last = world->cell.def.periodic != 0 ? world->collider_count : 0;
  int32_t count;
  (void)tl_spread_shapes(world, &count);
  const int32_t room = last > count ? last + last / 4 : count;
  TL_TRY(colliders_try(world, dt, least_margin, room));
  return world->collider_count > room
             ? colliders_try(world, dt, least_margin, world->collider_count)
             : TALUS_OK;
}

talus_status tl_pair_depth(talus_world *world, const tl_world_contact *contact, double *depth) {
  tl_collider collider[2];
  tl_collider_fact unused;
  const tl_pair pair = {0, 1};
  const tl_contact_point *points;
  int64_t count;
  double shift[3];
  collider_place(world, contact->shape_a, 0, 0, &collider[0], &unused);
  collider_place(world, contact->shape_b, 0, 0, &collider[1], &unused);
  tl_cell_shift(&world->cell, contact->image, shift);
  tl_along3(collider[1].pose.position, collider[1].pose.position, 1, shift);
  TL_TRY(tl_narrow_pairs(world->narrow, collider, &pair, 1, 1, &points, &count));
  *depth = 0;
  for (int64_t k = 0; k < count; k++) {
    *depth = fmax(*depth, -points[k].gap);
  }
  return TALUS_OK;
}

static void point_velocity(const tl_body *body, const double *point, double *v) {
  double arm[3];
  tl_sub3(arm, point, body->position);
  tl_point_velocity(body->velocity, body->spin, arm, v);
}

/* u_n of the bodies as they are. */
static double approach_of(const talus_world *world, int64_t k) {
  const tl_world_contact *const contact = &world->contact[k];
  const double *const normal = world->normal + 3 * k;
  double va[3], vb[3], shift[3], drift[3], point[3];
  tl_cell_shift(&world->cell, contact->image, shift);
  tl_cell_drift(&world->cell, contact->image, drift);
  tl_sub3(point, contact->shown.point, shift);
  point_velocity(&world->body[contact->body_a], contact->shown.point, va);
  point_velocity(&world->body[contact->body_b], point, vb);
  double approach = 0;
  for (int c = 0; c < 3; c++) {
    approach += normal[c] * (vb[c] + drift[c] - va[c]);
  }
  return approach;
}

/* What contact k has besides; old: the same contact's before, or NULL. */
static void extra_make(const talus_world *world, int64_t k, const tl_contact_extra *old) {
  static const double none[3] = {0, 0, 0};
  tl_contact_extra *const extra = &world->extra[k];
  memset(extra, 0, sizeof *extra);
  if (world->resists) {
    tl_resistance_find(world, k);
    tl_copy3(extra->torque, old != NULL ? old->torque : none);
  }
  if (world->soft) {
    tl_spring_turn(world->normal + 3 * k, old != NULL ? old->hold : none, extra->hold);
  }
}

/* Contact k from its point; before: where the same contact stands in the list of old ones, or
 * -1. */
static void contact_make(const talus_world *world, const tl_contact_rule *rule,
                         const tl_contact_point *point, int64_t k, const tl_contact_list *list,
                         int64_t before) {
  static const double none[3] = {0, 0, 0};
  const tl_world_contact *const old = before >= 0 ? &list->contact[before] : NULL;
  tl_world_contact *const contact = &world->contact[k];
  tl_contact_terms *const terms = &world->terms[k];
  const tl_collider_fact *const fact = world->facts.memory;
  const tl_collider_fact *const a = &fact[point->a], *const b = &fact[point->b];
  contact->body_a = a->body;
  contact->body_b = b->body;
  contact->shape_a = a->shape;
  contact->shape_b = b->shape;
  contact->image = (int16_t)(b->image - a->image); /* one of them is 0 */
  contact->shown.body_a = a->body_id;
  contact->shown.body_b = b->body_id;
  contact->shown.shape_a = a->shape_id;
  contact->shown.shape_b = b->shape_id;
  contact->shown.gap = point->gap;
  tl_copy3(contact->shown.point, point->position);
  if (a->image != 0) { /* a stands in the cell */
    double shift[3];
    tl_cell_shift(&world->cell, a->image, shift);
    tl_sub3(contact->shown.point, point->position, shift);
  }
  tl_copy3(world->normal + 3 * k, point->normal);
  tl_copy3(world->impulse + 3 * k, before >= 0 ? list->impulse + 3 * before : none);
  contact->deepened = old != NULL ? old->deepened : 0;
  contact->feature = point->feature;
  contact->spherical = point->spherical && a->round && b->round;
  tl_material_mix(world, a->material, b->material, &terms->friction, &terms->restitution);
  terms->size = fmin(a->size, b->size);
  contact->bridged =
      world->cohesive && old != NULL &&
      tl_cohesion_bridged(&old->shown, list->impulse + 3 * before, tl_contact_slop(world, k));
  /* used for restitution only, which the caller's function may set */
  terms->approach = terms->restitution > 0 || world->contact_function != NULL || world->soft
                        ? approach_of(world, k)
                        : 0;
  terms->departure = 0;
  if (world->extra != NULL) {
    extra_make(world, k, old != NULL && list->extra != NULL ? &list->extra[before] : NULL);
  }
  tl_bias_set(world, rule, k);
}

/* ---- matching -------------------------------------------------------------------------------- */

static talus_status keys_reserve(talus_world *world, int64_t count) {
  TL_TRY(tl_buffer_reserve(world->context, &world->keys, (size_t)count, sizeof(tl_match_key),
                           "contact keys"));
  return tl_buffer_reserve(world->context, &world->found, (size_t)count, sizeof(int32_t),
                           "contact keys");
}

static tl_match_key key_of(const tl_world_contact *contact) {
  return (tl_match_key){contact->shown.shape_a, contact->shown.shape_b, contact->feature};
}

talus_status tl_contacts_store_keys(talus_world *world) {
  TL_TRY(keys_reserve(world, world->contact_count));
  tl_match_key *const key = world->keys.memory;
  for (int32_t k = 0; k < world->contact_count; k++) {
    key[k] = key_of(&world->contact[k]);
  }
  return tl_match_store(world->match, key, world->contact_count);
}

typedef struct key_task {
  const talus_world *world;
  const tl_contact_point *points;
} key_task;

static void keys_part(void *arguments, int64_t first, int64_t end) {
  const key_task *const t = arguments;
  const tl_collider_fact *const fact = t->world->facts.memory;
  tl_match_key *const key = t->world->keys.memory;
  for (int64_t k = first; k < end; k++) {
    const tl_contact_point *const point = &t->points[k];
    key[k] = (tl_match_key){fact[point->a].shape_id, fact[point->b].shape_id, point->feature};
  }
}

/* Finds which contacts of the last step the points are: world->found, -1 for none. */
static talus_status points_match(talus_world *world, const tl_contact_point *points, int64_t count,
                                 int32_t threads) {
  key_task task = {world, points};
  TL_TRY(keys_reserve(world, count));
  tl_match_key *const key = world->keys.memory;
  tl_each(world->context, threads, count, keys_part, &task);
  return tl_match_find(world->match, key, count, world->found.memory);
}

/* ---- all contacts ---------------------------------------------------------------------------- */

/* Returns whether the contact stays: not between neighbours in a mechanism, not between bodies
 * that are bonded or joined, and not where the caller's function drops it. */
static int contact_filter(const talus_world *world, const tl_contact_rule *rule, int64_t k) {
  tl_world_contact *const contact = &world->contact[k];
  tl_contact_terms *const terms = &world->terms[k];
  int keep = tl_links_collide(world, contact->body_a, contact->body_b) &&
             !tl_bonded(world, contact->body_a, contact->body_b) &&
             !tl_joined(world, contact->body_a, contact->body_b);
  if (!keep || world->contact_function == NULL) {
    return keep;
  }
  const talus_contact shown = tl_contact_show(world, k);
  world->contact_function(world->contact_user, &shown, &terms->friction, &terms->restitution,
                          &keep);
  tl_bias_set(world, rule, k);
  return keep;
}

static void contacts_filter(talus_world *world, const tl_contact_rule *rule) {
  tl_match_key *const key = world->keys.memory;
  int32_t kept = 0;
  for (int32_t k = 0; k < world->contact_count; k++) {
    if (!contact_filter(world, rule, k)) {
      continue;
    }
    key[kept] = key_of(&world->contact[k]);
    world->contact[kept] = world->contact[k];
    memmove(world->normal + 3 * (int64_t)kept, world->normal + 3 * (int64_t)k, 3 * sizeof(double));
    memmove(world->impulse + 3 * (int64_t)kept, world->impulse + 3 * (int64_t)k,
            3 * sizeof(double));
    world->terms[kept] = world->terms[k];
    if (world->extra != NULL) {
      world->extra[kept] = world->extra[k];
    }
    kept++;
  }
  world->contact_count = kept;
}

typedef struct make_task {
  const talus_world *world;
  tl_contact_rule rule;
  const tl_contact_point *points;
  const int32_t *found;
  const tl_contact_list *old;
  int skewed; /* atomic: an arm is not along its normal, or a disk may leave its plane */
} make_task;

static void contacts_part(void *arguments, int64_t first, int64_t end) {
  make_task *const t = arguments;
  const talus_world *const world = t->world;
  int skewed = 0;
  for (int64_t k = first; k < end; k++) {
    const int32_t found = t->found[k];
    const bool known = found >= 0 && found < t->old->count;
    contact_make(world, &t->rule, &t->points[k], k, t->old, known ? found : -1);
    /* disks stay in their plane, to the bit, unless a wall leans out of it */
    skewed |= !world->contact[k].spherical || (world->def.plane && t->points[k].normal[1] != 0);
  }
  if (skewed) {
    __atomic_store_n(&t->skewed, 1, __ATOMIC_RELAXED);
  }
}

/* The world's contacts from what the narrow-phase found. */
static talus_status contacts_make(talus_world *world, double dt, const tl_contact_point *points,
                                  int64_t count, int32_t threads) {
  const tl_contact_list *old;
  TL_TRY(tl_contacts_replace(world, (int32_t)count, &old));
  make_task task = {world, tl_contact_rule_of(world, dt), points, world->found.memory, old, 0};
  tl_each(world->context, threads, count, contacts_part, &task);
  world->contacts_spherical = !task.skewed;
  if (world->contact_function != NULL || world->mechanism_count > 0 || world->bond_count > 0 ||
      world->joint_count > 0) {
    TL_TRY(tl_bond_pairs_find(world));
    TL_TRY(tl_joint_pairs_find(world));
    contacts_filter(world, &task.rule);
  }
  if (world->cohesive) {
    tl_cohesion_find(world);
  }
  return TALUS_OK;
}

/* Pairs with images, such that the shape of the lower id comes first: so a pair is matched to what
 * it was before, whichever of the two is the image. */
static talus_status pairs_order(talus_world *world, const tl_pair **pairs, int64_t count) {
  const tl_collider_fact *const fact = world->facts.memory;
  TL_TRY(tl_buffer_reserve(world->context, &world->ordered_pairs, (size_t)count, sizeof(tl_pair),
                           "pairs"));
  tl_pair *const ordered = world->ordered_pairs.memory;
  for (int64_t i = 0; i < count; i++) {
    const tl_pair pair = (*pairs)[i];
    const bool swap = fact[pair.a].shape_id > fact[pair.b].shape_id;
    ordered[i] = swap ? (tl_pair){pair.b, pair.a} : pair;
  }
  *pairs = ordered;
  return TALUS_OK;
}

/* From colliders to contacts, those of this rank where they are local. */
static talus_status contacts_search(talus_world *world, double dt, const double *least_margin) {
  const tl_pair *pairs;
  const tl_contact_point *points;
  int64_t pair_count, point_count;
  const int32_t threads = tl_threads_for(world->context, world->shape_count);
  TL_TRY(tl_colliders_place(world, dt, least_margin));
  const tl_collider *const collider = world->colliders.memory;
  TL_TRY(tl_broad_refresh(world->broad, collider, world->collider_count, tl_contacts_skin(world),
                          threads, &pairs, &pair_count, NULL));
  if (world->cell.def.periodic != 0) {
    TL_TRY(pairs_order(world, &pairs, pair_count));
  }
  TL_TRY(tl_spread_pairs(world, &pairs, &pair_count));
  TL_TRY(tl_spread_points(world, pairs, pair_count, threads, &points, &point_count));
  if (point_count > (1 << 28)) {
    return tl_fail(world->context, TALUS_SIZE_OVERFLOW, "%lld contacts are too many",
                   (long long)point_count);
  }
  TL_TRY(points_match(world, points, point_count, threads));
  TL_TRY(contacts_make(world, dt, points, point_count, threads));
  return tl_match_store(world->match, world->keys.memory, world->contact_count);
}

talus_status tl_contacts_find(talus_world *world, double dt, const double *least_margin) {
  TL_TRY(tl_spread_prepare(world, dt, &least_margin));
  const int64_t slots = world->slots_changed;
  const bool local = world->contacts_local;
  TL_TRY(tl_spread_finish(world, contacts_search(world, dt, least_margin)));
  if (!local || world->contacts_local) {
    return TALUS_OK;
  }
  /* they were few: what is missed is looked for by all ranks */
  if (slots != world->slots_changed && least_margin != NULL) {
    TL_TRY(tl_ranks_agree(world->context, tl_spread_margins_fill(world)));
    least_margin = world->least_margins.memory;
  }
  return tl_ranks_agree(world->context, tl_colliders_place(world, dt, least_margin));
}

talus_contact tl_contact_show(const talus_world *world, int64_t k) {
  const tl_contact_shown *const shown = &world->contact[k].shown;
  talus_contact contact = {.body_a = shown->body_a,
                           .body_b = shown->body_b,
                           .shape_a = shown->shape_a,
                           .shape_b = shown->shape_b,
                           .gap = shown->gap};
  tl_copy3(contact.point, shown->point);
  tl_copy3(contact.normal, world->normal + 3 * k);
  tl_copy3(contact.impulse, world->impulse + 3 * k);
  return contact;
}

int32_t talus_world_contacts(const talus_world *world, const talus_contact **contacts) {
  if (contacts != NULL) {
    *contacts = NULL;
  }
  if (world != NULL && contacts == NULL) {
    return tl_world_read(world) == TALUS_OK ? tl_spread_contact_count(world) : TALUS_NONE;
  }
  if (world == NULL || tl_contacts_read(world) != TALUS_OK) {
    return world != NULL ? TALUS_NONE : 0;
  }
  tl_buffer *const buffer = world->shown;
  const size_t count = (size_t)world->contact_count;
  if (count * sizeof **contacts > buffer->capacity &&
      tl_buffer_reserve(world->context, buffer, count + count / 4, sizeof **contacts,
                        "contacts that are shown") != TALUS_OK) {
    return TALUS_NONE;
  }
  talus_contact *const shown = buffer->memory;
  for (size_t k = 0; k < count; k++) {
    shown[k] = tl_contact_show(world, (int64_t)k);
  }
  *contacts = shown;
  return world->contact_count;
}
