/* conquer_batch.h: forward dynamics of many mechanisms, by divide and conquer: what a backend is
 * asked to do. The arithmetic is that of item/conquer_team.h with the same bits everywhere. */
#ifndef TL_CONQUER_BATCH_H
#define TL_CONQUER_BATCH_H

#include "kernels/item/conquest.h"

typedef struct tl_conquer_batch {
  int32_t count;
  const tl_conquest *conquest; /* [count] arrays in host memory, scratch left out */
  int32_t *singular;           /* [count] out: 1: an inertia of it cannot be inverted */
  /* for a backend on the host: scratch for each thread, that of the largest (tl_conquest_reals) */
  double *room;
  int64_t room_stride; /* with more than one thread */
  int32_t threads;     /* 0: one */
} tl_conquer_batch;

#endif
