/* spread_bodies.c: bodies that come from other ranks, with all that they have, and bodies that go.
 *
 * Slots stay in the order of ids. All arrays are made anew, as large as what is there now, so that
 * memory follows the number of bodies. */
#include <string.h>

#include "host/collide/hull.h"
#include "host/math/radix.h"
#include "host/world/spread_record.h"

/* ---- the new arrays -------------------------------------------------------------------------- */

/* A shape of a newcomer. */
typedef struct new_shape {
  tl_shape_slot shape; /* its body: of the list of newcomers */
  const uint64_t *turn;
  tl_hull *hull;
} new_shape;

typedef struct rebuild {
  talus_world *world;
  const bool *keep;
  tl_newcomers *list;
  int32_t body_count, shape_count, turn_count, extra_count; /* afterwards */
  void *body, *shape, *turn, *extra;
  tl_buffer saved, of_bodies;
  new_shape *fresh; /* [list->shape_count] */
  uint64_t *key;    /* twice: of newcomers or their shapes, to sort them */
  int32_t *order;   /* twice */
  tl_buffer memory;
} rebuild;

static bool stays(const rebuild *r, int32_t slot) {
  return r->keep == NULL || r->keep[slot];
}

static void count_all(rebuild *r) {
  const talus_world *const world = r->world;
  r->body_count = r->list->count;
  r->shape_count = r->list->shape_count;
  r->turn_count = r->list->turn_count;
  r->extra_count = r->list->extra_count;
  for (int32_t i = 0; i < world->body_count; i++) {
    r->body_count += stays(r, i);
    r->extra_count += stays(r, i) && world->body[i].extra >= 0;
  }
  for (int32_t i = 0; i < world->shape_count; i++) {
    const bool kept = stays(r, world->shape[i].body);
    r->shape_count += kept;
    r->turn_count += kept && world->shape[i].turn >= 0;
  }
}

/* Some room for bodies that are added later. */
static size_t roomy(int32_t count) {
  return (size_t)count + (size_t)count / 16 + 1;
}

static talus_status memory_take(rebuild *r) {
  talus_context *const context = r->world->context;
  const size_t bodies = roomy(r->body_count);
  const int32_t sorted =
      r->list->count > r->list->shape_count ? r->list->count : r->list->shape_count;
  TL_TRY(tl_alloc(context, &r->body, bodies, sizeof(tl_body), "bodies"));
  TL_TRY(tl_alloc(context, &r->shape, roomy(r->shape_count), sizeof(tl_shape_slot), "shapes"));
  TL_TRY(tl_alloc(context, &r->turn, roomy(r->turn_count), sizeof *r->world->turn,
                  "rotations of shapes"));
  TL_TRY(tl_alloc(context, &r->extra, roomy(r->extra_count), sizeof(tl_body_extra), "bodies"));
  TL_TRY(
      tl_buffer_reserve(context, &r->of_bodies, bodies, TL_SPREAD_BODY_BYTES, "bricks of bodies"));
  if (r->world->step_saved) {
    TL_TRY(tl_buffer_reserve(context, &r->saved, bodies, sizeof(tl_saved_body), "bodies"));
  }
  TL_TRY(tl_buffer_reserve(context, &r->memory,
                           (size_t)r->list->shape_count * sizeof *r->fresh +
                               2 * (size_t)sorted * (sizeof *r->key + sizeof *r->order),
                           1, "bodies of other ranks"));
  r->fresh = r->memory.memory;
  r->key = (uint64_t *)(r->fresh + r->list->shape_count);
  r->order = (int32_t *)(r->key + 2 * (size_t)sorted);
  return TALUS_OK;
}

/* Newcomers by id. */
static void newcomers_sort(rebuild *r) {
  tl_newcomers *const list = r->list;
  const int32_t count = list->count;
  if (count == 0) { /* there may be no array */
    return;
  }
  for (int32_t i = 0; i < count; i++) {
    r->key[i] = (uint64_t)list->body[i].id;
    r->order[i] = i;
  }
  tl_radix_sort(r->key, r->order, r->key + count, r->order + count, count);
  tl_newcomer *const sorted = list->body + count;
  for (int32_t i = 0; i < count; i++) {
    sorted[i] = list->body[r->order[i]];
  }
  memcpy(list->body, sorted, (size_t)count * sizeof *sorted);
}

