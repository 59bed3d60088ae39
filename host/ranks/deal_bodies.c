/* deal_bodies.c: bodies on their way to the owners of their bricks, and to ranks that have a
 * constraint with them. */
#include <string.h>

#include "host/math/radix.h"
#include "host/ranks/deal.h"

static tl_body_head head_of(const tl_deal *deal, int32_t i) {
  return (tl_body_head){deal->piece->ids[i], deal->brick[i]};
}

static talus_status by_id_reserve(tl_deal *deal, int64_t count, tl_by_id *list) {
  TL_TRY(tl_buffer_reserve(deal->context, &list->buffer, 3 * (size_t)count + 1, sizeof(uint64_t),
                           "ids of bodies"));
  list->id = list->buffer.memory;
  list->value = (int32_t *)(list->id + 2 * count);
  list->count = (int32_t)count;
  return TALUS_OK;
}

static bool ascends(const uint64_t *id, int64_t count) {
  for (int64_t i = 1; i < count; i++) {
    if (id[i] < id[i - 1]) {
      return false;
    }
  }
  return true;
}

static void by_id_sort(tl_by_id *list) {
  const int64_t count = list->count;
  if (ascends(list->id, count)) { /* as bodies of a world do */
    return;
  }
  tl_radix_sort(list->id, list->value, list->id + count, list->value + count, count);
}

/* ---- to the owners --------------------------------------------------------------------------- */

/* send: where the records of each rank begin; moves on. */
static void bodies_pack(const tl_deal *deal, int64_t *send, tl_body_head *out) {
  const talus_problem *const p = deal->piece;
  int32_t *const sent = deal->part->flow[TL_BODIES_OF].send;
  int64_t own = 0;
  for (int32_t i = 0; i < p->rigid.body_count - p->ghost_count; i++) {
    const int32_t rank = deal->rank[i];
    if (rank == deal->transport->rank) {
      deal->bodies.own[own++] = i;
    } else {
      sent[send[rank]] = i;
      out[send[rank]++] = head_of(deal, i);
    }
  }
}

static talus_status own_sort(tl_deal *deal) {
  TL_TRY(by_id_reserve(deal, deal->bodies.count, &deal->own));
  for (int32_t i = 0; i < deal->own.count; i++) {
    const int32_t own = tl_record_own(&deal->bodies, i);
    deal->own.id[i] =
        own >= 0 ? deal->piece->ids[own] : ((const tl_body_head *)tl_record(&deal->bodies, i))->id;
    deal->own.value[i] = i;
  }
  by_id_sort(&deal->own);
  return TALUS_OK;
}

talus_status tl_deal_bodies(tl_deal *deal) {
  const talus_problem *const p = deal->piece;
  const int32_t size = deal->transport->size;
  tl_route *const route = &deal->route;
  TL_TRY(tl_ranks_agree(deal->context, tl_route_begin(deal->context, route)));
  for (int32_t i = 0; i < p->rigid.body_count - p->ghost_count; i++) {
    route->send[deal->rank[i]]++;
  }
  int64_t own;
  TL_TRY(tl_route_open_others(deal->context, route, &own));
  deal->bodies.bytes = sizeof(tl_body_head);
  talus_status status = tl_records_reserve(deal, own, &deal->bodies, "bodies of a rank");
  if (status == TALUS_OK) {
    status = tl_flow_open(deal->context, route, &deal->part->flow[TL_BODIES_OF]);
  }
  if (status == TALUS_OK) {
    status = tl_buffer_reserve(deal->context, &deal->out, (size_t)route->send[size],
                               deal->bodies.bytes, "bodies for other ranks");
  }
  int64_t given[1] = {route->send[size] > 0}; /* to other ranks, by any */
  TL_TRY(tl_ranks_agree_on(deal->context, status, given, 1));
  deal->part->direct = given[0] == 0;
  bodies_pack(deal, route->send, deal->out.memory);
  tl_route_rewind(route->send, size);
  TL_TRY(tl_route_carry(deal->context, route, deal->bodies.bytes, deal->out.memory,
                        deal->bodies.memory));
  return tl_ranks_agree(deal->context, own_sort(deal));
}

/* ---- to those who have a constraint with them ------------------------------------------------ */

enum { UNKNOWN = -1, ASKED_FOR = -2 }; /* places */

static void other_add(tl_by_id *list, uint64_t id, int32_t rank) {
  list->id[list->count] = id;
  list->value[list->count++] = rank;
}

/* Bodies of other ranks that the constraints join; those of the piece once each. */
static void others_collect(tl_deal *deal, int rows) {
  const tl_records *const pairs = &deal->pairs[rows];
  for (int64_t i = 0; i < pairs->own_count; i++) {
    int32_t body[2];
    tl_deal_bodies_of(deal, rows, pairs->own[i], body);
    for (int side = 0; side < 2; side++) {
      if (body[side] >= 0 && deal->rank[body[side]] != deal->transport->rank &&
          deal->place[body[side]] == UNKNOWN) {
        deal->place[body[side]] = ASKED_FOR;
        other_add(&deal->others, deal->piece->ids[body[side]], deal->rank[body[side]]);
      }
    }
  }
  const tl_pair_head *const head = pairs->memory;
  for (int64_t i = 0; i < pairs->count - pairs->own_count; i++) {
    for (int side = 0; side < 2; side++) {
      const int32_t rank =
          head[i].id[side] == TL_GROUND ? -1 : tl_deal_owner(deal, head[i].brick[side]);
      if (rank >= 0 && rank != deal->transport->rank) {
        other_add(&deal->others, head[i].id[side], rank);
      }
    }
  }
}

