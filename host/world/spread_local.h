/* spread_local.h: what a rank knows of a world whose contacts are local. For spread*.c alone. */
#ifndef TL_SPREAD_LOCAL_H
#define TL_SPREAD_LOCAL_H

#include "host/ranks/owners.h"
#include "host/ranks/route.h"
#include "host/world/spread.h"

/* Below so many contacts messages take longer than iterations, and solvers have other methods. */
enum { TL_SPREAD_CONTACTS = 512 };

/* Beside the brick of a body: it moves; every rank has it. */
#define TL_SPREAD_MOVES ((tl_brick)1 << 63)
#define TL_SPREAD_STAYS ((tl_brick)1 << 62)
#define TL_SPREAD_MARKS (TL_SPREAD_MOVES | TL_SPREAD_STAYS)

/* What is known of a brick, by a hash of it. */
typedef struct tl_brick_entry {
  tl_brick brick; /* TL_BRICK_FAR: none */
  int32_t owner;
} tl_brick_entry;

/* Slots are the same as long as all of these are. */
typedef struct tl_slot_stamp {
  int32_t body_count, shape_count, body_next, shape_next;
  int64_t slots_changed;
} tl_slot_stamp;

/* A body that is to be had from another rank, or comes from there. */
typedef struct tl_newcomer {
  int32_t id, rank; /* whose record it is */
  int64_t word;     /* where that begins */
  int32_t slot;     /* where it goes */
} tl_newcomer;

/* Records of bodies that have come, of which some are taken. */
typedef struct tl_newcomers {
  uint64_t *memory;
  tl_newcomer *body; /* [count] ids ascend */
  int32_t count, shape_count, turn_count, extra_count;
  tl_buffer buffer;
} tl_newcomers;

/* Bricks whose owners are kept in mind. */
enum { TL_SPREAD_ENTRY_BITS = 13, TL_SPREAD_ENTRIES = 1 << TL_SPREAD_ENTRY_BITS };

/* Of a body: brick, low, high, holder, near. */
enum { TL_SPREAD_BODY_BYTES = 3 * sizeof(tl_brick) + sizeof(int32_t) + sizeof(bool) };

/* A margin that was raised, for all ranks to know. */
typedef struct tl_raised {
  int64_t shape; /* id */
  double margin; /* m */
} tl_raised;

typedef struct tl_world_spread {
  talus_world *world;
  tl_owners owners;
  int64_t cut_step;      /* when the balance was looked at */
  int64_t contact_count; /* of all ranks, if contacts are local */
  tl_slot_stamp stamp;   /* of the lists below */
  tl_slot_stamp found;   /* of the contacts, if they are local */
  bool wide;             /* this rank looks at all bodies */
  double growth;         /* m: by how much reaches may grow until lists are made anew */
  double distance;       /* m: of bodies that may touch each other, at most, while lists hold */
  tl_brick *brick;       /* [body_count] at the last search for contacts */
  tl_brick *low, *high;  /* [body_count] the bricks in which contacts of it may lie while the lists
                            hold: two corners of a box */
  int32_t *holder;       /* [body_count] the rank that answers for it: gives it to solves, and tells
                            its velocities */
  bool *near;            /* [body_count] this rank looks at it */
  int32_t *shape;        /* [shape_count] of those bodies */
  int32_t shape_count;
  tl_brick_entry *entry;
  tl_buffer body_memory, shape_memory, entry_memory, weights, out, in, stash;
  tl_route route;

  /* where bodies are local */
  int32_t body_total, shape_total;   /* of all ranks, as they were when ... */
  int32_t arranged, shapes_arranged; /* ... there were so many here: others were added since */
  bool uneven;                       /* some rank has a free body that is no ball */
  bool listed;                       /* the lists below are there */
  bool looked;                       /* at the bodies where they stand now */
  bool few;                          /* the last search found few contacts */
  int64_t steps, local_since, whole_until, pause; /* in steps of this world */
  int64_t local_steps;                            /* that were made, for tests */
  tl_route held;  /* records: bodies that this rank holds and others answer for; those that others
                       hold and this one answers for */
  int32_t *taken; /* [held.send[size]] slots of the former */
  int32_t *given; /* [held.receive[size]] slots of the latter */
  tl_buffer held_memory;
  tl_raised *raised; /* [raised_count] of all ranks */
  int64_t raised_count;
  tl_buffer raised_memory;

  /* while contacts push bodies */
  struct tl_push_record *push; /* [push_count] for those that several ranks push */
  int32_t push_count;
  bool *pushed; /* [body_count] which these are */
  tl_buffer push_memory;

  /* on the first rank, from tl_first_read to tl_first_done */
  bool bodies_shown, contacts_shown; /* it shows those of all ranks */
  tl_contacts_aside aside;           /* its own contacts */
} tl_world_spread;

/* Where holders stand in the memory of the arrays of bodies. */
static inline int32_t *tl_spread_holder_at(void *memory, int32_t bodies) {
  return (int32_t *)((tl_brick *)memory + 3 * (int64_t)bodies);
}
/* Places those arrays. */
static inline void tl_spread_bodies_place(tl_world_spread *spread, int32_t bodies) {
  spread->brick = spread->body_memory.memory;
  spread->low = spread->brick + bodies;
  spread->high = spread->low + bodies;
  spread->holder = tl_spread_holder_at(spread->brick, bodies);
  spread->near = (bool *)(spread->holder + bodies);
  spread->arranged = bodies;
}
/* spread_shared.c: room for what was added since the last step. Collective. */
talus_status tl_spread_arrange(talus_world *world);

