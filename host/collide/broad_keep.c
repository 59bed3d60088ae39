/* broad_keep.c: whether the colliders of now are all inside the room the kept pairs were found for.
 *
 * A pair that could touch now has overlapping rooms, and was found then. */
#include <math.h>

#include "host/collide/broad_grid.h"

static bool same_trait(const tl_trait *a, const tl_trait *b) {
  return a->body == b->body && a->collides == b->collides && a->tag == b->tag;
}

static bool item_inside(const tl_bounding_ball *place, const double half[3], const tl_trait *trait,
                        const tl_bounding_ball *room, const double room_half[3]) {
  if ((trait->tag & TL_TAG_BALL) != 0) {
    const double x = place->centre[0] - room->centre[0], y = place->centre[1] - room->centre[1],
                 z = place->centre[2] - room->centre[2], slack = room->reach - place->reach;
    return slack >= 0 && x * x + y * y + z * z <= slack * slack;
  }
  for (int axis = 0; axis < 3; axis++) {
    if (!(fabs(place->centre[axis] - room->centre[axis]) <= room_half[axis] - half[axis])) {
      return false;
    }
  }
  return true;
}

/* Half-spaces of one direction contain each other; turned ones never do. */
static bool large_inside(const tl_collider *collider, const tl_large *room, int halfspace) {
  tl_large now;
  tl_large_fill(collider, room->index, 0, &now);
  const double slack = room->margin - now.margin;
  if (!halfspace) {
    for (int axis = 0; axis < 3; axis++) {
      const double lower = now.box.lower[axis], upper = now.box.upper[axis];
      if (!(lower == room->box.lower[axis] || room->box.lower[axis] - lower <= slack) ||
          !(upper == room->box.upper[axis] || upper - room->box.upper[axis] <= slack)) {
        return false;
      }
    }
    return slack >= 0;
  }
  double rise = 0;
  for (int axis = 0; axis < 3; axis++) {
    if (now.normal[axis] != room->normal[axis]) {
      return false;
    }
    rise += (now.point[axis] - room->point[axis]) * now.normal[axis];
  }
  return rise <= slack;
}

static bool collider_inside(const tl_broad *broad, const tl_collider *collider, int32_t i) {
  tl_bounding_ball place;
  tl_trait trait;
  double half[3] = {0, 0, 0};
  return tl_place_collider(collider, i, 0, &place, &trait, half) &&
         same_trait(&trait, &broad->trait[i]) &&
         (broad->place[i].reach == INFINITY
              ? place.reach == INFINITY
              : item_inside(&place, half, &trait, &broad->place[i], &broad->half[3 * (int64_t)i]));
}

typedef struct hold_task {
  const tl_broad *broad;
  const tl_collider *collider;
  int outside; /* atomic: a collider has left its room */
} hold_task;

static void hold_part(void *arguments, int64_t first, int64_t end) {
  hold_task *const t = arguments;
  for (int64_t i = first; i < end && !__atomic_load_n(&t->outside, __ATOMIC_RELAXED); i++) {
    if (!collider_inside(t->broad, &t->collider[i], (int32_t)i)) {
      __atomic_store_n(&t->outside, 1, __ATOMIC_RELAXED);
    }
  }
}

bool tl_broad_holds(const tl_broad *broad, const tl_collider *collider, int32_t count,
                    int32_t lane_count) {
  if (!broad->kept || count != broad->count) {
    return false;
  }
  for (int32_t l = 0; l < broad->large_count; l++) {
    const tl_large *const room = &broad->large[l];
    const tl_trait *const trait = &broad->trait[room->index];
    if (broad->place[room->index].reach == INFINITY &&
        !(collider_inside(broad, &collider[room->index], room->index) &&
          large_inside(&collider[room->index], room, (trait->tag & TL_TAG_HALFSPACE) != 0))) {
      return false;
    }
  }
  hold_task task = {broad, collider, 0};
  tl_each(broad->context, lane_count, count, hold_part, &task);
  return !task.outside;
}