/* The newcomers' shapes with hulls of their own, by id: r->order. */
static talus_status shapes_unpack(rebuild *r) {
  tl_newcomers *const list = r->list;
  int32_t count = 0;
  memset(r->fresh, 0, (size_t)list->shape_count * sizeof *r->fresh);
  for (int32_t i = 0; i < list->count; i++) {
    const uint64_t *const record = list->memory + list->body[i].word;
    tl_record_head head;
    memcpy(&head, record, sizeof head);
    const uint64_t *at = tl_record_shapes(record, &head);
    for (int32_t s = 0; s < head.body.shape_count; s++, count++) {
      new_shape *const fresh = &r->fresh[count];
      tl_packed_shape packed;
      at = tl_record_shape(at, &packed);
      fresh->shape = packed.shape;
      fresh->shape.body = i;
      fresh->turn = packed.turn;
      if (packed.hull != NULL) {
        TL_TRY(tl_hull_unpack(r->world->context, packed.hull, &fresh->hull));
      }
      fresh->shape.geometry.hull = fresh->hull;
      r->key[count] = (uint64_t)packed.shape.id;
      r->order[count] = count;
    }
  }
  tl_radix_sort(r->key, r->order, r->key + count, r->order + count, count);
  return TALUS_OK;
}

/* ---- places ---------------------------------------------------------------------------------- */

static void body_places(rebuild *r) {
  talus_world *const world = r->world;
  int32_t next = 0, come = 0;
  for (int32_t i = 0; i < world->body_count; i++) {
    tl_body *const body = &world->body[i];
    while (come < r->list->count && r->list->body[come].id < body->id) {
      r->list->body[come++].slot = next++;
    }
    body->exists = stays(r, i);
    body->new_slot = body->exists ? next++ : -1;
  }
  while (come < r->list->count) {
    r->list->body[come++].slot = next++;
  }
}

/* fresh[].shape.new_slot as well. */
static void shape_places(rebuild *r) {
  talus_world *const world = r->world;
  int32_t next = 0, come = 0;
  for (int32_t i = 0; i < world->shape_count; i++) {
    tl_shape_slot *const shape = &world->shape[i];
    while (come < r->list->shape_count && r->fresh[r->order[come]].shape.id < shape->id) {
      r->fresh[r->order[come++]].shape.new_slot = next++;
    }
    shape->exists = stays(r, shape->body);
    shape->new_slot = shape->exists ? next++ : -1;
    if (!shape->exists) {
      tl_geometry_release(world->context, &shape->geometry);
    }
  }
  while (come < r->list->shape_count) {
    r->fresh[r->order[come++]].shape.new_slot = next++;
  }
}

/* Joints as a refused step finds them again. */
static void saved_joints_rename(const talus_world *world) {
  tl_joint *const joint = world->saved_joints.memory;
  for (int32_t i = 0; i < world->joint_count && world->step_saved; i++) {
    int32_t *const body[2] = {&joint[i].def.body_a, &joint[i].def.body_b};
    for (int side = 0; side < 2; side++) {
      *body[side] = *body[side] >= 0 ? world->body[*body[side]].new_slot : *body[side];
    }
  }
}

/* ---- moves ----------------------------------------------------------------------------------- */

/* What bodies have besides; tl_slots_rename has been there. */
static int32_t extras_move(rebuild *r) {
  const talus_world *const world = r->world;
  tl_body_extra *const extra = r->extra;
  int32_t count = 0;
  for (int32_t i = 0; i < world->body_extra_count; i++) {
    if (world->body_extra[i].body >= 0) {
      extra[count] = world->body_extra[i];
      ((tl_body *)r->body)[extra[count].body].extra = count;
      count++;
    }
  }
  return count;
}

static void bodies_move(rebuild *r) {
  const talus_world *const world = r->world;
  tl_saved_body *const saved = r->saved.memory;
  const tl_saved_body *const old = world->saved_bodies.memory;
  int32_t *const holder = tl_spread_holder_at(r->of_bodies.memory, r->body_count);
  for (int32_t i = 0; i < world->body_count; i++) {
    const int32_t to = world->body[i].new_slot;
    if (to >= 0) {
      ((tl_body *)r->body)[to] = world->body[i];
      holder[to] = world->spread->holder[i];
      if (world->step_saved) {
        saved[to] = old[i];
      }
    }
  }
  int32_t extras = extras_move(r);
  for (int32_t n = 0; n < r->list->count; n++) {
    const tl_newcomer *const come = &r->list->body[n];
    const uint64_t *const record = r->list->memory + come->word;
    tl_body *const body = (tl_body *)r->body + come->slot;
    tl_record_head head;
    memcpy(&head, record, sizeof head);
    *body = head.body;
    body->first_shape = -1;
    holder[come->slot] = come->rank;
    if (body->extra >= 0) {
      tl_body_extra *const extra = (tl_body_extra *)r->extra + extras;
      memcpy(extra, record + TL_RECORD_HEAD, sizeof *extra);
      extra->body = come->slot;
      body->extra = extras++;
    }
    if (world->step_saved) {
      saved[come->slot] = head.saved;
    }
  }
}

