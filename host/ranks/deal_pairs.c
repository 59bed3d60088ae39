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

static void pairs_pack(const tl_deal *deal, int rows, int64_t *send, char *out) {
  const tl_piece_kind kind = rows ? TL_ROWS_OF : TL_CONTACTS_OF;
  const int32_t count = rows ? deal->piece->bilateral_count : deal->piece->contact_count;
  const int64_t bytes = (int64_t)deal->pairs[rows].bytes;
  int64_t own = 0;
  for (int32_t k = 0; k < count; k++) {
    int32_t rank[HOLDERS], body[2];
    tl_deal_bodies_of(deal, rows, k, body);
    const int32_t holders = holders_of(deal, body, deal->owner_of[rows][k], rank);
    for (int32_t i = 0; i < holders; i++) {
      if (rank[i] == deal->transport->rank) {
        deal->pairs[rows].own[own++] = k;
        continue;
      }
      char *const record = out + bytes * send[rank[i]]++;
      const tl_pair_head head = head_of(deal, body);
      memcpy(record, &head, sizeof head);
      tl_field_pack(&deal->part->fields, kind, deal->piece, k, (double *)(record + sizeof head));
    }
  }
}

/* Whose constraints are, and how many go where. */
static void pairs_count(const tl_deal *deal, int rows, int64_t *send) {
  const int32_t count = rows ? deal->piece->bilateral_count : deal->piece->contact_count;
  for (int32_t k = 0; k < count; k++) {
    int32_t rank[HOLDERS], body[2];
    tl_deal_bodies_of(deal, rows, k, body);
    deal->owner_of[rows][k] = owner_of(deal, body);
    const int32_t holders = holders_of(deal, body, deal->owner_of[rows][k], rank);
    for (int32_t i = 0; i < holders; i++) {
      send[rank[i]]++;
    }
  }
}

static talus_status pairs_reserve(tl_deal *deal, int64_t own, tl_records *records) {
  const int32_t size = deal->transport->size;
  TL_TRY(tl_records_reserve(deal, own, records, "constraints of a rank"));
  return tl_buffer_reserve(deal->context, &deal->out, (size_t)deal->route.send[size],
                           records->bytes, "constraints for other ranks");
}

talus_status tl_deal_pairs(tl_deal *deal, int rows) {
  const int32_t size = deal->transport->size;
  const int32_t count = rows ? deal->piece->bilateral_count : deal->piece->contact_count;
  tl_records *const records = &deal->pairs[rows];
  tl_route *const route = &deal->route;
  TL_TRY(tl_ranks_agree(deal->context, tl_route_begin(deal->context, route)));
  pairs_count(deal, rows, route->send);
  TL_TRY(tl_gifts_make(deal->context, count, deal->owner_of[rows],
                       rows ? &deal->part->rows : &deal->part->contacts));
  int64_t own;
  TL_TRY(tl_route_open_others(deal->context, route, &own));
  records->bytes =
      sizeof(tl_pair_head) +
      (size_t)deal->part->fields.width[rows ? TL_ROWS_OF : TL_CONTACTS_OF] * sizeof(double);
  TL_TRY(tl_ranks_agree(deal->context, pairs_reserve(deal, own, records)));
  pairs_pack(deal, rows, route->send, deal->out.memory);
  memmove(route->send + 1, route->send, (size_t)size * sizeof *route->send);
  route->send[0] = 0;
  return tl_route_carry(deal->context, route, records->bytes, deal->out.memory, records->memory);
}
