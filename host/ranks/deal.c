/* deal.c: pieces of a problem, as the caller has them, become parts, which are what ranks compute.
 *
 * Bodies go to the owners of their bricks, constraints to the owners of theirs and of the bodies
 * that they move; whoever then lacks a body asks its owner. No rank ever has more than that. */
#include <string.h>

#include "host/problem/problem_check.h"
#include "host/ranks/deal.h"
#include "kernels/item/rigid.h"

int32_t tl_id_find(const uint64_t *id, int32_t count, uint64_t wanted) {
  int32_t low = 0, high = count;
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (id[middle] < wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < count && id[low] == wanted ? low : -1;
}

talus_status tl_id_index_make(talus_context *context, const uint64_t *id, int32_t count,
                              tl_id_index *index) {
  enum { SPARSE = 32 }; /* more ids than this for each that is there: by halves */
  index->id = id;
  index->count = count;
  index->place = NULL;
  if (count == 0 || id[count - 1] - id[0] > SPARSE * (uint64_t)count) {
    return TALUS_OK;
  }
  const size_t range = (size_t)(id[count - 1] - id[0]) + 1;
  TL_TRY(tl_buffer_reserve(context, &index->buffer, range, sizeof *index->place, "ids of bodies"));
  index->place = index->buffer.memory;
  memset(index->place, 0xff, range * sizeof *index->place);
  for (int32_t i = 0; i < count; i++) {
    index->place[id[i] - id[0]] = i;
  }
  return TALUS_OK;
}

talus_status tl_records_reserve(const tl_deal *deal, int64_t own_count, tl_records *records,
                                const char *what) {
  const tl_route *const route = &deal->route;
  const int64_t others = route->receive[deal->transport->size];
  TL_TRY(tl_buffer_reserve(deal->context, &records->buffer, (size_t)others, records->bytes, what));
  TL_TRY(tl_buffer_reserve(deal->context, &records->own_buffer, (size_t)own_count,
                           sizeof *records->own, what));
  records->memory = records->buffer.memory;
  records->own = records->own_buffer.memory;
  records->own_first = route->receive[deal->transport->rank];
  records->own_count = own_count;
  records->count = others + own_count;
  return TALUS_OK;
}

/* Where the bodies of the piece are; memory for what follows from it. */
static talus_status piece_look(tl_deal *deal) {
  const talus_problem *const p = deal->piece;
  const int32_t bodies = p->rigid.body_count;
  const size_t pairs = (size_t)p->contact_count + (size_t)p->bilateral_count;
  TL_TRY(tl_deal_note(deal));
  TL_TRY(tl_buffer_reserve(deal->context, &deal->piece_memory, 2 * ((size_t)bodies + pairs),
                           sizeof *deal->rank, "bodies of a piece"));
  deal->brick = deal->part->kept.brick;
  deal->rank = deal->piece_memory.memory;
  deal->place = deal->rank + bodies;
  deal->owner_of[0] = deal->place + bodies;
  deal->owner_of[1] = deal->owner_of[0] + p->contact_count;
  deal->shared[0] = deal->owner_of[0] + pairs;
  deal->shared[1] = deal->shared[0] + p->contact_count;
  for (int32_t i = 0; i < bodies; i++) {
    deal->brick[i] = tl_brick_at(p->positions + 3 * (int64_t)i, p->brick_size);
  }
  return TALUS_OK;
}

/* What bodies are worth: themselves, and their ends. */
static talus_status weights_find(tl_deal *deal, int64_t **weight) {
  const talus_problem *const p = deal->piece;
  const int32_t bodies = p->rigid.body_count;
  TL_TRY(tl_buffer_reserve(deal->context, &deal->out, (size_t)bodies, sizeof **weight,
                           "weights of bodies"));
  *weight = deal->out.memory;
  for (int32_t i = 0; i < bodies; i++) {
    (*weight)[i] = 1;
  }
  for (int rows = 0; rows < 2; rows++) {
    for (int32_t k = 0; k < (rows ? p->bilateral_count : p->contact_count); k++) {
      int32_t body[2];
      tl_deal_bodies_of(deal, rows, k, body);
      for (int side = 0; side < 2; side++) {
        if (body[side] >= 0) {
          (*weight)[body[side]]++;
        }
      }
    }
  }
  return TALUS_OK;
}

static talus_status owners_find(tl_deal *deal) {
  const talus_problem *const p = deal->piece;
  tl_part *const part = deal->part;
  int64_t *weight = NULL;
  part->owners = part->given_owners;
  if (part->owners != NULL) {
    return TALUS_OK;
  }
  TL_TRY(tl_ranks_agree(deal->context, weights_find(deal, &weight)));
  part->owners = &part->cut;
  return tl_owners_cut(deal->context, p->brick_size, deal->brick, weight,
                       p->rigid.body_count - p->ghost_count, &part->cut);
}

/* Marks the bodies that move, and finds whose bodies are. */
static void bodies_mark(tl_deal *deal) {
  for (int32_t i = 0; i < deal->piece->rigid.body_count; i++) {
    deal->rank[i] = tl_deal_owner(deal, deal->brick[i]);
    deal->place[i] = -1;
    deal->brick[i] |= tl_rigid_moves(&deal->piece->rigid, i) ? TL_MOVES : 0;
  }
}

/* What is known of all ranks' pieces together. */
static talus_status counts_share(tl_deal *deal) {
  tl_part *const part = deal->part;
  int64_t counts[2] = {deal->piece->contact_count, deal->piece->bilateral_count};
  TL_TRY(tl_ranks_sum(deal->context, counts, 2));
  part->contact_count = counts[0];
  part->row_count = counts[1];
  return TALUS_OK;
}

static talus_status owners_keep(tl_deal *deal) {
  TL_TRY(tl_buffer_reserve(deal->context, &deal->entry_memory, 1 << TL_DEAL_BITS,
                           sizeof *deal->entry, "owners of bricks"));
  deal->entry = deal->entry_memory.memory;
  for (int i = 0; i < 1 << TL_DEAL_BITS; i++) {
    deal->entry[i].brick = TL_BRICK_FAR;
  }
  return TALUS_OK;
}

static talus_status deal_all(tl_deal *deal) {
  talus_context *const context = deal->context;
  const talus_problem *const p = deal->piece;
  tl_part *const part = deal->part;
  if (part->given_owners == NULL) { /* whoever has cut knows what each rank gives */
    TL_TRY(tl_pieces_unique(context, p, &deal->out));
  }
  TL_TRY(counts_share(deal));
  TL_TRY(tl_ranks_agree(context, piece_look(deal)));
  TL_TRY(owners_find(deal));
  TL_TRY(tl_ranks_agree(context, owners_keep(deal)));
  bodies_mark(deal);
  TL_TRY(tl_deal_bodies(deal));
  TL_TRY(tl_deal_pairs(deal, 0));
  TL_TRY(tl_deal_pairs(deal, 1));
  TL_TRY(tl_deal_ghosts(deal));
  return tl_deal_part(deal);
}

static talus_status deal_anew(talus_context *context, const talus_problem *piece, tl_part *part) {
  tl_deal deal = {
      .context = context, .transport = tl_ranks_of(context), .piece = piece, .part = part};
  const talus_status status = deal_all(&deal);
  tl_buffer *const buffers[] = {&deal.bodies.buffer,       &deal.ghosts.buffer,
                                &deal.pairs[0].buffer,     &deal.pairs[1].buffer,
                                &deal.own.buffer,          &deal.others.buffer,
                                &deal.piece_memory,        &deal.out,
                                &deal.index.buffer,        &deal.entry_memory,
                                &deal.bodies.own_buffer,   &deal.pairs[0].own_buffer,
                                &deal.pairs[1].own_buffer, &deal.own_place_memory};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
    tl_buffer_release(context, buffers[i]);
  }
  tl_route_release(context, &deal.route);
  return status;
}

