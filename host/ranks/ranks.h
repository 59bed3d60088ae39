/* ranks.h: one problem on several ranks.
 *
 *   threads.c  ranks that are threads        agree.h    what all ranks must agree upon
 *   route.c    records from any to any       owners.h   which rank has which bricks
 *   fields.c   arrays of a problem, packed   pieces.c   what may be given
 *   deal*.c    pieces to parts               gifts.c    impulses and results between both
 *   halo*.c    what is exchanged of a part   halo_exchange.c   ... and how
 *   lists.c    who sends what to whom        tokens.c   velocities on their way through a sweep
 *   numbers.c  places in the order of one rank
 *
 * Ranks are given pieces of a problem: bodies and constraints as the caller has them. From these
 * each gets its part: the constraints of the bricks that are its own, copies of others that touch
 * its bodies, and the bodies that all of them join. Everything is in the order of ids, so that the
 * bricks of a part are ordered as they would be on one rank. */
#ifndef TL_RANKS_H
#define TL_RANKS_H

#include "host/problem/assembly.h"
#include "host/ranks/agree.h"
#include "host/ranks/owners.h"
#include "host/ranks/route.h"
#include "kernels/halo.h"

/* ---- fields.c -------------------------------------------------------------------------------- */

typedef enum tl_piece_kind {
  TL_BODIES_OF,
  TL_CONTACTS_OF,
  TL_ROWS_OF,
  TL_PIECE_KINDS
} tl_piece_kind;
enum { TL_FIELDS = 23 };

/* The arrays that some rank gives. */
typedef struct tl_fields {
  int32_t dimension;
  bool has[TL_FIELDS];
  int8_t list[TL_PIECE_KINDS][TL_FIELDS], count[TL_PIECE_KINDS]; /* those of each kind */
  int32_t width[TL_PIECE_KINDS]; /* doubles of a body, a contact, a row */
} tl_fields;

/* Agrees on them. Collective. Statuses: RANKS_FAILED. */
talus_status tl_fields_agree(talus_context *context, const talus_problem *piece, tl_fields *fields);
void tl_field_pack(const tl_fields *fields, tl_piece_kind kind, const talus_problem *piece,
                   int64_t index, double *packed);
/* Places arrays for so many things behind each other in memory; returns the doubles needed. */
int64_t tl_field_place(const tl_fields *fields, tl_piece_kind kind, int64_t count, double *memory,
                       talus_problem *part);
/* Things of a piece, `count` of them behind each other, to a part from place `to` on. */
void tl_fields_copy(const tl_fields *fields, tl_piece_kind kind, const talus_problem *piece,
                    int64_t from, int64_t count, const talus_problem *part, int64_t to);
void tl_field_unpack(const tl_fields *fields, tl_piece_kind kind, const double *packed,
                     const talus_problem *part, int64_t index);

/* ---- pieces.c -------------------------------------------------------------------------------- */

/* What one rank alone can tell of its piece. Statuses: UNSUPPORTED, MISSING_ARRAY,
 * INVALID_ARGUMENT. */
talus_status tl_piece_check(talus_context *context, const talus_problem *piece);
/* What must be the same on all ranks. Collective. */
talus_status tl_pieces_same(talus_context *context, const talus_problem *piece);
/* Every body is given once: INVALID_ARGUMENT names who gives it. Collective. */
talus_status tl_pieces_unique(talus_context *context, const talus_problem *piece,
                              tl_buffer *memory);

/* ---- gifts.c --------------------------------------------------------------------------------- */

/* Things of a piece and where they are in the parts of their owners, in the same order. */
typedef struct tl_gifts {
  tl_route route;
  int32_t *sent, *taken; /* indices in the piece, rank by rank; in the part */
  tl_buffer memory;
} tl_gifts;

/* rank: [count] of the owner of each thing. Collective. `taken` is left to the caller. */
talus_status tl_gifts_make(talus_context *context, int32_t count, const int32_t *rank,
                           tl_gifts *gifts);
