/* halo_begin.c: what is exchanged of a part before it is ordered: constraints from their owners to
 * those who have copies, bodies from theirs to all who have them. */
#include "host/ranks/ranks.h"
#include "kernels/item/rigid.h"

enum { CONSTRAINT, BODY, GIVEN_LISTS, HOLDERS = 3 };

typedef struct keys {
  uint64_t *key[2]; /* of sends and receives; NULL: they are counted */
  int64_t count[2];
} keys;

static void key_add(keys *k, int side, int32_t list, int32_t rank, int32_t place) {
  if (k->key[side] != NULL) {
    k->key[side][k->count[side]] = tl_list_key(list, rank, place);
  }
  k->count[side]++;
}

/* Whether a constraint and both bodies that it joins are this rank's. */
static bool is_inside(const tl_part *part, int32_t i, const int32_t pair[2]) {
  return part->own[i] && (pair[0] < 0 || part->body_own[pair[0]]) &&
         (pair[1] < 0 || part->body_own[pair[1]]);
}

/* Constraint i, which joins these bodies that move: its owner tells the copies, and the owners of
 * its bodies tell everyone who has it. */
static void constraint_emit(const tl_part *part, int32_t i, const int32_t *body, int32_t count,
                            keys *k) {
  const int32_t rank = part->owners->rank;
  int32_t holder[HOLDERS] = {part->owner[i]}, holders = 1;
  for (int32_t b = 0; b < count; b++) {
    const int32_t owner = part->body_owner[body[b]];
    int32_t at = 0;
    while (at < holders && holder[at] != owner) {
      at++;
    }
    if (at == holders) {
      holder[holders++] = owner;
    }
  }
  for (int32_t h = 0; h < holders; h++) {
    if (holder[h] != rank && part->own[i]) {
      key_add(k, 0, CONSTRAINT, holder[h], i);
    }
    for (int32_t b = 0; b < count && holder[h] != rank; b++) {
      if (part->body_own[body[b]]) {
        key_add(k, 0, BODY, holder[h], body[b]);
      }
    }
  }
  if (!part->own[i]) {
    key_add(k, 1, CONSTRAINT, part->owner[i], i);
  }
  for (int32_t b = 0; b < count; b++) {
    if (!part->body_own[body[b]]) {
      key_add(k, 1, BODY, part->body_owner[body[b]], body[b]);
    }
  }
}

static void constraints_emit(const tl_part *part, keys *k) {
  const talus_problem *const p = &part->problem;
  k->count[0] = k->count[1] = 0;
  for (int32_t i = 0; i < p->contact_count + p->bilateral_count; i++) {
    const int32_t row = i - p->contact_count;
    const int32_t pair[2] = {row < 0 ? p->rigid.body_a[i] : p->rigid.row_body_a[row],
                             row < 0 ? p->rigid.body_b[i] : p->rigid.row_body_b[row]};
    if (is_inside(part, i, pair)) { /* nobody else has to do with it */
      continue;
    }
    int32_t body[2], count = 0;
    for (int side = 0; side < 2; side++) {
      if (pair[side] >= 0 && tl_rigid_moves(&p->rigid, pair[side])) {
        body[count++] = pair[side];
      }
    }
    constraint_emit(part, i, body, count, k);
  }
}

static talus_status given_lists(talus_context *context, const tl_part *part, tl_rank_halo *own) {
  tl_halo_list list[GIVEN_LISTS];
  keys k = {.count = {0, 0}};
  constraints_emit(part, &k);
  TL_TRY(tl_buffer_reserve(context, &own->keys, (size_t)(k.count[0] + k.count[1]), sizeof(uint64_t),
                           "what ranks exchange"));
  k.key[0] = own->keys.memory;
  k.key[1] = k.key[0] + k.count[0];
  constraints_emit(part, &k);
  TL_TRY(tl_lists_make(context, own->halo.size, GIVEN_LISTS, k.key, k.count, &own->scratch,
                       &own->given, list));
  own->halo.constraint = list[CONSTRAINT];
  own->halo.body = list[BODY];
  return TALUS_OK;
}

static talus_status begin(talus_context *context, const tl_part *part, tl_rank_halo *own) {
  const talus_transport *const t = tl_ranks_of(context);
  if (t->size > TL_RANKS_MOST) {
    return tl_fail(context, TALUS_SIZE_OVERFLOW, "%d ranks: %d at the most", t->size,
                   TL_RANKS_MOST);
  }
  TL_TRY(given_lists(context, part, own));
  TL_TRY(tl_halo_rooms(own, &own->halo.constraint, 6 * (int32_t)sizeof(double)));
  return tl_halo_rooms(own, &own->halo.body, 6 * (int32_t)sizeof(double));
}

talus_status tl_halo_begin(talus_context *context, const tl_part *part, tl_rank_halo *own) {
  const talus_transport *const t = tl_ranks_of(context);
  own->context = context;
  own->refused = false;
  own->halo.compliant = part->compliant;
  own->halo.bounded = part->bounded;
  own->halo.failed = false;
  if (part->held) { /* all lists are as they were */
    return TALUS_OK;
  }
  own->ordered = 0;
  own->halo.rank = t->rank;
  own->halo.size = t->size;
  own->halo.own = part->own;
  own->halo.body_own = part->body_own;
  own->halo.contact_count = part->contact_count;
  tl_halo_connect(own);
  return tl_ranks_agree(context, begin(context, part, own));
}
