/* ranks.h: one problem on several ranks.
 *
 *   threads.c  ranks that are threads        agree.h    what all ranks must agree upon
 *   route.c    records from any to any       owners.h   which rank has which bricks
 *   fields.c   arrays of a problem, packed   pieces.c   what may be given
 *   deal*.c    pieces to parts: who has what flow.c     ... and the numbers of it
 *   delivery.c    impulses and results between both
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

/* What a rank has to say of them, and the fields from the largest of all ranks' numbers. Statuses:
 * RANKS_FAILED. */
enum { TL_FIELD_NUMBERS = 2 * TL_FIELDS };
void tl_fields_say(const talus_problem *piece, int64_t number[TL_FIELD_NUMBERS]);
talus_status tl_fields_agree(talus_context *context, const talus_problem *piece,
                             const int64_t number[TL_FIELD_NUMBERS], tl_fields *fields);
void tl_field_pack(const tl_fields *fields, tl_piece_kind kind, const talus_problem *piece,
                   int64_t index, double *packed);
/* Places arrays for so many things behind each other in memory, NULL where there is none; returns
 * the doubles needed. */
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
/* RANKS_FAILED, which says what is not the same on all ranks. Collective. */
talus_status tl_pieces_same(talus_context *context, const talus_problem *piece);
/* Every body is given once: INVALID_ARGUMENT names who gives it. Collective. */
talus_status tl_pieces_unique(talus_context *context, const talus_problem *piece,
                              tl_buffer *memory);

/* ---- delivery.c ------------------------------------------------------------------------------ */

/* Things of a piece and where they are in the parts of their owners, in the same order. */
typedef struct tl_delivery {
  tl_route route;
  int32_t *sent, *taken; /* indices in the piece, rank by rank; in the part */
  tl_buffer memory;
} tl_delivery;

/* rank: [count] of the owner of each thing. Collective. `taken` is left to the caller. */
talus_status tl_delivery_make(talus_context *context, int32_t count, const int32_t *rank,
                              tl_delivery *delivery);
/* Room for rows of `width` doubles. */
talus_status tl_delivery_room(talus_context *context, const tl_delivery *delivery, int32_t width,
                              tl_buffer *scratch);
/* Rows of `width` doubles from the pieces to the owners' parts, or back, where there is room for
 * them. Collective. */
talus_status tl_delivery_forward(talus_context *context, const tl_delivery *delivery, int32_t width,
                                 const double *piece, double *part, const tl_buffer *scratch);
talus_status tl_delivery_back(talus_context *context, const tl_delivery *delivery, int32_t width,
                              const double *part, double *piece, const tl_buffer *scratch);
void tl_delivery_release(talus_context *context, tl_delivery *delivery);

/* ---- flow.c ---------------------------------------------------------------------------------- */

/* Things that stand behind each other in the piece, and in the part. */
typedef struct tl_flow_run {
  int32_t from, to, count;
} tl_flow_run;

/* The way of things from the pieces to the parts. */
typedef struct tl_flow {
  int32_t *send_first, *receive_first; /* [size + 1] */
  int32_t *send; /* things of the piece (ghosts: of the part) that other ranks have, rank by rank */
  int32_t *place;   /* where those that come are in the part */
  tl_flow_run *run; /* of those that stay */
  int32_t run_count;
  tl_buffer lists, runs;
} tl_flow;

/* Bodies, contacts and rows of the piece; bodies of the part that others have as ghosts. */
enum { TL_GHOSTS_OF = TL_PIECE_KINDS, TL_FLOWS };

/* Lists as long as the route says. */
talus_status tl_flow_open(talus_context *context, const tl_route *route, tl_flow *flow);
/* Runs of things of the piece, ascending: to: [things of the piece]; NULL: one behind the other
 * from `first` on. */
talus_status tl_flow_stay(talus_context *context, const int32_t *from, int64_t count,
                          const int32_t *to, int32_t first, tl_flow *flow);

/* ---- deal.c ---------------------------------------------------------------------------------- */

/* The piece that was dealt out last, as far as the deal depends on it. */
typedef struct tl_kept_deal {
  bool valid; /* on all ranks */
  int32_t dimension, body_count, ghost_count, contact_count, row_count;
  double brick_size;
  const tl_owners *owners; /* whose cut it was, and ... */
  uint64_t *cut;           /* [size] ... which */
  uint64_t *id;            /* [bodies] */
  tl_brick *brick;         /* [bodies] with TL_MOVES */
  int32_t *body[2][2];     /* [contacts], [rows] that each joins */
  tl_buffer memory;
} tl_kept_deal;

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
  tl_delivery contacts, rows, bodies;
  tl_flow flow[TL_FLOWS];
  bool direct; /* no rank gives a body that another one owns */
  bool met;    /* all ranks have the same version of the library */
  tl_kept_deal kept;
  bool held;            /* the last problem's deal was kept */
  bool room[TL_FIELDS]; /* fields that there is room for at once, on all ranks */
  bool velocities;      /* there is room for velocities of contacts, on all ranks */
  bool named_by[2];     /* contacts, rows have keys, on all ranks */
  int32_t keys_matched; /* on all ranks */
  tl_buffer arrays;     /* numbers of the problem */
  tl_buffer frame;      /* whose they are, and which bodies they join */
  tl_buffer messages, scratch, results, named;
} tl_part;

/* Numbers from the pieces to the parts, of the agreed fields. Collective. */
talus_status tl_flow_carry(talus_context *context, const talus_problem *piece, tl_part *part);
/* Compares the piece with the last one: whether its deal may be kept. */
bool tl_deal_holds(const talus_problem *piece, const tl_part *part);
/* The part of this rank from a packed and checked piece of every rank; `status`: of packing and
 * checking. Where all pieces join what they joined, in the same bricks, the deal is kept. The
 * caller sets kept.valid when all that follows from it stands. Collective. Statuses: UNSUPPORTED,
 * MISSING_ARRAY, INVALID_ARGUMENT (ids), INDEX_RANGE, RANKS_FAILED, OUT_OF_MEMORY. */
talus_status tl_part_deal(talus_context *context, const talus_problem *piece, talus_status status,
                          tl_part *part);
void tl_part_release(talus_context *context, tl_part *part);
int64_t tl_part_bytes(const tl_part *part);

/* ---- halo.c, lists.c, tokens.c --------------------------------------------------------------- */

typedef struct tl_rank_halo {
  tl_halo halo; /* first: engines are given its address */
  talus_context *context;
  bool refused;    /* a meeting has failed: there is no other */
  int64_t ordered; /* which order of the assembly it is for; 0: none */
  bool wrenches;   /* ... with torques */
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