/* Rows of `width` doubles from the pieces to the owners' parts, or back. Collective. */
talus_status tl_gifts_forward(talus_context *context, const tl_gifts *gifts, int32_t width,
                              const double *piece, double *part, tl_buffer *scratch);
talus_status tl_gifts_back(talus_context *context, const tl_gifts *gifts, int32_t width,
                           const double *part, double *piece, tl_buffer *scratch);
void tl_gifts_release(talus_context *context, tl_gifts *gifts);

/* ---- deal.c ---------------------------------------------------------------------------------- */

typedef struct tl_part {
  talus_problem problem;         /* of this rank */
  const tl_owners *given_owners; /* the caller's cut, kept by whoever gives it; NULL: `cut` */
  tl_owners cut;
  const tl_owners *owners; /* the one of them that holds */
  tl_fields fields;
  tl_brick *brick;     /* [bodies] */
  int32_t *body_owner; /* [bodies] */
  int32_t *owner;      /* [contacts, then rows] */
  bool *own, *body_own;
  int64_t contact_count, row_count; /* of all ranks */
  bool compliant, bounded;          /* of any rank's */
  bool limits;                      /* some rank has a limit of time or a callback */
  tl_gifts contacts, rows, bodies;
  int32_t keys_matched; /* on all ranks */
  tl_buffer arrays, scratch, results, named;
} tl_part;

/* The part of this rank from a packed and checked piece of every rank. Collective. Statuses:
 * UNSUPPORTED, MISSING_ARRAY, INVALID_ARGUMENT (ids), INDEX_RANGE, RANKS_FAILED, OUT_OF_MEMORY. */
talus_status tl_part_deal(talus_context *context, const talus_problem *piece, tl_part *part);
void tl_part_release(talus_context *context, tl_part *part);
int64_t tl_part_bytes(const tl_part *part);

/* ---- halo.c, lists.c, tokens.c --------------------------------------------------------------- */

typedef struct tl_rank_halo {
  tl_halo halo; /* first: engines are given its address */
  talus_context *context;
  bool refused;     /* a meeting has failed: there is no other */
  int64_t revision; /* of the assembly that it is for; 0: none */
  tl_buffer given, roles, lists, phase_lists, messages, out, in, scratch, keys;
} tl_rank_halo;

/* halo_begin.c: what is exchanged of a part before it is ordered. Collective. */
talus_status tl_halo_begin(talus_context *context, const tl_part *part, tl_rank_halo *own);
/* halo.c: ... and afterwards. Collective. */
talus_status tl_halo_finish(const tl_part *part, const tl_assembly *assembly, tl_rank_halo *own);
/* Room for a list of records. */
talus_status tl_halo_rooms(tl_rank_halo *own, const tl_halo_list *list, int32_t bytes);
/* halo_exchange.c: puts the functions in. */
void tl_halo_connect(tl_rank_halo *own);
/* numbers.c: halo.number. Collective. */
talus_status tl_numbers_find(const tl_part *part, const tl_assembly *assembly, tl_rank_halo *own);
void tl_halo_release(talus_context *context, tl_rank_halo *own);

/* Lists from keys (tl_list_key) of sends and receives, which are sorted and made unique. */
static inline uint64_t tl_list_key(int32_t list, int32_t rank, int32_t place) {
  return (uint64_t)list << 47 | (uint64_t)rank << 31 | (uint64_t)place;
}
enum { TL_RANKS_MOST = 1 << 16 };
talus_status tl_lists_make(talus_context *context, int32_t size, int32_t lists, uint64_t *key[2],
                           int64_t count[2], tl_buffer *scratch, tl_buffer *memory,
                           tl_halo_list *list);
/* Keys of what goes with every phase of a sweep, and behind all of them: list colour_count. */
talus_status tl_tokens_find(talus_context *context, const tl_part *part,
                            const tl_assembly *assembly, tl_rank_halo *own, uint64_t *key[2],
                            int64_t count[2]);

#endif
