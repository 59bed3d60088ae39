/* slots.c: from ids to slots.
 *
 * An id names one thing for good. Slots are what the world's arrays are indexed by: they hold what
 * exists, in the order of ids, so that an id is found by halves, and neither memory nor the cost of
 * a step grows with what has been removed. Rejected: ids that are used again, since an id kept too
 * long would then name something else, and slots that are filled from the end, since the order of
 * bodies, and with it the last bits of a run, would depend on the order of removals. */
#include <string.h>

#include "host/world/links.h"
#include "host/world/spread.h"

static int32_t id_at(const void *first, size_t stride, int32_t slot) {
  return *(const int32_t *)(const void *)((const char *)first + (size_t)slot * stride);
}

/* Ids ascend along an array of structs whose ids are `stride` bytes apart: the first slot whose id
 * is not smaller. */
static int32_t first_from(const void *first, size_t stride, int32_t count, int32_t id) {
  int32_t low = 0, high = id < count ? id : count; /* no slot is beyond its id */
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (id_at(first, stride, middle) < id) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static int32_t find(const void *first, size_t stride, int32_t count, int32_t id) {
  const int32_t slot = first_from(first, stride, count, id);
  return slot < count && id_at(first, stride, slot) == id ? slot : -1;
}

int32_t tl_body_slot(const talus_world *world, int32_t id) {
  if (id < 0 || id >= world->body_next) {
    return -1;
  }
  int32_t slot = id; /* where nothing has been removed */
  if (slot >= world->body_count || world->body[slot].id != id) {
    slot = find(&world->body->id, sizeof *world->body, world->body_count, id);
  }
  return slot >= 0 && world->body[slot].exists ? slot : -1;
}

int32_t tl_shape_slot_of(const talus_world *world, int32_t id) {
  const int32_t slot = id >= 0 && world->shape_count > 0
                           ? find(&world->shape->id, sizeof *world->shape, world->shape_count, id)
                           : -1;
  return slot >= 0 && world->shape[slot].exists ? slot : -1;
}

int32_t tl_joint_slot(const talus_world *world, int32_t id) {
  const int32_t slot = id >= 0 && world->joint_count > 0
                           ? find(&world->joint->id, sizeof *world->joint, world->joint_count, id)
                           : -1;
  return slot >= 0 && world->joint[slot].exists ? slot : -1;
}

int32_t tl_bond_slot(const talus_world *world, int32_t id) {
  const int32_t slot = id >= 0 && world->bond_count > 0
                           ? find(&world->bond->id, sizeof *world->bond, world->bond_count, id)
                           : -1;
  return slot >= 0 && world->bond[slot].exists ? slot : -1;
}

int32_t tl_body_after(const talus_world *world, int32_t id) {
  if (id < 0 || id >= world->body_next) {
    return id < 0 ? 0 : world->body_count;
  }
  if (id < world->body_count && world->body[id].id == id) {
    return id + 1;
  }
  return first_from(&world->body->id, sizeof *world->body, world->body_count, id + 1);
}

talus_status tl_body_ask(const talus_world *world, int32_t id) {
  const int32_t slot = tl_body_slot(world, id);
  int64_t exists = slot >= 0; /* on any rank */
  if (!world->bodies_local || id < 0 || id >= world->body_next ||
      (slot >= 0 && tl_body_everywhere(world, slot))) {
    return TALUS_OK;
  }
  TL_TRY(tl_ranks_largest(world->context, &exists, 1));
  if (exists == 0) {
    return TALUS_OK;
  }
  TL_TRY(tl_bodies_whole(world));
  tl_body *const body = tl_body_at(world, id);
  if (body != NULL) { /* the next time all have it */
    body->large = true;
  }
  return TALUS_OK;
}

talus_status tl_body_find(const talus_world *world, int32_t id, int32_t *slot) {
  if (world == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  TL_TRY(tl_body_ask(world, id));
  *slot = tl_body_slot(world, id);
  return *slot >= 0 ? TALUS_OK
                    : tl_fail(world->context, TALUS_INDEX_RANGE, "body %d does not exist", id);
}

talus_status tl_ids_left(const talus_world *world, int64_t next, const char *what) {
  return next < INT32_MAX ? TALUS_OK
                          : tl_fail(world->context, TALUS_SIZE_OVERFLOW,
                                    "all ids of %s are used up: a new world begins anew", what);
}

/* Where bodies and shapes go. */
static void moves_find(talus_world *world) {
  int32_t next = 0;
  for (int32_t i = 0; i < world->body_count; i++) {
    world->body[i].new_slot = world->body[i].exists ? next++ : -1;
  }
  next = 0;
  for (int32_t i = 0; i < world->shape_count; i++) {
    world->shape[i].new_slot = world->shape[i].exists ? next++ : -1;
  }
}

static int32_t new_body_slot(const talus_world *world, int32_t body) {
  return body >= 0 ? world->body[body].new_slot : body;
}

/* Everything that names a body or shape by its slot. */
void tl_slots_rename(talus_world *world) {
  for (int32_t i = 0; i < world->body_count; i++) {
    tl_body *const body = &world->body[i];
    if (body->exists && body->first_shape >= 0) {
      body->first_shape = world->shape[body->first_shape].new_slot;
    }
  }
  for (int32_t i = 0; i < world->shape_count; i++) {
    tl_shape_slot *const shape = &world->shape[i];
    shape->body = new_body_slot(world, shape->body);
    shape->next = shape->exists && shape->next >= 0 ? world->shape[shape->next].new_slot : -1;
  }
  for (int32_t i = 0; i < world->joint_count; i++) {
    talus_joint_def *const def = &world->joint[i].def;
    def->body_a = new_body_slot(world, def->body_a);
    def->body_b = new_body_slot(world, def->body_b);
  }
  for (int32_t i = 0; i < world->bond_count; i++) {
    tl_bond *const bond = &world->bond[i];
    bond->body_a = new_body_slot(world, bond->body_a);
    bond->body_b = new_body_slot(world, bond->body_b);
  }
  for (int32_t i = 0; i < world->body_extra_count; i++) {
    world->body_extra[i].body = new_body_slot(world, world->body_extra[i].body);
  }
  for (int32_t i = 0; i < world->motion_count; i++) {
    world->motion[i].body = new_body_slot(world, world->motion[i].body);
  }
  for (int32_t i = 0; i < world->servo_count; i++) {
    world->servo[i].body = new_body_slot(world, world->servo[i].body);
  }
  for (int32_t m = 0; m < world->mechanism_count; m++) {
    tl_world_mechanism *const of = &world->mechanism[m];
    of->first_body = new_body_slot(world, of->first_body);
    of->base = new_body_slot(world, of->base); /* TALUS_NONE if it was removed */
  }
}

static void motions_close(talus_world *world) {
  int32_t kept = 0;
  for (int32_t i = 0; i < world->motion_count; i++) {
    if (world->motion[i].body >= 0) {
      world->motion[kept++] = world->motion[i];
    } else {
      tl_free(world->context, world->motion[i].memory);
    }
  }
  world->motion_count = kept;
  kept = 0;
  for (int32_t i = 0; i < world->servo_count; i++) {
    if (world->servo[i].body >= 0) {
      world->servo[kept++] = world->servo[i];
    }
  }
  world->servo_count = kept;
}

static void bonds_close(talus_world *world) {
  int32_t kept = 0;
  for (int32_t i = 0; i < world->bond_count; i++) {
    if (world->bond[i].exists) {
      world->bond[kept++] = world->bond[i];
    }
  }
  world->bond_count = kept;
  world->bond_gaps = 0;
}

/* The rotation of a shape that stays; those of shapes in lower slots are there already. */
static void turn_move(talus_world *world, tl_shape_slot *shape, int32_t *turns) {
  if (shape->turn >= 0) {
    memmove(world->turn[*turns], world->turn[shape->turn], sizeof *world->turn);
    shape->turn = (*turns)++;
  }
}

void tl_gaps_close(talus_world *world) {
  int32_t kept = 0;
  if (world->bond_gaps > 0) {
    bonds_close(world);
  }
  if (world->joint_gaps > 0) {
    for (int32_t i = 0; i < world->joint_count; i++) {
      if (world->joint[i].exists) {
        world->joint[kept++] = world->joint[i];
      }
    }
    world->joint_count = kept;
    world->joint_gaps = 0;
  }
  if (world->body_gaps == 0) {
    return;
  }
  moves_find(world);
  tl_slots_rename(world);
  motions_close(world);
  kept = 0;
  for (int32_t i = 0; i < world->body_count; i++) {
    if (world->body[i].exists) {
      world->body[kept++] = world->body[i];
    }
  }
  world->body_count = kept;
  kept = 0;
  int32_t turns = 0;
  for (int32_t i = 0; i < world->shape_count; i++) {
    if (world->shape[i].exists) {
      world->shape[kept] = world->shape[i];
      turn_move(world, &world->shape[kept++], &turns);
    }
  }
  world->shape_count = kept;
  world->turn_count = turns;
  world->body_gaps = 0;
  world->bonds_changed = true; /* pairs are named by slots */
}