static void shapes_move(rebuild *r) {
  const talus_world *const world = r->world;
  tl_shape_slot *const to = r->shape;
  for (int32_t i = 0; i < world->shape_count; i++) {
    if (world->shape[i].exists) {
      to[world->shape[i].new_slot] = world->shape[i];
    }
  }
  for (int32_t k = r->list->shape_count; k-- > 0;) { /* lists are begun at their ends */
    const new_shape *const fresh = &r->fresh[k];
    const int32_t slot = r->list->body[fresh->shape.body].slot;
    tl_body *const body = (tl_body *)r->body + slot;
    tl_shape_slot *const shape = &to[fresh->shape.new_slot];
    *shape = fresh->shape;
    shape->body = slot;
    shape->next = body->first_shape;
    body->first_shape = fresh->shape.new_slot;
  }
}

/* Rotations in the order of slots. Newcomers know theirs by the place in `fresh`. */
static void turns_move(rebuild *r) {
  const talus_world *const world = r->world;
  double(*const turn)[9] = r->turn;
  tl_shape_slot *const shape = r->shape;
  int32_t come = 0, count = 0;
  for (int32_t i = 0; i < r->shape_count; i++) {
    const new_shape *const fresh = come < r->list->shape_count ? &r->fresh[r->order[come]] : NULL;
    const bool is_new = fresh != NULL && fresh->shape.new_slot == i;
    come += is_new;
    if (shape[i].turn >= 0) {
      memcpy(turn[count], is_new ? (const void *)fresh->turn : world->turn[shape[i].turn],
             sizeof *turn);
      shape[i].turn = count++;
    }
  }
}

static void arrays_swap(rebuild *r) {
  talus_world *const world = r->world;
  talus_context *const context = world->context;
  tl_free(context, world->body);
  tl_free(context, world->shape);
  tl_free(context, world->turn);
  tl_free(context, world->body_extra);
  world->body = r->body;
  world->shape = r->shape;
  world->turn = r->turn;
  world->body_extra = r->extra;
  world->body_count = r->body_count;
  world->shape_count = r->shape_count;
  world->turn_count = r->turn_count;
  world->body_extra_count = r->extra_count;
  world->body_capacity = (int32_t)roomy(r->body_count);
  world->shape_capacity = (int32_t)roomy(r->shape_count);
  world->turn_capacity = (int32_t)roomy(r->turn_count);
  world->body_extra_capacity = (int32_t)roomy(r->extra_count);
  if (world->step_saved) {
    tl_buffer_release(context, &world->saved_bodies);
    world->saved_bodies = r->saved;
  }
  tl_buffer_release(context, &world->spread->body_memory);
  world->spread->body_memory = r->of_bodies;
  tl_spread_bodies_place(world->spread, r->body_count);
  world->spread->shapes_arranged = r->shape_count;
  world->spread->listed = false; /* by slots */
  world->bonds_changed = true;   /* pairs are named by slots */
  world->slots_changed++;
}

static void rebuild_drop(rebuild *r, talus_status status) {
  talus_context *const context = r->world->context;
  for (int32_t i = 0; status != TALUS_OK && r->fresh != NULL && i < r->list->shape_count; i++) {
    tl_hull_destroy(context, r->fresh[i].hull);
  }
  if (status != TALUS_OK) {
    tl_free(context, r->body);
    tl_free(context, r->shape);
    tl_free(context, r->turn);
    tl_free(context, r->extra);
    tl_buffer_release(context, &r->saved);
    tl_buffer_release(context, &r->of_bodies);
  }
  tl_buffer_release(context, &r->memory);
}

talus_status tl_bodies_rebuild(talus_world *world, const bool *keep, tl_newcomers *list) {
  rebuild r = {.world = world, .keep = keep, .list = list};
  count_all(&r);
  talus_status status = memory_take(&r);
  if (status == TALUS_OK) {
    newcomers_sort(&r);
    status = shapes_unpack(&r);
  } else {
    r.fresh = NULL; /* nothing is in it */
  }
  status = tl_ranks_agree(world->context, status);
  if (status == TALUS_OK) {
    body_places(&r);
    shape_places(&r);
    tl_slots_rename(world);
    saved_joints_rename(world);
    bodies_move(&r);
    shapes_move(&r);
    turns_move(&r);
    arrays_swap(&r);
  }
  rebuild_drop(&r, status);
  return status;
}
