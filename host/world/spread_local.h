/* spread_local.h: what a rank knows of a world whose contacts are local. For spread*.c alone. */
#ifndef TL_SPREAD_LOCAL_H
#define TL_SPREAD_LOCAL_H

#include "host/ranks/owners.h"
#include "host/ranks/route.h"
#include "host/world/spread.h"

/* Below so many contacts messages take longer than iterations, and solvers have other methods. */
enum { TL_SPREAD_CONTACTS = 512 };

/* Beside the brick of a body: it moves. */
#define TL_SPREAD_MOVES ((tl_brick)1 << 63)

/* What is known of a brick, by a hash of it. */
typedef struct tl_brick_entry {
  tl_brick brick; /* TL_BRICK_FAR: none */
  int32_t owner;
  bool near; /* contacts with bodies in it may be this rank's */
} tl_brick_entry;

/* Slots are the same as long as all of these are. */
typedef struct tl_slot_stamp {
  int32_t body_count, shape_count, body_next, shape_next;
} tl_slot_stamp;

typedef struct tl_world_spread {
  talus_world *world;
  tl_owners owners;
  int64_t cut_step;      /* when the balance was looked at */
  int64_t contact_count; /* of all ranks, if contacts are local */
  tl_slot_stamp stamp;   /* of the lists below */
  tl_slot_stamp found;   /* of the contacts, if they are local */
  bool wide;             /* this rank looks at all bodies */
  tl_brick *brick;       /* [body_count] at the last search for contacts */
  int32_t *holder;       /* [body_count] the rank that owns it */
  bool *near;            /* [body_count] this rank looks at it */
  int32_t *shape;        /* [shape_count] of those bodies */
  int32_t shape_count;
  tl_brick_entry *entry;
  tl_buffer body_memory, shape_memory, entry_memory, weights, out, in;
  tl_route route;
} tl_world_spread;

/* spread.c: whether contacts of the world may be local. */
bool tl_spread_serves(const talus_world *world);
/* spread_owners.c: bricks and holders of all bodies, and the shapes to look at. Collective. */
talus_status tl_spread_look(talus_world *world, double dt, const double *least_margin);
tl_slot_stamp tl_spread_stamp(const talus_world *world);
/* The owner of a contact between bodies in these slots. */
int32_t tl_spread_owner(const tl_world_spread *spread, int32_t slot_a, int32_t slot_b);
/* spread_contacts.c: the present contacts to their owners. Collective. */
talus_status tl_spread_move(talus_world *world);

#endif
