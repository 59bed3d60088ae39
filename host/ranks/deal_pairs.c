/* deal_pairs.c: contacts and rows on their way to the ranks that have to do with them: the owner of
 * the brick, who sweeps them, and those of the bodies that they move, who have copies. */
#include <string.h>

#include "host/ranks/deal.h"

enum { HOLDERS = 3 };

static tl_pair_head head_of(const tl_deal *deal, const int32_t body[2]) {
  tl_pair_head head;
  for (int side = 0; side < 2; side++) {
    head.id[side] = body[side] >= 0 ? deal->piece->ids[body[side]] : TL_GROUND;
    head.brick[side] = body[side] >= 0 ? deal->brick[body[side]] : 0;
  }
  return head;
}

static bool moves(const tl_deal *deal, int32_t body) {
  return body >= 0 && (deal->brick[body] & TL_MOVES) != 0;
}

static int32_t owner_of(const tl_deal *deal, const int32_t body[2]) {
  if (!moves(deal, body[0]) || !moves(deal, body[1])) {
    return deal->rank[body[moves(deal, body[0]) ? 0 : 1]];
  }
  const tl_brick a = deal->brick[body[0]], b = deal->brick[body[1]];
  return a == b ? deal->rank[body[0]] : tl_deal_owner_of_pair(deal, a & ~TL_MOVES, b & ~TL_MOVES);
}

/* The ranks that a constraint goes to, its owner first; returns how many. */
static int32_t holders_of(const tl_deal *deal, const int32_t body[2], int32_t owner,
                          int32_t *rank) {
  int32_t count = 1;
  rank[0] = owner;
  for (int side = 0; side < 2; side++) {
    if (!moves(deal, body[side])) {
      continue;
    }
    int32_t i = 0;
    while (i < count && rank[i] != deal->rank[body[side]]) {
      i++;
    }
    if (i == count) {
      rank[count++] = deal->rank[body[side]];
    }
  }
  return count;
}

/* The constraints that others have to do with: those that stay are in the list of own ones. */
static void shared_pack(const tl_deal *deal, int rows, int64_t *send, tl_pair_head *out) {
  int32_t *const sent = deal->part->flow[rows ? TL_ROWS_OF : TL_CONTACTS_OF].send;
  for (int32_t i = 0; i < deal->shared_count[rows]; i++) {
    const int32_t k = deal->shared[rows][i];
    int32_t rank[HOLDERS], body[2];
    tl_deal_bodies_of(deal, rows, k, body);
    const int32_t holders = holders_of(deal, body, deal->owner_of[rows][k], rank);
    for (int32_t h = 0; h < holders; h++) {
      if (rank[h] != deal->transport->rank) {
        sent[send[rank[h]]] = k;
        out[send[rank[h]]++] = head_of(deal, body);
      }
    }
  }
}

/* Whether both bodies, or the one there is, lie in this rank's bricks. */
static bool is_inside(const tl_deal *deal, const int32_t body[2]) {
  return (body[0] < 0 || deal->rank[body[0]] == deal->transport->rank) &&
         (body[1] < 0 || deal->rank[body[1]] == deal->transport->rank);
}

/* Whose constraints are, and how many go where; own: those that this rank has. */
static void pairs_count(tl_deal *deal, int rows, int64_t *send, int32_t *own) {
  const int32_t count = rows ? deal->piece->bilateral_count : deal->piece->contact_count;
  const int32_t here = deal->transport->rank;
  int64_t stay = 0;
  for (int32_t k = 0; k < count; k++) {
    int32_t rank[HOLDERS], body[2], holders = 1;
    tl_deal_bodies_of(deal, rows, k, body);
    const int32_t owner = rank[0] = deal->owner_of[rows][k] = owner_of(deal, body);
    if (owner != here || !is_inside(deal, body)) {
      holders = holders_of(deal, body, owner, rank);
      deal->shared[rows][deal->shared_count[rows]++] = k;
    }
    for (int32_t i = 0; i < holders; i++) {
      if (rank[i] == here) {
        own[stay++] = k;
      } else {
        send[rank[i]]++;
      }
    }
  }
  send[here] = stay;
}

static talus_status pairs_reserve(tl_deal *deal, int64_t own, tl_records *records, tl_flow *flow) {
  const int32_t size = deal->transport->size;
  TL_TRY(tl_records_reserve(deal, own, records, "constraints of a rank"));
  TL_TRY(tl_flow_open(deal->context, &deal->route, flow));
  TL_TRY(tl_flow_stay(deal->context, records->own, own, NULL, (int32_t)records->own_first, flow));
  return tl_buffer_reserve(deal->context, &deal->out, (size_t)deal->route.send[size],
                           records->bytes, "constraints for other ranks");
}

/* Where those that come will be: records are places, and the own ones stand among them. */
static void places_note(const tl_records *records, const tl_flow *flow) {
  const int64_t others = records->count - records->own_count;
  for (int64_t i = 0; i < others; i++) {
    flow->place[i] = (int32_t)(i < records->own_first ? i : i + records->own_count);
  }
}

talus_status tl_deal_pairs(tl_deal *deal, int rows) {
  const int32_t size = deal->transport->size;
  const int32_t count = rows ? deal->piece->bilateral_count : deal->piece->contact_count;
  tl_records *const records = &deal->pairs[rows];
  tl_flow *const flow = &deal->part->flow[rows ? TL_ROWS_OF : TL_CONTACTS_OF];
  tl_route *const route = &deal->route;
  records->bytes = sizeof(tl_pair_head);
  talus_status status = tl_route_begin(deal->context, route);
  if (status == TALUS_OK) {
    status = tl_buffer_reserve(deal->context, &records->own_buffer, (size_t)count,
                               sizeof *records->own, "constraints of a rank");
  }
  TL_TRY(tl_ranks_agree(deal->context, status));
  pairs_count(deal, rows, route->send, records->own_buffer.memory);
  TL_TRY(tl_delivery_make(deal->context, count, deal->owner_of[rows],
                          rows ? &deal->part->rows : &deal->part->contacts));
  int64_t own;
  TL_TRY(tl_route_open_others(deal->context, route, &own));
  TL_TRY(tl_ranks_agree(deal->context, pairs_reserve(deal, own, records, flow)));
  places_note(records, flow);
  shared_pack(deal, rows, route->send, deal->out.memory);
  tl_route_rewind(route->send, size);
  return tl_route_carry(deal->context, route, records->bytes, deal->out.memory, records->memory);
}
