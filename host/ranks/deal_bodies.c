/* deal_bodies.c: bodies on their way to the owners of their bricks, and to ranks that have a
 * constraint with them. */
#include <string.h>

#include "host/math/radix.h"
#include "host/ranks/deal.h"

static size_t record_bytes(const tl_deal *deal) {
  return sizeof(tl_body_head) + (size_t)deal->part->fields.width[TL_BODIES_OF] * sizeof(double);
}

static void body_pack(const tl_deal *deal, int32_t i, char *record) {
  const tl_body_head head = {deal->piece->ids[i]};
  memcpy(record, &head, sizeof head);
  tl_field_pack(&deal->part->fields, TL_BODIES_OF, deal->piece, i,
                (double *)(record + sizeof head));
}

static talus_status by_id_reserve(tl_deal *deal, int64_t count, tl_by_id *list) {
  TL_TRY(tl_buffer_reserve(deal->context, &list->buffer, 3 * (size_t)count + 1, sizeof(uint64_t),
                           "ids of bodies"));
  list->id = list->buffer.memory;
  list->value = (int32_t *)(list->id + 2 * count);
  list->count = (int32_t)count;
  return TALUS_OK;
}

static void by_id_sort(tl_by_id *list) {
  const int64_t count = list->count;
  tl_radix_sort(list->id, list->value, list->id + count, list->value + count, count);
}

/* ---- to the owners --------------------------------------------------------------------------- */

/* send: where the records of each rank begin; moves on. */
static void bodies_pack(const tl_deal *deal, int64_t *send, char *out) {
  const talus_problem *const p = deal->piece;
  int64_t own = 0;
  for (int32_t i = 0; i < p->rigid.body_count - p->ghost_count; i++) {
    const int32_t rank = deal->rank[i];
    if (rank == deal->transport->rank) {
      deal->bodies.own[own++] = i;
    } else {
      body_pack(deal, i, out + (int64_t)deal->bodies.bytes * send[rank]++);
    }
  }
}

/* The firsts of all ranks again, once each has moved on to the next one's. */
static void firsts_restore(int64_t *first, int32_t size) {
  memmove(first + 1, first, (size_t)size * sizeof *first);
  first[0] = 0;
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
  deal->bodies.bytes = record_bytes(deal);
  talus_status status = tl_records_reserve(deal, own, &deal->bodies, "bodies of a rank");
  if (status == TALUS_OK) {
    status = tl_buffer_reserve(deal->context, &deal->out, (size_t)route->send[size],
                               deal->bodies.bytes, "bodies for other ranks");
  }
  TL_TRY(tl_ranks_agree(deal->context, status));
  bodies_pack(deal, route->send, deal->out.memory);
  firsts_restore(route->send, size);
  TL_TRY(tl_route_carry(deal->context, route, deal->bodies.bytes, deal->out.memory,
                        deal->bodies.memory));
  return tl_ranks_agree(deal->context, own_sort(deal));
}

/* ---- to those who have a constraint with them ------------------------------------------------ */

/* Bodies that are not this rank's, while they are collected; id NULL: while they are counted. */
typedef struct strangers {
  uint64_t *id;
  int32_t *rank, own;
  int64_t count;
} strangers;

static void stranger_add(strangers *s, uint64_t id, int32_t rank) {
  if (rank != s->own) {
    if (s->id != NULL) {
      s->id[s->count] = id;
      s->rank[s->count] = rank;
    }
    s->count++;
  }
}

static void strangers_collect(const tl_deal *deal, int rows, strangers *s) {
  for (int64_t i = 0; i < deal->pairs[rows].count; i++) {
    const int32_t own = tl_record_own(&deal->pairs[rows], i);
    if (own >= 0) {
      int32_t body[2];
      tl_deal_bodies_of(deal, rows, own, body);
      for (int side = 0; side < 2; side++) {
        if (body[side] >= 0) {
          stranger_add(s, deal->piece->ids[body[side]], deal->rank[body[side]]);
        }
      }
      continue;
    }
    const tl_pair_head *const head = tl_record(&deal->pairs[rows], i);
    for (int side = 0; side < 2; side++) {
      if (head->id[side] != TL_GROUND) {
        stranger_add(s, head->id[side], tl_deal_owner(deal, head->brick[side]));
      }
    }
  }
}

/* Returns how many there are. */
static int64_t ghosts_collect(const tl_deal *deal, uint64_t *id, int32_t *rank) {
  strangers s = {id, rank, deal->transport->rank, 0};
  for (int rows = 0; rows < 2; rows++) {
    strangers_collect(deal, rows, &s);
  }
  return s.count;
}

/* Each once, with its owner as the value. */
static talus_status ghosts_list(tl_deal *deal) {
  tl_by_id *const list = &deal->others;
  TL_TRY(by_id_reserve(deal, ghosts_collect(deal, NULL, NULL), list));
  ghosts_collect(deal, list->id, list->value);
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

/* The records that others want. */
static talus_status ghosts_answer(tl_deal *deal, const uint64_t *wanted, int64_t count, char *out) {
  for (int64_t i = 0; i < count; i++) {
    const int32_t at = tl_id_find(deal->own.id, deal->own.count, wanted[i]);
    if (at < 0) {
      return tl_fail(deal->context, TALUS_INDEX_RANGE,
                     "no rank gives body %llu where a contact or row joins it: one rank must have "
                     "it, others as a ghost at the same position",
                     (unsigned long long)wanted[i]);
    }
    const int32_t own = tl_record_own(&deal->bodies, deal->own.value[at]);
    char *const record = out + (int64_t)deal->bodies.bytes * i;
    if (own >= 0) {
      body_pack(deal, own, record);
    } else {
      memcpy(record, tl_record(&deal->bodies, deal->own.value[at]), deal->bodies.bytes);
    }
  }
  return TALUS_OK;
}

static talus_status ghosts_reserve(tl_deal *deal, uint64_t **ask, uint64_t **asked, char **out) {
  const int32_t size = deal->transport->size;
  const size_t sends = (size_t)deal->route.send[size], receives = (size_t)deal->route.receive[size];
  deal->ghosts.bytes = deal->bodies.bytes;
  deal->ghosts.count = (int64_t)sends;
  TL_TRY(tl_buffer_reserve(deal->context, &deal->ghosts.buffer, sends, deal->ghosts.bytes,
                           "bodies of a rank"));
  deal->ghosts.memory = deal->ghosts.buffer.memory;
  TL_TRY(tl_buffer_reserve(deal->context, &deal->out,
                           (sends + receives) * sizeof(uint64_t) + receives * deal->bodies.bytes, 1,
                           "bodies for other ranks"));
  *ask = deal->out.memory;
  *asked = *ask + sends;
  *out = (char *)(*asked + receives);
  return TALUS_OK;
}

talus_status tl_deal_ghosts(tl_deal *deal) {
  tl_by_id *const list = &deal->others;
  tl_route *const route = &deal->route;
  const int32_t size = deal->transport->size;
  uint64_t *ask = NULL, *asked = NULL;
  char *out = NULL;
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
  firsts_restore(route->send, size);
  TL_TRY(tl_route_carry(deal->context, route, sizeof *ask, ask, asked));
  TL_TRY(tl_ranks_agree(deal->context, ghosts_answer(deal, asked, route->receive[size], out)));
  return tl_route_answer(deal->context, route, deal->bodies.bytes, out, deal->ghosts.memory);
}
