/* deal_pairs.c: contacts and rows on their way to the ranks that have to do with them: the owner of
 * the brick, who sweeps them, and those of the bodies that they move, who have copies. */
#include <string.h>

#include "host/ranks/deal.h"

enum { HOLDERS = 3 };

static tl_pair_head head_of(const tl_deal *deal, int rows, int32_t k) {
  const talus_rigid *const r = &deal->piece->rigid;
  const int32_t body[2] = {rows ? r->row_body_a[k] : r->body_a[k],
                           rows ? r->row_body_b[k] : r->body_b[k]};
  tl_pair_head head;
  for (int side = 0; side < 2; side++) {
    head.id[side] = body[side] >= 0 ? deal->piece->ids[body[side]] : TL_GROUND;
    head.brick[side] = body[side] >= 0 ? deal->brick[body[side]] : 0;
  }
  return head;
}

tl_pair_head tl_deal_head(const tl_deal *deal, int rows, int64_t record) {
  const int32_t own = tl_record_own(&deal->pairs[rows], record);
  tl_pair_head head;
  if (own >= 0) {
    return head_of(deal, rows, own);
  }
  memcpy(&head, tl_record(&deal->pairs[rows], record), sizeof head);
  return head;
}

/* The ranks that a constraint goes to, its owner first; returns how many. */
static int32_t holders_of(const tl_deal *deal, const tl_brick brick[2], int32_t *rank) {
  const bool moves[2] = {(brick[0] & TL_MOVES) != 0, (brick[1] & TL_MOVES) != 0};
  const tl_brick at[2] = {brick[0] & ~TL_MOVES, brick[1] & ~TL_MOVES};
  int32_t count = 1;
  rank[0] = moves[0] && moves[1] ? tl_deal_owner_of_pair(deal, at[0], at[1])
                                 : tl_deal_owner(deal, moves[0] ? at[0] : at[1]);
  for (int side = 0; side < 2; side++) {
    const int32_t owner = tl_deal_owner(deal, at[side]);
    int32_t i = 0;
    while (i < count && rank[i] != owner) {
      i++;
    }
    if (moves[side] && i == count) {
      rank[count++] = owner;
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
    int32_t rank[HOLDERS];
    const tl_pair_head head = head_of(deal, rows, k);
    const int32_t holders = holders_of(deal, head.brick, rank);
    for (int32_t i = 0; i < holders; i++) {
      if (rank[i] == deal->transport->rank) {
        deal->pairs[rows].own[own++] = k;
        continue;
      }
      char *const record = out + bytes * send[rank[i]]++;
      memcpy(record, &head, sizeof head);
      tl_field_pack(&deal->part->fields, kind, deal->piece, k, (double *)(record + sizeof head));
    }
  }
}

/* How many go where; owner: of each. */
static void pairs_count(const tl_deal *deal, int rows, int64_t *send, int32_t *owner) {
  const int32_t count = rows ? deal->piece->bilateral_count : deal->piece->contact_count;
  for (int32_t k = 0; k < count; k++) {
    int32_t rank[HOLDERS];
    const tl_pair_head head = head_of(deal, rows, k);
    const int32_t holders = holders_of(deal, head.brick, rank);
    owner[k] = rank[0];
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
  talus_status status = tl_route_begin(deal->context, route);
  if (status == TALUS_OK) {
    status = tl_buffer_reserve(deal->context, &deal->out, (size_t)count, sizeof(int32_t), "owners");
  }
  TL_TRY(tl_ranks_agree(deal->context, status));
  int32_t *const owner = deal->out.memory;
  pairs_count(deal, rows, route->send, owner);
  TL_TRY(
      tl_gifts_make(deal->context, count, owner, rows ? &deal->part->rows : &deal->part->contacts));
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
