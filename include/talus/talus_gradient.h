/* talus_gradient.h: derivatives of a solve.
 *
 * For a loss L of the impulses x, the velocities after them and the contact velocities u, given by
 * its derivatives, the gradient of L with respect to what the problem was made of: by one linear
 * system on the active set, of the size of the problem, whatever the number of its parameters.
 *
 * Each contact is open (x = 0), sticks (u = 0) or slides; a row is held (u = 0) or at a bound. As
 * long as none changes its regime the solution depends smoothly on the problem; with
 * A dx + B du = 0 for the law's derivative and W, C as in talus_solve.h,
 *   (A + B (W + C))^T l = dL/dx + W^T dL/du,   p = -B^T l,   g = p + dL/du
 *   dL/dq = g,  dL/dW = g x^T,  dL/dC = p (x - target),  dL/dtarget = -C p
 * and, W = D M^-1 D^T and q = D v + bias being made of Jacobians, with the velocities after the
 * impulses v+ and the adjoint motion V = M^-1 (D^T g + dL/dv+),
 *   dL/dD = g v+^T + x V^T,  dL/dv = D^T g + dL/dv+,  dL/dM^-1 = (D^T g + dL/dv+) (D^T x)^T.
 * Normals of form (a) are held: turn arms, velocities or biases instead, or hand over Jacobians.
 *
 * Two things have no derivative, and are told in `notes`. A contact between two regimes: the
 * derivative of the one in which it lies is taken, an element of the generalised derivative. And
 * impulses that are not unique (four feet of a table), if the loss asks for them: the part of it
 * that no velocity tells is left out, which is the derivative of the impulses of least norm where
 * all stick. Velocities have derivatives there; with compliance everything has. */
#ifndef TALUS_GRADIENT_H
#define TALUS_GRADIENT_H

#include "talus_solve.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a loss is given by: its derivatives with respect to the members of talus_solution of the
 * same names, packed, in host memory; NULL = 0. */
typedef struct talus_loss {
  uint32_t struct_size;            /* set by talus_loss_default */
  const double *impulse;           /* [dimension contact_count] */
  const double *bilateral_impulse; /* [bilateral_count] */
  const double *velocity;          /* [6 body_count], [sum of block sizes], [n]; form (c): NULL */
  const double *contact_velocity; /* [dimension contact_count] of u, without what compliance adds */
} talus_loss;

TALUS_API void talus_loss_init(talus_loss *loss, size_t size);
static inline talus_loss talus_loss_default(void) {
  talus_loss loss;
  talus_loss_init(&loss, sizeof loss);
  return loss;
}

typedef enum talus_regime {
  TALUS_REGIME_OPEN = 0,  /* no impulse */
  TALUS_REGIME_STICK = 1, /* a contact that does not move; a row that is held */
  TALUS_REGIME_SLIDE = 2, /* on the edge of the cone */
  TALUS_REGIME_BOUND = 3  /* a row at a bound */
} talus_regime;

typedef enum talus_gradient_note {
  TALUS_GRADIENT_BETWEEN = 1,   /* a contact or row stands between two regimes */
  TALUS_GRADIENT_NOT_UNIQUE = 2 /* the loss asks for impulses that are not unique */
} talus_gradient_note;

/* Results, packed, in arrays of the caller's in host memory, each of the shape and frame of the
 * problem's member; NULL: not wanted, or not of the form. Symmetric matrices are varied as such. */
typedef struct talus_gradient {
  uint32_t struct_size; /* set by talus_gradient_default */
  uint32_t notes;       /* out: bits of talus_gradient_note */
  int32_t between;      /* out: contacts and rows between two regimes */
  int32_t unused;
  double not_unique; /* out: share of the loss's derivative that was left out, 0 .. 1 */
  double residual;   /* out: what the linear system is off by, relative to its right side */
  /* all forms */
  int32_t *regime;           /* [contact_count] of talus_regime */
  int32_t *row_regime;       /* [bilateral_count] */
  double *free_velocity;     /* [dimension contact_count] dL/dq: of biases and surface velocities */
  double *row_free_velocity; /* [bilateral_count] */
  double *friction;          /* [contact_count] */
  double *compliance;        /* [2 contact_count] */
  double *target_impulse;    /* [dimension contact_count] */
  double *row_compliance;    /* [bilateral_count] */
  double *row_target_impulse; /* [bilateral_count] */
  /* forms with bodies */
  double *velocity;        /* (a) [6 body_count], (b): before the impulses; (d): of f */
  double *inverse_mass;    /* (a) [body_count]; (b) blocks one after the other */
  double *inverse_inertia; /* (a) [6 body_count] */
  double *arm_a, *arm_b;   /* (a) [3 contact_count]; where reaches were given of arm = reach n */
  double *jacobian;        /* (b) contact_jacobian */
  double *row_jacobian;    /* (a) row_jacobian; (b) bilateral_jacobian */
  /* matrices: one number for each that is stored */
  double *delassus; /* (c) w.value */
  double *mass;     /* (d) mass.value */
  double *h;        /* (d) h.value */
  double *g;        /* (d) g.value */
} talus_gradient;

TALUS_API void talus_gradient_init(talus_gradient *gradient, size_t size);
static inline talus_gradient talus_gradient_default(void) {
  talus_gradient gradient;
  talus_gradient_init(&gradient, sizeof gradient);
  return gradient;
}

/* The gradient of a loss at a solution of a problem: `impulse` and `bilateral_impulse` are those
 * that a solve gave (packed, in host memory; solve to a small tolerance, 1e-8 or below, since
 * regimes are read off them). Of settings the law is used, NULL: COULOMB; the cone is circular.
 * Nothing sleeps here: problem.asleep is not looked at. Statuses: INVALID_ARGUMENT, STRUCT_SIZE,
 * MISSING_ARRAY, NOT_FINITE, UNSUPPORTED (a faceted or elliptic cone; contacts of six rows; a loss
 * on velocities of form (c); this build has no factorisation for the size), OUT_OF_MEMORY, and
 * those of talus_solver_update. */
TALUS_API talus_status talus_gradient_find(talus_context *context, const talus_problem *problem,
                                           const talus_settings *settings, const double *impulse,
                                           const double *bilateral_impulse, const talus_loss *loss,
                                           talus_gradient *gradient);

#ifdef __cplusplus
}
#endif
#endif
