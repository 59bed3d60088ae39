/* deal_keep.c: a deal that is kept: who has what of a problem depends on nothing but the cut, the
 * names and bricks of the bodies, which of them move, and which bodies the constraints join. While
 * each rank's piece has these as before, all parts would be the same again, but for numbers. */
#include <string.h>

#include "host/ranks/deal.h"
#include "kernels/item/rigid.h"

talus_status tl_deal_note(tl_deal *deal) {
  const talus_problem *const p = deal->piece;
  tl_kept_deal *const kept = &deal->part->kept;
  const size_t bodies = (size_t)p->rigid.body_count, size = (size_t)deal->transport->size;
  const size_t ends = 2 * ((size_t)p->contact_count + (size_t)p->bilateral_count);
  TL_TRY(tl_buffer_reserve(deal->context, &kept->memory,
                           (size + 2 * bodies) * sizeof(uint64_t) + ends * sizeof(int32_t), 1,
                           "the last piece"));
  kept->dimension = p->dimension;
  kept->body_count = p->rigid.body_count;
  kept->ghost_count = p->ghost_count;
  kept->contact_count = p->contact_count;
  kept->row_count = p->bilateral_count;
  kept->brick_size = p->brick_size;
  kept->cut = kept->memory.memory;
  kept->id = kept->cut + size;
  kept->brick = kept->id + bodies;
  int32_t *at = (int32_t *)(kept->brick + bodies);
  for (int rows = 0; rows < 2; rows++) {
    const size_t count = (size_t)(rows ? p->bilateral_count : p->contact_count);
    for (int side = 0; side < 2; side++) {
      const int32_t *const body = tl_deal_ends(p, rows, side);
      kept->body[rows][side] = at;
      if (count > 0) {
        memcpy(at, body, count * sizeof *at);
      }
      at += count;
    }
  }
  if (bodies > 0) {
    memcpy(kept->id, p->ids, bodies * sizeof *kept->id);
  }
  return TALUS_OK;
}

void tl_deal_note_cut(tl_deal *deal) {
  tl_kept_deal *const kept = &deal->part->kept;
  kept->owners = deal->part->owners;
  memcpy(kept->cut, kept->owners->first, (size_t)kept->owners->size * sizeof *kept->cut);
}

/* ---- whether it holds ------------------------------------------------------------------------ */

static bool same_bytes(const void *a, const void *b, size_t count, size_t bytes) {
  return count == 0 || memcmp(a, b, count * bytes) == 0;
}

static bool same_cut(const tl_kept_deal *kept, const tl_part *part) {
  const tl_owners *const owners = part->given_owners != NULL ? part->given_owners : &part->cut;
  return kept->owners == owners && owners->valid && (owners != &part->cut || owners->uneven == 0) &&
         same_bytes(kept->cut, owners->first, (size_t)owners->size, sizeof *kept->cut);
}

static bool same_counts(const tl_kept_deal *kept, const talus_problem *p) {
  return kept->dimension == p->dimension && kept->brick_size == p->brick_size &&
         kept->body_count == p->rigid.body_count && kept->ghost_count == p->ghost_count &&
         kept->contact_count == p->contact_count && kept->row_count == p->bilateral_count;
}

static bool same_ends(const tl_kept_deal *kept, const talus_problem *p) {
  for (int rows = 0; rows < 2; rows++) {
    const size_t count = (size_t)(rows ? p->bilateral_count : p->contact_count);
    for (int side = 0; side < 2; side++) {
      if (!same_bytes(kept->body[rows][side], tl_deal_ends(p, rows, side), count,
                      sizeof(int32_t))) {
        return false;
      }
    }
  }
  return true;
}

static bool same_bricks(const tl_kept_deal *kept, const talus_problem *p) {
  for (int32_t i = 0; i < p->rigid.body_count; i++) {
    const tl_brick brick = tl_brick_at(p->positions + 3 * (int64_t)i, p->brick_size);
    if (kept->brick[i] != (brick | (tl_rigid_moves(&p->rigid, i) ? TL_MOVES : 0))) {
      return false;
    }
  }
  return true;
}

bool tl_deal_holds(const talus_problem *piece, const tl_part *part) {
  const tl_kept_deal *const kept = &part->kept;
  return kept->valid && same_counts(kept, piece) && same_cut(kept, part) &&
         same_bytes(kept->id, piece->ids, (size_t)kept->body_count, sizeof *kept->id) &&
         same_ends(kept, piece) && same_bricks(kept, piece);
}
