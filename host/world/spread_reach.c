/* spread_reach.c: in which bricks contacts of a body may lie, and whose these are.
 *
 * A contact lies in the brick with the smaller coordinates of its bodies' bricks. Bodies that may
 * touch each other are at most a distance apart, so that a body's contacts lie in the bricks from
 * the one of its place less that distance, along each axis, to its own. A box of bricks has some
 * slack in place and distance, and holds while the bricks in question are among its own. */
#include <math.h>

#include "host/world/spread_local.h"

/* Of the typical radius: how far bodies may move. */
static const double SLACK = 0.5;

/* ---- reach ----------------------------------------------------------------------------------- */

static double body_reach(const talus_world *world, int32_t slot, double dt, const double *v,
                         const double *spin, const double *least_margin) {
  const tl_body *const body = &world->body[slot];
  const double margin =
      0.5 * world->def.margin * world->size + dt * dt * tl_norm3(world->def.gravity);
  const double speed = tl_norm3(v), turn = tl_norm3(spin);
  double most = 0;
  for (int32_t s = body->first_shape; s >= 0; s = world->shape[s].next) {
    const tl_shape_slot *const shape = &world->shape[s];
    const double reach = tl_norm3(shape->position) + tl_geometry_reach(&shape->geometry);
    const double least = least_margin != NULL ? least_margin[s] : 0;
    most = fmax(most, reach + fmax(margin + dt * (speed + turn * reach), least) +
                          tl_cohesion_reach(world, shape->size));
  }
  return most;
}

double tl_spread_size(const talus_world *world, int32_t slot) {
  double most = 0;
  for (int32_t s = world->body[slot].first_shape; s >= 0; s = world->shape[s].next) {
    const tl_shape_slot *const shape = &world->shape[s];
    most = fmax(most, tl_norm3(shape->position) + tl_geometry_reach(&shape->geometry));
  }
  return most;
}

double tl_spread_reach(const talus_world *world, double dt, const double *velocity,
                       const double *least_margin) {
  const tl_world_spread *const spread = world->spread;
  double most = 0;
  for (int32_t i = 0; i < world->body_count; i++) {
    const tl_body *const body = &world->body[i];
    if (tl_spread_stays(body) ||
        (world->bodies_local && spread->holder[i] != spread->owners.rank)) {
      continue;
    }
    const double *const v = velocity != NULL ? velocity + 6 * (int64_t)i : body->velocity;
    const double *const spin = velocity != NULL ? v + 3 : body->spin;
    const double reach = body_reach(world, i, dt, v, spin, least_margin);
    most = reach > most || isnan(reach) ? reach : most;
  }
  return most;
}

bool tl_spread_far(const talus_world *world, double reach) {
  return !(reach < 0.49 * world->def.brick_size);
}

double tl_spread_distance(const talus_world *world, double reach) {
  const double brick = world->def.brick_size;
  /* all of the bricks beside, where bodies more than a brick apart may touch */
  return tl_spread_far(world, reach) ? 1.0001 * brick
                                     : fmin(2 * (reach + world->spread->growth), 0.98 * brick);
}

/* ---- boxes ----------------------------------------------------------------------------------- */

tl_brick_entry *tl_spread_entry(const tl_world_spread *spread, tl_brick brick) {
  tl_brick_entry *const entry =
      &spread->entry[brick * UINT64_C(0x9E3779B97F4A7C15) >> (64 - TL_SPREAD_ENTRY_BITS)];
  if (entry->brick != brick) {
    *entry = (tl_brick_entry){brick, tl_owner_of_brick(&spread->owners, brick)};
  }
  return entry;
}

static tl_brick brick_beside(const talus_world *world, int32_t slot, double way) {
  const double *const position = world->body[slot].position;
  const double at[3] = {position[0] + way, position[1] + way, position[2] + way};
  return tl_brick_at(at, world->def.brick_size);
}

void tl_spread_boxes(const talus_world *world) {
  const tl_world_spread *const spread = world->spread;
  const double slack = fmin(SLACK * world->size, 0.25 * world->def.brick_size);
  for (int32_t i = 0; i < world->body_count; i++) {
    spread->low[i] = brick_beside(world, i, -spread->distance - slack);
    spread->high[i] = brick_beside(world, i, slack);
  }
}

/* The next brick of a box; false behind the last one. */
static bool box_next(tl_brick low, tl_brick high, int32_t at[3]) {
  for (int axis = 0; axis < 3; axis++) {
    if (++at[axis] <= tl_brick_coordinate(high, axis)) {
      return true;
    }
    at[axis] = tl_brick_coordinate(low, axis);
  }
  return false;
}

static int32_t owner_at(const tl_world_spread *spread, const int32_t at[3]) {
  const tl_brick brick =
      (tl_brick)at[0] | (tl_brick)at[1] << TL_BRICK_BITS | (tl_brick)at[2] << (2 * TL_BRICK_BITS);
  return tl_spread_entry(spread, brick)->owner;
}

/* Whether all of these bricks are among those of the body's box. */
static bool box_inside(const tl_world_spread *spread, int32_t slot, tl_brick low, tl_brick high) {
  bool inside = true;
  for (int axis = 0; axis < 3; axis++) {
    inside = inside &&
             tl_brick_coordinate(low, axis) >= tl_brick_coordinate(spread->low[slot], axis) &&
             tl_brick_coordinate(high, axis) <= tl_brick_coordinate(spread->high[slot], axis);
  }
  return inside;
}

typedef enum ownership { OWN, FOREIGN } ownership;

/* Whether each brick of a box is this rank's, or each is not. */
static bool all_are(const tl_world_spread *spread, tl_brick low, tl_brick high, ownership wanted) {
  int32_t at[3] = {tl_brick_coordinate(low, 0), tl_brick_coordinate(low, 1),
                   tl_brick_coordinate(low, 2)};
  bool all = true;
  do {
    all = (owner_at(spread, at) == spread->owners.rank) == (wanted == OWN);
  } while (all && box_next(low, high, at));
  return all;
}

bool tl_spread_box_clear(const talus_world *world, int32_t slot) {
  const tl_world_spread *const spread = world->spread;
  const tl_brick low = brick_beside(world, slot, -spread->distance);
  const tl_brick high = spread->brick[slot] & ~TL_SPREAD_MARKS;
  return box_inside(spread, slot, low, high) || all_are(spread, low, high, FOREIGN);
}

bool tl_spread_box_holds(const talus_world *world, int32_t slot) {
  const tl_world_spread *const spread = world->spread;
  const tl_brick low = brick_beside(world, slot, -spread->distance);
  const tl_brick high = spread->brick[slot] & ~TL_SPREAD_MARKS;
  return box_inside(spread, slot, low, high) || all_are(spread, low, high, OWN);
}

int32_t tl_spread_takers(const tl_world_spread *spread, int32_t slot, int32_t *rank) {
  const tl_brick low = spread->low[slot], high = spread->high[slot];
  int32_t at[3] = {tl_brick_coordinate(low, 0), tl_brick_coordinate(low, 1),
                   tl_brick_coordinate(low, 2)};
  int32_t count = 0;
  do {
    const int32_t owner = owner_at(spread, at);
    int32_t k = 0;
    while (k < count && rank[k] != owner) {
      k++;
    }
    if (k == count && count < TL_SPREAD_TAKERS) {
      rank[count++] = owner;
    }
  } while (box_next(low, high, at));
  return count;
}
