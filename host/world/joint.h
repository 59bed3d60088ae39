/* joint.h: a joint at the bodies' present poses, and the rows made from it.
 *
 *   joint.c        places, rows that hold           joint_drive.c  the coordinate: stops, motors,
 *   joint_add.c    the caller's side                               friction */
#ifndef TL_JOINT_H
#define TL_JOINT_H

#include "host/world/world.h"

/* Where a row's impulse is kept: rows that hold come first. */
enum { TL_ROW_LOWER = 6, TL_ROW_UPPER = 7, TL_ROW_MOTOR = 8, TL_ROW_FRICTION = 9 };

typedef struct tl_joint_now {
  double arm_a[3], arm_b[3]; /* from the bodies' centres to their points */
  double apart[3];           /* from the point of a to that of b, or of its image */
  double shift[3], drift[3]; /* of the nearest image of b in a periodic cell: cell.h */
  double axis_a[3], axis_b[3];
  double across[2][3], side_b[3]; /* across the axis, as a and as b carry them */
  double turn[3];                 /* rotation by which b has left its place relative to a */
} tl_joint_now;

/* Where its bodies are; where their present velocities take them in `ahead` s. */
void tl_joint_place(const talus_world *world, const tl_joint *joint, tl_joint_now *now);
void tl_joint_place_ahead(const talus_world *world, const tl_joint *joint, const tl_joint_now *now,
                          double ahead, tl_joint_now *next);
/* Finds the image of b that is nearest to a, of which `apart` is then told. */
void tl_joint_image(const tl_cell *cell, tl_joint_now *now);
/* A point of the world, or that of its images which is nearest to a body, in the body's frame; or a
 * direction. Of TALUS_NONE the world's own. */
void tl_joint_local(const talus_world *world, int32_t body, const double *given, int direction,
                    double *local);
void tl_joint_orientation(const talus_world *world, int32_t body, double *q);
/* The rotation by which b has left its place relative to a, small: q_b = turn q_a relative. */
void tl_joint_turn(const double *qa, const double *relative, const double *qb, double turn[3]);
/* Two unit vectors across the axis. */
void tl_joint_across(const double *axis, double across[2][3]);

/* The way between the bodies' centres that a force at the point of b is carried along; what does
 * not give way ends at the point. */
void tl_joint_branch(const talus_world *world, int32_t body_a, int32_t body_b,
                     const tl_joint_now *now, double branch[3]);

/* u along d of the point of b relative to that of a; spin of b relative to a about d. */
void tl_joint_row_point(const tl_joint_now *now, const double *d, tl_joint_row *row);
void tl_joint_row_turn(const double *d, tl_joint_row *row);

/* In the plane nothing moves along y or turns about x and z: such a row does nothing. */
bool tl_joint_row_acts(const talus_world *world, const tl_joint_row *row);

/* Angle or length; of a hinge the one nearest to the angle at the end of the last step. */
double tl_joint_coordinate_of(const tl_joint *joint, const tl_joint_now *now);
/* The row whose u is the coordinate's rate. */
void tl_joint_rate_row(const tl_joint *joint, const tl_joint_now *now, tl_joint_row *row);
/* u of a row at the bodies' velocities. */
double tl_joint_row_speed(const talus_world *world, const tl_joint *joint, const tl_joint_row *row);
/* Stops, motor, friction; returns how many rows. */
int32_t tl_joint_drive_rows(const talus_world *world, const tl_joint *joint,
                            const tl_joint_now *now, const tl_joint_now *next, double dt,
                            tl_joint_row *row);
/* How much of a row's bend enters its bias: all but the square of the angle by which bodies swing
 * about the joint in the step, and the fourth power of twice the angle by which they turn. That
 * damps by as much as the bend of a velocity that changes may gain (measured: chains that turn by
 * 0.12 in a step gain 30 % in 40 turns without it); of large angles nothing is left. */
double tl_joint_bend_share(const talus_world *world, const tl_joint *joint, const tl_joint_now *now,
                           const tl_joint_now *next, double dt);
/* The longest arm of a free body: what makes a speed of an angular one. */
double tl_joint_lever(const talus_world *world, const tl_joint *joint, const tl_joint_now *now);
/* Within this of a stop nothing is wrong: m or rad. */
double tl_joint_slop(const talus_world *world, const tl_joint *joint);

#endif