/* How many there may be. */
static int64_t others_most(const tl_deal *deal) {
  int64_t most = 0;
  for (int32_t i = 0; i < deal->piece->rigid.body_count; i++) {
    most += deal->rank[i] != deal->transport->rank;
  }
  for (int rows = 0; rows < 2; rows++) {
    most += 2 * (deal->pairs[rows].count - deal->pairs[rows].own_count);
  }
  return most;
}

/* Each once, with its owner as the value. */
static talus_status ghosts_list(tl_deal *deal) {
  tl_by_id *const list = &deal->others;
  TL_TRY(by_id_reserve(deal, others_most(deal), list));
  list->count = 0;
  for (int rows = 0; rows < 2; rows++) {
    others_collect(deal, rows);
  }
  by_id_sort(list);
  int32_t kept = 0;
  for (int32_t i = 0; i < list->count; i++) {
    if (i == 0 || list->id[i] != list->id[i - 1]) {
      list->id[kept] = list->id[i];
      list->value[kept++] = list->value[i];
    }
  }
  list->count = kept;
  return TALUS_OK;
}

/* What others want to know; which own bodies these are goes to `sent`, until they have places. */
static talus_status ghosts_answer(tl_deal *deal, const uint64_t *wanted, int64_t count,
                                  tl_body_head *out, int32_t *sent) {
  for (int64_t i = 0; i < count; i++) {
    const int32_t at = tl_id_find(deal->own.id, deal->own.count, wanted[i]);
    if (at < 0) {
      return tl_fail(deal->context, TALUS_INDEX_RANGE,
                     "no rank gives body %llu where a contact or row joins it: one rank must have "
                     "it, others as a ghost at the same position",
                     (unsigned long long)wanted[i]);
    }
    const int32_t own = tl_record_own(&deal->bodies, deal->own.value[at]);
    out[i] = own >= 0 ? head_of(deal, own)
                      : *(const tl_body_head *)tl_record(&deal->bodies, deal->own.value[at]);
    sent[i] = at;
  }
  return TALUS_OK;
}

/* Their flow goes the other way than the questions. */
static talus_status ghosts_reserve(tl_deal *deal, uint64_t **ask, uint64_t **asked,
                                   tl_body_head **out) {
  tl_route *const route = &deal->route;
  const int32_t size = deal->transport->size;
  const size_t sends = (size_t)route->send[size], receives = (size_t)route->receive[size];
  const tl_route answers = {.send = route->receive, .receive = route->send};
  deal->ghosts.bytes = sizeof(tl_body_head);
  deal->ghosts.count = deal->ghosts.own_first = (int64_t)sends;
  TL_TRY(tl_flow_open(deal->context, &answers, &deal->part->flow[TL_GHOSTS_OF]));
  TL_TRY(tl_buffer_reserve(deal->context, &deal->ghosts.buffer, sends, deal->ghosts.bytes,
                           "bodies of a rank"));
  deal->ghosts.memory = deal->ghosts.buffer.memory;
  TL_TRY(tl_buffer_reserve(deal->context, &deal->out,
                           (sends + receives) * sizeof(uint64_t) + receives * sizeof **out, 1,
                           "bodies for other ranks"));
  *ask = deal->out.memory;
  *asked = *ask + sends;
  *out = (tl_body_head *)(*asked + receives);
  return TALUS_OK;
}

talus_status tl_deal_ghosts(tl_deal *deal) {
  tl_by_id *const list = &deal->others;
  tl_route *const route = &deal->route;
  const int32_t size = deal->transport->size;
  uint64_t *ask = NULL, *asked = NULL;
  tl_body_head *out = NULL;
  talus_status status = ghosts_list(deal);
  if (status == TALUS_OK) {
    status = tl_route_begin(deal->context, route);
  }
  TL_TRY(tl_ranks_agree(deal->context, status));
  for (int32_t i = 0; i < list->count; i++) {
    route->send[list->value[i]]++;
  }
  TL_TRY(tl_route_open(deal->context, route));
  TL_TRY(tl_ranks_agree(deal->context, ghosts_reserve(deal, &ask, &asked, &out)));
  for (int32_t i = 0; i < list->count; i++) { /* the value becomes the record */
    const int64_t at = route->send[list->value[i]]++;
    ask[at] = list->id[i];
    list->value[i] = (int32_t)at;
  }
  tl_route_rewind(route->send, size);
  TL_TRY(tl_route_carry(deal->context, route, sizeof *ask, ask, asked));
  TL_TRY(tl_ranks_agree(deal->context, ghosts_answer(deal, asked, route->receive[size], out,
                                                     deal->part->flow[TL_GHOSTS_OF].send)));
  return tl_route_answer(deal->context, route, sizeof *out, out, deal->ghosts.memory);
}
