/* domain.h: parts of space that are averaged over, and how much of a body or a branch is in one.
 *
 * Everything is computed in the domain's own frame. Faces that two domains share belong to the
 * upper one, so that the parts of a partition hold every point once.
 *
 *   domain.c       points, lines, volumes
 *   domain_ball.c  the part of a ball: closed forms; cylinders by a quadrature that is good to
 *                  some 1e-10 of the ball
 *   domain_shape.c the part of any other shape: by evenly spread points of the shape */
#ifndef TL_MEASURE_DOMAIN_H
#define TL_MEASURE_DOMAIN_H

#include <stdbool.h>

#include "host/collide/collide.h"

typedef enum tl_domain_kind {
  TL_DOMAIN_BOX,      /* lower .. upper */
  TL_DOMAIN_CYLINDER, /* about z, from z = 0 to height, from radius inner to radius */
  TL_DOMAIN_BALL,     /* about the origin, from radius inner to radius */
  TL_DOMAIN_CELL /* all of a periodic cell: lower .. upper have its volume, nothing is outside */
} tl_domain_kind;

/* In a plane world y does not count: a box is a rectangle, a ball a disk, both one metre thick;
 * there are no cylinders. */
typedef struct tl_domain {
  tl_domain_kind kind;
  bool plane;
  tl_pose pose; /* of its own frame, in the world */
  double lower[3], upper[3];
  double radius, inner, height;
} tl_domain;

double tl_domain_volume(const tl_domain *domain);
bool tl_domain_contains(const tl_domain *domain, const double point[3]);
/* Whether it holds the whole ball; whether it may meet it (a little more often than it does). */
bool tl_domain_holds_ball(const tl_domain *domain, const double centre[3], double radius);
bool tl_domain_meets_ball(const tl_domain *domain, const double centre[3], double radius);
/* The part of a straight line that is in it, 0 .. 1; of a line without length: of its point. */
double tl_domain_line_share(const tl_domain *domain, const double from[3], const double to[3]);

/* Volume of the part of a ball in the domain (plane: area of the part of a disk), m3. */
double tl_domain_ball_volume(const tl_domain *domain, const double centre[3], double radius);
/* Share of a shape of any kind, 0 .. 1. Spheres exactly; others by the share of some 1000 points,
 * which are the same for every domain: shares of a partition add up to 1. */
double tl_domain_shape_share(const tl_domain *domain, const tl_geometry *geometry,
                             const tl_pose *pose);
/* Whether a shape holds a point of its own frame. */
bool tl_shape_holds(const tl_geometry *geometry, const double point[3]);

/* The part of a unit ball with x > a, y > b, z > c, and of a unit disk with x > a, y > b. */
double tl_ball_corner(double a, double b, double c);
double tl_disk_corner(double a, double b);
/* The common part of two balls, and of two disks, whose centres are apart by distance. */
double tl_ball_lens(double radius_a, double radius_b, double distance);
double tl_disk_lens(double radius_a, double radius_b, double distance);

#endif
