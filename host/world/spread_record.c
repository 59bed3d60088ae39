/* spread_record.c: one body in a message between ranks, with all that it has, as words of 8
 * bytes. */
#include <string.h>

#include "host/collide/hull.h"
#include "host/world/spread_record.h"

enum { EXTRA = sizeof(tl_body_extra) / 8, SHAPE = sizeof(tl_shape_slot) / 8, TURN = 9 };
_Static_assert(sizeof(tl_body_extra) % 8 == 0 && sizeof(tl_shape_slot) % 8 == 0,
               "records are whole words");

static int64_t shape_words(const tl_shape_slot *shape) {
  return SHAPE + (shape->turn >= 0 ? TURN : 0);
}

int64_t tl_body_record_words(const talus_world *world, int32_t slot) {
  const tl_body *const body = &world->body[slot];
  int64_t words = TL_RECORD_HEAD + (body->extra >= 0 ? EXTRA : 0);
  for (int32_t s = body->first_shape; s >= 0; s = world->shape[s].next) {
    const tl_geometry *const geometry = &world->shape[s].geometry;
    words += shape_words(&world->shape[s]) +
             (geometry->hull != NULL ? tl_hull_words(geometry->hull) : 0);
  }
  return words;
}

void tl_body_record_pack(const talus_world *world, int32_t slot, uint64_t *record) {
  const tl_body *const body = &world->body[slot];
  tl_record_head head;
  memset(&head, 0, sizeof head);
  head.body = *body;
  if (world->step_saved) {
    head.saved = ((const tl_saved_body *)world->saved_bodies.memory)[slot];
  }
  memcpy(record, &head, sizeof head);
  record += TL_RECORD_HEAD;
  if (body->extra >= 0) {
    memcpy(record, &world->body_extra[body->extra], sizeof *world->body_extra);
    record += EXTRA;
  }
  for (int32_t s = body->first_shape; s >= 0; s = world->shape[s].next) {
    const tl_shape_slot *const shape = &world->shape[s];
    memcpy(record, shape, sizeof *shape);
    record += SHAPE;
    if (shape->turn >= 0) {
      memcpy(record, world->turn[shape->turn], TURN * sizeof *record);
      record += TURN;
    }
    if (shape->geometry.hull != NULL) {
      tl_hull_pack(shape->geometry.hull, record);
      record += tl_hull_words(shape->geometry.hull);
    }
  }
}

/* Whether this rank sends a body: those that stay are everywhere. */
static bool is_sent(const talus_world *world, bool marked, int32_t slot) {
  return tl_spread_gives(world, slot) && (!marked || world->spread->near[slot]);
}

void tl_body_records_count(const talus_world *world, bool marked, tl_record_count *count) {
  *count = (tl_record_count){0, 0};
  for (int32_t i = 0; i < world->body_count; i++) {
    if (is_sent(world, marked, i)) {
      count->bodies++;
      count->words += tl_body_record_words(world, i);
    }
  }
}

void tl_body_records_pack(const talus_world *world, bool marked, uint64_t *at) {
  for (int32_t i = 0; i < world->body_count; i++) {
    if (is_sent(world, marked, i)) {
      tl_body_record_pack(world, i, at);
      at += tl_body_record_words(world, i);
    }
  }
}

talus_status tl_newcomers_reserve(const talus_world *world, int64_t count, int64_t words,
                                  tl_newcomers *list) {
  TL_TRY(tl_buffer_reserve(world->context, &list->buffer,
                           (size_t)words * sizeof *list->memory +
                               2 * (size_t)count * sizeof *list->body,
                           1, "bodies of other ranks"));
  list->memory = list->buffer.memory;
  list->body = (tl_newcomer *)(list->memory + words);
  return TALUS_OK;
}

const uint64_t *tl_record_shape(const uint64_t *at, tl_packed_shape *packed) {
  memcpy(&packed->shape, at, sizeof packed->shape);
  at += SHAPE;
  packed->turn = packed->shape.turn >= 0 ? at : NULL;
  at += packed->turn != NULL ? TURN : 0;
  packed->hull = packed->shape.geometry.hull != NULL ? at : NULL;
  return packed->hull != NULL ? at + tl_hull_packed_words(at) : at;
}

const uint64_t *tl_record_shapes(const uint64_t *record, const tl_record_head *head) {
  return record + TL_RECORD_HEAD + (head->body.extra >= 0 ? EXTRA : 0);
}

void tl_newcomers_find(const talus_world *world, int64_t first, int64_t end, int32_t rank,
                       tl_newcomers *list) {
  while (first < end) {
    const uint64_t *const record = list->memory + first;
    tl_record_head head;
    int32_t turns = 0;
    memcpy(&head, record, sizeof head);
    const uint64_t *at = tl_record_shapes(record, &head);
    for (int32_t s = 0; s < head.body.shape_count; s++) {
      tl_packed_shape packed;
      at = tl_record_shape(at, &packed);
      turns += packed.turn != NULL;
    }
    const int32_t slot = tl_body_slot(world, head.body.id);
    if (slot >= 0) {
      world->body[slot].shared = world->body[slot].shared || head.body.shared;
    } else {
      list->body[list->count++] = (tl_newcomer){.id = head.body.id, .rank = rank, .word = first};
      list->shape_count += head.body.shape_count;
      list->turn_count += turns;
      list->extra_count += head.body.extra >= 0;
    }
    first += at - record;
  }
}
