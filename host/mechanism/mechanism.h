/* mechanism.h: the memory of a mechanism.
 *
 *   check.c        what a caller may hand over        mechanism.c   life
 *   state.c        coordinates, forces, loads
 *   place.c        positions, velocities, inertias    measure.c     points, Jacobians, balances
 *   composite.c    mass matrix, inverse dynamics      articulated.c factors and sweeps, O(n)
 *   conquer*.c     divide and conquer                 compliance.c  J M^-1 J^T by recursion
 *   response.c     the three ways side by side        step.c        time
 *   rows*.c        contacts, loops, stops as rows     coupling*.c   a talus_problem of them
 *
 * A link's quantities are in world axes about the link's origin (item/link.h). Link -1 is the base.
 * Loops go through links in `order`: parents first. */
#ifndef TL_MECHANISM_H
#define TL_MECHANISM_H

#include <string.h>

#include "host/base/base.h"
#include "host/math/vector.h"
#include "kernels/item/link.h"
#include "talus/talus_mechanism.h"

enum { TL_LINK_NAME = 32 };

/* What does not change. */
typedef struct tl_link {
  char name[TL_LINK_NAME];
  int32_t parent, kind;
  int32_t first_q, first_v, q_count, v_count;
  int32_t first_d;                    /* place of its v_count^2 numbers among `pivot` */
  double position[3], rotation[9];    /* of the joint in the parent's frame */
  double axis[3], axis2[3], axis3[3]; /* unit, in the joint's frame */
  double mass, centre[3], inertia[6];
  double damping, friction;
  double lower[3], upper[3]; /* infinite: none */
  double rate[3], target[3], effort, response;
  int32_t motor;
} tl_link;

typedef struct tl_link_load {
  int32_t link;
  double point[3], force[3], moment[3];
} tl_link_load;

typedef struct tl_conquer tl_conquer;

struct talus_mechanism {
  talus_context *context;
  double gravity[3];
  talus_dynamics dynamics;
  int32_t link_count, q_count, v_count, d_count;
  tl_link *link;
  int32_t *order;          /* links, parents first */
  double *q, *v, *applied; /* state, and forces along the velocities */
  tl_link_load *load;
  int32_t load_count, load_capacity;

  int placed, articulated; /* whether the arrays below belong to the present state */
  tl_link_state *state;    /* follows from coordinates and velocities */
  double *axis;            /* [6 v_count] columns of S, one after the other */
  /* articulated bodies */
  double *body_inertia; /* [36 link_count] */
  double *effect;       /* [6 v_count] U = IA S */
  double *pivot;        /* [d_count] inverse of S^T U */
  /* one sweep */
  double *wrench;  /* [6 link_count] */
  double *motion;  /* [6 link_count] */
  double *reduced; /* [v_count] u, then the result */
  double *force;   /* [v_count] applied - damping v */
  double *outer;   /* [6 link_count] loads about the links' origins */
  double *saved;   /* steps: some copies of q and v */
  tl_buffer dense; /* mass matrix */
  tl_buffer scratch;
  tl_conquer *conquer; /* made when first asked for */
  void *memory;
};

/* Quantities of a link or of the base, whose motion is zero. */
static inline const double *tl_motion_of(const talus_mechanism *mechanism, int32_t link,
                                         const double *base) {
  return link >= 0 ? mechanism->motion + 6 * link : base;
}

static inline const double *tl_axis_of(const talus_mechanism *mechanism, const tl_link *link) {
  return mechanism->axis + 6 * link->first_v;
}

/* mechanism.c: a caller's def, checked but for its links, and the links, in the library's sizes;
 * *memory is to be freed. Statuses: those of tl_mechanism_check, STRUCT_SIZE, OUT_OF_MEMORY. */
talus_status tl_mechanism_def_read(talus_context *context, const talus_mechanism_def *given,
                                   talus_mechanism_def *own, void **memory);

/* check.c: a def without its links, and the links. */
talus_status tl_mechanism_check(talus_context *context, const talus_mechanism_def *def);
talus_status tl_links_check(talus_context *context, const talus_mechanism_def *def);
/* "joint 3 (elbow)"; text of at least 64 bytes. */
const char *tl_joint_text(const char *name, int32_t link, char *text);
talus_status tl_link_exists(const talus_mechanism *mechanism, int32_t link);

/* step.c: quaternions of the coordinates to length one; coordinates moved by the velocities. */
void tl_mechanism_normalise(talus_mechanism *mechanism);
void tl_mechanism_drift(talus_mechanism *mechanism, const double *velocity, double seconds);

/* place.c: brings `state` and `axis` up to the present coordinates and velocities. */
void tl_mechanism_place(talus_mechanism *mechanism);
/* Loads about the links' origins, and force = applied - damping v. */
void tl_mechanism_forces(talus_mechanism *mechanism);

/* articulated.c. factor: what depends on coordinates alone. */
talus_status tl_mechanism_factor(talus_mechanism *mechanism);
/* acceleration = M^-1 (force + J^T wrench [- what velocities and gravity ask, if with_bias]);
 * force and wrench may be NULL. Leaves the links' accelerations in `motion` (less gravity). */
void tl_mechanism_sweep(talus_mechanism *mechanism, const double *force, const double *wrench,
                        int with_bias, double *acceleration);

/* measure.c: the links' motions into `motion`, were these the joint velocities. */
void tl_mechanism_spread(talus_mechanism *mechanism, const double *velocity);

/* response.c: the links' accelerations (less gravity) into `motion`, for given joint ones. */
void tl_mechanism_motion(talus_mechanism *mechanism, const double *acceleration);

/* composite.c: M; and the forces that present velocities, gravity and loads ask. */
void tl_mechanism_mass(talus_mechanism *mechanism, double *mass);
void tl_mechanism_inverse_dynamics(talus_mechanism *mechanism, double *force);
/* The Cholesky factor of M in `dense`. */
talus_status tl_mechanism_dense(talus_mechanism *mechanism);
/* row += wrench^T J_link */
void tl_mechanism_row(const talus_mechanism *mechanism, int32_t link, const double *wrench,
                      double *row);

/* conquer.c: the present accelerations; and for wrenches at links, what column k (0: velocities,
 * gravity, forces; then each wrench) does to the link of wrench i: motion[6 ((count + 1) i +
 * k)]. */
talus_status tl_conquer_accelerate(talus_mechanism *mechanism, double *acceleration);
talus_status tl_conquer_response(talus_mechanism *mechanism, const tl_unit_wrench *unit,
                                 int32_t count, double *motion);
void tl_conquer_destroy(talus_context *context, tl_conquer *conquer);

/* compliance.c: for links (distinct, ascending in `order`) the blocks of 6 x 6 that tell how one
 * moves for a wrench on the other: block[36 (count i + j)]. */
talus_status tl_mechanism_compliance(talus_mechanism *mechanism, const int32_t *link, int32_t count,
                                     double *block);

#endif
