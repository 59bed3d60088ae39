/* newton.h: second-order methods: from a run to the accuracy of double precision.
 *
 *   law.c        the law as equations, branch by branch
 *   prox.c       procedure A: a proximal loop around Newton's method on the law itself
 *   path.c       the path of a proximal problem's solutions to weight 0, round every corner
 *   path_step.c  a step along it
 *   interior.c   interior point: the convex law, the convex problem at a frozen slip, and procedure
 *                C, the exact law with a damped derivative of the slip
 *   interior_row.c  rows with bounds therein
 *   slip.c       procedure B: Newton's method on s = mu |u_t|, interior points inside
 *   unique.c     of all solutions the one of least norm
 *   consistency.c  what no impulse can satisfy: incompatible part of q, contradictory rows
 *   second_order.c  the methods, and in which order procedures are tried
 * All of them share one scaled, one linear solver, and the best impulses of all phases. */
#ifndef TL_NEWTON_H
#define TL_NEWTON_H

#include "host/method/newton/law.h"
#include "host/method/newton/linear.h"
#include "host/method/newton/second_order.h"

struct tl_newton {
  talus_context *context;
  tl_scaled scaled;
  tl_linear linear;
  bool ready;   /* scaled and linear are those of the present problem */
  bool on_host; /* no device was thought of for its matrix */
  /* the present attempt */
  tl_run *run;
  talus_law law;
  bool stop;             /* converged, or a limit came: every loop ends */
  bool examined;         /* whether there is a solution at all has been asked */
  tl_best best;          /* [size] */
  double *inside;        /* [size] impulses within their cones, on their way out */
  double *impulse;       /* [3 constraints] engine's order */
  double *a, *b, *scale; /* [9 constraints] blocks of the linear systems */
  double *vector[12];    /* [size] scratch of the procedures */
  tl_buffer memory, store;
};

/* Counts a factorisation, asks the limits; factors unless one of them has come. */
talus_status tl_newton_factor(tl_newton *newton, const double *a, const double *b,
                              const double *scale, bool symmetric, bool *good);
/* Offers an iterate y with u = W y + q: kept if it is the best, handed to the certificate if it
 * meets the target. epsilon (may be NULL): that of y. */
talus_status tl_newton_offer(tl_newton *newton, const double *y, const double *u, double *epsilon);

/* ---- A --------------------------------------------------------------------------------------- */

typedef struct tl_prox_rule {
  int law;              /* talus_law or TL_LAW_NORMAL */
  double alpha;         /* weight of the proximal term at first */
  double shrink;        /* on success */
  int most;             /* factorisations */
  int failures;         /* in a row without a better epsilon, after which it gives up */
  bool single;          /* one proximal step; y becomes its end, whatever epsilon says */
  const double *centre; /* of the proximal term; NULL: y as given */
} tl_prox_rule;

/* From y, which becomes the best iterate of this phase. Vectors 0 .. 5. */
talus_status tl_prox_run(tl_newton *newton, const tl_prox_rule *rule, double *y);

/* ---- the proximal path ----------------------------------------------------------------------- */

/* Exact law. From y, with `most` factorisations; offers what it meets. All vectors. */
talus_status tl_path_run(tl_newton *newton, int most, double *y);

/* ---- interior points ------------------------------------------------------------------------- */

typedef struct tl_interior_rule {
  const double *slip; /* [constraints] s, added to u_n; NULL = 0 */
  bool exact;         /* s = mu |u_t| of the iterate itself (procedure C) */
  double damping;     /* exact: share of the slip's derivative in the matrix */
  double reach;       /* share of the way to the boundary */
  double least;       /* smallest centring */
  double gap;         /* ends here, 0: at the attempt's target */
  int most;           /* factorisations */
} tl_interior_rule;

/* An iterate: impulses and slack velocities inside their cones. */
typedef struct tl_interior {
  double *y, *v, *u;      /* [size]; u = W y + q */
  double gap;             /* mean y . v */
  double primal_residual; /* rms of what u + s n - v is off */
  double centred;         /* smallest y . v over the mean */
  double step;            /* the last step's length */
} tl_interior;

/* size: of the first gap, 1 being usual. */
void tl_interior_start(tl_newton *newton, double size, tl_interior *point);
/* Vectors 0 .. 5. */
talus_status tl_interior_run(tl_newton *newton, const tl_interior_rule *rule, tl_interior *point);
/* S of Nesterov and Todd's scaling at a point, H^-1 = S^T S, block by block. */
void tl_interior_scale(const tl_scaled *scaled, const tl_interior *point, double *scale);
/* newton->b = S (I + damping mu n t^T), S = newton->scale, t the direction of u_t. */
void tl_interior_slip(tl_newton *newton, double damping, const double *u);

/* ---- B --------------------------------------------------------------------------------------- */

/* Starts from s = 0; `most` factorisations. y receives the last impulses. */
talus_status tl_slip_run(tl_newton *newton, int most, double *y);

/* ---- consistency ----------------------------------------------------------------------------- */

/* Part of q on loaded constraints that no motion of the bodies can undo, over R(0). */
talus_status tl_incompatible_find(tl_newton *newton, const double *y, double *part);
/* Looks for impulses that move nothing and yet gain speed: a proof that the law has no solution.
 * *found = 1, and the message names the constraints. */
talus_status tl_contradiction_find(tl_newton *newton, bool *found);

/* ---- least norm ------------------------------------------------------------------------------ */

/* Moves y, a solution, to the one of least norm; whether it got there must be judged. */
talus_status tl_least_find(tl_newton *newton, double *y);

/* Around all calls of BLAS: room for its buffers, its threads as the context wants them. The second
 * follows only where the first returned OK. OUT_OF_MEMORY: BLAS would wait for its buffer without
 * end. */
talus_status tl_blas_begin(talus_context *context);
void tl_blas_end(const talus_context *context);

#endif
