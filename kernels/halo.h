/* halo.h: what an engine, an assembly and the certificate know of other ranks: which constraints
 * and bodies are this rank's own, and what is to be exchanged when. host/ranks makes it (halo.c);
 * NULL: there is no other rank.
 *
 * A rank has the constraints of its own bricks, copies of those of other ranks that touch its own
 * bodies, and the bodies that all of them join. A body's velocity is a token during a sweep: it
 * goes from rank to rank as the phases touch the body, so that a sweep is that of one rank.
 * Gradient steps of contacts between ranks are made by both. */
#ifndef TL_HALO_H
#define TL_HALO_H

#include <stdbool.h>
#include <stdint.h>

#include "talus/talus_base.h"
#include "talus/talus_ranks.h"

/* What is sent to and received from each rank: places in an array, rank by rank. */
typedef struct tl_halo_list {
  int32_t *send_first, *receive_first; /* [size + 1] */
  int32_t *send, *receive;
} tl_halo_list;

/* What a rank does with a chunk of contacts. */
typedef enum tl_halo_role {
  TL_HALO_COPIED = 0, /* gradient steps, for its own bodies; others count them */
  TL_HALO_OWN
} tl_halo_role;

/* Numbers of which all ranks get the largest, with a status. */
enum { TL_HALO_NUMBERS = 4 };

/* The number of a context among its ranks; 0: there are no others. */
static inline int32_t tl_halo_rank(const talus_context_def *def) {
  return def->ranks != NULL ? def->ranks->rank : 0;
}

typedef struct tl_halo tl_halo;
struct tl_halo {
  int32_t rank, size;
  /* of the problem as this rank has it */
  const bool *own;      /* [contacts, then rows] */
  const bool *body_own; /* [bodies] */
  tl_halo_list constraint,
      body;                /* from owners to those who have copies, by the problem's indices */
  int64_t contact_count;   /* of all ranks */
  bool compliant, bounded; /* of any rank's constraints */
  /* of the system */
  uint8_t *chunk_role;   /* [chunk_count] tl_halo_role */
  bool *unit_own;        /* [unit_chunk_count] chunks of bodies */
  int32_t *number;       /* [constraints] the place that a constraint has on one rank alone */
  tl_halo_list bodies;   /* velocities from a body's owner to those who need it */
  tl_halo_list contacts; /* impulses to the owners of the bodies */
  tl_halo_list *phase;   /* [colour_count] velocities behind each phase of a sweep ... */
  tl_halo_list settled;  /* ... and behind all of them */
  int32_t phase_count;
  bool failed; /* another rank has failed or cannot be reached: nothing is exchanged any more */
  /* Moves elements of `bytes` each within `array`. */
  void (*exchange)(tl_halo *halo, const tl_halo_list *list, void *array, int32_t bytes);
  /* The same for the velocities in records of eight reals, whose masses everybody has. */
  void (*exchange_records)(tl_halo *halo, const tl_halo_list *list, void *array, int32_t real);
  void (*sum)(tl_halo *halo, int64_t *value, int32_t count);
  void (*largest)(tl_halo *halo, int64_t *value, int32_t count);
  /* OK if all ranks are, with the largest of their numbers. Once it has failed, all fail. */
  talus_status (*meet)(tl_halo *halo, talus_status status, int64_t number[TL_HALO_NUMBERS]);
  /* TALUS_RANKS_FAILED with a message, or OK. */
  talus_status (*check)(tl_halo *halo);
};

#endif
