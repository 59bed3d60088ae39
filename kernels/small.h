/* small.h: many small problems with W written out: what a backend is asked to do with them.
 *
 * A phase is some sweeps and a method that starts from where they end; a plan is some phases, of
 * which each problem goes through as many as it needs. The arithmetic is that of item/phase.h on
 * every backend, in double precision, with the same bits. */
#ifndef TL_KERNELS_SMALL_H
#define TL_KERNELS_SMALL_H

#include "kernels/item/small.h"

typedef enum tl_small_method {
  TL_SMALL_SWEEPS = 0,    /* nothing but sweeps */
  TL_SMALL_REGULAR = 1,   /* Levenberg-Marquardt */
  TL_SMALL_PROJECTED = 2, /* the same, projected */
  TL_SMALL_PROXIMAL = 3   /* proximal points */
} tl_small_method;

typedef struct tl_small_result {
  double epsilon;       /* of the best impulses; in: of the start */
  int32_t steps;        /* factorisations */
  int32_t before;       /* steps when the phase began */
  int64_t passes;       /* evaluations and sweeps */
  int32_t phase;        /* the one that ended it, or the last */
} tl_small_result;

typedef struct tl_small_phase {
  int32_t method;   /* tl_small_method */
  int32_t fresh;    /* 1: sweeps begin at 0, not where the last ones ended */
  int32_t sweeps;   /* at most */
  int32_t inner;    /* projected steps per contact and sweep */
  int32_t steps;    /* factorisations at most */
  int32_t all;      /* and at most so many in all phases together */
  int32_t failures; /* proximal problems in a row that may fail */
  double alpha;     /* proximal term to begin with */
  double tolerance; /* epsilon that ends all */
  /* asked at each step on the CPU: 1 ends all; NULL: nobody */
  int (*stop)(void *self, const tl_small_result *result);
  void *stop_self;
} tl_small_phase;

typedef struct tl_small_batch {
  int32_t count;
  const tl_small_problem *problem; /* [count] arrays in host memory */
  double *const *best;             /* [count] in: starts; out: the best impulses */
  tl_small_result *result;         /* [count] */
  const tl_small_phase *phase;
  int32_t phase_count;
  double *room; /* for a backend on the host: scratch of the largest, tl_small_reals */
} tl_small_batch;

#endif
