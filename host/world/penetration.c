/* penetration.c: a guard against bodies that penetrate each other within a step.
 *
 * Impulses that are far from a solution, or a step so long that contacts turn away under it, let
 * bodies pass into or through each other. A pair may become deeper in a step by penetration_limit
 * times the smaller radius, whatever the number of parts that the step is made in, and no more.
 *
 * To first order the gap after the step is gap + dt u_n. For round bodies that is a bound: the
 * distance of two centres is at least its part along the old normal. Pairs with edges and corners
 * that turn by much are looked at once more where they end, by the narrow-phase; a pair whose
 * shapes travel less than the limit together cannot have become deeper by it. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "host/base/each.h"
#include "host/world/world.h"

/* How much deeper a pair may become in a step. */
static double depth_limit(const talus_world *world, int64_t contact) {
  return world->def.penetration_limit * world->terms[contact].size;
}

/* Notes the contact if it becomes deeper, from `before` to `after`, by more than it may. */
static void penetration_note(tl_penetration *penetration, const talus_world *world, int64_t k,
                             double before, double after) {
  const tl_contact_shown *const shown = &world->contact[k].shown;
  const double limit = depth_limit(world, k), excess = (after - before) / limit;
  if (after - before > limit && !(penetration->excess >= excess)) {
    *penetration = (tl_penetration){.found = true,
                                    .body_a = shown->body_a,
                                    .body_b = shown->body_b,
                                    .shape_a = shown->shape_a,
                                    .shape_b = shown->shape_b,
                                    .before = before,
                                    .after = after,
                                    .excess = excess};
  }
}

void tl_penetration_begin(talus_world *world, int32_t parts) {
  for (int32_t k = 0; k < world->contact_count && world->deepens; k++) {
    world->contact[k].deepened = 0;
  }
  world->deepens = parts > 1;
}

/* Depth at the beginning of the sub-step, and by the velocities after it. */
static double depth_before(const tl_world_contact *contact) {
  return contact->shown.gap < 0 ? -contact->shown.gap : 0;
}
static double depth_after(const talus_world *world, int64_t k, double dt) {
  return -(world->contact[k].shown.gap + dt * world->terms[k].departure);
}

bool tl_penetration_deepens(const talus_world *world, int64_t k, double dt) {
  const tl_world_contact *const contact = &world->contact[k];
  const double before = depth_before(contact) - contact->deepened;
  return depth_after(world, k, dt) - before > depth_limit(world, k);
}

typedef struct deepen_task {
  const talus_world *world;
  double dt;
} deepen_task;

static void deepen_part(void *arguments, int64_t first, int64_t end) {
  const deepen_task *const t = arguments;
  for (int64_t k = first; k < end; k++) {
    tl_world_contact *const contact = &t->world->contact[k];
    const double change = depth_after(t->world, k, t->dt) - depth_before(contact);
    contact->deepened = fmax(0, contact->deepened + change);
  }
}

void tl_penetration_predict(talus_world *world, double dt, bool deepens,
                            tl_penetration *penetration) {
  deepen_task task = {world, dt};
  const int32_t threads = tl_threads_for(world->context, world->contact_count);
  for (int32_t k = 0; k < world->contact_count && deepens; k++) {
    const tl_world_contact *const contact = &world->contact[k];
    penetration_note(penetration, world, k, depth_before(contact) - contact->deepened,
                     depth_after(world, k, dt));
  }
  if (world->deepens) {
    tl_each(world->context, threads, world->contact_count, deepen_part, &task);
  }
}

/* How far the shape's fastest point travels in dt. */
static double shape_travel(const talus_world *world, int32_t index, double dt) {
  const tl_shape_slot *const shape = &world->shape[index];
  const tl_body *const body = &world->body[shape->body];
  return dt *
         tl_body_shape_speed(body, &shape->geometry, shape->position, body->velocity, body->spin);
}

/* Whether the pair must be looked at where it ends. */
static bool may_have_turned(const talus_world *world, int64_t k, double dt) {
  const tl_world_contact *const contact = &world->contact[k];
  return !contact->spherical &&
         shape_travel(world, contact->shape_a, dt) + shape_travel(world, contact->shape_b, dt) >
             depth_limit(world, k);
}

static bool same_pair(const tl_world_contact *a, const tl_world_contact *b) {
  return a->shape_a == b->shape_a && a->shape_b == b->shape_b;
}

talus_status tl_penetration_measure(talus_world *world, double dt, tl_penetration *penetration) {
  int32_t first = 0;
  while (first < world->contact_count) {
    const tl_world_contact *const contact = &world->contact[first];
    double before = 0, after = 0;
    int32_t end = first;
    for (; end < world->contact_count && same_pair(&world->contact[end], contact); end++) {
      before = fmax(before, -world->contact[end].shown.gap);
    }
    if (may_have_turned(world, first, dt)) {
      TL_TRY(tl_pair_depth(world, contact, &after));
      penetration_note(penetration, world, first, before, after);
    }
    first = end;
  }
  return TALUS_OK;
}