talus_status tl_part_deal(talus_context *context, const talus_problem *piece, talus_status status,
                          tl_part *part) {
  TL_TRY(tl_deal_meet(context, piece, status, part));
  if (!part->held) {
    TL_TRY(deal_anew(context, piece, part));
  }
  part->problem.velocity_scale = piece->velocity_scale;
  return tl_flow_carry(context, piece, part);
}

void tl_part_release(talus_context *context, tl_part *part) {
  tl_owners_release(context, &part->cut);
  tl_delivery_release(context, &part->contacts);
  tl_delivery_release(context, &part->rows);
  tl_delivery_release(context, &part->bodies);
  for (int f = 0; f < TL_FLOWS; f++) {
    tl_buffer_release(context, &part->flow[f].lists);
    tl_buffer_release(context, &part->flow[f].runs);
  }
  tl_buffer_release(context, &part->kept.memory);
  tl_buffer_release(context, &part->arrays);
  tl_buffer_release(context, &part->frame);
  tl_buffer_release(context, &part->messages);
  tl_buffer_release(context, &part->scratch);
  tl_buffer_release(context, &part->results);
  tl_buffer_release(context, &part->named);
}

int64_t tl_part_bytes(const tl_part *part) {
  size_t bytes = part->cut.memory.capacity + part->cut.scratch.capacity +
                 part->contacts.memory.capacity + part->rows.memory.capacity +
                 part->bodies.memory.capacity + part->kept.memory.capacity + part->arrays.capacity +
                 part->frame.capacity + part->messages.capacity + part->scratch.capacity +
                 part->results.capacity + part->named.capacity;
  for (int f = 0; f < TL_FLOWS; f++) {
    bytes += part->flow[f].lists.capacity + part->flow[f].runs.capacity;
  }
  return (int64_t)bytes;
}
