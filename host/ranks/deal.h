/* deal.h: while pieces become parts. For host/ranks alone. */
#ifndef TL_DEAL_H
#define TL_DEAL_H

#include "host/ranks/ranks.h"

#define TL_GROUND UINT64_MAX
/* Beside the brick of a body: it moves. */
#define TL_MOVES ((tl_brick)1 << 63)

/* What a rank is told of a body, and of a constraint; numbers follow later (flow.c). */
typedef struct tl_body_head {
  uint64_t id;
  tl_brick brick; /* with TL_MOVES */
} tl_body_head;

typedef struct tl_pair_head {
  uint64_t id[2];    /* TL_GROUND: none */
  tl_brick brick[2]; /* where the giver says that they are */
} tl_pair_head;

/* Records that have come, by rank; those that a rank has for itself stay in its piece. */
typedef struct tl_records {
  void *memory;
  int64_t count;     /* with the own ones */
  size_t bytes;      /* of one */
  int32_t *own;      /* [own_count] things of the piece */
  int64_t own_first; /* which record the first of them is */
  int64_t own_count;
  tl_buffer buffer, own_buffer;
} tl_records;

/* Bricks whose owners were asked for, by a hash of them. */
enum { TL_DEAL_BITS = 12 };
typedef struct tl_owner_entry {
  tl_brick brick; /* TL_BRICK_FAR: none */
  int32_t rank;
} tl_owner_entry;

/* Where ids are in an ascending list: in a table where they lie close together, else by halves. */
typedef struct tl_id_index {
  const uint64_t *id;
  int32_t *place; /* [id of the last - id of the first + 1] -1: not there; NULL: by halves */
  int32_t count;
  tl_buffer buffer;
} tl_id_index;

/* Records and bodies by id. */
typedef struct tl_by_id {
  uint64_t *id;   /* ascending */
  int32_t *value; /* the record */
  int32_t count;
  tl_buffer buffer;
} tl_by_id;

typedef struct tl_deal {
  talus_context *context;
  const talus_transport *transport;
  const talus_problem *piece;
  tl_part *part;
  tl_brick *brick;      /* [bodies of the piece], those of part->kept */
  int32_t *rank;        /* [bodies of the piece] that owns it */
  int32_t *place;       /* [bodies of the piece] in the part; below 0: not known yet */
  int32_t *owner_of[2]; /* [contacts], [rows] of the piece */
  int32_t *shared[2];   /* those that other ranks have to do with; how many */
  int32_t shared_count[2];
  tl_records bodies;    /* of this rank's bricks */
  tl_records ghosts;    /* of others, that its constraints join */
  tl_records pairs[2];  /* contacts, rows */
  tl_by_id own, others; /* bodies, ghosts */
  int32_t *own_place;   /* [own.count] in the part */
  tl_buffer own_place_memory;
  tl_id_index index; /* of the part's bodies */
  tl_owner_entry *entry;
  tl_buffer entry_memory;
  tl_buffer piece_memory, out;
  tl_route route;
} tl_deal;

/* The thing of the piece that record i is, -1 if it has come. */
static inline int32_t tl_record_own(const tl_records *records, int64_t i) {
  const int64_t at = i - records->own_first;
  return at >= 0 && at < records->own_count ? records->own[at] : -1;
}
/* Record i, which has come. */
static inline const void *tl_record(const tl_records *records, int64_t i) {
  const int64_t behind = i >= records->own_first ? records->own_count : 0;
  return (const char *)records->memory + (int64_t)records->bytes * (i - behind);
}
/* Room for those that come by the route, and for own_count others. */
talus_status tl_records_reserve(const tl_deal *deal, int64_t own_count, tl_records *records,
                                const char *what);
/* The place of an id, -1 if it is not there. */
int32_t tl_id_find(const uint64_t *id, int32_t count, uint64_t wanted);
talus_status tl_id_index_make(talus_context *context, const uint64_t *id, int32_t count,
                              tl_id_index *index);
static inline int32_t tl_id_place(const tl_id_index *index, uint64_t wanted) {
  if (index->place == NULL) {
    return tl_id_find(index->id, index->count, wanted);
  }
  return wanted >= index->id[0] && wanted <= index->id[index->count - 1]
             ? index->place[wanted - index->id[0]]
             : -1;
}

/* tl_owner_of_brick, with or without TL_MOVES, kept in mind. */
static inline int32_t tl_deal_owner(const tl_deal *deal, tl_brick brick) {
  const tl_brick at = brick & ~TL_MOVES;
  tl_owner_entry *const entry =
      &deal->entry[at * UINT64_C(0x9E3779B97F4A7C15) >> (64 - TL_DEAL_BITS)];
  if (entry->brick != at) {
    *entry = (tl_owner_entry){at, tl_owner_of_brick(deal->part->owners, at)};
  }
  return entry->rank;
}
/* The owner of what joins two bodies that move, from their bricks without TL_MOVES. */
static inline int32_t tl_deal_owner_of_pair(const tl_deal *deal, tl_brick a, tl_brick b) {
  const tl_brick brick = a == b ? a : tl_brick_join(a, b);
  return brick == TL_BRICK_FAR ? 0 : tl_deal_owner(deal, brick);
}
/* Bodies of the contacts or rows of a piece. */
static inline const int32_t *tl_deal_ends(const talus_problem *piece, int rows, int side) {
  const talus_rigid *const r = &piece->rigid;
  return side ? (rows ? r->row_body_b : r->body_b) : (rows ? r->row_body_a : r->body_a);
}
static inline void tl_deal_bodies_of(const tl_deal *deal, int rows, int32_t k, int32_t body[2]) {
  body[0] = tl_deal_ends(deal->piece, rows, 0)[k];
  body[1] = tl_deal_ends(deal->piece, rows, 1)[k];
}

/* deal_meet.c: checks the pieces; part->held: the last deal is kept, on all ranks. */
talus_status tl_deal_meet(talus_context *context, const talus_problem *piece, talus_status status,
                          tl_part *part);
/* deal_keep.c: room for what is kept of the piece, and all of it but the bricks. */
talus_status tl_deal_note(tl_deal *deal);
/* ... and the cut. */
void tl_deal_note_cut(tl_deal *deal);
/* deal_bodies.c: bodies to the owners of their bricks; those that a rank's constraints join. */
talus_status tl_deal_bodies(tl_deal *deal);
talus_status tl_deal_ghosts(tl_deal *deal);
/* deal_pairs.c: contacts or rows to all that have to do with them. */
talus_status tl_deal_pairs(tl_deal *deal, int rows);
/* deal_part.c: the part from all that has come. */
talus_status tl_deal_part(tl_deal *deal);

#endif
