/* missed_contacts.c: contacts that a step did not find because a body became faster in it than its
 * margin allows.
 *
 * Margins are made from the speeds before the step. A pair that was left out had a gap of at least
 * the sum of its margins, so it can only meet if one of the two moves further than its own: such
 * bodies are few. Around them alone contacts are searched once more, with the distance that they
 * really move as margin. Where one of the new contacts would close within the step, the margins of
 * its shapes are raised, and the caller finds contacts and solves again. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "host/base/each.h"
#include "host/world/cell.h"
#include "host/world/spread.h"

/* How far the fastest point of collider i moves in dt. */
static double travel_of(const talus_world *world, int32_t i, const double *velocity, double dt) {
  const tl_collider_fact *const fact = (const tl_collider_fact *)world->facts.memory + i;
  /* an image moves as the shape itself */
  const tl_collider *const collider =
      (const tl_collider *)world->colliders.memory + (fact->image != 0 ? fact->shape : i);
  const int32_t index = fact->body;
  const double *const v = velocity + 6 * (int64_t)index;
  double arm[3];
  tl_sub3(arm, collider->pose.position, world->body[index].position);
  return dt * tl_body_shape_speed(&world->body[index], collider->geometry, arm, v, v + 3);
}

typedef struct fast_task {
  const talus_world *world;
  const double *after;
  double dt;
  int fast; /* atomic: a collider moves further than its margin */
} fast_task;

static void fast_part(void *arguments, int64_t first, int64_t end) {
  fast_task *const t = arguments;
  const tl_collider *const collider = t->world->colliders.memory;
  for (int64_t i = first; i < end; i++) {
    if (collider[i].movable &&
        travel_of(t->world, (int32_t)i, t->after, t->dt) > collider[i].margin) {
      __atomic_store_n(&t->fast, 1, __ATOMIC_RELAXED);
      return;
    }
  }
}

static bool some_are_fast(const talus_world *world, const double *after, double dt) {
  fast_task task = {world, after, dt, 0};
  tl_each(world->context, tl_threads_for(world->context, world->collider_count),
          world->collider_count, fast_part, &task);
  return task.fast;
}

/* Copies all colliders; movable are those alone that move further than their margin, which becomes
 * that distance: a broad-phase pairs nothing else. */
static talus_status fast_colliders_copy(talus_world *world, const double *after, double dt) {
  const int32_t count = world->collider_count;
  const tl_collider *const collider = world->colliders.memory;
  TL_TRY(tl_buffer_reserve(world->context, &world->fast_colliders, (size_t)count,
                           sizeof(tl_collider), "colliders"));
  tl_collider *const copy = world->fast_colliders.memory;
  const tl_collider_fact *const fact = world->facts.memory;
  for (int32_t i = 0; i < count; i++) {
    const bool moves = collider[fact[i].image != 0 ? fact[i].shape : i].movable;
    const double travel = moves ? travel_of(world, i, after, dt) : 0;
    copy[i] = collider[i]; /* images of those that are fast look around like them */
    copy[i].movable = travel > collider[i].margin;
    copy[i].margin = fmax(travel, collider[i].margin);
  }
  return TALUS_OK;
}

/* Relative velocity along the normal, b away from a. */
static double opening_speed(const talus_world *world, const tl_contact_point *point,
                            const double *velocity) {
  const tl_collider_fact *const fact = world->facts.memory;
  double speed = 0;
  for (int side = 0; side < 2; side++) {
    const tl_collider_fact *const of = &fact[side ? point->b : point->a];
    const double *const v = velocity + 6 * (int64_t)of->body;
    double arm[3], turn[3], shift[3], drift[3];
    tl_cell_shift(&world->cell, of->image, shift);
    tl_sub3(arm, point->position, world->body[of->body].position);
    tl_sub3(arm, arm, shift);
    tl_cross3(turn, v + 3, arm);
    tl_cell_drift(&world->cell, of->image, drift);
    speed += (side ? 1 : -1) * (tl_dot3(v, point->normal) + tl_dot3(turn, point->normal) +
                                tl_dot3(drift, point->normal));
  }
  return speed;
}

