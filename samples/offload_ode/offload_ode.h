/* offload_ode.h: an ODE world whose steps are solved by ODE's QuickStep or by Talus.
 *
 * ODE keeps what it does well: bodies, shapes, collision. What is replaced is dWorldQuickStep. Both
 * solvers get the same contact problem: new velocities v + dt g + M^-1 (impulses), no contact
 * closing faster than its bias allows, friction 0.5. */
#ifndef OFFLOAD_ODE_H
#define OFFLOAD_ODE_H

#include <ode/ode.h>
#include <stdlib.h>
#include <talus/talus_solve.h>

/* What Talus is told about numbers of ODE's type. */
#ifdef dSINGLE
#define OFFLOAD_SCALAR TALUS_SCALAR_F32
#else
#define OFFLOAD_SCALAR TALUS_SCALAR_OWN
#endif

/* One contact point, as ODE found it and with what Talus wants beside. An array of these goes into
 * Talus as it is: a layout names each member's place. */
typedef struct touch {
  dContact contact;         /* geom.normal points to `b`; fdir1 is Talus' first tangent */
  int32_t a, b;             /* bodies; -1: the bin */
  dReal arm_a[3], arm_b[3]; /* from the bodies' centres to the point, m */
  dReal bias;               /* minus the speed that pushes overlaps apart, m/s */
  uint64_t pair;            /* of bodies */
  int taken;                /* its impulse was handed on to the next step */
  double impulse[3];        /* N s on b, in the world frame: of the last solve */
} touch;

/* A body's state and mass, as Talus wants them. */
typedef struct grain {
  double velocity[6];                      /* without contacts */
  double inverse_mass, inverse_inertia[6]; /* world frame */
  double after[6];                         /* velocity with the impulses */
} grain;

typedef struct offload {
  dWorldID world;
  dSpaceID space;
  dJointGroupID joints;
  dTriMeshDataID mesh_data;
  dBodyID *body;
  grain *grain;
  int32_t body_count, touch_count, touch_capacity, before_count, before_capacity;
  touch *touch, *before;    /* of this step; of the last one; both ordered by pair */
  dJointFeedback *feedback; /* one per touch */
  dReal step, friction;
  talus_context *context;
  talus_solver *solver;
} offload;

/* What one step was worth. */
typedef struct step_result {
  double seconds;     /* of the solver alone: no collision, no making of ODE's joints */
  double epsilon;     /* exact Coulomb friction, round cone */
  double epsilon_box; /* the same with ODE's cone: |t1|, |t2| <= friction n each */
  double penetration; /* deepest overlap at the beginning of the step, m */
  int32_t contacts;
  int64_t passes; /* Talus only */
} step_result;

/* ---- scene.c --------------------------------------------------------------------------------- */

/* A bin of triangles below a lattice of boxes, balls and capsules. */
void offload_open(offload *o, int32_t bodies);
void offload_close(offload *o);
/* Fills o->touch; warm impulses come from the step before. */
void offload_collide(offload *o);
/* Positions and velocities of all bodies, 13 numbers each. */
void offload_save(const offload *o, double *state);
void offload_load(offload *o, const double *state);

/* ---- solve.c --------------------------------------------------------------------------------- */

/* dWorldQuickStep with so many iterations and over-relaxation w. */
step_result offload_step_ode(offload *o, int iterations, double w);
/* The same step by Talus. */
step_result offload_step_talus(offload *o, const talus_settings *settings);

double offload_seconds(void);

/* Ends the program with a message. */
void offload_stop(const char *what, const char *why);
#define OFFLOAD_TRY(o, call)                                    \
  do {                                                          \
    if ((call) != TALUS_OK) {                                   \
      offload_stop(#call, talus_context_message((o)->context)); \
    }                                                           \
  } while (0)

#endif
