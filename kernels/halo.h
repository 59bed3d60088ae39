/* halo.h: what an engine knows of other ranks: which chunks are its own, and what is to be
 * exchanged when. host/ranks makes it (plan.c); NULL: there is no other rank.
 *
 * Every rank has all arrays of the system, and keeps up to date what it needs: the impulses of the
 * contacts in its own bricks, the velocities of the bodies that they touch. A body's velocity is a
 * token during a sweep: it goes from rank to rank as the phases touch the body, so that a sweep is
 * that of one rank. Gradient steps of contacts between ranks are made by both. */
#ifndef TL_HALO_H
#define TL_HALO_H

#include <stdbool.h>
#include <stdint.h>

#include "talus/talus_base.h"

/* What is sent to and received from each rank: places in an array, rank by rank. */
typedef struct tl_halo_list {
  int32_t *send_first, *receive_first; /* [size + 1] */
  int32_t *send, *receive;
} tl_halo_list;

/* What a rank does with a chunk of contacts. */
typedef enum tl_halo_role {
  TL_HALO_OTHERS = 0,
  TL_HALO_COPIED, /* gradient steps, for its own bodies; others count them */
  TL_HALO_OWN
} tl_halo_role;

typedef struct tl_halo tl_halo;
struct tl_halo {
  uint8_t *chunk_role;   /* [chunk_count] tl_halo_role */
  bool *unit_own;        /* [unit_chunk_count] chunks of bodies */
  tl_halo_list bodies;   /* velocities from a body's owner to those who need it */
  tl_halo_list contacts; /* impulses to the owners of the bodies */
  tl_halo_list all;      /* impulses to everybody */
  tl_halo_list *phase;   /* [colour_count] velocities behind each phase of a sweep ... */
  tl_halo_list settled;  /* ... and behind all of them */
  int32_t phase_count;
  bool failed; /* another rank cannot be reached: nothing is exchanged any more */
  /* Moves elements of `bytes` each within `array`. */
  void (*exchange)(tl_halo *halo, const tl_halo_list *list, void *array, int32_t bytes);
  void (*sum)(tl_halo *halo, int64_t *value, int32_t count);
  /* TALUS_RANKS_FAILED with a message, or OK. */
  talus_status (*check)(tl_halo *halo);
};

#endif
