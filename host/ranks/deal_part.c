/* deal_part.c: the part of a rank from the records that have come: bodies in the order of their
 * ids, contacts and rows as their givers come, and who owns each. Numbers follow (flow.c). */
#include <string.h>

#include "host/ranks/deal.h"

/* Memory of the part, without numbers. */
static talus_status frame_take(tl_deal *deal, int32_t **index) {
  tl_part *const part = deal->part;
  talus_problem *const p = &part->problem;
  const int64_t bodies = p->rigid.body_count, contacts = p->contact_count,
                rows = p->bilateral_count, pairs = contacts + rows;
  const int64_t bytes = 16 * bodies + 4 * (bodies + 3 * pairs) + bodies + pairs;
  TL_TRY(tl_buffer_reserve(deal->context, &part->frame, (size_t)bytes, 1, "part of a rank"));
  TL_TRY(tl_buffer_reserve(deal->context, &deal->own_place_memory, (size_t)deal->own.count,
                           sizeof *deal->own_place, "places of bodies"));
  deal->own_place = deal->own_place_memory.memory;
  part->brick = part->frame.memory;
  uint64_t *const ids = part->brick + bodies;
  p->ids = ids;
  part->body_owner = (int32_t *)(ids + bodies);
  part->owner = part->body_owner + bodies;
  *index = part->owner + pairs; /* a of contacts, b; a of rows, b */
  p->rigid.body_a = *index;
  p->rigid.body_b = *index + contacts;
  p->rigid.row_body_a = *index + 2 * contacts;
  p->rigid.row_body_b = *index + 2 * contacts + rows;
  part->own = (bool *)(*index + 2 * pairs);
  part->body_own = part->own + pairs;
  return TALUS_OK;
}

/* Body i of the part is a record of the owned ones, or of the ghosts. */
static void body_put(tl_deal *deal, int32_t i, uint64_t id, int32_t record, bool own) {
  tl_part *const part = deal->part;
  const tl_records *const records = own ? &deal->bodies : &deal->ghosts;
  const int32_t given = tl_record_own(records, record);
  part->brick[i] =
      given >= 0 ? deal->brick[given] : ((const tl_body_head *)tl_record(records, record))->brick;
  if (given >= 0) {
    deal->place[given] = i;
  } else if (own) { /* records stand behind those that this rank has of its own */
    const int64_t behind = record >= records->own_first ? records->own_count : 0;
    part->flow[TL_BODIES_OF].place[record - behind] = i;
  } else {
    part->flow[TL_GHOSTS_OF].place[record] = i;
  }
  ((uint64_t *)part->problem.ids)[i] = id;
  part->body_owner[i] = own ? deal->transport->rank : tl_deal_owner(deal, part->brick[i]);
  part->body_own[i] = own;
}

/* Own bodies and ghosts by id. */
static talus_status bodies_merge(tl_deal *deal) {
  const tl_by_id *const own = &deal->own, *const others = &deal->others;
  tl_flow *const ghosts = &deal->part->flow[TL_GHOSTS_OF];
  for (int32_t i = 0, o = 0, g = 0; i < own->count + others->count; i++) {
    if (g == others->count || (o < own->count && own->id[o] < others->id[g])) {
      body_put(deal, i, own->id[o], own->value[o], true);
      deal->own_place[o++] = i;
    } else {
      body_put(deal, i, others->id[g], others->value[g], false);
      g++;
    }
  }
  for (int32_t i = 0; i < ghosts->send_first[deal->transport->size]; i++) {
    ghosts->send[i] = deal->own_place[ghosts->send[i]];
  }
  return tl_flow_stay(deal->context, deal->bodies.own, deal->bodies.own_count, deal->place, 0,
                      &deal->part->flow[TL_BODIES_OF]);
}

/* Whether a body is where the giver of a constraint says, and moves if it says so. */
static talus_status claim_check(tl_deal *deal, int32_t body, uint64_t id, tl_brick claim) {
  if (body < 0) {
    return tl_fail(deal->context, TALUS_INDEX_RANGE, "no rank gives body %llu, which is joined",
                   (unsigned long long)id);
  }
  if (claim != deal->part->brick[body]) {
    return tl_fail(deal->context, TALUS_INVALID_ARGUMENT,
                   "body %llu is a ghost with another position or mass than its own rank gives: "
                   "both must be the same",
                   (unsigned long long)id);
  }
  return TALUS_OK;
}

/* Whose a constraint of another rank's piece is, by what of its bodies moves. */
static int32_t owner_of(const tl_deal *deal, const int32_t body[2]) {
  const tl_part *const part = deal->part;
  const tl_brick a = body[0] >= 0 ? part->brick[body[0]] : 0;
  const tl_brick b = body[1] >= 0 ? part->brick[body[1]] : 0;
  return (a & b & TL_MOVES) != 0 ? tl_deal_owner_of_pair(deal, a & ~TL_MOVES, b & ~TL_MOVES)
                                 : part->body_owner[body[(a & TL_MOVES) != 0 ? 0 : 1]];
}

/* Where a body of the piece is in the part; the ground is -1. */
static talus_status own_place(tl_deal *deal, int32_t body, int32_t *place) {
  *place = body >= 0 ? deal->place[body] : -1;
  if (body >= 0 && *place < 0) {
    const uint64_t id = deal->piece->ids[body];
    *place = tl_id_place(&deal->index, id);
    TL_TRY(claim_check(deal, *place, id, deal->brick[body]));
    deal->place[body] = *place;
  }
  return TALUS_OK;
}

