/* gradient.h: derivatives of a solve (talus_gradient.h says what they are).
 *
 *   gradient.c         the call: problem, loss, velocities in; arrays out
 *   gradient_system.c  the adjoint system on the active set, in the units of the scaled problem
 *   gradient_law.c     regimes, and what each of them makes of the adjoint system
 *   gradient_forms.c   from dL/dq to what a form is made of */
#ifndef TL_GRADIENT_H
#define TL_GRADIENT_H

#include "host/problem/scaled.h"
#include "host/solve/certificate.h"
#include "talus/talus_gradient.h"

/* Vectors over all rows: `dimension` for each contact, then one for each bilateral row. */
typedef struct tl_adjoint {
  talus_context *context;
  const talus_problem *problem; /* packed, checked */
  talus_law law;
  int64_t contact_rows, rows; /* of the contacts; of all */
  int64_t motion_count;       /* of a velocity of all bodies; form (c): 0 */
  int32_t constraints;
  double *impulse, *velocity;           /* [rows] x, and u without compliance */
  double *loss_impulse, *loss_velocity; /* [rows] dL/dx, dL/du */
  double *right;                        /* [rows] r = dL/dx + W^T dL/du + D M^-1 dL/dv+ */
  double *pull;                         /* [rows] p */
  double *free;                         /* [rows] g = p + dL/du: dL/dq */
  double *friction;                     /* [contact_count] dL/dmu */
  double *zero;                         /* [rows] */
  double *start;                        /* [motion_count] M^-1 dL/dv+; form (d): dL/dv+ */
  double *after, *motion;               /* [motion_count] v+, and V = M^-1 (D^T g + dL/dv+) */
  double *handed, *pushed;              /* [motion_count] D^T x, and D^T g + dL/dv+ */
  double *unit_mass;                    /* masses of 1, as the form has them */
  int64_t *block_first;                 /* (b) [block_count] of its velocities */
  int32_t *regime;                      /* [constraints] of talus_regime */
  int32_t between;
  double not_unique, residual;
  tl_buffer memory, index;
} tl_adjoint;

/* Solves for p, and finds regimes and dL/dmu. `transposed`: the problem with W^T in the place of W.
 */
talus_status tl_adjoint_solve(tl_adjoint *adjoint, const talus_problem *transposed);

/* One constraint of the adjoint system A p + B (r + (W + C)^T p) = 0, in the frame of the scaled
 * problem. */
typedef struct tl_adjoint_law {
  talus_regime regime;
  bool between;
  double a[9], b[9];     /* row-major, of which the leading rows x rows are used */
  double friction_right; /* dL/dmu = friction_right . (r + (W + C)^T p) ... */
  double friction_pull;  /* ... + friction_pull p_n, along ... */
  double direction[3];   /* ... this unit vector, the first */
} tl_adjoint_law;

/* y, u: impulse and velocity of all constraints; largest: |y - u| of any of them. */
tl_adjoint_law tl_adjoint_law_of(const tl_scaled *scaled, int32_t k, talus_law law, const double *y,
                                 const double *u, double largest);

/* What the results that hang on the form need beside g and x, and the results. */
void tl_gradient_rigid(const tl_adjoint *adjoint, const talus_gradient *gradient);
void tl_gradient_blocks(const tl_adjoint *adjoint, const talus_gradient *gradient);
void tl_gradient_delassus(const tl_adjoint *adjoint, const talus_gradient *gradient);
void tl_gradient_global(const tl_adjoint *adjoint, const talus_gradient *gradient);

#endif
