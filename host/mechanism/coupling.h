/* coupling.h: several mechanisms, and what couples them for one step: a list of rows.
 *
 * A row's velocity is sum over its ends of wrench . motion of the end's link, plus a bias; an
 * impulse x of the row puts x wrench on each end. Rows along a joint's velocity (stops, motors,
 * friction) have two ends as well: the link, and its parent with the opposite. */
#ifndef TL_COUPLING_H
#define TL_COUPLING_H

#include <stdbool.h>

#include "host/mechanism/mechanism.h"

typedef struct tl_coupling_row_end {
  int32_t mechanism, link; /* link -1: the ground */
  double wrench[6];        /* about the link's origin */
  double point[3];         /* where the row acts, world frame */
} tl_coupling_row_end;

typedef struct tl_coupling_row {
  tl_coupling_row_end end[2];
  int32_t joint_velocity; /* the velocity that it acts along, or -1 */
  bool of_joint;          /* a stop, motor or friction of end 1's joint */
  bool is_moment;         /* no force */
  double direction[3];    /* of the force on end 1, if it is none of a joint */
  double bias, lower, upper;
  double friction, rebound; /* first row of a contact; rebound: restitution of one that strikes */
} tl_coupling_row;

struct talus_coupling {
  talus_context *context;
  talus_coupling_def def;
  talus_mechanism **mechanism;
  talus_loop_def *loop;
  int32_t *first_velocity; /* [mechanism_count + 1] */
  int32_t contact_count, row_count, bilateral_count;
  int built;
  int halfway;          /* positions are half a step ahead */
  int rebounds;         /* the problem is that of a second phase */
  tl_coupling_row *row; /* contacts, then bilateral ones */
  tl_buffer rows, values, indices, impulses;
  double *velocity; /* [all velocities] after a step of all other forces */
};

/* Rows of the bilateral part; they do not depend on contacts. */
int32_t tl_rows_bilateral_count(const talus_coupling *coupling);
void tl_rows_bilateral(const talus_coupling *coupling, tl_coupling_row *row);
/* A force of one along the direction on side b (mechanism, link) at point_b, its opposite on a. */
void tl_row_push(const talus_coupling *coupling, const int32_t side[4], const double *point_a,
                 const double *point_b, const double *direction, tl_coupling_row *row);
/* The same with a moment of one about the axis (world frame). */
void tl_row_twist(const talus_coupling *coupling, const int32_t side[4], const double *point_a,
                  const double *point_b, const double *axis, tl_coupling_row *row);
/* The velocity that a stop so far away allows, as a bias. */
double tl_stop_bias(const talus_coupling *coupling, double gap);
/* rows_swing.c: stops of a spherical joint; returns how many. */
int32_t tl_rows_swing_count(const tl_link *link);
int32_t tl_rows_swing(const talus_coupling *coupling, int32_t m, int32_t i, tl_coupling_row *row);
/* Rows of one loop; returns how many. */
int32_t tl_rows_loop(const talus_coupling *coupling, const talus_loop_def *loop,
                     tl_coupling_row *row);
/* `dimension` rows of one contact, bias included. Statuses as for talus_coupling_build. */
talus_status tl_rows_contact(const talus_coupling *coupling, const talus_touch *touch,
                             int32_t index, tl_coupling_row *row);
/* Seconds in which the positions will follow the new velocities. */
double tl_step_ahead(const talus_coupling *coupling);
/* The row's velocity without bias when the mechanisms move as they do now. */
double tl_row_velocity(const talus_coupling *coupling, const tl_coupling_row *row);
/* line [velocities of all mechanisms] += the row in terms of joint velocities */
void tl_row_spread(const talus_coupling *coupling, const tl_coupling_row *row, double *line);

/* coupling.c: a caller's loops in the library's size; *memory is to be freed. Statuses:
 * STRUCT_SIZE, OUT_OF_MEMORY. */
talus_status tl_loops_read(talus_context *context, const talus_loop_def *given, int32_t count,
                           const talus_loop_def **own, void **memory);

/* coupling.c, parts of a build: accelerations without rows, into `velocity`; then the rows, whoever
 * has put accelerations there and placed the mechanisms; tl_coupling_form is the rest. */
talus_status tl_coupling_accelerate(talus_coupling *coupling);
talus_status tl_coupling_rows(talus_coupling *coupling, const talus_touch *touch, int32_t count);
/* The problem's arrays from rows and velocities. */
talus_status tl_coupling_blocks(talus_coupling *coupling, talus_problem *problem);
talus_status tl_coupling_delassus(talus_coupling *coupling, talus_problem *problem);
/* Either, by the coupling's form, and what both have. */
talus_status tl_coupling_form(talus_coupling *coupling, talus_problem *problem);

#endif
