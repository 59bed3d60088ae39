/* path.h: between the two files of the proximal path. */
#ifndef TL_PATH_H
#define TL_PATH_H

#include "host/method/newton/newton.h"

/* A constraint at the border between its branch and another one. */
typedef struct tl_corner {
  int32_t constraint; /* -1: none */
  tl_branch to;
} tl_corner;

/* A point of the path and the step from it. Vectors are [size]. */
typedef struct tl_path {
  tl_newton *newton;
  const tl_scaled *scaled;
  double *centre, *y;
  double alpha;
  int32_t *branch;    /* [constraints] tl_branch of each */
  double *u, *pulled; /* W y + q, and with alpha (y - centre) */
  double *f, *step, *right;
  /* the tangent: dy / dalpha, what it does to `pulled`, d2y / dalpha2 */
  double *slope, *response, *bend;
  double way;       /* +1, -1: of alpha along the path */
  double *ahead;    /* slope, that way */
  tl_corner passed; /* the corner at which the point lies */
  tl_branch left;   /* the branch left there */
  double inward;    /* how fast the constraint gets away from that border, per alpha */
  /* where the step began */
  double *before, *start; /* y; z of each constraint, [3 constraints] */
  int32_t *branch_before;
  double alpha_before;
  /* what is small, in the units of F */
  double first;       /* |F| at the centre */
  double enough;      /* |F| on the path */
  double outside;     /* what a constraint may be off its branch */
  double reach;       /* of a step, over alpha */
  int made;           /* factorisations */
  int corners, still; /* passed; of these without a way between, the last ones */
} tl_path;

/* path_step.c: u + alpha (y - centre) at y. */
void tl_path_pull(tl_path *p);
/* -F on the present branches, and with `blocks` the blocks of the next factor; returns |F|. */
double tl_path_equations(tl_path *p, int blocks);
/* A place to come back to. */
void tl_path_keep(tl_path *p);
void tl_path_restore(tl_path *p);
/* From a point of the path to the next; *good = 0: too far, nothing has changed but `reach`. */
talus_status tl_path_step(tl_path *p, bool *good);

#endif
