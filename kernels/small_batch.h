/* small_batch.h: many small problems with W written out: what a backend is asked to do with them.
 *
 * A phase is some sweeps and a method that starts from where they end; a plan is some phases, of
 * which each problem goes through as many as it needs. The arithmetic is that of item/phase.h on
 * every backend, in double precision, with the same bits. */
#ifndef TL_SMALL_BATCH_H
#define TL_SMALL_BATCH_H

#include "kernels/item/dense_problem.h"

typedef struct tl_small_batch {
  int32_t count;
  const tl_small_problem *problem; /* [count] arrays in host memory */
  double *const *best;             /* [count] in: starts; out: the best impulses */
  tl_small_result *result;         /* [count] */
  const tl_small_phase *phase;
  int32_t phase_count;
  /* for a backend on the host: scratch for each thread, that of the largest (tl_small_reals) */
  double *room;
  int64_t room_stride; /* with more than one thread */
  int32_t threads;     /* 0: one */
  int32_t lanes;       /* 1: `room` has tl_lanes_reals more, for problems side by side */
} tl_small_batch;

#endif