/* Constraint k of the piece as one of the part's. */
static talus_status own_put(tl_deal *deal, int rows, int32_t k, int32_t place[2], int32_t *owner) {
  int32_t body[2];
  tl_deal_bodies_of(deal, rows, k, body);
  TL_TRY(own_place(deal, body[0], &place[0]));
  TL_TRY(own_place(deal, body[1], &place[1]));
  *owner = deal->owner_of[rows][k];
  return TALUS_OK;
}

/* Constraint k of the part from the record that has come. */
static talus_status other_put(tl_deal *deal, int rows, int32_t k, int32_t place[2],
                              int32_t *owner) {
  const tl_pair_head *const head = tl_record(&deal->pairs[rows], k);
  for (int side = 0; side < 2; side++) {
    place[side] = -1;
    if (head->id[side] != TL_GROUND) {
      place[side] = tl_id_place(&deal->index, head->id[side]);
      TL_TRY(claim_check(deal, place[side], head->id[side], head->brick[side]));
    }
  }
  *owner = owner_of(deal, place);
  return TALUS_OK;
}

static talus_status pairs_put(tl_deal *deal, int rows, int32_t *a, int32_t *b) {
  tl_part *const part = deal->part;
  const talus_problem *const p = &part->problem;
  const tl_records *const records = &deal->pairs[rows];
  tl_delivery *const delivery = rows ? &part->rows : &part->contacts;
  const int64_t first = rows ? p->contact_count : 0;
  int64_t taken = 0;
  for (int32_t k = 0; k < records->count; k++) {
    const int32_t own = tl_record_own(records, k);
    int32_t place[2], *const owner = &part->owner[first + k];
    TL_TRY(own >= 0 ? own_put(deal, rows, own, place, owner)
                    : other_put(deal, rows, k, place, owner));
    a[k] = place[0];
    b[k] = place[1];
    part->own[first + k] = *owner == deal->transport->rank;
    if (part->own[first + k]) {
      delivery->taken[taken++] = k;
    }
  }
  return TALUS_OK;
}

static talus_status part_fill(tl_deal *deal) {
  tl_part *const part = deal->part;
  talus_problem *const p = &part->problem;
  const int64_t pairs = deal->pairs[0].count + deal->pairs[1].count;
  int32_t *index = NULL;
  if (pairs > INT32_MAX / 8 || (int64_t)deal->own.count + deal->others.count > INT32_MAX / 8) {
    return tl_fail(deal->context, TALUS_SIZE_OVERFLOW,
                   "a rank would have %lld constraints: use more ranks", (long long)pairs);
  }
  *p = talus_problem_default(TALUS_FORM_RIGID);
  p->dimension = deal->piece->dimension;
  p->brick_size = deal->piece->brick_size;
  p->contact_count = (int32_t)deal->pairs[0].count;
  p->bilateral_count = (int32_t)deal->pairs[1].count;
  p->rigid.body_count = deal->own.count + deal->others.count;
  TL_TRY(frame_take(deal, &index));
  TL_TRY(bodies_merge(deal));
  TL_TRY(tl_id_index_make(deal->context, p->ids, p->rigid.body_count, &deal->index));
  TL_TRY(pairs_put(deal, 0, index, index + p->contact_count));
  index += 2 * (int64_t)p->contact_count;
  TL_TRY(pairs_put(deal, 1, index, index + p->bilateral_count));
  for (int32_t i = 0; i < p->rigid.body_count; i++) {
    deal->part->brick[i] &= ~TL_MOVES;
  }
  tl_deal_note_cut(deal);
  return TALUS_OK;
}

/* For impulses and velocities on their way. */
static talus_status results_room(tl_deal *deal) {
  tl_part *const part = deal->part;
  TL_TRY(tl_delivery_room(deal->context, &part->contacts, part->problem.dimension, &part->scratch));
  TL_TRY(tl_delivery_room(deal->context, &part->rows, 1, &part->scratch));
  return tl_delivery_room(deal->context, &part->bodies, 6, &part->scratch);
}

/* Where the owners of the piece's bodies have them. */
static talus_status bodies_locate(tl_deal *deal) {
  talus_context *const context = deal->context;
  const talus_problem *const p = deal->piece;
  tl_delivery *const delivery = &deal->part->bodies;
  const int32_t count = p->rigid.body_count, size = deal->transport->size;
  TL_TRY(tl_ranks_agree(context, tl_buffer_reserve(context, &deal->out, (size_t)count,
                                                   sizeof(int32_t), "owners of bodies")));
  int32_t *const rank = deal->out.memory;
  for (int32_t i = 0; i < count; i++) {
    rank[i] = tl_deal_owner(deal, deal->brick[i]);
  }
  TL_TRY(tl_delivery_make(context, count, rank, delivery));
  const int64_t asked = delivery->route.receive[size];
  TL_TRY(tl_ranks_agree(context, tl_buffer_reserve(context, &deal->out, (size_t)(count + asked),
                                                   sizeof(uint64_t), "ids of bodies")));
  uint64_t *const id = deal->out.memory, *const wanted = id + count;
  for (int32_t i = 0; i < count; i++) {
    id[i] = p->ids[delivery->sent[i]];
  }
  TL_TRY(tl_route_carry(context, &delivery->route, sizeof *id, id, wanted));
  talus_status status = results_room(deal);
  for (int64_t i = 0; i < asked && status == TALUS_OK; i++) {
    delivery->taken[i] = tl_id_place(&deal->index, wanted[i]);
    if (delivery->taken[i] < 0) {
      status = tl_fail(context, TALUS_INDEX_RANGE,
                       "no rank gives body %llu, which some rank has as a ghost",
                       (unsigned long long)wanted[i]);
    }
  }
  return tl_ranks_agree(context, status);
}

talus_status tl_deal_part(tl_deal *deal) {
  TL_TRY(tl_ranks_agree(deal->context, part_fill(deal)));
  return bodies_locate(deal);
}
