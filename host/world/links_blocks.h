/* links_blocks.h: the arrays of a step's problem in form (b). */
#ifndef TL_LINKS_BLOCKS_H
#define TL_LINKS_BLOCKS_H

#include "host/world/links.h"

/* Blocks: free bodies (six velocities each), then mechanisms. Contacts and rows along which nothing
 * can move are left out; contact_of and row_of name those that are left. */
typedef struct tl_links_blocks {
  talus_world *world;
  const tl_step_arrays *arrays;
  const talus_problem *from; /* form (a) */
  int32_t free_count, contact_count, row_count;
  int32_t *unit;         /* [body_count] block, or -1: does not move */
  int32_t *size, *first; /* [blocks] columns, and where they begin among the velocities */
  int64_t *inverse_first;
  double *inverse, *velocity, *after;
  double *frame; /* [9 contacts] n t1 t2, by the world's numbers */
  double *bias, *friction, *impulse, *contact_velocity; /* of those left */
  double *row_bias, *row_lower, *row_upper, *row_impulse, *row_compliance;
  double *compliance, *target; /* of a soft world */
  double *jacobian, *row_jacobian, *line;
  double *loops; /* room for the check of loops */
  int64_t *start, *row_start;
  int32_t *block, *row_block, *contact_of, *row_of;
} tl_links_blocks;

/* A diagonal entry of W below this share of a free link's is rounding. */
#define TL_ROUNDING_SHARE 1e-12

/* How many rows of the loops depend on the others (links_loops.c). */
int32_t tl_links_loops(const tl_links_blocks *blocks);
/* Room for all of it, the blocks filled. */
talus_status tl_links_blocks_take(tl_links_blocks *blocks);

#endif
