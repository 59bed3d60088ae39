/* dense_problem.h: a small problem with W written out, what is to be done with it, and what came of
 * it: types alone. */
#ifndef TL_ITEM_DENSE_PROBLEM_H
#define TL_ITEM_DENSE_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/data/constraint.h"
#include "kernels/data/law.h"

typedef struct tl_small_problem {
  int32_t count, rows, stride; /* stride: rows, padded */
  tl_law law;
  double reference;            /* R(0) */
  const int32_t *first;        /* [count + 1] first row of a constraint */
  const int32_t *kind;         /* [count] tl_constraint_kind */
  const double *friction;      /* [count] */
  const double *lower, *upper; /* [count] bounds */
  const double *pace;          /* [count] 1 / a bound of the largest eigenvalue of W_kk; 0: none */
  const double *w;             /* [stride rows] by columns: W_ij = w[stride j + i] */
  const double *q;             /* [stride] */
} tl_small_problem;

typedef enum tl_small_method {
  TL_SMALL_SWEEPS = 0,    /* nothing but sweeps */
  TL_SMALL_REGULAR = 1,   /* Levenberg-Marquardt */
  TL_SMALL_PROJECTED = 2, /* the same, projected */
  TL_SMALL_PROXIMAL = 3,  /* proximal points */
  TL_SMALL_BARRIER = 4    /* interior points: convex law, symmetric W */
} tl_small_method;

typedef struct tl_small_result {
  double epsilon; /* of the best impulses; in: of the start */
  int32_t steps;  /* factorisations */
  int32_t before; /* steps when the phase began */
  int64_t passes; /* evaluations and sweeps */
  int32_t phase;  /* the one that ended it, or the last */
} tl_small_result;

typedef struct tl_small_phase {
  int32_t method;   /* tl_small_method */
  int32_t fresh;    /* 1: sweeps begin at 0, not where the last ones ended */
  int32_t sweeps;   /* at most */
  int32_t sparing;  /* 1: and fewer for a few constraints, see tl_small_most */
  int32_t inner;    /* projected steps per contact and sweep */
  int32_t steps;    /* factorisations at most */
  int32_t all;      /* and at most so many in all phases together */
  int32_t failures; /* proximal problems in a row that may fail */
  double alpha;     /* proximal term to begin with */
  double tolerance; /* epsilon that ends all */
  /* asked at each step on the CPU, and within those of large problems, when counts do not matter: 1
   * ends all; NULL: nobody */
  bool (*stop)(void *self, const tl_small_result *result, int within);
  void *stop_self;
} tl_small_phase;

#endif