/* spread.c: whether contacts of the world may be local. */
bool tl_spread_serves(const talus_world *world);
/* A body that every rank has. */
static inline bool tl_spread_stays(const tl_body *body) {
  return !(body->inverse_mass > 0) || body->jointed || body->large;
}

/* A body that this rank sends to those who have it not. */
static inline bool tl_spread_gives(const talus_world *world, int32_t slot) {
  const tl_world_spread *const spread = world->spread;
  return spread->holder[slot] == spread->owners.rank && !tl_spread_stays(&world->body[slot]);
}

/* spread_owners.c: room for what is known of bodies; whether it is time to look at the balance;
 * that, by which bricks may be dealt out anew. Collective, but the second. */
talus_status tl_spread_reserve(talus_world *world);
bool tl_spread_cut_due(const talus_world *world);
talus_status tl_spread_cut(talus_world *world);
/* spread_look.c: bricks and holders of all bodies, and the shapes to look at. Collective. */
talus_status tl_spread_look(talus_world *world, double dt, const double *least_margin);
tl_slot_stamp tl_spread_stamp(const talus_world *world);
/* The rank that keeps a contact between bodies in these slots: the owner of the brick of one that
 * does not stay with all, if there is one. */
int32_t tl_spread_owner(const tl_world_spread *spread, int32_t slot_a, int32_t slot_b);

/* spread_reach.c. How far from the centre of a body that moves something may touch it in dt, the
 * largest of those that this rank answers for, of all where it has all. velocity: NULL: their
 * own. */
double tl_spread_reach(const talus_world *world, double dt, const double *velocity,
                       const double *least_margin);
/* How far a body's shapes reach from its centre, m. */
double tl_spread_size(const talus_world *world, int32_t slot);
/* Whether bodies that reach so far may touch each other more than a brick apart. */
bool tl_spread_far(const talus_world *world, double reach);
/* The distance for lists that are made when bodies reach so far. */
double tl_spread_distance(const talus_world *world, double reach);
tl_brick_entry *tl_spread_entry(const tl_world_spread *spread, tl_brick brick);
/* spread_owners.c: finds bricks of all bodies. */
void tl_spread_bricks(const talus_world *world);
/* Finds low and high of all bodies. */
void tl_spread_boxes(const talus_world *world);
/* Whether the bricks in which contacts of a body may lie now are those of its box, or have this
 * rank's alone besides. */
bool tl_spread_box_holds(const talus_world *world, int32_t slot);
/* Whether a body that is not near does not have to be. */
bool tl_spread_box_clear(const talus_world *world, int32_t slot);
/* The ranks that own bricks of a body's box. */
enum { TL_SPREAD_TAKERS = 64 };
int32_t tl_spread_takers(const tl_world_spread *spread, int32_t slot, int32_t *rank);

/* spread_record.c: one body as words of 8 bytes: itself, what it has besides, its shapes. */
int64_t tl_body_record_words(const talus_world *world, int32_t slot);
void tl_body_record_pack(const talus_world *world, int32_t slot, uint64_t *record);
/* Of all bodies that this rank answers for and not every rank has; marked: that are near, too. How
 * much that is; their records behind each other. */
typedef struct tl_record_count {
  int64_t bodies, words;
} tl_record_count;
void tl_body_records_count(const talus_world *world, bool marked, tl_record_count *count);
void tl_body_records_pack(const talus_world *world, bool marked, uint64_t *at);
/* Room for so many records, of so many words in all. */
talus_status tl_newcomers_reserve(const talus_world *world, int64_t count, int64_t words,
                                  tl_newcomers *list);
/* Finds the records in so many words that came from a rank, and takes those that this rank has not
 * (all: of its own it has them). Room is there. */
void tl_newcomers_find(const talus_world *world, int64_t first, int64_t end, int32_t rank,
                       tl_newcomers *list);
/* spread_bodies.c. Those of `keep` [body_count] (NULL: all) and the newcomers are what the world
 * has; slots change. Collective: after it all ranks have failed or none, and then nothing has
 * changed. */
talus_status tl_bodies_rebuild(talus_world *world, const bool *keep, tl_newcomers *list);

/* spread_hold.c: the bodies that this rank needs: others' come from those who answer for them.
 * drop: those that it does not need go, and holders are found anew. Collective. */
talus_status tl_spread_hold(talus_world *world, double reach, bool drop);

/* spread_whole.c: all bodies to all ranks. Collective. */
talus_status tl_bodies_gather(talus_world *world, bool marked); /* marked: those that are near */
/* spread_velocities.c: of bodies that others answer for, to `result`, by slots; own: of those that
 * this one does, by slots, or by what `place` says of slots. Collective. */
talus_status tl_velocities_tell(talus_world *world, const double *own, const int32_t *place,
                                double *result);
/* Lists for bodies that reach so far, or all bodies, between a solve and the end of its step:
 * velocities go along, and *after leads to those after the solve. Collective. */
talus_status tl_spread_look_further(talus_world *world, double dt, double reach,
                                    const double **after);
/* spread_look.c: all bodies are on all ranks, and may be so for some steps. Collective. */
talus_status tl_spread_whole(talus_world *world);

/* spread_contacts.c: the present contacts to their owners. Collective. */
talus_status tl_spread_move(talus_world *world);
/* Slots have changed between a search for contacts and the end of its step: its contacts name the
 * new ones. */
void tl_contacts_follow(talus_world *world);
/* All contacts to the first rank, which lays its own aside. Collective. */
talus_status tl_contacts_to_first(talus_world *world);
#endif