/* Whether the pair had no contact for lack of margin, and would be closed at the end. */
static bool was_missed(const talus_world *world, const tl_contact_point *point, const double *after,
                       double dt) {
  const tl_collider *const collider = world->colliders.memory;
  const tl_collider *const a = &collider[point->a], *const b = &collider[point->b];
  const tl_collider_fact *const fact = world->facts.memory;
  const double slop = world->def.slop * fmin(fact[point->a].size, fact[point->b].size);
  return point->gap >= a->margin + b->margin &&
         point->gap + dt * opening_speed(world, point, after) < -slop;
}

/* Memory for a margin of each shape, 0 at first; kept from round to round. */
static talus_status least_margins_take(talus_world *world, double **least_margin) {
  if (*least_margin != NULL) {
    return TALUS_OK;
  }
  const size_t count = (size_t)world->shape_count;
  TL_TRY(tl_buffer_reserve(world->context, &world->least_margins, count, sizeof(double),
                           "margins of colliders"));
  *least_margin = world->least_margins.memory;
  memset(*least_margin, 0, count * sizeof **least_margin);
  return TALUS_OK;
}

/* Raises the margins of the two shapes of a contact that was missed, where they are fast. */
static void margins_raise(const talus_world *world, const tl_contact_point *point,
                          double *least_margin) {
  const tl_collider *const copy = world->fast_colliders.memory;
  const tl_collider_fact *const fact = world->facts.memory;
  assert(least_margin != NULL && point->a < world->collider_count &&
         point->b < world->collider_count);
  for (int side = 0; side < 2; side++) {
    const int32_t i = side ? point->b : point->a, shape = fact[i].shape;
    least_margin[shape] = copy[i].movable ? copy[i].margin : least_margin[shape];
  }
}

static talus_status missed_find(talus_world *world, double dt, const double *after,
                                double **least_margin, bool *missed) {
  const tl_pair *pairs;
  const tl_contact_point *points;
  int64_t pair_count, point_count;
  const int32_t threads = tl_threads_for(world->context, world->shape_count);
  if (!some_are_fast(world, after, dt)) {
    return TALUS_OK;
  }
  TL_TRY(fast_colliders_copy(world, after, dt));
  const tl_collider *const copy = world->fast_colliders.memory;
  TL_TRY(
      tl_broad_pairs(world->broad_fast, copy, world->collider_count, threads, &pairs, &pair_count));
  TL_TRY(tl_narrow_pairs(world->narrow, copy, pairs, pair_count, threads, &points, &point_count));
  for (int64_t k = 0; k < point_count; k++) {
    if (was_missed(world, &points[k], after, dt)) {
      TL_TRY(least_margins_take(world, least_margin));
      margins_raise(world, &points[k], *least_margin);
      *missed = true;
    }
  }
  return TALUS_OK;
}

talus_status tl_missed_contacts_find(talus_world *world, double dt, const double *after,
                                     double **least_margin, bool *missed) {
  const int64_t slots = world->slots_changed;
  bool changed;
  *missed = false;
  TL_TRY(tl_spread_widen(world, dt, &after, &changed));
  if (slots != world->slots_changed && *least_margin != NULL) {
    *least_margin = world->least_margins.memory;
  }
  talus_status status = changed ? tl_colliders_place(world, dt, *least_margin) : TALUS_OK;
  status = status == TALUS_OK ? missed_find(world, dt, after, least_margin, missed) : status;
  TL_TRY(tl_spread_flags(world, status, &missed, 1));
  if (*missed) { /* on some rank */
    TL_TRY(least_margins_take(world, least_margin));
    TL_TRY(tl_spread_margins(world, *least_margin, world->shape_count));
  }
  return TALUS_OK;
}
